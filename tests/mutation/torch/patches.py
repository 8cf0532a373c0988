"""The patches, and a checkout with one of them: only the patched file is compiled, the rest is `build/torch`'s.

What judges a mutant: the gates of `gates/runtime`, or, of boxing and routes, which a vendor without routes never uses, the
tests of `TESTS`.

A new mutant: break one file so that it lies in one way, then

    (echo "what is wrong"; git diff -U1 FILE | sed -n '/^---/,$p') > tests/mutation/torch/AREA.NAME.patch
    git checkout FILE && pytest tests/mutation/torch -k AREA.NAME
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.aten.sources import render_sources, write_sources
from generators.build import BUILD
from generators.files import ROOT
from generators.gates import list_gates
from tests.mutation.source import copy_checkout

REFERENCE = ROOT / "docs/reference/torch-mutants.md"  # of the last whole run with --record
PACKAGE = "torch_fl"
OPERATORS = "libtorch_fl_operators.so"

# Area -> the tests that judge its mutants.
BOXING_HEADER = "csrc/aten/boxing.h"
BOXING = ("tests/integration/test_boxing.py", "tests/integration/test_routing.py")
TESTS = {"boxing": BOXING, "routes": BOXING}


class PatchError(Exception):
    """A patch that does not fit the tree, or one that does not build: nothing is known about the mutant."""


@dataclass(frozen=True)
class Patch:
    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def wrong(self) -> str:
        """What is wrong: the first line."""
        return self.text.splitlines()[0]

    @property
    def tests(self) -> tuple[str, ...]:
        """What judges the mutant; nothing means the gates."""
        return TESTS.get(self.path.stem.partition(".")[0], ())

    @property
    def files(self) -> list[str]:
        return re.findall(r"^\+\+\+ b/(.+)$", self.text, re.MULTILINE)

    def places(self, root: Path = ROOT) -> list[int]:
        """How often the lines that each hunk expects are in the file: once, or the hunk may change another place."""
        content = (root / self.files[0]).read_text(encoding="utf-8")
        hunks = re.split(r"^@@ .*\n", self.text, flags=re.MULTILINE)[1:]
        old = ("".join(line[1:] for line in hunk.splitlines(True) if line[0] in " -") for hunk in hunks)
        return [content.count(f"\n{lines}") for lines in old]

    def apply(self, root: Path, *options: str) -> None:
        """Raises PatchError."""
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent)}  # a copy is no part of a repository
        command = ["git", "apply", *options, str(self.path)]
        child = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        if child.returncode != 0:
            raise PatchError(
                f"{self.path.name} does not apply\n"
                f"  expected  the lines of the patch in {', '.join(self.files)}\n"
                f"  found     {child.stderr.strip()}\n"
                f"  next      make the same mistake in the file as it is now; {__name__} says how a patch is written"
            )


@cache
def patches() -> dict[str, Patch]:
    return {path.stem: Patch(path) for path in sorted(Path(__file__).parent.glob("*.patch"))}


def torch_mutants() -> dict[str, str]:
    """Name -> what is wrong."""
    return {name: patch.wrong for name, patch in patches().items()}


# ---- a checkout with a mutant -----------------------------------------------------------------------------------------

# An editable install would answer `import torch_fl` with the checkout that it was made from. Python imports this when it
# starts, after the install's own hook.
STARTUP = """
import sys
editable = [f for f in sys.meta_path if {"editable", "torch"} <= set(type(f).__module__.split("_"))]
sys.meta_path[:] = [f for f in sys.meta_path if f not in editable]
"""


def mutated_checkout(patch: Patch | None, target: Path) -> Path:
    """A copy of the checkout with the patch, built; without a patch a file is compiled all the same. Raises PatchError."""
    root = copy_checkout(target)
    (root / "sitecustomize.py").write_text(STARTUP)
    for tests in ("tests/integration", "tests/unit"):  # what the first import is in the second
        shutil.copytree(ROOT / tests, root / tests)
    for library in (*(ROOT / PACKAGE).glob("_C.*.so"), *(ROOT / PACKAGE / "lib").glob("*.so")):
        (root / library.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        shutil.copy(library, root / library.relative_to(ROOT))
    changed = ["csrc/runtime/device.cc", BOXING_HEADER]
    if patch:
        patch.apply(root)
        changed = patch.files
    for source in changed:
        if source == BOXING_HEADER:
            _build_few_kernels(root)
        elif source.endswith(".cc"):
            _compile_and_link(root, source)
    return root


def _compile_and_link(root: Path, source: str) -> None:
    """As build/torch does it, but that file and that library are the copy's."""
    built, own = _compile(root, source)
    for library in (*(root / PACKAGE).glob("_C.*.so"), *(root / PACKAGE / "lib").glob("libtorch_fl*.so")):
        link = _link_command(root, library)
        if built in link:
            _shell(link.replace(built, own), BUILD / "torch")
            return
    raise PatchError(f"no library of {BUILD / 'torch'} is linked from {built}")


