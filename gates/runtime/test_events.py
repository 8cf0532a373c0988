"""Events: the only order among streams, the clock, and the allocator's proof of completion."""

from __future__ import annotations

import ctypes
import itertools
import time

import pytest

from gates.abi import FLAGS, UNWRITTEN, Error, Kind, Runtime
from gates.status import check

WAIT = FLAGS["WaitDefault"]
APIS = ("function", "virtual")
NAMES = {
    "function": {"create": "EventCreate", "record": "EventRecord", "query": "EventQuery", "destroy": "EventDestroy"},
    "virtual": {"create": "event_create", "record": "event_record", "query": "event_query", "destroy": "event_destroy"},
}


@pytest.mark.gate("runtime.events.query", requires=["pending_work"])
@pytest.mark.parametrize("api", APIS)
def test_event_is_ready_when_the_work_before_it_is_done(runtime: Runtime, api: str):
    """Exit criterion: "ErrorNotReady seen while work is pending": a recorded event is not ready before the stream's work so
    far has finished, and ready afterwards, however often it is recorded; never recorded, it is ready. For the functions
    and for the virtuals."""
    names = NAMES[api]
    event = runtime._out(ctypes.c_void_p, names["create"])
    stream = runtime.stream()
    found = runtime.call(names["query"], event)
    check(
        found is Error.Success,
        "an event that was never recorded",
        expected="Success",
        found=found.name,
        where=runtime.where(names["query"]),
    )
    for turn in ("first", "second"):
        runtime.occupy(stream, 150)
        runtime.ok(names["record"], event, stream)
        started = time.perf_counter()
        found = runtime.call(names["query"], event)
        elapsed = (time.perf_counter() - started) * 1e3
        check(
            found is Error.ErrorNotReady,
            f"the {turn} record while work is pending",
            expected="ErrorNotReady",
            found=found.name,
            where=runtime.where(names["query"]),
        )
        check(elapsed < 100, f"{names['query']} blocks", found=f"{elapsed:.0f} ms", where=runtime.where(names["query"]))
        runtime.ok("StreamSynchronize", stream)
        found = runtime.call(names["query"], event)
        check(
            found is Error.Success,
            f"the {turn} record after the work",
            expected="Success",
            found=found.name,
            where=runtime.where(names["query"]),
        )
    runtime.ok(names["destroy"], event)


@pytest.mark.gate("runtime.events.covers_only_before", requires=["pending_work"])
def test_event_does_not_wait_for_work_after_it(runtime: Runtime):
    """Exit criterion: an event is ready when the work *before* it is done, although the stream goes on."""
    stream, event = runtime.stream(), runtime.event()
    runtime.occupy(stream, 5)
    runtime.ok("EventRecord", event, stream)
    runtime.occupy(stream, 400)
    runtime.ok("EventSynchronize", event)
    found = runtime.call("StreamQuery", stream)
    check(
        found is Error.ErrorNotReady,
        "EventSynchronize waited for later work",
        expected="the stream still works",
        found=found.name,
        where=runtime.where("EventSynchronize"),
    )
    runtime.ok("StreamSynchronize", stream)


@pytest.mark.gate("runtime.events.right_stream", requires=["pending_work"])
def test_event_watches_the_stream_it_was_recorded_on(runtime: Runtime):
    """Exit criterion: an event on an idle stream is soon ready although others are busy, and one on a busy stream is not."""
    busy, idle = runtime.stream(), runtime.stream()
    runtime.occupy(busy, 400)
    for api in APIS:
        on_idle, on_busy = (runtime._out(ctypes.c_void_p, NAMES[api]["create"]) for _ in range(2))
        runtime.ok(NAMES[api]["record"], on_idle, idle)
        runtime.ok(NAMES[api]["record"], on_busy, busy)
        runtime.ok("EventSynchronize", on_idle)
        found = runtime.call(NAMES[api]["query"], on_busy)
        check(
            found is Error.ErrorNotReady,
            "an event on a busy stream",
            expected="ErrorNotReady",
            found=found.name,
            where=runtime.where(NAMES[api]["record"]),
        )
    runtime.ok("StreamSynchronize", busy)


@pytest.mark.gate("runtime.events.synchronize")
def test_synchronize_waits_for_the_record(runtime: Runtime):
    """Exit criterion: EventSynchronize returns when the work before the record is done, at once if never recorded."""
    size = 64 << 20
    block, source, pinned = runtime.filled(0, size), runtime.filled(0x51, size), runtime.malloc_host(1)
    stream, probe, event = runtime.stream(), runtime.stream(), runtime.event()
    runtime.ok("EventSynchronize", event)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", block, source, size, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok("EventRecord", event, stream)
    runtime.ok("EventSynchronize", event)
    runtime.ok("MemcpyAsync", pinned, block + size - 1, 1, Kind.MemcpyDeviceToHost, probe)
    runtime.ok("StreamSynchronize", probe)
    check(
        ctypes.string_at(pinned, 1) == b"\x51",
        "EventSynchronize returned too early",
        where=runtime.where("EventSynchronize"),
    )


