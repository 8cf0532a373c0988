"""Recon on good and bad SDKs: what it writes, what it leaves alone, what it says."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from generators.contract import read_contract
from generators.declaration import parse_declaration
from generators.files import ROOT
from generators.map import FILE, load_map
from generators.recon import __main__ as command
from generators.recon import survey as survey_module
from generators.recon.drafting import MISSING_MEANS
from generators.recon.headers import ReconError, read_headers
from generators.recon.lexicon import MEMORY_INFO, SENSES, WORDS, words_of
from generators.recon.libraries import choose_library, read_library
from generators.recon.readings import sdk_version, status_sign
from generators.recon.roles import direction, error_of, understand
from generators.recon.survey import Request, find_headers, recon, survey
from tests.unit.children import run_pytest
from tests.unit.sdks import SHAPE, build_library, make_acme
from tests.unit.test_vendor import MACHINE, elf
from tests.unit.truths import REAL


@pytest.fixture(autouse=True)
def vendors(tmp_path, monkeypatch) -> Path:
    """Where recon writes in these tests."""
    folder = tmp_path / "vendors"
    folder.mkdir()
    monkeypatch.setattr(survey_module, "VENDORS", folder)
    return folder


@pytest.fixture
def acme(tmp_path):
    return make_acme(tmp_path / "sdk", seed=1)


def header_of(acme) -> Path:
    return acme.root / "include" / acme.header


def snapshot(root: Path) -> dict[str, tuple]:
    return {
        str(f): (f.lstat().st_mtime_ns, f.lstat().st_mode, f.read_bytes() if f.is_file() else b"")
        for f in sorted(root.rglob("*"))
    }


# ---- what it writes


def test_a_map_and_its_page_are_written_and_nothing_else(acme, tmp_path, vendors):
    before = snapshot(acme.root)
    found = recon(Request("acme", acme.root))
    assert snapshot(acme.root) == before
    assert sorted(p.relative_to(vendors).as_posix() for p in vendors.rglob("*")) == [
        "acme",
        "acme/runtime-api-map.md",
        f"acme/{FILE}",
    ]
    assert {p.name for p in tmp_path.iterdir()} == {"sdk", "vendors"}
    runtime_map = load_map(vendors / "acme" / FILE)
    assert runtime_map == found.map
    assert not runtime_map.reviewed and runtime_map.missing_slots == ()
    assert runtime_map.sdk.headers == (acme.header,)
    assert runtime_map.sdk.library == next((acme.root / "lib").iterdir()).name
    assert runtime_map.sdk.hashes == {
        str(file.relative_to(acme.root)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (header_of(acme), next((acme.root / "lib").iterdir()))
    }
    assert "Regenerate" in (vendors / "acme/runtime-api-map.md").read_text()


def test_the_map_holds_what_the_headers_say(acme, vendors):
    runtime_map = recon(Request("acme", acme.root)).map
    text = header_of(acme).read_text().splitlines()
    for name, slot in runtime_map.slots.items():
        if slot.call:
            assert slot.call.declaration.name == acme.symbols[name]
            assert [str(a) for a in slot.call.arguments] == acme.arguments[name]
            line = int(slot.source.where.rpartition(":")[2])
            assert f" {acme.symbols[name]}(" in text[line - 1]
    assert set(runtime_map.errors.values()) == {"ErrorMemoryAllocation", "ErrorInvalidDevice", "ErrorNotReady"}
    assert runtime_map.flags["StreamDefault"].endswith("StreamNonBlocking")
    assert runtime_map.flags["EventDisableTiming"].endswith("EventDisableTiming")
    assert all(constant.endswith(kind) for kind, constant in runtime_map.kinds.items())
    assert runtime_map.status["text"].startswith("const char *") and "GetLastError" in runtime_map.status["clear"]
    attributes = runtime_map.slots["PointerGetAttributes"].attributes
    assert (attributes["type"], attributes["device"], attributes["pointer"]) == ("type", "device", "devicePointer")
    assert "MallocAsync" in runtime_map.caching_reason


def test_a_second_run_changes_nothing(acme, vendors):
    recon(Request("acme", acme.root))
    before = snapshot(vendors)
    recon(Request("acme", acme.root))
    assert snapshot(vendors) == before


@contextlib.contextmanager
def unprivileged():
    """As a user who may not write what permissions forbid: root may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def foreign(monkeypatch):
    """A made-up SDK that its reader may not write, and where recon writes, in a folder that any user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        out = Path(folder, "vendors")
        out.mkdir()
        out.chmod(0o777)
        monkeypatch.setattr(survey_module, "VENDORS", out)
        made = make_acme(Path(folder, "sdk"), seed=1)
        for path in [*made.root.rglob("*"), made.root]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield made
        for path in [made.root, *made.root.rglob("*")]:
            path.chmod(0o755)


def test_a_read_only_sdk_is_as_good(foreign):
    before = snapshot(foreign.root)
    with unprivileged():
        with pytest.raises(PermissionError):
            (foreign.root / "include/new.h").touch()
        assert recon(Request("acme", foreign.root)).map.vendor == "acme"
    assert snapshot(foreign.root) == before


def test_a_file_that_may_not_be_read_or_written_is_named(foreign, capsys):
    arguments = ["--vendor", "acme", "--sdk-path", str(foreign.root)]
    survey_module.VENDORS.chmod(0o555)
    with unprivileged():
        assert command.main(arguments) == 1
    assert f"ERROR: [Errno 13] Permission denied: '{survey_module.VENDORS / 'acme'}'" in capsys.readouterr().err
    header_of(foreign).chmod(0)
    with unprivileged():
        assert command.main(arguments) == 1
    assert f"ERROR: [Errno 13] Permission denied: '{header_of(foreign)}'" in capsys.readouterr().err


def test_the_map_is_not_written_without_its_page(acme, vendors, monkeypatch):
    def fails(_):
        raise RuntimeError("no page")

    monkeypatch.setattr(survey_module, "render_map_page", fails)
    with pytest.raises(RuntimeError):
        recon(Request("acme", acme.root))
    assert list(vendors.rglob("*")) == []


@pytest.mark.parametrize("what", ["header", "library", "new file", "same size and time"])
def test_an_sdk_that_changes_meanwhile_is_noticed(acme, vendors, monkeypatch, what):
    real, header, library = survey_module.read_headers, header_of(acme), next((acme.root / "lib").iterdir())
    victim = {"library": library, "new file": header.with_name("new.log")}.get(what, header)

    def touching(*arguments):
        found = real(*arguments)
        if what == "same size and time":
            times = header.stat()
            header.write_text(header.read_text().replace("Success", "success"))
            os.utime(header, ns=(times.st_atime_ns, times.st_mtime_ns))
        else:
            victim.touch()
        return found

    monkeypatch.setattr(survey_module, "read_headers", touching)
    with pytest.raises(ReconError, match=f"the SDK changed while it was read: {victim}"):
        recon(Request("acme", acme.root))
    assert list(vendors.rglob("*")) == []


def test_a_reviewed_map_is_not_replaced(acme, vendors):
    recon(Request("acme", acme.root))
    path = vendors / "acme" / FILE
    path.write_text(path.read_text().replace("confirmed: false", "confirmed: true", 1))
    before = snapshot(vendors)
    with pytest.raises(
        ReconError, match="has been reviewed \\(1 of 28 slots are confirmed\\): recon does not replace it"
    ):
        recon(Request("acme", acme.root))
    assert snapshot(vendors) == before


def test_a_map_that_cannot_be_read_is_not_replaced(acme, vendors):
    (vendors / "acme").mkdir()
    (vendors / "acme" / FILE).write_text("vendor: acme\nslots: [\n")
    with pytest.raises(ReconError, match="is there and cannot be read; mend or delete it first"):
        recon(Request("acme", acme.root))


def test_nothing_is_written_if_the_proposal_is_broken(acme, vendors, monkeypatch):
    monkeypatch.setattr("generators.recon.drafting.Draft._missing", lambda self: ["Malloc"])
    with pytest.raises(
        ReconError,
        match=rf"a fault of recon; nothing was written:\n\S+acme/{FILE}:\d+: missing_slots: Malloc is listed",
    ):
        recon(Request("acme", acme.root))
    assert [p for p in vendors.rglob("*") if p.is_file()] == []


def test_the_command_prints_a_table_and_the_next_step(acme, capsys):
    assert command.main(["--vendor", "acme", "--sdk-path", str(acme.root)]) == 0
    lines = capsys.readouterr().out.splitlines()
    slots = [line for line in lines if re.match(r"[A-Z]\w+ .*  (high|low|gap|emulation) ", line)]
    assert len(slots) == 28
    assert re.search(r"\d+ high · \d+ low · 0 emulations · 0 gaps of 28 slots; get_memory_info: high", "\n".join(lines))
    assert "  git add docs && git commit" in lines  # the page, and the table of all vendors
    again = f"python -m generators.recon --vendor acme --sdk-path {acme.root} --header FILE"
    assert f"header {acme.header}; if that is not the one: {again}" in lines
    assert lines[-1].strip() == f"pytest gates/runtime --vendor acme --sdk-path {acme.root}"


def test_the_table_names_other_headers_that_it_may_be(acme, capsys):
    shutil.copy(header_of(acme), header_of(acme).with_name("acme_driver.h"))
    header_of(acme).with_name("small.h").write_text("int smDeviceGet(void);\nint smMalloc(void);\n")
    assert command.main(["--vendor", "acme", "--sdk-path", str(acme.root)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("header ")]
    assert re.fullmatch(r"  --header acme_driver\.h   \(sounds like \d+ of the 28 slots\)", lines[at + 1])
    assert lines[at + 2].startswith("library ")


def test_a_gap_of_the_virtual_is_told_beside_the_slots(acme, capsys):
    text = header_of(acme).read_text()
    lines = [line for line in text.splitlines() if acme.symbols["get_memory_info"] not in line]
    assert len(lines) < len(text.splitlines())
    header_of(acme).write_text("\n".join(lines) + "\n")
    assert command.main(["--vendor", "acme", "--sdk-path", str(acme.root)]) == 0
    assert " · 0 gaps of 28 slots; get_memory_info: gap" in capsys.readouterr().out


def test_a_reader_that_stops_is_no_error(acme, tmp_path):
    """The command in a tree of its own, as `… | head -1` runs it."""
    code = "import runpy, generators.map as m, pathlib; m.VENDORS = pathlib.Path.cwd() / 'docs/vendors'; "
    code += "runpy.run_module('generators.recon', run_name='__main__', alter_sys=True)"
    reader, writer = os.pipe()
    os.close(reader)
    child = subprocess.run(
        [sys.executable, "-c", code, "--vendor", "acme", "--sdk-path", str(acme.root)],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    os.close(writer)
    assert child.stderr == ""
    assert (tmp_path / "docs/vendors/acme" / FILE).is_file()


@pytest.mark.parametrize(
    "name, message",
    [
        ("xpu", "Intel"),
        ("Acme", "lower-case letters, digits and _"),
        ("größe", "a letter first"),
        ("2x", "a letter first"),
        ("host", "needs no SDK"),
    ],
)
def test_names_that_are_no_vendors(acme, vendors, capsys, name, message):
    (vendors / "host").mkdir()
    (vendors / "host/vendor.yaml").write_text(
        "vendor: host\ntitle: simulated device\nsimulated: true\nhandwritten: true\n"
    )
    assert command.main(["--vendor", name, "--sdk-path", str(acme.root)]) == 1
    assert message in capsys.readouterr().err


# ---- bad SDKs


def test_a_header_that_does_not_parse_is_named_with_its_line(acme, vendors):
    text = header_of(acme).read_text().splitlines()
    text.insert(7, "int broken(;")
    header_of(acme).write_text("\n".join(text))
    with pytest.raises(
        ReconError, match=rf"does not parse, neither as C nor as C\+\+\n  as C:\n    {header_of(acme)}:8: expected"
    ):
        recon(Request("acme", acme.root))
    assert list(vendors.rglob("*")) == []


def test_a_missing_include_is_named_with_its_line(acme):
    header_of(acme).write_text('#include "vendor/absent.h"\n' + header_of(acme).read_text())
    with pytest.raises(
        ReconError, match=rf"{header_of(acme)}:1: 'vendor/absent.h' file not found[\s\S]*name its folder: --include DIR"
    ):
        survey(Request("acme", acme.root))
    (acme.root / "more/vendor").mkdir(parents=True)
    (acme.root / "more/vendor/absent.h").write_text("")
    assert survey(Request("acme", acme.root, include=(acme.root / "more",))).proposals


def test_a_header_for_cpp_alone_is_read_as_cpp(acme):
    text = header_of(acme).read_text().replace("size_t size)", "size_t size = 64)")
    header_of(acme).write_text(text.replace("#include <stddef.h>", '#include <cstddef>\nextern "C" {') + "}\n")
    found = survey(Request("acme", acme.root))
    assert found.api.headers.language == "c++"
    malloc = next(p for p in found.proposals if p.slot.name == "Malloc")
    assert malloc.symbol == acme.symbols["Malloc"] and "size_t size = 64" in malloc.signature


@pytest.mark.parametrize("guarded", [True, False])
def test_a_header_without_extern_c_is_seen(tmp_path, guarded):
    acme = make_acme(tmp_path / "sdk", seed=1, guarded=guarded)
    found = recon(Request("acme", acme.root)).map
    assert (found.sdk.language, found.sdk.extern_c) == ("c", not guarded)


def test_a_header_that_cpp_cannot_include_is_named_with_its_line(acme):
    header_of(acme).write_text(header_of(acme).read_text() + f"int {acme.prefix}Reset(int class);\n")
    line = len(header_of(acme).read_text().splitlines())
    with pytest.raises(
        ReconError, match=rf"parses as C, but not as C\+\+[\s\S]*{header_of(acme)}:{line}: [\s\S]*--define WORD=WORD_"
    ):
        survey(Request("acme", acme.root))
    assert survey(Request("acme", acme.root, defines=("class=class_",))).proposals


def test_functions_of_cpp_are_found_in_the_library_by_their_own_names(tmp_path):
    """An SDK of C++ without `extern "C"`: its library exports other names than its headers declare."""
    acme = make_acme(tmp_path / "sdk", seed=1, guarded=False)
    header_of(acme).write_text(
        header_of(acme).read_text().replace("#include <stddef.h>", "#include <cstddef>\nusing std::size_t;")
    )
    declared = re.findall(r"^(?!typedef|enum|#|using)(.*\));$", header_of(acme).read_text(), re.M)
    code = f'#include "{acme.header}"\n' + "".join(f"{text} {{ return {{}}; }}\n" for text in declared)
    library = next((acme.root / "lib").iterdir())
    command = ["c++", "-shared", "-fPIC", "-w", f"-I{acme.root / 'include'}", "-x", "c++", "-", "-o", str(library)]
    subprocess.run(command, input=code, text=True, check=True)
    assert not read_library(library).exports & set(acme.symbols.values())
    found = survey(Request("acme", acme.root))
    assert found.library.path == library and found.api.headers.language == "c++"
    assert not any("not exported" in proposal.why for proposal in found.proposals)


def test_a_definition_that_headers_want_is_found(acme):
    guard = "#if !defined(ACME_PLATFORM_ONE)\n#error define ACME_PLATFORM_ONE\n#endif\n"
    header_of(acme).write_text(guard + header_of(acme).read_text())
    assert survey(Request("acme", acme.root)).api.headers.defines == ("ACME_PLATFORM_ONE",)


def test_of_two_definitions_a_person_chooses(acme):
    guard = "#if !defined(ACME_PLATFORM_ONE) && !defined(ACME_PLATFORM_TWO)\n#error define ACME_PLATFORM_ONE or ACME_PLATFORM_TWO\n#endif\n"
    header_of(acme).write_text(guard + header_of(acme).read_text())
    with pytest.raises(ReconError, match="choose one: --define ACME_PLATFORM_ONE or --define ACME_PLATFORM_TWO"):
        survey(Request("acme", acme.root))
    assert survey(Request("acme", acme.root, defines=("ACME_PLATFORM_TWO",))).proposals


def test_an_sdk_without_headers(acme, tmp_path):
    full = f"python -m generators.recon --vendor acme --sdk-path {acme.root}"
    shutil.rmtree(acme.root / "include")
    with pytest.raises(
        ReconError, match=r"has no include directory: .*; give its root, or --include DIR if headers lie"
    ):
        survey(Request("acme", acme.root))
    (acme.root / "include").mkdir()
    with pytest.raises(ReconError, match=rf"no header below \S+ declares a runtime API; name it: {full} --header FILE"):
        survey(Request("acme", acme.root))
    with pytest.raises(ReconError, match=r"--sdk-path \S+: no such directory"):
        survey(Request("acme", tmp_path / "nowhere"))
    with pytest.raises(ReconError, match=rf"other\.h not found below \S+; name it: {full} --header FILE"):
        survey(Request("acme", acme.root, headers=("other.h",)))


def test_of_two_headers_a_person_chooses(acme):
    shutil.copy(header_of(acme), header_of(acme).with_name("second_runtime.h"))
    command = f"Run python -m generators.recon --vendor acme --sdk-path {acme.root} with one of:\n"
    with pytest.raises(ReconError, match=rf"declares the runtime API\? {command}[\s\S]*  --header second_runtime.h"):
        survey(Request("acme", acme.root))


def test_the_runtime_s_header_is_told_from_others(acme):
    shutil.copy(header_of(acme), header_of(acme).with_name("acme_driver.h"))
    (acme.root / "include/detail").mkdir()
    shutil.copy(header_of(acme), acme.root / "include/detail/acme_runtime.h")
    request = Request("acme", acme.root)
    best, *others = find_headers([acme.root / "include"], request)
    assert best.name == acme.header
    assert [header.name for header in others] == ["acme_driver.h", "detail/acme_runtime.h"]
    assert {header.count for header in others} == {best.count}
    best, *others = find_headers([acme.root], request)
    assert best.name == f"include/{acme.header}"
    assert [header.name for header in others] == ["include/acme_driver.h"], "what lies below its folder is its detail"


def built_for(library: Path, machine: int) -> None:
    """The same library as another machine's: what stands in `e_machine`."""
    content = bytearray(library.read_bytes())
    content[18:20] = machine.to_bytes(2, "little")
    library.write_bytes(content)


