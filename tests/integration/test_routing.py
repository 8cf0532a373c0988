"""What routes an operator: the conf and the environment, with every mistake told and nothing half-done."""

import json

import pytest
import torch

from tests.unit.children import run_pytest
from torch_fl.conf import ConfError, operators_of_torch
from torch_fl.flagos.routing import choose
from torch_fl.torch_lines import TorchLines, line_of, torch_lines, where_it_is

OPERATORS = ["add.Tensor", "add.out", "relu", "mul.Tensor"]


@pytest.fixture
def conf(tmp_path):
    def write(*lines: str) -> str:
        path = tmp_path / "mine.conf"
        path.write_text("\n".join(lines))
        return str(path)

    return write


def test_conf_of_the_environment_replaces_the_vendors(conf):
    environment = {"FLAGOS_BACKEND_CONFIG": conf("add.Tensor = host", "relu = cuda  # measured")}
    assert choose("host", environment, OPERATORS).routes == {"add.Tensor": "host", "relu": "cuda"}
    assert choose("host", {"FLAGOS_BACKEND_CONFIG": ""}, OPERATORS).routes == {}


def test_operator_is_overridden_by_its_own_variable(conf):
    environment = {
        "FLAGOS_BACKEND_CONFIG": conf("add.Tensor = host", "add.out = host"),
        "FLAGOS_OP_add_Tensor": "fallback",
        "FLAGOS_OP_relu": "host",
    }
    assert choose("host", environment, OPERATORS).routes == {"add.out": "host", "relu": "host"}
    assert choose("host", {"FLAGOS_OP_relu": ""}, OPERATORS).routes == {}, "an empty variable is as good as none"


def test_every_wrong_variable_is_told_with_what_is_near(tmp_path, monkeypatch):
    monkeypatch.setattr("torch_fl.conf.LIBRARIES", tmp_path)  # without native ones, which others may have built
    environment = {"FLAGOS_OP_ad_Tensor": "host", "FLAGOS_OP_relu": "HOSTS", "FLAGOS_OP_zzzz": "host"}
    environment |= {"FLAGOS_OP_add": "host", "FLAGOS_OP_align_as": "host", "FLAGOS_LOG_DISPATCH": "yes"}
    environment |= {"FLAGOS_BACKEND_CONFIG": "/no/such.conf"}
    with pytest.raises(ConfError) as raised:
        choose("host", environment, OPERATORS)
    no_such = "PyTorch has no such operator"
    assert str(raised.value).splitlines() == [
        "FLAGOS_BACKEND_CONFIG: /no/such.conf: no such file; expected a conf, with lines such as 'add.Tensor = cuda'",
        f"FLAGOS_OP_ad_Tensor: {no_such}; did you mean FLAGOS_OP_add_Tensor?",
        f"FLAGOS_OP_add: {no_such}; its overloads are FLAGOS_OP_add_Tensor, FLAGOS_OP_add_out",
        "FLAGOS_OP_align_as: this torch has no operator align_as, it is in torch 2.12 and earlier; unset the variable",
        "FLAGOS_OP_relu: unknown route 'HOSTS', did you mean 'host'?; allowed are cuda, host, fallback",
        f"FLAGOS_OP_zzzz: {no_such}; add.Tensor, say, is FLAGOS_OP_add_Tensor",
        "FLAGOS_LOG_DISPATCH=yes: expected 1 (each call tells what runs it), or 0 or nothing (none does)",
    ]


def test_name_that_could_be_two_operators_is_refused_with_both():
    with pytest.raises(ConfError) as raised:
        choose("host", {"FLAGOS_OP_add_out": "host"}, ["add.out", "add_out"])
    assert str(raised.value) == (
        "FLAGOS_OP_add_out: could be add.out or add_out; name the operator in a conf: FLAGOS_BACKEND_CONFIG"
    )


def test_table_of_torch_lines_agrees_with_the_installed_torch():
    lines, here = torch_lines(), line_of(torch.__version__)
    assert here in lines.names
    operators = operators_of_torch()
    differing = [name for name, having in lines.operators.items() if (here in having) != (name in operators)]
    assert differing == [] and len(lines.operators) > 100


def test_lines_of_an_operator_are_told_in_few_words(monkeypatch):
    table = {"new": ["3", "4"], "old": ["1", "2"], "passing": ["2", "3"], "twice": ["1", "3"], "once": ["2"]}
    monkeypatch.setattr("torch_fl.torch_lines.torch_lines", lambda: TorchLines(("1", "2", "3", "4"), table))
    assert {name: where_it_is(name) for name in [*table, "add.Tensor"]} == {
        "new": "torch 3 and later",
        "old": "torch 2 and earlier",
        "passing": "torch 2 to 3",
        "twice": "torch 1, 3",
        "once": "torch 2",
        "add.Tensor": "",
    }


# Each torch line lacks one of them at least.
NOT_IN_EVERY_LINE = {"align_as": "torch 2.12 and earlier", "linalg_polar": "torch 2.14 and later"}


