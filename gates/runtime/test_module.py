"""`torch.flagos` and `torch.accelerator` over the runtime under test: names, devices, streams, errors, autocast, fork."""

from __future__ import annotations

import pytest

from gates.abi import Error
from gates.status import check

# What users of an accelerator write, and what PyTorch itself asks of the module of a device.
NAMES = (
    "device_count current_device set_device device device_of synchronize is_available is_initialized init get_device_name "
    "get_device_properties get_device_capability Stream Event stream set_stream current_stream default_stream "
    "memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats mem_get_info empty_cache "
    "reset_peak_memory_stats reset_accumulated_memory_stats memory_summary seed seed_all manual_seed manual_seed_all initial_seed get_rng_state "
    "set_rng_state get_rng_state_all set_rng_state_all is_bf16_supported get_amp_supported_dtype _is_in_bad_fork _lazy_init"
).split()


@pytest.mark.gate("runtime.module.names")
def test_module_of_the_device_has_the_customary_names(device):
    """Exit criterion: `torch.flagos` is the module that PyTorch knows for the device, is the accelerator, and has what users of
    PyTorch's other accelerators and PyTorch's own code call."""
    import torch

    import torch_fl

    module = torch.get_device_module(device)
    check(module is torch.flagos is torch_fl.flagos, "torch.flagos is not the device's module", found=module)
    missing = [name for name in NAMES if not callable(getattr(module, name, None))]
    check(not missing, "torch.flagos lacks names", found=", ".join(missing))
    found = torch.accelerator.current_accelerator()
    check(str(found) == device, "another device is the accelerator", expected=device, found=found)
    tensor, layer = torch.ones(1).flagos(), torch.nn.Linear(1, 1).flagos()
    named = tensor.is_flagos, layer.weight.is_flagos, tensor.untyped_storage().is_flagos
    check(named == (True,) * 3 and not torch.ones(1).is_flagos, "the methods that bear the device's name", found=named)


@pytest.mark.gate("runtime.module.lazy")
def test_nothing_is_loaded_before_the_first_use(device):
    """Exit criterion: importing, seeding and asking for statistics load no runtime, so a process may fork afterwards; the
    statistics of a device that was never used are zero."""
    import torch

    flagos = torch.flagos
    torch.manual_seed(1)
    figures = torch.accelerator.memory_allocated(), torch.accelerator.max_memory_reserved()
    check(figures == (0, 0), "memory of an unused device", found=figures)
    torch.accelerator.empty_cache()
    check(not torch.ones(1).is_pinned(), "is_pinned() of a CPU tensor")
    loaded = flagos.is_initialized() or flagos.runtime_info()["loaded"]
    check(not loaded, "the runtime was loaded before the first use", found=flagos.runtime_info())
    torch.ones(1, device=device)
    check(flagos.is_initialized() and flagos.runtime_info()["loaded"], "the runtime is in use, and not said to be")


@pytest.mark.gate("runtime.module.devices")
def test_torch_and_the_runtime_agree_on_devices(device, runtime):
    """Exit criterion: torch counts the devices that GetDeviceCount counts, and the current device of a thread is the same
    one for torch and for the runtime, whichever set it."""
    import torch

    from gates.threads import in_threads

    count = runtime.device_count()
    counts = torch.accelerator.device_count(), torch.flagos.device_count()
    check(counts == (count, count), "device_count()", expected=count, found=counts)
    last = count - 1
    torch.accelerator.set_device_index(last)
    check(runtime.device() == last, "set_device_index()", expected=last, found=runtime.device())
    check(torch.ones(1, device=device).device.index == last, "a tensor is not on the current device")
    runtime.ok("SetDevice", 0)
    found = torch.accelerator.current_device_index(), torch.flagos.current_device()
    check(found == (0, 0), "current_device() after SetDevice(0)", found=found)
    torch.accelerator.set_device_index(last)

    def look(_: int) -> None:
        found = torch.accelerator.current_device_index()
        check(found == 0, "a new thread does not begin on device 0", found=found)

    problems = in_threads(look, 1)
    check(not problems, "; ".join(problems))


