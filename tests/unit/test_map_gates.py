"""A made-up vendor from recon to code, with no edit outside its own files; and what the gates of the map say when the SDK, the
map or the code is not what the others hold it for."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from _pytest.outcomes import Failed

from gates.facts import differences, read_sdk_facts
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


FUNCTIONS = (*read_contract().slots, *read_contract().virtuals)


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
        vendor = SimpleNamespace(name="acme", sources=self.sources, sdk=self.map.sdk, handwritten=False)
        return definitions_of(vendor, self.find(), FUNCTIONS)

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
    for slot in FUNCTIONS:
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
    """One line each: a function gone, one with another signature, one no longer exported, a constant gone, and one that
    fills a slot for which the map has nothing."""
    symbols, prefix = acme.sdk.symbols, acme.sdk.prefix
    without_a_call(acme, "DeviceSynchronize", "Malloc")
    acme.edit(acme.header, "_VERSION_MINOR 1", "_VERSION_MINOR 2")
    acme.edit(acme.header, f"{symbols['StreamQuery']}(", f"{symbols['StreamQuery']}State(")
    acme.edit(acme.header, f"{symbols['SetDevice']}(int device)", f"{symbols['SetDevice']}(long device)")
    acme.edit(acme.header, f"{prefix}ErrorNotReady", f"{prefix}ErrorNotReadyYet")
    exported = {*acme.facts().exports} - {symbols["EventRecord"]} | {f"{symbols['StreamQuery']}State"}
    build_library(acme.find().library, sorted(exported))
    text = refusal(gates.test_sdk_is_the_one_that_the_map_was_made_from, acme.map, acme.facts())
    assert "expected  3.1" in text and "found     3.2" in text
    told = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    error = f"{prefix}Error_t"
    assert told == [
        f"slots.SetDevice: {error} {symbols['SetDevice']}(int device)  →  {error} {symbols['SetDevice']}(long device)",
        told[1],
        told[2],
        f"errors: {prefix}ErrorNotReady is gone; nearest: {prefix}ErrorNotReadyYet{told[3].partition('NotReadyYet')[2]}",
        f"DeviceSynchronize: missing in the map; here there is {error} {symbols['DeviceSynchronize']}(void)",
        f"include/{acme.sdk.header}: changed",
        told[6],
    ]
    assert told[1].startswith(
        f"slots.StreamQuery: {symbols['StreamQuery']} is gone; nearest: {symbols['StreamQuery']}State"
    )
    assert told[2].startswith(
        f"slots.EventRecord: {symbols['EventRecord']} is declared, but no longer exported; nearest: "
    )
    assert told[6].startswith("lib/") and told[6].endswith(".so: changed")


def test_the_same_version_is_not_searched_for_differences(acme):
    gates.test_sdk_is_the_one_that_the_map_was_made_from(acme.map, acme.facts())
    assert list(differences(acme.map, acme.facts())) == []


@pytest.mark.parametrize("stated", ["unconfirmed", "unknown"])
def test_map_without_a_version_cannot_be_compared(acme, stated):
    acme.edit(acme.path, "version:", f"version: {stated} #")
    with pytest.raises(NotRun, match=r"drafted without one.*then state sdk.version: 3.1"):
        gates.test_sdk_is_the_one_that_the_map_was_made_from(load_map(acme.path), acme.facts())


def test_sdk_that_tells_no_version_is_known_by_its_files(acme):
    silent = replace(acme.facts(), version="unknown")
    gates.test_sdk_is_the_one_that_the_map_was_made_from(acme.map, silent)
    acme.edit(acme.header, f"{acme.sdk.prefix}ErrorNotReady", f"{acme.sdk.prefix}ErrorNotReadyYet")
    changed = replace(acme.facts(), version="unknown")
    text = refusal(gates.test_sdk_is_the_one_that_the_map_was_made_from, acme.map, changed)
    assert "is gone" in text and "found     unknown" in text
    acme.edit(acme.path, "version:", "version: unconfirmed #")
    with pytest.raises(NotRun, match="as its vendor calls it, for its files tell none"):
        gates.test_sdk_is_the_one_that_the_map_was_made_from(load_map(acme.path), changed)


def called(acme, slot):
    return refusal(gates.test_function_does_what_the_map_says, slot, acme.map, acme.facts(), acme.definitions())


def test_generated_file_that_does_not_parse_is_mended_in_the_map(acme):
    name = acme.sdk.symbols["StreamQuery"]
    acme.edit(acme.header, f"{name}(", f"{name}Status(")
    with pytest.raises(Failed) as failed:
        acme.definitions()
    text = str(failed.value)
    assert "stream.cc cannot be parsed" in text and name in text
    assert "mend the map, whose line the gate runtime.map.declared names" in text
    assert "python -m generators.runtime --vendor acme" in text


def test_stub_in_place_of_a_call_is_found(acme):
    name = acme.sdk.symbols["DeviceSynchronize"]
    acme.edit(acme.sources / "device.cc", f'return check({name}(), "{name}");', "return Success;")
    text = called(acme, "DeviceSynchronize")
    assert f"expected  {name}" in text and "found     none" in text


@pytest.mark.parametrize(
    "virtual, call, told",
    [
        (
            "get_memory_info",
            r"check\(\w+\([^)]*\), \"\w+\"\)",
            "get_memory_info calls other functions of the SDK than the map's",
        ),
        ("device_free", r"Free\(ptr\)", "device_free does not forward to Free"),
    ],
)
def test_stub_of_a_virtual_is_found(acme, virtual, call, told):
    header = acme.tree / "csrc/runtime/allocator/backends/acme_memory.h"
    text, count = re.subn(call, "Success", header.read_text())
    assert count == 1
    header.write_text(text)
    assert told in called(acme, virtual)


def test_call_of_another_function_is_found(acme):
    query, wait = acme.sdk.symbols["StreamQuery"], acme.sdk.symbols["StreamSynchronize"]
    acme.edit(acme.sources / "stream.cc", f"check({query}(", f"check({wait}(")
    text = called(acme, "StreamQuery")
    assert f"expected  {query}" in text and f"found     {wait}" in text


def without_a_call(acme, slot, next_slot):
    """The map as if the SDK had nothing for a slot."""
    entry = f"  {slot}:\n    gap: unsupported\n    reason: none\n    consequence: none\n    source: {{kind: sdk, where: x, confirmed: true}}\n"
    before, _, rest = acme.path.read_text().partition(f"  {slot}:\n")
    acme.path.write_text(before + entry + f"  {next_slot}:\n" + rest.partition(f"  {next_slot}:\n")[2])
    acme.edit(acme.path, "missing_slots: []", f"missing_slots: [{slot}]")
    acme.map = load_map(acme.path)


def test_gap_that_became_a_success_is_found(acme):
    without_a_call(acme, "DeviceSynchronize", "Malloc")
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
