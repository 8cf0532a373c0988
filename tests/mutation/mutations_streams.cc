// SPDX-License-Identifier: Apache-2.0
//
// Mutations of streams and events.
#include <algorithm>
#include <chrono>

#include "ingredients.h"

namespace mutation {
namespace {

// Every function that takes a stream gets `choose(stream)` instead.
template <auto choose>
void ReplaceStream() {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return real.MemcpyAsync(dst, src, count, kind, choose(stream));
  };
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, value, count, choose(stream));
  };
  mutant.StreamQuery = [](Stream_t stream) { return real.StreamQuery(choose(stream)); };
  mutant.StreamSynchronize = [](Stream_t stream) { return real.StreamSynchronize(choose(stream)); };
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    return real.StreamWaitEvent(choose(stream), event, flags);
  };
  mutant.EventRecord = [](Event_t event, Stream_t stream) { return real.EventRecord(event, choose(stream)); };
}

template <auto change>
void ChangePriority() {
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    return real.StreamCreateWithPriority(stream, flags, change(priority));
  };
}

bool OutsideRange(int priority) {
  int least = 0, greatest = 0;
  real.DeviceGetStreamPriorityRange(&least, &greatest);
  return priority < greatest || priority > least;
}

template <auto change>
void ChangeElapsed() {
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    if (error == Success) *ms = change(*ms);
    return error;
  };
}

// EventElapsedTime turns the error `from` into Success and 0 ms if `covers(start, end)`.
template <Error_t from, auto covers>
void ForgiveElapsed() {
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    if (error != from || ms == nullptr || start == nullptr || end == nullptr || !covers(start, end)) return error;
    *ms = 0;
    return Success;
  };
}

void TrackRecords() {
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    Error_t error = real.EventRecord(event, stream);
    Lock lock(mutex);
    if (error == Success) recorded_on[event] = stream;
    return error;
  };
  mutant.EventDestroy = [](Event_t event) {
    Lock lock(mutex);
    recorded_on.erase(event);
    return real.EventDestroy(event);
  };
}

bool Recorded(Event_t event) {
  Lock lock(mutex);
  return recorded_on.count(event) != 0;
}

MUTATION("stream.unknown_flags_accepted", "StreamCreateWithPriority takes any flags") {
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int, int priority) {
    return real.StreamCreateWithPriority(stream, StreamDefault, priority);
  };
}

MUTATION("stream.always_on_device_0", "streams are created on device 0") {
  mutant.StreamCreate = [](Stream_t* stream) {
    OnDevice on(0);
    return real.StreamCreate(stream);
  };
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    OnDevice on(0);
    return real.StreamCreateWithPriority(stream, flags, priority);
  };
}

MUTATION("stream.all_are_the_default", "created streams are the default stream under another name") {
  TrackHandles();
  ReplaceStream<[](Stream_t stream) { return IsCreated(stream) ? DefaultOf(stream) : stream; }>();
}

MUTATION("stream.all_created_are_one", "created streams of a device are one stream") {
  TrackHandles();
  ReplaceStream<[](Stream_t stream) { return IsCreated(stream) ? SideStream(DeviceOf(stream)) : stream; }>();
}

MUTATION("stream.waits_for_default", "created streams wait for the default stream, as CUDA's legacy streams do") {
  TrackHandles();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    if (IsCreated(stream)) Join(stream, DefaultOf(stream));
    return real.MemcpyAsync(dst, src, count, kind, stream);
  };
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    if (IsCreated(stream)) Join(stream, DefaultOf(stream));
    return real.MemsetAsync(ptr, value, count, stream);
  };
}

MUTATION("stream.null_refused", "a null stream is an error instead of the default stream") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return stream == nullptr ? ErrorUnknown : real.MemcpyAsync(dst, src, count, kind, stream);
  };
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return stream == nullptr ? ErrorUnknown : real.MemsetAsync(ptr, value, count, stream);
  };
}

MUTATION("stream.null_query_refused", "StreamQuery and StreamSynchronize refuse a null stream") {
  mutant.StreamQuery = [](Stream_t stream) { return stream == nullptr ? ErrorUnknown : real.StreamQuery(stream); };
  mutant.StreamSynchronize = [](Stream_t stream) {
    return stream == nullptr ? ErrorUnknown : real.StreamSynchronize(stream);
  };
}

MUTATION("stream.null_wait_refused", "StreamWaitEvent refuses a null stream") {
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    return stream == nullptr ? ErrorUnknown : real.StreamWaitEvent(stream, event, flags);
  };
}