def test_a_library_of_another_architecture(acme, vendors):
    library = next((acme.root / "lib").iterdir())
    shutil.copytree(acme.root / "lib", acme.root / "targets/here/lib")
    built_for(library, 22)
    assert survey(Request("acme", acme.root)).library.path.is_relative_to(acme.root / "targets/here"), "the fitting one"
    shutil.rmtree(acme.root / "targets")
    with pytest.raises(
        ReconError, match=rf"no library exports any of the \d+ functions[^\n]*\n +{library} is for S390, this"
    ):
        recon(Request("acme", acme.root))
    with pytest.raises(ReconError, match=rf"{library} is for S390, this machine is"):
        recon(Request("acme", acme.root, library=library.name))
    assert list(vendors.rglob("*")) == []


def test_a_stripped_library_is_read_as_the_loader_reads_it(acme):
    """Without symbols but the dynamic ones, and without a table of sections."""
    library = next((acme.root / "lib").iterdir())
    exports = read_library(library).exports
    subprocess.run(["strip", "--strip-all", library], check=True)
    content = bytearray(library.read_bytes())
    content[40:48], content[60:64] = bytes(8), bytes(4)  # where the sections begin, how many they are
    library.write_bytes(content)
    assert ELFFile(io.BytesIO(content)).num_sections() == 0
    assert read_library(library).exports == exports
    assert survey(Request("acme", acme.root)).library.path == library


