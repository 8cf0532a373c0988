"""Faults of a native library's kernels, of their table and of what is claimed: each must fail a gate of gates/native_op.

In one copy of the checkout, one fault after the other: what is not changed is not compiled again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from generators.build import BUILD, LIBRARIES, build_torch_side
from generators.files import ROOT, write_if_changed
from generators.native_op.table import read_table, table_path
from generators.vendor import VendorError, find_operator_library
from tests.mutation.gate_run import GateRun, run_gates
from tests.mutation.source import copy_checkout

VENDOR = "onednn"
LAYER = f"csrc/aten/backends/{VENDOR}"
TABLE = f"docs/vendors/{VENDOR}/op-api-map.yaml"
EVIDENCE = f"docs/vendors/{VENDOR}/evidence/native_operators.json"
CONF = f"torch_fl/configs/backends_{VENDOR}.conf"
PAGE = "docs/reference/operator-support.md"
REFERENCE = ROOT / "docs/reference/native-faults.md"


@dataclass(frozen=True)
class Fault:
    what: str
    file: str
    old: str  # "" makes the file
    new: str
    category: str = "unary"  # that is measured


BY_HAND = """#include <ATen/ops/sqrt_ops.h>

#include "aten/native.h"

namespace {
at::Tensor mine(const at::Tensor& self) { return self; }
[[maybe_unused]] const auto kAgain = &flagos::add_native_kernel<at::_ops::sqrt, mine>;
}  // namespace
"""

FAULTS = {
    "value": Fault(
        "unary results are off by 1e-2",
        f"{LAYER}/calls.cc",
        "{prop_kind::forward_inference, kind, data, number(alpha), number(beta)}",
        "{prop_kind::forward_inference, kind, data, number(alpha), number(beta) + 0.01F}",
    ),
    "strides": Fault(
        "strides of the input are ignored",
        f"{LAYER}/calls.cc",
        "plan.as(plan.given(one ? data : described(self)), data);\n    const dnnl::eltwise_forward",
        "plan.given(data);\n    const dnnl::eltwise_forward",
    ),
    "offset": Fault(
        "the storage offset is ignored",
        f"{LAYER}/plan.cc",
        "set_data_handle(tensor->data_ptr(), stream())",
        "set_data_handle(tensor->storage().mutable_data(), stream())",
    ),
    "broadcast": Fault(
        "the second operand is not broadcast",
        f"{LAYER}/calls.cc",
        "const Desc right = one ? flat(b) : narrow(b, result.sizes());",
        "const Desc right = Desc(dims_of(to), data_type(b.scalar_type()), strides_of(to));",
        "binary",
    ),
    "dtype": Fault(
        "a bool goes by the enumeration of a wider type",
        f"{LAYER}/plan.cc",
        "return {sizes.vec(), data_type(dtype), strides.vec()};",
        "return {sizes.vec(), dtype == at::kBool ? dnnl::memory::data_type::s32 : data_type(dtype), strides.vec()};",
        "logical",
    ),
    "unwritten": Fault(
        "the last element of the result is not written",
        f"{LAYER}/calls.cc",
        "return described({tensor.numel()}, {1}, tensor.scalar_type());",
        "return described({std::max<int64_t>(tensor.numel() - 1, 1)}, {1}, tensor.scalar_type());",
    ),
    "workspace": Fault(
        "the workspace is too small, so that its parts overlap",
        f"{LAYER}/plan.cc",
        "own_bytes_ += (desc.get_size() + kAlignment - 1) / kAlignment * kAlignment;",
        "own_bytes_ += kAlignment;",
        "convolution",
    ),
    "scalar": Fault(
        "a scalar loses what is behind the point",
        f"{LAYER}/calls.cc",
        "float number(double value) { return static_cast<float>(value); }",
        "float number(double value) { return static_cast<float>(static_cast<int>(value)); }",
        "activation",
    ),
    "in place": Fault(
        "the result is cleared before an input that lies there is read",
        f"{LAYER}/calls.cc",
        "algorithm kind, double alpha, double beta) {\n  if (result.numel() == 0) return true;\n  return run(Key(kUnary,",
        "algorithm kind, double alpha, double beta) {\n  if (result.numel() == 0) return true;\n  result.zero_();\n"
        "  return run(Key(kUnary,",
    ),
    "stale": Fault(
        "a cached primitive is used for another shape",
        f"{LAYER}/plan.cc",
        "  add(tensor.sizes());\n",
        "",
    ),
    "fallback": Fault(
        "a kernel calls the CPU's and says nothing",
        f"{LAYER}/calls.cc",
        "algorithm kind, double alpha, double beta) {\n  if (result.numel() == 0) return true;\n  return run(Key(kUnary,",
        "algorithm kind, double alpha, double beta) {\n  if (result.numel() == 0) return true;\n"
        "  if (kind == algorithm::eltwise_abs) return result.copy_(self.cpu().abs()).defined();\n"
        "  return run(Key(kUnary,",
    ),
    "line": Fault("the conf has a line without evidence", CONF, "sqrt = onednn\n", "sqrt = onednn\nrelu = onednn\n"),
    "evidence": Fault("the evidence was changed by accident", EVIDENCE, '"passed": true', '"passed": false'),
    "twice": Fault("an operator is registered by hand as well", f"{LAYER}/by_hand.cc", "", BY_HAND),
    "edited": Fault("the generated kernels were edited", f"{LAYER}/kernels.cc", "// The kernels of", "// Kernels of"),
    "symbol": Fault(
        "the table names a function that the library lacks",
        TABLE,
        '  - "dnnl_status_t dnnl_matmul_desc_init(',
        '  - "dnnl_status_t dnnl_matmul_desc_initialise()"\n  - "dnnl_status_t dnnl_matmul_desc_init(',
    ),
    "version": Fault("the library is of another version", TABLE, "version: 2.6.3", "version: 2.7.0"),
    "page": Fault("the page claims what was not measured", PAGE, "| `sqrt` |", "| `relu` |"),
}
found: dict[str, tuple[str, ...]] = {}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy with what is built, and with the kernels over the library built in it."""
    try:
        find_operator_library(read_table(table_path(VENDOR)))
    except VendorError as error:
        pytest.skip(str(error))
    build_torch_side()
    root = copy_checkout(tmp_path_factory.mktemp("native"))
    (root / PAGE).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / PAGE, root / PAGE)
    shutil.copytree(LIBRARIES, root / "torch_fl/lib", ignore=shutil.ignore_patterns(f"*_{VENDOR}.so"))
    for extension in (ROOT / "torch_fl").glob("_C.*"):
        shutil.copy(extension, root / "torch_fl")
    (root / "build/native").mkdir(parents=True)
    for samples in (BUILD / "native").glob("samples-*.pt"):
        (root / "build/native" / samples.name).symlink_to(samples)
    yield root


