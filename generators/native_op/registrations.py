"""Who registers a kernel of flagos, from the sources alone: what a table generates, and what was written by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from clang.cindex import Index, TranslationUnit

from generators.aten.operators import Catalogue
from generators.documents import shorten
from generators.files import ROOT
from generators.native_op.sources import BACKENDS, KERNELS, groups_of
from generators.native_op.table import OperatorTable

REGISTERS = ("add_kernel", "add_native_kernel")  # as in add_kernel<at::_ops::add_Tensor, add>
KEY = "PrivateUse1"
BLOCK = "TORCH_LIBRARY_IMPL"


def written_by_hand(path: Path) -> Iterator[tuple[str, int]]:
    """The symbol of each operator that a source registers for the device, and the line. Tokens say enough: nothing is
    included, so no header of torch is read."""
    unit = Index.create().parse(str(path), args=["-x", "c++", "-nostdinc"], options=TranslationUnit.PARSE_INCOMPLETE)
    tokens = [(t.spelling, t.location.line) for t in unit.get_tokens(extent=unit.cursor.extent)]
    words = [word for word, _ in tokens]
    key = KEY
    for index, (word, line) in enumerate(tokens):
        if word == BLOCK:
            key = words[index + 4]  # ( library , key
        elif word in REGISTERS and key == KEY and words[index + 1 : index + 6] == ["<", "at", "::", "_ops", "::"]:
            yield words[index + 6], line


def duplicates(table: OperatorTable, catalogue: Catalogue) -> dict[str, list[str]]:
    """Operators that are registered in more than one place -> the places."""
    places: dict[str, list[str]] = defaultdict(list)
    groups = groups_of(table, catalogue)
    for group in groups:
        for overload in group.overloads:
            places[overload.symbol].append(f"{shorten(table.path)}:{group.entry.line} ({group.entry.name})")
    sources = [*(ROOT / "csrc/aten").glob("*.cc"), *(BACKENDS / table.vendor).glob("*.cc")]
    for path in sorted(source for source in sources if source.name != KERNELS):
        for symbol, line in written_by_hand(path):
            places[symbol].append(f"{shorten(path)}:{line}")
    names = {overload.symbol: overload.operator.name for group in groups for overload in group.overloads}
    return {names.get(symbol, symbol): found for symbol, found in places.items() if len(found) > 1}
