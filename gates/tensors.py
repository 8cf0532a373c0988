"""What gates say about tensors."""

from __future__ import annotations

from typing import Any


def extremes(tensor: Any) -> tuple[float, float]:
    """The smallest and the largest element: equal if all are the same."""
    low, high = tensor.cpu().aminmax()
    return low.item(), high.item()
