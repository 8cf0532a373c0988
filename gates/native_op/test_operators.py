"""What the table claims is measured: that the library computes it, how far it is from the CPU, and what is said of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from gates.dispatch_log import what_ran
from gates.status import check, not_run
from generators.build import Built
from generators.documents import shorten
from generators.files import ROOT
from generators.native_op import NativeError
from generators.native_op.findings import (
    Setting,
    evidence_path,
    in_child,
    measure_category,
    on_runtime,
    passed,
    read_evidence,
    rendered,
)
from generators.native_op.table import OperatorTable
from generators.native_op.verify import why
from generators.reports import SUPPORT, load_evidence, render_support
from torch_fl.conf import CONF, load_conf

VERIFY = "python -m generators.native_op.verify --vendor NAME --record --write"


@pytest.mark.gate("native_op.operators.taken")
def test_library_computes_what_is_claimed(table: OperatorTable, trace: dict[str, str], measured: dict[str, Any]):
    """Exit criterion: "route really taken (trace)": in a call of each claimed overload the dispatch log names the library's
    kernel, and the library's own trace, where it has one, shows that it ran. Right numbers alone could be the CPU's."""
    measured["overloads"] = len(trace)
    says = table.convention.trace.get("says", "")
    no_call = sorted(overload for overload, said in trace.items() if not said)
    check(
        not no_call, "no sample of these is taken by the library", found=", ".join(no_call), where=shorten(table.path)
    )
    elsewhere = sorted(name for name, said in trace.items() if table.vendor not in {by for _, by in what_ran(said)})
    check(
        not elsewhere, "the dispatch log does not name the library", expected=table.vendor, found=", ".join(elsewhere)
    )
    silent = sorted(name for name, said in trace.items() if says not in said)
    check(not silent, "the library itself was not called", expected=f"'{says}' in its trace", found=", ".join(silent))


@pytest.mark.gate("native_op.operators.bars")
def test_results_are_within_the_bar(
    category: str, some_device: None, setting: Setting, table: OperatorTable, measured: dict[str, Any]
):
    """Exit criterion: each overload, in every claimed dtype, over PyTorch's samples in several layouts and with special values:
    |a - b| / max(1, |b|) is within the category's bar, and NaN, infinities, sizes and dtypes are the CPU's."""
    found = measure_category(setting, category)
    measured.update({"overloads": found.overloads, "passed": len(found.passed), "kept from an earlier run": found.kept})
    if worst := found.worst:
        measured["worst"] = (
            f"{worst['max_rel']:.1e} of at most {worst['bar']:.1e}, {worst['overload']}, {worst['worst']}"
        )
    check(not found.ended, f"{category} was not measured to its end", found=found.ended)
    check(
        not found.failed,
        f"{len(found.failed)} claims of {category} do not hold",
        found="\n            ".join(
            f"{entry['overload']}, {entry['dtype']}: {why(entry)}" for entry in found.failed[:10]
        ),
        where=shorten(table.path),
        next="mend the call, narrow it with 'when', or refuse it with a reason",
    )


@pytest.fixture(scope="module")
def evidence(table: OperatorTable) -> dict[str, Any]:
    """What was recorded for this vendor."""
    if not evidence_path(table).is_file():
        not_run(f"needs recorded figures: {VERIFY}")
    try:
        return read_evidence(evidence_path(table))
    except NativeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.mark.gate("native_op.operators.evidence")
def test_every_line_of_the_conf_has_evidence(table: OperatorTable, evidence: dict[str, Any], measured: dict[str, Any]):
    """Exit criterion: only overloads with passing evidence for this vendor are in the conf, and the evidence is what was
    recorded: a checksum tells a change by accident, it cannot stop intent."""
    conf = load_conf(table.vendor)
    measured.update({"lines": len(conf.routes), "on": evidence["hardware"]})
    check(evidence["vendor"] == table.vendor, "the evidence is another vendor's", found=evidence["vendor"])
    unproven = sorted(set(conf.routes) - set(passed(evidence["claims"])))
    check(not unproven, "lines of the conf have no evidence", found=", ".join(unproven), where=shorten(conf.path))
    unmeasured = sorted(
        entry.name for entry in table.generated if entry.status == "verified" and entry.name not in _operators(evidence)
    )
    check(not unmeasured, "verified operators have no evidence", found=", ".join(unmeasured), where=shorten(table.path))


def _operators(evidence: dict[str, Any]) -> set[str]:
    return {claim["operator"] for claim in evidence["claims"]}


@pytest.mark.gate("native_op.operators.conf")
def test_conf_and_statuses_are_written_again_alike(table: OperatorTable, evidence: dict[str, Any]):
    """Exit criterion: the conf is written idempotently from the evidence, and so are the table's statuses."""
    for path, text in rendered(table, evidence).items():
        found = path.read_text(encoding="utf-8") if path.is_file() else ""
        check(found == text, f"{path.name} is not what the evidence gives", where=shorten(path), next=VERIFY)


