"""Which torch lines this package was ported to, and the operators that only some of them have.

Needs no torch. The table beside this module is generated from the records of the ports and is installed with the package.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_suffix(".json")


class TorchLines(NamedTuple):
    names: tuple[str, ...]  # "2.13", oldest first
    operators: dict[str, list[str]]  # that not every line has -> the lines that have it


@cache
def torch_lines() -> TorchLines:
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    return TorchLines(tuple(table["lines"]), table["operators"])


def line_of(version: str) -> str:
    """The line of a version of torch: "2.13" of "2.13.0+cpu"."""
    return ".".join(version.partition("+")[0].split(".")[:2])


def where_it_is(operator: str) -> str:
    """Which lines have an operator that not all of them have: "torch 2.14 and later", or empty."""
    names, operators = torch_lines()
    having = operators.get(operator, [])
    if not having:
        return ""
    first, last = having[0], having[-1]
    if list(names[names.index(first) : names.index(last) + 1]) != having:
        return f"torch {', '.join(having)}"
    if last == names[-1]:
        return f"torch {first} and later"
    if first == names[0]:
        return f"torch {last} and earlier"
    return f"torch {first}" + (f" to {last}" if last != first else "")
