"""What a library's headers and symbols say of operators: entries that a table has not yet, each with the reason and how sure it is.

Names are compared with those of PyTorch's schemas, and signatures by what goes in and comes out. A proposal is what someone
has to look at, never more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from generators.aten.operators import Catalogue, Operator
from generators.declaration import Declaration, DeclarationError, parse_declaration
from generators.map import VENDORS
from generators.native_op.lexicon import (
    AROUND,
    BACKWARD,
    FAMILIES,
    FROM_RESULT,
    HOW,
    NUMBER,
    STAGES,
    SYNONYMS,
)
from generators.native_op.library import Library, Shape, shape_of, shape_of_operator
from generators.native_op.table import CONFIDENCES, FILE, OperatorTable, read_table
from generators.recon.headers import Constant, Headers, SdkFunction
from generators.recon.lexicon import words_of
from generators.recon.roles import base_of

REDUCES = {"dim", "keepdim"}  # arguments of what reduces
ITEMS = "foreach"  # a category that is made of other operators' kernels, and of no function


@dataclass(frozen=True)
class Proposal:
    """An entry for an operator."""

    operator: Operator
    category: str
    call: str
    calls: tuple[Declaration, ...]
    confidence: str
    why: str
    file: str  # that declares it
    says: str  # what is named in there: the function, or the constant that it is called with
    arguments: str = ""
    dtypes: tuple[str, ...] = ()  # that a template is built for, as far as the table knows them
    alternatives: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, int, str]:
        return CONFIDENCES.index(self.confidence), len(self.says), self.says


# ---- operators -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """An operator that kernels can be generated for."""

    operator: Operator
    category: str

    @cached_property
    def shape(self) -> Shape:
        return shape_of_operator(self.operator)

    @property
    def names(self) -> set[str]:
        """What a function could be called that computes it, the words joined."""
        base = [word for word in words_of(self.operator.base.removeprefix("aten::")) if word not in AROUND]
        joined, overload = "".join(base), words_of(self.operator.overload)
        said = ["", "".join(overload), f"tensor{''.join(overload)}", *overload[:1]]
        return {joined + more for more in said}


def targets_of(catalogue: Catalogue, tables: Iterable[OperatorTable]) -> list[Target]:
    """Of each functional operator the category that most tables and its own schema say."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for table in tables:
        for entry in (entry for entry in table.entries if not entry.proposal):
            votes[entry.name][entry.category] += 1
    targets = []
    for operator in catalogue.operators:
        if operator.form != "functional":
            continue
        if category := _category(operator):
            votes[operator.name][category] += 1
        if votes[operator.name]:
            targets.append(Target(operator, votes[operator.name].most_common(1)[0][0]))
    return [target for target in targets if target.category != ITEMS]


def _category(operator: Operator) -> str:
    """What an operator's schema says of its category, if it computes element by element or reduces: "" if nothing."""
    shape, kinds = shape_of_operator(operator), list(operator.arguments.values())
    if (
        not operator.routable
        or shape.results != 1
        or shape.optional
        or shape.lists
        or "at::Tensor" not in "".join(kinds[:1])
    ):
        return ""
    if shape.tensors == 1 and REDUCES <= set(operator.arguments) <= REDUCES | {"self", "dtype"}:
        return "reduction"
    words = sum("string_view" in kind for kind in kinds)
    if not operator.pointwise or len(kinds) > shape.tensors + len(shape.numbers) + words:
        return ""
    if shape.tensors == 2 and operator.base.endswith("_backward"):
        return "activation backward"
    if shape.tensors == 2:
        return "binary" if len(shape.numbers) <= 1 and not words else ""
    if shape.tensors == 1 and len(kinds) == 2 and operator.overload.endswith("Scalar"):
        return "binary scalar"
    return {1: "unary"}.get(len(kinds), "activation") if shape.tensors == 1 else ""


def other_tables(table: OperatorTable) -> list[OperatorTable]:
    """Of the other vendors: what people have already said of operators."""
    return [read_table(path) for path in sorted(VENDORS.glob(f"*/{FILE}")) if path.parent.name != table.vendor]


