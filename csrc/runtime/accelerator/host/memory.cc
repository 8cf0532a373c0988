// SPDX-License-Identifier: Apache-2.0
#include "backends/host_memory.h"
#include "simulator.h"

using flagos::host::Block;
using flagos::host::call;
using flagos::host::Failure;
using flagos::host::require_output;
using flagos::host::Simulator;

Error_t Malloc(void** devPtr, size_t size) {
  return call("Malloc", [&](Simulator& simulator) {
    require_output(devPtr);
    *devPtr = simulator.allocate(size, MemoryTypeDevice);
  });
}

Error_t Free(void* devPtr) {
  return call("Free", [&](Simulator& simulator) { simulator.release(devPtr, MemoryTypeDevice); });
}

Error_t MallocHost(void** hostPtr, size_t size) {
  return call("MallocHost", [&](Simulator& simulator) {
    require_output(hostPtr);
    *hostPtr = simulator.allocate(size, MemoryTypeHost);
  });
}

Error_t FreeHost(void* hostPtr) {
  return call("FreeHost", [&](Simulator& simulator) { simulator.release(hostPtr, MemoryTypeHost); });
}

Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  return call("Memcpy", [&](Simulator& simulator) {
    simulator.copy(dst, src, count, kind, simulator.stream(nullptr), Simulator::Mode::Blocking);
  });
}

Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  return call("MemcpyAsync", [&](Simulator& simulator) {
    simulator.copy(dst, src, count, kind, simulator.stream(stream), Simulator::Mode::Asynchronous);
  });
}

Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  return call("PointerGetAttributes", [&](Simulator& simulator) {
    require_output(attributes);
    if (ptr == nullptr) throw Failure(ErrorUnknown, "null pointer");
    const std::shared_ptr<Block> block = simulator.block_at(ptr);
    if (block == nullptr) {
      *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
    } else {
      *attributes = PointerAttributes{block->type, block->device, const_cast<void*>(ptr)};
    }
  });
}

Error_t Memset(void* devPtr, int value, size_t count) {
  return call("Memset", [&](Simulator& simulator) {
    simulator.fill(devPtr, value, count, simulator.stream(nullptr), Simulator::Mode::Blocking);
  });
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  return call("MemsetAsync", [&](Simulator& simulator) {
    simulator.fill(devPtr, value, count, simulator.stream(stream), Simulator::Mode::Asynchronous);
  });
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static flagos::HostMemory* const memory = new flagos::HostMemory;  // never destroyed: used until the process ends
  return memory;
}
