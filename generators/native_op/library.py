"""The functions of a library of operators, and what goes in and comes out of them: the same is said of PyTorch's operators."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from generators.aten.operators import Operator
from generators.native_op.lexicon import (
    DISPENSABLE,
    GEOMETRY,
    INTEGERS,
    INTERNAL,
    NAMED_BESIDE,
    NUMBER,
    OUTPUT,
    SEVERAL,
    TENSOR,
)
from generators.recon.headers import Headers, Parameter, ReconError, SdkFunction
from generators.recon.lexicon import words_of
from generators.recon.roles import INTEGERS as INTEGER_TYPES
from generators.recon.roles import SIZES, base_of, common_prefix

FLOATS = {"float", "double"}
ARITHMETIC = {*FLOATS, *INTEGER_TYPES, *SIZES, "void"}


@dataclass(frozen=True)
class Library:
    """What can be called: the functions of the headers that the library exports, by their names."""

    headers: Headers
    functions: tuple[SdkFunction, ...]
    hidden: tuple[SdkFunction, ...]  # declared, and not exported
    instances: dict[str, list[str]]  # of templates: qualified name -> the first types that they are built for

    @cached_property
    def named(self) -> dict[str, SdkFunction]:
        return {function.name: function for function in self.functions}

    @cached_property
    def prefix(self) -> int:
        """How many words most of the names begin with."""
        return len(common_prefix(list(self.functions))) if self.functions else 0

    def words(self, name: str) -> list[str]:
        """What a name says beside the prefix and versions."""
        words = words_of(name)[self.prefix :]
        versions = {at for at, word in enumerate(words[:-1]) if word == "v" and words[at + 1].isdigit()}
        return [word for at, word in enumerate(words) if at not in versions and at - 1 not in versions]


def read_library(headers: Headers, namespace: str, exports: frozenset[str]) -> Library:
    """Raises ReconError."""
    declared = [f for f in headers.of_cxx if f.namespace == namespace] if namespace else headers.functions
    instances = _instances(exports) if any(f.declaration.template for f in declared) else {}

    def links(function: SdkFunction) -> bool:
        template = bool(function.declaration.template)
        return function.inline or (function.qualified in instances if template else function.symbol in exports)

    first = {function.name: function for function in reversed(declared)}  # of overloads
    functions = {function: links(function) for function in reversed(first.values())}
    there = tuple(function for function, links in functions.items() if links)
    return Library(headers, there, tuple(function for function, links in functions.items() if not links), instances)


def _instances(exports: Iterable[str]) -> dict[str, list[str]]:
    """Qualified name of a template -> the first type of each instance: "vendor::add" -> ["float", "int"]."""
    mangled = sorted(name for name in exports if name.startswith("_Z"))
    try:
        child = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        problem = f"symbols of C++ cannot be read without c++filt ({error}); on Debian: apt-get install binutils"
        raise ReconError(problem) from None
    found: dict[str, list[str]] = defaultdict(list)
    for line in child.stdout.splitlines():
        head, _, types = line.partition("(")[0].partition("<")
        if types:
            found[head.split(" ")[-1]].append(types.rstrip(">").split(",")[0])
    return found


# ---- signatures ----------------------------------------------------------------------------------


@dataclass
class Shape:
    """What goes in and comes out, beside what only says where and how large it is."""

    tensors: int = 0
    optional: int = 0  # tensors that may be left out
    lists: int = 0
    results: int = 0
    dims: bool = False  # a list of dimensions
    numbers: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)  # what else has to be said

    def __str__(self) -> str:
        inside = [f"{self.tensors} tensor{'s' if self.tensors != 1 else ''}"] if self.tensors else []
        inside += ["a list of tensors"] if self.lists else []
        inside += [f"{len(self.numbers)} number{'s' if len(self.numbers) != 1 else ''}"] if self.numbers else []
        return f"{', '.join(inside) or 'nothing'} in, {self.results} out"


def shape_of(function: SdkFunction) -> Shape:
    shape = Shape()
    given = function.declaration.template.partition("<")[2].rstrip(">")
    types = {text.partition("=")[0].split()[-1] for text in given.split(", ") if text}
    for parameter in function.parameters:
        role = _role(parameter, types)
        if role in ("tensors", "optional", "lists", "results"):
            setattr(shape, role, getattr(shape, role) + 1)
        elif role == "dims":
            shape.dims = True
        elif role in ("numbers", "choices"):
            getattr(shape, role).append(parameter.formal.name)
    return shape


def _role(parameter: Parameter, types: set[str]) -> str:
    """The field of a shape that a parameter counts for, or "" for what the layer hands over by itself."""
    formal, name, base = parameter.formal, set(words_of(parameter.formal.name)), base_of(parameter.formal.type)
    kind, stars = set(words_of(base)), formal.type.count("*")
    if "vector" in kind or "&" in formal.type:
        return "lists" if stars else "" if name & GEOMETRY else "dims"
    if name & INTERNAL or (stars and formal.default in ("nullptr", "NULL", "0")):
        return ""
    if stars and kind & NUMBER:
        return "numbers"
    if stars and kind & INTEGERS:
        return "dims"
    if stars == 1 and (
        kind & TENSOR or base in ARITHMETIC or base in types or (base.endswith("_t") and base[:-2] in types)
    ):
        if kind & TENSOR and kind & SEVERAL:
            return "lists"
        if "const" not in formal.type or (name & OUTPUT and name <= OUTPUT | NAMED_BESIDE):
            return "results"
        return "optional" if name & DISPENSABLE else "tensors"
    if stars:
        return ""
    if base in FLOATS or base in types:
        return "numbers"
    said = name & GEOMETRY or len(formal.name) == 1 or formal.default or "stream" in kind
    return "" if said else "choices"


def shape_of_operator(operator: Operator) -> Shape:
    shape = Shape(results=operator.returns.count("at::Tensor"))
    for name, kind in operator.arguments.items():
        if "TensorList" in kind:
            shape.lists += 1
        elif "optional<at::Tensor>" in kind:
            shape.optional += 1
        elif "at::Tensor" in kind:
            shape.tensors += 1
        elif "at::Scalar " in kind or "at::Scalar>" in kind or kind == "double":
            shape.numbers.append(name)
        elif "ArrayRef" in kind or name == "dim":
            shape.dims = True
    return shape
