"""What the package adds to `import torch`, in seconds of the CPU: how long a disk takes says nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generators.files import ROOT
from generators.vendor import Vendor
from torch_fl import _C

TIMED = """
import time, torch
started = time.process_time()
{then}
print(time.process_time() - started)
"""
THEN = {"import": "import torch_fl", "first use": "import torch_fl; torch_fl.init()"}


@pytest.fixture(scope="module")
def full_conf(vendor: Vendor, device_vendor: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every operator that the CPU has a kernel of, routed to it."""
    if vendor.dispatch_key != "CPU":
        pytest.skip("what a driver's start costs is not the package's: run with --vendor host")
    path = tmp_path_factory.mktemp("conf") / "full.conf"
    path.write_text("".join(f"{name} = host\n" for name in _C.routable_operators("cpu")))
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
