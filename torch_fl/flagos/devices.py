"""The runtime and its devices."""

import warnings
from functools import cache
from typing import Any

import torch

from .. import _C  # type: ignore[attr-defined]
from . import routing

Device = int | str | torch.device | None


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
    if not isinstance(device, int):
        raise ValueError(f"expected the index of a flagos device, a string or a torch.device, found {device!r}")
    if not 0 <= device < device_count():
        current_device()  # raises what is wrong if there is no device at all
        raise RuntimeError(f"flagos:{device} does not exist: there are {device_count()} flagos devices")
    return device


# ---- the runtime ----


def init() -> None:
    """Load the vendor's runtime and choose where operators run, as the first use of a device does; raises what is wrong."""
    _C.load_runtime()
    routing.apply()


_lazy_init = init  # PyTorch calls it before the first use of a device


def is_initialized() -> bool:
    return _C.runtime_info()["loaded"]


def is_available() -> bool:
    """Whether there is a device. Never raises: warns once where the runtime cannot be loaded."""
    if _C.device_count() > 0:
        return True
    _warn_of_runtime_that_cannot_be_loaded()
    return False


@cache
def _warn_of_runtime_that_cannot_be_loaded() -> None:
    try:
        device_count()
    except RuntimeError as error:
        warnings.warn(f"there is no flagos device: {error}", RuntimeWarning, stacklevel=3)


def runtime_info() -> dict[str, Any]:
    """Which vendor's library is in use: `loaded`, `vendor`, `library`, `chosen` (why it is this one), and `skipped`, the
    vendors that were passed over."""
    return _C.runtime_info()


def _is_in_bad_fork() -> bool:
    return _C.in_bad_fork()


# ---- devices ----


def device_count() -> int:
    """The number of devices that the runtime finds. Raises if it cannot be loaded, because a vendor is named that is not
    built, say: no device is another thing. 0 in a forked child that may not use the device."""
    if not _is_in_bad_fork():
        _C.load_runtime()
    return _C.device_count()


def current_device() -> int:
    return torch.accelerator.current_device_index()


def set_device(device: Device) -> None:
    torch.accelerator.set_device_index(_index(device))


class device(torch.accelerator.device_index):
    """Context manager: another current device for a block. None changes nothing."""

    def __init__(self, device: Device) -> None:
        super().__init__(None if device is None else _index(device))


class device_of(device):
    """Context manager: the device of a tensor or storage for a block; one that is elsewhere changes nothing."""

    def __init__(self, obj: torch.Tensor | torch.UntypedStorage | torch.TypedStorage) -> None:
        super().__init__(obj.device if obj.device.type == "flagos" else None)


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
        self.total_memory = _C.memory_info(index)[1]

    def __repr__(self) -> str:
        return f"flagos device properties(name={self.name!r}, total_memory={self.total_memory >> 20} MiB)"


def get_device_properties(device: Device = None) -> _DeviceProperties:
    return _DeviceProperties(_index(device))


def get_device_capability(device: Device = None) -> dict[str, Any]:
    """As `torch.accelerator.get_device_capability`: the dtypes that can be used. A compute capability is CUDA's."""
    return torch.accelerator.get_device_capability(_index(device))


def get_amp_supported_dtype() -> list[torch.dtype]:
    return [torch.float16, torch.bfloat16]


def is_bf16_supported() -> bool:
    return is_available() and torch.bfloat16 in get_amp_supported_dtype()
