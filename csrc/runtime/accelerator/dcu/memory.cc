// @generated from docs/vendors/dcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/dcu_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(hipMalloc(&found, size), "hipMalloc")) return error;
  devices_in_use.note_current();
  *devPtr = found;
  return Success;
}

// The header promises an implicit hipDeviceSynchronize, which is for the current device
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(hipFree(devPtr), "hipFree");
}

// hipMallocHost is deprecated
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(hipHostMalloc(&found, size, hipHostMallocDefault), "hipHostMalloc")) return error;
  *hostPtr = found;
  return Success;
}

// The header promises an implicit hipDeviceSynchronize, which is for the current device
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(hipHostFree(hostPtr), "hipHostFree");
}

// The header does not say that a copy within the device is done on return; pointers that do not match the kind are
// undefined behaviour
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(hipMemcpy(dst, src, count, native(kind)), "hipMemcpy")) return error;
  if (writes_host(kind)) return Success;  // the data is there
  return StreamSynchronize(nullptr);
}

// The header says that a copy of pageable memory is synchronous; if it is, there is nothing left to wait for
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(hipMemcpyAsync(dst, src, count, native(kind), native(stream)), "hipMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// The header of 7.1 says that an address that it does not know is hipErrorInvalidValue
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  hipPointerAttribute_t found{};
  const hipError_t status = hipPointerGetAttributes(&found, ptr);
  if (status == hipErrorInvalidValue) {
    static_cast<void>(hipGetLastError());
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (const Error_t error = check(status, "hipPointerGetAttributes")) return error;
#if HIP_VERSION_MAJOR >= 6
  if (found.type == hipMemoryTypeUnregistered) {
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (found.type == hipMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, found.devicePointer};
    return Success;
  }
  if (found.type == hipMemoryTypeDevice || found.type == hipMemoryTypeManaged || found.type == hipMemoryTypeUnified) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, found.devicePointer};
    return Success;
  }
#else
  if (found.memoryType == hipMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, found.devicePointer};
    return Success;
  }
  if (found.memoryType == hipMemoryTypeDevice || found.memoryType == hipMemoryTypeUnified) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, found.devicePointer};
    return Success;
  }
#endif
  return fail("hipPointerGetAttributes", "a memory type that the map does not list");
}

// The header does not say that it is done on return
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(hipMemset(devPtr, value & 0xff, count), "hipMemset")) return error;
  return StreamSynchronize(nullptr);
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  return check(hipMemsetAsync(devPtr, value & 0xff, count, native(stream)), "hipMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::DcuMemory;  // never destroyed: used until the process ends
  return memory;
}
