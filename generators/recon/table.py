"""Recon's result for the terminal: one line a slot, the findings, what to do next."""

from __future__ import annotations

from collections import Counter

from generators.documents import shorten
from generators.map import VENDORS
from generators.recon.lexicon import MEMORY_INFO
from generators.recon.proposal import Proposal
from generators.recon.survey import Request, Survey

WIDTH = 64  # of a signature; longer ones are in the map
MOST = 4  # of other headers


def render_table(found: Survey, request: Request) -> str:
    headers, library = found.api.headers, found.library
    lines = [
        f"{len(found.api.functions)} functions '{''.join(found.api.prefix)}…' in {len(headers.files)} headers, parsed as {headers.language.upper()}"
    ]
    if found.map and not request.headers:
        lines.append(f"header {', '.join(found.map.sdk.headers)}; if that is not the one: {request.with_header()}")
        lines += map(str, found.others[:MOST])
    if library:
        lines.append(f"library {library.path} ({library.soname or 'no SONAME'})")
    else:
        lines.append("no library at hand: what it exports was not looked at")
    lines.append(f"{'slot':28}  {'proposed':{WIDTH}}  {'confidence':10}  why")
    lines += [_line(proposal) for proposal in found.proposals]
    counts = Counter(_confidence(p) for p in found.proposals if p.slot.name != MEMORY_INFO)
    folder = shorten(VENDORS / request.vendor)
    extra = next(p for p in found.proposals if p.slot.name == MEMORY_INFO)
    questions = len(found.map.open_questions) if found.map else 0
    lines.append(
        f"{counts['high']} high · {counts['low']} low · {counts['emulation']} emulations · {counts['gap']} gaps"
        f" of {counts.total()} slots; {MEMORY_INFO}: {_confidence(extra)}"
        + (f" · {questions} arguments to choose" if questions else "")
    )
    lines.append(f"Review {folder}/runtime-api-map.md, edit and confirm runtime-api-map.yaml beside it, then:")
    lines.append(
        "  python -m generators.reports --write    # the page, as the map is now, and the tables of all vendors"
    )
    lines.append("  git add docs && git commit")
    lines.append(f"  python -m generators.runtime --vendor {request.vendor}")
    lines.append(f"  pytest gates/runtime --vendor {request.vendor} --sdk-path {request.sdk_path}")
    return "\n".join(lines)


def _confidence(proposal: Proposal) -> str:
    if proposal.candidate or proposal.forward:
        return proposal.confidence
    return "emulation" if proposal.emulation else "gap"


def _line(proposal: Proposal) -> str:
    if proposal.candidate:
        text = proposal.signature
    elif proposal.forward:
        text = f"→ {proposal.forward}({', '.join(proposal.forward_arguments)})"
    else:
        text = f"— {proposal.emulation}".rstrip()
    text = text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
    return f"{proposal.slot.name:28}  {text:{WIDTH}}  {_confidence(proposal):10}  {proposal.why}"
