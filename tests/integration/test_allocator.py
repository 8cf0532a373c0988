"""The caching allocator: what is counted, what is reused and when, and what happens when the device is full."""

import gc
import shutil
import subprocess
import threading

import pytest
import torch

import torch_fl

KiB, MiB = 1 << 10, 1 << 20
REPOSITORY_CSRC = torch_fl.library_dir().parents[1] / "csrc"


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
            for _ in range(20):
                used.zero_()
        del used
        large = block(50)
        assert side.query()
        assert torch_fl.memory_stats()["num_sync_all_streams"] == 1
        """,
        **LIMIT,
    )


def test_pinned_memory_is_cached_and_counted():
    torch.accelerator.memory.empty_host_cache()
    tensor = torch.empty(3 * MiB, dtype=torch.uint8, pin_memory=True)
    address = tensor.data_ptr()
    del tensor
    assert torch.empty(3 * MiB, dtype=torch.uint8, pin_memory=True).data_ptr() == address
    assert torch.ones(3).pin_memory().is_pinned()


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


# ---- a vendor that caches itself ----

PASS_THROUGH = r"""
#include <dlfcn.h>
#include "runtime/allocator/device_memory_interface.h"

// The host runtime with another memory interface: everything else is found in the library that this one is linked with.
struct PassThrough final : flagos::DeviceMemoryInterface {
  flagos::DeviceMemoryInterface& host;
  explicit PassThrough(flagos::DeviceMemoryInterface& h) : host(h) {}
  Error_t device_malloc(void** p, size_t n) override { return host.device_malloc(p, n); }
  Error_t device_free(void* p) override { return host.device_free(p); }
  Error_t get_device_index(int* d) override { return host.get_device_index(d); }
  Error_t set_device(int d) override { return host.set_device(d); }
  Error_t get_memory_info(size_t* f, size_t* t) override { return host.get_memory_info(f, t); }
  Error_t event_create(Event_t* e) override { return host.event_create(e); }
  Error_t event_destroy(Event_t e) override { return host.event_destroy(e); }
  Error_t event_record(Event_t e, Stream_t s) override { return host.event_record(e, s); }
  Error_t event_query(Event_t e) override { return host.event_query(e); }
  Error_t memcpy(void* d, const void* s, size_t n, MemcpyKind k) override { return host.memcpy(d, s, n, k); }
  bool provides_caching() const override { return true; }
};

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface() {
  using Get = decltype(&GetDeviceMemoryInterface);
  static PassThrough memory(*reinterpret_cast<Get>(dlsym(dlopen(HOST, RTLD_NOW), "GetDeviceMemoryInterface"))());
  return &memory;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ to build a runtime library")
def test_vendor_that_provides_caching_gets_each_request(tmp_path, run_forked):
    host = torch_fl.library_dir() / "libflagos_host.so"
    (tmp_path / "pass.cc").write_text(PASS_THROUGH)
    library = tmp_path / "libflagos_pass.so"
    subprocess.run(
        [
            *("g++", "-std=c++17", "-shared", "-fPIC", f"-I{REPOSITORY_CSRC}", f"-I{REPOSITORY_CSRC}/include"),
            *(f'-DHOST="{host}"', "pass.cc", "-o", library, "-Wl,--no-as-needed", host, f"-Wl,-rpath,{host.parent}"),
        ],
        cwd=tmp_path,
        check=True,
    )
    run_forked(
        """
        import torch, torch_fl
        torch_fl.init()
        assert torch_fl.runtime_info()["vendor"] == "pass"
        free = torch_fl.mem_get_info()[0]
        tensor = torch.ones(3_000_001, dtype=torch.uint8, device="flagos")
        assert torch_fl.memory_allocated() == torch_fl.memory_reserved() == 3_000_001
        assert tensor.sum().item() == 3_000_001
        del tensor
        assert torch_fl.memory_reserved() == 0
        assert torch_fl.mem_get_info()[0] == free, "freed at once"

        side = torch.Stream(device="flagos")
        tensor = torch.empty(64 << 20, dtype=torch.uint8, device="flagos")
        tensor.record_stream(side)
        with side:
            for _ in range(16):
                tensor.zero_()
        del tensor
        assert torch_fl.memory_reserved() == 64 << 20, "kept while the other stream uses it"
        assert not side.query()
        side.synchronize()
        torch_fl.empty_cache()
        assert torch_fl.memory_reserved() == 0
        """,
        FLAGOS_RUNTIME_LIBRARY=str(library),
    )
