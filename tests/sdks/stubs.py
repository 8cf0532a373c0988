"""A library to link against where only an SDK's headers can be had: every function they declare, none that works."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import clang.cindex as clang

from generators.vendor import SIMULATED_SDK, SIMULATED_SECTION
from tests.sdks.headers import functions, parse

SAYS = "a stub of the SDK, made from its headers: no function works"
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
__attribute__((section("@section"), used)) static const char marker[] = "@says";
static void stop(const char* name) {
  fprintf(stderr, "%s is a stub: it was made from the SDK's headers, to link against\\n", name);
  abort();
}
"""
INTEGERS = {
    getattr(clang.TypeKind, name)
    for name in "ENUM CHAR_U CHAR_S SCHAR UCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG".split()
}
CHARACTERS = {clang.TypeKind.CHAR_S, clang.TypeKind.CHAR_U}


def build_stub(
    headers: Sequence[str],
    include_dirs: Sequence[Path],
    soname: str,
    out: Path,
    status: int | None = None,
    says: str = SAYS,
) -> list[str]:
    """Write the library `out` with every C function that `headers` and what they include below `include_dirs` declare.

    Each aborts with its name; with `status`, those that return an integer or an enumeration return it instead, as an
    SDK's own stubs do, and those that return a text, a text: choose a code that means failure. `says` is what reports tell
    of the library. The names are returned. Raises ValueError for headers that do not parse or declare nothing.
    """
    declared = functions(parse(headers, include_dirs), include_dirs)
    if not declared:
        raise ValueError(f"{', '.join(headers)}: no C function is declared below {', '.join(map(str, include_dirs))}")
    lines = [_stub(cursor, status) for _, cursor in sorted(declared.items())]
    command = ["cc", "-x", "c", "-", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{soname}", "-o", str(out)]
    source = SOURCE.replace("@section", SIMULATED_SECTION).replace("@says", f"{SIMULATED_SDK}; {says}")
    child = subprocess.run(command, input=source + "".join(lines), capture_output=True, text=True)
    if child.returncode != 0:
        raise ValueError(f"{' '.join(command)}: {child.stderr[-2000:]}")
    return sorted(declared)


def _stub(cursor: clang.Cursor, status: int | None) -> str:
    returned = cursor.result_type.get_canonical()
    if status is not None and returned.kind in INTEGERS:
        return f"long {cursor.spelling}(void) {{ return {status}; }}\n"
    if status is not None and returned.kind is clang.TypeKind.POINTER and returned.get_pointee().kind in CHARACTERS:
        return f'const char* {cursor.spelling}(void) {{ return "{cursor.spelling} is a stub"; }}\n'
    return f'void {cursor.spelling}(void) {{ stop("{cursor.spelling}"); }}\n'
