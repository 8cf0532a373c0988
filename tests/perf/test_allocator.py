"""What allocating and freeing mixed sizes costs, beside C's malloc and beside the vendor's plain Malloc and Free."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest

import torch_fl


@pytest.fixture(scope="module")
def churn(
    device_vendor: str, without_routes: str, extension: Callable[[str], ctypes.CDLL]
) -> Callable[[str, int, int], float]:
    """Seconds of tests/perf/churn.cc by a means, for a number of threads and of steps each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLAGOS_BACKEND_CONFIG", without_routes)  # or the memory may be the target's
        torch_fl.init()
    functions = extension("churn")

    def run(means: str, threads: int, steps: int) -> float:
        function = getattr(functions, f"churn_{means}")
        function.restype = ctypes.c_double
        return min(function(threads, steps) for _ in range(5))

    return run


@pytest.mark.parametrize("threads", [1, 4])
def test_churn_of_mixed_sizes(ratio, churn, vendor, threads):
    steps = 20_000
    # On a simulated device the yardstick is C's malloc: its Malloc maps memory and does nothing else.
    demands = ({"at_least": 0.5}, {}) if vendor.simulated else ({}, {"at_least": 10})
    cached = churn("cached", threads, steps)
    ratio(f"{threads} threads churn: malloc / cached allocator", churn("malloc", threads, steps), cached, **demands[0])
    plain = churn("vendor", threads, steps // 20) * 20
    ratio(f"{threads} threads churn: Malloc and Free / cached allocator", plain, cached, **demands[1])
