"""The contract is complete and honest: counts, files, exports, no stub. Needs no device, most of it no SDK."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import clang.cindex as clang
import pytest
from elftools.elf.elffile import ELFFile

from gates.abi import CONTRACT, Runtime
from gates.status import check
from generators import contract as contract_module
from generators.build import Built
from generators.contract import ContractError, Function, parse, read_contract, render_slots
from generators.elf import read_library
from generators.files import ROOT
from generators.vendor import (
    REFUSED_NAMES,
    VENDOR_NAME_IS,
    Vendor,
    VendorError,
    is_vendor_name,
    load_vendor,
    wrong_architecture,
)

EXPECTED_FILES = {"device.cc": 5, "memory.cc": 9, "stream.cc": 14}  # the promise; what there is comes from the header
EXPECTED_VIRTUALS = 10
Definitions = dict[str, list[tuple[str, clang.Cursor]]]

every_slot = pytest.mark.parametrize("slot", CONTRACT.slots, ids=lambda slot: slot.name)


@pytest.mark.gate("runtime.contract.grep")
def test_the_two_counts_of_the_design_agree(vendor: Vendor):
    """Exit criterion: `grep -c 'FLAGOS_EXPORT Error_t' csrc/include/flagos.h` and `grep -oE '^Error_t [A-Za-z]+\\('
    csrc/runtime/accelerator/<vendor>/*.cc | wc -l` both print 28: "the two numbers must agree"."""
    header = _shell("grep -c 'FLAGOS_EXPORT Error_t' csrc/include/flagos.h")
    names = _shell(rf"grep -ohE '^Error_t [A-Za-z]+\(' csrc/runtime/accelerator/{vendor.name}/*.cc").split()
    missing = [slot.name for slot in CONTRACT.slots if f"{slot.name}(" not in names]
    sources = _shell(rf"grep -oE '^Error_t [A-Za-z]+\(' csrc/runtime/accelerator/{vendor.name}/*.cc | wc -l")
    check(
        header == sources == "28",
        f"the contract has {header} functions, vendor '{vendor.name}' defines {sources}",
        expected="28 and 28",
        found=f"{header} and {sources}" + (f"; not defined: {', '.join(missing)}" if missing else ""),
        where=f"csrc/include/flagos.h, csrc/runtime/accelerator/{vendor.name}/",
        next="" if vendor.handwritten else f"python -m generators.runtime --vendor {vendor.name}",
    )


def _shell(command: str) -> str:
    return subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True).stdout.strip()


@pytest.mark.gate("runtime.contract.count")
def test_header_declares_28_functions_and_10_virtuals():
    """Exit criterion: 28 functions that return Error_t, promised as 5/9/14 over three files, and 10 pure virtuals; "a
    fixed, enumerable, mechanically checkable contract"."""
    per_file = {name: sum(slot.file == name for slot in CONTRACT.slots) for name in EXPECTED_FILES}
    where = "csrc/include/flagos.h"
    check(
        per_file == EXPECTED_FILES,
        "the header's functions are not 5/9/14",
        expected=EXPECTED_FILES,
        found=per_file,
        where=where,
    )
    check(
        CONTRACT.files == EXPECTED_FILES,
        "a heading miscounts",
        expected=EXPECTED_FILES,
        found=CONTRACT.files,
        where=where,
    )
    check(len(CONTRACT.slots) == 28, "not 28 functions", expected=28, found=len(CONTRACT.slots), where=where)
    check(
        len(CONTRACT.virtuals) == EXPECTED_VIRTUALS,
        "not 10 pure virtuals",
        expected=EXPECTED_VIRTUALS,
        found=[virtual.name for virtual in CONTRACT.virtuals],
        where="csrc/runtime/allocator/device_memory_interface.h",
    )


@pytest.mark.gate("runtime.contract.language")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_header_is_valid(language: str):
    """Exit criterion: flagos.h parses without an error as C11 and as C++17, so that any vendor can include it."""
    try:
        parse(contract_module.HEADER, language)
    except ContractError as error:
        check(False, f"flagos.h is not valid {language}", found=str(error))


@pytest.mark.gate("runtime.contract.list")
def test_list_of_slots_is_generated_from_the_header():
    """Exit criterion: nothing but flagos.h lists the functions: the list for C++ is its rendering, unchanged."""
    found = contract_module.SLOTS.read_text()
    check(
        found == render_slots(read_contract()),
        "csrc/runtime/slots.inc differs from the header",
        where="csrc/runtime/slots.inc",
        next="python -m generators.contract --write",
    )


