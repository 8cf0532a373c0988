"""What a torch line has that the one before it has not: recorded in docs/ports/<line>.json, from which the port report is
rendered, and the package's table of the lines; and what was proven of it, from which the range that the project declares follows.

python -m generators.aten.ports 2.13.0 2.14.1     compare, check the types against the line's headers, and record
pytest -m version_port --torch 2.14.1 --record    run the gates with it, and record how they ended
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from generators.aten import AtenError
from generators.aten.lines import TorchLine, line_of, pinned_line
from generators.aten.operators import Catalogue, Operator, read_catalogue
from generators.aten.sources import render_sources, write_sources
from generators.aten.spelling import check_types
from generators.documents import shorten
from generators.files import ROOT, write_if_changed
from generators.rendering import templates

FOLDER = ROOT / "docs/ports"
TEMPLATES = templates()
RESULTS = {  # what only an installed torch can tell -> the gate that tells
    "build": "version_port.build.compiles",
    "import": "version_port.import.clean",
    "tests": "version_port.platform.tests",
}
PYPROJECT, README = ROOT / "pyproject.toml", ROOT / "README.md"
COMPATIBILITY = ROOT / "docs/reference/compatibility.md"
TABLE = ROOT / "torch_fl/torch_lines.json"  # of this tree, which need not be the installed package


def survey(catalogue: Catalogue, before: Catalogue | None) -> dict[str, Any]:
    """A line in figures and, beside its predecessor, in names."""
    facts: dict[str, Any] = {
        "torch": catalogue.torch,
        "operators": len(catalogue.operators),
        "routable": len(catalogue.routable),
        "not generated": catalogue.warnings,
        "with SymInt": sum(operator.symint for operator in catalogue.operators),
        "lists": {
            "IListRef": catalogue.spelled("IListRef"),
            "ArrayRef": len(catalogue.spelled("ArrayRef")),
            "optional": sum(operator.optional_list for operator in catalogue.operators),
        },
    }
    return facts | ({"since": compare(before, catalogue)} if before else {})


def compare(before: Catalogue, after: Catalogue) -> dict[str, Any]:
    """What changed: operators added and removed with their schemas, others with both schemas where the schema, the type of
    the kernel or the rule's answer differs."""
    old = {operator.name: operator for operator in before.operators}
    new = {operator.name: operator for operator in after.operators}
    both = sorted(old.keys() & new.keys())
    return {
        "torch": before.torch,
        "added": {name: _entry(new[name]) for name in sorted(new.keys() - old.keys())},
        "removed": {name: _entry(old[name]) for name in sorted(old.keys() - new.keys())},
        "changed": {
            name: {"was": old[name].schema, "is": new[name].schema, "routable": new[name].routable}
            for name in both
            if old[name].schema != new[name].schema
        },
        "respelled": {
            name: f"{old[name].spelling or 'no list'} to {new[name].spelling or 'no list'}"
            for name in both
            if old[name].spelling != new[name].spelling
        },
        "newly routable": [name for name in both if new[name].routable and not old[name].routable],
        "no longer routable": [name for name in both if old[name].routable and not new[name].routable],
        "SymInt": [name for name in both if old[name].symint != new[name].symint],
    }


def _entry(operator: Operator) -> dict[str, Any]:
    return {"schema": operator.schema, "routable": operator.routable}


def check_line(line: TorchLine, catalogue: Catalogue) -> dict[str, Any]:
    """The types of the line's operators against its own headers, without an override."""
    with tempfile.TemporaryDirectory() as folder:
        write_sources(render_sources(catalogue, {}), Path(folder))
        wrong = check_types(line, Path(folder))
    return {"checked": sum(o.routable or bool(o.spelling) for o in catalogue.operators), "wrong": wrong}


# ---- records and reports --------------------------------------------------------------------------


def report_path(line: str) -> Path:
    return FOLDER / f"{line}.json"


