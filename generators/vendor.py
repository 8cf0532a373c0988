"""Read and check a vendor's descriptor, `docs/vendors/<vendor>/vendor.yaml`, and find its SDK.

The descriptor is data about one vendor. It names the SDK and where it usually is, and every *gap*: what the vendor's
runtime cannot do, permanently (`unsupported`) or for the time being (`expected_failure`), with reason and consequence.
A vendor that has no `gaps` claims the whole contract.
"""

from __future__ import annotations

import difflib
import os
import platform
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from elftools.elf.elffile import ELFFile

from generators.files import ROOT

DESCRIPTORS = ROOT / "docs/vendors"
SOURCES = ROOT / "csrc/runtime/accelerator"

# What a gate may ask for beside the bare contract. A vendor lacks one only by declaring a gap with `capability:`.
CAPABILITIES = {
    "event_timing": "EventElapsedTime measures device time",
    "stream_priorities": "DeviceGetStreamPriorityRange is wider than one priority",
    "pinned_host_memory": "MallocHost gives memory that asynchronous copies use without blocking the host",
    "memory_info": "get_memory_info reports free and installed memory of the device",
    "checked_copies": "a copy whose direction or range does not fit its pointers is refused, not undefined",
}

# PyTorch means Intel by it: a vendor of that name would be read wrongly in every message.
REFUSED_NAMES = {"xpu": "torch.xpu is PyTorch's namespace for Intel GPUs"}


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
class Sdk:
    """How a vendor's SDK is recognised: every header and the library must be found below one directory."""

    name: str
    headers: tuple[str, ...]
    library: str
    environment: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundSdk:
    path: Path
    include: Path
    library: Path
    version: str  # as the library's file name has it; "unknown" if it has none


@dataclass(frozen=True)
class Vendor:
    name: str
    title: str
    handwritten: bool
    simulated: bool
    descriptor: Path
    sdk: Sdk | None = None
    hardware: tuple[str, ...] = ()  # a command that prints the hardware and its driver, one line a device
    gaps: tuple[Gap, ...] = field(default=())

    @property
    def sources(self) -> Path:
        return SOURCES / self.name

    def gap_for(self, gate: str, capabilities: tuple[str, ...]) -> Gap | None:
        """The gap that covers a gate, by its id or by a capability that it needs."""
        return next((gap for gap in self.gaps if gap.gate == gate or gap.capability in capabilities), None)


def known_vendors(descriptors: Path = DESCRIPTORS) -> list[str]:
    return sorted(path.parent.name for path in descriptors.glob("*/vendor.yaml"))


def load_vendor(name: str, descriptors: Path = DESCRIPTORS) -> Vendor:
    """The vendor of that name. Raises VendorError, which lists the known ones."""
    if name in REFUSED_NAMES:
        raise VendorError(f"'{name}' is refused as a vendor name: {REFUSED_NAMES[name]}; choose another name")
    path = descriptors / name / "vendor.yaml"
    if name not in known_vendors(descriptors):
        known = known_vendors(descriptors)
        near = difflib.get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        where = _short(descriptors)
        raise VendorError(f"no vendor '{name}' in {where}/: known are {', '.join(known)}{hint}")
    return read_descriptor(path)


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


# ---- the descriptor ------------------------------------------------------------------------------

SCHEMA = {
    "vendor": str,
    "title": str,
    "handwritten": bool,
    "simulated": bool,
    "sdk": {"name": str, "environment": list, "places": list, "headers": list, "library": str},
    "hardware": list,
    "gaps": [{"kind": str, "gate": str, "capability": str, "reason": str, "consequence": str}],
}
GAP_KINDS = ("unsupported", "expected_failure")


