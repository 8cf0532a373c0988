"""Look at a vendor's SDK and propose its map.

python -m generators.recon --vendor NAME --sdk-path DIR
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from generators.recon.headers import ReconError
from generators.recon.survey import Request, recon
from generators.recon.table import render_table


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.recon", description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True, metavar="NAME")
    parser.add_argument("--sdk-path", required=True, type=Path, metavar="DIR", help="root of the SDK")
    parser.add_argument(
        "--header", action="append", default=[], metavar="FILE", help="as it is included; may be repeated"
    )
    parser.add_argument("--library", default="", metavar="NAME", help="file name of the runtime library")
    parser.add_argument(
        "--include", action="append", default=[], type=Path, metavar="DIR", help="a further include directory"
    )
    parser.add_argument(
        "--define", action="append", default=[], metavar="NAME[=VALUE]", help="what the headers want defined"
    )
    options = parser.parse_args(arguments)
    request = Request(
        options.vendor,
        options.sdk_path,
        tuple(options.header),
        options.library,
        tuple(options.include),
        tuple(options.define),
    )
    try:
        found = recon(request)
    except (ReconError, OSError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print(render_table(found, request))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it; all is written before the first line is printed
    sys.exit(main())
