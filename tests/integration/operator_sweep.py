"""Runs PyTorch's own samples of operators, modules and optimizers on the device and compares with the CPU.

    python tests/integration/operator_sweep.py [--routed [--record]] SUITE[:N]... > results.jsonl

SUITE is `operators` (op_db), `lists` (the foreach operators), `modules` (module_db), `optimizers` (optim_db) or `schemas`
(each operator that can be routed, with arguments made up from its schema); with a number N only each N-th entry runs.
With `--routed` every operator that can be is routed to the CPU's kernels, by a conf; without, all fall back.

Each entry runs in a process of its own, so that a crash is that entry's failure. Prints a line of JSON for each entry: its
name, `passed`, `failed` or `excluded`, how often each kind of check was made, what went wrong, and the operators that ran
on the device, by what ran them. A summary goes to stderr; the exit status is 1 if an entry failed, or if an operator fell
back although it was routed.
"""

import argparse
import importlib
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

# The parent only lists: a device that it had used would not work in its children, and the lists ask for all devices.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
os.environ["FLAGOS_LOG_DISPATCH"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where it is run by its path

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_map_only

from gates.dispatch_log import what_ran

LIMIT = 120  # seconds for one entry
SAMPLES = 3
DEVICE = "flagos:1"  # not the current device, so that a result in the wrong place shows

# Entries that have nothing to compare, and why.
EXCLUDED = {
    "empty": "contents undefined",
    "empty_like": "contents undefined",
    "empty_permuted": "contents undefined",
    "empty_strided": "contents undefined",
    "new_empty": "contents undefined",
    "new_empty_strided": "contents undefined",
    "to_sparse": "makes a sparse tensor, which flagos refuses (test_layouts_without_a_kernel)",
    "sparse_sampled_addmm": "takes a sparse tensor, which flagos refuses",
    "sparse_mm_reduce": "takes a sparse tensor, which flagos refuses",
    "SparseAdam": "takes sparse gradients, which flagos refuses",
}

# Of those with arguments made up from their schema.
TRUSTING = "trusts its arguments, and reads beyond what can be made up"
MADE_UP = {
    "_fft_r2c": TRUSTING,
    "_fft_r2c.out": TRUSTING,
    "_pdist_backward": TRUSTING,
    "_weight_norm_interface": TRUSTING,
    "_weight_norm_interface_backward": TRUSTING,
} | dict.fromkeys(
    ["_to_sparse", "_to_sparse.sparse_dim", "_to_sparse_bsc", "_to_sparse_bsr", "_to_sparse_csc", "_to_sparse_csr"],
    "makes a sparse tensor, which flagos refuses",
)

# What an input without elements becomes is undefined.
GROW = ("resize_", "resize_as_")

# `out=` forms that are not called: parts of these results are undefined, and the last ends the CPU's own process.
NOT_CALLED = ("aten._ctc_loss.out", "aten._ctc_loss.Tensor_out", "aten.rrelu_with_noise.out")

# Where operators of the device are made of others than the CPU's, rounding differs.
TOLERANCE = {
    "nn_functional_scaled_dot_product_attention": {"rtol": 1e-4, "atol": 1e-4},
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.bfloat16: {"rtol": 2e-2, "atol": 2e-2},
}

# Entries with tensors that have to stay on the CPU, as on CUDA.
INDICES_ON_CPU = {"tensor_split"}

# Entries that make a tensor without having one.
FACTORIES = re.compile(
    "(arange|eye|full|(lin|log)space(_tensor_overload)?|normal_number_mean|ones|rand(int|n)|scalar_tensor|"
    "tri[lu]_indices|zeros|signal_windows_.*)$"
)


def placed(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """A copy on the device that lies in its memory as the tensor does, gaps and all."""
    copy = tensor.detach()
    if copy.layout != torch.strided or copy.is_quantized or copy.is_conj() or copy.is_neg():
        copy = copy.to(device, copy=True)
    else:
        elements = copy.untyped_storage().nbytes() // copy.element_size()
        whole = copy.as_strided((elements,), (1,), 0).to(device, copy=True)
        copy = whole.as_strided(copy.size(), copy.stride(), copy.storage_offset())
    return copy.requires_grad_(tensor.requires_grad)


def moved(tree: Any) -> Any:
    """The same on the device: its tensors, and where it names the CPU."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return placed(leaf, DEVICE)
        return DEVICE if leaf in ("cpu", torch.device("cpu")) else leaf

    return tree_map(move, tree)


def cloned(tree: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: placed(t, "cpu"), tree)


def compare(found: Any, expected: Any, what: str, **tolerance: float) -> None:
    found_leaves, found_shape = tree_flatten(found)
    expected_leaves, expected_shape = tree_flatten(expected)
    assert found_shape == expected_shape, f"{what}: found {found_shape}, expected {expected_shape}"
    for one, other in zip(found_leaves, expected_leaves, strict=True):
        if not isinstance(other, torch.Tensor):
            assert one == other or (one != one and other != other), f"{what}: found {one}, expected {other}"
            continue
        assert one.device == torch.device(DEVICE), f"{what}: the result is on {one.device}"
        assert one.untyped_storage().device == one.device, f"{what}: the storage is on {one.untyped_storage().device}"
        within = tolerance or TOLERANCE.get(other.dtype, {})
        torch.testing.assert_close(
            one.detach().cpu(), other.detach(), equal_nan=True, msg=lambda text: f"{what}: {text}", **within
        )
        assert one.stride() == other.stride() or not one.numel(), (
            f"{what}: strides {one.stride()}, expected {other.stride()}"
        )


def seeded(function: Any, *args: Any, **kwargs: Any) -> Any:
    """With the same numbers on both devices: a flagos generator draws those of a CPU generator of the same seed."""
    torch.manual_seed(5)
    return function(*args, **kwargs)


class Refused(Exception):
    """The CPU has refused, so there is nothing to compare."""


def on_cpu(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return seeded(function, *args, **kwargs)
    except Exception as error:
        raise Refused(str(error)) from error


def check_sample(op: Any, sample: Any, counts: Counter, kind: str = "forward") -> None:
    arguments = ((sample.input, *sample.args), sample.kwargs)
    cpu, device = cloned(arguments), moved(arguments)
    if op.formatted_name in INDICES_ON_CPU:
        device = ((device[0][0], *cpu[0][1:]), cpu[1])
    tensors = [leaf for leaf in tree_flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]
    if FACTORIES.match(op.formatted_name) and all(tensor.dim() == 0 for tensor in tensors):
        device[1]["device"] = DEVICE
    expected = on_cpu(op, *cpu[0], **cpu[1])
    found = seeded(op, *device[0], **device[1])
    compare(found, expected, kind, **TOLERANCE.get(op.formatted_name, {}))
    after = [[t for t in tree_flatten(a)[0] if isinstance(t, torch.Tensor)] for a in (moved(device), cpu)]
    compare(*after, f"{kind}: arguments after the call")
    counts[kind] += 1

    if op.supports_autograd and any(t.requires_grad for t in tree_flatten(expected)[0] if isinstance(t, torch.Tensor)):
        gradients = []
        for result, inputs in ((expected, cpu), (found, device)):
            results = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            leaves = [t for t in tree_flatten(inputs)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            torch.manual_seed(6)
            ones = [torch.ones(t.shape, dtype=t.dtype, device=t.device) for t in results]
            call = on_cpu if inputs is cpu else seeded
            gradients.append([g for g in call(torch.autograd.grad, results, leaves, ones, allow_unused=True)])
        for other, one in zip(*gradients, strict=True):
            assert (one is None) == (other is None), "backward: one of the two has no gradient"
            if one is not None:
                within = TOLERANCE.get(op.formatted_name, {})
                torch.testing.assert_close(
                    one.cpu(), other, equal_nan=True, msg=lambda text: f"backward: {text}", **within
                )
        counts["backward"] += 1


def without_grad(sample: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: t.detach(), ((sample.input, *sample.args), sample.kwargs))


def check_in_place(op: Any, sample: Any, counts: Counter) -> None:
    variant = op.inplace_variant
    if variant is None or sample.broadcasts_input or not isinstance(sample.input, torch.Tensor):
        return
    cpu, device = cloned(without_grad(sample)), moved(without_grad(sample))
    on_cpu(variant, *cpu[0], **cpu[1])
    address = device[0][0].untyped_storage().data_ptr()
    result = seeded(variant, *device[0], **device[1])
    assert result is device[0][0], "in-place: another tensor came back"
    assert result.untyped_storage().data_ptr() == address, "in-place: the memory is another"
    compare(device, cpu, "in-place")
    counts["in place"] += 1


def check_out(op: Any, sample: Any, counts: Counter) -> None:
    if not op.supports_out or op.formatted_name in INDICES_ON_CPU:
        return
    cpu, device = without_grad(sample), moved(without_grad(sample))
    expected = on_cpu(op, *cpu[0], **cpu[1])
    if not all(isinstance(t, torch.Tensor) for t in tree_flatten(expected)[0]):
        return
    for shape in ("right", "empty"):

        def made(t: torch.Tensor, where: str, shape: str = shape) -> torch.Tensor:
            return torch.zeros(t.shape if shape == "right" else 0, dtype=t.dtype, device=where)

        cpu_out = tree_map(lambda t: made(t, "cpu"), expected)
        out = tree_map(lambda t: made(t, DEVICE), expected)
        if isinstance(expected, tuple):
            cpu_out, out = tuple(cpu_out), tuple(out)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            on_cpu(op, *cpu[0], out=cpu_out, **cpu[1])
            seeded(op, *device[0], out=out, **device[1])
        compare(list(tree_flatten(out)[0]), list(tree_flatten(cpu_out)[0]), f"out of the {shape} size")
    counts["out"] += 1


def check_variants(op: Any, counts: Counter) -> None:
    """Its other dtypes; inputs with gaps between their elements; inputs without elements, where the CPU takes them."""

    def check(sample: Any, kind: str) -> None:
        try:
            check_sample(op, sample, counts, kind)
        except Refused:
            pass

    main = main_dtype(op)
    for dtype in sorted(op.dtypes - {main}, key=str):
        for sample in spread(op.sample_inputs("cpu", dtype), 1):
            check(sample, "dtype")
    for sample in spread(op.sample_inputs("cpu", main)):
        check(sample.noncontiguous(), "gaps")
        if op.formatted_name not in GROW:
            check(sample.transform(emptied), "empty")


def emptied(value: Any) -> Any:
    return value.narrow(-1, 0, 0) if isinstance(value, torch.Tensor) and value.dim() else value


class Calls(TorchDispatchMode):
    """The first call of each ATen operator, with copies of its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[Any, tuple] = {}

    def __torch_dispatch__(self, operator: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if operator.namespace == "aten" and operator not in self.first:
            self.first[operator] = cloned((args, kwargs or {}))
        return operator(*args, **(kwargs or {}))


def check_out_forms(op: Any, sample: Any, counts: Counter) -> None:
    """The `out=` forms, which nothing in Python calls, of the operators that its forward and its backward are made of."""
    args, kwargs = cloned(((sample.input, *sample.args), sample.kwargs))
    with Calls() as calls:
        results = [r for r in tree_flatten(on_cpu(op, *args, **kwargs))[0] if isinstance(r, torch.Tensor)]
        if op.supports_autograd and any(r.requires_grad for r in results):
            leaves = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            ones = [torch.ones_like(r) for r in results if r.requires_grad]
            on_cpu(torch.autograd.grad, [r for r in results if r.requires_grad], leaves, ones, allow_unused=True)
    for operator, (args, kwargs) in calls.first.items():
        for form in out_forms(operator):
            try:
                with torch.no_grad():
                    check_out_form(form, operator, args, kwargs)
            except Refused:
                continue
            counts["out form"] += 1


def check_out_form(form: Any, operator: Any, args: tuple, kwargs: dict) -> None:
    results = on_cpu(operator, *cloned(args), **cloned(kwargs))
    results = results if isinstance(results, tuple) else (results,)
    if not all(isinstance(result, torch.Tensor) for result in results):
        raise Refused("not all results are there")
    outs = [argument.name for argument in form._schema.arguments if argument.is_out]

    def empty(device: str) -> dict[str, torch.Tensor]:
        pairs = zip(outs, results, strict=True)
        return {out: torch.empty(0, dtype=result.dtype, device=device) for out, result in pairs}

    expected, found = empty("cpu"), empty(DEVICE)
    on_cpu(form, *cloned(args), **cloned(kwargs), **expected)
    seeded(form, *moved(args), **moved(kwargs), **found)
    compare(found, expected, str(form))


def out_forms(operator: Any) -> Iterator[Any]:
    """The overloads that take what this one takes, and `out=` besides."""
    names = [argument.name for argument in operator._schema.arguments]
    packet = operator.overloadpacket
    for overload in packet.overloads():
        form = getattr(packet, overload)
        arguments = form._schema.arguments
        if (
            str(form) not in NOT_CALLED
            and any(a.is_out for a in arguments)
            and [a.name for a in arguments if not a.is_out] == names
        ):
            yield form


def check_conjugate(op: Any, counts: Counter) -> None:
    if torch.complex64 not in op.dtypes or op.formatted_name in INDICES_ON_CPU:
        return
    for sample in list(op.sample_inputs("cpu", torch.complex64))[:1]:
        tensors = without_grad(sample)
        lazy = tree_map_only(torch.Tensor, lambda t: t.conj() if t.is_complex() else t, tensors)
        on_device = tree_map_only(torch.Tensor, lambda t: t.conj() if t.is_complex() else t, moved(tensors))
        expected = on_cpu(op, *lazy[0], **lazy[1])
        compare(seeded(op, *on_device[0], **on_device[1]), expected, "conjugate views")
        counts["conjugate"] += 1


def main_dtype(op: Any) -> torch.dtype:
    return torch.float32 if torch.float32 in op.dtypes else sorted(op.dtypes, key=str)[0]


def spread(samples: Any, most: int = SAMPLES) -> list[Any]:
    """A few of the samples, from all over the list: neighbours are alike."""
    samples = list(samples)
    return samples[:: -(-len(samples) // most)] if samples else []


def check_operator(op: Any, counts: Counter) -> None:
    if not op.dtypes:
        raise Refused("not for the CPU")
    dtype = main_dtype(op)
    grad = op.supports_autograd and dtype.is_floating_point
    refused = None
    for sample in spread(op.sample_inputs("cpu", dtype, requires_grad=grad)):
        for check in (check_sample, check_in_place, check_out, check_out_forms):
            try:
                check(op, sample, counts)
            except Refused as error:
                refused = error
    check_variants(op, counts)
    try:
        check_conjugate(op, counts)
    except Refused:
        pass
    if counts["forward"] == 0:
        raise Refused(f"the CPU refuses every sample: {refused}")


def check_lists(op: Any, counts: Counter) -> None:
    """An operator over lists of tensors, its result and in place."""
    for dtype in sorted(op.dtypes, key=lambda dtype: (dtype != torch.float32, str(dtype))):
        for sample in spread(op.sample_inputs("cpu", dtype)):
            arguments = ((sample.input, *sample.args), sample.kwargs)
            for variant, kind in ((op.method_variant, "forward"), (op.inplace_variant, "in place")):
                if variant is None:
                    continue
                cpu, device = cloned(arguments), moved(arguments)
                try:
                    expected = on_cpu(variant, *cpu[0], **cpu[1])
                except Refused:
                    continue
                found = seeded(variant, *device[0], **device[1])
                compare((found, device), (expected, cpu), f"{kind}, {dtype}")
                counts[kind] += 1


def check_schema(name: str, counts: Counter) -> None:
    from gates.operators import different  # imports the device

    if name in MADE_UP:
        raise Refused(MADE_UP[name])
    wrong = different(name)
    if wrong is None:
        raise Refused("no arguments can be made up that the CPU takes")
    assert not wrong, wrong
    counts["forward"] += 1


def check_module(info: Any, counts: Counter) -> None:
    samples = info.module_inputs_func(info, "cpu", torch.float32, requires_grad=False, training=True)
    for sample in list(samples)[:SAMPLES]:
        if sample.forward_input is None:
            continue
        make = sample.constructor_input
        modules = []
        # A lazy module that moves to a renamed device is no longer lazy (pytorch#196975), so it has to begin there.
        lazy = {"device": DEVICE} if "Lazy" in info.module_cls.__name__ else {}
        for where in ({}, lazy):
            torch.manual_seed(0)
            modules.append(info.module_cls(*make.args, **(make.kwargs | where)).train())
        on_the_cpu, on_device = modules[0], modules[1].to(DEVICE)
        args = (sample.forward_input.args, sample.forward_input.kwargs)
        cpu, device = cloned(args), moved(args)
        expected = on_cpu(on_the_cpu, *cpu[0], **cpu[1])
        found = seeded(on_device, *device[0], **device[1])
        compare(found, expected, "forward")
        counts["forward"] += 1
        sums = [
            sum(t.float().sum() for t in tree_flatten(r)[0] if isinstance(t, torch.Tensor) and t.requires_grad)
            for r in (expected, found)
        ]
        if isinstance(sums[0], torch.Tensor):
            for total in sums:
                total.backward()
            counts["backward"] += 1
        ours = dict(on_device.named_parameters()) | dict(on_device.named_buffers())
        for name, theirs in (*on_the_cpu.named_parameters(), *on_the_cpu.named_buffers()):
            torch.testing.assert_close(ours[name].detach().cpu(), theirs.detach(), equal_nan=True)
            assert (ours[name].grad is None) == (theirs.grad is None), f"gradient of {name}"
            if theirs.grad is not None:
                torch.testing.assert_close(ours[name].grad.cpu(), theirs.grad, equal_nan=True)


def check_optimizer(info: Any, counts: Counter) -> None:
    for sample in info.optim_inputs_func(device="cpu"):
        for implementation in ("foreach", "fused", "neither"):
            if implementation != "neither" and implementation not in info.supported_impls:
                continue
            flags = {} if implementation == "neither" else {implementation: True}
            weights = []
            for where in ("cpu", DEVICE):
                torch.manual_seed(0)
                shapes = [(3, 4), (4, 3)] if info.optim_cls is torch.optim.Muon else [(3, 4), (4,)]
                params = [torch.nn.Parameter(torch.randn(shape).to(where)) for shape in shapes]
                try:
                    optimizer = info.optim_cls(params, **(sample.kwargs | flags))
                except (RuntimeError, ValueError, TypeError):
                    break  # a combination that the optimizer refuses

                def closure(params: list = params) -> torch.Tensor:
                    for p in params:
                        p.grad = None
                    loss = sum((p * p).sum() for p in params)
                    loss.backward()
                    if info.only_supports_sparse_grads:
                        for p in params:
                            p.grad = p.grad.to_sparse()
                    return loss

                for _ in range(3):
                    closure()
                    optimizer.step(closure if info.step_requires_closure else None)
                weights.append([p.detach().cpu() for p in params])
            if len(weights) == 2:
                torch.testing.assert_close(weights[1], weights[0])
                counts[implementation] += 1


def entries(suite: str) -> list[tuple[str, Any, Any]]:
    if suite in ("operators", "lists"):
        from torch.testing._internal import common_methods_invocations as listed

        if suite == "operators":
            return [(op.formatted_name, op, check_operator) for op in listed.op_db]
        lists = (getattr(listed, name) for name in sorted(vars(listed)) if re.fullmatch("foreach_.*_op_db", name))
        return [(op.formatted_name, op, check_lists) for ops in lists for op in ops]
    if suite == "schemas":
        return [(name, name, check_schema) for name in routable()]
    if suite == "modules":
        from torch.testing._internal.common_modules import module_db

        return [(info.name, info, check_module) for info in module_db]
    from torch.testing._internal.common_optimizers import optim_db

    return [(info.optim_cls.__name__, info, check_optimizer) for info in optim_db]


def run(name: str, info: Any, check: Any) -> dict:
    counts: Counter = Counter()
    if name in EXCLUDED:
        return {"name": name, "result": "excluded", "checks": counts, "why": EXCLUDED[name]}
    try:
        check(info, counts)
    except Refused as refused:
        return {"name": name, "result": "excluded", "checks": counts, "why": str(refused)[:300]}
    except BaseException as error:
        return {"name": name, "result": "failed", "checks": counts, "why": f"{type(error).__name__}: {error}"[:1500]}
    if not counts:
        return {"name": name, "result": "failed", "checks": counts, "why": "nothing was checked"}
    return {"name": name, "result": "passed", "checks": counts, "why": ""}


def in_child(function: Any, *arguments: Any) -> tuple[Any, str, str]:
    """What the function returns, how its process ended if not well, and what it wrote to stderr."""
    reader, writer = os.pipe()
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        pid = os.fork()
        if pid == 0:
            signal.alarm(LIMIT)
            os.dup2(errors.fileno(), 2)
            importlib.import_module("torch_fl").init()
            with os.fdopen(writer, "w") as pipe:
                json.dump(function(*arguments), pipe)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            text = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        errors.seek(0)
        said = errors.read()
    if status == 0 and text:
        return json.loads(text), "", said
    return None, signal.Signals(-status).name if status < 0 else f"exit status {status}", said


def is_taken_by_cpu(name: str) -> bool:
    from gates.operators import is_taken_by_cpu

    return is_taken_by_cpu(name)


def run_in_child(name: str, info: Any, check: Any) -> dict:
    result, ended, said = in_child(run, name, info, check)
    if check is check_schema and ended and in_child(is_taken_by_cpu, name)[1]:
        result = {"name": name, "result": "excluded", "checks": {}, "why": f"ends the CPU's kernel, too, with {ended}"}
    result = result or {"name": name, "result": "failed", "checks": {}, "why": f"ended with {ended}"}
    ran = defaultdict(set)
    for operator, by in what_ran(said):
        ran[by].add(operator)
    return result | {"ran": {by: sorted(operators) for by, operators in sorted(ran.items())}}


# ---- routes ----


def register(names: list[str]) -> tuple[list[str], list[str]]:
    """Those of the operators that the CPU has kernels for and flagos has not, and what is wrong with each other."""
    from torch_fl import _C

    problems = _C.route_operators(names, "cpu")
    return _C.routed_operators(), problems


@cache
def registered() -> tuple[list[str], list[str]]:
    from generators.aten.lines import installed_line
    from generators.aten.operators import read_catalogue

    names = [operator.name for operator in read_catalogue(installed_line()).routable]
    return tuple(in_child(register, names)[0])


def routable() -> list[str]:
    return registered()[0]


def write_conf(folder: str) -> Path:
    path = Path(folder) / "all.conf"
    path.write_text("".join(f"{name} = host\n" for name in routable()))
    return path


def fallen_back(results: list[dict]) -> list[str]:
    """Routed operators that fell back all the same."""
    return sorted(set().union(*(result["ran"].get("fallback", ()) for result in results)) & set(routable()))


def record(results: list[dict]) -> str:
    """Keep what a whole run with routes found as evidence of the simulated vendor; docs/reference/boxed-operators.md is made
    of it."""
    from gates.evidence import provenance
    from generators.files import write_if_changed
    from generators.source import identify_source
    from generators.vendor import DESCRIPTORS, load_vendor

    source, vendor = identify_source(), load_vendor("host")
    if source.dirty:
        return f"not recorded: the files are not a commit ({', '.join(source.dirty[:3])})"
    suites: dict[str, dict] = {}
    for result in results:
        suite = suites.setdefault(result["suite"], {"passed": 0, "failed": 0, "excluded": 0, "checks": Counter()})
        suite[result["result"]] += 1
        suite["checks"].update(result["checks"])
    ran = {ended: ran_in(results, ended) for ended in ("passed", "failed")}
    evidence = {
        "suite": "boxed_operators",
        "vendor": vendor.name,
        "hardware": provenance(vendor, None)["hardware"],
        "simulated": vendor.simulated,
        "torch": torch.__version__,
        "commit": source.commit,
        "date": date.today().isoformat(),
        "suites": suites,
        "routed": len(routable()),
        "proven": sorted(ran["passed"] - ran["failed"]),
        "failed": sorted(ran["failed"]),
        "fell_back": fallen_back(results),
        "not_run": sorted(set(routable()) - ran["passed"] - ran["failed"]),
        "not_routed": grouped(problem.split(": ", 1) for problem in registered()[1]),
        "not_compared": grouped((r["name"], r["why"].split(": ")[0]) for r in results if r["result"] == "excluded"),
    }
    path = DESCRIPTORS / vendor.name / "evidence/boxed_operators.json"
    write_if_changed(path, json.dumps(evidence, indent=1, ensure_ascii=False) + "\n")
    return f"recorded {path.name}; now: python -m generators.reports --write"


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Reason -> the names that have it."""
    found: dict[str, list[str]] = {}
    for name, why in pairs:
        found.setdefault(why, []).append(name)
    return {why: sorted(names) for why, names in sorted(found.items())}


def ran_in(results: list[dict], ended: str) -> set[str]:
    """Operators that ran on a kernel of the CPU in entries that ended so."""
    return set().union(*(result["ran"].get("CPU", ()) for result in results if result["result"] == ended))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="+", metavar="SUITE[:N]")
    parser.add_argument("--routed", action="store_true", help="route every operator that can be to the CPU's kernels")
    parser.add_argument("--record", action="store_true", help="keep what the run found as evidence")
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        if options.routed:
            os.environ["FLAGOS_BACKEND_CONFIG"] = str(write_conf(folder))
        for suite, _, every in (argument.partition(":") for argument in options.suites):
            ended: Counter = Counter()
            checks: Counter = Counter()
            for name, info, check in entries(suite)[:: int(every or 1)]:
                result = {"suite": suite} | run_in_child(name, info, check)
                ended[result["result"]] += 1
                checks.update(result["checks"])
                results.append(result)
                print(json.dumps(result), flush=True)
            print(f"{suite}: {dict(ended)}; checks: {dict(checks)}", file=sys.stderr)
    wrong = [result["name"] for result in results if result["result"] == "failed"]
    if options.routed:
        ran = ran_in(results, "passed") - ran_in(results, "failed")
        print(f"routed: {len(routable())} operators; proven: {len(ran)}", file=sys.stderr)
        for name in fallen_back(results):
            print(f"{name}: routed, and fell back", file=sys.stderr)
            wrong.append(name)
    if options.record:
        print(record(results), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
