"""Read and check a vendor's descriptor, `docs/vendors/<vendor>/vendor.yaml`, and find its SDK.

The descriptor is data about one vendor: its title, its hardware, and every *gap* of a gate: what the vendor's runtime
cannot do, permanently (`unsupported`) or for the time being (`expected_failure`), with reason and consequence. What the
vendor's map says is not said again here: the SDK, and the gaps that follow from missing slots. A vendor with a map needs no
descriptor; one that has no gaps in either claims the whole contract.
"""

from __future__ import annotations

import difflib
import os
import platform
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from generators.documents import Block, DocumentError, Table, read_document, shorten
from generators.elf import ElfError, read_library
from generators.files import ROOT
from generators.gates import list_gates
from generators.map import FILE as MAP
from generators.map import VENDORS, MapError, RuntimeMap, load_map
from generators.native_op import NativeError
from generators.native_op.table import FILE as OPERATORS
from generators.native_op.table import OperatorTable, read_table
from generators.sdk import FINDING, Sdk, check_sdk, read_sdk

DESCRIPTORS = VENDORS
DESCRIPTOR = "vendor.yaml"
SOURCES = ROOT / "csrc/runtime/accelerator"
SIMULATED_SDKS = ROOT / "build/sdks"

# What a gate may ask for beside the bare contract. A vendor lacks one only by declaring a gap with `capability:`.
CAPABILITIES = {
    "event_timing": "EventElapsedTime measures device time",
    "pending_work": "a call returns before the work is done that it gave to a stream",
    "stream_priorities": "DeviceGetStreamPriorityRange is wider than one priority",
    "pinned_host_memory": "MallocHost gives memory that asynchronous copies use without blocking the host",
    "several_devices": "GetDeviceCount may be more than one",
    "memory_info": "get_memory_info reports free and installed memory of the device",
    "block_cache": "freed blocks stay with our allocator; a vendor with `provides_caching` has one of its own",
    "external_kernels": "operators run kernels of the vendor's own torch, whose libraries are loaded before ours",
    "checked_copies": "a copy whose direction or range does not fit its pointers is refused, not undefined",
}

# PyTorch means Intel by it: a vendor of that name would be read wrongly in every message.
REFUSED_NAMES = {"xpu": "torch.xpu is PyTorch's namespace for Intel GPUs"}
VENDOR_NAME_IS = "lower-case letters, digits and _, a letter first"  # it is part of names of files and of macros


def is_vendor_name(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None


class VendorError(Exception):
    """A vendor, descriptor or SDK that cannot be used; the text says what was expected, found, and what to do."""


@dataclass(frozen=True)
class Gap:
    kind: str  # "unsupported": never; "expected_failure": until fixed, and passing again is a failure
    reason: str
    consequence: str
    where: str  # file:line of the entry
    gate: str = ""  # a gate id, or
    capability: str = ""  # one of CAPABILITIES


@dataclass(frozen=True)
class CudaLibraries:
    """What the libraries of the vendor's torch need beside themselves."""

    search: tuple[str, ...] = ()  # patterns of the folders that usually hold it
    packages: dict[str, str] = field(
        default_factory=dict
    )  # library, without its version -> the package that provides it


@dataclass(frozen=True)
class FoundSdk:
    path: Path
    include: Path
    library: Path
    simulated: str = ""  # a simulated SDK: what is proved with it holds for no hardware; how it says so
    more_include: tuple[Path, ...] = ()
    more_libraries: tuple[Path, ...] = ()

    @property
    def libraries(self) -> list[Path]:
        return [self.library, *self.more_libraries]

    @property
    def include_path(self) -> list[Path]:
        return [self.include, *self.more_include]


@dataclass(frozen=True)
class Vendor:
    name: str
    title: str
    handwritten: bool
    simulated: bool
    descriptor: Path
    sdk: Sdk | None = None
    hardware: tuple[str, ...] = ()  # a command that prints the hardware and its driver, one line a device
    dispatch_key: str = "CUDA"  # whose kernels its operators run where they are boxed
    cuda_libraries: CudaLibraries = CudaLibraries()
    gaps: tuple[Gap, ...] = field(default=())
    over: str = ""  # the vendor whose runtime it runs on, where that is another

    @property
    def runtime(self) -> str:
        """The vendor of the runtime library."""
        return self.over or self.name

    @property
    def sources(self) -> Path:
        return SOURCES / self.runtime

    def gap_for(self, gate: str, capabilities: tuple[str, ...]) -> Gap | None:
        """The gap that covers a gate, by its id or by a capability that it needs."""
        return next((gap for gap in self.gaps if gap.gate == gate or gap.capability in capabilities), None)


def known_vendors(descriptors: Path = DESCRIPTORS) -> list[str]:
    """Those with a descriptor, a map or a table of operators."""
    files = (DESCRIPTOR, MAP, OPERATORS)
    return sorted({path.parent.name for name in files for path in descriptors.glob(f"*/{name}")})


def load_vendor(name: str, descriptors: Path = DESCRIPTORS) -> Vendor:
    """The vendor of that name. Raises VendorError, which lists the known ones."""
    if name in REFUSED_NAMES:
        raise VendorError(f"'{name}' is refused as a vendor name: {REFUSED_NAMES[name]}; choose another name")
    path = descriptors / name / DESCRIPTOR
    if name not in known_vendors(descriptors):
        known = known_vendors(descriptors)
        near = difflib.get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise VendorError(
            f"no vendor '{name}' in {shorten(descriptors)}/: known are {', '.join(known)}{hint}\n"
            f"a new one begins with its map: pytest gates/runtime --vendor {name} --sdk-path DIR --recon"
        )
    if path.is_file():
        return read_descriptor(path)
    if path.with_name(MAP).is_file():
        return _from_map(_map_beside(path))
    return _from_operators(path.with_name(OPERATORS), descriptors)


# ---- the descriptor ------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "vendor": str,
    "title": str,
    "handwritten": bool,
    "simulated": bool,
    "sdk": FINDING,
    "hardware": [str],
    "dispatch_key": str,
    "cuda_libraries": {"search": [str], "packages": Table(str, "library")},
    "gaps": [{"kind": str, "gate": str, "capability": str, "reason": str, "consequence": str}],
}
GAP_KINDS = ("unsupported", "expected_failure")