@pytest.mark.gate("runtime.module.device_context", requires=["several_devices"])
def test_contexts_restore_the_device(device, runtime, second_device):
    """Exit criterion: every context that changes the current device restores it, nested, after an exception, and around an
    operator on another device."""
    import torch

    there = f"{device}:{second_device}"
    contexts = {
        "torch.accelerator.device_index": lambda: torch.accelerator.device_index(second_device),
        "torch.flagos.device": lambda: torch.flagos.device(second_device),
        "a stream of another device": lambda: torch.Stream(there),
    }
    for name, make in contexts.items():
        for turn in range(2):  # the first time may differ
            with make():
                check(runtime.device() == second_device, f"{name} does not change the device", found=runtime.device())
                with torch.accelerator.device_index(0):
                    check(runtime.device() == 0, "a context within does not change the device", found=runtime.device())
                check(runtime.device() == second_device, "a context within did not restore", found=runtime.device())
            check(runtime.device() == 0, f"{name} does not restore the device (turn {turn})", found=runtime.device())
        with pytest.raises(KeyError), make():
            raise KeyError
        check(runtime.device() == 0, f"{name} does not restore the device after an exception", found=runtime.device())
    far = torch.ones(3, device=there)
    for name, work in {
        "an operator": lambda: far + far,
        "a copy": lambda: far.cpu(),
        "filling": lambda: far.zero_(),
        "backward": lambda: (far.clone().requires_grad_() * 2).sum().backward(),
        "synchronize": lambda: torch.accelerator.synchronize(second_device),
        "an event": lambda: torch.Stream(there).record_event(),
        "statistics": lambda: torch.accelerator.get_memory_info(second_device),
    }.items():
        work()
        check(runtime.device() == 0, f"{name} on another device moved the current one", found=runtime.device())


@pytest.mark.gate("runtime.module.invalid_index")
def test_devices_that_do_not_exist_are_refused(device, runtime):
    """Exit criterion: an index below 0 or from the count on is an error everywhere, never another device, and the current
    device stays."""
    import torch

    count = runtime.device_count()
    torch.ones(1, device=device)
    for bad in (-7, count, 99, 127):
        uses = {
            "flagos.set_device": lambda bad=bad: torch.flagos.set_device(bad),
            "flagos.device": lambda bad=bad: torch.flagos.device(bad).__enter__(),
            "accelerator.synchronize": lambda bad=bad: torch.accelerator.synchronize(bad),
            "accelerator.current_stream": lambda bad=bad: torch.accelerator.current_stream(bad),
            "accelerator.memory_stats": lambda bad=bad: torch.accelerator.memory_stats(bad),
            "accelerator.get_memory_info": lambda bad=bad: torch.accelerator.get_memory_info(bad),
            "accelerator.reset_peak_memory_stats": lambda bad=bad: torch.accelerator.reset_peak_memory_stats(bad),
            "accelerator.get_device_capability": lambda bad=bad: torch.accelerator.get_device_capability(bad),
            "flagos.get_rng_state": lambda bad=bad: torch.flagos.get_rng_state(bad),
        }
        if bad > 0:  # torch.device refuses the others, and set_device_index takes them for "leave it as it is"
            uses |= {
                "accelerator.set_device_index": lambda bad=bad: torch.accelerator.set_device_index(bad),
                "empty": lambda bad=bad: torch.empty(1, device=f"{device}:{bad}"),
                "empty_strided": lambda bad=bad: torch.empty_strided((1,), (1,), device=f"{device}:{bad}"),
                "to": lambda bad=bad: torch.ones(1).to(f"{device}:{bad}"),
                "Stream": lambda bad=bad: torch.Stream(f"{device}:{bad}"),
                "Generator": lambda bad=bad: torch.Generator(f"{device}:{bad}"),
            }
        for name, use in uses.items():
            try:
                found = use()
            except (RuntimeError, ValueError, IndexError) as error:
                check(str(bad) in str(error), f"{name}({bad}): the error does not name the index", found=error)
            else:
                check(False, f"{name}({bad}) is accepted", expected=f"an error: {count} devices", found=found)
            check(runtime.device() == 0, f"{name}({bad}) moved the current device", found=runtime.device())


