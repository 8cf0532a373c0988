"""A table and a layer of one's own, as the guide to native operators shows them: they are right, and what is missing is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch
from jinja2 import meta

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.build import BuildError, build_operators
from generators.files import ROOT, write_if_changed
from generators.map import load_map, map_path
from generators.native_op import NativeError, sources
from generators.native_op import __main__ as native_op
from generators.native_op.pages import render_page
from generators.native_op.sources import calls_of_layer, render_kernels
from generators.native_op.table import FILE, GUIDE, categories, read_table, table_path
from generators.rendering import templates
from generators.reports import render_map_page
from generators.vendor import FoundSdk


@pytest.fixture(scope="module")
def catalogue():
    return read_catalogue(installed_line())


def fenced(language: str, at: str) -> str:
    """The guide's first block of a language behind some words."""
    return GUIDE_TEXT.partition(at)[2].partition(f"```{language}\n")[2].partition("```")[0]


GUIDE_TEXT = (ROOT / GUIDE).read_text()
ENTRY = '  exp: {category: unary, call: my_exp, source: "myops.h: my_exp", status: proposed}\n'
DECLARED = 'calls: ["my_status my_exp(const float *x, float *y, int64_t n, my_stream stream)"]\n'
HEAD = fenced("yaml", "### The head")
OWN = HEAD.replace("calls: []\n", DECLARED).replace("operators: {}\n", f"operators:\n{ENTRY}")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A table made of the guide's head, and where its sources and its commands belong."""

    def write(text: str = OWN) -> Path:
        path = tmp_path / "mylib" / FILE
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        monkeypatch.setattr(sources, "BACKENDS", tmp_path / "backends")
        monkeypatch.setattr(native_op, "table_path", lambda vendor: path)
        return path

    return write


def test_head_of_the_guide_is_one_and_its_function_is_handed_over(own, catalogue):
    assert "library::unary(result.tensor(), self, &my_exp)" in render_kernels(read_table(own()), catalogue)


def test_call_without_anything_that_says_what_to_compute_is_refused(own, catalogue):
    words = "  dtype: my_type\n  no_dtype: MY_NONE\n"
    text = OWN.replace('  function: "&{call}"\n', words).replace("float32: float}", "float32: MY_FLOAT}")
    line = text.splitlines().index(ENTRY.rstrip()) + 1
    message = (
        rf"op-api-map\.yaml:{line}: operators\.exp: the key 'arguments' is missing or empty: .* function: '&\{{call\}}'"
    )
    with pytest.raises(NativeError, match=message):
        render_kernels(read_table(own(text)), catalogue)
    told = text.replace("call: my_exp,", "call: my_exp, arguments: MY_EXP,")
    assert "library::unary(result.tensor(), self, MY_EXP)" in render_kernels(read_table(own(told)), catalogue)


MY_OPS = """#pragma once
#include <stdint.h>
typedef void *my_stream;
typedef enum { MY_OK = 0, MY_UNSUPPORTED = 1, MY_FAILED = 2 } my_status;
extern "C" my_status my_exp(const float *x, float *y, int64_t n, my_stream stream);
"""


def test_layer_of_the_guide_compiles_under_the_kernels(own, catalogue, tmp_path):
    texts = {
        "myops.h": MY_OPS,
        "calls.h": fenced("c++", "this is all, `calls.h`"),
        "calls.cc": fenced("c++", "and `calls.cc`"),
        "kernels.cc": render_kernels(read_table(own()), catalogue),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    folders = [tmp_path, ROOT / "csrc", ROOT / "csrc/include", Path(torch.__file__).parent / "include"]
    options = [
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-DAT_PER_OPERATOR_HEADERS",
        *(f"-I{folder}" for folder in folders),
    ]
    done = subprocess.run(
        ["c++", *options, "calls.cc", "kernels.cc"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def functions_of(category: str) -> set[str]:
    """What the kernels of a category call, by its template and those that it includes."""
    environment = templates("native_op")
    text, *_ = environment.loader.get_source(environment, f"{category.replace(' ', '_')}.cc.j2")
    included = [name for name in meta.find_referenced_templates(environment.parse(text)) if name.endswith(".cc.j2")]
    return set(calls_of_layer(text)).union(*(functions_of(name.removesuffix(".cc.j2")) for name in included))


def test_guide_names_the_functions_of_every_category():
    rows = GUIDE_TEXT.partition("| category | function of the layer |\n| --- | --- |\n")[2].partition("\n\n")[0]
    told = {}
    for _, names, functions, _ in (row.split("|") for row in rows.splitlines()):
        called = {code.partition("(")[0] for code in functions.split("`")[1::2] if "(" in code}
        told |= dict.fromkeys(names.strip().split(", "), called)
    assert told == {category: functions_of(category) for category in categories()}


def test_calls_of_the_layer_are_read_whole_and_once():
    text = "return a && library::unary(result.tensor(),\n   self, f(1));\nlibrary::unary(x);\nlog(library::kLibrary, y());\n"
    assert calls_of_layer(text) == {"unary": "unary(result.tensor(), self, f(1))"}


def test_build_without_a_layer_says_what_to_write(own, catalogue):
    table = read_table(own())
    sdk = FoundSdk(Path("/nowhere"), Path("/nowhere/include"), Path("/nowhere/lib.so"))
    with pytest.raises(
        BuildError, match=r"kernels\.cc: no such file; run: python -m generators\.native_op --vendor mylib"
    ):
        build_operators(table, sdk)
    write_if_changed(sources.kernels_path(table), render_kernels(table, catalogue))
    with pytest.raises(BuildError) as told:
        build_operators(table, sdk)
    assert "calls.h: no such file" in str(told.value) and GUIDE in str(told.value)
    assert "namespace flagos::mylib" in str(told.value)
    assert str(told.value).splitlines()[-1] == "  unary(result.tensor(), self, &my_exp)"


def test_what_waits_for_review_is_told(own, capsys):
    own()
    assert native_op.main(["--vendor", "mylib"]) == 0
    assert "without kernels" not in capsys.readouterr().out
    own(OWN.replace("status: proposed}", "status: proposed, proposal: {confidence: high, why: its name}}"))
    assert native_op.main(["--vendor", "mylib"]) == 0
    assert "1 entry waits for review, without kernels" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("runtime", "sdk"), [("host", ""), ("ascend", " --sdk-path DIR"), ("mylib", " --sdk-path DIR")]
)
def test_commands_of_the_page_have_the_sdk_where_the_runtime_has_one(own, catalogue, runtime, sdk):
    page = render_page(read_table(own(OWN.replace("runtime: host ", f"runtime: {runtime} "))), catalogue)
    commands = [line.strip() for line in page.splitlines() if line.startswith(("    python", "    pytest"))]
    assert f"pytest gates/runtime --vendor {runtime}{sdk}" in commands
    with_library = [line for line in commands if "--op-lib" in line]
    assert len(with_library) == 2 and all(f"--vendor mylib{sdk} --op-lib FILE " in line for line in with_library)


@pytest.mark.parametrize("vendor", ["kunlun", "cuda"])
def test_page_of_a_runtime_leads_to_the_operators_where_there_is_a_table(vendor):
    page = render_map_page(load_map(map_path(vendor)))
    assert ("](op-api-map.md)" in page) == table_path(vendor).is_file() == (vendor == "kunlun")
