// @generated from docs/vendors/bpu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/bpu_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

// cached, since the host does all copies; hbUCPMalloc needs no flush and is slow to read
Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  hbUCPSysMem found{};
  int device_index{};
  if (const Error_t error = GetDevice(&device_index)) return error;
  if (const Error_t error = check(hbUCPMallocCached(&found, size, device_index), "hbUCPMallocCached")) return error;
  if (const Error_t error = blocks().add(found.virAddr, size, MemoryTypeDevice, std::make_shared<hbUCPSysMem>(found)))
    return error;
  *devPtr = found.virAddr;
  return Success;
}

Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  TakenBlock block("Free", devPtr, MemoryTypeDevice);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = check(hbUCPFree(block.object<hbUCPSysMem>()), "hbUCPFree")) return error;
  block.freed();
  return Success;
}

// Emulated (pageable_host): no copy engine reads host memory, so there is nothing to pin it for
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  return emulation::pageable_host::MallocHost(hostPtr, size);
}

// Emulated (pageable_host): no copy engine reads host memory, so there is nothing to pin it for
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  return emulation::pageable_host::FreeHost(hostPtr);
}

// Emulated (async_then_wait): the host copies
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  return emulation::async_then_wait::Memcpy(dst, src, count, kind);
}

// Emulated (cached_mapped): UCP has no copy; memory is mapped into the host, and hbUCPMemFlush keeps the processor's
// cache and the BPU in step
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  const auto invalidate_of = [](void* object) -> Error_t {
    auto* const memory = static_cast<hbUCPSysMem*>(object);
    return check(hbUCPMemFlush(memory, HB_SYS_MEM_CACHE_INVALIDATE), "hbUCPMemFlush");
  };
  const auto clean_of = [](void* object) -> Error_t {
    auto* const memory = static_cast<hbUCPSysMem*>(object);
    return check(hbUCPMemFlush(memory, HB_SYS_MEM_CACHE_CLEAN), "hbUCPMemFlush");
  };
  return emulation::cached_mapped::MemcpyAsync(dst, src, count, kind, stream, invalidate_of, clean_of);
}

// Emulated (side_table): no function takes an address and tells of it
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  return emulation::side_table::PointerGetAttributes(attributes, ptr);
}

// Emulated (async_then_wait): the host copies
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  return emulation::async_then_wait::Memset(devPtr, value, count);
}

// Emulated (cached_mapped): UCP has no copy; memory is mapped into the host, and hbUCPMemFlush keeps the processor's
// cache and the BPU in step
Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  const auto invalidate_of = [](void* object) -> Error_t {
    auto* const memory = static_cast<hbUCPSysMem*>(object);
    return check(hbUCPMemFlush(memory, HB_SYS_MEM_CACHE_INVALIDATE), "hbUCPMemFlush");
  };
  const auto clean_of = [](void* object) -> Error_t {
    auto* const memory = static_cast<hbUCPSysMem*>(object);
    return check(hbUCPMemFlush(memory, HB_SYS_MEM_CACHE_CLEAN), "hbUCPMemFlush");
  };
  return emulation::cached_mapped::MemsetAsync(devPtr, value, count, stream, invalidate_of, clean_of);
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::BpuMemory;  // never destroyed: used until the process ends
  return memory;
}
