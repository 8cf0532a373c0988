"""A vendor's C++ sources as the compiler sees them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import clang.cindex as clang

from gates.status import check
from generators.contract import Function
from generators.documents import shorten
from generators.files import ROOT
from generators.recon.headers import compiler_arguments
from generators.vendor import FoundSdk, Vendor


def parse_source(path: Path, vendor: Vendor, sdk: FoundSdk | None) -> clang.TranslationUnit:
    defines = vendor.sdk.defines if vendor.sdk else ()
    runtime = ROOT / "csrc/runtime"
    include = [
        ROOT / "csrc/include",
        path.parents[2] / "allocator",
        runtime / "allocator",
        runtime / "accelerator/common",
        path.parent,
    ]
    include += sdk.include_path if sdk else []
    # GCC's own headers use builtins that libclang lacks; nothing of ours depends on those.
    arguments = [
        "-x",
        "c++",
        "-std=c++17",
        "-ferror-limit=0",
        *(f"-I{d}" for d in include),
        *(f"-D{d}" for d in defines),
    ]
    unit = clang.Index.create().parse(str(path), [*arguments, *compiler_arguments("c++")])
    errors = [
        f"{d.location.file}:{d.location.line}: {d.spelling}"
        for d in unit.diagnostics
        if d.severity >= clang.Diagnostic.Error and not str(d.location.file).startswith("/usr/lib/gcc/")
    ]
    generate = (
        f"the file is generated: mend the map, whose line the gate runtime.map.declared names, then "
        f"python -m generators.runtime --vendor {vendor.name}"
    )
    check(
        not errors,
        f"{path.name} cannot be parsed",
        found="; ".join(errors[:3]),
        where=shorten(path),
        next="" if vendor.handwritten else generate,
    )
    return unit


def cursors_of(path: Path, unit: clang.TranslationUnit) -> Iterator[clang.Cursor]:
    """What the file itself says, without the hundred thousand cursors of the headers that it includes."""
    for top in unit.cursor.get_children():
        if top.location.file is not None and Path(top.location.file.name).resolve() == path.resolve():
            yield from top.walk_preorder()


DEFINED = (clang.CursorKind.FUNCTION_DECL, clang.CursorKind.CXX_METHOD)


def definitions_of(
    vendor: Vendor, sdk: FoundSdk | None, wanted: tuple[Function, ...]
) -> dict[str, list[tuple[str, clang.Cursor]]]:
    """Function -> (file, its definition) for each place where the vendor's sources or its memory header define it."""
    names = {function.name for function in wanted}
    header = vendor.sources.parents[1] / f"allocator/backends/{vendor.name}_memory.h"
    found: dict[str, list[tuple[str, clang.Cursor]]] = {}
    for path in sorted(vendor.sources.glob("*.cc")):
        unit = parse_source(path, vendor, sdk)
        for file in (path, header) if path.name == "memory.cc" else (path,):
            for cursor in cursors_of(file, unit):
                if cursor.kind in DEFINED and cursor.is_definition() and cursor.spelling in names:
                    found.setdefault(cursor.spelling, []).append((file.name, cursor))
    return found


def calls_in(definition: clang.Cursor) -> list[clang.Cursor]:
    """The functions that a definition calls."""
    calls = (c for c in definition.walk_preorder() if c.kind is clang.CursorKind.CALL_EXPR)
    return [call.referenced for call in calls if call.referenced is not None]
