"""The caching allocator: what is counted, what is reused and when, and what happens when the device is full."""

import gc
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import torch_fl
from generators.aten.lines import installed_line
from tests.integration.lines import empty_host_cache

KiB, MiB = 1 << 10, 1 << 20


def bytes_on(device: int, size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, device=f"flagos:{device}")


def counters(device: int = 0, pool: str = "all", value: str = "current") -> dict[str, int]:
    stats = torch_fl.memory_stats(device)
    names = (
        "allocation allocated_bytes requested_bytes active active_bytes segment reserved_bytes "
        "inactive_split inactive_split_bytes"
    )
    return {name: stats[f"{name}.{pool}.{value}"] for name in names.split()}


class Change:
    """What changed in the counters since it was made."""

    def __init__(self, device: int = 0) -> None:
        self.device, self.before = device, counters(device)

    def __call__(self) -> dict[str, int]:
        now = counters(self.device)
        return {name: now[name] - before for name, before in self.before.items() if now[name] != before}


@pytest.fixture
def quiet_device(clean_memory):
    """Device 1, on which the tests of this file hold nothing in between."""
    torch_fl.synchronize(1)
    yield 1
    gc.collect()
    torch_fl.empty_cache()


# ---- counting ----


def test_a_small_block_is_cut_from_a_segment(quiet_device):
    change = Change(1)
    first = bytes_on(1, 1000)
    assert change() == {
        "allocation": 1,
        "allocated_bytes": 1024,
        "requested_bytes": 1000,
        "active": 1,
        "active_bytes": 1024,
        "segment": 1,
        "reserved_bytes": 2 * MiB,
        "inactive_split": 1,
        "inactive_split_bytes": 2 * MiB - 1024,
    }
    second = bytes_on(1, 1)
    assert second.data_ptr() == first.data_ptr() + 1024, "the next block of the same segment"
    assert change()["allocated_bytes"] == 1536 and change()["segment"] == 1
    del first
    assert change()["inactive_split"] == 2, "a hole before the second block, and the rest behind it"
    del second
    assert change() == {"segment": 1, "reserved_bytes": 2 * MiB}, "holes merge into the whole segment"
    torch_fl.empty_cache()
    assert change() == {}


@pytest.mark.parametrize(
    ("requested", "allocated", "segment"),
    [
        (1, 512, 2 * MiB),
        (512, 512, 2 * MiB),
        (513, 1024, 2 * MiB),
        (MiB, MiB, 2 * MiB),
        (MiB + 1, MiB + 512, 20 * MiB),
        (10 * MiB - 512, 10 * MiB - 512, 20 * MiB),
        (10 * MiB, 10 * MiB, 10 * MiB),
        (11 * MiB + 1, 12 * MiB, 12 * MiB),  # a rest of less than 1 MiB stays with the block
        (20 * MiB, 20 * MiB, 20 * MiB),
        (33 * MiB, 34 * MiB, 34 * MiB),
    ],
)
def test_size_classes(quiet_device, requested, allocated, segment):
    change = Change(1)
    kept = bytes_on(1, requested)
    found = change()
    assert (found["requested_bytes"], found["allocated_bytes"]) == (requested, allocated)
    assert (found["segment"], found["reserved_bytes"]) == (1, segment)
    pool = "small_pool" if requested <= MiB else "large_pool"
    assert counters(1, pool)["allocation"] >= 1
    del kept
    assert "allocated_bytes" not in change()


def test_nothing_is_allocated_for_empty_tensors(quiet_device):
    change = Change(1)
    kept = [torch.empty(0, 3, device="flagos:1"), torch.empty(4, device="flagos:1").resize_(0)]
    kept[1].untyped_storage().resize_(0)
    assert change().get("allocation", 0) == 0
    assert kept[0].data_ptr() == 0


def test_peaks_and_accumulators(quiet_device):
    stats = torch_fl.memory_stats
    base = torch_fl.memory_allocated(1)
    one = bytes_on(1, 4 * MiB)
    two = bytes_on(1, 4 * MiB)
    del two
    assert torch_fl.max_memory_allocated(1) == base + 8 * MiB
    torch_fl.reset_peak_memory_stats(1)
    assert torch_fl.max_memory_allocated(1) == torch_fl.memory_allocated(1) == base + 4 * MiB
    assert stats(1)["allocated_bytes.all.allocated"] == 8 * MiB, "a reset of peaks leaves the totals alone"
    assert stats(1)["allocated_bytes.all.freed"] == 4 * MiB
    del one
    assert torch_fl.memory_allocated(1) == base >= 0
    torch_fl.reset_accumulated_memory_stats(1)
    assert stats(1)["allocated_bytes.all.freed"] == 0 == stats(1)["num_device_alloc"]
    assert torch_fl.max_memory_reserved(1) >= torch_fl.memory_reserved(1)


