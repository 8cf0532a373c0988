"""Ascend's aclnn as its table proposes it, a call in two stages, over the simulated SDK: compiled, linked, and equal to the CPU. The
simulation stops where a real library would read freed memory, and that is tested, too. None of it is evidence for hardware."""

import subprocess
import sys
import textwrap

import pytest

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.native_op.pages import page_path, render_page
from generators.native_op.sources import kernels_path, render_kernels
from generators.native_op.table import read_table, table_path
from generators.vendor import find_operator_library
from tests.integration.native_libraries import built, differing, flow, left_to_cpu, ordered_by_stream
from tests.sdks import acl
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = [
    pytest.mark.skipif(not has_compiler(), reason="needs a compiler"),
    pytest.mark.skipif(acl.include() is None, reason=acl.INSTALL),
]
TABLE = read_table(table_path("ascend"))


@pytest.fixture(scope="module")
def library():
    return find_operator_library(TABLE, sdk("aclnn_sim") / "lib64" / TABLE.library.library)


@pytest.fixture(scope="module")
def environment(library):
    return built(TABLE, library, sdk("acl_sim"))


def test_library_says_that_it_is_simulated(library):
    assert library.simulated == "simulated SDK: no evidence for hardware"


def test_nothing_is_more_than_proposed():
    assert {entry.status for entry in TABLE.entries} == {"proposed"}


def test_kernels_and_page_are_what_the_table_generates():
    catalogue = read_catalogue(installed_line())
    assert kernels_path(TABLE).read_text() == render_kernels(TABLE, catalogue)
    assert page_path(TABLE).read_text() == render_page(TABLE, catalogue)


TAKEN = [
    *(
        "x.abs()",
        "x.neg_()",
        "x.exp()",
        "torch.sqrt(x, out=torch.empty_like(x))",
        "x.sigmoid()",
        "F.silu(x)",
        "F.gelu(x)",
    ),
    *(
        "F.leaky_relu(x, 0.3)",
        "x.clamp(-0.5, 0.7)",
        "x.clamp_min(0.1)",
        "x.pow(2)",
        "x + y",
        "y - x",
        "x.add(y, alpha=3)",
    ),
    *(
        "x * y",
        "x / y",
        "x + 2.5",
        "x - 3",
        "x * 3",
        "x / 3",
        "torch.maximum(x, y)",
        "x.add_(y)",
        "x.mul_(x)",
        "x == y",
    ),
    *("x == 0.5", "x > y", "x > 0.5", "torch.logical_and(x > 0, y > 1)", "x.sum(-1)", "x.mean(0, keepdim=True)"),
    *("x.amax(-1)", "x.softmax(-1)", "x.softmax(0)", "x.log_softmax(-1)", "x @ x.mT", "x.mT @ x"),
    *("torch.addmm(y[:1], x, x.mT, beta=0.5, alpha=2)", "torch.cat([x, x.exp()], -1)", "F.layer_norm(x, x.shape[-1:])"),
    *("F.layer_norm(x, x.shape[-1:], y, y)", "x.mul(y).tanh().sum()"),
]
OF_NOTHING = {
    *(
        "x.sum(-1)",
        "x.mean(0, keepdim=True)",
        "x @ x.mT",
        "x.mT @ x",
        "torch.cat([x, x.exp()], -1)",
        "x.mul(y).tanh().sum()",
    ),
}


@pytest.fixture(scope="module")
def taken(environment):
    return flow(TABLE, environment, TAKEN)


def test_results_are_those_of_the_cpu(taken):
    """In every layout: strides, offsets, broadcasting, no elements, no dimensions, infinities and NaN."""
    assert differing(taken) == {}


def test_library_computes_what_it_takes(taken):
    """A wrong word for a dtype ends here: the library refuses what it does not know."""
    left = left_to_cpu(taken)
    assert {call for call, layout in left if layout != "no elements"} == set()
    assert {call for call, _ in left} <= OF_NOTHING


