"""Operators run on the vendor's key: that they do, in order, on the right device, with flagos's numbers and memory."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from gates.cuda_compat.route import KEY_OF_FALLBACK, Ran, Route
from gates.python_sources import ALLOWED, uses_of_cuda
from gates.status import check
from generators.files import ROOT
from torch_fl.conf import read_conf

# What a step of training calls.
STEP = {
    "convolution_overrideable",
    "convolution_backward_overrideable",
    "native_layer_norm",
    "native_layer_norm_backward",
    "native_dropout",
    "native_dropout_backward",
    "addmm",
    "mm",
    "_log_softmax",
    "_log_softmax_backward_data",
    "nll_loss_forward",
    "nll_loss_backward",
    "_foreach_mul_.Scalar",
    "_foreach_lerp_.Scalar",
    "_foreach_addcmul_.Scalar",
    "_foreach_sqrt",
    "_foreach_addcdiv_.ScalarList",
}


# What half precision adds.
MIXED = {"copy_", "_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"}


def _nothing_fell_back(ran: Ran) -> None:
    """What the vendor's kernels can do, no kernel of the CPU did."""
    check(not ran.elsewhere, "operators fell back to the CPU", found=", ".join(sorted(ran.elsewhere)))


@pytest.mark.gate("cuda_compat.route.training")
def test_training_runs_on_the_key(runtime, torch_side, route: Route, measured: dict[str, Any]):
    """Exit criterion: "a routed operator really ran on the CUDA key (a trace, not only right numbers)": whatever a step of training
    calls (convolution, layer norm, dropout, linear, cross entropy, AdamW over lists) and the conf routes is in the trace with
    the key, nothing falls back, and loss, gradients and parameters are the CPU's."""
    ran = route.run("training.step")
    measured.update(ran.found)
    routed = STEP & read_conf(route.conf).routes.keys()
    check(len(routed) >= 10, "the conf routes next to nothing of a step of training", found=sorted(routed))
    missing = sorted(routed - ran.on_key)
    check(not missing, "routed operators did not run on the key", found=", ".join(missing), where=str(route.conf))
    _nothing_fell_back(ran)


@pytest.mark.gate("cuda_compat.route.mixed_precision")
def test_mixed_precision_runs_on_the_key(runtime, torch_side, vendor, route: Route):
    """Exit criterion: a step of training in half precision, autocast and gradients scaled, runs on the key: its casts too, which
    would else go through the host and be counted nowhere."""
    ran = route.run("training.mixed_precision")
    if vendor.dispatch_key != KEY_OF_FALLBACK:  # the CPU's casts are flagos's own
        check(MIXED <= ran.on_key, "did not run on the key", found=", ".join(sorted(MIXED - ran.on_key)))
    _nothing_fell_back(ran)


@pytest.mark.gate("cuda_compat.route.untouched")
def test_training_leaves_the_python_side_of_cuda_alone(runtime, torch_side, route: Route):
    """Exit criterion: "the Python-level gate is never entered": after training, its module says that it is not initialised."""
    initialised = route.run("training.leaves_torch_cuda_alone").found
    check(not initialised, "a step of training initialises the Python side of CUDA")


