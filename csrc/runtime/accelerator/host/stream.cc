// SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

using flagos::host::call;
using flagos::host::Failure;
using flagos::host::HostEvent;
using flagos::host::HostStream;
using flagos::host::Record;
using flagos::host::require_output;
using flagos::host::Simulator;

Error_t StreamCreateWithPriority(Stream_t* stream, unsigned int flags, int priority) {
  return call("StreamCreateWithPriority", [&](Simulator& simulator) {
    require_output(stream);
    if (flags != StreamDefault) throw Failure(ErrorUnknown, "unknown StreamFlags " + std::to_string(flags));
    *stream = simulator.create_stream(priority);
  });
}

Error_t StreamCreate(Stream_t* stream) { return StreamCreateWithPriority(stream, StreamDefault, 0); }

Error_t StreamGetPriority(Stream_t stream, int* priority) {
  return call("StreamGetPriority", [&](Simulator& simulator) {
    require_output(priority);
    *priority = simulator.stream(stream)->priority;
  });
}

Error_t StreamDestroy(Stream_t stream) {
  return call("StreamDestroy", [&](Simulator& simulator) { simulator.destroy_stream(stream); });
}

Error_t StreamQuery(Stream_t stream) {
  return call("StreamQuery", [&](Simulator& simulator) {
    const std::shared_ptr<HostStream> queried = simulator.stream(stream);
    return queried->passed(queried->submitted()) ? Success : ErrorNotReady;
  });
}

Error_t StreamSynchronize(Stream_t stream) {
  return call("StreamSynchronize", [&](Simulator& simulator) {
    const std::shared_ptr<HostStream> awaited = simulator.stream(stream);
    if (!awaited->wait(awaited->submitted())) throw Failure(ErrorUnknown, "the process is exiting");
  });
}

Error_t StreamWaitEvent(Stream_t stream, Event_t event, unsigned int flags) {
  return call("StreamWaitEvent", [&](Simulator& simulator) {
    if (flags != WaitDefault) throw Failure(ErrorUnknown, "unknown WaitFlags " + std::to_string(flags));
    const std::shared_ptr<HostStream> waiting = simulator.stream(stream);
    const std::shared_ptr<const Record> record = simulator.event(event)->latest();
    // Nothing to wait for: never recorded, passed already, or ahead in the same queue.
    if (record == nullptr || record->ready() || record->stream == waiting) return;
    waiting->submit([record] { return record->wait(); });
  });
}

Error_t EventCreateWithFlags(Event_t* event, unsigned int flags) {
  return call("EventCreateWithFlags", [&](Simulator& simulator) {
    require_output(event);
    if (flags != EventDisableTiming && flags != EventEnableTiming) {
      throw Failure(ErrorUnknown, "unknown EventFlags " + std::to_string(flags));
    }
    *event = simulator.create_event(flags == EventEnableTiming);
  });
}

Error_t EventCreate(Event_t* event) { return EventCreateWithFlags(event, EventEnableTiming); }

Error_t EventDestroy(Event_t event) {
  return call("EventDestroy", [&](Simulator& simulator) { simulator.destroy_event(event); });
}

Error_t EventRecord(Event_t event, Stream_t stream) {
  return call("EventRecord", [&](Simulator& simulator) {
    const std::shared_ptr<HostEvent> recorded = simulator.event(event);
    const std::shared_ptr<HostStream> on = simulator.stream(stream);
    if (on->device != recorded->device) {
      throw Failure(ErrorUnknown, "the event belongs to device " + std::to_string(recorded->device) +
                                      ", the stream to device " + std::to_string(on->device));
    }
    recorded->record(on);
  });
}

Error_t EventSynchronize(Event_t event) {
  return call("EventSynchronize", [&](Simulator& simulator) {
    const std::shared_ptr<const Record> record = simulator.event(event)->latest();
    if (record != nullptr && !record->wait()) throw Failure(ErrorUnknown, "the process is exiting");
  });
}

Error_t EventQuery(Event_t event) {
  return call("EventQuery", [&](Simulator& simulator) {
    const std::shared_ptr<const Record> record = simulator.event(event)->latest();
    return record == nullptr || record->ready() ? Success : ErrorNotReady;
  });
}

Error_t EventElapsedTime(float* ms, Event_t start, Event_t end) {
  return call("EventElapsedTime", [&](Simulator& simulator) {
    require_output(ms);
    const std::shared_ptr<HostEvent> first = simulator.event(start);
    const std::shared_ptr<HostEvent> second = simulator.event(end);
    if (!first->timed || !second->timed) throw Failure(ErrorUnknown, "an event was created without timing");
    const std::shared_ptr<const Record> from = first->latest();
    const std::shared_ptr<const Record> to = second->latest();
    if (from == nullptr || to == nullptr) throw Failure(ErrorUnknown, "an event was never recorded");
    if (!from->ready() || !to->ready()) return ErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return Success;
  });
}

Stream_t GetDefaultStream(int device) {
  Stream_t stream = nullptr;
  call("GetDefaultStream", [&](Simulator& simulator) {
    if (device >= 0 && device < simulator.device_count()) stream = simulator.default_stream(device);
  });
  return stream;
}