@pytest.mark.gate("runtime.module.streams", requires=["several_devices"])
def test_streams_are_separate_and_belong_to_thread_and_device(device, runtime, second_device):
    """Exit criterion: streams made one after another are different streams of the runtime, the current stream is kept for
    each thread and device, and a stream that was never made is refused."""
    import torch

    from gates.threads import in_threads

    here = [torch.Stream(f"{device}:0") for _ in range(8)]
    there = torch.Stream(f"{device}:{second_device}")
    handles = {stream.native_handle for stream in (*here, there)}
    check(len(handles) == 9, "streams share a stream of the runtime", expected="9 handles", found=len(handles))
    first = torch.accelerator.current_stream(0)
    with here[0]:
        with here[1]:
            check(torch.accelerator.current_stream(0) == here[1], "the inner stream is not current")
        check(torch.accelerator.current_stream(0) == here[0], "the outer stream is not current again")
        check(torch.accelerator.current_stream(second_device) != here[0], "a stream is current on another device")
        with there:
            check(torch.accelerator.current_stream(0) == here[0], "a stream of another device took this one's place")
            check(torch.accelerator.current_stream(second_device) == there, "the other device's stream is not current")
        seen = []
        problems = in_threads(lambda _: seen.append(torch.accelerator.current_stream(0)), 1)
        check(not problems and seen == [first], "a thread's stream is current in another", found=problems or seen)
    with pytest.raises(KeyError), here[0]:
        raise KeyError
    check(torch.accelerator.current_stream(0) == first, "the first stream is not current again")
    kind = torch.Stream(f"{device}:0").device_type
    foreign = torch.Stream(stream_id=0x5EED0, device_index=0, device_type=kind)
    for name, use in {"set_stream": torch.accelerator.set_stream, "synchronize": torch.Stream.synchronize}.items():
        with pytest.raises(RuntimeError):
            use(foreign)
            check(False, f"{name} accepts a stream that was never made")


@pytest.mark.gate("runtime.module.priorities", requires=["stream_priorities"])
def test_streams_have_the_priority_asked_for(device, runtime):
    """Exit criterion: a stream has the priority that was asked for, within the device's range."""
    import ctypes

    import torch

    least, greatest = runtime.priority_range()
    for wanted, expected in ((least, least), (greatest, greatest), (greatest - 100, greatest), (least + 100, least)):
        found = ctypes.c_int(77)
        runtime.ok("StreamGetPriority", torch.Stream(device, priority=wanted).native_handle, ctypes.byref(found))
        check(found.value == expected, f"Stream(priority={wanted})", expected=expected, found=found.value)


@pytest.mark.gate("runtime.module.events", requires=["several_devices"])
def test_events_say_what_they_cannot_do(device, runtime, second_device):
    """Exit criterion: an event that was never recorded is ready and holds nobody; one of another device is refused by
    `record` and may be waited for; the time between unfinished or untimed events is an error, never a number."""
    import torch

    unrecorded = torch.Event(device)
    check(unrecorded.query(), "an event that was never recorded is not ready")
    unrecorded.synchronize()
    here, there = torch.Stream(f"{device}:0"), torch.Stream(f"{device}:{second_device}")
    here.wait_event(unrecorded)
    event = torch.Event(f"{device}:0")
    event.record(here)
    there.wait_event(event)
    with pytest.raises(RuntimeError):
        event.record(there)
        check(False, "an event of one device is recorded on a stream of another")
    start, end = torch.Event(device, enable_timing=True), torch.Event(device, enable_timing=True)
    start.record(here)
    runtime.occupy(here.native_handle, 150)
    end.record(here)
    with pytest.raises(RuntimeError):
        check(False, "elapsed_time() of an unfinished event", expected="an error", found=start.elapsed_time(end))
    here.synchronize()
    with pytest.raises((RuntimeError, ValueError)):
        check(False, "elapsed_time() from an untimed event", expected="an error", found=event.elapsed_time(end))


