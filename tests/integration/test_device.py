"""Devices, streams, events, generators and what PyTorch builds on them."""

import copy
import functools
import threading
import time

import pytest
import torch

import torch_fl
from tests.integration.lines import has


@pytest.fixture(autouse=True)
def device_and_stream_as_before():
    yield
    assert torch_fl.current_device() == 0, "the test left another device current"
    assert torch_fl.current_stream() == torch_fl.default_stream(), "the test left another stream current"


def test_first_steps():
    t = torch.empty(4, 4, device="flagos")
    assert t.device == torch.device("flagos:0")
    h = torch.arange(16.0).reshape(4, 4)
    d = h.to("flagos")
    assert torch.equal(h, d.cpu())
    torch_fl.synchronize()
    assert torch_fl.device_count() == 2
    assert torch_fl.memory_allocated() >= 1024
    assert "device='flagos:0'" in repr(d)


def test_is_the_accelerator():
    assert torch.accelerator.current_accelerator() == torch.device("flagos")
    assert torch.accelerator.is_available()
    assert torch.accelerator.device_count() == torch_fl.device_count()
    assert torch_fl.flagos is torch.flagos
    assert torch_fl.runtime_info()["vendor"] == "host"


# ---- devices ----

BAD_INDEX = {
    "empty": lambda: torch.empty(1, device="flagos:9"),
    "empty_strided": lambda: torch.empty_strided((1,), (1,), device="flagos:9"),
    "zeros": lambda: torch.zeros(1, device="flagos:9"),
    "tensor": lambda: torch.tensor(1, device="flagos:9"),
    "arange": lambda: torch.arange(3, device="flagos:9"),
    "to": lambda: torch.ones(1).to("flagos:9"),
    "between devices": lambda: torch.ones(1, device="flagos").to("flagos:9"),
    "module": lambda: torch.nn.Linear(2, 2).to("flagos:9"),
    "stream": lambda: torch.Stream(device="flagos:9"),
    "generator": lambda: torch.Generator(device="flagos:9"),
    "set_device": lambda: torch_fl.set_device(9),
    "set_device_index": lambda: torch.accelerator.set_device_index(9),
    "negative": lambda: torch_fl.set_device(-5),
    "device context": lambda: torch_fl.device(9),
    "synchronize": lambda: torch_fl.synchronize(9),
    "accelerator.synchronize": lambda: torch.accelerator.synchronize(9),
    "current_stream": lambda: torch.accelerator.current_stream(9),
    "memory_stats": lambda: torch_fl.memory_stats(9),
    "mem_get_info": lambda: torch_fl.mem_get_info(9),
    "rng state": lambda: torch_fl.get_rng_state(9),
}
for accelerator, name in ((torch.accelerator.memory, "get_memory_info"), (torch.accelerator, "get_device_capability")):
    if hasattr(accelerator, name):  # not in every line
        BAD_INDEX[name] = functools.partial(getattr(accelerator, name), 9)


@pytest.mark.parametrize("use", BAD_INDEX.values(), ids=BAD_INDEX)
def test_device_that_does_not_exist(use):
    with pytest.raises(RuntimeError, match="does not exist"):
        use()
    assert torch.ones(1, device="flagos").device.index == 0


ON_SECOND_DEVICE = {
    "empty": lambda d: torch.empty(4, device=d),
    "resize_": lambda d: torch.empty(0, device=d).resize_(4),
    "arange": lambda d: torch.arange(3, device=d),
    "fallback": lambda d: torch.abs(torch.ones(3, device=d)),
    "fallback out": lambda d: torch.add(torch.ones(3, device=d), 1, out=torch.empty(0, device=d)),
    "rand": lambda d: torch.rand(3, device=d),
    "to": lambda d: torch.ones(3).to(d),
    "copy": lambda d: torch.ones(3, device="flagos:0").to(d),
    "set_": lambda d: torch.ones(3, device=d).set_(),
    "clone": lambda d: torch.ones(3, device=d).t().clone(),
    "empty of size 0": lambda d: torch.empty(0, device=d),
}


@pytest.mark.parametrize("make", ON_SECOND_DEVICE.values(), ids=ON_SECOND_DEVICE)
def test_storage_is_on_the_tensors_device(make):
    tensor = make("flagos:1")
    assert tensor.device == torch.device("flagos:1")
    assert tensor.untyped_storage().device == torch.device("flagos:1")
    if tensor.numel():
        assert torch_fl.memory_allocated(1) > 0


def test_storage_resize_keeps_device_and_content():
    tensor = torch.arange(4.0, device="flagos:1")
    storage = tensor.untyped_storage()
    storage.resize_(4096)
    assert (storage.device, storage.nbytes()) == (torch.device("flagos:1"), 4096)
    assert tensor.tolist() == [0, 1, 2, 3]
    storage.resize_(8)
    assert tensor.new_empty(0).set_(storage, 0, (2,)).tolist() == [0, 1]


