"""Read the C functions and enumerations that headers declare."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import clang.cindex as clang


@cache
def system_includes() -> tuple[str, ...]:
    """Where the C++ compiler looks: the wheel of libclang brings no header of its own."""
    compiler = shutil.which("c++") or "g++"
    command = [compiler, "-E", "-v", "-x", "c++", "/dev/null"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    listed = output.partition("#include <...> search starts here:")[2].partition("End of search list.")[0]
    return tuple(listed.split())


def parse(headers: Sequence[str], include_dirs: Sequence[Path], language: str = "c++") -> clang.TranslationUnit:
    """The translation unit that includes `headers`, named as in an #include. Raises ValueError with clang's messages."""
    source = "".join(f"#include <{header}>\n" for header in headers)
    arguments = ["-x", language, *(f"-I{folder}" for folder in include_dirs)]
    arguments += [f"-isystem{folder}" for folder in system_includes()]
    unit = clang.Index.create().parse("headers.h", arguments, unsaved_files=[("headers.h", source)])
    errors = [f"{d.location.file}:{d.location.line}: {d.spelling}" for d in unit.diagnostics if d.severity >= 3]
    if errors:
        raise ValueError("\n".join(errors))
    return unit


def _declared(unit: clang.TranslationUnit, include_dirs: Sequence[Path]) -> Iterator[clang.Cursor]:
    """What the headers below `include_dirs` declare: the system's do not count."""
    folders = [folder.resolve() for folder in include_dirs]
    for cursor in unit.cursor.walk_preorder():
        file = cursor.location.file
        if file and any(Path(file.name).resolve().is_relative_to(folder) for folder in folders):
            yield cursor


def functions(unit: clang.TranslationUnit, include_dirs: Sequence[Path]) -> dict[str, clang.Cursor]:
    """Name -> declaration of each function that a library has to bring: C linkage, no body in the header."""
    return {
        cursor.spelling: cursor
        for cursor in _declared(unit, include_dirs)
        if cursor.kind is clang.CursorKind.FUNCTION_DECL
        and cursor.linkage is clang.LinkageKind.EXTERNAL
        and cursor.mangled_name == cursor.spelling
        and not cursor.is_definition()
    }


def enumerations(unit: clang.TranslationUnit, include_dirs: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Type -> name -> value; an enumeration without a name of its own goes by its typedef's."""
    return {
        cursor.type.spelling.removeprefix("enum "): {
            child.spelling: child.enum_value for child in cursor.get_children()
        }
        for cursor in _declared(unit, include_dirs)
        if cursor.kind is clang.CursorKind.ENUM_DECL
    }


def as_written(cursor: clang.Cursor) -> str:
    """The declaration's text in its header."""
    extent = cursor.extent
    return Path(extent.start.file.name).read_bytes()[extent.start.offset : extent.end.offset].decode()


def tokens(text: str) -> list[str]:
    """`text` without its layout, to compare declarations."""
    return re.findall(r"\w+|[^\w\s]", text)
