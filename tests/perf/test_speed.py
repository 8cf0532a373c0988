"""What the device costs: each figure a ratio to a yardstick that is measured in turn with it, in the same minute."""

from __future__ import annotations

import sys

import pytest

from tests.perf.conftest import Worker, in_turn


@pytest.fixture(scope="module")
def flagos(device_vendor, without_routes):
    worker = Worker(sys.executable, "--torch-fl", FLAGOS_BACKEND_CONFIG=without_routes)
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def plain():
    """PyTorch without this package."""
    worker = Worker(sys.executable)
    yield worker
    worker.close()


@pytest.mark.parametrize(
    "measure, name",
    [
        ("empty", "16 elements"),
        ("empty_mebi", "4 MiB"),
        ("empty_as_written", "16 elements, device as text or none"),
    ],
)
def test_cached_empty_against_the_cpu(flagos, ratio, measure, name):
    ratio(
        f"cached torch.empty, {name}: flagos / CPU",
        *in_turn((flagos, measure, "flagos"), (flagos, measure, "cpu")),
        at_most=1.5,
    )


def test_upload_against_memmove(flagos, ratio):
    seconds, unit = in_turn((flagos, "upload", "flagos"), (flagos, "memmove", "cpu"))
    ratio("64 MiB to the device: speed / one-thread memmove", unit, seconds, at_least=0.9)


@pytest.mark.parametrize("measure", ["add", "add_in_place", "reduce"])
def test_small_operator_against_the_cpu(flagos, ratio, measure):
    ratio(
        f"{measure} of 16 elements by the fallback / on the CPU",
        *in_turn((flagos, measure, "flagos"), (flagos, measure, "cpu")),
        at_most=15,
    )


def test_transposing_copy_against_the_cpu(flagos, ratio):
    ratio(
        "transposing copy of 16 MiB: flagos / CPU",
        *in_turn((flagos, "transpose", "flagos"), (flagos, "transpose", "cpu"), 5),
    )


def test_cpu_code_after_import(flagos, plain, ratio):
    ratio(
        "CPU code with torch_fl imported / without",
        *in_turn((flagos, "cpu_work", "cpu"), (plain, "cpu_work", "cpu")),
        at_most=1.05,
    )


@pytest.mark.parametrize(
    "measure, name, bound",
    [
        ("upload_pinned", "pinned memory to the device", {"at_least": 0.98}),
        ("download_pinned", "device to pinned memory", {"at_least": 0.98}),
        ("empty", "cached torch.empty", {"at_most": 1.1}),
        ("synchronize", "synchronize an idle device", {"at_most": 1.1}),
        ("record", "record an event", {"at_most": 1.1}),
    ],
)
def test_against_torch_cuda(flagos, cuda, ratio, measure, name, bound):
    ours, theirs = in_turn((flagos, measure, "flagos"), (cuda, measure, "cuda"))
    if "at_least" in bound:
        ratio(f"{name}: speed / torch.cuda", theirs, ours, **bound)
    else:
        ratio(f"{name}: flagos / torch.cuda", ours, theirs, **bound)
