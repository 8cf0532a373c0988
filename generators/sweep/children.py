"""The entries of PyTorch's lists, run in processes that may crash.

Imports torch, and never uses a device itself: one that it had used would not work in its children.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import Any

# The lists ask for all devices; children say whether they log.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
os.environ["FLAGOS_LOG_DISPATCH"] = "1"

import torch

from gates.dispatch_log import what_ran
from generators.sweep import checks
from generators.sweep.comparing import Refused, target
from generators.sweep.shadow import Shadow

LIMIT = 180  # seconds for one entry
TOGETHER = 8  # entries that one process runs, as long as none fails: opening a device takes longer than most entries


@dataclass(frozen=True)
class Entry:
    suite: str
    name: str
    info: Any
    check: Callable[[Any, Counter], None]

    @property
    def key(self) -> str:
        return f"{self.suite} {self.name}"


def entries(suite: str, routed: Sequence[str]) -> list[Entry]:
    """One of PyTorch's lists: `operators` (op_db), `lists` (the foreach operators), `modules` (module_db), `optimizers`
    (optim_db); or `schemas`, the routed operators with arguments made up from their schemas."""
    if suite in ("operators", "lists"):
        from torch.testing._internal import common_methods_invocations as listed

        if suite == "operators":
            return [Entry(suite, op.formatted_name, op, checks.check_operator) for op in listed.op_db]
        lists = (getattr(listed, name) for name in sorted(vars(listed)) if re.fullmatch("foreach_.*_op_db", name))
        return [Entry(suite, op.formatted_name, op, checks.check_lists) for ops in lists for op in ops]
    if suite == "modules":
        from torch.testing._internal.common_modules import module_db

        return [Entry(suite, info.name, info, checks.check_module) for info in module_db]
    if suite == "optimizers":
        from torch.testing._internal.common_optimizers import optim_db

        optimizers: list[Any] = optim_db
        return [Entry(suite, info.optim_cls.__name__, info, checks.check_optimizer) for info in optimizers]
    return [Entry(suite, name, name, checks.check_schema) for name in routed]


def run_all(chosen: Sequence[Entry], jobs: int) -> Iterator[dict[str, Any]]:
    """Results as they come, from so many processes at a time."""
    torch.set_num_threads(1)
    waiting = [list(range(first, min(first + TOGETHER, len(chosen)))) for first in range(0, len(chosen), TOGETHER)][
        ::-1
    ]
    running: dict[Any, tuple[list[int], Child]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            numbers = waiting.pop()
            child = Child(partial(_run, [chosen[number] for number in numbers]), numbers[0])
            running[child.answers] = (numbers, child)
        for answers in wait(list(running)):
            left, child = running[answers]
            received = child.receive()
            if received is None:
                del running[answers]
                ended, said = child.end()
                if ended and left:
                    yield _judge(left[0], chosen[left.pop(0)], None, ended, said)
                if left:
                    waiting.append(left)
            else:
                result, said = received
                yield _judge(left[0], chosen[left.pop(0)], result, "", said)


def _judge(number: int, entry: Entry, result: dict[str, Any] | None, ended: str, said: str) -> dict[str, Any]:
    if entry.suite == "schemas" and ended and in_child(partial(_is_taken_by_cpu, entry.name), number)[1]:
        result = _result("excluded", {}, f"ends the CPU's kernel, too, with {ended}")
    result = result or _result("failed", {}, f"ended with {ended}: {_last_line(said)}")
    calls = what_ran(said)
    ran = defaultdict(set)
    for operator, by in calls:
        ran[by].add(operator)
    if ended and result["result"] == "failed" and calls:  # each tells of itself before it begins
        result["wrong"] = {calls[-1][0]: result["why"]}
    elif result["result"] == "failed":  # once more, operator by operator
        result |= in_child(partial(_in_shadow, entry), number)[0] or {}
    return {
        "suite": entry.suite,
        "name": entry.name,
        **result,
        "ran": {by: sorted(operators) for by, operators in sorted(ran.items())},
    }


def _last_line(said: str) -> str:
    lines = [line for line in said.splitlines() if not line.startswith("flagos:")]
    return lines[-1][:300] if lines else "it said nothing"


def _result(ended: str, counts: dict, why: str) -> dict[str, Any]:
    return {"result": ended, "checks": counts, "why": why[:1500]}


def _run(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """In a child. After one that failed nothing is as it was, so that the process ends."""
    for entry in entries:
        result = _check(entry)
        yield result
        if result["result"] == "failed":
            return


def _in_shadow(entry: Entry) -> Iterator[dict[str, Any]]:
    """In a child: the operators that are wrong and those that are right."""
    with Shadow() as shadow:
        _check(entry)
    yield {"wrong": {name: why[:400] for name, why in shadow.wrong.items()}, "right": sorted(shadow.right)}


def _check(entry: Entry) -> dict[str, Any]:
    counts: Counter = Counter()
    if entry.name in checks.EXCLUDED:
        return _result("excluded", counts, checks.EXCLUDED[entry.name])
    try:
        entry.check(entry.info, counts)
    except Refused as refused:
        return _result("excluded", counts, str(refused))
    except BaseException as error:
        return _result("failed", counts, f"{type(error).__name__}: {error}")
    return _result("passed", counts, "") if counts else _result("failed", counts, "nothing was checked")


def _is_taken_by_cpu(name: str) -> Iterator[bool]:
    from gates.operators import is_taken_by_cpu

    yield is_taken_by_cpu(name)


class Child:
    """A process that does work, one answer after the other. Children share the devices among them, the first one least: it is
    the current one, where a result in the wrong place would not show."""

    def __init__(self, work: Callable[[], Iterator[Any]], number: int) -> None:
        self.answers, theirs = Pipe(duplex=False)
        self._errors = tempfile.TemporaryFile("w+", errors="replace")
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.dup2(self._errors.fileno(), 2)
                signal.alarm(LIMIT)
                importlib.import_module("torch_fl").init()
                count = torch.accelerator.device_count()
                target.device = f"flagos:{1 + number % (count - 1) if count > 1 else 0}"
                with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # or convolutions round to ten bits
                    for answer in work():
                        theirs.send((answer, self._said()))
                        os.ftruncate(2, 0)
                        os.lseek(2, 0, os.SEEK_SET)
                        signal.alarm(LIMIT)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        theirs.close()

    def _said(self) -> str:
        sys.stderr.flush()
        self._errors.seek(0)
        return self._errors.read()

    def receive(self) -> tuple[Any, str] | None:
        """The next answer, and what was written to stderr for it; None when there will be none."""
        try:
            return self.answers.recv()
        except EOFError:
            return None

    def end(self) -> tuple[str, str]:
        """How the process ended, if not well, and what it wrote to stderr since its last answer."""
        self.answers.close()
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        said = self._said()
        self._errors.close()
        if status == 0:
            return "", said
        return signal.Signals(-status).name if status < 0 else f"exit status {status}", said


def in_child(work: Callable[[], Iterator[Any]], number: int) -> tuple[Any, str, str]:
    """The only answer of a process, how it ended if not well, and what it wrote to stderr."""
    child = Child(work, number)
    received = child.receive()
    ended, said = child.end()
    return received[0] if received else None, ended, said


def routable(kernels: str) -> tuple[list[str], dict[str, str]]:
    """The operators that can be routed to a device type's kernels here, and why each other one that is compiled cannot."""
    answer, ended, said = in_child(partial(_routable, kernels), 0)
    if ended:
        from generators.sweep import SweepError

        raise SweepError(f"torch_fl cannot be used here: {_last_line(said)}")
    return answer[0], answer[1]


def _routable(kernels: str) -> Iterator[tuple[list[str], dict[str, str]]]:
    from generators.aten.lines import installed_line
    from generators.aten.operators import read_catalogue
    from torch_fl import _C

    names = _C.routable_operators(kernels)
    others = sorted({operator.name for operator in read_catalogue(installed_line()).routable} - set(names))
    problems = (problem.split(": ", 1) for problem in _C.route_operators(others, kernels))
    yield names, {name: why for name, why in problems}
