"""Calls of operators through a native library, beside the same on the CPU, in a process of its own:

    python -m tests.integration.native_flow LIBRARY < calls.json

`calls.json` is a list of expressions over `x`, in several layouts, and over `y`, which is broadcast. Prints a line of JSON for
each: how it differs from the CPU's, and which operators went to the CPU.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch

import torch_fl
from generators.sweep.comparing import placed

DEVICE = "flagos:0"
NAMES = {"torch": torch, "F": torch.nn.functional}  # of the expressions


def layouts() -> Iterator[tuple[str, torch.Tensor]]:
    torch.manual_seed(0)
    yield "plain", torch.randn(4, 6)
    yield "transposed", torch.randn(6, 4).t()
    yield "offset and gaps", torch.randn(10, 14)[1:9:2, 2:14:2]
    yield "steps of nothing", torch.randn(1, 6).expand(4, 6)
    yield "three dimensions", torch.randn(3, 6, 4).permute(2, 0, 1).transpose(1, 2)
    yield "no elements", torch.randn(0, 6)
    yield "no dimensions", torch.randn(())
    yield "special values", torch.tensor([[0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.5]])


def difference(found: torch.Tensor, expected: torch.Tensor) -> str:
    try:
        torch.testing.assert_close(found, expected, equal_nan=True)
    except AssertionError as error:
        return str(error)
    return ""


def main(library: str) -> None:
    torch_fl.init()
    from torch_fl import flagos

    problems = flagos._C.route_to_library(flagos._C.operators_of_library(library), library)
    assert not problems, problems
    for text in json.load(sys.stdin):
        for layout, x in layouts():
            y = torch.linspace(0.5, 2, x.size(-1) if x.dim() else 1)
            try:
                expected = eval(text, NAMES, {"x": placed(x, "cpu"), "y": y})
            except (RuntimeError, IndexError):  # there is no such call
                continue
            flagos.reset_fallback_counts()
            try:
                found = eval(text, NAMES, {"x": placed(x, DEVICE), "y": y.to(DEVICE)})
                differs = difference(found.cpu(), expected)
            except RuntimeError as error:
                differs = str(error)
            print(json.dumps({"call": text, "layout": layout, "differs": differs, "on_cpu": flagos.fallback_counts()}))


if __name__ == "__main__":
    main(sys.argv[1])
