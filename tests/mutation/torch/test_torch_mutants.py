"""Each mutant of the torch side must be killed by a gate, or by a test where no gate is about it."""

from __future__ import annotations

import pytest

from generators.files import ROOT
from tests.mutation.torch.patches import BOXING, REFERENCE, patches, torch_mutants

# For every push: a kernel, the header, the routes, the conf.
SAMPLE = ("boxing.reads_too_early", "boxing.list_not_boxed", "routes.unknown_accepted", "routes.conf_ignored")


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
    assert torch_control(()).passed > 40


def test_tests_pass_without_a_patch(torch_control):
    assert torch_control(BOXING).passed > 30


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.sample] if name in SAMPLE else []) for name in patches()]
)
def test_mutant_is_killed(name, torch_control, judged, verdict, tmp_path):
    patch = patches()[name]
    torch_control(patch.tests)
    verdict(name, judged(name, tmp_path, patch, patch.tests))
