"""Descriptors and SDKs: every mistake is named, with its place and the remedy."""

import platform
import re
import subprocess
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.files import ROOT
from generators.vendor import (
    Vendor,
    VendorError,
    find_sdk,
    hardware_of,
    known_vendors,
    load_vendor,
    read_descriptor,
    simulation_of,
    wrong_architecture,
)

MACHINE = {"x86_64": 62, "aarch64": 183}.get(platform.machine(), 62)  # as ELF numbers them
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


def sdk_at(root, machine=MACHINE):
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


MISTAKES = [
    (GOOD + "titel: x\n", [":10: titel: unknown key; did you mean 'title'?"]),
    (GOOD + "vendor: toy\n", [":10: vendor: given twice (first on line 1)"]),
    (
        GOOD.replace("simulated: false", "simulated: perhaps"),
        [":3: simulated: expected true or false, found 'perhaps'"],
    ),
    (GOOD.replace("[toy/runtime.h]", "toy/runtime.h"), [":8: sdk.headers: expected a list of strings"]),
    (GOOD.replace("  library: libtoy.so\n", ""), [":5: sdk: the key 'library' is missing"]),
    (GOOD.replace("[toy/runtime.h]", "[]"), [":5: sdk: the key 'headers' is missing or empty"]),
    (GOOD.replace("libtoy.so", "''"), [":5: sdk: the key 'library' is missing or empty"]),
    (GOOD.replace("libtoy.so", "/usr/lib/libtoy.so"), [":5: sdk: '/usr/lib/libtoy.so' must be a name below"]),
    (GOOD.replace("libtoy.so", "lib*.so"), [":5: sdk: 'lib*.so' must be a name below"]),
    (GOOD.replace("[toy/runtime.h]", "[../toy.h]"), [":5: sdk: '../toy.h' must be a name below"]),
    (GOOD.replace("PLACE", '"{home}/toy"'), [":5: sdk: places: '{home}/toy': the only placeholder is {purelib}"]),
    (GOOD.replace("PLACE", '"toy{"'), [":5: sdk: places: 'toy{': the only placeholder"]),
    (
        "# a comment\n" + GOOD.replace("vendor: toy", "vendor: tom"),
        [":2: vendor: 'tom' lies in a folder named 'toy'"],
    ),
    (GOOD + "sdk: none\n", [":10: sdk: given twice (first on line 4)"]),
    (GOOD.replace("Toy runtime", "[Toy]"), [":2: title: expected a string, found a list"]),
    (GOOD.replace("Toy runtime", "!!str [Toy]"), [":2: title: expected a string, found a list"]),
    (GOOD.replace("false", "!!bool maybe"), [":3: simulated: expected true or false, found 'maybe'"]),
    (GOOD.replace("Toy runtime", "!secret x"), [":2: title: expected a string, found 'x'"]),
    ("!!set {vendor: , title: }\n", [":1: the descriptor: expected keys"]),
    ("hello\n", [":1: expected keys such as 'vendor:', found 'hello'"]),
    ("# nothing\n", [":1: expected keys such as 'vendor:', found nothing"]),
    (GOOD + "? [a, b]\n: c\n", [":10: the descriptor: a key must be a word, found a list"]),
    (GOOD + "1: c\n", [":10: the descriptor: a key must be a word, found '1'"]),
    (GOOD + "<<: {gaps: []}\n", [":10: the descriptor: a key must be a word, found '<<'"]),
    (GOOD + "hardware: {a: b}\n", [":10: hardware: expected a list of strings"]),
    (GOOD + "hardware: [nvidia-smi, 5]\n", [":10: hardware: expected a list of strings"]),
    (GOOD + "gaps: [text]\n", [":10: gaps[0]: expected keys (kind, gate, capability, reason, consequence)"]),
    (GOOD + "gaps: &gaps [*gaps]\n", [":10: gaps[0]: expected keys"]),
    (GOOD + "---\nvendor: toy\n", [":10: not valid YAML: but found another document"]),
    (GOOD + "a: \0\n", [":10: not valid YAML: special characters are not allowed"]),
    ("[" * 5000, [":1: not valid YAML"]),
    (
        GOOD + "gaps:\n  - {kind: unsupported, gate: a, capability: event_timing, reason: b, consequence: c}\n",
        [":11: gaps: give one of 'gate' and 'capability'"],
    ),
    (
        GOOD + "gaps:\n  - {kind: unsupported, gate: '', reason: b, consequence: c}\n",
        [":11: gaps: give one of 'gate' and 'capability'"],
    ),
    (GOOD + "gaps:\n  - {knd: unsupported, gate: a}\n", [":11: gaps[0].knd: unknown key; did you mean 'kind'?"]),
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
        GOOD + "gaps:\n  - {kind: unsupported, gate: runtime.memory.nosuch_at_all_here, reason: b, consequence: c}\n",
        [":11: gaps: no gate has the id 'runtime.memory.nosuch_at_all_here'; ", "see docs/gates.md"],
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
    ("vendor: toy\ntitle: [\n", [":3: not valid YAML: expected the node content"]),
    (
        "vendor: 3\ntitle: 4\nsimulated: 5\nx: 6\n",
        [":1: vendor:", ":2: title:", ":3: simulated:", ":4: x: unknown key"],
    ),
]


