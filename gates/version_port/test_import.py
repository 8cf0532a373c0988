"""The built torch side on the line: it imports, every operator of the table registers, and it wants nothing of CUDA."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gates.platform_tests import FILES, kept, run
from gates.status import check
from generators.aten.faults import run_to_end
from generators.aten.lines import TorchLine
from generators.aten.operators import Catalogue
from generators.elf import read_library
from generators.files import ROOT
from torch_fl._built import built_for

# What registration may say of an operator that is generated and is not routed here.
NOT_ROUTED = ("there is no kernel for CPU", "flagos has a kernel of its own for it")

CPU_LIBRARIES = {"libtorch_fl", "libtorch", "libtorch_cpu", "libtorch_python", "libc10"} | {
    "libstdc++", "libgcc_s", "libm", "libc", "libdl", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64",
}  # fmt: skip


@pytest.mark.gate("version_port.build.compiles")
def test_torch_side_builds_for_this_torch(line: TorchLine, built: list[Path], measured: dict[str, Any]):
    """Exit criterion: "rebuild against the new torch": one tree, unchanged, compiles and links with this torch's headers and
    libraries, and says which torch it was built for."""
    record = built_for()
    measured["built for"] = record.torch if record else "nothing"
    check(
        measured["built for"] == line.release,
        "the torch side is built for another torch",
        expected=line.release,
        found=measured["built for"],
        where=", ".join(map(str, built)),
        next="rm -r build/torch && make build",
    )
    check(len(built) == 3, "the build left some of its libraries out", found=", ".join(path.name for path in built))


# std::string in a mangled name, by the ABI: the old one's as the last argument, or as a reference.
STRINGS = {"new": "NSt7__cxx1112basic_string", "old": "RKSs|Ss$"}


def _string_abis(library: Path, defined: bool) -> dict[str, list[str]]:
    """ABI -> symbols of torch with such a string in their types, which a library defines or wants."""
    read = read_library(library)
    names = [name for name in sorted(read.defined if defined else read.undefined) if re.search("3c10|2at", name)]
    found = {abi: [name for name in names if re.search(pattern, name)] for abi, pattern in STRINGS.items()}
    return {abi: names for abi, names in found.items() if names}


@pytest.mark.gate("version_port.import.string_abi")
def test_libraries_have_torch_s_strings(line: TorchLine, built: list[Path], measured):
    """Exit criterion: the libraries are built with the C++ string ABI of this torch, which is known before anything is
    imported: with the other one the import ends with an undefined symbol of c10."""
    torch = line.root / "torch/lib/libc10.so"
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
        names = {name.partition(".so")[0] for name in read_library(library).needed}
        wrong = names - CPU_LIBRARIES
        check(not wrong, f"{library.name} needs other libraries", found=", ".join(sorted(wrong)), where=str(library))


@pytest.mark.gate("version_port.platform.tests")
def test_platform_tests_pass(built: list[Path], measured: dict[str, Any]):
    """Exit criterion: "existing platform still passes": the tests of the torch side on the simulated device (of
    tests/integration those that are not of an SDK). A whole run of them that passed counts for exactly these inputs: after
    `make test` this takes no time."""
    said = "" if kept() else run()
    found = kept()
    last = "\n            ".join(said.strip().splitlines()[-25:])
    check(
        found is not None,
        "the platform tests do not pass",
        found=last,
        next=f"pytest {FILES[0].parent.relative_to(ROOT)}",
    )
    measured["tests"] = ", ".join(f"{count} {outcome}" for outcome, count in sorted(found.items()))
    check(found["passed"] > 500, "most of the platform tests did not run", found=measured["tests"])
