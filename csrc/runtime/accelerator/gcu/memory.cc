// @generated from docs/vendors/gcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/gcu_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

// For size 0 it would give an address that is not null; the runtime handles size 0 itself
Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(topsMalloc(&found, size), "topsMalloc")) return error;
  if (const Error_t error = blocks().add(found, size, MemoryTypeDevice)) return error;
  *devPtr = found;
  return Success;
}

// Waits by itself for its device
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  TakenBlock block("Free", devPtr, MemoryTypeDevice);
  if (const Error_t error = block.error()) return error;
  const CurrentDevice current(block.device());
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = check(topsFree(devPtr), "topsFree")) return error;
  block.freed();
  return Success;
}

// portable, that is, for every device
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(topsHostMalloc(&found, size, topsHostMallocPortable), "topsHostMalloc")) return error;
  if (const Error_t error = blocks().add(found, size, MemoryTypeHost)) return error;
  *hostPtr = found;
  return Success;
}

// Waits by itself, it is not told for which devices
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  TakenBlock block("FreeHost", hostPtr, MemoryTypeHost);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  if (const Error_t error = check(topsHostFree(hostPtr), "topsHostFree")) return error;
  block.freed();
  return Success;
}

// Acts on the current device, whichever the pointers are of
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  int owner = 0;
  if (const Error_t error = blocks().device_of(kind == MemcpyDeviceToHost ? src : dst, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = check(topsMemcpy(dst, src, count, native(kind)), "topsMemcpy")) return error;
  if (writes_host(kind)) return Success;  // the data is there
  return StreamSynchronize(nullptr);
}

// With host memory that is not pinned it is synchronous by itself; the two directions never overlap
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = streams().require("MemcpyAsync", stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("MemcpyAsync", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  devices_in_use.note_current();
  return check(topsMemcpyAsync(dst, src, count, native(kind), native(stream)), "topsMemcpyAsync");
}

// Knows addresses of the current device alone, so the device of the block is made current for it
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  int owner = 0;
  if (const Error_t error = blocks().device_of(ptr, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  topsPointerAttribute_t found{};
  const topsError_t status = topsPointerGetAttributes(&found, ptr);
  if (status == topsErrorInvalidValue || status == topsErrorInvalidDevice) {
    static_cast<void>(topsGetLastError());
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (const Error_t error = check(status, "topsPointerGetAttributes")) return error;
  if (found.memoryType == topsMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, const_cast<void*>(ptr)};
    return Success;
  }
  if (found.memoryType == topsMemoryTypeDevice || found.memoryType == topsMemoryTypeScatter ||
      found.memoryType == topsMemoryTypeLazy) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, const_cast<void*>(ptr)};
    return Success;
  }
  return fail("topsPointerGetAttributes", "a memory type that the map does not list");
}

Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  int owner = 0;
  if (const Error_t error = blocks().device_of(devPtr, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = check(topsMemset(devPtr, value & 0xff, count), "topsMemset")) return error;
  return StreamSynchronize(nullptr);
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = streams().require("MemsetAsync", stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("MemsetAsync", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  return check(topsMemsetAsync(devPtr, value & 0xff, count, native(stream)), "topsMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::GcuMemory;  // never destroyed: used until the process ends
  return memory;
}
