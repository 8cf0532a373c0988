"""Descriptors and SDKs: every mistake is named, with its place and the remedy."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.files import ROOT
from generators.vendor import (
    Vendor,
    VendorError,
    find_sdk,
    known_vendors,
    load_vendor,
    read_descriptor,
    wrong_architecture,
)

GOOD = """\
vendor: toy
title: Toy runtime
simulated: false
sdk:
  name: Toy SDK
  environment: [TOY_HOME]
  places: [PLACE]
  headers: [toy/runtime.h]
  library: libtoy.so
"""


def write(tmp_path, text, name="toy"):
    path = tmp_path / "vendors" / name / "vendor.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def elf(path, machine):
    """The smallest file that an ELF reader takes for a 64-bit library of that machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    rest = [
        (3, 2),
        (machine, 2),
        (1, 4),
        (0, 8),
        (64, 8),
        (0, 8),
        (0, 4),
        (64, 2),
        (56, 2),
        (0, 2),
        (64, 2),
        (0, 2),
        (0, 2),
    ]
    path.write_bytes(ident + b"".join(value.to_bytes(size, "little") for value, size in rest))
    return path


def sdk_at(root, machine=62):
    (root / "include/toy").mkdir(parents=True)
    (root / "include/toy/runtime.h").write_text("")
    elf(root / "lib/libtoy.so.1.2.3", machine)
    return root


# ---- descriptors


def test_the_tree_s_own_descriptors_are_valid():
    assert {"host", "cuda"} <= set(known_vendors())
    assert [load_vendor(name).name for name in known_vendors()] == known_vendors()
    assert load_vendor("host").simulated and load_vendor("host").sdk is None


def test_a_vendor_is_added_by_writing_a_file(tmp_path):
    write(tmp_path, GOOD)
    assert known_vendors(tmp_path / "vendors") == ["toy"]
    vendor = load_vendor("toy", tmp_path / "vendors")
    assert vendor.sdk.headers == ("toy/runtime.h",)
    assert vendor.sources == ROOT / "csrc/runtime/accelerator/toy"


@pytest.mark.parametrize(
    "text, messages",
    [
        (GOOD + "titel: x\n", [":10: titel: unknown key; did you mean 'title'?"]),
        (GOOD + "vendor: toy\n", [":10: vendor: given twice (first on line 1)"]),
        (
            GOOD.replace("simulated: false", "simulated: perhaps"),
            [":3: simulated: expected true or false, found 'perhaps'"],
        ),
        (GOOD.replace("[toy/runtime.h]", "toy/runtime.h"), [":8: sdk.headers: expected a list of strings"]),
        (GOOD.replace("  library: libtoy.so\n", ""), [": sdk: the key 'library' is missing"]),
        (GOOD.replace("vendor: toy", "vendor: tom"), [": vendor: 'tom' lies in a folder named 'toy'"]),
        (GOOD.replace("title: Toy runtime\n", ""), [":1: the key 'title' is missing"]),
        (GOOD + "gaps: none\n", [":10: gaps: expected a list"]),
        (
            GOOD + "gaps:\n  - {kind: never, gate: a, reason: b, consequence: c}\n",
            [":11: gaps: kind 'never' is unknown; known are"],
        ),
        (
            GOOD + "gaps:\n  - {kind: unsupported, reason: b, consequence: c}\n",
            [":11: gaps: give one of 'gate' and 'capability'"],
        ),
        (
            GOOD + "gaps:\n  - {kind: unsupported, capability: speed, reason: b, consequence: c}\n",
            [":11: gaps: capability 'speed' is unknown; known are event_timing"],
        ),
        (
            GOOD + "gaps:\n  - {kind: unsupported, gate: a}\n",
            ["the key 'reason' is missing", "the key 'consequence' is missing"],
        ),
        ("", [":1: expected keys"]),
        ("- a\n", [":1: expected keys"]),
        ("vendor: [\n", ["not valid YAML"]),
        (
            "vendor: 3\ntitle: 4\nsimulated: 5\nx: 6\n",
            [":1: vendor:", ":2: title:", ":3: simulated:", ":4: x: unknown key"],
        ),
    ],
)
def test_every_mistake_is_named_with_its_line(tmp_path, text, messages):
    path = write(tmp_path, text)
    with pytest.raises(VendorError) as caught:
        read_descriptor(path)
    for message in messages:
        assert message in str(caught.value)
        assert str(path) in str(caught.value)


