"""The conf of a vendor: what is read, and what is refused with its line."""

import os
import subprocess
import sys

import pytest

from generators.files import ROOT
from generators.vendor import known_vendors
from torch_fl.conf import (
    CONFIGS,
    ConfError,
    check_operator,
    check_route,
    conf_path,
    load_conf,
    operators_of_torch,
    read_conf,
)

OPERATORS = ["add.Tensor", "add.out", "relu", "sum", "sum.dim_IntList"]


def conf(folder, text):
    path = folder / "example.conf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def mistakes(path, **more):
    with pytest.raises(ConfError) as caught:
        read_conf(path, **more)
    return [line.removeprefix(str(path)) for line in str(caught.value).splitlines()]


def test_routes_are_read_with_their_lines(tmp_path):
    text = "# measured\n\nadd.Tensor = cuda\n  relu=host   # no overload\r\nsum.dim_IntList\t=  onednn"
    read = read_conf(conf(tmp_path, text), libraries=["onednn"], operators=OPERATORS)
    assert read.routes == {"add.Tensor": "cuda", "relu": "host", "sum.dim_IntList": "onednn"}
    assert read.lines == {"add.Tensor": 3, "relu": 4, "sum.dim_IntList": 5}


@pytest.mark.parametrize("text", ["", "\n\n", "# add.Tensor = cuda\n   # and more"])
def test_nothing_is_routed_by_comments(tmp_path, text):
    assert read_conf(conf(tmp_path, text)).routes == {}


@pytest.mark.parametrize(
    "line",
    [
        "add.Tensor",
        "add.Tensor cuda",
        "= cuda",
        "add.Tensor =",
        "add.Tensor = cuda host",
        "add.Tensor == cuda",
        "add.Tensor = cuda; relu = cuda",
        "aten::add.Tensor = cuda",
        "add.Tensor.out = cuda",
        "1add = cuda",
        "add.Tensor = cúda",
        "include backends_cuda.conf",
    ],
)
def test_line_that_is_no_route_is_shown(tmp_path, line):
    assert mistakes(conf(tmp_path, f"relu = cuda\n{line}\n")) == [
        f":2: '{line}' is no route of an operator; expected 'op.overload = route', such as 'add.Tensor = cuda'"
    ]


def test_operator_given_twice_names_both_lines(tmp_path):
    assert mistakes(conf(tmp_path, "relu = cuda\n\nrelu = cuda\nrelu = host")) == [
        ":3: 'relu' is given twice (first on line 1); keep one",
        ":4: 'relu' is given twice (first on line 1); keep one",
    ]


def test_unknown_route_lists_the_allowed_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("torch_fl.conf.LIBRARIES", tmp_path)
    path = conf(tmp_path, "relu = cudda\nsum = elsewhere\nadd.out = onednn")
    none = "allowed are cuda, host"
    assert mistakes(path) == [
        f":1: unknown route 'cudda', did you mean 'cuda'?; {none}",
        f":2: unknown route 'elsewhere'; {none}",
        f":3: unknown route 'onednn'; {none}",
    ]
    assert mistakes(path, libraries=["onednn"])[1:] == [":2: unknown route 'elsewhere'; allowed are cuda, host, onednn"]


def test_flaggems_is_known_and_refused(tmp_path):
    (text,) = mistakes(conf(tmp_path, "relu = flaggems"))
    assert text.startswith(
        ":1: route 'flaggems' is refused: FlagGems is a known route that is not built yet; allowed are"
    )
    assert check_route("flaggems") and not check_route("cuda")


def test_unknown_operator_names_the_nearest_or_its_overloads(tmp_path):
    path = conf(tmp_path, "ad.Tensor = cuda\nadd = cuda\nadd.Tensr = cuda\nxyzzy = cuda\nadd.out = cuda")
    assert mistakes(path, operators=OPERATORS) == [
        ":1: PyTorch has no operator 'ad.Tensor'; did you mean 'add.Tensor'?",
        ":2: PyTorch has no operator 'add'; under that name it has add.Tensor, add.out",
        ":3: PyTorch has no operator 'add.Tensr'; under that name it has add.Tensor, add.out",
        ":4: PyTorch has no operator 'xyzzy'",
    ]
    assert len(read_conf(path).routes) == 5, "without PyTorch's names they are not checked"


