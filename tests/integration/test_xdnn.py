"""Kunlun's XDNN as its table proposes it, over the simulated SDK: compiled, linked, and equal to the CPU. That proves the kernels
and their layer, and nothing about hardware."""

import json
import os
import re
import subprocess
import sys

import pytest

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.build import build_operators, build_vendor
from generators.files import ROOT
from generators.native_op.pages import page_path, render_page
from generators.native_op.sources import kernels_path, render_kernels
from generators.native_op.table import read_table, table_path
from generators.vendor import find_operator_library, find_sdk, load_vendor
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
TABLE = read_table(table_path("kunlun"))
SIMULATED = "simulated SDK: no evidence for hardware"


@pytest.fixture(scope="module")
def library():
    return find_operator_library(TABLE, sdk("xdnn_sim") / "lib" / TABLE.library.library)


@pytest.fixture(scope="module")
def environment(library):
    """Of a process that has the runtime over the simulated XRE, and the kernels over the simulated XDNN."""
    vendor = load_vendor("kunlun")
    runtime = build_vendor(vendor, find_sdk(vendor, sdk("xre_sim")))
    build_operators(TABLE, library)
    return os.environ | {
        "FLAGOS_ACCELERATOR": "kunlun",
        "FLAGOS_RUNTIME_LIBRARY": str(runtime.library),
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture(scope="module")
def run(environment):
    """The calls as native_flow makes them: (call, layout) -> what it printed."""

    def of(calls):
        command = [sys.executable, "-m", "tests.integration.native_flow", "kunlun"]
        child = subprocess.run(command, input=json.dumps(calls), env=environment, capture_output=True, text=True)
        assert child.returncode == 0, child.stderr[-3000:]
        lines = [json.loads(line) for line in child.stdout.splitlines()]
        return {(line["call"], line["layout"]): line for line in lines}

    return of


def test_library_says_that_it_is_simulated(library):
    assert library.simulated == SIMULATED


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
    *(
        "x.add_(y)",
        "x.mul_(x)",
        "x.clamp_min(0.1)",
        "x == y",
        "x < 0.5",
        "torch.logical_or(x > 0, y > 1)",
        "(x > 0).logical_not()",
    ),
    *("torch.addcmul(x, y, y, value=0.5)", "x.sum(-1)", "x.mean(0, keepdim=True)", "x.amax(-1)", "x.norm(dim=0)"),
    *("(x > 0).any(-1)", "x.softmax(-1)", "x.softmax(0)", "x.log_softmax(-1)", "x @ x.mT", "x.mT @ x", "x[0] @ y"),
    *("torch.addmm(y[:1], x, x.mT, beta=0.5, alpha=2)", "torch.cat([x, x.exp()], -1)", "F.layer_norm(x, x.shape[-1:])"),
    *("F.layer_norm(x, x.shape[-1:], y, y)", "F.batch_norm(x, y, y, y, y)", "torch._foreach_exp([x, y])[0]"),
]
OF_NOTHING = ["x.sum(-1)", "x.mean(0, keepdim=True)", "x.norm(dim=0)", "x @ x.mT", "x.mT @ x", "(x > 0).any(-1)"]
OF_NOTHING += [
    "torch.cat([x, x.exp()], -1)"
]  # what has a result, or none, of inputs without elements: the layer asks the CPU


@pytest.fixture(scope="module")
def taken(run):
    return run(TAKEN)


def test_results_are_those_of_the_cpu(taken):
    """In every layout: strides, offsets, broadcasting, no elements, no dimensions, infinities and NaN."""
    assert {call for call, _ in taken} == set(TAKEN)
    assert {key: line["differs"] for key, line in taken.items() if line["differs"]} == {}


def test_library_computes_what_it_takes(taken):
    left = {key: line["on_cpu"] for key, line in taken.items() if line["on_cpu"]}
    assert {call for call, layout in left if layout != "no elements"} == set()
    assert {call for call, _ in left} <= set(OF_NOTHING)


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


def test_what_the_library_cannot_do_goes_to_the_cpu_and_is_counted(run):
    lines = run(list(LEFT))
    assert {key: line["differs"] for key, line in lines.items() if line["differs"]} == {}
    plain = {call: line["on_cpu"] for (call, layout), line in lines.items() if layout == "plain"}
    for call, operator in LEFT.items():
        assert operator in plain[call], (call, plain[call])


ON_A_STREAM = """
import torch, torch_fl
torch_fl.init()
from torch_fl import flagos
flagos._C.route_to_library(flagos._C.operators_of_library("kunlun"), "kunlun")
host = torch.ones(1 << 24).pin_memory()
device = torch.zeros(1 << 24, device="flagos:0")
torch.accelerator.synchronize()
for stream in (torch.Stream("flagos:0"), torch.Stream("flagos:0")):
    with stream:
        device.zero_()
        device.copy_(host, non_blocking=True)
        found = device + 1
        device.zero_()
    stream.synchronize()
    print(bool((found.cpu() == 2).all()))
print(flagos.fallback_counts().get("aten::add.Tensor", 0))
"""


def test_kernels_run_in_the_order_of_the_current_stream(environment):
    child = subprocess.run([sys.executable, "-c", ON_A_STREAM], env=environment, capture_output=True, text=True)
    assert child.stdout.split() == ["True", "True", "0"], child.stderr[-3000:]
