"""torch.flagos as users of torch.cuda expect it: names, arguments, errors, and honest answers where there is no device."""

import copy
import inspect
import pickle
import re
import threading
from pathlib import Path

import pytest
import torch

import torch_fl
from generators.aten.lines import installed_line
from tests.integration.lines import PINNED, has

flagos = torch.flagos


@pytest.fixture(autouse=True)
def device_and_stream_as_before():
    yield
    assert torch_fl.current_device() == 0, "the test left another device current"
    assert torch_fl.current_stream() == torch_fl.default_stream(), "the test left another stream current"


# ---- names ----


def test_every_name_is_there():
    for name in flagos.__all__:
        assert getattr(torch_fl, name) is getattr(flagos, name)
    assert torch.get_device_module("flagos") is flagos


def test_submodules_are_the_same_however_imported():
    import torch.flagos.memory as by_torch

    import torch_fl.flagos.memory as by_package

    assert by_torch is by_package is flagos.memory
    assert by_torch.memory_allocated is flagos.memory_allocated


def test_every_name_of_torch_cuda_is_here_or_explained():
    document = Path(__file__).parents[2] / "docs/reference/pytorch-integration.md"
    table = document.read_text().partition("What `torch.cuda` has and `torch.flagos` has not")[2]
    explained = {
        name for names in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in names.strip("`").split("` `")
    }
    missing = set(torch.cuda.__all__) - set(flagos.__all__)
    assert missing <= explained
    if PINNED:
        assert explained - missing == {"export_dot", "export_graph_data", "graph_annotations"}, "later lines have them"


# What libraries outside of this repository look up on a device's module: FSDP, DTensor, checkpoint, profiler, accelerate.
LOOKED_UP = """is_available device_count current_device set_device device synchronize current_stream set_stream stream Stream Event
    empty_cache memory_stats reset_peak_memory_stats get_rng_state set_rng_state manual_seed_all initial_seed init
    is_initialized get_amp_supported_dtype _lazy_init _is_in_bad_fork _initialized default_generators mem_get_info""".split()


def test_names_that_libraries_look_up():
    assert not [name for name in LOOKED_UP if not hasattr(flagos, name)]


def test_is_initialized_by_the_first_use(run_forked):
    run_forked("""
        import torch, torch_fl
        assert not torch_fl.is_initialized() and not torch.flagos._initialized
        torch.ones(1, device="flagos")
        assert torch_fl.is_initialized() and torch.flagos._initialized
    """)


# ---- arguments ----

DEVICE_FUNCTIONS = {
    name: function
    for name, function in vars(flagos).items()
    if name in flagos.__all__ and callable(function) and "device" in str(inspect.signature(function)).split(":")[0]
}


def test_functions_of_a_device_are_found():
    assert {
        "synchronize",
        "mem_get_info",
        "memory_allocated",
        "current_stream",
        "get_rng_state",
    } <= DEVICE_FUNCTIONS.keys()


if not hasattr(torch.accelerator, "get_device_capability"):
    del DEVICE_FUNCTIONS["get_device_capability"]


@pytest.mark.parametrize("name", sorted(DEVICE_FUNCTIONS))
def test_device_arguments(name):
    function = DEVICE_FUNCTIONS[name]
    for device in (0, "flagos:0", torch.device("flagos", 0), "flagos"):
        made = function(device)
        if hasattr(made, "__enter__"):
            with made:
                pass
    with pytest.raises(RuntimeError, match="does not exist"):
        function(9)
    for wrong in ("cpu", torch.device("meta")):
        with pytest.raises(ValueError, match=r"expected a flagos device|accelerator"):
            function(wrong)
    with pytest.raises(RuntimeError, match="nonsense"):
        function("nonsense")
    if function.__module__.startswith("torch_fl"):  # torch.accelerator takes it for 1
        with pytest.raises(ValueError, match=r"found 1\.5"):
            function(1.5)


