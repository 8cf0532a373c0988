"""Run each gate in a process of its own, quickly.

Code of a vendor can crash, hang, or leave a device in a state that poisons what follows. So a *warm* process is
forked from pytest's once the tests are collected, imports torch once (1.8 s), and forks a child for each gate (some
ms). The child has all of pytest's state, so a gate is an ordinary test function. The warm process never touches a
runtime.

A child that dies by a signal, or outlives its limit, is one failed gate: its last words and its Python stack (from
faulthandler) are in the report, its process group is gone, and the next gate starts from the clean warm process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import importlib
import os
import pickle
import select
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn

import pytest

LOG_LIMIT = 32 * 1024  # bytes of a child's output that are kept: the head and the tail


@dataclass(frozen=True)
class Request:
    target: str | Callable[..., Any]  # the node id of a collected gate, or a module-level function
    arguments: dict[str, Any]
    environment: dict[str, str]
    seconds: float
    modules: tuple[str, ...]  # imported by the warm process before it forks, in a child if that fails


@dataclass
class Outcome:
    kind: str  # "passed", "failed", "skipped", "died", "timed out"
    text: str = ""
    exception: BaseException | None = None  # for "skipped"
    measured: dict[str, Any] = field(default_factory=dict)
    log: str = ""
    seconds: float = 0.0


class WarmProcess:
    """Client side, in pytest's process. Not thread-safe: one gate at a time."""

    def __init__(self, items: dict[str, pytest.Function]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._log = tempfile.TemporaryFile()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            ours.close()
            os.dup2(self._log.fileno(), 1)
            os.dup2(self._log.fileno(), 2)
            _serve(theirs, items)
        theirs.close()
        self._stream = ours.makefile("rwb")

    def run(self, request: Request) -> Outcome:
        """Run one gate. A warm process that died (torch or a plugin crashed in import) is itself the outcome."""
        try:
            pickle.dump(request, self._stream)
            self._stream.flush()
            return pickle.load(self._stream)
        except (EOFError, OSError, pickle.UnpicklingError):
            _, status = os.waitpid(self._pid, 0)
            self._pid = 0
            modules = ", ".join(request.modules)
            return Outcome("died", f"{_ending(status)} while importing {modules}", log=_read_log(self._log))

    @property
    def alive(self) -> bool:
        return self._pid != 0

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.close()
        if self.alive:
            os.waitpid(self._pid, 0)
        self._log.close()


def _serve(connection: socket.socket, items: dict[str, pytest.Function]) -> NoReturn:
    """The warm process: read a request, fork, wait, answer; ends when pytest's side closes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    faulthandler.enable(2)  # not pytest's own file: a crash in an import belongs into this log
    stream = connection.makefile("rwb")
    while True:
        try:
            request: Request = pickle.load(stream)
        except EOFError:
            os._exit(0)
        with contextlib.suppress(BaseException):  # the child meets the same error and reports it
            for name in request.modules:
                importlib.import_module(name)
        outcome = _in_child(functools.partial(_run, request, items), request.seconds)
        pickle.dump(outcome, stream)
        stream.flush()


def _in_child(work: Callable[[IO[bytes]], None], seconds: float) -> Outcome:
    """Fork, run `work` with a file for its outcome, and decode how the child ended."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as result:
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            with open(2, "w", closefd=False, errors="backslashreplace") as own:
                sys.stdout = sys.stderr = own
                faulthandler.enable(own)
                faulthandler.register(signal.SIGUSR1, own, all_threads=True)
                code = 0
                try:
                    work(result)
                    result.flush()
                except BaseException:
                    traceback.print_exc()
                    code = 70
                own.flush()
            os._exit(code)
        ended = _wait(pid, seconds)
        if not ended:  # ask for the Python stack: the handler is C and runs even where the process is stuck in C
            os.kill(pid, signal.SIGUSR1)
            _wait(pid, 0.5)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # whatever the gate left behind goes with it
        _, status = os.waitpid(pid, 0)
        text = _read_log(log)
        elapsed = time.monotonic() - started
        if not ended:
            return Outcome("timed out", f"timed out after {seconds:g} s", log=text, seconds=elapsed)
        result.seek(0)
        if status != 0 or not (data := result.read()):
            return Outcome("died", _ending(status), log=text, seconds=elapsed)
        outcome: Outcome = pickle.loads(data)
        outcome.log, outcome.seconds = text, elapsed
        return outcome


def _wait(pid: int, seconds: float) -> bool:
    descriptor = os.pidfd_open(pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def _run(request: Request, items: dict[str, pytest.Function], result: IO[bytes]) -> None:
    """In the child: call the function as pytest would, and write the outcome."""
    os.environ.update(request.environment)
    target = request.target
    item, function = (items[target], items[target].obj) if isinstance(target, str) else (None, target)
    try:
        for name in request.modules:
            importlib.import_module(name)
        function(**request.arguments)
        outcome = Outcome("passed")
    except pytest.skip.Exception as skipped:
        outcome = Outcome("skipped", exception=skipped)
    except BaseException as error:
        excinfo = pytest.ExceptionInfo.from_exception(error)
        outcome = Outcome("failed", str(item.repr_failure(excinfo) if item else error))
    outcome.measured = request.arguments.get("measured", {})
    pickle.dump(outcome, result)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exited with status {os.waitstatus_to_exitcode(status)} and no result"


def _read_log(log: IO[bytes]) -> str:
    """A child's output as text that any XML parser takes: no colours, control characters escaped, cut in the middle."""
    log.seek(0)
    data = log.read()
    if len(data) > LOG_LIMIT:
        half = LOG_LIMIT // 2
        data = data[:half] + f"\n... {len(data) - LOG_LIMIT} bytes left out ...\n".encode() + data[-half:]
    return printable(data.decode("utf-8", errors="backslashreplace"))


def printable(text: str) -> str:
    """`text` without terminal colours and with every other control character escaped."""
    out, rest = [], text
    while rest:
        before, escape, rest = rest.partition("\x1b")
        out.append(before)
        if escape and rest.startswith("["):
            end = next((i for i, c in enumerate(rest[1:], 1) if "@" <= c <= "~"), len(rest) - 1)
            rest = rest[end + 1 :]
    plain = "".join(out)
    return "".join(
        c if c in "\n\t" or c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in plain
    )