def read_descriptor(path: Path) -> Vendor:
    """Parse and check a descriptor. Raises VendorError with every mistake as `file:line: message`."""
    where = shorten(path)
    try:
        data = read_document(path, SCHEMA, "the descriptor")
    except DocumentError as error:
        raise VendorError(str(error)) from None
    if mistakes := list(_check_meaning(data, path, where)):
        raise VendorError("\n".join(mistakes))
    runtime_map = _map_beside(path) if path.with_name(MAP).is_file() else None
    if runtime_map and "sdk" in data:
        raise VendorError(f"{where}:{data.lines['sdk']}: sdk: {MAP} beside it says this; delete it here")
    sdk = read_sdk(data["sdk"]) if "sdk" in data else None
    gaps = tuple(Gap(**gap, where=f"{where}:{gap.line}") for gap in data.get("gaps", ()))
    libraries = data.get("cuda_libraries", {})
    return Vendor(
        name=data["vendor"],
        title=data["title"],
        handwritten=data.get("handwritten", False),
        simulated=data["simulated"],
        descriptor=path,
        sdk=runtime_map.sdk if runtime_map else sdk,
        hardware=tuple(data.get("hardware", ())),
        dispatch_key=data.get("dispatch_key", "CUDA"),
        cuda_libraries=CudaLibraries(tuple(libraries.get("search", ())), dict(libraries.get("packages", {}))),
        gaps=gaps + (_gaps_of(runtime_map) if runtime_map else ()),
    )


def _map_beside(descriptor: Path) -> RuntimeMap:
    try:
        return load_map(descriptor.with_name(MAP))
    except MapError as error:
        raise VendorError(str(error)) from None


def _from_map(runtime_map: RuntimeMap) -> Vendor:
    """A vendor that has no descriptor: its map says enough."""
    gaps = _gaps_of(runtime_map)
    return Vendor(runtime_map.vendor, runtime_map.sdk.name, False, False, runtime_map.path, runtime_map.sdk, gaps=gaps)


def _from_operators(path: Path, descriptors: Path) -> Vendor:
    """A library of operators for the memory of another vendor's device."""
    try:
        table = read_table(path)
    except NativeError as error:
        raise VendorError(str(error)) from None
    if table.runtime == table.vendor:
        raise VendorError(f"{shorten(path)}: runtime: '{table.runtime}' has neither {DESCRIPTOR} nor {MAP} there")
    below = load_vendor(table.runtime, descriptors)
    return replace(below, name=table.vendor, title=table.title, descriptor=path, over=table.runtime)


