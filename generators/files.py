"""Where the checkout is, and the one way in which generators write."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_if_changed(path: Path, text: str) -> bool:
    """Write `text` atomically unless the file already holds it: an unchanged file keeps its time, so nothing rebuilds.

    Returns whether the file was written.
    """
    return bool(write_all({path: text}))


def write_all(texts: Mapping[Path, str]) -> list[Path]:
    """The same for several files, in their order: every one is written beside its place before the first is put there, so
    that a disk that fills up, say, leaves all of them as they were. Returns those that were written."""
    staged: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            if path.exists() and path.read_text(encoding="utf-8", errors="replace") == text:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            staged[path] = path.with_name(f".{path.name}.{os.getpid()}")
            staged[path].write_text(text, encoding="utf-8")
        for path, temporary in staged.items():
            temporary.replace(path)
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)  # of a write that failed
    return list(staged)