def test_resize_keeps_content_and_needs_own_memory():
    tensor = torch.arange(6.0, device="flagos").reshape(2, 3)
    assert tensor.resize_(3, 3)[:2].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tensor.resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    assert torch.empty(0, 2, 3, 4, device="flagos").resize_(1, 2, 3, 4, memory_format=torch.channels_last).stride() == (
        torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).stride()
    )
    with pytest.raises(RuntimeError, match="negative"):
        tensor.resize_(-1)


def test_set_refuses_storage_of_another_device():
    with pytest.raises(RuntimeError, match="devices must match"):
        torch.ones(1, device="flagos:0").set_(torch.ones(1, device="flagos:1").untyped_storage())
    with pytest.raises(RuntimeError, match="devices must match"):
        torch.ones(1, device="flagos:0").set_(torch.ones(1).untyped_storage())


def test_views_share_memory():
    base = torch.arange(12.0, device="flagos")
    for view in (
        base.view(3, 4),
        base.as_strided((2, 2), (4, 1), 1),
        base.unfold(0, 4, 4),
        base.reshape(4, 3).t(),
        base[2:8],
        base.view(torch.int32),
        torch.view_as_complex(base.view(6, 2)),
    ):
        assert view.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()
    base.view(3, 4)[1, 2] = 99
    assert base[6].item() == 99
    assert base.is_set_to(base.view(12)) and not base.is_set_to(base.clone())


def test_device_context_restores_on_exception():
    with pytest.raises(ZeroDivisionError), torch_fl.device(1):
        assert torch_fl.current_device() == 1
        assert torch.empty(1, device="flagos").device.index == 1
        1 / 0  # noqa: B018
    with torch_fl.device("flagos:1"):
        assert torch_fl.current_device() == 1


def test_current_device_is_per_thread():
    seen = []
    with torch_fl.device(1):
        thread = threading.Thread(target=lambda: seen.append(torch_fl.current_device()))
        thread.start()
        thread.join()
    assert seen == [0]


def test_synchronize_waits_for_its_device_only(busy):
    stream = torch_fl.current_stream(1)
    busy("flagos:1").occupy()
    torch_fl.synchronize(0)
    assert not stream.query(), "synchronize(0) waited for device 1, or the work was too short to tell"
    torch_fl.synchronize(1)
    assert stream.query()
    assert torch_fl.current_device() == 0


# ---- streams and events ----


def test_streams_come_from_a_pool_of_32():
    streams = [torch.Stream(device="flagos") for _ in range(64)]
    assert len({stream.stream_id for stream in streams}) == 32
    assert streams[0] == streams[32]
    assert torch_fl.default_stream() not in streams
    other = torch_fl.Stream("flagos:1")
    assert other.device == torch.device("flagos:1") and other not in streams
    assert isinstance(other, torch.Stream)


def test_priorities_have_their_own_pools():
    ordinary = {torch.Stream(device="flagos").stream_id for _ in range(32)}
    urgent = {torch_fl.Stream(priority=-1).stream_id for _ in range(32)}
    assert not ordinary & urgent
    assert {torch_fl.Stream(priority=-1000).stream_id for _ in range(32)}.isdisjoint(ordinary), "clamped, not refused"


def test_stream_context_restores_on_exception():
    stream = torch.Stream(device="flagos:1")
    with pytest.raises(ZeroDivisionError), torch_fl.stream(stream):
        assert torch_fl.current_stream() == stream
        assert torch_fl.current_device() == 1
        1 / 0  # noqa: B018
    assert torch_fl.current_stream(1) == torch_fl.default_stream(1)
    with torch_fl.stream(None):
        assert torch_fl.current_stream() == torch_fl.default_stream()


def test_current_stream_is_per_thread():
    seen = []
    with torch.Stream(device="flagos"):
        thread = threading.Thread(target=lambda: seen.append(torch_fl.current_stream()))
        thread.start()
        thread.join()
    assert seen == [torch_fl.default_stream()]


def test_foreign_stream_is_refused():
    flagos = torch.Stream(device="flagos").device_type
    forged = torch.Stream(stream_id=0x1234567, device_index=0, device_type=flagos)
    with pytest.raises(RuntimeError, match="not a stream of flagos:0"):
        torch_fl.set_stream(forged)
    with pytest.raises(RuntimeError, match="not a stream of flagos:0"):
        torch.ones(1, device="flagos").record_stream(forged)


def test_query_is_true_only_when_work_has_finished(busy):
    stream = torch_fl.current_stream()
    torch_fl.synchronize()
    assert stream.query()
    busy().occupy()
    event = stream.record_event()
    assert not stream.query()
    assert not event.query()
    event.synchronize()
    assert event.query()
    assert stream.query()


