"""A call of the SDK as its template wants it: variables, arguments, the way its result comes back.

Only data is made here; the C++ around it stands in templates/runtime/calls.j2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from generators.contract import Parameter
from generators.declaration import NUMBERS, same_type, tidy_type
from generators.map import Call, RuntimeMap
from generators.map.forms import Argument
from generators.runtime.needs import Needs

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
    """One call. `variables` are declared in front of it, with the statements that fill them; `outputs` are copied behind it."""

    name: str
    arguments: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)  # where to, and what
    returned: bool = False  # an output is what the function returns
    returns_status: bool = True
    status: str = ""  # the variable that the SDK put its status into
    readings: tuple[tuple[str, str], ...] = ()
    otherwise: str = "ErrorUnknown"
    null_means: str = "ErrorUnknown"
    results: tuple[tuple[str, str], ...] = ()
    memory: str = ""  # the variable that holds the SDK's object of a new block
    counts: bool = False  # it returns a figure, and less than zero is none

    @property
    def expression(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def check(self) -> str:
        """The expression that turns the status into a result of the contract."""
        more = ""
        if self.readings or self.otherwise != "ErrorUnknown":
            more = ", {" + ", ".join(f"{{{code}, {error}}}" for code, error in self.readings) + "}"
        if self.otherwise != "ErrorUnknown":
            more += f", {self.otherwise}"
        return f'check({self.status or self.expression}, "{self.name}"{more})'

    def declare(self, kind: str, name: str, value: str = "{}") -> str:
        """A variable of a name that is not taken yet; returns the name."""
        taken = {line.split(" = ")[0].split()[-1].strip("{};[]") for line in self.variables}
        while name in taken:
            name += "_"
        self.variables.append(f"{kind} {name}{value};")
        return name


def render_call(
    runtime_map: RuntimeMap,
    needs: Needs,
    call: Call,
    parameters: tuple[Parameter, ...],
    slot: str = "",
    self_type: str = "",
    listed: bool = False,
) -> Rendered:
    """`parameters` are the names that the call's arguments may use. `self_type` is what `self` points to, the value that a call
    of `state:` or `calls:` makes; `listed`: `self` is an array to be filled."""
    types = {p.name: contract_type(p.type) for p in parameters}
    if self_type:
        types["self"] = f"{self_type} *"
    rendered = Rendered(
        call.declaration.name,
        returned=bool(call.returns),
        returns_status=not call.returns and call.declaration.returns != "void",
        readings=tuple(call.errors.items()),
        otherwise=call.otherwise,
        null_means="ErrorMemoryAllocation" if slot in ("Malloc", "MallocHost") else "ErrorUnknown",
        results=tuple(call.results.items()),
    )
    translator = _Translator(runtime_map, needs, call, types, slot, listed, rendered)
    for argument, formal in zip(call.arguments, call.declaration.parameters, strict=True):
        rendered.arguments.append(translator.argument(argument, tidy_type(formal.type)))
    if call.returns:
        made = tidy_type(call.declaration.returns)
        value = _converted("made", made, pointee(types[call.returns]))
        rendered.counts = slot == "GetDeviceCount" and not made.startswith(("u", "size_t"))
        rendered.outputs.append((f"*{call.returns}", value))
    if call.at_most:
        rendered.outputs = [(name, f"std::min<int>({value}, {call.at_most})") for name, value in rendered.outputs]
    return rendered


@dataclass
class _Translator:
    """Turns the map's arguments of one call into C++."""

    map: RuntimeMap
    needs: Needs
    call: Call
    types: dict[str, str]
    slot: str
    listed: bool
    rendered: Rendered

    def argument(self, argument: Argument, formal: str) -> str:
        form, value, declare = argument.form, argument.value, self.rendered.declare
        match form:
            case "number" | "const":
                return str(value)
            case "null":
                return "nullptr"
            case "array":
                return declare(pointee(formal), "list", f"[] = {{{', '.join(map(str, value))}}}")
            case "result":
                return "&" + declare(value, "result")
            case "ignore":
                return "&" + declare(value, "ignored")
            case "status":
                self.rendered.status = declare(value, "status")
                return "&" + self.rendered.status
            case "state":
                return self.state(value)
            case "address":
                return "&" + self.addressed(value)
        return self.output(value, formal) if self.is_output(value) else self.input(value, formal)

    def is_output(self, name: str) -> bool:
        return self.types[name].endswith("*") and self.types[name] not in ("void *", "const void *")

    def is_memory(self, formal: str) -> bool:
        """Whether the SDK wants its object of a block there."""
        memory = self.map.handles.get("memory")
        return memory is not None and same_type(pointee(formal).removeprefix("const ")) == same_type(memory["type"])

    # ---- what the call writes

    def output(self, name: str, formal: str) -> str:
        """A variable of the SDK's type; the contract's output is written after success alone."""
        if self.listed and name == "self":
            return name
        wanted, local = pointee(self.types[name]), pointee(formal)
        if local == "void":  # what stands behind it the SDK's documents say: figures of 64 bits, or the value itself
            local = "uint64_t" if wanted in NUMBERS else wanted
        named = [str(a.value) for a in self.call.arguments if a.form == "parameter"]
        several = sum(self.is_output(other) for other in named) > 1
        variable = self.rendered.declare(local, f"found_{name}" if several else "found")
        value = variable
        if self.is_memory(formal):
            self.rendered.memory = variable
            local, value = "void *", f"{variable}.{self.map.handles['memory']['address']}"
        if self.call.scale != 1:
            figure = f"{variable} * {self.call.scale!r}"
            self.rendered.outputs.append((f"*{name}", figure if wanted == "double" else f"to<{wanted}>({figure})"))
        elif name != "attributes":  # the template reads its fields
            self.rendered.outputs.append((f"*{name}", _converted(value, local, wanted)))
        return f"&{variable}"

    # ---- what the call reads

    def input(self, name: str, formal: str) -> str:
        wanted = self.types[name]
        if name == "memory":
            return name
        if self.is_memory(formal):
            return f"block.object<{self.map.handles['memory']['type']}>()"
        if wanted == "Event_t" and self.needs.held_events:
            if self.slot == "EventRecord":
                return "&" + self.rendered.declare(pointee(formal), "recorded")
            return name if self.slot == "EventDestroy" else f"{name}_record->native"  # there, the SDK's own
        if wanted in HANDLES:
            return f"native({name})"
        if name == "kind":
            return "native(kind)"
        if name == "flags":
            return self.flags()
        if name == "priority":
            return "std::clamp(priority, greatest, least)"
        if name == "value" and self.slot in ("Memset", "MemsetAsync"):
            return "value & 0xff"
        if formal in (wanted, "const void *") or (wanted in NUMBERS and formal in NUMBERS):
            return name
        return f"to<{formal}>({name})"

    def flags(self) -> str:
        """`arguments` lets only the contract's flags through, so two cases are all."""
        flags = self.map.flags
        if self.slot == "EventCreateWithFlags":
            timed, untimed = flags["EventEnableTiming"], flags["EventDisableTiming"]
            return timed if timed == untimed else f"flags == EventEnableTiming ? {timed} : {untimed}"
        return flags["WaitDefault" if self.slot == "StreamWaitEvent" else "StreamDefault"]

    def state(self, name: str) -> str:
        variables = self.rendered.variables
        if name == "default_stream":
            variable = self.rendered.declare("Stream_t", name)
            if self.needs.default_streams:
                variables.append(tries(f"default_streams().resolve(&{variable})"))
            return f"native({variable})"
        if not any(line.endswith(f" {name}{{}};") for line in variables):
            kind = "int" if name == "device_index" else self.map.state[name].type
            source = "GetDevice" if name == "device_index" else f"get_{name}"
            variables += [f"{kind} {name}{{}};", tries(f"{source}(&{name})")]
        return name

    def addressed(self, name: str) -> str:
        if name not in self.types:
            return self.state(name)
        if self.types[name] not in HANDLES:
            return name  # a number, whose low bytes come first
        handle = self.map.handles[HANDLES[self.types[name]]]["type"]
        return self.rendered.declare(handle, f"native_{name}", f" = {self.input(name, handle)}")


def _converted(variable: str, local: str, wanted: str) -> str:
    """The SDK's value as the contract's type."""
    if local == wanted or (wanted in NUMBERS and "*" not in local):
        return variable
    return f"to<{wanted}>({variable})"