def _gaps_of(runtime_map: RuntimeMap) -> tuple[Gap, ...]:
    """The capabilities that missing slots take away."""
    lost = runtime_map.lost_capabilities
    return tuple(Gap(c.kind, c.reason, c.consequence, c.where, capability=c.capability) for c in lost)


def _check_meaning(data: Block, path: Path, where: str) -> Iterator[str]:
    for key in ("vendor", "title", "simulated"):
        if key not in data:
            yield f"{where}:1: the key '{key}' is missing"
    if data.get("vendor") not in (None, path.parent.name):
        yield f"{where}:{data.lines['vendor']}: vendor: '{data['vendor']}' lies in a folder named '{path.parent.name}'"
    if "sdk" in data:
        yield from check_sdk(data["sdk"], f"{where}:{data['sdk'].line}: sdk")
    for gap in data.get("gaps", ()):
        at = f"{where}:{gap.line}: gaps"
        for key in ("kind", "reason", "consequence"):
            if not gap.get(key):
                yield f"{at}: the key '{key}' is missing"
        if gap.get("kind") not in (None, *GAP_KINDS):
            yield f"{at}: kind '{gap['kind']}' is unknown; known are {', '.join(GAP_KINDS)}"
        if bool(gap.get("gate")) == bool(gap.get("capability")):
            yield f"{at}: give one of 'gate' and 'capability'"
        gate = gap.get("gate", "")
        if gate.split(".")[1:2] == ["contract"]:
            yield f"{at}: '{gate}' is the contract itself and has no gaps; name the capability or the behaviour"
        elif gate and gate not in (known := [known.id for known in list_gates()]):
            near = difflib.get_close_matches(gate, known, 1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            yield f"{at}: no gate has the id '{gate}'; {hint}see docs/gates.md"
        if gap.get("capability", "event_timing") not in CAPABILITIES:
            yield f"{at}: capability '{gap['capability']}' is unknown; known are {', '.join(CAPABILITIES)}"


# ---- the SDK -------------------------------------------------------------------------------------


def find_sdk(vendor: Vendor, path: Path | None = None) -> FoundSdk | None:
    """The vendor's SDK: `path` (from --sdk-path), else the vendor's environment variables, else the usual places.

    None if the vendor needs none. Raises VendorError: one message that names every place looked at.
    """
    if vendor.sdk is None:
        if path is not None:
            raise VendorError(f"--sdk-path {path}: vendor '{vendor.name}' needs no SDK; leave the option out")
        return None
    if path is None:
        return _look_around(vendor.sdk, vendor.name, "--sdk-path DIR")
    if not path.is_dir():
        raise VendorError(f"--sdk-path {path}: no such directory; give the root of {vendor.sdk.name}")
    found, missing = _look_in(path, vendor.sdk)
    if found is None:
        raise VendorError(
            f"--sdk-path {path}: no {vendor.sdk.name} there: {missing}; "
            f"give the folder that contains include/{vendor.sdk.headers[0]}"
        )
    return found


def find_operator_library(table: OperatorTable, file: Path | None = None) -> FoundSdk:
    """A table's library and its headers: `file` (from --op-lib) and the headers of the folder above that has them, else where
    the table says. Raises VendorError."""
    sdk = table.library
    if file is None:
        return _look_around(sdk, table.vendor, "--op-lib FILE")
    if not file.is_file():
        if file.absolute().is_relative_to(SIMULATED_SDKS):
            raise VendorError(f"--op-lib {file}: no such file; the simulated libraries are built by: make sdks")
        raise VendorError(f"--op-lib {file}: no such file; give the library itself, {sdk.library}")
    if problem := wrong_architecture(file):
        raise VendorError(f"--op-lib: {problem}")
    for folder in file.absolute().parents:
        if all((folder / "include" / header).is_file() for header in sdk.headers):
            return FoundSdk(folder, folder / "include", file.absolute(), simulation_of(file))
    raise VendorError(f"--op-lib {file}: its headers, include/{sdk.headers[0]}, are in no folder above it")


def _look_around(sdk: Sdk, vendor: str, option: str) -> FoundSdk:
    """In the places that environment variables name, then in the usual ones."""
    candidates = [(f"${name}", os.environ[name]) for name in sdk.environment if os.environ.get(name)]
    purelib = sysconfig.get_path("purelib")
    candidates += [("usual place", place.format(purelib=purelib)) for place in sdk.places]
    looked = []
    for origin, place in candidates:
        found, missing = _look_in(Path(place), sdk)
        if found is not None:
            return found
        looked.append(f"  {place} ({origin}): {missing}")
    unset = [f"${name}" for name in sdk.environment if not os.environ.get(name)]
    remedy = f"pass {option}" + (f" or set {' or '.join(unset)}" if unset else "")
    places = (
        ["looked in:", *looked] if looked else ["no usual place is known: sdk.places of the vendor's map names them"]
    )
    raise VendorError("\n".join([f"no {sdk.name} found for vendor '{vendor}'; {remedy}", *places]))


def _look_in(root: Path, sdk: Sdk) -> tuple[FoundSdk | None, str]:
    """The SDK below `root`, or None and what is missing."""
    root = root.absolute()  # the build runs in another directory
    if not root.is_dir():
        return None, "no such directory"
    include = next((d for d in directories(root, "include") if all((d / h).is_file() for h in sdk.headers)), None)
    if include is None:
        return None, f"{', '.join(sdk.headers)} not found in {root}/include"
    libraries = []
    for names in ((sdk.library, *sdk.also_named), *((name,) for name in sdk.more_libraries)):
        library, missing = _library_below(root, names)
        if library is None:
            return None, missing
        libraries.append(library)
    more = tuple(root / folder for folder in sdk.include)
    simulated = next(filter(None, map(simulation_of, libraries)), "")
    return FoundSdk(root, include, libraries[0], simulated, more, tuple(libraries[1:])), ""


def _library_below(root: Path, names: tuple[str, ...]) -> tuple[Path | None, str]:
    """A library by any of its names, or None and what is missing."""
    patterns = [pattern for name in names for pattern in (name, f"{name}.*")]
    found = [file for d in directories(root, "lib*") for name in patterns for file in sorted(d.glob(name))]
    if not found:
        return None, f"library {' or '.join(names)} not found in {root}/lib or {root}/lib64"
    problems = [wrong_architecture(file) for file in found]
    if None not in problems:
        return None, str(problems[0])
    return found[problems.index(None)], ""  # an SDK may hold the libraries of several machines


def directories(root: Path, name: str) -> Iterator[Path]:
    """SDK layouts: DIR/include, DIR/targets/x86_64-linux/include, DIR/lib/x86_64-linux-gnu, DIR/xre/lib."""
    for pattern in (name, f"targets/*/{name}", f"{name}/*-linux-gnu", f"*/{name}"):
        yield from sorted(path for path in root.glob(pattern) if path.is_dir())


def wrong_architecture(library: Path) -> str | None:
    """What is wrong if `library` is no ELF file for this machine, else None."""
    expected = {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64"}.get(platform.machine())
    try:
        with library.open("rb") as file:
            found = ELFFile(file)["e_machine"]
    except Exception as error:  # pyelftools raises many types for a file that is no ELF
        return f"{library} is not an ELF library ({error})"
    if expected and found != expected:
        return f"{library} is for {str(found).removeprefix('EM_')}, this machine is {platform.machine()}"
    return None


SIMULATED_SDK = "simulated SDK: no evidence for hardware"
SIMULATED_SECTION = ".flagos.simulated"  # of a library that says so


def simulation_of(library: Path) -> str:
    """What a library, or one that it links from beside it, says of itself if it only simulates an SDK: empty if none does."""
    with library.open("rb") as file:
        marker = ELFFile(file).get_section_by_name(SIMULATED_SECTION)
        if marker is not None:
            words = marker.data().partition(b"\0")[0].decode(errors="replace")
            return words if words.startswith(SIMULATED_SDK) else SIMULATED_SDK
    try:
        found = read_library(library)
    except ElfError:  # it links nothing
        return ""
    places = [Path(folder) / name for folder in found.search for name in found.needed]
    return next((words for place in places if place.is_file() and (words := simulation_of(place))), "")


def hardware_of(vendor: Vendor) -> str:
    """One line about the hardware that gates ran on, for the report and for evidence."""
    if not vendor.hardware:
        return f"{vendor.title} on {platform.machine()}, {os.cpu_count()} CPUs"
    try:
        output = subprocess.run(vendor.hardware, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown ({vendor.hardware[0]}: {type(error).__name__})"
    return "; ".join(line.strip() for line in output.splitlines() if line.strip())
