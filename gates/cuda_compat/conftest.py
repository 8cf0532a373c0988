"""The vendor's torch, what it registers, its libraries, and a process that has them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from gates.cuda_compat.route import LIMIT, Route, started
from gates.status import not_run
from generators.build import BUILD
from generators.dispatch_key import Registration, ask
from generators.files import ROOT
from generators.harvest import PRELOADED, HarvestError, harvest
from generators.vendor import Vendor
from generators.vendor_torch import VendorTorch, VendorTorchError, open_vendor_torch
from torch_fl.preload import (
    ASSETS,
    Bundle,
    PreloadError,
    environment,
    installed_torch,
    missing_libraries,
    read_bundle,
)


@pytest.fixture(scope="session")
def vendor_torch(pytestconfig: pytest.Config, vendor: Vendor) -> VendorTorch:
    """The vendor's torch; the installed one where its kernels are the vendor's."""
    place = pytestconfig.option.vendor_torch
    folder, version = installed_torch()
    if place is None and vendor.gap_for("", ("external_kernels",)):
        place = folder.parent
    if place is None:
        not_run(
            f"needs the vendor's torch: --vendor-torch DIR_OR_WHEEL, a wheel of its torch {version.partition('+')[0]} or where "
            "that is installed"
        )
    try:
        return open_vendor_torch(place)
    except VendorTorchError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def registration(vendor_torch: VendorTorch) -> Registration:
    """What the vendor's torch has in its dispatcher."""
    try:
        return ask(vendor_torch)
    except VendorTorchError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def assets(pytestconfig: pytest.Config, vendor: Vendor, request: pytest.FixtureRequest) -> Path:
    """The folder of the libraries: the one that FLAGOS_CUDA_ASSETS_DIR names, else a harvest of the vendor's torch, else the
    one in the package."""
    if named := os.environ.get("FLAGOS_CUDA_ASSETS_DIR"):
        return Path(named).absolute()
    if pytestconfig.option.vendor_torch is None and (ASSETS / vendor.name).is_dir():
        return ASSETS / vendor.name
    found: Registration = request.getfixturevalue("registration")
    if not found.covers(vendor.dispatch_key):
        not_run(f"blocked: the vendor's torch has no kernels for {vendor.dispatch_key}, see cuda_compat.key.registered")
    folder = BUILD / "assets" / vendor.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder.with_suffix(".lock")):
            harvest(vendor, request.getfixturevalue("vendor_torch"), folder)
    except HarvestError as error:
        pytest.fail(str(error), pytrace=False)
    return folder


@pytest.fixture(scope="session")
def bundle(assets: Path) -> Bundle:
    """The libraries and what their provenance says."""
    try:
        return read_bundle(assets)
    except PreloadError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def complete(bundle: Bundle) -> Bundle:
    """The libraries, on a machine that has what they need."""
    try:
        missing = missing_libraries(bundle, environment(bundle))
    except PreloadError as error:
        pytest.fail(str(error), pytrace=False)
    if missing:
        packages = " ".join(dict.fromkeys(filter(None, missing.values())))
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        remedy = f"pip install {packages}, in the versions that the harvest lists" if packages else "install them"
        not_run(f"needs SDK: {next(iter(missing))}{more}: {remedy}, or put their folders into LD_LIBRARY_PATH")
    return bundle


@dataclass(frozen=True)
class Programs:
    """Runs Python programs: through the wrapper, or as they are where the installed torch has the kernels."""

    assets: Path | None

    def python(self, *arguments: str) -> list[str]:
        command = [sys.executable, *arguments]
        return in_wrapper(self.assets, command) if self.assets else command

    def command(self, program: str) -> list[str]:
        return self.python("-c", program)

    def run(self, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return run_process(self.command(program), **variables)


@pytest.fixture(scope="session")
def preloaded(complete: Bundle) -> Programs:
    """Runs programs through the wrapper."""
    return Programs(complete.folder)


@pytest.fixture(scope="session")
def programs(vendor: Vendor, request: pytest.FixtureRequest) -> Programs:
    """Runs programs in which the vendor's key has its kernels. A torch that was built with them needs no wrapper; the version
    gates say that it is none that this route is for."""
    has_them = all((installed_torch()[0] / "lib" / name).is_file() for name in PRELOADED)
    inside = has_them or vendor.gap_for("", ("external_kernels",))
    return Programs(None) if inside else request.getfixturevalue("preloaded")


@pytest.fixture(scope="session")
def route(
    pytestconfig: pytest.Config, vendor: Vendor, programs: Programs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Route]:
    """Runs functions of gates.cuda_compat.routed with operators routed to the vendor's key."""
    seconds = pytestconfig.option.gate_timeout * 0.9  # before the gate's end
    route = Route(tmp_path_factory.mktemp("route"), vendor, seconds)
    with started(programs.command, environment_of_programs(), route.folder):
        route.wait()
        yield route


def in_wrapper(assets: Path, command: list[str]) -> list[str]:
    return [sys.executable, "-m", "torch_fl.preload", "--assets", str(assets), *command]


def wrapped(assets: Path, command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """A command started by the wrapper."""
    return run_process(in_wrapper(assets, command), **variables)


def run_process(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment_of_programs() | variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT,
    )


def environment_of_programs() -> dict[str, str]:
    """This one, with the tree to import from."""
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": places}
