// SPDX-License-Identifier: Apache-2.0
//
// Events that are more than a handle of the SDK's: holders of an event that comes into being when it is recorded, the
// device and the timing that an event was made with, and the host's clock in place of a device's.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "devices.h"
#include "sdk_call.h"

namespace flagos::sdk {

// One thing for each live event.
template <typename T>
class EventTable {
 public:
  void put(Event_t event, std::shared_ptr<T> known) {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[event] = std::move(known);
  }
  Error_t find(const char* slot, Event_t event, std::shared_ptr<T>* found) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = known_.find(event);
    if (known == known_.end()) return fail(slot, "unknown event");
    *found = known->second;
    return Success;
  }
  Error_t remove(const char* slot, Event_t event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return known_.erase(event) == 1 ? Success : fail(slot, "unknown event");
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Event_t, std::shared_ptr<T>> known_;
};

// What the runtime remembers of an event.
class KnownEvent {
 public:
  using Clock = std::chrono::steady_clock;

  KnownEvent(int event_device, bool with_timing) : device(event_device), timed(with_timing) {}

  void record() {
    const std::lock_guard<std::mutex> lock(mutex_);
    recorded_ = true;
    seen_.reset();
  }
  // The first sight of a ready event is the host's time of it.
  void note_ready() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (recorded_ && !seen_) seen_ = Clock::now();
  }
  bool was_recorded() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return recorded_;
  }
  std::optional<Clock::time_point> when_seen() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }

  const int device;
  const bool timed;

 private:
  std::mutex mutex_;
  bool recorded_ = false;
  std::optional<Clock::time_point> seen_;
};

class Events : public EventTable<KnownEvent> {
 public:
  Error_t add(Event_t event, bool timed) {
    int device = 0;
    if (const Error_t error = GetDevice(&device)) return error;
    put(event, std::make_shared<KnownEvent>(device, timed));
    return Success;
  }
  Error_t device_of(const char* slot, Event_t event, int* device) const {
    std::shared_ptr<KnownEvent> found;
    if (const Error_t error = find(slot, event, &found)) return error;
    *device = found->device;
    return Success;
  }
  void record(Event_t event) {
    std::shared_ptr<KnownEvent> found;
    if (find("EventRecord", event, &found) == Success) found->record();
  }
  void note_ready(Event_t event) {
    std::shared_ptr<KnownEvent> found;
    if (find("EventQuery", event, &found) == Success) found->note_ready();
  }
  Error_t was_recorded(const char* slot, Event_t event, bool* recorded) const {
    std::shared_ptr<KnownEvent> found;
    if (const Error_t error = find(slot, event, &found)) return error;
    *recorded = found->was_recorded();
    return Success;
  }
  // Both of one device, timed and recorded: what an elapsed time needs.
  Error_t require_pair(Event_t start, Event_t end) const {
    std::shared_ptr<KnownEvent> first;
    std::shared_ptr<KnownEvent> second;
    if (const Error_t error = find("EventElapsedTime", start, &first)) return error;
    if (const Error_t error = find("EventElapsedTime", end, &second)) return error;
    if (!first->timed || !second->timed) return fail("EventElapsedTime", "an event was created without timing");
    if (!first->was_recorded() || !second->was_recorded())
      return fail("EventElapsedTime", "an event was never recorded");
    if (first->device != second->device) return fail("EventElapsedTime", "events of two devices have no common clock");
    for (const Event_t event : {start, end}) {
      if (const Error_t error = EventQuery(event)) return error;
    }
    return Success;
  }
};

inline Events& events() {
  static auto* const list = new Events;  // never destroyed: used until the process ends
  return *list;
}

// The SDK's event of one record; it is released when nobody uses it any more.
template <typename Native>
class Recorded {
 public:
  Recorded(Native event, Error_t (*release)(Native)) : native(event), release_(release) {}
  ~Recorded() { release_(native); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  const Native native;

 private:
  Error_t (*const release_)(Native);
};

// Event_t of an SDK whose events come into being when they are recorded.
template <typename Native>
class HeldEvents {
 public:
  using Record = std::shared_ptr<const Recorded<Native>>;

  // The latest record, null if there is none.
  Error_t latest(const char* slot, Event_t event, Record* record) const {
    std::shared_ptr<Holder> holder;
    if (const Error_t error = table_.find(slot, event, &holder)) return error;
    const std::lock_guard<std::mutex> lock(holder->mutex);
    *record = holder->record;
    return Success;
  }
  Error_t replace(Event_t event, Record record) {
    std::shared_ptr<Holder> holder;
    if (const Error_t error = table_.find("EventRecord", event, &holder)) return error;
    const std::lock_guard<std::mutex> lock(holder->mutex);
    holder->record.swap(record);
    return Success;
  }
  Event_t create() {
    auto holder = std::make_shared<Holder>();
    const auto event = reinterpret_cast<Event_t>(holder.get());
    table_.put(event, std::move(holder));
    return event;
  }
  Error_t destroy(Event_t event) { return table_.remove("EventDestroy", event); }

 private:
  struct Holder {
    std::mutex mutex;
    Record record;
  };
  EventTable<Holder> table_;
};

namespace emulation {

namespace recorded_event {
template <typename Held>
Error_t EventCreateWithFlags(Event_t* event, unsigned int flags, Held& held) {
  const Event_t made = held.create();
  if (const Error_t error = events().add(made, flags == EventEnableTiming)) {
    held.destroy(made);
    return error;
  }
  *event = made;
  return Success;
}
template <typename Held>
Error_t EventCreate(Event_t* event, Held& held) {
  return recorded_event::EventCreateWithFlags(event, EventEnableTiming, held);
}
}  // namespace recorded_event

namespace drop_flags {
inline Error_t EventCreateWithFlags(Event_t* event, unsigned int /*flags*/) { return EventCreate(event); }
}  // namespace drop_flags

namespace profiled_time {
template <typename Timestamp>
Error_t EventElapsedTime(float* ms, Event_t start, Event_t end, Timestamp timestamp) {
  double from = 0;
  double to = 0;
  if (const Error_t error = events().require_pair(start, end)) return error;
  if (const Error_t error = timestamp(start, &from)) return error;
  if (const Error_t error = timestamp(end, &to)) return error;
  *ms = static_cast<float>(to - from);
  return Success;
}
}  // namespace profiled_time

namespace host_timer {
inline Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = events().require_pair(start, end)) return error;
  std::shared_ptr<KnownEvent> first;
  std::shared_ptr<KnownEvent> second;
  if (const Error_t error = events().find("EventElapsedTime", start, &first)) return error;
  if (const Error_t error = events().find("EventElapsedTime", end, &second)) return error;
  const auto from = first->when_seen();
  const auto to = second->when_seen();
  if (!from || !to) return fail("EventElapsedTime", "an event was recorded again");
  *ms = std::chrono::duration<float, std::milli>(*to - *from).count();
  return Success;
}
}  // namespace host_timer

}  // namespace emulation
}  // namespace flagos::sdk
