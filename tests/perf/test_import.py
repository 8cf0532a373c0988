"""What the package adds to `import torch`, in seconds of the CPU: how long a disk takes says nothing of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from generators.aten.sources import COMMITTED
from generators.files import ROOT
from torch_fl import _C, conf

TIMED = """
import time, torch
started = time.process_time()
{then}
print(time.process_time() - started)
"""
THEN = {"import": "import torch_fl", "first use": "import torch_fl; torch_fl.init()"}


@pytest.fixture(scope="module")
def full_conf(device_vendor: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every operator that the CPU has a kernel of, routed to it."""
    operators = conf.operators_of_torch()
    names = {name.replace(".", "_"): name for name in operators}
    symbols = re.findall(r"BOXED\((\w+)\)", "".join(path.read_text() for path in COMMITTED.glob("cuda_kernels_*.cc")))
    _C.load_runtime()
    _C.route_operators([names[symbol] for symbol in symbols if symbol in names], "cpu")
    path = tmp_path_factory.mktemp("conf") / "full.conf"
    path.write_text("".join(f"{name} = host\n" for name in _C.routed_operators()))
    _C.unroute_operators()
    return path


def seconds(then: str, **environment: str) -> float:
    environment = {"PYTHONPATH": str(ROOT), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", **environment}
    command = [sys.executable, "-c", TIMED.format(then=then)]
    return float(subprocess.check_output(command, env=os.environ | environment, text=True))


@pytest.mark.parametrize("what", THEN)
def test_import(bounded, full_conf, what):
    added = min(seconds(THEN[what], FLAGOS_BACKEND_CONFIG=str(full_conf)) for _ in range(5))
    routes = sum(1 for _ in full_conf.open())
    name = {"import": "import torch_fl", "first use": f"import torch_fl and the first use, with {routes} routes"}[what]
    bounded(f"{name}, after `import torch`", added, 0.3)
