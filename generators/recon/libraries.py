"""What an SDK's libraries export, read with pyelftools."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from generators.recon.headers import ReconError
from generators.vendor import directories, wrong_architecture


@dataclass(frozen=True)
class Library:
    path: Path
    soname: str
    needed: tuple[str, ...]
    exports: frozenset[str]


def read_library(path: Path) -> Library:
    """Raises ReconError if it is no library for this machine or exports nothing."""
    if problem := wrong_architecture(path):
        raise ReconError(problem)
    soname, needed, exports = "", [], set()
    with path.open("rb") as file:
        # As the loader does it: a stripped library may have no sections.
        dynamic = next((part for part in ELFFile(file).iter_segments() if isinstance(part, DynamicSegment)), None)
        for tag in dynamic.iter_tags() if dynamic else ():
            if tag.entry.d_tag == "DT_SONAME":
                soname = tag.soname  # type: ignore[attr-defined]
            elif tag.entry.d_tag == "DT_NEEDED":
                needed.append(tag.needed)  # type: ignore[attr-defined]
        exports = {
            symbol.name
            for symbol in (dynamic.iter_symbols() if dynamic else ())
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] in ("STT_FUNC", "STT_GNU_IFUNC")
        }
    if not exports:
        raise ReconError(
            f"{path} exports no function: its table of dynamic symbols is stripped, or it is no SDK library"
        )
    return Library(path, soname, tuple(needed), frozenset(exports))


def has_library(root: Path) -> bool:
    return any(True for folder in directories(root, "lib*") for _ in folder.glob("lib*.so*"))


def choose_library(root: Path, functions: Iterable[str], name: str = "") -> Library:
    """The library below `root` that exports most of the functions; `name` chooses it. Raises ReconError."""
    functions = set(functions)
    pattern = name or "lib*.so"
    files: dict[Path, Path] = {}  # file behind the links -> the shortest name for it
    for folder in directories(root, "lib*"):
        for file in sorted([*folder.glob(pattern), *folder.glob(f"{pattern}.*")], key=lambda f: len(f.name)):
            files.setdefault(file.resolve(), file)
    if not files:
        what = f"no library {name}" if name else "no shared library"
        hint = "" if name else ", or read the headers alone by naming it: --library libNAME.so"
        raise ReconError(f"{what} in {root}/lib or {root}/lib64; give the root of the SDK with --sdk-path{hint}")
    found, problems = [], []
    for file in files.values():
        if not name and not _mentions(file, functions):
            continue
        try:
            library = read_library(file)
        except ReconError as error:
            problems.append(str(error))
            continue
        if covered := len(functions & library.exports):
            found.append((covered, library))
    if not found:
        lines = [f"  {problem}" for problem in problems] or [f"  looked at {len(files)} libraries below {root}"]
        raise ReconError(
            "\n".join([f"no library exports any of the {len(functions)} functions of the headers:", *lines])
        )
    most = max(covered for covered, _ in found)
    best = [library for covered, library in found if covered > 0.9 * most]
    if len(best) > 1:
        names = "\n".join(f"  --library {library.path.name}   ({library.path})" for library in best)
        raise ReconError(f"{len(best)} libraries export the functions of the headers; choose one:\n{names}")
    return best[0]


def _mentions(file: Path, functions: set[str]) -> bool:
    """Whether a file holds the name of one of the functions: reading every library's symbols would take minutes."""
    sample = sorted(functions)[:: max(1, len(functions) // 8)]
    if file.stat().st_size == 0:
        return False
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(b"\0" + name.encode() + b"\0") >= 0 for name in sample)