def test_vendor_calls_are_counted(quiet_device):
    before = torch_fl.memory_stats(1)
    held = [bytes_on(1, 12 * MiB) for _ in range(3)]
    del held
    torch_fl.empty_cache()
    after = torch_fl.memory_stats(1)
    assert after["num_device_alloc"] - before["num_device_alloc"] == 3
    assert after["num_device_free"] - before["num_device_free"] == 3


def test_devices_are_counted_separately(quiet_device):
    other, base = Change(0), torch_fl.memory_allocated(1)
    kept = bytes_on(1, 5 * MiB)
    assert other() == {}
    assert torch_fl.memory_allocated("flagos:1") == torch_fl.memory_allocated(1) == base + kept.numel()


# ---- giving back ----


def test_empty_cache_gives_memory_back(quiet_device):
    free, total = torch_fl.mem_get_info(1)
    assert 0 < free <= total
    tensor = bytes_on(1, 64 * MiB)
    assert torch_fl.mem_get_info(1)[0] == free - 64 * MiB
    del tensor
    assert torch_fl.mem_get_info(1)[0] == free - 64 * MiB, "cached, not given back"
    torch_fl.empty_cache()
    assert torch_fl.mem_get_info(1) == (free, total)


def test_empty_cache_spares_segments_in_use(quiet_device):
    torch_fl.empty_cache()
    base = torch_fl.memory_reserved(1)
    kept, freed = bytes_on(1, 300 * KiB).fill_(7), bytes_on(1, 300 * KiB)
    del freed
    torch_fl.empty_cache()
    assert torch_fl.memory_reserved(1) == base + 2 * MiB
    assert kept.eq(7).all()


# ---- reuse ----


def test_best_fit_and_merge(quiet_device):
    held = [bytes_on(1, size) for size in (100 * KiB, 512, 50 * KiB, 512, 200 * KiB, 512)]
    wide, exact = held[0].data_ptr(), held[2].data_ptr()
    for index in (4, 2, 0):
        held[index] = None
    assert bytes_on(1, 50 * KiB).data_ptr() == exact
    again = bytes_on(1, 60 * KiB)
    assert again.data_ptr() == wide, "the smallest block that is large enough"
    del again
    held[1] = None
    held[3] = None
    assert bytes_on(1, 340 * KiB).data_ptr() == wide, "five free neighbours have become one block"


def test_freed_memory_serves_its_own_stream_only(quiet_device):
    with torch_fl.device(1):
        side = torch.Stream(device="flagos")
        tensor = bytes_on(1, 3 * MiB)
        address = tensor.data_ptr()
        del tensor
        with side:
            other = bytes_on(1, 3 * MiB)
            assert other.data_ptr() != address
        assert bytes_on(1, 3 * MiB).data_ptr() == address


def test_record_stream_keeps_memory_until_the_other_stream_is_done(busy, quiet_device):
    load = busy("flagos:1")
    torch_fl.synchronize(1)
    side = torch.Stream(device="flagos:1")
    with torch_fl.device(1):
        result = torch.zeros(MiB, device="flagos")
        source = torch.full((MiB,), 3.0).to("flagos")
        address = source.data_ptr()
        torch_fl.synchronize()
        source.record_stream(side)
        with side:  # submitted after record_stream: what counts is the time of the free
            load.occupy()
            result.copy_(source)
        change = Change(1)
        del source
        assert change()["allocated_bytes"] == -4 * MiB
        assert "active_bytes" not in change(), "freed, but still in use by the other stream"
        intruder = torch.full((MiB,), 9.0).to("flagos")
        assert intruder.data_ptr() != address
        assert not side.query(), "the other stream was done too early to tell"
        side.synchronize()
        assert result.eq(3).all(), "memory was reused while the other stream read it"
        assert torch.empty(MiB, device="flagos").data_ptr() == address, "and is reused once it is done"


