"""PyTorch's operators -> the table of those that can be routed, for whichever torch line.

`lines` finds or fetches a torchgen, `operators` reads it, `sources` renders csrc/aten/generated, `spelling` proves the types
and finds how a list is spelled, `ports` compares lines, `faults` reads what an import that failed says.
"""


class AtenError(Exception):
    """Nothing can be generated; says what was expected, what was found, where, and what to do next."""
