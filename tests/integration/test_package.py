"""What is installed: the package whole, beside the torch that was there. Compiling a wheel takes minutes, so its two halves are
made apart: the files of Python by the wheel's own rules, the libraries from the build that is here by CMake's."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from gates.plugin import torch_found
from generators.build import BUILD, LIBRARIES, run_command
from generators.files import ROOT
from torch_fl.conf import NATIVE, native_libraries

PACKAGE = ROOT / "torch_fl"
PIP = [sys.executable, "-m", "pip"]


def run(*command, cwd="/"):
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names(folder, pattern="**/*"):
    files = (path for path in folder.glob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)) for path in files}


def built_libraries():
    """What the build of the torch side has put into the package. Kernels over a library of operators are another build's, and
    stay where that library is."""
    native = {f"lib/{NATIVE}{name}.so" for name in native_libraries()}
    return (names(PACKAGE, "lib/libtorch_fl*.so") - native) | names(PACKAGE, "_C.*")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--config-settings=wheel.cmake=false", f"--config-settings=build-dir={folder}/build"]  # -C is newer
    run(*PIP, "wheel", "-q", ROOT, "--no-build-isolation", "--no-deps", "-w", folder, *options)
    return next(folder.glob("torch_fl-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An empty folder into which the package was installed; the vendor's runtime is built apart from it."""
    if not (BUILD / "torch/cmake_install.cmake").exists():
        pytest.skip("needs the torch side, built here: make build")
    folder = tmp_path_factory.mktemp("installed")
    run(*PIP, "install", "-q", "--no-deps", "--no-index", "--target", folder, wheel)
    run_command(["cmake", "--install", str(BUILD / "torch"), "--prefix", str(folder)])
    shutil.copy(LIBRARIES / "libflagos_host.so", folder / "torch_fl/lib")
    return folder


def test_wheel_has_every_file_of_the_package(wheel):
    held = {
        name.removeprefix("torch_fl/") for name in zipfile.ZipFile(wheel).namelist() if name.startswith("torch_fl/")
    }
    built = built_libraries() | names(PACKAGE, "lib/*")
    assert held == names(PACKAGE) - built and {"torch_lines.json", "py.typed", "configs/backends_host.conf"} <= held


def test_every_library_that_is_built_is_installed(installed):
    folder = installed / "torch_fl"
    assert names(folder, "lib/libtorch_fl*.so") | names(folder, "_C.*") == built_libraries() != set()


# Without the site's .pth files: those of an editable install lead back to the checkout.
USE = """
import importlib, json, pkgutil, sys
sys.path[:0] = [sys.argv[1]]
sys.path += sys.argv[2:]
import torch
assert torch.ones(2, device="flagos").add(1).tolist() == [2, 2]
import torch_fl
names = [module.name for module in pkgutil.walk_packages(torch_fl.__path__, "torch_fl.")]
files = [importlib.import_module(name).__file__ for name in names]
outside = [file for file in files if not file.startswith(sys.argv[1])]
info = torch_fl.build_info()
print(json.dumps([names, outside, info["library"], torch_fl.routes() is not None]))
"""


def test_installed_package_works_without_the_checkout(installed):
    """Every submodule is imported, and the device used, from a working directory that has neither."""
    places = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    modules, outside, library, _ = json.loads(run(sys.executable, "-S", "-c", USE, installed, *places))
    assert outside == [] and library == str(installed / "torch_fl/lib/libflagos_host.so")
    assert {"torch_fl._C", "torch_fl.conf", "torch_fl.flagos.routing", "torch_fl.torch_lines"} <= set(modules)


def test_installing_brings_no_other_torch(tmp_path):
    """All that the package needs beside itself is there already: pip would put nothing in the place of torch."""
    before, report = torch_found(), tmp_path / "report.json"
    run(*PIP, "install", "-q", "--dry-run", "--no-build-isolation", "--report", report, ROOT)
    brought = [item["metadata"]["name"] for item in json.loads(report.read_text())["install"]]
    assert [name.replace("-", "_") for name in brought] in ([], ["torch_fl"])
    assert torch_found() == before


def test_no_command_of_ours_builds_in_isolation():
    """An isolated build fetches a torch of its own, the index's default: a CUDA build."""
    commands = []
    for path in (
        ROOT / "Makefile",
        ROOT / "README.md",
        *ROOT.glob(".ci/*"),
        *ROOT.glob(".github/**/*.*"),
        *ROOT.glob("docs/**/*.md"),
    ):
        commands += re.findall(
            r"pip (?:install|wheel)[^\n`]* (?:-e )?['\"]?\.(?:[\['\" ].*|$)", path.read_text(), re.MULTILINE
        )
    assert len(commands) >= 2 and [command for command in commands if "--no-build-isolation" not in command] == []
