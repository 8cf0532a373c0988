"""The libraries are whole, what they are and where they come from is on record, and nothing of them is in the tree."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from gates.status import check
from generators.files import ROOT, digest
from generators.harvest import PAGE, REDISTRIBUTION, WANTED, harvest, page_of, render_page
from torch_fl.preload import PROVENANCE, Bundle, wrong_library

HARVEST = "python -m generators.harvest --vendor NAME --vendor-torch DIR_OR_WHEEL"


@pytest.fixture(scope="session")
def provenance(bundle: Bundle) -> dict[str, Any]:
    return json.loads((bundle.folder / PROVENANCE).read_text(encoding="utf-8"))


@pytest.mark.gate("cuda_compat.harvest.provenance", requires=("external_kernels",))
def test_bundle_has_its_provenance(assets: Path, vendor):
    """Exit criterion: "a bundled 1GB binary of unclear origin is a supply-chain problem": beside the libraries stand the source,
    the SDK's and torch's version, size and SHA-256 of each file and the licence files, and that people decide on
    redistribution."""
    file = assets / PROVENANCE
    check(file.is_file(), f"{assets.name} has no provenance", expected=PROVENANCE, where=str(assets), next=HARVEST)
    data = json.loads(file.read_text(encoding="utf-8"))
    lacking = [
        key
        for key in ("vendor", "source", "torch", "sdk", "files", "licences", "redistribution")
        if key not in data or data[key] in ("", {})
    ]
    check(
        not lacking,
        "the provenance is not complete",
        found=f"missing: {', '.join(lacking)}",
        where=str(file),
        next=HARVEST,
    )
    check(data["vendor"] == vendor.name, "the bundle is another vendor's", expected=vendor.name, found=data["vendor"])
    check(data["redistribution"] == REDISTRIBUTION, "the harness decides nothing", expected=REDISTRIBUTION)
    check(data["torch"]["version"] != "", "the version of torch is not stated", where=str(file))


@pytest.mark.gate("cuda_compat.harvest.whole", requires=("external_kernels",))
def test_files_are_those_of_the_record(bundle: Bundle, provenance: dict[str, Any]):
    """Exit criterion: ".so sizes and hashes": each recorded file is there, whole, and has the recorded SHA-256; no other
    library lies beside them."""
    for name, entry in provenance["files"].items():
        file = bundle.folder / name
        problem = wrong_library(file, entry["size"])
        check(not problem, f"{name} {problem}", where=str(file), next=HARVEST)
        found = digest(file)
        check(found == entry["sha256"], f"{name} is another file", expected=entry["sha256"], found=found)
    further = {file.name for file in bundle.folder.glob("*.so*")} - provenance["files"].keys()
    check(not further, "libraries of unknown origin", found=", ".join(sorted(further)), where=str(bundle.folder))


@pytest.mark.gate("cuda_compat.harvest.libraries", requires=("external_kernels",))
def test_libraries_that_nothing_names_are_there_too(vendor_torch, bundle: Bundle):
    """Exit criterion: each of the five libraries that the vendor's torch has was staged, also the two in no dependency list, and
    whatever they need of that torch."""
    offered = [name for name in WANTED if name in vendor_torch.libraries()]
    lacking = [name for name in offered if name not in bundle.sizes]
    check(
        not lacking, "libraries were left behind", expected=", ".join(offered), found=f"missing: {', '.join(lacking)}"
    )


@pytest.mark.gate("cuda_compat.harvest.needs", requires=("external_kernels",))
def test_needs_are_named_and_met(complete: Bundle, measured: dict[str, Any]):
    """Exit criterion: what the libraries need and the CPU torch does not bring is listed with the package that usually provides
    it, and this machine has what is needed to load them."""
    unknown = [name for name, package in complete.packages.items() if not package]
    measured["needs"] = len(complete.packages)
    check(
        not unknown,
        f"nobody says what provides {', '.join(unknown)}",
        next="cuda_libraries: packages: in the vendor's vendor.yaml",
    )


@pytest.mark.gate("cuda_compat.harvest.documented", requires=("external_kernels",))
def test_page_says_what_was_harvested(vendor, provenance: dict[str, Any]):
    """Exit criterion: "provenance recorded in docs/vendors/<vendor>/installation.md", and it is this bundle's."""
    page = page_of(vendor)
    check(page.is_file(), f"there is no {PAGE}", where=str(page.relative_to(ROOT)), next=HARVEST)
    check(
        page.read_text(encoding="utf-8") == render_page(vendor, provenance),
        f"{PAGE} is of other libraries",
        where=str(page.relative_to(ROOT)),
        next=f"{HARVEST}, and review the difference",
    )


@pytest.mark.gate("cuda_compat.harvest.again", requires=("external_kernels",))
def test_second_harvest_copies_nothing(vendor, vendor_torch, bundle: Bundle, measured: dict[str, Any]):
    """Exit criterion: "the size-comparison skip that avoids re-copying ~1GB": a second harvest of the same torch stages nothing
    and writes nothing."""
    before = {file.name: file.stat().st_mtime_ns for file in bundle.folder.iterdir()}
    start = time.monotonic()
    again = harvest(vendor, vendor_torch, bundle.folder)
    measured["second_harvest_seconds"] = f"{time.monotonic() - start:.1f}"
    check(not again.staged, "equal copies were staged again", found=", ".join(again.staged))
    check(
        before == {file.name: file.stat().st_mtime_ns for file in bundle.folder.iterdir()},
        "the second harvest wrote into the folder",
        where=str(bundle.folder),
    )


@pytest.mark.gate("cuda_compat.harvest.untracked")
def test_no_library_is_in_the_tree():
    """Exit criterion: no shared library is part of the repository, and the folder of the libraries is ignored: a wheel has them
    only if someone asks for it."""
    tracked = subprocess.run(["git", "ls-files", "*.so", "*.so.*"], cwd=ROOT, capture_output=True, text=True).stdout
    check(not tracked, "shared libraries are in the repository", found=tracked)
    ignored = subprocess.run(["git", "check-ignore", "-q", "torch_fl/assets/any/lib.so"], cwd=ROOT).returncode == 0
    check(ignored, "git would take the libraries", expected="/torch_fl/assets/ in .gitignore")
