"""Memory: allocation, copies of every kind, memset, attributes, exhaustion, and misuse."""

from __future__ import annotations

import ctypes
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gates.abi import UNWRITTEN, Error, Kind, Memory, PointerAttributes, Runtime, pattern
from gates.status import check

SIZES = [1, 3, 255, 4096, 65537, (1 << 20) + 13]


# ---- allocation


PAIRS = [("Malloc", "Free"), ("device_malloc", "device_free")]


@pytest.mark.gate("runtime.memory.alignment")
@pytest.mark.parametrize("allocate, release", PAIRS)
def test_blocks_are_aligned_and_disjoint(runtime: Runtime, allocate: str, release: str):
    """Exit criterion: Malloc gives blocks aligned to 256 bytes that do not overlap, whatever their size."""
    blocks = [(runtime._out(ctypes.c_void_p, allocate, size), size) for size in SIZES * 3]
    where = runtime.where(allocate)
    for pointer, size in blocks:
        check(pointer % 256 == 0, f"{allocate}({size}) is not aligned", found=hex(pointer), where=where)
    ordered = sorted(blocks)
    for (a, size), (b, _) in itertools.pairwise(ordered):
        check(a + size <= b, "two blocks overlap", found=f"{a:#x}+{size} and {b:#x}", where=where)
    for pointer, _ in blocks:
        runtime.ok(release, pointer)


@pytest.mark.gate("runtime.memory.zero_size")
@pytest.mark.parametrize("allocate, release", [PAIRS[0], ("MallocHost", "FreeHost"), PAIRS[1]])
def test_size_zero_is_null_and_null_may_be_freed(runtime: Runtime, allocate: str, release: str):
    """Exit criterion: size 0 gives NULL and Success; freeing NULL is Success."""
    pointer = ctypes.c_void_p(1)
    runtime.ok(allocate, ctypes.byref(pointer), 0)
    check(pointer.value is None, f"{allocate}(0) is not NULL", found=pointer.value, where=runtime.where(allocate))
    runtime.ok(release, None)


@pytest.mark.gate("runtime.memory.misuse")
@pytest.mark.parametrize("name", ["Malloc", "MallocHost", "device_malloc"])
def test_null_output_of_an_allocation_is_misuse(runtime: Runtime, name: str):
    """Exit criterion: a null output is ErrorUnknown with a text, and the runtime goes on."""
    runtime.expect(Error.ErrorUnknown, name, None, 4096, because="the output is null")
    runtime.ok("Free", runtime.malloc(4096))


@pytest.mark.gate("runtime.memory.bad_free")
@pytest.mark.parametrize("allocate, release", PAIRS)
@pytest.mark.parametrize("kind", ["twice", "interior", "foreign", "pinned"])
def test_freeing_what_is_no_live_block_is_refused(runtime: Runtime, allocate: str, release: str, kind: str):
    """Exit criterion: freeing a block twice, an interior address, or memory that is not the device's is ErrorUnknown; the
    block that it touches stays usable and can be freed."""
    pointer = runtime._out(ctypes.c_void_p, allocate, 8192)
    plain = ctypes.create_string_buffer(8192)
    other = runtime.malloc_host(8192) if kind == "pinned" else ctypes.addressof(plain)
    if kind == "twice":
        runtime.ok(release, pointer)
        runtime.expect(Error.ErrorUnknown, release, pointer, because="freed before")
        return
    target = pointer + 4096 if kind == "interior" else other
    runtime.expect(Error.ErrorUnknown, release, target, because=f"{kind} pointer")
    runtime.upload(pointer, pattern(8192))
    check(
        runtime.download(pointer, 8192) == pattern(8192),
        "a refused free damaged the block",
        where=runtime.where(release),
    )
    runtime.ok(release, pointer)


@pytest.mark.gate("runtime.memory.bad_free_host")
@pytest.mark.parametrize("kind", ["twice", "interior", "foreign", "device"])
def test_freeing_what_is_no_pinned_block_is_refused(runtime: Runtime, kind: str):
    """Exit criterion: FreeHost of a freed, interior, foreign or device pointer is ErrorUnknown; the block stays."""
    pointer = runtime.malloc_host(8192)
    plain = ctypes.create_string_buffer(8192)
    other = runtime.malloc(8192) if kind == "device" else ctypes.addressof(plain)
    if kind == "twice":
        runtime.ok("FreeHost", pointer)
        runtime.expect(Error.ErrorUnknown, "FreeHost", pointer, because="freed before")
        return
    target = pointer + 4096 if kind == "interior" else other
    runtime.expect(Error.ErrorUnknown, "FreeHost", target, because=f"{kind} pointer")
    ctypes.memset(pointer, 7, 8192)
    runtime.ok("FreeHost", pointer)


