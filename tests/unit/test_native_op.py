"""The table of a library of operators: what is wrong with it is said, and what is made of it is what was measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.files import ROOT
from generators.map import VENDORS
from generators.native_op import NativeError, findings, registrations, samples, sources
from generators.native_op.findings import checksum, passed, read_evidence, render_conf, with_statuses
from generators.native_op.pages import page_path, render_page
from generators.native_op.registrations import duplicates, written_by_hand
from generators.native_op.sources import claims, groups_of, render_kernels
from generators.native_op.table import read_table, table_path
from generators.vendor import FoundSdk, VendorError, find_operator_library, load_vendor
from tests.unit.vendor_torches import compile_library
from torch_fl.conf import conf_in_use, conf_path, load_conf

TABLE = table_path("onednn")


@pytest.fixture(scope="module")
def catalogue():
    return read_catalogue(installed_line())


@pytest.fixture
def changed(tmp_path):
    """The table with a change, in a folder of its own."""

    def change(*pairs: tuple[str, str]) -> Path:
        text = TABLE.read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "onednn/op-api-map.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return change


def test_table_claims_enough(catalogue):
    table = read_table(TABLE)
    assert len(claims(groups_of(table, catalogue))) >= 120
    assert len(table.categories) >= 20


@pytest.mark.parametrize("vendor", sorted(path.parent.name for path in VENDORS.glob(f"*/{TABLE.name}")))
def test_committed_kernels_and_pages_are_those_of_the_tables(vendor, catalogue):
    table = read_table(table_path(vendor))
    assert sources.kernels_path(table).read_text() == render_kernels(table, catalogue)
    assert page_path(table).read_text() == render_page(table, catalogue)


MISTAKES = {
    "category": (("category: unary", "category: unery"), "unknown category 'unery'; did you mean 'unary'?"),
    "call": (
        ("call: dnnl_matmul_desc_init", "call: dnnl_matmul_desc"),
        "call: 'dnnl_matmul_desc' is not among the calls; did you mean 'dnnl_matmul_desc_init'?",
    ),
    "declaration": (
        ("dnnl_status_t dnnl_binary_desc_init(", "dnnl_binary_desc_init "),
        "calls: 'dnnl_binary_desc_init ",
    ),
    "status": (("status: refused", "status: verifyed"), "unknown status 'verifyed'; did you mean 'verified'?"),
    "reason": (
        ('    reason: "exp(NaN) is inf (measured)"\n', ""),
        "operators.exp: a refused operator needs its 'reason'",
    ),
    "dtype": (
        ("dtypes: [bool]", "dtypes: [boole]"),
        "dtype 'boole' is none of convention.dtypes; did you mean 'bool'?",
    ),
    "key": (("    source: ", "    sauce: "), "unknown key; did you mean 'source'?"),
    "convention": (("  form: descriptor\n", ""), "convention: the key 'form' is missing or empty"),
    "neither dtype nor function": (
        ("  dtype: dnnl::memory::data_type\n", ""),
        "convention: the key 'dtype' is missing or empty; or `function`, if a call is a function",
    ),
    "type for a value": (
        ("    float32: dnnl::memory::data_type::f32\n", "    float32: float\n"),
        "convention.dtypes.float32: 'float' is a type, and no value of the enumeration that `dtype` names, dnnl::memory",
    ),
    "folder": (("vendor: onednn", "vendor: onedn"), "'onedn' lies in a folder named 'onednn'"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistake_is_told_with_its_line(what, changed):
    change, message = MISTAKES[what]
    with pytest.raises(NativeError) as told:
        read_table(changed(change))
    first = str(told.value).splitlines()[0]
    assert message in str(told.value)
    assert first.partition(":")[0].endswith("op-api-map.yaml") and first.split(":")[1].isdigit()


def test_operator_that_torch_has_not_is_told(changed, catalogue):
    table = read_table(changed(("  sqrt:\n", "  squirt:\n")))
    with pytest.raises(NativeError, match=r"operators\.squirt: torch .* has no such operator; did you mean 'sqrt'\?"):
        groups_of(table, catalogue)


def test_table_that_is_not_there_is_told(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/op-api-map.yaml").touch()
    with pytest.raises(
        NativeError, match=r"no such file; begin with a head: .*native-operators\.md, section 1; .* other"
    ):
        read_table(tmp_path / "mine/op-api-map.yaml")


# ---- registered once


def test_nothing_is_registered_twice(catalogue):
    assert duplicates(read_table(TABLE), catalogue) == {}


def test_hand_written_kernel_of_a_generated_operator_is_named(tmp_path, monkeypatch, catalogue):
    """Both places, and nothing was compiled or imported."""
    folder = tmp_path / "backends/onednn"
    folder.mkdir(parents=True)
    (folder / "mine.cc").write_text(
        '#include "no/such/header.h"\nnamespace {\nauto a = &add_native_kernel<at::_ops::sqrt, mine>;  // add_native_kernel<at::_ops::abs>\n}\n'
    )
    monkeypatch.setattr(registrations, "BACKENDS", tmp_path / "backends")
    ((name, places),) = duplicates(read_table(TABLE), catalogue).items()
    assert name == "sqrt"
    assert places[0].startswith("docs/vendors/onednn/op-api-map.yaml:") and places[1].endswith("mine.cc:3")


def test_operator_in_two_entries_is_named(changed, catalogue):
    table = read_table(
        changed(
            (
                "  sqrt:\n",
                "  sqrt.out:\n    category: unary\n    call: dnnl_eltwise_forward_desc_init\n"
                "    overloads: [sqrt.out]\n    source: s\n    status: proposed\n  sqrt:\n",
            )
        )
    )
    assert list(duplicates(table, catalogue)) == ["sqrt.out"]


def test_registrations_of_other_keys_are_none(tmp_path):
    source = tmp_path / "a.cc"
    source.write_text(
        "TORCH_LIBRARY_IMPL(aten, QuantizedPrivateUse1, library) { add_kernel<at::_ops::mm, f>(library); }\n"
        "TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {\n  add_kernel<at::_ops::view, f>(library);\n}\n"
    )
    assert list(written_by_hand(source)) == [("view", 3)]


# ---- what was measured


def claim(overload: str, good: bool = True, dtype: str = "float32", operator: str = "sqrt") -> dict:
    return {"operator": operator, "overload": overload, "dtype": dtype, "passed": good}


def test_overload_that_fails_in_one_dtype_is_not_routed():
    found = [claim("sqrt"), claim("sqrt", False, "bool"), claim("sqrt_")]
    assert passed(found) == ["sqrt_"]


def test_conf_lists_what_passed_and_says_what_did_not():
    text = render_conf(read_table(TABLE), {"claims": [claim("sqrt"), claim("sqrt.out", False)]})
    lines = text.splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == ["sqrt = onednn"]
    assert "#   sqrt.out" in lines and "#   relu: relu(NaN) is 0 (measured)" in lines


def test_operator_is_verified_if_all_of_it_passed(changed):
    path = changed()
    evidence = {"claims": [claim("sqrt"), claim("abs", operator="abs"), claim("abs.out", False, operator="abs")]}
    path.write_text(with_statuses(read_table(path), evidence))
    again = read_table(path)
    statuses = {entry.name: entry.status for entry in again.entries}
    assert (statuses["sqrt"], statuses["abs"], statuses["neg"], statuses["relu"]) == (
        "verified", "proposed", "proposed", "refused",
    )  # fmt: skip
    assert with_statuses(again, evidence) == path.read_text(), "written again it is the same"


def test_evidence_that_was_changed_is_told(tmp_path):
    path, claims = tmp_path / "native_operators.json", [claim("sqrt", False)]
    path.write_text(json.dumps({"claims": claims, "checksum": checksum(claims)}))
    assert read_evidence(path)["claims"] == claims
    path.write_text(path.read_text().replace("false", "true"))
    with pytest.raises(NativeError, match="is not what was recorded: its checksum is another"):
        read_evidence(path)


PARTS = ("libdnnl.so", "libflagos_host.so", "libtorch_fl_onednn.so", "libtorch_fl.so", "libtorch_fl_operators.so")


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """Of the findings of unary operators by a table, over libraries in `tmp_path`."""
    monkeypatch.setattr(findings, "LIBRARIES", tmp_path)
    for name in PARTS:
        (tmp_path / name).write_bytes(b"1")
    library, runtime, kernels = (tmp_path / name for name in PARTS[:3])

    def of(table: Path = TABLE) -> str:
        sdk = FoundSdk(tmp_path, tmp_path, library)
        return findings.Setting(read_table(table), sdk, runtime, kernels).inputs("unary")

    return of


def test_what_was_measured_stands_if_only_statuses_or_lines_of_the_table_changed(inputs, tmp_path):
    path = tmp_path / "onednn/op-api-map.yaml"
    path.parent.mkdir()
    path.write_text("# a line more\n" + TABLE.read_text().replace("status: verified", "status: proposed"))
    assert inputs(path) == inputs()


@pytest.mark.parametrize("part", PARTS)
def test_what_was_measured_is_measured_again_if_a_library_is_another(part, inputs, tmp_path):
    """The vendor's above all: mended or broken, it has the same name and the same table."""
    before = inputs()
    (tmp_path / part).write_bytes(b"2")
    assert inputs() != before