def test_event_orders_streams_of_two_devices(busy):
    source, ones = torch.zeros(1 << 20, device="flagos:0"), torch.ones(1 << 20).pin_memory()
    torch_fl.synchronize()
    here, there = torch.Stream(device="flagos:0"), torch.Stream(device="flagos:1")
    with here:
        busy("flagos:0").occupy()
        source.copy_(ones, non_blocking=True)
        event = here.record_event()
    there.wait_event(event)
    with there:
        assert not event.query()
        marker = torch.zeros(1, device="flagos:1")
        ready = there.record_event()
    ready.synchronize()
    assert event.query(), "the other device's stream did not wait"
    assert marker.item() == 0 and source.sum().item() == 1 << 20


def test_default_stream_is_ordered_by_wait_stream(busy):
    side = torch.Stream(device="flagos")
    with side:
        busy().occupy()
    torch_fl.current_stream().wait_stream(side)
    torch.zeros(1, device="flagos").item()
    assert side.query()


def test_event_is_bound_to_its_device():
    event = torch.Event(device="flagos")
    event.record(torch.Stream(device="flagos:0"))
    with pytest.raises(RuntimeError, match=r"event of flagos:0 cannot be recorded on .*flagos:1"):
        event.record(torch.Stream(device="flagos:1"))


def test_never_recorded_event_holds_nothing():
    event = torch.Event(device="flagos")
    assert event.query()
    event.synchronize()
    torch_fl.current_stream().wait_event(event)


def test_stream_api_first_in_a_process(run_python):
    run_python("""
        import torch
        stream = torch.accelerator.current_stream()
        assert stream.stream_id == 0 and stream.device.type == "flagos"
        stream.synchronize()
        with torch.Stream(device="flagos"):
            assert torch.accelerator.current_stream() != stream
    """)


# ---- random numbers ----


def test_seeds_reproduce():
    torch.manual_seed(5)
    first = torch.rand(4, device="flagos").tolist()
    torch_fl.manual_seed(5)
    assert torch.rand(4, device="flagos").tolist() == first
    torch.manual_seed(5)
    assert torch.rand(4, device="flagos").tolist() == first
    assert torch.rand(4, device="flagos").tolist() != first
    assert torch_fl.initial_seed() == 5


def test_device_generators_are_separate():
    torch.manual_seed(5)
    on_cpu = torch.get_rng_state()
    other = torch_fl.get_rng_state(1)
    torch.rand(4, device="flagos:0")
    assert torch.equal(torch.get_rng_state(), on_cpu), "numbers of the device came from the CPU generator"
    assert torch.equal(torch_fl.get_rng_state(1), other)
    assert not torch.equal(torch_fl.get_rng_state(0), other)


def test_rng_state_round_trip():
    states = torch_fl.get_rng_state_all()
    first = [torch.randn(3, device=f"flagos:{i}").tolist() for i in range(2)]
    torch_fl.set_rng_state_all(states)
    assert [torch.randn(3, device=f"flagos:{i}").tolist() for i in range(2)] == first
    with torch.random.fork_rng(devices=[0], device_type="flagos"):
        torch.rand(3, device="flagos")
        inside = torch_fl.get_rng_state()
    assert not torch.equal(torch_fl.get_rng_state(), inside)


def test_generator_argument():
    generator = torch.Generator(device="flagos:1").manual_seed(3)
    assert generator.device == torch.device("flagos:1")
    first = torch.rand(3, device="flagos:1", generator=generator).tolist()
    assert torch.rand(3, device="flagos:1", generator=generator).tolist() != first
    generator.manual_seed(3)
    assert torch.rand(3, device="flagos:1", generator=generator).tolist() == first


@pytest.mark.parametrize("route", ["fallback", "boxed"])
@pytest.mark.parametrize(
    ("device", "generator"), [("cpu", "flagos"), ("flagos", "cpu")], ids=["tensor on the cpu", "generator of the cpu"]
)
def test_generator_of_another_device_is_refused(route, device, generator):
    """PyTorch's dispatcher follows the generator as well, so the call comes to flagos in both cases."""
    routed = ["normal_"] if route == "boxed" else []
    tensor, number = torch.empty(3, device=device), torch.Generator(device=generator)
    assert torch_fl._C.route_operators(routed, "cpu") == []
    try:
        with pytest.raises(
            RuntimeError, match=f"Expected a '{device}' device type for generator but found '{generator}'"
        ):
            tensor.normal_(generator=number)
    finally:
        torch_fl._C.unroute_operators()


# ---- what is claimed about a device ----


@has(torch.accelerator, "get_device_capability")
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_every_listed_dtype_can_be_allocated_and_copied():
    dtypes = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert len(dtypes) >= 16
    for dtype in dtypes:
        source = torch.arange(64, dtype=torch.uint8).view(dtype) if dtype != torch.bool else torch.ones(4, dtype=dtype)
        there = source.to("flagos").clone()
        assert there.dtype == dtype
        assert torch.equal(there.cpu().view(torch.uint8), source.view(torch.uint8)), dtype


