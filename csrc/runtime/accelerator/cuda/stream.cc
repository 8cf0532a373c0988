// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "check.h"

using flagos::cuda::check;
using flagos::cuda::fail;
using flagos::cuda::note_current_device_in_use;

namespace {

cudaStream_t native(Stream_t stream) { return reinterpret_cast<cudaStream_t>(stream); }
cudaEvent_t native(Event_t event) { return reinterpret_cast<cudaEvent_t>(event); }

}  // namespace

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr) return fail("cudaStreamCreateWithPriority", "null output");
  if (flags != StreamDefault) return fail("cudaStreamCreateWithPriority", "unknown StreamFlags");
  int least = 0;
  int greatest = 0;
  cudaError_t status = cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (status != cudaSuccess) return check(status, "cudaDeviceGetStreamPriorityRange");
  cudaStream_t created = nullptr;
  // Non-blocking: without it a stream would synchronise implicitly with the default stream.
  status = cudaStreamCreateWithPriority(&created, cudaStreamNonBlocking, std::clamp(priority, greatest, least));
  if (status != cudaSuccess) return check(status, "cudaStreamCreateWithPriority");
  note_current_device_in_use();
  *stream = reinterpret_cast<Stream_t>(created);
  return Success;
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (priority == nullptr) return fail("cudaStreamGetPriority", "null output");
  int actual = 0;
  const cudaError_t status = cudaStreamGetPriority(native(stream), &actual);
  if (status == cudaSuccess) *priority = actual;
  return check(status, "cudaStreamGetPriority");
}

Error_t StreamDestroy(Stream_t stream) {
  if (stream == nullptr) return fail("cudaStreamDestroy", "null stream");
  return check(cudaStreamDestroy(native(stream)), "cudaStreamDestroy");
}

Error_t StreamQuery(Stream_t stream) { return check(cudaStreamQuery(native(stream)), "cudaStreamQuery"); }

Error_t StreamSynchronize(Stream_t stream) {
  return check(cudaStreamSynchronize(native(stream)), "cudaStreamSynchronize");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (event == nullptr) return fail("cudaStreamWaitEvent", "null event");
  if (flags != WaitDefault) return fail("cudaStreamWaitEvent", "unknown WaitFlags");
  return check(cudaStreamWaitEvent(native(stream), native(event), cudaEventWaitDefault), "cudaStreamWaitEvent");
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (event == nullptr) return fail("cudaEventCreateWithFlags", "null output");
  unsigned int translated = 0;
  switch (flags) {
    case EventDisableTiming:
      translated = cudaEventDisableTiming;
      break;
    case EventEnableTiming:
      translated = cudaEventDefault;
      break;
    default:
      return fail("cudaEventCreateWithFlags", "unknown EventFlags");
  }
  cudaEvent_t created = nullptr;
  const cudaError_t status = cudaEventCreateWithFlags(&created, translated);
  if (status != cudaSuccess) return check(status, "cudaEventCreateWithFlags");
  *event = reinterpret_cast<Event_t>(created);
  return Success;
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

Error_t EventDestroy(Event_t event) {
  if (event == nullptr) return fail("cudaEventDestroy", "null event");
  return check(cudaEventDestroy(native(event)), "cudaEventDestroy");
}

// A null stream is the current device's, so an event of another device fails there, as it should.
Error_t EventRecord(Event_t event, Stream_t stream) {
  if (event == nullptr) return fail("cudaEventRecord", "null event");
  return check(cudaEventRecord(native(event), native(stream)), "cudaEventRecord");
}

Error_t EventSynchronize(Event_t event) {
  if (event == nullptr) return fail("cudaEventSynchronize", "null event");
  return check(cudaEventSynchronize(native(event)), "cudaEventSynchronize");
}

Error_t EventQuery(Event_t event) {
  if (event == nullptr) return fail("cudaEventQuery", "null event");
  return check(cudaEventQuery(native(event)), "cudaEventQuery");
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (ms == nullptr) return fail("cudaEventElapsedTime", "null output");
  if (start == nullptr || end == nullptr) return fail("cudaEventElapsedTime", "null event");
  float elapsed = 0;
  const cudaError_t status = cudaEventElapsedTime(&elapsed, native(start), native(end));
  if (status == cudaSuccess) *ms = elapsed;
  return check(status, "cudaEventElapsedTime");
}

// CUDA's handle for it, null (the legacy default stream), means that of the current device, whatever `device` is.
Stream_t GetDefaultStream(int /*device*/) { return nullptr; }