def test_a_library_that_exports_nothing(acme):
    library = next((acme.root / "lib").iterdir())
    elf(library, MACHINE)
    with pytest.raises(ReconError, match=rf"{library} exports no function: its table of dynamic symbols is stripped"):
        survey(Request("acme", acme.root, library=library.name))
    library.write_text("no library")
    with pytest.raises(ReconError, match="is not an ELF library"):
        survey(Request("acme", acme.root, library=library.name))


def test_of_two_libraries_a_person_chooses(acme):
    library = next((acme.root / "lib").iterdir())
    shutil.copy(library, library.with_name("libother.so"))
    with pytest.raises(
        ReconError,
        match=rf"2 libraries export the functions[\s\S]*--library {library.name} [\s\S]*--library libother.so ",
    ):
        survey(Request("acme", acme.root))
    assert survey(Request("acme", acme.root, library="libother.so")).library.path.name == "libother.so"


def test_of_one_library_under_several_names_there_is_no_choice(acme):
    library = next((acme.root / "lib").iterdir())
    library.rename(library.with_suffix(".so.1.2"))
    library.symlink_to(f"{library.name}.1.2")
    found = survey(Request("acme", acme.root))
    assert (found.library.path, found.library.soname) == (library, library.name)


def test_headers_alone_can_be_read_if_the_library_is_named(acme):
    shutil.rmtree(acme.root / "lib")
    with pytest.raises(ReconError, match=r"no shared library in .*read the headers alone by naming it: --library"):
        survey(Request("acme", acme.root))
    found = survey(Request("acme", acme.root, library="libabsent.so"))
    assert found.library is None and "library: libabsent.so" in found.text


