"""What an allocation costs when the cache has the block, beside PyTorch's own on the CPU, beside C's malloc, and beside the
vendor's plain Malloc and Free. On the device that is selected, whichever it is."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import torch_fl
from generators.files import ROOT

CALLS = 3000  # between two looks at the clock
ROUNDS = 60
CPU = torch.device("cpu")


def best_of_rounds(*functions: Callable[[], object]) -> list[float]:
    """Seconds that CALLS calls of each take: the least of many rounds, taken in turns."""
    best = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for index, function in enumerate(functions):
            started = time.perf_counter()
            for _ in range(CALLS):
                function()
            best[index] = min(best[index], time.perf_counter() - started)
    return best


@pytest.fixture
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    gc.disable()
    yield
    gc.enable()
    torch.set_num_threads(threads)


@pytest.mark.parametrize("size", [(4, 4), (1 << 20,)], ids=["4 x 4", "1 Mi"])
def test_cached_empty(ratio, one_thread, size):
    empty, device = torch.empty, torch.device("flagos")
    empty(size, device="flagos")
    by_name, by_device, cpu, cpu_by_name, cpu_by_device = best_of_rounds(
        lambda: empty(size, device="flagos"),
        lambda: empty(size, device=device),
        lambda: empty(size),
        lambda: empty(size, device="cpu"),
        lambda: empty(size, device=CPU),
    )
    ratio(f"empty({size}, device='flagos') / empty({size})", by_name, cpu)
    ratio(f"empty({size}, device='flagos') / device='cpu'", by_name, cpu_by_name)
    ratio(f"empty({size}, device=flagos) / empty({size})", by_device, cpu)
    ratio(f"empty({size}, device=flagos) / device=cpu", by_device, cpu_by_device)


@pytest.fixture(scope="module")
def churn(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int, int], float]:
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
def test_churn_of_mixed_sizes(ratio, churn, threads):
    steps = 20_000
    cached = churn("cached", threads, steps)
    ratio(f"{threads} threads churn: malloc / cached allocator", churn("malloc", threads, steps), cached)
    plain = churn("vendor", threads, steps // 20) * 20
    ratio(f"{threads} threads churn: Malloc and Free / cached allocator", plain, cached)
