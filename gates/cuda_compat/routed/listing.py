"""What can be routed, asked of the library."""

from __future__ import annotations

from torch_fl.flagos import _C
from torch_fl.flagos.routing import KERNELS_OF


def routable_operators(route: str) -> list[str]:
    return _C.routable_operators(KERNELS_OF[route])
