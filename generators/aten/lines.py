"""Torch lines: the installed torch, or another version's torchgen and headers, taken out of its wheel without installing it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from generators.aten import AtenError
from generators.documents import shorten
from generators.files import ROOT

CACHE = ROOT / "build/torchgen"
SCHEMAS = "torchgen/packaged/ATen/native/native_functions.yaml"
# The smallest wheel of a release; torchgen and the headers that we compile with are the same in all of them.
PLATFORM = "macosx_15_0_arm64"


@dataclass(frozen=True)
class TorchLine:
    """A folder with one torch's `torchgen/`, `torch/version.py` and, where there are headers, `torch/include/`."""

    root: Path

    @property
    def version(self) -> str:
        """As torch.__version__ has it, such as 2.13.0+cpu. Raises AtenError."""
        file = self.root / "torch/version.py"
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        found = re.search(r"^__version__ = '([^']+)'", text, re.MULTILINE)
        if found is None:
            raise AtenError(f"{shorten(file)}: expected __version__ = '…'; it says which torch a torchgen belongs to")
        return found[1]

    @property
    def release(self) -> str:
        return self.version.partition("+")[0]

    @property
    def name(self) -> str:
        """The minor version, such as 2.13."""
        return ".".join(self.release.split(".")[:2])

    @property
    def number(self) -> tuple[int, ...]:
        return tuple(map(int, self.name.split(".")))

    @property
    def schemas(self) -> Path:
        return self.root / SCHEMAS

    @property
    def include(self) -> Path:
        return self.root / "torch/include"

    def __str__(self) -> str:
        return f"torch {self.version} at {shorten(self.root)}"


def pinned_line() -> str:
    """The line whose generated files are committed: the one that pyproject.toml builds with. Raises AtenError."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs = project["build-system"]["requires"]
    found = next(filter(None, (re.fullmatch(r"torch==(\d+\.\d+)\.\*", need) for need in needs)), None)
    if found is None:
        raise AtenError(f"pyproject.toml: build-system.requires: expected 'torch==X.Y.*', found {needs}")
    return found[1]


def line_at(folder: Path) -> TorchLine:
    """The line of a folder that holds `torchgen`, or that is it. Raises AtenError."""
    folder = folder.resolve()
    line = TorchLine(folder.parent if folder.name == "torchgen" else folder)
    if not line.schemas.is_file():
        raise AtenError(
            f"{shorten(line.schemas)}: no such file; the generator reads the schemas that torch's wheel packages with "
            "torchgen. Install a torch that has them, or name one: --torchgen DIR"
        )
    _ = line.version
    return line


def installed_line() -> TorchLine:
    """The torch of this Python, found without importing it. Raises AtenError."""
    places = {}
    for name in ("torch", "torchgen"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise AtenError(f"{name} is not installed in {sys.executable}; install torch, or name one: --torchgen DIR")
        places[name] = Path(spec.origin).parent.parent
    if places["torch"] != places["torchgen"]:
        raise AtenError(
            f"torchgen is not the one of torch: {places['torchgen']} and {places['torch']}; it comes inside torch, "
            "remove the other: pip uninstall torchgen"
        )
    return line_at(places["torch"])


def line_of(version: str | None) -> TorchLine:
    """The installed torch where it is that version or none is asked for, else what its wheel holds. Raises AtenError."""
    return installed_line() if version is None or is_installed(version) else fetch_line(version)


def is_installed(version: str) -> bool:
    """Whether the torch of this Python is that version, with the build's suffix or without."""
    with contextlib.suppress(AtenError):
        return version in ((line := installed_line()).version, line.release)
    return False


def check_version(version: str) -> None:
    """Raises AtenError for what is no release of torch by its form."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise AtenError(f"'{version}' is no version of torch; expected X.Y.Z, such as 2.14.1")


def fetch_line(version: str) -> TorchLine:
    """That version's torchgen and headers, downloaded once. Raises AtenError."""
    check_version(version)
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / version
    with FileLock(CACHE / f".{version}.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=CACHE, prefix=".") as scratch:
                parts = Path(scratch) / "parts"
                _unpack(_download(version, Path(scratch)), parts)
                parts.rename(folder)  # whole or not at all
    return line_at(folder)


def _download(version: str, folder: Path) -> Path:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = ["--no-deps", "--only-binary=:all:", "--platform", PLATFORM, "--python-version", python]
    said = run_pip(sys.executable, "download", *wanted, "--dest", str(folder), f"torch=={version}")
    wheel = next(folder.glob("torch-*.whl"), None)
    if said or wheel is None:
        raise AtenError(
            "\n  ".join([f"the wheel of torch {version} cannot be had:", *said])
            + "\n  next      pip index versions torch, or name an unpacked wheel: python -m generators.aten --torchgen DIR"
        )
    return wheel


def run_pip(python: str, action: str, *arguments: str) -> list[str]:
    """`pip ACTION`; what it said if that failed. What is asked for by its version is wanted for a place of its own, or to be
    read: no constraint of the machine holds."""
    command = [python, "-m", "pip", action, "--quiet", "--disable-pip-version-check", *arguments]
    child = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PIP_CONSTRAINT": os.devnull})
    if child.returncode == 0:
        return []
    lines = child.stderr.strip().splitlines()
    return ([line for line in lines if line.startswith("ERROR")] or lines or [f"exit status {child.returncode}"])[-3:]


def _unpack(wheel: Path, folder: Path) -> None:
    wanted = ("torchgen/", "torch/include/")
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.startswith(wanted) or n == "torch/version.py"]
        archive.extractall(folder, names)
