"""Verdicts and evidence are what the cases say."""

import json

import pytest

from gates import evidence
from gates.evidence import Results
from generators import reports
from generators.source import Source

FACTS = {"vendor": "toy (simulated device)", "sdk": "none needed", "torch": "2.13.0+cpu", "commit": "abc", "mode": "check",
         "hardware": "one toy", "simulated": "true", "runtime_library": "sha256:1"}  # fmt: skip


def results(*ends):
    found = Results()
    for index, (gate, status, detail) in enumerate(ends):
        found.add(f"case{index}", {"gate": gate, "status": status, "speed": "3"}, detail)
    return found


@pytest.mark.parametrize(
    "statuses, verdict",
    [
        (["PASS"], "PASS"),
        (["PASS", "GAP"], "PASS"),
        (["PASS", "NOT RUN"], "NOT PROVEN"),
        (["PASS", "NOT RUN", "FAIL"], "FAIL"),
        (["NOT RUN"], "NOTHING RAN"),
        (["GAP"], "NOTHING RAN"),
    ],
)
def test_verdict(statuses, verdict):
    found = results(*((f"runtime.a.{i}", status, "why") for i, status in enumerate(statuses)))
    assert found.verdict == verdict
    assert all(f"{statuses.count(s)} {s}" in found.explained for s in statuses)


def test_the_worst_end_of_a_case_counts():
    found = Results()
    for status in ("PASS", "FAIL", "PASS"):
        found.add("one", {"gate": "runtime.a.b", "status": status}, "why")
    assert found.verdict == "FAIL"
    assert found.gates()["runtime.a.b"]["status"] == "FAIL"


def test_summary_has_areas_of_what_passed_and_gates_of_what_failed():
    found = results(
        ("runtime.a.b", "PASS", ""), ("runtime.a.c", "PASS", ""), ("runtime.a.d", "FAIL", "broken"),
        ("runtime.a.e", "NOT RUN", "no chip"), ("runtime.a.f", "NOT RUN", "no chip"),
    )  # fmt: skip
    assert found.lines() == [
        ("PASS", "runtime.a", 2, ""),
        ("NOT RUN", "runtime.a", 2, "no chip"),
        ("FAIL", "runtime.a.d", 1, "broken"),
    ]


def test_record_refuses_a_partial_run_and_a_modified_tree(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    found = results(("runtime.a.b", "PASS", ""))
    assert "whole suite" in evidence.record(found, FACTS, Source("abc", ()), complete=False)
    assert "not a commit (x.cc)" in evidence.record(found, FACTS, Source("abc", ("x.cc",)), complete=True)
    assert not found.recorded and not list(tmp_path.iterdir())


def test_record_says_what_was_measured_on_what(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    found = results(("runtime.a.b", "PASS", ""), ("runtime.a.c", "GAP", "never"))
    assert evidence.record(found, FACTS, Source("abc" * 13, ()), complete=True) == "recorded toy/evidence/runtime.json"
    data = json.loads((tmp_path / "toy/evidence/runtime.json").read_text())
    assert (data["vendor"], data["simulated"], data["commit"], data["verdict"]) == ("toy", True, "abc" * 13, "PASS")
    assert data["gates"]["runtime.a.b"] == {"status": "PASS", "cases": {"PASS": 1}, "measured": {"speed": "3"}}
    assert data["gates"]["runtime.a.c"]["reason"] == "never"


def test_generated_documents_are_current():
    for path, text in reports.render().items():
        assert path.read_text() == text, f"{path} is stale; run: make generate"


def test_every_gate_has_an_id_a_criterion_and_a_valid_capability():
    gates = reports.list_gates()
    assert len(gates) > 80
    for gate in gates:
        assert gate.id.startswith(gate.file.split("/")[1] + "."), gate
        assert len(gate.criterion) > 30, gate
        assert set(gate.requires) <= set(reports.CAPABILITIES), gate
    assert len({gate.id for gate in gates}) == len(gates)