@pytest.mark.gate("runtime.contract.naming")
def test_vendor_name_is_acceptable(vendor: Vendor):
    """Exit criterion: "do not use xpu": the name is a lower-case word, its own folder's name, and no name of PyTorch's."""
    check(
        is_vendor_name(vendor.name) and vendor.name not in REFUSED_NAMES,
        f"'{vendor.name}' is no vendor name",
        expected=VENDOR_NAME_IS,
        where=str(vendor.descriptor),
    )
    for name in REFUSED_NAMES:
        with pytest.raises(VendorError, match="refused"):
            load_vendor(name)


@pytest.mark.gate("runtime.contract.defined")
@every_slot
def test_slot_is_defined_in_its_file(slot: Function, vendor: Vendor, definitions: Definitions):
    """Exit criterion: every function is defined exactly once, in the file that the header names; "every unimplemented
    slot must be an explicit documented gap rather than a missing symbol found at link time"."""
    found = [file for file, _ in definitions.get(slot.name, [])]
    check(
        found == [slot.file],
        f"{slot.name} is {'not defined' if not found else 'defined in ' + ', '.join(found)}",
        expected=f"one definition, in {slot.file}",
        found=found or "none",
        where=f"{_relative(vendor.sources)}/{slot.file}; contract csrc/include/flagos.h:{slot.line}",
    )


@pytest.mark.gate("runtime.contract.no_stub")
@every_slot
def test_slot_does_something(slot: Function, vendor: Vendor, definitions: Definitions):
    """Exit criterion: "a stub that lies about completion produces silent wrong results downstream": no function consists
    of nothing but `return Success;`."""
    for file, definition in definitions.get(slot.name, []):
        check(
            _statements(definition) > 0,
            f"{slot.name} only returns Success",
            expected="the work, or an error that names the gap",
            where=f"{_relative(vendor.sources)}/{file} ({slot.name})",
            next="implement it; what the SDK cannot do is an error that says so, and a gap in the vendor's descriptor",
        )


def _statements(function: clang.Cursor) -> int:
    body = next(child for child in function.get_children() if child.kind is clang.CursorKind.COMPOUND_STMT)
    idle = (["return", "Success"], ["return", "Success", ";"])
    kinds = [[token.spelling for token in statement.get_tokens()] for statement in body.get_children()]
    return sum(tokens not in idle and tokens[:3] != ["(", "void", ")"] for tokens in kinds)


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def exported(library: Built) -> set[str]:
    """Names of the functions that the built library exports."""
    with library.library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["type"] == "STT_FUNC"}


@pytest.mark.gate("runtime.contract.exported")
@every_slot
def test_slot_is_exported(slot: Function, exported: set[str], library: Built):
    """Exit criterion: the built library exports each of the 28 by its C name."""
    check(
        slot.name in exported,
        f"{slot.name} is not exported",
        expected='extern "C", default visibility',
        where=library.short,
    )


@pytest.mark.gate("runtime.contract.exports_only")
def test_library_exports_the_contract_and_nothing_else(exported: set[str], library: Built):
    """Exit criterion: beside the 28 the library exports only the accessors: a stray name could shadow another library's."""
    allowed = {f.name for f in (*CONTRACT.slots, *CONTRACT.accessors)} | {"GetDeviceMemoryInterface"}
    check(exported <= allowed, "stray exports", found=", ".join(sorted(exported - allowed)[:8]), where=library.short)
    check(allowed <= exported, "missing exports", found=", ".join(sorted(allowed - exported)), where=library.short)


@pytest.mark.gate("runtime.contract.architecture")
def test_library_is_for_this_machine(library: Built):
    """Exit criterion: the built library is an ELF file for this machine, and does not link torch."""
    problem = wrong_architecture(library.library)
    check(problem is None, str(problem))
    torch = [name for name in read_library(library.library).needed if "torch" in name or name.startswith("libc10")]
    check(not torch, "the runtime library links torch", expected="the SDK and the system only", found=", ".join(torch))


@pytest.mark.gate("runtime.contract.load")
def test_library_loads_and_answers(loaded: Runtime):
    """Exit criterion: the library loads with all symbols resolved, names all 28 functions and the memory interface, and
    GetDeviceCount succeeds: no device is 0 and no error."""
    handle = ctypes.CDLL(str(loaded.library), mode=ctypes.RTLD_LOCAL)
    missing = [f.name for f in (*CONTRACT.slots, *CONTRACT.accessors) if not hasattr(handle, f.name)]
    check(not missing, "functions are missing", found=", ".join(missing), where=str(loaded.library))
    check(len(loaded._virtuals) == len(CONTRACT.virtuals), "the memory interface is incomplete")
    check(loaded.device_count() >= 0, "GetDeviceCount is negative", where=loaded.where("GetDeviceCount"))
