"""Runs entries of PyTorch's lists in processes that may crash: one that did, or in which an entry failed, is replaced.

Nothing is forked: a process that has the libraries of a device in it, or has opened one, has no children that can use it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from multiprocessing.spawn import get_executable
from typing import Any

from gates.dispatch_log import what_ran
from generators.files import ROOT
from generators.sweep import SweepError

Entry = tuple[str, int, str]


class Worker:
    """A process of `worker`, which is asked and answers."""

    def __init__(self, kernels: str, number: int) -> None:
        self.answers, theirs = Pipe()
        self._errors = tempfile.TemporaryFile("w+", errors="replace")
        command = ["-m", "generators.sweep.worker", str(theirs.fileno()), kernels, str(number)]
        # The executable of multiprocessing's children: with preloaded libraries, it is one that has them as well.
        self._process = subprocess.Popen(
            [os.fsdecode(get_executable()), *command],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._errors,
            stderr=self._errors,
        )
        theirs.close()

    def ask(self, action: str, *arguments: Any) -> None:
        with suppress(BrokenPipeError):  # of one that is dead, which its answer tells
            self.answers.send((action, *arguments))

    def answer(self) -> tuple[Any, str] | None:
        """What came of it and what was written to stderr meanwhile; None from a process that has died."""
        try:
            return self.answers.recv()
        except (EOFError, ConnectionResetError):
            return None

    def end(self) -> tuple[str, str]:
        """How it ended, if not well, and what it wrote to stderr since its last answer."""
        self.answers.close()
        status = self._process.wait()
        self._errors.seek(0)
        with self._errors as errors:
            said = errors.read()
        if status == 0:
            return "", said
        return signal.Signals(-status).name if status < 0 else f"exit status {status}", said


def routable(kernels: str) -> tuple[list[str], dict[str, str]]:
    """The operators that can be routed to a device type's kernels here, and why each other one that is compiled cannot."""
    worker = Worker(kernels, 0)
    worker.ask("routable")
    answer = worker.answer()
    ended, said = worker.end()
    if answer is None:
        raise SweepError(f"torch_fl cannot be used here: {_last_line(said) or ended}")
    return answer[0]


class Sweep:
    """Entries of suites, run by so many workers: (suite, number in its list, name)."""

    def __init__(self, kernels: str, suites: Sequence[str], jobs: int) -> None:
        self.kernels, self.jobs = kernels, jobs
        self._started = 0
        self._first: Worker | None = self._start()
        self.entries = [entry for suite in suites for entry in self._list(self._first, suite)]

    def _start(self) -> Worker:
        self._started += 1
        return Worker(self.kernels, self._started)

    def _list(self, worker: Worker, text: str) -> list[Entry]:
        suite, _, every = text.partition(":")
        worker.ask("names", suite)
        answer = worker.answer()
        if answer is None:
            ended, said = worker.end()
            raise SweepError(f"PyTorch's list of {suite} cannot be read: {ended}\n{said[-1500:]}")
        return [(suite, number, name) for number, name in enumerate(answer[0])][:: int(every or 1)]

    def run(self, entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
        """Results as they come."""
        waiting = list(entries)[::-1]
        running: dict[Any, tuple[Entry, Worker]] = {}

        def give(worker: Worker | None) -> None:
            if waiting:
                worker = worker or self._start()
                entry = waiting.pop()
                worker.ask("check", *entry[:2])
                running[worker.answers] = (entry, worker)
            elif worker:
                worker.end()

        for _ in range(min(self.jobs, len(waiting))):
            give(self._first)
            self._first = None
        while running:
            for connection in wait(list(running)):
                entry, worker = running.pop(connection)
                answer = worker.answer()
                result, said = answer or (None, "")
                ended = ""
                if result is None or result["result"] == "failed":  # nothing is as it was: go on with another process
                    ended, rest = worker.end()
                    said += rest
                    yield self._failed(entry, result, ended, said)
                    give(None)
                else:
                    yield _finished(entry, result, said)
                    give(worker)

    def _failed(self, entry: Entry, result: dict[str, Any] | None, ended: str, said: str) -> dict[str, Any]:
        """With the operators that are wrong: the last that told of itself before the process died; else what differs from the
        CPU, operator by operator."""
        if result is not None:
            return _finished(entry, result | (self._once("shadow", entry) or {}), said)
        if entry[0] == "schemas" and self._once("taken_by_cpu", entry) is None:
            result = {"result": "excluded", "checks": {}, "why": f"ends the CPU's kernel, too, with {ended}"}
            return _finished(entry, result, said)
        why = f"ended with {ended}: {_last_line(said) or 'it said nothing'}"
        calls = what_ran(said)
        wrong = {"wrong": {calls[-1][0]: why}} if calls else {}
        return _finished(entry, {"result": "failed", "checks": {}, "why": why} | wrong, said)

    def _once(self, action: str, entry: Entry) -> Any:
        """An answer of a process that does nothing else; None if it dies."""
        worker = self._start()
        worker.ask(action, *entry[:2])
        answer = worker.answer()
        worker.end()
        return answer[0] if answer else None


def _finished(entry: Entry, result: dict[str, Any], said: str) -> dict[str, Any]:
    ran: dict[str, set[str]] = defaultdict(set)
    for operator, by in what_ran(said):
        ran[by].add(operator)
    suite, _, name = entry
    return {"suite": suite, "name": name, **result, "ran": {by: sorted(ops) for by, ops in sorted(ran.items())}}


def _last_line(said: str) -> str:
    lines = [line for line in said.splitlines() if not line.startswith("flagos:")]
    return lines[-1][:300] if lines else ""