def test_wrong_streams_events_and_states():
    with pytest.raises(TypeError):
        flagos.set_stream("a stream")
    with pytest.raises(RuntimeError, match="device type"):
        flagos.Event().record(torch.Stream(device="cpu"))
    with pytest.raises(TypeError, match="ByteTensor"):
        flagos.set_rng_state(torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        flagos.set_rng_state(torch.ones(3, dtype=torch.uint8))
    with pytest.raises(RuntimeError, match="process"):
        flagos.Event(interprocess=True)


def test_negative_index_leaves_the_device_in_torch_accelerator():
    """PyTorch's own meaning of a negative index; torch.flagos refuses it."""
    torch.accelerator.set_device_index(-5)
    assert torch_fl.current_device() == 0


def test_queries_leave_the_device_alone():
    with flagos.device(1):
        for query in (
            flagos.get_device_properties,
            flagos.mem_get_info,
            flagos.memory_allocated,
            flagos.memory_summary,
        ):
            query(0)
        assert flagos.current_device() == 1


def test_device_of():
    with flagos.device_of(torch.empty(1, device="flagos:1")):
        assert flagos.current_device() == 1
    with flagos.device_of(torch.empty(1, device="flagos:1").untyped_storage()):
        assert flagos.current_device() == 1
    with flagos.device(1), flagos.device_of(torch.empty(1)):
        assert flagos.current_device() == 1


def test_properties_say_only_what_is_known():
    properties = flagos.get_device_properties(1)
    assert "host:1" in repr(properties) and "MiB" in repr(properties)
    assert not hasattr(properties, "multi_processor_count")
    assert flagos.is_bf16_supported()
    assert set(flagos.get_amp_supported_dtype()) >= {torch.float16, torch.bfloat16}


@has(torch.accelerator, "get_device_capability")
def test_capability_is_what_pytorch_is_told():
    assert flagos.get_device_capability(1) == torch.accelerator.get_device_capability(1)
    assert set(flagos.get_amp_supported_dtype()) <= flagos.get_device_capability()["supported_dtypes"]


# ---- streams and events ----


def test_streams_and_events_are_pytorchs_own():
    stream, event = flagos.Stream(1), flagos.Event(enable_timing=True)
    assert type(stream) is torch.Stream and type(event) is torch.Event
    for made in (stream, flagos.current_stream(), flagos.default_stream(1), torch.Stream(device="flagos")):
        assert isinstance(made, flagos.Stream)
    assert isinstance(event, flagos.Event) and isinstance(stream.record_event(), flagos.Event)
    assert not isinstance(torch.Event(device="cpu"), flagos.Event) and not isinstance(event, flagos.Stream)
    assert issubclass(flagos.Stream, torch.Stream) and issubclass(flagos.Event, torch.Event)


@has(torch.Stream, "native_handle")
def test_every_stream_has_a_handle_of_its_own():
    stream = flagos.Stream(1)
    assert isinstance(stream.native_handle, int) and stream.native_handle != flagos.Stream(1).native_handle


def test_stream_from_its_ids():
    stream = flagos.Stream(1)
    twin = flagos.Stream(stream_id=stream.stream_id, device_index=1, device_type=stream.device_type)
    assert twin == stream


def test_priority_range():
    least, greatest = flagos.Stream.priority_range()
    assert greatest < 0 <= least
    assert flagos.Stream.priority_range("flagos:1") == (least, greatest)
    with pytest.raises(RuntimeError, match="does not exist"):
        flagos.Stream.priority_range(9)
    most_urgent = {flagos.Stream(priority=greatest).stream_id for _ in range(32)}
    assert {flagos.Stream(priority=greatest - 100).stream_id for _ in range(32)} == most_urgent


@pytest.mark.parametrize(
    "make", [flagos.Event, lambda **kw: torch.Event(device="flagos", **kw)], ids=["torch.flagos", "torch"]
)
def test_elapsed_time(make, busy):
    """Errors as in torch.cuda: ValueError for what can never be measured, RuntimeError for what is not finished."""
    start, end = make(enable_timing=True), make(enable_timing=True)
    assert start.query() and start.synchronize() is None, "an event that was never recorded holds nothing"
    with pytest.raises(ValueError, match="recorded"):
        start.elapsed_time(end)
    start.record()
    busy().occupy()
    end.record()
    with pytest.raises(RuntimeError, match="completed"):
        start.elapsed_time(end)
    end.synchronize()
    assert 0 < start.elapsed_time(end) < 60_000
    untimed = make(enable_timing=False)
    untimed.record()
    for first, last in ((untimed, end), (start, untimed), (untimed, untimed)):
        with pytest.raises(ValueError, match="enable_timing"):
            first.elapsed_time(last)
    with pytest.raises((RuntimeError, TypeError)):
        start.elapsed_time(3)


def test_one_stream_may_be_entered_twice():
    stream = flagos.Stream()
    with flagos.stream(stream):
        with flagos.stream(stream):
            assert flagos.current_stream() == stream
        assert flagos.current_stream() == stream
    assert flagos.current_stream() == flagos.default_stream()
    flagos.set_stream(None)
    assert flagos.current_stream() == flagos.default_stream()


def test_threads_that_share_a_stream_go_back_to_their_own():
    shared, own = flagos.Stream(), flagos.Stream()
    entered, left = threading.Event(), threading.Event()

    def enter():
        with flagos.stream(shared):
            entered.set()
            left.wait(60)

    thread = threading.Thread(target=enter)
    with flagos.stream(own):
        with flagos.stream(shared):
            thread.start()
            assert entered.wait(60)
        after = flagos.current_stream()
    left.set()
    thread.join()
    assert after == own


BLOCKING = {
    "synchronize": lambda stream, event, busy: flagos.synchronize(),
    "accelerator.synchronize": lambda stream, event, busy: torch.accelerator.synchronize(),
    "stream.synchronize": lambda stream, event, busy: stream.synchronize(),
    "event.synchronize": lambda stream, event, busy: event.synchronize(),
    "copy to the host": lambda stream, event, busy: busy.scratch[:4].cpu(),
    "item": lambda stream, event, busy: busy.scratch[0].item(),
}


@pytest.mark.parametrize("wait", BLOCKING.values(), ids=BLOCKING)
def test_other_python_threads_run_while_one_waits(wait, busy):
    begun, beats, over = threading.Event(), [], threading.Event()

    def beat():
        begun.set()
        while not over.wait(0.001):
            beats.append(over.is_set())

    thread = threading.Thread(target=beat)
    thread.start()
    begun.wait()
    work = busy()
    work.occupy()
    stream = flagos.current_stream()
    event = stream.record_event()
    assert not event.query(), "the work was too short to tell"
    before = len(beats)
    wait(stream, event, work)
    during = len(beats) - before
    over.set()
    thread.join()
    assert event.query()
    assert during >= 3, "the call held Python's lock while it waited"


# ---- random numbers ----


def test_seed_and_seed_all():
    flagos.manual_seed_all(7)
    states = flagos.get_rng_state_all()
    flagos.seed()
    assert not torch.equal(flagos.get_rng_state(0), states[0]) and torch.equal(flagos.get_rng_state(1), states[1])
    flagos.seed_all()
    assert not torch.equal(flagos.get_rng_state(1), states[1])
    assert flagos.default_generators[0].initial_seed() == flagos.default_generators[1].initial_seed() != 7
    torch.manual_seed(0)


def test_default_generators():
    generators = flagos.default_generators
    assert [generator.device.index for generator in generators] == [0, 1]
    assert len(generators) == 2 and generators[-1].device.index == 1
    generators[1].manual_seed(5)
    with flagos.device(1):
        assert flagos.initial_seed() == 5
    assert [generator.device.index for generator in generators[1:]] == [1]
    with pytest.raises(IndexError):
        generators[2]
    torch.manual_seed(0)


def test_generators_are_copied_by_clone_state():
    generator = torch.Generator(device="flagos:1").manual_seed(3)
    torch.rand(2, device="flagos:1", generator=generator)
    twin = generator.clone_state()
    assert twin.device == generator.device
    assert torch.equal(*(torch.rand(3, device="flagos:1", generator=g) for g in (generator, twin)))
    with pytest.raises(RuntimeError, match="clone_state"):
        generator.get_offset()


@pytest.mark.xfail(strict=True, raises=SystemError, reason="Generator.__reduce__ asks every device for a philox offset")
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))], ids=["deepcopy", "pickle"])
def test_generators_can_be_pickled(copier):
    copier(torch.Generator(device="flagos"))


