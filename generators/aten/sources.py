"""A line's operators -> ops.h, ops.cc, cuda_kernels_<n>.cc and register.inc. What each file holds stands in its template."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from generators.aten.lines import pinned_line
from generators.aten.operators import Catalogue, Operator
from generators.aten.spelling import Overrides, apply_overrides
from generators.files import ROOT, write_all
from generators.rendering import templates

COMMITTED = ROOT / "csrc/aten/generated"
SHARD = 250  # operators in a file, about: a compiler process of 1 GB
MARK = "by generators.aten; do not edit."

TEMPLATES = templates("aten")


def home_of(line: str) -> Path:
    """Where a line's files belong: in the tree for the pinned line, in the build folder for any other."""
    return COMMITTED if line == pinned_line() else ROOT / "build/aten" / line


def render_sources(catalogue: Catalogue, overrides: Overrides) -> dict[str, str]:
    """Every file by its name."""
    routable = apply_overrides(catalogue, overrides, catalogue.routable)
    typed = apply_overrides(catalogue, overrides, catalogue.typed)
    shards = split_evenly(routable)
    common = {"mark": f"// @generated from torchgen of torch {catalogue.line} {MARK}", "shards": shards}
    files = {
        "ops.h": TEMPLATES.get_template("ops.h.j2").render(common, operators=typed),
        "ops.cc": TEMPLATES.get_template("ops.cc.j2").render(common, operators=typed),
        "register.inc": TEMPLATES.get_template("register.inc.j2").render(common),
    }
    for number, operators in enumerate(shards, 1):
        headers = sorted({operator.header for operator in operators})
        files[f"cuda_kernels_{number}.cc"] = TEMPLATES.get_template("cuda_kernels.cc.j2").render(
            common, number=number, operators=operators, headers=headers
        )
    return files


def split_evenly(operators: list[Operator]) -> list[list[Operator]]:
    """Shards that differ in size by one at most."""
    count = max(1, round(len(operators) / SHARD))
    ends = [len(operators) * i // count for i in range(count + 1)]
    return [operators[a:b] for a, b in pairwise(ends)]


def write_sources(files: dict[str, str], out: Path) -> list[Path]:
    """Bring a folder up to date, all files or none, the list of the shards after the shards; what an earlier run left and
    this one does not is removed. Returns what changed."""
    order = sorted(files, key=lambda name: (name == "register.inc", name))
    changed = write_all({out / name: files[name] for name in order})
    strays = stray_files(files, out)
    for stray in strays:
        stray.unlink(missing_ok=True)
    return changed + strays


def stray_files(files: dict[str, str], out: Path) -> list[Path]:
    """Files of the folder that the generator once wrote and does not write now, or began to write before it was ended."""
    others = [path for path in sorted(out.glob("*")) if path.is_file() and path.name not in files]
    return [path for path in others if _is_unfinished(path) or _is_ours(path)]


def _is_ours(path: Path) -> bool:
    return not path.name.startswith(".") and MARK in _text_of(path)[:200]


def _is_unfinished(path: Path) -> bool:
    """Whether it is what `write_all` leaves of a file, and the process that wrote it is gone."""
    found = re.fullmatch(r"\..+\.(?:h|cc|inc)\.(\d+)", path.name)
    return found is not None and not Path("/proc", found[1]).exists()


def differences(files: dict[str, str], out: Path) -> dict[str, tuple[str, str]]:
    """Name -> (what the folder holds, what it should hold), of each file that is not as rendered."""
    held = {name: _text_of(out / name) if (out / name).is_file() else "" for name in files}
    found = {name: (held[name], text) for name, text in files.items() if held[name] != text}
    return found | {path.name: (_text_of(path), "") for path in stray_files(files, out)}


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def describe(catalogue: Catalogue) -> str:
    """What the generator says of a line, in one sentence."""
    lists = catalogue.lists
    return (
        f"torch {catalogue.torch}: {len(catalogue.routable)} of {len(catalogue.operators)} operators can be routed; "
        f"{len(lists)} take a list of tensors, as IListRef: {', '.join(catalogue.spelled('IListRef')) or 'none'}"
    )
