"""flagos tensors on the runtime under test: round trips over dtypes and layouts, placement, and order across streams."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gates.abi import CONTRACT
from gates.status import check
from gates.tensors import extremes
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


@pytest.mark.gate("runtime.tensors.example", requires=["block_cache"])
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
        ((4,), "float32", (4,), "int32"),
        ((2, 3), "float16", (2, 3), "int16"),
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


@pytest.mark.gate("runtime.tensors.placement", requires=["several_devices"])
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


@pytest.mark.gate("runtime.tensors.stream_order", requires=["pending_work"])
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
    check(not written.query(), "wait_event held the host until the event was ready")
    with consumer:
        second.copy_(first)
        done = consumer.record_event()
    done.synchronize()
    check(written.query() and producer.query(), "the consumer finished before its producer")
    check(bool((second.cpu() == 1).all()), "the consumer did not see the producer's bytes")


@pytest.mark.gate("runtime.tensors.current_stream", requires=["pending_work"])
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


@pytest.mark.gate("runtime.tensors.synchronize_index", requires=["several_devices"])
def test_synchronize_honours_its_index(device, runtime, second_device):
    """Exit criterion: synchronize(i) of torch.accelerator and torch.flagos waits for device i, leaves the others alone, and keeps the current
    device."""
    import torch

    stream = torch.Stream(f"{device}:{second_device}")
    torch.empty(1, device=f"{device}:0")
    for synchronize in (torch.accelerator.synchronize, torch.flagos.synchronize):
        with runtime.on(second_device):
            runtime.occupy(stream.native_handle, 150)
        synchronize(0)
        check(not stream.query(), "synchronize(0) waited for another device")
        synchronize(second_device)
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
    torch.flagos.reset_fallback_counts()
    check(not torch.flagos.fallback_counts(), "counts after their reset", found=torch.flagos.fallback_counts())


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


# ---- copies ----


@pytest.mark.gate("runtime.tensors.claimed_dtypes")
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_claimed_dtypes_are_those_that_work(device):
    """Exit criterion: get_device_capability lists exactly the dtypes that can be allocated and copied both ways bit for
    bit: each one listed works, and no other one works in secret."""
    import torch

    listed = torch.accelerator.get_device_capability()["supported_dtypes"]
    every = {found for found in vars(torch).values() if isinstance(found, torch.dtype)}
    check(set(listed) <= every, "dtypes that PyTorch does not have", found=set(listed) - every)
    raw = (torch.arange(64) * 37 + 11).to(torch.uint8)

    def works(dtype: torch.dtype) -> bool:
        source = raw % 2 == 0 if dtype is torch.bool else raw.view(dtype)
        back = source.to(device).clone().cpu()
        return back.dtype is dtype and torch.equal(back.view(torch.uint8), source.view(torch.uint8))

    def attempt(dtype: torch.dtype) -> str:
        try:
            return "works" if works(dtype) else "changes the bytes"
        except (RuntimeError, TypeError) as error:
            return f"fails: {error}"

    found = {dtype: attempt(dtype) for dtype in every}
    broken = {dtype: what for dtype, what in found.items() if dtype in listed and what != "works"}
    check(not broken, "dtypes are claimed and do not work", found=broken)
    secret = [dtype for dtype, what in found.items() if dtype not in listed and what == "works"]
    check(not secret, "dtypes work and are not claimed", found=secret)


@pytest.mark.gate("runtime.tensors.conjugate")
def test_lazy_conjugates_and_negatives_are_resolved(device):
    """Exit criterion: conj() and the negative view, which only set a bit, have their values after every copy: to and from
    the device, on it, into views, and with a change of dtype."""
    import torch

    host = torch.complex(torch.arange(12.0), torch.arange(12.0) - 5).reshape(3, 4)
    for name, make in {
        "conj": lambda t: t.conj(),
        "conj of a view": lambda t: t.t()[1:].conj(),
        "neg": lambda t: t.conj().imag,
        "neg of conj": lambda t: t._neg_view().conj(),
    }.items():
        plain, lazy = make(host), make(host.to(device))
        expected = plain.resolve_conj().resolve_neg()
        check(torch.equal(lazy.cpu().resolve_conj().resolve_neg(), expected), f"{name}: from the device")
        check(torch.equal(plain.to(device).cpu().resolve_conj().resolve_neg(), expected), f"{name}: to the device")
        check(torch.equal(lazy.clone().cpu().resolve_conj().resolve_neg(), expected), f"{name}: cloned on the device")
        target = torch.zeros_like(expected, device=device)
        for source in (lazy, plain):
            target.zero_().copy_(source)
            check(torch.equal(target.cpu(), expected), f"{name}: copy_ into a plain tensor from {source.device}")
        kept = torch.zeros_like(expected)
        kept.copy_(lazy)
        check(torch.equal(kept, expected), f"{name}: copy_ into a CPU tensor")
        into = make(torch.zeros_like(host).to(device))  # writing through the bit
        into.copy_(expected)
        check(torch.equal(into.cpu().resolve_conj().resolve_neg(), expected), f"{name}: written through the bit")
        if expected.is_complex():  # the product takes the bit along to its kernel
            found, product = (lazy.t() @ lazy).cpu(), expected.t() @ expected
            check(torch.allclose(found, product), f"{name}: a product", expected=product.tolist(), found=found.tolist())
        wide = lazy.to(torch.complex128 if expected.is_complex() else torch.float64).cpu()
        check(
            torch.equal(wide.resolve_conj().resolve_neg().to(expected.dtype), expected), f"{name}: with another dtype"
        )


@pytest.mark.gate("runtime.tensors.overlap")
def test_copies_within_one_tensor_are_those_of_the_cpu(device):
    """Exit criterion: a copy between two views of one tensor is refused where CPU `copy_` refuses it, because they partly
    overlap, and then changes nothing; views that lie between each other's elements copy as on the CPU."""
    import torch

    for name, views in {
        "shifted": lambda t: (t[1:], t[:-1]),
        "rows": lambda t: (t.view(6, 10)[1:4], t.view(6, 10)[2:5]),
        "the other way": lambda t: (t[:-7], t[7:]),
        "halves": lambda t: (t[:30], t[30:]),
        "every second": lambda t: (t[::2], t[1::2]),
        "columns": lambda t: (t.view(6, 10)[:, 3:6], t.view(6, 10)[:, 6:9]),
        "itself": lambda t: (t[5:9], t[5:9]),
    }.items():
        for dtype in (torch.float32, torch.int16):
            host = torch.arange(60).to(dtype)
            there = host.to(device)
            target, source = views(host)
            target_there, source_there = views(there)
            try:
                target.copy_(source)
            except RuntimeError:
                with pytest.raises(RuntimeError):
                    target_there.copy_(source_there)
                    check(False, f"{name}: accepted, and the CPU refuses it")
            else:
                target_there.copy_(source_there)
            check(same_bytes(there.cpu(), host), f"{name} of {dtype}", expected=host.tolist(), found=there.tolist())