MUTATION("stream.null_priority_refused", "StreamGetPriority refuses a null stream") {
  mutant.StreamGetPriority = [](Stream_t stream, int* priority) {
    return stream == nullptr ? ErrorUnknown : real.StreamGetPriority(stream, priority);
  };
}

MUTATION("stream.null_is_device_0", "a null stream is device 0's default stream whatever is current") {
  ReplaceStream<[](Stream_t stream) { return stream == nullptr ? real.GetDefaultStream(0) : stream; }>();
}

MUTATION("stream.destroy_accepts_null", "StreamDestroy of a null stream is Success") {
  mutant.StreamDestroy = [](Stream_t stream) { return stream == nullptr ? Success : real.StreamDestroy(stream); };
}

MUTATION("stream.destroy_drops_work", "StreamDestroy drops the newest work of the stream") {
  TrackHandles();
  HoldDeviceWork<[] { return "StreamDestroy"; }>();
  mutant.StreamDestroy = [](Stream_t stream) {
    Lock lock(mutex);
    held.remove_if([=](const Held& work) { return work.stream == stream; });
    created_streams.erase(stream);
    RunHeld();
    return real.StreamDestroy(stream);
  };
}

MUTATION("stream.priority_echoed", "StreamGetPriority says what was asked for instead of what the stream has") {
  static std::map<Stream_t, int> asked;
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    Error_t error = real.StreamCreateWithPriority(stream, flags, priority);
    Lock lock(mutex);
    if (error == Success) asked[*stream] = priority;
    return error;
  };
  mutant.StreamGetPriority = [](Stream_t stream, int* priority) {
    Error_t error = real.StreamGetPriority(stream, priority);
    Lock lock(mutex);
    if (error == Success && asked.count(stream) != 0) *priority = asked[stream];
    return error;
  };
}

MUTATION("stream.priority_ignored", "every stream has priority 0") {
  ChangePriority<[](int) { return 0; }>();
}

MUTATION("stream.priority_negated", "priorities are passed on with the wrong sign") {
  ChangePriority<[](int priority) { return -priority; }>();
}

MUTATION("stream.priority_reported_0", "StreamGetPriority always says 0") {
  mutant.StreamGetPriority = [](Stream_t stream, int* priority) {
    Error_t error = real.StreamGetPriority(stream, priority);
    if (error == Success) *priority = 0;
    return error;
  };
}

MUTATION("stream.priority_refused", "a priority outside the range is refused instead of clamped") {
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    return OutsideRange(priority) ? ErrorUnknown : real.StreamCreateWithPriority(stream, flags, priority);
  };
}

MUTATION("stream.create_greatest_priority", "StreamCreate gives the greatest priority") {
  mutant.StreamCreate = [](Stream_t* stream) {
    int least = 0, greatest = 0;
    real.DeviceGetStreamPriorityRange(&least, &greatest);
    return real.StreamCreateWithPriority(stream, StreamDefault, greatest);
  };
}

MUTATION("stream.query_never_ready", "StreamQuery always says ErrorNotReady") {
  mutant.StreamQuery = [](Stream_t stream) {
    Error_t error = real.StreamQuery(stream);
    return error == Success ? ErrorNotReady : error;
  };
}

MUTATION("stream.query_blocks", "StreamQuery waits until the work is done") {
  mutant.StreamQuery = [](Stream_t stream) { return real.StreamSynchronize(stream); };
}

MUTATION("stream.query_whole_device", "StreamQuery asks about all streams of the device") {
  TrackHandles();
  mutant.StreamQuery = [](Stream_t stream) {
    Error_t error = real.StreamQuery(stream);
    Lock lock(mutex);
    for (Stream_t other : created_streams) {
      if (error == Success && DeviceOf(other) == DeviceOf(stream)) error = real.StreamQuery(other);
    }
    return error == Success ? real.StreamQuery(DefaultOf(stream)) : error;
  };
}

MUTATION("stream.synchronize_default", "StreamSynchronize waits for the default stream instead") {
  TrackHandles();
  mutant.StreamSynchronize = [](Stream_t stream) { return real.StreamSynchronize(DefaultOf(stream)); };
}

MUTATION("stream.synchronize_on_current_device",
         "StreamSynchronize does not wait unless the stream's device is current") {
  TrackHandles();
  mutant.StreamSynchronize = [](Stream_t stream) {
    return real.StreamSynchronize(DeviceOf(stream) == CurrentDevice() ? stream : nullptr);
  };
}