def test_operator_of_another_torch_line_is_skipped_and_listed(run_forked, conf):
    absent = {name: lines for name, lines in NOT_IN_EVERY_LINE.items() if name not in operators_of_torch()}
    assert absent
    path = conf("relu = host", *(f"{name} = host" for name in absent))
    done = run_forked(
        "import torch_fl; print(torch_fl.routes(), torch_fl.skipped_routes())", FLAGOS_BACKEND_CONFIG=path
    )
    assert done.stdout == f"{{'relu': 'host'}} {absent}\n"


def test_route_to_kernels_that_are_not_here_names_who_asked_for_it(run_forked, conf):
    code = "import torch_fl\ntry: torch_fl.routes()\nexcept RuntimeError as error: print(error)"
    path = conf("relu = host", "mm = cuda", "add.Tensor = cuda")
    done = run_forked(code, FLAGOS_BACKEND_CONFIG=path)
    assert done.stdout.startswith("flagos: torch has no device 'cuda' here: ")
    assert f"(operators with the route cuda: 2, the first in {path}:3)" in done.stdout
    assert "take their routes out" not in done.stdout
    assert "1, the first in FLAGOS_OP_mm)" in run_forked(code, FLAGOS_OP_mm="cuda").stdout


def test_gates_look_at_the_conf_in_use(conf):
    run = run_pytest("gates/runtime", "-q", "-k", "conf", FLAGOS_BACKEND_CONFIG=conf("add.Tenser = host"))
    assert run.output.count("mine.conf:1: PyTorch has no operator 'add.Tenser'") >= 2 and "(2 FAIL)" in run.output


def test_wrong_lines_of_the_conf_are_told_with_their_numbers(conf):
    path = conf("add.Tensor = host", "nosuch.op = host", "relu = flaggems")
    with pytest.raises(ConfError) as raised:
        choose("host", {"FLAGOS_BACKEND_CONFIG": path}, OPERATORS)
    second, third = str(raised.value).splitlines()
    path = f"FLAGOS_BACKEND_CONFIG: {path}"
    assert second.startswith(f"{path}:2: PyTorch has no operator 'nosuch.op'")
    assert third.startswith(f"{path}:3: route 'flaggems' is refused")


SUM = """
import json, torch, torch_fl
try:
    x = torch.ones(3, device="flagos")
    y = (x + x).sum()
    print(json.dumps([torch_fl.routes(), torch_fl.fallback_counts(), y.item()]))
except RuntimeError as error:
    print(error, torch_fl._C.routed_operators(), sep="\\n")
"""


def test_conf_chooses_what_runs_with_the_first_use_of_the_device(run_forked, conf):
    path = conf("add.Tensor = host")
    done = run_forked(SUM, FLAGOS_BACKEND_CONFIG=path, FLAGOS_LOG_DISPATCH="1")
    assert json.loads(done.stdout) == [{"add.Tensor": "host"}, {"aten::sum.IntList_out": 1}, 6.0]
    assert done.stderr.splitlines() == [
        "flagos:0: aten::add.Tensor: CPU kernel",
        "flagos:0: aten::sum.IntList_out: fallback, on the CPU over copies",
    ]
    without = run_forked(SUM, FLAGOS_BACKEND_CONFIG=path, FLAGOS_OP_add_Tensor="fallback")
    assert json.loads(without.stdout) == [{}, {"aten::add.out": 1, "aten::sum.IntList_out": 1}, 6.0]


def test_operators_that_cannot_be_routed_are_all_named_and_none_is(run_forked, conf):
    path = conf("add.Tensor = host", "zero_ = host")
    text = run_forked(SUM, FLAGOS_BACKEND_CONFIG=path, FLAGOS_OP_cudnn_convolution="host").stdout
    assert text.splitlines() == [
        "flagos: these operators cannot be routed; take their routes out:",
        "FLAGOS_OP_cudnn_convolution: cudnn_convolution: there is no kernel for CPU (route host)",
        f"{path}:2: zero_: flagos has a kernel of its own for it (route host)",
        "[]",
    ]


def test_route_without_its_library_says_so(run_forked, conf):
    text = run_forked(SUM, FLAGOS_BACKEND_CONFIG=conf("add.Tensor = cuda")).stdout
    assert "torch has no device 'cuda' here" in text


def test_preloaded_libraries_that_nothing_runs_on_are_told(run_forked, conf):
    program = f"import torch_fl._preloaded as preloaded\npreloaded._preloaded = True\n{SUM}"
    nobody = "import os\nfor name in ('FLAGOS_ACCELERATOR', 'FLAGOS_RUNTIME_LIBRARY'): os.environ.pop(name, None)\n"
    path = conf("add.Tensor = host")
    done = run_forked(nobody + program, FLAGOS_BACKEND_CONFIG=path)
    assert json.loads(done.stdout)[2] == 6.0
    assert (
        "CUDA libraries were preloaded and no operator runs on them: the device is that of vendor 'host'" in done.stderr
    )
    for silent in (nobody + SUM, program):  # not preloaded, or whose device it is was demanded
        assert "preloaded" not in run_forked(silent, FLAGOS_BACKEND_CONFIG=path, FLAGOS_ACCELERATOR="host").stderr