@pytest.mark.gate("runtime.tensors.fill")
def test_filling_changes_exactly_the_view(device, runtime):
    """Exit criterion: zero_, fill_ and their kin change every element of a view and nothing between, and are part of the
    current stream."""
    import torch

    views = {
        "all": lambda t: t,
        "an offset": lambda t: t[7:],
        "every third": lambda t: t[1::3],
        "columns": lambda t: t.view(30, 100)[:, 20:27],
        "one column": lambda t: t.view(30, 100)[:, 3],
        "expanded": lambda t: t[40:41].expand(9),
        "nothing": lambda t: t[:0],
        "one": lambda t: t[77],
    }
    for dtype in (torch.float32, torch.bool):
        for name, view in views.items():
            works = [torch.Tensor.zero_, lambda t: t.fill_(3), lambda t: t.fill_(torch.tensor(5))]
            for work in works[:2] if name == "expanded" else works:
                host = fill((3000,), str(dtype).removeprefix("torch."))
                there = host.to(device)
                work(view(host)), work(view(there))
                check(same_bytes(there.cpu(), host), f"filling {name} of {dtype} changed other elements")
    busy, target = torch.Stream(device), torch.ones(1 << 16, device=device)
    source = torch.full_like(target, 7)
    torch.accelerator.synchronize()
    with busy:
        runtime.occupy(busy.native_handle, 100)
        target.copy_(source)
        target.zero_()
        busy.synchronize()
    check(not bool(target.cpu().any()), "zero_ did not run on the current stream")


