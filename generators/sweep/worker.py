"""A process that runs entries of PyTorch's lists on a device, one after the other, for generators.sweep.workers.

    python -m generators.sweep.worker DESCRIPTOR KERNELS NUMBER

It takes requests from the connection, an action and its arguments, and answers each with what came of it and what it wrote to
stderr meanwhile.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # PyTorch's lists ask for all devices
os.environ["FLAGOS_LOG_DISPATCH"] = "1"

import torch

from generators.sweep import checks
from generators.sweep.comparing import Refused, target
from generators.sweep.shadow import Shadow

LIMIT = 180  # seconds for one entry


@dataclass(frozen=True)
class Entry:
    suite: str
    name: str
    info: Any
    check: Callable[[Any, Counter], None]


@cache
def entries(suite: str) -> list[Entry]:
    """One of PyTorch's lists: `operators` (op_db), `lists` (the foreach operators), `modules` (module_db), `optimizers`
    (optim_db); `calls`, ours of what is in none of them; or `schemas`, the routed operators with arguments made up from their
    schemas."""
    if suite in ("operators", "lists"):
        from torch.testing._internal import common_methods_invocations as listed

        if suite == "operators":
            return [Entry(suite, op.formatted_name, op, checks.check_operator) for op in listed.op_db]
        lists = (getattr(listed, name) for name in sorted(vars(listed)) if re.fullmatch("foreach_.*_op_db", name))
        return [Entry(suite, op.formatted_name, op, checks.check_lists) for ops in lists for op in ops]
    if suite == "calls":
        from generators.sweep.calls import CALLS

        return [Entry(suite, op.formatted_name, op, checks.check_operator) for op in CALLS]
    if suite == "modules":
        from torch.testing._internal.common_modules import module_db

        return [Entry(suite, info.name, info, checks.check_module) for info in module_db]
    if suite == "optimizers":
        from torch.testing._internal.common_optimizers import optim_db

        optimizers: list[Any] = optim_db
        return [Entry(suite, info.optim_cls.__name__, info, checks.check_optimizer) for info in optimizers]
    if suite == "schemas":
        from torch_fl import _C

        return [Entry(suite, name, name, checks.check_schema) for name in _C.routed_operators()]
    raise ValueError(f"there is no list '{suite}'")


def names(suite: str) -> list[str]:
    return [entry.name for entry in entries(suite)]


def _result(ended: str, counts: dict, why: str) -> dict[str, Any]:
    return {"result": ended, "checks": counts, "why": why[:1500]}


def check(suite: str, number: int) -> dict[str, Any]:
    """What came of an entry."""
    entry = entries(suite)[number]
    counts: Counter = Counter()
    if entry.name in checks.EXCLUDED:
        return _result("excluded", counts, checks.EXCLUDED[entry.name])
    try:
        entry.check(entry.info, counts)
    except Refused as refused:
        return _result("excluded", counts, str(refused))
    except BaseException as error:
        return _result("failed", counts, f"{type(error).__name__}: {error}")
    return _result("passed", counts, "") if counts else _result("failed", counts, "nothing was checked")


def shadow(suite: str, number: int) -> dict[str, Any]:
    """Run an entry beside the CPU: the operators that are wrong and those that are right."""
    with Shadow() as beside:
        check(suite, number)
    return {"wrong": {name: why[:400] for name, why in beside.wrong.items()}, "right": sorted(beside.right)}


def taken_by_cpu(suite: str, number: int) -> bool:
    """Whether the CPU alone comes to an end with the arguments made up for an operator."""
    from gates.operators import is_taken_by_cpu

    return is_taken_by_cpu(entries(suite)[number].name)


def routable() -> tuple[list[str], dict[str, str]]:
    """The operators that can be routed here, and why each other one that is compiled cannot."""
    from generators.aten.lines import installed_line
    from generators.aten.operators import read_catalogue
    from torch_fl import _C

    names = _C.routable_operators(target.kernels)
    others = sorted({operator.name for operator in read_catalogue(installed_line()).routable} - set(names))
    problems = (problem.split(": ", 1) for problem in _C.route_operators(others, target.kernels))
    return names, {name: why for name, why in problems}


def said() -> str:
    """What was written to stderr, which is a file, since the last answer."""
    sys.stderr.flush()
    text = os.pread(2, os.fstat(2).st_size, 0).decode(errors="replace")
    os.ftruncate(2, 0)
    os.lseek(2, 0, os.SEEK_SET)
    return text


ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action for action in (names, check, shadow, taken_by_cpu, routable)
}


def main() -> None:
    descriptor, kernels, number = sys.argv[1:]
    connection: Connection = Connection(int(descriptor))
    target.kernels = kernels
    torch.set_num_threads(1)
    signal.alarm(LIMIT)
    import torch_fl

    torch_fl.init()
    count = torch.accelerator.device_count()
    # Another is the current one, where there is another: or a result in the wrong place would not show.
    target.device = f"flagos:{int(number) % count}"
    torch.accelerator.set_device_index((int(number) + 1) % count)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # or convolutions round to ten bits
        while True:
            signal.alarm(0)  # waiting takes as long as it takes
            try:
                action, *arguments = connection.recv()
            except EOFError:
                return
            signal.alarm(LIMIT)
            connection.send((ACTIONS[action](*arguments), said()))


if __name__ == "__main__":
    main()
