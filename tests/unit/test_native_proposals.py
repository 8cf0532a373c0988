"""What recon proposes of a library of operators, from its headers and symbols: what fits, how sure it is, and that the table is kept."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.map import VENDORS
from generators.native_op import propose as command
from generators.native_op.pages import page_path, render_page
from generators.native_op.proposal import propose, targets_of
from generators.native_op.propose import Found, extended, main, recon
from generators.native_op.sources import groups_of
from generators.native_op.table import FILE, read_table
from generators.vendor import find_operator_library
from tests.unit.sdks import has_compiler

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")

HEAD = """\
# what a person wrote
vendor: acme
title: Acme's operators
runtime: host
library:
  name: Acme
  headers: [acme/ops.h]
  library: libacmeops.so
  language: c++
convention:
  form: {form}
  tensor: a pointer
  status: int
  stream: the context's
  workspace: none
  function: "ACME({{call}})"
  {namespace}
  dtypes: {{float32: float, float64: double}}
calls: []
operators: {{}}  # none yet
"""

# A library of templates. T is what is asked for, and each is built for float but where the line says otherwise.
TEMPLATES = """\
int exp(Context* ctx, const T* x, T* y, int64_t len, const float* max_x = nullptr, float* max_y = nullptr)
int arccos(Context* ctx, const T* x, T* y, int64_t len)
int round(Context* ctx, const T* x, T* y, int64_t len, int64_t decimals)
int broadcast_add(Context* ctx, const T* x, const T* y, T* z, const std::vector<int64_t>& xshape, const std::vector<int64_t>& yshape)
int broadcast_max(Context* ctx, const T* x, const T* y, T* z, const std::vector<int64_t>& xshape, const std::vector<int64_t>& yshape)
int reduce_max(Context* ctx, const T* x, T* y, const std::vector<int64_t>& xshape, const std::vector<int64_t>& rdims)
int reduce_sum(Context* ctx, const T* x, T* y, const std::vector<int64_t>& xshape, const std::vector<int64_t>& rdims)
int leaky_relu(Context* ctx, const T* x, T* y, int64_t len, float alpha)
int clip(Context* ctx, const T* x, T* y, int64_t len, T min_val, T max_val)
int tanh_grad(Context* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len)
int concat(Context* ctx, const std::vector<const T*>& x_list, T* y, const std::vector<std::vector<int64_t>>& xshapes, int64_t axis)
int cos(Context* ctx, const T* x, T* y, T* z, int64_t len)
int swish(Context* ctx, const T* x, T* y, T* z, int64_t len)
int argmax(Context* ctx, const T* x, int64_t* y, const std::vector<int64_t>& xshape, int64_t axis)
int where(Context* ctx, const bool* c, const T* x, const T* y, T* z, int64_t len)
int transpose(Context* ctx, const T* x, T* y, const std::vector<int64_t>& xshape, const std::vector<int64_t>& permute)
int sin(Context* ctx, const T* x, T* y, int64_t len)  // not built
""".splitlines()

PROPOSED = {  # operator -> category, function, confidence, and of the reason
    "exp": ("unary", "exp", "high", "built for double, float"),
    "acos": ("unary", "arccos", "medium", "arccos is acos"),
    "round": ("unary", "round", "medium", "to choose: decimals"),
    "add.Tensor": ("binary", "broadcast_add", "medium", "PyTorch's: alpha"),
    "maximum": ("binary", "broadcast_max", "medium", "max is maximum"),
    "clamp_min": ("binary scalar", "broadcast_max", "low", "its number is handed over as a tensor"),
    "clamp_min.Tensor": ("binary", "broadcast_max", "medium", "max is clampmin"),
    "amax": ("reduction", "reduce_max", "medium", "max is amax"),
    "sum.dim_IntList": ("reduction", "reduce_sum", "high", "its name"),
    "leaky_relu": ("activation", "leaky_relu", "high", "1 tensor, 1 number in, 1 out"),
    "clamp": ("activation", "clip", "medium", "clip is clamp"),
    "hardtanh": ("activation", "clip", "medium", "clip is hardtanh"),
    "tanh_backward": ("activation backward", "tanh_grad", "medium", "PyTorch has one of them"),
    "cat": ("concat", "concat", "medium", "concat is cat"),
    "cos": ("unary", "cos", "low", "1 tensor in, 2 out"),
}


@pytest.fixture(scope="module")
def catalogue():
    return read_catalogue(installed_line())


@pytest.fixture(scope="module")
def tables():
    return [read_table(path) for path in sorted(VENDORS.glob(f"*/{FILE}"))]


@pytest.fixture(scope="module")
def targets(catalogue, tables):
    return targets_of(catalogue, tables)


@pytest.fixture(scope="module", autouse=True)
def read_once(catalogue, tables):
    """What takes seconds to read, and is the same for every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "read_catalogue", lambda line: catalogue)
        patch.setattr(command, "other_tables", lambda table: tables)
        yield


