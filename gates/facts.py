"""What the SDK at hand declares and exports, and how it differs from the one that a map was made from."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from generators.declaration import Declaration
from generators.files import digest
from generators.map import RuntimeMap
from generators.recon.headers import SdkFunction, read_headers
from generators.recon.libraries import Library, read_library
from generators.recon.proposal import propose
from generators.recon.readings import sdk_version
from generators.recon.roles import Api, understand
from generators.sdk import Sdk
from generators.vendor import FoundSdk


@dataclass(frozen=True)
class SdkFacts:
    root: Path
    version: str
    api: Api
    libraries: tuple[Library, ...]

    @cached_property
    def exports(self) -> frozenset[str]:
        return frozenset(name for library in self.libraries for name in library.exports)

    @cached_property
    def functions(self) -> dict[str, SdkFunction]:
        return {function.name: function for function in self.api.headers.functions}

    @cached_property
    def words(self) -> set[str]:
        """Every word of the headers: a constant that is none of them is gone, however it was defined."""
        texts = (file.read_text(encoding="utf-8", errors="replace") for file in self.api.headers.files)
        return {word for text in texts for word in re.findall(r"\w+", text)}

    def templates(self, name: str) -> list[Declaration]:
        """The templates of functions of that name."""
        declared = (function.declaration for function in self.api.headers.of_cxx)
        return [declaration for declaration in declared if declaration.name == name and declaration.template]

    def instantiates(self, template: str) -> bool:
        """Whether the library exports an instance of a template of functions, by its mangled name."""
        return any(f"{len(template)}{template}I" in symbol for symbol in self.exports)

    def nearest(self, name: str) -> str:
        """Functions that the SDK does have, likest first."""
        return _nearest(name, {*self.functions, *self.exports} - {name})

    def declaration(self, name: str) -> Declaration | None:
        return self.functions[name].declaration if name in self.functions else None

    def links(self, name: str) -> bool:
        """Whether a function is there to be linked: exported, or defined by its header."""
        declared = self.functions.get(name)
        return (declared.symbol if declared else name) in self.exports or bool(declared and declared.inline)


def _nearest(name: str, known: Iterable[str]) -> str:
    return ", ".join(difflib.get_close_matches(name, sorted(known), 3)) or "none"


def read_sdk_facts(sdk: Sdk, found: FoundSdk) -> SdkFacts:
    """Raises ReconError."""
    scope = Path(os.path.commonpath([(found.include / header).parent for header in sdk.headers]))
    headers = read_headers(sdk.headers, found.include_path, scope, sdk.defines)
    libraries = tuple(read_library(library) for library in found.libraries)
    api = understand(headers, [found.include / name for name in sdk.headers])
    return SdkFacts(found.path, sdk_version(api, libraries[0]), api, libraries)


def differences(runtime_map: RuntimeMap, facts: SdkFacts) -> Iterator[str]:
    """What a person has to look at where a map meets another SDK than its own, one line each: what the map uses and is gone
    or changed, what fills a slot now that the map has nothing for, and the files that are others."""
    for path, call in runtime_map.calls:
        name, found = call.declaration.name, facts.declaration(call.declaration.name)
        if found is None:
            yield f"{path}: {name} is gone; nearest: {facts.nearest(name)}"
        elif found.types != call.declaration.types:
            yield f"{path}: {call.declaration}  →  {found}"
        elif not facts.links(name):
            yield f"{path}: {name} is declared, but no longer exported; nearest: {facts.nearest(name)}"
    for path, name in runtime_map.constants:
        if name not in facts.words:
            yield f"{path}: {name} is gone; nearest: {_nearest(name, facts.words)}"
    missing = {slot.name for slot in runtime_map.entries if slot.missing}
    for proposal in propose(facts.api, facts.exports):
        if proposal.slot.name in missing and proposal.candidate and facts.links(proposal.symbol):
            yield f"{proposal.slot.name}: missing in the map; here there is {proposal.signature}"
    for file, expected in runtime_map.sdk.hashes.items():
        here = facts.root / file
        if not here.is_file() or digest(here) != expected:
            yield f"{file}: {'changed' if here.is_file() else 'gone'}"