def test_properties_are_those_of_the_runtime():
    properties = torch_fl.get_device_properties(1)
    assert properties.vendor == "host"
    assert properties.total_memory == torch_fl.mem_get_info(1)[1] > 0
    assert torch_fl.get_device_name(1) == properties.name


# ---- what PyTorch builds on it ----


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")  # PyTorch's mse_loss.out
def test_training_is_that_of_the_cpu():
    torch.manual_seed(0)
    on_cpu = torch.nn.Sequential(
        torch.nn.Conv1d(3, 4, 3), torch.nn.Flatten(), torch.nn.LayerNorm(16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    )
    on_device = copy.deepcopy(on_cpu).to("flagos:1")
    batches = [(torch.randn(8, 3, 6), torch.randn(8, 1)) for _ in range(4)]

    def train(model, device):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
        losses = []
        for x, y in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert train(on_device, "flagos:1") == pytest.approx(train(on_cpu, "cpu"), rel=1e-5)
    for a, b in zip(on_device.parameters(), on_cpu.parameters(), strict=True):
        assert a.device == a.grad.device == torch.device("flagos:1")
        torch.testing.assert_close(a.cpu(), b)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(dtype):
    linear = torch.nn.Linear(4, 4, device="flagos")
    x = torch.randn(2, 4, device="flagos")
    with torch.autocast("flagos", dtype=dtype):
        low = linear(x)
        assert low.dtype == dtype
        assert torch.softmax(low, 1).dtype == torch.float32
        assert torch.cat([low, x]).dtype == torch.float32
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            torch.nn.functional.binary_cross_entropy(x.sigmoid(), x.sigmoid())
    assert linear(x).dtype == torch.float32
    with pytest.warns(UserWarning, match="not supported"), torch.autocast("flagos", dtype=torch.float64):
        assert linear(x).dtype == torch.float32


def test_generated_methods():
    tensor = torch.ones(2).flagos()
    assert tensor.is_flagos and not tensor.cpu().is_flagos
    assert torch.nn.Linear(1, 1).flagos().weight.is_flagos


def test_copy_on_write_clone():
    original = torch.arange(4.0, device="flagos:1")
    clone = torch._lazy_clone(original)
    clone.add_(1)
    assert original.tolist() == [0, 1, 2, 3]
    assert clone.tolist() == [1, 2, 3, 4]
    assert clone.untyped_storage().device == torch.device("flagos:1")


def test_deterministic_fill():
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(3, device="flagos").isnan().all()
        assert torch.empty(1, device="flagos").resize_(3)[1:].isnan().all()
    finally:
        torch.use_deterministic_algorithms(False)


def test_exit_with_work_in_flight(run_python):
    began = time.monotonic()
    run_python("""
        import torch, torch_fl
        kept = [torch.empty(64 << 20, dtype=torch.uint8, device=f"flagos:{i}") for i in range(2)]
        pinned = torch.ones(1 << 20).pin_memory()
        for _ in range(20):
            for tensor in kept:
                tensor.zero_()
        on_device = pinned.to("flagos", non_blocking=True)
        events = [torch.Event(device="flagos") for _ in range(4)]
        for event in events:
            event.record()
    """)
    assert time.monotonic() - began < 30


def test_no_thread_of_autograd_outlives_python(run_python):
    """One that asks for Python's lock while Python ends would abort the process, once in a few runs: none may even be listed
    any more."""
    run_python("""
        import atexit, os
        from pathlib import Path

        def autograd_threads():
            try:
                return [p for p in Path("/proc/self/task").glob("*/comm") if p.read_text().startswith("pt_autograd")]
            except OSError:  # one ended meanwhile
                return autograd_threads()

        @atexit.register  # before torch: runs after what torch registered
        def none_is_left():
            if autograd_threads():
                os._exit(1)

        import torch, torch_fl
        leaf = torch.ones(2, device="flagos:1", requires_grad=True)
        atexit.register(lambda: leaf.mul(3).sum().backward())  # handlers of the program come before and may use the device
        leaf.sum().backward()
        assert autograd_threads()
    """)


def test_end_waits_for_threads_of_autograd_that_linger(run_python):
    """They tell that they end, and then want Python's lock once more."""
    run_python("""
        import threading, time
        from pathlib import Path
        from torch_fl import _backend

        named = threading.Event()

        def linger():
            Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text("pt_autograd_9")
            named.set()
            time.sleep(0.2)

        thread = threading.Thread(target=linger, daemon=True)
        thread.start()
        named.wait()
        _backend._end_autograd_threads(lambda: None)
        assert not thread.is_alive()
    """)
