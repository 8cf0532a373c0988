"""What the gate of the conf relies on: which operators fall back, and that a call which is wrong or not counted is found."""

import pytest

from gates.operators import base_of, call_on_both, operators_that_fall_back

KERNEL = """
import torch
from torch_fl import flagos
from gates.operators import call_on_both

def kernel(x, *, out):
    return out.resize_(x.shape).copy_({result})

assert call_on_both("erf.out") == call_on_both("erf") == ""
library = torch.library.Library("aten", "IMPL")
library.impl("erf.out", kernel, "PrivateUse1")
print(call_on_both("erf.out"), call_on_both("erf"), sep="\\n")
"""


def test_operators_of_every_kind_are_called():
    names = set(operators_that_fall_back())
    assert names >= {"add.out", "add.Tensor", "add_.Tensor", "topk", "cat.out"}
    assert not names & {"view", "empty.memory_format", "copy_", "zero_"}, "flagos has kernels for these"
    assert not names & {"linear", "alias_copy"}, "PyTorch makes these of others"


@pytest.mark.parametrize("name", ["add.out", "add_.Tensor", "topk", "cat", "bernoulli"])
def test_right_calls_are_right(name):
    assert call_on_both(name) == ""


def test_call_that_cannot_be_made_up_is_none_of_both():
    assert call_on_both("triu_indices") is None and call_on_both("lu_unpack") is None


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ("x.cpu().erf() + 1", "found"),
        ("x.cpu().erf()", "counted nothing"),
        ("x.sinh() * 0 + x.cpu().erf().to(x.device)", "counted {"),
    ],
    ids=["result", "uncounted", "several"],
)
def test_wrong_kernel_is_found(run_forked, result, wrong):
    lines = run_forked(KERNEL.replace("{result}", result)).stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if wrong in line] == ["erf.out", "erf"], lines


@pytest.mark.parametrize(
    ("name", "base"),
    [("add.Tensor", "add"), ("add_.Tensor", "add"), ("aten::relu_", "relu"), ("__and__.Scalar", "__and__")],
)
def test_forms_of_an_operator_have_its_name(name, base):
    assert base_of(name) == base
