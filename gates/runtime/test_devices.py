"""Devices: indices, and one current device a thread."""

from __future__ import annotations

import ctypes
import os
import threading
import time

import pytest

from gates.abi import Error, Kind, Runtime
from gates.status import check
from gates.threads import in_threads


@pytest.mark.gate("runtime.devices.count")
def test_count_is_stable_and_the_first_device_is_current(runtime: Runtime):
    """Exit criterion: GetDeviceCount gives the same number each time, and device 0 is current in a new thread."""
    counts = {runtime.device_count() for _ in range(3)}
    check(len(counts) == 1, "GetDeviceCount changes", found=sorted(counts), where=runtime.where("GetDeviceCount"))
    check(
        runtime.device() == 0,
        "the first current device is not 0",
        found=runtime.device(),
        where=runtime.where("GetDevice"),
    )


@pytest.mark.gate("runtime.devices.every_device")
def test_every_counted_device_works(runtime: Runtime):
    """Exit criterion: each index below the count can be made current and holds memory of its own."""
    count = runtime.device_count()
    for index in range(count):
        runtime.ok("SetDevice", index)
        check(
            runtime.device() == index,
            f"GetDevice after SetDevice({index})",
            found=runtime.device(),
            where=runtime.where("SetDevice"),
        )
        for allocate, release in (("Malloc", "Free"), ("device_malloc", "device_free")):
            pointer = runtime._out(ctypes.c_void_p, allocate, 4096)
            attributes = runtime.attributes(pointer)
            check(
                attributes.device == index,
                "memory lies on another device",
                expected=index,
                found=attributes.device,
                where=runtime.where(allocate),
            )
            runtime.ok(release, pointer)


@pytest.mark.gate("runtime.devices.invalid_index")
@pytest.mark.parametrize("offset", [0, 1, 1000, -1], ids=["count", "count+1", "count+1000", "-1"])
def test_invalid_index_is_refused_and_changes_nothing(runtime: Runtime, offset: int):
    """Exit criterion: an index outside [0, count) is ErrorInvalidDevice, and the current device stays."""
    index = runtime.device_count() + offset if offset >= 0 else offset
    last = runtime.device_count() - 1
    runtime.ok("SetDevice", last)
    runtime.expect(Error.ErrorInvalidDevice, "SetDevice", index, because=f"index {index} of {last + 1}")
    check(
        runtime.device() == last,
        "a refused SetDevice moved the device",
        expected=last,
        found=runtime.device(),
        where=runtime.where("SetDevice"),
    )
    runtime.expect(Error.ErrorInvalidDevice, "set_device", index, because=f"index {index} of {last + 1}")
    runtime.ok("DeviceSynchronize")


@pytest.mark.gate("runtime.devices.null_output")
@pytest.mark.parametrize("name", ["GetDeviceCount", "GetDevice", "get_device_index"])
def test_null_output_is_misuse(runtime: Runtime, name: str):
    """Exit criterion: a null output is ErrorUnknown with a text, not a crash."""
    runtime.expect(Error.ErrorUnknown, name, None, because="the output is null")


@pytest.mark.gate("runtime.devices.error_text")
def test_error_text_is_that_of_the_threads_last_failure(runtime: Runtime):
    """Exit criterion: GetLastErrorText is never null, says what failed last, outlives later successes, and belongs to the
    thread: another thread's failure does not change it."""
    where = "GetLastErrorText"

    def fails(name: str, *arguments: object) -> str:
        check(runtime.call(name, *arguments) is not Error.Success, f"{name} succeeded", where=runtime.where(name))
        return runtime.last_error()

    check(runtime.GetLastErrorText() is not None, "the text is null before any failure", where=where)
    first, second = fails("SetDevice", -1), fails("StreamDestroy", None)
    check(first != second, "two failures have the same text", found=second, where=where)
    runtime.ok("DeviceSynchronize")
    check(runtime.last_error() == second, "a success changed the text", found=runtime.last_error(), where=where)
    seen: list[str] = []

    def other() -> None:
        seen.append(runtime.last_error())
        seen.append(fails("SetDevice", -1))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    check(seen[0] != second, "a new thread has another's text", found=seen[0], where=where)
    check(runtime.last_error() == second, "another thread changed the text", found=runtime.last_error(), where=where)