# ---- proposals -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """How well a function fits an operator."""

    by: str  # how the names agree
    sure: bool  # by PyTorch's own name
    doubts: tuple[str, ...] = ()
    wrong: bool = False  # tensors differ


def propose(table: OperatorTable, library: Library, targets: Iterable[Target]) -> list[Proposal]:
    """For each operator that the table has no entry for, the function that fits best."""
    known = {entry.name for entry in table.entries}
    by_name: dict[str, list[Target]] = defaultdict(list)
    for target in targets:
        if target.operator.name not in known:
            for name in target.names:
                by_name[name].append(target)
    found: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in (*_by_functions(table, library, by_name), *_by_algorithms(library, by_name)):
        if all(_reads_back(call) for call in proposal.calls):
            found[proposal.operator.name].append(proposal)
    return [_best(found[name]) for name in sorted(found)]


def _best(proposals: list[Proposal]) -> Proposal:
    best, *others = sorted(proposals, key=lambda proposal: proposal.rank)
    alternatives = dict.fromkeys(other.says for other in others if other.says != best.says)
    return replace(best, alternatives=tuple(alternatives))


def _reads_back(call: Declaration) -> bool:
    """Whether a table could state it."""
    try:
        return parse_declaration(str(call)).types == call.types
    except DeclarationError:
        return False


def _by_functions(table: OperatorTable, library: Library, by_name: dict[str, list[Target]]) -> Iterator[Proposal]:
    """A function for each operator."""
    used = {entry.call.partition("<")[0] for entry in table.entries}
    for function in library.functions:
        name, calls = function.name, [function.declaration]
        if table.convention.form == "two-stage":
            name = next((name.removesuffix(stage) for stage in STAGES if name.endswith(stage)), "")
            if name not in library.named:
                continue
            calls.append(library.named[name].declaration)
        shape = shape_of(function)
        meant = _meant(library.words(name), by_name)
        fits = [(target, fit) for target, by, sure in meant if (fit := _fit(shape, target, by, sure))]
        serves = name in used or not all(fit.wrong for _, fit in fits)
        for target, fit in fits:
            if not (fit.wrong and serves):  # it is another overload's
                built = _built(function, library)
                told = f"{shape}; built for {', '.join(built)}" if built else str(shape)
                yield Proposal(
                    target.operator,
                    target.category,
                    name,
                    tuple(calls),
                    _confidence(fit),
                    "; ".join([fit.by, told, *fit.doubts]),
                    function.file,
                    name,
                    _arguments(function, shape, target) if table.convention.function else "",
                    tuple(dtype for dtype, word in table.convention.dtypes.items() if word in built),
                )


def _built(function: SdkFunction, library: Library) -> list[str]:
    """The types that a template is built for."""
    return sorted(set(library.instances.get(function.qualified, ()))) if function.declaration.template else []


def _meant(words: list[str], by_name: dict[str, list[Target]]) -> Iterator[tuple[Target, str, bool]]:
    """The operators that words may mean: with how, and whether that is PyTorch's own name."""
    backward = ["backward"] if words and words[-1] in BACKWARD else []
    said = [word for word in words if word not in HOW]
    for joined in dict.fromkeys(
        "".join((text[: -len(backward)] if backward else text) + backward) for text in (words, said)
    ):
        for target in by_name.get(joined, ()):
            yield target, "its name", True
        stem = joined.removesuffix("backward") if backward else joined
        meanings = [*SYNONYMS.get(joined, ()), *(f"{name}backward" for name in SYNONYMS.get(stem, ()) if backward)]
        for meaning in meanings:
            for target in by_name.get(meaning, ()):
                if meaning != joined:
                    yield target, f"{joined} is {meaning}", False


