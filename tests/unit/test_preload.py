"""The wrapper: what it refuses before anything is loaded, what the command gets, and who below it gets the libraries."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generators.files import ROOT
from generators.harvest import harvest
from generators.vendor_torch import open_vendor_torch
from tests.unit.vendor_torches import RELEASE, TORCH, VENDOR, compile_library, kernels_source, make_vendor_torch, wants
from torch_fl import _preloaded, preload
from torch_fl.preload import PROVENANCE, PreloadError, find_assets, read_bundle, wrong_library


@pytest.fixture(scope="session")
def bundle(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("preload")
    harvest(VENDOR, open_vendor_torch(make_vendor_torch(folder / "site")), folder / "assets")
    return folder / "assets"


@pytest.fixture
def own(bundle, tmp_path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(bundle, tmp_path / "own", symlinks=True)


def run(*command: object, assets: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command through the wrapper."""
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("FLAGOS_", "LD_", "PYTHON_EXEC"))
    }
    options = ["--assets", str(assets)] if assets else []
    return subprocess.run(
        [sys.executable, "-m", "torch_fl.preload", *options, *map(str, command)],
        env=plain | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def python(program: str, assets: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-c", program, assets=assets, **variables)


MAPS = "open('/proc/self/maps').read().count('libtorch_cuda.so') > 0"


# ---- starting


def test_command_has_the_libraries_before_torch(bundle):
    done = python(f"import sys; print({MAPS}, 'torch' in sys.modules)", bundle)
    assert (done.stdout, done.stderr, done.returncode) == ("True False\n", "", 0)


def test_command_gets_its_own_words_and_its_status(bundle):
    program = "import sys; print(sys.argv[1:]); sys.exit(7)"
    done = run("--", sys.executable, "-c", program, "--assets", "mine", "-h", assets=bundle)
    assert (done.stdout, done.returncode) == ("['--assets', 'mine', '-h']\n", 7)


def test_what_the_user_preloads_stays(bundle, tmp_path):
    mine = compile_library(tmp_path / "libmine.so")
    program = "import os; print(os.environ['LD_PRELOAD']); print(os.environ['LD_LIBRARY_PATH'])"
    done = python(program, bundle, LD_PRELOAD=str(mine), LD_LIBRARY_PATH="/users")
    preloaded, folders = (line.split(":") for line in done.stdout.splitlines())
    assert preloaded == [str(bundle / name) for name in read_bundle(bundle).preload] + [str(mine)]
    assert folders[:2] == [str(TORCH), str(bundle)] and folders[-1] == "/users"


def test_wrapper_inside_the_wrapper_changes_nothing(bundle):
    program = "import os; print(os.environ['LD_PRELOAD'], os.environ['LD_LIBRARY_PATH'])"
    inner = run(
        sys.executable, "-m", "torch_fl.preload", "--assets", bundle, sys.executable, "-c", program, assets=bundle
    )
    assert inner.stdout == python(program, bundle).stdout and inner.stderr == ""


def test_wrapper_imports_no_torch(bundle):
    program = "import sys; import torch_fl.preload as p; p.check_bundle(p.read_bundle(p.find_assets())); print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"FLAGOS_CUDA_ASSETS_DIR": str(bundle), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_torch_already_imported_is_told(bundle, capsys, monkeypatch):
    monkeypatch.setattr(os, "execvpe", lambda *arguments: pytest.fail("must not start"))
    monkeypatch.setitem(sys.modules, "torch", sys)
    with pytest.raises(SystemExit, match="torch is already imported here, too late for its libraries"):
        preload.main(["--assets", str(bundle), "python"])


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [((), 2, "expected a COMMAND"), (("no-such-command",), 1, "no-such-command: no such command")],
)
def test_command_that_cannot_start(command, status, message, bundle):
    done = run(*command, assets=bundle)
    assert done.returncode == status and message in done.stderr


# ---- refused before anything is loaded


def gone(own: Path) -> str:
    (own / "libtorch_cuda_linalg.so").unlink()
    return f"{own}/libtorch_cuda_linalg.so: No such file or directory; harvest again"


def half_filled(own: Path) -> str:
    for name in ("libcaffe2_nvrtc.so", "libtoyhelper.so"):
        (own / name).unlink()
    return f"{own}/libcaffe2_nvrtc.so: No such file or directory; harvest again"


def cut(own: Path) -> str:
    size = (own / "libtorch_cuda.so").stat().st_size
    os.truncate(own / "libtorch_cuda.so", size - 1)
    return f"{own}/libtorch_cuda.so: is not whole: it has {size - 1} bytes, {size} are expected; harvest again"


def text(own: Path) -> str:
    (own / "libc10_cuda.so").write_text("version https://git-lfs.github.com/spec/v1")
    return f"{own}/libc10_cuda.so: is no ELF library; harvest again"


def other_machine(own: Path) -> str:
    data = bytearray((own / "libc10_cuda.so").read_bytes())
    data[18:20] = b"\xf7\x00"
    (own / "libc10_cuda.so").write_bytes(data)
    return f"{own}/libc10_cuda.so: is for another machine than {os.uname().machine} (ELF machine 247); harvest again"


def folder_in_its_place(own: Path) -> str:
    (own / "libc10_cuda.so").unlink()
    (own / "libc10_cuda.so").mkdir()
    return f"{own}/libc10_cuda.so: Is a directory; harvest again"


def other_torch(own: Path) -> str:
    file = own / PROVENANCE
    file.write_text(file.read_text().replace(f"{RELEASE}+toy1.5", "2.0.1+toy1.5"))
    return f"are of torch 2.0.1+toy1.5, and torch {RELEASE}+cpu is installed"


def no_provenance(own: Path) -> str:
    (own / PROVENANCE).unlink()
    return f"{own}/{PROVENANCE}: No such file or directory; without it nobody knows which torch"


def other_provenance(own: Path) -> str:
    (own / PROVENANCE).write_text("[]")
    return f"{own}/{PROVENANCE}: not what the harvest writes"


def no_folder(own: Path) -> str:
    shutil.rmtree(own)
    return f"{own}: no such folder; it should hold the CUDA libraries"


def missing_need(own: Path) -> str:
    file = own / PROVENANCE
    data = json.loads(file.read_text())
    data["search"] = []
    file.write_text(json.dumps(data))
    return "need what is not on this machine: libtoyrt.so.1 (toy-runtime). Install it, or add its folder to LD_LIBRARY_PATH"


def missing_symbol(own: Path) -> str:
    file = compile_library(own / "libc10_cuda.so", wants("_ZN3c1011no_such_oneEv"))
    data = json.loads((own / PROVENANCE).read_text())
    data["files"]["libc10_cuda.so"]["size"] = file.stat().st_size
    (own / PROVENANCE).write_text(json.dumps(data))
    return "the loader cannot load " + f"{own}: undefined symbol: _ZN3c1011no_such_oneEv"


FAULTS = (
    gone,
    half_filled,
    cut,
    text,
    other_machine,
    folder_in_its_place,
    other_torch,
    no_provenance,
    other_provenance,
)


@pytest.mark.parametrize("spoil", [*FAULTS, no_folder, missing_need, missing_symbol], ids=lambda spoil: spoil.__name__)
def test_faulty_bundle_is_refused_in_one_sentence(spoil, own):
    message = spoil(own)
    done = python("print('ran')", own)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr and done.stderr.count("\n") == 1 and "ld.so" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_library_is_refused(own):
    (own / "libc10_cuda.so").chmod(0)
    assert "libc10_cuda.so: Permission denied" in python("print('ran')", own).stderr


def test_library_that_aborts_at_load_is_seen_as_that(own):
    file = compile_library(
        own / "libc10_cuda.so", "void abort(void); __attribute__((constructor)) static void no(void) { abort(); }"
    )
    data = json.loads((own / PROVENANCE).read_text())
    data["files"]["libc10_cuda.so"]["size"] = file.stat().st_size
    (own / PROVENANCE).write_text(json.dumps(data))
    done = python("print('ran')", own)
    assert (done.returncode, done.stdout) == (-6, "")  # the command's own end, by its signal: nothing is hidden


def test_path_that_the_loader_cannot_take_is_refused(bundle, tmp_path):
    folder = tmp_path / "my assets"
    shutil.copytree(bundle, folder)
    done = python("print('ran')", folder)
    assert done.returncode == 1 and f"{folder}: the loader takes no path with a blank" in done.stderr


@pytest.mark.parametrize("size", [0, 10, 63])
def test_short_files_are_no_libraries(size, tmp_path):
    (tmp_path / "lib.so").write_bytes(b"\x7fELF" + bytes(max(0, size - 4)) if size else b"")
    assert wrong_library(tmp_path / "lib.so") == "is no ELF library"


# ---- where the bundle is


def test_bundle_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(preload, "ASSETS", tmp_path)
    for name in ("FLAGOS_CUDA_ASSETS_DIR", "FLAGOS_ACCELERATOR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        PreloadError, match=r"no bundle of CUDA libraries in .* make one: python -m generators\.harvest"
    ):
        find_assets()
    for vendor in ("one", "two"):
        (tmp_path / vendor).mkdir()
        (tmp_path / vendor / PROVENANCE).write_text("{}")
    with pytest.raises(PreloadError, match="several vendors: one, two; choose one with FLAGOS_ACCELERATOR=NAME"):
        find_assets()
    monkeypatch.setenv("FLAGOS_ACCELERATOR", "two")
    assert find_assets() == tmp_path / "two"
    monkeypatch.setenv("FLAGOS_CUDA_ASSETS_DIR", "/elsewhere")
    assert find_assets() == Path("/elsewhere")
    assert find_assets("/given") == Path("/given")


# ---- in the command


def test_import_takes_the_libraries_out_of_the_environment(bundle):
    program = f"""
import os, subprocess, sys, torch_fl
child = subprocess.run([sys.executable, "-c", "print({MAPS})"], capture_output=True, text=True)
print({MAPS}, child.stdout.strip(), os.environ.get("LD_PRELOAD"), os.environ.get("LD_LIBRARY_PATH"), "torch" in sys.modules)
"""
    assert python(program, bundle, LD_LIBRARY_PATH="/users").stdout == "True False None /users False\n"


WORKERS = f"""
import multiprocessing, os, subprocess, sys

def work(_):
    import torch_fl
    return {MAPS}, os.environ.get("LD_PRELOAD"), sys.executable

if __name__ == "__main__":
    import torch_fl
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, *pool.map(work, [0]))
    tracker = multiprocessing.resource_tracker._resource_tracker._pid
    print("tracker", "libtorch_cuda.so" in open(f"/proc/{{tracker}}/maps").read())
    started = subprocess.run([os.environ["PYTHON_EXEC"], "-c", "print({MAPS})"], capture_output=True, text=True)
    print("torchrun", started.stdout.strip())
"""


def test_python_workers_get_the_libraries_and_nobody_else(bundle, tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    done = run(sys.executable, script, assets=bundle)
    expected = [f"{method} (True, None, {sys.executable!r})" for method in ("fork", "spawn", "forkserver")]
    assert done.stdout.splitlines() == [*expected, "tracker False", "torchrun True"], done.stderr


def test_kernels_that_did_not_come_stop_the_program(own):
    """BX-01: a library that is mapped and registers nothing."""
    kernels = own / "libtorch_cuda.so"
    needs = (own / "libc10_cuda.so", own / "libtoyhelper.so", TORCH / "libtorch_cpu.so")
    compile_library(kernels, kernels_source(registers=False), needs)
    data = json.loads((own / PROVENANCE).read_text())
    data["files"][kernels.name]["size"] = kernels.stat().st_size
    (own / PROVENANCE).write_text(json.dumps(data))
    done = python(
        "import torch_fl\nimport torch\nprint('ran', torch_fl.device_count())", own, FLAGOS_ACCELERATOR="host"
    )
    assert done.returncode == 1 and "ran" not in done.stdout
    assert "were preloaded and torch has no CUDA kernels of them; start the program through" in done.stderr


USE = "import torch_fl, torch; torch_fl.init(); print(torch.ones(2, device='flagos').sum().item())"


def test_kernels_that_came_leave_the_device_working(bundle):
    done = python(USE, bundle, FLAGOS_ACCELERATOR="host")
    assert (done.stdout, done.stderr) == ("2.0\n", "")


def test_program_without_what_its_parent_had_is_warned(bundle):
    program = f"import subprocess, sys, torch_fl; sys.exit(subprocess.run([sys.executable, '-c', {USE!r}]).returncode)"
    done = python(program, bundle, FLAGOS_ACCELERATOR="host")
    assert (
        done.stdout == "2.0\n" and "no CUDA kernels: this process began without the preloaded libraries" in done.stderr
    )


def test_libraries_after_torch_are_too_late(bundle):
    program = f"""
import ctypes, torch
ctypes.CDLL({str(bundle / "libtorch_cuda.so")!r})
import warnings; warnings.simplefilter("ignore")
import torch_fl
try:
    torch_fl.init()
except ImportError as error:
    print(error)
print(torch.ones(2).sum().item())
"""
    environment = {"LD_LIBRARY_PATH": f"{TORCH}:{bundle}:{bundle.parent / 'site/toy/lib'}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith(
        "the CUDA libraries were loaded after torch, so their kernels cannot reach a device; start"
    )
    assert done.stdout.endswith("2.0\n"), done.stderr


def test_another_torch_than_the_checked_one_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(_preloaded, "_preloaded", True)
    monkeypatch.setenv(_preloaded.FOLDERS, f"{tmp_path}:/elsewhere")
    import torch

    with pytest.raises(PreloadError, match="were checked against the torch of"):
        _preloaded.verify(torch)
