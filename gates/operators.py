"""PyTorch's operators, each called with arguments made from its schema, on the CPU and on the device.

Imports torch and wants the device: for the process of a gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from generators.sweep.comparing import draws
from torch_fl import flagos

# Not called: kernels that trust their arguments, because PyTorch's own code made them, and would read or write beyond what
# can be guessed from a schema; what no device but the CPU can hold; what opens a file; copies of views, which are made of
# kernels that flagos has.
EXCLUDED = re.compile(r"_|.*backward|native_|batch_norm_|.*(quant|sparse|mkldnn|from_file|narrow_copy)")

# What all tensors of a call are, tried in this order until the CPU takes them.
TENSORS = [
    ((4, 4), torch.float32),
    ((4, 4), torch.int64),
    ((4,), torch.float32),
    ((2, 4, 4), torch.float32),
    ((1, 4, 4, 4), torch.float32),
    ((1, 2, 4, 4, 4), torch.float32),
    ((4, 4), torch.bool),
    ((4, 4), torch.complex64),
    ((4,), torch.int64),
]
SCALARS = {"int": 1, "SymInt": 1, "float": 0.5, "number": 2, "bool": False, "str": "none", "ScalarType": torch.float32}

Arguments = tuple[list[Any], dict[str, Any]]


def operators_that_fall_back() -> Iterator[str]:
    """`op.overload` of what has a kernel for the CPU, and for flagos nothing but the fallback; and of what PyTorch makes of
    one call of such an operator: `add.Tensor` of `add.out`."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    kernels = ("PrivateUse1", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
    names = [name for name in sorted(torch._C._dispatch_get_all_op_names()) if name.startswith("aten::")]
    names = [name.removeprefix("aten::") for name in names if not any(has(name, key) for key in kernels)]
    derived = {name for name in names if has(f"aten::{name}", "CompositeExplicitAutogradNonFunctional")}
    direct = {name for name in names if has(f"aten::{name}", "CPU")} - derived
    bases = {base_of(name) for name in direct}
    for name in names:
        if (name in direct or (name in derived and base_of(name) in bases)) and not EXCLUDED.match(name):
            yield name


def base_of(name: str) -> str:
    """What the overloads of an operator and its form in place have in common."""
    base = name.removeprefix("aten::").partition(".")[0]
    return base if base.endswith("__") else base.removesuffix("_")


def call_on_both(name: str) -> str | None:
    """Call an operator on the CPU and on the device, where it must fall back once. What was wrong on the device, empty if
    nothing was; None if the CPU takes none of the arguments."""
    wrong = different(name)
    if wrong == "":
        counts = flagos.fallback_counts()
        counted = [base_of(other) for other in counts]
        return "" if (counted, *counts.values()) == ([base_of(name)], 1) else f"{name}: counted {counts or 'nothing'}"
    return wrong


def different(name: str, exact: bool = True) -> str | None:
    """The same, however the operator runs on the device. Kernels that are not the CPU's need not be `exact`: they draw other
    numbers and round otherwise."""
    call = _call_on_cpu(name)
    if call is None:
        return None
    operator, tensors, expected, here = call
    there = tree_map_only(torch.Tensor, lambda t: t.to("flagos"), _arguments(operator._schema, *tensors))
    flagos.reset_fallback_counts()
    try:
        found = _seeded(operator, there)
        drawn = not exact and draws(operator)
        _compare((found, there), (expected, here), 1e-4 if exact else 1e-3, drawn)
    except Exception as error:
        return f"{name}: {error}"
    return ""


def is_taken_by_cpu(name: str) -> bool:
    return _call_on_cpu(name) is not None


def _call_on_cpu(name: str) -> tuple[Any, tuple, Any, Arguments] | None:
    """The operator, what its tensors are, what it returns and its arguments afterwards."""
    base, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, base), overload or "default")
    if not any("Tensor" in str(argument.type) for argument in operator._schema.arguments):
        return None
    for tensors in TENSORS:
        try:
            here = _arguments(operator._schema, *tensors)
            return operator, tensors, _seeded(operator, here), here
        except Exception:  # whatever cannot be made up, and whatever the CPU refuses, in whichever way
            continue
    return None


def _seeded(operator: Any, arguments: Arguments) -> Any:
    """With the same random numbers on both devices."""
    torch.default_generator.manual_seed(3)
    flagos.manual_seed(3)
    return operator(*arguments[0], **arguments[1])


def _arguments(schema: Any, shape: tuple[int, ...], dtype: torch.dtype) -> Arguments:
    made = [(argument, _argument(argument, shape, dtype)) for argument in schema.arguments]
    return [v for a, v in made if not a.kwarg_only], {a.name: v for a, v in made if a.kwarg_only}


def _argument(argument: Any, shape: tuple[int, ...], dtype: torch.dtype) -> Any:
    kind = str(argument.real_type)
    if kind == "Tensor":
        is_out = argument.kwarg_only and argument.alias_info is not None and argument.alias_info.is_write
        return torch.empty(0, dtype=dtype) if is_out else _tensor(shape, dtype)
    if kind == "List[Tensor]":
        return [_tensor(shape, dtype) for _ in range(2)]
    if argument.has_default_value():
        return argument.default_value
    if kind == "List[Optional[Tensor]]":
        return [torch.tensor([0, 1])]
    if kind.startswith("Optional["):
        return None
    if kind.startswith("List["):
        return [SCALARS[kind[5:-1]]] * (argument.N or len(shape))
    return SCALARS[kind]


def _tensor(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Small numbers: valid as probabilities, and as indices of any dimension that is not of size 1."""
    numbers = torch.arange(torch.Size(shape).numel())
    small = numbers % 2 if not (dtype.is_floating_point or dtype.is_complex) else (numbers % 7 + 1) / 8
    return small.to(dtype).reshape(shape)


def _compare(found: Any, expected: Any, within: float, drawn: bool) -> None:
    for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        if isinstance(other, torch.Tensor):
            assert one.device.type == "flagos", f"a result is on {one.device}"
            assert _is_close(one.cpu(), other, within, drawn), f"found {one.cpu()}, expected {other}"
        else:
            assert one == other or one != one, f"found {one}, expected {other}"


def _is_close(one: torch.Tensor, other: torch.Tensor, within: float, drawn: bool) -> bool:
    """Within what LAPACK's results differ by with the place of a matrix in memory. (assert_close() of torch.testing would do,
    but takes a second of imports.)"""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    inexact = other.dtype.is_floating_point or other.dtype.is_complex
    same = torch.allclose(one, other, rtol=within, atol=within, equal_nan=True) if inexact else torch.equal(one, other)
    return drawn or same
