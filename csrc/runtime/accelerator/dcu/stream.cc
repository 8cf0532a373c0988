// @generated from docs/vendors/dcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Clamps the priority itself
Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  int least = 0;
  int greatest = 0;
  if (const Error_t error = DeviceGetStreamPriorityRange(&least, &greatest)) return error;
  hipStream_t found{};
  if (const Error_t error =
          check(hipStreamCreateWithPriority(&found, hipStreamNonBlocking, std::clamp(priority, greatest, least)),
                "hipStreamCreateWithPriority"))
    return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  int found{};
  if (const Error_t error = check(hipStreamGetPriority(native(stream), &found), "hipStreamGetPriority")) return error;
  *priority = found;
  return Success;
}

// Of commands that are still executing, the header says, some may complete
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return check(hipStreamDestroy(native(stream)), "hipStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  return check(hipStreamQuery(native(stream)), "hipStreamQuery");
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  return check(hipStreamSynchronize(native(stream)), "hipStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  return check(hipStreamWaitEvent(native(stream), native(event), 0), "hipStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  hipEvent_t found{};
  if (const Error_t error =
          check(hipEventCreateWithFlags(&found, flags == EventEnableTiming ? hipEventDefault : hipEventDisableTiming),
                "hipEventCreateWithFlags"))
    return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) {
  if (const Error_t error = arguments::EventCreate(event)) return error;
  hipEvent_t found{};
  if (const Error_t error = check(hipEventCreate(&found), "hipEventCreate")) return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(hipEventDestroy(native(event)), "hipEventDestroy");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  return check(hipEventRecord(native(event), native(stream)), "hipEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(hipEventSynchronize(native(event)), "hipEventSynchronize");
}

// The header's sentence swaps the two results; its text at the code hipErrorNotReady has them right
Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(hipEventQuery(native(event)), "hipEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(hipEventElapsedTime(&found, native(start), native(end)), "hipEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
