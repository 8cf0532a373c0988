"""What the loader reads of a shared library: its needs, where it looks for them, and its symbols. Nothing is loaded."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

# A symbol of PyTorch's own namespaces, mangled: only a torch defines it.
OF_PYTORCH = re.compile(r"_Z(?:T[VITSC]|G[VR]|T[hv]n?\d+_)*N?[rVK]*[RO]?(?:2at|3c10|4c10d|5torch|6caffe2)")

WEAK = 2  # STB_WEAK


class ElfError(Exception):
    """No library that the loader would take."""


@dataclass(frozen=True)
class Library:
    path: Path
    needed: tuple[str, ...]
    search: tuple[str, ...]  # as it says it, with $ORIGIN

    def folders(self, origin: str) -> list[str]:
        """Where it looks for what it needs if it lies in `origin`, that folder aside."""
        paths = [os.path.normpath(path.replace("$ORIGIN", origin)) for path in self.search if path[:1] in ("/", "$")]
        return [path for path in dict.fromkeys(paths) if path != origin]

    @property
    def defined(self) -> frozenset[str]:
        return self._symbols[0]

    @property
    def undefined(self) -> frozenset[str]:
        """Without the weak ones, which nobody has to define."""
        return self._symbols[1]

    @property
    def abi(self) -> str:
        """How it names std::string: "cxx11", "pre-cxx11", or "" where no symbol shows it."""
        names = [name for name in self.defined | self.undefined if OF_PYTORCH.match(name)]
        if any("7__cxx11" in name or "B5cxx11" in name for name in names):
            return "cxx11"
        return "pre-cxx11" if any("Ss" in name for name in names) else ""

    @functools.cached_property
    def _symbols(self) -> tuple[frozenset[str], frozenset[str]]:
        """pyelftools takes a second for 50,000 symbols, which a torch has: it finds the table, and the rows are read here."""
        with _dynamic(self.path) as (elf, segment):
            _, table = segment.get_table_offset("DT_SYMTAB")
            _, strings = segment.get_table_offset("DT_STRTAB")
            if elf.elfclass != 64 or not elf.little_endian or table is None or strings is None:
                raise ElfError("only 64-bit little-endian libraries are read")
            length, count = next(tag.entry.d_val for tag in segment.iter_tags("DT_STRSZ")), segment.num_symbols()
            elf.stream.seek(strings)
            names = elf.stream.read(length)
            elf.stream.seek(table)
            rows = list(struct.iter_unpack("<IBBHQQ", elf.stream.read(24 * count)))
        defined, undefined = set(), set()
        for start, info, _, section, _, _ in rows:
            name = names[start : names.index(b"\0", start)].decode(errors="replace")
            if section != 0:
                defined.add(name)
            elif info >> 4 != WEAK:
                undefined.add(name)
        return frozenset(defined - {""}), frozenset(undefined - {""})


def read_library(path: Path) -> Library:
    """Raises ElfError."""
    with _dynamic(path) as (_, segment):
        tags: list[Any] = list(segment.iter_tags())
        needed = tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED")
        folders = [
            getattr(tag, kind)
            for tag in tags
            for kind in ("rpath", "runpath")
            if tag.entry.d_tag == f"DT_{kind.upper()}"
        ]
    return Library(path, needed, tuple(folder for path in folders for folder in path.split(":")))


@contextlib.contextmanager
def _dynamic(path: Path) -> Iterator[tuple[ELFFile, DynamicSegment]]:
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            segment = next((part for part in elf.iter_segments() if isinstance(part, DynamicSegment)), None)
            if segment is None:
                raise ElfError("it has no dynamic segment")
            yield elf, segment
    except OSError as error:
        raise ElfError(f"{path}: {error.strerror}") from None
    except Exception as error:  # pyelftools raises many types for a file that is no ELF
        raise ElfError(f"{path}: no whole shared library: {error}") from None
