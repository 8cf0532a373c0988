"""Look at an SDK and propose a map of it. The SDK is only read, and that is proved; two files are written."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from generators.documents import shorten
from generators.files import write_if_changed
from generators.map import FILE, VENDORS, MapError, RuntimeMap, load_map
from generators.map.schema import CONTRACT_SLOTS
from generators.recon.drafting import Draft
from generators.recon.headers import ReconError, needs_extern_c, read_headers
from generators.recon.lexicon import SENSES, concepts_of, words_of
from generators.recon.libraries import Library, choose_library, has_library
from generators.recon.proposal import Proposal, propose
from generators.recon.roles import Api, understand
from generators.reports import render_map_page
from generators.sdk import Sdk
from generators.vendor import (
    DESCRIPTOR,
    REFUSED_NAMES,
    VENDOR_NAME_IS,
    VendorError,
    directories,
    is_vendor_name,
    load_vendor,
)


@dataclass(frozen=True)
class Request:
    vendor: str
    sdk_path: Path
    headers: tuple[str, ...] = ()  # below an include directory; looked for where none is named
    library: str = ""
    include: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()

    def with_header(self, name: str = "FILE") -> str:
        """The command that reads another header; pytest's --recon has no such option."""
        command = ["python", "-m", "generators.recon", "--vendor", self.vendor, "--sdk-path", str(self.sdk_path)]
        command += ["--library", self.library] if self.library else []
        command += [word for folder in self.include for word in ("--include", str(folder))]
        command += [word for define in self.defines for word in ("--define", define)]
        return shlex.join([*command, "--header", name])


@dataclass(frozen=True)
class Candidate:
    """A header, and for how many slots it has a function that says so."""

    count: int
    name: str

    def __str__(self) -> str:
        return f"  --header {self.name}   (sounds like {self.count} of the 28 slots)"


@dataclass
class Survey:
    """What recon found and wrote."""

    api: Api
    library: Library | None
    proposals: list[Proposal]
    text: str
    others: tuple[Candidate, ...] = ()  # headers that look like a runtime API as well, if the one read was looked for
    map: RuntimeMap | None = None


def survey(request: Request) -> Survey:
    """Read the SDK and propose; writes nothing. Raises ReconError."""
    root = request.sdk_path.absolute()
    if not root.is_dir():
        raise ReconError(f"--sdk-path {request.sdk_path}: no such directory; give the root of the SDK")
    sdk = _known_sdk(request.vendor)
    includes = [folder for folder in directories(root, "include")]
    if not includes:
        raise ReconError(
            f"{root} has no include directory: an SDK without headers cannot be read; "
            "give its root, or --include DIR if headers lie elsewhere"
        )
    named = request.headers or (sdk.headers if sdk else ())
    candidates = [] if named else find_headers(includes, request)
    names = named or (candidates[0].name,)
    include = _include_of(includes, names, request)
    search = [
        include,
        *(root / folder for folder in (sdk.include if sdk else ())),
        *map(Path.absolute, request.include),
    ]
    defines = request.defines or (sdk.defines if sdk else ())
    scope = (include / names[0]).parent if Path(names[0]).parent != Path(".") else include
    before = _manifest(root, scope)
    headers = read_headers(names, search, scope, defines)
    if not headers.functions:
        raise ReconError(f"{include / names[0]} declares no function")
    api = understand(headers, [include / name for name in names])
    exported = [f.symbol for f in api.functions if not f.inline]
    file = request.library or (sdk.library if sdk else "")
    library = choose_library(root, exported, file) if has_library(root) or not file else None
    proposals = propose(api, library.exports if library else None)
    plain = f"{library.path.name.partition('.so')[0]}.so" if library else file
    known = Sdk(
        name=sdk.name if sdk else f"{request.vendor} SDK",
        headers=tuple(names),
        library=plain,
        environment=sdk.environment if sdk else (),
        places=sdk.places if sdk else (),
        include=tuple(str(folder.relative_to(root)) for folder in search[1:] if folder.is_relative_to(root)),
        extern_c=needs_extern_c(headers, names, search, scope),
    )
    text = Draft(request.vendor, api, proposals, library, root, known).text()
    if (after := _manifest(root, scope)) != before:
        changed = ", ".join(sorted({path for path, _ in before ^ after}))
        raise ReconError(f"the SDK changed while it was read: {changed}")
    return Survey(api, library, proposals, text, tuple(candidates[1:]))


def recon(request: Request) -> Survey:
    """Survey the SDK, then write the map and its page: both whole, or neither. Raises ReconError."""
    path = VENDORS / request.vendor / FILE
    _refuse_name(request.vendor)
    _refuse_reviewed(path)
    found = survey(request)
    found.map = write_map(path, found.text)
    return found


def write_map(path: Path, text: str) -> RuntimeMap:
    """Write a proposed map and its page, if it is a valid one."""
    try:
        proposed = load_map(path, text)
    except MapError as error:
        raise ReconError(f"the proposal is no valid map, a fault of recon; nothing was written:\n{error}") from None
    page = render_map_page(proposed)
    write_if_changed(path, text)
    write_if_changed(path.with_suffix(".md"), page)
    return proposed


