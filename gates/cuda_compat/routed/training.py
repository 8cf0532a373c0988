"""A step of training, indexed writes and attention: the device beside the CPU, forward and backward."""

from __future__ import annotations

import copy

import torch
from torch.nn import functional

from gates.cuda_compat.routed import DEVICE, same
from torch_fl import flagos

FUSED = ("flash", "efficient", "cudnn")
REDUCED = 1e-2  # of the largest value: convolutions may round their factors to ten bits, half precision has no more


class Small(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.LayerNorm([8, 6, 6])
        self.dropout = torch.nn.Dropout(0.3)
        self.linear = torch.nn.Linear(8 * 36, 10)
        self.kept = torch.empty(0)  # what the last dropout kept, scaled: the CPU drops the same

    def forward(self, x: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        x = self.norm(self.convolution(x))
        dropped = self.dropout(x) if kept is None else x * kept
        self.kept = torch.where(x == 0, 0, dropped / x).detach()
        return self.linear(dropped.flatten(1))


def step() -> dict[str, list[float]]:
    """Three steps, each compared by itself: the loss, the gradients, and what AdamW makes of the same gradients."""
    torch.manual_seed(0)
    there, here = (model := Small()).to(DEVICE), copy.deepcopy(model).cpu()
    optimizers = [torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True) for model in (there, here)]
    losses = []
    for number in range(3):
        x, target = torch.randn(16, 3, 8, 8), torch.randint(10, (16,))
        loss = functional.cross_entropy(there(x.to(DEVICE)), target.to(DEVICE))
        expected = functional.cross_entropy(here(x, there.kept.cpu()), target)
        same(loss, expected, f"the loss of step {number}", REDUCED)
        loss.backward()
        expected.backward()
        for (name, mine), theirs in zip(there.named_parameters(), here.parameters(), strict=True):
            assert mine.grad is not None and theirs.grad is not None
            same(mine.grad, theirs.grad, f"the gradient of {name} in step {number}", REDUCED)
            theirs.grad.copy_(mine.grad)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        for (name, mine), theirs in zip(there.named_parameters(), here.parameters(), strict=True):
            same(mine, theirs, f"{name} after step {number}", 1e-5)
        losses.append(loss.item())
    return {"losses": losses}


def mixed_precision() -> list[float]:
    """Steps in half precision with scaled gradients: losses and weights are the CPU's in full precision. An infinite gradient
    skips its step. Returns the scales."""
    torch.manual_seed(0)
    here = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4))
    there = copy.deepcopy(here).to(DEVICE)
    device = torch.device(DEVICE).type
    scaler = torch.amp.GradScaler(device, init_scale=2.0**10)
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (there, here)]
    scales = []
    for number in range(3):
        x, target = torch.randn(16, 8), torch.randint(4, (16,))
        with torch.autocast(device, torch.float16):
            loss = functional.cross_entropy(there(x.to(DEVICE)), target.to(DEVICE))
        expected = functional.cross_entropy(here(x), target)
        same(loss, expected, f"the loss of step {number}", REDUCED)
        scaler.scale(loss).backward()
        expected.backward()
        last = number == 2
        if last:
            first = next(there.parameters()).grad
            assert first is not None
            first[0, 0] = float("inf")
        scaler.step(optimizers[0])
        scaler.update()
        if not last:
            optimizers[1].step()
        for optimizer in optimizers:
            optimizer.zero_grad()
        for (name, mine), theirs in zip(there.named_parameters(), here.parameters(), strict=True):
            same(mine, theirs, f"{name} after step {number}", REDUCED)
        scales.append(scaler.get_scale())
    assert scales == [2.0**10, 2.0**10, 2.0**9], f"the scales are {scales}, expected the last to be half of the others"
    return scales


def leaves_torch_cuda_alone() -> bool:
    """Whether a process that trained has initialised the Python side of CUDA."""
    step()
    return torch.cuda.is_initialized()


def indexed_writes() -> None:
    rows = torch.tensor([3, 0, 3])
    columns = torch.tensor([1, 1, 4])
    for accumulate in (False, True):
        written, values = torch.arange(20.0).reshape(4, 5), torch.tensor([7.0, 8.0, 7.0])
        there = written.to(DEVICE)
        there.index_put_((rows.to(DEVICE), columns.to(DEVICE)), values.to(DEVICE), accumulate=accumulate)
        written.index_put_((rows, columns), values, accumulate=accumulate)
        same(there, written, f"index_put_, accumulate={accumulate}")
    both = []
    for device in ("cpu", DEVICE):
        x = torch.arange(20.0, device=device).reshape(4, 5).requires_grad_()
        new = torch.ones(2, 5, device=device, requires_grad=True)
        y = x * 2
        y[rows[:2].to(device)] = new * 3
        (y[rows.to(device)] ** 2).sum().backward()
        assert x.grad is not None and new.grad is not None
        both.append((y, x.grad, new.grad))
    for name, expected, found in zip(("y", "the gradient of x", "the gradient of new"), *both, strict=True):
        same(found, expected, f"y[rows] = new: {name}")


def attention(dtype: torch.dtype, causal: bool) -> None:
    generator = torch.Generator().manual_seed(1)
    inputs = [torch.randn(2, 4, 64, 32, generator=generator).to(dtype).float() for _ in range(3)]
    here = [x.clone().requires_grad_() for x in inputs]
    there = [x.to(DEVICE, dtype).requires_grad_() for x in inputs]
    expected, found = (functional.scaled_dot_product_attention(q, k, v, is_causal=causal) for q, k, v in (here, there))
    expected.square().sum().backward()
    found.float().square().sum().backward()
    what = f"attention of {dtype}, causal={causal}"
    same(found, expected, what, REDUCED)
    for name, mine, theirs in zip("qkv", there, here, strict=True):
        assert mine.grad is not None and theirs.grad is not None
        same(mine.grad, theirs.grad, f"{what}: the gradient of {name}", REDUCED)


def indexing_and_attention() -> list[str]:
    """Returns the kernels of fused attention that the target has and the conf routes."""
    indexed_writes()
    for dtype in (torch.float32, torch.float16):
        for causal in (False, True):
            attention(dtype, causal)
    return [name for kind in FUSED if (name := f"_scaled_dot_product_{kind}_attention") in flagos.routes()]
