"""What differs from the runtime's mutants: the document, what judges them, and a control that went through the same build."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generators.build import BUILD, build_torch_side
from tests.mutation.gate_run import GateRun, gate_files, run_gates, run_once, run_tests
from tests.mutation.torch.patches import Patch, last_killer, mutated_checkout


@pytest.fixture
def document() -> str:
    return "torch"


@pytest.fixture(scope="session")
def judged(host_library: Path) -> Callable[..., GateRun]:
    """Build a checkout with a patch, and run what judges it there: the last killer alone, then all."""
    build_torch_side()

    def run(name: str, folder: Path, patch: Patch | None = None, tests: tuple[str, ...] = ()) -> GateRun:
        root = BUILD / "mutation/torch" / name  # the same each time, so that ccache knows what it compiled
        shutil.rmtree(root, ignore_errors=True)
        try:
            mutated_checkout(patch, root)
            return run_in(root, folder, last_killer(patch) if patch else None, tests)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def run_in(root: Path, folder: Path, killer: str | None, tests: tuple[str, ...]) -> GateRun:
        environment = {"FLAGOS_RUNTIME_LIBRARY": str(host_library), "PYTHONPATH": str(root)}
        run_files = run_tests if tests else run_gates
        gates = [file for file in gate_files(root) if "import torch\n" in file.read_text()]
        files = [root / test for test in tests] or gates
        if killer:
            alone = run_files(files, environment, folder / "alone.xml", root, only=killer)
            if alone.failed:
                return alone
        return run_files(files, environment, folder / "junit.xml", root)

    return run


@pytest.fixture(scope="session")
def torch_control(
    judged: Callable[..., GateRun], tmp_path_factory: pytest.TempPathFactory, testrun_uid: str
) -> Callable[[tuple[str, ...]], GateRun]:
    """What judges a mutant, the gates or some tests, against an unchanged copy that is built like one. They must pass."""

    def control(tests: tuple[str, ...]) -> GateRun:
        name = f"control-{'tests' if tests else 'gates'}"
        folder = tmp_path_factory.mktemp(name)
        run = run_once(f"torch-{name}-{testrun_uid}", lambda: judged(name, folder, tests=tests))
        if run.failed:
            pytest.fail(f"failed without a mutation: {', '.join(run.failed)}\n{run.output}", pytrace=False)
        return run

    return control
