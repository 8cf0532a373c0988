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


# Of operators whose kernels for different devices do not have all results in common, those that they have (by position).
SHARED: dict[str, tuple[int, ...]] = {
    # the others are what its backward wants, in the size and type that the kernel likes
    **dict.fromkeys(
        (
            "native_layer_norm",
            "native_batch_norm",
            "_native_batch_norm_legit",
            "log_sigmoid_forward",
            "_embedding_bag",
        ),
        (0,),
    ),
    # which of equal elements is taken is undefined
    **dict.fromkeys(("topk", "sort", "kthvalue", "nanmedian", "masked_median"), (0,)),
    "argsort": (),
    # vectors are unique up to a sign, those of one value up to a rotation; the entries of the list compare what is unique
    "_linalg_eigh": (0,),
    "_linalg_svd": (1,),
    # the CPU returns the inverse without being asked
    **dict.fromkeys(("unique_dim", "unique_consecutive"), (0,)),
}


@dataclass(frozen=True)
class Reference:
    """What an operator is compared with, and which of its results."""

    side: Side
    name: str

    def shared(self, results: Any) -> Any:
        """Of the results, or of tensors in their order, what is compared."""
        chosen = None if target.exact else SHARED.get(self.name)
        return results if chosen is None else [tree_leaves(results)[number] for number in chosen]


def draws(operator: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in operator.tags


def reference_for(operator: Any) -> Reference:
    """What an ATen operator is compared with: the CPU."""
    return Reference(Side.CPU, operator._schema.name.removeprefix("aten::"))


# Entries that seed and restore the generator themselves, so that nothing shows that they draw.
SEEDED_INSIDE = ("randn", "randint")


def reference_for_entry(op: Any, dtype: torch.dtype) -> Reference:
    """The same for an entry of PyTorch's list, which says what its own tests do not compare between the two devices: that is
    compared with itself."""
    if target.exact:
        return Reference(Side.CPU, op.formatted_name)
    decorators = op.get_decorators("TestCommon", "test_compare_cpu", target.kernels, dtype, {})
    with_itself = op.formatted_name in SEEDED_INSIDE or any(_skips(decorator) for decorator in decorators)
    return Reference(Side.DEVICE if with_itself else Side.CPU, op.formatted_name)


def _skips(decorator: Any) -> bool:
    def test(*_: Any) -> None:
        """As a test that unittest marks."""

    try:
        marked = decorator(test)
    except Exception:  # one for classes, or with other arguments
        return False
    return bool(getattr(marked, "__unittest_skip__", False) or getattr(marked, "__unittest_expecting_failure__", False))


SEED = 5


def seeded(function: Any, *args: Any, **kwargs: Any) -> Any:
    """With the same numbers each time: a flagos generator draws those of a CPU generator of the same seed, if its kernels are
    the CPU's."""
    torch.manual_seed(SEED)
    return function(*args, **kwargs)


def drawn_on_cpu() -> bool:
    """Whether what was called last through `seeded` drew numbers on the CPU. A mode that watches the operators would tell as
    well, but under one PyTorch computes some (linalg_pinv) in another way."""
    untouched = torch.Generator().manual_seed(SEED)
    return not torch.equal(torch.get_rng_state(), untouched.get_state())


def on_cpu(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return seeded(function, *args, **kwargs)
    except Exception as error:
        raise Refused(str(error)) from error


Arguments = tuple[tuple, dict]


def expect(
    reference: Reference, function: Any, arguments: Arguments, place: Callable[[Any], Any] = moved
) -> tuple[Any, Arguments]:
    """What the reference gives, and its arguments after the call. What draws numbers that are not the CPU's is compared with
    itself. Where the CPU refuses there is nothing to compare; what the device refuses otherwise is its failure, also where it
    is compared with itself. `place` puts arguments there."""
    inputs = cloned(arguments)
    expected = on_cpu(function, *inputs[0], **inputs[1])
    if reference.side is Side.CPU and (target.exact or not drawn_on_cpu()):
        return expected, inputs
    inputs = place(arguments)
    found = seeded(function, *inputs[0], **inputs[1])
    same_form(reference.shared(found), reference.shared(expected), "the reference on the device")
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
