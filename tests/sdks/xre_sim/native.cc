// SPDX-License-Identifier: Apache-2.0
//
// libxpurt: native XRE over the simulated chip. facts.yaml says what is known of the real one; where it is silent, a
// comment here says what the simulation chose.
#include <xpu/runtime.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

#include "chip.h"
#include "simulated.h"

namespace {

// What xpu_event_query says of an event that is not ready is not known. BUSY is a guess; the variable lets a test make
// another, since a caller may rely on nothing but "not XPU_SUCCESS".
int not_ready() {
  const char* const chosen = std::getenv("XRE_SIM_NOT_READY");
  const int code = chosen == nullptr ? XPUERR_BUSY : std::atoi(chosen);
  if (code <= 0) assertion_failed("XRE_SIM_NOT_READY is a positive number");
  return -code;
}

int no_such_device() {
  int count = 0;
  return chip().GetDeviceCount(&count) == Success && count == 0 ? -XPUERR_NODEV : -XPUERR_INVALID_DEVICE;
}

int result(Error_t error, XPUError_t out_of_memory = XPUERR_NOMEM) {
  switch (error) {
    case Success:
      return XPU_SUCCESS;
    case ErrorNotReady:
      return not_ready();
    case ErrorInvalidDevice:
      return no_such_device();
    case ErrorMemoryAllocation:
      return -out_of_memory;
    case ErrorUnknown:
      return -XPUERR_INVALID_PARAM;
  }
  return -XPUERR_UNEXPECT;
}

bool is_device(int devid) {
  int count = 0;
  return chip().GetDeviceCount(&count) == Success && devid >= 0 && devid < count;
}

bool translate(XPUMemcpyKind kind, MemcpyKind* translated) {
  switch (kind) {
    case XPU_DEVICE_TO_HOST:
      *translated = MemcpyDeviceToHost;
      return true;
    case XPU_HOST_TO_DEVICE:
      *translated = MemcpyHostToDevice;
      return true;
    case XPU_DEVICE_TO_DEVICE:
      *translated = MemcpyDeviceToDevice;
      return true;
  }
  return false;
}

// XRE's handles are both void*.
Stream_t as_stream(XPUStream stream) { return static_cast<Stream_t>(stream); }
Event_t as_event(XPUEvent event) { return static_cast<Event_t>(event); }

}  // namespace

// ---- devices

int xpu_device_count(int* pcount) { return result(chip().GetDeviceCount(pcount)); }

int xpu_device_list(int* dev_list) {
  int count = 0;
  const int status = result(chip().GetDeviceCount(&count));
  if (status != XPU_SUCCESS) return status;
  if (dev_list == nullptr) return -XPUERR_INVALID_PARAM;
  for (int device = 0; device < count; ++device) dev_list[device] = device;
  return XPU_SUCCESS;
}

int xpu_current_device(int* pdevid) { return result(chip().GetDevice(pdevid)); }

int xpu_set_device(int devid) { return result(chip().SetDevice(devid)); }

int xpu_device_get_attr(uint64_t* v, XPUDeviceAttr attr, int devid) {
  if (v == nullptr) return -XPUERR_INVALID_PARAM;
  if (!is_device(devid)) return no_such_device();
  size_t free = 0;
  size_t total = 0;
  switch (attr) {
    case XPUATTR_DEVID:
      *v = static_cast<uint64_t>(devid);
      return XPU_SUCCESS;
    case XPUATTR_MODEL:
      *v = KL3;
      return XPU_SUCCESS;
    case XPUATTR_MEM_MAIN_CAPACITY: {
      const int status = result(chip().memory_info(&free, &total));  // all simulated devices are alike
      if (status == XPU_SUCCESS) *v = total;
      return status;
    }
    default:
      return -XPUERR_NOSUPPORT;
  }
}

// Of the public reports: XRE 5.0.21.
int xpu_get_driver_version(uint32_t* major, uint32_t* minor) {
  if (major == nullptr || minor == nullptr) return -XPUERR_INVALID_PARAM;
  *major = 5;
  *minor = 0;
  return XPU_SUCCESS;
}

int xpu_get_runtime_version(uint32_t* major, uint32_t* minor) { return xpu_get_driver_version(major, minor); }

// ---- memory

// Size 0 gives NULL: chosen. L3 and mmappable memory are not simulated.
int xpu_malloc(void** pdevptr, uint64_t sz, XPUMemoryKind kind) {
  if (kind != XPU_MEM_MAIN) return -XPUERR_NOSUPPORT;
  return result(chip().Malloc(pdevptr, sz));
}

// Waits for work that uses the block: chosen, not known.
int xpu_free(void* devptr) { return result(chip().Free(devptr)); }

int xpu_host_alloc(void** pptr, uint64_t size, unsigned int flags) {
  if (flags != 0) return -XPUERR_INVALID_PARAM;
  return result(chip().MallocHost(pptr, size), XPUERR_NOCPUMEM);
}

int xpu_host_free(void* ptr) { return result(chip().FreeHost(ptr)); }

namespace {

// Registered host memory, start to end. The chip does not learn of it: copies from there work and may block.
std::mutex registered_mutex;
std::map<uintptr_t, uintptr_t>& registered() {
  static auto* const ranges = new std::map<uintptr_t, uintptr_t>;  // never destroyed: used until the process ends
  return *ranges;
}

}  // namespace