@pytest.mark.gate("runtime.devices.per_thread", requires=["several_devices"])
def test_current_device_belongs_to_the_thread(runtime: Runtime, second_device: int):
    """Exit criterion: SetDevice changes the calling thread only; a new thread starts on device 0."""
    runtime.ok("SetDevice", second_device)
    seen: list[int] = []

    def other() -> None:
        seen.append(runtime.device())
        runtime.ok("SetDevice", 0)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    check(seen == [0], "a new thread inherits a device", expected=[0], found=seen, where=runtime.where("SetDevice"))
    check(
        runtime.device() == second_device,
        "another thread moved this one's device",
        found=runtime.device(),
        where=runtime.where("SetDevice"),
    )


@pytest.mark.gate("runtime.devices.virtuals", requires=["several_devices"])
def test_virtuals_and_functions_share_the_current_device(runtime: Runtime, second_device: int):
    """Exit criterion: set_device and get_device_index mean the same current device as SetDevice and GetDevice."""
    runtime.ok("set_device", second_device)
    check(
        runtime.device() == second_device,
        "set_device did not move the device",
        expected=second_device,
        found=runtime.device(),
        where=runtime.where("set_device"),
    )
    runtime.ok("SetDevice", 0)
    runtime.ok("SetDevice", second_device)
    index = runtime._out(ctypes.c_int, "get_device_index")
    check(
        index == second_device,
        "get_device_index",
        expected=second_device,
        found=index,
        where=runtime.where("get_device_index"),
    )


@pytest.mark.gate("runtime.devices.synchronize", requires=["pending_work"])
def test_synchronize_waits_for_every_stream_of_the_device(runtime: Runtime):
    """Exit criterion: after DeviceSynchronize no stream of the current device has work left, created streams and the
    default stream alike."""
    streams = [runtime.stream(), runtime.stream(), None]
    for stream in streams:
        runtime.occupy(stream)
    check(
        any(runtime.call("StreamQuery", s) is Error.ErrorNotReady for s in streams),
        "work was never pending, so nothing was proved",
        where=runtime.where("StreamQuery"),
    )
    runtime.ok("DeviceSynchronize")
    for name, stream in zip(("first", "second", "default"), streams, strict=True):
        found = runtime.call("StreamQuery", stream)
        check(
            found is Error.Success,
            f"the {name} stream still works after DeviceSynchronize",
            found=found.name,
            where=runtime.where("DeviceSynchronize"),
        )


@pytest.mark.gate("runtime.devices.synchronize_one", requires=["several_devices"])
def test_synchronize_leaves_other_devices_alone(runtime: Runtime, second_device: int):
    """Exit criterion: DeviceSynchronize waits for the current device, and neither for another nor instead of it."""
    busy = runtime.stream()
    runtime.occupy(busy, 300)
    with runtime.on(second_device):
        started = time.perf_counter()
        runtime.ok("DeviceSynchronize")
        elapsed = (time.perf_counter() - started) * 1e3
        pending = runtime.call("StreamQuery", busy)
    check(
        pending is Error.ErrorNotReady or elapsed < 50,
        "DeviceSynchronize waited for another device",
        found=f"{elapsed:.0f} ms, first device {pending.name}",
        where=runtime.where("DeviceSynchronize"),
    )
    runtime.ok("DeviceSynchronize")
    check(
        runtime.call("StreamQuery", busy) is Error.Success,
        "DeviceSynchronize did not wait for its own device",
        where=runtime.where("DeviceSynchronize"),
    )


