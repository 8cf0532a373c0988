"""What a vendor's runtime must remember beside the SDK's own handles: follows from its map."""

from __future__ import annotations

from dataclasses import dataclass

from generators.map import RuntimeMap
from generators.map.forms import MEMORY

RELEASES = ("Free", "FreeHost")
STREAM_SLOTS = ("StreamDestroy", "StreamQuery", "StreamSynchronize", "StreamWaitEvent")
ASYNCHRONOUS = ("MemcpyAsync", "MemsetAsync")
EVENT_SLOTS = ("EventDestroy", "EventRecord", "EventSynchronize", "EventQuery")


@dataclass(frozen=True)
class Needs:
    blocks: bool  # the blocks that Malloc and MallocHost gave
    streams: bool  # the streams that it made, with their devices
    events: bool  # the events that it made: device, timing, when they were seen ready
    held_events: bool  # an event of the SDK comes into being when it is recorded
    default_streams: bool  # the SDK has no default stream
    devices_in_use: bool
    host_clock: bool


def needs_of(runtime_map: RuntimeMap) -> Needs:
    entries = runtime_map.entries
    emulations = {slot.emulation for slot in entries}
    steps = {(slot.name, step) for slot in entries for step in (*slot.before, *slot.after)}

    def any_of(step: str, slots: tuple[str, ...]) -> bool:
        return any((name, step) in steps for name in slots)

    held = runtime_map.handles.get("event", {}).get("made_by") == "record"
    defaults = runtime_map.handles.get("stream", {}).get("default") == "created"
    return Needs(
        blocks=bool(emulations & {"side_table", "pageable_host", "counted_memory"})
        or any_of("drain_device", RELEASES)
        or any_of("select_device", (*RELEASES, *MEMORY)),
        streams=held
        or defaults
        or bool(emulations & {"synchronize_streams", "event_on_stream", "kept_priority", "streamless"})
        or any_of("drain_device", ("StreamDestroy",))
        or any_of("select_device", (*STREAM_SLOTS, *ASYNCHRONOUS)),
        events=held
        or bool(emulations & {"host_timer", "profiled_time", "streamless"})
        or any_of("select_device", EVENT_SLOTS),
        held_events=held,
        default_streams=defaults,
        devices_in_use=any("drain_devices_in_use" in slot.before for slot in entries),
        host_clock="host_timer" in emulations,
    )
