"""Generate the table of operators that can be routed.

python -m generators.aten                    for the installed torch: csrc/aten/generated, or build/aten/<line> for another
                                             line than the pinned one
python -m generators.aten --torchgen DIR     for the torchgen (and headers) in DIR, an unpacked wheel for instance
python -m generators.aten --torch 2.14.1     for that version; its torchgen and headers are fetched once
python -m generators.aten --check            fail, with a diff, if a file of the folder differs
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from generators.aten import AtenError
from generators.aten.lines import line_at, line_of, pinned_line
from generators.aten.operators import read_catalogue
from generators.aten.ports import report_path
from generators.aten.sources import COMMITTED, describe, differences, home_of, render_sources, write_sources
from generators.aten.spelling import ARRAYREF_OPS, read_overrides
from generators.documents import shorten


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m generators.aten", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--torchgen", type=Path, metavar="DIR", help="a folder with torchgen, or torchgen itself")
    source.add_argument("--torch", metavar="X.Y.Z", help="a version of torch")
    parser.add_argument("--out", type=Path, metavar="DIR", help="another folder than the line's own")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    options = parser.parse_args(arguments)
    try:
        line = line_at(options.torchgen) if options.torchgen else line_of(options.torch)
        print(line)
        catalogue = read_catalogue(line)
        out = options.out or home_of(catalogue.line)
        if out.resolve() == COMMITTED and catalogue.line != pinned_line():
            raise AtenError(
                f"--out {shorten(out)}: this folder is of torch {pinned_line()}, and torch {catalogue.torch} is another line; "
                "leave --out away, or change the pinned line in pyproject.toml first"
            )
        files = render_sources(catalogue, read_overrides(ARRAYREF_OPS))
    except AtenError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    for name, why in catalogue.warnings.items():
        print(f"WARNING: {name} is not generated: {why}", file=sys.stderr)
    print(describe(catalogue))
    if not report_path(catalogue.line).is_file():
        print(f"torch {catalogue.line} was not ported yet; prove it: pytest -m version_port --torch {catalogue.torch}")
    if options.check:
        return _check(differences(files, out), out)
    try:
        changed = write_sources(files, out)
    except OSError as error:
        print(f"ERROR: {shorten(out)}: cannot be written: {error}", file=sys.stderr)
        return 1
    names = ", ".join(path.name for path in changed)
    print(f"{shorten(out)}: {f'changed {names}' if changed else 'nothing changed'}")
    return 0


def _check(stale: dict[str, tuple[str, str]], out: Path) -> int:
    for name, (held, wanted) in stale.items():
        diff = difflib.unified_diff(held.splitlines(), wanted.splitlines(), name, "generated", lineterm="")
        print("\n".join(line[:200] for line in list(diff)[:40]))
    if stale:
        print(
            f"{shorten(out)}: {len(stale)} generated files are stale; run: python -m generators.aten", file=sys.stderr
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