@pytest.mark.gate("runtime.devices.default_stream", requires=["pending_work"])
def test_default_stream_of_each_device_is_usable(runtime: Runtime):
    """Exit criterion: GetDefaultStream names the stream that a null stream means on that device, and its work runs; for a
    bad index it is null."""
    for index in range(runtime.device_count()):
        with runtime.on(index):
            stream = runtime.GetDefaultStream(index)
            pointer = runtime.malloc(4096)
            runtime.ok("MemsetAsync", pointer, 0x5A, 4096, stream)
            runtime.ok("StreamSynchronize", stream)
            check(
                runtime.download(pointer, 4096) == b"\x5a" * 4096,
                "work on the default stream was not done",
                where="GetDefaultStream",
            )
            runtime.ok("Free", pointer)
            runtime.occupy(None, 150)
            found = runtime.call("StreamQuery", stream)
            check(
                found is Error.ErrorNotReady,
                f"work on the null stream of device {index} is not on its default stream",
                expected="ErrorNotReady",
                found=found.name,
                where="GetDefaultStream",
            )
            runtime.ok("StreamSynchronize", stream)
    check(not runtime.GetDefaultStream(-1), "GetDefaultStream(-1) is not null", where="GetDefaultStream")
    check(
        not runtime.GetDefaultStream(runtime.device_count()),
        "GetDefaultStream(count) is not null",
        where="GetDefaultStream",
    )


@pytest.mark.gate("runtime.devices.threads")
def test_calls_from_many_threads_do_not_disturb_each_other(runtime: Runtime):
    """Exit criterion: "every function may be called from any thread at any time": eight threads allocate, fill, copy and
    free at once, each sees its own bytes."""

    def work(seed: int) -> None:
        device = seed % runtime.device_count()
        runtime.ok("SetDevice", device)
        for round_ in range(20):
            size = 1000 + 97 * seed + round_
            stream = runtime.stream()
            first, second = runtime.malloc(size), runtime.malloc(size)
            value = (seed * 16 + round_) & 0xFF
            runtime.ok("MemsetAsync", first, value, size, stream)
            runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, stream)
            runtime.ok("StreamSynchronize", stream)
            check(runtime.download(second, size) == bytes([value]) * size, f"round {round_}: foreign bytes")
            check(runtime.device() == device, f"device {runtime.device()} instead of {device}")
            runtime.ok("StreamDestroy", stream)
            runtime.ok("Free", first)
            runtime.ok("Free", second)

    problems = in_threads(work)
    check(not problems, "threads disturbed each other", found="; ".join(problems[:3]))


@pytest.mark.gate("runtime.devices.fork")
def test_forked_child_is_told_that_the_runtime_does_not_work(runtime: Runtime):
    """Exit criterion: after fork() in a process that used the runtime, calls in the child fail with ErrorUnknown: they
    neither hang nor pretend, and the parent goes on."""
    block = runtime.malloc(4096)
    out = ctypes.c_void_p()
    calls = {
        "SetDevice": (0,),
        "Malloc": (ctypes.byref(out), 4096),
        "Memset": (block, 0, 4096),
        "DeviceSynchronize": (),
        "StreamCreate": (ctypes.byref(out),),
        "StreamSynchronize": (None,),
    }
    child = os.fork()
    if child == 0:
        wrong = (at for at, name in enumerate(calls, 1) if runtime.call(name, *calls[name]) is not Error.ErrorUnknown)
        os._exit(next(wrong, 0))
    _, status = os.waitpid(child, 0)
    check(not os.WIFSIGNALED(status), "a forked child died", found=f"signal {os.WTERMSIG(status)}")
    if code := os.WEXITSTATUS(status):
        name = list(calls)[code - 1]
        check(False, f"{name} in a forked child", expected="ErrorUnknown", where=runtime.where(name))
    runtime.ok("Memset", block, 1, 4096)
    runtime.ok("Free", block)
