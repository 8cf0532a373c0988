// @generated from docs/vendors/musa/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/musa_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(musaMalloc(&found, size), "musaMalloc")) return error;
  devices_in_use.note_current();
  *devPtr = found;
  return Success;
}

// Nothing public says whether it waits for work that uses the block
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(musaFree(devPtr), "musaFree");
}

Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(musaMallocHost(&found, size), "musaMallocHost")) return error;
  *hostPtr = found;
  return Success;
}

// Nothing public says whether it waits for work that uses the block
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(musaFreeHost(hostPtr), "musaFreeHost");
}

// Waited for as in CUDA, where only a copy to the host is complete on return
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(musaMemcpy(dst, src, count, native(kind)), "musaMemcpy")) return error;
  if (writes_host(kind)) return Success;  // the data is there
  return StreamSynchronize(nullptr);
}

// A TensorFlow plugin copies less than 1 KiB with musaMemcpy instead, for "potential driver instability"
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(musaMemcpyAsync(dst, src, count, native(kind), native(stream)), "musaMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// On some releases a plain host pointer is musaErrorInvalidValue, which stays behind as the last error
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  musaPointerAttributes found{};
  const musaError_t status = musaPointerGetAttributes(&found, ptr);
  if (status == musaErrorInvalidValue) {
    static_cast<void>(musaGetLastError());
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (const Error_t error = check(status, "musaPointerGetAttributes")) return error;
  if (found.type == musaMemoryTypeUnregistered) {
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (found.type == musaMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, found.devicePointer};
    return Success;
  }
  if (found.type == musaMemoryTypeDevice || found.type == musaMemoryTypeManaged) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, found.devicePointer};
    return Success;
  }
  return fail("musaPointerGetAttributes", "a memory type that the map does not list");
}

// Waited for as in CUDA
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(musaMemset(devPtr, value & 0xff, count), "musaMemset")) return error;
  return StreamSynchronize(nullptr);
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  return check(musaMemsetAsync(devPtr, value & 0xff, count, native(stream)), "musaMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::MusaMemory;  // never destroyed: used until the process ends
  return memory;
}