def gates_of(root: Path, category: str, junit: Path) -> GateRun:
    options = ["--vendor", VENDOR, "--category", category, "--maxfail=99", "-k", "not route and not committed"]
    variables = {"FLAGOS_RUNTIME_LIBRARY": str(LIBRARIES / "libflagos_host.so"), "PYTHONPATH": str(root)}
    return run_gates([root / "gates/native_op"], variables, junit, root, options=options)


def test_gates_pass_without_a_fault(checkout: Path, tmp_path: Path):
    run = gates_of(checkout, "unary", tmp_path / "junit.xml")
    assert run.failed == () and run.passed >= 10, run.output


@pytest.mark.parametrize("name", FAULTS)
def test_fault_fails_a_gate(name: str, checkout: Path, tmp_path: Path):
    fault = FAULTS[name]
    file = checkout / fault.file
    before = file.read_text() if fault.old else None
    assert before is None or fault.old in before, "the fault finds nothing to change"
    file.write_text(fault.new if before is None else before.replace(fault.old, fault.new, 1))
    try:
        run = gates_of(checkout, fault.category, tmp_path / "junit.xml")
    finally:
        if before is None:
            file.unlink()
        else:
            file.write_text(before)
    found[name] = run.failed
    assert run.failed, run.output


def test_table_of_faults(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]):
    """Prints it; with --record, and when each was tried, keeps it."""
    rows = [f"| {FAULTS[name].what} | {', '.join(f'`{gate}`' for gate in gates)} |" for name, gates in found.items()]
    with capsys.disabled():
        print("", *rows, sep="\n")
    if request.config.option.record and found.keys() == FAULTS.keys():
        head = "# Faults of a native library, and the gates that fail\n\nWritten by `pytest tests/mutation/test_native.py --record`.\n"
        write_if_changed(REFERENCE, "\n".join([head, "| fault | gates |", "| --- | --- |", *rows]) + "\n")


def test_reference_lists_every_fault():
    rows = [
        line.split(" | ")[0].removeprefix("| ") for line in REFERENCE.read_text().splitlines() if "`native_op." in line
    ]
    assert rows == [fault.what for fault in FAULTS.values()], "pytest tests/mutation/test_native.py --record"
