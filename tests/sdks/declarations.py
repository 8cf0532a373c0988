"""An SDK drafted from a vendor's map alone: headers that declare what the map says and no more, and a stub library.

python -m tests.sdks.declarations --vendor NAME      into build/sdks/drafted/NAME, which is then a --sdk-path

With it a map that nobody has held against an SDK can be generated from, compiled and linked. That proves the templates and
nothing about the SDK: the library says so, and so does every report from it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from generators.build import BUILD
from generators.declaration import BASIC, QUALIFIERS, Declaration, parse_declaration
from generators.files import write_if_changed
from generators.map import Call, MapError, RuntimeMap, load_map, map_path
from generators.map.forms import FLAGS_OF, HOST_COPY, UNSUPPORTED
from generators.map.schema import CONTRACT_SLOTS, CONTRACT_VIRTUALS
from generators.runtime.calls import NUMBERS, contract_type, pointee
from generators.vendor import known_vendors, load_vendor
from tests.sdks.stubs import build_stub

DRAFTED = BUILD / "sdks/drafted"
SAYS = "drafted from the map itself: proves only the templates"
PLAIN = ""  # the type of a constant that is passed as a plain number


def draft_sdk(runtime_map: RuntimeMap, root: Path) -> Path:
    """Write the SDK below `root`. Raises ValueError for a map whose own declarations contradict each other."""
    drafted = DraftedSdk(runtime_map)
    for name, text in drafted.headers().items():
        (root / "include" / name).parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(root / "include" / name, text)
    (root / "lib").mkdir(exist_ok=True)
    library, soname = runtime_map.sdk.library, runtime_map.sdk.soname or runtime_map.sdk.library
    for name in (soname, *runtime_map.sdk.more_libraries):  # which function is whose the map does not say: each has all
        build_stub(
            *(runtime_map.sdk.headers, [root / "include"], name, root / "lib" / name, drafted.failure, SAYS),
            answers=drafted.answers,
        )
    if soname != library:
        (root / "lib" / library).unlink(missing_ok=True)
        (root / "lib" / library).symlink_to(soname)
    return root


class DraftedSdk:
    """What a map tells of its SDK's types, constants and functions."""

    def __init__(self, runtime_map: RuntimeMap) -> None:
        self.map = runtime_map
        self.functions: dict[str, Declaration] = {}
        self.types: dict[str, str] = {}  # in order of first use -> "struct" and the like, where it is written so
        self.constants: dict[str, dict[str, int]] = {PLAIN: {}}  # type -> name -> value
        self.integers: dict[str, str] = {}  # type -> what it must hold
        self._read_status()
        for path, call in runtime_map.calls:
            self._read_call(path, call)
        for handle in runtime_map.handles.values():
            self._mention(handle["type"])
        for state in runtime_map.state.values():
            self._mention(state.type)

    # ---- what the map tells

    def _read_status(self) -> None:
        status = self.map.status
        named = [*status.get("no_device", ()), *self.map.errors, *self.map.tolerate]
        named += [status["no_driver"]["code"]] if "no_driver" in status else []
        named += [code for _, call in self.map.calls for code in call.errors]
        named += self.map.slots["PointerGetAttributes"].attributes.get("unmanaged", ())
        self.status_type = _named(status["type"])
        self._name(self.status_type, [status["success"], *named])
        texts = [status[key] for key in ("text", "name", "clear") if key in status]
        texts += [status["no_driver"]["version"]] if "no_driver" in status else []
        for text in texts:
            self._declare(parse_declaration(text))

    def _read_call(self, path: str, call: Call) -> None:
        self._declare(call.declaration)
        section, name, part = f"{path}..".split(".", 2)
        part = part.strip(".")
        function = {"slots": CONTRACT_SLOTS, "virtuals": CONTRACT_VIRTUALS}.get(section, {}).get(name)
        contract = {p.name: contract_type(p.type) for p in function.parameters} if function and not part else {}
        contract |= {"self": "double *"} if part else {}  # of a call that an emulation is made of: a figure
        for argument, formal in zip(call.arguments, call.declaration.parameters, strict=True):
            value, kind = argument.value, _named(formal.type)
            match argument.form:
                case "const" if formal.type == kind and str(value).isidentifier():
                    self._name(kind, [value])
                case "const" | "array":
                    words = " ".join(map(str, value)) if argument.form == "array" else str(value)
                    sized = r"\bsizeof\s*\(\s*(\w+)\s*\)"
                    self._measure([kind, *re.findall(sized, words)], "long")
                    self._name(PLAIN, re.findall(r"[A-Za-z_]\w*", re.sub(sized, "", words)))
                case "number":
                    self._measure([kind], "int")
                case "result":
                    self._name(_named(value), call.results)
                case "status" | "ignore":
                    self._mention(value)
                case "parameter" if value == "kind":
                    self._name(kind, (c for c in self.map.kinds.values() if c not in (HOST_COPY, UNSUPPORTED)))
                case "parameter" if value == "flags" and name in FLAGS_OF:
                    self._name(kind, (self.map.flags[flag] for flag in FLAGS_OF[name]))
                case "parameter" if value == "attributes":
                    self._read_attributes(_named(formal.type), self.map.slots[name].attributes)
                case "parameter":
                    wanted = pointee(contract.get(value, ""))
                    self._measure([kind], wanted if wanted in NUMBERS else "")

    def _read_attributes(self, struct: str, attributes: dict) -> None:
        values = [value for values in attributes["types"].values() for value in values]
        self._name(f"{struct}_type", values)

    def _declare(self, declaration: Declaration) -> None:
        known = self.functions.setdefault(declaration.name, declaration)
        if known.types != declaration.types:
            raise ValueError(f"{self.map.where}: two declarations of one function: '{known}' and '{declaration}'")
        for text in (declaration.returns, *(p.type for p in declaration.parameters)):
            self._mention(text)

    def _mention(self, text: str) -> None:
        for keyword, name in _type_names(text):
            self.types[name] = self.types.get(name) or keyword

    def _name(self, kind: str, names: Iterable[str]) -> None:
        """Constants of a type: the first of a type is 0, as most SDKs have it for what is plain or good."""
        self._mention(kind)
        known = self.constants.setdefault(kind, {})
        for name in names:
            if name.isidentifier() and not any(name in others for others in self.constants.values()):
                known[name] = len(known)

    def _measure(self, names: list[str], holds: str) -> None:
        """Types that hold a number."""
        for name in names:
            if name and holds:
                self._mention(name)
                if self.integers.get(name) != "size_t":
                    self.integers[name] = holds

    # ---- what becomes of it

    @property
    def failure(self) -> int:
        """What each function of the stub returns: that there is no device, where the SDK has a code for it."""
        codes = self.constants[self.status_type]
        name = next((code for code in self.map.status.get("no_device", ()) if code in codes), "")
        code = codes[name] if name else len(codes)
        return -code if self.map.status["sign"] == "negated" else code

    @property
    def answers(self) -> dict[str, int]:
        """An SDK without a code for it says that there is no device by the number 0, which its caller's variable holds."""
        count = self.map.slots["GetDeviceCount"].call
        return {} if self.map.status.get("no_device") or not count else {count.declaration.name: 0}

    def headers(self) -> dict[str, str]:
        """All is in the first; name -> text."""
        first, *others = self.map.sdk.headers
        return {first: self._header()} | dict.fromkeys(others, f"#pragma once\n#include <{first}>\n")

    def _header(self) -> str:
        lines = [
            f"// Declarations taken from {self.map.where} by tests.sdks.declarations; no vendor wrote them, values are invented.",
            "#pragma once",
            *(f"#include <{header}.h>" for header in ("stdbool", "stddef", "stdint")),
            "#if defined(__cplusplus) && __cplusplus >= 201703L",
            "#define DRAFTED_STATUS [[nodiscard]]  // as strict as some SDKs' own",
            "#else",
            "#define DRAFTED_STATUS",
            "#endif",
            *(
                f"#define {name} {value}"
                for kind, values in self.constants.items()
                if kind == PLAIN or kind in self.integers
                for name, value in values.items()
            ),
            *self._types(),
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            *(f"{function};" for function in self.functions.values()),
            "#ifdef __cplusplus",
            "}",
            "#endif",
        ]
        return "\n".join(lines) + "\n"

    def _types(self) -> Iterator[str]:
        attributes = self.map.slots["PointerGetAttributes"].attributes
        struct = _named(attributes["struct"]) if attributes else ""
        memory = self.map.handles.get("memory", {})
        for name, keyword in self.types.items():
            if self.constants.get(name) and name not in self.integers:
                values = ", ".join(f"{constant} = {value}" for constant, value in self.constants[name].items())
                mark = "DRAFTED_STATUS " if name == self.status_type else ""
                yield f"typedef enum {mark}{name} {{ {values} }} {name};"
            elif name in self.integers:
                yield f"typedef {self.integers[name]} {name};"
            elif memory and name == _named(memory["type"]):
                yield f"typedef struct {name} {{ {_members({memory['address']: 'void *'})} }} {name};"
            elif name != struct:
                opaque = f"typedef {keyword} {name} {name};" if keyword else f"typedef struct {name}Opaque *{name};"
                yield opaque
        if struct:
            fields = {attributes["type"]: f"{struct}_type"}
            fields |= {attributes["device"]: "int"} if "device" in attributes else {}
            fields |= {attributes["pointer"]: "void *"} if "pointer" in attributes else {}
            yield f"typedef struct {struct} {{ {_members(fields)} }} {struct};"


