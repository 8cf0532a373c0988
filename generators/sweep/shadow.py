"""Which operator of an entry is wrong: each one runs on the CPU as well, with what it was given on the device.

Imports torch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from generators.sweep.comparing import close, draws, placed, reference_for, same_form, target

UNDEFINED = ("empty", "new_empty")  # what these return is whatever the memory holds


class Shadow(TorchDispatchMode):
    """While it is on, `wrong` gets what each ATen operator did otherwise than on the CPU, and `right` the operators that did
    the same. An error on both sides is none."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: dict[str, str] = {}
        self.right: set[str] = set()

    def __torch_dispatch__(self, operator: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if operator.namespace != "aten" or not any(_on_device(leaf) for leaf in tree_leaves((args, kwargs))):
            return operator(*args, **kwargs)
        name = str(operator).removeprefix("aten.").removesuffix(".default")
        here = tree_map(_on_cpu, (args, kwargs))
        try:
            expected = operator(*here[0], **here[1])
        except Exception:
            return operator(*args, **kwargs)
        try:
            found = operator(*args, **kwargs)
        except Exception as error:
            self.wrong.setdefault(name, f"{type(error).__name__}: {error}")
            raise
        try:
            self._compare(operator, found, expected)
            self.right.add(name)
        except AssertionError as error:
            self.wrong.setdefault(name, str(error))
        return found

    def _compare(self, operator: Any, found: Any, expected: Any) -> None:
        reference = reference_for(operator)
        found, expected = reference.shared(found), reference.shared(expected)
        same_form(found, expected, "result")
        if draws(operator) or str(operator).removeprefix("aten.").startswith(UNDEFINED):
            return
        for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
            if isinstance(other, torch.Tensor):
                close(one, other, "result")


def _on_device(leaf: Any) -> bool:
    device = leaf.device if isinstance(leaf, torch.Tensor) else leaf
    return isinstance(device, torch.device) and device.type == torch.device(target.device).type


def _on_cpu(leaf: Any) -> Any:
    if not _on_device(leaf):
        return leaf
    return placed(leaf, "cpu") if isinstance(leaf, torch.Tensor) else torch.device("cpu")
