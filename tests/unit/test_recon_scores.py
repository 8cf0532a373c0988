"""How good recon's first proposals are, against what people confirmed. `-s` prints the tables."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from generators.files import ROOT, write_if_changed
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
    return answer(proposal) in in_tuple(truth)


@dataclass(frozen=True)
class Score:
    """How many slots of an SDK got what. An SDK fills some and lacks the others."""

    name: str
    fills: int
    right: int
    sure: int  # right, with high confidence
    among: int  # wrong at first, and the right one is listed beside it
    wrong: int
    lacks: int
    seen: int  # lacking, and proposed as that
    confident: tuple[str, ...]  # wrong with high confidence

    @property
    def row(self) -> str:
        numbers = (self.fills, self.right, self.sure, self.among, self.wrong, len(self.confident))
        lacks = f"{self.seen} of {self.lacks}" if self.lacks else "none"
        return f"| {self.name} | {' | '.join(map(str, numbers))} | {lacks} |"


def score_of(sdk: RealSdk) -> Score:
    proposals = {proposal.slot.name: proposal for proposal in propose_for(sdk)}
    lacks = [name for name in SLOTS[:28] if MISSING in in_tuple(sdk.truth[name])]
    fills = [name for name in SLOTS[:28] if name not in lacks]
    good = [name for name in fills if right(proposals[name], sdk.truth[name])]
    among = [name for name in fills if name not in good and listed(proposals[name], sdk.truth[name])]
    return Score(
        name=sdk.name,
        fills=len(fills),
        right=len(good),
        sure=sum(proposals[name].confidence == "high" for name in good),
        among=len(among),
        wrong=len(fills) - len(good) - len(among),
        lacks=len(lacks),
        seen=sum(right(proposals[name], sdk.truth[name]) for name in lacks),
        confident=tuple(
            f"{name}: {answer(found)}"
            for name, found in proposals.items()
            if found.confidence == "high" and not right(found, sdk.truth[name])
        ),
    )


def listed(proposal: Proposal, truth: str | tuple[str, ...]) -> bool:
    return any(f" {name}(" in text.replace("*", " ") for name in in_tuple(truth) for text in proposal.alternatives)


def in_tuple(truth: str | tuple[str, ...]) -> tuple[str, ...]:
    return truth if isinstance(truth, tuple) else (truth,)


@pytest.mark.parametrize("sdk", REAL, ids=lambda sdk: sdk.name)
def test_first_proposals_are_right(sdk):
    found = score_of(sdk)
    print(f"\n{HEAD}\n{found.row}")
    assert found.fills == sdk.of
    assert found.right >= sdk.at_least
    assert not found.confident


@pytest.mark.parametrize("sdk", [sdk for sdk in REAL if sdk.name in TRAPS], ids=lambda sdk: sdk.name)
def test_arguments_are_those_of_the_sdk(sdk):
    proposals = {proposal.slot.name: proposal for proposal in propose_for(sdk)}
    for name, arguments in TRAPS[sdk.name].items():
        assert " ".join(map(str, proposals[name].candidate.binding.arguments)) == arguments, name


# ---- the page ----------------------------------------------------------------------------------------------------

PAGE = ROOT / "docs/reference/recon.md"
COMMAND = "pytest tests/unit/test_recon_scores.py --record"
HEAD = """\
| SDK | slots it fills | first proposal right | of these with high confidence | right one among the alternatives | wrong | wrong with high confidence | slots it lacks, proposed so |
| --- | --- | --- | --- | --- | --- | --- | --- |"""
ABOUT = f"""\
# How good recon's first proposals are

<!-- @generated by {COMMAND}; do not edit. -->
Recon's proposals, untouched, against what people confirmed: the vendor's own map for CUDA, headers read by hand for HIP, ACL and
OpenCL, public sources for XRE and CNRT, whose headers here are written from these. A slot counts as right if its first proposal is.
The words that recon knows were chosen with these SDKs at hand, so the figures say what it can read, not what it will make of yours:
for an SDK made up at random, of the CUDA shape, a test asks for 24 of 28, arguments included (`tests/integration/test_acme.py`).
"""
MEASURED = """\
Recon of the whole CUDA toolkit, {files} headers, took {seconds:.1f} s from start to end on {cpus} CPUs, the shortest of three runs:
`python -m generators.recon --vendor NAME --sdk-path {root}` without what it writes.
"""


def test_page_holds_these_figures(request):
    """Those of the SDKs that are here; with --record the page is written, which takes all of them."""
    absent = [sdk.install for sdk in REAL if sdk.include() is None]
    if request.config.option.record:
        assert not absent, f"to record, provide all SDKs: {'; '.join(absent)}"
        rows = "\n".join(score_of(sdk).row for sdk in REAL)
        write_if_changed(PAGE, f"{ABOUT}\n{HEAD}\n{rows}\n\n{MEASURED.format(**measure_cuda())}")
    page = PAGE.read_text()
    assert page.startswith(f"{ABOUT}\n{HEAD}\n"), COMMAND
    for sdk in REAL:
        if sdk.include() is not None:
            assert f"\n{score_of(sdk).row}\n" in page, COMMAND


def measure_cuda() -> dict[str, object]:
    root = Path("/usr/local/cuda")
    code = (
        f"from pathlib import Path; from generators.recon.survey import *; survey(Request('unknown', Path('{root}')))"
    )
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
        seconds.append(time.perf_counter() - started)
    files = len(list((root / "include").resolve().rglob("*.h")))
    return {"root": root, "files": files, "seconds": min(seconds), "cpus": os.cpu_count()}


# ---- a chip that nobody knows ------------------------------------------------------------------------------------


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
