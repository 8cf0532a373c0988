"""Calls of operators to measure with: those that PyTorch's own samples end in, each in several layouts and with special values.

Imports torch and its lists.
"""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

MOST = 12  # calls of an operator, of different samples
OF_A_SAMPLE = 2
DTYPES = (torch.float32, torch.bool)
SAMPLES = 12  # of an entry of PyTorch's lists

Call = tuple[tuple, dict]


class Recorder(TorchDispatchMode):
    """The calls of ATen's operators, with copies of their arguments: "add.Tensor" -> its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, list[Call]] = defaultdict(list)
        self.before: dict[str, int] = {}

    def new_sample(self) -> None:
        self.before = {name: len(calls) for name, calls in self.calls.items()}

    def __torch_dispatch__(self, operator: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = name_of(operator)
        calls = self.calls[name]
        enough = len(calls) >= min(MOST, self.before.get(name, 0) + OF_A_SAMPLE)
        if operator.namespace == "aten" and not enough and _is_plain((args, kwargs)):
            calls.append(tree_map_only(torch.Tensor, lambda t: t.detach().clone(), (args, kwargs or {})))
        return operator(*args, **(kwargs or {}))


def _is_plain(arguments: Any) -> bool:
    """Whether a file can hold them."""
    kinds = (torch.Tensor, torch.dtype, torch.layout, torch.device, int, float, complex, str, type(None))
    return all(isinstance(leaf, kinds) for leaf in tree_leaves(arguments))


def name_of(operator: Any) -> str:
    overload = operator._overloadname
    return operator.overloadpacket.__name__ + ("" if overload == "default" else f".{overload}")


def operator_of(name: str) -> Any:
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def recorded(file: Path) -> dict[str, list[Call]]:
    """The same, kept in a file: recording takes a minute."""
    if not file.is_file():
        calls = record(DTYPES)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        torch.save(calls, temporary)
        temporary.replace(file)
        return calls
    found: dict[str, list[Call]] = torch.load(file, weights_only=False)  # our own file
    return found


def record(dtypes: tuple[torch.dtype, ...]) -> dict[str, list[Call]]:
    """Operator -> its calls, from forward and backward of every entry of PyTorch's lists that has one of these dtypes."""
    from torch.testing._internal import common_methods_invocations as lists

    entries = [*lists.op_db]
    for name in sorted(vars(lists)):
        if name.startswith("foreach_") and name.endswith("_op_db"):
            entries += getattr(lists, name)
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in entries:
            for dtype in dtypes:
                if dtype in entry.dtypes:
                    _record(entry, dtype, recorder)
    return dict(recorder.calls)


def _record(entry: Any, dtype: torch.dtype, recorder: Recorder) -> None:
    grad = entry.supports_autograd and dtype.is_floating_point
    try:
        for number, sample in enumerate(entry.sample_inputs("cpu", dtype, requires_grad=grad)):
            if number == SAMPLES:
                return
            recorder.new_sample()
            with recorder:
                found = tree_leaves(entry(sample.input, *sample.args, **sample.kwargs))
                results = [t for t in found if isinstance(t, torch.Tensor) and t.requires_grad]
                arguments = tree_leaves((sample.input, sample.args, sample.kwargs))
                leaves = [t for t in arguments if isinstance(t, torch.Tensor) and t.requires_grad]
                if results and leaves:
                    torch.autograd.grad(results, leaves, [torch.ones_like(t) for t in results], allow_unused=True)
    except Exception:  # what an entry cannot do on the CPU is not recorded
        return


# ---- layouts and values ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Variation:
    name: str
    change: Callable[[torch.Tensor], torch.Tensor]


def with_gaps(tensor: torch.Tensor) -> torch.Tensor:
    """Every second element of a row, from the second on."""
    if tensor.dim() == 0:
        return torch.stack([tensor, tensor])[1]
    wide = torch.empty(*tensor.shape[:-1], 2 * tensor.shape[-1] + 1, dtype=tensor.dtype).fill_(1)
    return wide[..., 1::2].copy_(tensor)


def transposed(tensor: torch.Tensor) -> torch.Tensor:
    """The same in memory from the last dimension to the first."""
    back = tensor.permute(*range(tensor.dim() - 1, -1, -1)) if tensor.dim() > 1 else tensor
    return back.contiguous().permute(*range(tensor.dim() - 1, -1, -1)) if tensor.dim() > 1 else tensor


def shifted(tensor: torch.Tensor) -> torch.Tensor:
    """Behind three elements that are none of its own."""
    room = torch.ones(tensor.numel() + 3, dtype=tensor.dtype)
    return room[3:].view(tensor.shape).copy_(tensor)


def repeated(tensor: torch.Tensor) -> torch.Tensor:
    """Its first row for all."""
    return tensor[:1].expand_as(tensor) if tensor.dim() and tensor.shape[0] > 1 else tensor


def special(tensor: torch.Tensor) -> torch.Tensor:
    """With NaN, infinities, zeros of both signs and a denormal among its elements."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    values = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, 3e38, -87.5, 88.5])
    changed = tensor.clone(memory_format=torch.contiguous_format).view(-1)
    count = min(len(values), changed.numel())
    changed[:count] = values[:count].to(tensor.dtype)
    return changed.view(tensor.shape)


VARIATIONS = (
    Variation("as it is", lambda tensor: tensor),
    Variation("gaps", with_gaps),
    Variation("transposed", transposed),
    Variation("offset", shifted),
    Variation("one row for all", repeated),
)
SPECIAL = Variation("special values", special)
# Of these every element is computed by itself, so that one special value spoils no other.
ELEMENTWISE = frozenset(
    (
        *("unary", "activation", "activation backward", "foreach", "prelu", "ternary"),
        *("binary", "binary scalar", "comparison", "comparison scalar"),
    )
)


def variations(category: str) -> tuple[Variation, ...]:
    return (*VARIATIONS, SPECIAL) if category in ELEMENTWISE else VARIATIONS


def varied(calls: list[Call], category: str) -> Iterator[tuple[str, Call]]:
    """Each call in each variation, with a name for it; and those of several results with each of these alone."""
    for number, call in enumerate(calls):
        for variation in variations(category):
            yield f"call {number}, {variation.name}", tree_map_only(torch.Tensor, variation.change, call)
        mask = mask_of(call)
        for wanted in range(len(mask)):
            alone = [number == wanted for number in range(len(mask))]
            args = tuple(alone if given is mask else given for given in call[0])
            yield f"call {number}, only result {wanted}", (args, call[1])


def mask_of(call: Call) -> list[bool]:
    """Which of its results a call asks for, if it says; what comes for the others is undefined."""
    lists = (given for given in call[0] if isinstance(given, list) and len(given) > 1)
    return next((given for given in lists if all(isinstance(item, bool) for item in given)), [])
