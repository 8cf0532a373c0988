// @generated from docs/vendors/ascend/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/ascend_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

// The documentation promises an alignment to 64 bytes, the contract wants 256; what a device gives is to be measured
Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  if (const Error_t error = set_up_thread()) return error;
  void* found{};
  if (const Error_t error = check(aclrtMalloc(&found, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) return error;
  devices_in_use.note_current();
  if (const Error_t error = blocks().add(found, size, MemoryTypeDevice)) return error;
  *devPtr = found;
  return Success;
}

// aclrtFree waits for nothing; aclrtFreeWithDevSync does, but older versions lack it and it knows one device
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  TakenBlock block("Free", devPtr, MemoryTypeDevice);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  const CurrentDevice current(block.device());
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  if (const Error_t error = check(aclrtFree(devPtr), "aclrtFree")) return error;
  block.freed();
  return Success;
}

// Pinned by the documentation; the header says only that it is host memory
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  if (const Error_t error = set_up_thread()) return error;
  void* found{};
  if (const Error_t error = check(aclrtMallocHost(&found, size), "aclrtMallocHost")) return error;
  if (const Error_t error = blocks().add(found, size, MemoryTypeHost)) return error;
  *hostPtr = found;
  return Success;
}

// aclrtFreeHost waits for nothing
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  TakenBlock block("FreeHost", hostPtr, MemoryTypeHost);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  if (const Error_t error = set_up_thread()) return error;
  if (const Error_t error = check(aclrtFreeHost(hostPtr), "aclrtFreeHost")) return error;
  block.freed();
  return Success;
}

// aclrtMemcpy has no order with any stream
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (kind == MemcpyHostToHost) return host_copy("Memcpy", dst, src, count, nullptr);
  if (const Error_t error = StreamSynchronize(nullptr)) return error;
  const auto let_use = [](int peer) -> Error_t {
    if (const Error_t error = set_up_thread()) return error;
    return check(aclrtDeviceEnablePeerAccess(peer, 0), "aclrtDeviceEnablePeerAccess");
  };
  if (const Error_t error = peers().connect(dst, src, kind, let_use)) return error;
  int owner = 0;
  if (const Error_t error = blocks().device_of(kind == MemcpyDeviceToHost ? src : dst, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtMemcpy(dst, count, src, count, native(kind)), "aclrtMemcpy");
}

// The header wants both addresses of a copy within a device at multiples of 64, the documentation does not; to be
// measured
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  if (kind == MemcpyHostToHost) return host_copy("MemcpyAsync", dst, src, count, stream);
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemcpyAsync", stream)) return error;
  const auto let_use = [](int peer) -> Error_t {
    if (const Error_t error = set_up_thread()) return error;
    return check(aclrtDeviceEnablePeerAccess(peer, 0), "aclrtDeviceEnablePeerAccess");
  };
  if (const Error_t error = peers().connect(dst, src, kind, let_use)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("MemcpyAsync", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error =
          check(aclrtMemcpyAsync(dst, count, src, count, native(kind), native(stream)), "aclrtMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// Emulated (side_table): aclrtPointerGetAttributes does not tell host memory (ACL_MEM_LOCATION_TYPE_HOST is reserved),
// and older versions lack it
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  return emulation::side_table::PointerGetAttributes(attributes, ptr);
}

// aclrtMemset has no order with any stream
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = StreamSynchronize(nullptr)) return error;
  int owner = 0;
  if (const Error_t error = blocks().device_of(devPtr, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtMemset(devPtr, count, value & 0xff, count), "aclrtMemset");
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemsetAsync", stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("MemsetAsync", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtMemsetAsync(devPtr, count, value & 0xff, count, native(stream)), "aclrtMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::AscendMemory;  // never destroyed: used until the process ends
  return memory;
}