@pytest.mark.gate("runtime.memory.free_elsewhere", requires=["several_devices"])
def test_block_is_freed_from_any_current_device(runtime: Runtime, second_device: int):
    """Exit criterion: Free works for a block of another device than the current one, gives the memory back there, and leaves
    the current device as it was."""
    before = runtime.memory_room()[0]
    pointer = runtime.malloc(64 << 20)
    with runtime.on(second_device):
        runtime.ok("Free", pointer)
        found = runtime.device()
        check(
            found == second_device,
            "Free moved the current device",
            expected=second_device,
            found=found,
            where=runtime.where("Free"),
        )
    check(runtime.memory_room()[0] >= before - (8 << 20), "the memory did not come back", where=runtime.where("Free"))


@pytest.mark.gate("runtime.memory.out_of_memory")
@pytest.mark.parametrize("name", ["Malloc", "device_malloc"])
def test_exhaustion_is_an_error_of_its_own_and_passes(runtime: Runtime, name: str):
    """Exit criterion: a request beyond the device's memory is ErrorMemoryAllocation, leaves the output as it was, and the
    process goes on: smaller requests, copies and streams work."""
    _, total = runtime.memory_room()
    for size in (total + (1 << 20), total * 4, 1 << 62):
        pointer = ctypes.c_void_p(UNWRITTEN)
        runtime.expect(
            Error.ErrorMemoryAllocation, name, ctypes.byref(pointer), size, because=f"{size} of {total} bytes"
        )
        check(
            pointer.value == UNWRITTEN,
            f"a failed {name} wrote its output",
            found=pointer.value,
            where=runtime.where(name),
        )
    block = runtime.malloc(1 << 20)
    runtime.upload(block, pattern(1 << 20))
    check(
        runtime.download(block, 1 << 20) == pattern(1 << 20),
        "copies are broken after an exhaustion",
        where=runtime.where(name),
    )
    runtime.ok("DeviceSynchronize")
    runtime.ok("Free", block)


@pytest.mark.gate("runtime.memory.out_of_host_memory")
def test_exhaustion_of_pinned_memory_is_an_error_of_its_own_and_passes(runtime: Runtime):
    """Exit criterion: a request for more pinned memory than any machine has is ErrorMemoryAllocation and leaves the output as
    it was; smaller requests work."""
    for size in (1 << 46, 1 << 62):
        pointer = ctypes.c_void_p(UNWRITTEN)
        runtime.expect(Error.ErrorMemoryAllocation, "MallocHost", ctypes.byref(pointer), size, because=f"{size} bytes")
        check(
            pointer.value == UNWRITTEN,
            "a failed MallocHost wrote its output",
            found=pointer.value,
            where=runtime.where("MallocHost"),
        )
    runtime.ok("FreeHost", runtime.malloc_host(1 << 20))


