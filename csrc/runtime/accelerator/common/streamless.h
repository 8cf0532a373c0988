// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of an SDK whose calls return when their work is done. Nothing is ever pending, so there is nothing
// to wait for; what is left is to tell live handles from others.
#pragma once

#include "events.h"
#include "streams.h"

namespace flagos::sdk::emulation::streamless {

inline Error_t DeviceSynchronize() { return require_device("DeviceSynchronize"); }

inline Error_t StreamCreate(Stream_t* stream) {
  auto* const made = new char;  // an address of its own, and nothing in it
  if (const Error_t error = streams().add(reinterpret_cast<Stream_t>(made))) {
    delete made;
    return error;
  }
  *stream = reinterpret_cast<Stream_t>(made);
  return Success;
}
inline Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int /*flags*/, int /*priority*/) {
  return streamless::StreamCreate(stream);
}
inline Error_t StreamDestroy(Stream_t stream) {
  if (const Error_t error = streams().remove("StreamDestroy", stream)) return error;
  delete reinterpret_cast<char*>(stream);
  return Success;
}
inline Error_t StreamQuery(Stream_t stream) { return streams().require("StreamQuery", stream); }
inline Error_t StreamSynchronize(Stream_t stream) { return streams().require("StreamSynchronize", stream); }
inline Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int /*flags*/) {
  int device = 0;
  if (const Error_t error = events().device_of("StreamWaitEvent", event, &device)) return error;
  return streams().require("StreamWaitEvent", stream);
}

inline Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  auto* const made = new char;
  if (const Error_t error = events().add(reinterpret_cast<Event_t>(made), flags == EventEnableTiming)) {
    delete made;
    return error;
  }
  *event = reinterpret_cast<Event_t>(made);
  return Success;
}
inline Error_t EventCreate(Event_t* event) { return streamless::EventCreateWithFlags(event, EventEnableTiming); }
inline Error_t EventDestroy(Event_t event) {
  if (const Error_t error = events().remove("EventDestroy", event)) return error;
  delete reinterpret_cast<char*>(event);
  return Success;
}
inline Error_t EventRecord(Event_t event, Stream_t stream) {
  if (const Error_t error = require_same_device(event, stream)) return error;
  events().record(event);
  events().note_ready(event);
  return Success;
}
inline Error_t EventSynchronize(Event_t event) {
  int device = 0;
  return events().device_of("EventSynchronize", event, &device);
}
inline Error_t EventQuery(Event_t event) {
  int device = 0;
  return events().device_of("EventQuery", event, &device);
}
// The work before a record was done at the record, so the host's clock then tells of the device's work.
inline Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  return host_timer::EventElapsedTime(ms, start, end);
}

}  // namespace flagos::sdk::emulation::streamless
