"""Build the simulated SDKs, once however many processes ask.

python -m tests.sdks.build
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from filelock import FileLock

from generators.build import BUILD, BuildError, run_command
from generators.files import ROOT

SDKS = BUILD / "sdks"


@cache
def sdk(name: str) -> Path:
    """The folder of a simulated SDK, brought up to date. Raises BuildError."""
    build = SDKS / "cmake"
    build.mkdir(parents=True, exist_ok=True)
    with FileLock(SDKS / "lock"):
        run_command(["cmake", "-S", str(ROOT / "tests/sdks"), "-B", str(build), "-G", "Ninja"])
        run_command(["cmake", "--build", str(build)])
        run_command(["cmake", "--install", str(build), "--prefix", str(SDKS)])
    return SDKS / name


def main() -> int:
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/CMakeLists.txt"))
    try:
        folders = [sdk(name) for name in names]
    except BuildError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print(*folders, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
