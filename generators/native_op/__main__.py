"""Generate the kernels of a vendor's operator library from its table."""

from __future__ import annotations

import argparse
import sys

from generators.aten import AtenError
from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.documents import shorten
from generators.files import write_if_changed
from generators.native_op import NativeError
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
        text = render_kernels(table, read_catalogue(installed_line()))
    except (NativeError, AtenError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    path = kernels_path(table)
    changed = write_if_changed(path, text)
    print(f"{shorten(path)}: {'written' if changed else 'unchanged'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