@pytest.mark.gate("runtime.memory.out_of_memory_by_filling")
def test_memory_is_finite_and_comes_back(runtime: Runtime):
    """Exit criterion: allocating until the device is full ends in ErrorMemoryAllocation, not in a crash or an
    over-commitment, and freeing makes the same room again."""
    free, total = runtime.memory_room()
    chunk = max(total // 8, 1 << 20)

    def fill() -> list[int]:
        blocks: list[int] = []
        while len(blocks) < 64:
            pointer = ctypes.c_void_p()
            error = runtime.call("Malloc", ctypes.byref(pointer), chunk)
            if error is not Error.Success:
                check(
                    error is Error.ErrorMemoryAllocation,
                    "a full device",
                    expected="ErrorMemoryAllocation",
                    found=error.name,
                    where=runtime.where("Malloc"),
                )
                return blocks
            blocks.append(pointer.value or 0)
        check(
            False,
            f"Malloc gave {len(blocks)} blocks of {chunk} bytes on a device of {total}",
            where=runtime.where("Malloc"),
        )
        return blocks

    counts = []
    for _ in range(3):
        blocks = fill()
        counts.append(len(blocks))
        for block in blocks:
            runtime.ok("Free", block)
    check(
        len(set(counts)) == 1,
        "Free does not give the memory back",
        expected=counts[:1] * 3,
        found=counts,
        where=runtime.where("Free"),
    )
    check(
        counts[0] * chunk <= free,
        "more memory was given than was free",
        found=counts[0] * chunk,
        expected=f"at most {free}",
        where=runtime.where("get_memory_info"),
    )


@pytest.mark.gate("runtime.memory.info", requires=["memory_info"])
def test_memory_info_follows_allocations(runtime: Runtime, measured: dict):
    """Exit criterion: get_memory_info reports 0 < free <= total, free falls by what is allocated and rises when it is
    freed, through Malloc and device_malloc alike."""
    total = runtime.memory_info()[1]
    measured["total_bytes"] = total
    size = 256 << 20
    for allocate, release in PAIRS[:1] if runtime.provides_caching else PAIRS:  # what caches keeps the block
        before = runtime.memory_info()[0]
        check(
            0 < before <= total,
            "free is not within total",
            found=f"{before} of {total}",
            where=runtime.where("get_memory_info"),
        )
        pointer = runtime._out(ctypes.c_void_p, allocate, size)
        during = runtime.memory_info()[0]
        runtime.ok(release, pointer)
        after = runtime.memory_info()[0]
        slack = 32 << 20  # the driver may keep some, and others may share the device
        check(
            abs(before - during - size) <= slack,
            f"free does not follow {allocate}",
            expected=f"{size} less",
            found=before - during,
            where=runtime.where("get_memory_info"),
        )
        check(
            abs(after - before) <= slack,
            f"free does not follow {release}",
            expected=before,
            found=after,
            where=runtime.where(release),
        )
    check(
        runtime.memory_info()[1] == total,
        "total changes",
        found=runtime.memory_info()[1],
        expected=total,
        where=runtime.where("get_memory_info"),
    )


@pytest.mark.gate("runtime.memory.info_device", requires=["memory_info", "several_devices"])
def test_memory_info_is_of_the_current_device(runtime: Runtime, second_device: int):
    """Exit criterion: an allocation on one device does not show on another."""
    with runtime.on(second_device):
        before = runtime.memory_info()[0]
    pointer = runtime.malloc(256 << 20)
    with runtime.on(second_device):
        after = runtime.memory_info()[0]
    runtime.ok("Free", pointer)
    check(
        abs(before - after) < 64 << 20,
        "memory of device 0 was counted on device 1",
        expected=before,
        found=after,
        where=runtime.where("get_memory_info"),
    )


@pytest.mark.gate("runtime.memory.info_misuse", requires=["memory_info"])
def test_memory_info_refuses_null_outputs(runtime: Runtime):
    """Exit criterion: a null output of get_memory_info is ErrorUnknown with a text."""
    size = ctypes.c_size_t()
    runtime.expect(Error.ErrorUnknown, "get_memory_info", None, ctypes.byref(size), because="an output is null")
    runtime.expect(Error.ErrorUnknown, "get_memory_info", ctypes.byref(size), None, because="an output is null")


@pytest.mark.gate("runtime.memory.no_leak")
def test_repeated_allocation_does_not_leak(runtime: Runtime):
    """Exit criterion: allocating and freeing far more than the device holds, in small and large blocks, never fails."""
    free, _ = runtime.memory_room()
    chunk = min(free // 4, 16 << 30)
    for allocate, release in PAIRS:
        for _ in range(16):
            pointer = runtime._out(ctypes.c_void_p, allocate, chunk)
            runtime.ok(release, pointer)
        after = runtime.memory_room()[0]
        cached = chunk if runtime.provides_caching and release == "device_free" else 0
        check(
            after >= free - cached - (64 << 20),
            "memory is lost",
            expected=free - cached,
            found=after,
            where=runtime.where(release),
        )


@pytest.mark.gate("runtime.memory.no_leak_host")
def test_repeated_pinned_allocation_does_not_leak(runtime: Runtime):
    """Exit criterion: pinned memory that is freed goes back to the system: the process does not grow."""

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    size = 32 << 20

    def turn() -> None:
        pointer = runtime.malloc_host(size)
        ctypes.memset(pointer, 1, size)
        runtime.ok("FreeHost", pointer)

    turn()
    before = resident()
    for _ in range(8):
        turn()
    grown = resident() - before
    check(
        grown < 2 * size,
        "FreeHost leaks",
        expected=f"less than {2 * size} bytes",
        found=grown,
        where=runtime.where("FreeHost"),
    )


# ---- copies


@pytest.mark.gate("runtime.memory.round_trip")
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_round_trip_host_device_host(runtime: Runtime, copy: str):
    """Exit criterion: bytes copied to the device, between device blocks, and back are the same, byte for byte, and the
    bytes around them are untouched."""
    for size in SIZES:
        _round_trip(runtime, size, copy)


def _round_trip(runtime: Runtime, size: int, copy: str) -> None:
    guard = 64
    source = ctypes.create_string_buffer(pattern(size, 1), size)
    first, second = (runtime.malloc(size + 2 * guard) for _ in range(2))
    back = ctypes.create_string_buffer(b"\xee" * (size + 2 * guard), size + 2 * guard)
    stream = runtime.stream()
    tail = (stream,) if copy == "MemcpyAsync" else ()
    for block in (first, second):
        runtime.ok("Memset", block, 0xEE, size + 2 * guard)
    runtime.ok(copy, first + guard, source, size, Kind.MemcpyHostToDevice, *tail)
    runtime.ok(copy, second + guard, first + guard, size, Kind.MemcpyDeviceToDevice, *tail)
    if tail:
        runtime.ok("StreamSynchronize", stream)
    runtime.ok(copy, ctypes.addressof(back) + guard, second + guard, size, Kind.MemcpyDeviceToHost, *tail)
    if tail:
        runtime.ok("StreamSynchronize", stream)
    check(
        back.raw == b"\xee" * guard + pattern(size, 1) + b"\xee" * guard,
        f"{size} bytes came back changed",
        found=_difference(back.raw[guard:-guard], pattern(size, 1)),
        where=runtime.where(copy),
    )
    for name, block in (("the first", first), ("the second", second)):
        whole = runtime.download(block, size + 2 * guard)
        check(
            whole[:guard] == whole[-guard:] == b"\xee" * guard,
            f"a copy wrote beside {name} block's range",
            where=runtime.where(copy),
        )
    check(source.raw == pattern(size, 1), "a copy changed its source", where=runtime.where(copy))


def _difference(found: bytes, expected: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), None)
    return "equal" if at is None else f"byte {at} is {found[at]:#04x}, not {expected[at]:#04x}"


@pytest.mark.gate("runtime.memory.host_to_host")
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_host_to_host_copies(runtime: Runtime, copy: str):
    """Exit criterion: MemcpyHostToHost copies between pinned and unmanaged host memory."""
    pinned = runtime.malloc_host(5001)
    plain = ctypes.create_string_buffer(pattern(5001, 2), 5001)
    back = ctypes.create_string_buffer(5001)
    tail = (None,) if copy == "MemcpyAsync" else ()
    runtime.ok(copy, pinned, plain, 5001, Kind.MemcpyHostToHost, *tail)
    runtime.ok("DeviceSynchronize")
    runtime.ok(copy, back, pinned, 5001, Kind.MemcpyHostToHost, *tail)
    runtime.ok("DeviceSynchronize")
    check(
        back.raw == pattern(5001, 2),
        "host-to-host copy",
        found=_difference(back.raw, pattern(5001, 2)),
        where=runtime.where(copy),
    )
    runtime.ok("FreeHost", pinned)


@pytest.mark.gate("runtime.memory.interior_copies")
def test_copies_between_interior_addresses(runtime: Runtime):
    """Exit criterion: any range inside a block can be written and read (hypothesis over offsets and lengths), and nothing
    outside of the range changes."""
    size = 5000
    block = runtime.malloc(size)

    @given(st.integers(0, size - 1), st.integers(0, size), st.integers(0, 255))
    def property_holds(offset: int, length: int, seed: int) -> None:
        length = min(length, size - offset)
        runtime.ok("Memset", block, seed ^ 0xFF, size)
        data = pattern(length, seed)
        runtime.ok("Memcpy", block + offset, ctypes.c_char_p(data), length, Kind.MemcpyHostToDevice)
        expected = bytearray([seed ^ 0xFF]) * size
        expected[offset : offset + length] = data
        found = runtime.download(block, size)
        check(
            found == expected,
            f"{length} bytes at offset {offset}",
            found=_difference(found, bytes(expected)),
            where=runtime.where("Memcpy"),
        )
        if length:
            part = ctypes.create_string_buffer(length)
            runtime.ok("Memcpy", part, block + offset, length, Kind.MemcpyDeviceToHost)
            check(
                part.raw == data,
                f"reading {length} bytes at offset {offset}",
                found=_difference(part.raw, data),
                where=runtime.where("Memcpy"),
            )

    property_holds()


@pytest.mark.gate("runtime.memory.across_devices", requires=["several_devices"])
@pytest.mark.parametrize("copy", ["Memcpy", "MemcpyAsync"])
def test_copies_between_devices(runtime: Runtime, second_device: int, copy: str):
    """Exit criterion: MemcpyDeviceToDevice copies between two devices, whichever of them is current."""
    size = 100_003
    here = runtime.malloc(size)
    with runtime.on(second_device):
        there, back = runtime.malloc(size), runtime.malloc(size)
    blank = runtime.malloc(size)
    runtime.ok("Memset", blank, 0, size)
    runtime.upload(here, pattern(size, 3))
    for current in (0, second_device):
        with runtime.on(current):
            tail = (None,) if copy == "MemcpyAsync" else ()
            runtime.ok(copy, back, blank, size, Kind.MemcpyDeviceToDevice, *tail)
            runtime.ok(copy, there, here, size, Kind.MemcpyDeviceToDevice, *tail)
            runtime.ok(copy, back, there, size, Kind.MemcpyDeviceToDevice, *tail)
            runtime.ok("DeviceSynchronize")
            found = runtime.download(back, size)
            check(
                found == pattern(size, 3),
                f"copy between devices, {current} current",
                found=_difference(found, pattern(size, 3)),
                where=runtime.where(copy),
            )


@pytest.mark.gate("runtime.memory.unknown_kind")
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_unknown_kind_is_refused(runtime: Runtime, copy: str):
    """Exit criterion: kinds are translated, never passed through: a value outside MemcpyKind is ErrorUnknown and copies
    nothing."""
    block = runtime.malloc(64)
    runtime.ok("Memset", block, 1, 64)
    tail = (None,) if copy == "MemcpyAsync" else ()
    source = ctypes.c_char_p(pattern(64))
    for kind in (4, 99, -1):
        runtime.expect(Error.ErrorUnknown, copy, block, source, 64, kind, *tail, because=f"kind {kind}")
    runtime.ok("DeviceSynchronize")
    check(runtime.download(block, 64) == b"\1" * 64, "a refused copy wrote", where=runtime.where(copy))


@pytest.mark.gate("runtime.memory.zero_count")
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_zero_bytes_copy_nothing_and_succeed(runtime: Runtime, copy: str):
    """Exit criterion: a count of 0 is Success and changes nothing, for copies and for memset."""
    block = runtime.malloc(64)
    runtime.ok("Memset", block, 9, 64)
    tail = (None,) if copy == "MemcpyAsync" else ()
    runtime.ok(copy, block, ctypes.c_char_p(pattern(64)), 0, Kind.MemcpyHostToDevice, *tail)
    runtime.ok("Memset", block, 1, 0)
    runtime.ok("MemsetAsync", block, 1, 0, None)
    runtime.ok("DeviceSynchronize")
    check(runtime.download(block, 64) == b"\x09" * 64, "zero bytes changed something", where=runtime.where(copy))


@pytest.mark.gate("runtime.memory.wrong_direction", requires=["checked_copies"])
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_kind_that_does_not_fit_the_pointers_is_refused(runtime: Runtime, copy: str):
    """Exit criterion: where copies are checked, a kind that does not fit its two pointers is ErrorUnknown and copies
    nothing."""
    other = {"Host": "Device", "Device": "Host"}
    tail = (None,) if copy == "MemcpyAsync" else ()
    blocks = {"Device": [runtime.malloc(64) for _ in range(2)], "Host": [runtime.malloc_host(64) for _ in range(2)]}
    for kind in Kind:
        source, _, target = kind.name.removeprefix("Memcpy").partition("To")
        for to, of in ((other[target], source), (target, other[source])):
            for block in blocks["Device"]:
                runtime.ok("Memset", block, 3, 64)
            why = f"{kind.name} from {of} to {to}"
            runtime.expect(Error.ErrorUnknown, copy, blocks[to][0], blocks[of][1], 64, kind, *tail, because=why)
            runtime.ok("DeviceSynchronize")
            found = [runtime.download(block, 64) for block in blocks["Device"]]
            check(found == [b"\3" * 64] * 2, "a refused copy wrote", where=runtime.where(copy))


@pytest.mark.gate("runtime.memory.overrun", requires=["checked_copies"])
@pytest.mark.parametrize("copy", ["Memcpy", "memcpy", "MemcpyAsync"])
def test_copy_beyond_a_block_is_refused(runtime: Runtime, copy: str):
    """Exit criterion: where copies are checked, a range that leaves its block is ErrorUnknown and copies nothing; memset
    likewise."""
    block = runtime.malloc(4096)
    data = ctypes.c_char_p(pattern(8192))
    tail = (None,) if copy == "MemcpyAsync" else ()
    runtime.ok("Memset", block, 3, 4096)
    runtime.expect(
        Error.ErrorUnknown, copy, block + 4000, data, 97, Kind.MemcpyHostToDevice, *tail, because="one byte beyond"
    )
    runtime.expect(Error.ErrorUnknown, "Memset", block + 4000, 4, 97, because="one byte beyond")
    runtime.expect(Error.ErrorUnknown, "MemsetAsync", block + 4000, 4, 97, None, because="one byte beyond")
    runtime.ok("DeviceSynchronize")
    check(runtime.download(block, 4096) == b"\3" * 4096, "a refused copy wrote", where=runtime.where(copy))


# ---- memset


@pytest.mark.gate("runtime.memory.memset")
def test_memset_sets_the_low_byte_exactly(runtime: Runtime):
    """Exit criterion: Memset and MemsetAsync set exactly `count` bytes to the low byte of the value, at an interior
    address too."""
    for size, value in itertools.product(SIZES, (0, 0x7F, 0xFF, 0x1A2)):
        _memset(runtime, size, value)


def _memset(runtime: Runtime, size: int, value: int) -> None:
    block = runtime.malloc(size + 2)
    for name in ("Memset", "MemsetAsync"):
        runtime.upload(block, b"\x55" * (size + 2))
        runtime.ok(name, block + 1, value, size, *((None,) if name == "MemsetAsync" else ()))
        runtime.ok("DeviceSynchronize")
        found = runtime.download(block, size + 2)
        expected = b"\x55" + bytes([value & 0xFF]) * size + b"\x55"
        check(
            found == expected,
            f"{name}({value:#x}, {size})",
            found=_difference(found, expected),
            where=runtime.where(name),
        )
    runtime.ok("Free", block)


@pytest.mark.gate("runtime.memory.blocking")
def test_blocking_calls_are_done_on_return(runtime: Runtime):
    """Exit criterion: Memcpy and Memset return when the data is there: a stream that starts afterwards, unordered with
    them, sees it, and the device is idle."""
    size = 64 << 20
    first, second = runtime.malloc(size), runtime.malloc(size)
    probe = runtime.stream()
    pinned = runtime.malloc_host(1)
    for value in (1, 2, 3):
        runtime.ok("Memset", first, value, size)
        check(
            _last_byte(runtime, first, size, pinned, probe) == value,
            "Memset returned before it was done",
            where=runtime.where("Memset"),
        )
        runtime.ok("Memcpy", second, first, size, Kind.MemcpyDeviceToDevice)
        check(
            _last_byte(runtime, second, size, pinned, probe) == value,
            "Memcpy returned before it was done",
            where=runtime.where("Memcpy"),
        )
        runtime.ok("Memset", second, 0, size)
        runtime.ok("memcpy", second, first, size, Kind.MemcpyDeviceToDevice)
        check(
            _last_byte(runtime, second, size, pinned, probe) == value,
            "memcpy returned before it was done",
            where=runtime.where("memcpy"),
        )


def _last_byte(runtime: Runtime, block: int, size: int, pinned: int, stream: int) -> int:
    runtime.ok("MemcpyAsync", pinned, block + size - 1, 1, Kind.MemcpyDeviceToHost, stream)
    runtime.ok("StreamSynchronize", stream)
    return ctypes.string_at(pinned, 1)[0]


@pytest.mark.gate("runtime.memory.blocking_after_default_stream")
def test_blocking_copy_follows_the_default_stream(runtime: Runtime):
    """Exit criterion: Memcpy and Memset are ordered after earlier work on the default stream of the current device."""
    block = runtime.malloc(4096)
    runtime.occupy(None)
    runtime.ok("MemsetAsync", block, 0x11, 4096, None)
    check(
        runtime.download(block, 4096) == b"\x11" * 4096,
        "Memcpy overtook the default stream",
        where=runtime.where("Memcpy"),
    )
    runtime.occupy(None)
    runtime.ok("MemsetAsync", block, 0x22, 4096, None)
    runtime.ok("Memset", block, 0x33, 4096)
    check(
        runtime.download(block, 4096) == b"\x33" * 4096,
        "Memset overtook the default stream",
        where=runtime.where("Memset"),
    )


# ---- asynchronous order and lifetime


@pytest.mark.gate("runtime.memory.stream_order")
def test_work_on_one_stream_runs_in_order(runtime: Runtime):
    """Exit criterion: "work on one stream runs in order": a copy behind a pending memset reads its result, and a memset
    behind a pending copy does not reach it."""
    size = 1 << 20
    first, second = runtime.malloc(size), runtime.malloc(size)
    stream = runtime.stream()
    runtime.ok("Memset", first, 0, size)
    runtime.occupy(stream)
    runtime.ok("MemsetAsync", first, 0xA1, size, stream)
    runtime.ok("MemcpyAsync", second, first, size, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok("MemsetAsync", first, 0xB2, size, stream)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.download(second, size) == b"\xa1" * size,
        "a copy overtook or missed the memset around it",
        where=runtime.where("MemcpyAsync"),
    )
    check(
        runtime.download(first, size) == b"\xb2" * size,
        "the last memset is missing",
        where=runtime.where("MemsetAsync"),
    )


@pytest.mark.gate("runtime.memory.asynchronous", requires=["pinned_host_memory"])
@pytest.mark.parametrize("kind", [Kind.MemcpyHostToDevice, Kind.MemcpyDeviceToHost], ids=lambda kind: kind.name)
def test_copies_with_pinned_memory_do_not_block_the_host(runtime: Runtime, kind: Kind):
    """Exit criterion: with pinned host memory MemcpyAsync returns while the stream is busy, and reads or writes the memory
    when the stream gets there, not before."""
    size = 1 << 20
    block, pinned = runtime.malloc(size), runtime.malloc_host(size)
    stream = runtime.stream()
    to_device = kind is Kind.MemcpyHostToDevice
    runtime.ok("Memset", block, 0x0D, size)
    ctypes.memset(pinned, 0x0C, size)
    runtime.occupy(stream, 150)
    runtime.ok("MemcpyAsync", *((block, pinned) if to_device else (pinned, block)), size, kind, stream)
    pending = runtime.call("StreamQuery", stream)
    early = ctypes.string_at(pinned, size)
    check(
        pending is Error.ErrorNotReady,
        "MemcpyAsync blocked the host",
        expected="ErrorNotReady",
        found=pending.name,
        where=runtime.where("MemcpyAsync"),
    )
    check(early == b"\x0c" * size, "the copy ran before the work in front of it", where=runtime.where("MemcpyAsync"))
    runtime.ok("StreamSynchronize", stream)
    value = b"\x0c" if to_device else b"\x0d"
    check(runtime.download(block, size) == value * size, "device bytes are wrong", where=runtime.where("MemcpyAsync"))
    check(ctypes.string_at(pinned, size) == value * size, "host bytes are wrong", where=runtime.where("MemcpyAsync"))


@pytest.mark.gate("runtime.memory.asynchronous_fill", requires=["pending_work"])
def test_fill_does_not_block_the_host(runtime: Runtime):
    """Exit criterion: MemsetAsync returns while the stream is busy: zero_() is submitted, not waited for."""
    size = 1 << 20
    block, stream = runtime.filled(0x0C, size), runtime.stream()
    runtime.occupy(stream, 150)
    runtime.ok("MemsetAsync", block, 0x0D, size, stream)
    pending = runtime.call("StreamQuery", stream)
    check(
        pending is Error.ErrorNotReady,
        "MemsetAsync blocked the host",
        expected="ErrorNotReady",
        found=pending.name,
        where=runtime.where("MemsetAsync"),
    )
    runtime.ok("StreamSynchronize", stream)
    check(runtime.download(block, size) == b"\x0d" * size, "the fill is missing", where=runtime.where("MemsetAsync"))


@pytest.mark.gate("runtime.memory.pageable")
def test_unmanaged_host_memory_may_be_reused_on_return(runtime: Runtime):
    """Exit criterion: with unmanaged host memory MemcpyAsync may block, and on return the source may be changed, or the
    data has arrived."""
    size = 300_001
    block = runtime.malloc(size)
    stream = runtime.stream()
    source = ctypes.create_string_buffer(pattern(size, 5), size)
    runtime.ok("Memset", block, 0, size)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", block, source, size, Kind.MemcpyHostToDevice, stream)
    ctypes.memset(source, 0, size)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.download(block, size) == pattern(size, 5),
        "the source was read after the call returned",
        where=runtime.where("MemcpyAsync"),
    )
    target = ctypes.create_string_buffer(size)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", target, block, size, Kind.MemcpyDeviceToHost, stream)
    check(
        target.raw == pattern(size, 5),
        "the data had not arrived when the call returned",
        where=runtime.where("MemcpyAsync"),
    )


