"""The built torch side on the line: it imports, every operator of the table registers, and it wants nothing of CUDA."""

from __future__ import annotations

import json
import os
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


@pytest.fixture(scope="session")
def built(installed: TorchLine) -> list[Path]:
    """The libraries of the torch side, built for this torch."""
    found = [file for name in LIBRARIES for file in sorted(PACKAGE.glob(name))]
    if len(found) < len(LIBRARIES):
        not_run("needs the torch side, which is not built here; run: make build")
    return found


@pytest.mark.gate("version_port.import.clean")
def test_import_registers_every_operator(built: list[Path], catalogue: Catalogue, tmp_path: Path, measured):
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
    environment = os.environ | {"FLAGOS_ACCELERATOR": "host", "PYTHONPATH": str(ROOT)}
    ending, text = run_to_end([sys.executable, "-c", program], environment)
    check(ending.kind == "clean", f"the import ended: {ending.kind}", found=text[-2000:], likely=ending.advice)
    problems = json.loads((tmp_path / "problems.json").read_text())
    wrong = [problem for problem in problems if not problem.endswith(NOT_ROUTED)]
    measured["registered"] = len(catalogue.routable) - len(problems)
    check(not wrong, f"{len(wrong)} operators cannot be registered", found="\n            ".join(wrong[:20]))
    check(measured["registered"] > 1000, "most operators have a kernel for the CPU", found=measured["registered"])


@pytest.mark.gate("version_port.import.cpu_libraries")
def test_libraries_want_the_cpu_s_only(built: list[Path]):
    """Exit criterion: "links only against torch_cpu_library": no library of CUDA is needed, and no symbol of one is left
    undefined; they come from what is preloaded."""
    for library in built:
        with library.open("rb") as file:
            elf = ELFFile(file)
            dynamic = next(part for part in elf.iter_segments() if isinstance(part, DynamicSegment))
            needed = [tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"]
            undefined = [s.name for s in dynamic.iter_symbols() if s.name and s["st_shndx"] == "SHN_UNDEF"]
        wrong = [name for name in (*needed, *undefined) if "cuda" in name.lower() or name.startswith(("libnv", "cu"))]
        check(not wrong, f"{library.name} wants CUDA", found=", ".join(wrong[:10]), where=str(library))
