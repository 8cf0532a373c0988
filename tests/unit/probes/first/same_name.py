"""A file of the same name lies in another folder of gates. Nothing collects it by itself: tests name it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.children import PROBES

calls = []


@pytest.mark.gate("probe.first.place")
@pytest.mark.isolated
def test_place():
    assert __file__ == str(PROBES / "first/same_name.py")


@pytest.mark.gate("probe.first.property")
@pytest.mark.isolated
def test_property():
    @given(st.text())
    def slow_at_first(text):
        time.sleep(0 if calls else 0.4)  # past hypothesis' own limit of 0.2 s
        calls.append(text)

    slow_at_first()
    assert len(calls) >= 100
