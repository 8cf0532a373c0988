"""Propose what fills each slot: rank the SDK's functions by name and by signature, then give each to one slot."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from generators.contract import Function
from generators.map.forms import EMULATIONS
from generators.map.schema import CONTRACT_SLOTS, CONTRACT_VIRTUALS
from generators.recon.binding import Binding, bind
from generators.recon.headers import SdkFunction
from generators.recon.lexicon import IGNORED, MEMORY_INFO, SENSES, SHARED, Sense, concepts_of, words_of
from generators.recon.readings import pointer_fields
from generators.recon.roles import Api, code_prefixes, error_of, status_codes

NAME_WEIGHT = 0.6  # the rest is the signature's
ENOUGH = 0.62  # below it a candidate is only the nearest
SURE = 0.9
MARGIN = 0.08  # by which a sure candidate leads the next


@dataclass
class Candidate:
    function: SdkFunction
    binding: Binding
    name_score: float
    score: float


@dataclass
class Proposal:
    """What recon proposes for a slot: one of function, forward and emulation, else a gap."""

    slot: Function
    candidate: Candidate | None = None
    forward: str = ""
    forward_arguments: tuple[str, ...] = ()
    emulation: str = ""
    confidence: str = "low"
    why: str = ""
    alternatives: list[str] = field(default_factory=list)  # signatures of the next candidates

    @property
    def symbol(self) -> str:
        return self.candidate.function.name if self.candidate else ""

    @property
    def signature(self) -> str:
        return str(self.candidate.function.declaration) if self.candidate else ""


def wanted_slots() -> list[Function]:
    return [*CONTRACT_SLOTS.values(), CONTRACT_VIRTUALS[MEMORY_INFO]]


def name_score(function: SdkFunction, sense: Sense, api: Api) -> float:
    """How well a name says the slot: 1 if it says each concept and nothing else. A concept that only the types of the
    parameters say counts for less."""
    words = [word for word in api.words(function) if word not in IGNORED and not word.isdigit()]
    said: set[str] = set()
    extra = 0
    for word in words:
        concepts = concepts_of(word)
        new = [c for c in concepts if c in sense.needs and c not in said]
        if new:
            said.update(new if len(concepts) > 1 else new[:1])
        elif not set(concepts) & {*sense.may, *sense.needs}:
            extra += 1
    implied = {role.rpartition(":")[2] for role in api.roles(function)}
    implied |= {c for p in function.parameters for w in words_of(p.formal.name) for c in concepts_of(w)} & {"priority"}
    total = sum(1.0 if c in said else 0.6 if c in implied else 0.0 for c in sense.needs)
    return max(0.0, total / len(sense.needs) - 0.2 * extra)


def rank(slot: Function, api: Api) -> list[Candidate]:
    """The functions that might fill a slot, best first."""
    sense = SENSES[slot.name]
    candidates = []
    for function in api.functions:
        named = name_score(function, sense, api)
        if named < 0.4:
            continue
        binding = bind(function, slot, api)
        score = NAME_WEIGHT * named + (1 - NAME_WEIGHT) * binding.fit
        if function.deprecated or re.search(r"[@\\]deprecated", function.comment):
            score -= 0.1
            binding.remarks.append("deprecated")
        candidates.append(Candidate(function, binding, named, score))
    return sorted(candidates, key=lambda c: (-c.score, -c.binding.named, len(c.function.name), c.function.name))


def propose(api: Api, exports: frozenset[str] | None) -> list[Proposal]:
    """A proposal for each of the 28 slots and for get_memory_info. `exports` are the library's, if there is one."""
    ranked = {slot.name: rank(slot, api) for slot in wanted_slots()}
    chosen = _assign(ranked)
    proposals = {}
    for slot in wanted_slots():
        proposals[slot.name] = _describe(slot, chosen.get(slot.name), ranked[slot.name], api, exports)
    attributes = proposals["PointerGetAttributes"]
    if attributes.candidate and not pointer_fields(attributes.candidate.function, api):
        unread = Proposal(attributes.slot, alternatives=[attributes.signature])
        proposals["PointerGetAttributes"] = unread
    _forward_creations(proposals, api)
    empty = [p for p in proposals.values() if p.candidate is None and not p.forward]
    for proposal in empty + empty:  # an emulation may stand on another one
        if not proposal.emulation:
            _fall_back(proposal, proposals, ranked[proposal.slot.name], api, exports)
    return list(proposals.values())


def _assign(ranked: dict[str, list[Candidate]]) -> dict[str, Candidate]:
    """The best pair first; a function that is taken is offered to no other slot, unless one function serves both."""
    pairs = sorted(
        (
            (c.score, c.binding.named, name, c)
            for name, candidates in ranked.items()
            for c in candidates
            if c.score >= ENOUGH
        ),
        key=lambda pair: (-pair[0], -pair[1], pair[2]),
    )
    chosen: dict[str, Candidate] = {}
    taken: dict[str, str] = {}
    for *_, name, candidate in pairs:
        if name not in chosen and candidate.function.name not in taken:
            chosen[name] = candidate
            taken[candidate.function.name] = name
    for name, other in SHARED.items():
        if name not in chosen and other in chosen:
            function = chosen[other].function.name
            same = next((c for c in ranked[name] if c.function.name == function and c.score >= ENOUGH - 0.12), None)
            if same:
                same.binding.doubts.append(f"also serves {other}")
                chosen[name] = same
    return chosen


