// @generated from docs/vendors/opencl/runtime-api-map.yaml by generators.runtime; do not edit.
#include "backends/opencl_memory.h"
#include "sdk.h"

using namespace flagos::sdk;

// coarse-grained shared virtual memory, of the context and so of all its devices
Error_t Malloc(void** devPtr, size_t size) {
  if (const Error_t error = arguments::Malloc(devPtr, size)) return error;
  if (size == 0) {
    *devPtr = nullptr;
    return Success;
  }
  if (const Error_t error = set_up()) return error;
  cl_context context{};
  if (const Error_t error = get_context(&context)) return error;
  const auto made = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
  if (is_null(made)) return fail("clSVMAlloc", "returned null", ErrorMemoryAllocation);
  devices_in_use.note_current();
  if (const Error_t error = blocks().add(made, size, MemoryTypeDevice)) return error;
  *devPtr = made;
  return Success;
}

// clSVMFree does not wait for commands that use the block
Error_t Free(void* devPtr) {
  if (const Error_t error = arguments::Free(devPtr)) return error;
  if (devPtr == nullptr) return Success;
  TakenBlock block("Free", devPtr, MemoryTypeDevice);
  if (const Error_t error = block.error()) return error;
  if (const Error_t error = devices_in_use.drain()) return error;
  if (const Error_t error = set_up()) return error;
  cl_context context{};
  if (const Error_t error = get_context(&context)) return error;
  clSVMFree(context, devPtr);
  block.freed();
  return Success;
}

// Emulated (pageable_host): host memory is registered with no driver
Error_t MallocHost(void** hostPtr, size_t size) {
  if (const Error_t error = arguments::MallocHost(hostPtr, size)) return error;
  if (size == 0) {
    *hostPtr = nullptr;
    return Success;
  }
  return emulation::pageable_host::MallocHost(hostPtr, size);
}

// Emulated (pageable_host): host memory is registered with no driver
Error_t FreeHost(void* hostPtr) {
  if (const Error_t error = arguments::FreeHost(hostPtr)) return error;
  if (hostPtr == nullptr) return Success;
  return emulation::pageable_host::FreeHost(hostPtr);
}

// Emulated (async_then_wait): clEnqueueSVMMemcpy takes a queue, and may block on it
Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = arguments::Memcpy(dst, src, count, kind)) return error;
  if (count == 0) return Success;
  return emulation::async_then_wait::Memcpy(dst, src, count, kind);
}

Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = arguments::MemcpyAsync(dst, src, count, kind, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemcpyAsync", stream)) return error;
  if (const Error_t error = set_up()) return error;
  bool pageable = false;
  if (const Error_t error = touches_pageable(dst, src, kind, &pageable)) return error;
  devices_in_use.note_current();
  if (const Error_t error = check(clEnqueueSVMMemcpy(native(stream), CL_FALSE, dst, src, count, 0, nullptr, nullptr),
                                  "clEnqueueSVMMemcpy"))
    return error;
  if (const Error_t error = check(clFlush(native(stream)), "clFlush")) return error;
  if (pageable) return StreamSynchronize(stream);
  return Success;
}

// Emulated (side_table): no function takes an address and tells of it
Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (const Error_t error = arguments::PointerGetAttributes(attributes, ptr)) return error;
  return emulation::side_table::PointerGetAttributes(attributes, ptr);
}

// Emulated (async_then_wait): clEnqueueSVMMemFill takes a queue
Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = arguments::Memset(devPtr, value, count)) return error;
  if (count == 0) return Success;
  return emulation::async_then_wait::Memset(devPtr, value, count);
}

// A pattern of one byte, the first of the value in memory, which is the right one on little-endian hosts only
Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = arguments::MemsetAsync(devPtr, value, count, stream)) return error;
  if (count == 0) return Success;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("MemsetAsync", stream)) return error;
  if (const Error_t error = set_up()) return error;
  if (const Error_t error = check(clEnqueueSVMMemFill(native(stream), devPtr, &value, 1, count, 0, nullptr, nullptr),
                                  "clEnqueueSVMMemFill"))
    return error;
  return check(clFlush(native(stream)), "clFlush");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const memory = new flagos::OpenclMemory;  // never destroyed: used until the process ends
  return memory;
}
