"""The closed sets of a map: what a slot may be beside a call, what may stand around a call and as its arguments.

The code generator implements each of these and no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Emulation:
    """How the runtime itself does what the SDK lacks. The code generator implements each of these, and no other."""

    slots: tuple[str, ...]
    what: str
    means: str  # its consequence for users of PyTorch, unless a map says more
    needs: tuple[str, ...] = ()  # slots that must not be gaps for it
    calls: dict[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # SDK calls it is made of -> names their args may use
    loses: str = ""  # capability that a vendor with this emulation does not have
    needs_handle: str = ""  # entry of `handles:` that must be there


STREAMLESS = (
    *("DeviceSynchronize", "StreamCreateWithPriority", "StreamCreate", "StreamDestroy", "StreamQuery"),
    *("StreamSynchronize", "StreamWaitEvent", "EventCreateWithFlags", "EventCreate", "EventDestroy", "EventRecord"),
    *("EventSynchronize", "EventQuery", "EventElapsedTime"),
)
EMULATIONS = {
    "thread_device": Emulation(
        ("GetDevice", "SetDevice"),
        "the current device is a variable of the thread, checked against GetDeviceCount",
        "nothing, unless other code in the process sets the SDK's own device",
        needs=("GetDeviceCount",),
    ),
    "no_priorities": Emulation(
        ("DeviceGetStreamPriorityRange", "StreamGetPriority", "StreamCreateWithPriority"),
        "the range is (0, 0): every priority is clamped to 0, and a stream with a priority is made by StreamCreate",
        "Stream(priority=p) succeeds for every p and runs at 0",
        loses="stream_priorities",
    ),
    "kept_priority": Emulation(
        ("StreamGetPriority",),
        "the runtime remembers the priority that it made each stream with",
        "nothing, unless the SDK gave a stream another priority than was asked for",
        needs=("StreamCreateWithPriority",),
    ),
    "synchronize_streams": Emulation(
        ("DeviceSynchronize",),
        "the runtime lists the streams of each device and waits for one after the other",
        "torch.accelerator.synchronize() does not wait for streams that other libraries made",
        needs=("StreamSynchronize",),
    ),
    "side_table": Emulation(
        ("PointerGetAttributes",),
        "the runtime remembers the blocks that Malloc and MallocHost gave",
        "memory that other libraries allocated counts as pageable host memory",
        needs=("Malloc",),
    ),
    "async_then_wait": Emulation(
        ("Memcpy", "Memset"),
        "the asynchronous function on the default stream, then StreamSynchronize",
        "nothing but one more wait",
        needs=("StreamSynchronize",),
    ),
    "staged_fill": Emulation(
        ("Memset", "MemsetAsync"),
        "a host buffer is filled and copied; for a stream it stays alive until the stream has passed the copy",
        "zero_() and fill of bytes move that many bytes from the host",
        needs=("MemcpyAsync",),
    ),
    "wait_then_block": Emulation(
        ("MemcpyAsync", "MemsetAsync"),
        "the stream is waited for, then the blocking function does the work",
        "non_blocking=True blocks: copies do not overlap with work",
        needs=("StreamSynchronize",),
    ),
    "event_on_stream": Emulation(
        ("StreamQuery",),
        "an event of the runtime's own is recorded on the stream and queried",
        "Stream.query() costs an event",
        needs=("EventCreateWithFlags", "EventRecord", "EventQuery", "EventDestroy"),
    ),
    "host_wait": Emulation(
        ("StreamWaitEvent",),
        "the host waits for the event before the stream is given more work",
        "wait_event and wait_stream block the host",
        needs=("EventSynchronize",),
    ),
    "recorded_event": Emulation(
        ("EventCreateWithFlags", "EventCreate"),
        "an event is an empty holder until EventRecord puts the SDK's event into it",
        "nothing: an event never recorded counts as ready",
        needs=("EventRecord",),
    ),
    "drop_flags": Emulation(
        ("EventCreateWithFlags",),
        "EventCreate makes the event whatever the flags",
        "an event without timing costs as much as one with it",
        needs=("EventCreate",),
    ),
    "profiled_time": Emulation(
        ("EventElapsedTime",),
        "the difference of the two events' device timestamps",
        "elapsed_time() between two devices is refused",
        calls={"timestamp": ("event", "self")},
    ),
    "host_timer": Emulation(
        ("EventElapsedTime",),
        "host clock, read when the runtime first sees that an event is ready",
        "Event(enable_timing=True) is refused: elapsed_time() would measure the host",
        needs=("EventQuery",),
        loses="event_timing",
    ),
    "pageable_host": Emulation(
        ("MallocHost", "FreeHost"),
        "aligned memory of the C library",
        "pin_memory() gives pageable memory: asynchronous copies from it may block",
        loses="pinned_host_memory",
    ),
    "counted_memory": Emulation(
        ("get_memory_info",),
        "total is the SDK's figure; free is what is left of it after this process's own blocks",
        "mem_get_info() does not see other processes",
        calls={"total": ("self",)},
        loses="memory_info",
    ),
    "host_mapped": Emulation(
        ("Memcpy", "MemcpyAsync", "Memset", "MemsetAsync"),
        "device memory is mapped into the host: the C library's function, done on return",
        "copies and fills block the host",
    ),
    "cached_mapped": Emulation(
        ("MemcpyAsync", "MemsetAsync"),
        "device memory is mapped into the host through a cache that the device does not see: the block is invalidated, "
        "the C library's function works on it, the block is cleaned; one copy at a time",
        "copies and fills block the host, wait for each other, and each costs a walk through the cache",
        needs=("Malloc", "StreamSynchronize"),
        calls={"invalidate": ("memory",), "clean": ("memory",)},
        needs_handle="memory",
    ),
    "streamless": Emulation(
        STREAMLESS,
        "all work is done when its call returns: a stream is a name, an event the host's clock at its record",
        "streams give no concurrency: each call blocks until its work is done, and elapsed_time() is the host's time for it",
        loses="pending_work",
    ),
}


@dataclass(frozen=True)
class Step:
    """Something the runtime does before or after an SDK call, where the SDK's function falls short of the contract."""

    slots: tuple[str, ...]
    what: str
    call: tuple[str, ...] | None = None  # names for the arguments of the SDK call that it needs, under `calls:`


