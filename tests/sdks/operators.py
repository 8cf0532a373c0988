"""The functions of a library of operators, as its table declares them: for a simulation of it, and to compile against.

python -m tests.sdks.operators FOLDER      writes each table's headers to FOLDER/<vendor>
"""

from __future__ import annotations

import sys
from pathlib import Path

from generators.documents import shorten
from generators.files import write_if_changed
from generators.map import VENDORS
from generators.native_op.table import FILE, OperatorTable, read_table

DECLARED = "declared_operators.h"  # beside the first header; has all, and the library's other headers include it


def headers(table: OperatorTable) -> dict[str, str]:
    """Name -> text of all but the library's first, which is written by hand: it holds the types."""
    first, *others = table.library.headers
    declared = str(Path(first).with_name(DECLARED))
    inside = f"namespace {table.convention.namespace}" if table.convention.namespace else 'extern "C"'
    lines = [
        f"// Declarations taken from {shorten(table.path)} by tests.sdks.operators; no vendor wrote this file.",
        "#pragma once",
        f"#include <{first}>",
        f"{inside} {{",
        *(f"{call};" for call in table.calls),
        "}",
    ]
    return {declared: "\n".join(lines) + "\n"} | dict.fromkeys(others, f"#pragma once\n#include <{declared}>\n")


def write_headers(folder: Path) -> None:
    """Of every vendor that has a table. Raises NativeError."""
    for path in sorted(VENDORS.glob(f"*/{FILE}")):
        table = read_table(path)
        for name, text in headers(table).items():
            file = folder / table.vendor / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write_if_changed(file, text)


if __name__ == "__main__":
    write_headers(Path(sys.argv[1]))