def test_what_was_measured_is_measured_again_on_another_machine(inputs, monkeypatch):
    before = inputs()
    monkeypatch.setattr(findings, "hardware_of", lambda vendor: "another")
    assert inputs() != before


def test_each_result_is_asked_for_alone():
    call = ((torch.ones(2), [0, 0], [True, True, True]), {})
    alone = [args[2] for what, (args, _) in samples.varied([call], "convolution backward") if "only" in what]
    assert alone == [[True, False, False], [False, True, False], [False, False, True]]
    assert not samples.mask_of(((torch.ones(2), [0, 0], [True]), {}))


# ---- the vendor, its library and its conf


def test_vendor_runs_on_another_s_runtime():
    vendor = load_vendor("onednn")
    assert (vendor.name, vendor.runtime, vendor.sources.name) == ("onednn", "host", "host")


def test_conf_is_found_by_its_vendor_s_name():
    assert conf_in_use("host", {"FLAGOS_BACKEND_CONFIG": "onednn"}) == conf_path("onednn")
    assert set(load_conf("onednn").routes.values()) == {"onednn"}, "its own name is a route, built or not"


@pytest.fixture
def installed(tmp_path):
    """A folder with headers, and a library of that name that is another's."""
    (tmp_path / "include/oneapi/dnnl").mkdir(parents=True)
    (tmp_path / "include/oneapi/dnnl/dnnl.hpp").touch()
    return compile_library(tmp_path / "lib/libdnnl.so")


