"""The simulated XRE behaves as is publicly known: a test for each quirk of facts.yaml, called through both libraries."""

import ctypes
import subprocess
import sys
import threading
from ctypes import byref, c_char, c_char_p, c_float, c_int, c_size_t, c_uint64, c_void_p

import pytest
import yaml

from generators.files import ROOT
from tests.sdks.build import sdk

FACTS = yaml.safe_load((ROOT / "tests/sdks/xre_sim/facts.yaml").read_text())
ENUMS = {
    name: value
    for library in ("libxpurt", "libcudart")
    for e in FACTS[library]["enums"].values()
    for name, value in e.items()
}
MIB = 1 << 20
SUCCESS = 0


class Library:
    """Functions of a library by name; integers, addresses and None are passed as what every argument of these is."""

    def __init__(self, name):
        self.path = sdk("xre_sim") / "lib" / FACTS[name]["soname"]
        self.loaded = ctypes.CDLL(str(self.path))

    def __getattr__(self, name):
        function = self.loaded[name]
        return lambda *arguments: function(*(c_uint64(a) if isinstance(a, int) else a for a in arguments))

    def ok(self, name, *arguments):
        assert getattr(self, name)(*arguments) == SUCCESS, name

    def make(self, name, *arguments):
        """What `name` writes to its first parameter: memory, a stream, an event."""
        made = c_void_p()
        self.ok(name, byref(made), *arguments)
        return made


@pytest.fixture(scope="module")
def native():
    return Library("libxpurt")


@pytest.fixture(scope="module")
def cudart():
    return Library("libcudart")


@pytest.fixture(autouse=True)
def first_device(native):
    native.ok("xpu_set_device", 0)
    yield
    native.ok("xpu_set_device", 0)


def code(name):
    return ENUMS[name]


class Busy:
    """Work for a stream of native XRE: copies of 32 MiB, a few milliseconds each."""

    def __init__(self, native):
        self.native = native
        self.block = native.make("xpu_malloc", 64 * MIB, code("XPU_MEM_MAIN"))
        self.stream = native.make("xpu_stream_create")

    def __enter__(self):
        self.submit()
        return self.stream

    def submit(self):
        half = self.block.value + 32 * MIB
        for _ in range(30):
            self.native.ok("xpu_memcpy_async", half, self.block, 32 * MIB, code("XPU_DEVICE_TO_DEVICE"), self.stream)

    def __exit__(self, *_):
        self.native.ok("xpu_free", self.block)  # waits for the work
        self.native.ok("xpu_stream_destroy", self.stream)


def crash(library, call):
    """Standard error of a child in which `call` aborts."""
    body = f"import ctypes, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); ctypes.CDLL({str(library.path)!r}).{call}"
    child = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True)
    assert child.returncode == -6, child
    return child.stderr


def test_each_quirk_has_a_test():
    tests = {name.removeprefix("test_quirk_") for name in globals() if name.startswith("test_quirk_")}
    assert tests == set(FACTS["quirks"])


def test_a_program_builds_against_it_as_against_an_install(tmp_path):
    source = """
        #include <cuda_runtime.h>
        #include <xpu/runtime.h>
        #include <cstring>
        int main() {
          void* pointer = nullptr;
          XPUEvent event = nullptr;
          if (xpu_malloc(&pointer, 16) || xpu_event_create(&event) || xpu_event_record(event) || xpu_wait()) return 1;
          cudaPointerAttributes attributes;
          if (cudaPointerGetAttributes(&attributes, pointer) || attributes.type != cudaMemoryTypeDevice) return 2;
          return std::strcmp(xpu_strerror(xpu_set_device(99)), xpu_strerror(XPUERR_INVALID_DEVICE)) == 0 ? 0 : 3;
        }"""
    xre = sdk("xre_sim")
    command = [
        "c++",
        "-x",
        "c++",
        "-",
        f"-I{xre}/include",
        f"-L{xre}/lib",
        "-lcudart",
        "-lxpurt",
        f"-Wl,-rpath,{xre}/lib",
    ]
    subprocess.run([*command, "-o", str(tmp_path / "program")], input=source, text=True, check=True)
    assert subprocess.run([str(tmp_path / "program")]).returncode == 0


def test_both_libraries_are_one_chip(native, cudart):
    block = native.make("xpu_malloc", 4096, code("XPU_MEM_MAIN"))
    there, back = (c_char * 4096)(*b"kunlun"), (c_char * 4096)()
    cudart.ok("cudaMemcpy", block, there, 4096, code("cudaMemcpyHostToDevice"))
    native.ok("xpu_memcpy", back, block, 4096, code("XPU_DEVICE_TO_HOST"))
    assert back.value == b"kunlun"
    native.ok("xpu_set_device", 1)
    device = c_int(-1)
    cudart.ok("cudaGetDevice", byref(device))
    assert device.value == 1
    cudart.ok("cudaFree", block)
    assert native.xpu_free(block) == -code("XPUERR_INVALID_PARAM")


