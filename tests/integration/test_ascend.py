"""The runtime of `ascend`: compiled against ACL's real headers, and run over a simulated ACL that does what its documentation
says. Nothing here is evidence for a device."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from elftools.elf.elffile import ELFFile

from gates.abi import Error
from generators.declaration import parse_declaration
from generators.map import load_map, map_path
from tests.integration.test_generated_runtimes import BELOW_TORCH, gates, library_of, verdict
from tests.sdks import acl
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = [
    pytest.mark.skipif(not has_compiler(), reason="needs a compiler"),
    pytest.mark.skipif(acl.include() is None, reason=acl.INSTALL),
]
MAP = map_path("ascend")


@pytest.fixture(scope="module")
def simulated():
    return sdk("acl_sim")


@pytest.fixture(scope="module")
def runtime(simulated, tmp_path_factory):
    """The runtime over the simulated ACL."""
    return library_of(MAP.read_text(), tmp_path_factory.mktemp("runtime"), simulated)


# ---- the real headers, and nothing behind them


def test_runtime_compiles_with_the_real_headers_and_asks_for_what_the_map_says(tmp_path):
    library = library_of(MAP.read_text(), tmp_path, acl.stub())
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        wanted = {s.name for s in symbols if s.name.startswith("acl") and s["st_shndx"] == "SHN_UNDEF"}
    found = load_map(MAP)
    text = parse_declaration(found.status["text"]).name
    assert wanted == {text, *(call.declaration.name for _, call in found.calls)}


def test_a_stub_proves_the_map_and_nothing_that_runs():
    child = gates(acl.stub(), "gates/runtime", vendor="ascend")
    statuses = re.findall(r"^(PASS|NOT RUN|GAP|FAIL) +runtime\.(\w+)", child.stdout, re.MULTILINE)
    passed = {area for status, area in statuses if status == "PASS"}
    assert passed == {"conf", "map", "contract"}, child.stdout[-4000:]
    assert {name for status, name in statuses if status == "FAIL"} <= {"contract", "devices"}
    assert child.returncode == 1
    assert "simulated SDK: no evidence for hardware" in verdict(child)


# ---- a simulated ACL


def test_gates_below_torch_pass(simulated, runtime):
    child = gates(simulated, *BELOW_TORCH, vendor="ascend", FLAGOS_RUNTIME_LIBRARY=str(runtime))
    assert child.returncode == 0, child.stdout[-4000:]
    assert re.search(r"ascend: PASS .*; simulated SDK: no evidence for hardware$", verdict(child))


def change(slot: str, **entries: Any) -> Callable[[dict], None]:
    """Another entry of a slot; None takes a key away."""

    def edit(data: dict) -> None:
        entry = (data["slots"] | data["virtuals"])[slot]
        entry.update(entries)
        for key in [key for key, value in entries.items() if value is None]:
            del entry[key]

    return edit


def table(name: str, **entries: str) -> Callable[[dict], None]:
    return lambda data: data[name].update(entries)


def all_of(*edits: Callable[[dict], None]) -> Callable[[dict], None]:
    def edit(data: dict) -> None:
        for each in edits:
            each(data)

    return edit


COMPLETE_IS_1 = {"ACL_STREAM_STATUS_COMPLETE": "ErrorNotReady", "ACL_STREAM_STATUS_NOT_READY": "Success"}
COMPLETE_IS_0 = {
    "ACL_EVENT_RECORDED_STATUS_COMPLETE": "ErrorNotReady",
    "ACL_EVENT_RECORDED_STATUS_NOT_READY": "Success",
}
ONCE = "aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)"
# How ACL differs from the contract: maps that are valid and overlook it, and the gates that tell.
TRAPS = {
    "each query read as the other": (
        all_of(change("StreamQuery", results=COMPLETE_IS_1), change("EventQuery", results=COMPLETE_IS_0)),
        {"streams.query", "events.query"},
    ),
    "no size limit": (change("Memcpy", args=["dst", 0, "src", "count", "kind"]), {"memory.round_trip"}),
    "no device in a new thread": (lambda data: data.pop("thread_setup"), {"memory.round_trip"}),
    "events without the time": (table("flags", EventEnableTiming="ACL_EVENT_SYNC"), {"events.elapsed"}),
    "events that no stream can wait for": (
        table("flags", EventEnableTiming="ACL_EVENT_TIME_LINE"),
        {"events.wait_orders"},
    ),
    "nothing waits, and no device knows of another": (
        all_of(
            change("Memcpy", before=["select_device"], calls=None),
            change("Free", before=["select_device"]),
            change("FreeHost", before=None),
            change("StreamQuery", before=None),
            change("get_memory_info", args=[{"const": "ACL_DDR_MEM"}, "free", "total"]),
        ),
        {
            *("memory.blocking_after_default_stream", "memory.across_devices", "memory.free_while_used"),
            *("memory.free_host_while_used", "memory.info", "streams.device"),
        },
    ),
    "an event is recorded once, or never": (
        all_of(
            change("EventCreateWithFlags", call=ONCE),
            change("StreamWaitEvent", before=["select_device"]),
            change("StreamDestroy", before=["select_device"]),
        ),
        {"events.query", "events.wait_unrecorded", "streams.destroy_pending"},
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_map_that_overlooks_a_trap_fails_its_gates(simulated, tmp_path, trap):
    edit, expected = TRAPS[trap]
    data = yaml.safe_load(MAP.read_text())
    edit(data)
    library = library_of(yaml.safe_dump(data, sort_keys=False), tmp_path, simulated)
    chosen = " or ".join(f"runtime.{gate}" for gate in sorted(expected))
    child = gates(simulated, "gates/runtime", "-k", chosen, vendor="ascend", FLAGOS_RUNTIME_LIBRARY=str(library))
    failed = set(re.findall(r"^FAIL +runtime\.(\S+)", child.stdout, re.MULTILINE))
    assert failed >= expected, child.stdout[-4000:]


def in_child(runtime, simulated, body):
    """Run a script that has both libraries: the contract's functions as `rt`, the simulated ACL's as `acl`."""
    program = f"""\
        import ctypes, threading
        acl, rt = ctypes.CDLL({str(simulated / "lib64" / acl.LIBRARY)!r}), ctypes.CDLL({str(runtime)!r})
        rt.GetLastErrorText.restype = ctypes.c_char_p
        number, pointer = ctypes.c_int(-1), ctypes.c_void_p()

        def opened():
            active = ctypes.c_int()
            states = [acl.aclrtGetPrimaryCtxState(d, None, ctypes.byref(active)) or active.value for d in range(3)]
            return "".join(map(str, states))
        """
    environment = os.environ | {"FLAGOS_HOST_DEVICES": "3"}
    code = textwrap.dedent(program) + textwrap.dedent(body)
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    return child.stdout.split("\n")


def test_only_a_device_that_a_call_needs_is_opened(runtime, simulated):
    """aclrtSetDevice makes a context in the device's memory: to look, or to put back what was current, must cost none."""
    lines = in_child(
        runtime,
        simulated,
        """\
        def look():
            assert rt.GetDevice(ctypes.byref(number)) == 0 and number.value == 0
            assert rt.SetDevice(2) == rt.SetDevice(1) == 0
        look()
        print(opened())
        assert rt.Malloc(ctypes.byref(pointer), ctypes.c_size_t(64)) == rt.Free(pointer) == rt.SetDevice(0) == 0
        print(opened())
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        print(opened())
        """,
    )
    assert lines[:3] == ["000", "010", "010"]


def test_acl_may_be_initialized_before(runtime, simulated):
    """By another user of it in the process; and GetDeviceCount chooses no device."""
    lines = in_child(
        runtime,
        simulated,
        """\
        assert acl.aclInit(None) == 0
        assert rt.GetDeviceCount(ctypes.byref(number)) == 0
        print(number.value, opened())
        """,
    )
    assert lines[0] == "3 000"


def test_error_has_the_text_of_acl_and_its_code(runtime, simulated):
    lines = in_child(
        runtime,
        simulated,
        """\
        print(rt.Malloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 50)))
        print(rt.GetLastErrorText().decode().replace("\\n", "|"))
        """,
    )
    assert lines[0] == str(int(Error.ErrorMemoryAllocation))
    assert lines[1].startswith("aclrtMalloc: EE207001: out of memory|")
    assert lines[1].endswith("(207001)")
