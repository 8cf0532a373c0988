"""What a vendor's SDK is called, how it is recognised, and what its headers want of a compiler.

The vendor's map states it, or the descriptor of a vendor that has no map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.documents import Choice, Table

# How the SDK is found: this much a descriptor may say, too.
FINDING = {"name": str, "environment": [str], "places": [str], "headers": [str], "library": str}
SDK_SCHEMA: dict[str, Any] = FINDING | {
    "also_named": [str],
    "version": str,
    "soname": str,
    "include": [str],
    "defines": [str],
    "language": Choice(("c", "c++"), "language"),
    "hashes": Table(str, "file"),
}


@dataclass(frozen=True)
class Sdk:
    """Every header and the library must be found below one directory."""

    name: str
    headers: tuple[str, ...]
    library: str
    environment: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    also_named: tuple[str, ...] = ()  # other file names of the library, in other releases of the SDK
    version: str = ""  # of the SDK that the map was made from, as its headers or its library state it
    soname: str = ""
    include: tuple[str, ...] = ()  # include directories below the root, beside the one that holds the headers
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE
    language: str = "c"  # "c++": the headers do not parse as C
    hashes: dict[str, str] = field(default_factory=dict)  # file below the root -> SHA-256


def read_sdk(data: dict[str, Any]) -> Sdk:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Sdk(**fields)


def check_sdk(sdk: dict[str, Any], at: str) -> Iterator[str]:
    """What the schema cannot say of an `sdk:`; `at` is where it stands."""
    for key in ("name", "headers", "library"):
        if not sdk.get(key):
            yield f"{at}: the key '{key}' is missing or empty"
    libraries = (sdk.get("library", ""), *sdk.get("also_named", ()))
    for file in (*sdk.get("headers", ()), *libraries, *sdk.get("include", ())):
        if Path(file).is_absolute() or ".." in Path(file).parts or set(file) & set("*?[\0"):
            yield f"{at}: '{file}' must be a name below the SDK's include or library directory, without wildcards"
    for place in sdk.get("places", ()):
        if not re.fullmatch(r"([^{}]|\{purelib\})*", place):
            yield f"{at}: places: '{place}': the only placeholder is {{purelib}}, where Python packages are installed"
