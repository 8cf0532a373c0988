"""Every map that was drafted without an SDK: its runtime is generated, compiled and linked against its own declarations, and
the gates of the map run on it. That proves the templates and nothing about an SDK."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from generators.build import run_command
from generators.documents import shorten
from generators.files import ROOT
from generators.map import FILE, load_map, map_path
from generators.reports import list_maps
from generators.runtime import render_runtime
from tests.sdks.declarations import SAYS, draft_sdk
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
DRAFTS = [path for path in list_maps("*.yaml") if not any(s.source.confirmed for s in load_map(path).entries)]


def library_of(path: Path, folder: Path) -> Path:
    """Generate and build the map's runtime in `folder`, against the SDK drafted there."""
    runtime_map = load_map(path)
    sdk = draft_sdk(runtime_map, folder / "sdk")
    for name, text in render_runtime(runtime_map).items():
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree" / name).write_text(text)
    settings = {
        "FLAGOS_VENDOR": runtime_map.vendor,
        "FLAGOS_VENDOR_TREE": folder / "tree",
        "FLAGOS_SDK_INCLUDE": sdk / "include",
        "FLAGOS_SDK_LIBRARY": sdk / "lib" / runtime_map.sdk.library,
        "FLAGOS_LIBRARY_DIR": folder,
    }
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    source = str(ROOT / "csrc/runtime/accelerator")
    run_command(["cmake", "-S", source, "-B", str(folder / "build"), "-G", "Ninja", *definitions])
    run_command(["cmake", "--build", str(folder / "build")])
    return folder / f"libflagos_{runtime_map.vendor}.so"


@pytest.mark.parametrize("path", DRAFTS, ids=shorten)
def test_drafted_map_becomes_a_runtime_and_passes_the_gates_of_the_map(path, tmp_path):
    library = library_of(path, tmp_path)
    if path.name != FILE:  # a further layer: the gates are for the map that the vendor's runtime comes from
        return
    command = [sys.executable, "-m", "pytest", "gates/runtime/test_map.py", "gates/runtime/test_contract.py"]
    command += ["--vendor", path.parent.name, "--sdk-path", str(tmp_path / "sdk"), "-q", "-p", "no:cacheprovider"]
    environment = os.environ | {"FLAGOS_RUNTIME_LIBRARY": str(library)}
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stdout[-4000:]
    verdict = next(line for line in child.stdout.splitlines() if line.startswith("VERDICT"))
    assert re.search(rf"; simulated SDK: no evidence for hardware; {SAYS}$", verdict)
    assert re.search(r"^NOT RUN +runtime.map +1 +needs SDK: the map was drafted", child.stdout, re.MULTILINE)


# ---- what an emulation does, where no SDK at hand can show it: a few functions in front of the stub's

PRIORITIES = """
#include <mcr/mc_runtime.h>
mcError_t mcGetDeviceCount(int *count) { *count = 1; return mcSuccess; }
mcError_t mcGetDevice(int *device) { *device = 0; return mcSuccess; }
mcError_t mcDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -2; return mcSuccess; }
mcError_t mcStreamCreateWithPriority(mcStream_t *stream, unsigned int flags, int priority) {
  static char streams[8];
  static int made = 0;
  (void)flags;
  (void)priority;
  *stream = (mcStream_t)&streams[made++];
  return mcSuccess;
}
mcError_t mcStreamSynchronize(mcStream_t stream) { (void)stream; return mcSuccess; }
mcError_t mcStreamDestroy(mcStream_t stream) { (void)stream; return mcSuccess; }
"""
ASK = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
runtime = ctypes.CDLL(sys.argv[2])
found = []
for wanted in (-1, -5, 3):
    stream = ctypes.c_void_p()
    assert runtime.StreamCreateWithPriority(ctypes.byref(stream), 0, wanted) == 0
    priority = ctypes.c_int(99)
    assert runtime.StreamGetPriority(stream, ctypes.byref(priority)) == 0
    found.append(priority.value)
assert runtime.StreamGetPriority(None, ctypes.byref(priority)) == 0
found.append(priority.value)
assert runtime.StreamDestroy(stream) == 0
found.append(runtime.StreamGetPriority(stream, ctypes.byref(priority)))
print(found)
"""


def test_kept_priority_is_what_the_stream_was_made_with_after_clamping(tmp_path):
    library = library_of(map_path("metax"), tmp_path)
    front = tmp_path / "libfront.so"
    command = ["cc", "-shared", "-fPIC", f"-I{tmp_path}/sdk/include", "-x", "c", "-", "-o", str(front)]
    subprocess.run(command, input=PRIORITIES, text=True, check=True)
    child = subprocess.run([sys.executable, "-c", ASK, front, library], capture_output=True, text=True)
    assert child.stdout == "[-1, -2, 0, 0, 1]\n", child.stderr  # of a stream that is gone: ErrorUnknown