def _refuse_name(vendor: str) -> None:
    if vendor in REFUSED_NAMES:
        raise ReconError(f"'{vendor}' is refused as a vendor name: {REFUSED_NAMES[vendor]}; choose another name")
    if not is_vendor_name(vendor):
        raise ReconError(f"'{vendor}' is no vendor name: {VENDOR_NAME_IS}")


def _refuse_reviewed(path: Path) -> None:
    """A map that a person has worked on is not replaced by a proposal."""
    if not path.is_file():
        return
    try:
        existing = load_map(path)
    except MapError as error:
        raise ReconError(f"{shorten(path)} is there and cannot be read; mend or delete it first:\n{error}") from None
    if existing.reviewed:
        confirmed = sum(slot.source.confirmed for slot in existing.slots.values())
        raise ReconError(
            f"{shorten(path)} has been reviewed ({confirmed} of 28 slots are confirmed): recon does not replace it. "
            "To have a new proposal, delete it first; git keeps the old one to compare with"
        )


def _known_sdk(vendor: str) -> Sdk | None:
    """What the vendor's map or descriptor says of its SDK, if there is one."""
    if not any((VENDORS / vendor / name).is_file() for name in (DESCRIPTOR, FILE)):
        return None
    try:
        known = load_vendor(vendor, VENDORS)
    except VendorError as error:
        raise ReconError(str(error)) from None
    if known.handwritten and known.sdk is None:
        raise ReconError(f"vendor '{vendor}' is written by hand and needs no SDK, so it has no map")
    return known.sdk


# ---- which header --------------------------------------------------------------------------------

CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
LARGEST = 4 << 20  # bytes; no header of a runtime API is larger
A_RUNTIME = 8  # slots that a header sounds like, at least, if it declares a runtime API
SIMPLE = {name: set(sense.needs) for name, sense in SENSES.items() if name in CONTRACT_SLOTS}


def find_headers(includes: Iterable[Path], request: Request) -> list[Candidate]:
    """The header that declares most of a runtime API, by the names in it, and after it those that look like one as well.

    Raises ReconError if none does or it cannot be told which."""
    covered: dict[Path, Candidate] = {}
    for include in includes:
        for file in sorted(include.rglob("*.h")):
            if file.stat().st_size <= LARGEST and (
                count := _coverage(file.read_text(encoding="utf-8", errors="replace"))
            ):
                covered.setdefault(file.resolve(), Candidate(count, str(file.relative_to(include))))
    if not covered:
        raise ReconError(
            f"no header below {', '.join(map(str, includes))} declares a runtime API; name it: {request.with_header()}"
        )
    ranked = sorted(covered.values(), key=lambda header: (-header.count, len(header.name)))
    best = [header for header in ranked if header.count >= ranked[0].count - 1]
    shallow = min(header.name.count("/") for header in best)
    best = [header for header in best if header.name.count("/") == shallow]  # details lie deeper than what is public
    best = [h for h in best if {"runtime", "rt"} & {*words_of(Path(h.name).stem)}] or best  # not the driver's
    if ranked[0].count < A_RUNTIME or len(best) > 1:
        lines = map(str, ranked[:5])
        command = request.with_header().removesuffix(" --header FILE")
        raise ReconError("\n".join([f"which header declares the runtime API? Run {command} with one of:", *lines]))
    found = [best[0]]
    for header in ranked:
        inside = any(Path(other.name).parent in Path(header.name).parents[1:-1] for other in found)  # is a detail of it
        if header.count >= A_RUNTIME and header != best[0] and not inside:
            found.append(header)
    return found


def _coverage(text: str) -> int:
    """For how many slots a header has a function that says so, under the prefix of most of its functions."""
    names = set(CALLED.findall(text))
    prefixes = Counter(words[0] for name in names if len(words := words_of(name)) > 1)
    if not prefixes:
        return 0
    prefix = prefixes.most_common(1)[0][0]
    said = []
    for name in names:
        words = words_of(name)
        if words and words[0] == prefix:
            said.append({concept for word in words[1:] for concept in concepts_of(word)})
    return sum(
        any(needs == concepts or needs == concepts - {"mem", "get"} for concepts in said) for needs in SIMPLE.values()
    )


def _include_of(includes: list[Path], names: tuple[str, ...], request: Request) -> Path:
    for include in includes:
        if all((include / name).is_file() for name in names):
            return include
    raise ReconError(
        f"{', '.join(names)} not found below {', '.join(map(str, includes))}; name it: {request.with_header()}"
    )


# ---- the SDK is untouched ------------------------------------------------------------------------


def _manifest(root: Path, scope: Path) -> set[tuple[str, str]]:
    """Every file of the headers' folder and of those that hold libraries, with what would show that it was written to."""
    libraries = [file for folder in directories(root, "lib*") for file in folder.iterdir()]
    found = set()
    for file in [*scope.rglob("*"), *libraries]:
        status = file.lstat()
        found.add((str(file), f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"))
    return found
