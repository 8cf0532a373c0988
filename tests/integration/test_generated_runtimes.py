"""Generated runtimes over SDKs that are there: both layers of the simulated XRE, through the gates, in a session of their own."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from generators.build import run_command
from generators.files import ROOT
from generators.map import VENDORS, load_map
from generators.map.forms import STREAMLESS
from generators.runtime import generate
from generators.vendor import find_sdk, load_vendor
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler
from tests.unit.test_runtime_generator import git

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
NATIVE = VENDORS / "kunlun/native.yaml"
BELOW_TORCH = [f"gates/runtime/test_{name}.py" for name in ("devices", "memory", "streams", "events")]


@pytest.fixture(scope="module")
def xre():
    return sdk("xre_sim")


def gates(sdk, *arguments, vendor="kunlun", **environment):
    command = [sys.executable, "-m", "pytest", *arguments, "--vendor", vendor, "--sdk-path", str(sdk), "-q"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
    )


def verdict(child):
    return next((line for line in child.stdout.splitlines() if line.startswith("VERDICT")), child.stdout + child.stderr)


def library_of(text: str, folder: Path, sdk_path: Path) -> Path:
    """Generate and build a runtime from another map of a vendor's than the one that its sources in the tree come from."""
    vendor = yaml.safe_load(text)["vendor"]
    path = folder / vendor / "other.yaml"
    path.parent.mkdir()
    path.write_text(text)
    git(path.parent, "init", "-q")
    git(path.parent, "add", ".")
    git(path.parent, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "reviewed")
    tree = folder / "tree"
    generate(path, tree)
    found = find_sdk(replace(load_vendor(vendor), sdk=load_map(path).sdk), sdk_path)
    settings = {
        "FLAGOS_VENDOR": vendor,
        "FLAGOS_VENDOR_TREE": tree,
        "FLAGOS_SDK_INCLUDE": ";".join(map(str, found.include_path)),
        "FLAGOS_SDK_LIBRARY": ";".join(map(str, found.libraries)),
        "FLAGOS_LIBRARY_DIR": folder,
    }
    source = str(ROOT / "csrc/runtime/accelerator")
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    run_command(["cmake", "-S", source, "-B", str(folder / "build"), "-G", "Ninja", *definitions])
    run_command(["cmake", "--build", str(folder / "build")])
    return folder / f"libflagos_{vendor}.so"


def test_kunlun_over_xcudart_passes_the_gates_below_torch(xre):
    child = gates(xre, *BELOW_TORCH, "gates/runtime/test_map.py")
    assert child.returncode == 0, child.stdout[-4000:]
    assert re.search(r"kunlun: .*; simulated SDK: no evidence for hardware$", verdict(child))
    assert "FAIL " not in child.stdout


def test_kunlun_over_native_xre_passes_the_gates_below_torch(xre, tmp_path):
    library = library_of(NATIVE.read_text(), tmp_path, xre)
    child = gates(xre, *BELOW_TORCH, FLAGOS_RUNTIME_LIBRARY=str(library))
    assert child.returncode == 0, child.stdout[-4000:]
    assert re.search(r"kunlun: PASS .*; simulated SDK: no evidence for hardware$", verdict(child))


@pytest.mark.parametrize("code", ["716", "1"])
def test_pending_event_is_not_ready_whatever_code_native_xre_has_for_it(xre, tmp_path, code):
    library = library_of(NATIVE.read_text(), tmp_path, xre)
    child = gates(
        xre, "gates/runtime/test_events.py", "-k", "query", FLAGOS_RUNTIME_LIBRARY=str(library), XRE_SIM_NOT_READY=code
    )
    assert child.returncode == 0, child.stdout[-4000:]


def test_nothing_is_recorded_from_a_simulated_sdk(xre):
    child = gates(xre, "gates/runtime", "-k", "runtime.contract.naming", "--record")
    assert child.returncode != 0
    assert "not recorded: simulated SDK: no evidence for hardware" in child.stdout
    assert not (VENDORS / "kunlun/evidence").exists()


def test_wrong_table_in_the_map_is_found_by_the_gates(xre, tmp_path):
    """A map that is valid and says the wrong thing: the two directions of a copy the other way round."""
    swap = {"XPU_HOST_TO_DEVICE": "XPU_DEVICE_TO_HOST", "XPU_DEVICE_TO_HOST": "XPU_HOST_TO_DEVICE"}
    turned = re.sub("|".join(swap), lambda match: swap[match[0]], NATIVE.read_text())
    library = library_of(turned, tmp_path, xre)
    child = gates(xre, "gates/runtime/test_memory.py", "-k", "round_trip", FLAGOS_RUNTIME_LIBRARY=str(library))
    assert child.returncode == 1
    assert re.search(r"FAIL +runtime.memory.round_trip", child.stdout)


def streamless() -> str:
    """Native XRE as if it had no streams, no events and no pinned memory, and no current device."""
    data = yaml.safe_load(NATIVE.read_text())
    told = {"reason": "a test", "consequence": "a test", "source": {"kind": "public", "where": "-", "confirmed": False}}
    slots = data["slots"]
    slots |= {name: {"emulation": "streamless"} | told for name in STREAMLESS}
    slots["EventElapsedTime"] = {"emulation": "host_timer"} | told
    slots |= {name: {"emulation": "wait_then_block"} | told for name in ("MemcpyAsync", "MemsetAsync")}
    slots["Memset"] = {"emulation": "host_mapped"} | told
    slots |= {name: {"emulation": "pageable_host"} | told for name in ("MallocHost", "FreeHost")}
    slots |= {name: {"emulation": "thread_device"} | told for name in ("SetDevice", "GetDevice")}
    slots["Free"]["before"] = ["drain_device", "select_device"]
    slots["Memcpy"] = {k: v for k, v in slots["Memcpy"].items() if k != "after"} | {"before": ["select_device"]}
    entries = slots | data["virtuals"]
    data["missing_slots"] = [name for name, entry in entries.items() if "gap" in entry or "emulation" in entry]
    del data["handles"]
    return yaml.safe_dump(data, sort_keys=False)


def test_chip_without_streams_lacks_what_needs_pending_work_and_nothing_else(xre, tmp_path):
    library = library_of(streamless(), tmp_path, xre)
    child = gates(xre, *BELOW_TORCH, FLAGOS_RUNTIME_LIBRARY=str(library))
    assert set(re.findall(r"^FAIL +(runtime\S+)", child.stdout, re.MULTILINE)) == {
        "runtime.devices.default_stream",
        "runtime.devices.synchronize",
        "runtime.events.covers_only_before",
        "runtime.events.query",
        "runtime.events.right_stream",
        "runtime.events.wait_captures",
        "runtime.events.wait_orders",
        "runtime.memory.asynchronous",
        "runtime.streams.device",
        "runtime.streams.independent",
        "runtime.streams.query",
    }
