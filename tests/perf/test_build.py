"""What a build costs: a run of the generator of operators, a clean build of the torch side, and its largest compiler process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from generators.build import BUILD


def spent(command: list[str], **more: str) -> tuple[float, int]:
    """Seconds of the CPU, and bytes of the largest process, of a command and all that it started."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | more)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, output.decode()[-3000:]
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def test_generator_of_operators(bounded, tmp_path):
    command = [sys.executable, "-m", "generators.aten", "--out", str(tmp_path)]
    bounded("a run of generators.aten, on the CPU", min(spent(command)[0] for _ in range(5)), 2.0)


def test_clean_build(bounded, checkout, tmp_path):
    if not (BUILD / "torch/CMakeCache.txt").exists():
        pytest.skip("needs what a build of the torch side needs: see the Makefile")
    configure = [
        "cmake",
        "-S",
        str(checkout),
        "-B",
        str(tmp_path),
        "-G",
        "Ninja",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    spent(configure)
    cpu, memory = spent(["cmake", "--build", str(tmp_path)], CCACHE_DISABLE="1")
    bounded("clean build of the torch side, on all CPUs together", cpu, 240)
    bounded("its largest process", memory / 2**30, 1.5, "GiB")
