"""The caching allocators over a vendor that fails, is slow, or caches itself: nothing is lost, nothing is reused too early,
nobody waits for a lock. The vendor is `host` with faults, see faulty_runtime.cc."""

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

import torch_fl

HERE = Path(__file__).parent
CSRC = torch_fl.library_dir().parents[1] / "csrc"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ to build a runtime library")

PREAMBLE = """
import ctypes, os, threading, time
import torch, torch_fl
faults = ctypes.CDLL(os.environ["FLAGOS_RUNTIME_LIBRARY"])
fail, hold, calls, set_caching = faults.fail, faults.hold, faults.calls, faults.set_caching
MiB = 1 << 20
def block(mebibytes, device="flagos"):
    return torch.empty(int(mebibytes * MiB), dtype=torch.uint8, device=device)
def stat(name, device=0):
    return torch_fl.memory_stats(device)[name]
torch_fl.init()
assert torch_fl.runtime_info()["vendor"] == "faulty"
torch_fl.set_device(0)
"""


@pytest.fixture(scope="session")
def faulty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    host = torch_fl.library_dir() / "libflagos_host.so"
    library = tmp_path_factory.mktemp("faulty") / "libflagos_faulty.so"
    subprocess.run(
        [
            *("g++", "-std=c++17", "-shared", "-fPIC", f"-I{CSRC}", f"-I{CSRC / 'include'}", f'-DHOST="{host}"'),
            *(HERE / "faulty_runtime.cc", "-o", library, "-Wl,--no-as-needed", host, f"-Wl,-rpath,{host.parent}"),
        ],
        check=True,
    )
    return library


@pytest.fixture
def run_faulty(faulty_library, run_forked):
    def run(code: str, **environment: str):
        return run_forked(PREAMBLE + textwrap.dedent(code), FLAGOS_RUNTIME_LIBRARY=str(faulty_library), **environment)

    return run


# ---- device memory: a vendor that fails ----


@pytest.mark.parametrize("function", ["event_create", "event_record"])
def test_block_whose_event_cannot_be_recorded_is_kept_and_not_lost(run_faulty, function):
    done = run_faulty(
        f"""
        side = torch.Stream(device="flagos")
        scratch, used = block(64), block(30)
        address = used.data_ptr()
        used.record_stream(side)
        with side:
            for _ in range(16):
                scratch.zero_()
        fail(b"{function}", 1)
        del used
        other = block(30)
        assert other.data_ptr() != address, "reused although its use has no event"
        assert stat("active_bytes.all.current") - stat("allocated_bytes.all.current") == 30 * MiB
        assert not side.query(), "the load was too short to tell"
        torch_fl.empty_cache()  # records again, and waits
        assert side.query()
        assert stat("active_bytes.all.current") == stat("allocated_bytes.all.current") == 94 * MiB
        assert stat("reserved_bytes.all.current") == 94 * MiB, "and the block was given back"
        """
    )
    assert f"{function} failed with ErrorUnknown" in done.stderr, "a deleter reports what it cannot throw"


def test_block_whose_event_cannot_be_asked_is_kept_and_not_lost(run_faulty):
    run_faulty(
        """
        side = torch.Stream(device="flagos")
        used = block(30)
        address = used.data_ptr()
        used.record_stream(side)
        del used
        fail(b"event_query", 1)
        try:
            block(30)
        except RuntimeError as error:
            assert "event_query" in str(error) and not isinstance(error, torch.OutOfMemoryError)
        else:
            raise AssertionError("the failure was swallowed")
        assert block(30).data_ptr() != address
        torch_fl.empty_cache()
        assert stat("active_bytes.all.current") == stat("reserved_bytes.all.current") == 0
        """
    )


def test_segment_that_the_vendor_does_not_take_back_stays_in_the_cache(run_faulty):
    run_faulty(
        """
        tensor = block(30)
        address = tensor.data_ptr()
        del tensor
        fail(b"device_free", 1)
        try:
            torch_fl.empty_cache()
        except RuntimeError as error:
            assert "device_free" in str(error)
        else:
            raise AssertionError("the failure was swallowed")
        assert stat("reserved_bytes.all.current") == 30 * MiB and stat("num_device_free") == 0
        tensor = block(30)
        assert tensor.data_ptr() == address
        tensor.record_stream(torch.Stream(device="flagos"))
        del tensor
        torch_fl.empty_cache()
        assert stat("reserved_bytes.all.current") == 0 and stat("num_device_free") == 1
        """
    )