def read_descriptor(path: Path) -> Vendor:
    """Parse and check a descriptor. Raises VendorError with every mistake as `file:line: message`."""
    where = _short(path)
    text = path.read_bytes()
    try:
        root = yaml.compose(text.decode(), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise VendorError(f"{where}:{_line_of(error, text)}: not valid YAML: {problem}") from None
    if not isinstance(root, yaml.MappingNode):
        raise VendorError(f"{where}:1: expected keys such as 'vendor:', found {_words(root) if root else 'nothing'}")
    mistakes = list(_check(root, SCHEMA, where, ""))
    data = yaml.SafeLoader("").construct_document(root) if not mistakes else {}
    if not mistakes:
        mistakes = list(_check_meaning(root, data, path, where))
    if mistakes:
        raise VendorError("\n".join(mistakes))
    sdk = data.get("sdk")
    nodes = {key.value: value for key, value in root.value}
    gap_lines = [node.start_mark.line + 1 for node in nodes["gaps"].value] if "gaps" in nodes else []
    return Vendor(
        name=data["vendor"],
        title=data["title"],
        handwritten=data.get("handwritten", False),
        simulated=data["simulated"],
        descriptor=path,
        sdk=Sdk(
            name=sdk["name"],
            headers=tuple(sdk["headers"]),
            library=sdk["library"],
            environment=tuple(sdk.get("environment", ())),
            places=tuple(sdk.get("places", ())),
        )
        if sdk
        else None,
        hardware=tuple(data.get("hardware", ())),
        gaps=tuple(
            Gap(**gap, where=f"{where}:{line}") for gap, line in zip(data.get("gaps", ()), gap_lines, strict=True)
        ),
    )


def _line_of(error: Exception, text: bytes) -> int:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return error.problem_mark.line + 1
    if isinstance(error, UnicodeDecodeError):
        return text.count(b"\n", 0, error.start) + 1
    if isinstance(error, yaml.reader.ReaderError):
        return text.decode().count("\n", 0, error.position) + 1
    return 1


def _words(node: yaml.Node) -> str:
    """What a node is, for a message."""
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "keys"


def _is(node: yaml.Node, kind: type) -> bool:
    """Whether a node is what YAML itself makes of a `kind`; an explicit tag can claim what the text is not."""
    nodes: dict[type, type] = {dict: yaml.MappingNode, list: yaml.SequenceNode}
    names: dict[type, str] = {dict: "map", list: "seq"}
    if not isinstance(node, nodes.get(kind, yaml.ScalarNode)):
        return False
    if kind is bool and node.value.lower() not in yaml.SafeLoader.bool_values:
        return False
    return node.tag == f"tag:yaml.org,2002:{names.get(kind, kind.__name__)}"


def _check(node: yaml.Node, schema: object, where: str, path: str) -> Iterator[str]:
    """Every difference between a YAML node and the schema, with its line."""
    at = f"{where}:{node.start_mark.line + 1}: {path.rstrip('.') or 'the descriptor'}"
    if isinstance(schema, dict):
        if not _is(node, dict):
            yield f"{at}: expected keys ({', '.join(schema)}), found {_words(node)}"
            return
        seen: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not _is(key, str):
                yield f"{where}:{line}: {path.rstrip('.') or 'the descriptor'}: a key must be a word, found {_words(key)}"
                continue
            if key.value in seen:
                yield f"{where}:{line}: {path}{key.value}: given twice (first on line {seen[key.value]})"
            elif key.value not in schema:
                near = difflib.get_close_matches(key.value, schema, 1)
                hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(schema)}"
                yield f"{where}:{line}: {path}{key.value}: unknown key; {hint}"
            else:
                yield from _check(value, schema[key.value], where, f"{path}{key.value}.")
            seen.setdefault(key.value, line)
    elif isinstance(schema, list):
        if not _is(node, list):
            yield f"{at}: expected a list, found {_words(node)}"
            return
        for index, value in enumerate(node.value):
            yield from _check(value, schema[0], where, f"{path.rstrip('.')}[{index}].")
    elif schema is list:
        if not _is(node, list) or not all(_is(value, str) for value in node.value):
            yield f"{at}: expected a list of strings"
    elif isinstance(schema, type) and not _is(node, schema):
        kind = {"str": "a string", "bool": "true or false"}[schema.__name__]
        yield f"{at}: expected {kind}, found {_words(node)}"


def _check_meaning(root: yaml.Node, data: dict, path: Path, where: str) -> Iterator[str]:
    for key in ("vendor", "title", "simulated"):
        if key not in data:
            yield f"{where}:1: the key '{key}' is missing"
    lines = {key.value: value for key, value in root.value}
    if data.get("vendor") not in (None, path.parent.name):
        line = lines["vendor"].start_mark.line + 1
        yield f"{where}:{line}: vendor: '{data['vendor']}' lies in a folder named '{path.parent.name}'"
    if "sdk" in data:
        yield from _check_sdk(data["sdk"], f"{where}:{lines['sdk'].start_mark.line + 1}: sdk")
    for gap, node in zip(data.get("gaps", ()), lines["gaps"].value if "gaps" in lines else (), strict=True):
        at = f"{where}:{node.start_mark.line + 1}: gaps"
        for key in ("kind", "reason", "consequence"):
            if not gap.get(key):
                yield f"{at}: the key '{key}' is missing"
        if gap.get("kind") not in (None, *GAP_KINDS):
            yield f"{at}: kind '{gap['kind']}' is unknown; known are {', '.join(GAP_KINDS)}"
        if bool(gap.get("gate")) == bool(gap.get("capability")):
            yield f"{at}: give one of 'gate' and 'capability'"
        if gap.get("gate", "").split(".")[1:2] == ["contract"]:
            yield f"{at}: '{gap['gate']}' is the contract itself and has no gaps; name the capability or the behaviour"
        if gap.get("capability", "event_timing") not in CAPABILITIES:
            yield f"{at}: capability '{gap['capability']}' is unknown; known are {', '.join(CAPABILITIES)}"