# ---- order across streams


@pytest.mark.gate("runtime.events.wait_orders", requires=["pending_work"])
def test_wait_event_orders_work_across_streams(runtime: Runtime):
    """Exit criterion: "waits order work across streams": work behind StreamWaitEvent sees what was done before the record,
    and the call does not block the host."""
    size = 1 << 20
    first, second = runtime.malloc(size), runtime.malloc(size)
    producer, consumer, event = runtime.stream(), runtime.stream(), runtime.event()
    for value in (0x61, 0x62):
        source = runtime.filled(value, size)
        runtime.ok("Memset", first, 0, size)
        runtime.ok("Memset", second, 0, size)
        runtime.occupy(producer, 150)
        runtime.ok("MemcpyAsync", first, source, size, Kind.MemcpyDeviceToDevice, producer)
        runtime.ok("EventRecord", event, producer)
        runtime.ok("StreamWaitEvent", consumer, event, WAIT)
        found = runtime.call("EventQuery", event)
        runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, consumer)
        check(
            found is Error.ErrorNotReady,
            "StreamWaitEvent blocks the host",
            expected="the event is pending when the call returns",
            found=found.name,
            where=runtime.where("StreamWaitEvent"),
        )
        runtime.ok("StreamSynchronize", consumer)
        check(
            runtime.download(second, size) == bytes([value]) * size,
            "the consumer did not wait",
            where=runtime.where("StreamWaitEvent"),
        )


@pytest.mark.gate("runtime.events.wait_default_stream")
@pytest.mark.parametrize("default", ["producer", "consumer"])
def test_wait_event_orders_the_default_stream_too(runtime: Runtime, default: str):
    """Exit criterion: waits order work between a created stream and the default stream, in both directions."""
    size = 1 << 20
    first, second, source = runtime.filled(0, size), runtime.malloc(size), runtime.filled(0x63, size)
    stream, event = runtime.stream(), runtime.event()
    producer, consumer = (None, stream) if default == "producer" else (stream, None)
    runtime.occupy(producer)
    runtime.ok("MemcpyAsync", first, source, size, Kind.MemcpyDeviceToDevice, producer)
    runtime.ok("EventRecord", event, producer)
    runtime.ok("StreamWaitEvent", consumer, event, WAIT)
    runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, consumer)
    runtime.ok("StreamSynchronize", consumer)
    check(
        runtime.download(second, size) == b"\x63" * size,
        "the consumer did not wait",
        where=runtime.where("StreamWaitEvent"),
    )


@pytest.mark.gate("runtime.events.wait_captures", requires=["pending_work"])
def test_wait_is_for_the_record_before_the_call(runtime: Runtime):
    """Exit criterion: StreamWaitEvent waits "for the latest record before this call": a later record of the same event does
    not hold the stream."""
    quick, slow, consumer = runtime.stream(), runtime.stream(), runtime.stream()
    event = runtime.event()
    runtime.occupy(quick, 5)
    runtime.ok("EventRecord", event, quick)
    runtime.occupy(slow, 400)
    runtime.ok("StreamWaitEvent", consumer, event, WAIT)
    runtime.ok("EventRecord", event, slow)  # at once: nothing makes the wait take effect in between
    runtime.ok("StreamSynchronize", consumer)
    found = runtime.call("EventQuery", event)
    check(
        found is Error.ErrorNotReady,
        "the consumer waited for a later record",
        expected="the later record is pending",
        found=found.name,
        where=runtime.where("StreamWaitEvent"),
    )
    runtime.ok("StreamSynchronize", slow)


@pytest.mark.gate("runtime.events.wait_unrecorded")
def test_wait_for_an_event_never_recorded_holds_nothing(runtime: Runtime):
    """Exit criterion: "an event never recorded does not hold anything"."""
    stream, event = runtime.stream(), runtime.event()
    block = runtime.malloc(64)
    runtime.ok("StreamWaitEvent", stream, event, WAIT)
    runtime.ok("MemsetAsync", block, 1, 64, stream)
    runtime.ok("StreamSynchronize", stream)
    check(runtime.download(block, 64) == b"\1" * 64, "the stream is held", where=runtime.where("StreamWaitEvent"))


