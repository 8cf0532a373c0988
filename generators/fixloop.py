"""Attempt, diagnose, amend: how a harness finds what a file should say when only trying tells.

An attempt is given a candidate and returns every fault that it met, none if all is well. Amending turns a candidate and its
faults into the next candidate. The loop is bounded, tries no candidate twice, and remembers each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Candidate = TypeVar("Candidate")
Fault = TypeVar("Fault")


class Stuck(Exception):
    """No amendment mends these faults; says why and what to do."""


@dataclass(frozen=True)
class Step:
    faults: tuple[str, ...]
    change: str  # what was amended; empty in the last step

    def __str__(self) -> str:
        if not self.faults:
            return "no fault"
        shown = ", ".join(self.faults[:5]) + (", …" if len(self.faults) > 5 else "")
        return f"{len(self.faults)} faults ({shown})" + (f"; {self.change}" if self.change else "")


@dataclass
class Outcome(Generic[Candidate]):
    candidate: Candidate  # the last one tried
    steps: list[Step] = field(default_factory=list)
    stuck: str = ""  # why it did not converge

    @property
    def converged(self) -> bool:
        return not self.stuck

    def properties(self) -> dict[str, str]:
        """Each step, for JUnit."""
        told = {f"attempt {number}": str(step) for number, step in enumerate(self.steps, 1)}
        return told | ({"stuck": self.stuck} if self.stuck else {})


def converge(
    first: Candidate,
    attempt: Callable[[Candidate], Sequence[Fault]],
    amend: Callable[[Candidate, Sequence[Fault]], tuple[Candidate, str]],
    limit: int = 4,
) -> Outcome[Candidate]:
    """Try `first` and what `amend` makes of it until an attempt meets no fault, `limit` attempts at most. `amend` returns
    the next candidate and what it changed, or raises Stuck."""
    outcome = Outcome(first)
    tried = []
    while True:
        faults = attempt(outcome.candidate)
        tried.append(outcome.candidate)
        told = tuple(str(fault) for fault in faults)
        if not faults:
            outcome.steps.append(Step(told, ""))
            return outcome
        try:
            if len(tried) == limit:
                raise Stuck(f"still {len(told)} faults after {limit} attempts")
            candidate, change = amend(outcome.candidate, faults)
            if candidate in tried:
                raise Stuck(
                    f"goes in circles: '{change}' leads back to what attempt {tried.index(candidate) + 1} tried"
                )
        except Stuck as reason:
            outcome.steps.append(Step(told, ""))
            outcome.stuck = str(reason)
            return outcome
        outcome.steps.append(Step(told, change))
        outcome.candidate = candidate