@pytest.mark.gate("runtime.tensors.large")
def test_large_copies_are_complete(device):
    """Exit criterion: copies over more than 100 MiB, with another dtype and with gaps, lose nothing at either end."""
    import torch

    rows = 20
    host = torch.arange(1 << 20).to(torch.uint8).repeat(rows)
    there = host.to(device)
    for name, found in {
        "another dtype": there.to(torch.int64),
        "from the host": torch.empty(rows << 20, dtype=torch.int64, device=device).copy_(host),
        "to the host": torch.empty(rows << 20, dtype=torch.int64).copy_(there),
        "gaps": torch.zeros(rows << 20, 8, dtype=torch.uint8, device=device)[:, 1].copy_(there),
    }.items():
        check(torch.equal(found.cpu().to(torch.uint8), host), f"a large copy: {name}")


@pytest.mark.gate("runtime.tensors.pageable")
def test_pageable_memory_may_be_reused_at_once(device, runtime):
    """Exit criterion: a copy from or to memory that is not pinned is done when it returns, even with non_blocking and behind
    other work: the source may be overwritten, the destination read."""
    import torch

    size = 1 << 18
    first = torch.full((size,), 1, dtype=torch.uint8)
    there, back = torch.zeros_like(first, device=device), torch.zeros_like(first)
    stream = torch.Stream(device)
    torch.accelerator.synchronize()
    with stream:
        runtime.occupy(stream.native_handle, 60)
        there.copy_(first, non_blocking=True)
        first.fill_(9)
        runtime.occupy(stream.native_handle, 60)
        back.copy_(there, non_blocking=True)
        check(bool((back == 1).all()), "a copy from or to pageable memory was not done", found=extremes(back))


@pytest.mark.gate("runtime.tensors.pinned_lifetime", requires=["pinned_host_memory"])
@pytest.mark.parametrize("direction", ["to the device", "from the device"])
def test_pinned_memory_outlives_the_copy(device, runtime, direction):
    """Exit criterion: a non-blocking copy with pinned memory does not hold the host, and the freed block is not handed out
    before the copy is done, on whichever stream it runs, whole block or view; afterwards it is."""
    import time

    import torch

    size = 1 << 20
    there = torch.full((size,), 4, dtype=torch.uint8, device=device)
    for part in (slice(None), slice(4096, None)):
        side = torch.Stream(device)
        pinned = torch.full((size,), 3, dtype=torch.uint8).pin_memory()
        address, result = pinned.data_ptr(), torch.zeros(size, dtype=torch.uint8, device=device)
        torch.accelerator.synchronize()
        with side:
            runtime.occupy(side.native_handle, 150)
            if direction == "to the device":
                result[part].copy_(pinned[part], non_blocking=True)
            else:
                pinned[part].copy_(there[part], non_blocking=True)
            done = side.record_event()
        check(not done.query(), "the copy held the host until it was done")
        del pinned
        others = []
        for _ in range(4):  # an event of another stream would be ready by now
            time.sleep(0.01)
            others.append(torch.empty(size, dtype=torch.uint8, pin_memory=True))
            safe = others[-1].data_ptr() != address or done.query()
            check(safe, "pinned memory was handed out while a copy used it")
        side.synchronize()
        if direction == "to the device":
            check(bool((result[part].cpu() == 3).all()), "the device has other bytes")
        later = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        again = address in {tensor.data_ptr() for tensor in (*others, later)}
        check(again, "pinned memory is never handed out again")
        del others, later