@given(st.one_of(st.text(), st.binary().map(lambda b: b.decode("latin-1"))))
def test_any_text_is_a_descriptor_or_a_clear_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "vendor.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        assert isinstance(read_descriptor(path), Vendor)
    except VendorError as error:
        assert "vendor.yaml" in str(error)


@pytest.mark.parametrize("name, message", [("kuda", "did you mean 'cuda'"), ("nothing", "known are"), ("xpu", "Intel")])
def test_unknown_and_refused_vendors(name, message):
    with pytest.raises(VendorError, match=message):
        load_vendor(name)


def test_gap_is_found_by_gate_and_by_capability(tmp_path):
    text = GOOD + "gaps:\n  - {kind: unsupported, capability: event_timing, reason: r, consequence: c}\n"
    text += "  - {kind: expected_failure, gate: runtime.a.b, reason: r, consequence: c}\n"
    vendor = read_descriptor(write(tmp_path, text))
    assert vendor.gap_for("runtime.x", ("event_timing",)).kind == "unsupported"
    assert vendor.gap_for("runtime.a.b", ()).where.endswith(":12")
    assert vendor.gap_for("runtime.x", ()) is None


# ---- SDKs


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.delenv("TOY_HOME", raising=False)
    return read_descriptor(write(tmp_path, GOOD.replace("PLACE", str(tmp_path / "usual"))))


def test_sdk_is_found_by_option_then_environment_then_usual_place(toy, tmp_path, monkeypatch):
    for name in ("usual", "variable", "option"):
        sdk_at(tmp_path / name)
    assert find_sdk(toy).path == tmp_path / "usual"
    monkeypatch.setenv("TOY_HOME", str(tmp_path / "variable"))
    assert find_sdk(toy).path == tmp_path / "variable"
    found = find_sdk(toy, tmp_path / "option")
    assert (found.path, found.version) == (tmp_path / "option", "1.2.3")
    assert found.include == tmp_path / "option/include"


def test_absent_sdk_is_one_message_with_every_place(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(VendorError) as caught:
        find_sdk(toy)
    for part in ("no Toy SDK found", "--sdk-path", str(tmp_path / "nowhere"), "$TOY_HOME", str(tmp_path / "usual")):
        assert part in str(caught.value)


def test_wrong_sdk_path_says_what_is_missing(toy, tmp_path):
    with pytest.raises(VendorError, match="no such directory"):
        find_sdk(toy, tmp_path / "nowhere")
    root = tmp_path / "partial"
    root.mkdir()
    with pytest.raises(VendorError, match=r"toy/runtime\.h not found"):
        find_sdk(toy, root)
    (root / "include/toy").mkdir(parents=True)
    (root / "include/toy/runtime.h").write_text("")
    with pytest.raises(VendorError, match=r"library libtoy\.so not found"):
        find_sdk(toy, root)
    (root / "lib").mkdir()
    (root / "lib/libtoy.so").write_text("no library")
    with pytest.raises(VendorError, match="not an ELF"):
        find_sdk(toy, root)


def test_library_of_another_architecture_is_refused(toy, tmp_path):
    with pytest.raises(VendorError, match="is for S390, this machine is"):
        find_sdk(toy, sdk_at(tmp_path / "foreign", machine=22))
    assert "not an ELF" in wrong_architecture(tmp_path / "vendors/toy/vendor.yaml")


def test_sdk_path_for_a_vendor_without_sdk_is_refused(tmp_path):
    with pytest.raises(VendorError, match="needs no SDK"):
        find_sdk(load_vendor("host"), tmp_path)