def test_use_on_own_stream_needs_no_event(quiet_device):
    with torch_fl.device(1):
        tensor = bytes_on(1, 3 * MiB)
        tensor.record_stream(torch_fl.current_stream())
        address = tensor.data_ptr()
        del tensor
        assert bytes_on(1, 3 * MiB).data_ptr() == address


def test_empty_cache_waits_for_recorded_streams(busy, quiet_device):
    load = busy("flagos:1")
    side = torch.Stream(device="flagos:1")
    tensor = bytes_on(1, 30 * MiB)
    tensor.record_stream(side)
    with side:
        load.occupy()
    del tensor
    reserved = torch_fl.memory_reserved(1)
    torch_fl.empty_cache()
    assert side.query()
    assert torch_fl.memory_reserved(1) == reserved - 30 * MiB


def test_use_on_a_stream_of_another_device(busy, quiet_device):
    torch_fl.synchronize(0)
    side = torch.Stream(device="flagos:0")
    tensor = bytes_on(1, 3 * MiB)
    address = tensor.data_ptr()
    tensor.record_stream(side)
    with side:
        busy("flagos:0").occupy()
    del tensor
    other = bytes_on(1, 3 * MiB)
    assert not side.query()
    assert other.data_ptr() != address
    side.synchronize()
    assert bytes_on(1, 3 * MiB).data_ptr() == address


# ---- a full device ----

LIMIT = {"FLAGOS_HOST_MEMORY": "64M"}


def test_out_of_memory_is_reported_and_survived(run_forked):
    done = run_forked(
        """
        import torch, torch_fl
        kept = torch.ones(40 << 20, dtype=torch.uint8, device="flagos")
        for size in (30 << 20, 1 << 50, (1 << 62) + 1):
            try:
                torch.empty(size, dtype=torch.uint8, device="flagos")
            except torch.OutOfMemoryError as error:
                print(error)
            else:
                raise AssertionError("no error")
        assert torch_fl.memory_stats()["num_ooms"] == 3
        assert torch_fl.memory_allocated() == 40 << 20
        assert kept.sum().item() == 40 << 20
        assert torch.ones(8 << 20, dtype=torch.uint8, device="flagos").sum().item() == 8 << 20
        torch.ones(40 << 20, dtype=torch.uint8, device="flagos:1")
        """,
        **LIMIT,
    )
    first = done.stdout.splitlines()[0]
    assert "flagos:0 is out of memory. Tried to allocate 30.00 MiB" in first
    assert "24.00 MiB of 64.00 MiB are free" in first and "40.00 MiB in tensors" in first


def test_cached_memory_is_given_back_before_giving_up(run_forked):
    run_forked(
        """
        import torch, torch_fl
        def block(size):
            return torch.empty(size << 20, dtype=torch.uint8, device="flagos")
        kept = block(20)
        cached = block(30)
        del cached
        assert torch_fl.memory_reserved() == 50 << 20
        large = block(40)
        stats = torch_fl.memory_stats()
        assert (stats["num_alloc_retries"], stats["num_ooms"]) == (1, 0)
        assert torch_fl.memory_reserved() == 60 << 20
        """,
        **LIMIT,
    )


def test_retry_waits_for_memory_that_other_streams_use(run_forked):
    run_forked(
        """
        import torch, torch_fl
        def block(size):
            return torch.empty(size << 20, dtype=torch.uint8, device="flagos")
        side = torch.Stream(device="flagos")
        used = block(40)
        used.record_stream(side)
        with side:
            for _ in range(6):
                used.zero_()
        del used
        large = block(50)
        assert side.query()
        assert torch_fl.memory_stats()["num_sync_all_streams"] == 1
        """,
        **LIMIT,
    )


def test_smallest_sufficient_segment_is_given_back_first(run_forked):
    run_forked(
        """
        import torch, torch_fl
        def block(size, device=0):
            return torch.empty(size << 20, dtype=torch.uint8, device=f"flagos:{device}")
        elsewhere = block(20, 1)
        del elsewhere
        with torch.Stream(device="flagos:0"):  # the cache of another stream counts as well
            held = [block(size) for size in (10, 30, 22)]
        del held
        kept = block(20)
        stats = torch_fl.memory_stats(0)
        assert stats["num_alloc_retries"] == 1 and stats["num_ooms"] == 0 == stats["num_sync_all_streams"]
        assert torch_fl.memory_reserved(0) == (10 + 30 + 20) << 20, "22 MiB were the smallest that are enough"
        large = block(44)
        assert torch_fl.memory_reserved(0) == 64 << 20, "no one segment was enough: all went"
        assert torch_fl.memory_reserved(1) == 20 << 20, "the other device's cache is its own"
        assert torch_fl.memory_stats(1)["num_device_free"] == 0
        """,
        **LIMIT,
    )


