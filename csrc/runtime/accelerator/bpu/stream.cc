// @generated from docs/vendors/bpu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  return emulation::streamless::StreamCreateWithPriority(stream, flags, priority);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamCreate(Stream_t* stream) {
  if (const Error_t error = arguments::StreamCreate(stream)) return error;
  return emulation::streamless::StreamCreate(stream);
}

// Emulated (no_priorities): a task has a priority, a stream does not exist
Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  return emulation::no_priorities::StreamGetPriority(stream, priority);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  return emulation::streamless::StreamDestroy(stream);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  return emulation::streamless::StreamQuery(stream);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  return emulation::streamless::StreamSynchronize(stream);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  return emulation::streamless::StreamWaitEvent(stream, event, flags);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  return emulation::streamless::EventCreateWithFlags(event, flags);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventCreate(Event_t* event) {
  if (const Error_t error = arguments::EventCreate(event)) return error;
  return emulation::streamless::EventCreate(event);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  return emulation::streamless::EventDestroy(event);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  return emulation::streamless::EventRecord(event, stream);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  return emulation::streamless::EventSynchronize(event);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  return emulation::streamless::EventQuery(event);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  return emulation::streamless::EventElapsedTime(ms, start, end);
}

// The SDK's handle for it, null, means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
