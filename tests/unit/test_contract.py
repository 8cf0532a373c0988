"""generators.contract reads what the headers say, and nothing else lists the functions."""

import ctypes
import subprocess

import pytest

from gates.abi import CONTRACT, ctype, prototype
from generators import contract as module
from generators.contract import ContractError, read_contract, render_slots
from generators.files import ROOT


def variant(tmp_path, old, new, header=module.HEADER):
    text = header.read_text()
    assert text.count(old) >= 1, old
    path = tmp_path / header.name
    path.write_text(text.replace(old, new, 1))
    return path


def test_counts_files_and_types():
    contract = read_contract()
    assert (len(contract.slots), len(contract.virtuals)) == (28, 10)
    assert contract.files == {"device.cc": 5, "memory.cc": 9, "stream.cc": 14}
    malloc = contract.slot("Malloc")
    assert [(p.name, p.type) for p in malloc.parameters] == [("devPtr", "void **"), ("size", "unsigned long")]
    assert malloc.file == "memory.cc"
    assert [f.name for f in contract.accessors] == ["GetDefaultStream", "GetLastErrorText"]
    assert contract.enums["Error_t"]["ErrorMemoryAllocation"] == 4
    assert [v.name for v in contract.virtuals][:2] == ["device_malloc", "device_free"]  # the vtable's order


def test_a_29th_function_is_seen(tmp_path):
    extra = "FLAGOS_EXPORT Error_t DeviceReset(void);\nFLAGOS_EXPORT Error_t GetDeviceCount"
    contract = read_contract(variant(tmp_path, "FLAGOS_EXPORT Error_t GetDeviceCount", extra))
    assert len(contract.slots) == 29
    assert contract.slot("DeviceReset").file == "device.cc"


def test_a_moved_heading_moves_the_functions(tmp_path):
    header = variant(tmp_path, "// ---- stream.cc: 14 ", "// ---- queue.cc: 14 ")
    assert read_contract(header).slot("EventRecord").file == "queue.cc"


@pytest.mark.parametrize("broken", ["FLAGOS_EXPORT Eror_t GetDeviceCount", "FLAGOS_EXPORT Error_t GetDeviceCount(("])
def test_broken_header_names_file_and_line(tmp_path, broken):
    path = variant(tmp_path, "FLAGOS_EXPORT Error_t GetDeviceCount", broken)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if broken in text)
    with pytest.raises(ContractError, match=f"{path}:{line}: "):
        read_contract(path)


def test_a_missing_include_is_an_error_not_an_int(tmp_path):
    with pytest.raises(ContractError, match="no_such_header"):
        read_contract(variant(tmp_path, "#include <stddef.h>", "#include <no_such_header.h>"))


def test_list_for_cpp_is_the_header_s(tmp_path):
    contract = read_contract()
    assert module.SLOTS.read_text() == render_slots(contract) == render_slots(contract)
    assert module.SLOTS.read_text().count("SLOT(") == 28


def test_no_other_shared_file_lists_the_functions():
    names = [f"{slot.name}" for slot in read_contract().slots]
    allowed = {"csrc/include/flagos.h", "csrc/runtime/slots.inc"}
    # Tables with an entry a slot: test_recon and test_map compare their keys with the header.
    allowed |= {"generators/map/forms.py", "generators/recon/lexicon.py", "generators/recon/drafting.py"}
    allowed |= {"generators/templates/runtime-api-map-reference.md.j2", "tests/unit/sdks.py", "tests/unit/truths.py"}
    # arguments.h has a function a slot: generated code that calls another does not compile.
    a_vendors_own = ("csrc/runtime/accelerator/", "docs/vendors/", "tests/sdks/")
    tracked = subprocess.check_output(
        [
            "git",
            "-C",
            str(ROOT),
            "ls-files",
            "*.py",
            "*.h",
            "*.cc",
            "*.cpp",
            "*.inc",
            "*.txt",
            "*.cmake",
            "*.map",
            "*.yaml",
            "*.j2",
            "*.toml",
        ]
    )
    for file in tracked.decode().splitlines():
        if file in allowed or file.startswith(a_vendors_own) or not (ROOT / file).is_file():
            continue
        text = (ROOT / file).read_text(errors="ignore")
        found = [name for name in names if name in text]
        assert len(found) < len(names), f"{file} names all {len(names)} functions"


