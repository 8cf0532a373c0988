"""How good recon's first proposals are, against what people confirmed. `-s` prints the tables."""

from __future__ import annotations

import time

import pytest

from generators.map.forms import Argument
from generators.recon.headers import read_headers
from generators.recon.proposal import Proposal, propose
from generators.recon.roles import understand
from tests.unit.sdks import RealSdk, make_acme
from tests.unit.truths import FORWARD, MISSING, REAL, SLOTS

TRAPS = {  # what a slot's arguments must be, where the SDK's order or number is not the contract's
    "ACL": {
        "Memcpy": "dst count src count kind",
        "MemcpyAsync": "dst count src count kind stream",
        "PointerGetAttributes": "ptr attributes",
        "Memset": "devPtr count value count",
        "StreamCreateWithPriority": "stream priority flags",
        "StreamQuery": "stream {result: aclrtStreamStatus}",
        "EventQuery": "event {result: aclrtEventRecordedStatus}",
    },
    "CNRT (declarations)": {
        "MemcpyAsync": "dst src count stream kind",
        "StreamWaitEvent": "event stream flags",
        "EventElapsedTime": "start end ms",
    },
    "XRE (simulated)": {"Malloc": "devPtr size {choose: XPUMemoryKind kind}", "StreamWaitEvent": "stream event"},
    "OpenCL": {
        "MemcpyAsync": "stream 0 dst src count 0 null null",
        "MemsetAsync": "stream devPtr {address: value} 1 count 0 null null",
        "EventRecord": "stream 0 null event",
        "EventSynchronize": "1 {address: event}",
    },
}


def answer(proposal: Proposal) -> str:
    return proposal.symbol or (FORWARD if proposal.forward else MISSING)


def propose_for(sdk: RealSdk) -> list[Proposal]:
    include = sdk.include()
    if include is None:
        pytest.skip(f"needs {sdk.name}: {sdk.install}")
    scope = (include / sdk.header).parent
    return propose(understand(read_headers([sdk.header], [include], scope), [include / sdk.header]), None)


def right(proposal: Proposal, truth: str | tuple[str, ...]) -> bool:
    return answer(proposal) in (truth if isinstance(truth, tuple) else (truth,))


@pytest.mark.parametrize("sdk", REAL, ids=lambda sdk: sdk.name)
def test_first_proposals_are_right(sdk):
    started = time.perf_counter()
    proposals = {proposal.slot.name: proposal for proposal in propose_for(sdk)}
    seconds = time.perf_counter() - started
    exist = [name for name in SLOTS[:28] if MISSING not in (sdk.truth[name], *sdk.truth[name])]
    good = [name for name in exist if right(proposals[name], sdk.truth[name])]
    wrong = {name: answer(p) for name, p in proposals.items() if not right(p, sdk.truth[name])}
    confident = {name: found for name, found in wrong.items() if proposals[name].confidence == "high"}
    high = sum(p.confidence == "high" for p in proposals.values())
    print(
        f"\n{sdk.name:20} {len(good)} of {len(exist)} right, {high} with high confidence, {seconds:.1f} s; wrong: {wrong}"
    )
    assert len(exist) == sdk.of
    assert len(good) >= sdk.at_least
    assert not confident
    assert seconds < 10
    for name, arguments in TRAPS.get(sdk.name, {}).items():
        assert " ".join(map(str, proposals[name].candidate.binding.arguments)) == arguments, name


def score_of_acme(tmp_path, seed: int, named: bool) -> tuple[int, list[str]]:
    """Right slots, arguments included; and what is wrong with high confidence."""
    acme = make_acme(tmp_path / "sdk", seed, named)
    include = acme.root / "include"
    proposals = propose(understand(read_headers([acme.header], [include], include), [include / acme.header]), None)
    good, confident = 0, []
    for proposal in proposals:
        name = proposal.slot.name
        expected = {acme.symbols[name], *([FORWARD] if name == "StreamCreate" else [])}
        given = [str(argument) for argument in proposal.candidate.binding.arguments] if proposal.candidate else None
        if answer(proposal) in expected and given in (None, acme.arguments[name]):
            good += name in SLOTS[:28]
        elif proposal.confidence == "high":
            confident.append(f"{name}: {answer(proposal)} {given}")
    return good, confident


@pytest.mark.parametrize("seed", range(6))
def test_a_made_up_vendor_is_read_as_well(tmp_path, seed):
    """A CUDA-shaped API that nobody tuned recon for: a random prefix, other values of the enums, permuted arguments."""
    good, confident = score_of_acme(tmp_path, seed, named=True)
    print(f"\nacme {seed}: {good} of 28 right, arguments included")
    assert good >= 24
    assert not confident


@pytest.mark.parametrize("seed", range(6))
def test_what_only_a_name_could_tell_is_doubted(tmp_path, seed):
    """The same without names of parameters: which of two integers is the priority, nobody can know."""
    good, confident = score_of_acme(tmp_path, seed, named=False)
    print(f"\nacme {seed} without names: {good} of 28 right, arguments included")
    assert good >= 20
    assert not confident


def test_an_argument_prints_as_it_is_written():
    assert str(Argument("array", ("A", 1))) == "{array: [A, 1]}"
