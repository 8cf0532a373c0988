"""The libraries and the CPU torch are of one version, read from the files before anything is loaded."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gates.cuda_compat.conftest import run_process, wrapped
from gates.status import check
from generators.build import LIBRARIES
from generators.elf import OF_PYTORCH, Library, read_library
from torch_fl.preload import PROVENANCE, Bundle, installed_torch


@pytest.fixture(scope="session")
def libraries(bundle: Bundle) -> list[Library]:
    return [read_library(bundle.folder / name) for name in bundle.sizes]


@pytest.fixture(scope="session")
def own() -> list[Library]:
    """Those of the installed torch."""
    return [read_library(file) for file in sorted((installed_torch()[0] / "lib").glob("*.so*"))]


@pytest.mark.gate("cuda_compat.version.cpu_build")
def test_torch_stays_the_cpu_build():
    """Exit criterion: "torch.__version__ still +cpu, no vendor CUDA torch installed into the env": what the files say, and torch
    itself."""
    stated = installed_torch()[1]
    child = run_process(
        [sys.executable, "-c", "import torch; print(torch.__version__)"], TORCH_DEVICE_BACKEND_AUTOLOAD="0"
    )
    found = child.stdout.strip()
    check(
        found == stated and found.endswith("+cpu"),
        f"torch {found} is not the CPU build",
        expected=f"{stated.partition('+')[0]}+cpu",
        found=found or child.stderr.strip()[-500:],
        where=str(installed_torch()[0]),
        next=f"pip install torch=={stated.partition('+')[0]}+cpu --index-url https://download.pytorch.org/whl/cpu",
    )


@pytest.mark.gate("cuda_compat.version.torch", requires=("external_kernels",))
def test_versions_are_equal(bundle: Bundle, measured: dict[str, Any]):
    """Exit criterion: "vendor .so version matches the branch torch version exactly"."""
    installed = installed_torch()[1]
    measured.update({"libraries": bundle.torch, "installed": installed})
    check(
        bundle.torch.partition("+")[0] == installed.partition("+")[0],
        f"the libraries are of torch {bundle.torch}, and torch {installed} is installed",
        expected=installed.partition("+")[0],
        found=bundle.torch,
        where=str(bundle.folder / PROVENANCE),
        next="harvest them from the same version: python -m generators.harvest --vendor NAME --vendor-torch DIR_OR_WHEEL",
    )


@pytest.mark.gate("cuda_compat.version.abi", requires=("external_kernels",))
def test_cxx_abi_is_the_same(libraries: list[Library], own: list[Library]):
    """Exit criterion: the libraries name std::string as the CPU torch does, in every symbol of PyTorch's that they share."""
    expected = next(library.abi for library in own if library.path.name == "libc10.so")
    found = {library.path.name: library.abi for library in libraries if library.abi}
    check(expected != "" and found != {}, "no symbol shows the ABI", found=f"{expected or 'none'}, {found}")
    wrong = {name: abi for name, abi in found.items() if abi != expected}
    check(not wrong, f"another C++ ABI than the CPU torch's, which is {expected}", expected=expected, found=wrong)


@pytest.mark.gate("cuda_compat.version.series", requires=("external_kernels",))
def test_sdk_is_of_one_series(vendor, libraries: list[Library]):
    """Exit criterion: no library of the SDK is wanted in two versions, by the harvested libraries among themselves or together
    with our own runtime library: there would be two runtimes in one process."""
    runtime = LIBRARIES / f"libflagos_{vendor.name}.so"
    wanted: dict[str, dict[str, list[str]]] = {}
    for library in [*libraries, *([read_library(runtime)] if runtime.is_file() else [])]:
        for name in library.needed:
            stem, _, version = name.partition(".so")
            wanted.setdefault(stem, {}).setdefault(version, []).append(library.path.name)
    mixed = {stem: versions for stem, versions in wanted.items() if len(versions) > 1}
    check(not mixed, "two versions of one library are wanted", expected="one series", found=mixed)


@pytest.mark.gate("cuda_compat.version.symbols", requires=("external_kernels",))
def test_cpu_torch_supplies_every_symbol(libraries: list[Library], own: list[Library], measured: dict[str, Any]):
    """Exit criterion: "the CPU wheel must supply every symbol that the CUDA library needs", which PyTorch does not promise: each
    one of PyTorch's namespaces that the libraries leave open is defined by them or by the installed torch."""
    defined = {name for library in [*libraries, *own] for name in library.defined}
    wanted = {name for library in libraries for name in library.undefined if OF_PYTORCH.match(name)}
    measured["symbols"] = len(wanted)
    missing = sorted(wanted - defined)
    check(
        bool(wanted),
        "the libraries want nothing of PyTorch: are they a torch's?",
        found=[lib.path.name for lib in libraries],
    )
    check(
        not missing,
        f"{len(missing)} of {len(wanted)} symbols are in no library",
        expected="each one defined by the installed torch",
        found="; ".join(missing[:5]),
        likely="the vendor's torch was built from other sources than this release",
    )


@pytest.mark.gate("cuda_compat.version.refused", requires=("external_kernels",))
def test_mixed_versions_are_refused(bundle: Bundle, tmp_path: Path):
    """Exit criterion: with libraries of another version the wrapper ends before anything is loaded, and names both versions."""
    for name in bundle.sizes:
        os.symlink(bundle.folder / name, tmp_path / name)
    data = json.loads((bundle.folder / PROVENANCE).read_text(encoding="utf-8"))
    data["torch"]["version"] = "2.0.1+other"
    (tmp_path / PROVENANCE).write_text(json.dumps(data))
    child = wrapped(tmp_path, [sys.executable, "-c", "print('ran')"])
    check(
        child.returncode == 1
        and child.stdout == ""
        and re.search(r"2\.0\.1\+other.*" + re.escape(installed_torch()[1]), child.stderr) is not None,
        "the wrapper does not refuse the libraries of another torch",
        expected="exit status 1 and both versions in the message",
        found=f"status {child.returncode}: {child.stdout}{child.stderr}",
    )
