"""Generate the kernels of a vendor's operator library, and the page about them, from its table."""

from __future__ import annotations

import argparse
import sys

from generators.aten import AtenError
from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.documents import shorten
from generators.files import write_if_changed
from generators.native_op import NativeError
from generators.native_op.pages import page_path, render_page
from generators.native_op.sources import kernels_path, render_kernels
from generators.native_op.table import read_table, table_path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.native_op", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--vendor", required=True, metavar="NAME", help="whose table: docs/vendors/NAME/op-api-map.yaml"
    )
    options = parser.parse_args(arguments)
    try:
        table = read_table(table_path(options.vendor))
        catalogue = read_catalogue(installed_line())
        files = {kernels_path(table): render_kernels(table, catalogue), page_path(table): render_page(table, catalogue)}
    except (NativeError, AtenError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    for path, text in files.items():
        print(f"{shorten(path)}: {'written' if write_if_changed(path, text) else 'unchanged'}")
    if waiting := len(table.unreviewed):
        entries = "1 entry waits" if waiting == 1 else f"{waiting} entries wait"
        print(
            f"{entries} for review, without kernels: check each in {shorten(table.path)}, delete its 'proposal', run this again"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
