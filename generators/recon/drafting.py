"""Write a proposal down as a map: the text of runtime-api-map.yaml."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import yaml

from generators.files import digest
from generators.map.forms import EMULATIONS, FLAGS_OF, HOST_COPY, KINDS, UNSUPPORTED, Argument
from generators.recon.binding import Binding
from generators.recon.headers import SdkFunction
from generators.recon.lexicon import (
    MEMORY_INFO,
    NO_DEVICE,
    concepts_of,
    words_of,
)
from generators.recon.libraries import Library
from generators.recon.proposal import Proposal, made_by_record, needs_not_ready
from generators.recon.readings import (
    clear_error,
    error_text,
    flag_constant,
    is_pool,
    memory_types,
    pointer_fields,
    query_results,
    said_of,
    sdk_version,
    status_sign,
)
from generators.recon.roles import Api, base_of, code_prefixes, error_of, role_of, status_codes, success_code
from generators.sdk import Sdk

MISSING_MEANS = {  # consequence of a gap for users of PyTorch, until a person says more
    "GetDeviceCount": "the vendor cannot be used: no device is found",
    "SetDevice": "only the first device can be used",
    "GetDevice": "only the first device can be used",
    "DeviceGetStreamPriorityRange": "Stream(priority=p) succeeds for every p and runs at 0",
    "DeviceSynchronize": "torch.accelerator.synchronize() fails",
    "Malloc": "the vendor cannot be used: no tensor can be made",
    "Free": "device memory is never given back",
    "MallocHost": "pin_memory() fails",
    "FreeHost": "pin_memory() fails",
    "Memcpy": "the vendor cannot be used: no tensor can be copied",
    "MemcpyAsync": "copies fail that are asked for on a stream",
    "PointerGetAttributes": "tensors of foreign memory (DLPack, from_blob) are refused",
    "Memset": "zero_() and everything that fills bytes goes through the CPU",
    "MemsetAsync": "zero_() and everything that fills bytes goes through the CPU",
    "StreamCreateWithPriority": "Stream(priority=p) fails",
    "StreamCreate": "torch.Stream() fails: there is only the default stream",
    "StreamGetPriority": "Stream.priority fails",
    "StreamDestroy": "streams live until the process ends",
    "StreamQuery": "Stream.query() fails",
    "StreamSynchronize": "Stream.synchronize() fails",
    "StreamWaitEvent": "Stream.wait_event() and wait_stream() fail",
    "EventCreateWithFlags": "torch.Event() fails, and blocks used on a second stream are never reused",
    "EventCreate": "Event(enable_timing=True) fails",
    "EventDestroy": "events live until the process ends",
    "EventRecord": "Event.record() fails",
    "EventSynchronize": "Event.synchronize() fails",
    "EventQuery": "Event.query() fails, and blocks used on a second stream are never reused",
    "EventElapsedTime": "Event.elapsed_time() fails",
    MEMORY_INFO: "mem_get_info() fails, and the allocator cannot tell how much is free",
}


def scalar(value: object, flow: bool = False) -> str:
    """A value as YAML: plain where that reads back as the same, else quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    try:
        plain = yaml.safe_load(f"[{text}]" if flow else f"k: {text}")
        same = plain == ([text] if flow else {"k": text})
    except yaml.YAMLError:
        same = False
    return text if same and text == text.strip() and "\n" not in text else json.dumps(text, ensure_ascii=False)


def flow_list(values: Iterable[object]) -> str:
    return f"[{', '.join(scalar(value, flow=True) for value in values)}]"


def argument_text(argument: Argument) -> str:
    if argument.form in ("number", "null"):
        return str(argument)
    if argument.form == "parameter":
        return scalar(argument.value, flow=True)
    return f"{{{argument.form}: {scalar(argument.value, flow=True)}}}"


