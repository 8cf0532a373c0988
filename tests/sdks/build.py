"""Build the simulated SDKs, once however many processes ask.

python -m tests.sdks.build
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from filelock import FileLock

from generators.build import BuildError, run_command
from generators.files import ROOT
from tests.sdks import SDKS, acl
from tests.sdks.operators import write_headers


@cache
def sdk(name: str) -> Path:
    """The folder of a simulated SDK, brought up to date. Raises BuildError."""
    build = SDKS / "cmake"
    build.mkdir(parents=True, exist_ok=True)
    with FileLock(SDKS / "lock"):
        write_headers(SDKS / "operators")
        headers = [f"-DACL_INCLUDE={acl.include() or ''}", f"-DOPERATOR_HEADERS={SDKS / 'operators'}"]
        run_command(["cmake", "-S", str(ROOT / "tests/sdks"), "-B", str(build), "-G", "Ninja", *headers])
        run_command(["cmake", "--build", str(build)])
        run_command(["cmake", "--install", str(build), "--prefix", str(SDKS)])
    return SDKS / name


def main() -> int:
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*_sim/CMakeLists.txt"))
    try:
        folders = [sdk(name) for name in names if not name.startswith("acl") or acl.include()]
    except BuildError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print(*folders, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
