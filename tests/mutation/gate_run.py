"""Run gates or tests in a child and read what it says: which of them failed, or that the run itself broke."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from filelock import FileLock

from generators.build import BUILD
from generators.files import ROOT, write_if_changed

LIMIT = 300  # seconds; far above what a run takes when every gate that can hang hangs for GATE_LIMIT
GATE_LIMIT = 15


class RunBroke(Exception):
    """pytest itself did not get through: nothing is known about the mutant."""


@dataclass(frozen=True)
class GateRun:
    failed: tuple[str, ...]  # ids of gates, or `test_file.test_name`, in order; -x stops at the first
    passed: int
    seconds: float
    output: str


def gate_files(root: Path = ROOT) -> list[Path]:
    return sorted((root / "gates/runtime").glob("test_*.py"))


def run_gates(
    files: list[Path],
    environment: dict[str, str],
    junit: Path,
    root: Path = ROOT,
    only: str = "",
    options: Sequence[str] = ("--vendor", "host"),
) -> GateRun:
    """Run the gates of `files`, or the one gate of them whose id is `only`, against the host vendor, or as the options say,
    until one fails. Raises RunBroke."""
    options = [*options, "--gate-timeout", str(GATE_LIMIT), *(["-k", only] if only else [])]
    return _run(files, options, environment, junit, root, _gate)


def run_tests(
    files: list[Path], environment: dict[str, str], junit: Path, root: Path = ROOT, only: str = ""
) -> GateRun:
    """The same with tests; the id of one is `test_file.test_name`."""
    return _run(files, ["-k", only.partition(".")[2]] if only else [], environment, junit, root, _test)


def _run(
    files: list[Path],
    options: list[str],
    environment: dict[str, str],
    junit: Path,
    root: Path,
    read: Callable[[ElementTree.Element], tuple[str, str]],
) -> GateRun:
    command = [sys.executable, "-m", "pytest", *map(str, files), "-x", "-q", "-p", "no:cacheprovider", *options]
    command.append(f"--junitxml={junit}")
    inherited = {k: v for k, v in os.environ.items() if not re.match("PYTEST_|FLAGOS_", k)}
    started = time.monotonic()
    child = subprocess.Popen(
        command,
        cwd=root,
        env=inherited | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        raise RunBroke(f"still running after {LIMIT} s:\n{child.communicate()[0]}") from None
    seconds = time.monotonic() - started
    if child.returncode not in (0, 1) or not junit.exists():
        raise RunBroke(f"pytest exited with {child.returncode}:\n{output}")
    cases = [read(case) for case in ElementTree.parse(junit).iter("testcase")]
    failed = tuple(name for name, status in cases if status == "FAIL")
    if (child.returncode == 1) != bool(failed):
        raise RunBroke(f"pytest exited with {child.returncode}, failed: {failed or 'nothing'}:\n{output}")
    return GateRun(failed, sum(status == "PASS" for _, status in cases), seconds, output)


def run_once(name: str, run: Callable[[], GateRun]) -> GateRun:
    """The result of `run`, which only the first process of a session that asks really runs. A run that broke has failed."""
    folder = BUILD / "mutation"
    record = folder / f"{name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{name.rpartition('-')[0]}.lock"):
        if not record.exists():
            for old in folder.glob(f"{name.rpartition('-')[0]}-*.json"):
                old.unlink()
            try:
                result = run()
            except RunBroke as broke:
                result = GateRun(("the run itself",), 0, 0.0, str(broke))
            write_if_changed(record, json.dumps(vars(result)))
    return GateRun(**json.loads(record.read_text()))


def _gate(case: ElementTree.Element) -> tuple[str, str]:
    properties = {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
    return properties.get("gate", ""), properties.get("status", "")


def _test(case: ElementTree.Element) -> tuple[str, str]:
    ended = {part.tag for part in case} & {"failure", "error", "skipped"}
    status = "FAIL" if ended & {"failure", "error"} else "NOT RUN" if ended else "PASS"
    return f"{case.attrib['classname'].rpartition('.')[2]}.{case.attrib['name'].partition('[')[0]}", status