def _describe(
    slot: Function, candidate: Candidate | None, ranked: list[Candidate], api: Api, exports: frozenset[str] | None
) -> Proposal:
    proposal = Proposal(slot, candidate)
    others = [c for c in ranked if candidate is None or c.function.name != candidate.function.name][:3]
    if candidate is None:
        return proposal
    binding, function = candidate.binding, candidate.function
    said = "name" if candidate.name_score >= 0.95 else "name in part"
    reasons = [said, "signature" if binding.fit >= 0.95 else "signature in part", *binding.remarks, *binding.doubts]
    if exports is not None and not function.inline and function.symbol not in exports:
        reasons.append("declared, but not exported by the library")
        binding.doubts.append("not exported")
    if needs_not_ready(slot.name, candidate, api):
        reasons.append("no code says not ready: any code but success and the named ones counts as that")
        binding.doubts.append("no code for not ready")
    lead = candidate.score - max((c.score for c in others if not c.binding.doubts or c.score > SURE), default=0.0)
    sure = candidate.score >= SURE and lead >= MARGIN and not binding.doubts and "deprecated" not in binding.remarks
    proposal.confidence = "high" if sure else "low"
    if not sure and candidate.score >= SURE and lead < MARGIN:
        reasons.append(f"close to {others[0].function.name}")
    proposal.why = ", ".join(dict.fromkeys(reasons))
    if not sure:
        proposal.alternatives = [str(c.function.declaration) for c in others if c.score > ENOUGH - 0.15]
    return proposal


def needs_not_ready(slot: str, candidate: Candidate, api: Api) -> bool:
    """A query that returns its status, in an API without a code for not ready."""
    if slot not in ("StreamQuery", "EventQuery") or any(
        a.form in ("result", "choose") for a in candidate.binding.arguments
    ):
        return False
    prefixes = code_prefixes(api)
    return not any(error_of(code.name, prefixes) == "ErrorNotReady" for code in status_codes(api))


def _forward_creations(proposals: dict[str, Proposal], api: Api) -> None:
    """A plain creation is what the contract says of it, where the SDK's own differs or is not there."""
    priority, plain = proposals["StreamCreateWithPriority"], proposals["StreamCreate"]
    non_blocking = [c for c in api.headers.constants if {"stream"} < {*words_of(c)} and _says(c, ("non", "blocking"))]
    if priority.candidate and not priority.candidate.binding.doubts and (non_blocking or not plain.candidate):
        flag = (
            f"{plain.symbol} makes a stream that waits for the default one, {non_blocking[0]} does not"
            if non_blocking
            else ""
        )
        proposals["StreamCreate"] = Proposal(
            plain.slot,
            forward="StreamCreateWithPriority",
            forward_arguments=("stream", "StreamDefault", "0"),
            confidence=priority.confidence,
            why=flag or "no function of its own",
            alternatives=[plain.signature] if plain.candidate else [],
        )
    flags, event = proposals["EventCreateWithFlags"], proposals["EventCreate"]
    if made_by_record(proposals["EventRecord"], api):
        for creation in (flags, event):
            proposals[creation.slot.name] = Proposal(
                creation.slot,
                emulation="recorded_event",
                why=f"{proposals['EventRecord'].symbol} makes the event",
                alternatives=[creation.signature] if creation.candidate else [],
            )
        return
    if flags.candidate and not event.candidate:
        proposals["EventCreate"] = Proposal(
            event.slot,
            forward="EventCreateWithFlags",
            forward_arguments=("event", "EventEnableTiming"),
            confidence=flags.confidence,
            why="no function of its own",
        )


def made_by_record(record: Proposal, api: Api) -> bool:
    """Whether the SDK's event comes into being when it is recorded."""
    return record.candidate is not None and "out:event" in api.roles(record.candidate.function)


def _says(name: str, words: tuple[str, ...]) -> bool:
    text = "".join(words_of(name))
    return "".join(words) in text


def _fall_back(
    proposal: Proposal,
    proposals: dict[str, Proposal],
    ranked: list[Candidate],
    api: Api,
    exports: frozenset[str] | None,
) -> None:
    """An emulation that the SDK's other functions allow, else a gap."""
    name = proposal.slot.name
    near = ranked[0].function.name if ranked else ""
    hidden = _exported_only(name, api, exports)
    reasons = ["no function of the headers fits" + (f"; nearest: {near}" if near else "")]
    if hidden:
        reasons.append(f"exported without a declaration: {', '.join(hidden)}")
    proposal.why = "; ".join(reasons)
    proposal.alternatives = [str(c.function.declaration) for c in ranked[:3]]

    def there(needed: str) -> bool:
        found = proposals[needed]
        return found.candidate is not None or bool(found.forward or found.emulation)

    for key, emulation in EMULATIONS.items():
        if name not in emulation.slots or emulation.calls or key in NEVER_PROPOSED:
            continue
        if key == "no_priorities" and name == "StreamCreateWithPriority" and not there("StreamCreate"):
            continue
        if key == "async_then_wait" and not proposals[f"{name}Async"].candidate:
            continue
        if all(there(needed) for needed in emulation.needs):
            proposal.emulation = key
            return


NEVER_PROPOSED = ("streamless", "host_mapped", "recorded_event")  # a person decides that a chip is like that


def _exported_only(slot: str, api: Api, exports: frozenset[str] | None) -> list[str]:
    """Names that the library exports, that the headers do not declare, and that sound like the slot."""
    sense, declared = SENSES[slot], {f.name for f in api.headers.functions}
    found = []
    for name in sorted(exports or ()):
        words = words_of(name)
        if name in declared or tuple(words[: len(api.prefix)]) != api.prefix:
            continue
        rest = [word for word in words[len(api.prefix) :] if word not in IGNORED]
        said = {concept for word in rest for concept in concepts_of(word)}
        if set(sense.needs) <= said and len(rest) <= len(sense.needs) + len(sense.may):
            found.append(name)
    return found