def test_what_the_library_does_not_export_is_doubted(acme):
    """Declared, and not there: a symbol that would be missing at link time."""
    library = next((acme.root / "lib").iterdir())
    kept = [name for name in read_library(library).exports if name != acme.symbols["Memset"]]
    build_library(library, sorted(kept))
    memset = next(p for p in survey(Request("acme", acme.root)).proposals if p.slot.name == "Memset")
    assert (memset.symbol, memset.confidence) == (acme.symbols["Memset"], "low")
    assert "declared, but not exported by the library" in memset.why


def test_what_is_exported_without_a_declaration_is_named(acme):
    name = acme.symbols["PointerGetAttributes"]
    header_of(acme).write_text(
        "\n".join(line for line in header_of(acme).read_text().splitlines() if f" {name}(" not in line)
    )
    proposal = next(p for p in survey(Request("acme", acme.root)).proposals if p.slot.name == "PointerGetAttributes")
    assert (proposal.symbol, proposal.emulation) == ("", "side_table")
    assert f"exported without a declaration: {name}" in proposal.why


@pytest.mark.parametrize(
    "slot, signature",
    [
        ("Malloc", "int {}(int format, const char *text)"),
        ("MemcpyAsync", "int {}(float a, float b)"),
        ("EventElapsedTime", "int {}(const char *name)"),
        ("StreamSynchronize", "int {}(double seconds)"),
    ],
)
def test_the_right_name_with_the_wrong_signature_is_not_trusted(acme, slot, signature):
    name = acme.symbols[slot]
    lines = [
        signature.format(name) + ";" if f" {name}(" in line else line
        for line in header_of(acme).read_text().splitlines()
    ]
    header_of(acme).write_text("\n".join(lines))
    proposal = next(p for p in survey(Request("acme", acme.root)).proposals if p.slot.name == slot)
    assert proposal.confidence == "low" or (not proposal.candidate and not proposal.forward)
    assert name != proposal.symbol or "signature in part" in proposal.why


