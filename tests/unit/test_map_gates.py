"""A made-up vendor from recon to code, with no edit outside its own files; and what the gates of the map say when the SDK, the
map or the code is not what the others hold it for."""

from types import SimpleNamespace

import pytest
from _pytest.outcomes import Failed

from gates.facts import read_sdk_facts
from gates.runtime import test_map as gates
from gates.sources import definitions_of
from gates.status import NotRun
from generators.contract import read_contract
from generators.map import FILE, load_map
from generators.recon.survey import Request, survey
from generators.runtime import render_runtime
from generators.vendor import find_sdk
from tests.unit.sdks import build_library, has_compiler, make_acme

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs a compiler")


class Acme:
    """The made-up SDK, the map that recon proposes of it, and the sources that the map becomes."""

    def __init__(self, folder, seed):
        self.sdk = make_acme(folder / "sdk", seed)
        self.header = self.sdk.root / "include" / self.sdk.header
        self.path = folder / "acme" / FILE
        self.path.parent.mkdir()
        self.path.write_text(survey(Request("acme", self.sdk.root)).text)
        self.map = load_map(self.path)
        self.tree = folder / "tree"
        for name, text in render_runtime(self.map).items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        self.sources = self.tree / "csrc/runtime/accelerator/acme"

    def find(self):
        return find_sdk(SimpleNamespace(name="acme", sdk=self.map.sdk), self.sdk.root)

    def facts(self):
        return read_sdk_facts(self.map.sdk, self.find())

    def definitions(self):
        vendor = SimpleNamespace(sources=self.sources, sdk=self.map.sdk)
        return definitions_of(vendor, self.find(), read_contract().slots)

    def edit(self, file, old, new):
        text = file.read_text()
        assert old in text, f"{old} not in {file}"
        file.write_text(text.replace(old, new))


@pytest.fixture
def acme(tmp_path):
    return Acme(tmp_path, seed=1)


def refusal(gate, *arguments):
    with pytest.raises(Failed) as failed:
        gate(*arguments)
    return str(failed.value)


@pytest.mark.parametrize("seed", [2, 3])
def test_made_up_vendor_comes_up_with_no_edit_outside_its_own_files(tmp_path, seed):
    acme = Acme(tmp_path, seed)
    facts, definitions = acme.facts(), acme.definitions()
    gates.test_map_has_every_slot_and_virtual(acme.map)
    gates.test_sdk_is_the_one_that_the_map_was_made_from(acme.map, facts)
    for slot in read_contract().slots:
        gates.test_function_is_declared_as_the_map_says(slot.name, acme.map, facts)
        gates.test_function_is_exported_by_the_library(slot.name, acme.map, facts)
        gates.test_function_does_what_the_map_says(slot.name, acme.map, facts, definitions)


def test_vanished_function_is_named_with_its_nearest(acme):
    name = acme.sdk.symbols["StreamQuery"]
    acme.edit(acme.header, f"{name}(", f"{name}Status(")
    text = refusal(gates.test_function_is_declared_as_the_map_says, "StreamQuery", acme.map, acme.facts())
    assert f"{name} is not declared in" in text and f"nearest: {name}Status" in text
    assert f"{FILE}:{acme.map.slots['StreamQuery'].call.line}" in text


def test_other_signature_is_shown_beside_the_map_s(acme):
    name = acme.sdk.symbols["SetDevice"]
    acme.edit(acme.header, f"{name}(int device)", f"{name}(long device)")
    text = refusal(gates.test_function_is_declared_as_the_map_says, "SetDevice", acme.map, acme.facts())
    assert f"{name} has another signature" in text and "(int device)" in text and "(long device)" in text


def test_function_that_no_library_exports_is_named(acme):
    name = acme.sdk.symbols["EventRecord"]
    library = acme.find().library
    build_library(library, [symbol for symbol in acme.sdk.symbols.values() if symbol != name])
    text = refusal(gates.test_function_is_exported_by_the_library, "EventRecord", acme.map, acme.facts())
    assert f"{name} is not exported by {library.name}" in text


def test_other_version_tells_what_changed(acme):
    acme.edit(acme.path, "version:", "version: 1.2.3 #")
    acme.edit(acme.header, "#pragma once", "#pragma once\n#define NEWER 1")
    acme.map = load_map(acme.path)
    text = refusal(gates.test_sdk_is_the_one_that_the_map_was_made_from, acme.map, acme.facts())
    assert "expected  1.2.3" in text and f"include/{acme.sdk.header} (changed)" in text


def test_map_without_a_version_cannot_be_compared(acme):
    acme.edit(acme.path, "version:", "version: unconfirmed #")
    with pytest.raises(NotRun, match="drafted without one"):
        gates.test_sdk_is_the_one_that_the_map_was_made_from(load_map(acme.path), acme.facts())


def called(acme, slot):
    return refusal(gates.test_function_does_what_the_map_says, slot, acme.map, acme.facts(), acme.definitions())


def test_stub_in_place_of_a_call_is_found(acme):
    name = acme.sdk.symbols["DeviceSynchronize"]
    acme.edit(acme.sources / "device.cc", f'return check({name}(), "{name}");', "return Success;")
    text = called(acme, "DeviceSynchronize")
    assert f"expected  {name}" in text and "found     none" in text


def test_call_of_another_function_is_found(acme):
    query, wait = acme.sdk.symbols["StreamQuery"], acme.sdk.symbols["StreamSynchronize"]
    acme.edit(acme.sources / "stream.cc", f"check({query}(", f"check({wait}(")
    text = called(acme, "StreamQuery")
    assert f"expected  {query}" in text and f"found     {wait}" in text


def test_gap_that_became_a_success_is_found(acme):
    entry = "  DeviceSynchronize:\n    gap: unsupported\n    reason: none\n    consequence: none\n    source: {kind: sdk, where: x, confirmed: true}\n"
    text = acme.path.read_text()
    before, _, rest = text.partition("  DeviceSynchronize:\n")
    acme.path.write_text(before + entry + "  Malloc:\n" + rest.partition("  Malloc:\n")[2])
    acme.edit(acme.path, "missing_slots: []", "missing_slots: [DeviceSynchronize]")
    acme.map = load_map(acme.path)
    name = acme.sdk.symbols["DeviceSynchronize"]
    acme.edit(acme.sources / "device.cc", f'return check({name}(), "{name}");', "return Success;")
    assert "DeviceSynchronize is a gap in the map, and the code names none" in called(acme, "DeviceSynchronize")


def test_forward_elsewhere_is_found(acme):
    forwards = [slot for slot in acme.map.slots.values() if slot.forward]
    if not forwards:
        pytest.skip("recon proposes no forward for this shape")
    slot = forwards[0]
    file = acme.sources / read_contract().slot(slot.name).file
    acme.edit(file, f"return {slot.forward}(", "return Success; (void)(")
    assert f"{slot.name} does not forward to {slot.forward}" in called(acme, slot.name)