MEMORY = ("Memcpy", "MemcpyAsync", "Memset", "MemsetAsync")
HANDLED = tuple(
    name for name in STREAMLESS if name not in ("DeviceSynchronize", "EventElapsedTime") and "Create" not in name
)
BEFORE = {
    "drain_default_stream": Step(("Memcpy", "Memset"), "wait for the default stream of the current device"),
    "drain_stream": Step(("StreamDestroy",), "wait for the stream's work"),
    "drain_device": Step(
        ("Free", "FreeHost", "StreamDestroy", "device_free"), "wait for all work of the block's or stream's device"
    ),
    "drain_devices_in_use": Step(
        ("Free", "FreeHost", "device_free"), "wait for every device that this process has given work"
    ),
    "select_device": Step(
        ("Free", "FreeHost", "device_free", *MEMORY, "PointerGetAttributes", *HANDLED),
        "make the device of the pointer or the handle current for this call",
    ),
    "wait_event": Step(
        ("EventRecord",), "wait for the event's latest record, where a pending event must not be recorded"
    ),
    "connect_peers": Step(
        ("Memcpy", "MemcpyAsync"),
        "before the first copy between two devices, let each of them use the other",
        call=("peer",),
    ),
    "skip_unrecorded": Step(
        ("StreamWaitEvent", "EventSynchronize", "EventQuery"),
        "an event that was never recorded is ready, and the SDK is not asked",
    ),
    "require_pair": Step(("EventElapsedTime",), "refuse events unless of one device, with timing, recorded and ready"),
}
AFTER = {
    "wait_default_stream": Step(
        ("Memcpy", "Memset"), "wait for the default stream of the current device, unless the copy was to the host"
    ),
    "wait_stream": Step(("MemcpyAsync", "MemsetAsync"), "wait for the stream"),
    "wait_if_pageable": Step(("MemcpyAsync",), "wait for the stream where a host pointer is not pinned"),
    "require_device": Step(("GetDevice",), "ErrorInvalidDevice where GetDeviceCount is 0"),
    "flush": Step((*MEMORY, "StreamWaitEvent", "EventRecord"), "hand the queued work to the device", call=("stream",)),
}