def test_failed_malloc_changes_no_counter(run_faulty):
    run_faulty(
        """
        kept = block(3)
        before = torch_fl.memory_stats()
        fail(b"device_malloc", 2)
        try:
            block(30)
        except torch.OutOfMemoryError:
            pass
        else:
            raise AssertionError("no error")
        after = torch_fl.memory_stats()
        changed = {name for name in after if after[name] != before[name]}
        assert changed == {"num_alloc_retries", "num_ooms"}, changed
        fail(b"device_malloc", 1)
        assert block(30).numel() == 30 * MiB
        """
    )


# ---- device memory: a vendor that blocks ----


@pytest.mark.parametrize(
    ("function", "failures"),
    [("device_malloc", 0), ("device_free", 1)],  # a device that is full makes the allocator give back
)
def test_nobody_waits_for_a_thread_that_waits_for_the_vendor(run_faulty, function, failures):
    """Whoever does waits for ever, and the child is killed. (torch.accelerator.empty_cache keeps the GIL, so it is of no use.)"""
    run_faulty(
        f"""
        cached = block(12)
        del cached
        kept, small = block(30), block(0.5)
        del kept, small
        small = block(0.5)
        before = calls(b"{function}")
        hold(b"{function}", 1)
        fail(b"device_malloc", {failures})
        thread = threading.Thread(target=lambda: block(64))
        thread.start()
        while calls(b"{function}") == before:
            time.sleep(0.001)
        for _ in range(100):
            tensor = block(0.25)
            del tensor
        small.record_stream(torch.Stream(device="flagos"))
        assert stat("allocated_bytes.all.current") >= small.numel()
        del small
        assert thread.is_alive()
        hold(b"{function}", 0)
        thread.join()
        """
    )


# ---- device memory: a vendor that caches ----


def test_vendor_that_provides_caching_gets_each_request(run_faulty):
    run_faulty(
        """
        set_caching(1)
        free = torch_fl.mem_get_info()[0]
        tensor = torch.ones(3_000_001, dtype=torch.uint8, device="flagos")
        assert torch_fl.memory_allocated() == torch_fl.memory_reserved() == 3_000_001
        assert tensor.sum().item() == 3_000_001
        del tensor
        assert torch_fl.memory_reserved() == 0
        assert torch_fl.mem_get_info()[0] == free, "freed at once"

        side = torch.Stream(device="flagos")
        tensor = block(64)
        tensor.record_stream(side)
        with side:
            for _ in range(16):
                tensor.zero_()
        del tensor
        assert torch_fl.memory_reserved() == 64 * MiB, "kept while the other stream uses it"
        assert not side.query()
        side.synchronize()
        torch_fl.empty_cache()
        assert torch_fl.memory_reserved() == 0
        """
    )


def test_statistics_of_a_vendor_that_caches_are_its_calls(run_faulty):
    run_faulty(
        """
        import random
        set_caching(1)
        choose, held, requested = random.Random(0), [], 0
        mallocs, frees = calls(b"device_malloc"), calls(b"device_free")
        for step in range(300):
            if held and choose.random() < 0.5:
                held.pop(choose.randrange(len(held)))
            else:
                held.append(torch.empty(choose.choice([1, 700, 5000, 3 * MiB + 1]), dtype=torch.uint8, device="flagos"))
            bytes_held = sum(tensor.numel() for tensor in held)
            stats = torch_fl.memory_stats()
            for name in ("requested_bytes", "allocated_bytes", "active_bytes", "reserved_bytes"):
                assert stats[name + ".all.current"] == bytes_held, name
            for name in ("allocation", "active", "segment"):
                assert stats[name + ".all.current"] == len(held), name
            assert stats["inactive_split_bytes.all.current"] == 0
        assert stats["num_device_alloc"] == calls(b"device_malloc") - mallocs
        assert stats["num_device_free"] == calls(b"device_free") - frees
        """
    )


# ---- pinned memory ----


