"""Times one thing after another in a process of its own, for comparisons between processes.

    python worker.py [--torch-fl]

reads lines `MEASURE DEVICE` and answers each with seconds per call. It needs torch and nothing of this project, so that
another build of torch can be a yardstick.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import torch

MIB = 1 << 20
MEASURES: dict[str, Callable[[str], tuple[Callable[[], object], int]]] = {}  # -> what to call, and calls in a row


def measure(make: Callable[[str], tuple[Callable[[], object], int]]) -> Callable:
    MEASURES[make.__name__] = make
    return make


@measure
def empty(device: str) -> tuple[Callable[[], object], int]:
    """A tensor of 16 elements, allocated and dropped; the device is given as an object."""
    where = torch.device(device)
    return lambda: torch.empty(4, 4, device=where), 2000


@measure
def empty_mebi(device: str) -> tuple[Callable[[], object], int]:
    """A tensor of 4 MiB, likewise."""
    where = torch.device(device)
    return lambda: torch.empty(MIB, device=where), 2000


@measure
def empty_as_written(device: str) -> tuple[Callable[[], object], int]:
    """As people write it: the device as text, and none for the CPU."""
    return (lambda: torch.empty(4, 4)) if device == "cpu" else (lambda: torch.empty(4, 4, device=device)), 2000


@measure
def add(device: str) -> tuple[Callable[[], object], int]:
    """A small operator with two inputs and one result, its result on the device."""
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor + tensor, 1000


@measure
def add_in_place(device: str) -> tuple[Callable[[], object], int]:
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor.add_(1), 1000


@measure
def reduce(device: str) -> tuple[Callable[[], object], int]:
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor.sum(), 1000


@measure
def upload(device: str) -> tuple[Callable[[], object], int]:
    """64 MiB of pageable memory to the device, finished on return."""
    source, target = torch.ones(16 * MIB), torch.empty(16 * MIB, device=device)
    return lambda: target.copy_(source), 1


@measure
def memmove(device: str) -> tuple[Callable[[], object], int]:
    """64 MiB by the C library, on one thread."""
    source, target = torch.ones(16 * MIB), torch.ones(16 * MIB)
    return lambda: ctypes.memmove(target.data_ptr(), source.data_ptr(), 64 * MIB), 1


def four_copies(target: torch.Tensor, source: torch.Tensor) -> tuple[Callable[[], object], int]:
    """64 MiB, four times in a row, and the wait for them."""

    def copies() -> None:
        for _ in range(4):
            target.copy_(source, non_blocking=True)
        torch.accelerator.synchronize()

    return copies, 1


@measure
def upload_pinned(device: str) -> tuple[Callable[[], object], int]:
    """Pinned memory to the device."""
    return four_copies(torch.empty(16 * MIB, device=device), torch.ones(16 * MIB).pin_memory())


@measure
def download_pinned(device: str) -> tuple[Callable[[], object], int]:
    return four_copies(torch.empty(16 * MIB).pin_memory(), torch.ones(16 * MIB, device=device))


@measure
def transpose(device: str) -> tuple[Callable[[], object], int]:
    """16 MiB copied into a tensor with its dimensions the other way round."""
    source, target = torch.ones(2048, 2048, device=device), torch.empty(2048, 2048, device=device)

    def copy() -> None:
        target.t().copy_(source)
        if device != "cpu":
            torch.accelerator.synchronize()

    return copy, 1


@measure
def synchronize(device: str) -> tuple[Callable[[], object], int]:
    """The wait for an idle device."""
    torch.empty(1, device=device)
    return torch.accelerator.synchronize, 500


@measure
def record(device: str) -> tuple[Callable[[], object], int]:
    """An event recorded on the current stream, which has no other work."""
    event = torch.Event(device=device)
    stream = torch.accelerator.current_stream()
    return lambda: event.record(stream), 500


@measure
def cpu_work(device: str) -> tuple[Callable[[], object], int]:
    """Operators, views, indexing and autograd on the CPU: code that never heard of another device."""
    weight = torch.ones(8, 8, requires_grad=True)
    batch = torch.ones(4, 8)

    def step() -> None:
        hidden = (batch @ weight).relu()[1:].view(-1)
        hidden.sum().backward()
        torch.zeros(4, device="cpu").add_(1)
        batch.to(torch.float32)

    return step, 200


def time_once(function: Callable[[], object], calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - started) / calls


def main() -> None:
    if "--torch-fl" in sys.argv:
        import torch_fl  # noqa: F401
    torch.set_num_threads(1)
    for line in sys.stdin:
        name, device = line.split()
        # Made anew each time: how fast memory is copied depends on the pages that it happens to have.
        made = MEASURES[name](device)
        time_once(*made)  # the first calls fill caches
        print(min(time_once(*made) for _ in range(3)), flush=True)


if __name__ == "__main__":
    main()
