"""generators.aten: which operators, of which type, from which torch; what it refuses; and how a wrong spelling converges."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from generators.aten import AtenError
from generators.aten.__main__ import main
from generators.aten.faults import wrong_types_of_import
from generators.aten.lines import TorchLine, fetch_line, installed_line, line_at, line_of, pinned_line
from generators.aten.operators import _read, read_catalogue
from generators.aten.ports import _touched, compare, load_records, survey
from generators.aten.sources import COMMITTED, render_sources, split_evenly, write_sources
from generators.aten.spelling import (
    amend_overrides,
    apply_overrides,
    check_types,
    compiler,
    find_overrides,
    read_overrides,
    render_overrides,
)
from generators.files import ROOT
from generators.fixloop import Stuck
from tests.unit.children import run_on_full_disk

LINES = yaml.safe_load((Path(__file__).parent / "torch_lines.yaml").read_text())
SINCE_2_9 = ["cat", "cat.out"]
SINCE_2_14 = ["_scaled_grouped_mm_v2", "_scaled_grouped_mm_v2.out", "_scaled_mm_v2", "_scaled_mm_v2.out", *SINCE_2_9]
ILISTREF = dict.fromkeys(["2.9", "2.10", "2.11", "2.12", "2.13"], SINCE_2_9) | {
    "2.14": SINCE_2_14,
    "2.15": ["_scaled_addmm", "_scaled_addmm.out", "_scaled_addmm_", *SINCE_2_14],
}

# A schema of each kind that the rule tells apart.
SCHEMAS = """\
- func: own(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: own_kernel
- func: delegating(Tensor self) -> Tensor
  structured_delegate: delegating.out
- func: delegating.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU, CUDA: delegating_out
- func: joined(Tensor[] tensors, SymInt size) -> Tensor
  dispatch:
    CUDA: joined
- func: composite(Tensor self) -> Tensor
- func: composite_with_kernel(Tensor self) -> Tensor
  dispatch:
    CUDA: composite_cuda
    CompositeImplicitAutograd: composite
- func: seen(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU, CUDA: seen
- func: processor_only(Tensor self) -> Tensor
  dispatch:
    CPU: processor_only
- func: set_.source(Tensor(a!) self, Tensor source) -> Tensor(a!)
  tags: inplace_view
  dispatch:
    CPU, CUDA: set_
"""


@pytest.fixture(scope="module")
def make_torch(tmp_path_factory):
    """A folder like that of an unpacked wheel: the installed torchgen with other schemas, and no headers."""

    def make(schemas, version="9.8.7+cpu"):
        root = tmp_path_factory.mktemp("torch")
        source = installed_line()
        shutil.copytree(source.root / "torchgen", root / "torchgen", ignore=shutil.ignore_patterns("packaged", "*.pyc"))
        packaged = root / "torchgen/packaged/ATen/native"
        packaged.mkdir(parents=True)
        shutil.copy(source.schemas.with_name("tags.yaml"), packaged)
        (packaged / "native_functions.yaml").write_text(schemas)
        (root / "torch").mkdir()
        (root / "torch/version.py").write_text(f"__version__ = '{version}'\n")
        return root

    return make


@pytest.fixture(scope="module")
def small(make_torch):
    return read_catalogue(line_at(make_torch(SCHEMAS)))


@pytest.fixture(scope="module")
def catalogue():
    return read_catalogue(installed_line())


# ---- which operators, of which type


def test_rule_tells_the_routable_operators(small):
    assert [operator.name for operator in small.routable] == ["delegating", "delegating.out", "joined", "own"]
    assert len(small.operators) == 9 and not small.warnings


def test_types_follow_the_schema(small):
    types = {operator.name: operator.type for operator in small.operators}
    assert types["joined"] == "at::Tensor (at::TensorList, c10::SymInt)"
    assert types["delegating.out"] == "at::Tensor & (const at::Tensor &, at::Tensor &)"
    assert small.lists["joined"].types["IListRef"] == "at::Tensor (const at::ITensorListRef &, c10::SymInt)"


@pytest.mark.parametrize("name", LINES)
def test_each_line_spells_its_own_lists_as_ilistref(name, make_torch):
    """From that line's declarations; and what was recorded of the whole line says the same."""
    entries = []
    for declared in LINES[name]:
        key = "CUDA" if declared["on_cuda"] else "CPU" if declared.get("structured") else "CompositeExplicitAutograd"
        entry = {k: v for k, v in declared.items() if k != "on_cuda"}
        if "structured_delegate" not in entry:
            entry["dispatch"] = {key: "kernel"}
        if entry["func"].startswith("_foreach_"):
            entry["device_check"] = "NoCheck"  # torchgen wants it of them
        entries.append(entry)
    lists = read_catalogue(line_at(make_torch(yaml.safe_dump(entries, sort_keys=False, width=10000))))
    assert lists.spelled("IListRef") == ILISTREF[name]
    assert {"stack", "stack.out", "_foreach_add.List"} <= set(lists.spelled("ArrayRef"))
    assert load_records()[name]["lists"]["IListRef"] == ILISTREF[name]


def test_every_recorded_line_is_pinned():
    assert list(load_records()) == list(ILISTREF) == list(LINES)


def test_installed_line_is_read_whole(catalogue):
    known = {"2.13": (3101, 1254, 337)}
    found = len(catalogue.operators), len(catalogue.routable), len(catalogue.lists)
    assert found == known.get(catalogue.line, found)
    assert [operator.name for operator in catalogue.operators] == sorted(o.name for o in catalogue.operators)


def test_reading_torchgen_does_not_import_torch():
    program = (
        "import sys, generators.aten.operators as o\n"
        "from generators.aten.lines import installed_line\n"
        "o._read(installed_line()); assert 'torchgen' in sys.modules; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


# ---- what is written


def test_shards_hold_every_routable_operator_once(catalogue):
    shards = split_evenly(catalogue.routable)
    assert [o for shard in shards for o in shard] == catalogue.routable
    assert max(map(len, shards)) - min(map(len, shards)) <= 1 and max(map(len, shards)) <= 300


BOXING = """\
#pragma once
#include <ATen/core/Tensor.h>
namespace flagos {
struct CompiledKernel { const char* name; const char* overload; void (*kernel)(); };
}
#define BOXED(op) {at::_ops::op::name, at::_ops::op::overload_name, nullptr}
"""


def syntax(folder, text):
    (folder / "aten").mkdir(exist_ok=True)
    (folder / "aten/boxing.h").write_text(BOXING)
    command = [
        "g++",
        "-std=c++20",
        "-fsyntax-only",
        f"-I{installed_line().include}",
        f"-I{folder}",
        f"-I{folder}/generated",
    ]
    return subprocess.run([*command, "-x", "c++", "-"], input=text, capture_output=True, text=True)


def test_shard_compiles_and_a_half_written_folder_does_not(catalogue, tmp_path):
    files = render_sources(catalogue, {})
    write_sources(files, tmp_path / "generated")
    child = syntax(tmp_path, '#include "generated/cuda_kernels_1.cc"')
    assert child.returncode == 0, child.stderr
    older = tmp_path / "generated/register.inc"
    older.write_text(files["register.inc"].replace("(kernels_1, ", "(kernels_1, 1"))
    assert "conflicting declaration" in syntax(tmp_path, '#include "generated/cuda_kernels_1.cc"').stderr


def test_folder_is_mended_and_what_is_not_ours_stays(small, tmp_path):
    files = render_sources(small, {})
    assert {path.name for path in write_sources(files, tmp_path)} == set(files)
    (tmp_path / "ops.h").write_text(files["ops.h"][:100])
    (tmp_path / "cuda_kernels_9.cc").write_text(files["cuda_kernels_1.cc"])
    (tmp_path / ".ops.cc.99999999").write_text("half")  # of a process that is gone
    (tmp_path / f".ops.h.{os.getppid()}").write_text("half")  # of one that is writing
    (tmp_path / ".clang-format").write_text("DisableFormat: true\n")
    assert {p.name for p in write_sources(files, tmp_path)} == {"ops.h", "cuda_kernels_9.cc", ".ops.cc.99999999"}
    assert {p.name for p in tmp_path.iterdir()} == {*files, ".clang-format", f".ops.h.{os.getppid()}"}
    assert write_sources(files, tmp_path) == []


def test_command_says_which_torch_and_how_many(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    assert main(["--torchgen", str(root / "torchgen"), "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "torch 9.8.7+cpu" in told.out and "4 of 9 operators can be routed" in told.out and told.err == ""
    assert "torch 9.8 was not ported yet; prove it: pytest -m version_port --torch 9.8.7" in told.out
    assert main(["--torchgen", str(root), "--out", str(tmp_path), "--check"]) == 0
    (tmp_path / "ops.h").write_text("edited")
    assert main(["--torchgen", str(root), "--out", str(tmp_path), "--check"]) == 1
    assert "-edited" in capsys.readouterr().out and (tmp_path / "ops.h").read_text() == "edited"


def test_operator_without_a_header_is_warned_of_and_left_out(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    (root / "torch/include/ATen/ops").mkdir(parents=True)
    for name in ("own", "delegating"):
        (root / f"torch/include/ATen/ops/{name}_ops.h").touch()
    assert main(["--torchgen", str(root), "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert [text.split(":")[1] for text in told.err.splitlines()] == [" joined is not generated"]
    assert "3 of 9 operators can be routed" in told.out
    assert "joined" not in (tmp_path / "cuda_kernels_1.cc").read_text()


# ---- bad input


def refusal(root, tmp_path, capsys):
    """What the command says of a torch; it writes nothing."""
    (tmp_path / "before").write_text("as it was")
    assert main(["--torchgen", str(root), "--out", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["before"]
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("- structured: True\n  dispatch:\n    CPU: nope\n", "native_functions.yaml:28: expected an entry with 'func"),
        ("- func: broken(Tensor self -> Tensor\n", "broken(Tensor self -> Tensor"),
        ("- func: lost(Tensor self) -> Tensor\n  structured_delegate: lost.out\n", "lost.out is missing"),
        ("- func: [\n", "cannot be read"),
        ("- func: odd(Tensor self) -> Tensor\n  dispatch:\n    Abacus: odd\n", "Abacus"),
        ("- a word\n", "native_functions.yaml:1: expected an entry with 'func: <schema>', found 'a word'"),
    ],
    ids=["no func", "broken schema", "no such delegate", "no YAML", "unknown key", "a word"],
)
def test_malformed_schemas_are_named(entry, told, make_torch, tmp_path, capsys):
    text = refusal(make_torch(SCHEMAS + entry), tmp_path, capsys)
    assert "native_functions.yaml" in text and told in text and "Traceback" not in text


@dataclass(frozen=True)
class OtherSchemas(TorchLine):
    file: Path

    @property
    def schemas(self):
        return self.file


PIECES = [
    "",
    "\n",
    "- ",
    "  ",
    ": ",
    "func",
    "dispatch:",
    "structured: True",
    "structured_delegate: own",
    "[",
    "{",
    "&a ",
    "*a",
]
PIECES += [
    "Tensor(a!)",
    "Tensor[]",
    "-> ",
    "*, ",
    ")",
    "=None",
    "CUDA",
    "!!python/tuple ",
    "'",
    "\t",
    "\0",
    "é",
    "- func: x" * 3,
]


@given(
    st.lists(
        st.tuples(st.integers(0, len(SCHEMAS)), st.integers(0, 40), st.sampled_from(PIECES)), min_size=1, max_size=4
    )
)
@example([(0, len(SCHEMAS), "")])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_schemas_that_are_spoilt_anywhere_are_read_or_refused(tmp_path, cuts):
    """Whatever torchgen makes of them, what comes out is one sentence that names the file."""
    text = SCHEMAS
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    file = tmp_path / "native_functions.yaml"
    file.write_text(text)
    shutil.copy(installed_line().schemas.with_name("tags.yaml"), tmp_path)
    try:
        _read(OtherSchemas(installed_line().root, file))
    except AtenError as error:
        assert str(error).startswith(str(file)) and "\n" not in str(error)


def test_torch_without_packaged_torchgen_is_refused(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    shutil.rmtree(root / "torchgen/packaged")
    assert "native_functions.yaml: no such file" in refusal(root, tmp_path, capsys)


def test_torchgen_of_unknown_version_is_refused(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    (root / "torch/version.py").unlink()
    assert "version.py: expected __version__" in refusal(root, tmp_path, capsys)


def test_folder_that_cannot_be_written_is_said(make_torch, tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["--torchgen", str(make_torch(SCHEMAS)), "--out", str(tmp_path / "file/folder")]) == 1
    assert "file/folder: cannot be written: " in capsys.readouterr().err


def test_override_that_cannot_be_read_stops_the_generator(make_torch, tmp_path, capsys, monkeypatch):
    """It is an input like the schemas, even though it has no entries: without it the files would be others."""
    for path, told in ((tmp_path / "gone.txt", "No such file"), (tmp_path / "before", "invalid start byte")):
        monkeypatch.setattr("generators.aten.__main__.ARRAYREF_OPS", path)
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "before").write_bytes(b"\xff")
        assert main(["--torchgen", str(make_torch(SCHEMAS)), "--out", str(tmp_path / "out")]) == 1
        error = capsys.readouterr().err
        assert f"{path}: cannot be read: " in error and told in error and not any((tmp_path / "out").iterdir())


def test_headers_without_operators_stop_the_generator(make_torch, tmp_path, capsys):
    """It would write a table of nothing."""
    root = make_torch(SCHEMAS)
    (root / "torch/include/ATen").mkdir(parents=True)
    assert "include/ATen/ops: no such folder" in refusal(root, tmp_path, capsys)


def test_torchgen_that_cannot_be_imported_is_refused(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    local = root / "torchgen/local.py"
    local.write_text(local.read_text()[:-200] + "\ndef cut(")
    text = refusal(root, tmp_path, capsys)
    assert "torchgen of torch 9.8.7+cpu" in text and "SyntaxError" in text and "Traceback" not in text


def test_reader_that_is_killed_is_told_with_its_command(small, make_torch, monkeypatch):
    monkeypatch.setattr(
        "generators.aten.operators.subprocess.run",
        lambda command, **_: subprocess.CompletedProcess(command, -9, stdout="", stderr=""),
    )
    with pytest.raises(AtenError, match=r"cannot be read: exit status -9 of .*generators\.aten\.operators"):
        read_catalogue(installed_line())


def test_another_line_is_not_written_into_the_tree(make_torch, capsys):
    before = {path: path.read_bytes() for path in COMMITTED.iterdir()}
    assert main(["--torchgen", str(make_torch(SCHEMAS)), "--out", str(COMMITTED)]) == 1
    text = capsys.readouterr().err
    assert f"this folder is of torch {pinned_line()}, and torch 9.8.7 is another line" in text
    assert {path: path.read_bytes() for path in COMMITTED.iterdir()} == before


def test_disk_that_fills_up_leaves_the_folder_as_it_was(make_torch, tmp_path):
    """A limit on the size of a file stands for the disk: ops.h fits, ops.cc does not, and neither is changed."""
    root = make_torch(SCHEMAS)
    command = [sys.executable, "-m", "generators.aten", "--torchgen", str(root), "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        path.write_text(f"old {path.name}")
    limit = max(sizes.values()) - 1
    assert min(sizes.values()) < limit
    child = run_on_full_disk(command, limit)
    assert child.returncode == 1 and f"ERROR: {tmp_path}: cannot be written: " in child.stderr, child.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: f"old {name}" for name in sizes}


def test_torchgen_that_lost_a_name_is_refused_with_it(make_torch, tmp_path, capsys):
    root = make_torch(SCHEMAS)
    local = root / "torchgen/local.py"
    local.write_text(local.read_text().replace("def parametrize", "def parameterize"))
    text = refusal(root, tmp_path, capsys)
    assert "parametrize" in text and "9.8.7" in text and "Traceback" not in text


@pytest.mark.parametrize("version", ["2.14", "newest", "2.14.1; rm", "../2.14.1"])
def test_version_must_be_one(version):
    with pytest.raises(AtenError, match=r"expected X\.Y\.Z"):
        fetch_line(version)


def test_version_that_nobody_publishes_is_refused(monkeypatch, tmp_path, fp):
    fp.register([fp.any()], returncode=1, stderr="ERROR: No matching distribution found for torch==9.9.9\nhint")
    monkeypatch.setattr("generators.aten.lines.CACHE", tmp_path)
    with pytest.raises(AtenError, match="No matching distribution found for torch"):
        fetch_line("9.9.9")
    assert [path.name for path in tmp_path.iterdir()] in ([], [".9.9.9.lock"])


def test_wheel_is_unpacked_whole_and_only_its_torchgen_and_headers(monkeypatch, tmp_path, make_torch):
    root = make_torch(SCHEMAS)
    (root / "torch/include").mkdir()
    (root / "torch/include/torch.h").touch()
    (root / "torch/lib").mkdir()
    (root / "torch/lib/huge.so").touch()
    shutil.make_archive(str(tmp_path / "torch-9.8.7"), "zip", root)

    def download(version, folder):
        assert version == "9.8.7"
        return Path(shutil.move(tmp_path / "torch-9.8.7.zip", folder / "torch-9.8.7.whl"))

    monkeypatch.setattr("generators.aten.lines.CACHE", tmp_path / "cache")
    monkeypatch.setattr("generators.aten.lines._download", download)
    line = fetch_line("9.8.7")
    assert line.name == "9.8" and (line.include / "torch.h").exists() and not (line.root / "torch/lib").exists()
    assert fetch_line("9.8.7") == line  # from the cache: there is nothing to download any more
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [".9.8.7.lock", "9.8.7"]


def test_installed_version_is_not_fetched():
    installed = installed_line()
    assert line_of(None) == line_of(installed.release) == line_of(installed.version) == installed


def test_torchgen_of_another_package_is_refused(monkeypatch, tmp_path):
    (tmp_path / "torchgen").mkdir()
    (tmp_path / "torchgen/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torchgen", raising=False)
    with pytest.raises(AtenError, match="not the one of torch"):
        installed_line()


def test_pinned_line_is_the_one_that_is_built_with():
    assert f"torch {pinned_line()} by" in (COMMITTED / "register.inc").read_text()


def test_no_compiler_is_said(monkeypatch, small, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler")
    write_sources(render_sources(small, {}), tmp_path)
    with pytest.raises(AtenError, match="compiler: no-such-compiler"):
        check_types(installed_line(), tmp_path)


# ---- the override, and how it is found


def test_override_is_read_and_written(tmp_path):
    path = tmp_path / "ops.txt"
    overrides = {"stack": "IListRef", "cat.out": "ArrayRef"}
    path.write_text(render_overrides(overrides))
    assert read_overrides(path) == overrides and path.read_text().endswith("cat.out = ArrayRef\nstack = IListRef\n")


def test_mistakes_in_the_override_are_named_with_their_lines(tmp_path):
    path = tmp_path / "ops.txt"
    path.write_text("# comment\ncat\nstack = ArrayReff\nhstack = ArrayRef\nhstack = IListRef\n = ArrayRef\n")
    with pytest.raises(AtenError) as error:
        read_overrides(path)
    assert [text.removeprefix(f"{path}:") for text in str(error.value).splitlines()] == [
        "2: expected 'operator.overload = spelling', found 'cat'",
        "3: unknown spelling 'ArrayReff'; did you mean 'ArrayRef'?",
        "5: hstack is given twice",
        "6: expected 'operator.overload = spelling', found '= ArrayRef'",
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("joint", r"has no operator 'joint'; did you mean 'joined'\?"),
        ("own", "own takes no list of tensors"),
        ("zzzzz", "has no operator 'zzzzz'; delete the line"),
    ],
)
def test_override_of_what_takes_no_list_is_refused(name, told, small):
    with pytest.raises(AtenError, match=told):
        apply_overrides(small, {name: "ArrayRef"}, small.operators)


def test_override_wrong_for_every_list_operator_converges_in_two_attempts(catalogue, tmp_path):
    other = {"ArrayRef": "IListRef", "IListRef": "ArrayRef"}
    wrong = {name: other[operator.spelling] for name, operator in catalogue.lists.items()}
    outcome = find_overrides(installed_line(), catalogue, wrong, tmp_path)
    assert outcome.converged and outcome.candidate == {} and len(outcome.steps) == 2
    assert set(outcome.steps[0].faults) == set(wrong)
    properties = outcome.properties()
    assert properties["attempt 1"].startswith(f"{len(wrong)} faults (") and properties["attempt 2"] == "no fault"


def test_import_is_a_further_part_of_an_attempt(catalogue, tmp_path, monkeypatch):
    """Of a kernel spelled by hand only the import tells; here torchgen itself is taken to be wrong about `cat`."""
    from generators.aten.faults import WrongType

    monkeypatch.setattr("generators.aten.spelling.check_types", lambda *_: [])
    texts = []

    def build_and_import(folder):
        texts.append((folder / "ops.h").read_text())
        if "using cat = at::Tensor (at::TensorList, int64_t);" in texts[-1]:
            return []
        return [WrongType("cat", "…", "…", "ArrayRef", ("PrivateUse1", "Batched"))]

    outcome = find_overrides(installed_line(), catalogue, {}, tmp_path, build_and_import)
    assert outcome.converged and outcome.candidate == {"cat": "ArrayRef"} and len(texts) == 2


HAND_SPELLED = """
#include <torch/library.h>

#include <iostream>

#include "ops.h"

template <typename Type>
struct Kernel;
template <typename Result, typename... Arguments>
struct Kernel<Result(Arguments...)> {
  static Result call(Arguments...) { TORCH_CHECK(false, "never called"); }
};

template <typename Type>
void add(torch::Library& library, const char* name) {
  try {
    library.impl(name, &Kernel<Type>::call);
  } catch (const c10::Error& error) {
    std::cerr << error.what() << std::endl;
  }
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add<flagos::ops::cat>(library, "cat");
  add<flagos::ops::stack>(library, "stack");
  add<flagos::ops::_foreach_add__Scalar>(library, "_foreach_add_.Scalar");
}
"""


def test_kernels_spelled_by_hand_converge_by_what_the_import_says(catalogue, tmp_path, monkeypatch):
    """For real: a library is built with the spelling under trial and imported, and the dispatcher names all that are wrong.
    The compile that would have found them first is taken away."""
    monkeypatch.setattr("generators.aten.spelling.check_types", lambda *_: [])
    torch, builds = installed_line().root / "torch", []
    environment = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

    def build_and_import(folder):
        library = tmp_path / f"kernels_{len(builds)}.so"
        builds.append(library)
        command = [*compiler(), "-std=c++20", "-w", "-shared", "-fPIC", "-x", "c++", "-", f"-I{folder}"]
        command += [f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include", "-o", str(library)]
        command += ["-Wl,--no-as-needed", f"-L{torch}/lib", "-ltorch_cpu", "-lc10"]
        subprocess.run(command, input=HAND_SPELLED, text=True, check=True)
        program = f"import torch, ctypes; ctypes.CDLL({str(library)!r})"
        return wrong_types_of_import([sys.executable, "-c", program], environment)

    wrong = {"cat": "ArrayRef", "stack": "IListRef", "_foreach_add_.Scalar": "IListRef"}
    outcome = find_overrides(installed_line(), catalogue, wrong, tmp_path / "generated", build_and_import)
    assert outcome.converged and outcome.candidate == {} and len(builds) == 2
    assert set(outcome.steps[0].faults) == set(wrong)
    assert outcome.properties()["attempt 1"].endswith("; spelled 2 as ArrayRef and 1 as IListRef")


def test_fault_that_is_no_spelling_is_left_to_people(catalogue):
    from generators.aten.faults import WrongType

    with pytest.raises(Stuck, match="cat: no spelling of a list makes its type right; given int, expected long"):
        amend_overrides(catalogue, {}, [WrongType("cat", "int", "long", "")])
    with pytest.raises(Stuck, match="cat is spelled IListRef already"):
        amend_overrides(catalogue, {}, [WrongType("cat", "a", "b", "IListRef")])


def test_another_error_than_a_type_is_not_taken_for_one(small, tmp_path):
    """These operators exist in no torch: PyTorch's headers do not declare them."""
    write_sources(render_sources(small, {}), tmp_path)
    with pytest.raises(AtenError, match=r"(?s)does not compile.*'own' is not a member of 'at::_ops'"):
        check_types(installed_line(), tmp_path)


# ---- comparing lines

NEWER = SCHEMAS.replace("- func: own(Tensor self)", "- func: own(Tensor self, int n=1)").replace(
    """- func: joined(Tensor[] tensors, SymInt size) -> Tensor
  dispatch:
    CUDA: joined
""",
    """- func: joined(Tensor[] tensors, int size) -> Tensor
  structured_delegate: joined.out
- func: joined.out(Tensor[] tensors, int size, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CUDA: joined
""",
)
NEWER = NEWER.replace("    CPU: processor_only", "    CPU, CUDA: processor_only")
NEWER = NEWER.replace("- func: composite(Tensor self) -> Tensor\n", "")


def test_lines_are_compared_by_name_schema_spelling_and_rule(small, make_torch):
    newer = read_catalogue(line_at(make_torch(NEWER, "9.9.0")))
    since = compare(small, newer)
    assert set(since["added"]) == {"joined.out"} and set(since["removed"]) == {"composite"}
    assert set(since["changed"]) == {"joined", "own"} and since["changed"]["own"]["routable"]
    assert since["respelled"] == {"joined": "ArrayRef to IListRef"} and since["SymInt"] == ["joined"]
    assert since["newly routable"] == ["processor_only"] and since["no longer routable"] == []
    facts = survey(newer, small)
    assert facts["torch"] == "9.9.0" and facts["since"]["torch"] == "9.8.7" and facts["routable"] == 6
    assert _touched(facts, {"joined": "a.cc", "seen": "b.cc"}) == {"joined": "a.cc"}
