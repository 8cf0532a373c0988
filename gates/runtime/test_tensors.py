"""flagos tensors on the runtime under test: round trips over dtypes and layouts, placement, and order across streams."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gates.abi import CONTRACT
from gates.status import check
from generators.files import ROOT

DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 uint16 uint32 uint64 "
    "float8_e4m3fn float8_e5m2"
).split()
SHAPES = [(), (0,), (1,), (7,), (2, 0, 3), (3, 5), (4, 4), (2, 3, 4, 5), (65537,)]
LAYOUTS = ("contiguous", "transposed", "offset", "strided", "expanded")


def fill(shape, dtype):
    """A CPU tensor of distinct bytes: equality below is of bytes, so NaN and signed zero count too."""
    import torch

    dtype = getattr(torch, dtype)
    count = int(torch.Size(shape).numel())
    if dtype is torch.bool:
        return (torch.arange(count) % 3 == 0).reshape(shape)
    raw = (torch.arange(count * dtype.itemsize) * 37 + 11).to(torch.uint8)
    return raw.view(dtype).reshape(shape) if count else torch.empty(shape, dtype=dtype)


def same_bytes(a, b):
    """Whether two CPU tensors have the same dtype, shape and bytes."""
    import torch

    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    flat = [tensor.clone(memory_format=torch.contiguous_format).reshape(-1) for tensor in (a, b)]
    return a.numel() == 0 or torch.equal(*(tensor.view(torch.uint8) for tensor in flat))


def lay_out(tensor, layout):
    """The same kind of tensor in another layout; a layout that the shape does not allow is the tensor itself."""
    import torch

    if layout == "transposed" and tensor.dim() >= 2:
        return tensor.transpose(0, -1)
    if layout == "offset" and tensor.dim() >= 1 and tensor.shape[0] > 1:
        return tensor[1:]
    if layout == "strided" and tensor.dim() >= 1:
        return tensor[..., ::2]
    if layout == "expanded":
        return tensor.unsqueeze(0).expand(3, *tensor.shape)
    return tensor if layout == "contiguous" else torch.clone(tensor)


@pytest.mark.gate("runtime.tensors.example")
def test_the_example_of_the_design_runs_as_written(device):
    """Exit criterion: the design's operator-free example: allocate, copy there and back, synchronise, count, account."""
    namespace: dict = {}
    source = """
import torch, torch_fl
t = torch.empty(4, 4, device="flagos")            # allocator reached
h = torch.arange(16, dtype=torch.float32).reshape(4, 4)
d = h.to("flagos"); back = d.cpu()                # H2D + D2H round-trip
assert torch.equal(h, back)
torch_fl.synchronize()                            # stream/event path live
print(torch_fl.device_count(), torch_fl.memory_allocated())
"""
    exec(compile(source, "example", "exec"), namespace)
    count, allocated = namespace["torch_fl"].device_count(), namespace["torch_fl"].memory_allocated()
    check(count >= 1, "device_count()", found=count)
    check(
        allocated == 1024,
        "memory_allocated() with two 64-byte tensors",
        expected="2 blocks of 512 bytes",
        found=allocated,
    )


@pytest.mark.gate("runtime.tensors.round_trip")
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip_of_every_dtype_shape_and_layout(device, dtype):
    """Exit criterion: tensors "filled from host memory, copied back" are the same, byte for byte: 0 elements, 0-dim, odd
    sizes, non-contiguous, offset, expanded; the copy on the device has the same shape and dtype."""
    for shape in SHAPES:
        for layout in LAYOUTS:
            host = lay_out(fill(shape, dtype), layout)
            there = host.to(device)
            check(
                there.device.type == device and there.shape == host.shape and there.dtype == host.dtype,
                f"{dtype} {shape} {layout} on the device",
                found=f"{there.device} {tuple(there.shape)} {there.dtype}",
            )
            check(same_bytes(there.cpu(), host), f"{dtype} {shape} {layout} came back changed")
            check(
                same_bytes(lay_out(fill(shape, dtype).to(device), layout).cpu(), host),
                f"{dtype} {shape} {layout}, laid out on the device, came back changed",
            )
            check(
                same_bytes(there.clone().cpu(), host),
                f"{dtype} {shape} {layout}, cloned on the device, came back changed",
            )


