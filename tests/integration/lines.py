"""What older lines of PyTorch have not, or have otherwise."""

from types import ModuleType

import pytest
import torch

from generators.aten.lines import installed_line, pinned_line

PINNED = installed_line().name == pinned_line()


def has(owner: ModuleType | type, name: str) -> pytest.MarkDecorator:
    """Skips a test where this torch has no such name."""
    lacks = f"torch {torch.__version__} has no {owner.__name__}.{name}"
    return pytest.mark.skipif(not hasattr(owner, name), reason=lacks)


def empty_host_cache() -> None:
    """Give back the device's pinned memory that is cached."""
    memory = torch.accelerator.memory
    empty = memory.empty_host_cache if hasattr(memory, "empty_host_cache") else torch._C._host_emptyCache
    empty()
