"""Run the harness as its users do: pytest in a child, with probe gates that misbehave on purpose."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as xml
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from generators.files import ROOT

# A path inside of the checkout, so that the root conftest is read; a gate that takes no time.
SMOKE = "gates/runtime/test_contract.py::test_vendor_name_is_acceptable"


@dataclass
class Run:
    status: int
    text: str  # stdout and stderr
    cases: dict[str, xml.Element] = field(default_factory=dict)  # by the test's name
    suite: dict[str, str] = field(default_factory=dict)  # JUnit properties of the suite

    def end(self, name: str) -> str:
        """How a case ended in JUnit: passed, failure, error or skipped."""
        tags = [child.tag for child in self.cases[name] if child.tag in ("failure", "error", "skipped")]
        return tags[0] if tags else "passed"

    def properties(self, name: str) -> dict[str, str]:
        return {p.get("name", ""): p.get("value", "") for p in self.cases[name].iter("property")}

    def failure(self, name: str) -> str:
        return "\n".join(child.text or "" for child in self.cases[name] if child.tag in ("failure", "error"))


@pytest.fixture(scope="session")
def run_gates(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """run_gates(*arguments, probe=SOURCE, cwd=DIR, **environment) -> Run, with the JUnit file read."""

    def run(
        *arguments: str, probe: str = "", cwd: Path = ROOT, paths: tuple[str, ...] = (SMOKE,), **environment: str
    ) -> Run:
        folder = tmp_path_factory.mktemp("run")
        junit = folder / "junit.xml"
        chosen = list(paths)
        if probe:
            (folder / "test_probe.py").write_text(textwrap.dedent(probe))
            chosen.append(str(folder / "test_probe.py"))
        command = [sys.executable, "-m", "pytest", *chosen, *arguments, "-p", "no:cacheprovider", f"--junitxml={junit}"]
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGOS_", "PYTEST_"))}
        child = subprocess.run(
            command, cwd=cwd, env=kept | environment, capture_output=True, text=True, errors="replace", timeout=120
        )
        found = Run(child.returncode, child.stdout + child.stderr)
        if junit.exists():
            suite = xml.parse(junit).getroot().find("testsuite")
            assert suite is not None
            found.cases = {case.get("name", ""): case for case in suite.iter("testcase")}
            head = suite.find("properties")
            found.suite = {p.get("name", ""): p.get("value", "") for p in head} if head is not None else {}
        return found

    return run
