"""What a sweep makes of its results: what is proven, what is taken out, and the conf of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generators.sweep import SUITES
from generators.sweep.__main__ import parse
from generators.sweep.findings import Findings, State, render_conf
from torch_fl.conf import conf_path, read_conf

ROUTED = ("add.Tensor", "mul.Tensor", "relu", "sort", "svd")


def result(name: str, ended: str, *ran: str, **further: Any) -> dict[str, Any]:
    return {
        "suite": "operators",
        "name": name,
        "result": ended,
        "checks": {"forward": 1},
        "why": further.pop("why", ""),
        "ran": {"CUDA": list(ran), "CPU": ["other"]},
        **further,
    }


def test_operators_of_entries_that_passed_are_proven():
    found = Findings([result("add", "passed", "add.Tensor", "elsewhere")], "CUDA", ROUTED)
    assert found.proven == {"add.Tensor"}
    assert found.not_run == ["mul.Tensor", "relu", "sort", "svd"]


def test_operator_that_is_wrong_is_taken_out_though_it_passes_elsewhere():
    results = [
        result("mul", "passed", "mul.Tensor"),
        result(
            "square",
            "failed",
            "mul.Tensor",
            "add.Tensor",
            why="differs",
            wrong={"mul.Tensor": "off\n\nby 1"},
            right=["add.Tensor"],
        ),
    ]
    found = Findings(results, "CUDA", ROUTED)
    assert found.proven == {"add.Tensor"}
    assert found.wrong == {"mul.Tensor": "square: off by 1"}
    assert found.unexplained == {}


def test_failure_of_no_routed_operator_is_not_passed_over():
    results = [result("norm", "failed", "mul.Tensor", why="backward: differs", wrong={"view": "off"}, right=["sort"])]
    found = Findings(results, "CUDA", ROUTED)
    assert found.unexplained == {"operators norm": "backward: differs"}
    assert found.proven == set(), "sort did not run, and of mul nothing is known"


def test_entries_that_were_not_compared_prove_nothing():
    found = Findings([result("empty", "excluded", "relu", why="contents undefined: all")], "CUDA", ROUTED)
    assert found.proven == set()
    assert found.summary()["not_compared"] == {"contents undefined": ["empty"]}


def test_routed_operator_that_fell_back_is_told():
    fell = result("sort", "passed") | {"ran": {"fallback": ["sort", "not routed"]}}
    assert Findings([fell], "CUDA", ROUTED).fell_back == ["sort"]


def test_sweep_goes_on_where_it_was_ended(tmp_path: Path):
    path, inputs = tmp_path / "state.jsonl", {"torch": "2.13.0"}
    first = State(path, inputs)
    first.add(result("add", "passed", "add.Tensor"))
    with path.open("a") as file:
        file.write('{"suite": "operators", "na')  # the machine went away
    again = State(path, inputs)
    assert again.has("operators add") and not again.has("operators mul")
    assert again.results == first.results
    again.add(result("mul", "passed", "mul.Tensor"))
    assert [json.loads(line).get("name") for line in path.read_text().splitlines()] == [None, "add", "mul"]


def test_results_of_another_build_are_dropped(tmp_path: Path):
    path = tmp_path / "state.jsonl"
    State(path, {"libtorch_fl.so": "1"}).add(result("add", "passed"))
    assert State(path, {"libtorch_fl.so": "2"}).results == []


def test_conf_routes_what_is_proven_and_says_why_others_are_not(tmp_path: Path):
    path = conf_path("acme", tmp_path)
    path.write_text("only_in_another_torch = cuda\nrelu = cuda\n")
    results = [
        result("add", "passed", "add.Tensor"),
        result("svd", "failed", "svd", why="off", wrong={"svd": "Tensor-likes are not close!\n\noff by 2"}),
    ]
    summary = Findings(results, "CUDA", ROUTED).summary()
    text = render_conf("acme", summary, ROUTED, tmp_path)
    path.write_text(text)
    assert read_conf(path).routes == {"add.Tensor": "cuda", "only_in_another_torch": "cuda"}
    assert "#   svd: svd: Tensor-likes are not close! off by 2" in text
    assert "#   relu" in text, "no sample calls it"
    assert render_conf("acme", summary, ROUTED, tmp_path) == text, "written again, it is the same"


@pytest.mark.parametrize(
    "given", [["--routes", "all", "operators"], ["--routes", "all", *SUITES[:-1], "optimizers:2"], []]
)
def test_conf_is_written_of_a_whole_sweep_of_all_routes_only(given, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["sweep", "--write-conf", *given])
    with pytest.raises(SystemExit):
        parse()
    assert "--write-conf wants --routes all and every suite, whole" in capsys.readouterr().err


def test_samples_of_each_kind_of_arguments_are_taken():
    """Another overload may stand anywhere among a hundred samples."""
    from torch.testing._internal.opinfo.core import SampleInput

    from generators.sweep.checks import of_each_kind

    samples = [SampleInput([0.0], args=(number,)) for number in range(100)]
    samples[41] = SampleInput([0.0], args=(1.5,))
    samples[42] = SampleInput([0.0], args=([1.5],))
    samples[43] = SampleInput([0.0], args=(1,), kwargs={"alpha": 2})
    samples[44] = SampleInput([0.0], args=(2.5,))
    chosen = of_each_kind(samples)
    assert chosen == [samples[0], samples[34], samples[68], samples[41], samples[42], samples[43]]
