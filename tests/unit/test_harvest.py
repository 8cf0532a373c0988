"""Harvest: what is staged, what is written down, what is left alone, and what happens to bad input."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from generators import harvest as harvesting
from generators.elf import ElfError, read_library
from generators.files import ROOT
from generators.harvest import HarvestError, harvest, main, render_page
from generators.vendor_torch import VendorTorchError, open_vendor_torch
from tests.unit.vendor_torches import (
    RELEASE,
    TORCH,
    VENDOR,
    compile_library,
    make_vendor_torch,
    make_wheel,
    wants,
    write_record,
)
from torch_fl.preload import PROVENANCE

STAGED = ["libc10_cuda.so", "libcaffe2_nvrtc.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so", "libtoyhelper.so"]


@pytest.fixture(scope="session")
def packages(tmp_path_factory) -> Path:
    return make_vendor_torch(tmp_path_factory.mktemp("vendor") / "site")


@pytest.fixture(scope="session")
def wheel(packages, tmp_path_factory) -> Path:
    return make_wheel(packages, tmp_path_factory.mktemp("wheels"))


@pytest.fixture
def own(packages, tmp_path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(packages, tmp_path / "own")


def state(folder: Path) -> dict[str, tuple[int, int, str]]:
    return {
        file.name: (file.stat().st_ino, file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(folder.iterdir())
    }


def notes(folder: Path) -> dict:
    return json.loads((folder / PROVENANCE).read_text())


# ---- what is staged


@pytest.mark.parametrize("kind", ["wheel", "folder", "torch folder", "environment"])
def test_libraries_are_staged_with_what_they_need_of_that_torch(kind, packages, wheel, tmp_path):
    environment = tmp_path / "env/lib/python3.11"
    environment.mkdir(parents=True)
    (environment / "site-packages").symlink_to(packages)
    place = {"wheel": wheel, "folder": packages, "torch folder": packages / "torch", "environment": tmp_path / "env"}[
        kind
    ]
    done = harvest(VENDOR, open_vendor_torch(place), tmp_path / "assets")
    assert sorted(done.staged) == STAGED and done.kept == ()  # libc10.so is every torch's, libtoyrt.so.1 is the SDK's
    assert sorted(file.name for file in (tmp_path / "assets").iterdir()) == sorted([*STAGED, PROVENANCE])
    for name in STAGED:
        assert (tmp_path / "assets" / name).read_bytes() == (packages / "torch/lib" / name).read_bytes()


def test_provenance_says_what_and_where_from(wheel, tmp_path):
    harvest(VENDOR, open_vendor_torch(wheel), tmp_path)
    found = notes(tmp_path)
    kernels = tmp_path / "libtorch_cuda.so"
    assert found == found | {
        "vendor": "toy",
        "source": wheel.name,
        "torch": {"version": f"{RELEASE}+toy1.5", "git": "unknown"},
        "sdk": {"toy": "1.5"},
        "preload": ["libc10_cuda.so", "libtorch_cuda.so"],
        "on_demand": ["libtorch_cuda_linalg.so"],
        "needs": {"libtoydriver.so.1": "", "libtoyrt.so.1": "toy-runtime"},
        "requires": ["toy-runtime==1.5.2"],  # what the CPU torch wants too is no news
        "search": ["{purelib}/toy/lib"],
        "licences": [f"torch-{RELEASE}+toy1.5.dist-info/licenses/LICENSE"],
        "redistribution": "to be decided by a person",
    }
    assert found["files"]["libtorch_cuda.so"] == {
        "size": kernels.stat().st_size,
        "sha256": hashlib.sha256(kernels.read_bytes()).hexdigest(),
    }


def test_an_installed_torch_is_searched_where_it_is(packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path)
    assert notes(tmp_path)["search"] == [str(packages / "toy/lib"), "{purelib}/toy/lib"]


def test_of_a_wheel_only_the_libraries_are_read(wheel, tmp_path, monkeypatch):
    opened = []
    plain = zipfile.ZipFile.open

    def watched(self, name, *arguments, **options):
        opened.append(getattr(name, "filename", name))
        return plain(self, name, *arguments, **options)

    monkeypatch.setattr(zipfile.ZipFile, "open", watched)
    harvest(VENDOR, open_vendor_torch(wheel), tmp_path / "assets")
    described = {"torch/version.py", *(f"torch-{RELEASE}+toy1.5.dist-info/{name}" for name in ("RECORD", "METADATA"))}
    assert set(opened) == described | {f"torch/lib/{name}" for name in STAGED}


def test_second_harvest_leaves_everything_alone(packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path)
    before = state(tmp_path)
    again = harvest(VENDOR, open_vendor_torch(packages), tmp_path)
    assert again.staged == () and sorted(again.kept) == STAGED
    assert state(tmp_path) == before


@pytest.mark.parametrize(
    "damage", ["gone", "cut", "newer", "no provenance", "provenance of another", "provenance unreadable"]
)
def test_what_is_not_an_equal_copy_is_staged_again(damage, packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path)
    before, file, provenance = state(tmp_path), tmp_path / "libtorch_cuda.so", tmp_path / PROVENANCE
    if damage == "gone":
        file.unlink()
    elif damage == "cut":
        os.truncate(file, 100)
    elif damage == "newer":
        os.utime(file, (file.stat().st_mtime + 5,) * 2)  # times are compared by the second
    elif damage == "no provenance":
        provenance.unlink()
    elif damage == "provenance of another":
        data = notes(tmp_path)
        data["files"]["libtorch_cuda.so"]["sha256"] = "0" * 64
        provenance.write_text(json.dumps(data))
    else:
        provenance.write_text("{")
    again = harvest(VENDOR, open_vendor_torch(packages), tmp_path)
    everything = damage in ("no provenance", "provenance unreadable")
    assert sorted(again.staged) == (STAGED if everything else ["libtorch_cuda.so"])
    assert {name: digest for name, (_, _, digest) in state(tmp_path).items()} == {
        n: d for n, (_, _, d) in before.items()
    }


def test_what_the_next_torch_lacks_goes(own, tmp_path):
    assets = tmp_path / "assets"
    harvest(VENDOR, open_vendor_torch(own), assets)
    (own / "torch/lib/libcaffe2_nvrtc.so").unlink()
    (assets / "mine.txt").write_text("not a library of ours")
    harvest(VENDOR, open_vendor_torch(own), assets)
    assert not (assets / "libcaffe2_nvrtc.so").exists() and (assets / "mine.txt").exists()
    assert "libcaffe2_nvrtc.so" not in notes(assets)["files"]


def test_places_of_the_sdk_are_those_of_its_version(packages, tmp_path):
    import dataclasses

    from generators.vendor import CudaLibraries

    places = CudaLibraries(("/opt/toy-{toy}/lib", "/opt/other-{other}/lib"))
    harvest(dataclasses.replace(VENDOR, cuda_libraries=places), open_vendor_torch(packages), tmp_path)
    assert notes(tmp_path)["search"][-1] == "/opt/toy-1.5/lib"


# ---- bad input: a clear error, the former state kept


def cut_wheel(own: Path, tmp_path: Path) -> Path:
    wheel = make_wheel(own, tmp_path)
    os.truncate(wheel, wheel.stat().st_size // 2)
    return wheel


def cut_library(own: Path, tmp_path: Path) -> Path:
    os.truncate(own / "torch/lib/libtorch_cuda_linalg.so", 5000)
    return own


def cut_library_without_record(own: Path, tmp_path: Path) -> Path:
    shutil.rmtree(next(own.glob("*.dist-info")))
    return cut_library(own, tmp_path)


def spoiled_member(own: Path, tmp_path: Path) -> Path:
    wheel = make_wheel(own, tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        member = archive.getinfo("torch/lib/libtorch_cuda.so")
    data = bytearray(wheel.read_bytes())
    middle = member.header_offset + 60 + member.compress_size // 2
    data[middle : middle + 8] = bytes(byte ^ 0x5A for byte in data[middle : middle + 8])
    wheel.write_bytes(data)
    return wheel


def no_libraries(own: Path, tmp_path: Path) -> Path:
    for file in (own / "torch/lib").iterdir():
        file.unlink()
    write_record(own, next(own.glob("*.dist-info")))
    return make_wheel(own, tmp_path)


def other_version(own: Path, tmp_path: Path) -> Path:
    file = own / "torch/version.py"
    file.write_text(file.read_text().replace(RELEASE, "2.0.1"))
    return own


def no_version(own: Path, tmp_path: Path) -> Path:
    (own / "torch/version.py").write_text("")
    return own


def other_abi(own: Path, tmp_path: Path) -> Path:
    compile_library(own / "torch/lib/libc10_cuda.so", wants("_ZN3c104warnENS_7WarningESs"))
    write_record(own, next(own.glob("*.dist-info")))
    return own


def other_machine(own: Path, tmp_path: Path) -> Path:
    file = own / "torch/lib/libc10_cuda.so"
    data = bytearray(file.read_bytes())
    data[18:20] = b"\xf7\x00"
    file.write_bytes(data)
    write_record(own, next(own.glob("*.dist-info")))
    return own


def a_text_file(own: Path, tmp_path: Path) -> Path:
    (tmp_path / "torch.whl").write_text("404 not found")
    return tmp_path / "torch.whl"


BAD = {
    cut_wheel: "no whole wheel (File is not a zip file); fetch it again",
    cut_library: "libtorch_cuda_linalg.so is not the file that its RECORD lists; fetch it again",
    cut_library_without_record: "libtorch_cuda_linalg.so is not whole: it has 5000 bytes",
    spoiled_member: "torch/lib/libtorch_cuda.so: ",
    no_libraries: "no libtorch_cuda.so in its torch/lib: torch",
    other_version: f"is torch 2.0.1+toy1.5, and torch {RELEASE}+cpu is installed",
    no_version: "expected __version__ = '…'; it says which torch this is",
    other_abi: "libc10_cuda.so has the C++ ABI pre-cxx11, and the installed torch has cxx11",
    other_machine: "libc10_cuda.so is for another machine than",
    a_text_file: "no whole wheel (File is not a zip file); fetch it again",
}


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_bad_input_is_told_and_changes_nothing(spoil, packages, own, tmp_path):
    assets = tmp_path / "assets"
    harvest(VENDOR, open_vendor_torch(packages), assets)
    for file in assets.iterdir():
        os.utime(file, (1, 1))  # so that everything would have to be staged again
    before = state(assets)
    place = spoil(own, tmp_path)
    with pytest.raises((HarvestError, VendorTorchError)) as raised:
        harvest(VENDOR, open_vendor_torch(place), assets)
    assert BAD[spoil] in str(raised.value)
    assert state(assets) == before


def test_full_disk_leaves_the_former_state(packages, own, tmp_path, monkeypatch):
    assets = tmp_path / "assets"
    harvest(VENDOR, open_vendor_torch(packages), assets)
    for file in assets.glob("*.so"):
        os.utime(file, (1, 1))
    before, written = state(assets), []
    plain = Path.open

    def full(self, mode="r", *arguments, **options):
        if "w" in mode and self.suffix == ".part":
            written.append(self)
            if len(written) == 3:
                raise OSError(errno.ENOSPC, "No space left on device", str(self))
        return plain(self, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(HarvestError, match=r"\.part: No space left on device; nothing was changed"):
        harvest(VENDOR, open_vendor_torch(packages), assets)
    assert len(written) == 3 and state(assets) == before


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("gone", "gone: no such file or folder; give a wheel of the vendor's torch, or where it is installed"),
        ("empty", "empty: no torch there; expected torch/version.py in it"),
    ],
)
def test_a_place_without_a_torch(place, message, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(VendorTorchError, match=message):
        open_vendor_torch(tmp_path / place)


def test_a_wheel_of_another_package(tmp_path):
    with zipfile.ZipFile(tmp_path / "numpy.whl", "w") as archive:
        archive.writestr("numpy-2.dist-info/RECORD", "")
    with pytest.raises(VendorTorchError, match="no wheel of torch, nor of a package with a"):
        open_vendor_torch(tmp_path / "numpy.whl")


# ---- the command


def test_command_stages_writes_the_page_and_lists_what_is_missing(wheel, tmp_path, monkeypatch, capsys):
    page = tmp_path / "installation.md"
    monkeypatch.setattr(harvesting, "load_vendor", lambda name: VENDOR)
    monkeypatch.setattr(harvesting, "page_of", lambda vendor: page)
    arguments = ["--vendor", "toy", "--vendor-torch", str(wheel), "--assets", str(tmp_path / "assets")]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "5 libraries staged, 0 equal copies kept" in said and "written, review and commit it" in said
    assert "not on this machine: libtoyrt.so.1, usually of toy-runtime" in said
    assert "this torch wants: toy-runtime==1.5.2" in said
    text = page.read_text()
    assert text == render_page(VENDOR, notes(tmp_path / "assets"))
    assert "**to be decided by a person**" in text and str(tmp_path) not in text
    for name, entry in notes(tmp_path / "assets")["files"].items():
        assert f"| {name} | {entry['size']} | `{entry['sha256']}` |" in text
    assert main(arguments) == 0
    assert "0 libraries staged, 5 equal copies kept" in capsys.readouterr().out


def test_command_ends_with_the_error(tmp_path, capsys):
    assert main(["--vendor", "nosuch", "--vendor-torch", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("generators.harvest: no vendor 'nosuch'")


# ---- reading libraries


def test_symbols_and_needs_are_those_that_binutils_see():
    library = read_library(TORCH / "libc10.so")
    lines = subprocess.run(
        ["nm", "-D", str(library.path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    rows = [line.split()[-2:] for line in lines]
    assert library.defined == {name.partition("@")[0] for kind, name in rows if kind not in "Uvw"}
    assert library.undefined == {name.partition("@")[0] for kind, name in rows if kind == "U"}
    assert "libstdc++.so.6" in library.needed and library.abi == "cxx11"


def test_a_file_that_is_no_library(tmp_path):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(ElfError, match=r"text\.so: no whole shared library"):
        read_library(tmp_path / "text.so")
    with pytest.raises(ElfError, match="No such file"):
        read_library(tmp_path / "gone.so")


# ---- wheels of this package


def bundle_project(tmp_path: Path, vendor: str, assets: Path) -> subprocess.CompletedProcess[str]:
    """What the build of a wheel does about the libraries, without the rest of it."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.21)\nproject(toy LANGUAGES NONE)\ninclude({ROOT / 'csrc/bundle.cmake'})\n"
    )
    configure = ["cmake", "-S", source, "-B", tmp_path / "build", f"-DFLAGOS_BUNDLE={vendor}"]
    environment = os.environ | {"FLAGOS_CUDA_ASSETS_DIR": str(assets)}
    done = subprocess.run(configure, env=environment, capture_output=True, text=True)
    if done.returncode == 0:
        install = ["cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "wheel"]
        done = subprocess.run(install, capture_output=True, text=True)
    return done


def test_wheel_has_the_libraries_of_the_named_vendor(packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path / "assets")
    assert bundle_project(tmp_path, "toy", tmp_path / "assets").returncode == 0
    found = {file.name for file in (tmp_path / "wheel/torch_fl/assets/toy").iterdir()}
    assert found == {*STAGED, PROVENANCE}


def test_wheel_has_no_libraries_unless_asked(packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path / "assets")
    assert bundle_project(tmp_path, "", tmp_path / "assets").returncode == 0
    assert not (tmp_path / "wheel").exists()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("vendor", "holds the libraries of toy"),
        ("provenance", "no provenance.json in"),
        ("file", "is missing; harvest again"),
    ],
)
def test_wheel_takes_no_faulty_bundle(fault, message, packages, tmp_path):
    harvest(VENDOR, open_vendor_torch(packages), tmp_path / "assets")
    if fault != "vendor":
        (tmp_path / "assets" / (PROVENANCE if fault == "provenance" else "libtorch_cuda.so")).unlink()
    done = bundle_project(tmp_path, "other" if fault == "vendor" else "toy", tmp_path / "assets")
    assert done.returncode != 0 and message in " ".join(done.stderr.split())