def test_descriptor_whose_map_was_deleted_is_no_hindrance(acme, vendors):
    """As the advice has it for a new proposal: delete the map first."""
    (vendors / "acme").mkdir()
    (vendors / "acme/vendor.yaml").write_text("vendor: acme\ntitle: Acme\nsimulated: false\n")
    assert recon(Request("acme", acme.root)).map.vendor == "acme"


def test_functions_of_namespaces_and_templates_are_read_apart(tmp_path):
    """They are no runtime API's; a library of operators has them."""
    (tmp_path / "ops.h").write_text(
        "#include <vector>\ntypedef float alias; enum kind { plain = 1 };\nint of_c(int device);\n"
        "namespace ops { namespace v2 {\nstruct Context; typedef double alias; enum class kind { scoped = 7 };\n"
        "template <typename T, int N = 2> int add(Context *ctx, const T *x, const std::vector<long> &sizes, float by = 1.0f);\n"
        "int plain(Context *ctx);\n} }\n"
    )
    headers = read_headers(["ops.h"], [tmp_path], tmp_path)
    assert [function.name for function in headers.functions] == ["of_c"]
    add, plain = headers.of_cxx
    assert str(add.declaration) == (
        "template <typename T, int N = 2> int add(Context *ctx, const T *x, const std::vector<long> &sizes, float by = 1.0f)"
    )
    assert parse_declaration(str(add.declaration)) == add.declaration
    assert (add.qualified, plain.qualified, plain.symbol) == (
        "ops::v2::add",
        "ops::v2::plain",
        "_ZN3ops2v25plainEPNS0_7ContextE",
    )
    assert headers.aliases == {"alias": "float"}
    assert {name: constant.value for name, constant in headers.constants.items()} == {
        "plain": 1,
        "ops::v2::kind::scoped": 7,
    }


