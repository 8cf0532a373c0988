// SPDX-License-Identifier: Apache-2.0
//
// The cuda vendor's side of the caching allocator.
#pragma once

#include "check.h"
#include "device_memory_interface.h"

namespace flagos {

class CudaMemory final : public DeviceMemoryInterface {
 public:
  Error_t device_malloc(void** ptr, size_t size) override { return Malloc(ptr, size); }
  Error_t device_free(void* ptr) override { return Free(ptr); }

  Error_t get_device_index(int* device) override { return GetDevice(device); }
  Error_t set_device(int device) override { return SetDevice(device); }

  Error_t get_memory_info(size_t* free, size_t* total) override {
    if (free == nullptr || total == nullptr) return cuda::fail("cudaMemGetInfo", "null output");
    size_t available = 0;
    size_t installed = 0;
    const cudaError_t status = cudaMemGetInfo(&available, &installed);
    if (status == cudaSuccess) {
      *free = available;
      *total = installed;
    }
    return cuda::check(status, "cudaMemGetInfo");
  }

  Error_t event_create(Event_t* event) override { return EventCreateWithFlags(event, EventDisableTiming); }
  Error_t event_destroy(Event_t event) override { return EventDestroy(event); }
  Error_t event_record(Event_t event, Stream_t stream) override { return EventRecord(event, stream); }
  Error_t event_query(Event_t event) override { return EventQuery(event); }

  Error_t memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) override {
    return Memcpy(dst, src, count, kind);
  }
};

}  // namespace flagos