def test_names_without_a_declaration_refuse(native):
    for names in FACTS["libxpurt"]["hidden"].values():
        for name in names:
            assert getattr(native, name)(None, None) == -code("XPUERR_NOSUPPORT"), name


# ---- native XRE


def test_quirk_native_codes_are_negated(native):
    assert native.xpu_set_device(99) == -code("XPUERR_INVALID_DEVICE")
    assert native.xpu_device_count(None) == -code("XPUERR_INVALID_PARAM")
    assert native.xpu_wait(0x10) == -code("XPUERR_INVALID_PARAM")
    local = (c_char * 8)()
    assert native.xpu_memcpy(local, local, 8, code("XPU_HOST_TO_DEVICE")) == -code("XPUERR_INVALID_PARAM")
    assert native.xpu_malloc(byref(c_void_p()), 64, code("XPU_MEM_L3")) == -code("XPUERR_NOSUPPORT")


def test_quirk_native_out_of_memory_tells_host_from_device(native):
    out = c_void_p(7)
    assert native.xpu_malloc(byref(out), 1 << 45, code("XPU_MEM_MAIN")) == -705
    assert native.xpu_host_alloc(byref(out), 1 << 60, 0) == -706
    assert out.value == 7
    native.ok("xpu_free", native.make("xpu_malloc", MIB, code("XPU_MEM_MAIN")))


def test_quirk_native_copy_kinds_are_in_another_order(native):
    block = native.make("xpu_malloc", 16, code("XPU_MEM_MAIN"))
    second = native.make("xpu_malloc", 16, code("XPU_MEM_MAIN"))
    there, back = (c_char * 16)(*b"kinds"), (c_char * 16)()
    native.ok("xpu_memcpy", block, there, 16, 1)
    native.ok("xpu_memcpy", second, block, 16, 2)
    native.ok("xpu_memcpy", back, second, 16, 0)
    assert back.value == b"kinds"
    for kind in (3, 4):
        assert native.xpu_memcpy(back, there, 16, kind) == -code("XPUERR_INVALID_PARAM")
        assert native.xpu_memcpy_async(back, there, 16, kind, None) == -code("XPUERR_INVALID_PARAM")
    for pointer in (block, second):
        native.ok("xpu_free", pointer)


def test_quirk_native_current_device_is_per_thread(native):
    def current():
        device = c_int(-1)
        native.ok("xpu_current_device", byref(device))
        return device.value

    native.ok("xpu_set_device", 1)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(current()))
    thread.start()
    thread.join()
    assert (seen, current()) == ([0], 1)


def test_quirk_native_wait_null_is_the_default_stream_only(native):
    event = native.make("xpu_event_create")
    with Busy(native) as stream:
        native.ok("xpu_event_record", event, stream)
        native.ok("xpu_wait", None)
        assert native.xpu_event_query(event) != SUCCESS, "xpu_wait(NULL) waited for another stream"
        native.ok("xpu_wait", stream)
        native.ok("xpu_event_query", event)
    native.ok("xpu_event_destroy", event)


def test_quirk_native_event_query_has_no_code_for_not_ready(native, monkeypatch):
    event = native.make("xpu_event_create")
    with Busy(native) as stream:
        native.ok("xpu_event_record", event, stream)
        assert native.xpu_event_query(event) == -code("XPUERR_BUSY")
        monkeypatch.setenv("XRE_SIM_NOT_READY", "42")
        assert native.xpu_event_query(event) == -42
        native.ok("xpu_event_wait", event)
        native.ok("xpu_event_query", event)
    native.ok("xpu_event_destroy", event)


def test_native_events_order_streams(native):
    block, pinned = native.make("xpu_malloc", MIB, 0), native.make("xpu_host_alloc", MIB, 0)
    ctypes.memset(pinned, 0x5A, MIB)
    back = (c_char * MIB)()
    event, reader = native.make("xpu_event_create"), native.make("xpu_stream_create")
    with Busy(native) as writer:
        native.ok("xpu_memcpy_async", block, pinned, MIB, code("XPU_HOST_TO_DEVICE"), writer)
        native.ok("xpu_event_record", event, writer)
        native.ok("xpu_stream_wait_event", reader, event)
        native.ok("xpu_memcpy_async", back, block, MIB, code("XPU_DEVICE_TO_HOST"), reader)
        native.ok("xpu_wait", reader)
        assert back.raw == b"\x5a" * MIB
    for release, made in (
        ("xpu_event_destroy", event),
        ("xpu_stream_destroy", reader),
        ("xpu_host_free", pinned),
        ("xpu_free", block),
    ):
        native.ok(release, made)