@pytest.mark.gate("runtime.tensors.is_pinned", requires=["pinned_host_memory"])
def test_is_pinned_tells_what_a_tensor_lies_in(device, runtime):
    """Exit criterion: is_pinned() is true for pinned memory and views of it, and false for other memory, the device's own
    included; the runtime knows the memory as the host's; device tensors cannot be pinned."""
    import torch

    from gates.abi import Memory

    plain = torch.ones(5000)
    pinned = plain.pin_memory()
    found = pinned.is_pinned(), pinned[17:].is_pinned(), torch.empty(9, pin_memory=True).is_pinned()
    check(all(found), "is_pinned() of pinned memory, of a view, of an empty tensor", found=found)
    check(pinned.pin_memory().data_ptr() == pinned.data_ptr(), "pinned memory was pinned again")
    kind = Memory(runtime.attributes(pinned.data_ptr()).type)
    check(kind is Memory.MemoryTypeHost, "the runtime does not know the memory", found=kind.name)
    there = plain.to(device)
    found = plain.is_pinned(), torch.ones(1).is_pinned(), there.is_pinned(), there.cpu().is_pinned()
    check(not any(found), "is_pinned() of plain and of device memory", found=found)
    for make in (lambda: there.pin_memory(), lambda: torch.empty(1, device=device, pin_memory=True)):
        with pytest.raises(RuntimeError, match=r"pin"):
            make()
            check(False, "a device tensor was pinned")


@pytest.mark.gate("runtime.tensors.device_order", requires=["several_devices"])
@pytest.mark.parametrize("busy", ["source", "destination"])
def test_copies_between_devices_wait_for_both(device, runtime, second_device, busy):
    """Exit criterion: a copy between devices comes after the earlier work of both current streams and before their later
    work: it reads what was written, does not overwrite what is still read, and is seen by the destination's stream."""
    import torch

    size = 1 << 20
    places = {"source": f"{device}:0", "destination": f"{device}:{second_device}"}
    make = {name: lambda value, place=place: torch.full((size,), value, device=place) for name, place in places.items()}
    source, fresh = make["source"](1.0), make["source"](2.0)
    destination, kept, seen = (make["destination"](value) for value in (7.0, 0.0, 0.0))
    for index in (0, second_device):
        torch.accelerator.synchronize(index)
    streams = {name: torch.Stream(place) for name, place in places.items()}
    with streams["destination"], streams["source"], torch.accelerator.device_index(0):
        with torch.accelerator.device_index(streams[busy].device.index):
            runtime.occupy(streams[busy].native_handle, 150)
        source.copy_(fresh)  # on the source's stream: the copy must read 2
        kept.copy_(destination)  # on the destination's stream: must still read 7
        destination.copy_(source)
        source.fill_(3)  # after the copy
        seen.copy_(destination)  # after the copy
        found = [extremes(tensor) for tensor in (kept, destination, seen, source)]
    names = ("read before", "destination", "read after", "source")
    expected = dict(zip(names, ((7, 7), (2, 2), (2, 2), (3, 3)), strict=True))
    check(dict(zip(names, found, strict=True)) == expected, f"busy {busy}", expected=expected, found=found)


@pytest.mark.gate("runtime.tensors.item")
def test_reading_a_number_waits_for_its_stream(device, runtime):
    """Exit criterion: item() and bool() of a device tensor wait for what the current stream still writes, and give the
    element of the view."""
    import torch

    values, source = torch.zeros(64, device=device), torch.arange(64.0, device=device)
    for stream in (torch.Stream(device), None):
        values.zero_()
        torch.accelerator.synchronize()
        with stream or torch.accelerator.device_index(0):
            runtime.occupy(torch.accelerator.current_stream().native_handle, 80)
            values.copy_(source)
            found = values[37].item()
        check(found == 37, f"item() on {stream or 'the default stream'}", expected=37, found=found)
    with pytest.raises(RuntimeError):
        values.item()


# ---- tensors ----


