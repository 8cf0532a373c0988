"""What the gates of the running route do, by `Route.run`: each function in a process of its own, whose operators run on the
vendor's key. What it returns goes back to its gate."""

from __future__ import annotations

from typing import Any

import torch_fl.flagos  # noqa: F401  the device, also where the package is not installed
from gates.status import check

DEVICE = "flagos"


def same(found: Any, expected: Any, what: str, tolerance: float = 0.0) -> None:
    """A tensor of the device has the CPU's values: each within a part of the largest, for reduced precision has its error
    there too."""
    here = found.detach().cpu().double()
    wanted = expected.detach().double()
    check(here.shape == wanted.shape, f"{what}: another shape", expected=list(wanted.shape), found=list(here.shape))
    error = (here - wanted).abs().max().item()
    allowed = tolerance * wanted.abs().max().item()
    check(error <= allowed, f"{what}: not the CPU's values", expected=f"an error of at most {allowed:g}", found=error)
