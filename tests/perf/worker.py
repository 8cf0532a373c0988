"""Times one thing after another in a process of its own, for comparisons between processes.

    python worker.py [--torch-fl]

reads lines `MEASURE DEVICE` and answers each with seconds per call, or with the value that the measure is, as JSON. It needs torch and nothing of this project, so that
another build of torch can be a yardstick.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import sys
import time
from collections.abc import Callable
from functools import cache, partial

import torch

MIB = 1 << 20
MEASURES: dict[str, Callable[[str], tuple[Callable[[], object], int]]] = {}  # -> what to call, and calls in a row


def measure(make: Callable[[str], tuple[Callable[[], object], int]]) -> Callable:
    MEASURES[make.__name__] = make
    return make


@measure
def empty(device: str) -> tuple[Callable[[], object], int]:
    """A tensor of 16 elements, allocated and dropped; the device is given as an object."""
    where = torch.device(device)
    return lambda: torch.empty(4, 4, device=where), 2000


@measure
def empty_mebi(device: str) -> tuple[Callable[[], object], int]:
    """A tensor of 4 MiB, likewise."""
    where = torch.device(device)
    return lambda: torch.empty(MIB, device=where), 2000


@measure
def empty_as_written(device: str) -> tuple[Callable[[], object], int]:
    """As people write it: the device as text, and none for the CPU."""
    return (lambda: torch.empty(4, 4)) if device == "cpu" else (lambda: torch.empty(4, 4, device=device)), 2000


@measure
def add(device: str) -> tuple[Callable[[], object], int]:
    """A small operator with two inputs and one result, its result on the device."""
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor + tensor, 1000


@measure
def add_in_place(device: str) -> tuple[Callable[[], object], int]:
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor.add_(1), 1000


@measure
def reduce(device: str) -> tuple[Callable[[], object], int]:
    tensor = torch.ones(4, 4, device=device)
    return lambda: tensor.sum(), 1000


# ---- operators whose kernels run on the device itself ----


@measure
def matmul(device: str) -> tuple[Callable[[], object], int]:
    matrix = torch.ones(64, 64, device=device)
    return lambda: matrix @ matrix, 1000


@measure
def layer_norm(device: str) -> tuple[Callable[[], object], int]:
    """Three inputs, three results."""
    rows, weight, bias = (torch.ones(*size, device=device) for size in ((64, 64), (64,), (64,)))
    return lambda: torch.layer_norm(rows, (64,), weight, bias), 1000


@measure
def concatenate(device: str) -> tuple[Callable[[], object], int]:
    tensor = torch.ones(8, 8, device=device)
    return lambda: torch.cat([tensor, tensor]), 1000


# ---- large enough that the kernel is what counts, and the same small ----

OPERATORS: dict[str, tuple[Callable[..., torch.Tensor], tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]] = {
    # name: what is called, sizes of its tensors, and small ones
    "product": (torch.mm, ((1024, 1024), (1024, 1024)), ((8, 8), (8, 8))),
    "convolution": (
        partial(torch.nn.functional.conv2d, padding=1),
        ((1, 64, 56, 56), (64, 64, 3, 3)),
        ((1, 1, 8, 8), (1, 1, 3, 3)),
    ),
    "normalised": (
        lambda x, w, b: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b),
        ((4096, 768), (768,), (768,)),
        ((8, 8), (8,), (8,)),
    ),
    "softmax": (partial(torch.softmax, dim=-1), ((4096, 1024),), ((8, 8),)),
    "gelu": (torch.nn.functional.gelu, ((4096, 1024),), ((8, 8),)),
    "sum_of_two": (torch.add, ((4096, 1024), (4096, 1024)), ((8, 8), (8, 8))),
}


def _operator(name: str, small: bool, device: str) -> tuple[Callable[[], object], int]:
    function, *sizes = OPERATORS[name]
    torch.manual_seed(0)
    tensors = [torch.randn(size).to(device) for size in sizes[small]]
    return lambda: function(*tensors), 2000 if small else 5


for _name in OPERATORS:
    MEASURES[_name] = partial(_operator, _name, False)
    MEASURES[f"small_{_name}"] = partial(_operator, _name, True)


class Block(torch.nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        split = self.qkv(self.norms[0](x)).split(width, 2)
        heads = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in split)
        attended = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(x.shape))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norms[1](x))))


class Transformer(torch.nn.Module):
    """As large as the small GPT-2: 12 blocks of width 768, 50,304 words; its weights are random."""

    def __init__(
        self, words: int = 50304, length: int = 512, width: int = 768, heads: int = 12, depth: int = 12
    ) -> None:
        super().__init__()
        self.words, self.places = torch.nn.Embedding(words, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, words, bias=False)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """The loss of the text's words but the first."""
        places = torch.arange(text.shape[1] - 1, device=text.device)
        logits = self.head(self.norm(self.blocks(self.words(text[:, :-1]) + self.places(places))))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())


