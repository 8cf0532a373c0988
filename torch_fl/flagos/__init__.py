"""`torch.flagos`: the module of the device, with the names that `torch.cuda` has made customary.

A `device` argument is an index, a string, a `torch.device`, or None for the current device. Whatever `torch.accelerator`
offers is that function.
"""

import contextlib
from typing import Any

from .. import _backend

_backend.activate()  # first, so that `import torch_fl.flagos` alone is enough

import torch  # noqa: E402
from torch.accelerator import memory as _memory  # noqa: E402

from .. import _C  # type: ignore[attr-defined]  # noqa: E402

Device = int | str | torch.device | None

__all__ = [
    "Event",
    "Stream",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "fallback_counts",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_fallback_counts",
    "reset_peak_memory_stats",
    "runtime_info",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
]


def _index(device: Device) -> int:
    """The index of an existing device."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != "flagos":
            raise ValueError(f"expected a flagos device, found {device}")
        device = device.index
    if device is None:
        return current_device()
    if not 0 <= device < device_count():
        raise RuntimeError(f"flagos:{device} does not exist: there are {device_count()} flagos devices")
    return device


# ---- the runtime ----


def init() -> None:
    """Load the vendor's runtime, which the first use of a device does as well; raises what is wrong with it."""
    _C.load_runtime()


_lazy_init = init  # PyTorch calls it before the first use of a device


def is_initialized() -> bool:
    return _C.runtime_info()["loaded"]


def is_available() -> bool:
    return device_count() > 0


def runtime_info() -> dict[str, Any]:
    """Which vendor's library is in use: `loaded`, `vendor`, `library`, and `skipped`, the vendors that were passed over."""
    return _C.runtime_info()


def _is_in_bad_fork() -> bool:
    return _C.in_bad_fork()


# ---- devices ----


def device_count() -> int:
    """The number of devices; 0 if the runtime cannot be loaded, `init()` says why."""
    return _C.device_count()


def current_device() -> int:
    return torch.accelerator.current_device_index()


def set_device(device: Device) -> None:
    torch.accelerator.set_device_index(_index(device))


class device(torch.accelerator.device_index):
    """Context manager: another current device for a block."""

    def __init__(self, device: Device) -> None:
        super().__init__(None if device is None else _index(device))


def synchronize(device: Device = None) -> None:
    """Wait for all work of one device, and of no other."""
    init()
    torch.accelerator.synchronize(_index(device))


def get_device_name(device: Device = None) -> str:
    """The contract has no name of a chip, so this is the vendor and the index."""
    index = _index(device)
    return f"{runtime_info()['vendor']}:{index}"


class _DeviceProperties:
    """What the contract knows of a device, and nothing made up."""

    def __init__(self, index: int) -> None:
        self.name = get_device_name(index)
        self.vendor: str = runtime_info()["vendor"]
        self.total_memory = mem_get_info(index)[1]

    def __repr__(self) -> str:
        return f"flagos device properties(name={self.name!r}, total_memory={self.total_memory >> 20} MiB)"


def get_device_properties(device: Device = None) -> _DeviceProperties:
    return _DeviceProperties(_index(device))


def get_device_capability(device: Device = None) -> dict[str, Any]:
    return torch.accelerator.get_device_capability(_index(device))


def get_amp_supported_dtype() -> list[torch.dtype]:
    return [torch.float16, torch.bfloat16]


def is_bf16_supported() -> bool:
    return torch.bfloat16 in get_amp_supported_dtype()


# ---- streams and events ----


class Stream(torch.Stream):
    """A stream of a flagos device, the current one by default. Lower priorities run first."""

    def __new__(cls, device: Device = None, priority: int = 0, **ids: int) -> "Stream":
        if ids:  # PyTorch rebuilds a stream from its ids
            return super().__new__(cls, priority=priority, **ids)
        return super().__new__(cls, device=torch.device("flagos", _index(device)), priority=priority)


class Event(torch.Event):
    """An event of a flagos device: the device of the stream that it is first recorded on."""

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> "Event":
        return super().__new__(
            cls, device="flagos", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
        )


def current_stream(device: Device = None) -> torch.Stream:
    return torch.accelerator.current_stream(_index(device))


def default_stream(device: Device = None) -> torch.Stream:
    flagos = torch.device("flagos", _index(device))
    device_type = int(torch._C._autograd.DeviceType.PrivateUse1.value)
    return torch.Stream(stream_id=0, device_index=flagos.index, device_type=device_type)


def set_stream(stream: torch.Stream) -> None:
    torch.accelerator.set_stream(stream)


def stream(stream: torch.Stream | None) -> contextlib.AbstractContextManager:
    """Context manager: another current stream, and its device, for a block. None changes nothing."""
    return contextlib.nullcontext() if stream is None else stream


# ---- memory ----

empty_cache = _memory.empty_cache
memory_stats = _memory.memory_stats
memory_allocated = _memory.memory_allocated
memory_reserved = _memory.memory_reserved
max_memory_allocated = _memory.max_memory_allocated
max_memory_reserved = _memory.max_memory_reserved
reset_peak_memory_stats = _memory.reset_peak_memory_stats
reset_accumulated_memory_stats = _memory.reset_accumulated_memory_stats


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Bytes of the device: free, and installed."""
    return _memory.get_memory_info(_index(device))


# ---- random numbers ----


def _generator(device: Device) -> torch.Generator:
    return _C.default_generator(_index(device))


def manual_seed(seed: int) -> None:
    """Seed the current device."""
    _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed all devices. Loads no runtime, like `torch.manual_seed`, which calls this."""
    _C.seed_all_devices(int(seed) & 0xFFFF_FFFF_FFFF_FFFF)


def initial_seed() -> int:
    return _generator(None).initial_seed()


def get_rng_state(device: Device = None) -> torch.Tensor:
    return _generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: torch.Tensor, device: Device = None) -> None:
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: list[torch.Tensor]) -> None:
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


# ---- the CPU fallback ----


def fallback_counts() -> dict[str, int]:
    """How often each operator without a flagos kernel ran on the CPU, since the last reset."""
    return _C.fallback_counts()


def reset_fallback_counts() -> None:
    _C.reset_fallback_counts()
