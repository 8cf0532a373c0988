"""Read the runtime contract from its two headers: nothing else lists the functions.

`csrc/include/flagos.h` declares the 28 C functions, under a heading per source file; the ten virtuals are the pure
virtuals of `DeviceMemoryInterface`. Both are parsed with libclang.

    python -m generators.contract             print the contract
    python -m generators.contract --write     write csrc/runtime/slots.inc, the list for C++
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import clang.cindex as clang

from generators.files import ROOT, write_if_changed

HEADER = ROOT / "csrc/include/flagos.h"
MEMORY_INTERFACE = ROOT / "csrc/runtime/allocator/device_memory_interface.h"
SLOTS = ROOT / "csrc/runtime/slots.inc"

# The wheel of libclang has no builtin headers, and without them `size_t` silently becomes `int`.
BUILTIN_HEADERS = {
    "stddef.h": "typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;\n#define NULL ((void *)0)\n",
    "cstddef": "#include <stddef.h>\nnamespace std { using ::size_t; }\n",
}
HEADING = re.compile(r"// ---- (\w+\.cc): (\d+) -+")  # a comment of ours: no parser knows it


class ContractError(Exception):
    """A header that cannot be read as the contract; says file and line."""


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # canonical C type, e.g. "void **"


@dataclass(frozen=True)
class Function:
    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    line: int
    file: str = ""  # where a vendor defines it; empty for a virtual and for what stands beside the 28


@dataclass(frozen=True)
class Contract:
    slots: tuple[Function, ...]  # the C functions that return Error_t
    accessors: tuple[Function, ...]  # exported beside them: these do not count as slots
    virtuals: tuple[Function, ...]  # pure virtuals of DeviceMemoryInterface, in order of declaration
    files: dict[str, int]  # source file -> how many slots the header's headings promise there
    enums: dict[str, dict[str, int]]  # enum -> name -> value

    def slot(self, name: str) -> Function:
        return next(slot for slot in self.slots if slot.name == name)


def parse(path: Path, language: str = "c++") -> clang.TranslationUnit:
    """Parse a header hermetically; any error is a ContractError with file, line and clang's message."""
    stubs = [(f"/flagos-builtin/{name}", text) for name, text in BUILTIN_HEADERS.items()]
    arguments = ["-x", language, "-nostdinc", "-isystem", "/flagos-builtin", "-I", str(HEADER.parent)]
    arguments += ["-std=c++17" if language == "c++" else "-std=c11"]
    unit = clang.Index.create().parse(str(path), arguments, unsaved_files=stubs)
    errors = [d for d in unit.diagnostics if d.severity >= clang.Diagnostic.Error]
    if errors:
        raise ContractError("\n".join(f"{d.location.file}:{d.location.line}: {d.spelling}" for d in errors))
    return unit


def _function(cursor: clang.Cursor, file: str = "") -> Function:
    parameters = tuple(Parameter(p.spelling, p.type.get_canonical().spelling) for p in cursor.get_arguments())
    returns = cursor.result_type.get_canonical().spelling
    return Function(cursor.spelling, returns.removeprefix("enum "), parameters, cursor.location.line, file)


@cache
def read_contract(header: Path = HEADER, memory_interface: Path = MEMORY_INTERFACE) -> Contract:
    """The contract as the two headers state it. Raises ContractError."""
    matches = [(number, HEADING.match(line)) for number, line in enumerate(header.read_text().splitlines(), 1)]
    headings = [(number, match[1], int(match[2])) for number, match in matches if match]
    functions, enums = [], {}
    for cursor in parse(header).cursor.walk_preorder():
        if cursor.location.file is None or Path(cursor.location.file.name) != header:
            continue
        if cursor.kind is clang.CursorKind.FUNCTION_DECL:
            functions.append(_function(cursor))
        elif cursor.kind is clang.CursorKind.ENUM_DECL:
            enums[cursor.spelling] = {value.spelling: value.enum_value for value in cursor.get_children()}
    virtuals = tuple(
        _function(cursor)
        for cursor in parse(memory_interface).cursor.walk_preorder()
        if cursor.kind is clang.CursorKind.CXX_METHOD and cursor.is_pure_virtual_method()
    )

    def file_of(line: int) -> str:
        return next((name for heading, name, _ in reversed(headings) if heading < line), "")

    return Contract(
        slots=tuple(replace(f, file=file_of(f.line)) for f in functions if f.returns == "Error_t"),
        accessors=tuple(f for f in functions if f.returns != "Error_t"),
        virtuals=virtuals,
        files={name: count for _, name, count in headings},
        enums=enums,
    )


def render_slots(contract: Contract) -> str:
    """The list of slots for C++: `SLOT(name)` a line; the types come from the header by decltype."""
    lines = "".join(f"SLOT({slot.name})\n" for slot in contract.slots)
    return "// @generated from csrc/include/flagos.h by generators.contract; do not edit.\n" + lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.contract", description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {SLOTS.relative_to(ROOT)}")
    options = parser.parse_args(arguments)
    try:
        contract = read_contract()
    except ContractError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    if options.write:
        changed = write_if_changed(SLOTS, render_slots(contract))
        print(f"{SLOTS.relative_to(ROOT)}: {'written' if changed else 'unchanged'}")
        return 0
    for function in (*contract.slots, *contract.virtuals, *contract.accessors):
        parameters = ", ".join(f"{p.type} {p.name}" for p in function.parameters)
        print(f"{function.file or '-':10} {function.returns} {function.name}({parameters})")
    counts = ", ".join(f"{name} {count}" for name, count in contract.files.items())
    print(f"{len(contract.slots)} functions ({counts}); {len(contract.virtuals)} virtuals")
    return 0


if __name__ == "__main__":
    sys.exit(main())
