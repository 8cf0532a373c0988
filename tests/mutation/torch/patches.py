"""The patches, and a checkout with one of them: only the patched file is compiled, the rest is `build/torch`'s.

A new mutant: break one file so that it lies in one way, then

    (echo "what is wrong"; git diff -U1 FILE | sed -n '/^---/,$p') > tests/mutation/torch/AREA.NAME.patch
    git checkout FILE && pytest tests/mutation/torch -k AREA.NAME
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generators.build import BUILD
from generators.files import ROOT
from generators.gates import list_gates
from tests.mutation.source import copy_checkout

REFERENCE = ROOT / "docs/reference/torch-mutants.md"  # of the last whole run with --record
PACKAGE = "torch_fl"


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
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__module__.startswith("_torch_fl_editable")]
"""


def mutated_checkout(patch: Patch | None, target: Path) -> Path:
    """A copy of the checkout with the patch, built; without a patch a file is compiled all the same. Raises PatchError."""
    root = copy_checkout(target)
    (root / "sitecustomize.py").write_text(STARTUP)
    for library in (*(ROOT / PACKAGE).glob("_C.*.so"), ROOT / PACKAGE / "lib/libtorch_fl.so"):
        (root / library.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        shutil.copy(library, root / library.relative_to(ROOT))
    source = "csrc/runtime/device.cc"
    if patch:
        patch.apply(root)
        source = patch.files[0]
    if source.endswith(".cc"):
        _compile_and_link(root, source)
    return root


def _compile_and_link(root: Path, source: str) -> None:
    """As build/torch does it, but that file and that library are the copy's."""
    directory = BUILD / "torch"
    commands = json.loads((directory / "compile_commands.json").read_text())
    compile_it = next(entry["command"] for entry in commands if Path(entry["file"]) == ROOT / source)
    words = shlex.split(compile_it)
    built = words[words.index("-o") + 1]
    own = str(root / "mutated.o")
    if ccache := shutil.which("ccache"):
        compile_it = f"{ccache} {compile_it}"
    _shell(compile_it.replace(built, own).replace(str(ROOT / "csrc"), str(root / "csrc")), directory)
    for library in (*(root / PACKAGE).glob("_C.*.so"), root / PACKAGE / "lib/libtorch_fl.so"):
        original = str(ROOT / library.relative_to(root))
        link = _shell(f"ninja -t commands -s {shlex.quote(original)}", directory).strip()
        if built in link:
            _shell(link.replace(built, own).replace(original, str(library)), directory)
            return
    raise PatchError(f"no library of {directory} is linked from {built}")


def _shell(command: str, directory: Path) -> str:
    child = subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True)
    if child.returncode != 0:
        raise PatchError(f"the mutant does not build: {command}\n{(child.stdout + child.stderr)[-6000:]}")
    return child.stdout


# ---- where to look first ----------------------------------------------------------------------------------------------


def last_killer(name: str) -> str | None:
    """The gate that killed the mutant in the recorded run, if it still exists. No verdict depends on it."""
    table = REFERENCE.read_text(encoding="utf-8") if REFERENCE.exists() else ""
    row = re.search(rf"^\| `{re.escape(name)}` \|.*\| `([\w.]+)` \|$", table, re.MULTILINE)
    return row[1] if row and row[1] in {gate.id for gate in list_gates()} else None