# Slots whose absence is a capability's absence (generators.vendor.CAPABILITIES).
CAPABILITY_OF = {
    "DeviceGetStreamPriorityRange": "stream_priorities",
    "EventElapsedTime": "event_timing",
    "MallocHost": "pinned_host_memory",
    "get_memory_info": "memory_info",
}
DEVICES = "several_devices"  # the capability that a vendor with `at_most: 1` does not have
CACHE = "block_cache"  # the capability that a vendor with provides_caching does not have
# A virtual is a slot by another name; get_memory_info has none. Those of ALLOCATION, both or neither, may be functions of
# their own, where an SDK has an allocator that caches beside its plain one. For the others no SDK is known that has a second
# function.
ALLOCATION = ("device_malloc", "device_free")
VIRTUAL_SLOTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "device_malloc": ("Malloc", ("ptr", "size")),
    "device_free": ("Free", ("ptr",)),
    "get_device_index": ("GetDevice", ("device",)),
    "set_device": ("SetDevice", ("device",)),
    "event_create": ("EventCreateWithFlags", ("event", "EventDisableTiming")),
    "event_destroy": ("EventDestroy", ("event",)),
    "event_record": ("EventRecord", ("event", "stream")),
    "event_query": ("EventQuery", ("event",)),
    "memcpy": ("Memcpy", ("dst", "src", "count", "kind")),
}
KINDS = ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice")
HOST_COPY = "host_copy"  # instead of a constant in `kinds`: the C library copies, after the stream's earlier work
UNSUPPORTED = "unsupported"  # instead of a constant in `kinds`: refused with ErrorUnknown
FLAGS_OF = {  # slot -> the flags of the contract that it takes
    "StreamCreateWithPriority": ("StreamDefault",),
    "EventCreateWithFlags": ("EventDisableTiming", "EventEnableTiming"),
    "StreamWaitEvent": ("WaitDefault",),
}
FLAGS = tuple(flag for flags in FLAGS_OF.values() for flag in flags)
MEMORY_TYPES = ("Unmanaged", "Host", "Device")


ARGUMENT_FORMS = {
    "const": "a constant of the SDK, or an expression of its constants",
    "state": "a value the runtime keeps, from `state:`, or `device_index` or `default_stream`",
    "address": "the address of a parameter or of a state's value, for an SDK that wants a list of one",
    "array": "the address of an array of constants",
    "result": "the address of a variable of this type, whose value `results:` turns into the slot's result",
    "status": "the address of a variable of this type, into which the SDK puts its status",
    "ignore": "the address of a variable of this type that nobody reads",
    "choose": "an open question of recon: a person chooses one of the other forms",
}
KEPT = ("device_index", "default_stream")  # state of the runtime's own


@dataclass(frozen=True)
class Argument:
    """One argument of an SDK call: a name of the slot's parameter, a number, null, or one of ARGUMENT_FORMS."""

    form: str  # "parameter", "number", "null", or a key of ARGUMENT_FORMS
    value: Any

    def __str__(self) -> str:
        if self.form == "parameter":
            return str(self.value)
        if self.form in ("number", "null"):
            return "null" if self.value is None else str(self.value)
        value = f"[{', '.join(map(str, self.value))}]" if self.form == "array" else self.value
        return f"{{{self.form}: {value}}}"


def read_argument(data: Any) -> Argument:
    if isinstance(data, dict):
        ((form, value),) = data.items()
        return Argument(form, tuple(value) if isinstance(value, list) else value)
    if data is None:
        return Argument("null", None)
    return Argument("number" if isinstance(data, int) else "parameter", data)
