"""Take PyTorch's CUDA libraries out of a vendor's torch, and write down where they come from.

python -m generators.harvest --vendor NAME --vendor-torch DIR_OR_WHEEL [--assets DIR]

The libraries are staged in torch_fl/assets/<vendor> with `provenance.json`, and docs/vendors/<vendor>/installation.md says the
same for people. Equal copies stay where they are, and nothing changes unless everything could be staged.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generators.elf import ElfError, Library, read_library
from generators.files import write_if_changed
from generators.rendering import templates
from generators.vendor import Vendor, VendorError, load_vendor
from generators.vendor_torch import LIBRARIES, Member, VendorTorch, VendorTorchError, open_vendor_torch
from torch_fl.preload import (
    ASSETS,
    PROVENANCE,
    PreloadError,
    environment,
    installed_torch,
    missing_libraries,
    read_bundle,
    wrong_library,
)

# Those that register kernels are preloaded; the others torch opens by name when it wants them, and no list of needed libraries
# leads there. Linear algebra asks for the devices when it is loaded, after which no forked child could use one.
PRELOADED = ("libc10_cuda.so", "libtorch_cuda.so")
ON_DEMAND = ("libtorch_cuda_linalg.so",)
WANTED = (*PRELOADED, *ON_DEMAND, "libtorch_nvshmem.so", "libcaffe2_nvrtc.so")
KERNELS = "libtorch_cuda.so"
REDISTRIBUTION = "to be decided by a person"
PAGE = "installation.md"


class HarvestError(Exception):
    """The libraries cannot be harvested and nothing was changed; the text says what was expected, found, and what to do."""


@dataclass(frozen=True)
class Harvest:
    folder: Path
    staged: tuple[str, ...]  # copied now
    kept: tuple[str, ...]  # equal copies that were there
    provenance: dict[str, Any]


def harvest(vendor: Vendor, source: VendorTorch, folder: Path) -> Harvest:
    """Stage the libraries in `folder`. Raises HarvestError."""
    installed = installed_torch()[1]
    if source.package == "torch" and source.version.partition("+")[0] != installed.partition("+")[0]:
        raise HarvestError(
            f"{source.place} is torch {source.version}, and torch {installed} is installed in {sys.prefix}: their versions must "
            "be equal, mixed ones corrupt memory; give the same version of the vendor's torch, or install the CPU build of its"
        )
    if KERNELS not in source.libraries():
        raise HarvestError(
            f"{source.place}: no {KERNELS} in its {LIBRARIES}: {source.package} {source.version} is no CUDA build of torch. "
            f"Which key it registers: python -m generators.dispatch_key --vendor-torch {source.place}"
        )
    staging = _Staging(source, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        needs, search = staging.collect()
        return staging.finish(_provenance(vendor, source, staging.files, needs, search))
    except OSError as error:
        raise HarvestError(f"{error.filename or folder}: {error.strerror or error}; nothing was changed") from None
    except (ElfError, VendorTorchError) as error:
        raise HarvestError(f"{error}; nothing was changed") from None
    finally:
        staging.clean()


class _Staging:
    """New files get a temporary name beside their place, and move there when all of them are whole."""

    def __init__(self, source: VendorTorch, folder: Path) -> None:
        self.source = source
        self.folder = folder
        self.old = read_provenance(folder)
        self.files: dict[str, dict[str, Any]] = {}
        self.new: dict[str, Path] = {}

    def collect(self) -> tuple[list[str], list[str]]:
        """Stage the wanted libraries and what they need of the vendor's torch itself. Returns what they need of others, and
        the folders where the vendor's torch looks for that."""
        provided = self.source.libraries()
        own = [read_library(file) for file in sorted((installed_torch()[0] / "lib").glob("*.so*"))]
        given = {
            name for library in own for name in (library.path.name, *library.needed)
        }  # a CPU torch has it, or the system
        abi = next(library.abi for library in own if library.path.name == "libc10.so")
        needs: set[str] = set()
        search: dict[str, None] = {}
        waiting = [name for name in WANTED if name in provided]
        while waiting:
            name = waiting.pop(0)
            library = read_library(self._stage(name, provided[name]))
            if name in (*PRELOADED, *ON_DEMAND) and library.abi not in ("", abi):
                raise HarvestError(
                    f"{self.source.place}: {name} has the C++ ABI {library.abi}, and the installed torch has {abi}: give a build "
                    "of the vendor's torch with the same"
                )
            search |= dict.fromkeys(self._folders(library))
            for needed in library.needed:
                if needed in provided and needed not in given:
                    waiting += [needed] if needed not in (*self.files, *waiting) else []
                elif needed not in given:
                    needs.add(needed)
        return sorted(needs), list(search)

    def _stage(self, name: str, member: Member) -> Path:
        """The library: staged now, or the equal copy that is there."""
        target, stated = self.folder / name, self.source.record.get(member.name, "")
        known = self.old.get("files", {}).get(name, {}).get("sha256")
        if known and stated in ("", known) and _is_copy(target, member):
            self.files[name] = {"size": member.size, "sha256": known}
            return target
        part = self.new[name] = target.with_name(f".{name}.{os.getpid()}.part")
        hashing = hashlib.sha256()
        with self.source.open(member) as original, part.open("wb") as staged:
            while block := original.read(1 << 20):
                hashing.update(block)
                staged.write(block)
        if stated and hashing.hexdigest() != stated:
            raise HarvestError(
                f"{self.source.place}: {member.name} is not the file that its RECORD lists; fetch it again"
            )
        if problem := wrong_library(part):
            raise HarvestError(f"{self.source.place}: {member.name} {problem}; fetch it again")
        os.utime(part, (member.time, member.time))
        self.files[name] = {"size": member.size, "sha256": hashing.hexdigest()}
        return part

    def _folders(self, library: Library) -> list[str]:
        """Where the vendor's torch looks: where it is, and where it would be if it were installed here."""
        here = [] if self.source.is_wheel else library.folders(str(self.source.place / LIBRARIES))
        return here + library.folders("{purelib}/" + LIBRARIES)

    def finish(self, provenance: dict[str, Any]) -> Harvest:
        kept = tuple(name for name in self.files if name not in self.new)
        staged = tuple(self.new)
        if staged or provenance != self.old:
            notes = self.new[PROVENANCE] = self.folder / f".{PROVENANCE}.{os.getpid()}.part"
            notes.write_text(json.dumps(provenance, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            for name, part in self.new.items():
                part.replace(self.folder / name)
            for name in self.old.get("files", {}).keys() - self.files.keys():
                (self.folder / name).unlink(missing_ok=True)
        return Harvest(self.folder, staged, kept, provenance)

    def clean(self) -> None:
        for part in self.new.values():
            part.unlink(missing_ok=True)


def _provenance(
    vendor: Vendor, source: VendorTorch, files: dict[str, Any], needs: list[str], search: list[str]
) -> dict[str, Any]:
    sdk = {name: value for name, value in source.facts.items() if name not in ("__version__", "git_version")}
    places = {"purelib": "{purelib}", **sdk}
    usual = [place for place in vendor.cuda_libraries.search if set(re.findall(r"{(\w+)}", place)) <= places.keys()]
    packages = vendor.cuda_libraries.packages
    return {
        "vendor": vendor.name,
        "source": source.place.name if source.is_wheel else str(source.place),
        "torch": {"version": source.version, "git": source.facts.get("git_version", "unknown")},
        "sdk": sdk,
        "files": dict(sorted(files.items())),
        "preload": [name for name in PRELOADED if name in files],
        "on_demand": [name for name in ON_DEMAND if name in files],
        "needs": {name: packages.get(re.sub(r"\.so\..*", ".so", name), "") for name in needs},
        "requires": sorted({*source.requires} - {*_requires_of_the_installed()}),
        "search": search + [place.format_map(places) for place in usual],
        "licences": source.licences(),
        "redistribution": REDISTRIBUTION,
    }


def _requires_of_the_installed() -> list[str]:
    return [need.partition(";")[0].strip() for need in importlib.metadata.requires("torch") or ()]


def read_provenance(folder: Path) -> dict[str, Any]:
    """What an earlier harvest wrote; nothing if it cannot be read, and everything is staged anew."""
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


def render_page(vendor: Vendor, provenance: dict[str, Any]) -> str:
    """The provenance for people, without the places of the machine that it was made on."""
    return templates().get_template("installation.md.j2").render(title=vendor.title, **provenance)


def page_of(vendor: Vendor) -> Path:
    return vendor.descriptor.parent / PAGE


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m generators.harvest", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vendor", required=True, metavar="NAME")
    parser.add_argument("--vendor-torch", required=True, type=Path, metavar="DIR_OR_WHEEL", help="the vendor's torch")
    parser.add_argument(
        "--assets",
        type=Path,
        metavar="DIR",
        help="where to (default: FLAGOS_CUDA_ASSETS_DIR, else torch_fl/assets/VENDOR)",
    )
    given = parser.parse_args(arguments)
    try:
        vendor = load_vendor(given.vendor)
        folder = (given.assets or Path(os.environ.get("FLAGOS_CUDA_ASSETS_DIR") or ASSETS / vendor.name)).absolute()
        done = harvest(vendor, open_vendor_torch(given.vendor_torch), folder)
        bundle = read_bundle(folder)
        missing = missing_libraries(bundle, environment(bundle))
    except (VendorError, VendorTorchError, HarvestError, PreloadError) as error:
        print(f"generators.harvest: {error}", file=sys.stderr)
        return 1
    written = write_if_changed(page_of(vendor), render_page(vendor, done.provenance))
    print(f"{folder}: torch {bundle.torch}, {len(done.staged)} libraries staged, {len(done.kept)} equal copies kept")
    print(f"{page_of(vendor)}: {'written, review and commit it' if written else 'unchanged'}")
    for name, package in missing.items():
        print(f"not on this machine: {name}{f', usually of {package}' if package else ''}")
    if missing and done.provenance["requires"]:
        print(f"this torch wants: {' '.join(done.provenance['requires'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
