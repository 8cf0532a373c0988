"""generators.contract reads what the headers say, and nothing else lists the functions."""

import subprocess

import pytest

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
    tracked = subprocess.check_output(["git", "-C", str(ROOT), "ls-files", "csrc", "generators", "gates", "torch_fl"])
    for file in tracked.decode().splitlines():
        if file in allowed or file.startswith("csrc/runtime/accelerator/") or not (ROOT / file).is_file():
            continue
        text = (ROOT / file).read_text(errors="ignore")
        found = [name for name in names if name in text]
        assert len(found) < len(names), f"{file} names all {len(names)} functions"


def test_command_prints_the_contract(capsys):
    assert module.main([]) == 0
    out = capsys.readouterr().out
    assert "28 functions (device.cc 5, memory.cc 9, stream.cc 14); 10 virtuals" in out
    assert "Error_t Memcpy(void * dst, const void * src, unsigned long count, MemcpyKind kind)" in out
