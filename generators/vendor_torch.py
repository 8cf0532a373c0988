"""A vendor's torch as it is given: a wheel, a folder, or an installed environment. Nothing of it is imported here."""

from __future__ import annotations

import base64
import contextlib
import csv
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

VERSION = "torch/version.py"
LIBRARIES = "torch/lib"


class VendorTorchError(Exception):
    """The vendor's torch cannot be used; the text says what was expected, found, and what to do."""


@dataclass(frozen=True)
class Member:
    """A file of a vendor's torch."""

    name: str
    size: int
    time: int  # of its last change, in seconds


@dataclass(frozen=True)
class VendorTorch:
    place: Path  # the wheel, or the folder that holds `torch/`
    facts: dict[str, str]  # what torch/version.py states: __version__, git_version, cuda, hip, ...
    record: dict[str, str] = field(default_factory=dict)  # file -> SHA-256, as the wheel states it

    @property
    def version(self) -> str:
        return self.facts["__version__"]

    @property
    def is_wheel(self) -> bool:
        return self.place.is_file()

    def members(self, folder: str) -> dict[str, Member]:
        """The files right in a folder, by their file names."""
        if self.is_wheel:
            with zipfile.ZipFile(self.place) as archive:
                entries = [e for e in archive.infolist() if not e.is_dir() and e.filename.rpartition("/")[0] == folder]
                # A wheel's times have no zone; what matters is that they stay the same.
                found = [Member(e.filename, e.file_size, int(time.mktime((*e.date_time, 0, 0, 0)))) for e in entries]
        else:
            files = [file for file in sorted((self.place / folder).glob("*")) if file.is_file()]
            found = [Member(f"{folder}/{f.name}", f.stat().st_size, int(f.stat().st_mtime)) for f in files]
        return {member.name.rpartition("/")[2]: member for member in found}

    @contextlib.contextmanager
    def open(self, member: Member) -> Iterator[IO[bytes]]:
        if self.is_wheel:
            with zipfile.ZipFile(self.place) as archive, archive.open(member.name) as file:
                yield file
        else:
            with (self.place / member.name).open("rb") as file:
                yield file

    def licences(self) -> list[str]:
        """The licence files that come with it."""
        pattern = re.compile(r"[^/]+\.dist-info/(?:licenses/.+|(?:LICEN[CS]E|NOTICE|COPYING)[^/]*)")
        return sorted(name for name in self.record if pattern.fullmatch(name))


def open_vendor_torch(place: Path) -> VendorTorch:
    """Raises VendorTorchError."""
    if place.is_file():
        return _open_wheel(place.absolute())
    if not place.is_dir():
        raise VendorTorchError(
            f"{place}: no such file or folder; name a wheel of the vendor's torch, or where it is installed"
        )
    place = place.absolute()
    roots = [place, place.parent, *sorted(place.glob("lib/python3*/site-packages"))]
    root = next((root for root in roots if (root / VERSION).is_file()), None)
    if root is None or (root == place.parent and place.name != "torch"):
        raise VendorTorchError(
            f"{place}: no torch there: expected {VERSION} in it, or a Python environment whose site-packages has it"
        )
    record = next(iter(sorted(root.glob("torch-*.dist-info/RECORD"))), None)
    listed = record.read_text(encoding="utf-8") if record else ""
    return VendorTorch(root, _facts((root / VERSION).read_text(encoding="utf-8"), root / VERSION), _hashes(listed))


def _open_wheel(place: Path) -> VendorTorch:
    try:
        with zipfile.ZipFile(place) as archive:
            names = archive.namelist()
            record = next(name for name in names if re.fullmatch(r"[^/]+\.dist-info/RECORD", name))
            if VERSION not in names:
                raise VendorTorchError(f"{place}: no wheel of torch: it has no {VERSION}")
            facts = _facts(archive.read(VERSION).decode(), place / VERSION)
            return VendorTorch(place, facts, _hashes(archive.read(record).decode()))
    except (zipfile.BadZipFile, StopIteration, OSError) as error:
        raise VendorTorchError(f"{place}: not a whole wheel ({error or 'it has no RECORD'}); fetch it again") from None


def _facts(text: str, where: Path) -> dict[str, str]:
    facts = dict(re.findall(r"^(\w+)(?:: [^=]+)? = '([^']+)'", text, re.MULTILINE))
    if "__version__" not in facts:
        raise VendorTorchError(f"{where}: expected __version__ = '…'; it says which torch this is")
    return facts


def _hashes(record: str) -> dict[str, str]:
    """SHA-256 of each file, in hex; "" for one without."""
    rows = [row for row in csv.reader(record.splitlines()) if row]
    return {name: _hex(stated) for name, stated, *_ in rows}


def _hex(stated: str) -> str:
    kind, _, value = stated.partition("=")
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).hex() if kind == "sha256" else ""
