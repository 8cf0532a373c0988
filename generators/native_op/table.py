"""Read and check a vendor's table of operators, `docs/vendors/<vendor>/op-api-map.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.declaration import Declaration, DeclarationError, parse_declaration
from generators.documents import Block, Choice, DocumentError, Table, did_you_mean, read_document, shorten
from generators.files import ROOT
from generators.map import VENDORS
from generators.native_op import NativeError
from generators.sdk import SDK_SCHEMA, Sdk, check_sdk, read_sdk

FILE = "op-api-map.yaml"
TEMPLATES = ROOT / "generators/templates/native_op"
SUFFIX = ".cc.j2"
GUIDE = "docs/guides/native-operators.md"
STATUSES = ("proposed", "verified", "refused")
CONFIDENCES = ("high", "medium", "low")
FORMS = ("single", "two-stage", "descriptor")

# PyTorch's names of dtypes, as C++ spells them.
DTYPES = {
    "float32": "at::kFloat",
    "float64": "at::kDouble",
    "float16": "at::kHalf",
    "bfloat16": "at::kBFloat16",
    "int8": "at::kChar",
    "uint8": "at::kByte",
    "int16": "at::kShort",
    "int32": "at::kInt",
    "int64": "at::kLong",
    "bool": "at::kBool",
}

C_TYPES = {"float", "double", "bool", "char", "short", "int", "long"}


def categories() -> tuple[str, ...]:
    """Those that a template generates."""
    names = (path.name.removesuffix(SUFFIX) for path in TEMPLATES.glob(f"*{SUFFIX}"))
    return tuple(sorted(name.replace("_", " ") for name in names if name != "kernels"))


def schema() -> dict[str, Any]:
    dtype = Choice(tuple(DTYPES), "dtype")
    return {
        "vendor": str,
        "title": str,
        "runtime": str,
        "library": SDK_SCHEMA,
        "convention": {
            "form": Choice(FORMS, "form of call"),
            "tensor": str,
            "status": str,
            "stream": str,
            "workspace": str,
            "dtype": str,
            "no_dtype": str,
            "trace": {"variable": str, "says": str},
            "dtypes": Table(str, "dtype", tuple(DTYPES)),
            "function": str,
            "namespace": str,
        },
        "calls": [str],
        "questions": [str],
        "operators": Table(
            {
                "category": Choice(categories(), "category"),
                "call": str,
                "overloads": [str],
                "when": str,
                "tensors": [str],
                "arguments": str,
                "number": str,
                "each": str,
                "dims": int,
                "sizes": str,
                "result": dtype,
                "result_as": str,
                "dtypes": [str],
                "limits": str,
                "measured_as": str,
                "samples_of": str,
                "source": str,
                "status": Choice(STATUSES, "status"),
                "reason": str,
                "proposal": {"confidence": Choice(CONFIDENCES, "confidence"), "why": str, "alternatives": [str]},
            },
            "operator",
        ),
    }


@dataclass(frozen=True)
class Convention:
    """How the library is called. `dtypes` are its words for PyTorch's: of the enumeration `dtype`, or types where a function
    is a template."""

    form: str
    tensor: str
    status: str
    stream: str
    workspace: str
    dtypes: dict[str, str]
    dtype: str = ""
    no_dtype: str = ""
    trace: dict[str, str] = field(default_factory=dict)  # the library's own: `variable`=1 makes each call say `says`
    function: str = ""  # how the layer is handed {call}, for {types}, where it does not name functions itself
    namespace: str = ""  # of the functions


@dataclass(frozen=True)
class Entry:
    """One operator: C++ expressions are over the names of the operator's arguments."""

    name: str  # of the functional overload: "add.Tensor"
    line: int
    category: str
    call: str  # the library's function
    status: str
    source: str
    reason: str = ""
    overloads: tuple[str, ...] = ()  # those that are claimed; all forms of the operator where none is named
    when: str = ""  # what the library can do, as a condition
    tensors: tuple[str, ...] = ()  # what is handed over, where it is not the arguments themselves
    arguments: str = ""  # what is handed over behind the tensors
    number: str = ""  # the call where the second operand is a number
    each: str = ""  # the operator that each item of a list goes through
    dims: int = 0  # that a window moves along
    sizes: str = ""  # of the result, where the category does not say
    result: str = ""  # the result's dtype, where it is not the first input's
    result_as: str = ""  # how the library sees the result
    dtypes: tuple[str, ...] = ("float32",)
    limits: str = ""
    measured_as: str = ""  # the operator that ends in this one on the device, and has a kernel of the CPU
    samples_of: str = ""  # an operator with the same arguments, whose calls this one is measured with
    proposal: dict[str, Any] | None = field(
        default=None, repr=False
    )  # recon's; gone once a person has reviewed the entry


