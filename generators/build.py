"""Build a vendor's runtime library and the torch side, each once per content, however many processes ask.

python -m generators.build --vendor cuda --sdk-path /usr/local/cuda
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from generators.documents import shorten
from generators.files import ROOT, digest, write_if_changed
from generators.native_op import NativeError
from generators.native_op.sources import KERNELS, LAYER, calls_of_layer, kernels_path
from generators.native_op.table import GUIDE, OperatorTable, read_table, table_path
from generators.vendor import FoundSdk, Vendor, VendorError, find_operator_library, find_sdk, load_vendor

LIBRARIES = ROOT / "torch_fl/lib"
BUILD = ROOT / "build"


class BuildError(Exception):
    """A build that failed; carries the command and the end of its output."""


@dataclass(frozen=True)
class Built:
    library: Path
    sha256: str

    @property
    def short(self) -> str:
        path = self.library.relative_to(ROOT) if self.library.is_relative_to(ROOT) else self.library
        return f"{path} sha256:{self.sha256[:12]}"


def _content_hash(vendor: Vendor, sdk: FoundSdk | None) -> str:
    """What the library is made of: sources, the contract's headers, the build's files and the SDK that was found."""
    backends = ROOT / "csrc/runtime/allocator"
    files = [*sorted(vendor.sources.rglob("*")), *sorted((ROOT / "csrc/include").glob("*.h"))]
    files += [
        *sorted(vendor.sources.parent.glob("*")),
        *sorted((vendor.sources.parent / "common").glob("*.h")),
        backends / "device_memory_interface.h",
    ]
    files += sorted((backends / "backends").glob(f"{vendor.runtime}_*"))
    if sdk and vendor.sdk:
        files += [*sdk.libraries, *(sdk.include / header for header in vendor.sdk.headers)]
    total = hashlib.sha256(repr(sdk).encode())
    for file in files:
        if file.is_file():
            total.update(f"{os.path.relpath(file, ROOT)}\0{digest(file)}\0".encode())
    return total.hexdigest()


def folder_for(found: FoundSdk | None) -> Path:
    """Where what is built over an SDK is put: over a simulated one apart, where nobody takes it for the vendor's."""
    return BUILD / "simulated" if found and found.simulated else LIBRARIES


def runtime_library(vendor: Vendor, sdk: FoundSdk | None) -> Path:
    return folder_for(sdk) / f"libflagos_{vendor.runtime}.so"


def build_vendor(vendor: Vendor, sdk: FoundSdk | None, run: str = "") -> Built:
    """Compile and link `libflagos_<vendor>.so`, unless the same content was built before: in torch_fl/lib, or in
    build/simulated for a simulated SDK.

    `run` names the session: a failed build is reported to every process of that session and tried again only in the
    next one. Raises BuildError.
    """
    library = runtime_library(vendor, sdk)
    directory = BUILD / "runtime" / vendor.runtime
    directory.mkdir(parents=True, exist_ok=True)
    with FileLock(directory / "lock"):
        content = _content_hash(vendor, sdk)
        record = directory / "built.json"
        last = json.loads(record.read_text()) if record.exists() else {}
        if last.get("content") == content:
            if last["error"] is None and library.exists() and digest(library) == last["sha256"]:
                return Built(library, last["sha256"])
            if last["error"] is not None and run and last["run"] == run:
                raise BuildError(last["error"])
        with (directory / "builds.log").open("a") as log:
            log.write(f"{content} {run}\n")
        library.unlink(missing_ok=True)  # a file that something replaced is newer than its sources: nothing would link
        try:
            _cmake(
                ROOT / "csrc/runtime/accelerator",
                directory / "cmake",
                FLAGOS_VENDOR=vendor.runtime,
                FLAGOS_SDK_INCLUDE=";".join(map(str, sdk.include_path)) if sdk else "",
                FLAGOS_SDK_LIBRARY=";".join(map(str, sdk.libraries)) if sdk else "",
                FLAGOS_LIBRARY_DIR=library.parent,
            )
            sha256, error = digest(library), None
        except BuildError as failure:
            sha256, error = "", str(failure)
        write_if_changed(record, json.dumps({"content": content, "run": run, "sha256": sha256, "error": error}))
    if error is not None:
        raise BuildError(error)
    return Built(library, sha256)