@pytest.mark.gate("runtime.memory.free_while_used")
@pytest.mark.parametrize("allocate, release", PAIRS)
def test_free_waits_for_work_that_uses_the_block(runtime: Runtime, allocate: str, release: str):
    """Exit criterion: freeing a block while submitted work still uses it is safe: the call waits for it, so the work sees its
    bytes, although the same memory is allocated and overwritten at once."""
    size = 8 << 20
    source, target = runtime._out(ctypes.c_void_p, allocate, size), runtime.malloc(size)
    stream = runtime.stream()
    runtime.ok("Memset", source, 0x61, size)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", target, source, size, Kind.MemcpyDeviceToDevice, stream)
    runtime.ok(release, source)
    found = runtime.call("StreamQuery", stream)
    check(
        found is Error.Success,
        f"{release} did not wait for work that uses the block",
        expected="the stream is done",
        found=found.name,
        where=runtime.where(release),
    )
    again = runtime._out(ctypes.c_void_p, allocate, size)
    runtime.ok("Memset", again, 0x62, size)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.download(target, size) == b"\x61" * size,
        "work read a block after it was freed",
        where=runtime.where(release),
    )


@pytest.mark.gate("runtime.memory.free_host_while_used", requires=["pinned_host_memory"])
def test_free_host_waits_for_work_that_uses_the_block(runtime: Runtime):
    """Exit criterion: FreeHost while a copy from the block is pending is safe: the copy sees its bytes."""
    size = 8 << 20
    pinned, target = runtime.malloc_host(size), runtime.malloc(size)
    stream = runtime.stream()
    ctypes.memset(pinned, 0x71, size)
    runtime.occupy(stream)
    runtime.ok("MemcpyAsync", target, pinned, size, Kind.MemcpyHostToDevice, stream)
    runtime.ok("FreeHost", pinned)
    again = runtime.malloc_host(size)
    ctypes.memset(again, 0x72, size)
    runtime.ok("StreamSynchronize", stream)
    check(
        runtime.download(target, size) == b"\x71" * size,
        "a copy read pinned memory after it was freed",
        where=runtime.where("FreeHost"),
    )