@dataclass(frozen=True)
class OperatorTable:
    vendor: str
    title: str
    runtime: str  # the vendor whose runtime holds the memory
    path: Path
    library: Sdk
    convention: Convention
    calls: tuple[Declaration, ...]  # the library's functions, as its headers declare them
    entries: tuple[Entry, ...] = field(default=())
    questions: tuple[str, ...] = ()  # what the sources do not tell

    @property
    def categories(self) -> list[str]:
        """Those of its operators, in their order."""
        return list(dict.fromkeys(entry.category for entry in self.generated))

    @property
    def generated(self) -> list[Entry]:
        """Those that kernels are generated for: what is refused has none, nor what nobody has reviewed."""
        return [entry for entry in self.entries if entry.status != "refused" and not entry.proposal]

    @property
    def unreviewed(self) -> list[Entry]:
        """As recon proposed them."""
        return [entry for entry in self.entries if entry.proposal]


def table_path(vendor: str, vendors: Path = VENDORS) -> Path:
    return vendors / vendor / FILE


def read_table(path: Path) -> OperatorTable:
    """Raises NativeError with every mistake as `file:line: path: message`."""
    where = shorten(path)
    if not path.is_file():
        others = sorted(other.parent.name for other in path.parent.parent.glob(f"*/{FILE}"))
        raise NativeError(
            f"{where}: no such file; begin with a head: {GUIDE}, section 1; "
            f"vendors with a table of operators: {', '.join(others) or 'none'}"
        )
    try:
        data = read_document(path, schema(), "the table")
    except DocumentError as error:
        raise NativeError(str(error)) from None
    if mistakes := list(_check(data, path, where)):
        raise NativeError("\n".join(mistakes))
    entries = (_entry(name, block) for name, block in data["operators"].items())
    convention: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in data["convention"].items()}
    return OperatorTable(
        data["vendor"],
        data["title"],
        data["runtime"],
        path,
        read_sdk(data["library"]),
        Convention(**convention),
        tuple(map(parse_declaration, data["calls"])),
        tuple(entries),
        tuple(data.get("questions", ())),
    )


def _entry(name: str, block: Block) -> Entry:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in block.items()}
    return Entry(name, block.line, **fields)


def _check(data: Block, path: Path, where: str) -> Iterator[str]:
    """What the schema cannot say."""
    for key in ("vendor", "title", "runtime", "library", "convention", "calls", "operators"):
        if key not in data:
            yield f"{where}:1: the key '{key}' is missing"
    if data.get("vendor", path.parent.name) != path.parent.name:
        yield f"{where}:{data.lines['vendor']}: vendor: '{data['vendor']}' lies in a folder named '{path.parent.name}'"
    if "library" in data:
        yield from check_sdk(data["library"], f"{where}:{data['library'].line}: library")
    convention = data.get("convention", Block((), 1, {}))
    words = ("dtype", "no_dtype") if "function" not in convention else ()
    for key in ("form", "tensor", "status", "stream", "workspace", *words, "dtypes"):
        if convention and not convention.get(key):
            instead = "; or `function`, if a call is a function: '&{call}'" if key in words else ""
            yield f"{where}:{convention.line}: convention: the key '{key}' is missing or empty{instead}"
    known = convention.get("dtypes", {})
    for dtype, word in known.items():
        if convention.get("dtype") and word in C_TYPES:
            at = f"{where}:{known.line}: convention.dtypes.{dtype}"
            yield f"{at}: '{word}' is a type, and no value of the enumeration that `dtype` names, {convention['dtype']}"
    declared = set()
    for text in data.get("calls", ()):
        try:
            declared.add(parse_declaration(text).name)
        except DeclarationError as error:
            yield f"{where}:{data.lines['calls']}: calls: '{text}': {error}"
    for name, entry in data.get("operators", {}).items():
        at = f"{where}:{entry.line}: operators.{name}"
        for key in ("category", "call", "source", "status"):
            if not entry.get(key):
                yield f"{at}: the key '{key}' is missing or empty"
        call = entry.get("call", "").partition("<")[0]  # without the types that a template is called for
        if call not in declared:
            yield f"{at}: call: '{call}' is not among the calls; {did_you_mean(call, declared)}"
        if entry.get("status") == "refused" and not entry.get("reason"):
            yield f"{at}: a refused operator needs its 'reason'"
        for dtype in (*entry.get("dtypes", ()), *([entry["result"]] if "result" in entry else ())):
            if dtype not in known:
                yield f"{at}: dtype '{dtype}' is none of convention.dtypes; {did_you_mean(dtype, known)}"
