"""The vendor's torch, what it registers, its libraries, and a process that has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from gates.dispatch_log import what_ran
from gates.status import check, not_run
from generators.build import BUILD
from generators.dispatch_key import Registration, ask
from generators.files import ROOT
from generators.harvest import HarvestError, harvest
from generators.vendor import Vendor
from generators.vendor_torch import VendorTorch, VendorTorchError, open_vendor_torch
from torch_fl.conf import ROUTES, load_conf
from torch_fl.preload import ASSETS, Bundle, PreloadError, environment, installed_torch, missing_libraries, read_bundle

KEY_OF_FALLBACK = "CPU"
LIMIT = 180.0  # seconds for a process that imports torch with half a gigabyte of libraries


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
        named = ", ".join(f"{name} ({package})" if package else name for name, package in missing.items())
        not_run(f"needs SDK: {named}; install it, or add its folder to LD_LIBRARY_PATH")
    return bundle


@dataclass(frozen=True)
class Programs:
    """Runs Python programs: through the wrapper, or as they are where the installed torch has the kernels."""

    assets: Path | None

    def run(self, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program]
        return wrapped(self.assets, command, **variables) if self.assets else run_process(command, **variables)


@pytest.fixture(scope="session")
def preloaded(complete: Bundle) -> Programs:
    """Runs programs through the wrapper."""
    return Programs(complete.folder)


@pytest.fixture(scope="session")
def programs(vendor: Vendor, request: pytest.FixtureRequest) -> Programs:
    """Runs programs in which the vendor's key has its kernels."""
    inside = vendor.gap_for("", ("external_kernels",))
    return Programs(None) if inside else request.getfixturevalue("preloaded")


LIST = """
from torch_fl.flagos import _C
from torch_fl.flagos.routing import KERNELS_OF
print("\\n".join(f"{{operator}} = {route}" for operator in _C.routable_operators(KERNELS_OF[{route!r}])))
"""

WORK = """
from gates.cuda_compat.routed import answer, {module}
answer({module}.{function})
"""


@dataclass(frozen=True)
class Ran:
    """What came of a function that ran with operators routed."""

    found: Any
    on_key: frozenset[str]  # the operators that ran on the vendor's key, "add.Tensor"
    elsewhere: frozenset[str]  # and those that ran on another: the fallback is to the CPU's


@dataclass(frozen=True)
class Route:
    """Runs functions of gates.cuda_compat.routed in processes whose operators are routed to the vendor's key."""

    programs: Programs
    vendor: Vendor
    folder: Path

    @property
    def name(self) -> str:
        return next(name for name, meaning in ROUTES.items() if self.vendor.dispatch_key in meaning)

    @property
    def conf(self) -> Path:
        """The vendor's conf if it routes anything; until it is measured, one with all that can be routed."""
        own = load_conf(self.vendor.name)
        if own.routes:
            return own.path
        everything = self.folder / "everything.conf"
        if not everything.exists():
            listing = self.programs.run(LIST.format(route=self.name))
            check(listing.returncode == 0, "what can be routed is not told", found=listing.stderr.strip()[-2000:])
            everything.write_text(listing.stdout)
        return everything

    def run(self, work: str) -> Ran:
        """Call a function, "memory.cache_is_one", in a process of its own, which must come to its end."""
        module, _, function = work.partition(".")
        variables = {"FLAGOS_BACKEND_CONFIG": str(self.conf), "FLAGOS_LOG_DISPATCH": "1"}
        child = self.programs.run(WORK.format(module=module, function=function), **variables)
        words = [line for line in child.stderr.strip().splitlines() if not line.startswith("flagos:")]
        check(
            child.returncode == 0,
            f"{work} ended with status {child.returncode}",
            found="\n            ".join(words[-20:]),
        )
        came_to_its_end, found = json.loads(child.stdout)
        if not came_to_its_end:
            pytest.fail(found, pytrace=False)
        key = self.vendor.dispatch_key
        ran = [(name, by, KEY_OF_FALLBACK if by == "fallback" else by) for name, by in what_ran(child.stderr)]
        return Ran(
            found,
            frozenset(name for name, by, _ in ran if by == key),
            frozenset(name for name, _, runs_on in ran if runs_on != key),
        )


@pytest.fixture(scope="session")
def route(vendor: Vendor, programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Route:
    """Runs functions with operators routed to the vendor's key."""
    return Route(programs, vendor, tmp_path_factory.mktemp("route"))


def wrapped(assets: Path, command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """A command started by the wrapper."""
    return run_process(
        [sys.executable, "-m", "torch_fl.preload", "--assets", str(assets), *command],
        **variables,
    )


def run_process(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": places} | variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT,
    )