@pytest.mark.gate("runtime.tensors.storage", requires=["several_devices"])
def test_storages_and_views_are_those_of_the_cpu(device, second_device):
    """Exit criterion: resizing a tensor or its storage keeps the bytes that fit and the device, whatever device is current;
    set_, as_strided and memory formats give the same sizes, strides, offsets and values as on the CPU."""
    import torch

    place = f"{device}:{second_device}"
    host = torch.arange(24.0)
    there = host.to(place)
    storage = there.untyped_storage()
    for count in (48, 4096, 24):
        storage.resize_(count * 4)
        check(storage.nbytes() == count * 4, "storage.resize_()", expected=count * 4, found=storage.nbytes())
        check(str(storage.device) == place, "a resized storage is elsewhere", expected=place, found=storage.device)
        check(torch.equal(there.cpu(), host), f"a storage of {count} elements lost bytes")
    host.resize_(2, 12), there.resize_(2, 12)
    check(torch.equal(there.cpu(), host), "resize_ to the same count lost bytes")
    check(torch.equal(there.resize_(3, 16)[0].cpu(), host.reshape(-1)[:16]), "resize_ to more elements lost bytes")
    base = torch.arange(60.0)
    for name, view in {
        "set_": lambda t: torch.empty(0, device=t.device).set_(t.untyped_storage(), 7, (3, 2), (5, 1)),
        "set_ of a tensor": lambda t: torch.empty(0, device=t.device).set_(t[5:]),
        "set_ to nothing": lambda t: t.clone().set_(),
        "as_strided": lambda t: t.as_strided((3, 4), (7, 2), 11),
        "unfold": lambda t: t.unfold(0, 5, 3)[4:],
        "view_as_complex": lambda t: torch.view_as_complex(t.view(30, 2))[3:].real,
        "view of another dtype": lambda t: t[4:].view(torch.int32),
        "reshape": lambda t: t.view(6, 10).t().reshape(60)[3:],
        "channels last": lambda t: t.view(1, 3, 4, 5).contiguous(memory_format=torch.channels_last),
        "empty in channels last": lambda t: torch.empty(
            2, 3, 4, 5, device=t.device, memory_format=torch.channels_last
        ).zero_(),
        "resize_ to channels last": lambda t: (
            torch.empty(0, device=t.device).resize_(2, 3, 4, 5, memory_format=torch.channels_last).zero_()
        ),
    }.items():
        expected, found = view(base), view(base.to(place))
        facts = [(t.shape, t.stride(), t.storage_offset(), t.dtype) for t in (expected, found)]
        check(facts[0] == facts[1], name, expected=facts[0], found=facts[1])
        check(str(found.untyped_storage().device) == place, f"{name}: the storage is elsewhere", found=found.device)
        check(same_bytes(found.cpu(), expected), f"{name}: other values")
    with pytest.raises(RuntimeError):
        torch.empty(0, device=f"{device}:0").set_(storage)
        check(False, "set_ takes a storage of another device")


@pytest.mark.gate("runtime.tensors.deterministic")
def test_deterministic_algorithms_fill_new_memory(device):
    """Exit criterion: with deterministic algorithms, memory that nothing wrote is filled, as on the CPU: NaN, or the largest
    integer, after empty and after resize_."""
    import torch

    used = torch.zeros(1000, device=device)
    del used  # the next block would have these bytes
    torch.set_deterministic_debug_mode("error")
    whole = torch.empty(9, device=device), torch.empty_strided((3, 3), (1, 3), device=device)
    check(all(bool(tensor.isnan().all()) for tensor in whole), "empty is not filled", found=[t.tolist() for t in whole])
    grown = torch.ones(2, device=device).resize_(300)
    check(bool(grown[2:].isnan().all()) and grown[:2].tolist() == [1, 1], "resize_ does not fill what it adds")
    largest = torch.iinfo(torch.int32).max
    check(bool((torch.empty(5, dtype=torch.int32, device=device) == largest).all()), "integers are not filled")


# ---- the CPU fallback ----


