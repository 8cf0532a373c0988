"""Benchmarks: what is compared, on one machine, in one run. Nothing here is a test of correctness, and CI does not run it.

Each figure is a ratio to a yardstick measured beside it, because seconds of one machine say nothing about another.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from generators.files import ROOT

RATIOS = pytest.StashKey[list[tuple[str, float, float]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RATIOS] = []


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files with what is built, to be edited at will."""
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


@pytest.fixture
def ratio(request: pytest.FixtureRequest) -> Iterator[object]:
    """Report a figure: ratio(name, seconds, yardstick in seconds)."""

    def report(name: str, seconds: float, unit: float) -> None:
        request.config.stash[RATIOS].append((name, seconds, unit))

    yield report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.stash[RATIOS]:
        return
    terminalreporter.section("ratios, taken in this run")
    for name, seconds, unit in config.stash[RATIOS]:
        terminalreporter.write_line(f"{name:52} {seconds / unit:8.2f}   ({seconds:.2f} s / {unit:.2f} s)")
