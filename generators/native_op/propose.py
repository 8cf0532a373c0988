"""Propose entries of a vendor's table of operators, from the library's headers and symbols:

    python -m generators.native_op.propose --vendor NAME [--op-lib FILE] [--header PATTERN] [--include DIR] [--write]

Reads the headers that the table names, or that --header does; of a folder from which the table names several, all. Prints what it would propose for operators that
have no entry. --write appends that to the table: what is there stays as it is, to the byte, and nothing is marked verified. No
kernel is generated of a proposal until someone has reviewed it and deleted its `proposal`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from generators.aten import AtenError
from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.documents import shorten
from generators.files import write_if_changed
from generators.native_op import NativeError
from generators.native_op.lexicon import IN_PLACE, STAGES
from generators.native_op.library import Library, read_library
from generators.native_op.pages import page_path, render_page
from generators.native_op.proposal import Proposal, other_tables, propose, targets_of
from generators.native_op.table import CONFIDENCES, OperatorTable, read_table, table_path
from generators.recon import libraries
from generators.recon.drafting import flow_list, scalar
from generators.recon.headers import ReconError, read_headers
from generators.recon.lexicon import words_of
from generators.vendor import FoundSdk, VendorError, find_operator_library

MOST = 12  # functions without a proposal that are named


@dataclass(frozen=True)
class Found:
    """What was read, and what is proposed of it."""

    table: OperatorTable
    sdk: FoundSdk
    library: Library
    proposals: list[Proposal]
    headers: tuple[str, ...]  # beside the table's

    @property
    def without(self) -> list[str]:
        """Functions that no proposal is for, and no entry, but those that belong to another one."""
        used = {call.name for proposal in self.proposals for call in proposal.calls}
        used |= {call.name for call in self.table.calls}
        names = [function.name for function in self.library.functions if function.name not in used]
        return [name for name in names if not name.endswith(STAGES) and IN_PLACE not in words_of(name)]


def recon(
    table: OperatorTable, found: FoundSdk, patterns: tuple[str, ...] = (), include: tuple[Path, ...] = ()
) -> Found:
    """Read the library and propose; writes nothing. Raises ReconError."""
    own = table.library.headers
    folders = Counter(str(Path(name).parent) for name in own)
    patterns = patterns or tuple(f"{folder}/*.h" for folder, count in folders.items() if count > 1)
    if wrong := [pattern for pattern in patterns if not pattern or Path(pattern).is_absolute()]:
        raise ReconError(f"--header {wrong[0]}: {_as_included(wrong[0], found.include)}")
    matching = [file for pattern in patterns for file in sorted(found.include.glob(pattern)) if file.is_file()]
    if patterns and not matching:
        raise ReconError(f"--header {' '.join(patterns)}: no such header below {found.include}")
    further = dict.fromkeys(str(file.relative_to(found.include)) for file in matching)
    names = list(dict.fromkeys([*own, *further]))
    scope = Path(os.path.commonpath([(found.include / name).parent for name in names]))
    headers = read_headers(names, [*found.include_path, *include], scope, table.library.defines)
    exports = frozenset(name for file in found.libraries for name in libraries.read_library(file).exports)
    library = read_library(headers, table.convention.namespace, exports)
    targets = targets_of(read_catalogue(installed_line()), other_tables(table))
    return Found(table, found, library, propose(table, library, targets), tuple(names[len(own) :]))


def _as_included(header: str, include: Path) -> str:
    """What is wrong with a pattern that is a path of its own."""
    below = Path(header).is_relative_to(include)
    instead = (
        f"--header {Path(header).relative_to(include)}" if below else "--include DIR for another folder of headers"
    )
    return f"a pattern is relative to the folder of headers, {include}; give {instead}"


# ---- the report ----------------------------------------------------------------------------------


def render_report(found: Found) -> str:
    library, table = found.library, found.table
    lines = [
        f"{len(library.functions)} functions of {found.sdk.library} in {len(library.headers.files)} headers; "
        f"{shorten(table.path)} has {len(table.entries)} operators"
    ]
    rows = [("operator", "category", "call", "confidence", "why")]
    rows += [(p.operator.name, p.category, p.says, p.confidence, p.why) for p in found.proposals]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    lines += [
        "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[4]]) for row in rows
    ]
    counts = Counter(proposal.confidence for proposal in found.proposals)
    lines.append(" · ".join(f"{counts[word]} {word}" for word in CONFIDENCES) + f" of {len(found.proposals)} proposals")
    for what, names in (
        ("declared, and not exported by the library", [function.name for function in library.hidden]),
        ("no operator found for", found.without),
    ):
        if names:
            more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
            lines.append(f"{what}: {', '.join(names[:MOST])}{more}")
    return "\n".join(lines)


# ---- the table -----------------------------------------------------------------------------------


def extended(text: str, found: Found) -> str:
    """The table's text with the proposals behind its entries, their functions behind its calls, and their headers."""
    blocks = _mapping(yaml.compose(text, Loader=yaml.SafeLoader))
    declared = {call.name for call in found.table.calls}
    calls = {str(call): call.name for proposal in found.proposals for call in proposal.calls}
    files = {proposal.file for proposal in found.proposals}
    headers = [name for name in found.headers if str(found.sdk.include / name) in files]
    new = "".join(f"  - {_quoted(call)}\n" for call, name in calls.items() if name not in declared)
    edits = [
        _append_headers(_mapping(blocks["library"])["headers"], headers, text),
        _append(blocks["calls"], new, text),
        _append(blocks["operators"], "".join(_entry(proposal, found) for proposal in found.proposals), text),
    ]
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _mapping(node: yaml.Node | None) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value} if node else {}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _append(node: yaml.Node, written: str, text: str) -> tuple[int, int, str]:
    """An edit that puts lines behind the last item of a mapping or a list: from where to where, and what comes there."""
    start, end = node.start_mark.index, node.end_mark.index
    if not node.value:  # "{}" or "[]"
        return start, end, f"\n{written.rstrip()}" if written else text[start:end]
    end = text.find("\n", _last(node).end_mark.index - 1) + 1
    return (end, end, written) if end else (len(text), len(text), f"\n{written}")


