"""Mutants of the sources: edits to a copy of the checkout, for the gates that read files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from generators.files import ROOT

PARTS = ("conftest.py", "pytest.ini", "pyproject.toml", "csrc", "docs/vendors", "gates", "generators", "torch_fl")
HEADER = "csrc/include/flagos.h"
INTERFACE = "csrc/runtime/allocator/device_memory_interface.h"
HOST = "csrc/runtime/accelerator/host"


def copy_checkout(target: Path) -> Path:
    """A copy that gates can run in; what is built stays behind, the run names its library."""
    for part in PARTS:
        source = ROOT / part
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("__pycache__", "*.so", "lib"))
        else:
            shutil.copy(source, target / part)
    return target


def _edit(file: Path, change: Callable[[str], str]) -> None:
    before = file.read_text()
    after = change(before)
    assert after != before, f"the mutation finds nothing to change in {file.name}"
    file.write_text(after)


def _insert_before(file: Path, anchor: str, line: str) -> None:
    _edit(file, lambda text: text.replace(anchor, f"{line}\n{anchor}", 1))


def _function(text: str, name: str) -> tuple[int, int, int]:
    """Where the definition of a slot starts, where its body does, and where it ends."""
    match = re.search(rf"^Error_t {name}\([^)]*\) \{{", text, re.MULTILINE)
    assert match, f"no definition of {name}"
    body = end = match.end() - 1
    depth = 0
    while True:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return match.start(), body, end


def _cut(file: Path, name: str) -> str:
    text = file.read_text()
    start, _, end = _function(text, name)
    file.write_text(text[:start] + text[end:])
    return text[start:end]


def _replace_body(file: Path, name: str, body: str) -> None:
    text = file.read_text()
    _, start, end = _function(text, name)
    file.write_text(f"{text[:start]}{{\n  {body}\n}}{text[end:]}")


def _function_removed(root: Path) -> None:
    _cut(root / HOST / "stream.cc", "EventQuery")


def _function_moved(root: Path) -> None:
    function = _cut(root / HOST / "stream.cc", "StreamQuery")
    _edit(root / HOST / "memory.cc", lambda text: f"{text}\n{function}\n")


def _function_twice(root: Path) -> None:
    """A second definition that the counting grep cannot see."""
    _edit(
        root / HOST / "device.cc",
        lambda text: (
            f'{text}\nextern "C" __attribute__((weak)) Error_t StreamQuery(Stream_t) {{ return ErrorUnknown; }}\n'
        ),
    )


def _function_is_stub(root: Path) -> None:
    _replace_body(root / HOST / "stream.cc", "StreamSynchronize", "return Success;")


def _stub_with_casts(root: Path) -> None:
    text = (root / HOST / "memory.cc").read_text()
    start, body, _ = _function(text, "Memset")
    names = re.findall(r"(\w+)[,)]", text[start:body])
    _replace_body(root / HOST / "memory.cc", "Memset", "".join(f"(void){n}; " for n in names) + "return Success;")


def _header_29th(root: Path) -> None:
    _insert_before(root / HEADER, "// ---- memory.cc", "FLAGOS_EXPORT Error_t DeviceReset(void);\n")


def _header_in_wrong_section(root: Path) -> None:
    line = "FLAGOS_EXPORT Error_t DeviceSynchronize(void);\n"
    _edit(root / HEADER, lambda text: text.replace(line, "", 1))
    _insert_before(root / HEADER, "// ---- stream.cc", line)


def _header_not_c(root: Path) -> None:
    _insert_before(root / HEADER, "typedef enum MemcpyKind", "enum class Direction { None };\n")


def _virtual_11th(root: Path) -> None:
    _insert_before(root / INTERFACE, "  virtual Error_t device_free", "  virtual Error_t device_reset() = 0;")


def _virtual_with_default(root: Path) -> None:
    _edit(root / INTERFACE, lambda text: re.sub(r"(event_query\(.*?\)) = 0;", r"\1 { return Success; }", text))


def _list_stale(root: Path) -> None:
    _edit(root / "csrc/runtime/slots.inc", lambda text: text.replace("SLOT(EventQuery)\n", ""))


# Name -> (what is wrong, edit).
SOURCE_MUTANTS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "source.function_removed": ("EventQuery is not defined", _function_removed),
    "source.function_moved": ("StreamQuery is defined in memory.cc: 5/10/13", _function_moved),
    "source.function_twice": ("StreamQuery is defined in two files", _function_twice),
    "source.function_is_stub": ("StreamSynchronize is nothing but `return Success;`", _function_is_stub),
    "source.stub_with_casts": ("Memset discards its parameters and returns Success", _stub_with_casts),
    "source.header_29th": ("the header declares a 29th function", _header_29th),
    "source.header_in_wrong_section": ("the header declares a function under another file", _header_in_wrong_section),
    "source.header_not_c": ("the header is C++ only", _header_not_c),
    "source.virtual_11th": ("the memory interface has an 11th pure virtual", _virtual_11th),
    "source.virtual_with_default": ("event_query has a default that says ready", _virtual_with_default),
    "source.list_stale": ("the C++ list of slots lacks one", _list_stale),
}