def test_block_that_becomes_free_while_waiting_is_used(run_forked):
    run_forked(
        """
        import torch, torch_fl
        side = torch.Stream(device="flagos")
        used = torch.empty(40 << 20, dtype=torch.uint8, device="flagos")
        address = used.data_ptr()
        used.record_stream(side)
        with side:
            for _ in range(6):
                used.zero_()
        del used
        again = torch.empty(36 << 20, dtype=torch.uint8, device="flagos")
        assert again.data_ptr() == address and torch_fl.memory_stats()["num_device_alloc"] == 1
        """,
        **LIMIT,
    )


def test_out_of_memory_in_threads(run_forked):
    run_forked(
        """
        import threading, torch, torch_fl
        caught = []
        def exhaust():
            torch_fl.set_device(1)
            held = []
            try:
                while True:
                    held.append(torch.ones(3 << 20, dtype=torch.uint8, device="flagos"))
            except torch.OutOfMemoryError as error:
                assert "flagos:1" in str(error)
                caught.append(len(held))
            assert all(bool(tensor.all()) for tensor in held)
        threads = [threading.Thread(target=exhaust) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(caught) == 4, caught
        torch_fl.empty_cache()
        assert torch_fl.memory_reserved(1) == 0 and torch_fl.mem_get_info(1) == (64 << 20, 64 << 20)
        assert torch_fl.memory_stats(0)["num_ooms"] == 0
        """,
        **LIMIT,
    )


# ---- sizes that vary: the cache stays within bounds ----

PATTERNS = """
import random
import torch, torch_fl
MiB, choose = 1 << 20, random.Random(0)

def block(mebibytes):
    return torch.empty(int(mebibytes * MiB), dtype=torch.uint8, device="flagos")

def growing():
    "A sequence that grows by one step, its old copy alive until the new one is there."
    sequence = block(1)
    for length in range(2, 300):
        sequence = block(length)

def growing_beside_small_blocks():
    kept, sequence = [], block(1)
    for length in range(2, 200):
        sequence = block(length)
        kept.append(block(0.3))

def growing_in_layers():
    layers = [block(3) for _ in range(8)]
    for step in range(100):
        for layer in range(8):
            layers[layer] = block(3 + 0.37 * step)

def mixed():
    held = []
    for _ in range(4000):
        if len(held) > 100:
            held.pop(choose.randrange(len(held)))
        held.append(block(2 ** choose.uniform(-10, 5)))

def batches_of_varying_length():
    weights = [block(20) for _ in range(6)]
    for _ in range(30):
        length, activations = choose.uniform(0.3, 1), []
        for _ in range(24):
            activations.append(block(48 * length))
            block(96 * length)
        while activations:
            activations.pop()
            block(48 * length)

def alternating_streams():
    streams, held = [torch.Stream(device="flagos") for _ in range(4)], []
    for step in range(1000):
        with streams[step % 4]:
            if len(held) > 20:
                held.pop(0)
            held.append(block(choose.uniform(1, 30)))
"""


@pytest.mark.parametrize(
    ("pattern", "bound"),
    [
        ("growing", 2.2),
        ("growing_beside_small_blocks", 2.4),
        ("growing_in_layers", 4),  # old layers are cut up by new ones: fewer segments are wholly free
        ("mixed", 1.8),
        ("batches_of_varying_length", 1.8),
        ("alternating_streams", 2.6),
    ],
)
def test_reserved_memory_is_bounded_by_what_is_used(run_forked, pattern, bound):
    run_forked(
        f"""{PATTERNS}
{pattern}()
stats = torch_fl.memory_stats()
ratio = stats["reserved_bytes.all.peak"] / stats["allocated_bytes.all.peak"]
assert ratio < {bound}, ratio
if not {pattern!r}.startswith("growing"):
    assert stats["num_device_free"] <= stats["allocation.all.allocated"] / 50, "what is reused was given back"
torch_fl.synchronize()
torch_fl.empty_cache()
assert torch_fl.memory_reserved() == 0 and torch_fl.memory_allocated() == 0
        """,
        FLAGOS_HOST_MEMORY="64G",
    )