def test_command_prints_the_contract(capsys):
    assert module.main([]) == 0
    out = capsys.readouterr().out
    assert "28 functions (device.cc 5, memory.cc 9, stream.cc 14); 10 virtuals" in out
    assert "Error_t Memcpy(void * dst, const void * src, unsigned long count, MemcpyKind kind)" in out


def test_another_order_of_the_virtuals_is_seen(tmp_path):
    text = module.MEMORY_INTERFACE.read_text()
    first, second = (
        next(line for line in text.splitlines() if f" {name}(" in line) for name in ("device_malloc", "device_free")
    )
    path = tmp_path / "interface.h"
    path.write_text(text.replace(first, "@").replace(second, first).replace("@", second))
    names = [virtual.name for virtual in read_contract(memory_interface=path).virtuals]
    assert names[:2] == ["device_free", "device_malloc"]
    assert sorted(names) == sorted(virtual.name for virtual in read_contract().virtuals)


def test_a_virtual_with_a_body_is_none_of_the_ten(tmp_path):
    assert "provides_caching" not in [virtual.name for virtual in read_contract().virtuals]
    old = "virtual Error_t event_query(Event_t event) = 0;"
    path = variant(tmp_path, old, old.replace("= 0;", "{ return Success; }"), module.MEMORY_INTERFACE)
    assert len(read_contract(memory_interface=path).virtuals) == 9


def test_a_function_of_another_type_is_no_slot(tmp_path):
    old = "FLAGOS_EXPORT Error_t DeviceSynchronize(void);"
    contract = read_contract(variant(tmp_path, old, old.replace("Error_t", "void")))
    assert len(contract.slots) == 27
    assert "DeviceSynchronize" in [accessor.name for accessor in contract.accessors]
    assert contract.files["device.cc"] == 5  # what the heading promises; a gate compares


def test_a_name_in_a_comment_or_an_inactive_branch_is_no_slot(tmp_path):
    old = "FLAGOS_EXPORT Error_t DeviceSynchronize(void);"
    new = f"// FLAGOS_EXPORT Error_t InComment(void);\n#if 0\nFLAGOS_EXPORT Error_t InBranch(void);\n#endif\n{old}"
    assert len(read_contract(variant(tmp_path, old, new)).slots) == 28


def test_size_t_is_as_wide_as_a_pointer_everywhere():
    types = {
        p.type for f in (*read_contract().slots, *read_contract().virtuals) for p in f.parameters if "size" in p.name
    }
    assert types == {"unsigned long"}


def test_every_type_of_the_contract_has_a_ctypes_type():
    for function in (*CONTRACT.slots, *CONTRACT.accessors, *CONTRACT.virtuals):
        assert prototype(function) is not None
        for parameter in function.parameters:
            pointer = parameter.type.endswith("*")
            size = ctypes.sizeof(ctype(parameter.type))
            assert size == {"int": 4, "unsigned int": 4, "MemcpyKind": 4, "unsigned long": 8}.get(parameter.type, 8), (
                parameter
            )
            assert not pointer or size == 8
    assert ctype("int *") is ctypes.POINTER(ctypes.c_int)
    assert ctype("void **") is ctypes.POINTER(ctypes.c_void_p)
    assert ctype("struct Stream *") is ctypes.c_void_p


def test_writing_twice_changes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(module, "SLOTS", tmp_path / "slots.inc")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    assert module.main(["--write"]) == 0
    first = (tmp_path / "slots.inc").stat()
    assert module.main(["--write"]) == 0
    assert capsys.readouterr().out == "slots.inc: written\nslots.inc: unchanged\n"
    assert (tmp_path / "slots.inc").stat().st_mtime_ns == first.st_mtime_ns
    assert (tmp_path / "slots.inc").read_text() == module.render_slots(read_contract())


def test_command_says_what_is_wrong_with_a_header(monkeypatch, capsys):
    def broken():
        raise ContractError("flagos.h:7: expected ';'")

    monkeypatch.setattr(module, "read_contract", broken)
    assert module.main([]) == 1
    assert capsys.readouterr().err == "ERROR: flagos.h:7: expected ';'\n"
