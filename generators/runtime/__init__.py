"""A vendor's map -> its runtime: device.cc, memory.cc, stream.cc, sdk.h, <vendor>_memory.h, and vendor.cmake if the SDK's
headers want definitions. And its conf, once: what is measured later is written into that.

What is the same for every vendor is no text of these files: it stands in csrc/runtime/accelerator/common.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from generators.contract import Parameter, read_contract
from generators.declaration import parse_declaration, tidy_type
from generators.documents import shorten
from generators.files import ROOT, write_all, write_if_changed
from generators.map import Call, RuntimeMap, Slot, load_map
from generators.map.forms import EMULATIONS, VIRTUAL_SLOTS
from generators.map.schema import CONTRACT_SLOTS, CONTRACT_VIRTUALS
from generators.rendering import templates
from generators.runtime.calls import Rendered, contract_type, render_call, tries
from generators.runtime.needs import Needs, needs_of
from generators.source import why_uncommitted
from torch_fl.conf import CONFIGS, ROUTES, conf_path


class GenerationError(Exception):
    """A map from which nothing is generated; says why and what to do."""


TEMPLATES = templates("runtime")
TEMPLATES.filters["tries"] = tries
TEMPLATES.filters["declared"] = lambda p: f"{contract_type(p.type)} {p.name}"
TEMPLATES.filters["tidy"] = lambda text: _tidy(text)
TEMPLATES.filters["quoted"] = lambda text: (
    '"' + " ".join(str(text).split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
)
TEMPLATES.filters["comment"] = lambda text: _sentence(" ".join(str(text).split()))


def generate(path: Path, out: Path = ROOT) -> list[Path]:
    """Write the runtime of the map at `path`, and the vendor's conf if there is none, into the tree at `out`; returns what
    changed. Raises GenerationError, before anything is written."""
    runtime_map = load_map(path)
    if why := why_uncommitted(path):
        raise GenerationError(
            f"{shorten(path)}: {why}; a person reviews a map and commits it before code is generated from it: "
            f"git add {shorten(path.parent)} && git commit"
        )
    files = render_runtime(runtime_map)
    changed = write_all({out / name: text for name, text in files.items()})
    changed += make_conf(runtime_map.vendor, out)
    strays = stray_files(files, out)
    for stray in strays:
        stray.unlink()
    return changed + strays


def configs_of(tree: Path) -> Path:
    """Where the confs lie in a tree."""
    return tree.joinpath(*CONFIGS.parts[-2:])


def make_conf(vendor: str, out: Path = ROOT) -> list[Path]:
    """Write a conf without routes into the tree at `out` unless the vendor has one; returns what was written."""
    path = conf_path(vendor, configs_of(out))
    if path.exists():
        return []
    write_if_changed(path, TEMPLATES.get_template("backends.conf.j2").render(vendor=vendor, routes=ROUTES))
    return [path]


def stray_files(files: Iterable[PurePosixPath], out: Path = ROOT) -> list[Path]:
    """Files that an older map of the vendor became, beside those that its map becomes now."""
    wanted = {out / name for name in files}
    folders = {file.parent for file in wanted if file.name == "sdk.h"}
    beside = [file for folder in folders for file in sorted(folder.glob("*")) if file.is_file() and file not in wanted]
    return [file for file in beside if "@generated from docs/vendors/" in file.read_text(errors="replace")[:200]]


def render_runtime(runtime_map: RuntimeMap) -> dict[PurePosixPath, str]:
    """Every file of the vendor's runtime, by its place in the tree. Raises GenerationError."""
    if problems := [*runtime_map.open_questions, *_unknown_forms(runtime_map)]:
        raise GenerationError("\n".join(problems))
    vendor = runtime_map.vendor
    sources = PurePosixPath("csrc/runtime/accelerator") / vendor
    view = _View(runtime_map)
    texts = {
        sources / "sdk.h": _formatted("sdk.h.j2", view),
        PurePosixPath("csrc/runtime/allocator/backends") / f"{vendor}_memory.h": _formatted("memory.h.j2", view),
    }
    for file in read_contract().files:
        texts[sources / file] = _formatted("source.cc.j2", view, file=file)
    if runtime_map.sdk.defines:
        texts[sources / "vendor.cmake"] = TEMPLATES.get_template("vendor.cmake.j2").render(
            map=runtime_map, where=view.origin
        )
    return texts


def _unknown_forms(runtime_map: RuntimeMap) -> list[str]:
    """What a map may say and no template knows."""
    where = runtime_map.where
    problems = []
    record = runtime_map.slots["EventRecord"]
    if needs_of(runtime_map).held_events and not (record.call and not record.call.returns):
        problems.append(f"{where}:{record.line}: slots.EventRecord: an event made by record must be an output argument")
    allocate, release = runtime_map.slots["MallocHost"], runtime_map.slots["FreeHost"]
    if allocate.emulation != release.emulation:
        problems.append(f"{where}:{release.line}: slots.FreeHost: must be emulated as MallocHost is, or not at all")
    return problems