def build_torch_side() -> Built:
    """Bring the torch side up to date where this checkout builds it, or has nothing yet; else take what is there. Raises
    BuildError."""
    directory = BUILD / "torch"
    library = LIBRARIES / "libtorch_fl.so"
    directory.mkdir(parents=True, exist_ok=True)
    with FileLock(directory / ".lock"):
        if (directory / "CMakeCache.txt").exists():
            run_command(["cmake", "--build", str(directory)])
        elif not library.exists() and (ROOT / "CMakeLists.txt").exists():
            _cmake(ROOT, directory, Python_EXECUTABLE=sys.executable)
    if not library.exists():
        raise BuildError(f"{library.relative_to(ROOT)} is not built; run: make build")
    return Built(library, digest(library))


def build_operators(table: OperatorTable, found: FoundSdk) -> Built:
    """Bring `libtorch_fl_<vendor>.so` up to date, the kernels over a library of operators; the torch side comes first. Raises
    BuildError."""
    _require_layer(table)
    library = folder_for(found) / f"libtorch_fl_{table.vendor}.so"
    directory = BUILD / "native" / table.vendor
    directory.mkdir(parents=True, exist_ok=True)
    with FileLock(directory / "lock"):
        _cmake(
            ROOT / "csrc/aten/backends",
            directory / "cmake",
            FLAGOS_OP_LIBRARY=table.vendor,
            FLAGOS_OP_INCLUDE=found.include,
            FLAGOS_OP_HEADERS=";".join(table.library.headers),
            FLAGOS_OP_LIB=";".join(map(str, found.libraries)),
            FLAGOS_TORCH_SIDE=LIBRARIES,
            FLAGOS_LIBRARY_DIR=library.parent,
            Python_EXECUTABLE=sys.executable,
        )
    return Built(library, digest(library))


def _require_layer(table: OperatorTable) -> None:
    """Raises BuildError with what to write or to generate, where the compiler would only name a file."""
    kernels = kernels_path(table)
    if not kernels.is_file():
        generate = f"python -m generators.native_op --vendor {table.vendor}"
        raise BuildError(f"{shorten(kernels)}: no such file; run: {generate}")
    layer = kernels.with_name(LAYER)
    if layer.is_file():
        return
    calls = [f"  {call}" for call in calls_of_layer(kernels.read_text(encoding="utf-8")).values()]
    enumeration = table.convention.dtype
    declared = [f"  {enumeration} data_type(at::ScalarType), which {KERNELS} defines"] if enumeration else []
    raise BuildError(
        "\n".join(
            [
                f"{shorten(layer)}: no such file. It is written by hand, {GUIDE}, section 2, has an example:",
                f"namespace flagos::{table.vendor} with `constexpr const char* kLibrary` and a function for each kind of call that",
                f"{KERNELS} makes; it returns false where the library cannot do it:",
                *declared,
                *calls,
            ]
        )
    )


def _cmake(source: Path, directory: Path, **settings: object) -> None:
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    run_command(["cmake", "-S", str(source), "-B", str(directory), "-G", "Ninja", *definitions])
    run_command(["cmake", "--build", str(directory)])


def run_command(command: list[str]) -> None:
    """Run a step of a build. Raises BuildError with the end of its output."""
    beside = Path(sys.executable).parent  # cmake and ninja of the virtual environment, active or not
    environment = os.environ | {"PATH": f"{beside}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    try:
        child = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    except FileNotFoundError:
        raise BuildError(f"{command[0]} is not installed; on Debian: apt-get install cmake ninja-build g++") from None
    if child.returncode != 0:
        lines = (child.stdout + child.stderr).strip().splitlines()[-30:]
        raise BuildError("\n".join([f"build failed: {' '.join(command)}", *lines]))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.build", description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", default="host")
    parser.add_argument("--sdk-path", type=Path, metavar="DIR")
    parser.add_argument("--op-lib", type=Path, metavar="FILE", help="the vendor's library of operators")
    options = parser.parse_args(arguments)
    try:
        vendor = load_vendor(options.vendor)
        print(build_vendor(vendor, find_sdk(vendor, options.sdk_path)).short)
        if vendor.over or options.op_lib:
            table = read_table(table_path(vendor.name))
            print(build_operators(table, find_operator_library(table, options.op_lib)).short)
    except (VendorError, NativeError, BuildError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
