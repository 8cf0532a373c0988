"""What a boxed call costs above the same kernel called on CPU tensors, in microseconds that are bounded as such."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pytest
import torch

import torch_fl
from generators.vendor import Vendor
from tests.perf.worker import time_once
from torch_fl import _C

ROUTED = ["add.Tensor", "flagos_perf::twice"]


@pytest.fixture(scope="module")
def calls(vendor: Vendor, device_vendor: str, extension: Callable[[str], ctypes.CDLL]) -> Iterator[ctypes.CDLL]:
    """Functions of tests/perf/boxed.cc, its operators routed to the CPU's kernels."""
    if vendor.dispatch_key != "CPU":
        pytest.skip("it is the CPU's kernels that are called: run with --vendor host")
    functions = extension("boxed")
    for name in ("boxed_add", "boxed_by_schema"):
        getattr(functions, name).restype = ctypes.c_double
        getattr(functions, name).argtypes = [ctypes.c_bool, ctypes.c_int]
    torch_fl.init()
    if problems := _C.route_operators(ROUTED, "cpu"):
        pytest.skip("\n".join(problems))
    yield functions
    _C.unroute_operators()


def extra(call: Callable[[bool], float], rounds: int = 30) -> float:
    """Seconds that the call takes longer on flagos: the least of each, taken in turn."""
    found = [(call(True), call(False)) for _ in range(rounds)]
    return min(there for there, _ in found) - min(here for _, here in found)


@pytest.mark.parametrize(
    ("function", "name", "limit"),
    [
        ("boxed_add", "add of 8×8 in C++", 0.6e-6),
        ("boxed_by_schema", "custom operator in C++, boxed by its schema", 2.5e-6),
    ],
)
def test_boxed_call_in_cpp(calls, bounded, function, name, limit):
    bounded(
        f"{name}: boxed, above the CPU's own", extra(lambda on_flagos: getattr(calls, function)(on_flagos, 5000)), limit
    )


def test_boxed_call_in_python(calls, bounded):
    tensors = {where: torch.ones(8, 8, device="flagos" if where else "cpu") for where in (True, False)}

    def call(on_flagos: bool) -> float:
        return time_once(lambda x=tensors[on_flagos]: x + x, 5000)

    bounded("add of 8×8 in Python: boxed, above the CPU's own", extra(call), 0.6e-6)
