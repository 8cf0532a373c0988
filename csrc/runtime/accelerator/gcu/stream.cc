// @generated from docs/vendors/gcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Emulated (no_priorities): the header has no function with a priority, and the vendor's torch answers that priorities
// are not supported yet
Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  return emulation::no_priorities::StreamCreateWithPriority(stream, flags, priority);
}

// topsStreamCreate would make a stream that waits for the null stream
Error_t StreamCreate(Stream_t* stream) {
  if (const Error_t error = arguments::StreamCreate(stream)) return error;
  topsStream_t found{};
  if (const Error_t error =
          check(topsStreamCreateWithFlags(&found, topsStreamNonBlocking), "topsStreamCreateWithFlags"))
    return error;
  if (const Error_t error = streams().add(to<Stream_t>(found))) return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

// Emulated (no_priorities): the header has no function with a priority, and the vendor's torch answers that priorities
// are not supported yet
Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  return emulation::no_priorities::StreamGetPriority(stream, priority);
}

// May end the stream with work still queued
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  return check(topsStreamDestroy(native(stream)), "topsStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  if (const Error_t error = streams().require("StreamQuery", stream)) return error;
  return check(topsStreamQuery(native(stream)), "topsStreamQuery");
}

// With the null stream it waits for the device's other streams, too
Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  return check(topsStreamSynchronize(native(stream)), "topsStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  if (const Error_t error = streams().require("StreamWaitEvent", stream)) return error;
  return check(topsStreamWaitEvent(native(stream), native(event), 0), "topsStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  topsEvent_t found{};
  if (const Error_t error = check(
          topsEventCreateWithFlags(&found, flags == EventEnableTiming ? topsEventDefault : topsEventDisableTiming),
          "topsEventCreateWithFlags"))
    return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(topsEventDestroy(native(event)), "topsEventDestroy");
}

// Recording an event whose last record is pending has no defined result; that record is waited for
Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  if (const Error_t error = streams().require("EventRecord", stream)) return error;
  if (const Error_t error = EventSynchronize(event)) return error;
  return check(topsEventRecord(native(event), native(stream)), "topsEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(topsEventSynchronize(native(event)), "topsEventSynchronize");
}

Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(topsEventQuery(native(event)), "topsEventQuery");
}

// An event of the null stream has the time at which all other streams were idle
Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(topsEventElapsedTime(&found, native(start), native(end)), "topsEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
