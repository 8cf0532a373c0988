"""Render the documents that are results or lists: `docs/gates.md` from the gates, the board from recorded evidence.

python -m generators.reports --write     write them
python -m generators.reports --check     fail, with a diff, if a file of the tree differs
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from generators.aten import AtenError
from generators.aten.ports import render_reports as render_ports
from generators.contract import SLOTS, read_contract, render_slots
from generators.files import ROOT, write_if_changed
from generators.gates import list_gates
from generators.map import FILE, MapError, RuntimeMap, Slot, load_map
from generators.map.forms import AFTER, BEFORE, EMULATIONS
from generators.native_op.table import FILE as OPERATORS
from generators.rendering import templates
from generators.vendor import CAPABILITIES, DESCRIPTOR, DESCRIPTORS, VendorError, known_vendors, load_vendor

SUPPORT = ROOT / "docs/reference/operator-support.md"
TEMPLATES = templates()
TEMPLATES.filters["cell"] = lambda text: " ".join(str(text).split()).replace("|", "\\|")
TEMPLATES.filters["code"] = lambda text: f"`{text}`"
TEMPLATES.filters["beside"] = lambda slot: "; ".join(_beside(slot))


def load_evidence() -> dict[str, dict[str, dict]]:
    """vendor -> suite -> what was recorded."""
    found: dict[str, dict[str, dict]] = {}
    for name in known_vendors():
        folder = load_vendor(name).descriptor.parent / "evidence"
        found[name] = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return found


def _beside(slot: Slot) -> Iterator[str]:
    """What a slot does beside its call."""
    yield from (f"before: {step}" for step in slot.before)
    yield from (f"after: {step}" for step in slot.after)
    if slot.call:
        yield from (f"returns {name}" for name in [slot.call.returns] if name)
        readings = slot.call.results | slot.call.errors
        yield from (f"{value} is {meaning}" for value, meaning in readings.items())
        if slot.call.at_most:
            yield f"at most {slot.call.at_most}"
        if slot.call.otherwise != "ErrorUnknown":
            yield f"any other code is {slot.call.otherwise}"
    if slot.note:
        yield slot.note


def render_map_page(runtime_map: RuntimeMap) -> str:
    """A map for review: the two findings first, then what differs from a plain call, then every slot."""
    missing: dict[tuple[str, ...], list[Slot]] = {}  # those of one kind and reason together
    for slot in runtime_map.entries:
        if slot.missing:
            missing.setdefault((slot.emulation, slot.gap, slot.reason, slot.consequence), []).append(slot)
    return TEMPLATES.get_template("runtime-api-map.md.j2").render(
        map=runtime_map,
        missing=list(missing.values()),
        emulations=EMULATIONS,
        operators=runtime_map.path.with_name(OPERATORS).is_file(),
    )


def list_maps(name: str = FILE) -> list[Path]:
    """The map of each vendor; with `*.yaml` those of an SDK's further layers as well, from which nothing is generated."""
    others = (DESCRIPTOR, OPERATORS)
    return sorted(path for path in DESCRIPTORS.glob(f"*/{name}") if path.name not in others)


def _of_suite(evidence: dict[str, dict[str, dict]], suite: str) -> dict[str, dict]:
    """vendor -> what was recorded of that suite."""
    return {name: suites[suite] for name, suites in evidence.items() if suite in suites}


def render_support(evidence: dict[str, dict[str, dict]]) -> str:
    """What native libraries compute, as it was measured."""
    return TEMPLATES.get_template("operator-support.md.j2").render(runs=_of_suite(evidence, "native_operators"))


def render() -> dict[Path, str]:
    """Every generated file of the tree and its text."""
    gates = list_gates()
    vendors = {name: vendor for name in known_vendors() if not (vendor := load_vendor(name)).over}
    evidence = load_evidence()
    pages = {path.with_suffix(".md"): render_map_page(load_map(path)) for path in list_maps("*.yaml")}
    return (
        pages
        | render_ports()
        | {
            SLOTS: render_slots(read_contract()),
            ROOT / "docs/gates.md": TEMPLATES.get_template("gates.md.j2").render(
                gates=gates, capabilities=CAPABILITIES
            ),
            ROOT / "docs/reference/runtime-api-map.md": TEMPLATES.get_template(
                "runtime-api-map-reference.md.j2"
            ).render(emulations=EMULATIONS, before=BEFORE, after=AFTER),
            ROOT / "docs/reference/runtime-support.md": TEMPLATES.get_template("runtime-support.md.j2").render(
                vendors=vendors, evidence=evidence
            ),
            SUPPORT: render_support(evidence),
            ROOT / "docs/reference/performance.md": TEMPLATES.get_template("performance.md.j2").render(
                runs=_of_suite(evidence, "performance")
            ),
            ROOT / "docs/reference/boxed-operators.md": TEMPLATES.get_template("boxed-operators.md.j2").render(
                runs=_of_suite(evidence, "boxed_operators")
            ),
        }
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.reports", description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write what differs")
    action.add_argument("--check", action="store_true", help="print a diff and fail if anything differs")
    options = parser.parse_args(arguments)
    try:
        files = render()
    except (VendorError, MapError, AtenError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    stale = 0
    for path, text in files.items():
        name = str(path.relative_to(ROOT))
        if options.write:
            print(f"{name}: {'written' if write_if_changed(path, text) else 'unchanged'}")
        elif (old := path.read_text() if path.exists() else "") != text:
            stale += 1
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), name, f"{name} (generated)", lineterm="")
            print("\n".join(list(diff)[:40]))
    if stale:
        print(f"{stale} generated files are stale; run: make generate", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
