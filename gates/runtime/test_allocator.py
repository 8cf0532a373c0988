"""The caching allocator over the ten virtuals: safe reuse, exact statistics, retry, giving back, threads."""

from __future__ import annotations

import pytest

from gates.abi import Kind
from gates.status import check
from gates.tensors import extremes
from gates.threads import in_threads

MIB = 1 << 20


@pytest.mark.gate("runtime.allocator.reuse", requires=["block_cache"])
def test_freed_block_is_reused_on_its_stream(device):
    """Exit criterion: a block freed on a stream serves the next request of that stream without asking the device."""
    import torch

    first = torch.empty(3 * MIB, dtype=torch.uint8, device=device)
    address, reserved = first.data_ptr(), torch.flagos.memory_reserved()
    del first
    again = torch.empty(3 * MIB, dtype=torch.uint8, device=device)
    check(
        again.data_ptr() == address, "a freed block was not reused", expected=hex(address), found=hex(again.data_ptr())
    )
    check(
        torch.flagos.memory_reserved() == reserved, "the device was asked again", found=torch.flagos.memory_reserved()
    )


@pytest.mark.gate("runtime.allocator.stream_pools", requires=["block_cache"])
def test_block_is_not_reused_on_another_stream(device, runtime):
    """Exit criterion: "reuse only when safe": a block freed on a busy stream is not given to another stream."""
    import torch

    side = torch.Stream(device)
    first = torch.empty(3 * MIB, dtype=torch.uint8, device=device)
    address = first.data_ptr()
    del first
    with side:
        second = torch.empty(3 * MIB, dtype=torch.uint8, device=device)
        check(second.data_ptr() != address, "a block of the default stream was given to another stream")


@pytest.mark.gate("runtime.allocator.record_stream", requires=["pending_work"])
def test_recorded_block_waits_for_the_other_stream(device, runtime):
    """Exit criterion: after `record_stream` a freed block is reused only when the other stream has passed the point where
    it was freed, not where it was recorded; checked by content."""
    import torch

    side, size = torch.Stream(device), 4 * MIB
    result = torch.zeros(size, dtype=torch.uint8, device=device)
    block = torch.zeros(size, dtype=torch.uint8, device=device)
    runtime.ok("Memset", block.data_ptr(), 0x77, size)
    torch.accelerator.synchronize()
    block.record_stream(side)
    runtime.occupy(side.native_handle, 200)
    runtime.ok("MemcpyAsync", result.data_ptr(), block.data_ptr(), size, Kind.MemcpyDeviceToDevice, side.native_handle)
    address = block.data_ptr()
    del block
    greedy = [torch.empty(size, dtype=torch.uint8, device=device) for _ in range(4)]
    check(address not in [g.data_ptr() for g in greedy], "a block was reused while another stream still read it")
    for tensor in greedy:
        runtime.ok("Memset", tensor.data_ptr(), 0x88, size)
    side.synchronize()
    check(runtime.download(result.data_ptr(), size) == b"\x77" * size, "the other stream read overwritten bytes")
    later = [torch.empty(size, dtype=torch.uint8, device=device) for _ in range(4)]
    reused = address in [t.data_ptr() for t in later]
    check(reused or runtime.provides_caching, "the block was never reused although the other stream is done")


@pytest.mark.gate("runtime.allocator.churn")
def test_blocks_keep_their_bytes_under_churn_on_two_streams(device, runtime):
    """Exit criterion: "allocator churn over two streams": no block changes while it is alive, whatever is allocated, freed
    and written around it."""
    import random

    import torch

    rng = random.Random(7)
    streams = [torch.Stream(device) for _ in range(2)]
    alive: list[tuple[object, int, int]] = []
    for turn in range(300):
        stream = streams[turn % 2]
        size = rng.choice([1, 500, 4096, 70_000, 600_000, 3 * MIB, 12 * MIB])
        with stream:
            tensor = torch.empty(size, dtype=torch.uint8, device=device)
            value = turn & 0xFF
            runtime.ok("MemsetAsync", tensor.data_ptr(), value, size, stream.native_handle)
            alive.append((tensor, value, turn))
        if len(alive) > 12:
            tensor, value, made = alive.pop(rng.randrange(len(alive)))
            streams[made % 2].synchronize()
            bytes_found = runtime.download(tensor.data_ptr(), tensor.numel())
            check(bytes_found == bytes([value]) * tensor.numel(), f"the block of turn {made} changed while alive")
            del tensor
    torch.accelerator.synchronize()
    for tensor, value, made in alive:
        check(
            runtime.download(tensor.data_ptr(), tensor.numel()) == bytes([value]) * tensor.numel(),
            f"the block of turn {made} changed while alive",
        )