def _members(fields: dict[str, str]) -> str:
    """`location.type` is a member of a struct that is a member."""
    nested: dict[str, dict[str, str]] = {}
    texts = []
    for path, kind in fields.items():
        outer, _, inner = path.partition(".")
        if inner:
            nested.setdefault(outer, {})[inner] = kind
        else:
            texts.append(f"{kind} {outer};")
    texts += [f"struct {{ {_members(inner)} }} {outer};" for outer, inner in nested.items()]
    return " ".join(texts)


def _named(text: str) -> str:
    """The name in a type that has one."""
    return next((name for _, name in _type_names(text)), "")


def _type_names(text: str) -> Iterator[tuple[str, str]]:
    """(keyword, name) of each type in a C type that the language itself does not know."""
    for keyword, name in re.findall(r"\b(?:(struct|enum|union)\s+)?([A-Za-z_]\w*)", text):
        if name not in BASIC | QUALIFIERS | NUMBERS and not re.fullmatch(r"u?int(ptr|max)_t|ptrdiff_t", name):
            yield keyword, name


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sdks.declarations", description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True, metavar="NAME")
    parser.add_argument("--map", type=Path, metavar="FILE", help="another map than the vendor's runtime-api-map.yaml")
    options = parser.parse_args(arguments)
    if not options.map and options.vendor in known_vendors() and load_vendor(options.vendor).handwritten:
        parser.error(f"vendor '{options.vendor}' is written by hand: it has no map to draft an SDK from")
    try:
        runtime_map = load_map(options.map.absolute() if options.map else map_path(options.vendor))
        print(f"{draft_sdk(runtime_map, DRAFTED / options.vendor)}: {SAYS}")
    except (MapError, ValueError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