def load_records() -> dict[str, dict[str, Any]]:
    """Line -> what was recorded of it, oldest line first."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
    return dict(sorted(found.items(), key=lambda entry: _number(entry[0])))


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def render_reports() -> dict[Path, str]:
    """A page for each line that was recorded, the table of them all, what the package knows of them, and the declared range where
    one was tested."""
    records = load_records()
    used = _hand_written()
    pages = {
        report_path(name).with_suffix(".md"): TEMPLATES.get_template("port-report.md.j2").render(
            line=name, facts=facts, results=RESULTS, pinned=pinned_line(), touched=_touched(facts, used)
        )
        for name, facts in records.items()
    }
    table = TEMPLATES.get_template("ports.md.j2").render(records=records, results=RESULTS, pinned=pinned_line())
    declared = render_declarations() if any(map(is_tested, records.values())) else {}
    return pages | ({FOLDER / "README.md": table, TABLE: render_table(records)} if records else {}) | declared


def record_results(found: dict[str, Any]) -> Path:
    """Beside what was read of the line, how its gates ended. Raises AtenError for a line that was not read yet."""
    line = ".".join(found["torch"].split(".")[:2])
    path = report_path(line)
    facts = load_records().get(line)
    if facts is None:
        raise AtenError(f"{shorten(path)}: no such file; first run: python -m generators.aten.ports X.Y.Z")
    _write(path, facts | {"results": found})
    return path


def _write(path: Path, facts: dict[str, Any]) -> None:
    write_if_changed(path, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


# ---- the declared range ---------------------------------------------------------------------------


def is_tested(facts: dict[str, Any]) -> bool:
    """Whether everything that only an installed torch can tell was good."""
    return not facts["types"]["wrong"] and all(facts["results"].get(step) == "PASS" for step in RESULTS)


def declared_range(records: dict[str, dict[str, Any]]) -> str:
    """The requirement: from the oldest line to the newest that were tested, without those between that did not pass. Raises
    AtenError if there is none."""
    tested = [name for name, facts in records.items() if is_tested(facts)]
    if not tested:
        raise AtenError(f"{shorten(FOLDER)}: no torch line was recorded as tested: pytest -m version_port --record")
    major, minor = _number(tested[-1])
    span = [name for name in records if _number(tested[0]) <= _number(name) <= _number(tested[-1])]
    without = [f"!={name}.*" for name in span if name not in tested]
    return ",".join([f"torch>={tested[0]}", *without, f"<{major}.{minor + 1}"])


def render_declarations() -> dict[Path, str]:
    """Each file that says which torch is supported, and its text by what was tested. Raises AtenError."""
    records = load_records()
    requirement = declared_range(records)
    tested = [name for name, facts in records.items() if is_tested(facts)]
    badge = (
        f"[![torch {tested[0]} to {tested[-1]}](https://img.shields.io/badge/torch-{tested[0]}_to_{tested[-1]}-blue)]"
    )
    page = TEMPLATES.get_template("compatibility.md.j2").render(
        records=records, requirement=requirement, results=RESULTS, tested=tested, pinned=pinned_line()
    )
    return {
        PYPROJECT: _replace(PYPROJECT, r'(?m)^(dependencies = \[")torch[^"]*', rf"\g<1>{requirement}"),
        README: _replace(README, r"(?m)^\[!\[torch .*?\)\]", badge),
        COMPATIBILITY: page,
    }


def _replace(path: Path, pattern: str, text: str) -> str:
    changed, count = re.subn(pattern, text, path.read_text(encoding="utf-8"))
    if count != 1:
        raise AtenError(f"{shorten(path)}: expected one line like {pattern}, found {count}")
    return changed


def render_table(records: dict[str, dict[str, Any]]) -> str:
    """The lines, and each operator that not all of them have with those that do: an operator that no record adds or removes
    is in all of them."""
    moves = [
        (facts.get("since", {}).get("added", {}), facts.get("since", {}).get("removed", {}))
        for facts in records.values()
    ]
    having: dict[str, list[str]] = {}
    for name in sorted({name for added, removed in moves for name in (*added, *removed)}):
        present = next(name in removed for added, removed in moves if name in added or name in removed)  # in the oldest
        having[name] = []
        for line, (added, removed) in zip(records, moves, strict=True):
            present = (present or name in added) and name not in removed
            having[name] += [line] if present else []
    entries = ",\n".join(f"  {json.dumps(name)}: {json.dumps(lines)}" for name, lines in having.items())
    return f'{{\n "lines": {json.dumps(list(records))},\n "operators": {{\n{entries}\n }}\n}}\n'


def _hand_written() -> dict[str, str]:
    """Operators' names in at::_ops -> the first of our files that names it."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "csrc").rglob("*.cc")):
        if path.parent.name != "generated":
            for symbol in re.findall(r"at::_ops::(\w+)", path.read_text(encoding="utf-8")):
                found.setdefault(symbol, str(path.relative_to(ROOT)))
    return found


def _touched(facts: dict[str, Any], used: dict[str, str]) -> dict[str, str]:
    """Operators that our own sources name and that are not what they were -> the file."""
    since = facts.get("since", {})
    names = [
        *since.get("removed", ()),
        *since.get("changed", ()),
        *since.get("respelled", ()),
        *since.get("SymInt", ()),
    ]
    return {name: used[symbol] for name in sorted(set(names)) if (symbol := name.replace(".", "_")) in used}


def record(version: str) -> Path:
    """Survey a line beside the one recorded before it. Raises AtenError."""
    line = line_of(version)
    catalogue = read_catalogue(line)
    records = load_records()
    earlier = [facts["torch"] for name, facts in records.items() if _number(name) < _number(line.name)]
    before = read_catalogue(line_of(earlier[-1])) if earlier else None
    facts = survey(catalogue, before) | {"types": check_line(line, catalogue)}
    facts["results"] = records.get(line.name, {}).get("results", {})
    path = report_path(line.name)
    _write(path, facts)
    return path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m generators.aten.ports",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("versions", nargs="+", metavar="X.Y.Z", help="versions of torch, oldest first")
    options = parser.parse_args(arguments)
    try:
        for version in options.versions:
            print(shorten(record(version)))
    except AtenError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print("now render the reports: make generate")
    return 0


if __name__ == "__main__":
    sys.exit(main())