@pytest.mark.gate("runtime.tensors.round_trip_any")
def test_round_trip_of_any_layout(device):
    """Exit criterion: any strided view of a device tensor reads the same as the same view on the host, and a copy into it
    changes exactly the same elements (hypothesis over sizes, strides and offsets)."""
    import torch

    dims = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), min_size=0, max_size=4)

    @settings(max_examples=60)
    @given(dims, st.integers(0, 9), st.sampled_from(["uint8", "int16", "float32", "complex64"]))
    def property_holds(dims, offset, dtype):
        size, stride = [d[0] for d in dims], [d[1] for d in dims]
        base = fill((128,), dtype)
        there = base.to(device)
        view, view_there = base.as_strided(size, stride, offset), there.as_strided(size, stride, offset)
        check(same_bytes(view_there.cpu(), view), f"view {size} {stride} {offset} of {dtype} reads other bytes")
        source = fill(size, dtype)
        try:
            view.copy_(source)
        except RuntimeError:  # overlapping destination: must be refused here as well
            with pytest.raises(RuntimeError):
                view_there.copy_(source.to(device))
            return
        view_there.copy_(source.to(device))
        check(same_bytes(there.cpu(), base), f"writing view {size} {stride} {offset} of {dtype} changed other elements")
        view_there.copy_(torch.zeros(size, dtype=getattr(torch, dtype)))
        view.zero_()
        check(
            same_bytes(there.cpu(), base),
            f"writing view {size} {stride} {offset} of {dtype} from the host changed other elements",
        )

    property_holds()


@pytest.mark.gate("runtime.tensors.copy_like_cpu")
@pytest.mark.parametrize("direction", ["to the device", "from the device", "on the device"])
def test_copy_casts_broadcasts_and_rejects_like_cpu(device, direction):
    """Exit criterion: `copy_` across devices casts, broadcasts and rejects exactly where CPU `copy_` does, and changes no
    byte beyond its destination."""
    import torch

    cases = [
        ((4,), "float16", (4,), "float32"),
        ((4,), "float32", (4,), "int64"),
        ((3, 4), "float64", (4,), "bfloat16"),
        ((2, 3), "int32", (1, 3), "uint8"),
        ((2, 3), "bool", (), "int8"),
        ((3,), "complex64", (3,), "float32"),
        ((0, 3), "float32", (3,), "float32"),
        ((4,), "float32", (8,), "float32"),
        ((2, 3), "float32", (3, 2), "float32"),
        ((3,), "float32", (2, 3), "float32"),
    ]
    for shape, dtype, from_shape, from_dtype in cases:
        expected, source = fill((*shape, 2), dtype)[..., 0], fill(from_shape, from_dtype)
        whole = torch.zeros(64, dtype=getattr(torch, dtype))
        target_host = whole[8:]
        target = target_host.to(device) if direction != "from the device" else target_host
        there = source.to(device) if direction != "to the device" else source
        count = expected.numel()
        where = f"copy_ of {from_dtype} {from_shape} into {dtype} {shape} {direction}"
        reference = torch.zeros(56, dtype=whole.dtype)
        try:
            reference[:count].view(shape).copy_(source)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                target[:count].view(shape).copy_(there)
            check(not target.cpu().any(), f"{where} was refused but wrote")
            continue
        target[:count].view(shape).copy_(there)
        check(
            same_bytes(target.cpu(), reference),
            where,
            expected=reference[: count + 2].tolist(),
            found=target.cpu()[: count + 2].tolist(),
        )


