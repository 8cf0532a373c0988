"""Streams, threads and the current device, across boxed kernels and what flagos does itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from gates.abi import Runtime
from gates.cuda_compat.routed import DEVICE, same
from gates.status import check
from gates.threads import in_threads
from torch_fl import flagos

COUNT = 1 << 20  # elements: 4 MiB, so that a kernel takes a while


@cache
def runtime() -> Runtime:
    """The runtime library that torch_fl uses here."""
    return Runtime(Path(os.environ["FLAGOS_RUNTIME_LIBRARY"]), os.environ["FLAGOS_ACCELERATOR"])


def occupy(stream: Any, milliseconds: float = 150) -> None:
    runtime().occupy(stream.native_handle, milliseconds)


def full(value: float, count: int = COUNT) -> torch.Tensor:
    return torch.full((count,), value)


def streams() -> None:
    """A boxed kernel is part of the current stream: after what is before it there, also if that is not a kernel, before what
    comes after it, and of no other stream."""
    first, second = torch.Stream(DEVICE), torch.Stream(DEVICE)
    x, made, used, other = (full(1).to(DEVICE) for _ in range(4))
    for result in (made, used, other):  # the first call of a kernel may load it, and wait for that
        torch.add(x, 1, out=result)
    torch.accelerator.synchronize()
    with first:
        occupy(first)
        x.zero_()
        torch.add(x, 2, out=made)
        occupy(first)
        x.fill_(5)
        written = first.record_event()
    second.wait_event(written)
    with second:
        torch.add(made, x, out=used)
    second.synchronize()
    same(made, full(2), "a kernel between two writes on its stream")
    same(used, full(7), "a kernel on a stream that waits for the event")
    occupy(first, 300)
    with second:
        torch.add(x, 1, out=other)
    second.synchronize()
    check(not first.query(), "a kernel on an idle stream waited for a busy one")
    same(other, full(6), "a kernel on an idle stream")


def recorded() -> None:
    """Memory that another stream was recorded on stays as it is until that has read it, and is used again otherwise."""
    home, side = torch.Stream(DEVICE), torch.Stream(DEVICE)  # the default stream might wait for the other
    with home:
        ones, kept, copied = full(1).to(DEVICE), full(0).to(DEVICE), full(0).pin_memory()
        _read_late("a copy", lambda x: copied.copy_(x, non_blocking=True), ones, side)
        same(copied, full(2), "a copy on a recorded stream")
        _read_late("a kernel", lambda x: torch.add(x, 1, out=kept), ones, side)
        same(kept, full(3), "a kernel on a recorded stream")


def _read_late(name: str, read: Callable[[torch.Tensor], object], ones: torch.Tensor, side: torch.Stream) -> None:
    """Twos are read on a stream that is busy, while the current one wants memory of that size for other numbers."""
    read(ones)
    x = ones + 1
    address = x.data_ptr()
    del x
    x = ones + 1
    check(x.data_ptr() == address, f"{name}: a free block is not used again, so that nothing would write to it here")
    torch.accelerator.synchronize()
    with side:
        occupy(side)
        read(x)
        x.record_stream(side)
    del x
    others = [ones * 7 for _ in range(2)]
    side.synchronize()
    torch.accelerator.current_stream().synchronize()
    del others


def pinned() -> None:
    """Copies from and to pinned memory that do not block are in one order with boxed kernels."""
    stream = torch.Stream(DEVICE)
    source, target = full(3).pin_memory(), full(0).pin_memory()
    x, y = (torch.zeros(COUNT, device=DEVICE) for _ in range(2))
    torch.add(x, x, out=y)
    torch.accelerator.synchronize()
    with stream:
        occupy(stream)
        x.copy_(source, non_blocking=True)
        torch.add(x, x, out=y)
        target.copy_(y, non_blocking=True)
        y.add_(1)
    stream.synchronize()
    same(target, full(6), "what a kernel made of pinned memory, copied back")
    same(y, full(7), "what a later kernel made of it")


def threads() -> None:
    """Threads with a stream of their own each neither see each other's stream nor each other's numbers."""
    default = torch.accelerator.current_stream()

    def work(seed: int) -> None:
        own = torch.Stream(DEVICE)
        generator = torch.Generator().manual_seed(seed)
        whole = torch.randint(-4, 5, (96, 96), generator=generator).float()
        with own:
            there = whole.to(DEVICE)
            for turn in range(20):
                found = torch.cat([there @ there + turn, there.relu()])
                check(torch.accelerator.current_stream() == own, f"turn {turn}: another thread's stream is current")
                same(found, torch.cat([whole @ whole + turn, whole.relu()]), f"turn {turn}")
        check(torch.accelerator.current_stream() == default, "the thread's former stream is not current again")

    problems = in_threads(work, 6)
    check(not problems, "threads disturb each other", found="; ".join(problems))


# Calls on a tensor of 4 × 4, and those that a kernel refuses before it launches anything.
CALLS: dict[str, Callable[[torch.Tensor], object]] = {
    "add": lambda x: x + x,
    "add_": lambda x: x.add_(1),
    "mm": lambda x: x @ x,
    "add.out": lambda x: torch.add(x, x, out=torch.empty(0, device=x.device)),
    "cat": lambda x: torch.cat([x, x]),
    "sort": lambda x: x.sort().values,
    "_foreach_add": lambda x: torch._foreach_add([x, x], 1)[1],
    "arange": lambda x: torch.arange(2, 9, device=x.device),
    "randperm": lambda x: torch.randperm(9, device=x.device),
    "dropout": lambda x: torch.nn.functional.dropout(x),
    "item": lambda x: x.sum().item(),
}
REFUSED: dict[str, Callable[[torch.Tensor], object]] = {
    "add of other sizes": lambda x: x + x[:3],
    "mm of other sizes": lambda x: x @ x[:3],
    "mm.out of another dtype": lambda x: torch.mm(x, x, out=torch.empty(4, 4, dtype=torch.int32, device=x.device)),
    "cat of other sizes": lambda x: torch.cat([x, x[:, :3]]),
    "index_select with no index": lambda x: x.index_select(0, x[0]),
    "index_select of no dimension": lambda x: x.index_select(7, torch.zeros(1, dtype=torch.int64, device=x.device)),
}


def _kept(vendor: Runtime, home: int, away: int) -> None:
    """Nothing that is called on a device changes the current device and its stream, for flagos and for the vendor."""
    flagos.set_device(home)
    with torch.Stream(f"{DEVICE}:{home}") as stream:
        for name, call in (CALLS | REFUSED).items():
            x = torch.ones(4, 4, device=f"{DEVICE}:{away}")
            refused = False
            try:
                found = call(x)
            except (RuntimeError, IndexError):
                refused = True
            what = f"{name} on device {away} while device {home} is current"
            check(refused == (name in REFUSED), f"{what}: {'refused' if refused else 'not refused'}")
            check(flagos.current_device() == home, f"{what}: flagos's current device", found=flagos.current_device())
            check(vendor.device() == home, f"{what}: the vendor's current device", found=vendor.device())
            check(torch.accelerator.current_stream() == stream, f"{what}: another stream is current")
            if not refused and isinstance(found, torch.Tensor):
                check(found.device == x.device, f"{what}: the result is elsewhere", found=found.device)
            same(x + 1, x.cpu() + 1, f"a call after {name}")


def device_is_kept() -> None:
    _kept(runtime(), 0, 0)


def other_device_is_kept() -> None:
    vendor = runtime()
    _kept(vendor, 0, 1)
    _kept(vendor, 1, 0)

    def work(seed: int) -> None:
        _kept(vendor, seed % 2, 1 - seed % 2)

    problems = in_threads(work, 4)
    check(not problems, "threads with devices of their own disturb each other", found="; ".join(problems))
