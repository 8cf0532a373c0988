// SPDX-License-Identifier: Apache-2.0
//
// Mutations of the ten virtuals and of provides_caching.
#include <algorithm>
#include <thread>

#include "ingredients.h"

namespace mutation {
namespace {

template <auto change>
void ChangeMemoryInfo() {
  mutant.get_memory_info = [](size_t* free, size_t* total) {
    Error_t error = real.get_memory_info(free, total);
    if (error == Success) change(*free, *total);
    return error;
  };
}

MUTATION("allocator.malloc_out_of_memory_is_unknown", "device_malloc reports out of memory as ErrorUnknown") {
  mutant.device_malloc = [](void** ptr, size_t size) {
    Error_t error = real.device_malloc(ptr, size);
    return error == ErrorMemoryAllocation ? ErrorUnknown : error;
  };
}

MUTATION("allocator.malloc_always_on_device_0", "device_malloc ignores the current device") {
  mutant.device_malloc = [](void** ptr, size_t size) {
    OnDevice on(0);
    return real.device_malloc(ptr, size);
  };
}

MUTATION("allocator.malloc_misaligned", "device_malloc aligns to 8 bytes only") {
  mutant.device_malloc = [](void** ptr, size_t size) {
    Error_t error = real.device_malloc(ptr, size == 0 ? 0 : size + 8);
    if (error == Success && *ptr != nullptr) *ptr = static_cast<char*>(*ptr) + 8;
    return Allocated(error, ptr, size);
  };
  mutant.device_free = [](void* ptr) {
    bool ours = live.count(ptr) != 0;
    return Freed(real.device_free(ours ? static_cast<char*>(ptr) - 8 : ptr), ptr);
  };
}

MUTATION("allocator.double_free_accepted", "a second device_free of a block is Success") {
  TrackBlocks();
  mutant.device_free = [](void* ptr) { return freed.count(ptr) != 0 ? Success : Freed(real.device_free(ptr), ptr); };
}

MUTATION("allocator.device_index_0", "get_device_index always says 0") {
  mutant.get_device_index = [](int* device) {
    Error_t error = real.get_device_index(device);
    if (error == Success) *device = 0;
    return error;
  };
}

MUTATION("allocator.device_of_its_own", "set_device and get_device_index keep a device apart from SetDevice") {
  static thread_local int own = 0;
  mutant.set_device = [](int device) {
    if (device < 0 || device >= DeviceCount()) return real.set_device(device);
    own = device;
    return Success;
  };
  mutant.get_device_index = [](int* device) {
    Error_t error = real.get_device_index(device);
    if (error == Success) *device = own;
    return error;
  };
}

MUTATION("allocator.set_device_accepts_bad_index", "set_device takes any index") {
  mutant.set_device = [](int device) {
    Error_t error = real.set_device(device);
    return error == ErrorInvalidDevice ? Success : error;
  };
}

MUTATION("allocator.memory_info_invented", "get_memory_info always says 8 of 16 GiB are free") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) {
    free = size_t{8} << 30;
    total = size_t{16} << 30;
  }>();
}

MUTATION("allocator.memory_info_free_is_total", "get_memory_info says that everything is free") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) { free = total; }>();
}

MUTATION("allocator.memory_info_frozen", "get_memory_info says for ever what it said first") {
  ChangeMemoryInfo<[](size_t& free, size_t&) {
    static std::map<int, size_t> first;
    Lock lock(mutex);
    free = first.try_emplace(CurrentDevice(), free).first->second;
  }>();
}

MUTATION("allocator.memory_info_swapped", "get_memory_info exchanges free and total") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) { std::swap(free, total); }>();
}

MUTATION("allocator.memory_info_free_above_total", "get_memory_info reports more free than installed memory") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) { free = 2 * total; }>();
}

MUTATION("allocator.memory_info_used_for_free", "get_memory_info reports used memory as free") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) { free = total - free; }>();
}

MUTATION("allocator.memory_info_in_kib", "get_memory_info counts KiB") {
  ChangeMemoryInfo<[](size_t& free, size_t& total) {
    free >>= 10;
    total >>= 10;
  }>();
}

MUTATION("allocator.memory_info_of_device_0", "get_memory_info is about device 0 whatever is current") {
  mutant.get_memory_info = [](size_t* free, size_t* total) {
    OnDevice on(0);
    return real.get_memory_info(free, total);
  };
}

MUTATION("allocator.event_shared", "event_create gives the same event again and again") {
  static std::map<int, Event_t> shared;
  mutant.event_create = [](Event_t* event) {
    Lock lock(mutex);
    auto [entry, added] = shared.try_emplace(CurrentDevice(), nullptr);
    if (added && real.event_create(&entry->second) != Success) return ErrorUnknown;
    *event = entry->second;
    return Success;
  };
  mutant.event_destroy = [](Event_t event) { return event == nullptr ? real.event_destroy(event) : Success; };
}

MUTATION("allocator.event_record_default_stream", "event_record records on the default stream") {
  TrackHandles();
  mutant.event_record = [](Event_t event, Stream_t stream) { return real.event_record(event, DefaultOf(stream)); };
}

MUTATION("allocator.event_query_not_ready_is_unknown", "event_query says ErrorUnknown for unfinished work") {
  mutant.event_query = [](Event_t event) {
    Error_t error = real.event_query(event);
    return error == ErrorNotReady ? ErrorUnknown : error;
  };
}

MUTATION("allocator.event_query_never_ready", "event_query always says ErrorNotReady") {
  mutant.event_query = [](Event_t event) {
    Error_t error = real.event_query(event);
    return error == Success ? ErrorNotReady : error;
  };
}

MUTATION("allocator.event_query_blocks", "event_query waits until the event is ready") {
  mutant.event_query = [](Event_t event) {
    while (real.event_query(event) == ErrorNotReady) std::this_thread::yield();
    return real.event_query(event);
  };
}

MUTATION("allocator.memcpy_truncated", "the virtual memcpy ends after 64 KiB") {
  mutant.memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.memcpy(dst, src, up_to_64k(count, kind), kind);
  };
}

MUTATION("allocator.memcpy_one_short", "the virtual memcpy leaves the last byte") {
  mutant.memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.memcpy(dst, src, one_less(count, kind), kind);
  };
}

MUTATION("allocator.memcpy_returns_early", "the virtual memcpy returns before the data is on the host") {
  RunHeldBeforeEveryCall();
  mutant.memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) {
    bool late = kind == MemcpyDeviceToHost && count != 0 && !IsDevicePointer(dst);
    if (!late) return real.memcpy(dst, src, count, kind);
    return DeliverLate(dst, count, [=](void* bytes) { return real.memcpy(bytes, src, count, kind); });
  };
}

MUTATION("allocator.memcpy_unknown_kind_accepted", "the virtual memcpy takes an unknown kind") {
  mutant.memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) {
    bool known = static_cast<int>(kind) >= 0 && kind <= MemcpyDeviceToDevice;
    return known ? real.memcpy(dst, src, count, kind) : Success;
  };
}

MUTATION("allocator.provides_caching_claimed", "provides_caching() is true though nothing is cached") {
  mutant.provides_caching = [] { return true; };
}

}  // namespace
}  // namespace mutation
