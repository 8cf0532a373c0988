"""What the parameters of an SDK's functions are for, and what its API as a whole uses for status, streams and events."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from generators.recon.headers import Constant, Headers, Parameter, SdkFunction
from generators.recon.lexicon import CODES, DEVICE, HOST, IN_CODES, concepts_of, words_of

INTEGERS = {"int", "unsigned int", "short", "unsigned short", "_Bool", "bool", "char", "unsigned char"}
SIZES = {"long", "unsigned long", "long long", "unsigned long long"}


@dataclass
class Api:
    """An SDK's headers, understood."""

    headers: Headers
    prefix: tuple[str, ...]  # the words that its functions begin with
    functions: list[SdkFunction]  # those that begin so
    status: str = "int"  # the type of what most functions return
    handles: dict[str, str] = field(default_factory=dict)  # type -> "stream", "event" or a word of its name
    kinds: dict[str, dict[str, str]] = field(default_factory=dict)  # enum of copy kinds -> direction -> constant
    enums: frozenset[str] = frozenset()
    handle_words: frozenset[str] = frozenset()  # "command", where a stream is a command queue
    known_roles: dict[str, list[str]] = field(default_factory=dict)

    def words(self, function: SdkFunction) -> list[str]:
        """What a function's name says beside the prefix and what only names a handle's type."""
        return [w for w in words_of(function.name)[len(self.prefix) :] if w not in self.handle_words]

    def roles(self, function: SdkFunction) -> list[str]:
        """A role for each parameter."""
        if function.name not in self.known_roles:
            self.known_roles[function.name] = [role_of(parameter, self) for parameter in function.parameters]
        return self.known_roles[function.name]


def understand(headers: Headers, primary: list[Path]) -> Api:
    """`primary` are the headers that were asked for: the prefix is that of most of their functions."""
    own = [f for f in headers.functions if Path(f.file) in primary] or headers.functions
    prefix = common_prefix(own)
    begins = [f for f in headers.functions if tuple(words_of(f.name)[: len(prefix)]) == prefix]
    api = Api(headers, prefix, begins)
    returned = Counter(
        f.declaration.returns for f in begins if "*" not in f.declaration.returns and f.returns != "void"
    )
    if returned:
        api.status = returned.most_common(1)[0][0]
    api.kinds = _copy_kinds(headers)
    api.enums = frozenset(base_of(c.enum) for c in headers.constants.values() if c.enum)
    api.handles = _handles(headers, begins)
    named = (w for name, role in api.handles.items() if role in ("stream", "event") for w in words_of(name))
    api.handle_words = frozenset(w for w in named if not concepts_of(w) and w not in prefix)
    return api


def common_prefix(functions: list[SdkFunction]) -> tuple[str, ...]:
    """The words that more than half of the functions begin with, the last word of a name excepted."""
    names = [words_of(f.name) for f in functions]
    prefix: tuple[str, ...] = ()
    while True:
        longer = Counter(
            tuple(n[: len(prefix) + 1]) for n in names if len(n) > len(prefix) + 1 and tuple(n[: len(prefix)]) == prefix
        )
        best, count = longer.most_common(1)[0] if longer else ((), 0)
        if count * 2 <= len(names) or (prefix and concepts_of(best[-1])):
            return prefix
        prefix = best


def base_of(type_: str) -> str:
    return re.sub(r"\b(struct|enum|union|const)\s+", "", type_).replace("*", "").strip()


def _handles(headers: Headers, functions: list[SdkFunction]) -> dict[str, str]:
    """Opaque handles: typedefs of pointers that functions take by value, or by address to give one back."""
    taken: Counter[str] = Counter()
    for function in functions:
        for parameter in function.parameters:
            base = base_of(parameter.formal.type)
            if parameter.formal.type.count("*") <= 1 and headers.aliases.get(base, "").endswith("*"):
                taken[base] += 1
    handles: dict[str, str] = {}
    for role in ("stream", "event"):
        fitting = [name for name in taken if role in (c for w in words_of(name) for c in concepts_of(w))]
        if fitting:
            handles[max(fitting, key=lambda name: taken[name])] = role
    if "event" not in handles.values():  # only events come in pairs beside a float
        for function in functions:
            bases = Counter(base_of(p.formal.type) for p in function.parameters)
            pair = next((name for name, count in bases.items() if count == 2 and name in taken), None)
            if pair and any(p.canonical == "float *" for p in function.parameters):
                handles.setdefault(pair, "event")
    if "stream" not in handles.values():  # and only a stream goes with an event
        event = next((name for name, role in handles.items() if role == "event"), None)
        beside = Counter(
            base_of(p.formal.type)
            for f in functions
            if event and len(f.parameters) <= 3 and any(p.formal.type == event for p in f.parameters)
            for p in f.parameters
            if p.formal.type in taken and p.formal.type != event
        )
        if beside:
            handles[beside.most_common(1)[0][0]] = "stream"
    for name in taken:
        words = [w for w in words_of(name) if w not in ("handle", "t", "id")]
        handles.setdefault(name, words[-1] if words else name)
    return handles


