"""Tensors of a sample on the CPU and on the device, and whether two results are the same.

Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_map_only


@dataclass
class Target:
    """Where operators run, and the type of device whose kernels they are."""

    device: str = "flagos:1"  # not the current one, so that a result in the wrong place shows
    kernels: str = "cpu"

    @property
    def exact(self) -> bool:
        """Whether the kernels are those of the CPU: then results have the CPU's bits, strides and random numbers."""
        return self.kernels == "cpu"


target = Target()

# Where operators of the device are made of others than the CPU's, rounding differs.
CLOSE: dict[Any, dict[str, float]] = {
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.bfloat16: {"rtol": 2e-2, "atol": 2e-2},
}
# Between kernels of different devices, what PyTorch's own tests allow there (test_compare_cpu); float64 sums in float64.
ACROSS: dict[Any, dict[str, float]] = {
    torch.float64: {"rtol": 1e-5, "atol": 1e-5},
    torch.complex128: {"rtol": 1e-5, "atol": 1e-5},
    torch.float32: {"rtol": 1e-3, "atol": 1e-3},
    torch.complex64: {"rtol": 1e-3, "atol": 1e-3},
    torch.float16: {"rtol": 2e-2, "atol": 2e-2},
    torch.complex32: {"rtol": 2e-2, "atol": 2e-2},
    torch.bfloat16: {"rtol": 5e-2, "atol": 5e-2},
}


def within(dtype: torch.dtype) -> dict[str, float]:
    return (CLOSE if target.exact else ACROSS).get(dtype, {})


class Refused(Exception):
    """The CPU has refused, so there is nothing to compare."""


def placed(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """A copy on the device that lies in its memory as the tensor does, gaps and all."""
    copy = tensor.detach()
    if copy.layout != torch.strided or copy.is_quantized or copy.is_conj() or copy.is_neg():
        copy = copy.to(device, copy=True)
    else:
        elements = copy.untyped_storage().nbytes() // copy.element_size()
        whole = copy.as_strided((elements,), (1,), 0).to(device, copy=True)
        copy = whole.as_strided(copy.size(), copy.stride(), copy.storage_offset())
    return copy.requires_grad_(tensor.requires_grad)


def cloned(tree: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: placed(t, "cpu"), tree)


def moved(tree: Any) -> Any:
    """The same on the device: its tensors, and where it names the CPU."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return placed(leaf, target.device)
        return target.device if leaf in ("cpu", torch.device("cpu")) else leaf

    return tree_map(move, tree)


class Side(Enum):
    """What the device is compared with."""

    CPU = "cpu"
    DEVICE = "device"  # itself, from the same seed


def draws(operator: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in operator.tags


def reference_for(operator: Any) -> Side:
    """What an ATen operator is compared with: the CPU; the device itself, from the same seed, where it draws numbers that
    are not the CPU's."""
    return Side.DEVICE if draws(operator) and not target.exact else Side.CPU


def reference_for_entry(op: Any, dtype: torch.dtype) -> Side:
    """The same for an entry of PyTorch's list, which says what its own tests do not compare between the two devices: what
    draws, and what is only unique up to a sign or a phase."""
    if target.exact:
        return Side.CPU
    decorators = op.get_decorators("TestCommon", "test_compare_cpu", target.kernels, dtype, {})
    return Side.DEVICE if any(_skips(decorator) for decorator in decorators) else Side.CPU


def _skips(decorator: Any) -> bool:
    def test(*_: Any) -> None:
        """As a test that unittest marks."""

    try:
        marked = decorator(test)
    except Exception:  # one for classes, or with other arguments
        return False
    return bool(getattr(marked, "__unittest_skip__", False) or getattr(marked, "__unittest_expecting_failure__", False))


def seeded(function: Any, *args: Any, **kwargs: Any) -> Any:
    """With the same numbers each time: a flagos generator draws those of a CPU generator of the same seed, if its kernels are
    the CPU's."""
    torch.manual_seed(5)
    return function(*args, **kwargs)


def on_cpu(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return seeded(function, *args, **kwargs)
    except Exception as error:
        raise Refused(str(error)) from error


Arguments = tuple[tuple, dict]


def expect(
    reference: Side, function: Any, arguments: Arguments, place: Callable[[Any], Any] = moved
) -> tuple[Any, Arguments]:
    """What the reference gives, and its arguments after the call. Where the CPU refuses there is nothing to compare; what the
    device refuses otherwise is its failure, also where it is compared with itself. `place` puts arguments there."""
    inputs = cloned(arguments)
    expected = on_cpu(function, *inputs[0], **inputs[1])
    if reference is Side.CPU:
        return expected, inputs
    inputs = place(arguments)
    found = seeded(function, *inputs[0], **inputs[1])
    same_form(found, expected, "the reference on the device")
    return found, inputs


def compare(found: Any, expected: Any, what: str, **tolerance: float) -> None:
    found_leaves, found_shape = tree_flatten(found)
    expected_leaves, expected_shape = tree_flatten(expected)
    assert found_shape == expected_shape, f"{what}: found {found_shape}, expected {expected_shape}"
    for one, other in zip(found_leaves, expected_leaves, strict=True):
        if not isinstance(other, torch.Tensor):
            assert one == other or (one != one and other != other), f"{what}: found {one}, expected {other}"
            continue
        assert one.device == torch.device(target.device), f"{what}: the result is on {one.device}"
        assert one.untyped_storage().device == one.device, f"{what}: the storage is on {one.untyped_storage().device}"
        close(one, other, what, **tolerance)
        assert not target.exact or one.stride() == other.stride() or not one.numel(), (
            f"{what}: strides {one.stride()}, expected {other.stride()}"
        )


def close(one: torch.Tensor, other: torch.Tensor, what: str, **tolerance: float) -> None:
    allowed: dict[str, Any] = tolerance or within(other.dtype)
    torch.testing.assert_close(
        one.detach().cpu(), other.detach().cpu(), equal_nan=True, msg=lambda text: f"{what}: {text}", **allowed
    )


def same_form(found: Any, expected: Any, what: str) -> None:
    """Sizes and dtypes, where the numbers are others."""
    for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        if isinstance(other, torch.Tensor):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), (
                f"{what}: found {one.dtype} {tuple(one.shape)}, expected {other.dtype} {tuple(other.shape)}"
            )
