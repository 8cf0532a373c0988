"""Read and check a vendor's map, `docs/vendors/<vendor>/runtime-api-map.yaml`: what of its SDK fills each slot.

A slot is a *call* of an SDK function, a *forward* to another slot, an *emulation* by other slots and the runtime itself, or
a *gap*. The map is what people review and what the runtime's code is generated from, so it says all that the generator
needs and nothing it could guess. docs/reference/runtime-api-map.md explains it with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.contract import Function
from generators.declaration import Declaration, parse_declaration
from generators.documents import Block, DocumentError, read_document, shorten
from generators.files import ROOT
from generators.map.forms import (
    CACHE,
    CAPABILITY_OF,
    DEVICES,
    EMULATIONS,
    HOST_COPY,
    UNSUPPORTED,
    VIRTUAL_SLOTS,
    Argument,
    read_argument,
)
from generators.map.rules import check_meaning
from generators.map.schema import CONTRACT_SLOTS, CONTRACT_VIRTUALS, SCHEMA
from generators.sdk import Sdk, read_sdk

VENDORS = ROOT / "docs/vendors"
FILE = "runtime-api-map.yaml"


class MapError(Exception):
    """A map that cannot be used: every mistake as `file:line: path: message`."""


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
    at_most: int = 0  # the contract's figure, where the SDK's counts parts of it


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
    users: dict[str, list[str]] = field(default_factory=dict)  # what users of PyTorch get, and what they lack
    questions: tuple[str, ...] = ()  # what the sources do not tell
    layer: dict[str, str] = field(default_factory=dict)
    handles: dict[str, dict[str, str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    state: dict[str, State] = field(default_factory=dict)
    setup: Call | None = None
    tolerate: tuple[str, ...] = ()  # codes of `setup` that mean it was done before
    thread_setup: Call | None = None  # before a thread's calls, whenever its current device is another than before

    @property
    def where(self) -> str:
        return shorten(self.path)

    @property
    def entries(self) -> list[Slot]:
        return [*self.slots.values(), *self.virtuals.values()]

    @property
    def written(self) -> list[Slot]:
        """The entries that somebody writes and confirms: a virtual that only forwards needs none."""
        return [*self.slots.values(), *(virtual for virtual in self.virtuals.values() if not virtual.forward)]

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
        if self.thread_setup:
            yield "thread_setup", self.thread_setup

    @property
    def constants(self) -> Iterator[tuple[str, str]]:
        """Every constant of the SDK that the map names, with the path of its entry."""
        status = self.status
        named: list[tuple[str, str]] = [("status.success", status["success"])]
        named += [("status.no_device", code) for code in status.get("no_device", ())]
        named += [("status.no_driver", status["no_driver"]["code"])] if "no_driver" in status else []
        named += [("errors", code) for code in self.errors] + [("setup.tolerate", code) for code in self.tolerate]
        named += [
            (f"kinds.{kind}", value) for kind, value in self.kinds.items() if value not in (HOST_COPY, UNSUPPORTED)
        ]
        named += [(f"flags.{flag}", value) for flag, value in self.flags.items()]
        for path, call in self.calls:
            named += [(path, code) for code in (*call.results, *call.errors)]
            for argument in call.arguments:
                if argument.form in ("const", "array"):
                    values = argument.value if argument.form == "array" else (argument.value,)
                    named += [(path, str(value)) for value in values]
        for slot in self.slots.values():
            values = [*slot.attributes.get("types", {}).values(), slot.attributes.get("unmanaged", ())]
            named += [(f"slots.{slot.name}.attributes", value) for several in values for value in several]
        for path, text in dict.fromkeys(named):
            yield from (
                (path, word) for word in re.findall(r"\b[A-Za-z_]\w*", text) if word not in ("sizeof", "nullptr")
            )

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
        if self.provides_caching:
            consequence = (
                "the vendor's allocator caches, not ours: its statistics are of requests, empty_cache() frees nothing"
            )
            lost[CACHE] = LostCapability(CACHE, "unsupported", self.caching_reason, consequence, self.where)
        count = self.slots["GetDeviceCount"]
        if count.call and count.call.at_most == 1:
            reason = count.note or "what the SDK counts are the parts of one device"
            consequence = "there is one device: nothing can be placed on a second one"
            lost[DEVICES] = LostCapability(DEVICES, "unsupported", reason, consequence, f"{self.where}:{count.line}")
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


def load_map(path: Path, content: str | None = None) -> RuntimeMap:
    """The map in that file, or `content` as if the file held it. Raises MapError with every mistake."""
    where = shorten(path)
    if content is None and not path.is_file():
        vendor = path.parent.name
        raise MapError(
            f"{where}: no such file; propose one: pytest gates/runtime --vendor {vendor} --sdk-path DIR --recon"
        )
    try:
        data = read_document(path, SCHEMA, "the map", content)
    except DocumentError as error:
        raise MapError(str(error)) from None
    if mistakes := [f"{where}:{line}: {text}" for line, text in check_meaning(data, path.parent.name)]:
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
        users=dict(data.get("users", {})),
        questions=tuple(data.get("questions", ())),
        layer=dict(data.get("layer", {})),
        handles={name: dict(handle) for name, handle in data.get("handles", {}).items()},
        kinds=dict(data.get("kinds", {})),
        flags=dict(data.get("flags", {})),
        state={name: State(name, state["type"], state["per"], _read_call(state)) for name, state in states.items()},
        setup=_read_call(data["setup"]) if "setup" in data else None,
        tolerate=tuple(data.get("setup", {}).get("tolerate", ())),
        thread_setup=_read_call(data["thread_setup"]) if "thread_setup" in data else None,
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
        at_most=data.get("at_most", 0),
    )
