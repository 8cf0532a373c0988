"""The table, the library and the kernels agree, which is seen before any of it is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from gates.facts import SdkFacts
from gates.status import check
from generators.aten.operators import Catalogue
from generators.documents import shorten
from generators.native_op import NativeError
from generators.native_op.pages import page_path, render_page
from generators.native_op.registrations import duplicates
from generators.native_op.sources import claims, groups_of, kernels_path, render_kernels
from generators.native_op.table import OperatorTable
from generators.source import why_uncommitted
from generators.vendor import FoundSdk


@pytest.mark.gate("native_op.table.committed")
def test_table_is_valid_and_committed(table: OperatorTable, catalogue: Catalogue, measured: dict[str, Any]):
    """Exit criterion: the table is there, valid for this torch, reviewed and committed before anything is made of it."""
    try:
        measured["overloads"] = len(claims(groups_of(table, catalogue)))
    except NativeError as error:
        pytest.fail(str(error), pytrace=False)
    measured["to review"] = len(table.unreviewed)
    why = why_uncommitted(table.path)
    where = shorten(table.path)
    check(not why, "the table is not committed", found=why, where=where, next=f"review it, then git add {where}")


@pytest.mark.gate("native_op.table.page")
def test_page_for_review_is_in_step(table: OperatorTable, catalogue: Catalogue):
    """Exit criterion: the table's page shows the table as it is."""
    page = page_path(table)
    found = page.read_text(encoding="utf-8") if page.is_file() else ""
    command = f"python -m generators.native_op --vendor {table.vendor}"
    check(found == render_page(table, catalogue), "the page differs", where=shorten(page), next=command)


@pytest.mark.gate("native_op.table.declared")
def test_calls_are_declared_as_the_table_says(table: OperatorTable, library_facts: SdkFacts):
    """Exit criterion: every call of the table is in the library's headers with that signature, and the library exports it, or, of
    a template, an instance of it."""
    for call in table.calls:
        where = shorten(table.path)
        if call.template:
            templates = library_facts.templates(call.name)
            told = "; ".join(map(str, templates))
            same = any(template.types == call.types for template in templates)
            check(same, f"the headers have no such template {call.name}", expected=str(call), found=told, where=where)
            there = library_facts.instantiates(call.name)
            check(there, f"the library has no instance of {call.name}", expected=str(call), where=where)
            continue
        found, likely = library_facts.declaration(call.name), f"renamed; nearest: {library_facts.nearest(call.name)}"
        check(found is not None, f"the headers declare no {call.name}", expected=str(call), where=where, likely=likely)
        same = found is not None and found.types == call.types
        check(same, f"{call.name} has another signature", expected=str(call), found=str(found), where=where)
        check(library_facts.links(call.name), f"the library exports no {call.name}", where=where, likely=likely)


@pytest.mark.gate("native_op.table.version")
def test_library_is_the_one_that_the_table_was_made_from(
    table: OperatorTable, operator_library: FoundSdk, library_facts: SdkFacts
):
    """Exit criterion: the library is of the version that the table states, by its own words and by its soname."""
    where = str(operator_library.library)
    for what, expected, found in (
        ("version", table.library.version, library_facts.version),
        ("soname", table.library.soname, library_facts.libraries[0].soname),
    ):
        check(
            expected in ("", found),
            f"the library's {what} is another",
            expected=expected,
            found=found,
            where=where,
            next=f"hold the table against it, then state it: library.{what} in {shorten(table.path)}",
        )


@pytest.mark.gate("native_op.table.generated")
def test_kernels_equal_a_fresh_generation(table: OperatorTable, catalogue: Catalogue):
    """Exit criterion: the kernels are what the table generates, to the byte: nobody edited them, and they are not older."""
    path = kernels_path(table)
    found = path.read_text(encoding="utf-8") if path.is_file() else ""
    command = f"python -m generators.native_op --vendor {table.vendor}"
    check(
        found == render_kernels(table, catalogue), "the kernels are stale or edited", where=shorten(path), next=command
    )


@pytest.mark.gate("native_op.table.once")
def test_no_operator_is_registered_twice(table: OperatorTable, catalogue: Catalogue):
    """Exit criterion: hand-written and generated registrations exclude each other: an operator that two places register fails
    here, before any is imported, and both are named."""
    found = [f"{name}: {' and '.join(places)}" for name, places in duplicates(table, catalogue).items()]
    check(not found, "operators are registered twice", found="; ".join(found), next="take one of them out")
