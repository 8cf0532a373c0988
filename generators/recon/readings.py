"""What an API's headers say beside its functions: error texts, flags, versions, the fields of its pointer attributes."""

from __future__ import annotations

import re

from generators.map.forms import MEMORY_TYPES
from generators.recon.headers import Constant, SdkFunction
from generators.recon.lexicon import FLAG_WORDS, MEMORY_TYPE_WORDS, PENDING, READY, concepts_of, words_of
from generators.recon.libraries import Library
from generators.recon.roles import Api, base_of, code_prefixes, error_of, role_of, status_codes


def said_of(code: str, api: Api) -> list[str]:
    prefixes = code_prefixes(api)
    return [
        w
        for w in words_of(code)
        if w not in prefixes and w not in ("error", "err", "rt") and not any(w == p + "err" for p in prefixes)
    ]


def is_pool(function: SdkFunction, api: Api) -> bool:
    words = api.words(function)
    concepts = {c for w in words for c in concepts_of(w)}
    return ("pool" in words and "mem" in concepts) or {"alloc", "async"} <= concepts


def error_text(api: Api) -> SdkFunction | None:
    """The function that gives a status its text."""
    fitting = [
        f
        for f in api.headers.functions
        if f.declaration.returns == "const char *"
        and len(f.parameters) == 1
        and (f.parameters[0].formal.type == api.status or f.parameters[0].canonical == "int")
        and {"text"}
        <= {c for w in words_of(f.name) for c in concepts_of(w)} | ({"text"} if "strerror" in f.name else set())
    ]
    return min(fitting, key=lambda f: (f.parameters[0].formal.type != api.status, len(f.name)), default=None)


def clear_error(api: Api) -> SdkFunction | None:
    """The function that gives the thread's last error and forgets it."""
    fitting = [
        f
        for f in api.functions
        if not f.parameters and api.words(f) == ["get", "last", "error"] and f.declaration.returns == api.status
    ]
    return fitting[0] if fitting else None


def status_sign(api: Api) -> str:
    """Whether functions return their codes negated, as far as the headers say."""
    text = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in api.headers.files)
    if re.search(
        r"(?i)return[^.]{0,60}\bnegat(ed|ive)\b[^.]{0,30}\b(code|error|value)|codes?( are| is)? negated", text
    ):
        return "negated"
    codes = [c for c in status_codes(api) if error_of(c.name, code_prefixes(api))]
    plain_status = api.status == "int" and bool(codes) and all(c.enum for c in codes)
    return "either" if plain_status else "as_declared"


def flag_constant(flag: str, api: Api) -> str:
    """The SDK's constant for a flag of the contract."""
    names = {name: "".join(w for w in words_of(name) if w not in api.prefix) for name in api.headers.constants}
    for words in FLAG_WORDS[flag]:
        fitting = [name for name, said in names.items() if said.endswith(words.replace(" ", ""))]
        if fitting:
            return min(fitting, key=len)
    return ""


def query_results(type_: str, api: Api) -> dict[str, str]:
    """What the values of a status type mean to a query."""
    found = {}
    for constant in values_of(type_, api):
        words = set(words_of(constant.name))
        if {"not", "ready"} <= words or words & PENDING:
            found[constant.name] = "ErrorNotReady"
        elif words & READY:
            found[constant.name] = "Success"
    return found


def values_of(type_: str, api: Api) -> list[Constant]:
    canonical = base_of(api.headers.aliases.get(base_of(type_), type_))
    return [c for c in api.headers.constants.values() if c.enum and base_of(c.enum) in (base_of(type_), canonical)]


def pointer_fields(function: SdkFunction, api: Api) -> dict[str, str]:
    """Where the SDK's struct has the kind of memory, the device and the device's address. Empty if it does not say."""
    types = [base_of(p.formal.type) for p in function.parameters if role_of(p, api) == "out:struct"]
    if not types:
        return {}
    struct = types[0]
    fields: dict[str, str] = {"struct": struct}
    for path, type_ in _flatten(base_of(api.headers.aliases.get(struct, struct)), api, ""):
        words = words_of(path.rpartition(".")[2])
        if "type" in words and memory_types(type_, api).get("Device"):
            fields.setdefault("type", path)
            fields.setdefault("type_of_type", type_)
        elif words in (["device"], ["device", "id"], ["id"]):
            fields.setdefault("device", path)
        elif "device" in words and "pointer" in words:
            fields.setdefault("pointer", path)
    return fields if "type" in fields else {}


def _flatten(struct: str, api: Api, path: str) -> list[tuple[str, str]]:
    found = []
    for name, type_ in api.headers.structs.get(struct, ()):
        inner = base_of(api.headers.aliases.get(base_of(type_), type_))
        if inner in api.headers.structs and "*" not in type_:
            found += _flatten(inner, api, f"{path}{name}.")
        else:
            found.append((f"{path}{name}", type_))
    return found


def memory_types(type_: str, api: Api) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in MEMORY_TYPES:
        values = [c.name for c in values_of(type_, api) if words_of(c.name)[-1] in MEMORY_TYPE_WORDS[name]]
        if values:
            found[name] = values
    return found


def sdk_version(api: Api, library: Library | None) -> str:
    """As the headers state it: major, minor and patch macros, else one number; else as the library's file is called."""
    constants = api.headers.constants
    parts = [_version_part(part, constants, api) for part in ("major", "minor", "patch")]
    if None not in parts[:2]:
        return ".".join(str(part) for part in parts if part is not None)
    single = [c for c in constants.values() if words_of(c.name)[-1] == "version" and c.value and _is_ours(c.name, api)]
    if single:
        return str(min(single, key=lambda c: len(c.name)).value)
    number = library.path.resolve().name.partition(".so.")[2] if library else ""
    return number or "unknown"


def _version_part(part: str, constants: dict[str, Constant], api: Api) -> int | None:
    fitting = [
        c for c in constants.values() if words_of(c.name)[-1] == part or words_of(c.name)[-2:] == [part, "version"]
    ]
    ours = [c for c in fitting if "version" in words_of(c.name) and _is_ours(c.name, api)]
    return min(ours, key=lambda c: len(c.name)).value if ours else None


def _is_ours(name: str, api: Api) -> bool:
    return not name.startswith("_") and words_of(name)[0][:3] == api.prefix[0][:3]
