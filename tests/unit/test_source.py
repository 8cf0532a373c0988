"""Which commit, and is it that commit: from git, or from a commit and a manifest."""

import hashlib
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from generators import source


def manifest(tmp_path, *names):
    lines = "".join(f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    path = tmp_path / "manifest.txt"
    path.write_text(lines)
    return path


def test_git_names_the_commit(monkeypatch):
    monkeypatch.delenv("FLAGOS_SOURCE_COMMIT", raising=False)
    answers = {"status": " M a.py\n?? b.py\n", "rev-parse": "f" * 40 + "\n"}
    monkeypatch.setattr(source, "_git", lambda *arguments: answers[arguments[0]])
    found = source.identify_source()
    assert found == source.Source("f" * 40, ("a.py", "b.py"))
    assert str(found) == "f" * 12 + " (modified)"


def test_without_git_and_without_variables_nothing_is_known(monkeypatch):
    monkeypatch.delenv("FLAGOS_SOURCE_COMMIT", raising=False)
    monkeypatch.setattr(source, "_git", lambda *arguments: None)
    assert source.identify_source().commit == "unknown"
    assert source.identify_source().dirty


def test_evidence_of_another_suite_is_no_change(repository, monkeypatch):
    recorded = repository.folder / "docs/vendors/toy/evidence/runtime.json"
    recorded.parent.mkdir(parents=True)
    recorded.write_text("{}")
    assert source.identify_source().dirty == ()
    (repository.folder / "docs/vendors/toy/vendor.yaml").write_text("vendor: toy")
    assert source.identify_source().dirty == ("docs/vendors/toy/vendor.yaml",)


def test_manifest_is_checked_file_by_file(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "ROOT", tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(name)
    monkeypatch.setenv("FLAGOS_SOURCE_COMMIT", "c" * 40)
    monkeypatch.setenv("FLAGOS_SOURCE_MANIFEST", str(manifest(tmp_path, "a.py", "b.py")))
    assert source.identify_source() == source.Source("c" * 40, ())
    (tmp_path / "a.py").write_text("changed")
    (tmp_path / "b.py").unlink()
    assert source.identify_source().dirty == ("a.py", "b.py")


def test_commit_without_manifest_is_not_clean(monkeypatch, tmp_path):
    monkeypatch.setenv("FLAGOS_SOURCE_COMMIT", "c" * 40)
    monkeypatch.delenv("FLAGOS_SOURCE_MANIFEST", raising=False)
    assert source.identify_source().dirty
    monkeypatch.setenv("FLAGOS_SOURCE_MANIFEST", str(tmp_path / "none"))
    assert "no such manifest" in source.identify_source().dirty[0]


def test_manifest_of_a_modified_tree_is_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(source, "identify_source", lambda: source.Source("c" * 40, ("a.py",)))
    assert source.main(["--manifest", str(tmp_path / "m")]) == 1
    assert "a.py" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "text, reason", [("", "manifest.txt: lists no file"), ("no two columns\n", "no two columns"), ("\n", "")]
)
def test_manifest_that_lists_nothing_proves_nothing(tmp_path, monkeypatch, text, reason):
    monkeypatch.setattr(source, "ROOT", tmp_path)
    (tmp_path / "manifest.txt").write_text(text)
    monkeypatch.setenv("FLAGOS_SOURCE_COMMIT", "c" * 40)
    monkeypatch.setenv("FLAGOS_SOURCE_MANIFEST", str(tmp_path / "manifest.txt"))
    dirty = source.identify_source().dirty
    assert len(dirty) == 1
    assert dirty[0].endswith(reason)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit; ROOT is its folder."""

    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    for name in ("FLAGOS_SOURCE_COMMIT", "FLAGOS_SOURCE_MANIFEST", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git("init", "-q")
    (tmp_path / ".gitignore").write_text("/build/\n")
    (tmp_path / "a.py").write_text("a\n")
    (tmp_path / "ü.py").write_text("u\n")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    monkeypatch.setattr(source, "ROOT", tmp_path)
    return SimpleNamespace(folder=tmp_path, git=git, head=git("rev-parse", "HEAD"))


def test_a_clean_commit_and_what_differs_from_it(repository):
    assert source.identify_source() == source.Source(repository.head, ())
    assert str(source.identify_source()) == repository.head[:12]
    (repository.folder / "a.py").write_text("changed\n")
    (repository.folder / "new.py").write_text("new\n")
    assert source.identify_source() == source.Source(repository.head, ("a.py", "new.py"))


def test_a_copy_is_checked_against_the_manifest_of_its_origin(repository, tmp_path_factory, monkeypatch, capsys):
    assert source.main(["--manifest", str(repository.folder / "build/manifest.txt")]) == 0
    assert capsys.readouterr().out == f"{repository.head[:12]}\n"
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(repository.folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    monkeypatch.setattr(source, "ROOT", copy)
    monkeypatch.setenv("FLAGOS_SOURCE_COMMIT", repository.head)
    monkeypatch.setenv("FLAGOS_SOURCE_MANIFEST", str(copy / "build/manifest.txt"))
    assert source.identify_source() == source.Source(repository.head, ())
    for name in (".gitignore", "a.py", "ü.py"):
        before = (copy / name).read_text()
        (copy / name).write_text("changed\n")
        assert source.identify_source() == source.Source(repository.head, (name,))
        (copy / name).write_text(before)


def test_files_that_only_lie_in_another_repository_have_no_commit(repository, monkeypatch):
    inner = repository.folder / "build/unpacked"
    inner.mkdir(parents=True)
    monkeypatch.setattr(source, "ROOT", inner)
    assert source.identify_source().commit == "unknown"
    assert source.identify_source().dirty


def test_manifest_without_git_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(source, "ROOT", tmp_path)
    monkeypatch.delenv("FLAGOS_SOURCE_COMMIT", raising=False)
    assert source.main(["--manifest", str(tmp_path / "m")]) == 1
    assert "ERROR: the checkout is not a clean commit" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_file_is_committed_as_the_manifest_has_it(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "ROOT", tmp_path)
    (tmp_path / "a.yaml").write_text("a")
    monkeypatch.setenv("FLAGOS_SOURCE_COMMIT", "c" * 40)
    monkeypatch.setenv("FLAGOS_SOURCE_MANIFEST", str(manifest(tmp_path, "a.yaml")))
    assert source.why_uncommitted(tmp_path / "a.yaml") == ""
    (tmp_path / "a.yaml").write_text("b")
    assert "is not as" in source.why_uncommitted(tmp_path / "a.yaml")


def test_file_that_is_not_there_is_not_committed(tmp_path, monkeypatch):
    monkeypatch.delenv("FLAGOS_SOURCE_COMMIT", raising=False)
    assert source.why_uncommitted(tmp_path / "none.yaml") == "no such file"
