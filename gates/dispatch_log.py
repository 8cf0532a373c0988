"""What FLAGOS_LOG_DISPATCH=1 tells on stderr. Imports nothing, so that whoever reads a log need not have torch."""

from __future__ import annotations

import re

LINE = re.compile(r"^flagos:\d+: aten::(?P<operator>\S+): (?P<by>\w+)", re.MULTILINE)


def what_ran(log: str) -> list[tuple[str, str]]:
    """Of each call in its order: the operator, "add.Tensor", and what ran it: the dispatch key of a boxed kernel, or
    "fallback"."""
    return [(found["operator"], found["by"]) for found in LINE.finditer(log)]