class _View:
    """What the templates see of a map."""

    def __init__(self, runtime_map: RuntimeMap) -> None:
        self.map = runtime_map
        self.vendor = runtime_map.vendor
        self.needs: Needs = needs_of(runtime_map)
        self.status_type = runtime_map.status["type"]
        path = runtime_map.path
        self.origin = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(*path.parts[-2:])

    def status_function(self, role: str) -> str:
        """The name of one of the SDK's functions around its status; empty where the map has none."""
        status = self.map.status
        driver = status.get("no_driver", {}).get("version")
        text = driver if role == "driver_version" else status.get(role)
        return parse_declaration(text).name if text else ""

    @property
    def text_of_thread(self) -> bool:
        """The SDK tells the text of the thread's last error, not of a code."""
        text = self.map.status.get("text", "")
        return bool(text) and not parse_declaration(text).parameters

    @property
    def code(self) -> str:
        """The variable `status` as a code that the headers name."""
        return "status" if self.map.status["sign"] == "as_declared" else "code_of(status)"

    @property
    def memory_class(self) -> str:
        return "".join(word.capitalize() for word in self.map.vendor.split("_")) + "Memory"

    @property
    def slots(self) -> list[Slot]:
        return list(self.map.slots.values())

    @property
    def memory_info(self) -> Slot:
        return self.map.virtuals["get_memory_info"]

    def as_slot(self, virtual: Slot) -> Slot:
        """A virtual that has a call of its own, as the slot whose name and parameters the templates know."""
        name = VIRTUAL_SLOTS[virtual.name][0]
        given = [p.name for p in CONTRACT_VIRTUALS[virtual.name].parameters]
        names = dict(zip(given, (p.name for p in CONTRACT_SLOTS[name].parameters), strict=True))
        call = virtual.call
        assert call is not None
        arguments = tuple(
            replace(a, value=names[a.value]) if a.form in ("parameter", "address") and a.value in names else a
            for a in call.arguments
        )
        return replace(virtual, name=name, call=replace(call, arguments=arguments, returns=names.get(call.returns, "")))

    @property
    def kind_type(self) -> str:
        """The SDK's type for the direction of a copy; empty where no call has one."""
        for name in ("Memcpy", "MemcpyAsync"):
            call = self.map.slots[name].call
            for argument, formal in zip(*_pairs(call), strict=True):
                if argument.form == "parameter" and argument.value == "kind":
                    return formal.type
        return ""

    def function(self, slot: Slot) -> Any:
        return CONTRACT_SLOTS.get(slot.name) or CONTRACT_VIRTUALS[slot.name]

    def render(self, call: Call, parameters: tuple[Parameter, ...] = (), **more: Any) -> Rendered:
        return render_call(self.map, self.needs, call, parameters, **more)

    def call(self, slot: Slot) -> Rendered:
        assert slot.call is not None
        return self.render(slot.call, self.function(slot).parameters, slot=slot.name)

    def parts(self, slot: Slot) -> list[str]:
        """The further calls that a slot's emulation is made of, in the order of its parameters."""
        return list(EMULATIONS[slot.emulation].calls)

    def part(self, slot: Slot, name: str) -> Rendered:
        """One of a slot's further calls."""
        if name == "flush":
            return self.render(slot.calls[name], (Parameter("stream", "Stream_t"),))
        if name == "connect_peers":
            return self.render(slot.calls[name], (Parameter("peer", "int"),))
        if name == "timestamp":
            return self.render(slot.calls[name], (Parameter("event", "Event_t"),), self_type="double")
        if name in ("invalidate", "clean"):
            return self.render(slot.calls[name], (Parameter("memory", "memory"),))
        return self.render(slot.calls[name], self_type="size_t")

    def state_call(self, name: str) -> Rendered:
        state = self.map.state[name]
        return self.render(state.call, self_type=tidy_type(state.type), listed=state.per == "list")

    @property
    def setup(self) -> Rendered | None:
        return self.render(self.map.setup) if self.map.setup else None

    @property
    def thread_setup(self) -> Rendered | None:
        call = self.map.thread_setup
        return self.render(call, (Parameter("device", "int"),)) if call else None


def _pairs(call: Call | None) -> tuple[tuple, tuple]:
    return (call.arguments, call.declaration.parameters) if call else ((), ())


def _sentence(text: str) -> str:
    """With a capital, unless it begins with a name of the SDK's."""
    return (
        text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() and text.partition(" ")[0].islower() else text
    )


def _tidy(body: str) -> str:
    """A function's body without the blank lines that templates leave, and with its last call as its result."""
    lines = [line for line in body.splitlines() if line.strip()]
    last = re.fullmatch(r"\s*if \(const Error_t error = (.*)\) return error;", lines[-2]) if len(lines) > 1 else None
    if last and lines[-1].strip() == "return Success;":
        lines[-2:] = [f"return {last[1]};"]
    return "\n".join(lines)


def _formatted(template: str, view: _View, **more: str) -> str:
    text = TEMPLATES.get_template(template).render(view=view, map=view.map, needs=view.needs, where=view.origin, **more)
    command = [_clang_format(), f"--style=file:{ROOT / '.clang-format'}", "--assume-filename=x.cc"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout


@cache
def _clang_format() -> str:
    beside = Path(sys.executable).parent / "clang-format"
    found = str(beside) if beside.exists() else shutil.which("clang-format")
    if found is None:
        raise GenerationError("clang-format is not installed; pip install 'torch_fl[gates]'")
    return found
