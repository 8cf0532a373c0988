"""How well recon proposes operators: the reviewed tables are held out, entry by entry, and what it says of their libraries is compared.

The words that it knows were chosen with these libraries at hand, so the figures say what it can read, not what it will make of
another one. `-s` prints them.
"""

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from generators.native_op.propose import recon
from generators.native_op.table import read_table, table_path
from generators.vendor import VendorError, find_operator_library
from tests.integration.simulated_libraries import ACLNN, XDNN
from tests.sdks import acl
from tests.sdks.build import sdk
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")


@dataclass(frozen=True)
class Floor:
    """Of a table's entries that are no foreach, at least so many are proposed as people have them, and of the proposals that people
    have looked at, at least so many are right."""

    recall: float
    precision: float


CASES = {"kunlun": Floor(0.9, 1), "ascend": Floor(1, 1), "onednn": Floor(0.5, 0.98)}


def library_of(vendor):
    if vendor == "kunlun":
        return XDNN.find(), [sdk("xre_sim") / "include"]
    if vendor == "ascend":
        if acl.include() is None:
            pytest.skip(acl.INSTALL)
        return ACLNN.find(), []
    try:
        return find_operator_library(read_table(table_path(vendor))), []
    except VendorError as error:
        pytest.skip(str(error))


def agrees(proposal, entry):
    """The function, and, of an enumeration's algorithms, the algorithm."""
    algorithm = "::" not in proposal.arguments or proposal.arguments in entry.arguments
    return proposal.call == entry.call.partition("<")[0] and algorithm


@pytest.mark.parametrize("vendor", CASES)
def test_proposals_are_those_that_people_made(vendor):
    table = read_table(table_path(vendor))
    library, include = library_of(vendor)
    proposals = recon(replace(table, entries=()), library, include=tuple(include)).proposals
    reviewed = {entry.name: entry for entry in table.entries if entry.category != "foreach"}
    looked_at = [proposal for proposal in proposals if proposal.operator.name in reviewed]
    right = [proposal for proposal in looked_at if agrees(proposal, reviewed[proposal.operator.name])]
    recall, precision = len(right) / len(reviewed), len(right) / len(looked_at)
    by = Counter(proposal.confidence for proposal in right)
    beyond = [f"{p.operator.name} by {p.says}" for p in proposals if p not in looked_at]
    print(
        f"\n{vendor}: {len(reviewed)} entries, {len(proposals)} proposals, {len(right)} as people have them ({dict(by)}); beyond: {beyond}"
    )
    assert recall >= CASES[vendor].recall and precision >= CASES[vendor].precision
    assert [p for p in looked_at if p.confidence == "high" and p not in right] == []
    other = {p.operator.name: p.category for p in right if p.category != reviewed[p.operator.name].category}
    assert len(other) <= 1, other


@pytest.mark.parametrize("vendor", CASES)
def test_reviewed_table_leaves_little_to_propose(vendor):
    """And nothing that it has already."""
    table = read_table(table_path(vendor))
    library, include = library_of(vendor)
    proposals = recon(table, library, include=tuple(include)).proposals
    assert {p.operator.name for p in proposals}.isdisjoint(entry.name for entry in table.entries)
    assert len(proposals) <= 5


def test_runtime_s_headers_declare_no_operator():
    """Those of ACL, as its vendor wrote them: memory, streams, models, and not one function that would be taken for an operator."""
    if acl.include() is None:
        pytest.skip(acl.INSTALL)
    root = acl.stub()
    table = read_table(table_path("ascend"))
    headers = sorted(str(file.relative_to(root / "include")) for file in (root / "include/acl").glob("acl*.h"))
    head = replace(table, entries=(), library=replace(table.library, headers=tuple(headers), library=acl.LIBRARY))
    for form in ("two-stage", "single"):
        shaped = replace(head, convention=replace(table.convention, form=form))
        found = recon(shaped, find_operator_library(shaped, root / "lib64" / acl.LIBRARY))
        assert len(found.library.functions) + len(found.library.hidden) > 100 and found.proposals == []
