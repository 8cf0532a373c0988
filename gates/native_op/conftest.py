"""The table of a vendor's library of operators, the library, the kernels over it, and what measuring them found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gates.facts import SdkFacts, read_sdk_facts
from gates.plugin import SETUP
from gates.status import not_run
from generators.aten.lines import installed_line
from generators.aten.operators import Catalogue, read_catalogue
from generators.build import BuildError, Built, build_operators
from generators.documents import did_you_mean
from generators.native_op import NativeError
from generators.native_op.findings import Setting, in_child
from generators.native_op.table import OperatorTable, read_table, table_path
from generators.recon.headers import ReconError
from generators.vendor import FoundSdk, Vendor, VendorError, find_operator_library

FOLDER = Path(__file__).parent


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A case for each category of the vendor's table, or for the one that --category names."""
    if "category" not in metafunc.fixturenames:
        return
    try:
        found = read_table(table_path(metafunc.config.stash[SETUP].vendor.name)).categories
    except NativeError:  # of which the gate on the table tells
        found = []
    chosen = metafunc.config.option.category
    if chosen and found and chosen not in found:
        raise pytest.UsageError(f"--category: {did_you_mean(chosen, found)}")
    metafunc.parametrize("category", [chosen] if chosen else found)


ORDER = ("route", "table", "operators")  # what the next rests on comes first, and measuring, which takes longest, last


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = {number: item for number, item in enumerate(items) if item.path.parent == FOLDER}
    rank = {FOLDER / f"test_{name}.py": number for number, name in enumerate(ORDER)}
    ordered = sorted(here.values(), key=lambda item: rank[item.path])
    for number, item in zip(here, ordered, strict=True):
        items[number] = item


@pytest.fixture(scope="session")
def table(vendor: Vendor) -> OperatorTable:
    """The vendor's table."""
    path = table_path(vendor.name)
    if not path.is_file():
        not_run(f"needs a table of operators for {vendor.name}: docs/vendors/{vendor.name}/{path.name}")
    try:
        return read_table(path)
    except NativeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """PyTorch's operators."""
    return read_catalogue(installed_line())


@pytest.fixture(scope="session")
def operator_library(pytestconfig: pytest.Config, table: OperatorTable) -> FoundSdk:
    """The library and its headers."""
    try:
        return find_operator_library(table, pytestconfig.option.op_lib)
    except VendorError as error:
        if pytestconfig.option.op_lib is not None:  # what was named must be right, what was looked for may be absent
            pytest.fail(str(error), pytrace=False)
        not_run(f"needs {table.library.name}: {error}")


@pytest.fixture(scope="session")
def library_facts(table: OperatorTable, operator_library: FoundSdk) -> SdkFacts:
    """What the library declares and exports."""
    try:
        return read_sdk_facts(table.library, operator_library)
    except ReconError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def kernels(library: Built, torch_side: Built, table: OperatorTable, operator_library: FoundSdk) -> Built:
    """The kernels over the library, over the runtime and the torch side."""
    try:
        return build_operators(table, operator_library)
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def setting(table: OperatorTable, operator_library: FoundSdk, library: Built, kernels: Built) -> Setting:
    """What is measured."""
    return Setting(table, operator_library, library.library, kernels.library)


@pytest.fixture(scope="session")
def trace(library: Built, kernels: Built, some_device: None, table: OperatorTable) -> dict[str, str]:
    """Overload -> what was written while one call of it ran: by us, and by the library where it can be made to."""
    own = {table.convention.trace["variable"]: "1"} if table.convention.trace else {}
    child = in_child(table, library.library, "trace", FLAGOS_LOG_DISPATCH="1", **own)
    if child.returncode != 0:
        pytest.fail(f"the kernels cannot be traced: {child.stderr.strip()[-2000:]}", pytrace=False)
    answers: list[dict[str, Any]] = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    return {answer["overload"]: answer["said"] for answer in answers}
