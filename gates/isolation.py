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
import ctypes
import faulthandler
import functools
import importlib
import os
import pickle
import re
import select
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn

import pytest

TEXT_LIMIT = 16 * 1024  # characters of a text in a report that are kept: the head and the tail
LOG_LIMIT = 8 * TEXT_LIMIT  # bytes that are read of each end of a child's output
COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?)?")  # a terminal sequence, or an escape alone
PR_SET_PDEATHSIG = 1  # linux/prctl.h


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
    last_call: str = ""  # the last function of the contract that the process called


_last_call = -1  # in a gate's process: the file that outlives it


def note_call(name: str) -> None:
    """Note which function of the vendor is about to be called, where a crash does not take it away."""
    if _last_call >= 0:
        os.pwrite(_last_call, name.encode().ljust(64), 0)


class WarmProcess:
    """Client side, in pytest's process. Not thread-safe: one gate at a time."""

    def __init__(self, items: dict[str, pytest.Function]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._log = tempfile.TemporaryFile()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                ours.close()
                os.dup2(self._log.fileno(), 1)
                os.dup2(self._log.fileno(), 2)
                serve(theirs, items)
            except EOFError:  # pytest's side closed
                os._exit(0)
            finally:  # whatever happens, this copy of pytest must not go on: it would write its own report
                os._exit(70)
        theirs.close()
        self._stream = ours.makefile("rwb")

    def run(self, request: Request) -> Outcome:
        """Run one gate. A warm process that died (torch or a plugin crashed in import) is itself the outcome."""
        try:
            data = pickle.dumps(request)
        except Exception as error:  # pickle raises many types; nothing has been sent yet
            names = ", ".join(request.arguments)
            return Outcome("failed", f"an argument of the gate ({names}) cannot go to its process: {error}")
        try:
            self._stream.write(data)
            self._stream.flush()
            return pickle.load(self._stream)
        except (EOFError, OSError, pickle.UnpicklingError):
            _, status = os.waitpid(self._pid, 0)
            self._pid = 0
            when = f" while importing {', '.join(request.modules)}" if request.modules else ""
            return Outcome("died", f"the warm process: {_ending(status)}{when}", log=_read_log(self._log))

    @property
    def alive(self) -> bool:
        return self._pid != 0

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.close()
        if self.alive:
            os.waitpid(self._pid, 0)
        self._log.close()


def serve(connection: socket.socket, items: dict[str, pytest.Function]) -> NoReturn:
    """The warm process: read a request, fork, wait, answer; ends by EOFError when pytest's side closes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)  # an exception: the gate's group is ended on the way out
    sys.stdout = sys.stderr = open(2, "w", buffering=1, closefd=False, errors="backslashreplace")
    faulthandler.enable(2)  # not pytest's own file: a crash in an import belongs into this log
    stream = connection.makefile("rwb")
    while True:
        request: Request = pickle.load(stream)
        with contextlib.suppress(BaseException):  # the child meets the same error and reports it
            for name in request.modules:
                importlib.import_module(name)
        outcome = _in_child(functools.partial(_run, request, items), request.seconds)
        pickle.dump(outcome, stream)
        stream.flush()


def _in_child(work: Callable[[IO[bytes]], None], seconds: float) -> Outcome:
    """Fork, run `work` with a file for its outcome, and decode how the child ended."""
    global _last_call
    parent = os.getpid()
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as result, tempfile.TemporaryFile() as call:
        pid = os.fork()
        if pid == 0:
            _last_call = call.fileno()
            os.setpgid(0, 0)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # its group has no Ctrl-C: it goes with the warm process
            if os.getppid() != parent:
                os._exit(70)
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
        try:
            ended = _wait(pid, seconds)
            if not ended:  # ask for the Python stack: the handler is C and runs even where the process is stuck in C
                os.kill(pid, signal.SIGUSR1)
                _wait(pid, 0.5)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # whatever the gate left behind goes with it
        _, status = os.waitpid(pid, 0)
        call.seek(0)
        result.seek(0)
        data = result.read()
        if not ended:
            outcome = Outcome("timed out", f"timed out after {seconds:g} s")
        elif status != 0 or not data:
            outcome = Outcome("died", _ending(status))
        else:
            outcome = pickle.loads(data)
        outcome.log, outcome.last_call = _read_log(log), call.read().decode().strip()
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
        text = str(item.repr_failure(excinfo) if item else error)
        headline = "" if isinstance(error, pytest.fail.Exception) else f"{excinfo.exconly(tryshort=True)}\n"
        outcome = Outcome("failed", headline + text)
    outcome.measured = request.arguments.get("measured", {})
    pickle.dump(outcome, result)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {known.value: known.name for known in signal.Signals}
        return f"killed by {names.get(number, f'signal {number}')}"
    return f"exited with status {os.waitstatus_to_exitcode(status)} and no result"


def _read_log(log: IO[bytes]) -> str:
    """A child's output as `presentable` text; of a very long one only the ends are read."""
    size = log.seek(0, os.SEEK_END)
    log.seek(0)
    data = log.read(LOG_LIMIT)
    if size > LOG_LIMIT:
        log.seek(max(LOG_LIMIT, size - LOG_LIMIT))
        data += f"\n... {max(0, size - 2 * LOG_LIMIT)} bytes not read ...\n".encode() + log.read()
    return presentable(data.decode("utf-8", errors="backslashreplace"))


def presentable(text: str) -> str:
    """`text` as every terminal, XML parser and worker protocol takes it: no colours, other control characters and lone
    surrogates escaped, and cut in the middle with a note if it is long."""
    plain = "".join(
        c if c in "\n\t" or c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode()
        for c in COLOUR.sub("", text)
    )
    if len(plain) <= TEXT_LIMIT:
        return plain
    half = TEXT_LIMIT // 2 - 32  # with its note the text is short enough to come through here again
    return f"{plain[:half]}\n... {len(plain) - 2 * half} characters left out ...\n{plain[-half:]}"