# ---- through pytest


def test_pytest_recon_needs_the_sdk_and_leaves_the_tree_alone(tmp_path):
    run = run_pytest("gates/runtime", "--vendor", "acme", "--recon")
    assert run.status != 0 and "--recon needs the SDK, --sdk-path DIR, or a library of operators" in run.output
    run = run_pytest("gates/native_op", "--vendor", "onednn", "--recon", "--op-lib", tmp_path / "libdnnl.so")
    assert run.status != 0 and "libdnnl.so: no such file; give the library itself" in run.output
    run = run_pytest("gates/runtime", "--vendor", "host", "--recon", "--sdk-path", tmp_path)
    assert run.status != 0 and "vendor 'host' is written by hand and needs no SDK, so it has no map" in run.output
    run = run_pytest("gates/runtime", "--vendor", "cuda", "--recon", "--sdk-path", tmp_path)
    assert (
        run.status != 0 and "cuda/runtime-api-map.yaml has been reviewed (28 of 28 slots are confirmed)" in run.output
    )


# ---- traps: where an SDK of the usual shape is not what it seems

TRAPS = {
    "queue before direction": ("MemcpyAsync", "int qqMemcpyAsync(void *dst, const void *src, size_t n, qqQueue q, qqDir dir)", "dst src count stream kind"),
    "limit of the destination": ("Memcpy", "int qqMemcpy(void *dst, size_t destMax, const void *src, size_t count, qqDir dir)", "dst count src count kind"),
    "limit of a fill": ("Memset", "int qqMemset(void *devPtr, size_t maxCount, int value, size_t count)", "devPtr count value count"),
    "source first": ("Memcpy", "int qqMemcpy(const void *src, void *dst, size_t count, qqDir dir)", "src dst count kind"),
    "size before value": ("Memset", "int qqMemset(void *devPtr, size_t count, int value)", "devPtr count value"),
    "output last": ("Malloc", "int qqMalloc(size_t size, void **devPtr)", "size devPtr"),
    "handle last": ("StreamCreate", "int qqQueueCreate(unsigned flags, qqQueue *queue)", "0 stream"),
    "time last": ("EventElapsedTime", "int qqEventElapsedTime(qqEvent start, qqEvent end, float *ms)", "start end ms"),
    "event before queue": ("StreamWaitEvent", "int qqQueueWaitEvent(qqEvent event, qqQueue queue, unsigned flags)", "event stream flags"),
    "queue before event": ("EventRecord", "int qqEventRecord(qqQueue queue, qqEvent event)", "stream event"),
    "result by argument": ("StreamQuery", "int qqQueueQuery(qqQueue queue, qqState *state)", "stream {result: qqState}"),
    "result by argument, first": ("EventQuery", "int qqEventQuery(qqState *state, qqEvent event)", "{result: qqState} event"),
    "status by argument": ("Malloc", "void *qqMalloc(size_t size, int *errcode)", "size {status: int}"),
}  # fmt: skip
QQ = """#include <stddef.h>
typedef struct q *qqQueue;
typedef struct v *qqEvent;
typedef enum { QQ_DEV2HOST = 1, QQ_HOST2DEV = 2, QQ_DEV2DEV = 7, QQ_HOST2HOST = 9 } qqDir;
typedef enum { QQ_STATE_BUSY = 0, QQ_STATE_DONE = 1 } qqState;
enum qqError { QQ_SUCCESS = 0, QQ_ERR_NOMEM = 5, QQ_ERR_NODEV = 6, QQ_ERR_NOT_READY = 7 };
#define QQ_QUEUE_NONBLOCKING 0x10
#define QQ_EVENT_DISABLE_TIMING 0x20
#define QQ_EVENT_DEFAULT 0x1
int qqQueueDestroy(qqQueue queue);
int qqEventDestroy(qqEvent event);
int qqQueueCreateWithPriority(qqQueue *queue, unsigned flags, int priority);
int qqEventCreateWithFlags(qqEvent *event, unsigned flags);
int qqMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count, qqDir dir);
"""


