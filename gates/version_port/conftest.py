"""The torch line under test, and one run of the generator for it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from generators.aten import AtenError
from generators.aten.lines import TorchLine, installed_line
from generators.aten.operators import Catalogue, read_catalogue
from generators.build import LIBRARIES, Built
from generators.files import ROOT


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
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}


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
        pytest.fail(f"{' '.join(command[1:])}\n{child.stdout}{child.stderr}", pytrace=False)
    return Generated(folder, child.stdout + child.stderr, _cpu_seconds() - before)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="session")
def generated(line: TorchLine, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """What the generator writes into an empty folder."""
    return generate(line, tmp_path_factory.mktemp("aten") / "generated")
