"""Runs functions of `gates.cuda_compat.routed`, each in a process of its own whose operators are routed to the vendor's key.

One process has the vendor's kernels, has imported torch_fl and uses no device; it forks one for each function. So every
function begins cold, and costs no import of torch with half a gigabyte of libraries.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pickle
import signal
import socket
import subprocess
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

from gates.dispatch_log import what_ran
from gates.isolation import PR_SET_PDEATHSIG, Outcome, Request, serve
from generators.vendor import Vendor
from torch_fl.conf import load_conf, render_routes, route_of

KEY_OF_FALLBACK = "CPU"
LIMIT = 180.0  # seconds for the process to import torch with its libraries
MODULES = ("torch", "gates.cuda_compat.routed")
OF_GATE = ("FLAGOS_ACCELERATOR", "FLAGOS_RUNTIME_LIBRARY")  # what a gate's own process is told
PROGRAM = "from gates.cuda_compat.route import main; main({descriptor})"


@dataclass(frozen=True)
class Ran:
    """What came of a function."""

    found: Any
    on_key: frozenset[str]  # the operators whose kernel of the vendor's key ran, "add.Tensor"
    elsewhere: frozenset[str]  # those that fell back, unless the vendor's key is the CPU's itself


@dataclass(frozen=True)
class Route:
    """The way to that process, from wherever a gate runs."""

    folder: Path  # with the process's socket, its log, the conf and the latest trace
    vendor: Vendor
    seconds: float  # for one function

    def wait(self) -> None:
        """Until the process has imported what it needs, which is no gate's time."""
        self._must_pass("importing the vendor's kernels", self._ask(Request(os.getpid, {}, {}, self.seconds, ())))

    @property
    def conf(self) -> Path:
        """The vendor's conf if it routes anything; until it is measured, one with all that can be routed."""
        own = load_conf(self.vendor.name)
        if own.routes:
            return own.path
        everything = self.folder / "everything.conf"
        if not everything.exists():
            name = route_of(self.vendor.dispatch_key)
            operators = self._call("listing.routable_operators", name)
            everything.write_text(render_routes(operators, name))
        return everything

    def run(self, work: str) -> Ran:
        """Call a function, "memory.cache_is_one", which must come to its end."""
        found = self._call(work, FLAGOS_BACKEND_CONFIG=str(self.conf), FLAGOS_LOG_DISPATCH="1")
        key, ran = self.vendor.dispatch_key, what_ran(_text(self._trace))
        fell_back = {name for name, by in ran if by != key and key != KEY_OF_FALLBACK}
        return Ran(found, frozenset(name for name, by in ran if by == key), frozenset(fell_back))

    @property
    def _trace(self) -> Path:
        return self.folder / "stderr.txt"

    def _call(self, work: str, *arguments: str, **environment: str) -> Any:
        self._trace.write_text("")
        environment |= {name: value for name, value in os.environ.items() if name in OF_GATE}
        call = {"work": work, "arguments": arguments, "stderr": str(self._trace), "measured": {}}
        outcome = self._ask(Request(do, call, environment, self.seconds, MODULES))
        self._must_pass(work, outcome)
        return outcome.measured["found"]

    def _must_pass(self, what: str, outcome: Outcome) -> None:
        if outcome.kind == "passed":
            return
        headline = outcome.text if outcome.kind == "failed" else f"{what}: {outcome.text}"
        words = [line for line in _text(self._trace).splitlines() if not line.startswith("flagos:")]
        words += outcome.log.splitlines()
        pytest.fail("\n".join([headline, *(f"    {line}" for line in words[-20:])]), pytrace=False)

    def _ask(self, request: Request) -> Outcome:
        with socket.socket(socket.AF_UNIX) as connection, suppress(OSError, EOFError):
            connection.settimeout(self.seconds + LIMIT)
            connection.connect(str(self.folder / "socket"))
            stream = connection.makefile("rwb")
            pickle.dump(request, stream)
            stream.flush()
            return pickle.load(stream)
        return Outcome(
            "died", "the process that has the kernels ended or does not answer", log=_text(self.folder / "log.txt")
        )


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


@contextmanager
def started(command: Any, environment: dict[str, str], folder: Path) -> Iterator[None]:
    """The process, as long as this lives. `command(program)` starts a Python program that has the vendor's kernels."""
    with socket.socket(socket.AF_UNIX) as listener, (folder / "log.txt").open("w") as log:
        listener.bind(str(folder / "socket"))
        listener.listen()
        process = subprocess.Popen(
            command(PROGRAM.format(descriptor=listener.fileno())),
            env=environment,
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def main(descriptor: int) -> NoReturn:
    """The process: one gate after the other. It goes with the one that started it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for module in MODULES:
        importlib.import_module(module)
    with socket.socket(fileno=descriptor) as listener:
        while True:
            connection, _ = listener.accept()
            with suppress(EOFError, OSError):
                serve(connection, {})


def do(work: str, arguments: tuple[str, ...], stderr: str, measured: dict[str, Any]) -> None:
    """In the forked process. The trace goes to a file of its own: it may be longer than what is kept of a log."""
    os.dup2(os.open(stderr, os.O_WRONLY | os.O_APPEND), 2)
    module, _, function = work.partition(".")
    try:
        measured["found"] = getattr(importlib.import_module(f"gates.cuda_compat.routed.{module}"), function)(*arguments)
    except Exception:  # what `check` raises is none
        traceback.print_exc()
        raise
