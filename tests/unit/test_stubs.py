"""Stub libraries: all that the headers declare, nothing that works, and no doubt about it."""

import ctypes
import subprocess
import sys
import textwrap

import pytest
from elftools.elf.elffile import ELFFile

from generators.vendor import SIMULATED_SDK, simulation_of
from tests.sdks.stubs import build_stub

HEADER = """\
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include "toy/types.h"
#ifdef __cplusplus
extern "C" {
#endif
toyError toyMalloc(void** pointer, size_t size);
toyCode toyCount(uint32_t* count);
const char* toyText(toyError error);
void toyForget(void);
static inline int toyInHeader(void) { return 1; }
#ifdef __cplusplus
}
namespace toy { int mangled(int); }
#endif
"""
TYPES = """\
typedef enum { TOY_SUCCESS, TOY_BROKEN } toyError;
typedef int32_t toyCode;
"""


@pytest.fixture
def include(tmp_path):
    folder = tmp_path / "include"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/runtime.h").write_text(HEADER)
    (folder / "toy/types.h").write_text(TYPES)
    return folder


def stub(include, **more):
    out = include.parent / "libtoy.so"
    names = build_stub(["toy/runtime.h"], [include], "libtoy.so.1", out, **more)
    assert names == ["toyCount", "toyForget", "toyMalloc", "toyText"]
    return out


def test_a_program_links_against_it_and_needs_its_soname(include):
    stub(include)
    source = '#include "toy/runtime.h"\nint main() { toyForget(); return toyMalloc(nullptr, 1) + toyCount(nullptr) + !toyText(TOY_BROKEN); }\n'
    program = include.parent / "program"
    command = [
        "c++",
        "-x",
        "c++",
        "-",
        f"-I{include}",
        "-x",
        "none",
        str(include.parent / "libtoy.so"),
        "-o",
        str(program),
    ]
    subprocess.run(command, input=source, text=True, check=True)
    with program.open("rb") as file:
        needed = [tag.needed for tag in ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED")]
    assert "libtoy.so.1" in needed


def test_a_status_is_returned_where_a_status_can_be(include):
    library = ctypes.CDLL(str(stub(include, status=100039)))
    assert library.toyMalloc(None, 1) == 100039
    assert library.toyCount(None) == 100039
    library.toyText.restype = ctypes.c_char_p
    assert library.toyText(0) == b"toyText is a stub"


@pytest.mark.parametrize(("name", "more"), [("toyCount", {}), ("toyText", {}), ("toyForget", {"status": 1})])
def test_everything_else_aborts_with_its_name(include, name, more):
    code = textwrap.dedent(f"""\
        import ctypes, resource
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.CDLL({str(stub(include, **more))!r}).{name}(None)""")
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.returncode == -6
    assert child.stderr.startswith(f"{name} is a stub")


def test_the_library_says_what_it_is(include):
    assert simulation_of(stub(include)).startswith(f"{SIMULATED_SDK}; a stub of the SDK")
    assert simulation_of(stub(include, says="a toy")) == f"{SIMULATED_SDK}; a toy"


def test_headers_that_declare_nothing_or_do_not_parse_are_named(include):
    (include / "toy/empty.h").touch()
    with pytest.raises(ValueError, match=r"toy/empty\.h: no C function is declared below .*/include"):
        build_stub(["toy/empty.h"], [include], "libtoy.so.1", include.parent / "libtoy.so")
    (include / "toy/types.h").write_text("typedef unknown toyError;\n")
    with pytest.raises(ValueError, match=r"toy/types\.h:1: unknown type name 'unknown'"):
        stub(include)
    assert not (include.parent / "libtoy.so").exists()
