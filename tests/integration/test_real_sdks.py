"""Runtimes over SDKs that a package of the system brings, on a machine without their device: as far as that goes, for real."""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from generators.build import build_vendor
from generators.files import ROOT
from generators.vendor import find_sdk, load_vendor
from tests.unit.sdks import has_compiler

HIP = Path("/usr/include/hip/hip_runtime_api.h")
pytestmark = [
    pytest.mark.skipif(not has_compiler(), reason="needs a compiler"),
    pytest.mark.skipif(not HIP.is_file(), reason="needs HIP: apt-get install libamdhip64-dev"),
    pytest.mark.skipif(Path("/dev/kfd").exists(), reason="a driver of AMD GPUs is here: run the gates themselves"),
]


def test_hip_is_compiled_linked_and_held_against_its_map():
    """`pytest gates/runtime`, as far as torch is not needed: without a device, whatever asks for one does not run."""
    files = [f"gates/runtime/test_{name}.py" for name in ("contract", "map", "devices", "memory", "streams", "events")]
    command = [sys.executable, "-m", "pytest", *files, "--vendor", "dcu", "--sdk-path", "/usr", "-q"]
    environment = {name: value for name, value in os.environ.items() if name != "FLAGOS_RUNTIME_LIBRARY"}
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stdout[-4000:]
    lines = re.findall(r"^(\w+(?: RUN)?) +(runtime\.[\w.]+) +\d+ *(.*)$", child.stdout, re.MULTILINE)
    proved = {area for status, area, _ in lines if status == "PASS"}
    assert proved == {"runtime.contract", "runtime.map"}
    assert {why.partition(":")[0] for status, _, why in lines if status == "NOT RUN"} == {"needs hardware"}
    verdict = next(line for line in child.stdout.splitlines() if line.startswith("VERDICT"))
    assert "NOT PROVEN" in verdict and "simulated" not in verdict


def test_hip_without_a_device_has_none_and_says_why_nothing_else_works():
    vendor = load_vendor("dcu")
    library = build_vendor(vendor, find_sdk(vendor, Path("/usr"))).library
    with library.open("rb") as file:
        needed = [tag.needed for tag in ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED")]
    assert vendor.sdk.soname in needed
    runtime = ctypes.CDLL(str(library))
    runtime.GetLastErrorText.restype = ctypes.c_char_p
    count = ctypes.c_int(7)
    assert (runtime.GetDeviceCount(ctypes.byref(count)), count.value) == (0, 0)
    block = ctypes.c_void_p(7)
    assert runtime.Malloc(ctypes.byref(block), 64) == 3  # ErrorInvalidDevice
    assert block.value == 7
    assert runtime.GetLastErrorText() == b"hipMalloc: hipErrorInvalidDevice (101)"