@pytest.mark.gate("runtime.events.wait_across_devices", requires=["several_devices"])
def test_wait_event_orders_work_across_devices(runtime: Runtime, second_device: int):
    """Exit criterion: "the event may belong to another device": a stream of one device waits for work of another."""
    size = 1 << 20
    here = runtime.malloc(size)
    consumer = runtime.stream()
    with runtime.on(second_device):
        there, source = runtime.filled(0, size), runtime.filled(0x71, size)
        producer, event = runtime.stream(), runtime.event(timing=False)
        runtime.occupy(producer)
        runtime.ok("MemcpyAsync", there, source, size, Kind.MemcpyDeviceToDevice, producer)
        runtime.ok("EventRecord", event, producer)
    runtime.ok("StreamWaitEvent", consumer, event, WAIT)
    runtime.ok("MemcpyAsync", here, there, size, Kind.MemcpyDeviceToDevice, consumer)
    runtime.ok("StreamSynchronize", consumer)
    check(
        runtime.download(here, size) == b"\x71" * size,
        "the consumer did not wait",
        where=runtime.where("StreamWaitEvent"),
    )


@pytest.mark.gate("runtime.events.record_elsewhere", requires=["several_devices"])
@pytest.mark.parametrize("api", APIS)
def test_record_on_a_stream_of_another_device_is_refused(runtime: Runtime, second_device: int, api: str):
    """Exit criterion: an event is recorded on streams of its own device; another's is ErrorUnknown."""
    event = runtime._out(ctypes.c_void_p, NAMES[api]["create"])
    runtime.ok(NAMES[api]["record"], event, runtime.stream())
    with runtime.on(second_device):
        stream = runtime.stream()
    runtime.expect(
        Error.ErrorUnknown, NAMES[api]["record"], event, stream, because="the stream belongs to another device"
    )


@pytest.mark.gate("runtime.events.destroy_pending")
@pytest.mark.parametrize("api", APIS)
def test_destroying_an_event_does_not_release_its_waiters(runtime: Runtime, api: str):
    """Exit criterion: "streams that already wait for it still do" after EventDestroy."""
    size = 1 << 20
    first, second, source = runtime.filled(0, size), runtime.malloc(size), runtime.filled(0x72, size)
    producer, consumer = runtime.stream(), runtime.stream()
    event = runtime._out(ctypes.c_void_p, NAMES[api]["create"])
    runtime.occupy(producer)
    runtime.ok("MemcpyAsync", first, source, size, Kind.MemcpyDeviceToDevice, producer)
    runtime.ok(NAMES[api]["record"], event, producer)
    runtime.ok("StreamWaitEvent", consumer, event, WAIT)
    runtime.ok(NAMES[api]["destroy"], event)
    runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, consumer)
    runtime.ok("StreamSynchronize", consumer)
    check(
        runtime.download(second, size) == b"\x72" * size,
        "the waiter was released",
        where=runtime.where(NAMES[api]["destroy"]),
    )


# ---- time


@pytest.mark.gate("runtime.events.elapsed", requires=["event_timing"])
@pytest.mark.parametrize("create", ["EventCreate", "EventCreateWithFlags"])
def test_elapsed_time_is_device_time_in_milliseconds(runtime: Runtime, create: str, measured: dict):
    """Exit criterion: "elapsed time plausible and never negative": it lies below what the host's clock saw around the same
    work, near it for work that fills the span, and grows with the work."""
    stream = runtime.stream()
    start, end = (runtime.event(timing=None if create == "EventCreate" else True) for _ in range(2))
    runtime.occupy(stream, 1)
    runtime.ok("StreamSynchronize", stream)
    shortest: dict[int, float] = {}  # of three: another process may have slowed one down
    for milliseconds in (40, 160) * 3:
        began = time.perf_counter()
        runtime.ok("EventRecord", start, stream)
        runtime.occupy(stream, milliseconds)
        runtime.ok("EventRecord", end, stream)
        runtime.ok("EventSynchronize", end)
        host = (time.perf_counter() - began) * 1e3
        device = runtime.elapsed(start, end)
        shortest[milliseconds] = min(device, shortest.get(milliseconds, device))
        check(
            0.5 * host - 5 <= device <= host + 1,
            f"EventElapsedTime of {host:.2f} ms of work",
            expected="0.5 to 1 of the host's time",
            found=f"{device:.4f} ms",
            likely="another unit, or times taken when the work was submitted",
            where=runtime.where("EventElapsedTime"),
        )
    check(
        shortest[160] > 1.5 * shortest[40],
        "four times the work took hardly longer",
        found=shortest,
        where=runtime.where("EventElapsedTime"),
    )
    measured["elapsed_over_host"] = round(device / host, 3)


