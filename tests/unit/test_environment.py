"""What is installed: the pins that the project relies on."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import hypothesis
import pytest
import torchgen
from packaging.version import Version

from generators.files import write_if_changed


def test_torch_is_the_pinned_cpu_build():
    assert version("torch").startswith("2.13.")
    assert version("torch").endswith("+cpu")


def test_torchgen_is_torch_s_own():
    with pytest.raises(PackageNotFoundError):
        version("torchgen")
    assert (Path(torchgen.__file__).parent.parent / "torch/version.py").is_file()


def test_pytest_is_one_that_keeps_xdist_groups():
    assert Version("9.0") <= Version(pytest.__version__) < Version("9.2")


def test_hypothesis_profile_has_no_deadline_and_no_chance():
    assert hypothesis.settings.default.deadline is None
    assert hypothesis.settings.default.derandomize
    assert hypothesis.settings.default.database is None


def test_unchanged_files_keep_their_time(tmp_path):
    path = tmp_path / "deep/file.txt"
    assert write_if_changed(path, "text")
    before = path.stat().st_mtime_ns
    assert not write_if_changed(path, "text")
    assert path.stat().st_mtime_ns == before
    assert write_if_changed(path, "other")
    assert path.read_text() == "other"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    write_if_changed(path, "old")

    def full(self, text, encoding):
        with self.open("w") as file:
            file.write(text[:1])
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space"):
        write_if_changed(path, "new")
    assert path.read_text() == "old"
