"""A table of operators -> `csrc/aten/backends/<vendor>/kernels.cc`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.aten.operators import Catalogue, Operator
from generators.documents import did_you_mean, shorten
from generators.files import ROOT
from generators.native_op import NativeError
from generators.native_op.table import DTYPES, Convention, Entry, OperatorTable
from generators.rendering import templates

BACKENDS = ROOT / "csrc/aten/backends"
KERNELS = "kernels.cc"
LAYER = "calls.h"  # what they call, written by hand


@dataclass(frozen=True)
class Overload:
    """One kernel: what at::_ops declares, and the arguments by name."""

    operator: Operator

    @property
    def op(self) -> str:
        return f"at::_ops::{self.operator.symbol}"

    @property
    def symbol(self) -> str:
        return self.operator.symbol

    @property
    def form(self) -> str:
        return self.operator.form

    @property
    def returns(self) -> str:
        return _own_words(self.operator.returns)

    @property
    def parameters(self) -> str:
        return ", ".join(f"{_own_words(kind)} {name}" for name, kind in self.operator.arguments.items())

    @property
    def names(self) -> str:
        return ", ".join(self.operator.arguments)

    @property
    def out(self) -> str:
        """What is written and returned."""
        return "self" if self.form == "inplace" else list(self.operator.arguments)[-1]


@dataclass(frozen=True)
class Group:
    """The claimed forms of one operator, as the templates see them."""

    entry: Entry
    overloads: list[Overload]
    where: str  # the entry's place, for messages
    each: dict[str, str] = field(default_factory=dict)  # form -> the kernel of that form that items go through
    function: str = ""  # the library's, as its layer is handed it

    def __getattr__(self, name: str) -> Any:
        return getattr(self.entry, name)

    @property
    def first(self) -> Overload:
        return self.overloads[0]

    @property
    def symbol(self) -> str:
        return self.first.symbol

    @property
    def _inputs(self) -> list[str]:
        names = list(self.first.operator.arguments)
        return names[:-1] if self.first.form == "out" else names

    @property
    def parameters(self) -> str:
        """The inputs; none of them is written."""
        kinds = self.first.operator.arguments
        return ", ".join(f"{_only_read(_own_words(kinds[name]))} {name}" for name in self._inputs)

    @property
    def names(self) -> str:
        return ", ".join(self._inputs)

    @property
    def inputs(self) -> list[str]:
        """Those that are tensors."""
        kinds = self.first.operator.arguments
        return [name for name in self._inputs if _own_words(kinds[name]).endswith("at::Tensor&")]

    @property
    def arguments(self) -> str:
        """What is handed over behind the tensors: the function alone, unless the entry says more."""
        given = self.entry.arguments or ("{function}" if self.function else "")
        return given.replace("{function}", self.function)

    @property
    def handed(self) -> str:
        """The same, where the layer's function cannot do without. Raises NativeError if there is nothing."""
        if not self.arguments:
            raise NativeError(
                f"{self.where}: the key 'arguments' is missing or empty: the layer's function for '{self.category}' must be told "
                "what to compute; or let the convention say how it is handed the call, function: '&{call}'"
            )
        return self.arguments

    @property
    def number(self) -> str:
        return self.entry.number.replace("{function}", self.function)

    @property
    def scales(self) -> list[str]:
        """The factors of sizes, where the operator takes them beside the sizes."""
        return [name for name in self._inputs if name.startswith("scales")]

    @property
    def results(self) -> int:
        return self.first.operator.returns.count("at::Tensor")

    @property
    def dtypes(self) -> str:
        return "{" + ", ".join(DTYPES[dtype] for dtype in self.entry.dtypes) + "}"

    @property
    def result_dtype(self) -> str:
        return DTYPES[self.entry.result] if self.entry.result else "self.scalar_type()"