MUTATION("stream.synchronize_whole_device", "StreamSynchronize waits for all streams of the device") {
  TrackHandles();
  mutant.StreamSynchronize = [](Stream_t stream) {
    Error_t error = real.StreamSynchronize(stream);
    OnDevice on(DeviceOf(stream));
    return error == Success ? real.DeviceSynchronize() : error;
  };
}

MUTATION("stream.wait_unknown_flags_accepted", "StreamWaitEvent takes any flags") {
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int) {
    return real.StreamWaitEvent(stream, event, WaitDefault);
  };
}

MUTATION("stream.wait_blocks_host", "StreamWaitEvent blocks the host until the event is ready") {
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    Error_t error = real.StreamWaitEvent(stream, event, flags);
    return error == Success ? real.EventSynchronize(event) : error;
  };
}

MUTATION("stream.wait_takes_later_record", "a wait is for the record at the time the stream is used, not at the call") {
  HoldWaits();
  mutant.EventDestroy = [](Event_t event) {
    RunHeld([=](const Held& wait) { return wait.event == event; });
    return real.EventDestroy(event);
  };
}

MUTATION("stream.wait_ignores_other_device", "a wait for another device's event does not wait") {
  TrackHandles();
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    bool foreign = event != nullptr && flags == WaitDefault && DeviceOf(stream) != DeviceOf(event);
    return foreign ? Success : real.StreamWaitEvent(stream, event, flags);
  };
}

MUTATION("stream.wait_refuses_other_device", "a wait for another device's event is an error") {
  TrackHandles();
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    return DeviceOf(stream) != DeviceOf(event) ? ErrorUnknown : real.StreamWaitEvent(stream, event, flags);
  };
}

MUTATION("stream.wait_refuses_unrecorded", "a wait for an event never recorded is an error") {
  TrackRecords();
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    return Recorded(event) ? real.StreamWaitEvent(stream, event, flags) : ErrorUnknown;
  };
}

MUTATION("stream.wait_only_first", "a stream waits for the first event it is given and for no later one") {
  static std::set<Stream_t> waiting;
  mutant.StreamWaitEvent = [](Stream_t stream, Event_t event, unsigned int flags) {
    Lock lock(mutex);
    bool first = event == nullptr || flags != WaitDefault || waiting.insert(stream).second;
    return first ? real.StreamWaitEvent(stream, event, flags) : Success;
  };
}

MUTATION("event.unknown_flags_accepted", "EventCreateWithFlags takes any flags") {
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    return real.EventCreateWithFlags(event, flags & EventEnableTiming);
  };
}

MUTATION("event.always_on_device_0", "events are created on device 0") {
  mutant.EventCreate = [](Event_t* event) {
    OnDevice on(0);
    return real.EventCreate(event);
  };
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    OnDevice on(0);
    return real.EventCreateWithFlags(event, flags);
  };
}

MUTATION("event.never_ready", "EventQuery always says ErrorNotReady") {
  mutant.EventQuery = [](Event_t event) {
    Error_t error = real.EventQuery(event);
    return error == Success ? ErrorNotReady : error;
  };
}

MUTATION("event.query_blocks", "EventQuery waits until the event is ready") {
  mutant.EventQuery = [](Event_t event) { return real.EventSynchronize(event); };
}

MUTATION("event.unrecorded_not_ready", "an event never recorded is not ready") {
  TrackRecords();
  mutant.EventQuery = [](Event_t event) {
    Error_t error = real.EventQuery(event);
    return error == Success && !Recorded(event) ? ErrorNotReady : error;
  };
}

MUTATION("event.unrecorded_synchronize_fails", "EventSynchronize of an event never recorded is an error") {
  TrackRecords();
  mutant.EventSynchronize = [](Event_t event) { return Recorded(event) ? real.EventSynchronize(event) : ErrorUnknown; };
}

MUTATION("event.synchronize_default_stream", "EventSynchronize waits for the default stream instead of the record") {
  TrackHandles();
  mutant.EventSynchronize = [](Event_t event) {
    return event == nullptr ? real.EventSynchronize(event) : real.StreamSynchronize(DefaultOf(event));
  };
}

MUTATION("event.record_on_default_stream", "EventRecord records on the default stream") {
  TrackHandles();
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    return real.EventRecord(event, DeviceOf(event) == DeviceOf(stream) ? DefaultOf(stream) : stream);
  };
}

MUTATION("event.record_on_idle_stream", "EventRecord records on a stream without work") {
  TrackHandles();
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    bool same = DeviceOf(event) == DeviceOf(stream);
    return real.EventRecord(event, same ? SideStream(DeviceOf(stream)) : stream);
  };
}