class Draft:
    """Collects the lines of a map."""

    def __init__(
        self, vendor: str, api: Api, proposals: list[Proposal], library: Library | None, root: Path, sdk: Sdk
    ) -> None:
        self.vendor, self.api, self.proposals, self.library, self.root, self.sdk = (
            vendor,
            api,
            proposals,
            library,
            root,
            sdk,
        )
        self.by_name = {proposal.slot.name: proposal for proposal in proposals}
        self.states = self._states()
        self.lines: list[str] = []

    def text(self) -> str:
        self.lines = [
            "# Proposed by generators.recon from the SDK's headers and library. Nothing in it is confirmed: review each entry",
            "# (docs/reference/runtime-api-map.md), set `confirmed: true`, commit. Until the first is confirmed, recon overwrites it.",
            f"vendor: {self.vendor}",
            f"missing_slots: {flow_list(self._missing())}",
        ]
        self._caching()
        self._sdk()
        self._status()
        self._handles()
        self._tables()
        self._state_section()
        self.lines.append("slots:")
        for proposal in self.proposals:
            if proposal.slot.name == MEMORY_INFO:
                self.lines.append("virtuals:")
            self._slot(proposal)
        return "\n".join(self.lines) + "\n"

    def _add(self, key: str, value: object, indent: int = 2) -> None:
        self.lines.append(f"{' ' * indent}{key}: {scalar(value)}")

    def _missing(self) -> list[str]:
        return [p.slot.name for p in self.proposals if self._form(p) in ("gap", "emulation")]

    def _form(self, proposal: Proposal) -> str:
        if proposal.candidate:
            return "call"
        return "forward" if proposal.forward else "emulation" if proposal.emulation else "gap"

    # ---- findings and the SDK

    def _caching(self) -> None:
        pools = [f.name for f in self.api.functions if is_pool(f, self.api)]
        found = f"; it has pools of its own ({', '.join(pools[:4])})" if pools else "; no pool is declared"
        plain = self.by_name["Malloc"].symbol or "its allocation"
        self.lines.append("provides_caching:")
        self._add("value", False)
        self._add("reason", f"{plain} is the SDK's plain allocation{found}")

    def _sdk(self) -> None:
        sdk, headers = self.sdk, self.api.headers
        self.lines.append("sdk:")
        self._add("name", sdk.name)
        self._add("version", sdk_version(self.api, self.library))
        for key in ("environment", "places"):
            if getattr(sdk, key):
                self.lines.append(f"  {key}: {flow_list(getattr(sdk, key))}")
        self.lines.append(f"  headers: {flow_list(sdk.headers)}")
        self._add("library", sdk.library)
        if self.library and self.library.soname:
            self._add("soname", self.library.soname)
        for key, values in (("include", sdk.include), ("defines", headers.defines)):
            if values:
                self.lines.append(f"  {key}: {flow_list(values)}")
        self._add("language", headers.language)
        if sdk.extern_c:
            self._add("extern_c", True)
        self.lines.append("  hashes:")
        for file in [*headers.files, *([self.library.path] if self.library else [])]:
            name = file.relative_to(self.root) if file.is_relative_to(self.root) else file
            self.lines.append(f"    {name}: {digest(file)}")

    # ---- status and errors

    def _status(self) -> None:
        api = self.api
        success = success_code(api)
        self.lines.append("status:")
        self._add("type", api.status)
        self._add("success", success or "0")
        self._add("sign", status_sign(api))
        for key, function in (("text", error_text(api)), ("clear", clear_error(api))):
            if function:
                self._add(key, function.declaration)
        errors = self._errors()
        absent = [code for code in errors if " ".join(said_of(code, api)) in NO_DEVICE]
        if absent:
            self.lines.append(f"  no_device: {flow_list(absent)}")
        self.lines.append("errors:" if errors else "errors: {}")
        for code, error in errors.items():
            self._add(code, error)

    def _errors(self) -> dict[str, str]:
        """Code -> error, one name for each value."""
        prefixes, seen, found = code_prefixes(self.api), set(), {}
        for constant in status_codes(self.api):
            error = error_of(constant.name, prefixes)
            if error and constant.value not in seen and constant.value != 0:
                seen.add(constant.value)
                found[constant.name] = error
        return found

    # ---- handles, kinds, flags

    def _handles(self) -> None:
        types = {role: name for name, role in self.api.handles.items() if role in ("stream", "event")}
        if not types:
            return
        self.lines.append("handles:")
        create = self.by_name["StreamCreate"].candidate or self.by_name["StreamCreateWithPriority"].candidate
        needs_state = create is not None and any(a.form in ("state", "choose") for a in create.binding.arguments)
        by_record = made_by_record(self.by_name["EventRecord"], self.api)
        more = {
            "stream": "default: created" if needs_state else 'default: "null"',
            "event": "made_by: record" if by_record else "made_by: create",
        }
        for role, name in sorted(types.items(), reverse=True):
            self.lines.append(f"  {role}: {{type: {name}, {more[role]}}}")

    def _tables(self) -> None:
        used = {(p.slot.name, a.value) for p in self.proposals if p.candidate for a in p.candidate.binding.arguments}
        if any(name == "kind" for _, name in used):
            enum = next(
                base_of(parameter.formal.type)
                for name in ("Memcpy", "MemcpyAsync")
                if self.by_name[name].candidate
                for parameter in self.by_name[name].candidate.function.parameters  # type: ignore[union-attr]
                if role_of(parameter, self.api) == "kind"
            )
            found = self.api.kinds[enum]
            self.lines.append("kinds:")
            for kind in KINDS:
                self._add(kind, found.get(kind, HOST_COPY if kind == "HostToHost" else UNSUPPORTED))
        flags = {
            flag: flag_constant(flag, self.api)
            for slot, names in FLAGS_OF.items()
            if (slot, "flags") in used
            for flag in names
        }
        if flags:
            self.lines.append("flags:")
            for name, constant in flags.items():
                self._add(name, constant or "0")

    # ---- state

    def _states(self) -> dict[str, SdkFunction | None]:
        """Each state that an argument needs, and the function that makes it."""
        found: dict[str, SdkFunction | None] = {}
        wanted = [
            a.value for p in self.proposals if p.candidate for a in p.candidate.binding.arguments if a.form == "state"
        ]
        for name in wanted:
            self._find_maker(name, found)
        return found

    def _find_maker(self, name: str, found: dict[str, SdkFunction | None]) -> None:
        if name in ("device_index", "default_stream") or name in found:
            return
        types = [type_ for type_, word in self.api.handles.items() if word == name]
        makers = [
            f
            for f in self.api.functions
            if any(f"out:handle:{t}" in self.api.roles(f) or base_of(f.declaration.returns) == t for t in types)
            and {"make", "get", "count"} & {c for w in self.api.words(f) for c in concepts_of(w)}
            and name in words_of(f.name.replace("IDs", ""))
        ]
        found[name] = min(makers, key=lambda f: (f.deprecated, len(f.name)), default=None)
        for role in self.api.roles(found[name]) if found[name] else ():  # type: ignore[arg-type]
            if role.startswith("handle:"):
                self._find_maker(self.api.handles[role.removeprefix("handle:")], found)

    def _state_section(self) -> None:
        made = {name: function for name, function in self.states.items() if function}
        if not made:
            return
        self.lines.append("state:")
        for name, function in made.items():
            type_ = next(t for t, word in self.api.handles.items() if word == name)
            roles = self.api.roles(function)
            needs_device = any(
                role == "handle" or "device" in self.api.handles.get(role.removeprefix("handle:"), "") for role in roles
            )
            self.lines.append(f"  {name}:")
            self._add("type", type_, 4)
            self._add("per", "device" if needs_device or name == "device" else "process", 4)
            arguments = [
                self._state_argument(role, p.formal, type_) for role, p in zip(roles, function.parameters, strict=True)
            ]
            returned = base_of(function.declaration.returns) == type_
            self._call(function, arguments, 4, returns="self" if returned else "")
            self._source(function, 4)

    def _state_argument(self, role: str, formal: object, made: str) -> Argument:
        if role == f"out:handle:{made}":
            return Argument("parameter", "self")
        if role.startswith("handle:"):
            name = self.api.handles[role.removeprefix("handle:")]
            if self.states.get(name):
                return Argument("state", name)
        return Argument("choose", str(formal))

    # ---- slots

    def _slot(self, proposal: Proposal) -> None:
        name = proposal.slot.name
        self.lines.append(f"  {name}:")
        form = self._form(proposal)
        where = Path(self.sdk.headers[0]).name
        if proposal.candidate:
            binding, function = proposal.candidate.binding, proposal.candidate.function
            arguments = [
                Argument("choose", argument.value)
                if argument.form == "state" and self.states.get(argument.value, True) is None
                else argument
                for argument in binding.arguments
            ]
            self._call(function, arguments, 4, binding.returns)
            self._results(binding)
            if needs_not_ready(name, proposal.candidate, self.api):
                self._add("otherwise", "ErrorNotReady", 4)
            self._attributes(proposal)
            self._source(function, 4)
        else:
            if form == "forward":
                self._add("forward", proposal.forward, 4)
                self.lines.append(f"    args: {flow_list(proposal.forward_arguments)}")
                self._add("reason", proposal.why, 4)
            elif form == "emulation":
                self._add("emulation", proposal.emulation, 4)
                self._add("reason", proposal.why, 4)
                self._add("consequence", EMULATIONS[proposal.emulation].means, 4)
            else:
                self._add("gap", "unsupported", 4)
                self._add("reason", proposal.why, 4)
                self._add("consequence", MISSING_MEANS[name], 4)
            self.lines.append(f"    source: {{kind: sdk, where: {scalar(where, True)}, confirmed: false}}")
        self.lines.append("    proposal:")
        self._add("confidence", proposal.confidence, 6)
        if proposal.candidate:
            self._add("why", proposal.why, 6)
        if proposal.alternatives:
            self.lines.append("      alternatives:")
            self.lines += [f"        - {scalar(text)}" for text in proposal.alternatives]

    def _call(self, function: SdkFunction, arguments: list[Argument], indent: int, returns: str = "") -> None:
        self._add("call", function.declaration, indent)
        self.lines.append(f"{' ' * indent}args: [{', '.join(map(argument_text, arguments))}]")
        if returns:
            self._add("returns", returns, indent)

    def _source(self, function: SdkFunction, indent: int) -> None:
        file = Path(function.file)
        name = file.relative_to(self.root) if file.is_relative_to(self.root) else file
        self.lines.append(
            f"{' ' * indent}source: {{kind: sdk, where: {scalar(f'{name}:{function.line}', True)}, confirmed: false}}"
        )

    def _results(self, binding: Binding) -> None:
        if binding.result:
            self.lines.append("    results:")
            for value, error in query_results(binding.result, self.api).items():
                self._add(value, error, 6)

    def _attributes(self, proposal: Proposal) -> None:
        if proposal.slot.name != "PointerGetAttributes" or not proposal.candidate:
            return
        fields = pointer_fields(proposal.candidate.function, self.api)
        self.lines.append("    attributes:")
        for key in ("struct", "type", "device", "pointer"):
            if key in fields:
                self._add(key, fields[key], 6)
        types = memory_types(fields["type_of_type"], self.api)
        self.lines.append(
            f"      types: {{{', '.join(f'{name}: {flow_list(values)}' for name, values in types.items())}}}"
        )
