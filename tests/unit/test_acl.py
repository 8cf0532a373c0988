"""The headers of ACL are taken out of a wheel, once, and only by who asks for it."""

import zipfile
from pathlib import Path

import pytest

from generators.build import BuildError
from tests.sdks import acl


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Nothing fetched yet."""
    monkeypatch.setattr(acl, "SDKS", tmp_path)
    monkeypatch.setattr(acl, "PLACES", (tmp_path / acl.INSIDE,))
    return tmp_path


@pytest.fixture
def pip(monkeypatch):
    """What `pip download` would be asked; it gives a wheel with one header, and more that is not wanted."""
    commands = []

    def download(command):
        commands.append(command)
        wheel = Path(command[command.index("--dest") + 1]) / "torch_npu-2.13.0-cp311-cp311-linux_x86_64.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{acl.INSIDE}/{acl.HEADER}", 'extern "C" int aclrtDo(void);\n')
            archive.writestr("torch_npu/lib/libtorch_npu.so", "large")

    monkeypatch.setattr(acl, "run_command", download)
    return commands


def test_headers_are_fetched_once_and_nothing_else_is_kept(place, pip):
    assert acl.include() is None
    found = acl.fetch()
    assert acl.include() == found == acl.fetch()
    assert len(pip) == 1 and pip[0][-3] == f"torch-npu=={acl.VERSION}" and "--no-deps" in pip[0]
    files = [path.relative_to(place) for path in place.rglob("*") if path.is_file() and path.name != "lock"]
    assert files == [Path(acl.INSIDE) / acl.HEADER]


def test_without_headers_there_is_no_stub(place):
    with pytest.raises(BuildError, match=r"needs the headers of ACL: python -m tests\.sdks\.acl"):
        acl.stub()


def test_failed_download_leaves_nothing_and_is_told(place, monkeypatch, capsys):
    def offline(command):
        raise BuildError("pip: no network")

    monkeypatch.setattr(acl, "run_command", offline)
    assert acl.main() == 1
    assert capsys.readouterr().err == "ERROR: pip: no network\n"
    assert acl.include() is None and [path.name for path in place.iterdir()] == ["lock"]


def test_stub_is_an_sdk_with_the_headers(place, pip):
    acl.fetch()
    root = acl.stub()
    assert (root / "include" / acl.HEADER).is_file() and (root / "lib64" / acl.LIBRARY).is_file()
