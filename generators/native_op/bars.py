"""How far a library's results may be from the CPU's: |a - b| / max(1, |b|), by category, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    most: float
    reason: str


UNARY = Bar(4.4e-5, "what a good polynomial of a vendor reaches in float32")
BINARY = Bar(4.7e-6, "one operation, rounded once or twice")
EXACT = Bar(0.0, "a choice or a copy of bits")
SUMS = Bar(1e-5, "sums in another order: a few roundings for each doubling of the length")
PRODUCTS = Bar(5e-5, "sums of products in another order")

BARS = {
    "unary": UNARY,
    "activation": UNARY,
    "activation backward": UNARY,
    "binary": BINARY,
    "binary scalar": BINARY,
    "ternary": BINARY,
    "comparison": EXACT,
    "comparison scalar": EXACT,
    "logical": EXACT,
    "concat": EXACT,
    "shuffle": EXACT,
    "prelu": BINARY,
    "foreach": UNARY,
    "reduction": SUMS,
    "loss": SUMS,
    "pooling": SUMS,
    "pooling backward": SUMS,
    "resampling": SUMS,
    "resampling backward": SUMS,
    "softmax": UNARY,
    "softmax backward": UNARY,
    "matmul": PRODUCTS,
    "linear": PRODUCTS,
    "convolution": PRODUCTS,
    "convolution backward": PRODUCTS,
    "layer normalisation": UNARY,
    "batch normalisation": UNARY,
}