def _check_sdk(sdk: dict, at: str) -> Iterator[str]:
    for key in ("name", "headers", "library"):
        if not sdk.get(key):
            yield f"{at}: the key '{key}' is missing or empty"
    for file in (*sdk.get("headers", ()), sdk.get("library", "")):
        if Path(file).is_absolute() or ".." in Path(file).parts or set(file) & set("*?[\0"):
            yield f"{at}: '{file}' must be a name below the SDK's include or library directory, without wildcards"
    for place in sdk.get("places", ()):
        if not re.fullmatch(r"([^{}]|\{purelib\})*", place):
            yield f"{at}: places: '{place}': the only placeholder is {{purelib}}, where Python packages are installed"


# ---- the SDK -------------------------------------------------------------------------------------


def find_sdk(vendor: Vendor, path: Path | None = None) -> FoundSdk | None:
    """The vendor's SDK: `path` (from --sdk-path), else the vendor's environment variables, else the usual places.

    None if the vendor needs none. Raises VendorError: one message that names every place looked at.
    """
    if vendor.sdk is None:
        if path is not None:
            raise VendorError(f"--sdk-path {path}: vendor '{vendor.name}' needs no SDK; leave the option out")
        return None
    if path is not None:
        if not path.is_dir():
            raise VendorError(f"--sdk-path {path}: no such directory; give the root of {vendor.sdk.name}")
        found, missing = _look_in(path, vendor.sdk)
        if found is None:
            raise VendorError(f"--sdk-path {path}: not a {vendor.sdk.name}: {missing}")
        return found
    candidates = [(f"${name}", os.environ[name]) for name in vendor.sdk.environment if os.environ.get(name)]
    purelib = sysconfig.get_path("purelib")
    candidates += [("usual place", place.format(purelib=purelib)) for place in vendor.sdk.places]
    looked = []
    for origin, place in candidates:
        found, missing = _look_in(Path(place), vendor.sdk)
        if found is not None:
            return found
        looked.append(f"  {place} ({origin}): {missing}")
    unset = [f"${name}" for name in vendor.sdk.environment if not os.environ.get(name)]
    remedy = "pass --sdk-path DIR" + (f" or set {' or '.join(unset)}" if unset else "")
    raise VendorError(
        "\n".join([f"no {vendor.sdk.name} found for vendor '{vendor.name}'; {remedy}. Looked in:", *looked])
    )


def _look_in(root: Path, sdk: Sdk) -> tuple[FoundSdk | None, str]:
    """The SDK below `root`, or None and what is missing."""
    root = root.absolute()  # the build runs in another directory
    if not root.is_dir():
        return None, "no such directory"
    include = next((d for d in _directories(root, "include") if all((d / h).is_file() for h in sdk.headers)), None)
    if include is None:
        return None, f"{', '.join(sdk.headers)} not found in {root}/include"
    versions = [sdk.library, f"{sdk.library}.*"]
    libraries = [file for d in _directories(root, "lib*") for name in versions for file in sorted(d.glob(name))]
    if not libraries:
        return None, f"library {sdk.library} not found in {root}/lib or {root}/lib64"
    problems = [wrong_architecture(file) for file in libraries]
    if None not in problems:
        return None, str(problems[0])
    library = libraries[problems.index(None)]  # an SDK may hold the libraries of several machines
    version = library.resolve().name.partition(".so.")[2] or "unknown"
    return FoundSdk(root, include, library, version), ""


def _directories(root: Path, name: str) -> Iterator[Path]:
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


def hardware_of(vendor: Vendor) -> str:
    """One line about the hardware that gates ran on, for the report and for evidence."""
    if not vendor.hardware:
        return f"{vendor.title} on {platform.machine()}, {os.cpu_count()} CPUs"
    try:
        output = subprocess.run(vendor.hardware, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown ({vendor.hardware[0]}: {type(error).__name__})"
    return "; ".join(line.strip() for line in output.splitlines() if line.strip())
