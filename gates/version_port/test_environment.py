"""The environment of a port: a CPU torch, and a torchgen that takes what the generator asks of it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from gates.status import check
from generators.aten.lines import TorchLine


def _python(program: str, **environment: str) -> str:
    child = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | environment, timeout=120
    )
    check(child.returncode == 0, f"python -c '{program}' failed", found=child.stderr.strip()[-1000:])
    return child.stdout.strip()


@pytest.mark.gate("version_port.environment.cpu")
def test_torch_is_the_cpu_build(line: TorchLine, measured: dict[str, Any]):
    """Exit criterion: "torch.__version__ still ends in +cpu": asked of torch itself, in a process without plugins."""
    program = "import torch; print(torch.__version__, torch.version.cuda, torch.accelerator.is_available(), sep=';')"
    found, toolkit, device = _python(program, TORCH_DEVICE_BACKEND_AUTOLOAD="0").split(";")
    without = " on a machine without a GPU" if device == "False" else ""
    measured["torch"] = found + ("" if toolkit == "None" else f", a build for CUDA {toolkit}{without}")
    check(
        found.endswith("+cpu"),
        f"torch {found} is not the CPU build",
        expected=f"{line.release}+cpu",
        found=found,
        where=str(line.root / "torch"),
        next=f"pip install torch=={line.release}+cpu --index-url https://download.pytorch.org/whl/cpu",
    )


@pytest.mark.gate("version_port.environment.parametrize")
def test_parametrize_takes_the_list_spelling(line: TorchLine):
    """Exit criterion: `python -c "import inspect,torchgen.local as l; print(inspect.signature(l.parametrize))"` still
    shows use_ilistref_for_tensor_lists, and nothing that the generator does not give."""
    program = (
        "import inspect, torchgen.local as l\n"
        "for p in inspect.signature(l.parametrize).parameters.values(): print(p.name, p.default is p.empty)"
    )
    found = dict(text.split() for text in _python(program, PYTHONPATH=str(line.root)).splitlines())
    given = {"use_const_ref_for_mutable_tensors", "use_ilistref_for_tensor_lists"}
    wanted = {name for name, required in found.items() if required == "True"}
    check(
        given <= found.keys() and wanted <= given,
        "torchgen.local.parametrize takes other arguments",
        expected=", ".join(sorted(given)),
        found=", ".join(found),
        where=str(line.root / "torchgen/local.py"),
        next="generators/aten/operators.py gives the arguments",
    )