def direction(name: str) -> str | None:
    """Which copy a constant's name means: "HostToDevice" for a name that ends as H2D, HOST_TO_DEVICE, Host2Dev."""
    words = words_of(name)
    for index in range(len(words) - 2):
        first, between, second = words[index : index + 3]
        if between in ("to", "2") and first in HOST | DEVICE and second in HOST | DEVICE:
            return f"{'Host' if first in HOST else 'Device'}To{'Host' if second in HOST else 'Device'}"
    compact = re.search(r"(?:^|_|[a-z])([HD])to([HD])(?:$|_)", name)
    if compact:
        return f"{'Host' if compact[1] == 'H' else 'Device'}To{'Host' if compact[2] == 'H' else 'Device'}"
    return None


def _copy_kinds(headers: Headers) -> dict[str, dict[str, str]]:
    kinds: dict[str, dict[str, str]] = {}
    for constant in headers.constants.values():
        meant = direction(constant.name) if constant.enum else None
        if meant:
            kinds.setdefault(base_of(constant.enum), {}).setdefault(meant, constant.name)
    return {enum: found for enum, found in kinds.items() if {"HostToDevice", "DeviceToHost"} <= found.keys()}


def role_of(parameter: Parameter, api: Api) -> str:
    """A word for what a parameter carries, by its type; by its name only where the type is void *."""
    spelled, canonical = parameter.formal.type, parameter.canonical
    base, stars, const = base_of(spelled), spelled.count("*"), spelled.startswith("const ")
    if "(*)" in canonical:
        return "callback"
    if base in api.handles:
        role = api.handles[base]
        known = role if role in ("stream", "event") else f"handle:{base}"
        return known if stars == 0 else f"list:{known}" if const else f"out:{known}"
    target = canonical.removesuffix("*").strip()
    if stars == 0 and not canonical.endswith("*"):
        if canonical in SIZES:
            return "size"
        if canonical in INTEGERS:
            return "int"
        if base_of(canonical) in api.kinds or base in api.kinds:
            return "kind"
        if canonical.startswith("enum ") or base_of(canonical) in api.enums:
            return f"enum:{base}"
        return "float" if canonical in ("float", "double") else "value"
    if canonical in ("void **", "const void **"):
        return "out:pointer"
    if canonical in ("void *", "const void *"):
        named = {c for word in words_of(parameter.formal.name) for c in concepts_of(word)}
        for role in ("stream", "event"):
            if role in named and "pointer" not in named:
                return role
        return "const pointer" if canonical.startswith("const ") else "pointer"
    if const:
        return "in:struct"
    if target in INTEGERS:
        return "out:int"
    if target in SIZES:
        return "out:size"
    if target in ("float", "double"):
        return "out:float"
    return "out:enum" if target.startswith("enum ") or target in api.enums else "out:struct"


# ---- status codes --------------------------------------------------------------------------------


def status_codes(api: Api) -> list[Constant]:
    """The constants that may be a status: those of its enum, or where the status is a plain integer any that say so."""
    enum = base_of(api.headers.aliases.get(api.status, api.status))
    typed = [c for c in api.headers.constants.values() if base_of(c.enum) in (api.status, enum) and c.enum]
    return typed or list(api.headers.constants.values())


def success_code(api: Api) -> str:
    """The constant for success: its name says so and its value is 0."""
    zero = [c for c in status_codes(api) if c.value == 0]
    for test in ("success", "ok", "none"):
        named = [c.name for c in zero if test in words_of(c.name)]
        if named:
            return min(named, key=len)
    return ""


def error_of(code: str, prefixes: set[str]) -> str | None:
    """The contract's error for a code's name, where its words say it and say no more."""
    rest = [word for word in words_of(code) if not _says_nothing(word, prefixes)]
    return next((error for error, said in CODES if sorted(rest) == sorted(said.split())), None)


def _says_nothing(word: str, prefixes: set[str]) -> bool:
    return word in IN_CODES or any(word == p or (word.startswith(p) and word[len(p) :] in IN_CODES) for p in prefixes)


def code_prefixes(api: Api) -> set[str]:
    """The words that codes begin with: the API's, and those of the code for success."""
    return {*api.prefix, *(w for w in words_of(success_code(api)) if w not in ("success", "ok", "none"))}