# ---- attributes


@pytest.mark.gate("runtime.memory.attributes")
def test_attributes_of_every_type(runtime: Runtime):
    """Exit criterion: PointerGetAttributes names type, device and address of device, pinned and unmanaged memory, at the
    start and inside of a block."""
    device, pinned, plain = runtime.malloc(4096), runtime.malloc_host(4096), ctypes.create_string_buffer(4096)
    cases = [
        ("Malloc", device, Memory.MemoryTypeDevice, 0),
        ("MallocHost", pinned, Memory.MemoryTypeHost, 0),
        ("unmanaged", ctypes.addressof(plain), Memory.MemoryTypeUnmanaged, -1),
    ]
    for (name, pointer, kind, index), offset in itertools.product(cases, (0, 1, 4095)):
        found = runtime.attributes(pointer + offset)
        where = runtime.where("PointerGetAttributes")
        check(found.type == kind, f"type of {name} memory", expected=kind.name, found=found.type, where=where)
        check(found.device == index, f"device of {name} memory", expected=index, found=found.device, where=where)
        address = pointer + offset if kind is Memory.MemoryTypeDevice else found.pointer
        check(found.pointer == address, f"address of {name} memory", expected=address, found=found.pointer, where=where)
        known = kind is not Memory.MemoryTypeUnmanaged
        check(bool(found.pointer) == known, f"address of {name} memory", found=found.pointer, where=where)


