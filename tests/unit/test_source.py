"""Which commit, and is it that commit: from git, or from a commit and a manifest."""

import hashlib

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
