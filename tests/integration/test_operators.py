"""PyTorch's own samples of operators, modules and optimizers give on the device what they give on the CPU: results,
gradients, in-place, `out=`, other dtypes, gaps, no elements and conjugate views. Once by the fallback, once with every
operator that can be routed to the CPU's kernels.

A run has some entries of each list. All of them take minutes, and end with a summary:

    python -m generators.sweep --routes none operators modules optimizers
    python -m generators.sweep --routes all

PyTorch's lists need `expecttest`; without it nothing here can run, which is said and is no success of these tests.
"""

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
import torchgen

import torch_fl  # noqa: F401
from generators.files import ROOT
from tests.integration.lines import PINNED

# How many entries PyTorch 2.13 lists, each how many-th of them runs, and how many of those may be excluded.
RUNS = {
    "fallback": {"operators": (702, 27, 2), "modules": (114, 10, 0), "optimizers": (15, 3, 1)},
    "routed": {"operators": (702, 37, 1), "lists": (48, 6, 0), "calls": (21, 2, 0), "schemas": (1145, 20, 20)},
}
KINDS = {
    "operators": {"forward", "backward", "in place", "out", "out form", "dtype", "gaps", "empty", "conjugate"},
    "lists": {"forward", "in place"},
    "calls": {"forward", "backward", "out form", "dtype", "gaps", "empty"},
    "schemas": {"forward"},
    "modules": {"forward", "backward"},
    "optimizers": {"foreach", "fused", "neither"},
}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("expecttest") is None,
    reason="PyTorch's lists of operators need expecttest: pip install expecttest",
)


@pytest.fixture(scope="module", params=RUNS)
def sweep(request) -> tuple[str, list[dict], dict]:
    """A run: its name, the results of all suites from one process, because most of the time is its imports, and what they
    prove."""
    suites = [f"{suite}:{every}" for suite, (_, every, _) in RUNS[request.param].items()]
    routes = "all" if request.param == "routed" else "none"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "generators.sweep",
            "--routes",
            routes,
            "--jobs",
            "1",
            *suites,
        ],  # one, beside other tests
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return request.param, results[:-1], results[-1]["summary"]


def test_samples_give_what_they_give_on_the_cpu(sweep):
    run, results, _ = sweep
    for suite, (listed, every, may_be_excluded) in RUNS[run].items():
        entries = [entry for entry in results if entry["suite"] == suite]
        if PINNED:
            assert len(entries) == -(-listed // every), f"{suite}: another number of entries than PyTorch lists"
        failed = [f"{entry['name']}: {entry['why']}" for entry in entries if entry["result"] == "failed"]
        assert not failed, f"{suite}: {len(failed)} of {len(entries)} failed\n\n" + "\n".join(failed)
        excluded = [f"{entry['name']}: {entry['why']}" for entry in entries if entry["result"] == "excluded"]
        assert len(excluded) <= may_be_excluded, f"{suite}: too many could not be compared\n\n" + "\n".join(excluded)
        checks: Counter = sum((Counter(entry["checks"]) for entry in entries), Counter())
        assert set(checks) == KINDS[suite]


def test_operators_run_where_they_are_routed(sweep):
    run, results, summary = sweep
    ran: dict[str, set[str]] = {"CPU": set(), "fallback": set()}
    for entry in results:
        for by, operators in entry["ran"].items():
            ran[by].update(operators)
    if run == "routed":
        assert len(ran["CPU"]) > 100 and summary["fell_back"] == [] and summary["wrong"] == {}
        assert ran["CPU"] - set(summary["proven"]) == set()
    else:
        assert len(ran["fallback"]) > 50 and not ran["CPU"]


# ---- views ----

# Operators that PyTorch marks as views of their input, with arguments after a tensor of the shape (4, 6), or the reason why
# there is nothing to call.
NOT_DENSE = "takes or makes a tensor of another layout"
VIEWS: dict[str, tuple | str] = {
    "_conj": (torch.complex64,),
    "_neg_view": (),
    "_reshape_alias": ([24], [1]),
    "_test_autograd_multiple_dispatch_view": (),
    "alias": (),
    "as_strided": ([2, 3], [1, 2], 1),
    "chunk": (2,),
    "detach": (),
    "diagonal": (),
    "expand": ([2, 4, 6],),
    "permute": ([1, 0],),
    "select.int": (0, 1),
    "slice.Tensor": (0, 1, 3),
    "split.Tensor": (2,),
    "split_with_sizes": ([1, 3],),
    "squeeze": (),
    "squeeze.dim": (0,),
    "squeeze.dims": ([0, 1],),
    "t": (),
    "transpose.int": (0, 1),
    "unbind.int": (),
    "unfold": (0, 2, 1),
    "unsqueeze": (0,),
    "view": ([24],),
    "view.dtype": (torch.int32,),
    "view_as_complex": (),
    "view_as_real": (torch.complex64,),
    "lift_fresh": (),
    "slice_inverse": "undoes a slice, for functionalization only",
    "_fw_primal": "exists for dual tensors only",
    "_make_dual": "exists for dual tensors only",
    "_nested_view_from_buffer": NOT_DENSE,
    "_nested_view_from_jagged": NOT_DENSE,
    "_nested_get_values": NOT_DENSE,
    "_sparse_broadcast_to": NOT_DENSE,
    "_indices": NOT_DENSE,
    "_values": NOT_DENSE,
    "indices": NOT_DENSE,
    "values": NOT_DENSE,
    "crow_indices": NOT_DENSE,
    "col_indices": NOT_DENSE,
    "ccol_indices": NOT_DENSE,
    "row_indices": NOT_DENSE,
    "_coalesced": NOT_DENSE,
}


def views_of_pytorch() -> set[str]:
    """The operators whose result is a view of their first argument, as far as they are not made of others."""
    from torchgen.gen import parse_native_yaml

    folder = Path(torchgen.__file__).parent / "packaged/ATen/native"
    functions = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml")).native_functions
    return {
        str(f.func.name)
        for f in functions
        if f.is_view_op and not f.func.name.name.inplace and not f.has_composite_implicit_autograd_kernel
    }


def test_every_view_of_pytorch_is_one():
    assert views_of_pytorch() - set(VIEWS) == set(), "PyTorch has views that are not tried here"
    tried = 0
    for name, arguments in VIEWS.items():
        if isinstance(arguments, str):
            continue
        base, _, overload = name.partition(".")
        operator = getattr(getattr(torch.ops.aten, base), overload or "default")
        dtype = torch.float32
        if arguments == (torch.complex64,):
            dtype, arguments = torch.complex64, ()
        shape = (12, 2) if base == "view_as_complex" else (4, 6)
        tensor = torch.rand(shape, dtype=dtype, device="flagos:1")
        views = operator(tensor, *arguments)
        expected = operator(tensor.cpu(), *arguments)
        for view, other in zip(
            views if isinstance(views, list | tuple) else [views],
            expected if isinstance(expected, list | tuple) else [expected],
            strict=True,
        ):
            assert view.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr(), f"{name} is a copy"
            assert (view.device, view.dtype) == (tensor.device, other.dtype), name
            assert (view.shape, view.stride(), view.storage_offset()) == (
                other.shape,
                other.stride(),
                other.storage_offset(),
            ), name
            assert torch.equal(view.cpu(), other), name
        tried += 1
    assert tried > 25
