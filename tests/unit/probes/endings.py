"""Gates that end in every way there is. Nothing collects this file by itself: tests name it."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gates.status import fail, not_run

JUNK = b"\x1b[31mERR\x00\xff\x0b\xed\xa0\x80 <&]]>\n" * 2000
TEXT = JUNK.decode("utf-8", "surrogateescape")

state = {"poisoned": False}


@pytest.mark.gate("probe.smoke_before")
def test_smoke_before(runtime):
    assert runtime.device_count() > 0


@pytest.mark.gate("probe.segfault")
def test_segfault(runtime):
    runtime.malloc(64)
    os.write(2, b"probe-stderr-marker\n")
    ctypes.string_at(0)


@pytest.mark.gate("probe.abort")
@pytest.mark.isolated
def test_abort():
    os.abort()


@pytest.mark.gate("probe.exit")
@pytest.mark.isolated
def test_exit():
    os._exit(0)


@pytest.mark.gate("probe.exception")
@pytest.mark.isolated
def test_exception():
    print("probe-said-before")
    raise ValueError("the vendor said no")


@pytest.mark.gate("probe.hang")
def test_hang(runtime):
    grandchild = subprocess.Popen(["sleep", "600"])
    Path(os.environ["PROBE_FOLDER"], "pids").write_text(f"{os.getpid()} {grandchild.pid}")
    time.sleep(600)


@pytest.mark.gate("probe.poison")
def test_poison(runtime):
    state["poisoned"] = True
    os.environ["FLAGOS_HOST_DEVICES"] = "0"
    while runtime.call("Malloc", ctypes.byref(ctypes.c_void_p()), 1 << 28).name == "Success":
        pass
    pytest.fail("the device is full and will stay so")


@pytest.mark.gate("probe.smoke_after")
@pytest.mark.parametrize("number", range(3))
def test_smoke_after(runtime, number):
    assert not state["poisoned"]
    assert runtime.device_count() > 0
    runtime.ok("Free", runtime.malloc(1 << 20))


@pytest.mark.gate("probe.binary_output")
@pytest.mark.isolated
def test_binary_output():
    os.write(2, JUNK)
    raise AssertionError(TEXT)


@pytest.mark.gate("probe.binary_crash")
@pytest.mark.isolated
def test_binary_crash():
    os.write(2, JUNK)
    os.abort()


@pytest.mark.gate("probe.binary_skip")
@pytest.mark.isolated
def test_binary_skip():
    not_run(TEXT)


@pytest.mark.gate("probe.binary_measured")
@pytest.mark.isolated
def test_binary_measured(measured):
    measured["figure"] = TEXT


@pytest.mark.gate("probe.binary_here")
def test_binary_here(record_property):
    record_property("text", TEXT)
    sys.stderr.write(TEXT)
    fail(TEXT, found=TEXT)


@pytest.mark.gate("probe.binary_skip_here")
def test_binary_skip_here():
    not_run(TEXT)