def _append_headers(node: yaml.Node, headers: list[str], text: str) -> tuple[int, int, str]:
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        end = _last(node).end_mark.index
        return end, end, "".join(f", {scalar(name, flow=True)}" for name in headers)
    return _append(node, "".join(f"    - {scalar(name)}\n" for name in headers), text)


def _last(node: yaml.Node) -> yaml.Node:
    """The scalar, or the empty collection, that ends a node."""
    while not isinstance(node, yaml.ScalarNode) and node.value:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return node


def _entry(proposal: Proposal, found: Found) -> str:
    file = Path(proposal.file)
    header = file.relative_to(found.sdk.include) if file.is_relative_to(found.sdk.include) else file.name
    lines = [
        f"  {proposal.operator.name}:",
        f"    category: {proposal.category}",
        f"    call: {scalar(proposal.call)}",
        *([f"    arguments: {_quoted(proposal.arguments)}"] if proposal.arguments else []),
        *([f"    dtypes: {flow_list(proposal.dtypes)}"] if proposal.dtypes not in ((), ("float32",)) else []),
        f"    source: {_quoted(f'{header}: {proposal.says}')}",
        "    status: proposed",
        "    proposal:",
        f"      confidence: {proposal.confidence}",
        f"      why: {_quoted(proposal.why)}",
        *([f"      alternatives: {flow_list(proposal.alternatives)}"] if proposal.alternatives else []),
    ]
    return "\n".join(lines) + "\n"


def write(found: Found) -> None:
    """The table with the proposals, and its page: both, or neither if that is no table."""
    path = found.table.path
    before = path.read_text(encoding="utf-8")
    write_if_changed(path, extended(before, found))
    try:
        page = render_page(read_table(path), read_catalogue(installed_line()))
    except NativeError as error:
        write_if_changed(path, before)
        raise ReconError(
            f"the proposals make no valid table, a fault of recon; nothing was written:\n{error}"
        ) from None
    write_if_changed(page_path(found.table), page)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generators.native_op.propose", description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True, metavar="NAME", help="whose table, of which the head is written")
    parser.add_argument(
        "--op-lib", type=Path, metavar="FILE", help="the library of operators; else where the table says"
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="PATTERN",
        help="further headers, as they are included, relative to the library's folder of headers: 'ops/*.h'",
    )
    parser.add_argument(
        "--include", action="append", default=[], type=Path, metavar="DIR", help="a further include directory"
    )
    parser.add_argument("--write", action="store_true", help="append to the table")
    options = parser.parse_args(arguments)
    try:
        table = read_table(table_path(options.vendor))
        library = find_operator_library(table, options.op_lib)
        found = recon(table, library, tuple(options.header), tuple(map(Path.absolute, options.include)))
        print(render_report(found))
        if library.simulated and options.write:
            raise ReconError(f"nothing is written of a {library.simulated}; read the vendor's own")
        if options.write and found.proposals:
            write(found)
            print(f"appended to {shorten(table.path)}: review each entry, delete its 'proposal', commit, and then")
            print(f"  python -m generators.native_op --vendor {table.vendor}")
    except (NativeError, VendorError, ReconError, AtenError, OSError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