def survey_of(folder: Path, text: str) -> survey_module.Survey:
    (folder / "sdk/include").mkdir(parents=True)
    (folder / "sdk/include/qq.h").write_text(text)
    return survey(Request("qq", folder / "sdk", ("qq.h",), "libqq.so"))


@pytest.mark.parametrize("trap", TRAPS)
def test_arguments_are_those_of_the_signature(tmp_path, trap):
    slot, declaration, arguments = TRAPS[trap]
    proposal = next(p for p in survey_of(tmp_path, f"{QQ}{declaration};\n").proposals if p.slot.name == slot)
    assert proposal.signature.partition("(")[0] == declaration.partition("(")[0]
    assert " ".join(map(str, proposal.candidate.binding.arguments)) == arguments


def test_constants_go_by_their_names_whatever_their_values(tmp_path, vendors):
    """Kinds and flags that have the contract's numbers for something else."""
    traps = "".join(
        f"{TRAPS[name][1]};\n" for name in ("queue before direction", "result by argument", "event before queue")
    )
    text = survey_of(tmp_path, QQ + traps).text
    found = load_map(vendors / "qq" / FILE, text)
    assert found.kinds == {"HostToHost": "QQ_HOST2HOST", "HostToDevice": "QQ_HOST2DEV", "DeviceToHost": "QQ_DEV2HOST", "DeviceToDevice": "QQ_DEV2DEV"}  # fmt: skip
    assert found.flags["StreamDefault"] == "QQ_QUEUE_NONBLOCKING"
    assert (found.flags["EventDisableTiming"], found.flags["EventEnableTiming"]) == ("QQ_EVENT_DISABLE_TIMING", "QQ_EVENT_DEFAULT")  # fmt: skip
    assert found.slots["StreamQuery"].call.results == {"QQ_STATE_BUSY": "ErrorNotReady", "QQ_STATE_DONE": "Success"}
    assert found.errors == {"QQ_ERR_NOMEM": "ErrorMemoryAllocation", "QQ_ERR_NODEV": "ErrorInvalidDevice", "QQ_ERR_NOT_READY": "ErrorNotReady"}  # fmt: skip
    assert found.status["sign"] == "either"


# ---- readings


@pytest.mark.parametrize(
    "name, words",
    [
        ("cudaMemcpyAsync", "cuda memcpy async"),
        ("xpu_stream_wait_event", "xpu stream wait event"),
        ("clEnqueueSVMMemFill", "cl enqueue svm mem fill"),
        ("clEnqueueMarkerWithWaitList", "cl enqueue marker"),
        ("clGetDeviceIDs", "cl get device ids"),
        ("CNRT_MEM_TRANS_DIR_HOST2DEV", "cnrt mem trans dir host 2 dev"),
        ("zeMemAllocDevice", "ze mem alloc device"),
    ],
)
def test_words_of_identifiers(name, words):
    assert words_of(name) == words.split()


@pytest.mark.parametrize(
    "name, meant",
    [
        ("cudaMemcpyHostToDevice", "HostToDevice"),
        ("XPU_DEVICE_TO_HOST", "DeviceToHost"),
        ("ACL_MEMCPY_DEVICE_TO_DEVICE", "DeviceToDevice"),
        ("CNRT_MEM_TRANS_DIR_HOST2DEV", "HostToDevice"),
        ("cnrtMemcpyHostToDev", "HostToDevice"),
        ("COPY_D2H", "DeviceToHost"),
        ("copyHtoD", "HostToDevice"),
        ("cudaMemcpyDefault", None),
        ("HOST_DEVICE", None),
    ],
)
def test_directions_of_copies(name, meant):
    assert direction(name) == meant


@pytest.mark.parametrize(
    "code, error",
    [
        ("cudaErrorMemoryAllocation", "ErrorMemoryAllocation"),
        ("XPUERR_NOMEM", "ErrorMemoryAllocation"),
        ("ACL_ERROR_RT_NO_DEVICE", "ErrorInvalidDevice"),
        ("CL_INVALID_DEVICE", "ErrorInvalidDevice"),
        ("cnrtErrorDeviceInvalid", "ErrorInvalidDevice"),
        ("ZE_RESULT_NOT_READY", "ErrorNotReady"),
        ("cudaErrorInvalidDevicePointer", None),
        ("CL_INVALID_DEVICE_TYPE", None),
        ("cudaErrorSystemNotReady", None),
    ],
)
def test_codes_are_read_by_their_words(code, error):
    assert error_of(code, {"cuda", "xpu", "acl", "cl", "cnrt", "ze"}) == error