@pytest.mark.gate("runtime.allocator.statistics", requires=["block_cache"])
def test_statistics_are_exact(device):
    """Exit criterion: allocated bytes count every live block at its rounded size, reserved bytes what the device gave, peaks
    only rise until they are reset, and a reset does not touch the live figures."""
    import torch

    flagos = torch.flagos
    check(
        flagos.memory_allocated() == 0 == flagos.memory_reserved(),
        "a fresh process has memory",
        found=flagos.memory_allocated(),
    )
    sizes = [1, 512, 513, 100_000, 5 * MIB, 30 * MIB]
    rounded = [-(-size // 512) * 512 for size in sizes]
    tensors = [torch.empty(size, dtype=torch.uint8, device=device) for size in sizes]
    check(
        flagos.memory_allocated() == sum(rounded),
        "memory_allocated()",
        expected=sum(rounded),
        found=flagos.memory_allocated(),
    )
    reserved = flagos.memory_reserved()
    check(reserved >= sum(rounded) and reserved % (2 * MIB) == 0, "memory_reserved()", found=reserved)
    tensors.pop()
    check(
        flagos.memory_allocated() == sum(rounded[:-1]),
        "memory_allocated() after a free",
        expected=sum(rounded[:-1]),
        found=flagos.memory_allocated(),
    )
    check(
        flagos.max_memory_allocated() == sum(rounded), "the peak fell with a free", found=flagos.max_memory_allocated()
    )
    flagos.reset_peak_memory_stats()
    check(
        flagos.max_memory_allocated() == flagos.memory_allocated() == sum(rounded[:-1]),
        "a peak after its reset",
        found=flagos.max_memory_allocated(),
    )
    tensors.clear()
    check(flagos.memory_allocated() == 0, "bytes of dead tensors", found=flagos.memory_allocated())
    check(
        flagos.memory_reserved() == reserved,
        "freeing gave memory back",
        expected=reserved,
        found=flagos.memory_reserved(),
    )
    stats = flagos.memory_stats()
    count = {key: stats[f"allocation.all.{key}"] for key in ("current", "allocated", "freed")}
    check(count == {"current": 0, "allocated": len(sizes), "freed": len(sizes)}, "counts of allocations", found=count)


@pytest.mark.gate("runtime.allocator.statistics_device", requires=["several_devices"])
def test_statistics_are_of_the_device_asked_for(device, second_device):
    """Exit criterion: statistics of one device do not move with allocations on another."""
    import torch

    tensor = torch.empty(3 * MIB, dtype=torch.uint8, device=f"{device}:{second_device}")
    here, there = torch.flagos.memory_allocated(0), torch.flagos.memory_allocated(second_device)
    check(
        (here, there) == (0, tensor.numel()),
        "allocated bytes of the two devices",
        expected=(0, 3 * MIB),
        found=(here, there),
    )


@pytest.mark.gate("runtime.allocator.empty_cache", requires=["block_cache"])
def test_empty_cache_really_gives_memory_back(device, runtime):
    """Exit criterion: "memory really given back": after `empty_cache` the device itself has the memory free again, and
    live tensors keep theirs."""
    import torch

    before = runtime.memory_room()[0]
    keep = torch.ones(MIB, dtype=torch.uint8, device=device)
    big = torch.empty(256 * MIB, dtype=torch.uint8, device=device)
    del big
    cached = before - runtime.memory_room()[0]
    check(cached >= 200 * MIB, "a freed block was not cached", found=cached)
    torch.flagos.empty_cache()
    left = before - runtime.memory_room()[0]
    check(
        left <= 64 * MIB,
        "the device did not get its memory back",
        expected="about 2 MiB in use",
        found=left,
        where=runtime.where("device_free"),
    )
    check(
        torch.flagos.memory_reserved() < 64 * MIB,
        "memory_reserved() after empty_cache",
        found=torch.flagos.memory_reserved(),
    )
    check(bool((keep.cpu() == 1).all()), "a live tensor lost its bytes")
    for dead in range(3):
        parts = [torch.full((4 * MIB,), value, dtype=torch.uint8, device=device) for value in range(3)]
        parts[dead] = None
        torch.flagos.empty_cache()
        others = [torch.full((4 * MIB,), 9, dtype=torch.uint8, device=device) for _ in range(6)]
        found = [extremes(part) for part in parts if part is not None]
        expected = [(value, value) for value in range(3) if value != dead]
        check(found == expected, "empty_cache took a segment of which a part is in use", expected=expected, found=found)
        del parts, others


@pytest.mark.gate("runtime.allocator.retry", requires=["block_cache"])
def test_full_device_is_retried_after_emptying_the_cache(device, runtime):
    """Exit criterion: "ErrorMemoryAllocation carries meaning": a request that does not fit beside cached blocks is served
    after the cache was emptied, and the retry is counted."""
    import torch

    _, total = runtime.memory_room()
    size = int(total * 0.45)
    first, second = (torch.empty(size, dtype=torch.uint8, device=device) for _ in range(2))
    del first, second
    big = torch.empty(int(total * 0.7), dtype=torch.uint8, device=device)
    stats = torch.flagos.memory_stats()
    check(
        stats["num_alloc_retries"] == 1 and stats["num_ooms"] == 0,
        "retries",
        expected="1 retry, 0 ooms",
        found=f"{stats['num_alloc_retries']} retries, {stats['num_ooms']} ooms",
    )
    del big


@pytest.mark.gate("runtime.allocator.out_of_memory")
def test_out_of_memory_is_pytorchs_error_and_passes(device, runtime):
    """Exit criterion: "out of memory … and the process goes on": torch.OutOfMemoryError with the numbers, nothing leaked,
    the next allocation works."""
    import torch

    _, total = runtime.memory_room()
    keep = torch.ones(1000, dtype=torch.uint8, device=device)
    before = torch.flagos.memory_allocated()
    for _ in range(3):
        with pytest.raises(torch.OutOfMemoryError) as caught:
            torch.empty(total + MIB, dtype=torch.uint8, device=device)
    check(
        "MiB" in str(caught.value) or "GiB" in str(caught.value),
        "the message has no numbers",
        found=str(caught.value)[:200],
    )
    check(
        torch.flagos.memory_allocated() == before, "a failed request was counted", found=torch.flagos.memory_allocated()
    )
    check(
        torch.flagos.memory_stats()["num_ooms"] == 3,
        "num_ooms",
        expected=3,
        found=torch.flagos.memory_stats()["num_ooms"],
    )
    check(
        bool((torch.full((7,), 3, device=device).cpu() == 3).all()) and bool((keep.cpu() == 1).all()),
        "the device is broken after an exhaustion",
    )


@pytest.mark.gate("runtime.allocator.memory_info", requires=["memory_info"])
def test_mem_get_info_agrees_with_the_runtime(device, runtime):
    """Exit criterion: `torch.flagos.mem_get_info` is what get_memory_info says, for the device asked for."""
    import torch

    torch.empty(1, device=device)
    free, total = torch.flagos.mem_get_info(0)
    own_free, own_total = runtime.memory_info()
    check(
        total == own_total and abs(free - own_free) <= 64 * MIB,
        "mem_get_info",
        expected=(own_free, own_total),
        found=(free, total),
    )


@pytest.mark.gate("runtime.allocator.memory_info_device", requires=["memory_info", "block_cache", "several_devices"])
def test_mem_get_info_is_of_the_device_asked_for(device, runtime, second_device):
    """Exit criterion: memory taken on one device shows in `get_memory_info` of that device, whichever is current."""
    import torch

    torch.empty(1, device=device), torch.empty(1, device=f"{device}:{second_device}")
    for ask in (torch.accelerator.get_memory_info, torch.flagos.mem_get_info):
        torch.accelerator.empty_cache()
        before = [ask(index)[0] for index in (0, second_device)]
        keep = torch.empty(256 * MIB, dtype=torch.uint8, device=f"{device}:{second_device}")
        found = [free - ask(index)[0] for free, index in zip(before, (0, second_device), strict=True)]
        right = abs(found[0]) <= 64 * MIB and abs(found[1] - keep.numel()) <= 64 * MIB
        check(right, f"bytes taken from each device: {ask.__name__}", expected=[0, keep.numel()], found=found)
        del keep


@pytest.mark.gate("runtime.allocator.threads")
def test_threads_share_the_allocator(device):
    """Exit criterion: eight threads allocate, fill, check and free at once; every block keeps its bytes and the accounts end
    at zero."""
    import torch

    def work(seed: int) -> None:
        for turn in range(30):
            value = (seed * 30 + turn) % 251
            source = torch.full((1000 + 313 * seed + turn,), value, dtype=torch.uint8)
            there = source.to(device)
            other = there.clone()
            check(torch.equal(other.cpu(), source), f"turn {turn}: foreign bytes")

    problems = in_threads(work)
    check(not problems, "threads disturbed each other", found="; ".join(problems[:3]))
    check(torch.flagos.memory_allocated() == 0, "bytes of dead tensors", found=torch.flagos.memory_allocated())


@pytest.mark.gate("runtime.allocator.current_device", requires=["several_devices"])
def test_allocating_elsewhere_keeps_the_current_device(device, runtime, second_device):
    """Exit criterion: allocating and freeing on another device leaves the thread's current device as it was."""
    import torch

    for current in (0, second_device):
        torch.flagos.set_device(current)
        tensor = torch.empty(5 * MIB, dtype=torch.uint8, device=f"{device}:{1 - current}")
        check(runtime.device() == current, "an allocation moved the device", expected=current, found=runtime.device())
        attributes = runtime.attributes(tensor.data_ptr())
        check(
            attributes.device == 1 - current,
            "a tensor's memory lies on another device",
            found=attributes.device,
            where=runtime.where("set_device"),
        )
        del tensor
        torch.flagos.empty_cache()
        check(runtime.device() == current, "freeing moved the device", expected=current, found=runtime.device())


@pytest.mark.gate("runtime.allocator.caching_claim")
def test_claim_of_a_vendor_allocator_is_true(device, runtime):
    """Exit criterion: provides_caching() "determines performance or correctness of memory stats": a freed block stays with
    our allocator or, where the vendor claims one that caches, with the vendor's: the device does not get it back."""
    import torch

    def free() -> int:
        return runtime.memory_info()[0] if runtime.provides_caching else -torch.flagos.memory_reserved()

    size, before = 256 * MIB, free()
    block = torch.empty(size, dtype=torch.uint8, device=device)
    taken = before - free()
    del block
    left = before - free()
    who = "the vendor claims an allocator that caches, and gives" if runtime.provides_caching else "our allocator gives"
    check(
        taken >= size and left >= size // 2,
        f"{who} a freed block back to the device",
        expected=f"about {size} bytes still in use",
        found=f"{left} of {taken}",
        where=runtime.where("device_free"),
    )


@pytest.mark.gate("runtime.allocator.accelerator_memory")
def test_the_figures_are_those_of_the_runtime(device, runtime):
    """Exit criterion: torch.accelerator's figures of memory are true: reserved bytes are what the device has less, each
    segment is one request to the runtime, and giving back is counted too."""
    import torch

    torch.empty(1, device=device)  # whatever a first use costs
    torch.accelerator.empty_cache()
    before = runtime.memory_room()[0]
    tensors = [torch.empty(size * MIB, dtype=torch.uint8, device=device) for size in (64, 128, 256)]
    reserved, taken = torch.accelerator.memory_reserved(), before - runtime.memory_room()[0]
    off = f"{taken - reserved} bytes"
    check(abs(taken - reserved) <= 32 * MIB, "reserved bytes are not what the device gave", expected=taken, found=off)
    stats = torch.accelerator.memory_stats()
    segments = stats["segment.all.current"]
    check(
        segments == stats["num_device_alloc"] - stats["num_device_free"] == 3,
        "segments, and requests to the runtime less those given back",
        expected=3,
        found=(segments, stats["num_device_alloc"], stats["num_device_free"]),
    )
    peak = torch.accelerator.max_memory_reserved()
    tensors.clear()
    torch.accelerator.empty_cache()
    freed = torch.accelerator.memory_stats()["num_device_free"] - stats["num_device_free"]
    check(freed == 3, "blocks given back", expected=3, found=freed)
    figures = torch.accelerator.memory_reserved(), torch.accelerator.max_memory_reserved()
    check(figures == (0, peak), "reserved bytes now, and their peak", expected=(0, peak), found=figures)
    torch.accelerator.reset_peak_memory_stats()
    check(torch.accelerator.max_memory_reserved() == 0, "a peak after its reset")
    torch.accelerator.reset_accumulated_memory_stats()
    stats = torch.accelerator.memory_stats()
    kept = {name: value for name, value in stats.items() if name.endswith((".allocated", ".freed")) and value}
    check(not kept and stats["num_device_alloc"] == 0, "sums after their reset", found=kept)


@pytest.mark.gate("runtime.allocator.pending")
def test_a_freed_block_is_active_until_its_streams_are_done(device, runtime):
    """Exit criterion: a block that was freed while another stream uses it is no longer allocated, and active until that
    stream is done; `empty_cache` waits for it instead of taking it away, and leaves live blocks alone."""
    import torch

    side, size = torch.Stream(device), 32 * MIB
    keep = torch.full((size,), 5, dtype=torch.uint8, device=device)
    block, result = torch.full_like(keep, 6), torch.zeros_like(keep)
    torch.accelerator.synchronize()
    with side:
        runtime.occupy(side.native_handle, 150)
        result.copy_(block)
    block.record_stream(side)
    allocated = torch.accelerator.memory_allocated()
    del block
    stats = torch.accelerator.memory_stats()
    found = allocated - torch.accelerator.memory_allocated(), stats["active_bytes.all.current"]
    check(found == (size, allocated), "bytes freed, bytes active", expected=(size, allocated), found=found)
    torch.accelerator.empty_cache()
    check(side.query(), "empty_cache gave away a block that a stream still reads")
    stats = torch.accelerator.memory_stats()
    check(stats["active_bytes.all.current"] == 2 * size, "bytes active", found=stats["active_bytes.all.current"])
    check(bool((result.cpu() == 6).all()) and bool((keep.cpu() == 5).all()), "a live or a used block lost its bytes")


@pytest.mark.gate("runtime.allocator.merge")
def test_freed_neighbours_become_one_block(device):
    """Exit criterion: neighbours that are free serve a request of their whole size, in whatever order they were freed, so
    a device does not fill up with pieces."""
    import torch

    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (0, 2, 1, 3), (1, 3, 0, 2)):
        whole = torch.empty(16 * MIB, dtype=torch.uint8, device=device)
        address, reserved = whole.data_ptr(), torch.accelerator.memory_reserved()
        del whole
        parts = [torch.empty(4 * MIB, dtype=torch.uint8, device=device) for _ in range(4)]
        grown = torch.accelerator.memory_reserved() - reserved
        check(grown == 0, "a cached block was not cut for smaller requests", found=f"{grown} bytes more")
        for part in order:
            parts[part] = None
        again = torch.empty(16 * MIB, dtype=torch.uint8, device=device)
        check(again.data_ptr() == address, f"pieces freed in order {order} did not become one block")
        check(torch.accelerator.memory_reserved() == reserved, "the device was asked again")
        del again, parts


@pytest.mark.gate("runtime.allocator.storage_resize")
def test_the_old_block_of_a_grown_storage_outlives_the_copy(device, runtime):
    """Exit criterion: growing a storage on another stream than its own keeps the old block until the copy out of it is
    done."""
    import torch

    side, size = torch.Stream(device), 4 * MIB
    tensor = torch.full((size,), 5, dtype=torch.uint8, device=device)
    torch.accelerator.synchronize()
    with side:
        runtime.occupy(side.native_handle, 150)
        tensor.untyped_storage().resize_(2 * size)
    greedy = [torch.full((size,), 9, dtype=torch.uint8, device=device) for _ in range(3)]
    side.synchronize()
    check(bool((tensor.cpu() == 5).all()), "the old block was reused before its bytes were copied")
    del greedy


@pytest.mark.gate("runtime.allocator.free_elsewhere", requires=["block_cache", "several_devices"])
def test_blocks_go_back_to_their_own_device(device, runtime, second_device):
    """Exit criterion: a block that dies while another device is current, or on another thread, serves its own device again
    and is given back to it; a stream of another device that used it is waited for."""
    import torch

    from gates.threads import in_threads

    place, size = f"{device}:{second_device}", 48 * MIB
    for other_thread in (False, True):
        block = [torch.empty(size, dtype=torch.uint8, device=place)]
        address = block[0].data_ptr()
        problems = in_threads(lambda _, block=block: block.clear(), 1) if other_thread else block.clear()
        check(not problems, "freeing on another thread", found=problems)
        here = torch.empty(size, dtype=torch.uint8, device=f"{device}:0")
        check(here.data_ptr() != address, "a block serves another device")
        again = torch.empty(size, dtype=torch.uint8, device=place)
        check(again.data_ptr() == address, "a freed block does not serve its own device")
        del here, again
    with runtime.on(second_device):
        before = runtime.memory_room()[0]
    torch.accelerator.empty_cache()
    with runtime.on(second_device):
        given = runtime.memory_room()[0] - before
    check(given >= size // 2, "empty_cache left another device's memory", expected=size, found=given)
    near = torch.Stream(f"{device}:0")
    block = torch.full((size,), 6, dtype=torch.uint8, device=place)
    torch.accelerator.synchronize(second_device)
    runtime.occupy(near.native_handle, 150)
    block.record_stream(near)
    address = block.data_ptr()
    del block
    found = [torch.empty(size, dtype=torch.uint8, device=place).data_ptr()]
    check(address not in found, "a block was reused while a stream of another device used it")