@pytest.mark.gate("runtime.tensors.fallback_in_place")
def test_the_fallback_writes_where_it_was_told_to(device):
    """Exit criterion: operators in place, with `out=` and over lists change exactly the tensors and views that they are
    given, in their own memory, as on the CPU."""
    import torch

    def strided(t):
        return t.view(6, 10)[1::2, ::3]

    def into(t, view):
        torch.add(t[:4], 1, out=view)

    def foreach(t):
        torch._foreach_add_([t[:4], strided(t), t[50:].view(5, 2).t()], 2.0)

    def index_put(t):
        strided(t)[torch.tensor([0, 2], device=t.device), torch.tensor([1, 3], device=t.device)] = 5.0

    def resized(t):
        torch.mul(t[:8], 2, out=(found := torch.empty(0, device=t.device)))
        t[20:28].copy_(found)

    def sort(t):
        torch.sort(t[:6].flip(0), out=(t[10:16], torch.empty(6, dtype=torch.int64, device=t.device)))

    works = {
        "in place": lambda t: t.mul_(2),
        "in place on a strided view": lambda t: strided(t).exp_(),
        "in place on an overlapping source": lambda t: t[3:9].add_(t[:6].clone()),
        "out= a view": lambda t: into(t, t[20:24]),
        "out= a view with gaps": lambda t: into(t, t[20:28:2]),
        "out= an empty tensor": resized,
        "two out= arguments": sort,
        "a list": foreach,
        "index_put_": index_put,
        "masked_fill_": lambda t: strided(t).masked_fill_(strided(t) > 1, -1.0),
        "a scalar operand": lambda t: t[:3].add_(torch.tensor(2.5)),
        "a list of views of one tensor": lambda t: torch._foreach_mul_([t[:4], t[4:8]], [t[20:24], t[8:12]]),
        "a transposed destination": lambda t: t.view(6, 10).t().add_(torch.arange(6.0, device=t.device)),
    }
    start = torch.linspace(-2, 2, 60)
    for name, work in works.items():
        expected, found = start.clone(), start.to(device)
        address = found.data_ptr()
        work(expected), work(found)
        same = torch.allclose(found.cpu(), expected, rtol=1e-6)
        check(same, f"{name}: other values", expected=expected.tolist(), found=found.tolist())
        check(found.data_ptr() == address, f"{name}: the tensor moved")
    found, out = start.to(device), torch.empty(0, device=device)
    same = found.mul_(2) is found, torch.add(found, 1, out=out) is out
    check(all(same), "a call in place, or with out=, does not return the tensor that it was given", found=same)


@pytest.mark.gate("runtime.tensors.fallback_order")
def test_the_fallback_is_part_of_the_current_stream(device, runtime):
    """Exit criterion: an operator on the CPU reads what the current stream has still to write, and what it writes is there
    for that stream."""
    import torch

    size = 1 << 16
    for stream in (torch.Stream(device), None):
        values, source = torch.zeros(size, device=device), torch.full((size,), 3.0, device=device)
        torch.accelerator.synchronize()
        with stream or torch.accelerator.device_index(0):
            runtime.occupy(torch.accelerator.current_stream().native_handle, 80)
            values.copy_(source)
            values.mul_(2).add_(1)
            source.copy_(values)
            found = extremes(source)
        check(found == (7, 7), f"on {stream or 'the default stream'}", expected=7, found=found)


@pytest.mark.gate("runtime.tensors.fallback_refuses", requires=["several_devices"])
def test_the_fallback_refuses_what_a_device_refuses(device, second_device):
    """Exit criterion: tensors of two devices, or of the CPU and the device, in one operator are refused, except CPU
    scalars; so is writing in place where elements share memory; nothing is changed by a refused call."""
    import torch

    here, there = torch.ones(3, device=f"{device}:0"), torch.ones(3, device=f"{device}:{second_device}")
    for name, work in {
        "two devices": lambda: here + there,
        "two devices in place": lambda: here.add_(there),
        "the CPU and the device": lambda: here + torch.ones(3),
        "the CPU in place": lambda: here.mul_(torch.full((3,), 2.0)),
        "the CPU in a list": lambda: torch.cat([here, torch.ones(3)]),
        "out= on another device": lambda: torch.add(here, 1, out=there),
        "an expanded destination": lambda: here[:1].expand(3).add_(1),
        "a source that overlaps the destination": lambda: here[1:].add_(here[:-1]),
        "shapes that do not fit": lambda: here.add_(torch.ones(2, device=here.device)),
    }.items():
        with pytest.raises(RuntimeError):
            work()
            check(False, f"{name}: accepted")
        check(here.tolist() == there.tolist() == [1, 1, 1], f"{name}: refused, but something changed")
    scalar = torch.tensor(2.0)
    check((here * scalar).tolist() == [2, 2, 2] == (scalar * there).tolist(), "CPU scalars")
    result = torch.cat([there, there]) + 1
    check(result.device == there.device, "a result is on another device", found=result.device)
    made = {
        "arange": torch.arange(5, device=there.device),
        "zeros_like": torch.zeros_like(there),
        "abs": there.abs(),
        "nonzero": there.nonzero(),
        "masked_select": there.masked_select(there > 0),
        "unique": there.unique(),
    }
    elsewhere = {name: str(tensor.device) for name, tensor in made.items() if tensor.device != there.device}
    check(not elsewhere, "results are on another device", expected=there.device, found=elsewhere)
