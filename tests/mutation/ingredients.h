// SPDX-License-Identifier: Apache-2.0
//
// What mutations are made of. Only one mutation is applied in a process, so the state is shared.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "mutant.h"

namespace mutation {

inline std::recursive_mutex mutex;  // guards the state of the mutation
using Lock = std::lock_guard<std::recursive_mutex>;

// A slot or virtual whose result goes through `map`.
template <auto map, auto slot>
struct Mapped;

template <auto map, typename... Parameters, Error_t (*Runtime::*slot)(Parameters...)>
struct Mapped<map, slot> {
  static Error_t Call(Parameters... arguments) { return map((real.*slot)(arguments...)); }
};

template <auto map>
void MapResults() {
#define SLOT(name) mutant.name = Mapped<map, &Runtime::name>::Call;
#include "slots.inc"
#undef SLOT
}

template <auto map>
void MapVirtualResults() {
#define VIRTUAL(name, parameters, arguments) mutant.name = Mapped<map, &Runtime::name>::Call;
  FLAGOS_VIRTUALS(VIRTUAL)
#undef VIRTUAL
}

template <auto map>
void MapAllResults() {
  MapResults<map>();
  MapVirtualResults<map>();
}

inline int DeviceCount() {
  int count = 0;
  real.GetDeviceCount(&count);
  return count;
}

inline int CurrentDevice() {
  int device = 0;
  real.GetDevice(&device);
  return device;
}

// Makes a device current until the end of the scope.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(CurrentDevice()) { real.SetDevice(device); }
  ~OnDevice() { real.SetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

inline bool Is(const char* function, const char* name) { return std::strcmp(function, name) == 0; }

inline bool IsDevicePointer(const void* ptr) {
  PointerAttributes attributes{};
  return ptr != nullptr && real.PointerGetAttributes(&attributes, ptr) == Success &&
         attributes.type == MemoryTypeDevice;
}

inline bool IsPageable(const void* ptr) {
  PointerAttributes attributes{};
  return ptr != nullptr && real.PointerGetAttributes(&attributes, ptr) == Success &&
         attributes.type == MemoryTypeUnmanaged;
}

// What a faulty copy makes of its size.
inline constexpr auto one_less = [](size_t count, MemcpyKind) { return count - (count > 0 ? 1 : 0); };
inline constexpr auto one_less_to_host = [](size_t count, MemcpyKind kind) {
  return count - (count > 0 && kind == MemcpyDeviceToHost ? 1 : 0);
};
inline constexpr auto even = [](size_t count, MemcpyKind) { return count & ~size_t{1}; };
inline constexpr auto words = [](size_t count, MemcpyKind) { return count & ~size_t{3}; };
inline constexpr auto up_to_64k = [](size_t count, MemcpyKind) { return std::min(count, size_t{1} << 16); };

// ---- blocks, live and freed

inline constexpr PointerAttributes unmanaged{MemoryTypeUnmanaged, -1, nullptr};

struct Block {
  char* start;
  size_t size;
  PointerAttributes attributes;
};

inline std::map<const void*, Block> live;
inline std::map<const void*, Block> freed;

inline std::optional<Block> BlockAround(const std::map<const void*, Block>& blocks, const void* ptr) {
  Lock lock(mutex);
  auto after = blocks.upper_bound(ptr);
  if (after == blocks.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  if (static_cast<const char*>(ptr) >= block.start + block.size) return std::nullopt;
  return block;
}

inline Error_t Allocated(Error_t error, void** ptr, size_t size) {
  if (error == Success && *ptr != nullptr) {
    Lock lock(mutex);
    Block block{static_cast<char*>(*ptr), size, {}};
    real.PointerGetAttributes(&block.attributes, *ptr);
    live[*ptr] = block;
    freed.erase(*ptr);
  }
  return error;
}

inline Error_t Freed(Error_t error, void* ptr) {
  Lock lock(mutex);
  auto block = live.find(ptr);
  if (error == Success && block != live.end()) freed.insert(live.extract(block));
  return error;
}

inline void TrackBlocks() {
  mutant.Malloc = [](void** ptr, size_t size) { return Allocated(real.Malloc(ptr, size), ptr, size); };
  mutant.MallocHost = [](void** ptr, size_t size) { return Allocated(real.MallocHost(ptr, size), ptr, size); };
  mutant.Free = [](void* ptr) { return Freed(real.Free(ptr), ptr); };
  mutant.FreeHost = [](void* ptr) { return Freed(real.FreeHost(ptr), ptr); };
  mutant.device_malloc = [](void** ptr, size_t size) { return Allocated(real.device_malloc(ptr, size), ptr, size); };
  mutant.device_free = [](void* ptr) { return Freed(real.device_free(ptr), ptr); };
}

// ---- handles and their devices

inline std::map<const void*, int> device_of;     // created streams and events
inline std::set<Stream_t> created_streams;       // live
inline std::map<Event_t, Stream_t> recorded_on;  // the latest record

template <typename Handle>
Error_t Created(Error_t error, Handle* handle) {
  if (error == Success) {
    Lock lock(mutex);
    device_of[*handle] = CurrentDevice();
    if constexpr (std::is_same_v<Handle, Stream_t>) created_streams.insert(*handle);
  }
  return error;
}

inline void TrackHandles() {
  mutant.StreamCreate = [](Stream_t* stream) { return Created(real.StreamCreate(stream), stream); };
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    return Created(real.StreamCreateWithPriority(stream, flags, priority), stream);
  };
  mutant.EventCreate = [](Event_t* event) { return Created(real.EventCreate(event), event); };
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    return Created(real.EventCreateWithFlags(event, flags), event);
  };
  mutant.StreamDestroy = [](Stream_t stream) {
    Lock lock(mutex);
    created_streams.erase(stream);
    return real.StreamDestroy(stream);
  };
}

inline int DeviceOf(const void* handle) {
  Lock lock(mutex);
  for (int device = 0; device < DeviceCount(); ++device) {
    if (handle != nullptr && real.GetDefaultStream(device) == handle) return device;
  }
  auto found = device_of.find(handle);
  return found == device_of.end() ? CurrentDevice() : found->second;
}

inline bool IsCreated(Stream_t stream) {
  Lock lock(mutex);
  return created_streams.count(stream) != 0;
}

inline Stream_t DefaultOf(const void* handle) { return real.GetDefaultStream(DeviceOf(handle)); }

// A stream that the caller does not know of.
inline Stream_t NewStream(int device) {
  OnDevice on(device);
  Stream_t stream = nullptr;
  Created(real.StreamCreate(&stream), &stream);
  return stream;
}

inline Stream_t SideStream(int device) {
  Lock lock(mutex);
  static std::map<int, Stream_t> streams;
  auto [entry, added] = streams.try_emplace(device, nullptr);
  if (added) entry->second = NewStream(device);
  return entry->second;
}

// Makes `stream` wait for what `first` has been given so far.
inline void Join(Stream_t stream, Stream_t first) {
  OnDevice on(DeviceOf(first));
  Event_t event = nullptr;
  if (real.EventCreateWithFlags(&event, EventDisableTiming) != Success) return;
  real.EventRecord(event, first);
  real.StreamWaitEvent(stream, event, WaitDefault);
  real.EventDestroy(event);
}

// ---- work held back until a later call

struct Held {
  Stream_t stream;
  Event_t event;  // of a wait
  int device;
  std::function<void()> run;
};

inline std::list<Held> held;

inline Error_t Hold(Stream_t stream, Event_t event, std::function<void()> run) {
  Lock lock(mutex);
  held.push_back({stream, event, CurrentDevice(), std::move(run)});
  return Success;
}

template <typename Chosen>
void RunHeld(Chosen chosen) {
  Lock lock(mutex);
  for (auto work = held.begin(); work != held.end();) {
    if (chosen(*work)) {
      OnDevice on(work->device);
      work->run();
      work = held.erase(work);
    } else {
      ++work;
    }
  }
}

inline void RunHeld() {
  RunHeld([](const Held&) { return true; });
}

inline void RunHeldBeforeEveryCall() {
  mutant.before = [](const char*) { RunHeld(); };
}

// Copies to the host by `copy(target)`, but the bytes reach `dst` only at the next call.
template <typename Copy>
Error_t DeliverLate(void* dst, size_t count, Copy copy) {
  auto bytes = std::make_shared<std::vector<char>>(count);
  Error_t error = copy(bytes->data());
  if (error != Success) return error;
  return Hold(nullptr, nullptr, [=] { std::memcpy(dst, bytes->data(), count); });
}

// Copies to the device by `copy()`, and once more at the next call, when the source may have changed.
template <typename Copy>
Error_t ReadLate(Copy copy) {
  Error_t error = copy();
  return error == Success ? Hold(nullptr, nullptr, [=] { copy(); }) : error;
}

// Holds back the newest operation that only device memory takes part in, so that no host memory is read late.
template <auto stays>
void HoldDeviceWork() {
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    if (!IsDevicePointer(ptr) || !IsCreated(stream)) return real.MemsetAsync(ptr, value, count, stream);
    return Hold(stream, nullptr, [=] { real.MemsetAsync(ptr, value, count, stream); });
  };
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    bool devices = IsDevicePointer(dst) && IsDevicePointer(src) && kind == MemcpyDeviceToDevice;
    if (!devices || !IsCreated(stream)) return real.MemcpyAsync(dst, src, count, kind, stream);
    return Hold(stream, nullptr, [=] { real.MemcpyAsync(dst, src, count, kind, stream); });
  };
  mutant.before = [](const char* function) {
    if (!Is(function, stays())) RunHeld();
  };
}