@pytest.mark.parametrize("text, messages", MISTAKES, ids=[f"{i}-{m[0][:40]}" for i, (_, m) in enumerate(MISTAKES)])
def test_every_mistake_is_named_with_its_line(tmp_path, text, messages):
    path = write(tmp_path, text)
    with pytest.raises(VendorError) as caught:
        read_descriptor(path)
    for message in messages:
        assert message in str(caught.value)
    assert all(re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in str(caught.value).splitlines())


@given(st.one_of(st.text(), st.binary().map(lambda b: b.decode("latin-1"))))
def test_any_text_is_a_descriptor_or_a_clear_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "vendor.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        assert isinstance(read_descriptor(path), Vendor)
    except VendorError as error:
        assert "vendor.yaml" in str(error)


def test_a_binary_file_is_named_with_its_line(tmp_path):
    path = write(tmp_path, "")
    path.write_bytes(b"vendor: toy\ntitle: \xff\xfe\n")
    with pytest.raises(VendorError, match=rf"^{path}:2: not valid YAML: invalid start byte$"):
        read_descriptor(path)


# Texts that are nearly a descriptor reach what noise does not.
WORDS = [
    "vendor: ",
    "title: ",
    "simulated: ",
    "sdk: ",
    "gaps: ",
    "hardware: ",
    "kind: ",
    "toy",
    "true",
    "!!bool ",
    "!!str ",
]
WORDS += [
    "\n",
    "\n  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "? ",
    ": ",
    "<<: ",
    "'",
    "''",
    "5",
    "~",
    "|",
    "\t",
    "---\n",
    "\0",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25).map("".join))
def test_any_near_descriptor_is_one_or_a_clear_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("near") / "vendor.yaml"
    path.write_text(text)
    try:
        assert isinstance(read_descriptor(path), Vendor)
    except VendorError as error:
        assert all(re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in str(error).splitlines())


def test_the_known_vendors_are_named(tmp_path):
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace("toy", "tom"), name="tom")
    with pytest.raises(
        VendorError,
        match=r"no vendor 'tim' in \S+/vendors/: known are tom, toy \(did you mean 'tom'\?\)\n.*--vendor tim .*--recon",
    ):
        load_vendor("tim", tmp_path / "vendors")
    with pytest.raises(VendorError, match="known are tom, toy"):
        load_vendor("../vendors/toy", tmp_path / "vendors")


def test_a_folder_without_a_descriptor_is_no_vendor(tmp_path):
    (tmp_path / "vendors/empty").mkdir(parents=True)
    assert known_vendors(tmp_path / "vendors") == []


@pytest.mark.parametrize("name, message", [("kuda", "did you mean 'cuda'"), ("nothing", "known are"), ("xpu", "Intel")])
def test_unknown_and_refused_vendors(name, message):
    with pytest.raises(VendorError, match=message):
        load_vendor(name)


def test_gap_is_found_by_gate_and_by_capability(tmp_path):
    text = GOOD + "gaps:\n  - {kind: unsupported, capability: event_timing, reason: r, consequence: c}\n"
    text += "  - {kind: expected_failure, gate: runtime.memory.alignment, reason: r, consequence: c}\n"
    vendor = read_descriptor(write(tmp_path, text))
    assert vendor.gap_for("runtime.x", ("event_timing",)).kind == "unsupported"
    assert vendor.gap_for("runtime.memory.alignment", ()).where.endswith(":12")
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
    assert found.path == tmp_path / "option"
    assert found.include == tmp_path / "option/include"


def test_library_is_found_by_its_name_in_another_release(toy, tmp_path):
    other = replace(toy, sdk=replace(toy.sdk, library="libnew.so", also_named=(toy.sdk.library,)))
    sdk_at(tmp_path / "usual")
    assert find_sdk(other).library == find_sdk(toy).library
    nowhere = replace(other, sdk=replace(other.sdk, also_named=("libold.so",)))
    with pytest.raises(VendorError, match=r"library libnew\.so or libold\.so not found"):
        find_sdk(nowhere)


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