def test_operator_that_only_other_torch_lines_have_is_skipped(tmp_path):
    path = conf(tmp_path, "relu = cuda\n_foreach_mm = cuda\nalign_as = nowhere\n_foreach_mmm = cuda")
    route, operator = mistakes(path, operators=OPERATORS)
    assert route.startswith(":3: unknown route 'nowhere'"), "a line that is skipped is read all the same"
    assert operator == ":4: PyTorch has no operator '_foreach_mmm'; did you mean '_foreach_mm'?"
    read = read_conf(conf(tmp_path, "relu = cuda\n_foreach_mm = cuda\nalign_as = cuda"), operators=OPERATORS)
    assert read.routes == {"relu": "cuda"} and read.lines["align_as"] == 3
    assert read.skipped == {"_foreach_mm": "torch 2.13 and later", "align_as": "torch 2.12 and earlier"}
    assert read_conf(path.parent / "example.conf").skipped == {}, (
        "without PyTorch's names nothing is known to be absent"
    )


def test_overload_without_a_name_has_one_spelling(tmp_path):
    path = conf(tmp_path, "relu = cuda\nrelu.default = cuda")
    expected = "the overload without a name is written 'relu'"
    assert mistakes(path) == mistakes(path, operators=OPERATORS) == [f":2: {expected}"]
    assert check_operator("relu.default") == expected and not check_operator("relu")


def test_every_mistake_is_told_at_once(tmp_path):
    assert len(mistakes(conf(tmp_path, "what\nadd = nowhere\nadd = cuda"), operators=OPERATORS)) == 5


def test_file_that_is_no_text_is_refused(tmp_path):
    expected = "expected a conf, with lines such as 'add.Tensor = cuda'"
    assert mistakes(conf(tmp_path, b"relu = cuda\n\xff\xfe")) == [f":2: is not UTF-8; {expected}"]


def test_what_is_no_conf_is_told_in_few_words(tmp_path):
    (zeros,) = mistakes(conf(tmp_path, b"\0" * 4096))
    assert "…' is no route of an operator" in zeros and "\0" not in zeros and len(zeros) < 300
    told = mistakes(conf(tmp_path, "a line of prose\n" * 1000))
    assert len(told) == 21 and told[-1] == ": and 980 more mistakes; is this a conf at all?"


def test_file_that_cannot_be_read_is_refused(tmp_path):
    expected = "expected a conf, with lines such as 'add.Tensor = cuda'"
    assert mistakes(tmp_path / "backends_nosuch.conf") == [f": no such file; {expected}"]
    assert mistakes(tmp_path / "backends_hosts.conf") == [f": no such file; did you mean {conf_path('host')}?"]
    mine = conf(tmp_path, "relu = host")
    assert mistakes(tmp_path / "exmaple.conf") == [f": no such file; did you mean {mine}?"]
    assert mistakes(tmp_path) == [f": is no file; {expected}"]
    os.mkfifo(tmp_path / "pipe")
    assert mistakes(tmp_path / "pipe") == [f": is no file; {expected}"], "it is not waited for"
    assert mistakes(mine / "below") == [f": cannot be read: Not a directory; {expected}"]


def test_vendor_without_a_conf_is_told_the_command(tmp_path):
    with pytest.raises(ConfError) as caught:
        load_conf("example", configs=tmp_path)
    expected = f"{tmp_path}/backends_example.conf: no such file; make it: python -m generators.runtime --vendor example"
    assert str(caught.value) == expected


def test_vendors_have_confs_and_no_conf_is_without_a_vendor():
    assert sorted(CONFIGS.iterdir()) == [conf_path(vendor) for vendor in known_vendors()]
    for vendor in known_vendors():
        load_conf(vendor)


def test_operators_are_those_of_the_installed_torch():
    operators = operators_of_torch()
    assert {"add.Tensor", "relu", "sum.dim_IntList"} <= operators and "relu.default" not in operators
    assert len(operators) > 2000 and not any("::" in name for name in operators)


def test_reading_needs_no_torch():
    code = "import sys, torch_fl.conf as conf; conf.load_conf('host'); print('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
