// @generated from docs/vendors/cuda/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  int least = 0;
  int greatest = 0;
  if (const Error_t error = DeviceGetStreamPriorityRange(&least, &greatest)) return error;
  cudaStream_t found{};
  if (const Error_t error =
          check(cudaStreamCreateWithPriority(&found, cudaStreamNonBlocking, std::clamp(priority, greatest, least)),
                "cudaStreamCreateWithPriority"))
    return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  int found{};
  if (const Error_t error = check(cudaStreamGetPriority(native(stream), &found), "cudaStreamGetPriority")) return error;
  *priority = found;
  return Success;
}

Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  return check(cudaStreamDestroy(native(stream)), "cudaStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  return check(cudaStreamQuery(native(stream)), "cudaStreamQuery");
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  return check(cudaStreamSynchronize(native(stream)), "cudaStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  return check(cudaStreamWaitEvent(native(stream), native(event), cudaEventWaitDefault), "cudaStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  cudaEvent_t found{};
  if (const Error_t error = check(
          cudaEventCreateWithFlags(&found, flags == EventEnableTiming ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags"))
    return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(cudaEventDestroy(native(event)), "cudaEventDestroy");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  return check(cudaEventRecord(native(event), native(stream)), "cudaEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(cudaEventSynchronize(native(event)), "cudaEventSynchronize");
}

Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(cudaEventQuery(native(event)), "cudaEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(cudaEventElapsedTime(&found, native(start), native(end)), "cudaEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
