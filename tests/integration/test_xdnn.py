"""Kunlun's XDNN as its table proposes it, over the simulated SDK: compiled, linked, and equal to the CPU. That proves the kernels
and their layer, and nothing about hardware."""

import re
import subprocess

import pytest

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.native_op.pages import page_path, render_page
from generators.native_op.sources import kernels_path, render_kernels
from generators.native_op.table import read_table, table_path
from generators.vendor import find_operator_library
from tests.integration.native_libraries import built, differing, flow, left_to_cpu, ordered_by_stream
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
TABLE = read_table(table_path("kunlun"))


@pytest.fixture(scope="module")
def library():
    return find_operator_library(TABLE, sdk("xdnn_sim") / "lib" / TABLE.library.library)


@pytest.fixture(scope="module")
def environment(library):
    return built(TABLE, library, sdk("xre_sim"))


def test_library_says_that_it_is_simulated(library):
    assert library.simulated == "simulated SDK: no evidence for hardware"


def test_nothing_is_more_than_proposed():
    assert {entry.status for entry in TABLE.entries} == {"proposed"}


def test_kernels_and_page_are_what_the_table_generates():
    catalogue = read_catalogue(installed_line())
    assert kernels_path(TABLE).read_text() == render_kernels(TABLE, catalogue)
    assert page_path(TABLE).read_text() == render_page(TABLE, catalogue)


def test_library_has_every_function_that_the_table_declares(library):
    names = subprocess.run(["nm", "-DC", "--defined-only", library.library], capture_output=True, text=True, check=True)
    exported = set(re.findall(r"baidu::xpu::api::(\w+)[<(]", names.stdout))
    assert exported == {call.name for call in TABLE.calls} | {"create_context", "destroy_context"}


TAKEN = [
    *(
        "x.abs()",
        "x.neg()",
        "x.exp()",
        "x.exp_()",
        "torch.sqrt(x, out=torch.empty_like(x))",
        "x.round()",
        "x.sigmoid()",
    ),
    *("F.silu(x)", "F.gelu(x)", "F.leaky_relu(x, 0.3)", "F.softplus(x, 2, 3)", "x.clamp(-0.5, 0.7)", "x.pow(2)"),
    *("x + y", "y - x", "x.add(y, alpha=3)", "x * y", "x / y", "x + 2.5", "x - 3", "x / 3", "torch.maximum(x, y)"),
    *("x.add_(y)", "x.mul_(x)", "x.clamp_min(0.1)", "x == y", "x < 0.5", "torch.logical_or(x > 0, y > 1)"),
    *("(x > 0).logical_not()", "torch.addcmul(x, y, y, value=0.5)", "x.sum(-1)", "x.mean(0, keepdim=True)"),
    *("x.amax(-1)", "x.norm(dim=0)", "(x > 0).any(-1)", "x.softmax(-1)", "x.softmax(0)", "x.log_softmax(-1)"),
    *("x @ x.mT", "x.mT @ x", "x[0] @ y", "torch.addmm(y[:1], x, x.mT, beta=0.5, alpha=2)", "x.mul(y).tanh().sum()"),
    *("torch.cat([x, x.exp()], -1)", "F.layer_norm(x, x.shape[-1:])", "F.layer_norm(x, x.shape[-1:], y, y)"),
    *("F.batch_norm(x, y, y, y, y)", "torch._foreach_exp([x, y])[0]"),
]
# What has a result, or none, of inputs without elements: the layer asks the CPU.
OF_NOTHING = {
    *("x.sum(-1)", "x.mean(0, keepdim=True)", "x.norm(dim=0)", "x @ x.mT", "x.mT @ x", "(x > 0).any(-1)"),
    *("torch.cat([x, x.exp()], -1)", "x.mul(y).tanh().sum()"),
}


@pytest.fixture(scope="module")
def taken(environment):
    return flow(TABLE, environment, TAKEN)


def test_results_are_those_of_the_cpu(taken):
    """In every layout: strides, offsets, broadcasting, no elements, no dimensions, infinities and NaN."""
    assert differing(taken) == {}


def test_library_computes_what_it_takes(taken):
    left = left_to_cpu(taken)
    assert {call for call, layout in left if layout != "no elements"} == set()
    assert {call for call, _ in left} <= OF_NOTHING


LEFT = {  # what the layer cannot hand to XDNN -> the operator that the CPU computes
    "x.double().abs()": "aten::abs",
    "F.gelu(x, approximate='tanh')": "aten::gelu",
    "F.selu(x)": "aten::elu",
    "3 - x": "aten::sub.Tensor",
    "x.clamp(min=y)": "aten::clamp.Tensor_out",
    "x.norm(3, dim=0)": "aten::linalg_vector_norm",
    "(x > 0).sum(-1)": "aten::sum.dim_IntList",
    "F.relu(x.long())": "aten::relu",
}


def test_what_the_library_cannot_do_goes_to_the_cpu_and_is_counted(environment):
    lines = flow(TABLE, environment, list(LEFT))
    assert differing(lines) == {}
    left = {call: operators for (call, layout), operators in left_to_cpu(lines).items() if layout == "plain"}
    assert {call: operator for call, operator in LEFT.items() if operator not in left.get(call, ())} == {}


def test_kernels_run_in_the_order_of_the_current_stream(environment):
    assert ordered_by_stream(TABLE, environment)
