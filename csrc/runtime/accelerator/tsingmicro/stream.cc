// @generated from docs/vendors/tsingmicro/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Emulated (no_priorities): no function with a priority is called anywhere, and the library is not described to have
// one
Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  return emulation::no_priorities::StreamCreateWithPriority(stream, flags, priority);
}

Error_t StreamCreate(Stream_t* stream) {
  if (const Error_t error = arguments::StreamCreate(stream)) return error;
  txStream_t found{};
  if (const Error_t error = check(txStreamCreate(&found), "txStreamCreate")) return error;
  if (const Error_t error = streams().add(to<Stream_t>(found))) return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

// Emulated (no_priorities): no function with a priority is called anywhere, and the library is not described to have
// one
Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  return emulation::no_priorities::StreamGetPriority(stream, priority);
}

// Nothing tells whether work that is queued still runs
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  return check(txStreamDestroy(native(stream)), "txStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamQuery", stream)) return error;
  return check(txStreamQuery(native(stream)), "txStreamQuery");
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  return check(txStreamSynchronize(native(stream)), "txStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamWaitEvent", stream)) return error;
  return check(txStreamWaitEvent(native(stream), native(event)), "txStreamWaitEvent");
}

// Emulated (drop_flags): txEventCreate takes no flags
Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  return emulation::drop_flags::EventCreateWithFlags(event, flags);
}

Error_t EventCreate(Event_t* event) {
  if (const Error_t error = arguments::EventCreate(event)) return error;
  txEvent_t found{};
  if (const Error_t error = check(txEventCreate(&found), "txEventCreate")) return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(txEventDestroy(native(event)), "txEventDestroy");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("EventRecord", stream)) return error;
  return check(txEventRecord(native(event), native(stream)), "txEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(txEventSynchronize(native(event)), "txEventSynchronize");
}

Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(txEventQuery(native(event)), "txEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(txEventElapsedTime(&found, native(start), native(end)), "txEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

Stream_t GetDefaultStream(int device) { return default_streams().of(device); }