@pytest.mark.gate("native_op.operators.documented")
def test_support_page_claims_what_was_recorded(evidence: dict[str, Any]):
    """Exit criterion: docs/reference/operator-support.md is generated from evidence alone: no claim without it."""
    found = SUPPORT.read_text(encoding="utf-8") if SUPPORT.is_file() else ""
    check(found == render_support(load_evidence()), "the page differs", where=shorten(SUPPORT), next="make generate")


@pytest.mark.gate("native_op.operators.large")
def test_large_sizes_give_no_wrong_number(
    some_device: None, library: Built, kernels: Built, table: OperatorTable, measured: dict[str, Any]
):
    """Exit criterion: "sizes beyond the library's int32 limits: clear error or documented fallback, never a wrong number"."""
    child = in_child(table, library.library, "large")
    check(child.returncode == 0, "the calls ended the process", found=child.stderr.strip()[-2000:])
    calls: list[dict[str, Any]] = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    if not calls:
        measured["calls"] = "none: the table has no sum, whose result is small where its input is not"
    measured.update(Counter(call["by"] for call in calls))
    wrong = [f"{c['overload']} of {c['size']} ones: {c['found']}, by {c['by']}" for c in calls if not c["right"]]
    check(not wrong, "wrong numbers", found="; ".join(wrong), next="narrow the claims with 'when'")


UNARY = ("abs", "digamma", "erfinv", "exp", "frac", "neg", "sigmoid", "sqrt", "tanh", "trunc")
FALLBACK = """
import json, torch, torch_fl
x = torch.ones(4, device="flagos")
torch_fl.flagos.reset_fallback_counts()
for name in {names}:
    getattr(torch.ops.aten, name)(x)
print(json.dumps([torch_fl.flagos.routes(), torch_fl.flagos.fallback_counts()]))
"""


@pytest.mark.gate("native_op.operators.fallback")
def test_what_is_not_routed_falls_back_and_is_counted(
    some_device: None,
    library: Built,
    kernels: Built,
    table: OperatorTable,
    evidence: dict[str, Any],
    measured: dict[str, Any],
):
    """Exit criterion: under the vendor's conf, operators that it does not list run on the CPU, give its results, and are
    counted; those that it lists are not."""
    unrouted = [name for name in UNARY if name not in load_conf(table.vendor).routes]
    child = subprocess.run(
        [sys.executable, "-c", FALLBACK.format(names=[*UNARY])],
        cwd=ROOT,
        env=os.environ | on_runtime(table, library.library) | {CONF: table.vendor},
        capture_output=True,
        text=True,
    )
    check(child.returncode == 0, "the conf cannot be used", found=child.stderr.strip()[-2000:])
    routes, counts = json.loads(child.stdout)
    fell_back = {name.removeprefix("aten::").partition(".")[0] for name in counts}
    counted = sorted(fell_back & set(UNARY))
    measured.update({"routed": len(routes), "fell back": ", ".join(counted)})
    check(counted == sorted(unrouted), "other operators fell back", expected=sorted(unrouted), found=counted)
