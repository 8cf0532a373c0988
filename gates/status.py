"""How a gate ends, and how a gate says so."""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn

import pytest
from _pytest.outcomes import Skipped


class Status(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    GAP = "GAP"
    NOT_RUN = "NOT RUN"


class NotRun(Skipped):
    """The gate could not run here; the message names the cause and what to provide."""


class Gapped(Skipped):
    """The vendor declares that it cannot meet the gate."""


def not_run(cause: str) -> NoReturn:
    raise NotRun(cause, _use_item_location=True)


def fail(
    what: str, *, expected: object = None, found: object = None, where: str = "", likely: str = "", next: str = ""
) -> NoReturn:
    """End the gate as FAIL: what went wrong in the first line, then the evidence and the next step."""
    parts = {"expected": expected, "found": found, "where": where, "likely": likely, "next": next}
    lines = [f"  {name:9} {text}" for name, text in parts.items() if text not in (None, "")]
    raise pytest.fail.Exception("\n".join([what, *lines]), pytrace=False) from None  # it tells of its cause itself


def check(condition: bool, what: str, **evidence: object) -> None:
    """`fail` unless the condition holds."""
    if not condition:
        fail(what, **evidence)  # type: ignore[arg-type]
