"""Huawei's ACL as an SDK to build against: its real headers, which are inside the torch-npu wheel, and a stub library.

python -m tests.sdks.acl    fetch the headers (a wheel of 44 MB, of which 1 MB is kept) and lay out build/sdks/acl_stub

Tests do not reach for the network: without the headers those that need them are skipped, with INSTALL as the reason.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from generators.build import BuildError, run_command
from tests.sdks import SDKS
from tests.sdks.stubs import build_stub

VERSION = "2.13.0"  # of the wheel; its headers are those of ACL 1.17.0
INSIDE = "torch_npu/include/third_party/acl/inc"  # of the wheel
PLACES = (Path(sysconfig.get_path("purelib")) / INSIDE, SDKS / INSIDE)
HEADER = "acl/acl_rt.h"
LIBRARY = "libascendcl.so"
FETCH = "python -m tests.sdks.acl"
INSTALL = f"needs the headers of ACL: {FETCH}"
STUB_MODE = 100039  # ACL_ERROR_COMPILING_STUB_MODE, what the vendor's own stubs return


def include() -> Path | None:
    """The headers, where torch-npu is installed or its wheel was fetched."""
    return next((place for place in PLACES if (place / HEADER).is_file()), None)


def fetch() -> Path:
    """The headers, from the wheel of any Python: none of it is run. Raises BuildError."""
    SDKS.mkdir(parents=True, exist_ok=True)
    with FileLock(SDKS / "lock"), tempfile.TemporaryDirectory(dir=SDKS) as folder:
        if found := include():
            return found
        wanted = ["--platform", "manylinux_2_28_x86_64", "--python-version", "3.11", f"torch-npu=={VERSION}"]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *wanted]
        run_command([*pip, "--dest", folder])
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            headers = [name for name in archive.namelist() if name.startswith(f"{INSIDE}/acl/")]
            archive.extractall(folder, headers)
        (SDKS / INSIDE).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / INSIDE).replace(SDKS / INSIDE)  # whole or not at all
    return SDKS / INSIDE


def stub() -> Path:
    """An SDK with these headers and a library to link against that answers everything with STUB_MODE."""
    headers = include()
    if headers is None:
        raise BuildError(INSTALL)
    root = SDKS / "acl_stub"
    library = root / "lib64" / LIBRARY
    with FileLock(SDKS / "lock"):
        if not (root / "include").is_dir():
            shutil.copytree(headers / "acl", root / "include/acl")
        library.parent.mkdir(exist_ok=True)
        build_stub([HEADER], [root / "include"], LIBRARY, library.with_suffix(".new"), STUB_MODE)
        library.with_suffix(".new").replace(library)  # others may have it loaded
    return root


def main() -> int:
    try:
        print(fetch(), stub(), sep="\n")
    except BuildError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