# ---- PYTORCH_ALLOC_CONF ----


def test_rounding_to_divisions_of_a_power_of_two(run_python):
    run_python(
        """
        import torch, torch_fl
        def allocated(size):
            before = torch_fl.memory_allocated()
            tensor = torch.empty(size, dtype=torch.uint8, device="flagos")
            return torch_fl.memory_allocated() - before
        for size, expected in ((1000, 1024), (1100 << 10, 1280 << 10), (1536 << 10, 1536 << 10), (9 << 20, 10 << 20)):
            assert allocated(size) == expected, (size, allocated(size))
        """,
        PYTORCH_ALLOC_CONF="roundup_power2_divisions:4",
    )


def test_oversize_blocks_are_not_split(run_python):
    run_python(
        """
        import torch, torch_fl
        def block(size):
            return torch.empty(size << 20, dtype=torch.uint8, device="flagos")
        def stat(name):
            return torch_fl.memory_stats()[name]
        large = block(100)
        address = large.data_ptr()
        assert stat("oversize_allocations.current") == stat("oversize_segments.current") == 1
        del large
        assert stat("oversize_allocations.current") == 0 and stat("oversize_segments.current") == 1
        small = block(12)
        assert stat("oversize_allocations.current") == 0
        assert torch_fl.memory_reserved() == 112 << 20, "a small request must not cut an oversize block"
        other = block(60)
        assert other.data_ptr() != address, "too much would be wasted"
        near = block(90)
        assert near.data_ptr() == address and stat("allocated_bytes.all.current") == (12 + 60 + 100) << 20
        assert stat("oversize_allocations.current") == stat("oversize_segments.current") == 2
        assert stat("max_split_size") == 40 << 20
        del near, other, small
        torch_fl.empty_cache()
        assert stat("oversize_segments.current") == 0 == stat("reserved_bytes.all.current")
        assert stat("oversize_segments.peak") == 2
        torch_fl.reset_peak_memory_stats()
        assert stat("oversize_segments.peak") == 0
        """,
        PYTORCH_ALLOC_CONF="max_split_size_mb:40",
    )


# ---- pinned memory ----


def test_pinned_memory_is_cached_and_counted():
    empty_host_cache()
    tensor = torch.empty(3 * MiB, dtype=torch.uint8, pin_memory=True)
    address = tensor.data_ptr()
    del tensor
    assert torch.empty(3 * MiB, dtype=torch.uint8, pin_memory=True).data_ptr() == address
    assert torch.ones(3).pin_memory().is_pinned()


@pytest.mark.skipif(installed_line().number < (2, 13), reason="PyTorch rounds every request to a power of two")
def test_pinned_block_is_large_enough_for_its_next_user():
    empty_host_cache()
    sizes = [34 * MiB, 60 * MiB, 40 * MiB]  # one bucket, if sizes were rounded to a power of two
    held = [torch.empty(size, dtype=torch.uint8, pin_memory=True) for size in sizes]
    addresses = [tensor.data_ptr() for tensor in held]
    held.clear()
    assert torch.empty(38 * MiB, dtype=torch.uint8, pin_memory=True).data_ptr() == addresses[2]
    assert torch.empty(60 * MiB, dtype=torch.uint8, pin_memory=True).fill_(1).data_ptr() == addresses[1]


def test_pinning_in_a_thread():
    pinned = []
    thread = threading.Thread(target=lambda: pinned.append(torch.arange(5.0).pin_memory()))
    thread.start()
    thread.join()
    assert pinned[0].is_pinned() and pinned[0].tolist() == [0, 1, 2, 3, 4]
    assert pinned[0][2:].is_pinned() and not torch.from_numpy(np.ones(3)).is_pinned()


# ---- statistics, whatever happens ----

CORE = (
    "allocation allocated_bytes requested_bytes active active_bytes segment reserved_bytes "
    "inactive_split inactive_split_bytes"
).split()
VALUES = ("current", "allocated", "freed")
SIZES = st.one_of(st.integers(1, 4 * KiB), st.integers(MiB - 600, MiB + 600), st.integers(1, 24 * MiB))
DEVICES = (0, 1)


