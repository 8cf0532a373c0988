// @generated from docs/vendors/metax/runtime-api-map.yaml by generators.runtime; do not edit.
#pragma once

#include "device_memory_interface.h"
#include "sdk.h"

namespace flagos {

class MetaxMemory final : public DeviceMemoryInterface {
 public:
  Error_t device_malloc(void** ptr, size_t size) override { return Malloc(ptr, size); }
  Error_t device_free(void* ptr) override { return Free(ptr); }
  Error_t get_device_index(int* device) override { return GetDevice(device); }
  Error_t set_device(int device) override { return SetDevice(device); }
  Error_t event_create(Event_t* event) override { return EventCreateWithFlags(event, EventDisableTiming); }
  Error_t event_destroy(Event_t event) override { return EventDestroy(event); }
  Error_t event_record(Event_t event, Stream_t stream) override { return EventRecord(event, stream); }
  Error_t event_query(Event_t event) override { return EventQuery(event); }
  Error_t memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) override {
    return Memcpy(dst, src, count, kind);
  }

  Error_t get_memory_info(size_t* free, size_t* total) override {
    using namespace sdk;
    if (const Error_t error = arguments::get_memory_info(free, total)) return error;
    size_t found_free{};
    size_t found_total{};
    if (const Error_t error = check(mcMemGetInfo(&found_free, &found_total), "mcMemGetInfo")) return error;
    *free = found_free;
    *total = found_total;
    return Success;
  }
};

}  // namespace flagos
