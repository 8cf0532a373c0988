"""What a run of gates found: the summary, the verdict that dependent suites read, and recorded evidence.

Evidence is what support claims are generated from, so it is written only for a whole suite, on a clean commit, with
`--record`: `docs/vendors/<vendor>/evidence/<suite>.json`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import pytest

from gates.status import Status
from generators.aten import AtenError, ports
from generators.build import BUILD, LIBRARIES, runtime_library
from generators.documents import shorten
from generators.files import ROOT, digest, write_if_changed
from generators.source import Source
from generators.vendor import DESCRIPTORS, SIMULATED_SDK, FoundSdk, Vendor, hardware_of

ORDER = (Status.FAIL, Status.GAP, Status.NOT_RUN, Status.PASS)  # the worst of a gate's cases is the gate's status
VERDICTS = BUILD / ".gates"  # and the lock of a card


@dataclass
class Case:
    gate: str
    status: Status
    detail: str
    measured: dict[str, str]


@dataclass
class Results:
    """The cases of one run, by node id."""

    cases: dict[str, Case] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)  # what could not be collected, or took its process with it
    void: str = ""  # why the cases prove nothing, whatever they say
    whole: bool = True  # whole suites ran, not a selection
    record_note: str = ""
    recorded: bool = False

    def add(self, nodeid: str, properties: dict[str, str], detail: str) -> None:
        last = self.cases.get(nodeid)
        status = Status(properties["status"])
        if last is not None and ORDER.index(last.status) <= ORDER.index(status):
            return
        measured = {k: v for k, v in properties.items() if k not in ("gate", "status")}
        self.cases[nodeid] = Case(properties["gate"], status, "" if status is Status.PASS else detail, measured)

    @property
    def suites(self) -> list[str]:
        return sorted({case.gate.partition(".")[0] for case in self.cases.values()})

    def count(self, status: Status) -> int:
        return sum(case.status is status for case in self.cases.values())

    @property
    def verdict(self) -> str:
        """PASS, FAIL, NOT PROVEN (some gates did not run) or NOTHING RAN."""
        if self.count(Status.FAIL) or self.lost or self.void:
            return "FAIL"
        if not self.count(Status.PASS):
            return "NOTHING RAN"
        return "NOT PROVEN" if self.count(Status.NOT_RUN) else "PASS"

    @property
    def explained(self) -> str:
        counts = [f"{self.count(status)} {status}" for status in reversed(ORDER) if self.count(status)]
        lost = [f"{len(self.lost)} lost: {', '.join(self.lost[:3])}"] if self.lost else []
        scope = "" if self.whole else " of a selection"
        return f"{self.verdict}{scope} ({', '.join(counts + lost)})" + (f": {self.void}" if self.void else "")

    def lines(self) -> list[tuple[Status, str, int, str]]:
        """Rows of the summary: by area what passed or did not run for one reason, everything else by gate."""
        rows: dict[tuple[Status, str, str], list[str]] = {}
        for case in self.cases.values():
            area = ".".join(case.gate.split(".")[:2])
            label = area if case.status in (Status.PASS, Status.NOT_RUN) else case.gate
            reason = case.detail if case.status is Status.NOT_RUN else ""
            rows.setdefault((case.status, label, reason), []).append(case.detail)
        ordered = sorted(rows.items(), key=lambda row: (-ORDER.index(row[0][0]), row[0][1:]))
        return [(status, label, len(details), details[0]) for (status, label, _), details in ordered]

    def gates(self) -> dict[str, dict[str, object]]:
        """For evidence: each gate's status, how many cases ended how, and what was measured."""
        out: dict[str, dict[str, object]] = {}
        for gate in sorted({case.gate for case in self.cases.values()}):
            cases = [case for case in self.cases.values() if case.gate == gate]
            status = min((case.status for case in cases), key=ORDER.index)
            entry: dict[str, object] = {"status": str(status), "cases": dict(Counter(str(c.status) for c in cases))}
            measured = {k: v for case in cases for k, v in case.measured.items()}
            detail = next((c.detail for c in cases if c.status is status and c.detail), "")
            out[gate] = entry | ({"measured": measured} if measured else {}) | ({"reason": detail} if detail else {})
        return out


