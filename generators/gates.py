"""The gates of the tree, for what speaks of them: their list, descriptors that name one, the mutants that they find."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generators.files import ROOT


@dataclass(frozen=True)
class Gate:
    id: str
    criterion: str
    requires: tuple[str, ...]
    file: str
    function: str


@cache
def list_gates(folder: Path = ROOT / "gates") -> tuple[Gate, ...]:
    """Every gate of the tree, read without importing it, in order of file and line."""
    return tuple(gate for path in sorted(folder.glob("*/test_*.py")) for gate in gates_of(path))


def gates_of(path: Path) -> Iterator[Gate]:
    """Those of one file."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.gate":
                requires = next((ast.literal_eval(k.value) for k in mark.keywords if k.arg == "requires"), ())
                criterion = " ".join((ast.get_docstring(node) or "").removeprefix("Exit criterion:").split())
                file = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
                yield Gate(ast.literal_eval(mark.args[0]), criterion, tuple(requires), file, node.name)
