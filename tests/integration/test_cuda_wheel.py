"""PyTorch's own CUDA wheel, where someone has it at hand: 0.5 GB, and more with what it needs, which CI does not fetch."""

import os
from pathlib import Path

import pytest

from tests.unit.children import run_pytest

WHEEL = os.environ.get("FLAGOS_TEST_CUDA_WHEEL", "")


@pytest.mark.skipif(not WHEEL, reason="set FLAGOS_TEST_CUDA_WHEEL to the CUDA wheel of the installed torch")
def test_suite_holds_without_a_card(tmp_path):
    """Nothing fails, and everything that only reads passes; what needs the SDK's libraries passes where they are."""
    junit = tmp_path / "junit.xml"
    run = run_pytest(
        "gates/cuda_compat", "--vendor", "cuda", "--vendor-torch", Path(WHEEL).absolute(), junit=junit, seconds=900
    )
    statuses = run.statuses
    assert "FAIL" not in statuses.values(), run.output
    read_only = [gate for gate in statuses if gate.startswith(("cuda_compat.version.", "cuda_compat.key.registered"))]
    assert len(read_only) == 7 and {statuses[gate] for gate in read_only} == {"PASS"}
    met = statuses["cuda_compat.harvest.needs"]
    preload = {gate: status for gate, status in statuses.items() if ".preload." in gate and "smoke" not in gate}
    assert set(preload.values()) == {met} and met in ("PASS", "NOT RUN")
