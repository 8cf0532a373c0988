// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>

#include "runtime/device.h"
#include "runtime/error.h"

namespace flagos {
namespace {

constexpr c10::StreamId kDefaultStreamId = 0;
constexpr size_t kStreamsPerPool = 32;

struct Pool {
  std::array<Stream_t, kStreamsPerPool> streams{};
  size_t next = 0;
};

// The streams of one device.
struct DeviceStreams {
  std::shared_mutex mutex;
  bool has_range = false;
  int least_urgent = 0;
  int most_urgent = 0;
  std::map<int, Pool> pools;  // by priority
  std::unordered_set<c10::StreamId> known;
};

// Never destroyed: threads may still hold streams while the process exits.
DeviceStreams& streams_of(int device) {
  static auto& all = *new std::array<DeviceStreams, kMaxDevices>();
  return all[device];
}

thread_local std::array<c10::StreamId, kMaxDevices> t_current{};  // all default streams

c10::Stream make_stream(int device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, make_device(device), id);
}

c10::StreamId id_of(Stream_t handle) { return reinterpret_cast<c10::StreamId>(handle); }

// Called with the device's mutex held.
void read_priority_range(DeviceStreams& streams, int device) {
  if (streams.has_range) return;
  const DeviceScope scope(device);
  check(runtime().DeviceGetStreamPriorityRange(&streams.least_urgent, &streams.most_urgent),
        "DeviceGetStreamPriorityRange");
  TORCH_CHECK(streams.most_urgent <= streams.least_urgent, "flagos: DeviceGetStreamPriorityRange says greatest ",
              streams.most_urgent, " and least ", streams.least_urgent,
              ", but lower numbers must be the more urgent ones");
  streams.has_range = true;
}

template <typename Choose>
c10::Stream next_stream(int device, Choose priority_of) {
  device = checked_index(device);
  DeviceStreams& streams = streams_of(device);
  const std::lock_guard<std::shared_mutex> lock(streams.mutex);
  read_priority_range(streams, device);
  const int priority = priority_of(streams);
  Pool& pool = streams.pools[priority];
  Stream_t& stream = pool.streams[pool.next];
  if (stream == nullptr) {
    const DeviceScope scope(device);
    check(runtime().StreamCreateWithPriority(&stream, StreamDefault, priority), "StreamCreateWithPriority");
    streams.known.insert(id_of(stream));
    mark_device_used(device);
  }
  pool.next = (pool.next + 1) % kStreamsPerPool;
  return make_stream(device, id_of(stream));
}

// A stream id is a pointer that we are about to hand to the vendor: only those that came from here are good.
void require_known(const c10::Stream& stream) {
  TORCH_CHECK(stream.device_type() == kDeviceType, "flagos: expected a stream of a flagos device, found ", stream);
  const int device = checked_index(stream.device_index());
  if (stream.id() == kDefaultStreamId) return;
  DeviceStreams& streams = streams_of(device);
  const std::shared_lock<std::shared_mutex> lock(streams.mutex);
  TORCH_CHECK(streams.known.count(stream.id()) != 0, "flagos: ", stream, " is not a stream of flagos:", device,
              "; make streams with torch.Stream(device='flagos:", device, "')");
}

}  // namespace

c10::Stream default_stream(int device) { return make_stream(checked_index(device), kDefaultStreamId); }

c10::Stream current_stream(int device) {
  device = checked_index(device);
  return make_stream(device, t_current[device]);
}

c10::Stream pooled_stream(int device, int priority) {
  return next_stream(
      device, [&](const DeviceStreams& range) { return std::clamp(priority, range.most_urgent, range.least_urgent); });
}

std::pair<int, int> priority_range(int device) {
  device = checked_index(device);
  DeviceStreams& streams = streams_of(device);
  const std::lock_guard<std::shared_mutex> lock(streams.mutex);
  read_priority_range(streams, device);
  return {streams.least_urgent, streams.most_urgent};
}

c10::Stream urgent_stream(int device) {
  return next_stream(device, [](const DeviceStreams& range) { return range.most_urgent; });
}

c10::Stream exchange_current_stream(const c10::Stream& stream) {
  require_known(stream);
  const int device = checked_index(stream.device_index());
  return make_stream(device, std::exchange(t_current[device], stream.id()));
}

Stream_t native_handle(const c10::Stream& stream) {
  require_known(stream);
  return stream.id() == kDefaultStreamId ? runtime().GetDefaultStream(checked_index(stream.device_index()))
                                         : reinterpret_cast<Stream_t>(stream.id());
}

void order_after(const c10::Stream& later, const c10::Stream& earlier) {
  if (later == earlier) return;
  const Runtime& vendor = runtime();
  struct Destroy {
    void operator()(Event_t event) const { runtime().EventDestroy(event); }  // waiters keep waiting, says the contract
  };
  std::unique_ptr<Event, Destroy> event;
  {
    const DeviceScope scope(earlier.device_index());
    Event_t made = nullptr;
    check(vendor.EventCreateWithFlags(&made, EventDisableTiming), "EventCreateWithFlags");
    event.reset(made);
    check(vendor.EventRecord(event.get(), native_handle(earlier)), "EventRecord");
  }
  const DeviceScope scope(later.device_index());
  check(vendor.StreamWaitEvent(native_handle(later), event.get(), WaitDefault), "StreamWaitEvent");
}

void synchronize(const c10::Stream& stream) {
  const DeviceScope scope(checked_index(stream.device_index()));
  check(runtime().StreamSynchronize(native_handle(stream)), "StreamSynchronize");
}

}  // namespace flagos

Stream_t GetCurrentStream(int device) { return flagos::native_handle(flagos::current_stream(device)); }
