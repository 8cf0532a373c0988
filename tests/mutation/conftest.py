"""Fixtures and the closing table.

pytest tests/mutation             every mutant
pytest tests/mutation -m sample   a selection that covers every area, for every push
pytest tests/mutation --record    every mutant, and write docs/reference/mutants.md
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from generators.build import BUILD, build_vendor
from generators.files import ROOT, write_if_changed
from generators.vendor import load_vendor
from tests.mutation.gate_run import GateRun, RunBroke, gate_files, run_gates
from tests.mutation.mutants import EQUIVALENT, REFERENCE, all_mutants, mutation_libraries

TABLE = BUILD / "mutation/table.md"  # of the last run


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sample: a mutant of the selection that CI runs on every push")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Table(config), "flagos_mutation_table")


# ---- fixtures -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def host_library() -> Path:
    """The real runtime that the mutants interpose."""
    return build_vendor(load_vendor("host"), None).library


@pytest.fixture(scope="session")
def interposing(host_library: Path) -> Callable[[str, str], dict[str, str]]:
    """Environment of a run against an interposing library with a mutation."""

    def environment(mutation: str = "", library: str = "libflagos_mutant.so") -> dict[str, str]:
        return {
            "FLAGOS_RUNTIME_LIBRARY": str(mutation_libraries() / library),
            "FLAGOS_MUTANT_OF": str(host_library),
            "FLAGOS_MUTATION": mutation,
        }

    return environment


@pytest.fixture(scope="session")
def control(
    interposing: Callable[..., dict[str, str]], tmp_path_factory: pytest.TempPathFactory, testrun_uid: str
) -> GateRun:
    """All gates against the interposing library without a mutation, run once a session. They must pass, or no mutant's
    death means anything."""
    folder = BUILD / "mutation"
    record = folder / f"control-{testrun_uid}.json"
    with FileLock(folder / "control.lock"):
        if not record.exists():
            for old in folder.glob("control-*.json"):
                old.unlink()
            try:
                run = vars(run_gates(gate_files(), interposing(), tmp_path_factory.mktemp("control") / "junit.xml"))
            except RunBroke as broke:
                run = {"failed": ("the run itself",), "passed": 0, "seconds": 0.0, "output": str(broke)}
            write_if_changed(record, json.dumps(run))
    run = GateRun(**json.loads(record.read_text()))
    if run.failed:
        pytest.fail(f"gates fail without a mutation: {', '.join(run.failed)}\n{run.output}", pytrace=False)
    return run


@pytest.fixture
def verdict(request: pytest.FixtureRequest) -> Callable[[str, GateRun], None]:
    """Judge a mutant's run: a survivor fails the test, unless it is known to be equivalent."""

    def judge(name: str, run: GateRun) -> None:
        killer = run.failed[0] if run.failed else "equivalent" if name in EQUIVALENT else "SURVIVED"
        request.node.user_properties += [("mutant", name), ("killed by", killer), ("seconds", f"{run.seconds:.1f}")]
        if run.failed and name in EQUIVALENT:
            pytest.fail(f"{name} is killed by {killer}: delete its line from EQUIVALENT", pytrace=False)
        if killer == "SURVIVED":
            pytest.fail(f"{name} survives: {run.passed} gates pass\n{run.output}", pytrace=False)

    return judge


# ---- the table, on the controller -----------------------------------------------------------------------------------


class Table:
    """Which gate killed which mutant: printed, and as a document."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.rows: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = dict(report.user_properties)
        if report.when == "call" and "mutant" in found:
            self.rows[found["mutant"]] = found["killed by"], found["seconds"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.rows:
            return
        killers = [killer for killer, _ in self.rows.values()]
        equivalent = killers.count("equivalent")
        total = f"killed {len(killers) - killers.count('SURVIVED') - equivalent} / {len(killers) - equivalent}"
        total += f"; {equivalent} equivalent" if equivalent else ""
        terminalreporter.section("mutants")
        for name, (killer, seconds) in sorted(self.rows.items()):
            terminalreporter.write_line(f"{name} | {killer} | {seconds}")
        for name in sorted(EQUIVALENT.keys() & self.rows):
            terminalreporter.write_line(f"{name} is equivalent: {EQUIVALENT[name]}")
        terminalreporter.write_line(total)
        document = self.document(total)
        write_if_changed(TABLE, document)
        if self.config.option.record and self.rows.keys() == all_mutants().keys() and "SURVIVED" not in killers:
            write_if_changed(REFERENCE, document)
            terminalreporter.write_line(f"recorded {REFERENCE.relative_to(ROOT)}")

    def document(self, total: str) -> str:
        lines = [
            "# What kills each mutant",
            "",
            "<!-- @generated by pytest tests/mutation --record; do not edit. -->",
            "Each line is a runtime, or a source tree, that is wrong in one way, and the first gate of `gates/runtime` that",
            "fails for it on the simulated vendor `host`. A gate named once here may catch many more: a run stops at the first.",
            "",
            f"{total.capitalize()}.",
            "",
            "| mutant | what is wrong | killed by |",
            "| --- | --- | --- |",
        ]
        for name, (killer, _) in sorted(self.rows.items()):
            reason = f"equivalent: {EQUIVALENT[name]}" if killer == "equivalent" else f"`{killer}`"
            lines.append(f"| `{name}` | {all_mutants()[name]} | {reason} |")
        return "\n".join([*lines, ""])