def test_a_tensor_of_no_device_takes_no_number_from_it():
    torch.manual_seed(0)
    before = flagos.get_rng_state()
    torch.rand(3)
    assert torch.equal(flagos.get_rng_state(), before)


# ---- memory ----


def test_memory_summary(run_forked):
    done = run_forked("""
        import torch, torch_fl
        with torch_fl.device(1):
            kept = torch.empty(3 << 20, dtype=torch.uint8, device="flagos")
            torch.empty(5 << 20, dtype=torch.uint8, device="flagos")
            print(torch_fl.memory_summary())
            print("shorter")
            print(torch_fl.memory_summary(1, abbreviated=True))
    """)
    text, _, short = done.stdout.partition("shorter\n")
    assert "flagos:1" in text and "large pool" in text and "large pool" not in short
    assert len(short.splitlines()) * 2 < len(text.splitlines())
    allocated = re.search(r"^allocated memory +(\d+ KiB) +(\d+ KiB)", short, re.MULTILINE)
    assert allocated and allocated.groups() == ("3072 KiB", "8192 KiB")


# ---- no device ----

NO_DEVICE = """
import io, torch, torch_fl
flagos = torch.flagos
resets = {
    "reset peak": lambda: flagos.reset_peak_memory_stats() is None,
    "reset accumulated": lambda: flagos.reset_accumulated_memory_stats() is None,
}
counts = {
    "count": lambda: flagos.device_count() == torch.accelerator.device_count() == 0,
    "fork_rng": lambda: torch.random.fork_rng(device_type="flagos").__enter__() is None,
}
zero = {
    "available": lambda: not flagos.is_available() and not torch.accelerator.is_available(),
    "bf16": lambda: not flagos.is_bf16_supported(),
    "statistics": lambda: flagos.memory_stats() == {} and torch.accelerator.memory_stats() == {},
    "summary": lambda: flagos.memory_summary() == "no flagos device",
    "allocated": lambda: flagos.memory_allocated() == flagos.max_memory_reserved() == 0,
    "no-ops": lambda: not any(
        f() for f in (flagos.empty_cache, flagos.seed, flagos.seed_all,
                      getattr(torch.accelerator.memory, "empty_host_cache", flagos.empty_cache))  # not in every line
    ),
    "seeds": lambda: flagos.manual_seed(1) is None and flagos.manual_seed_all(1) is None and torch.manual_seed(1),
    "states": lambda: flagos.get_rng_state_all() == [] and list(flagos.default_generators) == [],
    "cpu": lambda: torch.ones(2, requires_grad=True).sum().backward() is None and not torch.ones(1).is_pinned(),
    "checkpoint": lambda: torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(1), use_reentrant=False) is not None,
    "scaler": lambda: torch.amp.GradScaler("flagos") is not None,
    "event": lambda: flagos.Event().query(),
}
if LOADED:
    zero |= counts
if RESETS:
    zero |= resets
for name, holds in zero.items():
    assert holds(), name
errors = {
    "ones": lambda: torch.ones(1, device="flagos"),
    "with an index": lambda: torch.ones(1, device="flagos:0"),
    "to": lambda: torch.ones(1).to("flagos"),
    "flagos()": lambda: torch.ones(1).flagos(),
    "module": lambda: torch.nn.Linear(1, 1).flagos(),
    "pin_memory": lambda: torch.ones(1).pin_memory(),
    "storage": lambda: torch.UntypedStorage(4, device="flagos"),
    "generator": lambda: torch.Generator(device="flagos"),
    "stream": lambda: flagos.Stream(),
    "torch.Stream": lambda: torch.Stream(device="flagos"),
    "current_stream": lambda: torch.accelerator.current_stream(),
    "record": lambda: flagos.Event().record(),
    "current_device": lambda: flagos.current_device(),
    "set_device": lambda: flagos.set_device(0),
    "device": lambda: flagos.device(0),
    "synchronize": lambda: flagos.synchronize(),
    "accelerator.synchronize": lambda: torch.accelerator.synchronize(),
    "mem_get_info": lambda: flagos.mem_get_info(),
    "memory_summary": lambda: flagos.memory_summary(0),
    "name": lambda: flagos.get_device_name(0),
    "properties": lambda: flagos.get_device_properties(),
    "capability": getattr(torch.accelerator, "get_device_capability", flagos.mem_get_info),  # not in every line
    "rng state": lambda: flagos.get_rng_state(),
    "initial_seed": lambda: flagos.initial_seed(),
}
if not LOADED:
    errors |= counts
if not RESETS:
    errors |= resets
for name, use in errors.items():
    try:
        use()
    except RuntimeError as error:
        assert EXPECTED in str(error), (name, str(error))
    else:
        raise AssertionError(f"{name} gave no error")
try:
    torch.load(CHECKPOINT)
except RuntimeError as error:
    assert "map_location" in str(error), error
else:
    raise AssertionError("a checkpoint of a device that is absent was loaded")
assert torch.load(CHECKPOINT, map_location="cpu").tolist() == [0, 1, 2]
print("all of it")
"""


