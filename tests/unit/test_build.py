"""A vendor is built once per content, however many ask; a failed build is told once and retried next time."""

import json
from pathlib import Path

import pytest

from generators import build as module
from generators.build import BuildError, build_torch_side, build_vendor
from generators.vendor import Vendor


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


def cmake(fp, tree, times=1, returncode=0):
    """Let the next builds succeed, or fail."""

    def link(process):
        (tree / "torch_fl/lib/libflagos_toy.so").write_bytes(b"library %d" % len(fp.calls))

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


@pytest.mark.parametrize("file", ["csrc/runtime/accelerator/toy/memory.cc", "csrc/include/flagos.h"])
def test_changed_source_is_built_again(fp, tree, toy, file):
    cmake(fp, tree, times=2)
    first = build_vendor(toy, None)
    (tree / file).write_text("changed")
    assert build_vendor(toy, None).sha256 != first.sha256
    assert builds(tree) == 2


def test_library_that_was_replaced_is_built_again(fp, tree, toy):
    cmake(fp, tree, times=2)
    build_vendor(toy, None)
    (tree / "torch_fl/lib/libflagos_toy.so").write_bytes(b"another")
    build_vendor(toy, None)
    assert builds(tree) == 2


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
        build_torch_side()
    (tree / "torch_fl/lib/libtorch_fl.so").write_bytes(b"x")
    assert build_torch_side().library == Path(tree / "torch_fl/lib/libtorch_fl.so")


def test_four_workers_build_once(run_gates):
    log = module.BUILD / "runtime/host/builds.log"
    before = log.read_text().count("\n") if log.exists() else 0
    run = run_gates("-n", "4", "-k", "exported", paths=("gates/runtime",))
    assert run.status == 0, run.text[-2000:]
    assert log.read_text().count("\n") - before <= 1
