// SPDX-License-Identifier: Apache-2.0
//
// The host vendor's runtime with faults and counters, for tests of what lies above: FLAGOS_RUNTIME_LIBRARY names this
// library, which is linked with libflagos_host.so and finds there all that it does not define. Python steers it through
// ctypes: `fail(NAME, times)` makes the next calls fail, `hold(NAME, 1)` keeps them from returning until `hold(NAME,
// 0)`, `calls(NAME)` counts them, `set_caching(1)` claims a cache.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <thread>

#include "runtime/allocator/device_memory_interface.h"

namespace {

struct Call {
  const char* name;
  Error_t error;
  std::atomic<int> failures{0};
  std::atomic<int> count{0};
  std::atomic<int> held{0};

  bool fails() {
    ++count;
    while (held != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    int left = failures;
    while (left > 0 && !failures.compare_exchange_weak(left, left - 1)) {
    }
    return left > 0;
  }
};

Call device_malloc{"device_malloc", ErrorMemoryAllocation};
Call device_free{"device_free", ErrorUnknown};
Call event_create{"event_create", ErrorUnknown};
Call event_record{"event_record", ErrorUnknown};
Call event_query{"event_query", ErrorUnknown};
Call malloc_host{"MallocHost", ErrorMemoryAllocation};
Call free_host{"FreeHost", ErrorUnknown};
Call record_host{"EventRecord", ErrorUnknown};

Call* find(const char* name) {
  for (Call* call : {&device_malloc, &device_free, &event_create, &event_record, &event_query, &malloc_host, &free_host,
                     &record_host}) {
    if (std::strcmp(call->name, name) == 0) return call;
  }
  return nullptr;
}

std::atomic<int> caching{0};
std::atomic<int> pinned_size{0};

template <typename Function>
Function host(const char* name) {
  static void* const library = dlopen(HOST, RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

struct FaultyMemory final : flagos::DeviceMemoryInterface {
  flagos::DeviceMemoryInterface& real = *host<decltype(&GetDeviceMemoryInterface)>("GetDeviceMemoryInterface")();

  Error_t device_malloc(void** p, size_t n) override {
    return ::device_malloc.fails() ? ::device_malloc.error : real.device_malloc(p, n);
  }
  Error_t device_free(void* p) override { return ::device_free.fails() ? ::device_free.error : real.device_free(p); }
  Error_t get_device_index(int* d) override { return real.get_device_index(d); }
  Error_t set_device(int d) override { return real.set_device(d); }
  Error_t get_memory_info(size_t* f, size_t* t) override { return real.get_memory_info(f, t); }
  Error_t event_create(Event_t* e) override {
    return ::event_create.fails() ? ::event_create.error : real.event_create(e);
  }
  Error_t event_destroy(Event_t e) override { return real.event_destroy(e); }
  Error_t event_record(Event_t e, Stream_t s) override {
    return ::event_record.fails() ? ::event_record.error : real.event_record(e, s);
  }
  Error_t event_query(Event_t e) override { return ::event_query.fails() ? ::event_query.error : real.event_query(e); }
  Error_t memcpy(void* d, const void* s, size_t n, MemcpyKind k) override { return real.memcpy(d, s, n, k); }
  bool provides_caching() const override { return caching != 0; }
};

}  // namespace

extern "C" {

FLAGOS_EXPORT void fail(const char* name, int times) { find(name)->failures = times; }
FLAGOS_EXPORT void hold(const char* name, int held) { find(name)->held = held; }
FLAGOS_EXPORT int calls(const char* name) { return find(name)->count; }
FLAGOS_EXPORT int last_pinned_size() { return pinned_size; }
FLAGOS_EXPORT void set_caching(int value) { caching = value; }

FLAGOS_EXPORT flagos::DeviceMemoryInterface* GetDeviceMemoryInterface() {
  static FaultyMemory memory;
  return &memory;
}

FLAGOS_EXPORT Error_t MallocHost(void** pointer, size_t size) {
  pinned_size = static_cast<int>(size);
  return malloc_host.fails() ? malloc_host.error : host<decltype(&MallocHost)>("MallocHost")(pointer, size);
}

FLAGOS_EXPORT Error_t FreeHost(void* pointer) {
  return free_host.fails() ? free_host.error : host<decltype(&FreeHost)>("FreeHost")(pointer);
}

FLAGOS_EXPORT Error_t EventRecord(Event_t event, Stream_t stream) {
  return record_host.fails() ? record_host.error : host<decltype(&EventRecord)>("EventRecord")(event, stream);
}
}