@pytest.mark.parametrize("absence", ["no device", "no library", "broken library"])
def test_without_a_device(run_forked, tmp_path, absence):
    torch.save(torch.arange(3, device="flagos:1"), tmp_path / "checkpoint.pt")
    environment, expected = {
        "no device": ({"FLAGOS_HOST_DEVICES": "0"}, "finds no device"),
        "no library": ({"FLAGOS_ACCELERATOR": "nosuch"}, "the built vendors are: "),
        "broken library": ({"FLAGOS_RUNTIME_LIBRARY": str(tmp_path / "libflagos_broken.so")}, "architecture"),
    }[absence]
    (tmp_path / "libflagos_broken.so").write_text("not a library")
    loaded = absence == "no device"
    resets = installed_line().number >= (2, 13)  # before, PyTorch asks for the current device to reset nothing
    known = {"EXPECTED": expected, "CHECKPOINT": str(tmp_path / "checkpoint.pt"), "LOADED": loaded, "RESETS": resets}
    done = run_forked("".join(f"{name} = {value!r}\n" for name, value in known.items()) + NO_DEVICE, **environment)
    assert done.stdout == "all of it\n"
    assert done.stderr.count("RuntimeWarning: there is no flagos device") == (not loaded), "one, of is_available()"
    assert not loaded or done.stderr == ""
