"""A vendor is built once per content, however many ask; a failed build is told once and retried next time."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from generators import build as module
from generators.build import BuildError, build_torch_side, build_vendor
from generators.files import ROOT
from generators.vendor import FoundSdk, Sdk, Vendor


@pytest.fixture
def tree(tmp_path, monkeypatch, fp):
    """A checkout with one source file, in which cmake is played by `fp`."""
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    monkeypatch.setattr(module, "LIBRARIES", tmp_path / "torch_fl/lib")
    monkeypatch.setattr("generators.vendor.SOURCES", tmp_path / "csrc/runtime/accelerator")
    for name in ("csrc/runtime/accelerator/CMakeLists.txt", "csrc/runtime/allocator/device_memory_interface.h",
                 "csrc/include/flagos.h", "csrc/runtime/accelerator/toy/memory.cc"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "torch_fl/lib").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def toy(tree):
    return Vendor("toy", "Toy", True, True, tree / "vendor.yaml")


def cmake(fp, tree, times=1, returncode=0, folder="torch_fl/lib"):
    """Let the next builds succeed, or fail."""

    def link(process):
        (tree / folder / "libflagos_toy.so").write_bytes(b"library %d" % len(fp.calls))

    for _ in range(times):
        fp.register(["cmake", "-S", fp.any()])
        callback = {} if returncode else {"callback": link}
        fp.register(["cmake", "--build", fp.any()], returncode=returncode, stderr="memory.cc:1: error: no", **callback)


def builds(tree):
    log = tree / "build/runtime/toy/builds.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_same_content_is_built_once(fp, tree, toy):
    cmake(fp, tree)
    first = build_vendor(toy, None, run="a")
    assert build_vendor(toy, None, run="a") == build_vendor(toy, None, run="b") == first
    assert builds(tree) == 1
    assert first.short.startswith("torch_fl/lib/libflagos_toy.so sha256:")


@pytest.mark.parametrize(
    "file",
    [
        "csrc/runtime/accelerator/toy/memory.cc",
        "csrc/runtime/accelerator/toy/deep/new.h",
        "csrc/runtime/accelerator/CMakeLists.txt",
        "csrc/runtime/accelerator/exports.map",
        "csrc/runtime/allocator/device_memory_interface.h",
        "csrc/runtime/allocator/backends/toy_memory.h",
        "csrc/include/flagos.h",
    ],
)
def test_changed_source_is_built_again(fp, tree, toy, file):
    cmake(fp, tree, times=2)
    first = build_vendor(toy, None)
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text("changed")
    assert build_vendor(toy, None).sha256 != first.sha256
    assert builds(tree) == 2


def test_what_belongs_to_another_vendor_changes_nothing(fp, tree, toy):
    cmake(fp, tree)
    build_vendor(toy, None)
    for file in ("csrc/runtime/accelerator/other/memory.cc", "csrc/runtime/allocator/backends/other_memory.h"):
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text("new")
    build_vendor(toy, None)
    assert builds(tree) == 1


@pytest.mark.parametrize("file", ["include/toy.h", "lib/libtoy.so"])
def test_an_sdk_that_was_replaced_in_place_is_built_against_again(fp, tree, tmp_path_factory, file):
    root = tmp_path_factory.mktemp("sdk")
    for name in ("include/toy.h", "lib/libtoy.so"):
        (root / name).parent.mkdir()
        (root / name).write_text("1.0")
    vendor = Vendor("toy", "Toy", True, True, tree / "vendor.yaml", sdk=Sdk("Toy SDK", ("toy.h",), "libtoy.so"))
    found = FoundSdk(root, root / "include", root / "lib/libtoy.so")
    cmake(fp, tree, times=2)
    build_vendor(vendor, found)
    build_vendor(vendor, found)
    assert builds(tree) == 1
    configure = next(list(call) for call in fp.calls if "-S" in call)
    assert f"-DFLAGOS_SDK_INCLUDE={root}/include" in configure
    assert f"-DFLAGOS_SDK_LIBRARY={root}/lib/libtoy.so" in configure
    (root / file).write_text("1.1")
    build_vendor(vendor, found)
    assert builds(tree) == 2


def test_library_over_a_simulated_sdk_is_not_where_detection_looks(fp, tree, toy, tmp_path):
    (tree / "build/simulated").mkdir(parents=True)
    found = FoundSdk(tmp_path, tmp_path, tmp_path / "libtoy.so", simulated=True)
    cmake(fp, tree, folder="build/simulated")
    assert build_vendor(toy, found).library == tree / "build/simulated/libflagos_toy.so"
    configure = next(list(call) for call in fp.calls if "-S" in call)
    assert f"-DFLAGOS_LIBRARY_DIR={tree}/build/simulated" in configure


def test_library_that_was_replaced_is_built_again(fp, tree, toy):
    cmake(fp, tree, times=3)
    first = build_vendor(toy, None)
    first.library.write_bytes(b"another")
    second = build_vendor(toy, None)
    second.library.unlink()
    third = build_vendor(toy, None)
    assert builds(tree) == 3
    assert len({first.sha256, second.sha256, third.sha256}) == 3
    assert third.sha256 == module.digest(third.library)


def test_failed_build_is_told_once_a_run_and_retried_in_the_next(fp, tree, toy):
    cmake(fp, tree, returncode=1)
    for _ in range(3):
        with pytest.raises(BuildError, match=r"memory\.cc:1: error: no"):
            build_vendor(toy, None, run="a")
    assert builds(tree) == 1
    cmake(fp, tree)
    assert build_vendor(toy, None, run="b").sha256
    assert json.loads((tree / "build/runtime/toy/built.json").read_text())["error"] is None


def test_missing_cmake_says_how_to_install_it(tree, toy, monkeypatch):
    def absent(*arguments, **keywords):
        raise FileNotFoundError("cmake")

    monkeypatch.setattr(module.subprocess, "run", absent)
    with pytest.raises(BuildError, match="apt-get install cmake"):
        build_vendor(toy, None)


def test_torch_side_that_was_never_built_says_what_to_type(tree):
    with pytest.raises(BuildError, match="make build"):
        build_torch_side()  # and there is nothing that it could be built from
    (tree / "torch_fl/lib/libtorch_fl.so").write_bytes(b"x")
    assert build_torch_side().library == Path(tree / "torch_fl/lib/libtorch_fl.so")


def test_torch_side_of_a_new_checkout_is_built_for_this_python(tree, fp):
    (tree / "CMakeLists.txt").touch()
    for command in (["cmake", "-S", str(tree), fp.any()], ["cmake", "--build", fp.any()]):
        fp.register(command, callback=lambda _: (tree / "torch_fl/lib/libtorch_fl.so").write_bytes(b"x"))
    build_torch_side()
    assert f"-DPython_EXECUTABLE={sys.executable}" in fp.calls[0]


def test_command_line_builds_and_says_what(tree, toy, monkeypatch, capsys):
    monkeypatch.setattr(module, "load_vendor", lambda name: toy)
    monkeypatch.setattr(module, "build_vendor", lambda vendor, sdk: module.Built(tree / "torch_fl/lib/x.so", "ab" * 32))
    assert module.main(["--vendor", "toy"]) == 0
    assert capsys.readouterr().out == "torch_fl/lib/x.so sha256:abababababab\n"


def test_command_line_says_what_is_wrong(tree, monkeypatch, capsys):
    assert module.main(["--vendor", "nosuch"]) == 1
    assert capsys.readouterr().err.startswith("ERROR: no vendor 'nosuch' in ")
    monkeypatch.setattr(module, "load_vendor", lambda name: Vendor("toy", "Toy", True, True, tree / "vendor.yaml"))
    monkeypatch.setattr(module, "run_command", lambda command: (_ for _ in ()).throw(BuildError("build failed: no")))
    assert module.main(["--vendor", "toy"]) == 1
    assert capsys.readouterr().err == "ERROR: build failed: no\n"


# ---- with the real build


@pytest.fixture
def real(tmp_path, monkeypatch):
    """A checkout with the real build files and the smallest vendor."""
    accelerators = tmp_path / "csrc/runtime/accelerator"
    (accelerators / "toy").mkdir(parents=True)
    for path in (ROOT / "csrc/runtime/accelerator").iterdir():
        if path.is_file():
            shutil.copy(path, accelerators)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    monkeypatch.setattr(module, "LIBRARIES", tmp_path / "torch_fl/lib")
    monkeypatch.setattr("generators.vendor.SOURCES", accelerators)
    (accelerators / "toy/device.cc").write_text('extern "C" int GetDeviceCount(int* n) { return *n = 0; }\n')
    return Vendor("toy", "Toy", True, True, tmp_path / "vendor.yaml")


def test_a_real_build_recovers_from_everything(real, tmp_path):
    first = build_vendor(real, None)
    assert first.library.read_bytes()[:4] == b"\x7fELF"
    assert first.sha256 == module.digest(first.library)

    first.library.write_bytes(b"half of a library")  # newer than its sources: the build tool alone would keep it
    assert build_vendor(real, None) == first
    assert first.sha256 == module.digest(first.library)

    source = real.sources / "device.cc"
    good = source.read_text()
    source.write_text("this is no C++\n")
    with pytest.raises(BuildError, match=r"device\.cc:1:1: error: "):
        build_vendor(real, None, run="a")
    assert not first.library.exists(), "the library of other sources is left behind"

    source.write_text(good)
    assert build_vendor(real, None, run="a") == first
    assert len((tmp_path / "build/runtime/toy/builds.log").read_text().splitlines()) == 4


def test_a_vendor_without_sources_says_where_they_belong(real):
    (real.sources / "device.cc").unlink()
    with pytest.raises(BuildError, match=r"there is no \*\.cc in\s+\S+/accelerator/toy"):
        build_vendor(real, None)
