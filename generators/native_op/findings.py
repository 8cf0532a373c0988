"""What measuring found: kept on disk by category, and the evidence and the conf that are made of it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generators.build import BUILD, LIBRARIES
from generators.files import ROOT, digest, write_if_changed
from generators.native_op import NativeError
from generators.native_op.table import OperatorTable
from torch_fl.conf import CONFIGS, conf_path
from torch_fl.preload import installed_torch

EVIDENCE = "native_operators"
KEPT = BUILD / "native"
LIMIT = 900  # seconds for a category


@dataclass(frozen=True)
class Findings:
    """Of one category: what measure prints of each overload and dtype, and how it ended if not well."""

    category: str
    measured: Sequence[dict[str, Any]]
    ended: str = ""

    @property
    def passed(self) -> list[str]:
        """Overloads that are right in every dtype that they are claimed for."""
        names = dict.fromkeys(entry["overload"] for entry in self.measured)
        wrong = {entry["overload"] for entry in self.measured if not entry["passed"]}
        return [name for name in names if name not in wrong]

    @property
    def failed(self) -> list[dict[str, Any]]:
        return [entry for entry in self.measured if not entry["passed"]]


def inputs_of(table: OperatorTable, category: str) -> str:
    """A hash of what a category's findings depend on."""
    files = [
        *LIBRARIES.glob(f"libtorch_fl_{table.vendor}.so"),
        LIBRARIES / "libtorch_fl.so",
        *Path(__file__).parent.glob("*.py"),
        table.path,
    ]
    total = hashlib.sha256(f"{category} {installed_torch()[1]}".encode())
    for file in sorted(files):
        total.update(digest(file).encode())
    return total.hexdigest()


def measure_category(table: OperatorTable, category: str) -> Findings:
    """Measure in a process of its own, unless the same was measured before."""
    kept = KEPT / f"{table.vendor}-{category.replace(' ', '_')}.json"
    inputs = inputs_of(table, category)
    if kept.is_file():
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["inputs"] == inputs:
            return Findings(category, found["measured"], found["ended"])
    child = subprocess.run(
        [sys.executable, "-m", "generators.native_op.measure", table.vendor, category],
        cwd=ROOT,
        env=os.environ | {"FLAGOS_ACCELERATOR": table.runtime, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT,
    )
    measured = [json.loads(line) for line in child.stdout.splitlines()]
    ended = "" if child.returncode == 0 else f"exit status {child.returncode}: {child.stderr.strip()[-1500:]}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not ended:
        write_if_changed(kept, json.dumps({"inputs": inputs, "measured": measured, "ended": ended}))
    return Findings(category, measured, ended)


def checksum(claims: Any) -> str:
    """So that a change by accident shows; it cannot stop intent."""
    return hashlib.sha256(json.dumps(claims, sort_keys=True).encode()).hexdigest()


def render_evidence(table: OperatorTable, findings: Iterable[Findings], facts: dict[str, Any]) -> str:
    claims = {f"{e['overload']}.{e['dtype']}" if "." in e["overload"] else f"{e['overload']}..{e['dtype']}": e
              for found in findings for e in found.measured}
    data = {"suite": EVIDENCE, "vendor": table.vendor, **facts, "claims": claims, "checksum": checksum(claims)}
    return json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_evidence(path: Path) -> dict[str, Any]:
    """Raises NativeError if it is not as it was recorded."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if data.get("checksum") != checksum(data.get("claims")):
        raise NativeError(
            f"{path.name}: is not what was recorded: its checksum is another\n"
            f"  next      git checkout {path.name}, or measure and record anew"
        )
    return data


def conf_of(table: OperatorTable, configs: Path = CONFIGS) -> Path:
    return conf_path(table.vendor, configs)
