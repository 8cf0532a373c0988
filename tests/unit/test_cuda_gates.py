"""The gates of the CUDA route catch what they are for: each fault is put into a bundle, and its gate must fail."""

import json
import shutil
from pathlib import Path

import pytest

from generators.harvest import harvest
from generators.vendor_torch import open_vendor_torch
from tests.unit.children import run_many, run_pytest
from tests.unit.vendor_torches import TORCH, VENDOR, compile_library, kernels_source, make_vendor_torch, wants
from torch_fl.preload import PROVENANCE


def no_provenance(folder: Path) -> None:
    (folder / PROVENANCE).unlink()


def decided(folder: Path) -> None:
    note(folder, redistribution="allowed")


def other_bytes(folder: Path) -> None:
    file = folder / "libtoyhelper.so"
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")


def stray_library(folder: Path) -> None:
    shutil.copy(folder / "libtoyhelper.so", folder / "libstray.so")


def other_version(folder: Path) -> None:
    note(folder, torch={"version": "2.0.1+toy1.5", "git": "unknown"})


def old_abi(folder: Path) -> None:
    compile_library(folder / "libc10_cuda.so", wants("_ZN3c104warnENS_7WarningESs"))


def two_series(folder: Path) -> None:
    other = compile_library(folder.parent / f"{folder.name}-sdk/libtoyrt.so.2")
    compile_library(folder / "libtorch_cuda_linalg.so", "", (other,))


def unknown_symbol(folder: Path) -> None:
    compile_library(folder / "libtoyhelper.so", wants("_ZN2at11no_such_oneEv"))


def no_kernels(folder: Path) -> None:
    needs = (folder / "libc10_cuda.so", folder / "libtoyhelper.so", TORCH / "libtorch_cpu.so")
    compile_library(folder / "libtorch_cuda.so", kernels_source(registers=False), needs)
    sizes = {name: {"size": (folder / name).stat().st_size, "sha256": ""} for name in notes(folder)["files"]}
    note(folder, files=sizes)


def notes(folder: Path) -> dict:
    return json.loads((folder / PROVENANCE).read_text())


def note(folder: Path, **changes: object) -> None:
    (folder / PROVENANCE).write_text(json.dumps(notes(folder) | changes))


FAULTS = {
    no_provenance: "cuda_compat.harvest.provenance",
    decided: "cuda_compat.harvest.provenance",
    other_bytes: "cuda_compat.harvest.whole",
    stray_library: "cuda_compat.harvest.whole",
    other_version: "cuda_compat.version.torch",
    old_abi: "cuda_compat.version.abi",
    two_series: "cuda_compat.version.series",
    unknown_symbol: "cuda_compat.version.symbols",
    no_kernels: "cuda_compat.preload.kernels",
}
SOUND = "harvest.provenance or harvest.whole or version.torch or version.abi or version.series or version.symbols"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The gates over a sound bundle and over one with each fault. Its vendor is in the tree; its libraries are made up."""
    folder = tmp_path_factory.mktemp("gates")
    sound = folder / "sound"
    harvest(VENDOR, open_vendor_torch(make_vendor_torch(folder / "site")), sound)
    note(sound, vendor="cuda")
    lines = {}
    for spoil in [None, *FAULTS]:
        name = spoil.__name__ if spoil else "sound"
        if spoil:
            spoil(shutil.copytree(sound, folder / name))
        chosen = FAULTS[spoil] if spoil else SOUND
        lines[name] = f"FLAGOS_CUDA_ASSETS_DIR={folder / name} gates/cuda_compat --vendor cuda -k '{chosen}'"
    return run_many(lines, seconds=300)


def test_gates_pass_a_sound_bundle(runs):
    assert set(runs["sound"].statuses.values()) == {"PASS"}
    assert len(runs["sound"].statuses) == SOUND.count(" or ") + 1, runs["sound"].output


@pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)
def test_fault_fails_its_gate(spoil, runs):
    run = runs[spoil.__name__]
    assert run.statuses == {FAULTS[spoil]: "FAIL"}, run.output


def test_without_the_vendor_s_torch_the_suite_says_what_to_give(tmp_path):
    run = run_many({"none": "gates/cuda_compat/test_key.py --vendor cuda -rs"}, seconds=300)["none"]
    assert set(run.statuses.values()) == {"NOT RUN"} and run.status == 1
    assert "needs the vendor's torch: --vendor-torch DIR_OR_WHEEL" in run.output


def test_what_is_named_and_is_none_is_a_usage_error():
    """No gate is blamed for an option."""
    torch = run_pytest("gates/cuda_compat", "--vendor", "cuda", "--vendor-torch", "gone.whl")
    assert torch.status == 4 and "ERROR: --vendor-torch" in torch.output and "no such file or folder" in torch.output
    library = run_pytest("gates/native_op", "--vendor", "onednn", "--op-lib", "gone.so")
    assert library.status == 4 and "ERROR: --op-lib gone.so: no such file" in library.output
