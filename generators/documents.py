"""YAML documents that people write: every mistake is named with its line, and every entry keeps its line.

A schema is built from plain values: a dict is keys that are all known, `[schema]` a list, `str`, `bool`, `int` and `float`
a scalar, and `Choice` and `Table` what these cannot say.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from generators.files import ROOT


class DocumentError(Exception):
    """A document that cannot be used: every mistake on a line of its own, as `file:line: path: message`."""


@dataclass(frozen=True)
class Choice:
    """One of these words."""

    words: tuple[str, ...]
    what: str  # what such a word is called, for the message


@dataclass(frozen=True)
class Table:
    """Entries under names: those in `names`, or any where there are none."""

    value: Any
    what: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shape:
    """Whatever `check` accepts: it is given a node and says what it expected instead, or "" if all is well."""

    check: Callable[[yaml.Node], str]


class Block(dict):
    """The keys of a mapping, with their lines."""

    def __init__(self, entries: Iterable[tuple[str, Any]], line: int, lines: dict[str, int]) -> None:
        super().__init__(entries)
        self.line = line
        self.lines = lines


def shorten(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The likeliest of the known words, or all of them."""
    known = list(known)
    near = difflib.get_close_matches(word, known, 1)
    return f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"


def read_document(path: Path, schema: dict[str, Any], what: str, content: str | None = None) -> Block:
    """The document's content, or `content` as if the file held it. `what` names it where a message has no key to name.
    Raises DocumentError.
    """
    where = shorten(path)
    text = path.read_bytes() if content is None else content.encode()
    try:
        root = yaml.compose(text.decode(), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise DocumentError(f"{where}:{_line_of(error, text)}: not valid YAML: {problem}") from None
    if not isinstance(root, yaml.MappingNode):
        raise DocumentError(f"{where}:1: expected keys such as '{next(iter(schema))}:', found {_words(root)}")
    mistakes = list(_check(root, schema, where, "", what))
    if mistakes:
        raise DocumentError("\n".join(mistakes))
    return _content(root)


def _line_of(error: Exception, text: bytes) -> int:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return error.problem_mark.line + 1
    if isinstance(error, UnicodeDecodeError):
        return text.count(b"\n", 0, error.start) + 1
    if isinstance(error, yaml.reader.ReaderError):
        return text.decode().count("\n", 0, error.position) + 1
    return 1


def _words(node: yaml.Node | None) -> str:
    """What a node is, for a message."""
    if node is None:
        return "nothing"
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "keys"


def _is(node: yaml.Node, kind: type) -> bool:
    """Whether a node is what YAML itself makes of a `kind`; an explicit tag can claim what the text is not."""
    nodes: dict[type, type] = {dict: yaml.MappingNode, list: yaml.SequenceNode}
    names: dict[type, str] = {dict: "map", list: "seq"}
    if not isinstance(node, nodes.get(kind, yaml.ScalarNode)):
        return False
    if kind is bool and node.value.lower() not in yaml.SafeLoader.bool_values:
        return False
    if node.tag != f"tag:yaml.org,2002:{names.get(kind, kind.__name__)}":
        return False
    return kind not in (int, float) or _reads(node)


def _reads(node: yaml.Node) -> bool:
    try:
        yaml.SafeLoader("").construct_document(node)
    except (ValueError, yaml.YAMLError):
        return False
    return True


def _check(node: yaml.Node, schema: Any, where: str, path: str, what: str) -> Iterator[str]:
    """Every difference between a YAML node and the schema, with its line."""
    name = path.rstrip(".") or what
    at = f"{where}:{node.start_mark.line + 1}: {name}"
    if isinstance(schema, dict | Table):
        if not _is(node, dict):
            known = ", ".join(schema if isinstance(schema, dict) else schema.names)
            yield f"{at}: expected keys{f' ({known})' if known else ''}, found {_words(node)}"
            return
        seen: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not _is(key, str):
                yield f"{where}:{line}: {name}: a key must be a word, found {_words(key)}"
                continue
            if key.value in seen:
                yield f"{where}:{line}: {path}{key.value}: given twice (first on line {seen[key.value]})"
            elif isinstance(schema, Table) and schema.names and key.value not in schema.names:
                yield f"{where}:{line}: {name}: unknown {schema.what} '{key.value}'; {did_you_mean(key.value, schema.names)}"
            elif isinstance(schema, dict) and key.value not in schema:
                yield f"{where}:{line}: {path}{key.value}: unknown key; {did_you_mean(key.value, schema)}"
            else:
                inner = schema.value if isinstance(schema, Table) else schema[key.value]
                yield from _check(value, inner, where, f"{path}{key.value}.", what)
            seen.setdefault(key.value, line)
    elif schema == [str]:
        if not _is(node, list) or not all(_is(value, str) for value in node.value):
            yield f"{at}: expected a list of strings"
    elif isinstance(schema, list):
        if not _is(node, list):
            yield f"{at}: expected a list, found {_words(node)}"
            return
        for index, value in enumerate(node.value):
            yield from _check(value, schema[0], where, f"{path.rstrip('.')}[{index}].", what)
    elif isinstance(schema, Choice):
        if not _is(node, str):
            yield f"{at}: expected a {schema.what} ({', '.join(schema.words)}), found {_words(node)}"
        elif node.value not in schema.words:
            yield f"{at}: unknown {schema.what} '{node.value}'; {did_you_mean(node.value, schema.words)}"
    elif isinstance(schema, Shape):
        if expected := schema.check(node):
            yield f"{at}: {expected}"
    elif not _is(node, schema) and not (schema is float and _is(node, int)):
        kind = {"str": "a string", "bool": "true or false", "int": "a whole number", "float": "a number"}
        yield f"{at}: expected {kind[schema.__name__]}, found {_words(node)}"


def _content(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
        return Block(((key.value, _content(value)) for key, value in node.value), node.start_mark.line + 1, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_content(item) for item in node.value]
    return yaml.SafeLoader("").construct_document(node)


def is_scalar(node: yaml.Node, *kinds: type) -> bool:
    """Whether a node is a scalar of one of these kinds: for a `Shape`."""
    return any(_is(node, kind) for kind in kinds)