def _build_few_kernels(root: Path) -> None:
    """The library of the boxed kernels, of those operators only that the tests name: all take minutes."""
    named = set(re.findall(r'"([\w.]+)"', "".join((root / test).read_text() for test in BOXING)))
    catalogue = read_catalogue(installed_line())
    few = tuple(operator for operator in catalogue.operators if operator.name in named)
    files = render_sources(dataclasses.replace(catalogue, operators=few), {})
    write_sources(files, root / "csrc/aten/generated")
    kernels = sorted(f"csrc/aten/generated/{name}" for name in files if name.startswith("cuda_kernels"))
    own = [_compile(root, source)[1] for source in (*kernels, "csrc/aten/boxed/kernels.cc")]
    link = _link_command(root, root / PACKAGE / "lib" / OPERATORS)
    objects = [word for word in shlex.split(link) if word.endswith(".cc.o")]
    for built in objects[1:]:
        link = link.replace(f" {built}", "", 1)
    _shell(link.replace(objects[0], " ".join(own)), BUILD / "torch")


def _compile(root: Path, source: str) -> tuple[str, str]:
    """The object of build/torch, and the one that was made of the copy's source in its place."""
    commands = json.loads((BUILD / "torch/compile_commands.json").read_text())
    command = next(entry["command"] for entry in commands if Path(entry["file"]) == ROOT / source)
    words = shlex.split(command)
    built = words[words.index("-o") + 1]
    own = str(root / f"{Path(source).stem}.o")
    if ccache := shutil.which("ccache"):
        command = f"{ccache} {command}"
    _shell(command.replace(built, own).replace(str(ROOT / "csrc"), str(root / "csrc")), BUILD / "torch")
    return built, own


def _link_command(root: Path, library: Path) -> str:
    original = str(ROOT / library.relative_to(root))
    return (
        _shell(f"ninja -t commands -s {shlex.quote(original)}", BUILD / "torch").strip().replace(original, str(library))
    )


def _shell(command: str, directory: Path) -> str:
    child = subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True)
    if child.returncode != 0:
        raise PatchError(f"the mutant does not build: {command}\n{(child.stdout + child.stderr)[-6000:]}")
    return child.stdout


# ---- where to look first ----------------------------------------------------------------------------------------------


def last_killer(patch: Patch) -> str | None:
    """The gate or test that killed the mutant in the recorded run, if it still exists. No verdict depends on it."""
    table = REFERENCE.read_text(encoding="utf-8") if REFERENCE.exists() else ""
    row = re.search(rf"^\| `{re.escape(patch.path.stem)}` \|.*\| `([\w.]+)` \|$", table, re.MULTILINE)
    known = {gate.id for gate in list_gates()}
    for test in patch.tests:
        known |= {
            f"{Path(test).stem}.{name}"
            for name in re.findall(r"^def (test_\w+)", (ROOT / test).read_text(), re.MULTILINE)
        }
    return row[1] if row and row[1] in known else None
