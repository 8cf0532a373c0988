"""A library whose functions the generated kernels name themselves: how the layer is handed them, how headers declare them for a
simulation, and the page about them."""

import re

import pytest

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.native_op import NativeError
from generators.native_op.pages import render_page
from generators.native_op.sources import groups_of
from generators.native_op.table import FILE, read_table, table_path
from tests.sdks.operators import DECLARED, headers

CALLS = """\
vendor: toy
title: A toy
runtime: host
library: {name: toy, headers: [toy/types.h, toy/more.h], library: libtoy.so, language: c++}
convention:
  form: single
  tensor: a pointer
  status: int
  stream: none
  workspace: none
  namespace: toy::api
  function: "TOY(({types}), {call})"
  dtypes: {float32: float, bool: bool}
questions: ["What a|b means."]
calls:
  - "template <typename T> int log(const T *x, T *y, int64_t len)"
  - "template <typename T, typename G> int product(const std::vector<const T *> &x, T *y, float scale = 1)"
operators:
  log: {category: unary, call: log, source: s, status: proposed}
  elu:
    category: activation
    call: log
    when: "scale.toDouble() == 1 || alpha.toDouble() == 1"
    arguments: "{function}, alpha.toDouble()"
    dtypes: [float32, bool]
    source: s
    status: proposed
  mm: {category: matmul, call: "product<float, float>", tensors: [self, mat2], sizes: "{1}", source: s, status: proposed}
  mul.Tensor: {category: binary, call: log, number: "other({function})", source: s, status: proposed}
  _foreach_log: {category: foreach, call: log, each: log, source: s, status: proposed}
"""


@pytest.fixture(scope="module")
def catalogue():
    return read_catalogue(installed_line())


@pytest.fixture
def table_of(tmp_path):
    def of(text=CALLS):
        path = tmp_path / "toy" / FILE
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return read_table(path)

    return of


def test_layer_is_handed_the_function_for_the_dtypes_of_its_entry(table_of, catalogue):
    groups = {group.entry.name: group for group in groups_of(table_of(), catalogue)}
    assert groups["log"].arguments == "TOY((float), log)"
    assert groups["elu"].arguments == "TOY((float, bool), log), alpha.toDouble()"
    assert groups["mm"].arguments == "TOY((float), product<float, float>)"
    assert groups["mul.Tensor"].number == "other(TOY((float), log))"
    assert groups["_foreach_log"].arguments == "", "its items go through a kernel"


def test_layer_that_names_functions_itself_is_handed_none(catalogue):
    groups = {group.entry.name: group for group in groups_of(read_table(table_path("onednn")), catalogue)}
    assert groups["mm"].arguments == "" and groups["sqrt"].arguments == "dnnl::algorithm::eltwise_sqrt"


def test_call_that_no_header_declares_is_told(table_of):
    with pytest.raises(
        NativeError, match=r"operators\.mm: call: 'produce' is not among the calls; did you mean 'product'\?"
    ):
        table_of(CALLS.replace("product<float", "produce<float"))


def test_dtypes_are_words_of_an_enumeration_unless_functions_are_templates(table_of):
    with pytest.raises(NativeError, match="convention: the key 'dtype' is missing or empty"):
        table_of(re.sub(r"  function:.*\n", "", CALLS))


def test_headers_declare_what_the_table_says(table_of):
    table = table_of()
    written = headers(table)
    assert set(written) == {f"toy/{DECLARED}", "toy/more.h"}, "the first holds the types, and is written by hand"
    assert written["toy/more.h"].endswith(f"#include <toy/{DECLARED}>\n")
    lines = written[f"toy/{DECLARED}"].splitlines()
    assert "#include <toy/types.h>" in lines and "namespace toy::api {" in lines
    assert "template <typename T> int log(const T *x, T *y, int64_t len);" in lines
    assert [line for line in lines if "product" in line] == [f"{table.calls[1]};"]


def test_page_says_what_is_proposed_and_what_to_confirm(table_of, catalogue):
    page = render_page(table_of(), catalogue)
    assert "5 operators: 5 proposed." in page
    assert "1. What a\\|b means." in page
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert rows["elu"].count("\\|\\|") == 1 and "`alpha.toDouble()`" in rows["elu"]
    assert "| float32, bool | proposed | s |" in rows["elu"]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows.values()}) == 1, "a row is as wide as any other"


def test_page_of_a_table_with_verified_and_refused_entries(catalogue):
    table = read_table(table_path("onednn"))
    page = render_page(table, catalogue)
    refused = next(entry for entry in table.entries if entry.status == "refused")
    assert f"| `{refused.name}` | `{refused.call}` | {refused.reason} |" in page
    assert "Nothing is open beyond the measurement." in page
