// SPDX-License-Identifier: Apache-2.0
//
// What a call may be refused for before any SDK is asked, the same for every vendor: null outputs, null handles, flags
// and kinds that flagos.h does not know, and a process that was forked from one that used the runtime. A function a
// slot, with the slot's parameters.
#pragma once

#include <pthread.h>

#include <atomic>

#include "sdk_call.h"

namespace flagos::sdk {

inline std::atomic<bool> forked_after_use{false};

// Call this first: it notes that the process uses the runtime. Whatever the SDK would make of a fork, with its threads
// and its locks gone, it would not be an error that says so.
inline Error_t refuse_after_fork(const char* slot) {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forked_after_use = true; });
  if (registered != 0) return fail(slot, "pthread_atfork failed");
  if (!forked_after_use.load(std::memory_order_relaxed)) return Success;
  return fail(slot, "this process was forked from one that used the runtime; start it with spawn");
}

// One condition of a slot: it holds, or its text says what is wrong.
struct Condition {
  bool holds;
  const char* otherwise;
};

template <typename... Conditions>
Error_t require(const char* slot, Conditions... conditions) {
  if (const Error_t error = refuse_after_fork(slot)) return error;
  for (const Condition& condition : {Condition{true, ""}, conditions...}) {
    if (!condition.holds) return fail(slot, condition.otherwise);
  }
  return Success;
}

inline Condition output(const void* pointer) { return {pointer != nullptr, "null output"}; }
inline Condition named(Event_t event) { return {event != nullptr, "null event"}; }
inline Condition known(MemcpyKind kind) {
  return {kind == MemcpyHostToHost || kind == MemcpyHostToDevice || kind == MemcpyDeviceToHost ||
              kind == MemcpyDeviceToDevice,
          "unknown MemcpyKind"};
}

namespace arguments {

inline Error_t GetDeviceCount(const int* count) { return require("GetDeviceCount", output(count)); }
inline Error_t SetDevice(int /*device*/) { return require("SetDevice"); }
inline Error_t GetDevice(const int* device) { return require("GetDevice", output(device)); }
inline Error_t DeviceGetStreamPriorityRange(const int* least, const int* greatest) {
  return require("DeviceGetStreamPriorityRange", output(least), output(greatest));
}
inline Error_t DeviceSynchronize() { return require("DeviceSynchronize"); }

inline Error_t Malloc(void** devPtr, size_t /*size*/) { return require("Malloc", output(devPtr)); }
inline Error_t Free(void* /*devPtr*/) { return require("Free"); }
inline Error_t MallocHost(void** hostPtr, size_t /*size*/) { return require("MallocHost", output(hostPtr)); }
inline Error_t FreeHost(void* /*hostPtr*/) { return require("FreeHost"); }
inline Error_t Memcpy(void* /*dst*/, const void* /*src*/, size_t /*count*/, MemcpyKind kind) {
  return require("Memcpy", known(kind));
}
inline Error_t MemcpyAsync(void* /*dst*/, const void* /*src*/, size_t /*count*/, MemcpyKind kind, Stream_t /*stream*/) {
  return require("MemcpyAsync", known(kind));
}
inline Error_t PointerGetAttributes(const PointerAttributes* attributes, const void* ptr) {
  return require("PointerGetAttributes", output(attributes), Condition{ptr != nullptr, "null pointer"});
}
inline Error_t Memset(void* /*devPtr*/, int /*value*/, size_t /*count*/) { return require("Memset"); }
inline Error_t MemsetAsync(void* /*devPtr*/, int /*value*/, size_t /*count*/, Stream_t /*stream*/) {
  return require("MemsetAsync");
}
inline Error_t get_memory_info(const size_t* free, const size_t* total) {
  return require("get_memory_info", output(free), output(total));
}

inline Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int /*priority*/) {
  return require("StreamCreateWithPriority", output(stream), Condition{flags == StreamDefault, "unknown StreamFlags"});
}
inline Error_t StreamCreate(Stream_t* stream) { return require("StreamCreate", output(stream)); }
inline Error_t StreamGetPriority(Stream_t /*stream*/, const int* priority) {
  return require("StreamGetPriority", output(priority));
}
inline Error_t StreamDestroy(Stream_t stream) {
  return require("StreamDestroy", Condition{stream != nullptr, "null stream"});
}
inline Error_t StreamQuery(Stream_t /*stream*/) { return require("StreamQuery"); }
inline Error_t StreamSynchronize(Stream_t /*stream*/) { return require("StreamSynchronize"); }
inline Error_t StreamWaitEvent(Stream_t /*stream*/, Event_t event, unsigned int flags) {
  return require("StreamWaitEvent", named(event), Condition{flags == WaitDefault, "unknown WaitFlags"});
}
inline Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  return require("EventCreateWithFlags", output(event),
                 Condition{flags == EventDisableTiming || flags == EventEnableTiming, "unknown EventFlags"});
}
inline Error_t EventCreate(Event_t* event) { return require("EventCreate", output(event)); }
inline Error_t EventDestroy(Event_t event) { return require("EventDestroy", named(event)); }
inline Error_t EventRecord(Event_t event, Stream_t /*stream*/) { return require("EventRecord", named(event)); }
inline Error_t EventSynchronize(Event_t event) { return require("EventSynchronize", named(event)); }
inline Error_t EventQuery(Event_t event) { return require("EventQuery", named(event)); }
inline Error_t EventElapsedTime(const float* ms, Event_t start, Event_t end) {
  return require("EventElapsedTime", output(ms), named(start), named(end));
}

}  // namespace arguments
}  // namespace flagos::sdk
