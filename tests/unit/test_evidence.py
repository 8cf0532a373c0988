"""Verdicts and evidence are what the cases say."""

import json
from types import SimpleNamespace

import pytest

from gates import evidence, plugin
from gates.evidence import Results
from generators import reports
from generators.files import ROOT, digest
from generators.gates import list_gates
from generators.source import Source
from generators.vendor import FoundSdk, Vendor

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


@pytest.mark.parametrize("status, verdict", [("FAIL", "FAIL"), ("NOT RUN", "NOT PROVEN")])
def test_record_refuses_what_is_no_pass(tmp_path, monkeypatch, status, verdict):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    found = results(("runtime.a.b", "PASS", ""), ("runtime.a.c", status, "why"))
    note = evidence.record(found, FACTS, Source("abc", ()), complete=True)
    assert note.startswith("not recorded: ") and f"this is {verdict} on one toy" in note
    assert not found.recorded and not list(tmp_path.iterdir())


def test_record_refuses_unknown_hardware(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    found = results(("runtime.a.b", "PASS", ""))
    facts = FACTS | {"hardware": "unknown (toy-smi: FileNotFoundError)"}
    note = evidence.record(found, facts, Source("abc", ()), complete=True)
    assert note.startswith("not recorded: ") and "toy-smi" in note
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


def test_figures_and_reasons_of_a_gate_are_those_of_its_cases():
    found = Results()
    found.add("a[1]", {"gate": "runtime.a.b", "status": "PASS", "speed": "3"}, "ignored")
    found.add("a[2]", {"gate": "runtime.a.b", "status": "FAIL", "size": "4"}, "too slow")
    found.add("a[3]", {"gate": "runtime.a.b", "status": "NOT RUN"}, "no chip")
    assert found.gates() == {
        "runtime.a.b": {
            "status": "FAIL",
            "cases": {"PASS": 1, "FAIL": 1, "NOT RUN": 1},
            "measured": {"speed": "3", "size": "4"},
            "reason": "too slow",
        }
    }


def test_a_case_that_took_its_process_with_it_is_no_pass():
    found = results(("runtime.a.b", "PASS", ""))
    found.lost.append("gates/runtime/test_a.py::test_b")
    assert found.verdict == "FAIL"
    assert found.explained == "FAIL (1 PASS, 1 lost: gates/runtime/test_a.py::test_b)"


def test_recording_twice_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    found = results(("runtime.a.b", "PASS", ""))
    times = []
    for _ in range(2):
        evidence.record(found, FACTS, Source("abc" * 13, ()), complete=True)
        times.append((tmp_path / "toy/evidence/runtime.json").stat().st_mtime_ns)
    assert times[0] == times[1]


def test_evidence_of_two_suites_lies_in_two_files(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "DESCRIPTORS", tmp_path)
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    found = results(("runtime.a.b", "PASS", ""), ("native_op.a.b", "PASS", ""))
    evidence.record(found, FACTS, Source("abc" * 13, ()), complete=True)
    for suite in ("runtime", "native_op"):
        assert list(json.loads((tmp_path / f"toy/evidence/{suite}.json").read_text())["gates"]) == [f"{suite}.a.b"]


def test_a_verdict_is_kept_with_exactly_its_inputs(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "VERDICTS", tmp_path)
    evidence.keep_verdict(results(("runtime.a.b", "PASS", "")), FACTS)
    assert json.loads((tmp_path / "runtime-toy.json").read_text()) == FACTS | {"verdict": "PASS"}


# ---- which runs count


def config(*arguments, cwd=ROOT, **chosen):
    names = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise")
    option = SimpleNamespace(**(dict.fromkeys(names) | {"record": True, "certify": False} | chosen))
    return SimpleNamespace(
        option=option, args=arguments, invocation_params=SimpleNamespace(dir=cwd), stash=pytest.Stash()
    )


@pytest.mark.parametrize(
    "arguments, cwd",
    [
        (["gates"], ROOT),
        (["gates/runtime"], ROOT),
        (["gates/runtime/"], ROOT),
        (["runtime"], ROOT / "gates"),
        (["."], ROOT),
    ],
)
def test_a_run_of_folders_is_of_a_whole_suite(arguments, cwd):
    assert evidence.covers_suite(config(*arguments, cwd=cwd))


@pytest.mark.parametrize(
    "arguments, chosen",
    [
        (["gates/runtime/test_memory.py"], {}),
        (["gates/runtime", "tests/unit"], {}),
        (["gates/runtime/test_memory.py::test_x"], {}),
        (["gates/runtime"], {"keyword": "memory"}),
        (["gates/runtime"], {"markexpr": "slow"}),
        (["gates/runtime"], {"deselect": ["gates/runtime/test_memory.py"]}),
        (["gates/runtime"], {"ignore": ["gates/runtime/test_memory.py"]}),
        (["gates/runtime"], {"ignore_glob": ["*memory*"]}),
        (["gates/runtime"], {"lf": True}),
        (["gates/runtime"], {"stepwise": True}),
    ],
)
def test_a_run_of_less_is_not(arguments, chosen):
    assert not evidence.covers_suite(config(*arguments, **chosen))


@pytest.fixture
def reporter(tmp_path, monkeypatch):
    """The report of a whole run of one gate that passed, for an invented vendor and on a clean commit."""
    for name in ("DESCRIPTORS", "ROOT"):
        monkeypatch.setattr(evidence, name, tmp_path)
    monkeypatch.setattr(evidence, "VERDICTS", tmp_path / "verdicts")
    monkeypatch.setattr(evidence, "covers_suite", lambda config: True)
    ours = config("gates/runtime")
    vendor = Vendor("toy", "Toy", True, True, tmp_path / "vendor.yaml")
    ours.stash[plugin.RESULTS] = Results()
    ours.stash[plugin.SETUP] = SimpleNamespace(
        simulated_sdk="",
        sdk=None,
        vendor=vendor,
        torch="2.13",
        torch_found=plugin.torch_found(),
        given_library=None,
        source=Source("c" * 40, ()),
        describe=lambda config: dict(FACTS),
    )
    found = plugin.Reporter(ours)
    found.pytest_runtest_logreport(report())
    return found


def report(when="teardown", outcome="passed", gate="runtime.a.b", status="PASS"):
    properties = [("gate", gate), ("status", status)] if gate else []
    return pytest.TestReport(
        "gates/x.py::test_x", ("x.py", 1, "x"), {}, outcome, None, when, user_properties=properties
    )


def test_provenance_is_of_the_library_that_was_built_over_that_sdk(tmp_path, monkeypatch):
    """The one over a simulated SDK lies apart: gates of operators ask whether the runtime's gates ran with it."""
    monkeypatch.setattr("generators.build.BUILD", tmp_path)
    monkeypatch.setattr("generators.build.LIBRARIES", tmp_path)
    library = tmp_path / "simulated/libflagos_toy.so"
    library.parent.mkdir()
    library.write_bytes(b"simulated")
    toy = Vendor("toy", "Toy", True, True, tmp_path / "vendor.yaml")
    sdk = FoundSdk(tmp_path, tmp_path, library, simulated="simulated SDK")
    assert evidence.provenance(toy, sdk, None)["runtime_library"] == f"sha256:{digest(library)}"
    assert "runtime_library" not in evidence.provenance(toy, None, None)


def end(reporter, status=pytest.ExitCode.OK, **ended):
    session = SimpleNamespace(**({"exitstatus": status, "shouldstop": False, "shouldfail": False} | ended))
    reporter.pytest_sessionfinish(session)
    folder = evidence.DESCRIPTORS
    return session.exitstatus, sorted(path.name for path in folder.rglob("*.json"))


def test_a_whole_run_is_kept_and_recorded(reporter):
    assert end(reporter) == (0, ["runtime-toy.json", "runtime.json"])


def test_a_run_on_a_simulated_sdk_is_kept_and_not_recorded(reporter):
    reporter.config.stash[plugin.SETUP].simulated_sdk = "simulated SDK: no evidence for hardware; a toy"
    assert end(reporter) == (1, ["runtime-toy.json"])
    assert reporter.results.record_note.startswith("not recorded: simulated SDK: no evidence for hardware; a toy; ")


@pytest.mark.parametrize("status", [pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR])
def test_a_run_that_was_interrupted_is_neither(reporter, status):
    assert end(reporter, status) == (1, [])
    assert "whole suite" in reporter.results.record_note


@pytest.mark.parametrize("ended", [{"shouldstop": "a failure"}, {"shouldfail": "stopping after 1 failures"}])
def test_a_run_that_stopped_early_is_neither(reporter, ended):
    assert end(reporter, pytest.ExitCode.TESTS_FAILED, **ended) == (1, [])


def test_a_run_in_which_torch_became_another_is_neither(reporter, monkeypatch):
    monkeypatch.setattr(plugin, "torch_found", lambda: "torch 2.13.0+cu130 elsewhere")
    status, files = end(reporter)
    assert status == 1 and "runtime.json" not in files
    assert "torch changed during the run: it was torch 2." in reporter.results.explained


def test_a_run_that_lost_a_worker_is_neither(reporter):
    reporter.pytest_runtest_logreport(report(when="???", outcome="failed", gate=""))  # as xdist reports it
    assert reporter.results.verdict == "FAIL"
    assert end(reporter) == (1, [])


def test_a_run_with_a_file_that_cannot_be_imported_is_neither(reporter):
    reporter.pytest_collectreport(pytest.CollectReport("gates/runtime/test_x.py", "failed", "SyntaxError", []))
    assert "1 lost: gates/runtime/test_x.py" in reporter.results.explained
    assert end(reporter) == (1, [])


def test_a_failed_teardown_overrules_a_pass(reporter):
    reporter.pytest_runtest_logreport(report(outcome="failed", status="FAIL"))
    assert reporter.results.verdict == "FAIL"
    assert end(reporter) == (1, ["runtime-toy.json"])  # kept for suites that depend on it; no evidence


# ---- documents


def test_generated_documents_are_current():
    for path, text in reports.render().items():
        assert path.read_text() == text, f"{path} is stale; run: make generate"


def test_map_that_cannot_be_read_is_an_error_and_not_a_traceback(tmp_path, monkeypatch, capsys):
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme/runtime-api-map.yaml").write_text("vendor: acme\nslotz: {}\n")
    monkeypatch.setattr(reports, "DESCRIPTORS", tmp_path)
    monkeypatch.setattr(reports, "known_vendors", list)
    assert reports.main(["--write"]) == 1
    text = capsys.readouterr().err
    assert text.startswith("ERROR: ") and "runtime-api-map.yaml:2: slotz: unknown key" in text


def test_every_gate_has_an_id_a_criterion_and_a_valid_capability():
    gates = list_gates()
    assert len(gates) > 80
    for gate in gates:
        assert gate.id.startswith(gate.file.split("/")[1] + "."), gate
        assert len(gate.criterion) > 30, gate
        assert set(gate.requires) <= set(reports.CAPABILITIES), gate
    assert len({gate.id for gate in gates}) == len(gates)