def test_of_libraries_for_several_machines_the_fitting_one_is_taken(toy, tmp_path):
    root = sdk_at(tmp_path / "both", machine=22)
    right = elf(root / "lib64/libtoy.so", MACHINE)
    assert find_sdk(toy, root).library == right


def test_functions_may_come_from_several_libraries(tmp_path):
    text = GOOD.replace("PLACE", str(tmp_path)).replace("libtoy.so", "libtoy.so\n  more_libraries: [libtoydriver.so]")
    toy, root = read_descriptor(write(tmp_path, text)), sdk_at(tmp_path / "sdk")
    with pytest.raises(VendorError, match=r"library libtoydriver\.so not found in"):
        find_sdk(toy, root)
    driver = elf(root / "driver/lib/libtoydriver.so", MACHINE)
    assert find_sdk(toy, root).libraries == [root / "lib/libtoy.so.1.2.3", driver]


@pytest.mark.parametrize("layout", ["{}", "targets/x86_64-linux/{}", "{}/x86_64-linux-gnu", "runtime/{}"])
def test_layouts_of_sdks(toy, tmp_path, layout):
    header = tmp_path / "sdk" / layout.format("include") / "toy/runtime.h"
    header.parent.mkdir(parents=True)
    header.write_text("")
    library = elf(tmp_path / "sdk" / layout.format("lib64") / "libtoy.so", MACHINE)
    found = find_sdk(toy, tmp_path / "sdk")
    assert (found.include / "toy/runtime.h", found.library) == (header, library)


def test_a_relative_path_still_holds_in_the_directory_of_the_build(toy, tmp_path, monkeypatch):
    sdk_at(tmp_path / "relative")
    monkeypatch.chdir(tmp_path)
    found = find_sdk(toy, Path("relative"))
    assert found.path.is_absolute() and found.include.is_absolute() and found.library.is_absolute()
    monkeypatch.setenv("TOY_HOME", "./relative")
    assert find_sdk(toy).library.is_absolute()


def test_an_empty_variable_is_as_good_as_none(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_HOME", "")
    with pytest.raises(VendorError, match=r"set \$TOY_HOME") as caught:
        find_sdk(toy)
    assert "($TOY_HOME)" not in str(caught.value)


def test_a_place_may_be_where_python_packages_are(tmp_path, monkeypatch):
    sdk_at(tmp_path / "site/toy_wheel")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "site"))
    toy = read_descriptor(write(tmp_path, GOOD.replace("PLACE", '"{purelib}/toy_wheel"')))
    assert find_sdk(toy).path == tmp_path / "site/toy_wheel"


# ---- hardware


def with_command(*command):
    return Vendor("toy", "Toy runtime", True, False, Path("vendor.yaml"), hardware=command)


def test_hardware_is_what_the_command_prints(fp):
    fp.register(["toy-smi", "-L"], stdout="toy one, driver 7\n\n  toy two, driver 7\n")
    assert hardware_of(with_command("toy-smi", "-L")) == "toy one, driver 7; toy two, driver 7"


def test_hardware_is_unknown_where_the_command_fails(fp):
    fp.allow_unregistered(True)
    fp.register(["toy-smi"], returncode=9)
    assert hardware_of(with_command("toy-smi")) == "unknown (toy-smi: CalledProcessError)"
    assert hardware_of(with_command("/nonexistent/smi")) == "unknown (/nonexistent/smi: FileNotFoundError)"
    assert hardware_of(with_command()).startswith("Toy runtime on ")


def test_sdk_path_for_a_vendor_without_sdk_is_refused(tmp_path):
    with pytest.raises(VendorError, match="needs no SDK"):
        find_sdk(load_vendor("host"), tmp_path)


def test_simulated_sdk_is_known_by_its_library_and_by_what_links_it(tmp_path):
    compile_library = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o"]
    simulated = tmp_path / "libsim.so"
    section = f'#include "{ROOT}/tests/sdks/simulated.h"\nint sim(void) {{ return 0; }}\n'
    subprocess.run([*compile_library, simulated], input=section, text=True, check=True)
    real = tmp_path / "libreal.so"
    subprocess.run([*compile_library, real], input="int real(void) { return 0; }\n", text=True, check=True)
    words = "simulated SDK: no evidence for hardware"
    assert (simulation_of(simulated), simulation_of(real)) == (words, "")
    for name, linked in (("sim", words), ("real", "")):
        runtime = tmp_path / f"libruntime_{name}.so"
        code = f"int {name}(void); int use(void) {{ return {name}(); }}\n"
        link = [f"-L{tmp_path}", f"-l{name}", f"-Wl,-rpath,{tmp_path}"]
        subprocess.run([*compile_library, runtime, *link], input=code, text=True, check=True)
        assert simulation_of(runtime) == linked