MUTATION("event.record_misses_last_work", "a record does not cover the newest work of the stream") {
  TrackHandles();
  HoldDeviceWork<[] { return "EventRecord"; }>();
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    Error_t error = real.EventRecord(event, stream);
    RunHeld();
    return error;
  };
}

MUTATION("event.second_record_ignored", "only an event's first record counts") {
  TrackRecords();
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    Lock lock(mutex);
    if (Recorded(event)) return Success;
    Error_t error = real.EventRecord(event, stream);
    if (error == Success) recorded_on[event] = stream;
    return error;
  };
}

MUTATION("event.other_device_accepted", "a record on another device's stream is Success and does nothing") {
  TrackHandles();
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    bool foreign = event != nullptr && DeviceOf(event) != DeviceOf(stream);
    return foreign ? Success : real.EventRecord(event, stream);
  };
}

MUTATION("event.destroy_accepts_null", "EventDestroy of a null event is Success") {
  mutant.EventDestroy = [](Event_t event) { return event == nullptr ? Success : real.EventDestroy(event); };
}

MUTATION("event.destroy_frees_waiters", "streams stop waiting for an event that is destroyed") {
  HoldWaits();
  mutant.EventDestroy = [](Event_t event) {
    Lock lock(mutex);
    held.remove_if([=](const Held& wait) { return wait.event == event; });
    return real.EventDestroy(event);
  };
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    RunHeld();
    return real.EventRecord(event, stream);
  };
}

MUTATION("event.timing_ignored", "events are created without timing") {
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    if (flags == EventEnableTiming) flags = EventDisableTiming;
    return real.EventCreateWithFlags(event, flags);
  };
}

MUTATION("event.create_untimed", "EventCreate gives an event without timing") {
  mutant.EventCreate = [](Event_t* event) { return real.EventCreateWithFlags(event, EventDisableTiming); };
}

MUTATION("event.flags_inverted", "the timing flag means its opposite") {
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    return real.EventCreateWithFlags(event, flags ^ EventEnableTiming);
  };
}

MUTATION("event.elapsed_microseconds", "elapsed time is in microseconds") {
  ChangeElapsed<[](float ms) { return ms * 1000; }>();
}

MUTATION("event.elapsed_seconds", "elapsed time is in seconds") {
  ChangeElapsed<[](float ms) { return ms / 1000; }>();
}

MUTATION("event.elapsed_negative", "elapsed time has the wrong sign") {
  ChangeElapsed<[](float ms) { return -ms; }>();
}

MUTATION("event.elapsed_zero", "elapsed time is always 0") {
  ChangeElapsed<[](float) { return 0.0f; }>();
}

MUTATION("event.elapsed_host_time", "elapsed time is that between the two calls of EventRecord") {
  using Clock = std::chrono::steady_clock;
  static std::map<Event_t, Clock::time_point> called;
  mutant.EventRecord = [](Event_t event, Stream_t stream) {
    Error_t error = real.EventRecord(event, stream);
    Lock lock(mutex);
    if (error == Success) called[event] = Clock::now();
    return error;
  };
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    Lock lock(mutex);
    if (error == Success) *ms = std::chrono::duration<float, std::milli>(called[end] - called[start]).count();
    return error;
  };
}

MUTATION("event.elapsed_untimed_accepted", "elapsed time of events without timing is Success and 0") {
  TrackRecords();
  ForgiveElapsed<ErrorUnknown, [](Event_t start, Event_t end) { return Recorded(start) && Recorded(end); }>();
}

MUTATION("event.elapsed_unrecorded_accepted", "elapsed time of events never recorded is Success and 0") {
  TrackRecords();
  ForgiveElapsed<ErrorUnknown, [](Event_t start, Event_t end) { return !Recorded(start) || !Recorded(end); }>();
}

MUTATION("event.elapsed_not_ready_accepted", "elapsed time of unfinished events is Success and 0") {
  ForgiveElapsed<ErrorNotReady, [](Event_t, Event_t) { return true; }>();
}

MUTATION("event.elapsed_not_ready_is_unknown", "elapsed time of unfinished events is ErrorUnknown") {
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    return error == ErrorNotReady ? ErrorUnknown : error;
  };
}

MUTATION("event.elapsed_blocks", "elapsed time waits for unfinished events") {
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    if (error != ErrorNotReady) return error;
    real.EventSynchronize(start);
    real.EventSynchronize(end);
    return real.EventElapsedTime(ms, start, end);
  };
}

}  // namespace
}  // namespace mutation
