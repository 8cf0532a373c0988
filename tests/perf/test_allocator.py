"""What allocating and freeing mixed sizes costs, beside C's malloc and beside the vendor's plain Malloc and Free."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import torch_fl
from generators.files import ROOT


@pytest.fixture(scope="module")
def churn(device_vendor: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int, int], float]:
    """Seconds of tests/perf/churn.cc by a means, for a number of threads and of steps each."""
    library = tmp_path_factory.mktemp("churn") / "libchurn.so"
    torch_folder, own = Path(torch.__file__).parent, torch_fl.library_dir()
    subprocess.run(
        [
            *("g++", "-std=c++20", "-O2", "-shared", "-fPIC", str(Path(__file__).parent / "churn.cc")),
            *(f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}", "-isystem", str(torch_folder / "include")),
            *("-o", str(library), f"-L{own}", "-ltorch_fl", f"-L{torch_folder / 'lib'}", "-lc10"),
        ],
        check=True,
    )
    torch_fl.init()
    functions = ctypes.CDLL(str(library))

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
