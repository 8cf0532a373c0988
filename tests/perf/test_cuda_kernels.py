"""What boxing costs where the kernels are CUDA's: against PyTorch's own CUDA device, in a process and an environment of its
own, in turn with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
import torch

from tests.perf.conftest import Worker, in_turn


@pytest.fixture(scope="module")
def routed(device_vendor: str) -> Iterator[Worker]:
    """A process with the routes of the vendor's conf."""
    worker = Worker(sys.executable, "--torch-fl")
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def beside(routed: Worker, cuda: Worker) -> Worker:
    """The process with PyTorch's own CUDA device: the same one, where its torch has that. Two processes differ by more than
    what is measured."""
    return routed if torch.version.cuda else cuda


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("add", "add of 16 elements"),
        ("add_in_place", "add_ of 16 elements"),
        ("matmul", "matrix product of 64×64"),
        ("layer_norm", "layer_norm of 64×64"),
        ("concatenate", "cat of two 8×8"),
    ],
)
def test_small_operator(routed, beside, ratio, measure, name):
    """Not more than a tenth or 0.8 µs above, whichever is more."""
    ours, theirs = in_turn((routed, measure, "flagos"), (beside, measure, "cuda"), 25)
    ratio(f"{name}, boxed: flagos / torch.cuda", ours, theirs, at_most=round(max(1.10, 1 + 0.8e-6 / theirs), 2))


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_transformer_forward(routed, beside, ratio, dtype):
    ours, theirs = in_turn((routed, f"forward_{dtype}", "flagos"), (beside, f"forward_{dtype}", "cuda"), 9)
    ratio(f"transformer, forward, {dtype}: speed / torch.cuda", theirs, ours, at_least=0.97)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_transformer_step(routed, cuda, ratio, dtype):
    """In two processes: autograd knows one accelerator in each."""
    ours, theirs = in_turn((routed, f"step_{dtype}", "flagos"), (cuda, f"step_{dtype}", "cuda"), 9)
    ratio(f"transformer, step, {dtype}: speed / torch.cuda", theirs, ours, at_least=0.97)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_transformer_learns_alike(routed, cuda, bounded, ratio, dtype):
    """Ten losses, each within 1 % of the other's, and the memory of a step."""
    ours, theirs = (worker.ask(f"losses_{dtype}", device) for worker, device in ((routed, "flagos"), (cuda, "cuda")))
    print(f"losses, {dtype}: flagos {ours}\n              cuda   {theirs}")
    apart = max(abs(one / other - 1) for one, other in zip(ours, theirs, strict=True))
    bounded(f"transformer, {dtype}: losses apart", apart, 0.01, unit="")
    peaks = [worker.ask(f"peak_memory_{dtype}", device) for worker, device in ((routed, "flagos"), (cuda, "cuda"))]
    ratio(f"transformer, {dtype}: peak memory / torch.cuda", *peaks, at_most=1.05)
