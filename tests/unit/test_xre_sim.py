"""The simulated XRE says what is publicly known and nothing more: headers and libraries against facts.yaml, row by row."""

import re
import subprocess

import pytest
import yaml
from elftools.elf.elffile import ELFFile

from generators.contract import read_contract
from generators.files import ROOT
from generators.vendor import SIMULATED_SECTION
from tests.sdks.build import sdk
from tests.sdks.headers import as_written, enumerations, functions, parse, tokens

SOURCES = ROOT / "tests/sdks/xre_sim"
INCLUDE = SOURCES / "include"
FACTS = yaml.safe_load((SOURCES / "facts.yaml").read_text())
LIBRARIES = ("libxpurt", "libcudart")


def name_of(declaration):
    return declaration.partition("(")[0].split()[-1].lstrip("*")


def facts_of(library):
    return {name_of(row["declare"]): row for row in FACTS[library]["functions"]}


def exported(path):
    with path.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["bind"] != "STB_LOCAL"}


def dynamic(path, tag):
    with path.open("rb") as file:
        entries = ELFFile(file).get_section_by_name(".dynamic").iter_tags(f"DT_{tag}")
        return [getattr(entry, tag.lower()) for entry in entries]


@pytest.fixture(scope="module")
def xre():
    return sdk("xre_sim")


# ---- headers


@pytest.mark.parametrize("library", LIBRARIES)
def test_declarations_are_those_of_the_facts(library):
    facts = facts_of(library)
    declared = functions(parse(FACTS[library]["headers"], [INCLUDE]), [INCLUDE])
    assert sorted(declared) == sorted(facts)
    for name, cursor in declared.items():
        written = re.sub(r"XRE_SIM_DEFAULT\((\w+)\)", r"= \1", as_written(cursor))
        assert tokens(written) == tokens(facts[name]["declare"]), name


@pytest.mark.parametrize("library", LIBRARIES)
def test_enumerations_are_those_of_the_facts(library):
    found = enumerations(parse(FACTS[library]["headers"], [INCLUDE]), [INCLUDE])
    assert found == FACTS[library]["enums"]


@pytest.mark.parametrize("language", ["c", "c++"])
def test_both_headers_together_are_strict_c_and_cxx(language):
    source = "#include <cuda_runtime.h>\n#include <xpu/runtime.h>\n"
    command = ["cc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}", "-"]
    child = subprocess.run(command, input=source, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr


# ---- what the facts say of themselves


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_slot_is_served_or_absent(library):
    slots = {slot.name for slot in read_contract().slots} | {"memory_info"}
    served = {row["slot"] for row in FACTS[library]["functions"] if "slot" in row}
    absent = set(FACTS[library]["absent"])
    assert served | absent == slots
    assert not served & absent


def test_each_row_names_its_source():
    rows = [row for library in LIBRARIES for row in FACTS[library]["functions"]]
    assert {row["status"] for row in rows} == {"seen", "seen-call"}
    assert {row["source"] for row in [*rows, *FACTS["quirks"].values()]} <= set(FACTS["sources"])


# ---- libraries


@pytest.mark.parametrize("library", LIBRARIES)
def test_exported_symbols_are_those_of_the_facts(xre, library):
    hidden = {name for names in FACTS[library]["hidden"].values() for name in names}
    assert exported(xre / f"lib/{library}.so") == set(facts_of(library)) | hidden
    assert not hidden & set(functions(parse(FACTS[library]["headers"], [INCLUDE]), [INCLUDE]))


@pytest.mark.parametrize("library", LIBRARIES)
def test_files_are_named_as_in_an_install(xre, library):
    real = xre / "lib" / FACTS[library]["file"]
    assert real.is_file() and not real.is_symlink()
    for link in (FACTS[library]["soname"], f"{library}.so"):
        assert (xre / "lib" / link).is_symlink() and (xre / "lib" / link).resolve() == real
    assert dynamic(real, "SONAME") == [FACTS[library]["soname"]]
    for header in FACTS[library]["headers"]:
        assert (xre / "include" / header).read_bytes() == (INCLUDE / header).read_bytes()


def test_no_library_exports_a_function_of_the_contract(xre):
    """One that did would answer for the runtime library that is linked against it."""
    contract = read_contract()
    ours = {function.name for function in (*contract.slots, *contract.accessors)} | {"GetDeviceMemoryInterface"}
    libraries = [path for path in xre.rglob("*.so*") if not path.is_symlink()]
    assert len(libraries) == 3
    for path in libraries:
        assert not exported(path) & ours, path


def test_every_library_says_that_it_is_simulated(xre):
    for path in xre.rglob("*.so*"):
        with path.open("rb") as file:
            section = ELFFile(file).get_section_by_name(SIMULATED_SECTION)
            assert section is not None and section.data().startswith(b"simulated SDK: no evidence"), path


def test_the_chip_lies_outside_the_directories_where_an_sdk_is_searched(xre):
    """Whoever looks for candidates among an SDK's libraries must find those of the vendor only."""
    assert {path.name.partition(".so")[0] for path in xre.glob("lib*/*")} == set(LIBRARIES)
    assert [path.name for path in (xre / "chip").iterdir()] == ["libxre_sim_chip.so"]


def test_a_second_build_changes_nothing(xre):
    def times():
        return {path: path.stat().st_mtime_ns for path in xre.rglob("*") if path.is_file()}

    before = times()
    assert sdk.__wrapped__("xre_sim") == xre
    assert times() == before