LEFT = {  # what the layer cannot hand to aclnn -> the operator that the CPU computes
    "x.double().abs()": "aten::abs",
    "F.gelu(x, approximate='tanh')": "aten::gelu",
    "3 - x": "aten::sub.Tensor",
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


# ---- what the simulation notices

CALLS = """\
import ctypes, sys
acl, op = (ctypes.CDLL(path) for path in sys.argv[1:3])
op.aclCreateTensor.restype = ctypes.c_void_p
FLOAT, INT32, ND = 0, 3, 2
stream, executor, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()

def block(bytes):
    pointer = ctypes.c_void_p()
    assert acl.aclrtMalloc(ctypes.byref(pointer), ctypes.c_size_t(bytes), 0) == 0
    return pointer

def tensor(elements=4, dtype=FLOAT, memory=None):
    one = ctypes.c_int64 * 1
    memory = memory or block(4 * elements)
    long = ctypes.c_uint64
    made = op.aclCreateTensor(one(elements), long(1), dtype, one(1), long(0), ND, one(elements), long(1), memory)
    return ctypes.c_void_p(made)

def prepare(self, out):
    return op.aclnnAbsGetWorkspaceSize(self, out, ctypes.byref(size), ctypes.byref(executor))

def execute(workspace, size):
    return op.aclnnAbs(workspace, ctypes.c_uint64(size), executor, stream)

assert acl.aclInit(None) == acl.aclrtSetDevice(0) == acl.aclrtCreateStreamWithConfig(ctypes.byref(stream), 0, 0) == 0
"""
RIGHT = "self, out = tensor(), tensor()\nprint(prepare(self, out), execute(block(size.value), size.value))\n"


def child_of(library, body):
    command = [
        sys.executable,
        "-c",
        CALLS + textwrap.dedent(body),
        sdk("acl_sim") / "lib64" / acl.LIBRARY,
        library.library,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_both_stages_in_order_are_taken(library):
    assert child_of(library, RIGHT).stdout.split() == ["0", "0"]


REFUSED = {  # what a real library says, too
    "workspace smaller than asked": ("print(execute(block(8), size.value - 1))", "361001"),
    "dtype that the function does not take": ("print(prepare(tensor(dtype=INT32), tensor(dtype=INT32)))", "161002"),
    "tensor beyond its storage": ("print(prepare(tensor(8), tensor(4)))", "161002"),
    "no tensor": ("print(prepare(None, tensor()))", "161001"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_wrong_call_is_refused(library, fault):
    body, status = REFUSED[fault]
    child = child_of(library, f"self, out = tensor(), tensor()\nprepare(self, out)\n{body}")
    assert child.stdout.split() == [status], child.stderr


STOPPED = {  # what would go on with freed or foreign memory -> what the simulation says
    "executor used twice": ("execute(block(64), 64)\nexecute(block(64), 64)", "an executor is used twice"),
    "tensor destroyed before the second stage": (
        "op.aclDestroyTensor(self)\nexecute(block(64), 64)",
        "a tensor was destroyed before the second stage",
    ),
    "tensor destroyed before the first": (
        "op.aclDestroyTensor(self)\nprepare(self, out)",
        "the first stage is given what was destroyed",
    ),
    "tensor destroyed twice": ("op.aclDestroyTensor(self)\nop.aclDestroyTensor(self)", "destroyed twice"),
    "workspace of the host": (
        "execute(ctypes.create_string_buffer(64), 64)",
        "the workspace is not so much device memory",
    ),
    "tensor of the host": (
        "prepare(tensor(memory=ctypes.create_string_buffer(64)), out)\nexecute(block(64), 64)",
        "a tensor is not in so much device memory",
    ),
    "executor of another function": (
        "op.aclnnNeg(block(64), ctypes.c_uint64(64), executor, stream)",
        "an executor of another function",
    ),
}


@pytest.mark.parametrize("fault", STOPPED)
def test_simulation_stops_where_freed_memory_would_be_read(library, fault):
    body, says = STOPPED[fault]
    child = child_of(library, f"self, out = tensor(), tensor()\nassert prepare(self, out) == 0\n{body}")
    assert child.returncode < 0 and says in child.stderr, (child.returncode, child.stderr)
