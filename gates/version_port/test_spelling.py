"""Every kernel has the type that PyTorch wants: by its headers, and by the dispatcher of the torch that is installed."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from gates.dispatcher import ask_dispatcher
from gates.status import check, fail
from gates.version_port.conftest import Spelling
from generators.aten.lines import TorchLine
from generators.aten.operators import Catalogue
from generators.aten.spelling import (
    ARRAYREF_OPS,
    read_overrides,
    render_overrides,
)
from generators.documents import shorten


@pytest.mark.gate("version_port.spelling.types")
def test_every_type_is_the_one_that_pytorch_declares(
    spelling: Spelling, catalogue: Catalogue, pytestconfig: pytest.Config, measured: dict[str, Any]
):
    """Exit criterion: "Reconcile per-operator signature splits": IListRef or ArrayRef, and SymInt, are right for every
    operator that is routed or takes a list, by one compile against PyTorch's own declarations. A wrong override converges
    in the build folder; the gate shows the difference, and --fix writes it."""
    first, outcome = spelling.first, spelling.outcome
    measured.update({"list_operators": len(catalogue.lists), "IListRef": ", ".join(catalogue.spelled("IListRef"))})
    measured.update(outcome.properties())
    check(
        outcome.converged,
        "no list spelling makes every type right",
        found=outcome.stuck,
        next="is torchgen of the same torch as the headers? See generators/aten/operators.py",
    )
    if outcome.candidate == first or pytestconfig.option.fix:
        return
    texts = ARRAYREF_OPS.read_text(encoding="utf-8"), render_overrides(outcome.candidate)
    diff = difflib.unified_diff(
        *(text.splitlines() for text in texts), shorten(ARRAYREF_OPS), "fixed", lineterm="", n=0
    )
    fail(
        f"{len(outcome.steps[0].faults)} operators are spelled wrongly",
        expected="the difference that --fix writes:\n" + "\n".join(list(diff)[:700]),
        found=str(outcome.steps[0]),
        where=shorten(ARRAYREF_OPS),
        next="pytest -m version_port -k spelling --fix",
    )


@pytest.mark.gate("version_port.spelling.dispatcher")
def test_dispatcher_accepts_every_type(line: TorchLine, catalogue: Catalogue, measured: dict[str, Any]):
    """Exit criterion: IListRef/ArrayRef is right for every list operator against the real dispatcher, which accepts each
    operator's type in both of its slots, with SymInt and without, and refuses each list spelled the other way."""
    overrides = read_overrides(ARRAYREF_OPS)
    answers = ask_dispatcher(line, catalogue)
    spelled = {o.name: overrides.get(o.name, o.spelling) for o in catalogue.typed}
    refused = [name for name, spelling in spelled.items() if answers.get((name, spelling)) != "accepted"]
    both = [name for (name, spelling), answer in answers.items() if spelling != spelled[name] and answer != "refused"]
    measured.update({"asked": len(answers), "accepted": sum(answer == "accepted" for answer in answers.values())})
    check(
        not refused,
        f"the dispatcher of torch {line.version} refuses {len(refused)} types",
        expected="accepted",
        found=", ".join(f"{name} ({answers.get((name, spelled[name]), 'not asked')})" for name in refused[:8]),
        next="pytest -m version_port -k types",
    )
    check(not both, "the dispatcher cannot tell two spellings apart", expected="refused", found=", ".join(both[:8]))
