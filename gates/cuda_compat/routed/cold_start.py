"""`out=` as the first call on the device, each in a fork of a process that has not touched it."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

import torch

from gates.cuda_compat.routed import DEVICE, same

LIMIT = 60  # seconds for one process: it opens the device

Call = Callable[[torch.Tensor, Callable[..., Any]], Any]

# By the operator: a call on `x` that writes to what `empty()` makes.
CASES: dict[str, Call] = {
    "mm.out": lambda x, empty: torch.mm(x, x, out=empty()),
    "bmm.out": lambda x, empty: torch.bmm(x[None], x[None], out=empty()),
    "add.out": lambda x, empty: torch.add(x, x, out=empty()),
    "cat.out": lambda x, empty: torch.cat([x, x], out=empty()),
    "topk.values": lambda x, empty: torch.topk(x, 2, out=(empty(), empty(torch.int64)))[1],
    "arange.start_out": lambda x, empty: torch.arange(2, 9, out=empty()),
}


def first_calls() -> dict[str, str]:
    """Operator -> what was wrong with it, if anything."""
    return {name: _in_fork(name) for name in CASES}


def _in_fork(name: str) -> str:
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        signal.alarm(LIMIT)
        try:
            _compare(CASES[name])
        except BaseException as error:  # a check's failure is no Exception
            traceback.print_exc()
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:4000])
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return text or (f"killed by {signal.Signals(-status).name}" if status < 0 else "")


def _compare(call: Call) -> None:
    x = torch.arange(16, dtype=torch.float32).mul(7).remainder(11).reshape(4, 4)
    found, expected = (
        call(x.to(device), lambda dtype=torch.float32, device=device: torch.empty(0, dtype=dtype, device=device))
        for device in (DEVICE, "cpu")
    )
    same(found, expected, "the result")
