"""Run pytest in a process of its own and read what it reports; and a command as on a full disk."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from generators.files import ROOT

PROBES = Path(__file__).parent / "probes"
LIMIT = 120  # seconds for one run; far above what the slowest takes


@dataclass(frozen=True)
class Case:
    result: str  # "passed", or JUnit's "failure", "error", "skipped"
    text: str  # the case's whole XML
    properties: dict[str, str]


@dataclass(frozen=True)
class Run:
    status: int
    output: str
    cases: dict[str, Case] = field(default_factory=dict)  # by the test's name
    suite: dict[str, str] = field(default_factory=dict)

    @property
    def statuses(self) -> dict[str, str]:
        """Gate -> status, as JUnit has them."""
        return {case.properties["gate"]: case.properties["status"] for case in self.cases.values()}


def run_pytest(
    *arguments: object, junit: Path | None = None, cwd: Path = ROOT, seconds: float = LIMIT, **environment: str
) -> Run:
    """`python -m pytest ARGUMENTS`, with the keywords in its environment."""
    options = ["-p", "no:cacheprovider", *([f"--junitxml={junit}"] if junit else [])]
    child = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, arguments), *options],
        cwd=cwd,
        env=_clean() | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
    )
    return Run(child.returncode, child.stdout, *(_read(junit) if junit else ()))


def _clean() -> dict[str, str]:
    """The environment without what would change a run."""
    return {k: v for k, v in os.environ.items() if not re.match("PYTEST_|FLAGOS_|HYPOTHESIS_|PROBE_|COLUMNS", k)}


def _read(junit: Path) -> tuple[dict[str, Case], dict[str, str]]:
    suite = next(ElementTree.parse(junit).iter("testsuite"))
    cases = {}
    for case in suite.iter("testcase"):
        tags = [child.tag for child in case]
        result = next((tag for tag in ("failure", "error", "skipped") if tag in tags), "passed")
        cases[str(case.get("name"))] = Case(result, ElementTree.tostring(case, "unicode"), _properties(case))
    return cases, _properties(suite)


def _properties(element: ElementTree.Element) -> dict[str, str]:
    found = element.find("properties")
    return {str(p.get("name")): str(p.get("value")) for p in (found if found is not None else ())}


def run_on_full_disk(command: list[str], limit: int) -> subprocess.CompletedProcess[str]:
    """A command that can write no file of more than `limit` bytes, which stands for the end of the disk."""
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )


FORKS = """
import json, os, sys, tempfile
import hypothesis.extra, pytest, pytest_subprocess, xdist.dsession, gates.plugin
folder = sys.argv[1]
for number, words in enumerate(json.loads(sys.argv[2])):
    settings = dict(word.split("=", 1) for word in words if word.split("=")[0].isupper())
    arguments = [word for word in words if not word.split("=")[0].isupper()]
    with tempfile.TemporaryFile() as log:
        pid = os.fork()
        if pid == 0:
            os.environ.update(settings)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            status = pytest.main([*arguments, "-p", "no:cacheprovider", f"--junitxml={folder}/{number}.xml"])
            sys.stdout.flush()
            os._exit(int(status))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        log.seek(0)
        print(json.dumps([status, log.read().decode(errors="replace")]), flush=True)
"""


def run_many(runs: dict[str, str], seconds: float = LIMIT) -> dict[str, Run]:
    """Several short runs of pytest by name, each a command line (`NAME=VALUE ... ARGUMENTS`). They are forked from one
    process, which has imported what takes long."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.run(
            [sys.executable, "-c", FORKS, folder, json.dumps([shlex.split(line) for line in runs.values()])],
            cwd=ROOT,
            env=_clean(),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
        ends = [json.loads(line) for line in child.stdout.splitlines()]
        files = [Path(folder, f"{number}.xml") for number in range(len(runs))]
        read = [_read(file) if file.exists() else () for file in files]
    return {name: Run(*end, *found) for name, end, found in zip(runs, ends, read, strict=True)}
