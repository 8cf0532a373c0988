"""A vendor's torch made up for a test: small libraries with the names of PyTorch's, which really load and register kernels."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import zipfile
from pathlib import Path

from generators.aten.lines import installed_line
from generators.dispatch_key import SAMPLE
from generators.elf import read_library
from generators.vendor import CudaLibraries, Vendor
from torch_fl.preload import installed_torch

TORCH = installed_torch()[0] / "lib"
RELEASE = installed_torch()[1].partition("+")[0]
VENDOR = Vendor(
    "toy",
    "Toy",
    False,
    False,
    Path("toy/vendor.yaml"),
    cuda_libraries=CudaLibraries((), {"libtoyrt.so": "toy-runtime"}),
)

# PyTorch's stable C interface registers a kernel without a header of torch, so a library takes no time to compile.
REGISTERS = """
#include <stdint.h>
extern int32_t aoti_torch_library_init_impl(const char*, const char*, const char*, uint32_t, void**);
extern int32_t aoti_torch_library_impl(void*, const char*, void (*)(uint64_t*, uint64_t, uint64_t));
static void kernel(uint64_t* stack, uint64_t in, uint64_t out) {{ (void)stack; (void)in; (void)out; }}
static const char* names[] = {{ {names} }};
__attribute__((constructor)) static void registers(void) {{
  void* library;
  if (aoti_torch_library_init_impl("aten", "CUDA", __FILE__, __LINE__, &library)) return;
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) aoti_torch_library_impl(library, names[i], kernel);
}}
"""


def compile_library(file: Path, source: str = "", needs: tuple[Path, ...] = (), *options: str) -> Path:
    """`needs` are libraries to link with, in that order; their file names become DT_NEEDED."""
    file.parent.mkdir(parents=True, exist_ok=True)
    links = [option for need in needs for option in (f"-L{need.parent}", f"-l:{need.name}")]
    command = [
        "gcc",
        "-shared",
        "-fPIC",
        "-x",
        "c",
        "-",
        "-o",
        str(file),
        f"-Wl,-soname,{file.name}",
        "-Wl,--no-as-needed",
    ]
    command += ["-Wl,--disable-new-dtags", *options, *links]
    done = subprocess.run(command, input=source or "int nothing;", text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return file


def defines(*symbols: str) -> str:
    return "".join(f'void f{i}(void) __asm__("{name}"); void f{i}(void) {{}}\n' for i, name in enumerate(symbols))


def wants(*symbols: str) -> str:
    return "".join(
        f'extern void w{i}(void) __asm__("{name}"); void* keep{i} = w{i};\n' for i, name in enumerate(symbols)
    )


def symbol_of_torch() -> str:
    """One of libc10.so that shows the ABI."""
    return min(
        name for name in read_library(TORCH / "libc10.so").defined if name.startswith("_ZN3c10") and "7__cxx11" in name
    )


def kernels_source(registers: bool = True, *more: str) -> str:
    entries = installed_line().schemas.read_text(encoding="utf-8").split("\n- func: ")[1:]
    names = [entry.partition("(")[0] for entry in entries if "CUDA" in entry]
    static = defines(*(f"_ZN2at4cuda{len(op.partition('.')[0])}{op.partition('.')[0]}Ev" for op in SAMPLE))
    text = REGISTERS.format(names=", ".join(f'"{name}"' for name in names)) if registers else ""
    return static + wants(symbol_of_torch(), *more) + text


def make_vendor_torch(root: Path, version: str = f"{RELEASE}+toy1.5", source: str | None = None) -> Path:
    """A folder of packages: a torch whose CUDA libraries register every routable operator, and the SDK's library that they need.
    Of the torch there is no more than these libraries: it cannot be imported."""
    libraries, sdk = root / "torch/lib", root / "toy/lib"
    rpath = "-Wl,-rpath,$ORIGIN/../../toy/lib:$ORIGIN"
    runtime = compile_library(sdk / "libtoyrt.so.1")
    c10 = compile_library(libraries / "libc10_cuda.so", wants(symbol_of_torch()), (TORCH / "libc10.so", runtime), rpath)
    helper = compile_library(libraries / "libtoyhelper.so")
    needs = (c10, helper, TORCH / "libtorch_cpu.so", TORCH / "libc10.so", runtime)
    kernels = compile_library(
        libraries / "libtorch_cuda.so", kernels_source() if source is None else source, needs, rpath
    )
    compile_library(libraries / "libtorch_cuda_linalg.so", "", (kernels,), rpath)
    driver = compile_library(root.parent / f"{root.name}-driver/libtoydriver.so.1")
    compile_library(libraries / "libcaffe2_nvrtc.so", "", (driver,), rpath)
    driver.unlink()  # as on a machine without the card
    compile_library(libraries / "libc10.so")  # every torch has it
    (root / "torch/version.py").write_text(f"__version__ = '{version}'\ndebug = False\ntoy: Optional[str] = '1.5'\n")
    info = root / f"torch-{version}.dist-info"
    (info / "licenses").mkdir(parents=True)
    (info / "licenses/LICENSE").write_text("as you like")
    (info / "METADATA").write_text(
        f"Name: torch\nVersion: {version}\nRequires-Dist: jinja2\nRequires-Dist: toy-runtime==1.5.2; platform_system == 'Linux'\n"
        "Requires-Dist: pyyaml; extra == 'pyyaml'\n"
    )
    write_record(root, info)
    return root


def write_record(root: Path, info: Path) -> None:
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and file.name != "RECORD"]
    rows = [f"{file.relative_to(root)},{_stated(file)},{file.stat().st_size}" for file in files]
    (info / "RECORD").write_text("\n".join([*rows, f"{info.name}/RECORD,,"]) + "\n")


def _stated(file: Path) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).decode().rstrip("=")


def make_wheel(root: Path, folder: Path) -> Path:
    """A wheel of a folder of packages, without what others provide."""
    info = next(root.glob("*.dist-info"))
    wheel = folder / f"{info.name.removesuffix('.dist-info')}-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.relative_to(root).parts[0] != "toy":
                archive.write(file, str(file.relative_to(root)))
    return wheel
