"""The platform tests: of tests/integration those of the torch side on the simulated device, none of a vendor's runtime.

They take minutes, so a whole run of them that passed is kept, for exactly these inputs, whoever started it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from importlib.metadata import version

import pytest

from gates.evidence import VERDICTS, is_selecting
from generators.build import LIBRARIES
from generators.files import ROOT, digest, write_if_changed

FOLDER = ROOT / "tests/integration"
SUBJECTS = "allocator boxing copy dataloader device fallback import interop operator_calls operators routing serialization surface"
FILES = [FOLDER / f"test_{subject}.py" for subject in SUBJECTS.split()]
VERDICT = VERDICTS / "platform_tests.json"


def kept() -> Counter[str] | None:
    """How many ended how, if they passed for what is built and written here now."""
    found = json.loads(VERDICT.read_text(encoding="utf-8")) if VERDICT.is_file() else {}
    return Counter(found["outcomes"]) if found.get("inputs") == _inputs() else None


def run() -> str:
    """Run them; what pytest said, the end of which is what failed, and why."""
    command = [sys.executable, "-m", "pytest", *map(str, FILES), "-q", "-n", "auto", "--dist", "loadfile"]
    command += ["--tb=short", "--disable-warnings"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = outside | {"COLUMNS": "200"}  # where the reasons are cut off
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")
    return child.stdout + child.stderr


class Keeper:
    """Part of every run of pytest: keeps the verdict of one that held all of them."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}

    def add(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            xfail = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
            self.outcomes[report.nodeid] = xfail

    def finish(self, config: pytest.Config) -> None:
        paths = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
        whole = all(any(file == path or path in file.parents for path in paths) for file in FILES)
        names = tuple(f"{file.relative_to(ROOT)}::" for file in FILES)
        counts = Counter(outcome for nodeid, outcome in self.outcomes.items() if nodeid.startswith(names))
        if whole and counts["passed"] and not counts["failed"] and not is_selecting(config):
            verdict = {"inputs": _inputs(), "outcomes": counts}
            write_if_changed(VERDICT, json.dumps(verdict, indent=1, sort_keys=True) + "\n")


def _inputs() -> str:
    """The torch, what is built for it, and everything in Python that the tests are made of."""
    files = [*LIBRARIES.parent.glob("_C.*"), *LIBRARIES.glob("*.so"), *(ROOT / "torch_fl").rglob("*.py")]
    files += [*(ROOT / "torch_fl/configs").glob("*"), *FOLDER.glob("*.py")]
    total = hashlib.sha256(f"{version('torch')} {sys.version}".encode())
    for file in sorted(file for file in files if file.is_file()):
        total.update(f"{file.name} {digest(file)}\n".encode())
    return total.hexdigest()
