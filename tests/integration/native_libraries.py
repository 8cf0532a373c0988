"""Kernels over a simulated library of operators, and calls through them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from generators.build import LIBRARIES, build_operators, build_vendor
from generators.files import ROOT
from generators.native_op.table import OperatorTable
from generators.vendor import FoundSdk, find_sdk, load_vendor

Lines = dict[tuple[str, str], dict]  # (call, layout) -> what native_flow printed


def built(table: OperatorTable, library: FoundSdk, runtime_sdk: Path) -> dict[str, str]:
    """The environment of a process that has the kernels over the library, and the runtime over its SDK."""
    vendor = load_vendor(table.runtime)
    runtime = build_vendor(vendor, find_sdk(vendor, runtime_sdk))
    kernels = build_operators(table, library)
    assert LIBRARIES not in kernels.library.parents  # which is for what is real
    chosen = {"FLAGOS_ACCELERATOR": vendor.name, "FLAGOS_RUNTIME_LIBRARY": str(runtime.library)}
    return os.environ | chosen | {"PYTHONPATH": str(ROOT)}


def refused(table: OperatorTable, library: FoundSdk, runtime_sdk: Path, *options: str) -> str:
    """What generators.native_op.verify says where it measures nothing."""
    over = ["--vendor", table.vendor, "--sdk-path", str(runtime_sdk), "--op-lib", str(library.library)]
    command = [sys.executable, "-m", "generators.native_op.verify", *over, *options]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert child.returncode == 1 and not child.stdout, child.stdout
    return child.stderr


def flow(table: OperatorTable, environment: dict[str, str], calls: list[str]) -> Lines:
    command = [sys.executable, "-m", "tests.integration.native_flow", table.vendor]
    child = subprocess.run(command, input=json.dumps(calls), env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr[-3000:]
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    found = {(line["call"], line["layout"]): line for line in lines}
    assert {call for call, _ in found} == set(calls)
    return found


def differing(lines: Lines) -> dict[tuple[str, str], str]:
    """Those that are not as on the CPU."""
    return {key: line["differs"] for key, line in lines.items() if line["differs"]}


def left_to_cpu(lines: Lines) -> dict[tuple[str, str], list[str]]:
    return {key: list(line["on_cpu"]) for key, line in lines.items() if line["on_cpu"]}


# A copy and a computation on a stream of their own, while the default stream is idle: prints whether they were ordered, and
# how many calls went to the CPU.
ON_A_STREAM = """
import sys, torch, torch_fl
torch_fl.init()
from torch_fl import flagos
flagos._C.route_to_library(flagos._C.operators_of_library(sys.argv[1]), sys.argv[1])
host = torch.ones(1 << 24).pin_memory()
device = torch.zeros(1 << 24, device="flagos:0")
some = device[: 1 << 16]
torch.accelerator.synchronize()
for stream in (torch.Stream("flagos:0"), torch.Stream("flagos:0")):
    with stream:
        device.zero_()
        device.copy_(host, non_blocking=True)
        found = some + 1
        device.zero_()
    stream.synchronize()
    print(bool((found.cpu() == 2).all()))
print(flagos.fallback_counts().get("aten::add.Tensor", 0))
"""


def ordered_by_stream(table: OperatorTable, environment: dict[str, str]) -> bool:
    command = [sys.executable, "-c", ON_A_STREAM, table.vendor]
    child = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr[-3000:]
    return child.stdout.split() == ["True", "True", "0"]
