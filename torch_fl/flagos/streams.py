"""Streams and events.

They are `torch.Stream` and `torch.Event`; the classes here make those of a flagos device and recognise them.
"""

import contextlib
from typing import Any

import torch

from .. import _C  # type: ignore[attr-defined]
from .devices import Device, _index


class _OnFlagos(type):
    """Objects of PyTorch's class on a flagos device are the instances. PyTorch's C++ accepts no object of a subclass in
    some places, `elapsed_time` for one, and hands out its own objects in others, `current_stream` for one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls.__mro__[1]) and instance.device.type == "flagos"


class Stream(torch.Stream, metaclass=_OnFlagos):
    """`Stream(device=None, priority=0)` is a stream of a flagos device, the current one by default. Lower priorities run
    first; one outside `priority_range()` becomes the nearest in it."""

    def __new__(cls, device: Device = None, priority: int = 0, **ids: int) -> torch.Stream:  # type: ignore[misc]
        if ids:  # the ids of a stream that exists, as in torch.cuda
            return torch.Stream(priority=priority, **ids)
        return torch.Stream(device=torch.device("flagos", _index(device)), priority=priority)

    @staticmethod
    def priority_range(device: Device = None) -> tuple[int, int]:
        """The least and the most urgent priority of a device."""
        return _C.priority_range(_index(device))


class Event(torch.Event, metaclass=_OnFlagos):
    """`Event(enable_timing=False)` is an event of a flagos device: of that of the stream that it is first recorded on."""

    def __new__(  # type: ignore[misc]
        cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> torch.Event:
        if interprocess:
            raise RuntimeError("a flagos event cannot be shared with another process: the contract has no call for it")
        # How the host waits is the vendor's: `blocking` is accepted for the sake of torch.cuda's code.
        return torch.Event(device="flagos", enable_timing=enable_timing, blocking=blocking)


def current_stream(device: Device = None) -> torch.Stream:
    return torch.accelerator.current_stream(_index(device))


def default_stream(device: Device = None) -> torch.Stream:
    flagos = torch.device("flagos", _index(device))
    device_type = int(torch._C._autograd.DeviceType.PrivateUse1.value)
    return torch.Stream(stream_id=0, device_index=flagos.index, device_type=device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Make a stream, and its device, current. None changes nothing."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


def stream(stream: torch.Stream | None) -> contextlib.AbstractContextManager:
    """Context manager: another current stream, and its device, for a block. None changes nothing."""
    if stream is None:
        return contextlib.nullcontext()
    # An object of its own: PyTorch keeps there what to go back to, and another block or thread may enter the stream, too.
    return torch.Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)
