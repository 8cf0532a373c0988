"""What Python sources use, as the parser sees them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

CUDA = "torch.cuda"
ALLOWED = f"{CUDA}.is_initialized"  # a question that initialises nothing


def uses_of_cuda(tree: ast.AST, line: int = 1) -> Iterator[tuple[int, str]]:
    """(line, what is named) for each use of the Python side of CUDA: an import, an attribute, the module by its name. Programs in
    strings are read as well."""
    line = getattr(tree, "lineno", line)
    used = [name for name in _named(tree) if name == CUDA or name.startswith(f"{CUDA}.")]
    yield from ((line, name) for name in used)
    if used and isinstance(tree, ast.Attribute):
        return  # what it is an attribute of is the same use
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str) and "import" in tree.value:
        with suppress(SyntaxError):  # prose, or a template of a program
            yield from ((line + inner - 1, name) for inner, name in uses_of_cuda(ast.parse(tree.value)))
    for child in ast.iter_child_nodes(tree):
        yield from uses_of_cuda(child, line)


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
