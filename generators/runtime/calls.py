"""A call of the SDK as its template wants it: variables, arguments, the way its result comes back.

Only data is made here; the C++ around it stands in templates/runtime/calls.j2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from generators.contract import Parameter
from generators.declaration import tidy_type
from generators.map import Call, RuntimeMap
from generators.map.forms import Argument

NUMBERS = {
    *("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "unsigned", "bool"),
    *("long", "unsigned long", "long long", "unsigned long long", "float", "double", "size_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
HANDLES = {"Stream_t": "stream", "Event_t": "event"}
CANONICAL = {  # what libclang makes of flagos.h's names
    **{"struct Stream *": "Stream_t", "struct Event *": "Event_t", "Stream *": "Stream_t", "Event *": "Event_t"},
    "unsigned long": "size_t",
}


def contract_type(text: str) -> str:
    """A type of the contract as flagos.h writes it."""
    stars = ""
    text = tidy_type(text)
    while text not in CANONICAL and text.endswith("*"):
        text, stars = text[:-1].strip(), stars + "*"
    return tidy_type(CANONICAL.get(text, text.removeprefix("enum ")) + " " + stars)


def pointee(text: str) -> str:
    return tidy_type(text).removesuffix("*").strip()


def tries(expression: str) -> str:
    return f"if (const Error_t error = {expression}) return error;"


@dataclass
class Rendered:
    """One call. `variables` are declared in front of it, `outputs` are copied behind it."""

    name: str
    arguments: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)  # with the statements that fill them
    outputs: list[tuple[str, str]] = field(default_factory=list)  # where to, and what
    returned: str = ""  # type of a returned value that is an output
    returns_status: bool = True
    status: str = ""  # the variable that the SDK put its status into
    readings: list[tuple[str, str]] = field(default_factory=list)
    otherwise: str = "ErrorUnknown"
    null_means: str = "ErrorUnknown"
    results: list[tuple[str, str]] = field(default_factory=list)

    @property
    def expression(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def check(self) -> str:
        """The expression that turns the status into a result of the contract."""
        status = self.status or self.expression
        more = ""
        if self.readings or self.otherwise != "ErrorUnknown":
            more = ", {" + ", ".join(f"{{{code}, {error}}}" for code, error in self.readings) + "}"
        if self.otherwise != "ErrorUnknown":
            more += f", {self.otherwise}"
        return f'check({status}, "{self.name}"{more})'


class Renderer:
    """Renders the calls of one map."""

    def __init__(self, runtime_map: RuntimeMap, held_events: bool, default_streams: bool) -> None:
        self.map = runtime_map
        self.held_events = held_events
        self.default_streams = default_streams

    def render(
        self, call: Call, parameters: tuple[Parameter, ...], slot: str = "", self_type: str = "", listed: bool = False
    ) -> Rendered:
        """`parameters` are the names that the call may use; `self_type` is the type of what `self` points to."""
        declaration = call.declaration
        rendered = Rendered(declaration.name)
        types = {p.name: contract_type(p.type) for p in parameters}
        if self_type:
            types["self"] = f"{self_type} *"
        several = sum(name in types and self._is_output(name, types) for name in self._names(call)) > 1
        for argument, formal in zip(call.arguments, declaration.parameters, strict=True):
            text = self._argument(argument, formal.type, types, slot, rendered, several, call.scale, listed)
            rendered.arguments.append(text)
        if call.returns:
            rendered.returned = declaration.returns
            rendered.returns_status = False
            rendered.outputs.append(
                (f"*{call.returns}", self._back("made", declaration.returns, pointee(types[call.returns])))
            )
        else:
            rendered.returns_status = tidy_type(declaration.returns) != "void"
        rendered.readings = list(call.errors.items())
        rendered.otherwise = call.otherwise
        rendered.null_means = "ErrorMemoryAllocation" if slot in ("Malloc", "MallocHost") else "ErrorUnknown"
        rendered.results = list(call.results.items())
        return rendered

    @staticmethod
    def _names(call: Call) -> Iterator[str]:
        yield from (str(argument.value) for argument in call.arguments if argument.form == "parameter")
        if call.returns:
            yield call.returns

    @staticmethod
    def _is_output(name: str, types: dict[str, str]) -> bool:
        return types[name].endswith("*") and types[name] not in ("void *", "const void *")

    def _argument(
        self,
        argument: Argument,
        formal: str,
        types: dict[str, str],
        slot: str,
        rendered: Rendered,
        several: bool,
        scale: float,
        listed: bool,
    ) -> str:
        form, value = argument.form, argument.value
        if form == "number":
            return str(value)
        if form == "null":
            return "nullptr"
        if form == "const":
            return str(value)
        if form == "array":
            name = self._fresh(rendered, "list")
            rendered.variables.append(f"{pointee(formal)} {name}[] = {{{', '.join(map(str, value))}}};")
            return name
        if form in ("result", "status", "ignore"):
            name = {"result": "result", "status": "status", "ignore": "ignored"}[form]
            name = self._fresh(rendered, name)
            rendered.variables.append(f"{value} {name}{{}};")
            if form == "status":
                rendered.status = name
            return f"&{name}"
        if form == "state":
            return self._state(str(value), rendered)
        if form == "address":
            return "&" + self._addressed(str(value), types, rendered)
        name = str(value)
        if self._is_output(name, types):
            return self._output(name, formal, types, rendered, several, scale, listed)
        return self._input(name, formal, types, slot, rendered)

    def _output(
        self,
        name: str,
        formal: str,
        types: dict[str, str],
        rendered: Rendered,
        several: bool,
        scale: float,
        listed: bool,
    ) -> str:
        if listed and name == "self":
            return "self"
        wanted = pointee(types[name])
        local = pointee(formal)
        if (
            local == "void"
        ):  # what stands behind it only the SDK's documents say: figures of 64 bits, the runtime's own types
            local = "uint64_t" if wanted in NUMBERS else wanted
        if name == "attributes":
            rendered.variables.append(f"{local} found{{}};")
            return "&found"
        variable = self._fresh(rendered, f"found_{name}" if several and name != "self" else "found")
        rendered.variables.append(f"{local} {variable}{{}};")
        figure = self._back(variable, local, wanted)
        if scale != 1:
            figure = (
                f"{variable} * {scale!r}" if wanted == "double" else f"static_cast<{wanted}>({variable} * {scale!r})"
            )
        rendered.outputs.append((f"*{name}", figure))
        return f"&{variable}"

    def _input(self, name: str, formal: str, types: dict[str, str], slot: str, rendered: Rendered) -> str:
        wanted = types[name]
        if wanted in HANDLES:
            if wanted == "Event_t" and self.held_events:
                if slot == "EventDestroy":  # the template's own variable, of the SDK's type
                    return name
                if slot == "EventRecord":
                    rendered.variables.append(f"{pointee(formal)} recorded{{}};")
                    return "&recorded"
                return f"{name}_record->native"
            return f"native({name})"
        if wanted == "MemcpyKind":
            return "native(kind)"
        if name == "flags":
            return self._flags(slot)
        if name == "priority":
            return "std::clamp(priority, greatest, least)"
        if name == "value" and slot in ("Memset", "MemsetAsync"):
            return "value & 0xff"
        formal = tidy_type(formal)
        if formal in (wanted, "const void *") or (wanted in NUMBERS and formal in NUMBERS):
            return name
        return f"to<{formal}>({name})"

    def _flags(self, slot: str) -> str:
        """`arguments` lets only the contract's flags through, so two cases are all."""
        flags = self.map.flags
        if slot == "EventCreateWithFlags":
            timed, untimed = flags["EventEnableTiming"], flags["EventDisableTiming"]
            return timed if timed == untimed else f"flags == EventEnableTiming ? {timed} : {untimed}"
        return flags["StreamDefault" if slot.startswith("StreamCreate") else "WaitDefault"]

    def _state(self, name: str, rendered: Rendered) -> str:
        if name == "default_stream":
            variable = self._fresh(rendered, "default_stream")
            rendered.variables.append(f"Stream_t {variable} = nullptr;")
            if self.default_streams:
                rendered.variables.append(tries(f"default_streams().resolve(&{variable})"))
            return f"native({variable})"
        variable = name
        if not any(line.endswith(f" {variable}{{}};") for line in rendered.variables):
            kind = "int" if name == "device_index" else self.map.state[name].type
            source = "GetDevice" if name == "device_index" else f"get_{name}"
            rendered.variables += [f"{kind} {variable}{{}};", tries(f"{source}(&{variable})")]
        return variable

    def _addressed(self, name: str, types: dict[str, str], rendered: Rendered) -> str:
        if name not in types:
            return self._state(name, rendered)
        if types[name] not in HANDLES:
            return name  # a number, whose low bytes come first
        handle = self.map.handles[HANDLES[types[name]]]["type"]
        variable = f"native_{name}"
        rendered.variables.append(f"{handle} {variable} = {self._input(name, handle, types, '', rendered)};")
        return variable

    @staticmethod
    def _back(variable: str, local: str, wanted: str) -> str:
        """The SDK's value as the contract's type."""
        local = tidy_type(local)
        if local == wanted or (local in NUMBERS and wanted in NUMBERS) or (wanted in NUMBERS and "*" not in local):
            return variable
        return f"to<{wanted}>({variable})"

    @staticmethod
    def _fresh(rendered: Rendered, name: str) -> str:
        taken = {word.strip("{};[]") for line in rendered.variables for word in line.split()}
        while name in taken:
            name += "_"
        return name