def test_named_library_is_taken_with_the_headers_above_it(installed):
    found = find_operator_library(read_table(TABLE), installed)
    assert (found.library, found.include) == (installed, installed.parents[1] / "include")


def test_library_that_cannot_be_used_is_told(installed, tmp_path):
    table = read_table(TABLE)
    with pytest.raises(VendorError, match="no such file; give the library itself"):
        find_operator_library(table, tmp_path / "lib/libdnnl.so.9")
    text = tmp_path / "lib/text.so"
    text.write_text("no library")
    with pytest.raises(VendorError, match="is not an ELF library"):
        find_operator_library(table, text)
    shutil.rmtree(tmp_path / "include")
    with pytest.raises(VendorError, match=r"its headers, include/oneapi/dnnl/dnnl\.hpp, are in no folder above it"):
        find_operator_library(table, installed)


def test_page_of_support_is_made_of_evidence_alone():
    page = (ROOT / "docs/reference/operator-support.md").read_text()
    evidence = read_evidence(findings.evidence_path(read_table(TABLE)))
    named = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert named == {entry["overload"] for entry in evidence["claims"] if entry["passed"]}


def test_simulated_library_that_is_not_built_says_what_to_type():
    with pytest.raises(VendorError, match="simulated libraries are built by: make sdks"):
        find_operator_library(read_table(TABLE), ROOT / "build/sdks/no_such_sim/lib/libno.so")
