"""Start a command with a vendor's CUDA libraries loaded before torch:

    python -m torch_fl.preload [--assets DIR] COMMAND [ARGUMENT ...]

A CPU-only torch takes in PyTorch's own CUDA kernels from libraries that are in the process before it: `import torch` asks
once whether they are there, and a library that comes later registers kernels that cannot reach a device. So the wrapper sets
LD_PRELOAD and LD_LIBRARY_PATH and becomes the command. It imports no torch, and checks the libraries first: the loader
merely warns of one that it cannot load, and a library of another torch corrupts memory.

The libraries are a *bundle*, the folder that `python -m generators.harvest` fills: --assets, else FLAGOS_CUDA_ASSETS_DIR,
else torch_fl/assets/<vendor>. Give it a Python command, or one that starts with `#!...python` as torchrun and pytest do:
a shell would load the libraries into each of its commands.
"""

from __future__ import annotations

import argparse
import glob
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ._preloaded import FOLDERS, LIBRARIES, PreloadError, with_libraries

PROVENANCE = "provenance.json"
ASSETS = Path(__file__).resolve().parent / "assets"
HARVEST = "python -m generators.harvest --vendor NAME --vendor-torch DIR_OR_WHEEL"


# ---- the bundle ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bundle:
    """The libraries of a folder and what its provenance says of them."""

    folder: Path
    vendor: str
    torch: str  # the version that they were built for, such as 2.13.0+cu130
    sizes: dict[str, int]  # by file name
    preload: tuple[str, ...]  # those that register kernels, in order
    on_demand: tuple[str, ...]  # those that torch opens by name, beside what needs a card
    search: tuple[str, ...]  # patterns of folders with the libraries that they need
    packages: dict[str, str]  # library that they need -> what provides it

    def libraries(self) -> list[Path]:
        """Those whose kernels a program can come to run."""
        return [self.folder / name for name in (*self.preload, *self.on_demand)]


def find_assets(given: str | None = None) -> Path:
    """The folder of the bundle. Raises PreloadError."""
    if folder := given or os.environ.get("FLAGOS_CUDA_ASSETS_DIR"):
        return Path(folder).absolute()
    vendor = os.environ.get("FLAGOS_ACCELERATOR")
    found = sorted(ASSETS.glob(f"{vendor or '*'}/{PROVENANCE}"))
    if len(found) == 1:
        return found[0].parent
    if not found:
        raise PreloadError(f"no bundle of CUDA libraries in {ASSETS / (vendor or '')}; make one: {HARVEST}")
    names = ", ".join(file.parent.name for file in found)
    raise PreloadError(f"{ASSETS} holds bundles of several vendors: {names}; choose one with FLAGOS_ACCELERATOR=NAME")


