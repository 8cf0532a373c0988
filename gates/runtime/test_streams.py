"""Streams: asynchronous, ordered only by events, with priorities that are clamped."""

from __future__ import annotations

import ctypes
import time

import pytest

from gates.abi import FLAGS, UNWRITTEN, Error, Kind, Runtime
from gates.status import check


@pytest.mark.gate("runtime.streams.query", requires=["pending_work"])
def test_query_tells_the_truth(runtime: Runtime):
    """Exit criterion: StreamQuery is ErrorNotReady while work is pending or running, Success before and after, and does
    not block."""
    stream = runtime.stream()
    check(
        runtime.call("StreamQuery", stream) is Error.Success,
        "a new stream is not ready",
        where=runtime.where("StreamQuery"),
    )
    runtime.occupy(stream, 150)
    started = time.perf_counter()
    found = runtime.call("StreamQuery", stream)
    elapsed = (time.perf_counter() - started) * 1e3
    check(
        found is Error.ErrorNotReady,
        "StreamQuery while work is pending",
        expected="ErrorNotReady",
        found=found.name,
        where=runtime.where("StreamQuery"),
    )
    check(elapsed < 100, "StreamQuery blocks", found=f"{elapsed:.0f} ms", where=runtime.where("StreamQuery"))
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.call("StreamQuery", stream) is Error.Success,
        "StreamQuery after StreamSynchronize",
        expected="Success",
        where=runtime.where("StreamQuery"),
    )


@pytest.mark.gate("runtime.streams.query_running")
def test_stream_is_busy_until_its_last_task_has_finished(runtime: Runtime):
    """Exit criterion: ready means finished, not merely taken from the queue: whenever StreamQuery first says Success, the
    bytes of the last copy are there."""
    size = 64 << 20
    first, second = runtime.malloc(size), runtime.malloc(size)
    stream, probe = runtime.stream(), runtime.stream()
    pinned = runtime.malloc_host(1)
    for value in (1, 2, 3):
        runtime.ok("Memset", first, value, size)
        runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, stream)
        while runtime.call("StreamQuery", stream) is Error.ErrorNotReady:
            pass
        runtime.ok("MemcpyAsync", pinned, second + size - 1, 1, Kind.MemcpyDeviceToHost, probe)
        runtime.ok("StreamSynchronize", probe)
        check(
            ctypes.string_at(pinned, 1)[0] == value,
            "ready, but the last byte is missing",
            where=runtime.where("StreamQuery"),
        )


@pytest.mark.gate("runtime.streams.synchronize")
def test_synchronize_waits_for_its_stream(runtime: Runtime):
    """Exit criterion: StreamSynchronize returns when the stream's work is done: results are readable from an unordered
    stream."""
    size = 1 << 20
    block, source = runtime.filled(0, size), runtime.filled(0x44, size)
    stream, probe = runtime.stream(), runtime.stream()
    pinned = runtime.malloc_host(size)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", block, source, size, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok("StreamSynchronize", stream)
    runtime.ok("MemcpyAsync", pinned, block, size, Kind.MemcpyDeviceToHost, probe)
    runtime.ok("StreamSynchronize", probe)
    check(
        ctypes.string_at(pinned, size) == b"\x44" * size,
        "StreamSynchronize returned too early",
        where=runtime.where("StreamSynchronize"),
    )


@pytest.mark.gate("runtime.streams.independent", requires=["pending_work"])
def test_streams_do_not_wait_for_each_other(runtime: Runtime):
    """Exit criterion: streams have no order among each other: work on an idle stream finishes while another stream and the
    default stream are busy, and blocking calls do not wait for created streams."""
    slow, fast = runtime.stream(), runtime.stream()
    block = runtime.malloc(4096)
    for busy, name in ((slow, "another stream"), (None, "the default stream")):
        runtime.occupy(busy, 400)
        runtime.ok("MemsetAsync", block, 0x21, 4096, fast)
        runtime.ok("StreamSynchronize", fast)
        idle = runtime.call("StreamQuery", fast)
        found = runtime.call("StreamQuery", busy)
        check(idle is Error.Success, "StreamQuery is about other streams", where=runtime.where("StreamQuery"))
        check(
            found is Error.ErrorNotReady,
            f"a stream waited for {name}",
            expected="the busy one still works",
            found=found.name,
            where=runtime.where("StreamCreate"),
        )
        runtime.ok("StreamSynchronize", busy)
    runtime.occupy(slow, 400)
    runtime.ok("Memset", block, 0x22, 4096)
    check(runtime.download(block, 4096) == b"\x22" * 4096, "a blocking copy", where=runtime.where("Memcpy"))
    found = runtime.call("StreamQuery", slow)
    check(
        found is Error.ErrorNotReady,
        "Memset or Memcpy waited for a created stream",
        expected="the busy one still works",
        found=found.name,
        where=runtime.where("Memcpy"),
    )
    runtime.ok("StreamSynchronize", slow)


