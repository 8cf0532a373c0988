"""The gates on a conf's operators fail for each thing that they are for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gates.cuda_compat import test_operators as gates
from gates.status import NotRun
from generators.vendor import Vendor
from torch_fl.conf import Conf

VENDOR = Vendor(name="acme", title="Acme", handwritten=False, simulated=False, descriptor=Path("vendor.yaml"))
RIGHT = {
    "key": "CUDA",
    "routed": 200,
    "proven": [f"op{number}" for number in range(150)],
    "wrong": {},
    "unexplained": {},
    "fell_back": [],
    "not_run": ["relu"],
}


def judge(summary: dict | None, fix: bool = False) -> dict:
    """The gate on a sweep that ended so."""
    program = f"print({json.dumps({'summary': summary})!r})"
    if summary is None:
        program = "import sys; print('no device', file=sys.stderr); sys.exit(2)"
    measured: dict = {}
    gates.test_operators_give_what_the_cpu_gives(
        SimpleNamespace(option=SimpleNamespace(fix=fix)),
        VENDOR,
        None,
        None,
        SimpleNamespace(python=lambda *command: [sys.executable, "-c", program]),
        measured,
    )
    return measured


@pytest.fixture
def conf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Give the vendor these routes, and this evidence."""

    def give(routes: dict[str, str], evidence: dict | None = None) -> None:
        path = tmp_path / "backends_acme.conf"
        monkeypatch.setattr(gates, "load_conf", lambda name: Conf(path, routes, {}))
        monkeypatch.setattr(gates, "conf_path", lambda name: path)
        monkeypatch.setattr(gates, "DESCRIPTORS", tmp_path)
        monkeypatch.setattr(gates, "ROOT", tmp_path)
        monkeypatch.setattr(gates, "operators_of_torch", lambda: {"add.Tensor", "relu"})
        if evidence is not None:
            file = tmp_path / "acme/evidence/boxed_operators.json"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps({"key": "CUDA", "routed": 2, "hardware": "a card"} | evidence))

    return give


def test_sweep_that_was_right_passes(conf):
    conf({})
    assert judge(RIGHT) == {"routed": 200, "proven": 150, "wrong": 0, "fell_back": 0, "not_run": 1}


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ({"wrong": {"relu": "abs: off by 1"}}, "1 routed operators are wrong"),
        (
            {"unexplained": {"operators norm": "backward: differs"}},
            "1 entries failed although no operator of theirs did",
        ),
        ({"fell_back": ["relu"]}, "1 routed operators fell back to the CPU"),
        ({"proven": ["op1"]}, "next to nothing ran on the key"),
    ],
)
def test_sweep_that_was_not_fails(conf, spoilt, told):
    conf({})
    with pytest.raises(pytest.fail.Exception, match=told):
        judge(RIGHT | spoilt)


def test_fix_takes_out_what_is_wrong_and_passes(conf):
    conf({})
    assert judge(RIGHT | {"wrong": {"relu": "abs: off by 1"}}, fix=True)["wrong"] == 1
    with pytest.raises(pytest.fail.Exception, match="entries failed"):
        judge(RIGHT | {"unexplained": {"operators norm": "differs"}}, fix=True)


def test_sweep_that_could_not_be_made_is_told(conf):
    conf({})
    with pytest.raises(pytest.fail.Exception, match=r"did not come to its end\n.*no device"):
        judge(None)


def test_conf_with_evidence_for_each_line_passes(conf):
    conf({"add.Tensor": "cuda", "of_another_line": "cuda"}, {"proven": ["add.Tensor"]})
    measured: dict = {}
    gates.test_every_line_of_the_conf_has_evidence(VENDOR, measured)
    assert measured == {"lines": 2, "swept": 2, "on": "a card"}


@pytest.mark.parametrize(
    ("routes", "evidence", "told"),
    [
        ({"relu": "cuda"}, {"proven": ["add.Tensor"]}, r"1 lines of the conf have no evidence\n.*relu"),
        ({"relu": "cuda"}, None, "the conf has no evidence"),
        ({"relu": "cuda"}, {"proven": ["relu"], "key": "CPU"}, "the evidence is of another key"),
    ],
)
def test_conf_without_evidence_fails(conf, routes, evidence, told):
    conf(routes, evidence)
    with pytest.raises(pytest.fail.Exception, match=told):
        gates.test_every_line_of_the_conf_has_evidence(VENDOR, {})


def test_conf_that_routes_nothing_proves_nothing(conf):
    conf({})
    with pytest.raises(NotRun, match="needs a conf that was measured"):
        gates.test_every_line_of_the_conf_has_evidence(VENDOR, {})
