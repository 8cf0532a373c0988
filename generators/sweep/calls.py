"""What PyTorch's lists do not call although programs do, as a list of their kind: gradient scaling, synchronised batch norm, the
fast path of transformers, products into another dtype, fake quantisation.

Imports torch, and its lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.testing import make_tensor
from torch.testing._internal.common_dtype import _dispatch_dtypes
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from generators.sweep.comparing import target

FLOAT = (torch.float32,)
HALF = (torch.float16, torch.bfloat16)


def entry(
    name: str,
    call: Callable[..., Any],
    samples: Callable[..., Iterator[SampleInput]],
    dtypes: tuple[torch.dtype, ...] = FLOAT,
    *,
    gradient: bool = False,
) -> OpInfo:
    """`samples` gets a function that makes tensors of a size."""

    def sample_inputs(
        _: OpInfo, device: str, dtype: torch.dtype, requires_grad: bool, **__: Any
    ) -> Iterator[SampleInput]:
        yield from samples(partial(make_tensor, dtype=dtype, device=device, requires_grad=requires_grad))

    return OpInfo(
        name,
        op=call,
        dtypes=_dispatch_dtypes(dtypes),
        sample_inputs_func=sample_inputs,
        supports_out=False,
        supports_autograd=gradient,
    )


def tensors(*sizes: tuple[int, ...]) -> Callable[..., Iterator[SampleInput]]:
    """One sample, of tensors of these sizes."""

    def samples(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
        first, *others = (make(size) for size in sizes)
        yield SampleInput(first, args=tuple(others))

    return samples


def by_formula(tensor: torch.Tensor) -> bool:
    """Where an operator has no kernel for the CPU: whether to compute what it does by others."""
    return tensor.device.type == "cpu" or target.exact


# ---- gradient scaling (torch.amp.GradScaler) ----


def unscale(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for value in (1.0, float("inf"), float("nan")):
        grads = [make(3, 4), make(5).mul(value)]
        yield SampleInput(grads, args=(torch.zeros(1), torch.full((1,), 0.25)))


def update_scale(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for steps, found in ((0, 0.0), (1999, 0.0), (5, 1.0)):
        tracker = torch.full((1,), steps, dtype=torch.int32)
        yield SampleInput(torch.full((1,), 1024.0), args=(tracker, torch.full((1,), found), 2.0, 0.5, 2000))


# ---- optimisers whose learning rate is a tensor ----


def fused_adam(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for amsgrad in (False, True):
        params, grads, averages = ([make(3, 4), make(5)] for _ in range(3))
        squares, largest = ([make(3, 4).abs(), make(5).abs()] for _ in range(2))
        state = (averages, squares, largest if amsgrad else [], [torch.full((), 3.0), torch.full((), 3.0)])
        settings = {
            "beta1": 0.9,
            "beta2": 0.99,
            "weight_decay": 0.1,
            "eps": 1e-6,
            "amsgrad": amsgrad,
            "maximize": False,
        }
        yield SampleInput(params, args=(grads, *state), kwargs={"lr": torch.tensor(0.01), **settings})


# ---- synchronised batch norm ----


def batch_norm_of_parts(x: Any, grad: Any, weight: Any, bias: Any, mean: Any, var: Any) -> tuple:
    """torch.nn.SyncBatchNorm's operators, of two processes that see the halves of a batch."""
    if by_formula(x):
        x, weight, bias = (tensor.detach().requires_grad_() for tensor in (x, weight, bias))
        y = torch.nn.functional.batch_norm(x, mean, var, weight, bias, training=True)
        return y.detach(), *torch.autograd.grad(y, (x, weight, bias), grad)
    halves = [torch.batch_norm_stats(half, 1e-5) for half in x.chunk(2)]
    means, inverses = (torch.stack(values) for values in zip(*halves, strict=True))
    counts = torch.full((2,), x.numel() // x.shape[1] // 2, dtype=x.dtype, device=x.device)
    center, inverse = torch.batch_norm_gather_stats_with_counts(x, means, inverses, mean, var, 0.1, 1e-5, counts)
    y = torch.batch_norm_elemt(x, weight, bias, center, inverse, 1e-5)
    sums = torch.batch_norm_backward_reduce(grad, x, center, inverse, weight, True, True, True)
    total = counts.sum().int().reshape(1)
    back = torch.batch_norm_backward_elemt(grad, x, center, inverse, weight, *sums[:2], total)
    return y, back, *sums[2:]


def batches(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for size in ((4, 3, 5), (2, 3, 4, 4)):
        yield SampleInput(make(size), args=(make(size), make(3), make(3), torch.zeros(3), torch.ones(3)))


# ---- the fast path of transformers ----


def attention(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    x = make(2, 5, 8)
    weights = (make(24, 8), make(24), make(8, 8), make(8))
    mask = torch.zeros(2, 5, dtype=torch.bool).index_fill_(1, torch.tensor([4]), True)
    for kwargs in ({}, {"need_weights": False}, {"mask": mask, "mask_type": 1}):
        yield SampleInput(x, args=(x, x, 8, 2, *weights), kwargs=kwargs)


def encoder_layer(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    weights = (make(24, 8), make(24), make(8, 8), make(8))
    norms, feed_forward = (make(8), make(8), make(8), make(8)), (make(16, 8), make(16), make(8, 16), make(8))
    for gelu, first in ((False, False), (True, True)):
        yield SampleInput(make(2, 5, 8), args=(8, 2, *weights, gelu, first, 1e-5, *norms, *feed_forward))


def masked_softmax(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    yield SampleInput(make(2, 2, 5, 5), args=(torch.arange(10).reshape(2, 5) % 3 == 0, 3, 1))
    yield SampleInput(make(2, 2, 5, 5), args=(torch.ones(5, 5, dtype=torch.bool).triu(1), 3, 0))


# ---- products into another dtype ----


def wider(product: Callable[..., torch.Tensor], *tensors: torch.Tensor) -> torch.Tensor:
    if by_formula(tensors[0]):
        return product(*(tensor.float() for tensor in tensors))
    return product(*tensors, out_dtype=torch.float32)


# ---- fake quantisation ----


def fake_quantised(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for zero in (0, 3):
        yield SampleInput(make(4, 5), args=(torch.tensor([0.1]), torch.tensor([zero], dtype=torch.int32), -128, 127))


def fake_quantised_by_channel(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    scales, zeros = torch.tensor([0.1, 0.2, 0.05, 0.3]), torch.tensor([0, 3, -2, 1], dtype=torch.int32)
    yield SampleInput(make(4, 5), args=(scales, zeros, 0, -128, 127))


# ---- single operators ----


def tangent(x: torch.Tensor, direction: torch.Tensor) -> Any:
    """Of the gated linear unit and of its gradient."""

    def gradient(x: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda x: torch.nn.functional.glu(x).sin().sum())(x)

    glu = torch.func.jvp(torch.nn.functional.glu, (x,), (direction,))
    return glu, torch.func.jvp(gradient, (x,), (direction,))


def pad(x: torch.Tensor, mode: str) -> torch.Tensor:
    return torch.nn.functional.pad(x, (1, 1, 1, 0, 0, 1), mode)


def padded(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    for mode in ("reflect", "replicate"):
        yield SampleInput(make(1, 2, 3, 3, 3), args=(mode,))


def among(make: Callable[..., torch.Tensor]) -> Iterator[SampleInput]:
    values = make(3, 3)
    yield SampleInput(values, args=(values[0, 0].item(),))
    yield SampleInput(values[0, 0].item(), args=(values,))


CALLS = [
    entry("amp_unscale", torch._amp_foreach_non_finite_check_and_unscale_, unscale, (torch.float32, torch.float16)),
    entry("amp_update_scale", torch._amp_update_scale_, update_scale),
    entry("fused_adam_with_tensor_lr", torch._fused_adam_, fused_adam),
    entry("fused_adamw_with_tensor_lr", torch._fused_adamw_, fused_adam),
    entry("sync_batch_norm", batch_norm_of_parts, batches),
    entry("multi_head_attention", torch._native_multi_head_attention, attention),
    entry("transformer_encoder_layer", torch._transformer_encoder_layer_fwd, encoder_layer),
    entry("masked_softmax", torch._masked_softmax, masked_softmax),
    entry("mm_into_float", partial(wider, torch.mm), tensors((8, 16), (16, 8)), HALF),
    entry("bmm_into_float", partial(wider, torch.bmm), tensors((2, 8, 16), (2, 16, 8)), HALF),
    entry("addmm_into_float", partial(wider, torch.addmm), tensors((8, 8), (8, 16), (16, 8)), HALF),
    entry("baddbmm_into_float", partial(wider, torch.baddbmm), tensors((2, 8, 8), (2, 8, 16), (2, 16, 8)), HALF),
    entry("int_mm", torch._int_mm, tensors((24, 16), (16, 8)), (torch.int8,)),
    entry("fake_quantize", torch.fake_quantize_per_tensor_affine, fake_quantised, gradient=True),
    entry("fake_quantize_by_channel", torch.fake_quantize_per_channel_affine, fake_quantised_by_channel, gradient=True),
    entry(
        "instance_statistics",
        torch._native_batch_norm_legit,
        lambda make: iter([SampleInput(make(2, 3, 4), args=(make(3), make(3), True, 0.1, 1e-5))]),
        gradient=True,
    ),
    entry(
        "resize_with_antialias",
        partial(torch.nn.functional.interpolate, scale_factor=0.5, mode="bicubic", antialias=True),
        tensors((1, 2, 8, 8)),
        gradient=True,
    ),
    entry("pad_in_three_dimensions", pad, padded, gradient=True),
    entry("glu_tangent", tangent, tensors((4, 6), (4, 6))),
    entry("isin_with_a_number", torch.isin, among),
    entry(
        "assert_async",
        torch._assert_async,
        lambda make: iter([SampleInput(torch.tensor(True)), SampleInput(torch.tensor(True), args=("holds",))]),
    ),
]