@pytest.mark.gate("runtime.streams.distinct")
def test_streams_are_distinct_handles(runtime: Runtime):
    """Exit criterion: each StreamCreate gives a handle of its own, none is null."""
    streams = [runtime.stream() for _ in range(8)]
    check(
        all(streams) and len(set(streams)) == 8,
        "handles repeat or are null",
        found=streams,
        where=runtime.where("StreamCreate"),
    )
    for stream in streams:
        runtime.ok("StreamDestroy", stream)


@pytest.mark.gate("runtime.streams.destroy_pending")
def test_destroying_a_busy_stream_keeps_its_work(runtime: Runtime):
    """Exit criterion: "work already submitted still runs to its end" after StreamDestroy."""
    size = 1 << 20
    block, source = runtime.filled(0, size), runtime.filled(0x66, size)
    stream = runtime.stream()
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", block, source, size, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok("StreamDestroy", stream)
    runtime.ok("DeviceSynchronize")
    check(
        runtime.download(block, size) == b"\x66" * size,
        "work of a destroyed stream is lost",
        where=runtime.where("StreamDestroy"),
    )


@pytest.mark.gate("runtime.streams.null")
def test_null_stream_is_the_default_stream(runtime: Runtime):
    """Exit criterion: a null Stream_t means the default stream of the current device, wherever work is given."""
    block = runtime.malloc(4096)
    event = runtime.event()
    runtime.ok("MemsetAsync", block, 0x31, 4096, None)
    runtime.ok("EventRecord", event, None)
    runtime.ok("StreamWaitEvent", None, event, FLAGS["WaitDefault"])
    runtime.ok("StreamSynchronize", None)
    check(
        runtime.call("StreamQuery", None) is Error.Success,
        "the null stream is not ready after synchronisation",
        where=runtime.where("StreamQuery"),
    )
    check(
        runtime.call("EventQuery", event) is Error.Success,
        "an event on the null stream",
        where=runtime.where("EventRecord"),
    )
    check(
        runtime.download(block, 4096) == b"\x31" * 4096, "work on the null stream", where=runtime.where("MemsetAsync")
    )
    least, greatest = runtime.priority_range()
    priority = ctypes.c_int(UNWRITTEN)
    runtime.ok("StreamGetPriority", None, ctypes.byref(priority))
    check(
        greatest <= priority.value <= least,
        "priority of the null stream",
        expected=f"{greatest} to {least}",
        found=priority.value,
        where=runtime.where("StreamGetPriority"),
    )


@pytest.mark.gate("runtime.streams.device", requires=["pending_work", "several_devices"])
def test_stream_belongs_to_the_device_it_was_made_on(runtime: Runtime, second_device: int):
    """Exit criterion: a stream works on the device that was current when it was made, whichever is current later."""
    runtime.ok("DeviceSynchronize")  # wakes device 0 now: that may take longer than the work below
    with runtime.on(second_device):
        stream, block, source = runtime.stream(), runtime.malloc(4096), runtime.filled(0x41, 4096)
        runtime.occupy(stream, 300)
        runtime.ok("MemcpyAsync", block, source, 4096, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok("DeviceSynchronize")
    pending = runtime.call("StreamQuery", stream)
    check(
        pending is Error.ErrorNotReady,
        "device 0 waited for a stream of device 1",
        expected="ErrorNotReady",
        found=pending.name,
        where=runtime.where("StreamCreate"),
    )
    with runtime.on(second_device):
        runtime.ok("DeviceSynchronize")
        check(
            runtime.call("StreamQuery", stream) is Error.Success,
            "device 1 did not wait for its stream",
            where=runtime.where("StreamCreate"),
        )
        check(
            runtime.download(block, 4096) == b"\x41" * 4096,
            "work of the second device",
            where=runtime.where("MemcpyAsync"),
        )
        runtime.occupy(stream, 300)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.call("StreamQuery", stream) is Error.Success,
        "while device 0 was current, a stream of device 1 was not waited for",
        expected="StreamSynchronize selects the stream's device where the SDK wants that",
        found="StreamSynchronize returned Success, and then StreamQuery ErrorNotReady",
        where=runtime.where("StreamSynchronize"),
    )


