"""Vendors' operators as their tables propose them, over simulated libraries: compiled, linked, and equal to the CPU. That proves the
kernels and their layers, and nothing about hardware."""

import re
import subprocess

import pytest

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.native_op.pages import page_path, render_page
from generators.native_op.sources import kernels_path, render_kernels
from tests.integration.native_libraries import built, differing, flow, left_to_cpu, ordered_by_stream, refused
from tests.integration.simulated_libraries import ACLNN, XDNN
from tests.sdks import acl
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")
CASES = [
    pytest.param(XDNN, id="XDNN"),
    pytest.param(ACLNN, id="aclnn", marks=pytest.mark.skipif(acl.include() is None, reason=acl.INSTALL)),
]


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return request.param


@pytest.fixture(scope="module")
def library(case):
    return case.find()


@pytest.fixture(scope="module")
def environment(case, library):
    return built(case.table, library, case.runtime_sdk)


def test_library_says_that_it_is_simulated(library):
    assert library.simulated == "simulated SDK: no evidence for hardware"


@pytest.mark.parametrize("option", ["--record", "--write"])
def test_nothing_is_recorded_or_written_of_it(case, library, option):
    says = refused(case.table, library, case.runtime_sdk, option)
    assert "of a simulated SDK: no evidence for hardware" in says


def test_nothing_is_more_than_proposed(case):
    assert {entry.status for entry in case.table.entries} == {"proposed"}


def test_kernels_and_page_are_what_the_table_generates(case):
    catalogue = read_catalogue(installed_line())
    assert kernels_path(case.table).read_text() == render_kernels(case.table, catalogue)
    assert page_path(case.table).read_text() == render_page(case.table, catalogue)


def test_library_has_every_function_that_the_table_declares(case, library):
    names = subprocess.run(["nm", "-DC", "--defined-only", library.library], capture_output=True, text=True, check=True)
    assert {call.name for call in case.table.calls} <= set(re.findall(r"\b(\w+)(?:[<(]|$)", names.stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def taken(case, environment):
    return flow(case.table, environment, list(case.taken))


def test_results_are_those_of_the_cpu(taken):
    """In every layout: strides, offsets, broadcasting, no elements, no dimensions, infinities and NaN."""
    assert differing(taken) == {}


def test_library_computes_what_it_takes(case, taken):
    """A wrong word for a dtype ends here, too, where the library refuses what it does not know."""
    left = left_to_cpu(taken)
    assert {call for call, layout in left if layout != "no elements"} == set()
    assert {call for call, _ in left} <= case.of_nothing


def test_what_the_library_cannot_do_goes_to_the_cpu_and_is_counted(case, environment):
    lines = flow(case.table, environment, list(case.left))
    assert differing(lines) == {}
    left = {call: operators for (call, layout), operators in left_to_cpu(lines).items() if layout == "plain"}
    assert {call: operator for call, operator in case.left.items() if operator not in left.get(call, ())} == {}


def test_kernels_run_in_the_order_of_the_current_stream(case, environment):
    assert ordered_by_stream(case.table, environment)