def is_selecting(config: pytest.Config) -> bool:
    """Whether an option selects some of what is collected."""
    options = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise", "category")
    return any(getattr(config.option, name, None) for name in options)


def covers_suite(config: pytest.Config) -> bool:
    """Whether this run collects whole suites: folders only, and nothing selected out of them."""
    whole = [ROOT, ROOT / "gates", *(ROOT / "gates").glob("*/")]
    return not is_selecting(config) and all((config.invocation_params.dir / a).resolve() in whole for a in config.args)


def within_suites(config: pytest.Config) -> bool:
    """Whether this run looks at gates alone."""
    return all(
        (config.invocation_params.dir / a.partition("::")[0]).resolve().is_relative_to(ROOT / "gates")
        for a in config.args
    )


def provenance(vendor: Vendor, sdk: FoundSdk | None, given: Path | None) -> dict[str, str]:
    """What was really loaded, and on what."""
    files = {
        "runtime_library": given or runtime_library(vendor, sdk),
        "torch_side": LIBRARIES / "libtorch_fl.so",
    }
    hashes = {name: f"sha256:{digest(path)}" for name, path in files.items() if path.is_file()}
    return (
        {"hardware": hardware_of(vendor), "simulated": str(vendor.simulated).lower()}
        | hashes
        | {"pytest": version("pytest")}
    )


def keep_verdict(results: Results, facts: dict[str, str]) -> None:
    """Remember each suite's verdict for exactly these inputs, for suites that depend on it."""
    for suite in results.suites:
        path = VERDICTS / f"{suite}-{facts['vendor'].split()[0]}.json"
        write_if_changed(path, json.dumps(facts | {"verdict": results.verdict}, indent=1, sort_keys=True) + "\n")


def record(results: Results, facts: dict[str, str], source: Source, complete: bool) -> str:
    """Write evidence, or say why not. Returns a note for the report."""
    if facts["hardware"].startswith(SIMULATED_SDK):
        return f"not recorded: {facts['hardware']}; run it with the vendor's own, on hardware"
    if not complete:
        return "not recorded: evidence is of a whole suite; run it without selecting (-k, -m, -x, single files)"
    if results.suites == ["version_port"]:
        return _record_port(results, source)
    if results.verdict != "PASS" or facts["hardware"].startswith("unknown"):
        return (
            f"not recorded: evidence is of a PASS on known hardware, this is {results.verdict} on {facts['hardware']}"
        )
    if source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(source.dirty[:3])}); commit or restore them first"
    name = facts["vendor"].split()[0]
    notes = []
    for suite in results.suites:
        path = DESCRIPTORS / name / "evidence" / f"{suite}.json"
        data = {
            "suite": suite,
            "verdict": results.verdict,
            **facts,
            "vendor": name,
            "commit": source.commit,
            "simulated": facts["simulated"] == "true",
            "gates": {gate: entry for gate, entry in results.gates().items() if gate.startswith(f"{suite}.")},
        }
        write_if_changed(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        notes.append(f"recorded {path.relative_to(ROOT)}")
    results.recorded = True
    return "\n".join(notes)


def _record_port(results: Results, source: Source) -> str:
    """A line's results, whatever they are: which of its gates fail is what one wants to know of a line."""
    if source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(source.dirty[:3])}); commit or restore them first"
    gates = results.gates()
    measured = {name: value for case in results.cases.values() for name, value in case.measured.items()}
    if "torch" not in measured:
        return "not recorded: the installed torch did not say which it is"
    found = {
        "torch": measured["torch"],
        "commit": source.commit,
        **{step: gates[gate]["status"] for step, gate in ports.RESULTS.items() if gate in gates},
        "tests run": measured.get("tests", "none"),
        "not passed": {
            name: gate.get("reason", gate["status"])
            for name, gate in gates.items()
            if gate["status"] != Status.PASS and not name.startswith("version_port.report.")  # those are of the records
        },
    }
    try:
        path = ports.record_results(found)
    except AtenError as error:
        return f"not recorded: {error}"
    results.recorded = True
    return f"recorded {shorten(path)}; now: pytest -m version_port --fix, or make generate"
