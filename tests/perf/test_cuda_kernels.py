"""What boxing costs where the kernels are CUDA's: against PyTorch's own CUDA device, in a process and an environment of its
own, in turn with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.perf.conftest import Worker, in_turn

EVERYTHING = """
import sys, torch, torch_fl
routable = torch_fl._C.routable_operators("cuda")
open(sys.argv[1], "w").writelines(f"{name} = cuda\\n" for name in routable)
"""


@pytest.fixture(scope="module")
def routed(device_vendor: str, cuda: Worker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A process with all operators routed to CUDA's kernels."""
    conf = Path(tmp_path_factory.mktemp("conf")) / "everything.conf"
    child = subprocess.run([sys.executable, "-c", EVERYTHING, str(conf)], capture_output=True, text=True)
    if child.returncode != 0:
        pytest.skip(f"no CUDA kernels in this process: {child.stderr.strip().splitlines()[-1]}")
    worker = Worker(sys.executable, "--torch-fl", FLAGOS_BACKEND_CONFIG=str(conf))
    yield worker
    worker.close()


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
def test_small_operator(routed, cuda, ratio, measure, name):
    """Not more than a tenth or 0.8 µs above, whichever is more. In one process where its torch has a CUDA device of its own:
    two processes differ by more than what is measured."""
    yardstick = routed if torch.version.cuda else cuda
    ours, theirs = in_turn((routed, measure, "flagos"), (yardstick, measure, "cuda"), 25)
    ratio(f"{name}, boxed: flagos / torch.cuda", ours, theirs, at_most=round(max(1.10, 1 + 0.8e-6 / theirs), 2))


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("what", ["forward", "step"])
def test_transformer(routed, cuda, ratio, what, dtype):
    measure = f"{what}_{dtype}"
    ours, theirs = in_turn((routed, measure, "flagos"), (cuda, measure, "cuda"), 5)
    ratio(f"transformer, {what}, {dtype}: speed / torch.cuda", theirs, ours, at_least=0.97)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_transformer_learns_alike(routed, cuda, bounded, ratio, dtype):
    """Ten losses, each within 1 % of the other's, and the memory of a step."""
    ours, theirs = (worker.ask(f"losses_{dtype}", device) for worker, device in ((routed, "flagos"), (cuda, "cuda")))
    print(f"losses, {dtype}: flagos {ours}\n              cuda   {theirs}")
    apart = max(abs(one / other - 1) for one, other in zip(ours, theirs, strict=True))
    bounded(f"transformer, {dtype}: losses apart", apart, 0.01, unit="")
    peaks = [worker.ask(f"peak_memory_{dtype}", device) for worker, device in ((routed, "flagos"), (cuda, "cuda"))]
    ratio(f"transformer, {dtype}: peak memory / torch.cuda", *peaks, at_most=1.05)
