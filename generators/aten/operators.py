"""Which operators there are, which of them can be routed, and the exact C++ type of each one's kernel.

All of it comes from torchgen, which must be the one of the same torch as the schemas. So a line is read in a process of
its own:

    python -m generators.aten.operators FOLDER     prints the line's catalogue as JSON
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generators.aten import AtenError
from generators.aten.lines import TorchLine, line_at
from generators.documents import shorten
from generators.files import ROOT

SPELLINGS = ("ArrayRef", "IListRef")  # of a list of tensors, as the dispatcher's messages write it


@dataclass(frozen=True)
class Operator:
    name: str  # "add.Tensor"
    symbol: str  # its name in at::_ops: "add_Tensor"
    header: str  # that declares it there: "ATen/ops/add_ops.h"
    schema: str
    routable: bool
    symint: bool
    optional_list: bool  # takes Tensor?[], which has one spelling only
    spelling: str  # how a list of tensors is spelled: "IListRef", "ArrayRef", or "" without one
    types: dict[str, str]  # spelling -> the kernel's function type
    form: str  # "functional", "inplace", "out" or "mutable"
    signature: str  # the same for the forms of one operator
    arguments: dict[str, str]  # of the kernel: name -> C++ type
    returns: str  # its C++ type
    pointwise: bool = False  # each element of the result comes of the elements at its place

    @property
    def type(self) -> str:
        return self.types[self.spelling]

    @property
    def base(self) -> str:
        return "aten::" + self.name.partition(".")[0]

    @property
    def overload(self) -> str:
        return self.name.partition(".")[2]


@dataclass(frozen=True)
class Catalogue:
    """Every operator of a line, sorted by name."""

    torch: str  # version without a local suffix
    operators: tuple[Operator, ...]
    warnings: dict[str, str]  # routable operators that nothing can be generated for -> why

    @property
    def line(self) -> str:
        return ".".join(self.torch.split(".")[:2])

    @property
    def routable(self) -> list[Operator]:
        return [operator for operator in self.operators if operator.routable]

    @property
    def typed(self) -> list[Operator]:
        """Those whose kernel's type is generated, and proved: that can be routed, or take a list."""
        return [operator for operator in self.operators if operator.routable or operator.spelling]

    @property
    def lists(self) -> dict[str, Operator]:
        return {operator.name: operator for operator in self.operators if operator.spelling}

    def spelled(self, spelling: str) -> list[str]:
        return [name for name, operator in self.lists.items() if operator.spelling == spelling]


def read_catalogue(line: TorchLine) -> Catalogue:
    """The line's operators, read by its own torchgen. Raises AtenError."""
    command = [sys.executable, "-m", "generators.aten.operators", str(line.root)]
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": places, "PYTHONUTF8": "1"}
    child = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, cwd=ROOT)
    if child.returncode != 0:
        text = child.stderr.strip()
        if not text.startswith("ERROR: "):  # it was killed, or the generator has a fault of its own
            raise AtenError(f"{line} cannot be read: exit status {child.returncode} of {shlex.join(command)}\n{text}")
        raise AtenError(text.removeprefix("ERROR: "))
    found = json.loads(child.stdout)
    return Catalogue(line.release, tuple(Operator(**entry) for entry in found["operators"]), found["warnings"])


# ---- in the process that imports torchgen ---------------------------------------------------------


def _import_torchgen(line: TorchLine) -> Any:
    """The names of torchgen that are needed, from that line's folder."""
    sys.path.insert(0, str(line.root))
    try:
        import torchgen
        from torchgen import gen, local, model
        from torchgen.api.types import DispatcherSignature

        names = gen.LineLoader, gen.parse_native_yaml_struct, gen.parse_tags_yaml_struct, local.parametrize
    except (ImportError, AttributeError) as error:
        raise AtenError(f"torchgen of {line} lacks a name that the generator needs: {error}") from None
    except Exception as error:  # of a torchgen that was cut short, or that is written for another Python
        raise AtenError(f"torchgen of {line} cannot be imported: {_one_line(error)}") from None
    if Path(torchgen.__file__).parent.parent != line.root:
        raise AtenError(f"torchgen was imported from {torchgen.__file__}, not from {line.root}")
    return *names, model.DispatchKey, DispatcherSignature


