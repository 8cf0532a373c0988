// @generated from docs/vendors/metax/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/metax_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(mcMalloc(&found, size), "mcMalloc")) return error;
  devices_in_use.note_current();
  *devPtr = found;
  return Success;
}

// Nothing public says whether it waits for work that uses the block
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(mcFree(devPtr), "mcFree");
}

// Called with two arguments (FlagCX) and with flags (MetaX's samples, bindings): the third must have a default
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(mcMallocHost(&found, size, mcMallocHostDefault), "mcMallocHost")) return error;
  *hostPtr = found;
  return Success;
}

// Nothing public says whether it waits for work that uses the block
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  if (const Error_t error = devices_in_use.drain()) return error;
  return check(mcFreeHost(hostPtr), "mcFreeHost");
}

// Waited for as in CUDA, where only a copy to the host is complete on return
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(mcMemcpy(dst, src, count, native(kind)), "mcMemcpy")) return error;
  if (writes_host(kind)) return Success;  // the data is there
  return StreamSynchronize(nullptr);
}

Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = streams().require("MemcpyAsync", stream)) return error;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(mcMemcpyAsync(dst, src, count, native(kind), native(stream)), "mcMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// The field is `type` in InfiniCCL and was `memoryType` in UCC, as HIP's was before 6; a port of UCC says that a plain
// host pointer may be an invalid value
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  mcPointerAttribute_t found{};
  const mcError_t status = mcPointerGetAttributes(&found, ptr);
  if (status == mcErrorInvalidValue) {
    static_cast<void>(mcGetLastError());
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (const Error_t error = check(status, "mcPointerGetAttributes")) return error;
  if (found.type == mcMemoryTypeUnregistered) {
    *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    return Success;
  }
  if (found.type == mcMemoryTypeHost) {
    *attributes = PointerAttributes{MemoryTypeHost, found.device, found.devicePointer};
    return Success;
  }
  if (found.type == mcMemoryTypeDevice || found.type == mcMemoryTypeManaged) {
    *attributes = PointerAttributes{MemoryTypeDevice, found.device, found.devicePointer};
    return Success;
  }
  return fail("mcPointerGetAttributes", "a memory type that the map does not list");
}

// Waited for as in CUDA
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = check(mcMemset(devPtr, value & 0xff, count), "mcMemset")) return error;
  return StreamSynchronize(nullptr);
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = streams().require("MemsetAsync", stream)) return error;
  return check(mcMemsetAsync(devPtr, value & 0xff, count, native(stream)), "mcMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::MetaxMemory;  // never destroyed: used until the process ends
  return memory;
}