@pytest.mark.gate("runtime.tensors.placement")
def test_tensors_lie_on_the_device_they_name(device, second_device):
    """Exit criterion: a tensor, its storage and its views are on the device that was asked for, an index that does not
    exist is refused, and copies between devices carry the data."""
    import torch

    for index in (0, second_device):
        where = f"{device}:{index}"
        made = [
            torch.empty(4, device=where),
            torch.ones(3, device=where),
            torch.empty(0, device=where).resize_(8),
            torch.ones(6).to(where)[2:],
            torch.arange(3, device=where),
        ]
        for tensor in made:
            check(
                str(tensor.device) == str(tensor.untyped_storage().device) == where,
                "a tensor or its storage lies elsewhere",
                expected=where,
                found=f"{tensor.device}, storage {tensor.untyped_storage().device}",
            )
    for bad in (torch.accelerator.device_count(), 99):
        with pytest.raises((RuntimeError, IndexError, ValueError)):
            torch.empty(1, device=f"{device}:{bad}")
    source = fill((1001,), "float32")
    other = source.to(f"{device}:{second_device}")
    back = torch.empty(1001, device=f"{device}:0").copy_(other)
    check(same_bytes(back.cpu(), source), "a copy between devices changed the data")


@pytest.mark.gate("runtime.tensors.pinned", requires=["pinned_host_memory"])
def test_pinned_tensors_copy_without_blocking(device):
    """Exit criterion: `pin_memory` gives pinned memory, a non-blocking copy from it is ordered with the stream, and the
    memory is not handed out again before the copy is done."""
    import torch

    source = fill((1 << 20,), "uint8")
    for turn in range(8):
        pinned = (source + turn).pin_memory()
        check(pinned.is_pinned() and not source.is_pinned(), "is_pinned()")
        there = torch.empty(1 << 20, dtype=torch.uint8, device=device)
        there.copy_(pinned, non_blocking=True)
        del pinned
        torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True).fill_(0)
        check(
            same_bytes(there.cpu(), source + turn),
            f"turn {turn}: the pinned source was reused before the copy was done",
        )


@pytest.mark.gate("runtime.tensors.stream_order")
def test_streams_and_events_order_tensor_work(device, runtime):
    """Exit criterion: torch.Stream and torch.Event order tensor work: a stream that waits for an event sees what was
    written before it, and a copy on a side stream does not run on the default stream."""
    import torch

    size = 1 << 20
    producer, consumer = torch.Stream(device), torch.Stream(device)
    check(producer.stream_id != consumer.stream_id, "two streams are the same")
    source = torch.ones(size, dtype=torch.uint8).pin_memory()
    first, second = (
        torch.zeros(size, dtype=torch.uint8, device=device),
        torch.zeros(size, dtype=torch.uint8, device=device),
    )
    torch.accelerator.synchronize()
    with producer:
        runtime.occupy(producer.native_handle, 150)
        first.copy_(source, non_blocking=True)
        written = producer.record_event()
    check(not written.query(), "an event is ready while its stream is busy")
    check(not producer.query(), "a busy stream is ready")
    consumer.wait_event(written)
    with consumer:
        second.copy_(first)
        done = consumer.record_event()
    done.synchronize()
    check(written.query() and producer.query(), "the consumer finished before its producer")
    check(bool((second.cpu() == 1).all()), "the consumer did not see the producer's bytes")


@pytest.mark.gate("runtime.tensors.current_stream")
def test_copies_run_on_the_current_stream(device, runtime):
    """Exit criterion: a copy is part of the current stream, of the calling thread and device only: behind a busy stream it
    is pending, on another it is not."""
    import torch

    busy, idle = torch.Stream(device), torch.Stream(device)
    a, b, c = (torch.zeros(1 << 16, dtype=torch.uint8, device=device) for _ in range(3))
    torch.accelerator.synchronize()
    with busy:
        runtime.occupy(busy.native_handle, 300)
        b.copy_(a)
    with idle:
        c.copy_(a)
    idle.synchronize()
    check(not busy.query(), "work on an idle stream waited for a busy one, or the busy stream's copy did not")
    check(torch.accelerator.current_stream() not in (busy, idle), "the current stream was not restored")
    torch.accelerator.synchronize()
    check(busy.query(), "synchronize() did not wait for every stream")


