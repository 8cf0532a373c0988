"""What the SDK at hand declares and exports, and how it differs from the one that a map was made from."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from generators.declaration import Declaration
from generators.files import digest
from generators.recon.headers import SdkFunction, read_headers
from generators.recon.libraries import Library, read_library
from generators.recon.readings import sdk_version
from generators.recon.roles import understand
from generators.sdk import Sdk
from generators.vendor import FoundSdk


@dataclass(frozen=True)
class SdkFacts:
    root: Path
    version: str
    functions: dict[str, SdkFunction]
    libraries: tuple[Library, ...]

    @property
    def exports(self) -> set[str]:
        return {name for library in self.libraries for name in library.exports}

    def nearest(self, name: str) -> str:
        """Functions that the SDK does have, likest first."""
        known = {*self.functions, *self.exports} - {name}
        return ", ".join(difflib.get_close_matches(name, sorted(known), 3)) or "none"

    def declaration(self, name: str) -> Declaration | None:
        return self.functions[name].declaration if name in self.functions else None


def read_sdk_facts(sdk: Sdk, found: FoundSdk) -> SdkFacts:
    """Raises ReconError."""
    scope = Path(os.path.commonpath([(found.include / header).parent for header in sdk.headers]))
    headers = read_headers(sdk.headers, found.include_path, scope, sdk.defines)
    libraries = tuple(read_library(library) for library in found.libraries)
    version = sdk_version(understand(headers, [found.include / name for name in sdk.headers]), libraries[0])
    return SdkFacts(found.path, version, {f.name: f for f in headers.functions}, libraries)


def changed_files(sdk: Sdk, root: Path) -> list[str]:
    """Files of the SDK that the map was made from and that are others here, or gone."""
    return [
        f"{name} ({'changed' if (root / name).is_file() else 'gone'})"
        for name, expected in sdk.hashes.items()
        if not (root / name).is_file() or digest(root / name) != expected
    ]
