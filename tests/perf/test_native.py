"""What operators of a native library cost, against PyTorch's own on the CPU, in the same process and with its threads."""

from __future__ import annotations

import sys

import pytest

from generators.build import LIBRARIES
from tests.perf.conftest import Worker, in_turn
from tests.perf.worker import OPERATORS
from torch_fl.conf import NATIVE

LIBRARY = "onednn"  # over the memory of host


@pytest.fixture(scope="module")
def native(device_vendor: str):
    if device_vendor != "host" or not (LIBRARIES / f"{NATIVE}{LIBRARY}.so").is_file():
        pytest.skip(f"{LIBRARY} is not built, or not for this vendor: python -m generators.build --vendor {LIBRARY}")
    worker = Worker(sys.executable, "--torch-fl", FLAGOS_BACKEND_CONFIG=LIBRARY)
    yield worker
    worker.close()


@pytest.mark.parametrize("name", OPERATORS)
def test_large_operator(native, ratio, name):
    ours, theirs = in_turn((native, name, "flagos"), (native, name, "cpu"))
    ratio(f"{name.replace('_', ' ')}, native: speed / CPU", theirs, ours, at_least=0.9)


@pytest.mark.parametrize("name", OPERATORS)
def test_small_operator(native, ratio, name):
    ours, theirs = in_turn((native, f"small_{name}", "flagos"), (native, f"small_{name}", "cpu"))
    ratio(f"{name.replace('_', ' ')} of 8×8, native: flagos / CPU", ours, theirs, at_most=2.0)
