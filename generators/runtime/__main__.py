"""Generate vendors' runtimes from their maps, and a conf without routes for each vendor that has none.

python -m generators.runtime --vendor cuda      one vendor's, from docs/vendors/cuda/runtime-api-map.yaml
python -m generators.runtime                    every vendor's
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
from generators.runtime import GenerationError, configs_of, generate, make_conf, render_runtime, stray_files
from generators.vendor import VendorError, known_vendors, load_vendor
from torch_fl.conf import ConfError, load_conf


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m generators.runtime",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--vendor", metavar="NAME", help="default: every vendor")
    parser.add_argument("--map", type=Path, metavar="FILE", help="another map than the vendor's runtime-api-map.yaml")
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="another tree than this checkout")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    options = parser.parse_args(arguments)
    if options.map is not None:
        targets = [options.map.absolute()]
    else:
        targets = [map_path(name) for name in ([options.vendor] if options.vendor else known_vendors())]
    status = 0
    for path in targets:
        try:
            status |= _check(path, options.out) if options.check else _generate(path, options.out)
        except (GenerationError, MapError, VendorError, OSError) as error:
            print(f"ERROR: {error}", file=sys.stderr)
            status = 1
    return status


def _is_handwritten(path: Path) -> bool:
    """Whether the vendor in whose folder that map would lie has none: of such a vendor only the conf is made."""
    return path == map_path(path.parent.name) and load_vendor(path.parent.name).handwritten


def _generate(path: Path, out: Path) -> int:
    vendor = path.parent.name
    changed = make_conf(vendor, out) if _is_handwritten(path) else generate(path, out)
    names = ", ".join(shorten(file) for file in changed)
    print(f"{vendor}: {f'changed {names}' if changed else 'nothing changed'}")
    return _check_conf(vendor, out)


def _check(path: Path, out: Path) -> int:
    vendor = path.parent.name
    stale = 0
    files = {} if _is_handwritten(path) else render_runtime(load_map(path))
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
        print(
            f"{vendor}: generated files are stale; run: python -m generators.runtime --vendor {vendor}", file=sys.stderr
        )
    return stale | _check_conf(vendor, out)


def _check_conf(vendor: str, out: Path) -> int:
    try:
        load_conf(vendor, configs=configs_of(out))
    except ConfError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
