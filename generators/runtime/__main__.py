"""Generate vendors' runtimes from their maps.

python -m generators.runtime --vendor cuda      one vendor's, from docs/vendors/cuda/runtime-api-map.yaml
python -m generators.runtime                    every vendor's that has a map
python -m generators.runtime --check            fail, with a diff, if a file of the tree differs
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from generators.documents import shorten
from generators.files import ROOT
from generators.map import MapError, load_map, map_path
from generators.reports import list_maps
from generators.runtime import GenerationError, generate, render_runtime, stray_files


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m generators.runtime",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--vendor", metavar="NAME", help="default: every vendor with a map")
    parser.add_argument("--map", type=Path, metavar="FILE", help="another map than the vendor's runtime-api-map.yaml")
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="another tree than this checkout")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    options = parser.parse_args(arguments)
    if options.map is not None:
        maps = [options.map.absolute()]
    else:
        maps = [map_path(options.vendor)] if options.vendor else list_maps()
    status = 0
    for path in maps:
        try:
            if options.check:
                status |= _check(path, options.out)
                continue
            changed = generate(path, options.out)
            names = ", ".join(shorten(file) for file in changed)
            print(f"{shorten(path)}: {f'changed {names}' if changed else 'nothing changed'}")
        except (GenerationError, MapError, OSError) as error:
            print(f"ERROR: {error}", file=sys.stderr)
            status = 1
    return status


def _check(path: Path, out: Path) -> int:
    files = render_runtime(load_map(path))
    stale = 0
    for stray in stray_files(files, out):
        stale = 1
        print(f"{shorten(stray)}: the map does not become this file any more")
    for name, text in files.items():
        file = out / name
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if old != text:
            stale = 1
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), str(name), "generated", lineterm="")
            print("\n".join(list(diff)[:40]))
    if stale:
        print(f"{shorten(path)}: generated files are stale; run: python -m generators.runtime", file=sys.stderr)
    return stale


if __name__ == "__main__":
    sys.exit(main())
