"""The conf lists what was measured: every operator of it gives what the CPU gives, and there is evidence of that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gates.cuda_compat.conftest import Programs, environment_of_programs
from gates.status import check, not_run
from generators.build import BUILD
from generators.files import ROOT
from generators.sweep import SUITES
from generators.sweep.findings import EVIDENCE
from generators.vendor import DESCRIPTORS, Vendor
from torch_fl.conf import conf_path, load_conf, operators_of_torch

SWEEP = "python -m torch_fl.preload python -m generators.sweep --vendor NAME --routes all --write-conf --record"
EACH = 50  # so many-th entry of each list; all with --fix


@pytest.mark.gate("cuda_compat.operators.samples")
def test_operators_give_what_the_cpu_gives(
    pytestconfig: pytest.Config,
    vendor: Vendor,
    some_device: None,
    torch_side,
    programs: Programs,
    measured: dict[str, Any],
):
    """Exit criterion: "every routed overload is run against CPU over OpInfo samples (dtypes, sizes, non-contiguous) in children
    that may crash; what fails is fixed or taken out with the reason, never left routed": PyTorch's own samples, with the
    routes of the conf, or with every operator routed as long as it is empty. A run has each fiftieth of them; with --fix
    all, every operator is routed, and the conf is narrowed to those that were right."""
    fix, own = pytestconfig.option.fix, load_conf(vendor.name).routes
    state = BUILD / "sweeps" / f"{vendor.name}.jsonl"
    command = ["-m", "generators.sweep", "--vendor", vendor.name, "--routes", "conf" if own and not fix else "all"]
    if fix:
        command += ["--write-conf", "--keep", str(state)]
    else:
        command += [f"{suite}:{EACH}" for suite in SUITES]
    child = subprocess.run(
        programs.python(*command),
        env=environment_of_programs(),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=sys.__stderr__ if fix else subprocess.PIPE,  # a person watches a whole sweep's progress
        text=True,
        errors="replace",
    )
    said = (child.stderr or "").strip()[-3000:]
    check(child.returncode in (0, 1) and child.stdout != "", "the sweep did not come to its end", found=said)
    found = json.loads(child.stdout.splitlines()[-1])["summary"]
    lacking = ("proven", "wrong", "fell_back", "not_run")
    measured.update({"routed": found["routed"]} | {name: len(found[name]) for name in lacking})
    check(len(found["proven"]) > 50, "next to nothing ran on the key", found=said)
    for what, problems in (
        ("entries failed although no operator of theirs did", found["unexplained"]),
        ("routed operators are wrong", {} if fix else found["wrong"]),
        ("routed operators fell back to the CPU", {name: "" for name in found["fell_back"]}),
    ):
        shown = [f"{name}: {why}" for name, why in problems.items()]
        check(
            not problems,
            f"{len(problems)} {what}",
            found="\n            ".join(shown[:20]),
            where=str(conf_path(vendor.name).relative_to(ROOT)),
            next=f"mend them, or take them out of the conf: pytest gates/cuda_compat --vendor {vendor.name} --fix",
        )


@pytest.mark.gate("cuda_compat.operators.evidence", requires=("external_kernels",))
def test_every_line_of_the_conf_has_evidence(vendor: Vendor, measured: dict[str, Any]):
    """Exit criterion: "every conf line has evidence": a recorded sweep of the whole lists in which that operator ran on the key
    and gave what the CPU gave. Lines for operators that only other torch lines have are theirs to prove."""
    own, where = load_conf(vendor.name), DESCRIPTORS / vendor.name / "evidence" / f"{EVIDENCE}.json"
    if not own.routes:
        not_run(f"needs a conf that was measured, it routes nothing yet: {SWEEP}")
    check(where.is_file(), "the conf has no evidence", where=str(where.relative_to(ROOT)), next=SWEEP)
    evidence = json.loads(where.read_text(encoding="utf-8"))
    here = operators_of_torch()
    routed = {name for name in own.routes if name in here}
    unproven = sorted(routed - set(evidence["proven"]))
    measured.update({"lines": len(own.routes), "swept": evidence["routed"], "on": evidence["hardware"]})
    check(
        not unproven,
        f"{len(unproven)} lines of the conf have no evidence",
        found=", ".join(unproven[:20]),
        where=str(Path(own.path).relative_to(ROOT)),
        next=SWEEP,
    )
    check(evidence["key"] == vendor.dispatch_key, "the evidence is of another key", found=evidence["key"])
