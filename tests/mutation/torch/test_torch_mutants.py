"""Each mutant of the torch side must be killed by a gate."""

from __future__ import annotations

import pytest

from generators.files import ROOT
from tests.mutation.torch.patches import REFERENCE, patches, torch_mutants


@pytest.mark.sample
@pytest.mark.parametrize("name", patches())
def test_patch_fits_the_tree(name):
    """So that a change of the sources takes its mutants along."""
    patch = patches()[name]
    patch.apply(ROOT, "--check")
    assert len(patch.files) == 1, "a mutant changes one file"
    assert not patch.wrong.startswith(("---", "diff")), "the first line says what is wrong"
    assert set(patch.places()) == {1}, "a hunk fits more than one place: give it more context (git diff -U2)"


@pytest.mark.sample
def test_reference_lists_every_mutant():
    rows = [line.split(" | ") for line in REFERENCE.read_text().splitlines() if line.startswith("| `")]
    recorded = {name.strip("| `"): wrong for name, wrong, _ in rows}
    assert recorded == torch_mutants(), "pytest tests/mutation/torch --record"


def test_gates_pass_without_a_patch(torch_control):
    assert torch_control.passed > 40


@pytest.mark.parametrize("name", patches())
def test_mutant_is_killed(name, torch_control, gates_of_mutant, verdict, tmp_path):
    verdict(name, gates_of_mutant(patches()[name], tmp_path))
