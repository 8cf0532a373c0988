"""Read and check a vendor's map, `docs/vendors/<vendor>/runtime-api-map.yaml`: what of its SDK fills each slot.

A slot is a *call* of an SDK function, a *forward* to another slot, an *emulation* by other slots and the runtime itself, or
a *gap*. The map is what people review and what the runtime's code is generated from, so it says all that the generator
needs and nothing it could guess. docs/reference/runtime-api-map.md explains it with an example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from generators.contract import Function, read_contract
from generators.declaration import Declaration, DeclarationError, parse_declaration, same_type
from generators.documents import (
    Block,
    Choice,
    DocumentError,
    Shape,
    Table,
    did_you_mean,
    is_scalar,
    read_document,
    shorten,
)
from generators.files import ROOT
from generators.sdk import SDK_SCHEMA, Sdk, check_sdk, read_sdk

VENDORS = ROOT / "docs/vendors"
FILE = "runtime-api-map.yaml"


class MapError(Exception):
    """A map that cannot be used: every mistake as `file:line: path: message`."""


# ---- what a slot may be beside a call ------------------------------------------------------------


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


STREAMLESS = (
    *("DeviceSynchronize", "StreamCreateWithPriority", "StreamCreate", "StreamDestroy", "StreamQuery"),
    *("StreamSynchronize", "StreamWaitEvent", "EventCreateWithFlags", "EventCreate", "EventDestroy", "EventRecord"),
    *("EventSynchronize", "EventQuery"),
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
    "streamless": Emulation(
        STREAMLESS,
        "all work is done when its call returns: a stream is a number, an event the host's clock at its record",
        "streams give no concurrency; elapsed_time() is host time",
        loses="event_timing",
    ),
}


@dataclass(frozen=True)
class Step:
    """Something the runtime does before or after an SDK call, where the SDK's function falls short of the contract."""

    slots: tuple[str, ...]
    what: str
    call: tuple[str, ...] | None = None  # names for the arguments of the SDK call that it needs, under `calls:`


