"""An environment for another torch: made once, whole or not at all, with a copy of the checkout; and runs go there."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from generators.aten import AtenError, environments
from generators.aten.environments import (
    bring_back,
    contents,
    copy_checkout,
    held_environment,
    make_environment,
    requirements,
    source_files,
)
from generators.files import ROOT
from tests.unit.children import run_pytest


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small checkout with something built in it."""
    root = tmp_path / "checkout"
    for name in ("pyproject.toml", "csrc/a.cc", "torch_fl/__init__.py", ".gitignore"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text((ROOT / name).read_text() if (ROOT / name).exists() else "text")
    for name in ("build/x", "torch_fl/lib/x.so", "torch_fl/_C.cpython-311.so", ".git", "env/pyvenv.cfg", "env/lib/big"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("built")
    monkeypatch.setattr(environments, "ROOT", root)
    monkeypatch.setattr(environments, "LINES", root / "build/lines")
    return root


@pytest.fixture
def pip(checkout, monkeypatch):
    """Pretends to install: what was asked for, and what of it fails."""
    asked, failing = [], set()

    def create(folder, with_pip):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin/python").symlink_to(sys.executable)

    def run(command, **how):
        assert command[1:4] == ["-m", "pip", "install"] and how["env"]["PIP_CONSTRAINT"] == os.devnull
        asked.append(command[6])
        failed = command[6] in failing
        return subprocess.CompletedProcess(
            command, failed, "", f"WARNING: x\nERROR: no {command[6]}\n" if failed else ""
        )

    monkeypatch.setattr(environments.venv, "create", create)
    monkeypatch.setattr(environments.subprocess, "run", run)
    return asked, failing


def test_environment_is_made_once_with_the_cpu_build_where_there_is_one(pip, checkout):
    asked, _ = pip
    environment = make_environment("9.9.9")
    assert asked == ["torch==9.9.9+cpu", requirements()[0]]
    assert environment.python.exists() and (environment.tree / "csrc/a.cc").exists()
    (checkout / "csrc/a.cc").write_text("newer")
    assert make_environment("9.9.9") == environment and len(asked) == 2
    assert (environment.tree / "csrc/a.cc").read_text() == "newer"


def test_cuda_build_is_taken_where_there_is_no_other(pip, capsys):
    asked, failing = pip
    failing.add("torch==9.9.9+cpu")
    make_environment("9.9.9")
    assert asked[:2] == ["torch==9.9.9+cpu", "torch==9.9.9"]
    assert "no CPU build of torch 9.9.9 can be had here" in capsys.readouterr().out


@pytest.mark.parametrize("broken", ["torch==9.9.9", requirements()[0]])
def test_environment_that_failed_is_begun_anew(broken, pip, checkout):
    asked, failing = pip
    failing |= {"torch==9.9.9+cpu", broken}
    with pytest.raises(AtenError, match=f"cannot be installed:\n  ERROR: no {broken.replace('+', '.')}"):
        make_environment("9.9.9")
    folder = checkout / "build/lines/9.9.9"
    assert not (folder / "tree").exists()
    (folder / "venv").mkdir(parents=True, exist_ok=True)
    (folder / "venv/half").touch()
    failing.clear()
    make_environment("9.9.9")
    assert not (folder / "venv/half").exists() and asked[-2] == "torch==9.9.9+cpu"


def test_another_python_or_other_requirements_make_another_environment(pip, checkout):
    asked, _ = pip
    make_environment("9.9.9")
    text = (checkout / "pyproject.toml").read_text()
    (checkout / "pyproject.toml").write_text(text.replace('"pyyaml>=6"', '"pyyaml>=7"'))
    make_environment("9.9.9")
    assert len(asked) == 4


def test_requirements_are_all_but_torch():
    assert any(text.startswith("pytest-xdist") for text in requirements()) and "cmake>=3.25" in requirements()
    assert not [text for text in requirements() if text.startswith("torch")]


def test_what_is_built_or_kept_by_a_tool_is_no_source():
    names = {str(name) for name in source_files(ROOT)}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert {name for name in tracked if (ROOT / name).exists()} <= names
    assert not [name for name in names if name.startswith(("build/", "torch_fl/lib/")) or "__pycache__" in name]


def test_copy_follows_the_checkout_and_keeps_what_is_built(checkout, tmp_path):
    tree = tmp_path / "tree"
    copy_checkout(tree)
    names = {"pyproject.toml", "csrc/a.cc", "torch_fl/__init__.py", ".gitignore"}
    assert {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()} == names
    (tree / "torch_fl/lib").mkdir()
    (tree / "torch_fl/lib/x.so").write_text("built there")
    (tree / "csrc/gone.cc").touch()
    before = (tree / "csrc/a.cc").stat().st_mtime_ns
    os.utime(checkout / "csrc/a.cc")
    copy_checkout(tree)
    assert (tree / "csrc/a.cc").stat().st_mtime_ns == before and not (tree / "csrc/gone.cc").exists()
    assert (tree / "torch_fl/lib/x.so").read_text() == "built there"


def test_what_is_copied_is_newer_than_what_was_built(checkout, tmp_path):
    copy_checkout(tmp_path / "tree")
    (checkout / "csrc/a.cc").write_text("edited before the last build there")
    os.utime(checkout / "csrc/a.cc", (1, 1))
    copy_checkout(tmp_path / "tree")
    assert (tmp_path / "tree/csrc/a.cc").stat().st_mtime > 1


def test_what_a_run_wrote_comes_back_and_nothing_else(pip, checkout):
    environment = make_environment("9.9.9")
    before = contents(environment.tree)
    (environment.tree / "docs").mkdir()
    (environment.tree / "docs/new.json").write_text("recorded")
    (environment.tree / "csrc/b.o").write_text("")
    (environment.tree / "csrc/b.o").unlink()
    (checkout / "csrc/a.cc").write_text("edited meanwhile")
    assert bring_back(environment, before) == [Path("docs/new.json")]
    assert (checkout / "docs/new.json").read_text() == "recorded"
    assert (checkout / "csrc/a.cc").read_text() == "edited meanwhile"


def test_second_run_waits_for_the_first(pip, checkout, capsys):
    tree, ended = checkout / "build/lines/9.9.9/tree", []

    def second():
        with held_environment("9.9.9"):
            ended.append(set(contents(tree)))

    thread = threading.Thread(target=second)
    with held_environment("9.9.9") as environment:
        before = contents(tree)
        (checkout / "csrc/a.cc").write_text("edited meanwhile")
        thread.start()
        while thread.is_alive() and "another run has the environment" not in capsys.readouterr().out:
            thread.join(0.01)
        assert thread.is_alive() and bring_back(environment, before) == []
    thread.join()
    assert ended and (tree / "csrc/a.cc").read_text() == "edited meanwhile"


# ---- the option

PRINTS = """\
#!/bin/sh
echo "in $PWD"
echo "with $@"
echo "commit $FLAGOS_SOURCE_COMMIT path [$PYTHONPATH]"
exit 5
"""


@pytest.fixture
def prepared():
    """An environment that looks made, of a version that nobody publishes, whose Python only says how it is started."""
    environment = environments.Environment(environments.LINES / "0.0.1")
    environment.python.parent.mkdir(parents=True, exist_ok=True)
    environment.python.write_text(PRINTS)
    environment.python.chmod(0o755)
    environments.mark_ready(environment, "0.0.1")
    yield environment
    environments.shutil.rmtree(environment.folder)


def test_run_goes_to_the_environment_of_the_line(prepared):
    path = str(ROOT / "gates/version_port/test_import.py")
    words = [path, "-q", "--torch", "0.0.1", "--junitxml=j.xml"]
    run = run_pytest(*words, cwd=ROOT / "gates", PYTHONPATH=str(ROOT))
    assert run.status == 5, run.output
    assert f"in {prepared.tree}/gates\n" in run.output and "path []" in run.output
    assert f"with -m pytest {prepared.tree}/gates/version_port/test_import.py -q --torch 0.0.1" in run.output
    assert f"--junitxml={ROOT}/gates/j.xml" in run.output


def test_version_that_is_none_is_refused():
    run = run_pytest("-m", "version_port", "--torch", "2.14")
    assert run.status == 4 and "'2.14' is no version of torch; expected X.Y.Z" in run.output


def test_installed_version_runs_here():
    from generators.aten.lines import installed_line

    run = run_pytest("-m", "version_port", "--torch", installed_line().release, "--collect-only", "-q")
    assert run.status == 0 and "test_torch_is_the_cpu_build" in run.output