def test_the_tables_have_an_entry_for_each_slot():
    slots = [*(slot.name for slot in read_contract().slots), MEMORY_INFO]
    assert list(SENSES) == list(MISSING_MEANS) == list(SHAPE) == slots
    assert all(list(sdk.truth) == slots for sdk in REAL)


def test_no_word_is_listed_twice():
    """A second entry would silently replace the first."""
    source = (
        Path(survey_module.__file__).with_name("lexicon.py").read_text().partition("WORDS")[2].partition("}.items()")[0]
    )
    listed = [word for line in re.findall(r': "([a-z ]+)"', source) for word in line.split()]
    assert len(listed) == len(set(listed)) == len(WORDS)


@pytest.mark.parametrize("lines, file, version", [
    ("#define QQRT_VERSION 13000", "libqq.so.13", "13.0"),
    ("#define QQRT_VERSION 12090", "libqq.so.12.9.1", "12.9"),
    ("#define QQRT_VERSION 40302", "libqq.so.4.3.2", "4.3.2"),
    ("#define QQ_VERSION 50221153", "libqq.so.5", "5.2.21153"),
    ("#define QQRT_VERSION 13000", "libqq.so.2", "13000"),
    ("#define QQRT_VERSION 13000", "libqq.so", "13000"),
    ("#define QQ_MAJOR_VERSION 1\n#define QQ_MINOR_VERSION 0\n#define QQ_PATCH_VERSION 4", "libqq.so", "1.0.4"),
    ("#define QQ_VERSION_MINOR 2\n#define QQ_VERSION_MAJOR 5", "libqq.so.9", "5.2"),
    ("#define QQ_VERSION_2_2 1\n#define QQ_VERSION_10_0 1\n#define QQ_DEVICE_VERSION 0x102F", "libqq.so", "10.0"),
    ("#define QQ_VERSION_MAJOR_BITS 10\n#define QQ_VERSION_MINOR_BITS 10", "libqq.so", "unknown"),
    ("enum qqError { QQERR_VERSION = 704, QQ_VERSION = 3 };", "libqq.so.12.9.1.kunlun", "12.9.1.kunlun"),
    ("#define OTHER_VERSION 3", "libqq.so", "unknown"),
])  # fmt: skip
def test_version_is_that_of_the_sdk(tmp_path, lines, file, version):
    """No error code, no constant of a query; one number is taken apart only where the library's file bears it out."""
    (tmp_path / "qq.h").write_text(f"{lines}\nint qq_open(int a); int qq_close(int a);\n")
    library = read_library(build_library(tmp_path / "lib" / file, ["qq_open"]))
    api = understand(read_headers(["qq.h"], [tmp_path], tmp_path), [tmp_path / "qq.h"])
    assert sdk_version(api, library) == version


@pytest.mark.parametrize("status, note, sign", [
    ("int", "// Functions return their code negated.", "negated"),
    ("int", "", "either"),
    ("enum qqError", "", "as_declared"),
])  # fmt: skip
def test_negated_codes_are_seen(tmp_path, status, note, sign):
    (tmp_path / "qq.h").write_text(
        f"{note}\nenum qqError {{ QQ_SUCCESS = 0, QQERR_NOMEM = 7 }};\n"
        + "".join(f"{status} qq_f{i}(int a);\n" for i in range(3))
    )
    api = understand(read_headers(["qq.h"], [tmp_path], tmp_path), [tmp_path / "qq.h"])
    assert status_sign(api) == sign


def test_streams_and_events_are_found_by_what_is_done_with_them(tmp_path):
    """Where their types do not say what they are."""
    (tmp_path / "qq.h").write_text(
        "typedef struct a *qqLane; typedef struct b *qqFlag;\n"
        "int qqLaneOpen(qqLane *lane); int qqFlagPut(qqFlag flag, qqLane lane); int qqFlagSpan(float *ms, qqFlag a, qqFlag b);\n"
        "int qqFlagOpen(qqFlag *flag); int qqLaneWait(qqLane lane);\n"
    )
    api = understand(read_headers(["qq.h"], [tmp_path], tmp_path), [tmp_path / "qq.h"])
    assert api.handles == {"qqFlag": "event", "qqLane": "stream"}


def test_exports_of_a_library_are_read(tmp_path):
    library = read_library(build_library(tmp_path / "lib/libqq.so", ["qq_a", "qq_b"], "libqq.so.3"))
    assert (library.soname, library.exports) == ("libqq.so.3", {"qq_a", "qq_b"})
    assert choose_library(tmp_path, ["qq_a"]).path == library.path