def installed(root: Path, header: str, source: str) -> Path:
    """A library with one header; its file."""
    file, library = root / "include/acme/ops.h", root / "lib/libacmeops.so"
    for folder in (file.parent, library.parent):
        folder.mkdir(parents=True)
    file.write_text(header)
    build = ["c++", "-std=c++17", "-shared", "-fPIC", f"-I{root}/include", "-x", "c++", "-", "-o", str(library)]
    done = subprocess.run(build, input=f'#include "acme/ops.h"\n{source}', text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return library


def table_in(root: Path, form: str = "single", namespace: str = "namespace: acme::ops") -> Path:
    path = root / "acme" / FILE
    path.parent.mkdir(parents=True)
    path.write_text(HEAD.format(form=form, namespace=namespace))
    return path


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """What recon finds in a library of templates: by namespace, exported instances and all."""
    root = tmp_path_factory.mktemp("templates")
    declared = [line.partition("  //")[0] for line in TEMPLATES]
    built = [line for line in TEMPLATES if "not built" not in line]
    header = "\n".join(f"template <typename T> {line};" for line in declared)
    types = {"int exp": ("float", "double")}
    source = "\n".join(
        f"template <typename T> {_undefaulted(line)} {{ return 0; }}\n"
        + "\n".join(
            f"template {_undefaulted(line).replace('(', f'<{type_}>(', 1).replace('T*', f'{type_}*').replace('T m', f'{type_} m')};"
            for type_ in types.get(line.partition("(")[0], ("float",))
        )
        for line in built
    )
    around = "#pragma once\n#include <cstdint>\n#include <vector>\nnamespace acme::ops {{\nclass Context;\n{}\n}}\n"
    library = installed(root, around.format(header), f"namespace acme::ops {{\n{source}\n}}")
    path = table_in(root)
    table = read_table(path)
    return recon(table, find_operator_library(table, library))


def _undefaulted(line: str) -> str:
    return line.replace(" = nullptr", "")


def shown(found: Found) -> dict[str, tuple[str, str, str, str]]:
    return {p.operator.name: (p.category, p.says, p.confidence, p.why) for p in found.proposals}


def test_functions_that_are_templates_are_proposed_with_a_reason(templates):
    found = shown(templates)
    assert {name: entry[:3] for name, entry in found.items()} == {name: entry[:3] for name, entry in PROPOSED.items()}
    assert [name for name, entry in PROPOSED.items() if entry[3] not in found[name][3]] == []


def test_what_the_library_does_not_export_is_not_proposed_but_told(templates):
    assert [function.name for function in templates.library.hidden] == ["sin"]
    report = command.render_report(templates)
    assert "declared, and not exported by the library: sin" in report
    assert "no operator found for: swish, argmax, where, transpose" in report
    assert "3 high · 10 medium · 2 low of 15 proposals" in report


def test_numbers_are_handed_over_where_it_is_plain(templates):
    given = {p.operator.name: p.arguments for p in templates.proposals if p.arguments}
    assert given == {
        "leaky_relu": "{function}, negative_slope.toDouble()",
        "hardtanh": "{function}, min_val.toDouble(), max_val.toDouble()",
    }


def two_stage(*functions: str) -> str:
    """Declarations of a C library that is called in two stages."""
    first, second = "uint64_t *workspaceSize, Executor **executor", "void *workspace, uint64_t size, Executor *executor"
    lines = []
    for function in functions:
        name, _, parameters = function.rstrip(")").partition("(")
        lines += [f"int acme{name}GetWorkspaceSize({parameters}, {first});", f"int acme{name}({second});"]
    types = "".join(
        f"typedef struct acme{name} acme{name};\n" for name in ("Tensor", "TensorList", "Scalar", "IntArray")
    )
    head = f"#pragma once\n#include <stdint.h>\n{types}typedef struct Executor Executor;\n"
    return head + '#ifdef __cplusplus\nextern "C" {\n#endif\n' + "\n".join(lines) + "\n#ifdef __cplusplus\n}\n#endif\n"


def test_calls_in_two_stages_are_proposed_with_both(tmp_path):
    header = two_stage(
        "Abs(const acmeTensor *self, acmeTensor *out)",
        "InplaceAbs(acmeTensor *selfRef)",
        "Hardshrink(const acmeTensor *self, const acmeScalar *lambd, const acmeTensor *out)",
        "SoftmaxBackward(const acmeTensor *gradOutput, const acmeTensor *output, int64_t dim, acmeTensor *gradInput)",
        "EqScalar(const acmeTensor *self, const acmeScalar *other, acmeTensor *out)",
        "EqTensor(const acmeTensor *self, const acmeTensor *other, acmeTensor *out)",
        "PowTensorTensor(const acmeTensor *self, const acmeTensor *exponent, acmeTensor *out)",
        "Any(const acmeTensor *self, const acmeIntArray *dim, bool keepdim, acmeTensor *out)".replace("bool", "int"),
        "Cat(const acmeTensorList *tensors, int64_t dim, acmeTensor *out)",
        "ClampMin(const acmeTensor *self, const acmeScalar *min, acmeTensor *out)",
        "Matmul(const acmeTensor *self, const acmeTensor *mat2, acmeTensor *out, int8_t mathType)",
    ).replace("int acmePowTensorTensor(", "int acmeOther(")
    definitions = header.partition("extern")[2].replace(";", " { return 0; }")
    body = definitions[definitions.index("int ") : definitions.rindex("#ifdef")]
    library = installed(tmp_path, header, f'extern "C" {{\n{body}\n}}')
    table = read_table(table_in(tmp_path, "two-stage", "trace: {}"))
    found = recon(table, find_operator_library(table, library))
    assert {p.operator.name: (p.call, p.confidence) for p in found.proposals} == {
        "_softmax_backward_data": ("acmeSoftmaxBackward", "high"),
        "abs": ("acmeAbs", "high"),
        "any.dim": ("acmeAny", "high"),
        "any.dims": ("acmeAny", "high"),
        "bmm": ("acmeMatmul", "low"),
        "cat": ("acmeCat", "high"),
        "clamp_min": ("acmeClampMin", "high"),  # and not the overload whose limit is a tensor
        "eq.Scalar": ("acmeEqScalar", "high"),
        "eq.Tensor": ("acmeEqTensor", "high"),
        "hardshrink": ("acmeHardshrink", "high"),
        "mm": ("acmeMatmul", "low"),
    }
    by_name = {p.operator.name: p for p in found.proposals}
    assert [call.name for call in by_name["abs"].calls] == ["acmeAbsGetWorkspaceSize", "acmeAbs"]
    assert by_name["hardshrink"].arguments == "{function}, lambd"  # as it is: the library takes scalars of its own
    assert found.without == ["acmeOther"]  # whose first stage has another name


def test_algorithms_of_a_family_are_proposed_without_much_confidence(tmp_path):
    """One function serves them all: its signature says nothing of a single one. PyTorch's gradient of sigmoid reads its result, for
    which there is no algorithm here."""
    enum = "typedef enum { acme_eltwise_abs = 1, acme_eltwise_logistic, acme_eltwise_gelu_erf, acme_eltwise_tanh_use_dst_for_bwd, acme_eltwise_bump, acme_binary_add } alg_t;"
    functions = [
        "int acme_post_ops_append_eltwise(alg_t alg)",
        "int acme_eltwise_forward_desc_init(alg_t alg, float alpha)",
        "int acme_eltwise_backward_desc_init(alg_t alg, float alpha)",
        "int acme_binary_desc_init(alg_t alg)",
    ]
    scoped = "namespace acme { enum class algorithm { eltwise_abs = acme_eltwise_abs }; }"
    header = f'#pragma once\n{enum}\nextern "C" {{ {"; ".join(functions)}; }}\n{scoped}\n'
    library = installed(tmp_path, header, "\n".join(f"{line} {{ return 0; }}" for line in functions))
    table = read_table(table_in(tmp_path, "descriptor", "trace: {}"))
    found = recon(table, find_operator_library(table, library))
    assert {p.operator.name: (p.call, p.arguments, p.confidence) for p in found.proposals} == {
        "abs": ("acme_eltwise_forward_desc_init", "acme::algorithm::eltwise_abs", "medium"),
        "add.Tensor": ("acme_binary_desc_init", "acme_binary_add", "medium"),
        "sigmoid": ("acme_eltwise_forward_desc_init", "acme_eltwise_logistic", "low"),
        "gelu": ("acme_eltwise_forward_desc_init", "acme_eltwise_gelu_erf", "low"),
        "gelu_backward": ("acme_eltwise_backward_desc_init", "acme_eltwise_gelu_erf", "low"),
        "tanh_backward": ("acme_eltwise_backward_desc_init", "acme_eltwise_tanh_use_dst_for_bwd", "medium"),
    }


def test_dtypes_are_those_that_a_template_is_built_for(templates):
    assert {p.operator.name: p.dtypes for p in templates.proposals}.items() >= {
        "exp": ("float32", "float64"),
        "acos": ("float32",),
    }.items()


# ---- the table


def test_head_alone_becomes_a_table_of_proposals(templates, tmp_path):
    path = tmp_path / "acme" / FILE
    path.parent.mkdir()
    path.write_text(extended(templates.table.path.read_text(), templates))
    table = read_table(path)
    assert {entry.name: entry.dtypes for entry in table.entries} == dict.fromkeys(PROPOSED, ("float32",)) | {
        "exp": ("float32", "float64")
    }
    assert [entry for entry in table.entries if entry.status != "proposed" or not entry.proposal] == []
    assert len(table.calls) == len({call.name for call in table.calls}) == 12
    assert path.read_text().startswith(templates.table.path.read_text().partition("calls:")[0])


def test_no_kernel_is_generated_before_a_person_has_reviewed_it(templates, catalogue, tmp_path):
    path = tmp_path / "acme" / FILE
    path.parent.mkdir()
    text = extended(templates.table.path.read_text(), templates)
    path.write_text(text)
    assert groups_of(read_table(path), catalogue) == []
    assert "| `cos` | unary | `cos` | low | its name; 1 tensor in, 2 out;" in render_page(read_table(path), catalogue)
    entry = text[text.index("  exp:") :]
    reviewed = entry[: entry.index("    proposal:")]
    path.write_text(text[: text.index("  acos:")] + reviewed)
    assert [group.entry.name for group in groups_of(read_table(path), catalogue)] == ["exp"]


@given(st.data())
@settings(max_examples=25)
def test_what_is_in_the_table_stays_as_it_is(templates, targets, data):
    """Whatever a table has already, in whatever state: recon adds what is missing, once, and touches nothing."""
    names = sorted(PROPOSED)
    kept = data.draw(st.lists(st.sampled_from(names), unique=True))
    status = data.draw(
        st.sampled_from(
            ["verified", "proposed", 'refused\n    reason: "it is wrong"', "refused\n    reason: |\n      it is wrong"]
        )
    )
    last = data.draw(st.sampled_from(["", "\n", "\n\n# the end\n", "\n# the end"]))
    whole = extended(templates.table.path.read_text(), templates)
    head, _, _ = whole.partition("operators:")
    entries = "".join(
        f"  {name}:\n    category: unary\n    call: exp\n    source: read\n    status: {status}\n" for name in kept
    )
    path = templates.table.path.with_name("drawn.yaml").parent / "drawn" / "acme" / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"{head}operators:{(entries and chr(10) + entries.rstrip()) or ' {}'}{last}"
    path.write_text(text)
    table = read_table(path)
    found = replace(templates, table=table, proposals=propose(table, templates.library, targets))
    assert {p.operator.name for p in found.proposals}.isdisjoint(kept)
    path.write_text(extended(text, found))
    after = read_table(path)
    assert {entry.name for entry in after.entries} >= set(kept)
    assert [
        e for e in after.entries if e.name in kept and (e.proposal or e.status != status.partition(chr(10))[0])
    ] == []
    assert [e for e in after.entries if e.name not in kept and (not e.proposal or e.status != "proposed")] == []
    assert propose(after, templates.library, targets) == []
    if kept:  # what was there is there, byte for byte
        before = text[: text.index(entries.rstrip()) + len(entries.rstrip())]
        assert path.read_text().startswith(before)
    assert last.strip() in path.read_text()


@pytest.fixture
def acme(templates, tmp_path, monkeypatch):
    """The table in a folder of its own, as the command finds it."""
    path = tmp_path / "acme" / FILE
    path.parent.mkdir()
    path.write_text(templates.table.path.read_text())
    monkeypatch.setattr(command, "table_path", lambda vendor: path)
    return path, ["--vendor", "acme", "--op-lib", str(templates.sdk.library)]


def test_command_prints_and_writes_when_told(acme, capsys):
    path, arguments = acme
    before = path.read_text()
    assert main(arguments) == 0 and path.read_text() == before
    assert "tanh_backward" in capsys.readouterr().out
    assert main([*arguments, "--write"]) == 0
    assert "delete its 'proposal'" in capsys.readouterr().out
    written = path.read_text()
    assert {e.name for e in read_table(path).entries} == PROPOSED.keys()
    assert "tanh_grad" in page_path(read_table(path)).read_text()
    assert main([*arguments, "--write"]) == 0 and path.read_text() == written


def test_proposals_that_make_no_table_are_not_written(acme, capsys, monkeypatch):
    path, arguments = acme
    before = path.read_text()
    monkeypatch.setattr(command, "extended", lambda text, found: text + "  abs: broken\n")
    assert main([*arguments, "--write"]) == 1
    assert "a fault of recon; nothing was written" in capsys.readouterr().err
    assert path.read_text() == before


def test_nothing_is_written_of_a_simulation(acme, templates, capsys, monkeypatch):
    path, arguments = acme
    before = path.read_text()
    simulated = replace(templates.sdk, simulated="simulated SDK: no evidence for hardware")
    monkeypatch.setattr(command, "find_operator_library", lambda table, file: simulated)
    assert main(arguments) == 0
    assert main([*arguments, "--write"]) == 1 and path.read_text() == before
    assert "nothing is written of a simulated SDK" in capsys.readouterr().err


def test_header_that_is_not_there_is_told(acme, capsys):
    assert main([*acme[1], "--header", "ops/*.h"]) == 1
    assert "--header ops/*.h: no such header below" in capsys.readouterr().err


@pytest.mark.parametrize("below", [True, False])
def test_header_that_is_a_path_of_its_own_is_told(acme, templates, capsys, below):
    folder = templates.sdk.include
    header = folder / "acme/ops.h" if below else Path("/usr/include/stdio.h")
    assert main([*acme[1], "--header", str(header)]) == 1
    said = f"a pattern is relative to the folder of headers, {folder}; give "
    assert said + ("--header acme/ops.h" if below else "--include DIR") in capsys.readouterr().err


def test_further_headers_are_read_and_stated(templates, tmp_path):
    """A library may have a header for each operator: those that are used become the table's."""
    root = tmp_path / "sdk"
    library = installed(root, '#pragma once\nextern "C" int acme_abs(const float *x, float *y, long len);\n', "")
    for name in ("neg", "exp", "unused"):
        (root / f"include/acme/{name}.h").write_text(
            f'extern "C" int acme_{name}(const float *x, float *y, long len);\n'
        )
    names = ("abs", "neg", "exp", "unused")
    build = ["c++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(library)]
    source = "\n".join(f'extern "C" int acme_{name}(const float *, float *, long) {{ return 0; }}' for name in names)
    subprocess.run(build, input=source, text=True, check=True)
    path = table_in(tmp_path, namespace="trace: {}")
    table = read_table(path)
    sdk = find_operator_library(table, library)
    assert [p.operator.name for p in recon(table, sdk).proposals] == ["abs"]
    found = recon(table, sdk, ("acme/*.h",))
    assert [p.operator.name for p in found.proposals] == ["abs", "exp", "neg"]
    path.write_text(extended(path.read_text(), found))
    assert read_table(path).library.headers == ("acme/ops.h", "acme/exp.h", "acme/neg.h")
    assert [p.operator.name for p in recon(read_table(path), sdk).proposals] == []  # all of the folder is read now