def read_bundle(folder: Path) -> Bundle:
    """Raises PreloadError."""
    if not folder.is_dir():
        raise PreloadError(f"{folder}: no such folder; it should hold the CUDA libraries. Make it: {HARVEST}")
    file = folder / PROVENANCE
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return Bundle(
            folder,
            data["vendor"],
            data["torch"]["version"],
            {name: entry["size"] for name, entry in data["files"].items()},
            tuple(data["preload"]),
            tuple(data["on_demand"]),
            tuple(data["search"]),
            dict(data["needs"]),
        )
    except OSError as error:
        raise PreloadError(
            f"{file}: {error.strerror}; without it nobody knows which torch these libraries belong to. Make it: {HARVEST}"
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise PreloadError(
            f"{file}: not what the harvest writes ({type(error).__name__}: {error}); harvest again: {HARVEST}"
        ) from None


def check_bundle(bundle: Bundle) -> None:
    """Every file is there, whole, and for this machine and the installed torch: nothing is loaded. Raises PreloadError."""
    for name, size in bundle.sizes.items():
        file = bundle.folder / name
        if problem := wrong_library(file, size):
            raise PreloadError(f"{file}: {problem}; harvest again: {HARVEST}")
    release, installed = (version.partition("+")[0] for version in (bundle.torch, installed_torch()[1]))
    if release != installed:
        raise PreloadError(
            f"the libraries in {bundle.folder} are of torch {bundle.torch}, and torch {installed_torch()[1]} is installed in "
            f"{sys.prefix}: mixed versions corrupt memory. Harvest them from a build of torch {installed}"
        )


def wrong_library(file: Path, size: int | None = None) -> str:
    """What is wrong with a library, from its first bytes and its length: "" if nothing is."""
    try:
        with file.open("rb") as opened:
            header = opened.read(64)
            found = os.fstat(opened.fileno()).st_size
        with open("/proc/self/exe", "rb") as python:
            expected = python.read(20)
    except OSError as error:
        return str(error.strerror)
    if len(header) < 64 or header[:4] != b"\x7fELF":
        return "is no ELF library"
    if (header[4:6], header[18:20]) != (expected[4:6], expected[18:20]):  # class and byte order, machine
        return f"is for another machine than {os.uname().machine} (ELF machine {header[18] + 256 * header[19]})"
    sections, entry, count = struct.unpack_from("=Q10xHH", header, 40)
    if found < sections + entry * count or size not in (None, found):
        return f"is not whole: it has {found} bytes, {size or sections + entry * count} are expected"
    return ""


def installed_torch() -> tuple[Path, str]:
    """Folder and version of the torch that this Python would import, without importing it. Raises PreloadError."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise PreloadError(f"torch is not installed in {sys.prefix}; install the CPU build that the libraries fit")
    folder = Path(spec.origin).parent
    text = (folder / "version.py").read_text(encoding="utf-8")
    found = re.search(r"^__version__ = '([^']+)'", text, re.MULTILINE)
    if found is None:
        raise PreloadError(f"{folder / 'version.py'}: expected __version__ = '…'")
    return folder, found[1]


# ---- starting the command ------------------------------------------------------------------------


def environment(bundle: Bundle) -> dict[str, str]:
    """The environment of a process that has the libraries."""
    folders = [str(installed_torch()[0] / "lib"), str(bundle.folder)]
    for pattern in bundle.search:
        folders += sorted(glob.glob(pattern.replace("{purelib}", sysconfig.get_path("purelib"))))
    settings = {
        LIBRARIES: ":".join(str(bundle.folder / name) for name in bundle.preload),
        FOLDERS: ":".join(dict.fromkeys(folders)),
    }
    spoiled = [folder for folder in folders if re.search(r"[\s:;]", folder)]
    if spoiled:
        raise PreloadError(f"{spoiled[0]}: the loader takes no path with a blank, ':' or ';' in it; move the folder")
    return with_libraries({**os.environ, **settings})


def check_loading(bundle: Bundle, variables: dict[str, str]) -> None:
    """Raises PreloadError if the loader would not load the libraries."""
    if missing := missing_libraries(bundle, variables):
        named = [f"{name} ({package})" if package else name for name, package in missing.items()]
        raise PreloadError(
            f"the libraries in {bundle.folder} need what is not on this machine: {', '.join(named)}. Install it, or add "
            "its folder to LD_LIBRARY_PATH"
        )


def missing_libraries(bundle: Bundle, variables: dict[str, str]) -> dict[str, str]:
    """What the loader does not find, with the package that usually provides it. Raises PreloadError where it finds something
    that it cannot load."""
    missing, complaints = ask_loader(bundle.libraries(), variables)
    if complaints:
        raise PreloadError(f"the loader cannot load {bundle.folder}: {'; '.join(complaints)}")
    return {name: bundle.packages.get(name, "") for name in missing}


def ask_loader(libraries: Iterable[Path], variables: dict[str, str]) -> tuple[list[str], list[str]]:
    """What the loader would miss, and what else it would complain of, in a Python with this environment and the libraries. It
    loads and binds everything and runs nothing of it."""
    named = ":".join(filter(None, (*map(str, libraries), variables.get("LD_PRELOAD"))))
    loader = subprocess.run(
        [sys.executable],
        env=variables | {"LD_PRELOAD": named, "LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "yes", "LD_BIND_NOW": "1"},
        capture_output=True,
        text=True,
        errors="replace",
    )
    missing = list(dict.fromkeys(re.findall(r"^\s*(\S+) => not found", loader.stdout, re.MULTILINE)))
    said = [] if missing else [line.strip() for line in (loader.stdout + loader.stderr).splitlines()]
    return missing, [" ".join(line.split()) for line in said if re.match(r"undefined symbol|ERROR|.*: version ", line)]


def main(arguments: list[str] | None = None) -> NoReturn:
    parser = argparse.ArgumentParser(
        "python -m torch_fl.preload",
        description="Start a command with a vendor's CUDA libraries loaded before torch.",
    )
    parser.add_argument("--assets", metavar="DIR", help="the folder of the libraries")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...")
    given = parser.parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        parser.error("expected a COMMAND, such as: python train.py")
    try:
        if "torch" in sys.modules:
            raise PreloadError("torch is already imported here, too late for its libraries; start a process with this")
        bundle = read_bundle(find_assets(given.assets))
        check_bundle(bundle)
        variables = environment(bundle)
        check_loading(bundle, variables)
        if shutil.which(command[0]) is None:
            raise PreloadError(f"{command[0]}: no such command")
    except PreloadError as error:
        sys.exit(f"torch_fl.preload: {error}")
    os.execvpe(command[0], command, variables)


if __name__ == "__main__":
    main()