def _fit(shape: Shape, target: Target, by: str, sure: bool) -> Fit | None:
    """None where the signature says that it is another operator."""
    wanted = target.shape
    doubts, wrong = [], False
    more = shape.tensors - wanted.tensors - wanted.optional
    as_tensor = target.category.endswith("scalar") and more == 1 and not shape.numbers
    no_dims = target.category == "reduction" and not shape.dims and "dim" not in shape.choices
    if shape.lists != wanted.lists or not shape.results or no_dims or shape.dims > wanted.dims:
        return None
    if as_tensor:
        doubts.append("its number is handed over as a tensor")
    elif target.category == "activation backward" and more == 1:
        doubts.append("takes input and result; PyTorch has one of them")
    elif more > 0 or shape.tensors + shape.optional < wanted.tensors:
        wrong = True
    if shape.results != wanted.results:
        wrong = True
    if wrong and not sure:
        return None
    if wrong:
        doubts.append(f"PyTorch's has {wanted}")
    elif not as_tensor and len(shape.numbers) != len(wanted.numbers):
        doubts.append(
            f"numbers differ: {', '.join(shape.numbers) or 'none'}; PyTorch's: {', '.join(wanted.numbers) or 'none'}"
        )
    given = {"".join(words_of(name)) for name in target.operator.arguments}
    if choices := [name for name in shape.choices if not any("".join(words_of(name)).startswith(g) for g in given)]:
        doubts.append(f"to choose: {', '.join(choices)}")
    return Fit(by, sure, tuple(doubts), wrong)


def _confidence(fit: Fit) -> str:
    """High by PyTorch's own name and without a doubt; one step down for either, and low for another number of tensors."""
    return "low" if fit.wrong else CONFIDENCES[(not fit.sure) + bool(fit.doubts)]


def _arguments(function: SdkFunction, shape: Shape, target: Target) -> str:
    """What is handed over behind the tensors, where it is plain: the operator's numbers, in order."""
    kinds, names = target.operator.arguments, target.shape.numbers
    plain = (
        len(shape.numbers) == len(names) and not shape.choices and not any("optional" in kinds[name] for name in names)
    )
    if not names or not plain or target.category not in ("activation", "binary"):
        return ""
    handles = {p.formal.name for p in function.parameters if set(words_of(base_of(p.formal.type))) & NUMBER}
    given = [
        name if mine in handles or "Scalar" not in kinds[name] else f"{name}.toDouble()"
        for name, mine in zip(names, shape.numbers, strict=True)
    ]
    return ", ".join(["{function}", *given])


def _by_algorithms(library: Library, by_name: dict[str, list[Target]]) -> Iterator[Proposal]:
    """An operator for each constant of an enumeration that a function takes, where one function serves a family of them."""
    for function in library.functions:
        words = [word for word in library.words(function.name) if word not in HOW and word not in BACKWARD]
        for enum in {base_of(parameter.formal.type) for parameter in function.parameters}:
            for constant in (known for known in library.headers.constants.values() if known.enum == enum):
                family, *said = library.words(constant.name) or [""]
                if words == [family] and family in FAMILIES:
                    yield from _of_family(library, function, constant, family, said, by_name)


def _of_family(
    library: Library,
    function: SdkFunction,
    constant: Constant,
    family: str,
    said: list[str],
    by_name: dict[str, list[Target]],
) -> Iterator[Proposal]:
    from_result = said[-len(FROM_RESULT) :] == FROM_RESULT
    said = said[: -len(FROM_RESULT)] if from_result else said
    backward = bool(BACKWARD & set(words_of(function.name)))
    if from_result and not backward:
        return
    said = ([family] if family == "softmax" else []) + said + (["backward"] if backward else [])
    for target, by, sure in _meant(said, by_name):
        if target.category not in FAMILIES[family] or target.category.endswith("backward") != backward:
            continue
        if backward and from_result != bool({"output", "result", "self_or_result"} & set(target.operator.arguments)):
            continue
        why = f"{by}; {function.name} is the family's: its signature says nothing of one operator"
        confidence, spelled = "medium" if sure else "low", _in_cxx(constant, library.headers)
        operator, category, calls = target.operator, target.category, (function.declaration,)
        yield Proposal(operator, category, function.name, calls, confidence, why, function.file, constant.name, spelled)


def _in_cxx(constant: Constant, headers: Headers) -> str:
    """The constant as C++ spells it: of an enumeration of its own, where the headers have one with the same names and values."""
    alike = (
        other.name
        for other in headers.constants.values()
        if "::" in other.name
        and other.value == constant.value
        and constant.name.endswith(other.name.rpartition("::")[2])
    )
    return next(alike, constant.name)
