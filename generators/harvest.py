"""Take PyTorch's CUDA libraries out of a vendor's torch, and write down where they come from.

python -m generators.harvest --vendor NAME --vendor-torch DIR_OR_WHEEL [--assets DIR]

The libraries are staged in torch_fl/assets/<vendor>, with `provenance.json`; `docs/vendors/<vendor>/installation.md` says the
same for people. Equal copies stay where they are. Nothing in the folder changes unless everything could be staged.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from generators.vendor import Vendor, VendorError, load_vendor
from generators.vendor_torch import LIBRARIES, Member, VendorTorch, VendorTorchError, open_vendor_torch
from torch_fl.preload import (
    ASSETS,
    PROVENANCE,
    PreloadError,
    check_bundle,
    environment,
    installed_torch,
    missing_libraries,
    read_bundle,
    wrong_library,
)

# The first three register kernels, so they are preloaded. No list of needed libraries has the last two of a CPU torch's view:
# torch opens them by name when it wants them.
PRELOADED = ("libc10_cuda.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so")
WANTED = (*PRELOADED, "libtorch_nvshmem.so", "libcaffe2_nvrtc.so")
NECESSARY = "libtorch_cuda.so"
REDISTRIBUTION = "to be decided by a person"


class HarvestError(Exception):
    """The libraries cannot be harvested; the text says what was expected, found, and what to do. Nothing was changed."""


@dataclass(frozen=True)
class Harvest:
    folder: Path
    staged: list[str]  # copied now
    kept: list[str]  # equal copies that were there
    provenance: dict[str, Any]


@dataclass(frozen=True)
class Dynamic:
    """What the loader reads of a library."""

    needed: tuple[str, ...]
    search: tuple[str, ...]


def read_dynamic(library: Path) -> Dynamic:
    with library.open("rb") as file:
        segment = next((part for part in ELFFile(file).iter_segments() if isinstance(part, DynamicSegment)), None)
        tags: list[Any] = list(segment.iter_tags()) if segment else []
    needed = tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED")
    paths = [
        getattr(tag, kind) for tag in tags for kind in ("rpath", "runpath") if tag.entry.d_tag == f"DT_{kind.upper()}"
    ]
    return Dynamic(needed, tuple(folder for path in paths for folder in path.split(":")))


def harvest(vendor: Vendor, source: VendorTorch, folder: Path) -> Harvest:
    """Stage the libraries in `folder`. Raises HarvestError, and the folder is as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    stage = _Stage(source, folder)
    try:
        return stage.run(vendor)
    except OSError as error:
        raise HarvestError(f"{error.filename or folder}: {error.strerror or error}; nothing was changed") from None
    finally:
        stage.clean()


