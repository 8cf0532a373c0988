"""Memory of flagos tensors and of the kernels: one allocator, whose cache serves both."""

from __future__ import annotations

from collections.abc import Callable

import torch

from gates.cuda_compat.routed import DEVICE, same
from gates.status import check, fail
from torch_fl import flagos

MIB = 1 << 20
LEFT = 256 * MIB  # of a device that is full otherwise
BLOCK = 1024 * MIB

# Which of them has a workspace is the target's affair.
SORTS: list[Callable[[torch.Tensor], object]] = [
    lambda x: x.sort(),
    lambda x: x.reshape(1024, 1024).sort(dim=0, stable=True),
]


def statistics_cover_kernels() -> dict[str, int]:
    """What kernels allocate is in the statistics: results as much as what flagos itself allocates, and workspaces."""
    x = torch.arange(MIB, device=DEVICE).remainder(1013).float()
    before = flagos.memory_allocated()
    own = torch.empty_like(x)
    of_flagos = flagos.memory_allocated() - before
    result = x + x
    of_kernel = flagos.memory_allocated() - before - of_flagos
    check(of_flagos >= x.nbytes, "memory of a flagos tensor is not counted", expected=x.nbytes, found=of_flagos)
    check(of_kernel == of_flagos, "a kernel's result is counted otherwise", expected=of_flagos, found=of_kernel)
    del own, result
    check(
        flagos.memory_allocated() == before, "memory is still counted", expected=before, found=flagos.memory_allocated()
    )
    workspaces = [_workspace(call, x) for call in SORTS]
    check(any(workspaces), "no workspace of a kernel is counted", expected="one of a sort at least", found=workspaces)
    return {"result": of_kernel, "workspace": max(workspaces)}


def _workspace(call: Callable[[torch.Tensor], object], x: torch.Tensor) -> int:
    """Bytes that a call had beside its results, of which the statistics know."""
    call(x)
    flagos.reset_peak_memory_stats()
    results = call(x)
    workspace = flagos.max_memory_allocated() - flagos.memory_allocated()
    del results
    return workspace


def cache_is_one() -> dict[str, int]:
    """On a device that is nearly full, blocks that one side left in the cache are freed for a request of the other; what no
    side can have is an error, after which all goes on; and empty_cache gives the memory back to the device."""
    x = torch.ones(1, device=DEVICE)
    _large(x, MIB)
    flagos.empty_cache()
    held = []
    while (free := flagos.mem_get_info()[0]) > LEFT + MIB:
        held.append(torch.empty(min(BLOCK, free - LEFT), dtype=torch.uint8, device=DEVICE))
    sides: dict[str, Callable[[int], torch.Tensor]] = {
        "a kernel": lambda size: _large(x, size),
        "flagos": lambda size: torch.empty(size // 4, device=DEVICE),
    }
    smaller, larger = LEFT // 8 * 5, LEFT // 8 * 7  # not both at a time
    for first, second in (("a kernel", "flagos"), ("flagos", "a kernel")):
        sides[first](smaller)
        cached = flagos.memory_reserved() - flagos.memory_allocated()
        check(cached >= smaller, f"what {first} left is not in the cache", expected=smaller, found=cached)
        try:
            sides[second](larger)
        except torch.OutOfMemoryError as error:
            fail(f"blocks that {first} left in the cache are not freed for {second}", found=str(error).splitlines()[0])
        flagos.empty_cache()
    for name, allocate in sides.items():
        try:
            allocate(2 * LEFT)
        except torch.OutOfMemoryError:
            pass
        else:
            fail(f"{name} got more than the device has left", expected=LEFT, found=2 * LEFT)
        same(_large(x, MIB)[:1], torch.tensor([2.0]), f"a kernel after {name} got none")
    before, reserved = flagos.mem_get_info()[0], flagos.memory_reserved()
    _large(x, smaller)
    taken, grown = before - flagos.mem_get_info()[0], flagos.memory_reserved() - reserved
    check(abs(taken - grown) <= 2 * MIB, "the device lost other memory than is counted", expected=grown, found=taken)
    flagos.empty_cache()
    left = before - flagos.mem_get_info()[0]
    check(left <= 2 * MIB, "empty_cache does not give the memory back", expected=f"{taken} bytes", found=taken - left)
    return {"taken": taken, "left": left}


def _large(x: torch.Tensor, size: int) -> torch.Tensor:
    """A kernel's result of that many bytes, of next to no arguments."""
    return torch.add(x.expand(size // 4), 1)
