"""The map and what was generated from it agree with each other, with the contract and with the SDK at hand."""

from __future__ import annotations

from typing import Any

import pytest

from gates.abi import CONTRACT
from gates.facts import SdkFacts, differences
from gates.sources import calls_in
from gates.status import check, not_run
from generators.declaration import parse_declaration
from generators.documents import shorten
from generators.files import ROOT
from generators.map import Call, RuntimeMap, Slot
from generators.map.forms import EMULATIONS
from generators.reports import render_map_page
from generators.runtime import GenerationError, render_runtime, stray_files
from generators.runtime.needs import needs_of
from generators.source import why_uncommitted

SLOTS, VIRTUALS = ([function.name for function in some] for some in (CONTRACT.slots, CONTRACT.virtuals))
every_function = pytest.mark.parametrize("slot", [*SLOTS, *VIRTUALS])
every_entry = pytest.mark.parametrize("entry", [*SLOTS, *VIRTUALS, "others"])


@pytest.mark.gate("runtime.map.committed")
def test_map_is_committed_and_without_open_questions(runtime_map: RuntimeMap):
    """Exit criterion: discovery and generation never happen in one step: the map is there, valid, reviewed and committed."""
    why = why_uncommitted(runtime_map.path)
    check(
        not why,
        "the map is not committed",
        found=why,
        where=runtime_map.where,
        next=f"review it, then git add {runtime_map.where} and git commit",
    )
    questions = runtime_map.open_questions
    check(
        not questions,
        "the map has open questions",
        found=f"{len(questions)}, the first: {questions[0]}" if questions else "",
        where=f"{shorten(runtime_map.path.with_suffix('.md'))} lists them",
        next="answer each in the map: docs/reference/runtime-api-map.md says what an argument can be",
    )


@pytest.mark.gate("runtime.map.complete")
def test_map_has_every_slot_and_virtual(runtime_map: RuntimeMap):
    """Exit criterion: the map says of each of the 28 functions and 10 virtuals what fills it; a slot that the SDK cannot fill
    has a reason and a consequence for users."""
    check(list(runtime_map.slots) == [s.name for s in CONTRACT.slots], "slots", found=list(runtime_map.slots))
    check(
        set(runtime_map.virtuals) == {v.name for v in CONTRACT.virtuals}, "virtuals", found=list(runtime_map.virtuals)
    )
    for slot in runtime_map.entries:
        told = slot.consequence and (slot.reason or slot.emulation)
        where = f"{runtime_map.where}:{slot.line}"
        check(bool(told or not slot.missing), f"{slot.name} is missing from the SDK and not explained", where=where)
    missing = [slot.name for slot in runtime_map.entries if slot.missing]
    check(sorted(missing) == sorted(runtime_map.missing_slots), "missing_slots", found=runtime_map.missing_slots)


@pytest.mark.gate("runtime.map.page")
def test_page_for_review_is_in_step(runtime_map: RuntimeMap):
    """Exit criterion: the map's page shows the map as it is."""
    page = runtime_map.path.with_suffix(".md")
    found = page.read_text(encoding="utf-8") if page.is_file() else ""
    check(found == render_map_page(runtime_map), "the page differs", where=shorten(page), next="make generate")


@pytest.mark.gate("runtime.map.generated")
def test_generated_files_equal_a_fresh_generation(runtime_map: RuntimeMap):
    """Exit criterion: the vendor's sources are what the map generates, to the byte: nobody edited them, and they are not
    older than the map."""
    try:
        fresh = render_runtime(runtime_map)
    except GenerationError as error:
        check(False, str(error))
        return
    stale = [
        str(name) for name, text in fresh.items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text
    ]
    stale += [shorten(file) for file in stray_files(fresh)]
    command = f"python -m generators.runtime --vendor {runtime_map.vendor}"
    check(not stale, "generated files are stale or edited", found=", ".join(stale), next=command)


# ---- against the SDK


def calls_of(runtime_map: RuntimeMap, entry: str) -> list[Call]:
    """A slot's own calls; `others` are those that belong to none."""
    if entry == "others":
        return [call for path, call in runtime_map.calls if path.split(".")[0] not in ("slots", "virtuals")]
    return [call for path, call in runtime_map.calls if path.split(".")[1:2] == [entry]]


