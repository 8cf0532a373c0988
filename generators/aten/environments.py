"""An environment for a torch line: a virtual environment with that torch, and this checkout built against it.

    build/lines/<version>/venv    torch and what `make setup` installs beside it, whole or not at all
    build/lines/<version>/tree    this checkout as it is, and in it what is built for that torch

Nothing of the checkout's own build is touched, and a command runs in the copy as it would here.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from generators.aten import AtenError
from generators.aten.lines import check_version, run_pip
from generators.files import ROOT

LINES = ROOT / "build/lines"
# PyPI's Linux wheel is a CUDA build of several GB, but for the releases of which PyTorch's index has none it does as well.
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"


@dataclass(frozen=True)
class Environment:
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv/bin/python"

    @property
    def ready(self) -> Path:
        return self.folder / "ready.json"

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    def run(self, command: Sequence[str], at: Path, **variables: str) -> int:
        """Run Python with these arguments, in the copy of the folder `at`; returns its exit status."""
        where = self.tree / at.resolve().relative_to(ROOT) if at.resolve().is_relative_to(ROOT) else self.tree
        path = f"{self.python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        return subprocess.run([self.python, *command], cwd=where, env=outside | {"PATH": path} | variables).returncode


@contextmanager
def held_environment(version: str) -> Iterator[Environment]:
    """That version's environment for one run. A second run waits: it would change the tree under the first, which would then
    bring back what it never wrote. Raises AtenError."""
    check_version(version)
    LINES.mkdir(parents=True, exist_ok=True)
    lock = FileLock(LINES / f".{version}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        print(f"another run has the environment for torch {version}; waiting for its end", flush=True)
        lock.acquire()
    try:
        yield make_environment(version)
    finally:
        lock.release()


def make_environment(version: str) -> Environment:
    """That version's environment, made once, with the checkout as it is now. Raises AtenError."""
    check_version(version)
    environment = Environment(LINES / version)
    environment.folder.mkdir(parents=True, exist_ok=True)
    _install(environment, version)
    copy_checkout(environment.tree)
    return environment


def _install(environment: Environment, version: str) -> None:
    if environment.ready.is_file() and environment.ready.read_text(encoding="utf-8") == _content(version):
        return
    print(f"making an environment for torch {version}, once; a CUDA build takes minutes and 8 GB", flush=True)
    environment.ready.unlink(missing_ok=True)
    shutil.rmtree(environment.folder / "venv", ignore_errors=True)
    venv.create(environment.folder / "venv", with_pip=True)
    install = partial(run_pip, str(environment.python), "install")
    if install(f"torch=={version}+cpu", "--extra-index-url", CPU_WHEELS, "--retries", "1"):
        print(f"no CPU build of torch {version} can be had here; taking the one with CUDA", flush=True)
        if said := install(f"torch=={version}"):
            shutil.rmtree(environment.folder)
            raise AtenError(
                "\n  ".join([f"torch {version} cannot be installed:", *said])
                + "\n  next      name one that pip index versions torch lists"
            )
    if said := install(*requirements()):
        raise AtenError("\n  ".join([f"what the gates need beside torch {version} cannot be installed:", *said]))
    mark_ready(environment, version)


def mark_ready(environment: Environment, version: str) -> None:
    """The last step: an environment without this mark is begun anew."""
    environment.ready.write_text(_content(version), encoding="utf-8")


def _content(version: str) -> str:
    return json.dumps({"torch": version, "python": sys.version, "beside": requirements()}, indent=1)


def requirements() -> list[str]:
    """What pyproject.toml wants beside torch, for use and for development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(text for group in project["optional-dependencies"].values() for text in group),
    ]
    return sorted(text for text in wanted if not re.match(r"torch(_fl)?\b", text))


# ---- the copy of the checkout ---------------------------------------------------------------------

BUILT = {Path("build"), Path("dist"), Path("torch_fl/lib")}
KEPT_BY_TOOLS = re.compile(
    r"\.git|\.venv|__pycache__|.*\.egg-info|\.(pytest|mypy|ruff)_cache|\.hypothesis|\.benchmarks|_C\..*|.*\.pyc"
)


def copy_checkout(target: Path) -> None:
    """Make `target` this checkout: what is equal keeps its time, so that nothing rebuilds, and what is built there stays.
    What is copied is new, whenever it was written here: it may be younger than this and older than what was built there."""
    wanted = set(source_files(ROOT))
    for name in wanted:
        copied = target / name
        if not copied.is_file() or not filecmp.cmp(ROOT / name, copied, shallow=False):
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copied)
    for stray in set(source_files(target)) - wanted:
        (target / stray).unlink()


def source_files(root: Path) -> Iterator[Path]:
    """Names of the files of a checkout that are neither built nor kept by a tool."""
    for folder, folders, files in os.walk(root):
        at = Path(folder).relative_to(root)
        folders[:] = [
            name
            for name in folders
            if at / name not in BUILT
            and not KEPT_BY_TOOLS.fullmatch(name)
            and not (root / at / name / "pyvenv.cfg").exists()
        ]
        yield from (at / name for name in files if not KEPT_BY_TOOLS.fullmatch(name))


def bring_back(environment: Environment, before: dict[Path, bytes]) -> list[Path]:
    """Copy what a run has changed in its tree since `before` to the checkout; returns the names."""
    after = contents(environment.tree)
    changed = [name for name, text in after.items() if before.get(name) != text]
    for name in changed:
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(environment.tree / name, ROOT / name)
    return sorted(changed)


def contents(tree: Path) -> dict[Path, bytes]:
    return {name: (tree / name).read_bytes() for name in source_files(tree)}