def test_pinned_memory_is_rounded_within_bounds(run_faulty):
    run_faulty(
        """
        for size, pinned in ((1, 1), (300 << 10, 512 << 10), (MiB, MiB), (MiB + 1, 2 * MiB), (65 * MiB, 66 * MiB)):
            tensor = torch.empty(size, dtype=torch.uint8, pin_memory=True)
            assert faults.last_pinned_size() == pinned, size
        """
    )


def test_pinned_memory_that_runs_out(run_faulty):
    run_faulty(
        """
        kept = torch.empty(4 * MiB, dtype=torch.uint8, pin_memory=True)
        cached = torch.empty(8 * MiB, dtype=torch.uint8, pin_memory=True)
        del cached
        given_back = calls(b"FreeHost")
        fail(b"MallocHost", 1)
        assert torch.empty(16 * MiB, dtype=torch.uint8, pin_memory=True).is_pinned()
        assert calls(b"FreeHost") == given_back + 1, "the cache was given back before the second attempt"
        torch.accelerator.memory.empty_host_cache()
        for size, failures in ((64 * MiB, 2), ((1 << 62) + 1, 0)):
            fail(b"MallocHost", failures)
            try:
                torch.empty(size, dtype=torch.uint8, pin_memory=True)
            except torch.OutOfMemoryError as error:
                print(error)
            else:
                raise AssertionError("no error")
        fail(b"MallocHost", 2)
        try:
            torch.empty(64 * MiB, dtype=torch.uint8).pin_memory()
        except torch.OutOfMemoryError as error:
            assert "no pinned host memory is left. Tried to allocate 64.00 MiB" in str(error), error
            assert "has pinned 4.00 MiB, 0 bytes of it in its cache" in str(error), error
        else:
            raise AssertionError("no error")
        assert torch.empty(64 * MiB, dtype=torch.uint8, pin_memory=True).is_pinned()
        """
    )


def test_copies_and_operators_do_without_pinned_memory(run_faulty):
    run_faulty(
        """
        value = torch.arange(1 << 20, dtype=torch.int32)
        there = torch.zeros(1 << 20, device="flagos")
        for operation in (lambda: there.copy_(value), lambda: there.add_(1)):  # through host memory, on the CPU
            asked = calls(b"MallocHost")
            fail(b"MallocHost", 100)
            operation()
            assert calls(b"MallocHost") > asked, "no pinned memory was wanted"
            fail(b"MallocHost", 0)
        assert torch.equal(there.cpu(), value.float() + 1)
        """
    )


def test_pinned_block_whose_event_cannot_be_recorded_is_kept_and_not_lost(run_faulty):
    run_faulty(
        """
        scratch, target = block(64), block(4)
        pinned = torch.full((4 * MiB,), 3, dtype=torch.uint8).pin_memory()
        address = pinned.data_ptr()
        for _ in range(16):
            scratch.zero_()
        target.copy_(pinned, non_blocking=True)
        fail(b"EventRecord", 3)  # the later attempts as well
        del pinned
        other = torch.empty(4 * MiB, dtype=torch.uint8, pin_memory=True)
        assert other.data_ptr() != address, "reused although its use has no event"
        assert not torch_fl.current_stream().query(), "the load was too short to tell"
        fail(b"EventRecord", 0)
        torch.empty(1, pin_memory=True)  # asks for what has ended, and so records
        torch_fl.synchronize()
        assert torch.empty(4 * MiB, dtype=torch.uint8, pin_memory=True).data_ptr() == address
        assert target.eq(3).all()
        """
    )


def test_nobody_waits_for_a_thread_that_gives_pinned_memory_back(run_faulty):
    run_faulty(
        """
        large, small = (torch.empty(size, dtype=torch.uint8, pin_memory=True) for size in (8 * MiB, 100))
        del large
        before = calls(b"FreeHost")
        hold(b"FreeHost", 1)
        fail(b"MallocHost", 1)  # which makes the allocator give back
        thread = threading.Thread(target=lambda: torch.empty(64 * MiB, pin_memory=True))
        thread.start()
        while calls(b"FreeHost") == before:
            time.sleep(0.001)
        del small
        for size in (100, 8 * MiB):
            assert torch.empty(size, dtype=torch.uint8, pin_memory=True).is_pinned()
        assert thread.is_alive()
        hold(b"FreeHost", 0)
        thread.join()
        """
    )