// A slot or virtual with a stream, given the waits that are held for it first.
template <auto slot>
struct AfterHeldWaits;

template <typename... Parameters, Error_t (*Runtime::*slot)(Parameters...)>
struct AfterHeldWaits<slot> {
  static Error_t Call(Parameters... arguments) {
    Stream_t stream = std::get<Stream_t>(std::make_tuple(arguments...));
    RunHeld([=](const Held& wait) { return wait.stream == stream; });
    return (real.*slot)(arguments...);
  }
};

// Waits that are handed to the real runtime only when their stream is used next, or the device as a whole.
inline void HoldWaits() {
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    if (event == nullptr || flags != WaitDefault) return real.StreamWaitEvent(stream, event, flags);
    return Hold(stream, event, [=] { real.StreamWaitEvent(stream, event, flags); });
  };
  mutant.MemcpyAsync = AfterHeldWaits<&Runtime::MemcpyAsync>::Call;
  mutant.MemsetAsync = AfterHeldWaits<&Runtime::MemsetAsync>::Call;
  mutant.EventRecord = AfterHeldWaits<&Runtime::EventRecord>::Call;
  mutant.event_record = AfterHeldWaits<&Runtime::event_record>::Call;
  mutant.StreamQuery = AfterHeldWaits<&Runtime::StreamQuery>::Call;
  mutant.StreamSynchronize = AfterHeldWaits<&Runtime::StreamSynchronize>::Call;
  mutant.StreamDestroy = AfterHeldWaits<&Runtime::StreamDestroy>::Call;
  mutant.before = [](const char* function) {
    for (const char* waits : {"DeviceSynchronize", "Memcpy", "Memset", "Free", "FreeHost"}) {
      if (Is(function, waits)) RunHeld();
    }
  };
}

}  // namespace mutation
