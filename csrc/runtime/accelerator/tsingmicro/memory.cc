// @generated from docs/vendors/tsingmicro/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/tsingmicro_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(txMalloc(&found, size), "txMalloc", {}, ErrorMemoryAllocation)) return error;
  devices_in_use.note_current();
  if (const Error_t error = blocks().add(found, size, MemoryTypeDevice)) return error;
  *devPtr = found;
  return Success;
}

Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  TakenBlock block("Free", devPtr, MemoryTypeDevice);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  const CurrentDevice current(block.device());
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = check(txFree(devPtr), "txFree")) return error;
  block.freed();
  return Success;
}

Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  void* found{};
  if (const Error_t error = check(txMallocHost(&found, size), "txMallocHost", {}, ErrorMemoryAllocation)) return error;
  if (const Error_t error = blocks().add(found, size, MemoryTypeHost)) return error;
  *hostPtr = found;
  return Success;
}

Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  TakenBlock block("FreeHost", hostPtr, MemoryTypeHost);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  if (const Error_t error = check(txFreeHost(hostPtr), "txFreeHost")) return error;
  block.freed();
  return Success;
}

// Refuses a copy from host to host, so the C library does that
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  if (kind == MemcpyHostToHost) return host_copy("Memcpy", dst, src, count, nullptr);
  if (const Error_t error = StreamSynchronize(nullptr)) return error;
  return check(txMemcpy(dst, src, count, native(kind)), "txMemcpy");
}

// Nothing tells when pageable memory may be used again
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  if (kind == MemcpyHostToHost) return host_copy("MemcpyAsync", dst, src, count, stream);
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemcpyAsync", stream)) return error;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(txMemcpyAsync(dst, src, count, native(kind), native(stream)), "txMemcpyAsync"))
    return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// Emulated (side_table): no function that tells of an address is called anywhere
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  return emulation::side_table::PointerGetAttributes(attributes, ptr);
}

// FlagCX has its call of it commented out; nothing tells why
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  if (const Error_t error = StreamSynchronize(nullptr)) return error;
  return check(txMemset(devPtr, value & 0xff, count), "txMemset");
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemsetAsync", stream)) return error;
  return check(txMemsetAsync(devPtr, value & 0xff, count, native(stream)), "txMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::TsingmicroMemory;  // never destroyed: used until the process ends
  return memory;
}