@pytest.mark.gate("runtime.tensors.event_timing", requires=["event_timing"])
def test_event_times_are_those_of_the_device(device, runtime):
    """Exit criterion: torch.Event with timing measures the work between two records in milliseconds."""
    import time

    import torch

    stream = torch.Stream(device)
    start, end = torch.Event(device, enable_timing=True), torch.Event(device, enable_timing=True)
    runtime.occupy(stream.native_handle, 1)
    stream.synchronize()
    began = time.perf_counter()
    start.record(stream)
    runtime.occupy(stream.native_handle, 100)
    end.record(stream)
    end.synchronize()
    host = (time.perf_counter() - began) * 1e3
    found = start.elapsed_time(end)
    check(0.5 * host - 5 <= found <= host + 1, "elapsed_time", expected=f"up to {host:.2f} ms", found=f"{found:.4f} ms")


@pytest.mark.gate("runtime.tensors.synchronize_index")
def test_synchronize_honours_its_index(device, runtime, second_device):
    """Exit criterion: torch.accelerator.synchronize(i) waits for device i, leaves the others alone, and keeps the current
    device."""
    import torch

    stream = torch.Stream(f"{device}:{second_device}")
    torch.empty(1, device=f"{device}:0")
    with runtime.on(second_device):
        runtime.occupy(stream.native_handle, 300)
    torch.accelerator.synchronize(0)
    check(not stream.query(), "synchronize(0) waited for another device")
    torch.accelerator.synchronize(second_device)
    check(stream.query(), "synchronize(1) did not wait")
    check(torch.accelerator.current_device_index() == 0, "synchronize(1) moved the current device")


@pytest.mark.gate("runtime.tensors.fallback")
def test_operators_fall_back_to_the_cpu(device):
    """Exit criterion: "every operator still falling back to CPU": results are right, on the device, and counted."""
    import torch

    torch.flagos.reset_fallback_counts()
    a, b = torch.arange(12.0).reshape(3, 4), torch.linspace(-1, 1, 12).reshape(4, 3)
    found = (a.to(device) @ b.to(device)).relu_().sum(0)
    check(found.device.type == device, "a result left the device", found=found.device)
    check(torch.equal(found.cpu(), (a @ b).relu_().sum(0)), "a wrong result")
    counts = torch.flagos.fallback_counts()
    check(sum(counts.values()) >= 3, "fallbacks are not counted", found=counts)


@pytest.mark.gate("runtime.tensors.loader")
def test_loader_names_everything_that_is_missing(device, runtime):
    """Exit criterion: torch loads exactly the library under test, and a library that lacks functions is one error that
    names them all, the file, and what to do."""
    import os
    import subprocess
    import sys

    import torch

    torch.accelerator.synchronize()
    used = torch.flagos.runtime_info()["library"]
    check(
        os.path.realpath(used) == os.path.realpath(runtime.library),
        "another library was loaded",
        expected=runtime.library,
        found=used,
    )

    def allocate(**environment: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if k != "FLAGOS_RUNTIME_LIBRARY"}
        code = "import torch, torch_fl; torch.empty(1, device='flagos')"
        path = os.pathsep.join([str(ROOT), *sys.path])
        everything = kept | {"PYTHONPATH": path} | environment
        return subprocess.run([sys.executable, "-c", code], env=everything, capture_output=True, text=True)

    wrong = next(line.split()[-1] for line in open("/proc/self/maps") if "libc.so" in line)
    child = allocate(FLAGOS_RUNTIME_LIBRARY=wrong)
    missing = [slot.name for slot in CONTRACT.slots if slot.name not in child.stderr]
    check(child.returncode == 1, "a library without the contract was accepted", found=child.returncode)
    check(not missing, "the error does not name every missing function", found=f"{missing[:5]}; {child.stderr[-300:]}")
    check(wrong in child.stderr, "the error does not name the file", expected=wrong, found=child.stderr[-300:])
    child = allocate(FLAGOS_ACCELERATOR="xpu")
    refused = child.returncode == 1 and "Intel" in child.stderr
    check(refused, "FLAGOS_ACCELERATOR=xpu is not refused", found=child.stderr[-300:])
