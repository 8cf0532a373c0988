// @generated from docs/vendors/opencl/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Emulated (no_priorities): queues have a priority only with an extension, which PoCL lacks
Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  if (const Error_t error = arguments::StreamCreateWithPriority(stream, flags, priority)) return error;
  return emulation::no_priorities::StreamCreateWithPriority(stream, flags, priority);
}

Error_t StreamCreate(Stream_t* stream) {
  if (const Error_t error = arguments::StreamCreate(stream)) return error;
  if (const Error_t error = set_up()) return error;
  cl_context context{};
  if (const Error_t error = get_context(&context)) return error;
  cl_device_id devices{};
  if (const Error_t error = get_devices(&devices)) return error;
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status{};
  const auto made = clCreateCommandQueueWithProperties(context, devices, list, &status);
  if (const Error_t error = check(status, "clCreateCommandQueueWithProperties")) return error;
  if (const Error_t error = streams().add(to<Stream_t>(made))) return error;
  devices_in_use.note_current();
  *stream = to<Stream_t>(made);
  return Success;
}

// Emulated (no_priorities): queues have a priority only with an extension, which PoCL lacks
Error_t StreamGetPriority(Stream_t stream, int* priority) {
  if (const Error_t error = arguments::StreamGetPriority(stream, priority)) return error;
  return emulation::no_priorities::StreamGetPriority(stream, priority);
}

// DeviceSynchronize waits for the queues that are there, so the work of this one must be done
Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = arguments::StreamDestroy(stream)) return error;
  int owner = 0;
  if (const Error_t error = streams().device_of("StreamDestroy", stream, &owner)) return error;
  if (const Error_t error = synchronize_device(owner)) return error;
  if (const Error_t error = set_up()) return error;
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  return check(clReleaseCommandQueue(native(stream)), "clReleaseCommandQueue");
}

// Emulated (event_on_stream): no function asks a queue whether it is idle
Error_t StreamQuery(Stream_t stream) {
  if (const Error_t error = arguments::StreamQuery(stream)) return error;
  return emulation::event_on_stream::StreamQuery(stream);
}

Error_t StreamSynchronize(Stream_t stream) {
  if (const Error_t error = arguments::StreamSynchronize(stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  if (const Error_t error = set_up()) return error;
  return check(clFinish(native(stream)), "clFinish");
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  if (const Error_t error = arguments::StreamWaitEvent(stream, event, flags)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = streams().require("StreamWaitEvent", stream)) return error;
  EventOfRecord event_record;
  if (const Error_t error = held_events().latest("StreamWaitEvent", event, &event_record)) return error;
  if (event_record == nullptr) return Success;
  if (const Error_t error = set_up()) return error;
  cl_event native_event = event_record->native;
  if (const Error_t error = check(clEnqueueBarrierWithWaitList(native(stream), 1, &native_event, nullptr),
                                  "clEnqueueBarrierWithWaitList"))
    return error;
  return check(clFlush(native(stream)), "clFlush");
}

// Emulated (recorded_event): an event comes into being with the marker
Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  if (const Error_t error = arguments::EventCreateWithFlags(event, flags)) return error;
  return emulation::recorded_event::EventCreateWithFlags(event, flags, held_events());
}

// Emulated (recorded_event): an event comes into being with the marker
Error_t EventCreate(Event_t* event) {
  if (const Error_t error = arguments::EventCreate(event)) return error;
  return emulation::recorded_event::EventCreate(event, held_events());
}

Error_t EventDestroy(Event_t event) {
  if (const Error_t error = arguments::EventDestroy(event)) return error;
  if (const Error_t error = set_up()) return error;
  if (const Error_t error = events().remove("EventDestroy", event)) return error;
  return held_events().destroy(event);
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = arguments::EventRecord(event, stream)) return error;
  if (const Error_t error = default_streams().resolve(&stream)) return error;
  if (const Error_t error = require_same_device(event, stream)) return error;
  if (const Error_t error = set_up()) return error;
  cl_event recorded{};
  if (const Error_t error =
          check(clEnqueueMarkerWithWaitList(native(stream), 0, nullptr, &recorded), "clEnqueueMarkerWithWaitList"))
    return error;
  if (const Error_t error =
          held_events().replace(event, std::make_shared<EventOfRecord::element_type>(recorded, release)))
    return error;
  events().record(event);
  return check(clFlush(native(stream)), "clFlush");
}

Error_t EventSynchronize(Event_t event) {
  if (const Error_t error = arguments::EventSynchronize(event)) return error;
  EventOfRecord event_record;
  if (const Error_t error = held_events().latest("EventSynchronize", event, &event_record)) return error;
  if (event_record == nullptr) return Success;
  if (const Error_t error = set_up()) return error;
  cl_event native_event = event_record->native;
  return check(clWaitForEvents(1, &native_event), "clWaitForEvents");
}

Error_t EventQuery(Event_t event) {
  if (const Error_t error = arguments::EventQuery(event)) return error;
  EventOfRecord event_record;
  if (const Error_t error = held_events().latest("EventQuery", event, &event_record)) return error;
  if (event_record == nullptr) return Success;
  if (const Error_t error = set_up()) return error;
  cl_int result{};
  if (const Error_t error = check(
          clGetEventInfo(event_record->native, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(cl_int), &result, nullptr),
          "clGetEventInfo"))
    return error;
  if (result == CL_RUNNING) return ErrorNotReady;
  if (result == CL_SUBMITTED) return ErrorNotReady;
  if (result == CL_QUEUED) return ErrorNotReady;
  if (result != CL_COMPLETE) {
    return fail("clGetEventInfo", "a result that the map does not list");
  }
  return Success;
}

// Emulated (profiled_time): clGetEventProfilingInfo gives the time of one event
Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  if (const Error_t error = arguments::EventElapsedTime(ms, start, end)) return error;
  if (const Error_t error = set_up()) return error;
  const auto timestamp_of = [](Event_t event, double* self) -> Error_t {
    EventOfRecord event_record;
    if (const Error_t error = held_events().latest("EventElapsedTime", event, &event_record)) return error;
    if (event_record == nullptr) return fail("EventElapsedTime", "an event was never recorded");
    uint64_t found{};
    if (const Error_t error = check(
            clGetEventProfilingInfo(event_record->native, CL_PROFILING_COMMAND_END, sizeof(cl_ulong), &found, nullptr),
            "clGetEventProfilingInfo"))
      return error;
    *self = found * 1e-06;
    return Success;
  };
  return emulation::profiled_time::EventElapsedTime(ms, start, end, timestamp_of);
}

Stream_t GetDefaultStream(int device) { return default_streams().of(device); }
