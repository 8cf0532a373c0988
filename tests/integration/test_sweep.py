"""A sweep names the operator that is wrong, and outlives one that ends its process."""

from __future__ import annotations

import signal

import pytest

from generators.sweep import SweepError
from generators.sweep.workers import Sweep, Worker

WRONG = """
import torch, torch_fl
from generators.sweep.comparing import target
from generators.sweep.shadow import Shadow
wrong = torch.library.Library("aten", "IMPL")
wrong.impl("erf", lambda x: torch.ones_like(x), "PrivateUse1")
target.device = "flagos:0"
x = torch.linspace(0, 1, 4, device="flagos:0")
with Shadow() as shadow:
    y = torch.erf(x * 2).sum() + torch.rand(3, device="flagos:0").sum()
    torch.empty(2, device="flagos:0")
print(sorted(shadow.wrong), sorted(shadow.right & {"mul.Tensor", "sum", "erf"}))
"""


def test_operator_that_is_wrong_is_named(run_forked):
    """And no other: its result goes on as it is, so that what comes after it is given the same on both sides."""
    done = run_forked(WRONG)
    assert done.stdout == "['erf'] ['mul.Tensor', 'sum']\n", done.stderr


REFERENCE = """
import torch, torch_fl
from generators.sweep.comparing import Reference, Refused, Side, expect, target
target.device, target.kernels = "flagos:0", "cuda"  # whose numbers would be others

def works_on(*devices):
    def function(x):
        if x.device.type not in devices:
            raise RuntimeError(f"not on {x.device.type}")
        return x.add_(1) + torch.rand(3, device=x.device)
    return function

def ended(function):
    try:
        found, ((x,), _) = expect(Reference(Side.CPU, "any"), function, ((torch.zeros(3),), {}))
        return found.device.type, x.device.type, x.tolist()
    except Exception as error:
        return type(error).__name__, str(error)

print(ended(works_on("cpu", "flagos")))
print(ended(works_on("flagos")))
print(ended(works_on("cpu")))
"""


def test_what_draws_is_compared_with_the_device_itself(run_forked):
    """And what only the device refuses is its failure, not a sample that cannot be compared."""
    assert run_forked(REFERENCE).stdout.splitlines() == [
        "('flagos', 'flagos', [1.0, 1.0, 1.0])",
        "('Refused', 'not on cpu')",
        "('RuntimeError', 'not on flagos')",
    ]


ENTRIES = """
import torch_fl
from collections import Counter
from generators.sweep import checks, worker
from generators.sweep.comparing import target

torch_fl.init()
target.kernels = "cuda"
for entry in worker.entries("operators"):
    if entry.name in ("nn_functional_scaled_dot_product_attention", "randn", "linalg_eigh"):
        counts = Counter()
        entry.check(entry.info, counts)
        print(entry.name, counts["fused"])
"""


def test_entries_are_compared_with_another_device_s_kernels_as_they_can_be(run_forked):
    """Attention by each fused operator that may be there; what seeds itself with itself; vectors up to their signs."""
    assert sorted(run_forked(ENTRIES).stdout.splitlines()) == [
        "linalg_eigh 0",
        "nn_functional_scaled_dot_product_attention 75",
        "randn 0",
    ]


SHARED = """
import torch, torch_fl
from generators.sweep.comparing import target
from generators.sweep.shadow import Shadow
kernels = torch.library.Library("aten", "IMPL")

def topk(x, k, dim=-1, largest=True, sorted=True):
    values, numbers = torch.topk(x.cpu(), k)
    return (values + off).to(x.device), (numbers * 0).to(x.device)

kernels.impl("topk", topk, "PrivateUse1")
target.device, target.kernels = "flagos:0", "cuda"
for off in (0, 1):
    with Shadow() as shadow:
        torch.topk(torch.ones(4, device="flagos:0"), 2)
    print(sorted(shadow.wrong))
"""


def test_of_equal_elements_any_may_be_taken(run_forked):
    assert run_forked(SHARED).stdout == "[]\n['topk']\n"


class Dying(Sweep):
    """Of one suite; the worker that is given its second entry dies of a signal first."""

    def _start(self) -> Worker:
        worker = super()._start()
        ask = worker.ask

        def kill_first(action: str, *arguments: object) -> None:
            if action == "check" and arguments[1] == self.entries[1][1]:
                worker._process.send_signal(signal.SIGKILL)
                worker._process.wait()
            ask(action, *arguments)

        worker.ask = kill_first  # type: ignore[method-assign]
        return worker


def test_entry_that_ends_its_process_is_that_entry_s_failure():
    sweep = Dying("cpu", ["optimizers:4"], jobs=1)
    results = {result["name"]: result for result in sweep.run(sweep.entries)}
    assert len(results) == len(sweep.entries) >= 3
    ended = [results[name]["result"] for _, _, name in sweep.entries]
    assert ended == ["passed", "failed"] + ["passed"] * (len(ended) - 2)
    assert "SIGKILL" in results[sweep.entries[1][2]]["why"]


def test_list_that_cannot_be_read_is_told():
    with pytest.raises(SweepError, match=r"PyTorch's list of nothing cannot be read"):
        Sweep("cpu", ["nothing"], jobs=1)
