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
    names = {
        name: "".join(_handle_word(w) for w in words_of(name) if w not in api.prefix) for name in api.headers.constants
    }
    for words in FLAG_WORDS[flag]:
        fitting = [name for name, said in names.items() if said.endswith(words.replace(" ", ""))]
        if fitting:
            return min(fitting, key=len)
    return ""


def _handle_word(word: str) -> str:
    """A queue is a stream, a notifier an event."""
    return next((concept for concept in concepts_of(word) if concept in ("stream", "event")), word)


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


# ---- the version ---------------------------------------------------------------------------------

# How one number holds a version: by how much the major, the minor and the patch number are multiplied.
ENCODINGS = ((1_000, 10), (10_000, 100, 1), (100_000, 1_000, 1), (10_000_000, 100_000, 1))
IN_VERSION = frozenset("api runtime rt sdk header headers lib library toolkit".split())


def sdk_version(api: Api, library: Library | None) -> str:
    """As the headers' macros state it: in parts, as the highest of several, or in one number; else as the library's file is
    called. An enumerator is no version: an error code may be called that."""
    macros = {
        constant.name: constant.value
        for constant in api.headers.constants.values()
        if constant.value is not None and not constant.enum and _is_ours(constant.name, api)
    }
    file = library.path.resolve().name.partition(".so.")[2] if library else ""
    return _version_in_parts(macros) or _highest_version(macros) or _version_in_one(macros, file) or file or "unknown"


def _version_in_parts(macros: dict[str, int]) -> str:
    """QQ_VERSION_MAJOR or QQ_MAJOR_VERSION, and so on."""
    parts: dict[str, int] = {}
    for name in sorted(macros, key=len):
        words = words_of(name)
        part = words[-2] if words[-1] == "version" and len(words) > 1 else words[-1]
        if part in ("major", "minor", "patch") and "version" in words:
            parts.setdefault(part, macros[name])
    known = [str(parts[part]) for part in ("major", "minor", "patch") if part in parts]
    return ".".join(known) if {"major", "minor"} <= parts.keys() else ""


def _highest_version(macros: dict[str, int]) -> str:
    """QQ_VERSION_1_0, QQ_VERSION_1_1, …: one for each version that the headers know."""
    known = [tuple(map(int, match.groups())) for name in macros if (match := HIGHEST.fullmatch(name))]
    return ".".join(map(str, max(known))) if known else ""


HIGHEST = re.compile(r"[A-Za-z]+_VERSION_(\d+)_(\d+)")


def _version_in_one(macros: dict[str, int], file: str) -> str:
    """QQ_VERSION or QQRT_VERSION. Its encoding is the one whose major number the library's file has too; where none fits, the
    number is left as it is."""
    named = [name for name in macros if words_of(name)[-1] == "version" and set(words_of(name)[1:-1]) <= IN_VERSION]
    if not named:
        return ""
    value = macros[min(named, key=len)]
    for encoding in ENCODINGS:
        parts, rest = [], value
        for unit in encoding:
            parts.append(rest // unit)
            rest %= unit
        if rest == 0 and parts[0] > 0 and str(parts[0]) == file.partition(".")[0]:
            return ".".join(map(str, parts))
    return str(value)


def _is_ours(name: str, api: Api) -> bool:
    """By its first word: CUDART_VERSION is of an API whose functions begin with cuda, ACL_VERSION of one with aclrt."""
    if name.startswith("_"):
        return False
    first, prefix = words_of(name)[0], api.prefix[0]
    return first.startswith(prefix) or prefix.startswith(first)