def _own_words(kind: str) -> str:
    """torchgen's C++ type, spelled as this code base does."""
    return re.sub(r"\s*&", "&", kind).replace("::std::", "std::")


def _only_read(kind: str) -> str:
    return "const at::Tensor&" if kind == "at::Tensor&" else kind


def groups_of(table: OperatorTable, catalogue: Catalogue) -> list[Group]:
    """Raises NativeError with every entry that this torch cannot have a kernel for."""
    known = {operator.name: operator for operator in catalogue.operators}
    mistakes, groups = [], []
    for entry in table.generated:
        where = f"{shorten(table.path)}:{entry.line}: operators.{entry.name}"
        if entry.name not in known:
            mistakes.append(f"{where}: torch {catalogue.torch} has no such operator; {did_you_mean(entry.name, known)}")
            continue
        overloads = list(_overloads(entry, known))
        if strangers := [name for name in entry.overloads if name not in known]:
            mistakes.append(f"{where}: torch {catalogue.torch} has no operator '{strangers[0]}'")
            continue
        each = {}
        if entry.each:
            forms = {o.form: o.symbol for o in known.values() if o.signature == known[entry.each].signature}
            each = forms
        groups.append(Group(entry, overloads, where, each, _function(entry, table.convention)))
    if mistakes:
        raise NativeError("\n".join(mistakes))
    return groups


def _function(entry: Entry, convention: Convention) -> str:
    types = ", ".join(convention.dtypes[dtype] for dtype in entry.dtypes)
    return "" if entry.each else convention.function.replace("{call}", entry.call).replace("{types}", types)


def _overloads(entry: Entry, known: dict[str, Operator]) -> Iterator[Overload]:
    """All forms of the operator that have kernels of devices, functional first, unless the entry names some."""
    own = known[entry.name]
    forms = {
        operator.name: operator
        for operator in known.values()
        if operator.signature == own.signature and operator.base.rstrip("_") == own.base
    }
    order = ("functional", "inplace", "out", "mutable")
    claimed = entry.overloads or [name for name, operator in forms.items() if operator.routable or name == entry.name]
    if own.returns.startswith("::std::tuple"):
        claimed = [entry.name]
    for name in sorted(claimed, key=lambda name: order.index(known[name].form)):
        if name in known:
            yield Overload(known[name])


def calls_of_layer(kernels: str) -> dict[str, str]:
    """Function of the layer -> the first call of it in a file of kernels, as it stands there."""
    called: dict[str, str] = {}
    for text in kernels.split("library::")[1:]:
        name, open_bracket, _ = text.partition("(")
        if open_bracket and name.isidentifier():
            called.setdefault(name, " ".join(_until_closed(text).split()))
    return called


def _until_closed(text: str) -> str:
    """Up to the bracket that closes the first one."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            return text[: at + 1]
    return text


def claims(groups: Iterable[Group]) -> dict[str, Group]:
    """Overload -> its group."""
    return {overload.operator.name: group for group in groups for overload in group.overloads}


def kernels_path(table: OperatorTable) -> Path:
    return BACKENDS / table.vendor / KERNELS


def render_kernels(table: OperatorTable, catalogue: Catalogue) -> str:
    groups = groups_of(table, catalogue)
    # items of lists go through kernels that stand before
    groups.sort(key=lambda group: bool(group.entry.each))
    overloads = [overload for group in groups for overload in group.overloads]
    return (
        templates("native_op")
        .get_template("kernels.cc.j2")
        .render(
            mark=f"// @generated from {shorten(table.path)} by generators.native_op; do not edit.",
            library=table.vendor,
            headers=sorted({overload.operator.header for overload in overloads}),
            functions=table.library.headers if table.convention.function else (),
            operators=groups,
            overloads=overloads,
            dtype_enum=table.convention.dtype,
            dtypes={DTYPES[dtype]: word for dtype, word in table.convention.dtypes.items()},
            no_dtype=table.convention.no_dtype,
        )
    )
