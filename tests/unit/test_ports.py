"""What was recorded of a torch line, and the range that the project declares by it."""

import json
from collections import Counter
from types import SimpleNamespace

import pytest

from gates import evidence, platform_tests
from gates.evidence import Results
from gates.platform_tests import FILES, Keeper, kept
from generators.aten import AtenError, ports
from generators.aten.ports import declared_range, load_records, render_declarations
from generators.files import ROOT
from generators.source import Source


def line(build="PASS", wrong=(), **more):
    return {"types": {"wrong": list(wrong)}, "results": {"build": build, "import": "PASS", "tests": "PASS"} | more}


@pytest.mark.parametrize(
    ("records", "declared"),
    [
        ({"2.13": line()}, "torch>=2.13,<2.14"),
        ({"2.9": line(), "2.10": line(), "2.11": line()}, "torch>=2.9,<2.12"),
        ({"2.9": line("FAIL"), "2.10": line(), "2.11": line(tests="FAIL")}, "torch>=2.10,<2.11"),
        ({"2.9": line(), "2.10": line(wrong=["cat"]), "2.11": line()}, "torch>=2.9,!=2.10.*,<2.12"),
    ],
)
def test_range_is_what_was_built_imported_and_tested(records, declared):
    assert declared_range(records) == declared


def test_range_of_nothing_is_refused():
    with pytest.raises(AtenError, match="no torch line was recorded as tested"):
        declared_range({"2.9": {"types": {"wrong": []}, "results": {}}})


def test_every_place_declares_the_same(tmp_path, monkeypatch):
    """Two lines more make another requirement, badge and page, and nothing else of these files changes."""
    monkeypatch.setattr(ports, "load_records", lambda: {"2.11": line(), "2.12": line("FAIL"), "3.0": line()})
    texts = render_declarations()
    assert '\ndependencies = ["torch>=2.11,!=2.12.*,<3.1", "pyyaml' in texts[ports.PYPROJECT]
    assert "[![torch 2.11 to 3.0](https://img.shields.io/badge/torch-2.11_to_3.0-blue)](" in texts[ports.README]
    assert "`torch>=2.11,!=2.12.*,<3.1`" in texts[ports.COMPATIBILITY]
    for path in (ports.PYPROJECT, ports.README):
        before, after = path.read_text().splitlines(), texts[path].splitlines()
        assert len(before) == len(after) and sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_place_that_lost_its_line_is_named(tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text("no badge")
    monkeypatch.setattr(ports, "README", tmp_path / "README.md")
    monkeypatch.setattr(ports, "load_records", lambda: {"2.11": line()})
    with pytest.raises(AtenError, match=r"README.md: expected one line like"):
        render_declarations()


# ---- recording


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(ports, "FOLDER", tmp_path)
    (tmp_path / "2.13.json").write_text(json.dumps({"torch": "2.13.0", "results": {"build": "FAIL"}}))
    return tmp_path


def port(*ends, torch="2.13.0+cu130, a build for CUDA 13.0 on a machine without a GPU"):
    found = Results()
    for gate, status, detail in [("environment.cpu", "FAIL", "not the CPU build"), *ends]:
        found.add(gate, {"gate": f"version_port.{gate}", "status": status, "torch": torch, "tests": "9 passed"}, detail)
    return found


GOOD = [("build.compiles", "PASS", ""), ("import.clean", "PASS", ""), ("platform.tests", "PASS", "")]
CLEAN = Source("abc" * 13, ())


def test_results_are_recorded_whatever_they_are(folder):
    found = port(*GOOD[:2], ("platform.tests", "FAIL", "one failed"), ("report.range", "FAIL", "another range"))
    assert evidence.record(found, {"hardware": "x"}, CLEAN, True).startswith("recorded ") and found.recorded
    assert load_records()["2.13"] == {
        "torch": "2.13.0",
        "results": {
            "torch": "2.13.0+cu130, a build for CUDA 13.0 on a machine without a GPU",
            "commit": "abc" * 13,
            "build": "PASS",
            "import": "PASS",
            "tests": "FAIL",
            "tests run": "9 passed",
            "not passed": {
                "version_port.environment.cpu": "not the CPU build",
                "version_port.platform.tests": "one failed",
            },
        },
    }


@pytest.mark.parametrize(
    ("source", "complete", "torch", "why"),
    [
        (Source("abc", ("csrc/a.cc",)), True, "2.13.0", "not a commit"),
        (CLEAN, False, "2.13.0", "whole suite"),
        (CLEAN, True, "2.7.0", "first run: python -m generators.aten.ports"),
    ],
)
def test_what_is_no_evidence_is_not_recorded(source, complete, torch, why, folder):
    found = port(*GOOD, torch=torch)
    assert why in evidence.record(found, {"hardware": "x"}, source, complete) and not found.recorded
    assert load_records()["2.13"]["results"] == {"build": "FAIL"}


# ---- the kept verdict of the platform tests


@pytest.fixture
def verdicts(tmp_path, monkeypatch):
    monkeypatch.setattr(platform_tests, "VERDICT", tmp_path / "platform_tests.json")
    monkeypatch.setattr(platform_tests, "_inputs", lambda: "these")


def session(*arguments, **options):
    return SimpleNamespace(
        args=list(arguments), option=SimpleNamespace(**options), invocation_params=SimpleNamespace(dir=ROOT)
    )


def keeper(*outcomes, file="tests/integration/test_copy.py"):
    found = Keeper()
    for number, outcome in enumerate(outcomes):
        found.add(SimpleNamespace(nodeid=f"{file}::test_{number}", when="call", outcome=outcome, skipped=False))
    return found


WHOLE = "tests/integration"


def test_whole_run_that_passed_is_kept_for_its_inputs(verdicts, monkeypatch):
    assert kept() is None
    keeper("passed", "passed", "skipped").finish(session("tests/unit", WHOLE))
    assert kept() == Counter(passed=2, skipped=1)
    monkeypatch.setattr(platform_tests, "_inputs", lambda: "others")
    assert kept() is None


@pytest.mark.parametrize(
    ("outcomes", "file", "config"),
    [
        (["passed", "failed"], "tests/integration/test_copy.py", session(WHOLE)),
        (["passed"], "tests/integration/test_copy.py", session("tests/integration/test_copy.py")),
        (["passed"], "tests/integration/test_copy.py", session(WHOLE, keyword="copy")),
        (["passed"], "tests/unit/test_map.py", session(WHOLE)),
    ],
    ids=["one failed", "one file", "a selection", "others"],
)
def test_other_runs_are_not_kept(outcomes, file, config, verdicts):
    keeper(*outcomes, file=file).finish(config)
    assert kept() is None


def test_another_library_is_another_input(tmp_path, monkeypatch):
    assert all(path.is_file() for path in FILES)
    monkeypatch.setattr(platform_tests, "LIBRARIES", tmp_path / "lib")
    found = []
    for text in ("one", "other", "one"):
        (tmp_path / "lib").mkdir(exist_ok=True)
        (tmp_path / "lib/libtorch_fl.so").write_text(text)
        found.append(platform_tests._inputs())
    assert found[0] == found[2] != found[1]
