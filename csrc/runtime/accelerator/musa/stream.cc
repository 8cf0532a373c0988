// @generated from docs/vendors/musa/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  int least = 0;
  int greatest = 0;
  if (const Error_t error = DeviceGetStreamPriorityRange(&least, &greatest)) return error;
  musaStream_t found{};
  if (const Error_t error =
          check(musaStreamCreateWithPriority(&found, musaStreamNonBlocking, std::clamp(priority, greatest, least)),
                "musaStreamCreateWithPriority"))
    return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(found);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  int found{};
  if (const Error_t error = check(musaStreamGetPriority(native(stream), &found), "musaStreamGetPriority")) return error;
  *priority = found;
  return Success;
}

// Nothing public says whether work that was submitted runs to its end
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return check(musaStreamDestroy(native(stream)), "musaStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  return check(musaStreamQuery(native(stream)), "musaStreamQuery");
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  return check(musaStreamSynchronize(native(stream)), "musaStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  return check(musaStreamWaitEvent(native(stream), native(event), musaEventWaitDefault), "musaStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  musaEvent_t found{};
  if (const Error_t error = check(
          musaEventCreateWithFlags(&found, flags == EventEnableTiming ? musaEventDefault : musaEventDisableTiming),
          "musaEventCreateWithFlags"))
    return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventCreate(Event_t* event) {
  if (const Error_t error = arguments::EventCreate(event)) return error;
  musaEvent_t found{};
  if (const Error_t error = check(musaEventCreate(&found), "musaEventCreate")) return error;
  *event = to<Event_t>(found);
  return Success;
}

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return check(musaEventDestroy(native(event)), "musaEventDestroy");
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  return check(musaEventRecord(native(event), native(stream)), "musaEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return check(musaEventSynchronize(native(event)), "musaEventSynchronize");
}

// not-ready is kept out of the driver's last error; Torch-FL clears the runtime's after it all the same
Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return check(musaEventQuery(native(event)), "musaEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  float found{};
  if (const Error_t error = check(musaEventElapsedTime(&found, native(start), native(end)), "musaEventElapsedTime"))
    return error;
  *ms = found;
  return Success;
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
