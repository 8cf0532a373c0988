// @generated from docs/vendors/ascend/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  if (const Error_t error = set_up_thread()) return error;
  int least = 0;
  int greatest = 0;
  if (const Error_t error = DeviceGetStreamPriorityRange(&least, &greatest)) return error;
  aclrtStream found{};
  if (const Error_t error = check(aclrtCreateStreamWithConfig(&found, std::clamp(priority, greatest, least),
                                                              ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
                                  "aclrtCreateStreamWithConfig"))
    return error;
  if (const Error_t error = streams().add(to<Stream_t>(found), std::clamp(priority, greatest, least))) return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamGetPriority", stream)) return error;
  if (const Error_t error = set_up_thread()) return error;
  uint32_t found{};
  if (const Error_t error = check(aclrtStreamGetPriority(native(stream), &found), "aclrtStreamGetPriority"))
    return error;
  *priority = found;
  return Success;
}

// The stream must be idle and of the current device
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("StreamDestroy", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  return check(aclrtDestroyStream(native(stream)), "aclrtDestroyStream");
}

// The SDK's value 0 means complete here, and pending in EventQuery
Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamQuery", stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("StreamQuery", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  aclrtStreamStatus result{};
  if (const Error_t error = check(aclrtStreamQuery(native(stream), &result), "aclrtStreamQuery")) return error;
  if (result == ACL_STREAM_STATUS_NOT_READY) return ErrorNotReady;
  if (result != ACL_STREAM_STATUS_COMPLETE) {
    return fail("aclrtStreamQuery", "a result that the map does not list");
  }
  return Success;
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("StreamSynchronize", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtSynchronizeStream(native(stream)), "aclrtSynchronizeStream");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamWaitEvent", stream)) return error;
  bool recorded = false;
  if (const Error_t error = events().was_recorded("StreamWaitEvent", event, &recorded)) return error;
  if (!recorded) return Success;
  int owner = 0;
  if (const Error_t error = streams().device_of("StreamWaitEvent", stream, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtStreamWaitEvent(native(stream), native(event)), "aclrtStreamWaitEvent");
}

// An event of aclrtCreateEventWithFlag can be recorded once; without ACL_EVENT_SYNC no stream can wait for it
Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  if (const Error_t error = set_up_thread()) return error;
  aclrtEvent found{};
  if (const Error_t error =
          check(aclrtCreateEventExWithFlag(
                    &found, flags == EventEnableTiming ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC),
                "aclrtCreateEventExWithFlag"))
    return error;
  if (const Error_t error = events().add(to<Event_t>(found), flags == EventEnableTiming)) return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

// The header wants its waits to be over, the documentation allows it earlier; to be measured
Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  int owner = 0;
  if (const Error_t error = events().device_of("EventDestroy", event, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  if (const Error_t error = events().remove("EventDestroy", event)) return error;
  return check(aclrtDestroyEvent(native(event)), "aclrtDestroyEvent");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = require_same_device(event, stream)) return error;
  int owner = 0;
  if (const Error_t error = events().device_of("EventRecord", event, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  if (const Error_t error = check(aclrtRecordEvent(native(event), native(stream)), "aclrtRecordEvent")) return error;
  events().record(event);
  return Success;
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  bool recorded = false;
  if (const Error_t error = events().was_recorded("EventSynchronize", event, &recorded)) return error;
  if (!recorded) return Success;
  int owner = 0;
  if (const Error_t error = events().device_of("EventSynchronize", event, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtSynchronizeEvent(native(event)), "aclrtSynchronizeEvent");
}

// The SDK's value 0 means pending here, and complete in StreamQuery
Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  bool recorded = false;
  if (const Error_t error = events().was_recorded("EventQuery", event, &recorded)) return error;
  if (!recorded) return Success;
  int owner = 0;
  if (const Error_t error = events().device_of("EventQuery", event, &owner)) return error;
  const CurrentDevice current(owner);
  if (const Error_t error = current.error()) return error;
  if (const Error_t error = set_up_thread()) return error;
  aclrtEventRecordedStatus result{};
  if (const Error_t error = check(aclrtQueryEventStatus(native(event), &result), "aclrtQueryEventStatus")) return error;
  if (result == ACL_EVENT_RECORDED_STATUS_NOT_READY) return ErrorNotReady;
  if (result != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
    return fail("aclrtQueryEventStatus", "a result that the map does not list");
  }
  return Success;
}

// Documented for two events of one stream
Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  if (const Error_t error = events().require_pair(start, end)) return error;
  if (const Error_t error = set_up_thread()) return error;
  float found{};
  if (const Error_t error = check(aclrtEventElapsedTime(&found, native(start), native(end)), "aclrtEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

Stream_t GetDefaultStream(int device) { return default_streams().of(device); }
