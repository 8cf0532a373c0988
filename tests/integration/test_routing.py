"""What routes an operator: the conf and the environment, with every mistake told and nothing half-done."""

import json

import pytest

from torch_fl.conf import ConfError
from torch_fl.flagos.routing import chosen_routes

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
    assert chosen_routes("host", environment, OPERATORS) == {"add.Tensor": "host", "relu": "cuda"}
    assert chosen_routes("host", {"FLAGOS_BACKEND_CONFIG": ""}, OPERATORS) == {}


def test_operator_is_overridden_by_its_own_variable(conf):
    environment = {
        "FLAGOS_BACKEND_CONFIG": conf("add.Tensor = host", "add.out = host"),
        "FLAGOS_OP_add_Tensor": "fallback",
        "FLAGOS_OP_relu": "host",
    }
    assert chosen_routes("host", environment, OPERATORS) == {"add.out": "host", "relu": "host"}


def test_every_wrong_variable_is_told_with_what_is_near():
    environment = {"FLAGOS_OP_ad_Tensor": "host", "FLAGOS_OP_relu": "hots", "FLAGOS_OP_zzzz": "host"}
    with pytest.raises(ConfError) as raised:
        chosen_routes("host", environment, OPERATORS)
    first, second, third = str(raised.value).splitlines()
    assert first == "FLAGOS_OP_ad_Tensor: PyTorch has no such operator; did you mean FLAGOS_OP_add_Tensor?"
    assert second.startswith("FLAGOS_OP_relu: unknown route 'hots', did you mean 'host'?") and "fallback" in second
    assert third == "FLAGOS_OP_zzzz: PyTorch has no such operator; add.Tensor, say, is FLAGOS_OP_add_Tensor"


def test_wrong_lines_of_the_conf_are_told_with_their_numbers(conf):
    path = conf("add.Tensor = host", "nosuch.op = host", "relu = flaggems")
    with pytest.raises(ConfError) as raised:
        chosen_routes("host", {"FLAGOS_BACKEND_CONFIG": path}, OPERATORS)
    second, third = str(raised.value).splitlines()
    assert second.startswith(f"{path}:2: PyTorch has no operator 'nosuch.op'")
    assert third.startswith(f"{path}:3: route 'flaggems' is refused")
    with pytest.raises(ConfError, match="cannot be read"):
        chosen_routes("host", {"FLAGOS_BACKEND_CONFIG": f"{path}.gone"}, OPERATORS)


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
    assert done.stderr.splitlines() == ["flagos: aten::add.Tensor: CPU", "flagos: aten::sum.IntList_out: fallback"]
    without = run_forked(SUM, FLAGOS_BACKEND_CONFIG=path, FLAGOS_OP_add_Tensor="fallback")
    assert json.loads(without.stdout) == [{}, {"aten::add.out": 1, "aten::sum.IntList_out": 1}, 6.0]


def test_operators_that_cannot_be_routed_are_all_named_and_none_is(run_forked, conf):
    text = run_forked(
        SUM, FLAGOS_BACKEND_CONFIG=conf("add.Tensor = host", "zero_ = host", "cudnn_convolution = host")
    ).stdout
    assert text.splitlines() == [
        "flagos: these operators cannot be routed as the conf says:",
        "cudnn_convolution: there is no kernel for CPU (route host)",
        "zero_: flagos has a kernel of its own for it (route host)",
        "[]",
    ]


def test_route_without_its_library_says_so(run_forked, conf):
    text = run_forked(SUM, FLAGOS_BACKEND_CONFIG=conf("add.Tensor = cuda")).stdout
    assert "torch has no device 'cuda' here" in text
