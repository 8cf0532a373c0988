"""Benchmarks: what is compared, on one machine, in one run. Nothing here is a test of correctness, and CI does not run it.

Each figure is a ratio to a yardstick measured beside it, because seconds of one machine say nothing about another.

pytest tests/perf [--vendor NAME]             print the figures
pytest tests/perf [--vendor NAME] --record    and keep them as evidence, from which docs/reference/performance.md is made
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import torch

import torch_fl
from gates.evidence import provenance
from gates.plugin import SETUP
from generators.build import Built
from generators.files import ROOT, write_if_changed
from generators.vendor import DESCRIPTORS, Vendor

WORKER = Path(__file__).with_name("worker.py")
CUDA_PYTHON = "FLAGOS_PERF_CUDA_PYTHON"


@dataclass(frozen=True)
class Figure:
    name: str
    ratio: float
    demand: str  # "<= 1.5", or "" where the figure is for information
    met: bool
    seconds: float
    yardstick: float
    unit: str = "s"

    def __str__(self) -> str:
        demand = f"{self.demand:8} {'met' if self.met else 'MISSED'}" if self.demand else ""
        return f"{self.name:58} {self.ratio:8.3f}   {demand:16} ({self.seconds:.3g} {self.unit} / {self.yardstick:.3g} {self.unit})"


class Worker:
    """A process that times what it is asked to."""

    def __init__(self, python: str, *options: str, **environment: str) -> None:
        self.child = subprocess.Popen(
            [python, str(WORKER), *options],
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
                "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, measure: str, device: str) -> Any:
        assert self.child.stdin and self.child.stdout
        self.child.stdin.write(f"{measure} {device}\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        assert answer, f"{measure} on {device}: the worker ended with {self.child.wait(10)}"
        return json.loads(answer)

    def close(self) -> None:
        self.child.stdin.close()
        self.child.wait(30)


def in_turn(one, other, pairs=15):
    """Medians of two measurements taken alternately; each is (worker, measure, device)."""
    found = [(one[0].ask(*one[1:]), other[0].ask(*other[1:])) for _ in range(pairs)]
    return median(a for a, _ in found), median(b for _, b in found)


FIGURES = pytest.StashKey[list[Figure]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = []


@pytest.fixture(scope="session")
def checkout(vendor: Vendor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files with what is built, to be edited at will."""
    if vendor.name != "host":
        pytest.skip("it is the host vendor's file that is edited: run with --vendor host")
    copy = tmp_path_factory.mktemp("checkout")
    for name in subprocess.check_output(["git", "-C", str(ROOT), "ls-files"], text=True).splitlines():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    shutil.copytree(ROOT / "torch_fl/lib", copy / "torch_fl/lib")
    for extension in (ROOT / "torch_fl").glob("_C.*"):
        shutil.copy2(extension, copy / "torch_fl")
    return copy


@pytest.fixture(scope="session")
def yardstick(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that g++ needs here for a file that includes <map>, <thread> and <functional>: the best of three."""
    import time

    source = tmp_path_factory.mktemp("yardstick") / "file.cc"
    source.write_text(
        "#include <functional>\n#include <map>\n#include <thread>\nstd::map<int, std::function<void()>> m;\n"
    )
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(["g++", "-O2", "-std=c++17", "-c", str(source), "-o", str(source) + ".o"], check=True)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


@pytest.fixture(scope="session")
def device_vendor(vendor: Vendor, library: Built) -> str:
    """The vendor under test, its library built and chosen for this process and its children."""
    os.environ["FLAGOS_ACCELERATOR"] = vendor.name
    os.environ["FLAGOS_RUNTIME_LIBRARY"] = str(library.library)
    return vendor.name


@pytest.fixture(scope="session")
def without_routes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A conf in which nothing is routed: what the device itself costs, and the fallback."""
    conf = tmp_path_factory.mktemp("conf") / "empty.conf"
    conf.touch()
    return str(conf)


@pytest.fixture(scope="session")
def cuda():
    """PyTorch with its own CUDA device."""
    python = os.environ.get(CUDA_PYTHON)
    if not python:
        pytest.skip(f"needs PyTorch with CUDA on a GPU: set {CUDA_PYTHON} to a Python that has it")
    worker = Worker(python, PYTHONPATH="", LD_LIBRARY_PATH="")
    yield worker
    worker.close()


@pytest.fixture
def ratio(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Report a figure: ratio(name, seconds, seconds of the yardstick), with what is demanded of it, if anything is."""

    def report(
        name: str, seconds: float, yardstick: float, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        value = seconds / yardstick
        demand = f"<= {at_most}" if at_most is not None else f">= {at_least}" if at_least is not None else ""
        met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        request.config.stash[FIGURES].append(Figure(name, value, demand, met, seconds, yardstick))

    return report


@pytest.fixture
def bounded(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Report a figure that is demanded in its own unit: its ratio is to what it may be at most."""

    def report(name: str, found: float, at_most: float, unit: str = "s") -> None:
        figure = Figure(name, found / at_most, "<= 1", found <= at_most, found, at_most, unit)
        request.config.stash[FIGURES].append(figure)

    return report


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ctypes.CDLL]:
    """Compile a file of this folder against libtorch_fl.so, and load it."""

    def load(name: str) -> ctypes.CDLL:
        library = tmp_path_factory.mktemp(name) / f"lib{name}.so"
        torch_folder = Path(torch.__file__).parent
        subprocess.run(
            [
                *("g++", "-std=c++20", "-O2", "-shared", "-fPIC", str(Path(__file__).parent / f"{name}.cc")),
                *(f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}", "-isystem", str(torch_folder / "include")),
                *("-o", str(library), f"-L{torch_fl.library_dir()}", "-ltorch_fl", f"-L{torch_folder / 'lib'}"),
                *("-lc10", "-ltorch_cpu"),
            ],
            check=True,
        )
        return ctypes.CDLL(str(library))

    return load


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    figures = config.stash[FIGURES]
    if not figures:
        return
    terminalreporter.section("ratios, taken in this run")
    for figure in figures:
        terminalreporter.write_line(str(figure))
    if config.option.record:
        terminalreporter.write_line(record(config, figures))


def record(config: pytest.Config, figures: list[Figure]) -> str:
    """Keep the figures as the vendor's evidence, or say why not."""
    setup = config.stash[SETUP]
    if config.option.keyword or [Path(name).resolve() for name in config.args] != [Path(__file__).parent]:
        return "not recorded: evidence is of all figures; run `pytest tests/perf` without selecting"
    if setup.source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(setup.source.dirty[:3])}); commit or restore them"
    path = DESCRIPTORS / setup.vendor.name / "evidence/performance.json"
    facts = provenance(setup.vendor, setup.sdk, setup.given_library)
    kept = {
        "suite": "performance",
        "vendor": setup.vendor.name,
        "hardware": facts["hardware"],
        "simulated": setup.vendor.simulated,
        "torch": setup.torch,
        "scheme": "native-cuda" if torch.version.cuda else "cpu torch",
        "commit": setup.source.commit,
        "date": date.today().isoformat(),
        "figures": [asdict(figure) for figure in figures],
    }
    write_if_changed(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    return f"recorded {path.relative_to(ROOT)}"
