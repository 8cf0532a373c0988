"""PyTorch's own samples of operators, run on the device and compared with the CPU: what a conf may list, by measurement.

    python -m generators.sweep --vendor NAME --routes {conf,all,none} [--write-conf] [--record] SUITE[:N]...

The entries of PyTorch's lists, and of ours (`calls`), run in children, so that a crash is that entry's failure and the next begins afresh. Where the target is not
the CPU, its kernels round otherwise and draw other numbers: see `comparing`. An entry that fails runs once more beside the
CPU, operator by operator, which names the operators that are wrong (`shadow`). `findings` makes evidence and confs of it.
"""

from __future__ import annotations

SUITES = ("schemas", "lists", "calls", "operators", "modules", "optimizers")  # see worker.entries


class SweepError(Exception):
    """A sweep that cannot be made: what is missing, and what to do."""