@cache
def trainer(device: str, bf16: bool) -> Callable[[bool], float]:
    """A transformer and AdamW on the device; each call takes the next batch, forward only or a whole step, and waits for it.
    Every device starts with the same weights and sees the same text."""
    torch.manual_seed(0)
    model = Transformer().to(device)
    text = torch.randint(50304, (16, 4, 513)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batches = itertools.cycle(text)

    def run(train: bool) -> float:
        with torch.autocast(device, torch.bfloat16, enabled=bf16), torch.set_grad_enabled(train):
            loss = model(next(batches))
        if train:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return loss.item()

    return run


def transformer(train: bool, bf16: bool) -> Callable[[str], tuple[Callable[[], object], int]]:
    return lambda device: (lambda: trainer(device, bf16)(train), 3)


for _bf16 in (False, True):
    MEASURES[f"forward_{'bf16' if _bf16 else 'fp32'}"] = transformer(False, _bf16)
    MEASURES[f"step_{'bf16' if _bf16 else 'fp32'}"] = transformer(True, _bf16)


def peak_memory(device: str, bf16: bool) -> float:
    """Bytes in use at most during a step, with no other model beside it."""
    trainer.cache_clear()
    gc.collect()
    step = trainer(device, bf16)
    step(True)
    torch.accelerator.memory.reset_peak_memory_stats()
    step(True)
    return float(torch.accelerator.memory.max_memory_allocated())


def losses(device: str, bf16: bool) -> list[float]:
    """The first ten, of a model of its own."""
    trainer.cache_clear()
    step = trainer(device, bf16)
    return [step(True) for _ in range(10)]


VALUES: dict[str, Callable[[str], object]] = {
    f"{value.__name__}_{name}": partial(value, bf16=bf16)
    for value in (peak_memory, losses)
    for name, bf16 in (("fp32", False), ("bf16", True))
}


@measure
def upload(device: str) -> tuple[Callable[[], object], int]:
    """64 MiB of pageable memory to the device, finished on return."""
    source, target = torch.ones(16 * MIB), torch.empty(16 * MIB, device=device)
    return lambda: target.copy_(source), 1


@measure
def memmove(device: str) -> tuple[Callable[[], object], int]:
    """64 MiB by the C library, on one thread."""
    source, target = torch.ones(16 * MIB), torch.ones(16 * MIB)
    return lambda: ctypes.memmove(target.data_ptr(), source.data_ptr(), 64 * MIB), 1


def four_copies(target: torch.Tensor, source: torch.Tensor) -> tuple[Callable[[], object], int]:
    """64 MiB, four times in a row, and the wait for them."""

    def copies() -> None:
        for _ in range(4):
            target.copy_(source, non_blocking=True)
        torch.accelerator.synchronize()

    return copies, 1


@measure
def upload_pinned(device: str) -> tuple[Callable[[], object], int]:
    """Pinned memory to the device."""
    return four_copies(torch.empty(16 * MIB, device=device), torch.ones(16 * MIB).pin_memory())


@measure
def download_pinned(device: str) -> tuple[Callable[[], object], int]:
    return four_copies(torch.empty(16 * MIB).pin_memory(), torch.ones(16 * MIB, device=device))


@measure
def transpose(device: str) -> tuple[Callable[[], object], int]:
    """16 MiB copied into a tensor with its dimensions the other way round."""
    source, target = torch.ones(2048, 2048, device=device), torch.empty(2048, 2048, device=device)

    def copy() -> None:
        target.t().copy_(source)
        if device != "cpu":
            torch.accelerator.synchronize()

    return copy, 1


@measure
def synchronize(device: str) -> tuple[Callable[[], object], int]:
    """The wait for an idle device."""
    torch.empty(1, device=device)
    return torch.accelerator.synchronize, 500


@measure
def record(device: str) -> tuple[Callable[[], object], int]:
    """An event recorded on the current stream, which has no other work."""
    event = torch.Event(device=device)
    stream = torch.accelerator.current_stream()
    return lambda: event.record(stream), 500


@measure
def cpu_work(device: str) -> tuple[Callable[[], object], int]:
    """Operators, views, indexing and autograd on the CPU: code that never heard of another device."""
    weight = torch.ones(8, 8, requires_grad=True)
    batch = torch.ones(4, 8)

    def step() -> None:
        hidden = (batch @ weight).relu()[1:].view(-1)
        hidden.sum().backward()
        torch.zeros(4, device="cpu").add_(1)
        batch.to(torch.float32)

    return step, 200


def time_once(function: Callable[[], object], calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - started) / calls


def main() -> None:
    if "--torch-fl" in sys.argv:
        import torch_fl  # noqa: F401
    torch.set_num_threads(1)
    for line in sys.stdin:
        name, device = line.split()
        if name in VALUES:
            print(json.dumps(VALUES[name](device)), flush=True)
            continue
        # Made anew each time: how fast memory is copied depends on the pages that it happens to have.
        made = MEASURES[name](device)
        time_once(*made)  # the first calls fill caches
        print(min(time_once(*made) for _ in range(3)), flush=True)


if __name__ == "__main__":
    main()