@pytest.mark.gate("runtime.module.error_text", requires=["checked_copies"])
def test_errors_carry_the_vendors_words(device, runtime):
    """Exit criterion: a call of the runtime that fails is an exception with the function, the code, the vendor and the
    vendor's own text, and the device works afterwards."""
    import torch

    host = torch.arange(8)  # memory that is no device's, labelled as if it were
    storage = torch._C._construct_storage_from_data_pointer(host.data_ptr(), torch.device(device, 0), 64)
    wrong = torch.empty(0, dtype=torch.int64, device=device).set_(storage, 0, (8,))
    with pytest.raises(RuntimeError) as caught:
        wrong.cpu()
    text, vendors = str(caught.value).lower(), runtime.last_error()
    vendor = torch.get_device_module(device).runtime_info()["vendor"]
    for part in ("memcpy", Error.ErrorUnknown.name, vendor, vendors):
        check(bool(part) and part.lower() in text, "an error leaves something out", expected=part, found=text)
    check(host.to(device).cpu().tolist() == host.tolist(), "the device is broken after an error")


@pytest.mark.gate("runtime.module.host_out_of_memory")
def test_out_of_pinned_memory_is_pytorchs_error_and_passes(device):
    """Exit criterion: pinned memory that cannot be had is torch.OutOfMemoryError, and the next request is served."""
    import torch

    with pytest.raises(RuntimeError) as caught:
        torch.empty(1 << 60, dtype=torch.uint8, pin_memory=True)
    check(isinstance(caught.value, torch.OutOfMemoryError), "no OutOfMemoryError", found=repr(caught.value)[:200])
    check(torch.ones(4).pin_memory().is_pinned(), "pinned memory is broken after an exhaustion")


@pytest.mark.gate("runtime.module.fork")
def test_a_forked_child_is_told_clearly(device):
    """Exit criterion: after fork() in a process that used the device, every use in the child is an error that names fork,
    tensors that it inherited may die, and the parent goes on."""
    import os

    import torch

    kept = torch.arange(4, device=device)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        words = [] if torch.flagos._is_in_bad_fork() else ["_is_in_bad_fork() is False"]
        for name, use in {
            "empty": lambda: torch.empty(1, device=device),
            "cpu": lambda: kept.cpu(),
            "synchronize": lambda: torch.accelerator.synchronize(),
            "Stream": lambda: torch.Stream(device),
            "pin_memory": lambda: torch.ones(1).pin_memory(),
        }.items():
            try:
                use()
                words.append(f"{name} works")
            except Exception as error:
                words += [] if "fork" in str(error) else [f"{name}: {error}"]
        del kept
        os.write(writing, "; ".join(words or ["good"]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        found = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    check((found, status) == ("good", 0), "in a forked child", expected="errors that name fork", found=(found, status))
    check(kept.tolist() == [0, 1, 2, 3], "the parent is broken after a fork")


@pytest.mark.gate("runtime.module.autocast")
def test_autocast_chooses_the_types_of_operators(device):
    """Exit criterion: under autocast matrix products run in the lower precision, softmax and exp in float32, mixed arguments in the
    widest type; what is unsafe is refused, and a dtype that is not supported is a warning."""
    import torch

    supported = torch.flagos.get_amp_supported_dtype()
    check(torch.bfloat16 in supported or torch.float16 in supported, "no lower precision", found=supported)
    x = torch.ones(2, 4, device=device)
    linear = torch.nn.Linear(4, 4, device=device)
    for dtype in supported:
        with torch.autocast(device, dtype=dtype):
            low = linear(x)
            found = {
                "linear": low.dtype,
                "softmax": torch.softmax(low, 1).dtype,
                "exp": low.exp().dtype,
                "cat": torch.cat([low, x]).dtype,
                "dot": torch.dot(low[0], x[0]).dtype,
                "sum": low.sum().dtype,
            }
            expected = dict.fromkeys(found, torch.float32) | {"linear": dtype}
            check(found == expected, f"autocast to {dtype}", expected=expected, found=found)
            with pytest.raises(RuntimeError, match="autocast"):
                torch.nn.functional.binary_cross_entropy(x.sigmoid(), x.sigmoid())
    check(linear(x).dtype == torch.float32, "autocast goes on after its end")
    with pytest.warns(UserWarning, match="not supported"), torch.autocast(device, dtype=torch.float64):
        check(linear(x).dtype == torch.float32, "autocast to a dtype that is not supported")