@pytest.mark.gate("cuda_compat.route.sources")
def test_sources_leave_the_python_side_of_cuda_alone():
    """Exit criterion: "never call it from tests": no Python of the package, the gates or the generators imports or uses the Python
    side of CUDA, but for the question whether it is initialised."""
    asked, found = 0, []
    for package in ("torch_fl", "gates", "generators"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for line, name in uses_of_cuda(ast.parse(path.read_text(encoding="utf-8"))):
                if name == ALLOWED:
                    asked += 1
                else:
                    found.append(f"{path.relative_to(ROOT)}:{line}: {name}")
    check(not found, "sources use the Python side of CUDA", found="; ".join(found))
    check(asked == 1, "one gate asks whether it is initialised, and is found here", expected=1, found=asked)


@pytest.mark.gate("cuda_compat.route.attention")
def test_indexed_writes_and_attention_run_on_the_key(
    runtime, torch_side, vendor, route: Route, measured: dict[str, Any]
):
    """Exit criterion: "`index_put_` and flash/efficient attention run on the device, not through the CPU": forward and backward,
    with the CPU's values; attention by a fused kernel where the target has one."""
    ran = route.run("training.indexing_and_attention")
    check("_index_put_impl_" in ran.on_key, "index_put_ did not run on the key", found=", ".join(sorted(ran.on_key)))
    fused = {name for name in ran.on_key if name in ran.found}
    measured["fused"] = ", ".join(sorted(fused)) or "none"
    backward = {name for name in fused if f"{name}_backward" in ran.on_key}
    check(bool(fused) or not ran.found, "no fused attention ran", expected=ran.found, found=sorted(ran.on_key))
    check(fused == backward, "fused attention did not run backward", expected=sorted(fused), found=sorted(backward))
    _nothing_fell_back(ran)


@pytest.mark.gate("cuda_compat.route.cold_start")
def test_out_works_as_the_first_call(runtime, torch_side, route: Route, measured: dict[str, Any]):
    """Exit criterion: "the first op in a fresh process can hit Allocator not initialized for device; it surfaces on out-variants":
    each of these gives the CPU's values as the first call of a process on the device, and ran on the key."""
    ran = route.run("cold_start.first_calls")
    measured["cases"] = len(ran.found)
    wrong = [f"{name}: {problem}" for name, problem in ran.found.items() if problem]
    check(not wrong, "not right as the first call on the device", found="; ".join(wrong))
    missing = sorted(ran.found.keys() - ran.on_key)
    check(not missing, "did not run on the key", found=", ".join(missing))


@pytest.mark.gate("cuda_compat.route.streams", requires=("pending_work",))
def test_kernels_run_on_the_current_stream(runtime, torch_side, route: Route):
    """Exit criterion: "the flagos stream and the CUDA current stream must be the same stream when a boxed kernel runs": it runs after
    what the stream was given before it, before what comes after, and behind no other stream; an event between two streams orders
    their kernels."""
    route.run("order.streams")


@pytest.mark.gate("cuda_compat.route.record_stream", requires=("pending_work", "block_cache", "pinned_host_memory"))
def test_recorded_memory_is_kept(runtime, torch_side, route: Route):
    """Exit criterion: memory that a kernel made stays as it is until a stream that was recorded on it has read it, by a copy and by
    a kernel, although it is free and another kernel wants its size."""
    route.run("order.recorded")


@pytest.mark.gate("cuda_compat.route.pinned", requires=("pending_work", "pinned_host_memory"))
def test_pinned_copies_are_in_order_with_kernels(runtime, torch_side, route: Route):
    """Exit criterion: copies from and to pinned memory with `non_blocking` are in one order with the kernels of their stream."""
    route.run("order.pinned")


@pytest.mark.gate("cuda_compat.route.threads")
def test_threads_have_streams_of_their_own(runtime, torch_side, route: Route):
    """Exit criterion: threads with a stream and tensors of their own each get the CPU's values, and see their own stream as the
    current one throughout."""
    route.run("order.threads")


@pytest.mark.gate("cuda_compat.route.device")
def test_current_device_and_stream_are_kept(runtime, torch_side, route: Route):
    """Exit criterion: "the current device is what it was after every call, also after an error", for flagos and for the vendor, and
    so is the current stream; the next call is right."""
    route.run("order.device_is_kept")


@pytest.mark.gate("cuda_compat.route.other_device", requires=("several_devices",))
def test_current_device_is_kept_by_calls_on_another(second_device, torch_side, route: Route):
    """Exit criterion: the same of calls on a tensor of a device that is not the current one, on several threads too, and the result
    is on the tensor's."""
    route.run("order.other_device_is_kept")


@pytest.mark.gate("cuda_compat.route.random")
def test_generators_govern_random_numbers(runtime, torch_side, route: Route, measured: dict[str, Any]):
    """Exit criterion: "`torch.manual_seed` and `flagos` generators govern every random operator on this route, dropout included;
    saved and restored state reproduces", and a generator that is given is the one that is used."""
    ran = route.run("randomness.generators_govern")
    measured["draws"] = ", ".join(ran.found)
    _nothing_fell_back(ran)


@pytest.mark.gate("cuda_compat.route.statistics")
def test_statistics_cover_what_kernels_allocate(runtime, torch_side, route: Route, measured: dict[str, Any]):
    """Exit criterion: "flagos memory and the kernels' workspaces come from one place": results and workspaces of kernels are in the
    public statistics, counted as flagos tensors are."""
    measured.update(route.run("memory.statistics_cover_kernels").found)


@pytest.mark.gate("cuda_compat.route.cache", requires=("memory_info",))
def test_one_cache_serves_flagos_and_kernels(runtime, torch_side, route: Route, measured: dict[str, Any]):
    """Exit criterion: "OOM of one while the other caches" cannot be: on a full device the cached blocks of one side are freed for a
    request of the other, and empty_cache gives them back to the device."""
    measured.update(route.run("memory.cache_is_one").found)
