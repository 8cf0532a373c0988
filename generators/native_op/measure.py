"""Measure a library's kernels against the CPU, in a process of its own:

    python -m generators.native_op.measure measure LIBRARY CATEGORY
    python -m generators.native_op.measure trace LIBRARY
    python -m generators.native_op.measure large LIBRARY

`measure` prints a line of JSON about where it ran, then one for each claimed overload: how far its results were from the
CPU's at most, and where. `trace` calls each overload once and prints what was written while it ran, a line of JSON each.
`large` sums more elements than 32 bits count.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import compress
from typing import Any

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # PyTorch's lists ask for all devices

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from generators.aten.lines import installed_line
from generators.aten.operators import read_catalogue
from generators.build import BUILD
from generators.native_op.bars import BARS
from generators.native_op.samples import Call, mask_of, operator_of, recorded, varied
from generators.native_op.sources import Group, Overload, groups_of
from generators.native_op.table import OperatorTable, read_table, table_path
from generators.sweep.comparing import cloned, placed

DEVICE = "flagos:0"
OVERLAPPING = "more than one element of the written-to tensor"  # what that gives is undefined
SAMPLES = BUILD / f"native/samples-{torch.__version__}.pt"


@dataclass
class Measured:
    """Of one overload in one dtype."""

    operator: str  # the table's entry
    overload: str
    dtype: str
    category: str
    bar: float
    samples: int = 0  # calls that the library computed
    elsewhere: int = 0  # calls that it left to the CPU
    max_abs: float = 0.0
    max_rel: float = 0.0  # |a - b| / max(1, |b|)
    worst: str = ""
    wrong: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.samples > 0 and not self.wrong and self.max_rel <= self.bar

    def add(self, found: Any, expected: Any, what: str) -> None:
        for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
            if isinstance(other, torch.Tensor):
                self._add(one.detach().cpu(), other.detach(), what)

    def _add(self, one: torch.Tensor, other: torch.Tensor, what: str) -> None:
        if one.dtype != other.dtype or one.shape != other.shape:
            self._is_wrong(f"{what}: {one.dtype} {tuple(one.shape)}, expected {other.dtype} {tuple(other.shape)}")
            return
        if not other.is_floating_point():
            if not torch.equal(one, other):
                self._is_wrong(f"{what}: found {_first_difference(one, other)}")
            return
        finite = other.isfinite()
        if not torch.equal(one.isnan(), other.isnan()) or not torch.equal(
            one[~finite & ~other.isnan()], other[~finite & ~other.isnan()]
        ):
            self._is_wrong(f"{what}: found {_first_difference(one, other)}")
            return
        difference = (one[finite].double() - other[finite].double()).abs()
        if not difference.numel():
            return
        scaled = difference / other[finite].double().abs().clamp(min=1)
        self.max_abs = max(self.max_abs, difference.max().item())
        if scaled.max().item() > self.max_rel:
            self.max_rel, self.worst = scaled.max().item(), what

    def _is_wrong(self, what: str) -> None:
        if len(self.wrong) < 5:
            self.wrong.append(what)


def _first_difference(one: torch.Tensor, other: torch.Tensor) -> str:
    a, b = one.flatten(), other.flatten()
    differing = ((a != b) & ~((a != a) & (b != b))).nonzero()
    index = int(differing[0]) if len(differing) else 0
    return f"{a[index].item()}, expected {b[index].item()} at {index} of {a.numel()}"


def calls_of(group: Group, samples: dict[str, list[Call]]) -> list[Call]:
    """Arguments of the functional form: from calls of any of its forms, or of the operator whose samples it has."""
    source = group.entry.samples_of or group.entry.measured_as or group.entry.name
    names = [source] if source != group.entry.name else [overload.operator.name for overload in group.overloads]
    calls = []
    for name in names:
        for args, kwargs in samples.get(name, ()):
            calls.append((args, {key: value for key, value in kwargs.items() if key not in ("out", "grad_input")}))
    return calls


def with_form(overload: Overload, call: Call, expected: Any) -> Call:
    """The call of that form: `out=` gets a result of the right size that is full of what nobody computes."""
    args, kwargs = cloned(call)
    if overload.form != "out":
        return args, kwargs
    out = torch.full(expected.shape, 1 if expected.dtype == torch.bool else float("nan"), dtype=expected.dtype)
    return args, kwargs | {overload.out: out}


def measure(group: Group, calls: list[Call], dtype: str) -> Iterator[Measured]:
    from torch_fl import flagos

    for overload in group.overloads:
        measured = Measured(
            group.entry.name, overload.operator.name, dtype, group.entry.category, BARS[group.entry.category].most
        )
        operator = operator_of(group.entry.measured_as or overload.operator.name)
        base = operator_of(group.entry.measured_as or group.entry.name)
        for what, call in varied(calls, group.entry.category):
            try:
                expected = base(*cloned(call)[0], **cloned(call)[1])
                here = with_form(overload, call, expected)
                expected = operator(*here[0], **here[1])
            except Exception:  # the CPU refuses, or this form has no such call
                continue
            args, kwargs = with_form(overload, call, expected)
            there = tree_map_only(torch.Tensor, lambda t: placed(t, DEVICE), (args, kwargs))
            spoil_memory(expected)
            flagos.reset_fallback_counts()
            try:
                found = operator(*there[0], **there[1])
                flagos.synchronize()
            except Exception as error:
                if OVERLAPPING not in str(error):
                    measured._is_wrong(f"{what}: {error}")
                continue
            if flagos.fallback_counts():  # of this overload, or of what it is made of
                measured.elsewhere += 1
                continue
            measured.samples += 1
            if mask := mask_of(call):
                found, expected = (list(compress(results, mask)) for results in (found, expected))
            changed = overload.form != "functional"
            measured.add((found, there) if changed else found, (expected, here) if changed else expected, what)
        yield measured


def spoil_memory(like: Any) -> None:
    """What a result is allocated in holds no zeros and no former result."""
    for tensor in tree_leaves(like):
        if isinstance(tensor, torch.Tensor) and tensor.numel():
            torch.full(tensor.shape, 7, dtype=tensor.dtype).to(DEVICE)


def routed(table: OperatorTable, category: str = "") -> list[Group]:
    """What a table claims, of one category or of all, now computed by its library."""
    groups = [g for g in groups_of(table, read_catalogue(installed_line())) if category in ("", g.entry.category)]
    import torch_fl

    torch_fl.init()
    from torch_fl import flagos

    names = [overload.operator.name for group in groups for overload in group.overloads]
    if problems := flagos._C.route_to_library(names, table.vendor):
        sys.exit("\n".join(problems))
    return groups


def print_measured(table: OperatorTable, category: str) -> None:
    samples = recorded(SAMPLES)
    groups = routed(table, category)
    device = torch.accelerator.current_device_index()
    print(json.dumps(facts() | {"device": f"{table.runtime}:{device}"}), flush=True)
    for group in groups:
        for dtype in group.entry.dtypes:
            calls = [call for call in calls_of(group, samples) if _is_of(call, getattr(torch, dtype))]
            for measured in measure(group, calls, dtype):
                print(json.dumps(asdict(measured) | {"passed": measured.passed}), flush=True)


def facts() -> dict[str, str]:
    return {
        "hardware": f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}",
        "torch": torch.__version__,
    }


def print_trace(table: OperatorTable) -> None:
    samples = recorded(SAMPLES)
    groups = routed(table)
    from torch_fl import flagos

    for group in groups:
        calls = [
            c for dtype in group.entry.dtypes for c in calls_of(group, samples) if _is_of(c, getattr(torch, dtype))
        ]
        for overload in group.overloads:
            said = _said_by_a_native_call(group, overload, calls, flagos)
            print(json.dumps({"overload": overload.operator.name, "said": said}), flush=True)


def _said_by_a_native_call(group: Group, overload: Overload, calls: list[Call], flagos: Any) -> str:
    """What was written while the first call ran that did not go to the CPU; nothing if all did."""
    operator = operator_of(group.entry.measured_as or overload.operator.name)
    base = operator_of(group.entry.measured_as or group.entry.name)
    for call in calls:
        try:
            expected = base(*cloned(call)[0], **cloned(call)[1])
        except Exception:  # the CPU refuses
            continue
        there = tree_map_only(torch.Tensor, lambda t: placed(t, DEVICE), with_form(overload, call, expected))
        flagos.reset_fallback_counts()
        try:
            said = written_by(partial(operator, *there[0], **there[1]))
        except Exception:  # this form has no such call
            continue
        if not flagos.fallback_counts():
            return said
    return ""


SUMS = {"sum.dim_IntList": lambda size: size, "mean.dim": lambda size: 1}  # of ones
BEYOND = (2**31 + 8, 2**32 + 8)  # cut to 32 bits: less than nothing, and 8


def print_large(table: OperatorTable) -> None:
    claimed = {overload.operator.name for group in routed(table) for overload in group.overloads}
    from torch_fl import flagos

    for overload in [name for name in SUMS if name in claimed]:
        for size in BEYOND:
            flagos.reset_fallback_counts()
            try:  # one element stands for all, so that no memory is needed
                found: Any = operator_of(overload)(torch.ones(1, device=DEVICE).expand(size), [0]).item()
            except RuntimeError as error:
                found, by, right = str(error).splitlines()[0], "an error", True
            else:
                by = "the CPU" if flagos.fallback_counts() else "the library"
                right = abs(found / SUMS[overload](size) - 1) < 1e-4
            print(
                json.dumps({"overload": overload, "size": size, "found": found, "by": by, "right": right}), flush=True
            )


def written_by(call: Callable[[], object]) -> str:
    """What is written to stdout and stderr meanwhile, by C libraries too."""
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as file:
        try:
            for descriptor in (1, 2):
                os.dup2(file.fileno(), descriptor)
            call()
        finally:
            for descriptor, former in zip((1, 2), kept, strict=True):
                os.dup2(former, descriptor)
                os.close(former)
        file.seek(0)
        return file.read().decode(errors="replace")


ACTIONS: dict[str, Callable[..., None]] = {"measure": print_measured, "trace": print_trace, "large": print_large}


def main(arguments: list[str]) -> None:
    action, library, *others = arguments
    ACTIONS[action](read_table(table_path(library)), *others)


def _is_of(call: Call, dtype: torch.dtype) -> bool:
    tensors = [t for t in tree_leaves(call) if isinstance(t, torch.Tensor)]
    return any(tensor.dtype == dtype for tensor in tensors)


if __name__ == "__main__":
    main(sys.argv[1:])