# ---- priorities


@pytest.mark.gate("runtime.streams.priority_range")
def test_priority_range_is_ordered(runtime: Runtime, measured: dict):
    """Exit criterion: "lower numbers run first, so greatest <= least"; a chip without priorities reports 0 for both."""
    least, greatest = runtime.priority_range()
    measured["priorities"] = f"{least}..{greatest}"
    check(
        greatest <= least,
        "the range is turned round",
        found=(least, greatest),
        where=runtime.where("DeviceGetStreamPriorityRange"),
    )
    check(
        greatest <= 0 <= least,
        "0, the default priority, is not in the range",
        found=(least, greatest),
        where=runtime.where("DeviceGetStreamPriorityRange"),
    )
    runtime.expect(
        Error.ErrorUnknown,
        "DeviceGetStreamPriorityRange",
        None,
        ctypes.byref(ctypes.c_int()),
        because="an output is null",
    )


@pytest.mark.gate("runtime.streams.priority_wide", requires=["stream_priorities"])
def test_chip_has_more_than_one_priority(runtime: Runtime):
    """Exit criterion: the range of stream priorities has at least two values."""
    least, greatest = runtime.priority_range()
    check(
        greatest < least,
        "there is only one priority",
        found=(least, greatest),
        where=runtime.where("DeviceGetStreamPriorityRange"),
    )


@pytest.mark.gate("runtime.streams.priority_clamped")
def test_priority_is_kept_in_the_range_and_clamped_outside(runtime: Runtime):
    """Exit criterion: StreamGetPriority reports what the stream really has: the request within the range, the nearest end
    outside of it, 0 for StreamCreate."""
    least, greatest = runtime.priority_range()

    def priority(stream: int) -> int:
        value = ctypes.c_int(12345)
        runtime.ok("StreamGetPriority", stream, ctypes.byref(value))
        runtime.ok("StreamDestroy", stream)
        return value.value

    for request in range(greatest - 3, least + 4):
        expected = min(max(request, greatest), least)
        found = priority(runtime.stream(request))
        check(
            found == expected,
            f"priority {request} in {greatest}..{least}",
            expected=expected,
            found=found,
            where=runtime.where("StreamCreateWithPriority"),
        )
    check(
        priority(runtime.stream()) == 0, "StreamCreate has another priority than 0", where=runtime.where("StreamCreate")
    )


# ---- misuse


@pytest.mark.gate("runtime.streams.misuse")
def test_misuse_of_streams_is_refused(runtime: Runtime):
    """Exit criterion: null outputs, unknown flags and a null stream where one must be named are ErrorUnknown with a text;
    the runtime goes on."""
    out, event = ctypes.c_void_p(UNWRITTEN), runtime.event()
    stream = runtime.stream()
    runtime.expect(Error.ErrorUnknown, "StreamCreate", None, because="the output is null")
    runtime.expect(
        Error.ErrorUnknown, "StreamCreateWithPriority", None, FLAGS["StreamDefault"], 0, because="the output is null"
    )
    for flags in (1, 2, 0xFF):
        runtime.expect(
            Error.ErrorUnknown, "StreamCreateWithPriority", ctypes.byref(out), flags, 0, because=f"flags {flags}"
        )
        check(
            out.value == UNWRITTEN,
            "a refused StreamCreateWithPriority wrote its output",
            where=runtime.where("StreamCreateWithPriority"),
        )
        runtime.expect(Error.ErrorUnknown, "StreamWaitEvent", stream, event, flags, because=f"flags {flags}")
    runtime.expect(Error.ErrorUnknown, "StreamGetPriority", stream, None, because="the output is null")
    runtime.expect(Error.ErrorUnknown, "StreamDestroy", None, because="the stream is null")
    runtime.expect(
        Error.ErrorUnknown, "StreamWaitEvent", stream, None, FLAGS["WaitDefault"], because="the event is null"
    )
    runtime.occupy(stream, 5)
    runtime.ok("StreamSynchronize", stream)
