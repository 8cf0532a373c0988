"""What measuring found: kept on disk by category, and the evidence, the conf and the statuses that are made of it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from generators.build import BUILD, LIBRARIES
from generators.documents import shorten
from generators.files import ROOT, digest, write_if_changed
from generators.native_op import NativeError
from generators.native_op.bars import BARS
from generators.native_op.table import OperatorTable
from generators.rendering import templates
from generators.vendor import FoundSdk, hardware_of, load_vendor
from torch_fl.conf import CONFIGS, conf_path
from torch_fl.preload import installed_torch

EVIDENCE = "native_operators"
KEPT = BUILD / "native"
LIMIT = 900  # seconds for a category


@dataclass(frozen=True)
class Findings:
    """Of one category: where it was measured, what came of each overload and dtype, and how it ended if not well."""

    category: str
    facts: dict[str, str]
    measured: Sequence[dict[str, Any]]
    ended: str = ""
    kept: bool = False  # from an earlier run, of the same

    @property
    def overloads(self) -> int:
        return len({entry["overload"] for entry in self.measured})

    @property
    def passed(self) -> list[str]:
        return passed(self.measured)

    @property
    def worst(self) -> dict[str, Any] | None:
        return max(self.measured, key=lambda entry: entry["max_rel"], default=None)

    @property
    def failed(self) -> list[dict[str, Any]]:
        return [entry for entry in self.measured if not entry["passed"]]


def passed(measured: Iterable[dict[str, Any]]) -> list[str]:
    """Overloads that are right in every dtype that they are claimed for."""
    measured = list(measured)
    wrong = {entry["overload"] for entry in measured if not entry["passed"]}
    return [name for name in dict.fromkeys(entry["overload"] for entry in measured) if name not in wrong]


@dataclass(frozen=True)
class Setting:
    """What is measured: a table's claims of a library, by the kernels over it, on the device of a runtime library."""

    table: OperatorTable
    library: FoundSdk
    runtime: Path
    kernels: Path

    @cached_property
    def _told(self) -> list[str]:
        """What findings of any category depend on."""
        checks = [Path(__file__).with_name(name) for name in ("measure.py", "samples.py", "bars.py")]
        torch_side = [LIBRARIES / "libtorch_fl.so", LIBRARIES / "libtorch_fl_operators.so"]
        files = [*self.library.libraries, self.runtime, self.kernels, *torch_side, *checks]
        machine = f"{platform.node()}: {hardware_of(load_vendor(self.table.runtime))}"
        return [machine, installed_torch()[1], *(digest(file) for file in files)]

    def inputs(self, category: str) -> str:
        """A hash of what a category's findings depend on."""
        entries = (entry for entry in self.table.generated if entry.category == category)
        told = [category, *self._told, *(repr(replace(entry, line=0, status="")) for entry in entries)]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()


def measure_category(setting: Setting, category: str) -> Findings:
    """Measure in a process of its own, unless the same was measured before. The dispatch log is on: it names the operator
    that ends the process, and is measured with the others."""
    kept = KEPT / f"{setting.table.vendor}-{category.replace(' ', '_')}.json"
    inputs = setting.inputs(category)
    if kept.is_file():
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["inputs"] == inputs:
            return Findings(category, found["facts"], found["measured"], kept=True)
    child = in_child(setting.table, setting.runtime, "measure", category, FLAGOS_LOG_DISPATCH="1")
    facts, *measured = [json.loads(line) for line in child.stdout.splitlines()] or [{}]
    if child.returncode != 0:
        return Findings(category, facts, measured, f"status {child.returncode}: {child.stderr.strip()[-1500:]}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(kept, json.dumps({"inputs": inputs, "facts": facts, "measured": measured}))
    return Findings(category, facts, measured)


def on_runtime(table: OperatorTable, runtime: Path) -> dict[str, str]:
    """The environment of a process on the device of that runtime library."""
    return {"FLAGOS_ACCELERATOR": table.runtime, "FLAGOS_RUNTIME_LIBRARY": str(runtime)}


def in_child(
    table: OperatorTable, runtime: Path, action: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """An action of generators.native_op.measure, on that device."""
    return subprocess.run(
        [sys.executable, "-m", "generators.native_op.measure", action, table.vendor, *arguments],
        cwd=ROOT,
        env=os.environ | on_runtime(table, runtime) | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT,
    )


# ---- evidence ------------------------------------------------------------------------------------


def evidence_path(table: OperatorTable) -> Path:
    return table.path.parent / "evidence" / f"{EVIDENCE}.json"


def checksum(claims: Any) -> str:
    """So that a change by accident shows; it cannot stop intent."""
    return hashlib.sha256(json.dumps(claims, sort_keys=True).encode()).hexdigest()


def render_evidence(setting: Setting, findings: Sequence[Findings], commit: str) -> str:
    table = setting.table
    if ended := next((found for found in findings if found.ended), None):
        raise NativeError(f"{ended.category} was not measured to its end: {ended.ended}")
    claims = [entry for found in findings for entry in found.measured]
    data = {
        "suite": EVIDENCE,
        "vendor": table.vendor,
        "library": f"{table.library.name} {table.library.version}",
        "files": {file.name: digest(file) for file in setting.library.libraries},
        **findings[0].facts,
        "commit": commit,
        "date": date.today().isoformat(),
        "bars": {name: {"most": BARS[name].most, "reason": BARS[name].reason} for name in table.categories},
        "claims": claims,
        "checksum": checksum(claims),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read_evidence(path: Path) -> dict[str, Any]:
    """Raises NativeError if there is none, or if it is not as it was recorded."""
    if not path.is_file():
        raise NativeError(f"{shorten(path)}: nothing was measured yet: python -m generators.native_op.verify --record")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if data.get("checksum") != checksum(data.get("claims")):
        raise NativeError(
            f"{shorten(path)}: is not what was recorded: its checksum is another; git checkout {shorten(path)}, or measure "
            "and record anew"
        )
    return data


def conf_of(table: OperatorTable, configs: Path = CONFIGS) -> Path:
    return conf_path(table.vendor, configs)


def render_conf(table: OperatorTable, evidence: dict[str, Any]) -> str:
    """The conf that routes what passed."""
    wrong = {entry["overload"]: entry for entry in evidence["claims"] if not entry["passed"]}
    refused = {entry.name: entry.reason for entry in table.entries if entry.status == "refused"}
    return (
        templates("native_op")
        .get_template("backends.conf.j2")
        .render(vendor=table.vendor, routed=sorted(passed(evidence["claims"])), wrong=sorted(wrong), refused=refused)
    )


def rendered(table: OperatorTable, evidence: dict[str, Any]) -> dict[Path, str]:
    """What is made of evidence: the conf, and the table with its statuses."""
    return {conf_of(table): render_conf(table, evidence), table.path: with_statuses(table, evidence)}


def with_statuses(table: OperatorTable, evidence: dict[str, Any]) -> str:
    """The table's text, in which an operator is verified if each overload of it that was measured passed."""
    good = set(passed(evidence["claims"]))
    by_entry: dict[str, set[str]] = {}
    for claim in evidence["claims"]:
        by_entry.setdefault(claim["operator"], set()).add(claim["overload"])
    lines = table.path.read_text(encoding="utf-8").splitlines(keepends=True)
    for entry in table.generated:
        overloads = by_entry.get(entry.name, set())
        status = "verified" if overloads and overloads <= good else "proposed"
        number = next(n for n in range(entry.line - 1, len(lines)) if lines[n].strip() == f"status: {entry.status}")
        lines[number] = lines[number].replace(entry.status, status)
    return "".join(lines)