def test_native_peer_copy_checks_the_devices(native):
    first = native.make("xpu_malloc", 16, code("XPU_MEM_MAIN"))
    native.ok("xpu_set_device", 1)
    second = native.make("xpu_malloc", 16, code("XPU_MEM_MAIN"))
    there, back = (c_char * 16)(*b"peer"), (c_char * 16)()
    native.ok("xpu_memcpy", first, there, 16, code("XPU_HOST_TO_DEVICE"))
    native.ok("xpu_memcpy_peer", 1, second, 0, first, 16)
    native.ok("xpu_memcpy", back, second, 16, code("XPU_DEVICE_TO_HOST"))
    assert back.value == b"peer"
    assert native.xpu_memcpy_peer(0, second, 1, first, 16) == -code("XPUERR_INVALID_PARAM")
    assert native.xpu_memcpy_peer(1, second, 99, first, 16) == -code("XPUERR_INVALID_DEVICE")
    for pointer in (first, second):
        native.ok("xpu_free", pointer)


def test_quirk_native_streams_are_at_most_256(native):
    streams, stream = [], c_void_p()
    while native.xpu_stream_create(byref(stream)) == SUCCESS and len(streams) < 1000:
        streams.append(c_void_p(stream.value))
    assert len(streams) == 256
    native.ok("xpu_stream_destroy", streams.pop())
    streams.append(native.make("xpu_stream_create"))
    for made in streams:
        native.ok("xpu_stream_destroy", made)


def test_quirk_native_register_twice_is_816(native):
    memory = ctypes.create_string_buffer(8192)
    native.ok("xpu_host_register", memory, 4096, 0)
    assert native.xpu_host_register(memory, 8192, 0) == -816
    native.ok("xpu_host_unregister", memory)
    assert native.xpu_host_unregister(memory) == -code("XPUERR_INVALID_PARAM")
    native.ok("xpu_host_register", memory, 8192, 0)
    native.ok("xpu_host_unregister", memory)


def test_quirk_native_register_of_a_tebibyte_asserts(native):
    call = "xpu_host_register(ctypes.c_void_p(4096), ctypes.c_uint64({}), 0)"
    assert "less than 1 TiB" in crash(native, call.format(1 << 40))
    assert native.xpu_host_register(4096, (1 << 40) - 4096, 0) == SUCCESS
    native.ok("xpu_host_unregister", 4096)


def test_quirk_native_capacity_is_all_there_is(native):
    value = c_uint64()
    native.ok("xpu_device_get_attr", byref(value), code("XPUATTR_MEM_MAIN_CAPACITY"), 1)
    before = value.value
    block = native.make("xpu_malloc", MIB, code("XPU_MEM_MAIN"))
    native.ok("xpu_device_get_attr", byref(value), code("XPUATTR_MEM_MAIN_CAPACITY"), 0)
    assert value.value == before > MIB
    native.ok("xpu_free", block)
    native.ok("xpu_device_get_attr", byref(value), code("XPUATTR_MODEL"), 0)
    assert value.value == code("KL3")
    assert native.xpu_device_get_attr(byref(value), code("XPUATTR_MODEL"), 99) == -code("XPUERR_INVALID_DEVICE")


# ---- xcudart


def test_cudart_codes(cudart):
    assert cudart.cudaSetDevice(99) == code("cudaErrorInvalidDevice")
    assert cudart.cudaMalloc(byref(c_void_p()), 1 << 45) == code("cudaErrorMemoryAllocation")
    assert cudart.cudaStreamSynchronize(0x10) == code("cudaErrorInvalidResourceHandle")
    assert cudart.cudaGetLastError() == code("cudaErrorInvalidResourceHandle")
    assert cudart.cudaGetLastError() == SUCCESS
    name = ctypes.CDLL(str(cudart.path)).cudaGetErrorName
    name.restype = c_char_p
    for known, value in FACTS["libcudart"]["enums"]["cudaError"].items():
        assert name(value).decode() == known


def test_cudart_memory_is_counted(cudart):
    free, total, less = c_size_t(), c_size_t(), c_size_t()
    cudart.ok("cudaMemGetInfo", byref(free), byref(total))
    block = cudart.make("cudaMalloc", MIB)
    cudart.ok("cudaMemGetInfo", byref(less), byref(total))
    assert less.value == free.value - MIB < total.value
    cudart.ok("cudaFree", block)


