"""A vendor's torch as it is given: a wheel, a folder, or an installed environment. Nothing of it is imported here.

It is a build of torch, or a package that plugs a device into one, such as torch_npu.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import re
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

VERSION = "torch/version.py"
LIBRARIES = "torch/lib"
PLUGIN = "[torch.backends]"  # in the entry points of a package that plugs in a device


class VendorTorchError(Exception):
    """The vendor's torch cannot be used; the text says what was expected, found, and what to do."""


@dataclass(frozen=True)
class Member:
    """A file of a vendor's torch."""

    name: str
    size: int
    time: int  # of its last change, in seconds

    @property
    def file(self) -> str:
        return self.name.rpartition("/")[2]


@dataclass(frozen=True)
class VendorTorch:
    place: Path  # the wheel, or the folder that holds `torch/`
    package: str  # torch, or the name of the plugin
    facts: dict[str, str]  # what torch/version.py states: __version__, git_version, cuda, hip, ...
    record: dict[str, str]  # each file -> its SHA-256 where the package states one
    requires: tuple[str, ...] = ()  # the packages that it wants on this system
    python: Path | None = None  # of an installed environment

    @property
    def version(self) -> str:
        return self.facts["__version__"]

    @property
    def is_wheel(self) -> bool:
        return self.place.is_file()

    def members(self, pattern: str) -> dict[str, Member]:
        """The files whose whole name fits, by their file names."""
        names = [name for name in self.record if re.fullmatch(pattern, name)]
        if self.is_wheel:
            with zipfile.ZipFile(self.place) as archive:
                entries = {entry.filename: entry for entry in archive.infolist()}
            # The times in a wheel have no zone; all that matters is that they stay the same.
            found = [
                Member(name, entries[name].file_size, int(time.mktime((*entries[name].date_time, 0, 0, 0))))
                for name in names
                if name in entries
            ]
        else:
            files = {name: self.place / name for name in names}
            states = {name: file.stat() for name, file in files.items() if file.is_file()}
            found = [Member(name, state.st_size, int(state.st_mtime)) for name, state in states.items()]
        return {member.file: member for member in found}

    def libraries(self) -> dict[str, Member]:
        """Those of torch itself."""
        return self.members(re.escape(LIBRARIES) + r"/[^/]+\.so[.\d]*")

    @contextlib.contextmanager
    def open(self, member: Member) -> Iterator[IO[bytes]]:
        try:
            if self.is_wheel:
                with zipfile.ZipFile(self.place) as archive, archive.open(member.name) as file:
                    yield file
            else:
                with (self.place / member.name).open("rb") as file:
                    yield file
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise VendorTorchError(f"{self.place}: {member.name}: {error}; fetch the wheel again") from None

    def unpack(self, folder: Path, pattern: str = r"(?![^/]+/(?:include|share|test)/).*(?<!\.a)") -> None:
        """Those files of a wheel whose names fit: by default what it takes to import it."""
        with zipfile.ZipFile(self.place) as archive:
            wanted = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
            archive.extractall(folder, [name for name in wanted if not (folder / name).is_file()])

    def licences(self) -> list[str]:
        """The licence files that come with it."""
        pattern = re.compile(r"[^/]+\.dist-info/(?:licenses/.+|(?:LICEN[CS]E|NOTICE|COPYING)[^/]*)")
        return sorted(name for name in self.record if pattern.fullmatch(name))


def open_vendor_torch(place: Path) -> VendorTorch:
    """Raises VendorTorchError."""
    place = place.absolute()
    if place.is_file():
        return _open_wheel(place)
    if not place.is_dir():
        raise VendorTorchError(
            f"{place}: no such file or folder; give a wheel of the vendor's torch, or where it is installed"
        )
    roots = [
        place,
        *sorted(place.glob("lib/python3*/site-packages")),
        *([place.parent] if place.name == "torch" else []),
    ]
    for root in roots:
        python = place / "bin/python"
        if found := _open_folder(root, python if root != place and python.exists() else None):
            return found
    raise VendorTorchError(
        f"{place}: no torch there; expected {VERSION} in it, a package with a {PLUGIN} entry point, or lib/python3*/site-packages "
        "with one of them"
    )


def _open_folder(root: Path, python: Path | None) -> VendorTorch | None:
    infos = [*sorted(root.glob("torch-*.dist-info")), *(i for i in sorted(root.glob("*.dist-info")) if _plugs_in(i))]
    record = {str(file.relative_to(root)): "" for file in (root / LIBRARIES).glob("*.so*")}
    for info in infos:
        record |= _hashes(_text(info / "RECORD"))
    requires = _requires(_text(infos[0] / "METADATA")) if infos else ()
    if (root / VERSION).is_file():
        return VendorTorch(root, "torch", _facts(_text(root / VERSION), root / VERSION), record, requires, python)
    if infos:
        name, version = _name_and_version(_text(infos[0] / "METADATA"))
        return VendorTorch(root, name, {"__version__": version}, record, requires, python)
    return None


def _plugs_in(info: Path) -> bool:
    return PLUGIN in _text(info / "entry_points.txt")


def _open_wheel(place: Path) -> VendorTorch:
    try:
        with zipfile.ZipFile(place) as archive:
            names = set(archive.namelist())
            info = next(
                (name.partition("/")[0] for name in names if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)), ""
            )
            wanted = [f"{info}/{name}" for name in ("RECORD", "METADATA", "entry_points.txt")] + [VERSION]
            record, metadata, entries, facts = (archive.read(n).decode() if n in names else "" for n in wanted)
    except (zipfile.BadZipFile, zlib.error, OSError) as error:
        raise VendorTorchError(f"{place}: no whole wheel ({error}); fetch it again") from None
    if facts:
        return VendorTorch(place, "torch", _facts(facts, place / VERSION), _hashes(record), _requires(metadata))
    if PLUGIN in entries:
        name, version = _name_and_version(metadata)
        return VendorTorch(place, name, {"__version__": version}, _hashes(record), _requires(metadata))
    raise VendorTorchError(f"{place}: no wheel of torch, nor of a package with a {PLUGIN} entry point")


def _requires(metadata: str) -> tuple[str, ...]:
    wanted = re.findall(r"^Requires-Dist: ([^;\n]+?)\s*(?:;(.*))?$", metadata, re.MULTILINE)
    return tuple(package for package, marker in wanted if "extra" not in marker)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _facts(text: str, where: Path) -> dict[str, str]:
    facts = dict(re.findall(r"^(\w+)(?:: [^=]+)? = '([^']+)'", text, re.MULTILINE))
    if "__version__" not in facts:
        raise VendorTorchError(f"{where}: expected __version__ = '…'; it says which torch this is")
    return facts


def _name_and_version(metadata: str) -> tuple[str, str]:
    fields = dict(re.findall(r"^(Name|Version): (.+)$", metadata, re.MULTILINE))
    return fields.get("Name", "unknown").replace("-", "_"), fields.get("Version", "unknown")


def _hashes(record: str) -> dict[str, str]:
    rows: Iterable[list[str]] = csv.reader(record.splitlines())
    return {row[0]: _hex(row[1]) for row in rows if len(row) > 1}


def _hex(stated: str) -> str:
    kind, _, value = stated.partition("=")
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).hex() if kind == "sha256" else ""
