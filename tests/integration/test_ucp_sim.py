"""A chip without streams, events, copies and fills really runs: the generated runtime of `bpu` over a simulated UCP, whose
processor and accelerator see each other's writes by nothing but the SDK's cache calls."""

import ctypes
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gates.abi import Error, Kind, Runtime
from generators.build import build_vendor
from generators.files import ROOT
from generators.map import FILE, VENDORS
from generators.vendor import find_sdk, load_vendor
from tests.integration.test_generated_runtimes import BELOW_TORCH, library_of, verdict
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
MAP = (VENDORS / "bpu" / FILE).read_text()


@pytest.fixture(scope="module")
def ucp():
    return sdk("ucp_sim")


@pytest.fixture(scope="module")
def library(ucp):
    vendor = load_vendor("bpu")
    return build_vendor(vendor, find_sdk(vendor, ucp)).library


@pytest.fixture
def runtime(library):
    return Runtime(library, "bpu")


@pytest.fixture
def accelerator(ucp):
    """A task of the chip: adds an amount to each byte of a range."""
    add = ctypes.CDLL(str(ucp / "lib/libhbucp.so")).ucp_sim_add
    return lambda address, count, amount: add(ctypes.c_void_p(address), ctypes.c_uint64(count), ctypes.c_char(amount))


def gates(ucp, *arguments, **environment):
    command = [sys.executable, "-m", "pytest", *arguments, "--vendor", "bpu", "--sdk-path", str(ucp), "-q"]
    command += ["-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)


def test_every_gate_that_applies_passes_and_the_rest_are_declared_gaps(ucp):
    child = gates(ucp, *BELOW_TORCH, "gates/runtime/test_map.py", "gates/runtime/test_tensors.py")
    assert child.returncode == 0, child.stdout[-4000:]
    assert "FAIL " not in child.stdout
    assert verdict(child).endswith("; simulated SDK: no evidence for hardware")
    not_run = re.findall(r"^NOT RUN +(\S+) +\d+ +(needs \w+)", child.stdout, re.MULTILINE)
    assert not_run == [("runtime.map", "needs SDK")]  # no second device is waited for: there never is one
    gaps = set(re.findall(r"^GAP +runtime\.(\S+)", child.stdout, re.MULTILINE))
    assert gaps & {
        "streams.query",
        "memory.info",
        "memory.asynchronous",
        "streams.priority_wide",
        "memory.across_devices",
    }
    assert not gaps & {"events.elapsed", "memory.round_trip", "memory.overrun", "memory.out_of_memory_by_filling"}


def test_cores_are_one_device(runtime, monkeypatch):
    assert runtime.device_count() == 1
    monkeypatch.setenv("UCP_SIM_CORES", "0")
    assert runtime.device_count() == 0
    monkeypatch.setenv("UCP_SIM_CORES", "-1")
    runtime.expect(Error.ErrorUnknown, "GetDeviceCount", ctypes.byref(ctypes.c_int()))
    assert "hb_bpu_core_num" in runtime.last_error()


def test_what_the_host_writes_reaches_the_chip_and_back(runtime, accelerator):
    block = runtime.malloc(4096)
    runtime.upload(block, b"\1" * 4096)
    assert accelerator(block, 4096, 2) == 0
    assert runtime.download(block, 4096) == b"\3" * 4096
    runtime.ok("Memset", block, 5, 4096)
    accelerator(block, 4096, 2)
    assert runtime.download(block, 4096) == b"\7" * 4096
    runtime.ok("Free", block)


def test_writing_a_part_keeps_what_the_chip_wrote_beside_it(runtime, accelerator):
    """The cache is older than the chip's work: cleaning the host's part must not write the old lines over it."""
    block, other = runtime.malloc(4096), runtime.malloc(4096)
    runtime.upload(other, b"\x55" * 4096)
    writes = {
        "HostToDevice": lambda at: runtime.upload(at, b"\x55"),
        "DeviceToDevice": lambda at: runtime.ok("Memcpy", at, other, 1, Kind.MemcpyDeviceToDevice),
        "Memset": lambda at: runtime.ok("Memset", at, 0x55, 1),
    }
    for name, write in writes.items():
        runtime.upload(block, b"\0" * 4096)
        accelerator(block, 4096, 1)
        write(block + 100)
        assert runtime.download(block, 4096) == b"\1" * 100 + b"\x55" + b"\1" * 3995, name
    for pointer in (block, other):
        runtime.ok("Free", pointer)


def test_threads_that_share_a_block_keep_their_bytes(runtime):
    """As tensors of one segment of the caching allocator do."""
    size, threads = 1 << 16, 8
    block = runtime.malloc(4 << 20)  # far more than a thread's part, so that most of the time is spent in the cache

    def work(index: int) -> bool:
        at = block + index * size
        for turn in range(250):
            data = bytes([turn ^ index]) * size
            runtime.upload(at, data)
            if runtime.download(at, size) != data:
                return False
        return True

    with ThreadPoolExecutor(threads) as pool:
        assert list(pool.map(work, range(threads))) == [True] * threads
    runtime.ok("Free", block)


@pytest.mark.parametrize(
    "wrong",
    [
        MAP.replace("HB_SYS_MEM_CACHE_CLEAN}", "HB_SYS_MEM_CACHE_INVALIDATE}"),
        MAP.replace("HB_SYS_MEM_CACHE_INVALIDATE}", "HB_SYS_MEM_CACHE_CLEAN}"),
    ],
    ids=["never cleaned", "never invalidated"],
)
def test_cache_that_a_map_gets_wrong_is_found(ucp, accelerator, tmp_path, wrong):
    runtime = Runtime(library_of(wrong, tmp_path, ucp), "bpu")
    block = runtime.malloc(64)
    runtime.upload(block, b"\1" * 64)
    accelerator(block, 64, 2)
    assert runtime.download(block, 64) != b"\3" * 64
    runtime.ok("Free", block)


def test_a_process_ends_well_with_tensors_alive(ucp, library):
    """The SDK's own end comes before that of whoever frees last, and it crashes whoever frees then."""
    body = "import torch, torch_fl; kept = torch.ones(5, device='flagos'); torch.zeros(1 << 20, device='flagos')"
    environment = {"FLAGOS_ACCELERATOR": "bpu", "FLAGOS_RUNTIME_LIBRARY": str(library)}
    command = [sys.executable, "-c", f"{body}; print(kept.sum().item())"]
    child = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert (child.returncode, child.stdout) == (0, "5.0\n"), child