def test_quirk_cudart_priority_range_is_empty(cudart):
    least, greatest = c_int(7), c_int(7)
    cudart.ok("cudaDeviceGetStreamPriorityRange", byref(least), byref(greatest))
    assert (least.value, greatest.value) == (0, 0)


def test_quirk_cudart_priority_must_be_0(cudart):
    for priority in (-1, 1):
        refused = cudart.cudaStreamCreateWithPriority(byref(c_void_p()), 1, c_int(priority))
        assert refused == code("cudaErrorInvalidValue")
    stream = cudart.make("cudaStreamCreateWithPriority", 1, 0)
    priority = c_int(7)
    cudart.ok("cudaStreamGetPriority", stream, byref(priority))
    assert priority.value == 0
    cudart.ok("cudaStreamDestroy", stream)


def test_quirk_cudart_memset_async_is_synchronous(native, cudart):
    block = cudart.make("cudaMalloc", MIB)
    with Busy(native) as stream:
        assert cudart.cudaStreamQuery(stream) == code("cudaErrorNotReady")
        cudart.ok("cudaMemsetAsync", block, 1, MIB, stream)
        cudart.ok("cudaStreamQuery", stream)
    cudart.ok("cudaFree", block)


def test_quirk_cudart_malloc_async_is_synchronous(native, cudart):
    busy = Busy(native)
    with busy as stream:
        block = cudart.make("cudaMallocAsync", 4096, stream)
        cudart.ok("cudaStreamQuery", stream)
        busy.submit()
        assert cudart.cudaStreamQuery(stream) == code("cudaErrorNotReady")
        assert cudart.cudaFreeAsync(block, 0x10) == code("cudaErrorInvalidResourceHandle")
        cudart.ok("cudaFreeAsync", block, stream)
        cudart.ok("cudaStreamQuery", stream)


def test_quirk_cudart_elapsed_time_is_0_unless_enabled(native, cudart, monkeypatch):
    start, end, elapsed = cudart.make("cudaEventCreate"), cudart.make("cudaEventCreate"), c_float(-1)
    busy = Busy(native)
    cudart.ok("cudaEventRecord", start, busy.stream)
    with busy as stream:
        cudart.ok("cudaEventRecordWithFlags", end, stream, 0)
        assert cudart.cudaEventElapsedTime(byref(elapsed), start, end) == code("cudaErrorNotReady")
        cudart.ok("cudaEventSynchronize", end)
        monkeypatch.delenv("XPU_EVENT_KL3_ENABLE", raising=False)
        cudart.ok("cudaEventElapsedTime", byref(elapsed), start, end)
        assert elapsed.value == 0.0
        monkeypatch.setenv("XPU_EVENT_KL3_ENABLE", "1")
        cudart.ok("cudaEventElapsedTime", byref(elapsed), start, end)
        assert elapsed.value > 1.0
    untimed = cudart.make("cudaEventCreateWithFlags", 2)
    cudart.ok("cudaEventRecord", untimed, None)
    assert cudart.cudaEventElapsedTime(byref(elapsed), start, untimed) == code("cudaErrorInvalidResourceHandle")
    for event in (start, end, untimed):
        cudart.ok("cudaEventDestroy", event)


def test_quirk_cudart_unrecorded_event_is_ready(cudart):
    event = cudart.make("cudaEventCreateWithFlags", 2)
    cudart.ok("cudaEventQuery", event)
    cudart.ok("cudaEventDestroy", event)


class DeviceProp(ctypes.Structure):
    _fields_ = (
        ("name", c_char * 256),
        ("totalGlobalMem", c_size_t),
        *((field, c_int) for field in ("major", "minor", "pciBusID", "pciDeviceID", "pciDomainID")),
    )


def test_quirk_cudart_device_is_named_gpu(cudart):
    properties = DeviceProp()
    ctypes.memset(byref(properties), 0x77, ctypes.sizeof(properties))
    cudart.ok("cudaGetDeviceProperties", byref(properties), 1)
    assert (properties.name, properties.major, properties.minor) == (b"GPU", 8, 6)
    assert {properties.pciBusID, properties.pciDeviceID, properties.pciDomainID} == {0x77777777}
    assert cudart.cudaGetDeviceProperties(byref(properties), 99) == code("cudaErrorInvalidDevice")


def test_quirk_cudart_register_mapped_asserts(cudart):
    memory = ctypes.create_string_buffer(4096)
    cudart.ok("cudaHostRegister", memory, 4096, 0)
    cudart.ok("cudaHostUnregister", memory)
    assert "cudaHostRegisterMapped" in crash(
        cudart, "cudaHostRegister(ctypes.c_void_p(4096), ctypes.c_size_t(4096), 2)"
    )
