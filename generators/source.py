"""Which commit is under test, and whether the files on disk are that commit.

Evidence without this is hearsay. Where git's folder does not travel with the sources (a lab machine), the commit comes in
`FLAGOS_SOURCE_COMMIT` and the files are checked against `FLAGOS_SOURCE_MANIFEST`, which this module writes beforehand:

    python -m generators.source --manifest build/manifest.txt
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from generators.files import ROOT, digest, write_if_changed


@dataclass(frozen=True)
class Source:
    commit: str  # 40 hex digits, or "unknown"
    dirty: tuple[str, ...]  # what differs from the commit; a reason not to record

    def __str__(self) -> str:
        return self.commit[:12] + (" (modified)" if self.dirty else "")


def _git(*arguments: str, at: Path | None = None) -> str | None:
    command = ["git", "-C", str(at or ROOT), *arguments]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return child.stdout if child.returncode == 0 else None


def identify_source() -> Source:
    """The commit and what is modified: from the two environment variables where they are set, else from git."""
    if commit := os.environ.get("FLAGOS_SOURCE_COMMIT"):
        manifest = os.environ.get("FLAGOS_SOURCE_MANIFEST")
        if not manifest:
            return Source(commit, ("FLAGOS_SOURCE_MANIFEST is not set: nothing says that these files are that commit",))
        return Source(commit, tuple(_differences(Path(manifest))))
    ours = (ROOT / ".git").exists()  # else git would answer for a repository that these files only lie in
    status = _git("status", "--porcelain", "--untracked-files=all") if ours else None
    head = _git("rev-parse", "--verify", "HEAD")
    if status is None or head is None:
        return Source("unknown", ("no commit: neither git nor FLAGOS_SOURCE_COMMIT says what these files are",))
    return Source(head.strip(), tuple(name for line in status.splitlines() if not _is_evidence(name := line[3:])))


def why_uncommitted(path: Path) -> str:
    """Why a file is not part of the commit as it lies there; empty if it is."""
    if manifest := os.environ.get("FLAGOS_SOURCE_COMMIT") and os.environ.get("FLAGOS_SOURCE_MANIFEST"):
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
        lines = Path(manifest).read_text().splitlines() if Path(manifest).is_file() else []
        return "" if f"{_digest(path)}  {name}" in lines else f"is not as {manifest} has it"
    if not path.is_file():
        return "no such file"
    if _git("ls-files", "--error-unmatch", str(path), at=path.parent) is None:
        return "git does not track it"
    if _git("diff", "--quiet", "HEAD", "--", str(path), at=path.parent) is None:
        return "it differs from the commit"
    return ""


def _differences(manifest: Path) -> list[str]:
    if not manifest.is_file():
        return [f"{manifest}: no such manifest"]
    lines = [line.partition("  ") for line in manifest.read_text().splitlines()]
    if not lines:
        return [f"{manifest}: lists no file"]
    return [
        name or expected
        for expected, _, name in lines
        if not name or (_digest(ROOT / name) != expected and not _is_evidence(name))
    ]


def _is_evidence(name: str) -> bool:
    """What a run has recorded is no source: the next suite or vendor may be recorded before it is committed."""
    return (name.startswith("docs/vendors/") and "/evidence/" in name) or bool(
        re.fullmatch(r"docs/ports/.*\.json", name)
    )


def _digest(path: Path) -> str:
    return digest(path) if path.is_file() else "missing"


def write_manifest(path: Path, source: Source) -> bool:
    """Write `sha256  path` of every tracked file, unless the checkout is no clean commit."""
    tracked = [name for name in (_git("ls-files", "-z") or "").split("\0") if name]
    if source.dirty or not tracked:
        return False
    write_if_changed(path, "".join(f"{_digest(ROOT / name)}  {name}\n" for name in tracked))
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.source", description=__doc__.splitlines()[0])
    parser.add_argument("--manifest", type=Path, metavar="FILE", help="write `sha256  path` of every tracked file")
    options = parser.parse_args(arguments)
    source = identify_source()
    if options.manifest and not write_manifest(options.manifest, source):
        print(f"ERROR: the checkout is not a clean commit: {', '.join(source.dirty[:5]) or 'no git'}", file=sys.stderr)
        return 1
    print(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