class _Stage:
    """One harvest: new files get a temporary name beside their place, and move there when all of them are whole."""

    def __init__(self, source: VendorTorch, folder: Path) -> None:
        self.source = source
        self.folder = folder
        self.old = _read_provenance(folder)
        self.files: dict[str, dict[str, Any]] = {}
        self.new: dict[str, Path] = {}

    def run(self, vendor: Vendor) -> Harvest:
        provided = self.source.members(LIBRARIES)
        if NECESSARY not in provided:
            raise HarvestError(
                f"{self.source.place}: no {NECESSARY} in {LIBRARIES}: this torch ({self.source.version}) is no CUDA build. "
                f"Give the vendor's own"
            )
        own = {file.name for file in (installed_torch()[0] / "lib").glob("*.so*")}
        base = {name for file in own for name in read_dynamic(installed_torch()[0] / "lib" / file).needed} | own
        needs: set[str] = set()
        search: dict[str, None] = {}
        waiting = [name for name in WANTED if name in provided]
        while waiting:
            name = waiting.pop(0)
            file = self._stage(name, provided[name])
            dynamic = read_dynamic(file)
            search |= dict.fromkeys(self._folders_of(dynamic))
            for needed in dynamic.needed:
                if needed in provided and needed not in own:
                    waiting += [needed] if needed not in self.files and needed not in waiting else []
                elif needed not in base:
                    needs.add(needed)
        provenance = self._provenance(vendor, sorted(needs), list(search))
        self._move(provenance)
        kept = [name for name in self.files if name not in self.new]
        return Harvest(self.folder, list(self.new), kept, provenance)

    def _stage(self, name: str, member: Member) -> Path:
        """The library, staged or the equal copy that is there."""
        target, stated = self.folder / name, self.source.record.get(member.name, "")
        known = self.old.get("files", {}).get(name, {})
        if _is_copy(target, member) and known.get("sha256") and stated in ("", known["sha256"]):
            self.files[name] = {"size": member.size, "sha256": known["sha256"]}
            return target
        part = target.with_name(f".{name}.{os.getpid()}.part")
        self.new[name] = part
        found = self._copy(member, part)
        if stated and found != stated:
            raise HarvestError(
                f"{self.source.place}: {member.name} is not the file that its RECORD lists; fetch it again"
            )
        if problem := wrong_library(part):
            raise HarvestError(f"{self.source.place}: {member.name} {problem}")
        os.utime(part, (member.time, member.time))
        self.files[name] = {"size": member.size, "sha256": found}
        return part

    def _copy(self, member: Member, part: Path) -> str:
        hashing = hashlib.sha256()
        with self.source.open(member) as original, part.open("wb") as copy:
            while block := original.read(1 << 20):
                hashing.update(block)
                copy.write(block)
        return hashing.hexdigest()

    def _folders_of(self, dynamic: Dynamic) -> list[str]:
        """Where the vendor's torch finds what it needs, where it is and once more where it would be if it were installed here."""
        origins = ["{purelib}/" + LIBRARIES]
        if not self.source.is_wheel:
            origins.insert(0, str(self.source.place / LIBRARIES))
        folders = [
            os.path.normpath(path.replace("$ORIGIN", origin))
            for origin in origins
            for path in dynamic.search
            if path.startswith(("/", "$ORIGIN"))
        ]
        return [folder for folder in folders if folder not in origins]

    def _provenance(self, vendor: Vendor, needs: list[str], search: list[str]) -> dict[str, Any]:
        facts = self.source.facts
        packages = vendor.cuda_libraries.packages
        sdk = {name: value for name, value in facts.items() if name not in ("__version__", "git_version")}
        return {
            "vendor": vendor.name,
            "source": self.source.place.name if self.source.is_wheel else str(self.source.place),
            "torch": {"version": self.source.version, "git": facts.get("git_version", "unknown")},
            "sdk": sdk,
            "files": dict(sorted(self.files.items())),
            "preload": [name for name in PRELOADED if name in self.files],
            "needs": {name: packages.get(re.sub(r"\.so\..*", ".so", name), "") for name in needs},
            "search": search
            + [place.format_map({"purelib": "{purelib}", **sdk}) for place in vendor.cuda_libraries.search],
            "licences": self.source.licences(),
            "redistribution": REDISTRIBUTION,
        }

    def _move(self, provenance: dict[str, Any]) -> None:
        text = json.dumps(provenance, indent=1, ensure_ascii=False) + "\n"
        if not self.new and provenance == self.old:
            return
        notes = self.folder / f".{PROVENANCE}.{os.getpid()}.part"
        self.new[PROVENANCE] = notes
        notes.write_text(text, encoding="utf-8")
        for name, part in list(self.new.items()):
            part.replace(self.folder / name)
        del self.new[PROVENANCE]
        for name in self.old.get("files", {}).keys() - self.files.keys():
            (self.folder / name).unlink(missing_ok=True)

    def clean(self) -> None:
        for part in self.new.values():
            part.unlink(missing_ok=True)


def _read_provenance(folder: Path) -> dict[str, Any]:
    """What an earlier harvest wrote; nothing if it cannot be read: then everything is staged anew."""
    with contextlib.suppress(OSError, ValueError):
        data = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        if isinstance(data, dict) and isinstance(data.get("files"), dict):
            return data
    return {}


def _is_copy(target: Path, member: Member) -> bool:
    """By size and time, as rsync does; a gate compares the hashes."""
    with contextlib.suppress(OSError):
        found = target.stat()
        return (found.st_size, int(found.st_mtime)) == (member.size, member.time)
    return False


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m generators.harvest", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vendor", required=True, metavar="NAME")
    parser.add_argument("--vendor-torch", required=True, type=Path, metavar="DIR_OR_WHEEL", help="the vendor's torch")
    parser.add_argument("--assets", type=Path, metavar="DIR", help="where to (default: torch_fl/assets/VENDOR)")
    given = parser.parse_args(arguments)
    try:
        vendor = load_vendor(given.vendor)
        folder = (given.assets or Path(os.environ.get("FLAGOS_CUDA_ASSETS_DIR") or ASSETS / vendor.name)).absolute()
        done = harvest(vendor, open_vendor_torch(given.vendor_torch), folder)
        bundle = read_bundle(folder)
        check_bundle(bundle)
    except (VendorError, VendorTorchError, HarvestError, PreloadError) as error:
        print(f"generators.harvest: {error}", file=sys.stderr)
        return 1
    print(f"{folder}: torch {bundle.torch}, {len(done.staged)} staged, {len(done.kept)} equal")
    for name in missing_libraries(bundle, environment(bundle)):
        print(f"  not on this machine: {name}  {bundle.packages.get(name, '')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
