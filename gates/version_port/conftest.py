"""The torch line under test, and one run of the generator for it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from gates.status import fail
from generators.aten import AtenError
from generators.aten.faults import WrongType, wrong_types_of_import
from generators.aten.lines import TorchLine, installed_line
from generators.aten.operators import Catalogue, read_catalogue
from generators.aten.sources import home_of, render_sources, write_sources
from generators.aten.spelling import ARRAYREF_OPS, Overrides, find_overrides, read_overrides, write_overrides
from generators.build import BUILD, LIBRARIES, BuildError, Built, build_torch_side
from generators.files import ROOT
from generators.fixloop import Outcome


@pytest.fixture(scope="session")
def line() -> TorchLine:
    """The installed torch. Where --torch names another, the plugin has started this run in that version's environment."""
    try:
        return installed_line()
    except AtenError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def built(line: TorchLine, torch_side: Built, library: Built) -> list[Path]:
    """The libraries of the torch side, built for this torch, with the runtime of the vendor under test beside them."""
    patterns = ("lib/libtorch_fl.so", "lib/libtorch_fl_operators.so", "_C.*.so")
    return [file for pattern in patterns for file in sorted(LIBRARIES.parent.glob(pattern))]


@pytest.fixture(scope="session")
def catalogue(line: TorchLine) -> Catalogue:
    """The line's operators."""
    try:
        return read_catalogue(line)
    except AtenError as error:
        pytest.fail(str(error), pytrace=False)


@dataclass(frozen=True)
class Generated:
    folder: Path
    said: str
    cpu_seconds: float

    @property
    def files(self) -> dict[str, bytes]:
        return files_of(self.folder)


def files_of(folder: Path) -> dict[str, bytes]:
    """What a folder holds, nothing if it is not there."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


def generate(line: TorchLine, folder: Path, cwd: Path = ROOT, **environment: str) -> Generated:
    """Run the generator in a process of its own."""
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "generators.aten", "--torchgen", str(line.root), "--out", str(folder)]
    before = _cpu_seconds()
    child = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": places} | environment,
    )
    if child.returncode != 0:
        said = (child.stderr.strip() or f"exit status {child.returncode}").removeprefix("ERROR: ")
        pytest.fail(f"{said}\n{child.stdout}  of        python {' '.join(command[1:])}", pytrace=False)
    return Generated(folder, child.stdout + child.stderr, _cpu_seconds() - before)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="session")
def generated(
    line: TorchLine,
    pytestconfig: pytest.Config,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Generated:
    """What the generator writes into an empty folder, under the override that --fix wrote."""
    if pytestconfig.option.fix:
        request.getfixturevalue("spelling")
    return generate(line, tmp_path_factory.mktemp("aten") / "generated")


# ---- the fix loop ---------------------------------------------------------------------------------


def _import_torch_side(_: Path) -> Sequence[WrongType]:
    """What the import says of kernels whose types are spelled by hand, where the torch side is built. That it cannot be built
    is told by the gate of the build."""
    if not (LIBRARIES / "libtorch_fl.so").is_file():
        return ()
    try:
        build_torch_side()
    except BuildError:
        return ()
    return wrong_types_of_import(
        [sys.executable, "-c", "import torch, torch_fl; torch_fl.flagos"], os.environ | {"PYTHONPATH": str(ROOT)}
    )


@dataclass(frozen=True)
class Spelling:
    """The override as it was, and what the fix loop made of it."""

    first: Overrides
    outcome: Outcome[Overrides]


@pytest.fixture(scope="session")
def spelling(line: TorchLine, catalogue: Catalogue, pytestconfig: pytest.Config) -> Spelling:
    """The fix loop over list spellings, in the build folder; --fix writes what it converged to."""
    try:
        first = read_overrides(ARRAYREF_OPS)
        outcome = find_overrides(line, catalogue, first, BUILD / "aten/fix" / line.name, _import_torch_side)
    except AtenError as error:
        fail("the types cannot be checked", found=str(error))
    if pytestconfig.option.fix and outcome.converged and outcome.candidate != first:
        write_overrides(outcome.candidate)
        write_sources(render_sources(catalogue, outcome.candidate), home_of(line.name))
    return Spelling(first, outcome)
