"""Gates in every status, with the descriptor that the tests write. Nothing collects this file by itself: tests name it."""

import os

import pytest

from gates.status import check, not_run


@pytest.fixture
def broken():
    raise RuntimeError("the fixture is broken")


@pytest.mark.gate("probe.passes")
@pytest.mark.isolated
def test_passes(measured):
    measured["bandwidth"] = 12.5


@pytest.mark.gate("probe.passes_here")
def test_passes_here(measured):
    measured["count"] = 28


@pytest.mark.gate("probe.fails")
def test_fails():
    check(False, "the answer is wrong", expected=42, found=41)


@pytest.mark.gate("probe.fails_late")
def test_fails_late(request):
    request.addfinalizer(lambda: check(False, "the device is not given back"))


@pytest.mark.gate("probe.needs")
def test_needs():
    not_run("needs hardware: a device of this vendor")


@pytest.mark.gate("probe.permanent")
def test_permanent():
    os.abort()  # never called


@pytest.mark.gate("probe.by_capability", requires=["event_timing"])
def test_by_capability():
    os.abort()  # never called


@pytest.mark.gate("probe.temporary")
@pytest.mark.isolated
def test_temporary():
    os.abort()


@pytest.mark.gate("probe.repaired")
def test_repaired():
    pass


@pytest.mark.gate("probe.temporary_setup")
def test_temporary_setup(broken):
    pass