int xpu_host_register(void* ptr, uint64_t sz, unsigned int flags) {
  const auto begin = reinterpret_cast<uintptr_t>(ptr);
  if (ptr == nullptr || sz == 0 || sz > UINTPTR_MAX - begin || flags != 0) return -XPUERR_INVALID_PARAM;
  if (sz >= uint64_t{1} << 40) assertion_failed("xpu_host_register: less than 1 TiB in one call");
  std::unique_lock<std::mutex> lock(registered_mutex);
  const auto after = registered().lower_bound(begin + sz);
  if (after != registered().begin() && std::prev(after)->second > begin) return -XPUERR_HOSTMEM_ALREADY_REGISTERED;
  registered().emplace(begin, begin + sz);
  return XPU_SUCCESS;
}

int xpu_host_unregister(void* ptr) {
  std::unique_lock<std::mutex> lock(registered_mutex);
  return registered().erase(reinterpret_cast<uintptr_t>(ptr)) == 1 ? XPU_SUCCESS : -XPUERR_INVALID_PARAM;
}

int xpu_memcpy(void* dst, const void* src, uint64_t size, XPUMemcpyKind kind) {
  MemcpyKind translated;
  if (!translate(kind, &translated)) return -XPUERR_INVALID_PARAM;
  return result(chip().Memcpy(dst, src, size, translated));
}

int xpu_memcpy_async(void* dst, const void* src, uint64_t size, XPUMemcpyKind kind, XPUStream stream) {
  MemcpyKind translated;
  if (!translate(kind, &translated)) return -XPUERR_INVALID_PARAM;
  return result(chip().MemcpyAsync(dst, src, size, translated, as_stream(stream)));
}

int xpu_memcpy_peer(int dst_devid, void* dst, int src_devid, const void* src, uint64_t size) {
  if (!is_device(dst_devid) || !is_device(src_devid)) return no_such_device();
  PointerAttributes to{};
  PointerAttributes from{};
  if (chip().PointerGetAttributes(&to, dst) != Success || chip().PointerGetAttributes(&from, src) != Success ||
      to.device != dst_devid || from.device != src_devid) {
    return -XPUERR_INVALID_PARAM;
  }
  return result(chip().Memcpy(dst, src, size, MemcpyDeviceToDevice));
}

// ---- streams

namespace {
// The limit is documented, what it counts and what happens there is not. Chosen: streams that a process has created and
// not destroyed, and BUSY.
constexpr int kMostStreams = 256;
std::atomic<int> streams{0};
}  // namespace

int xpu_stream_create(XPUStream* pstream) {
  if (streams.fetch_add(1) >= kMostStreams) {
    streams.fetch_sub(1);
    return -XPUERR_BUSY;
  }
  Stream_t stream = nullptr;
  const Error_t error = pstream == nullptr ? ErrorUnknown : chip().StreamCreate(&stream);
  if (error != Success) {
    streams.fetch_sub(1);
    return result(error);
  }
  *pstream = stream;
  return XPU_SUCCESS;
}

int xpu_stream_destroy(XPUStream stream) {
  const Error_t error = chip().StreamDestroy(as_stream(stream));
  if (error == Success) streams.fetch_sub(1);
  return result(error);
}

int xpu_stream_wait_event(XPUStream stream, XPUEvent event) {
  return result(chip().StreamWaitEvent(as_stream(stream), as_event(event), WaitDefault));
}

int xpu_wait(XPUStream stream) { return result(chip().StreamSynchronize(as_stream(stream))); }

// ---- events

int xpu_event_create(XPUEvent* pevent) {
  Event_t event = nullptr;
  const Error_t error = pevent == nullptr ? ErrorUnknown : chip().EventCreateWithFlags(&event, EventDisableTiming);
  if (error == Success) *pevent = event;
  return result(error);
}

int xpu_event_destroy(XPUEvent event) { return result(chip().EventDestroy(as_event(event))); }

int xpu_event_record(XPUEvent event, XPUStream stream) {
  return result(chip().EventRecord(as_event(event), as_stream(stream)));
}

// Not blocking, and success, if the event was never recorded: chosen.
int xpu_event_wait(XPUEvent event) { return result(chip().EventSynchronize(as_event(event))); }

int xpu_event_query(XPUEvent event) { return result(chip().EventQuery(as_event(event))); }

// ---- exported and not declared: whoever looks for the name finds it, whoever calls it is told

#define UNDECLARED(name) \
  extern "C" int name() { return -XPUERR_NOSUPPORT; }

// The name is all that is known.
UNDECLARED(xpu_host_pointer_get_attrs)
UNDECLARED(xpu_ipc_close_memhandle)
UNDECLARED(xpu_ipc_get_memhandle)
UNDECLARED(xpu_ipc_open_memhandle)
UNDECLARED(xpu_launch_config_v2)
UNDECLARED(xpu_pointer_get_attrs)
UNDECLARED(xpu_profiler_start)
UNDECLARED(xpu_profiler_stop)

// Not simulated: kernels, device memory mapped for the host, boards and builds.
UNDECLARED(xpu_create_cl_func)
UNDECLARED(xpu_create_sd_func)
UNDECLARED(xpu_get_ccix_peer_id)
UNDECLARED(xpu_get_driver_commit)
UNDECLARED(xpu_get_runtime_commit)
UNDECLARED(xpu_kernel_debug)
UNDECLARED(xpu_kernel_debug_reset)
UNDECLARED(xpu_last_kernel_exec_time)
UNDECLARED(xpu_launch_argument_set)
UNDECLARED(xpu_launch_async)
UNDECLARED(xpu_launch_config)
UNDECLARED(xpu_mmap)