@pytest.mark.gate("runtime.map.declared")
@every_entry
def test_function_is_declared_as_the_map_says(entry: str, runtime_map: RuntimeMap, sdk_facts: SdkFacts):
    """Exit criterion: every function that the map calls is declared in the SDK's headers with the map's signature: a name
    that is right and a signature that is wrong is undefined behaviour."""
    for call in calls_of(runtime_map, entry):
        where = f"{runtime_map.where}:{call.line}"
        found = sdk_facts.declaration(call.declaration.name)
        check(
            found is not None,
            f"{call.declaration.name} is not declared in {', '.join(runtime_map.sdk.headers)}",
            likely=f"renamed; nearest: {sdk_facts.nearest(call.declaration.name)}",
            where=where,
        )
        check(
            found is not None and found.types == call.declaration.types,
            f"{call.declaration.name} has another signature",
            expected=str(call.declaration),
            found=str(found),
            where=where,
        )


@pytest.mark.gate("runtime.map.exported")
@every_entry
def test_function_is_exported_by_the_library(entry: str, runtime_map: RuntimeMap, sdk_facts: SdkFacts):
    """Exit criterion: every function that the map calls is exported by the SDK's library, unless its header defines it."""
    for call in calls_of(runtime_map, entry):
        name = call.declaration.name
        check(
            sdk_facts.links(name),
            f"{name} is not exported by {', '.join(library.path.name for library in sdk_facts.libraries)}",
            likely=f"nearest: {sdk_facts.nearest(name)}",
            where=f"{runtime_map.where}:{call.line}",
        )


@pytest.mark.gate("runtime.map.version")
def test_sdk_is_the_one_that_the_map_was_made_from(runtime_map: RuntimeMap, sdk_facts: SdkFacts):
    """Exit criterion: the SDK at hand has the version that the map states; else what changed between the two is told."""
    stated = runtime_map.sdk.version
    silent = sdk_facts.version == "unknown"
    if stated in ("", "unconfirmed", "unknown"):
        not_run(
            "needs SDK: the map was drafted without one and states no version; hold it against the one at hand, then state "
            + (
                "sdk.version as its vendor calls it, for its files tell none"
                if silent
                else f"sdk.version: {sdk_facts.version}"
            )
        )
    same = stated == sdk_facts.version
    changed = [] if same else list(differences(runtime_map, sdk_facts))
    check(
        same or (silent and not changed),
        f"the SDK is another than the map's; {len(changed)} differences" + "".join(f"\n    {line}" for line in changed),
        expected=stated,
        found=sdk_facts.version,
        where=runtime_map.where,
        next="review the map against this SDK, then state its version: --recon in a copy shows what it would propose",
    )


# ---- what was generated


@pytest.mark.gate("runtime.map.called")
@every_function
def test_function_does_what_the_map_says(
    slot: str, runtime_map: RuntimeMap, sdk_facts: SdkFacts, definitions: dict[str, list[tuple[str, Any]]]
):
    """Exit criterion: "gaps are recorded, never stubbed": on the syntax tree the function calls the SDK's functions that the
    map names for it, and no others; a forward, its target; an emulation, its own; a gap, nothing but the error that names
    it."""
    entry = runtime_map.slots.get(slot) or runtime_map.virtuals[slot]
    (file, definition) = definitions[slot][0]
    called = calls_in(definition)
    where = f"{file} of {runtime_map.vendor} ({slot})"
    names = {function.spelling for function in called}
    sdk_calls = names & set(sdk_facts.functions) - about_errors(runtime_map)
    expected = expected_sdk_calls(runtime_map, entry)
    check(
        sdk_calls == expected,
        f"{slot} calls other functions of the SDK than the map's",
        expected=", ".join(sorted(expected)) or "none",
        found=", ".join(sorted(sdk_calls)) or "none",
        where=where,
    )
    emulations = {c.semantic_parent.spelling for c in called if c.spelling == slot} & set(EMULATIONS)
    wanted = {entry.emulation} if entry.emulation else set()
    check(emulations == wanted, f"{slot}: another emulation", expected=wanted, found=emulations or "none", where=where)
    check(not entry.forward or entry.forward in names, f"{slot} does not forward to {entry.forward}", where=where)
    check(("gap" in names) >= bool(entry.gap), f"{slot} is a gap in the map, and the code names none", where=where)


def about_errors(runtime_map: RuntimeMap) -> set[str]:
    """The SDK's functions around its status, which every slot may call."""
    texts = [runtime_map.status[key] for key in ("text", "name", "clear") if key in runtime_map.status]
    texts += [runtime_map.status["no_driver"]["version"]] if "no_driver" in runtime_map.status else []
    return {parse_declaration(text).name for text in texts}


def expected_sdk_calls(runtime_map: RuntimeMap, entry: Slot) -> set[str]:
    calls = [*([entry.call] if entry.call else []), *entry.calls.values()]
    if entry.name == "EventDestroy" and needs_of(runtime_map).held_events:
        return set()  # it drops a record; the last owner of that releases the SDK's event
    return {call.declaration.name for call in calls}