@pytest.mark.gate("runtime.memory.attributes_device", requires=["several_devices"])
def test_attributes_name_the_owning_device(runtime: Runtime, second_device: int):
    """Exit criterion: the device of a block is the one it was allocated on, whichever is current."""
    with runtime.on(second_device):
        there = runtime.malloc(4096)
    found = runtime.attributes(there).device
    check(
        found == second_device,
        "device of a block",
        expected=second_device,
        found=found,
        where=runtime.where("PointerGetAttributes"),
    )


@pytest.mark.gate("runtime.memory.attributes_freed")
def test_freed_memory_is_forgotten(runtime: Runtime):
    """Exit criterion: after Free and FreeHost the address is MemoryTypeUnmanaged."""
    for allocate, release in ((runtime.malloc, "Free"), (runtime.malloc_host, "FreeHost")):
        pointer = allocate(1 << 20)
        runtime.ok(release, pointer)
        found = Memory(runtime.attributes(pointer).type)
        check(
            found is Memory.MemoryTypeUnmanaged,
            f"an address after {release}",
            expected="MemoryTypeUnmanaged",
            found=found.name,
            where=runtime.where("PointerGetAttributes"),
        )


@pytest.mark.gate("runtime.memory.attributes_misuse")
def test_attributes_of_null_are_misuse(runtime: Runtime):
    """Exit criterion: a null pointer and a null output are ErrorUnknown with a text, and the output stays as it was."""
    out = PointerAttributes(7, 7, UNWRITTEN)
    runtime.expect(Error.ErrorUnknown, "PointerGetAttributes", ctypes.byref(out), None, because="the pointer is null")
    check(
        (out.type, out.device, out.pointer) == (7, 7, UNWRITTEN),
        "a failed PointerGetAttributes wrote its output",
        found=(out.type, out.device, out.pointer),
        where=runtime.where("PointerGetAttributes"),
    )
    runtime.expect(Error.ErrorUnknown, "PointerGetAttributes", None, runtime.malloc(64), because="the output is null")


@pytest.mark.gate("runtime.memory.bandwidth")
def test_copies_run_at_a_plausible_rate(runtime: Runtime, measured: dict):
    """Exit criterion: copies are measured, for the record: host to device (pinned), back, and within the device; each is
    real work that takes time. No rate is demanded."""
    size = 64 << 20
    pinned, first, second = runtime.malloc_host(size), runtime.malloc(size), runtime.malloc(size)
    stream = runtime.stream()
    pairs = {
        "host_to_device": (first, pinned, Kind.MemcpyHostToDevice),
        "device_to_host": (pinned, first, Kind.MemcpyDeviceToHost),
        "device_to_device": (second, first, Kind.MemcpyDeviceToDevice),
    }
    for name, (target, source, kind) in pairs.items():
        for _ in range(2):
            started = time.perf_counter()
            runtime.ok("MemcpyAsync", target, source, size, kind, stream)
            runtime.ok("StreamSynchronize", stream)
            elapsed = time.perf_counter() - started
        measured[f"{name}_gb_per_s"] = round(size / elapsed / 1e9, 2)
        check(
            size / elapsed < 2e13,
            f"{name}: {size} bytes in {elapsed * 1e6:.1f} us is no copy",
            where=runtime.where("MemcpyAsync"),
        )
