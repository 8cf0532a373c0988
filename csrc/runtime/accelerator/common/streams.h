// SPDX-License-Identifier: Apache-2.0
//
// The streams that a runtime made, for SDKs that cannot list them, cannot tell a stream's device or whether it is idle,
// or have no default stream.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "devices.h"
#include "events.h"
#include "sdk_call.h"

namespace flagos::sdk {

// A stream, or a device's default stream.
struct KnownStream {
  KnownStream(Stream_t stream_handle, int stream_device, int stream_priority)
      : handle(stream_handle), device(stream_device), priority(stream_priority) {}

  const Stream_t handle;
  const int device;
  const int priority;
  std::mutex in_use;  // held while the runtime itself waits for the stream, and while it is destroyed
  bool destroyed = false;
  std::mutex marking;
  Event_t marker = nullptr;  // recorded to ask whether the stream is idle
};

class Streams {
 public:
  // A new stream of the current device.
  Error_t add(Stream_t stream, int priority = 0) {
    int device = 0;
    if (const Error_t error = GetDevice(&device)) return error;
    const std::lock_guard<std::mutex> lock(mutex_);
    created_[stream] = std::make_shared<KnownStream>(stream, device, priority);
    return Success;
  }
  // Forget a stream that is about to be destroyed, once nobody in here waits for it any more. Until then it is known:
  // who waits for it calls StreamSynchronize.
  Error_t remove(const char* slot, Stream_t stream) {
    std::shared_ptr<KnownStream> found;
    if (const Error_t error = find(slot, stream, &found)) return error;
    const std::lock_guard<std::mutex> waited(found->in_use);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (created_.erase(stream) == 0) return fail(slot, "unknown stream, or a default stream");
    }
    found->destroyed = true;
    return found->marker == nullptr ? Success : EventDestroy(found->marker);
  }
  // Null is the current device's default stream.
  Error_t find(const char* slot, Stream_t stream, std::shared_ptr<KnownStream>* found) {
    int device = 0;
    if (stream == nullptr) {
      if (const Error_t error = GetDevice(&device)) return error;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stream == nullptr) {
      std::shared_ptr<KnownStream>& known = defaults_[device];
      if (known == nullptr) known = std::make_shared<KnownStream>(nullptr, device, 0);
      *found = known;
      return Success;
    }
    const auto known = created_.find(stream);
    if (known == created_.end()) return fail(slot, "unknown stream");
    *found = known->second;
    return Success;
  }
  Error_t require(const char* slot, Stream_t stream) {
    std::shared_ptr<KnownStream> found;
    return find(slot, stream, &found);
  }
  Error_t device_of(const char* slot, Stream_t stream, int* device) {
    std::shared_ptr<KnownStream> found;
    if (const Error_t error = find(slot, stream, &found)) return error;
    *device = found->device;
    return Success;
  }
  std::vector<std::shared_ptr<KnownStream>> of_device(int device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<KnownStream>> found;
    for (const auto& [handle, stream] : created_) {
      if (stream->device == device) found.push_back(stream);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Stream_t, std::shared_ptr<KnownStream>> created_;
  std::unordered_map<int, std::shared_ptr<KnownStream>> defaults_;
};

inline Streams& streams() {
  static auto* const list = new Streams;  // never destroyed: used until the process ends
  return *list;
}

// For an SDK that would record an event on any device's stream.
inline Error_t require_same_device(Event_t event, Stream_t stream) {
  int of_event = 0;
  int of_stream = 0;
  if (const Error_t error = events().device_of("EventRecord", event, &of_event)) return error;
  if (const Error_t error = streams().device_of("EventRecord", stream, &of_stream)) return error;
  return of_event == of_stream ? Success : fail("EventRecord", "the event belongs to another device than the stream");
}

// The default streams of an SDK that has none: one a device, made by StreamCreate when it is first needed.
class DefaultStreams {
 public:
  // Null becomes the current device's default stream.
  Error_t resolve(Stream_t* stream) {
    if (*stream != nullptr) return Success;
    int device = 0;
    if (const Error_t error = GetDevice(&device)) return error;
    return of_current_.get(device, stream, [](Stream_t* made) { return StreamCreate(made); });
  }
  Stream_t of(int device) {
    Stream_t stream = nullptr;
    const CurrentDevice current(device);
    return current.error() == Success && resolve(&stream) == Success ? stream : nullptr;
  }

 private:
  KeptPerDevice<Stream_t> of_current_;
};

inline DefaultStreams& default_streams() {
  static auto* const list = new DefaultStreams;
  return *list;
}

namespace emulation {

namespace synchronize_streams {
inline Error_t DeviceSynchronize() {
  int device = 0;
  if (const Error_t error = GetDevice(&device)) return error;
  for (const std::shared_ptr<KnownStream>& stream : streams().of_device(device)) {
    const std::lock_guard<std::mutex> lock(stream->in_use);
    if (stream->destroyed) continue;
    if (const Error_t error = StreamSynchronize(stream->handle)) return error;
  }
  return StreamSynchronize(nullptr);
}
}  // namespace synchronize_streams

namespace event_on_stream {
// While the last marker is pending the stream is busy. Else a new one tells, which an idle stream passes at once; a
// moment of patience, for "at once" takes a few microseconds. Work that others gave to the stream counts as well.
constexpr auto kPatience = std::chrono::milliseconds(10);

inline Error_t StreamQuery(Stream_t stream) {
  std::shared_ptr<KnownStream> known;
  if (const Error_t error = streams().find("StreamQuery", stream, &known)) return error;
  const CurrentDevice current(known->device);
  if (const Error_t error = current.error()) return error;
  const std::lock_guard<std::mutex> lock(known->marking);
  if (known->marker == nullptr) {
    if (const Error_t error = EventCreateWithFlags(&known->marker, EventDisableTiming)) return error;
  }
  if (const Error_t error = EventQuery(known->marker)) return error;
  if (const Error_t error = EventRecord(known->marker, stream)) return error;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Error_t found = EventQuery(known->marker);
  while (found == ErrorNotReady && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    found = EventQuery(known->marker);
  }
  return found;
}
}  // namespace event_on_stream

namespace no_priorities {
inline Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = require_device("DeviceGetStreamPriorityRange")) return error;
  *leastPriority = 0;
  *greatestPriority = 0;
  return Success;
}
inline Error_t StreamGetPriority(Stream_t /*stream*/, int* priority) {
  *priority = 0;
  return Success;
}
inline Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int /*flags*/, int /*priority*/) {
  return StreamCreate(stream);
}
}  // namespace no_priorities

namespace kept_priority {
inline Error_t StreamGetPriority(Stream_t stream, int* priority) {
  std::shared_ptr<KnownStream> known;
  if (const Error_t error = streams().find("StreamGetPriority", stream, &known)) return error;
  *priority = known->priority;
  return Success;
}
}  // namespace kept_priority

namespace host_wait {
inline Error_t StreamWaitEvent(Stream_t /*stream*/, Event_t event, unsigned int /*flags*/) {
  return EventSynchronize(event);
}
}  // namespace host_wait

}  // namespace emulation
}  // namespace flagos::sdk