class Accounts(RuleBasedStateMachine):
    """Two devices with three streams each, used at random: after every step the statistics are what the tensors are, and
    the device's own account agrees."""

    def __init__(self) -> None:
        super().__init__()
        torch_fl.init()
        gc.collect()
        torch_fl.empty_cache()
        for device in DEVICES:
            torch_fl.reset_accumulated_memory_stats(device)
            torch_fl.reset_peak_memory_stats(device)
        self.base = [torch_fl.memory_stats(device) for device in DEVICES]
        self.at_reset = [dict(stats) for stats in self.base]  # `current`, when the accumulators became zero
        self.peaks = [{name: stats[f"{name}.all.current"] for name in CORE} for stats in self.base]
        self.free = [torch_fl.mem_get_info(device)[0] for device in DEVICES]
        self.streams = [[torch.Stream(device=f"flagos:{device}") for _ in range(3)] for device in DEVICES]
        self.tensors: list[torch.Tensor] = []

    @rule(device=st.sampled_from(DEVICES), stream=st.integers(0, 2), size=SIZES)
    def allocate(self, device: int, stream: int, size: int) -> None:
        with self.streams[device][stream]:
            self.tensors.append(bytes_on(device, size))

    @rule(device=st.sampled_from(DEVICES), data=st.data())
    def record_and_use(self, device: int, data: st.DataObject) -> None:
        if self.tensors:
            tensor = data.draw(st.sampled_from(range(len(self.tensors))))
            stream = self.streams[device][data.draw(st.integers(0, 2))]
            self.tensors[tensor].record_stream(stream)

    @precondition(lambda self: self.tensors)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        self.tensors.pop(data.draw(st.integers(0, len(self.tensors) - 1)))

    @precondition(lambda self: self.tensors)
    @rule(data=st.data())
    def resize(self, data: st.DataObject) -> None:
        tensor = self.tensors[data.draw(st.integers(0, len(self.tensors) - 1))]
        tensor.untyped_storage().resize_(data.draw(SIZES))
        stats = torch_fl.memory_stats(tensor.device)  # for a moment both blocks were there
        self.peaks[tensor.device.index] = {name: stats[f"{name}.all.peak"] for name in CORE}

    @rule()
    def empty_cache(self) -> None:
        torch_fl.empty_cache()
        for device in DEVICES:
            stats = torch_fl.memory_stats(device)
            assert stats["active_bytes.all.current"] == stats["allocated_bytes.all.current"], "all uses have ended"

    @rule(device=st.sampled_from(DEVICES))
    def reset_peaks(self, device: int) -> None:
        torch_fl.reset_peak_memory_stats(device)
        stats = torch_fl.memory_stats(device)
        self.peaks[device] = {name: stats[f"{name}.all.current"] for name in CORE}
        assert all(stats[f"{name}.all.peak"] == stats[f"{name}.all.current"] for name in CORE)

    @rule(device=st.sampled_from(DEVICES))
    def reset_accumulators(self, device: int) -> None:
        torch_fl.reset_accumulated_memory_stats(device)
        self.at_reset[device] = torch_fl.memory_stats(device)

    @invariant()
    def accounts_agree(self) -> None:
        for device in DEVICES:
            stats, base = torch_fl.memory_stats(device), self.base[device]
            now = {name: stats[f"{name}.all.current"] for name in CORE}
            change = {name: value - base[f"{name}.all.current"] for name, value in now.items()}
            sizes = [t.untyped_storage().nbytes() for t in self.tensors if t.device.index == device]
            assert change["allocation"] == len(sizes)
            assert change["requested_bytes"] == sum(sizes)
            assert sum(-(-size // 512) * 512 for size in sizes) <= change["allocated_bytes"]
            assert 0 <= change["allocated_bytes"] <= change["active_bytes"]
            assert change["allocation"] <= change["active"]
            assert now["active_bytes"] + now["inactive_split_bytes"] <= now["reserved_bytes"]
            assert change["reserved_bytes"] == self.free[device] - torch_fl.mem_get_info(device)[0]
            for name in CORE:
                for value in VALUES:
                    pools = stats[f"{name}.small_pool.{value}"] + stats[f"{name}.large_pool.{value}"]
                    assert stats[f"{name}.all.{value}"] == pools, (name, value)
                accumulated = stats[f"{name}.all.allocated"] - stats[f"{name}.all.freed"]
                assert now[name] - self.at_reset[device][f"{name}.all.current"] == accumulated, name
                self.peaks[device][name] = max(self.peaks[device][name], now[name])
                assert stats[f"{name}.all.peak"] >= self.peaks[device][name], name
            assert stats["allocated_bytes.all.peak"] == self.peaks[device]["allocated_bytes"]
            assert stats["reserved_bytes.all.peak"] == self.peaks[device]["reserved_bytes"]
            segments = stats["num_device_alloc"] - stats["num_device_free"]
            assert segments == now["segment"] - self.at_reset[device]["segment.all.current"]
            assert all(value >= 0 for name, value in stats.items() if name != "max_split_size")

    def teardown(self) -> None:
        self.tensors.clear()
        torch_fl.empty_cache()
        for device in DEVICES:
            stats = torch_fl.memory_stats(device)
            for name in CORE:
                for pool in ("all", "small_pool", "large_pool"):
                    key = f"{name}.{pool}.current"
                    assert stats[key] == self.base[device][key], key
            assert torch_fl.mem_get_info(device)[0] == self.free[device]


TestAccounts = Accounts.TestCase
TestAccounts.settings = settings(settings.get_profile("flagos"), max_examples=20, stateful_step_count=30)


def test_statistics_read_while_threads_allocate(quiet_device):
    """Every reading is of one moment: no reader sees a block that was counted in one place and not yet in another."""
    done = threading.Event()
    before = torch_fl.memory_stats(1)

    def churn() -> None:
        held: list[torch.Tensor] = []
        while not done.is_set():
            held.append(bytes_on(1, 1000 + len(held)))
            if len(held) > 20:
                held.clear()

    threads = [threading.Thread(target=churn) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(500):
            stats = torch_fl.memory_stats(1)
            now = {name: stats[f"{name}.all.current"] for name in CORE}
            assert 0 <= now["requested_bytes"] <= now["allocated_bytes"] <= now["active_bytes"] <= now["reserved_bytes"]
            assert now["allocated_bytes"] >= 512 * now["allocation"]
            for name in ("allocation", "requested_bytes", "active_bytes"):
                change = {value: stats[key] - before[key] for value in VALUES for key in [f"{name}.all.{value}"]}
                assert change["current"] == change["allocated"] - change["freed"]
    finally:
        done.set()
        for thread in threads:
            thread.join()


# ---- threads and lifetimes ----


def test_many_threads(quiet_device):
    change = Change(1)
    errors = []

    def churn(seed: int) -> None:
        try:
            torch_fl.set_device(1)
            generator = torch.Generator().manual_seed(seed)
            with torch.Stream(device="flagos:1"):
                held = []
                for step in range(150):
                    size = int(torch.randint(1, 3 * MiB if step % 7 == 0 else 4000, (), generator=generator))
                    tensor = torch.empty(size, dtype=torch.uint8, device="flagos").fill_(seed)
                    held.append(tensor)
                    if len(held) > 8:
                        victim = held.pop(int(torch.randint(8, (), generator=generator)))
                        assert victim[0].item() == victim[-1].item() == seed
                        if step % 3 == 0:
                            victim.record_stream(torch.Stream(device="flagos:1"))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=churn, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    torch_fl.empty_cache()
    assert change() == {}


def test_freeing_on_another_thread_and_device(quiet_device):
    change, other = Change(1), Change(0)
    tensors = [bytes_on(1, 3 * MiB)]
    address = tensors[0].data_ptr()

    def free() -> None:
        torch_fl.set_device(0)
        tensors.clear()
        assert torch_fl.current_device() == 0

    thread = threading.Thread(target=free)
    thread.start()
    thread.join()
    assert "allocated_bytes" not in change() and other() == {}
    assert bytes_on(1, 3 * MiB).data_ptr() == address, "it went back to its own device and stream"


FREE_TWICE = """
#include "runtime/allocator/caching_device_allocator.h"

extern "C" void free_twice() {
  c10::DataPtr memory = flagos::device_allocator().allocate(5000);
  const c10::DeleterFnPtr free = memory.get_deleter();
  void* context = memory.release_context();
  free(context);
  free(context);
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ to call the allocator directly")
def test_second_free_is_refused(tmp_path, run_forked):
    library, torch_folder = tmp_path / "libfree_twice.so", Path(torch.__file__).parent
    (tmp_path / "free_twice.cc").write_text(FREE_TWICE)
    csrc = torch_fl.library_dir().parents[1] / "csrc"
    subprocess.run(
        [
            *("g++", "-std=c++20", "-shared", "-fPIC", tmp_path / "free_twice.cc", "-o", library),
            *(f"-I{csrc}", f"-I{csrc / 'include'}", "-isystem", torch_folder / "include"),
            *(f"-L{torch_fl.library_dir()}", "-ltorch_fl", f"-L{torch_folder / 'lib'}", "-lc10"),
        ],
        check=True,
    )
    done = run_forked(
        f"""
        import ctypes, torch, torch_fl
        torch_fl.init()
        ctypes.CDLL("{library}").free_twice()
        assert torch_fl.memory_allocated() == 0 and torch_fl.memory_stats()["allocation.all.freed"] == 1
        first, second = (torch.empty(5000, dtype=torch.uint8, device="flagos") for _ in range(2))
        assert first.data_ptr() != second.data_ptr()
        """
    )
    assert "freed twice" in done.stderr


def test_collecting_garbage_in_threads_while_others_allocate(quiet_device):
    """Deleters run with the GIL held, wherever the collector happens to; allocation runs without it."""
    change = Change(1)

    class Cycle:
        def __init__(self) -> None:
            self.me, self.tensor = self, bytes_on(1, 5000)

        def __del__(self) -> None:
            bytes_on(1, 3000)

    def churn() -> None:
        for step in range(200):
            Cycle()
            if step % 20 == 0:
                gc.collect()

    threads = [threading.Thread(target=churn, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    gc.collect()
    torch_fl.empty_cache()
    assert change() == {}


def test_forking_while_threads_allocate(run_python):
    """The child has no other thread, so a lock that one of them held stays locked: it must not be asked for."""
    run_python(
        """
        import gc, os, signal, threading, torch, torch_fl
        def block(size):
            return torch.empty(size, dtype=torch.uint8, device="flagos")
        kept = [block(3000) for _ in range(100)]
        pinned = [torch.ones(3).pin_memory()]
        done = threading.Event()
        def churn():
            while not done.is_set():
                for size in (100, 5000, 3 << 20):
                    block(size)
        threads = [threading.Thread(target=churn) for _ in range(3)]
        for thread in threads: thread.start()
        for _ in range(4):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                kept.clear()
                pinned.clear()
                gc.collect()
                for forbidden in (lambda: block(100), lambda: torch.ones(3).pin_memory()):
                    try:
                        forbidden()
                    except RuntimeError as error:
                        assert "fork" in str(error)
                    else:
                        os._exit(3)
                assert torch.accelerator.memory.memory_stats() == {}
                torch.accelerator.empty_cache()
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        done.set()
        for thread in threads: thread.join()
        assert torch_fl.memory_stats()["allocation.all.current"] == 100
        """
    )


def test_storage_outlives_its_views(quiet_device):
    change = Change(1)
    view = torch.arange(4 * KiB, device="flagos:1")[5:7]
    gc.collect()
    assert change()["allocation"] == 1
    assert view.tolist() == [5, 6]


def test_dlpack_capsule_keeps_memory(quiet_device):
    change = Change(1)
    capsule = torch.utils.dlpack.to_dlpack(torch.arange(3.0, device="flagos:1"))
    again = torch.utils.dlpack.from_dlpack(capsule)
    assert change()["allocation"] == 1
    assert again.device == torch.device("flagos:1") and again.tolist() == [0, 1, 2]
    del again, capsule
    assert "allocation" not in change()


def test_recorded_use_of_a_tensor_that_shares_memory(busy, quiet_device):
    """The memory is found whoever wraps it: DLPack here, and from the middle of the block."""
    load = busy("flagos:1")
    side = torch.Stream(device="flagos:1")
    tensor = bytes_on(1, 3 * MiB)
    address = tensor.data_ptr()
    again = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(tensor[MiB:]))
    assert again.data_ptr() == address + MiB
    again.record_stream(side)
    with side:
        load.occupy()
    del tensor, again
    assert bytes_on(1, 3 * MiB).data_ptr() != address
    assert not side.query(), "the other stream was done too early to tell"
    side.synchronize()
    assert bytes_on(1, 3 * MiB).data_ptr() == address