MEMORY = ("Memcpy", "MemcpyAsync", "Memset", "MemsetAsync")
HANDLED = tuple(name for name in STREAMLESS if name != "DeviceSynchronize" and "Create" not in name)
BEFORE = {
    "drain_default_stream": Step(("Memcpy", "Memset"), "wait for the default stream of the current device"),
    "drain_device": Step(("Free", "FreeHost", "StreamDestroy"), "wait for all work of the block's or stream's device"),
    "drain_devices_in_use": Step(("Free", "FreeHost"), "wait for every device that this process has given work"),
    "select_device": Step(
        ("Free", "FreeHost", *MEMORY, *HANDLED),
        "make the device of the pointer or the handle current for this call",
    ),
}
AFTER = {
    "wait_default_stream": Step(("Memcpy", "Memset"), "wait for the default stream of the current device"),
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
# A virtual is a slot by another name; get_memory_info alone has none.
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

# ---- arguments -----------------------------------------------------------------------------------

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


def _check_argument(node: yaml.Node) -> str:
    if is_scalar(node, str, int, type(None)) or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
        return ""
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        return f"expected a parameter's name, a number, null, or one of {{{': …}, {'.join(ARGUMENT_FORMS)}: …}}"
    key, value = node.value[0]
    if not is_scalar(key, str) or key.value not in ARGUMENT_FORMS:
        word = key.value if isinstance(key, yaml.ScalarNode) else "a list"
        return f"unknown form of an argument '{word}'; {did_you_mean(str(word), ARGUMENT_FORMS)}"
    if key.value == "array":
        good = isinstance(value, yaml.SequenceNode) and all(is_scalar(item, str, int) for item in value.value)
        return "" if good else "array: expected a list of constants"
    return "" if is_scalar(value, str, int) else f"{key.value}: expected a word"


# ---- the schema ----------------------------------------------------------------------------------

ERRORS = tuple(name for name in read_contract().enums["Error_t"] if name != "Success")
SOURCE = {
    "kind": Choice(("sdk", "public"), "kind of source"),  # the SDK's own headers, or public text about it
    "where": str,
    "confirmed": bool,  # by a person
}
CALL: dict[str, Any] = {
    "call": str,
    "args": [Shape(_check_argument)],
    "returns": str,
    "results": Table(Choice(("Success", *ERRORS), "result"), "value"),
    "errors": Table(Choice(ERRORS, "error"), "code"),
    "otherwise": Choice(ERRORS, "error"),
    "scale": float,
    "source": SOURCE,
}
SLOT: dict[str, Any] = CALL | {
    "attributes": {
        "struct": str,
        "type": str,
        "device": str,
        "pointer": str,
        "types": Table([str], "memory type", MEMORY_TYPES),
        "unmanaged": [str],
    },
    "before": [Choice(tuple(BEFORE), "step before the call")],
    "after": [Choice(tuple(AFTER), "step after the call")],
    "forward": str,
    "emulation": Choice(tuple(EMULATIONS), "emulation"),
    "calls": Table(CALL, "call"),
    "gap": Choice(("unsupported", "expected_failure"), "kind of gap"),
    "reason": str,
    "consequence": str,
    "note": str,
    "proposal": {"confidence": Choice(("high", "low"), "confidence"), "why": str, "alternatives": [str]},
}
CONTRACT_SLOTS = {slot.name: slot for slot in read_contract().slots}
CONTRACT_VIRTUALS = {virtual.name: virtual for virtual in read_contract().virtuals}
SCHEMA: dict[str, Any] = {
    "vendor": str,
    "layer": {"name": str, "reason": str},
    "missing_slots": [str],
    "provides_caching": {"value": bool, "reason": str},
    "sdk": SDK_SCHEMA,
    "setup": CALL | {"tolerate": [str]},
    "status": {
        "type": str,
        "success": str,
        "sign": Choice(("as_declared", "negated", "either"), "sign"),
        "text": str,
        "name": str,
        "clear": str,
        "no_device": [str],
        "no_driver": {"code": str, "version": str},
    },
    "errors": Table(Choice(ERRORS, "error"), "code"),
    "handles": {
        "stream": {"type": str, "default": Choice(("null", "created"), "default stream")},
        "event": {"type": str, "made_by": Choice(("create", "record"), "maker of an event")},
    },
    "kinds": Table(str, "kind", KINDS),
    "flags": Table(str, "flag", FLAGS),
    "state": Table(CALL | {"type": str, "per": Choice(("process", "device", "list"), "owner of a state")}, "state"),
    "slots": Table(SLOT, "slot", tuple(CONTRACT_SLOTS)),
    "virtuals": Table(SLOT, "virtual", tuple(CONTRACT_VIRTUALS)),
}
REQUIRED = ("vendor", "missing_slots", "provides_caching", "sdk", "status", "errors", "slots", "virtuals")


# ---- the map -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    kind: str
    where: str
    confirmed: bool


@dataclass(frozen=True)
class Call:
    """A call of one SDK function."""

    declaration: Declaration
    arguments: tuple[Argument, ...]
    source: Source
    line: int
    returns: str = ""  # the parameter whose value the function returns; empty where it returns its status or nothing
    results: dict[str, str] = field(default_factory=dict)  # value of the result argument -> Error_t
    errors: dict[str, str] = field(default_factory=dict)  # this call's own reading of a code, before the map's
    otherwise: str = "ErrorUnknown"  # what a code means that neither lists
    scale: float = 1  # the SDK's figure times this is the contract's


@dataclass(frozen=True)
class Slot:
    name: str
    line: int
    source: Source
    call: Call | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    forward: str = ""
    forward_arguments: tuple[str, ...] = ()  # parameters of this slot or the contract's constants, in order
    emulation: str = ""
    calls: dict[str, Call] = field(default_factory=dict)
    gap: str = ""
    reason: str = ""
    consequence: str = ""
    note: str = ""
    proposal: dict[str, Any] = field(default_factory=dict)

    @property
    def missing(self) -> bool:
        """The SDK has nothing for it."""
        return bool(self.gap or self.emulation)

    @property
    def form(self) -> str:
        return "call" if self.call else "forward" if self.forward else "emulation" if self.emulation else "gap"


@dataclass(frozen=True)
class LostCapability:
    """A capability that the map's gaps and emulations take away."""

    capability: str
    kind: str
    reason: str
    consequence: str
    where: str


@dataclass(frozen=True)
class State:
    """A value the runtime keeps for the SDK: a context, the handle of a device."""

    name: str
    type: str
    per: str  # "process": one; "device": one each; "list": one call fills an array with one entry per device
    call: Call


@dataclass(frozen=True)
class RuntimeMap:
    vendor: str
    path: Path
    sdk: Sdk
    status: dict[str, Any]
    errors: dict[str, str]
    slots: dict[str, Slot]  # all 28, in the contract's order
    virtuals: dict[str, Slot]  # all ten
    provides_caching: bool
    caching_reason: str
    missing_slots: tuple[str, ...]
    layer: dict[str, str] = field(default_factory=dict)
    handles: dict[str, dict[str, str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    state: dict[str, State] = field(default_factory=dict)
    setup: Call | None = None
    tolerate: tuple[str, ...] = ()  # codes of `setup` that mean it was done before

    @property
    def where(self) -> str:
        return shorten(self.path)

    @property
    def entries(self) -> list[Slot]:
        return [*self.slots.values(), *self.virtuals.values()]

    @property
    def calls(self) -> Iterator[tuple[str, Call]]:
        """Every call of the map, with the path of its entry."""
        for kind, entries in (("slots", self.slots), ("virtuals", self.virtuals)):
            for slot in entries.values():
                if slot.call:
                    yield f"{kind}.{slot.name}", slot.call
                yield from ((f"{kind}.{slot.name}.calls.{name}", call) for name, call in slot.calls.items())
        yield from ((f"state.{state.name}", state.call) for state in self.state.values())
        if self.setup:
            yield "setup", self.setup

    @property
    def open_questions(self) -> list[str]:
        """What a person must choose before code can be generated, as `file:line: path: question`."""
        return [
            f"{self.where}:{call.line}: {path}.args[{index}]: choose the argument for '{argument.value}'"
            for path, call in self.calls
            for index, argument in enumerate(call.arguments)
            if argument.form == "choose"
        ]

    @property
    def reviewed(self) -> bool:
        """Whether a person has worked on it."""
        return any(slot.source.confirmed or slot.source.kind != "sdk" for slot in self.entries)

    @property
    def lost_capabilities(self) -> list[LostCapability]:
        lost: dict[str, LostCapability] = {}
        for slot in self.entries:
            capability = CAPABILITY_OF.get(slot.name, "") if slot.gap else ""
            if slot.emulation:
                capability = EMULATIONS[slot.emulation].loses
            if capability and capability not in lost:
                reason = slot.reason or EMULATIONS[slot.emulation].what
                where = f"{self.where}:{slot.line}"
                lost[capability] = LostCapability(
                    capability, slot.gap or "unsupported", reason, slot.consequence, where
                )
        return list(lost.values())


def map_path(vendor: str) -> Path:
    return VENDORS / vendor / FILE


def load_map(path: Path) -> RuntimeMap:
    """The map in that file. Raises MapError with every mistake."""
    where = shorten(path)
    if not path.is_file():
        raise MapError(f"{where}: no such file; propose one: pytest gates/runtime --vendor NAME --sdk-path DIR --recon")
    try:
        data = read_document(path, SCHEMA, "the map")
    except DocumentError as error:
        raise MapError(str(error)) from None
    if mistakes := [f"{where}:{line}: {text}" for line, text in _check_meaning(data, path.parent.name)]:
        raise MapError("\n".join(mistakes))
    names = {**CONTRACT_SLOTS, **CONTRACT_VIRTUALS}
    slots = {name: _read_slot(data["slots"][name], names[name]) for name in CONTRACT_SLOTS}
    given = data["virtuals"]
    virtuals = {
        name: _read_slot(given[name], function) if name in given else _forwarded(name, slots)
        for name, function in CONTRACT_VIRTUALS.items()
    }
    states = data.get("state", {})
    return RuntimeMap(
        vendor=data["vendor"],
        path=path,
        sdk=read_sdk(data["sdk"]),
        status={"sign": "as_declared"} | data["status"],
        errors=dict(data["errors"]),
        slots=slots,
        virtuals=virtuals,
        provides_caching=data["provides_caching"]["value"],
        caching_reason=data["provides_caching"]["reason"],
        missing_slots=tuple(data["missing_slots"]),
        layer=dict(data.get("layer", {})),
        handles={name: dict(handle) for name, handle in data.get("handles", {}).items()},
        kinds=dict(data.get("kinds", {})),
        flags=dict(data.get("flags", {})),
        state={name: State(name, state["type"], state["per"], _read_call(state)) for name, state in states.items()},
        setup=_read_call(data["setup"]) if "setup" in data else None,
        tolerate=tuple(data.get("setup", {}).get("tolerate", ())),
    )


def _forwarded(name: str, slots: dict[str, Slot]) -> Slot:
    target, arguments = VIRTUAL_SLOTS[name]
    slot = slots[target]
    return Slot(name, slot.line, slot.source, forward=target, forward_arguments=arguments)


def _read_slot(data: Block, function: Function) -> Slot:
    forward = data.get("forward", "")
    arguments = data.get("args", [p.name for p in function.parameters]) if forward else ()
    return Slot(
        name=function.name,
        line=data.line,
        source=Source(**data["source"]),
        call=_read_call(data) if "call" in data else None,
        attributes=dict(data.get("attributes", {})),
        before=tuple(data.get("before", ())),
        after=tuple(data.get("after", ())),
        forward=forward,
        forward_arguments=tuple(str(argument) for argument in arguments),
        emulation=data.get("emulation", ""),
        calls={name: _read_call(call) for name, call in data.get("calls", {}).items()},
        gap=data.get("gap", ""),
        reason=data.get("reason", ""),
        consequence=data.get("consequence", ""),
        note=data.get("note", ""),
        proposal=dict(data.get("proposal", {})),
    )


def _read_call(data: Block) -> Call:
    return Call(
        declaration=parse_declaration(data["call"]),
        arguments=tuple(read_argument(argument) for argument in data["args"]),
        source=Source(**data["source"]),
        line=data.lines["call"],
        returns=data.get("returns", ""),
        results=dict(data.get("results", {})),
        errors=dict(data.get("errors", {})),
        otherwise=data.get("otherwise", "ErrorUnknown"),
        scale=data.get("scale", 1),
    )


def read_argument(data: Any) -> Argument:
    if isinstance(data, dict):
        ((form, value),) = data.items()
        return Argument(form, tuple(value) if isinstance(value, list) else value)
    if data is None:
        return Argument("null", None)
    return Argument("number" if isinstance(data, int) else "parameter", data)


# ---- what the schema cannot say ------------------------------------------------------------------

Mistakes = Iterator[tuple[int, str]]


def _check_meaning(data: Block, folder: str) -> Mistakes:
    missing = [key for key in REQUIRED if key not in data]
    yield from ((1, f"the key '{key}' is missing") for key in missing)
    if missing:
        return
    if data["vendor"] != folder:
        yield data.lines["vendor"], f"vendor: '{data['vendor']}' lies in a folder named '{folder}'"
    yield from ((data["sdk"].line, text.removeprefix(": ")) for text in check_sdk(data["sdk"], ": sdk"))
    yield from _check_keys(data, "provides_caching", ("value", "reason"))
    yield from _check_keys(data, "status", ("type", "success"))
    if "layer" in data:
        yield from _check_keys(data, "layer", ("name", "reason"))
    for key in ("text", "name", "clear"):
        if key in data["status"]:
            yield from _check_declaration(data["status"], key, f"status.{key}")
    if "no_driver" in data["status"]:
        yield from _check_keys(data["status"], "no_driver", ("code", "version"), "status.")
        if "version" in data["status"]["no_driver"]:
            yield from _check_declaration(data["status"]["no_driver"], "version", "status.no_driver.version")
    if data["status"].get("success") in data["errors"]:
        line = data["errors"].lines[data["status"]["success"]]
        yield line, f"errors.{data['status']['success']}: is the code of success (status.success)"
    for name, state in data.get("state", {}).items():
        if name in KEPT:
            yield data["state"].lines[name], f"state.{name}: the runtime keeps this itself"
        for key in ("type", "per", "call"):
            if key not in state:
                yield state.line, f"state.{name}: the key '{key}' is missing"
        yield from _check_call(state, f"state.{name}", {"self": "void **"}, data)
    if "setup" in data:
        yield from _check_call(data["setup"], "setup", {}, data)
    absent = [name for name in CONTRACT_SLOTS if name not in data["slots"]]
    if absent:
        yield data.lines["slots"], f"slots: {', '.join(absent)} missing; each of the 28 needs an entry, if only a gap"
    if "get_memory_info" not in data["virtuals"]:
        yield data.lines["virtuals"], "virtuals: get_memory_info missing; the nine others are slots by another name"
    for section, functions in (("slots", CONTRACT_SLOTS), ("virtuals", CONTRACT_VIRTUALS)):
        for name, slot in data[section].items():
            yield from _check_slot(slot, f"{section}.{name}", functions[name], data)
    yield from _check_missing(data)
    yield from _check_tables(data)


def _check_keys(data: Block, key: str, required: tuple[str, ...], path: str = "") -> Mistakes:
    for inner in required:
        if data[key].get(inner) in (None, ""):
            yield data.lines[key], f"{path}{key}: the key '{inner}' is missing or empty"


def _check_declaration(data: Block, key: str, path: str) -> Mistakes:
    try:
        parse_declaration(data[key])
    except DeclarationError as error:
        yield data.lines[key], f"{path}: {error}, found '{data[key]}'"


FORMS = ("call", "forward", "emulation", "gap")
# What may stand beside each form; `source`, `note` and `proposal` may always.
BESIDE = {
    "call": ("args", "returns", "results", "errors", "otherwise", "scale", "attributes", "before", "after", "calls"),
    "forward": ("args", "reason"),
    "emulation": ("calls", "reason", "consequence"),
    "gap": ("reason", "consequence"),
}


def _check_slot(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    forms = [key for key in FORMS if key in slot]
    if len(forms) != 1:
        found = " and ".join(f"'{key}'" for key in forms) or "none"
        yield slot.line, f"{path}: expected one of {', '.join(FORMS)}, found {found}"
        return
    form = forms[0]
    for key in slot:
        if key not in (form, "source", "note", "proposal", *BESIDE[form]):
            yield slot.lines[key], f"{path}.{key}: does not go with '{form}', which takes {', '.join(BESIDE[form])}"
    yield from _check_source(slot, path)
    if form in ("gap", "emulation"):
        for key in ("reason", "consequence") if form == "gap" else ("consequence",):
            if not slot.get(key):
                yield slot.line, f"{path}: the key '{key}' is missing: what does it mean for users of PyTorch?"
    names = {p.name: p.type for p in function.parameters}
    if form == "call":
        yield from _check_call(slot, path, names, data, function)
        yield from _check_steps(slot, path, function, data)
        yield from _check_attributes(slot, path, function)
    elif form == "forward":
        yield from _check_forward(slot, path, function, data)
    elif form == "emulation":
        yield from _check_emulation(slot, path, function, data)


def _check_source(data: Block, path: str) -> Mistakes:
    if "source" not in data:
        yield data.line, f"{path}: the key 'source' is missing: where was it read, and did a person confirm it?"
        return
    for key in SOURCE:
        if key not in data["source"]:
            yield data["source"].line, f"{path}.source: the key '{key}' is missing"


def _check_call(
    call: Block, path: str, names: dict[str, str], data: Block, function: Function | None = None
) -> Mistakes:
    """A call whose arguments may use `names` (name -> C type), and must pass on every parameter of `function`."""
    if function is None:
        yield from _check_source(call, path)
    if "call" not in call:
        yield call.line, f"{path}: the key 'call' is missing"
        return
    line = call.lines["call"]
    try:
        declaration = parse_declaration(call["call"])
    except DeclarationError as error:
        yield line, f"{path}.call: {error}, found '{call['call']}'"
        return
    if "args" not in call:
        yield line, f"{path}: the key 'args' is missing: one for each parameter of {declaration.name}"
        return
    line = call.lines["args"]
    arguments = [read_argument(argument) for argument in call["args"]]
    if len(arguments) != len(declaration.parameters):
        yield (
            line,
            f"{path}.args: {declaration.name} takes {len(declaration.parameters)} arguments, found {len(arguments)}",
        )
    states = (*data.get("state", {}), *KEPT)
    for index, argument in enumerate(arguments):
        at = f"{path}.args[{index}]"
        if argument.form == "parameter" and argument.value not in names:
            hint = did_you_mean(argument.value, [*names, *(f"{{{form}: …}}" for form in ARGUMENT_FORMS)])
            yield line, f"{at}: '{argument.value}' is no parameter here; {hint}"
        elif argument.form == "state" and argument.value not in states:
            yield line, f"{at}: unknown state '{argument.value}'; {did_you_mean(argument.value, states)}"
        elif argument.form == "address" and argument.value not in (*names, *states):
            yield (
                line,
                f"{at}: '{argument.value}' is no parameter or state; {did_you_mean(argument.value, [*names, *states])}",
            )
        elif argument.form == "choose" and call.get("source", {}).get("confirmed"):
            yield line, f"{at}: an open question cannot be confirmed; choose the argument, or source.confirmed: false"
    yield from _check_result(call, path, declaration, arguments, names, data)
    if function is not None:
        yield from _check_passed_on(call, path, arguments, function)


def _check_result(
    call: Block, path: str, declaration: Declaration, arguments: list[Argument], names: dict[str, str], data: Block
) -> Mistakes:
    """The SDK's status and the slot's outputs come back in exactly one way each."""
    status = same_type(data["status"].get("type", ""))
    returned = same_type(declaration.returns)
    if "returns" in call:
        if returned == "void" or (returned == status and "status" in data and returned != "int"):
            yield call.lines["returns"], f"{path}.returns: {declaration.name} returns {declaration.returns}, no value"
        if call["returns"] not in names:
            yield (
                call.lines["returns"],
                f"{path}.returns: unknown parameter '{call['returns']}'; {did_you_mean(call['returns'], names)}",
            )
    elif returned not in ("void", status):
        yield (
            call.lines["call"],
            (
                f"{path}: {declaration.name} returns {declaration.returns}, which is neither {data['status'].get('type')} "
                "(status.type) nor void: name the parameter that this value is for: 'returns:'"
            ),
        )
    has_result = sum(argument.form == "result" for argument in arguments)
    if has_result != ("results" in call):
        yield call.lines["call"], f"{path}: 'results:' and one argument {{result: TYPE}} belong together"
    if "scale" in call and path.rpartition(".")[2] not in ("EventElapsedTime", "timestamp"):
        yield call.lines["scale"], f"{path}.scale: only for EventElapsedTime"


def _check_passed_on(call: Block, path: str, arguments: list[Argument], function: Function) -> Mistakes:
    """Every parameter of the slot reaches the SDK, except a direction that the SDK reads off the pointers, and flags
    of which the contract has only one."""
    used = {argument.value for argument in arguments if argument.form in ("parameter", "address")}
    used.add(call.get("returns", ""))
    optional = {"kind"} | ({"flags"} if function.name in ("StreamWaitEvent", "StreamCreateWithPriority") else set())
    if any(argument.form == "choose" for argument in arguments):
        return
    for parameter in function.parameters:
        if parameter.name not in used | optional:
            hint = ", or 'emulation: drop_flags'" if parameter.name == "flags" else ""
            hint = ", or 'emulation: no_priorities'" if parameter.name == "priority" else hint
            yield (
                call.lines.get("args", call.line),
                f"{path}.args: the parameter '{parameter.name}' reaches no argument{hint}",
            )


def _check_steps(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    wanted: dict[str, tuple[str, ...]] = {}
    for key, steps in (("before", BEFORE), ("after", AFTER)):
        for name in slot.get(key, ()):
            step = steps[name]
            if function.name not in step.slots:
                yield slot.lines[key], f"{path}.{key}: '{name}' goes with {', '.join(step.slots)} only"
            if step.call is not None:
                wanted[name] = step.call
    yield from _check_parts(slot, path, wanted, data)


def _check_parts(slot: Block, path: str, wanted: dict[str, tuple[str, ...]], data: Block) -> Mistakes:
    calls = slot.get("calls", {})
    for name in wanted:
        if name not in calls:
            yield slot.line, f"{path}: needs an SDK call under calls.{name}"
    for name, call in calls.items():
        if name not in wanted:
            known = did_you_mean(name, wanted) if wanted else "none is needed here"
            yield slot["calls"].lines[name], f"{path}.calls.{name}: unknown call; {known}"
        else:
            yield from _check_call(call, f"{path}.calls.{name}", dict.fromkeys(wanted[name], "void *"), data)


def _check_attributes(slot: Block, path: str, function: Function) -> Mistakes:
    if function.name != "PointerGetAttributes":
        if "attributes" in slot:
            yield slot.lines["attributes"], f"{path}.attributes: only for PointerGetAttributes"
        return
    if "attributes" not in slot:
        yield slot.line, f"{path}: the key 'attributes' is missing: the SDK's struct and its fields"
        return
    attributes = slot["attributes"]
    for key in ("struct", "type", "types"):
        if key not in attributes:
            yield attributes.line, f"{path}.attributes: the key '{key}' is missing"
    if not attributes.get("types", {"Device": True}).get("Device"):
        yield attributes.line, f"{path}.attributes.types: nothing means Device"


def _check_forward(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    target = CONTRACT_SLOTS.get(slot["forward"])
    line = slot.lines["forward"]
    if target is None or target.name == function.name:
        others = [name for name in CONTRACT_SLOTS if name != function.name]
        yield line, f"{path}.forward: unknown slot '{slot['forward']}'; {did_you_mean(slot['forward'], others)}"
        return
    if "gap" in data["slots"].get(target.name, {}) or "forward" in data["slots"].get(target.name, {}):
        yield line, f"{path}.forward: {target.name} is itself a gap or a forward"
    arguments = [str(argument) for argument in slot.get("args", [p.name for p in function.parameters])]
    if len(arguments) != len(target.parameters):
        yield line, f"{path}: {target.name} takes {len(target.parameters)} arguments, found {len(arguments)}"
    constants = {name for values in read_contract().enums.values() for name in values}
    for argument in arguments:
        names = [p.name for p in function.parameters]
        if argument not in names and argument not in constants and not argument.lstrip("-").isdigit():
            yield (
                line,
                f"{path}.args: '{argument}' is no parameter or constant of the contract; {did_you_mean(argument, [*names, *constants])}",
            )


def _check_emulation(slot: Block, path: str, function: Function, data: Block) -> Mistakes:
    name = slot["emulation"]
    emulation = EMULATIONS[name]
    if function.name not in emulation.slots:
        fitting = ", ".join(key for key, value in EMULATIONS.items() if function.name in value.slots) or "none"
        yield (
            slot.lines["emulation"],
            f"{path}.emulation: '{name}' does not fit; for {function.name} there is: {fitting}",
        )
    for needed in emulation.needs:
        if "gap" in data["slots"].get(needed, {}):
            yield slot.lines["emulation"], f"{path}.emulation: '{name}' needs {needed}, which is a gap"
    asynchronous = f"{function.name}Async"
    if name == "async_then_wait" and data["slots"].get(asynchronous, {}).get("emulation") == "wait_then_block":
        yield (
            slot.lines["emulation"],
            f"{path}.emulation: '{name}' needs {asynchronous}, which is made of {function.name}",
        )
    yield from _check_parts(slot, path, emulation.calls, data)


def _check_missing(data: Block) -> Mistakes:
    """The finding that reviewers read first agrees with the entries."""
    entries = {**data["slots"], **data["virtuals"]}
    derived = [name for name, slot in entries.items() if "gap" in slot or "emulation" in slot]
    line = data.lines["missing_slots"]
    for name in data["missing_slots"]:
        if name not in entries:
            yield line, f"missing_slots: unknown slot '{name}'; {did_you_mean(name, entries)}"
        elif name not in derived:
            yield line, f"missing_slots: {name} is listed, but its entry calls the SDK"
    for name in derived:
        if name not in data["missing_slots"]:
            yield line, f"missing_slots: {name} is a gap or an emulation and must be listed"


def _check_tables(data: Block) -> Mistakes:
    """What the arguments use is translated: copy kinds, flags, handles, not-ready codes."""
    used: dict[str, str] = {}  # "Slot.parameter" that reaches the SDK -> the type of the contract
    for name, function in CONTRACT_SLOTS.items():
        slot = data["slots"].get(name, {})
        if "call" in slot:
            given = {argument for argument in slot.get("args", ()) if isinstance(argument, str)}
            used |= {f"{name}.{p.name}": p.type for p in function.parameters if p.name in given}
    line = data.lines["slots"]
    kinds = data.get("kinds", {})
    if any(name.endswith(".kind") for name in used):
        for kind in KINDS:
            if kind not in kinds:
                at = data.lines.get("kinds", line)
                yield at, f"kinds: {kind} is missing: its constant, '{HOST_COPY}' or '{UNSUPPORTED}'"
    flags = data.get("flags", {})
    for slot_name, names in FLAGS_OF.items():
        for name in names:
            if f"{slot_name}.flags" in used and name not in flags:
                at = data.lines.get("flags", line)
                yield at, f"flags: {name} is missing: slots.{slot_name} passes its flags on"
    for handle in ("stream", "event"):
        passed = any(c_type.startswith(f"{handle.title()} *") for c_type in used.values())
        if passed and "type" not in data.get("handles", {}).get(handle, {}):
            yield (
                data.lines.get("handles", line),
                f"handles.{handle}: the key 'type' is missing: slots pass it to the SDK",
            )
    for name in ("StreamQuery", "EventQuery"):
        slot = data["slots"].get(name, {})
        if "call" not in slot or any(isinstance(argument, dict) and "choose" in argument for argument in slot["args"]):
            continue
        readings = {*data["errors"].values(), *slot.get("errors", {}).values(), *slot.get("results", {}).values()}
        if "ErrorNotReady" not in readings | {slot.get("otherwise")}:
            yield (
                slot.line,
                (
                    f"slots.{name}: nothing means ErrorNotReady: name the code in 'errors', the value in 'results', "
                    "or say 'otherwise: ErrorNotReady'"
                ),
            )
