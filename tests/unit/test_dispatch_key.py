"""Which key a vendor's torch registers: measured in a process of its own, read where it cannot be imported, and never ours."""

import os
import sys
from pathlib import Path

import pytest

from generators.dispatch_key import OUT_OF_TREE, SAMPLE, ask, main
from generators.vendor_torch import open_vendor_torch
from tests.unit.vendor_torches import (
    TORCH,
    compile_library,
    kernels_source,
    make_vendor_torch,
    make_wheel,
    wants,
    write_record,
)

TAKES = "_ZN3c1028register_privateuse1_backendERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

# Plugins as vendors write them: their entry point runs when torch is imported.
PRIVATE = "import torch; torch.utils.rename_privateuse1_backend('chip')"
CUDA = f"""
import torch
torch.toy = torch.library.Library("aten", "IMPL", "CUDA")
for name in {SAMPLE}:
    torch.toy.impl(name, lambda *a, **k: None)
"""
NOTHING = "import torch"
NEEDS_A_DRIVER = "import ctypes; ctypes.CDLL('libchipdriver.so.7')"
DIES = "import os, signal; os.kill(os.getpid(), signal.SIGABRT)"


@pytest.fixture
def plugin(tmp_path):
    def make(body: str) -> Path:
        root = tmp_path / "site"
        info = root / "toy_chip-1.0.dist-info"
        info.mkdir(parents=True)
        (root / "toy_chip").mkdir()
        (root / "toy_chip/__init__.py").write_text(
            "def _autoload():\n" + "".join(f"    {li}\n" for li in body.splitlines() if li)
        )
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-chip\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[torch.backends]\ntoy_chip = toy_chip:_autoload\n")
        write_record(root, info)
        return root

    return make


@pytest.mark.parametrize(
    ("body", "key"), [(PRIVATE, "PrivateUse1"), (CUDA, "CUDA"), (NOTHING, "")], ids=["PrivateUse1", "CUDA", "neither"]
)
def test_key_is_measured_with_the_plugin(body, key, plugin):
    found = ask(open_vendor_torch(plugin(body)))
    assert (found.key, found.provisional) == (key, "")
    assert found.out_of_tree == ("chip" if key == OUT_OF_TREE else "")
    assert found.covers("CPU") and "schema: aten::mm(Tensor self, Tensor mat2)" in found.evidence
    assert str(found).endswith("(measured)")


def test_wheel_of_a_plugin_is_unpacked_to_be_measured(plugin, tmp_path):
    wheel = make_wheel(plugin(PRIVATE), tmp_path)
    assert (found := ask(open_vendor_torch(wheel))).key == OUT_OF_TREE and not found.provisional


def test_our_own_package_is_not_what_is_asked_about(plugin, monkeypatch, tmp_path):
    """Where it is installed beside the vendor's torch, its autoload would take PrivateUse1 and be mistaken for the vendor."""
    root = plugin(CUDA)
    info = root / "torch_fl-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_fl\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\ntorch_fl = torch_fl._backend:_autoload\n")
    (root / "torch_fl").mkdir()
    (root / "torch_fl/__init__.py").write_text("")
    (root / "torch_fl/_backend.py").write_text(f"def _autoload():\n    {PRIVATE}\n")
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")  # the vendor's is on all the same
    found = ask(open_vendor_torch(root))
    assert (found.key, found.out_of_tree, found.provisional) == ("CUDA", "", "")


@pytest.mark.parametrize(
    ("body", "why"),
    [(NEEDS_A_DRIVER, "OSError: libchipdriver.so.7: cannot open shared object file"), (DIES, "killed by signal 6")],
    ids=["driver", "abort"],
)
def test_answer_is_provisional_where_it_cannot_be_imported(body, why, plugin):
    root = plugin(body)
    compile_library(root / "toy_chip/lib/libtoy_chip.so", wants(TAKES), (TORCH / "libc10.so",))
    write_record(root, root / "toy_chip-1.0.dist-info")
    found = ask(open_vendor_torch(root))
    assert (found.key, found.out_of_tree) == (OUT_OF_TREE, "toy_chip")
    assert found.provisional.startswith(f"it cannot be imported here: {why}") and "provisional" in str(found)
    assert found.evidence == "libtoy_chip.so registers itself for PrivateUse1"


@pytest.mark.parametrize("kind", ["folder", "wheel"])
def test_libraries_of_a_torch_are_read(kind, tmp_path):
    root = make_vendor_torch(tmp_path / "site")
    place = root if kind == "folder" else make_wheel(root, tmp_path)
    found = ask(open_vendor_torch(place))
    assert found.key == "CUDA" and found.covers("CUDA")
    why = "Python takes" if kind == "folder" else "it needs libtoyrt.so.1, not on this machine"
    assert why in found.provisional
    assert "libtorch_cuda.so defines at::cuda::native_layer_norm" in found.evidence


def test_a_part_of_the_kernels_is_not_enough(tmp_path):
    source = kernels_source(False).replace("_ZN2at4cuda3bmmEv", "_ZN2at4cuda3notEv")
    found = ask(open_vendor_torch(make_vendor_torch(tmp_path / "site", source=source)))
    assert found.key == "" and set(found.kernels["CUDA"]) == {*SAMPLE} - {"bmm"}


def test_wheel_for_another_python_is_read(plugin, tmp_path):
    wheel = make_wheel(plugin(PRIVATE), tmp_path)
    other = wheel.rename(tmp_path / wheel.name.replace("-cp311-", f"-cp3{sys.version_info.minor + 1}-"))
    found = ask(open_vendor_torch(other))
    assert found.provisional.startswith(f"it is for Python 3.{sys.version_info.minor + 1}, this is 3.")


def test_installed_torch_has_neither(capsys):
    assert main(["--vendor-torch", str(TORCH.parent.parent)]) == 0
    assert capsys.readouterr().out.startswith("neither CUDA nor PrivateUse1: torch ")
    assert main(["--vendor-torch", os.devnull + "/x"]) == 1
    assert "no such file or folder" in capsys.readouterr().err
