// @generated from docs/vendors/metax/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  int least = 0;
  int greatest = 0;
  if (const Error_t error = DeviceGetStreamPriorityRange(&least, &greatest)) return error;
  mcStream_t found{};
  if (const Error_t error =
          check(mcStreamCreateWithPriority(&found, mcStreamNonBlocking, std::clamp(priority, greatest, least)),
                "mcStreamCreateWithPriority"))
    return error;
  if (const Error_t error = streams().add(to<Stream_t>(found), std::clamp(priority, greatest, least))) return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

// Emulated (kept_priority): no public text names a function for it; mcStreamGetPriority would be its name, look for it
// in the SDK
Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  return emulation::kept_priority::StreamGetPriority(stream, priority);
}

// Nothing public says whether work that was submitted runs to its end
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  return check(mcStreamDestroy(native(stream)), "mcStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  if (const Error_t error = streams().require("StreamQuery", stream)) return error;
  return check(mcStreamQuery(native(stream)), "mcStreamQuery");
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  return check(mcStreamSynchronize(native(stream)), "mcStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  if (const Error_t error = streams().require("StreamWaitEvent", stream)) return error;
  return check(mcStreamWaitEvent(native(stream), native(event), mcEventWaitDefault), "mcStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  mcEvent_t found{};
  if (const Error_t error =
          check(mcEventCreateWithFlags(&found, flags == EventEnableTiming ? mcEventDefault : mcEventDisableTiming),
                "mcEventCreateWithFlags"))
    return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(mcEventDestroy(native(event)), "mcEventDestroy");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  if (const Error_t error = streams().require("EventRecord", stream)) return error;
  return check(mcEventRecord(native(event), native(stream)), "mcEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(mcEventSynchronize(native(event)), "mcEventSynchronize");
}

Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(mcEventQuery(native(event)), "mcEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(mcEventElapsedTime(&found, native(start), native(end)), "mcEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
