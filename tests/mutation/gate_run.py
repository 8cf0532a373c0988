"""Run `gates/runtime` in a child and read what it says: which gates failed, or that the run itself broke."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
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
    failed: tuple[str, ...]  # gate ids, in order; -x stops at the first
    passed: int
    seconds: float
    output: str


def gate_files(root: Path = ROOT) -> list[Path]:
    return sorted((root / "gates/runtime").glob("test_*.py"))


def run_gates(
    files: list[Path], environment: dict[str, str], junit: Path, root: Path = ROOT, only: str = ""
) -> GateRun:
    """Run the gates of `files`, or the one gate of them whose id is `only`, against the host vendor until one fails. Raises
    RunBroke."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        *map(str, files),
        "--vendor",
        "host",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    command += ["--gate-timeout", str(GATE_LIMIT), f"--junitxml={junit}", *(["-k", only] if only else [])]
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
    statuses = [_properties(case) for case in ElementTree.parse(junit).iter("testcase")]
    failed = tuple(case["gate"] for case in statuses if case.get("status") == "FAIL")
    if (child.returncode == 1) != bool(failed):
        raise RunBroke(f"pytest exited with {child.returncode}, gates that failed: {failed or 'none'}:\n{output}")
    return GateRun(failed, sum(case.get("status") == "PASS" for case in statuses), seconds, output)


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


def _properties(case: ElementTree.Element) -> dict[str, str]:
    return {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
