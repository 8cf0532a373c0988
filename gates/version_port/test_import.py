"""The built torch side on the line: it imports, every operator of the table registers, and it wants nothing of CUDA."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from gates.status import check, not_run
from generators.aten.faults import run_to_end
from generators.aten.lines import TorchLine
from generators.aten.operators import Catalogue
from generators.files import ROOT

PACKAGE = ROOT / "torch_fl"
LIBRARIES = ("lib/libtorch_fl.so", "lib/libtorch_fl_operators.so", "_C.*.so")

# What registration may say of an operator that is generated and is not routed here.
NOT_ROUTED = ("there is no kernel for CPU", "flagos has a kernel of its own for it")

CPU_LIBRARIES = {"libtorch_fl", "libtorch", "libtorch_cpu", "libtorch_python", "libc10"} | {
    "libstdc++", "libgcc_s", "libm", "libc", "libdl", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64",
}  # fmt: skip


@pytest.fixture(scope="session")
def built(installed: TorchLine) -> list[Path]:
    """The libraries of the torch side, built for this torch."""
    found = [file for name in LIBRARIES for file in sorted(PACKAGE.glob(name))]
    if len(found) < len(LIBRARIES):
        not_run("needs the torch side, which is not built here; run: make build")
    return found


# std::string in a mangled name, by the ABI: the old one's as the last argument, or as a reference.
STRINGS = {"new": "NSt7__cxx1112basic_string", "old": "RKSs|Ss$"}


def _string_abis(library: Path, defined: bool) -> dict[str, list[str]]:
    """ABI -> symbols of torch with such a string in their types, which a library defines or wants."""
    with library.open("rb") as file:
        symbols = list(ELFFile(file).get_section_by_name(".dynsym").iter_symbols())
    names = [s.name for s in symbols if (s["st_shndx"] != "SHN_UNDEF") == defined and re.search("3c10|2at", s.name)]
    found = {abi: [name for name in names if re.search(pattern, name)] for abi, pattern in STRINGS.items()}
    return {abi: names for abi, names in found.items() if names}


@pytest.mark.gate("version_port.import.string_abi")
def test_libraries_have_torch_s_strings(installed: TorchLine, built: list[Path], measured):
    """Exit criterion: the libraries are built with the C++ string ABI of this torch, which is known before anything is
    imported: with the other one the import ends with an undefined symbol of c10."""
    torch = installed.root / "torch/lib/libc10.so"
    right = _string_abis(torch, defined=True)
    wanted = {library: _string_abis(library, defined=False) for library in built}
    wrong = [
        (library, abi, names) for library, abis in wanted.items() for abi, names in abis.items() if abi not in right
    ]
    check(
        not wrong,
        "libraries are built with another C++ string ABI than torch",
        expected=f"the {' and '.join(right)} one, of {torch}",
        found="; ".join(f"{library.name}: the {abi} one, in {', '.join(names[:2])}" for library, abi, names in wrong),
        next="rm -r build/torch && make build",
    )
    measured["symbols with strings"] = sum(len(names) for abis in wanted.values() for names in abis.values())
    check(measured["symbols with strings"] > 0, "no library shows which ABI it has")


@pytest.mark.gate("version_port.import.clean")
def test_import_registers_every_operator(built: list[Path], catalogue: Catalogue, vendor, tmp_path: Path, measured):
    """Exit criterion: "import torch_fl clean, no signature mismatch, no segfault", in a fresh process: each routable operator
    is registered for the device, and whatever is wrong with any of them is told in one import."""
    names = tmp_path / "operators.json"
    names.write_text(json.dumps([operator.name for operator in catalogue.routable]))
    program = (
        "import json, sys, torch, torch_fl\n"
        "torch_fl.init()\n"
        f"problems = torch_fl.flagos._C.route_operators(json.load(open({str(names)!r})), 'cpu')\n"
        "x = torch.ones(3, device='flagos')\n"
        "assert (x + x).tolist() == [2, 2, 2]\n"
        f"json.dump(problems, open({str(tmp_path / 'problems.json')!r}, 'w'))\n"
    )
    environment = os.environ | {"FLAGOS_ACCELERATOR": vendor.name, "PYTHONPATH": str(ROOT)}
    ending, text = run_to_end([sys.executable, "-c", program], environment)
    check(ending.kind == "clean", f"the import ended: {ending.kind}", found=text[-2000:], likely=ending.advice)
    problems = json.loads((tmp_path / "problems.json").read_text())
    wrong = [problem for problem in problems if not problem.endswith(NOT_ROUTED)]
    measured["registered"] = len(catalogue.routable) - len(problems)
    check(not wrong, f"{len(wrong)} operators cannot be registered", found="\n            ".join(wrong[:20]))
    check(measured["registered"] > 1000, "most operators have a kernel for the CPU", found=measured["registered"])


@pytest.mark.gate("version_port.import.cpu_libraries")
def test_libraries_want_the_cpu_s_only(built: list[Path]):
    """Exit criterion: "links only against torch_cpu_library": beside the system's, the only libraries that are needed are those
    of the CPU build. That these define every symbol shows in the import, which binds them all."""
    for library in built:
        with library.open("rb") as file:
            dynamic = next(part for part in ELFFile(file).iter_segments() if isinstance(part, DynamicSegment))
            needed = {tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"}
        names = {name.partition(".so")[0] for name in needed}
        wrong = names - CPU_LIBRARIES
        check(not wrong, f"{library.name} needs other libraries", found=", ".join(sorted(wrong)), where=str(library))
