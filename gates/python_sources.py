"""What Python sources use, as the parser sees them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

CUDA = "torch.cuda"
ALLOWED = f"{CUDA}.is_initialized"  # a question that initialises nothing


def uses_of_cuda(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what is named) for each use of the Python side of CUDA: an import, an attribute, the module by its name. Programs in
    strings are read as well."""
    for node in ast.walk(tree):
        for name in _named(node):
            if name == CUDA or name.startswith(f"{CUDA}."):
                yield node.lineno, name  # type: ignore[attr-defined]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import" in node.value:
            try:
                program = ast.parse(node.value)
            except SyntaxError:  # prose, or a template of a program
                continue
            for line, name in uses_of_cuda(program):
                yield node.lineno + line - 1, name


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute):
        yield ast.unparse(node)
    elif isinstance(node, ast.Call):  # getattr(torch, "cuda"), import_module("torch.cuda")
        texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        yield from (text for text in texts if isinstance(text, str))
        if ast.unparse(node.func) == "getattr" and texts:
            yield f"{ast.unparse(node.args[0])}.{texts[0]!s}"
