"""Call a built runtime library from Python: the 28 functions and the ten virtuals, typed from the contract's headers.

Gates use it in their own process, below torch. `Runtime` loads the library on first use, so a `Runtime` may be made and
passed on where the library must not be loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gates.isolation import note_call
from gates.status import check, fail
from generators.contract import Function, read_contract

CONTRACT = read_contract()


# The contract's enums, by the names that the header gives them.
def _enum(name: str, declared: str) -> Any:
    return IntEnum(name, CONTRACT.enums[declared])


Error = _enum("Error", "Error_t")
Kind = _enum("Kind", "MemcpyKind")
Memory = _enum("Memory", "MemoryType")
FLAGS = {
    name: value for enum in ("StreamFlags", "EventFlags", "WaitFlags") for name, value in CONTRACT.enums[enum].items()
}


UNWRITTEN = 0xDEAD00  # what an output holds before a call: nothing that a runtime would write


class PointerAttributes(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("device", ctypes.c_int), ("pointer", ctypes.c_void_p))


SCALARS = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "unsigned long": ctypes.c_size_t,
    "MemcpyKind": ctypes.c_int,
    "float": ctypes.c_float,
    "PointerAttributes": PointerAttributes,
    "Error_t": ctypes.c_int,
    "const char *": ctypes.c_char_p,
}


def ctype(spelling: str) -> Any:
    """The ctypes type of a canonical C type: handles and memory are `void *`, outputs are pointers to their type."""
    if spelling in SCALARS:
        return SCALARS[spelling]
    target = spelling.removesuffix("*").strip().removeprefix("enum ").removeprefix("struct ")
    if target.endswith("*"):
        return ctypes.POINTER(ctypes.c_void_p)
    return ctypes.POINTER(SCALARS[target]) if target in SCALARS else ctypes.c_void_p


def prototype(function: Function, *leading: Any) -> Any:
    return ctypes.CFUNCTYPE(ctype(function.returns), *leading, *(ctype(p.type) for p in function.parameters))


class Runtime:
    """A runtime library: `runtime.Malloc(...)` returns the raw `Error`; the methods below state what gates expect."""

    def __init__(self, library: Path, vendor: str) -> None:
        self.library = library
        self.vendor = vendor

    def __reduce__(self) -> tuple[Any, ...]:
        return Runtime, (self.library, self.vendor)

    @cached_property
    def _functions(self) -> dict[str, Callable[..., Any]]:
        handle = ctypes.CDLL(str(self.library), mode=ctypes.RTLD_LOCAL)
        everything = (*CONTRACT.slots, *CONTRACT.accessors)
        missing = [f.name for f in everything if not hasattr(handle, f.name)]
        check(not missing, f"{self.library.name} lacks {', '.join(missing)}", where=str(self.library))
        return {f.name: prototype(f)((f.name, handle)) for f in everything}

    @cached_property
    def _virtuals(self) -> dict[str, Callable[..., Any]]:
        """The ten virtuals through the object's vtable: the Itanium C++ ABI lays them out in order of declaration,
        after the two entries of the virtual destructor."""
        accessor = ctypes.CDLL(str(self.library), mode=ctypes.RTLD_LOCAL).GetDeviceMemoryInterface
        accessor.restype = ctypes.c_void_p
        this = accessor()
        check(bool(this), "GetDeviceMemoryInterface() is null", where=str(self.library))
        table = ctypes.cast(this, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
        bound = {}
        for index, function in enumerate(CONTRACT.virtuals):
            method = prototype(function, ctypes.c_void_p)(table[index + 2])
            bound[function.name] = lambda *arguments, method=method: method(this, *arguments)
        return bound

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._functions[name]

    # ---- calling and expecting

    def call(self, name: str, *arguments: Any) -> IntEnum:
        """The result of a slot or a virtual, whichever has that name."""
        function = self._functions.get(name) or self._virtuals[name]
        note_call(name)
        code = function(*arguments)
        check(code in list(Error), f"{name} returned {code}, which is no Error_t", where=self.where(name))
        return Error(code)

    def ok(self, name: str, *arguments: Any) -> None:
        self.expect(Error.Success, name, *arguments)

    def expect(self, error: IntEnum, name: str, *arguments: Any, because: str = "") -> None:
        """The call must end in exactly this error, and a failure must have a text."""
        found = self.call(name, *arguments)
        text = self.last_error()
        if found is not error:
            wanted = f"{error.name}{f': {because}' if because else ''}"
            detail = f" ({text})" if found is not Error.Success else ""
            fail(
                f"{name}: {found.name}{detail} instead of {error.name}",
                expected=wanted,
                found=found.name,
                where=self.where(name),
            )
        if error not in (Error.Success, Error.ErrorNotReady):
            check(
                bool(text),
                f"{name} failed without a text",
                expected="GetLastErrorText() says why",
                found="''",
                where=self.where(name),
            )

    def last_error(self) -> str:
        return (self.GetLastErrorText() or b"").decode("utf-8", errors="backslashreplace")

    def where(self, name: str) -> str:
        """Where the contract states the function and where the vendor defines it."""
        for function in CONTRACT.slots:
            if function.name == name:
                source = f"csrc/runtime/accelerator/{self.vendor}/{function.file}"
                return f"{source} ({name}); contract csrc/include/flagos.h:{function.line}"
        line = next((f.line for f in CONTRACT.virtuals if f.name == name), 0)
        header = f"csrc/runtime/allocator/backends/{self.vendor}_memory.h"
        return f"{header} ({name}); contract device_memory_interface.h:{line}"

    # ---- outputs as return values

    def _out(self, kind: Any, name: str, *arguments: Any) -> Any:
        out = kind(UNWRITTEN)
        self.ok(name, ctypes.byref(out), *arguments)
        wrote = out.value != kind(UNWRITTEN).value
        check(wrote, f"{name} succeeded without writing its output", where=self.where(name))
        return out.value

    def device_count(self) -> int:
        return self._out(ctypes.c_int, "GetDeviceCount")

    def device(self) -> int:
        return self._out(ctypes.c_int, "GetDevice")

    def malloc(self, size: int) -> int:
        pointer = self._out(ctypes.c_void_p, "Malloc", size)
        check(bool(pointer), f"Malloc({size}) succeeded with NULL", where=self.where("Malloc"))
        return pointer

    def malloc_host(self, size: int) -> int:
        pointer = self._out(ctypes.c_void_p, "MallocHost", size)
        check(bool(pointer), f"MallocHost({size}) succeeded with NULL", where=self.where("MallocHost"))
        return pointer

    def stream(self, priority: int | None = None) -> int:
        if priority is None:
            return self._out(ctypes.c_void_p, "StreamCreate")
        return self._out(ctypes.c_void_p, "StreamCreateWithPriority", FLAGS["StreamDefault"], priority)

    def event(self, timing: bool | None = None) -> int:
        if timing is None:
            return self._out(ctypes.c_void_p, "EventCreate")
        return self._out(
            ctypes.c_void_p, "EventCreateWithFlags", FLAGS["EventEnableTiming" if timing else "EventDisableTiming"]
        )

    def attributes(self, pointer: int) -> PointerAttributes:
        attributes = PointerAttributes()
        self.ok("PointerGetAttributes", ctypes.byref(attributes), pointer)
        return attributes

    def priority_range(self) -> tuple[int, int]:
        least, greatest = ctypes.c_int(), ctypes.c_int()
        self.ok("DeviceGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(greatest))
        return least.value, greatest.value

    def memory_info(self) -> tuple[int, int]:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.ok("get_memory_info", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def elapsed(self, start: int, end: int) -> float:
        return self._out(ctypes.c_float, "EventElapsedTime", start, end)

    # ---- data

    def upload(self, pointer: int, data: bytes) -> None:
        """Write bytes to device memory, blocking."""
        self.ok("Memcpy", pointer, ctypes.c_char_p(data), len(data), Kind.MemcpyHostToDevice)

    def download(self, pointer: int, size: int) -> bytes:
        """Read bytes from device memory, blocking."""
        buffer = ctypes.create_string_buffer(size)
        self.ok("Memcpy", buffer, pointer, size, Kind.MemcpyDeviceToHost)
        return buffer.raw

    @contextlib.contextmanager
    def on(self, device: int) -> Iterator[None]:
        before = self.device()
        self.ok("SetDevice", device)
        try:
            yield
        finally:
            self.ok("SetDevice", before)

    # ---- pending work

    @cached_property
    def _busy(self) -> dict[int, tuple[int, int, int, float]]:
        return {}

    def occupy(self, stream: int | None, milliseconds: float = 60.0, device: int | None = None) -> None:
        """Give `stream` about that much work: device-to-device copies, their number measured on the device itself.

        Uses and keeps 128 MiB a device. The stream must belong to the current device.
        """
        device = self.device() if device is None else device
        if device not in self._busy:
            size = 64 << 20
            source, target = self.malloc(size), self.malloc(size)
            scratch = self.stream()
            self.ok("MemcpyAsync", target, source, size, Kind.MemcpyDeviceToDevice, scratch)  # the first one is slow
            self.ok("StreamSynchronize", scratch)
            copies = 1
            while True:  # enough copies for the clock to see
                started = time.perf_counter()
                for _ in range(copies):
                    self.ok("MemcpyAsync", target, source, size, Kind.MemcpyDeviceToDevice, scratch)
                self.ok("StreamSynchronize", scratch)
                elapsed = (time.perf_counter() - started) * 1e3
                if elapsed > 5 or copies >= 256:
                    break
                copies *= 4
            self.ok("StreamDestroy", scratch)
            self._busy[device] = source, target, size, max(elapsed / copies, 0.005)
        source, target, size, each = self._busy[device]
        for _ in range(max(1, math.ceil(milliseconds / each))):
            self.ok("MemcpyAsync", target, source, size, Kind.MemcpyDeviceToDevice, stream)


def pattern(size: int, seed: int = 0) -> bytes:
    """Bytes that differ at every offset and for every seed: a shifted, swapped or truncated copy shows."""
    return bytes((i * 131 + (i >> 8) * 17 + seed * 37 + 11) & 0xFF for i in range(size))