def _read(line: TorchLine) -> dict[str, Any]:
    import yaml

    loader, parse, parse_tags, parametrize, keys, signature = _import_torchgen(line)
    where = shorten(line.schemas)
    headers = line.include / "ATen/ops"
    if line.include.is_dir() and not headers.is_dir():
        raise AtenError(f"{shorten(headers)}: no such folder; without its headers no operator could be generated")

    def load(path: Path) -> Any:
        try:
            return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        except Exception as error:  # YAML's own, torchgen's assertions, …
            raise AtenError(f"{shorten(path)}: cannot be read: {_one_line(error)}") from None

    entries = load(line.schemas)
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict) or not isinstance(entry.get("func"), str):
            at = entry.get("__line__", 1) if isinstance(entry, dict) else 1
            raise AtenError(f"{where}:{at}: expected an entry with 'func: <schema>', found {_shown(entry)}")
    try:
        tags = parse_tags(load(line.schemas.with_name("tags.yaml")))
        parsed = parse(entries, tags, path=where)
    except Exception as error:  # torchgen raises what it likes: AssertionError, KeyError, ValueError, RuntimeError, …
        raise AtenError(f"{where}: torchgen cannot read it: {_one_line(error)}") from None

    functions = {str(f.func.name): f for f in parsed.native_functions}
    on_cuda = parsed.backend_indices[keys.CUDA]
    operators, warnings = [], {}
    for name, f in sorted(functions.items()):
        routable = _is_routable(f, functions, on_cuda)
        try:
            operators.append(dataclasses.asdict(_operator(name, f, routable, parametrize, signature)))
        except Exception as error:  # of an operator that torchgen itself cannot spell
            if routable:
                warnings[name] = f"torchgen cannot spell its type: {_one_line(error)}"
            continue
        header = line.include / operators[-1]["header"]
        if routable and headers.is_dir() and not header.is_file():
            warnings[name] = f"{shorten(header)}: no such header"
            operators[-1]["routable"] = False
    return {"operators": operators, "warnings": warnings}


def _is_routable(f: Any, functions: dict[str, Any], on_cuda: Any) -> bool:
    """The rule: it has a CUDA kernel, its own or that of the operator that it delegates to, and is none of those that are
    ours or PyTorch's own on every device: views and `set_`, and compositions of other operators."""
    delegate = functions.get(str(f.structured_delegate)) if f.structured_delegate else None
    has_kernel = on_cuda.has_kernel(f) or (delegate is not None and on_cuda.has_kernel(delegate))
    return has_kernel and not f.is_view_op and not f.has_composite_implicit_autograd_kernel


def _operator(name: str, f: Any, routable: bool, parametrize: Any, signature: Any) -> Operator:
    arguments = [str(argument.type) for argument in f.func.arguments.flat_all]
    takes_list = any(text.startswith("Tensor[") for text in arguments)

    def spelled(spelling: str) -> Any:
        return parametrize(
            use_const_ref_for_mutable_tensors=f.use_const_ref_for_mutable_tensors,
            use_ilistref_for_tensor_lists=spelling == "IListRef",
        )

    def type_with(spelling: str) -> str:
        with spelled(spelling):
            return str(signature.from_schema(f.func).type())

    spellings = SPELLINGS if takes_list else ("",)
    spelling = ("IListRef" if f.part_of_structured_group else "ArrayRef") if takes_list else ""
    with spelled(spelling):
        kernel = signature.from_schema(f.func)
        arguments_of_kernel = {argument.name: argument.type for argument in kernel.arguments()}
        returns = kernel.returns_type().cpp_type()
    return Operator(
        name=name,
        symbol=f.func.name.unambiguous_name(),
        header=f"ATen/ops/{f.root_name}_ops.h",
        schema=str(f.func),
        routable=routable,
        symint=f.func.has_symint(),
        optional_list=any(text.startswith("Tensor?[") for text in arguments),
        spelling=spelling,
        types={spelling: type_with(spelling) for spelling in spellings},
        form=f.func.kind().name,
        signature=str(f.func.signature(strip_default=True)),
        arguments=arguments_of_kernel,
        returns=returns,
        pointwise="pointwise" in f.tags,
    )


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:400]


def _shown(entry: object) -> str:
    found = {k: v for k, v in entry.items() if k != "__line__"} if isinstance(entry, dict) else entry
    return repr(found)[:100]


def main(arguments: list[str]) -> int:
    try:
        json.dump(_read(line_at(Path(arguments[0]))), sys.stdout)
    except AtenError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
