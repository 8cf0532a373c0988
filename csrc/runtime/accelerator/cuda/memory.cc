// @generated from docs/vendors/cuda/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/cuda_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(cudaMalloc(&found, size), "cudaMalloc")) return error;
  *devPtr = found;
  return Success;
}

// Waits by itself, for the work of every device that uses the block
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  return check(cudaFree(devPtr), "cudaFree");
}

Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(cudaMallocHost(&found, size), "cudaMallocHost")) return error;
  *hostPtr = found;
  return Success;
}

// cudaFreeHost waits only for the device that was current at cudaMallocHost
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(cudaFreeHost(hostPtr), "cudaFreeHost");
}

// Only a copy to the host is complete when cudaMemcpy returns
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(cudaMemcpy(dst, src, count, native(kind)), "cudaMemcpy")) return error;
  if (writes_host(kind)) return Success;  // the data is there
  return StreamSynchronize(nullptr);
}

Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(cudaMemcpyAsync(dst, src, count, native(kind), native(stream)), "cudaMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  struct cudaPointerAttributes found{};
  if (const Error_t error = check(cudaPointerGetAttributes(&found, ptr), "cudaPointerGetAttributes")) return error;
  if (found.type == cudaMemoryTypeUnregistered) {
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (found.type == cudaMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, found.devicePointer};
    return Success;
  }
  if (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, found.devicePointer};
    return Success;
  }
  return fail("cudaPointerGetAttributes", "a memory type that the map does not list");
}

Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(cudaMemset(devPtr, value & 0xff, count), "cudaMemset")) return error;
  return StreamSynchronize(nullptr);
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  return check(cudaMemsetAsync(devPtr, value & 0xff, count, native(stream)), "cudaMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::CudaMemory;  // never destroyed: used until the process ends
  return memory;
}
