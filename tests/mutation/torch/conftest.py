"""What differs from the runtime's mutants: the document, and a control run that went through the same build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generators.build import BUILD, build_torch_side
from tests.mutation.gate_run import GateRun, gate_files, run_gates, run_once
from tests.mutation.torch.patches import Patch, last_killer, mutated_checkout


@pytest.fixture
def document() -> str:
    return "torch"


@pytest.fixture(scope="session")
def gates_of_mutant(host_library: Path):
    """Build a checkout with a patch, and run the gates of the torch side in it: the last killer alone, then all."""
    build_torch_side()

    def run(patch: Patch | None, folder: Path) -> GateRun:
        name = patch.path.stem if patch else "control"
        root = BUILD / "mutation/torch" / name  # the same each time, so that ccache knows what it compiled
        shutil.rmtree(root, ignore_errors=True)
        try:
            return run_in(mutated_checkout(patch, root), name, folder)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def run_in(root: Path, name: str, folder: Path) -> GateRun:
        environment = {"FLAGOS_RUNTIME_LIBRARY": str(host_library), "PYTHONPATH": str(root)}
        files = [file for file in gate_files(root) if "import torch\n" in file.read_text()]
        if killer := last_killer(name):
            alone = run_gates(files, environment, folder / "alone.xml", root, only=killer)
            if alone.failed:
                return alone
        return run_gates(files, environment, folder / "junit.xml", root)

    return run


@pytest.fixture(scope="session")
def torch_control(gates_of_mutant, tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> GateRun:
    """The torch side's gates against an unchanged copy, built like a mutant. They must pass."""
    run = run_once(f"torch-control-{testrun_uid}", lambda: gates_of_mutant(None, tmp_path_factory.mktemp("control")))
    if run.failed:
        pytest.fail(f"gates fail without a mutation: {', '.join(run.failed)}\n{run.output}", pytrace=False)
    return run