@pytest.mark.gate("runtime.events.elapsed_order", requires=["event_timing"])
def test_elapsed_time_is_never_negative(runtime: Runtime):
    """Exit criterion: never negative when `end` was recorded after `start` on one stream, also for events close together,
    and of opposite sign when the two are swapped."""
    stream = runtime.stream()
    events = [runtime.event(timing=True) for _ in range(20)]
    for event in events:
        runtime.ok("EventRecord", event, stream)
    runtime.ok("StreamSynchronize", stream)
    for start, end in itertools.pairwise(events):
        check(
            runtime.elapsed(start, end) >= 0,
            "a negative time",
            found=runtime.elapsed(start, end),
            where=runtime.where("EventElapsedTime"),
        )
    check(
        runtime.elapsed(events[0], events[0]) == 0,
        "an event after itself",
        found=runtime.elapsed(events[0], events[0]),
        where=runtime.where("EventElapsedTime"),
    )


@pytest.mark.gate("runtime.events.elapsed_not_ready", requires=["event_timing", "pending_work"])
def test_elapsed_time_of_pending_events_is_not_ready(runtime: Runtime):
    """Exit criterion: EventElapsedTime is ErrorNotReady while one of the two is pending, and does not block."""
    stream = runtime.stream()
    start, end, out = runtime.event(timing=True), runtime.event(timing=True), ctypes.c_float(-7)
    runtime.ok("EventRecord", start, stream)
    runtime.occupy(stream, 200)
    runtime.ok("EventRecord", end, stream)
    runtime.expect(Error.ErrorNotReady, "EventElapsedTime", ctypes.byref(out), start, end, because="the end is pending")
    check(
        out.value == -7,
        "a time that is not ready was written",
        found=out.value,
        where=runtime.where("EventElapsedTime"),
    )
    runtime.ok("StreamSynchronize", stream)


@pytest.mark.gate("runtime.events.elapsed_misuse", requires=["event_timing"])
def test_elapsed_time_of_untimed_or_unrecorded_events_is_misuse(runtime: Runtime):
    """Exit criterion: EventElapsedTime is ErrorUnknown "if one was never recorded or has no timing"."""
    stream, out = runtime.stream(), ctypes.c_float(-7)
    timed, untimed, fresh = runtime.event(timing=True), runtime.event(timing=False), runtime.event(timing=True)
    for event in (timed, untimed):
        runtime.ok("EventRecord", event, stream)
    runtime.ok("StreamSynchronize", stream)
    for start, end, why in (
        (timed, untimed, "the end has no timing"),
        (untimed, timed, "the start has no timing"),
        (timed, fresh, "the end was never recorded"),
        (fresh, timed, "the start was never recorded"),
    ):
        runtime.expect(Error.ErrorUnknown, "EventElapsedTime", ctypes.byref(out), start, end, because=why)
    runtime.expect(Error.ErrorUnknown, "EventElapsedTime", None, timed, timed, because="the output is null")
    check(
        out.value == -7,
        "a failed EventElapsedTime wrote its output",
        found=out.value,
        where=runtime.where("EventElapsedTime"),
    )


# ---- misuse


@pytest.mark.gate("runtime.events.misuse")
def test_misuse_of_events_is_refused(runtime: Runtime):
    """Exit criterion: null outputs, null events and unknown flags are ErrorUnknown with a text; the runtime goes on."""
    stream, out = runtime.stream(), ctypes.c_void_p(UNWRITTEN)
    for name in ("EventCreate", "event_create"):
        runtime.expect(Error.ErrorUnknown, name, None, because="the output is null")
    runtime.expect(
        Error.ErrorUnknown, "EventCreateWithFlags", None, FLAGS["EventEnableTiming"], because="the output is null"
    )
    for flags in (2, 4, 0xFF):
        runtime.expect(Error.ErrorUnknown, "EventCreateWithFlags", ctypes.byref(out), flags, because=f"flags {flags}")
        check(
            out.value == UNWRITTEN,
            "a refused EventCreateWithFlags wrote its output",
            where=runtime.where("EventCreateWithFlags"),
        )
    for name in ("EventDestroy", "EventSynchronize", "EventQuery", "event_destroy", "event_query"):
        runtime.expect(Error.ErrorUnknown, name, None, because="the event is null")
    for name in ("EventRecord", "event_record"):
        runtime.expect(Error.ErrorUnknown, name, None, stream, because="the event is null")
    runtime.ok("EventRecord", runtime.event(), stream)
    runtime.ok("StreamSynchronize", stream)


@pytest.mark.gate("runtime.events.many")
def test_events_are_released(runtime: Runtime):
    """Exit criterion: creating, recording and destroying many events, timed and untimed, does not exhaust the runtime."""
    stream = runtime.stream()
    for turn in range(2000):
        event = runtime._out(ctypes.c_void_p, "event_create") if turn % 2 else runtime.event()
        runtime.ok("EventRecord", event, stream)
        runtime.ok("event_destroy" if turn % 2 else "EventDestroy", event)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.call("StreamQuery", stream) is Error.Success,
        "the stream is not ready",
        where=runtime.where("StreamQuery"),
    )
