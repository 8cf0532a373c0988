"""Backward passes over the runtime under test: their stream, their order, several devices, values as on the CPU."""

from __future__ import annotations

import pytest

from gates.status import check
from gates.tensors import extremes


def slow_copy(runtime, backward):
    """An autograd.Function that copies its input; the copy is late: it comes after other work of the current stream. In
    forward or, with `backward`, for the gradient."""
    import torch

    def late(tensor):
        stream = torch.accelerator.current_stream(tensor.device)
        with runtime.on(tensor.device.index):
            runtime.occupy(stream.native_handle, 120)
        return torch.zeros_like(tensor).copy_(tensor)

    class SlowCopy(torch.autograd.Function):
        streams: list = []  # noqa: RUF012  of each backward

        @staticmethod
        def forward(ctx, x):
            return x.clone() if backward else late(x)

        @staticmethod
        def backward(ctx, grad):
            SlowCopy.streams.append(torch.accelerator.current_stream(grad.device))
            return late(grad) if backward else grad.clone()

    return SlowCopy


@pytest.mark.gate("runtime.autograd.stream")
def test_backward_runs_on_the_stream_of_forward(device, runtime):
    """Exit criterion: backward runs on the stream that forward ran on, and gradients are complete for the stream that
    called backward(): nobody has to synchronise."""
    import torch

    size = 1 << 20
    x = torch.ones(size, device=device, requires_grad=True)
    torch.accelerator.synchronize()
    side, work = torch.Stream(device), slow_copy(runtime, backward=True)
    side.wait_stream(torch.accelerator.current_stream())
    with side:
        y = work.apply(x)
        factor = torch.full((size,), 3.0, device=device)
    y.record_stream(side)
    torch.accelerator.current_stream().wait_stream(side)
    y.backward(factor)
    check(work.streams == [side], "backward ran on another stream", expected=side, found=work.streams)
    check(bool((x.grad.cpu() == 3).all()), "the caller's stream saw a gradient that was not complete")


@pytest.mark.gate("runtime.autograd.gradient_from_caller")
def test_backward_waits_for_the_gradient_that_it_is_given(device, runtime):
    """Exit criterion: a gradient that the caller's stream is still writing is complete when the stream of forward reads
    it."""
    import torch

    size = 1 << 20
    x = torch.ones(size, device=device, requires_grad=True)
    side = torch.Stream(device)
    torch.accelerator.synchronize()
    with side:
        y = x.clone()
    side.synchronize()
    seed, source = torch.zeros(size, device=device), torch.full((size,), 5.0, device=device)
    torch.accelerator.synchronize()
    runtime.occupy(torch.accelerator.current_stream().native_handle, 120)
    seed.copy_(source)
    y.backward(seed)
    check(bool((x.grad.cpu() == 5).all()), "the stream of forward read a gradient that was not complete")


@pytest.mark.gate("runtime.autograd.devices", requires=["several_devices"])
def test_gradients_cross_devices_in_order(device, runtime, second_device):
    """Exit criterion: a graph over two devices gives each leaf its gradient on its own device, complete, although both
    devices have work before it, and leaves the current device alone."""
    import torch

    size = 1 << 18
    here = torch.ones(size, device=f"{device}:0", requires_grad=True)
    there = torch.full((size,), 2.0, device=f"{device}:{second_device}", requires_grad=True)
    late, late_back = slow_copy(runtime, backward=False), slow_copy(runtime, backward=True)
    moved = late.apply(here * 3).to(there.device)
    product = late_back.apply(late.apply(moved) * there)
    product.to(here.device).sum().backward()
    for name, leaf, expected in (("first", here, 6), ("second", there, 3)):
        check(
            leaf.grad.device == leaf.device, f"the gradient of the {name} device is elsewhere", found=leaf.grad.device
        )
        found = extremes(leaf.grad)
        check(found == (expected, expected), f"the gradient of the {name} device", expected=expected, found=found)
    check(runtime.device() == 0, "backward moved the current device", found=runtime.device())


@pytest.mark.gate("runtime.autograd.training")
def test_training_is_that_of_the_cpu(device):
    """Exit criterion: a model with convolution, normalisation and linear layers trains as on the CPU, step by step,
    running statistics included."""
    import copy

    import torch

    torch.manual_seed(0)
    nn = torch.nn
    layers = nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4), nn.Flatten(), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 2)
    reference = nn.Sequential(*layers)
    model = copy.deepcopy(reference).to(device)
    batches = [(torch.randn(8, 3, 6), torch.arange(8) % 2) for _ in range(3)]

    def train(module, place):
        momentum = [torch.zeros_like(parameter) for parameter in module.parameters()]
        for x, y in batches:
            module.zero_grad()
            loss = nn.functional.cross_entropy(module(x.to(place)), y.to(place))
            loss.backward()
            nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            with torch.no_grad():  # by hand: torch.optim imports a compiler
                for parameter, kept in zip(module.parameters(), momentum, strict=True):
                    parameter -= kept.mul_(0.9).add_(parameter.grad, alpha=0.05)
            yield loss.item()

    losses = list(train(model, device)), list(train(reference, "cpu"))
    check(losses[0] == pytest.approx(losses[1], rel=1e-4), "losses", expected=losses[1], found=losses[0])
    for name, expected in reference.state_dict().items():  # running statistics included
        found = model.state_dict()[name]
        check(found.device.type == device, f"{name} left the device", found=found.device)
        close = torch.allclose(found.cpu(), expected, rtol=1e-3, atol=1e-5)
        check(close, f"{name} is not that of the CPU", expected=expected.flatten()[:4], found=found.flatten()[:4])


@pytest.mark.gate("runtime.autograd.layers")
def test_layers_and_their_gradients_are_those_of_the_cpu(device):
    """Exit criterion: the layers that PyTorch runs through operators of their own on a device, recurrent, transposed
    convolution, attention and embedding, give the CPU's values and gradients."""
    import copy

    import torch

    nn = torch.nn
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    for name, layer, arguments in (
        ("LSTM", nn.LSTM(6, 5), (torch.randn(4, 3, 6),)),
        ("GRU", nn.GRU(6, 5), (torch.randn(4, 3, 6),)),
        ("ConvTranspose1d", nn.ConvTranspose1d(4, 6, 3, stride=2, groups=2), (torch.randn(2, 4, 7),)),
        ("Conv2d", nn.Conv2d(4, 6, 3, groups=2), (torch.randn(2, 4, 7, 7),)),
        ("MultiheadAttention", attention, (torch.randn(2, 5, 8),) * 3),
        ("Embedding", nn.Embedding(9, 4), (torch.arange(6) % 9,)),
    ):
        there = copy.deepcopy(layer).to(device)

        def run(module, *inputs):
            found = module(*inputs)
            found = found[0] if isinstance(found, tuple) else found
            found.square().sum().backward()
            return [found, *(parameter.grad for parameter in module.parameters())]

        expected, found = run(layer, *arguments), run(there, *(argument.to(device) for argument in arguments))
        for place, (a, b) in enumerate(zip(expected, found, strict=True)):
            what = f"{name}: gradient {place}" if place else f"{name}: the result"
            check(b.device.type == device, f"{what} left the device", found=b.device)
            close = torch.allclose(b.detach().cpu(), a.detach(), rtol=1e-3, atol=1e-5)
            check(close, f"{what} is not that of the CPU", expected=a.flatten()[:4], found=b.flatten()[:4])
