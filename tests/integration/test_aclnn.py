"""A simulated aclnn, a library of calls in two stages: it stops where a real one would read freed memory, and refuses what a real one
does. How the layer calls it, tests/integration/test_simulated_operators.py tells."""

import subprocess
import sys
import textwrap

import pytest

from tests.integration.simulated_libraries import ACLNN
from tests.sdks import acl
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = [
    pytest.mark.skipif(not has_compiler(), reason="needs a compiler"),
    pytest.mark.skipif(acl.include() is None, reason=acl.INSTALL),
]


@pytest.fixture(scope="module")
def library():
    return ACLNN.find()


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
