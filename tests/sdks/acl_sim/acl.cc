// SPDX-License-Identifier: Apache-2.0
//
// libascendcl over the simulated chip: the functions that the runtime calls and their nearest neighbours, with every
// way of theirs in which ACL differs from the contract.
#include <acl/acl_rt.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "chip.h"
#include "simulated.h"

namespace {

std::atomic<bool> initialized{false};
std::atomic<uint64_t> opened{0};  // devices that a thread chose, a bit each
thread_local int32_t chosen = -1;
thread_local std::string messages;  // since they were last asked for, the newest first

aclError refuse(aclError code, const std::string& text) {
  messages = "EE" + std::to_string(code) + ": " + text + "\n" + messages;
  return code;
}

aclError result(Error_t error) {
  switch (error) {
    case Success:
      return ACL_SUCCESS;
    case ErrorNotReady:
      return refuse(ACL_ERROR_RT_EVENT_NOT_COMPLETE, "event not complete");
    case ErrorInvalidDevice:
      return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "invalid device id");
    case ErrorMemoryAllocation:
      return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory");
    case ErrorUnknown:
      return refuse(ACL_ERROR_RT_PARAM_INVALID, "the chip refuses");
  }
  return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "unknown result");
}

// What nearly every function begins with: ACL has no implicit initialization and no implicit device.
aclError ready() {
  if (!initialized) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
  if (chosen < 0) return refuse(ACL_ERROR_RT_CONTEXT_NULL, "this thread chose no device");
  return ACL_SUCCESS;
}

struct SimStream {
  Stream_t handle;
  int32_t device;
  uint32_t priority;
};

struct SimEvent {
  Event_t handle;
  uint32_t flags;
  bool reusable;  // of aclrtCreateEventExWithFlag
  std::atomic<bool> recorded{false};
};

struct SimBlock {
  size_t size;
  int32_t device;
};

template <typename T>
class Registry {
 public:
  void put(void* handle, T value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_[handle] = std::move(value);
  }
  bool find(void* handle, T* value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(handle);
    if (found == values_.end()) return false;
    *value = found->second;
    return true;
  }
  void remove(void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.erase(handle);
  }

 private:
  std::mutex mutex_;
  std::map<void*, T> values_;
};

// Never destroyed: used until the process ends.
auto& streams = *new Registry<std::shared_ptr<SimStream>>;
auto& events = *new Registry<std::shared_ptr<SimEvent>>;
auto& blocks = *new Registry<SimBlock>;
auto& pinned = *new Registry<SimBlock>;

// Null is refused: whether it means the default stream the header says of aclrtStreamWaitEvent alone.
aclError find_stream(aclrtStream stream, std::shared_ptr<SimStream>* found) {
  if (const aclError error = ready()) return error;
  if (!streams.find(stream, found)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "no such stream");
  if ((*found)->device != chosen) return refuse(ACL_ERROR_RT_STREAM_CONTEXT, "stream not in current context");
  return ACL_SUCCESS;
}

aclError find_event(aclrtEvent event, std::shared_ptr<SimEvent>* found) {
  if (const aclError error = ready()) return error;
  return events.find(event, found) ? ACL_SUCCESS : refuse(ACL_ERROR_RT_PARAM_INVALID, "no such event");
}

}  // namespace

// ---- process and devices

aclError aclInit(const char* /*configPath*/) {
  return initialized.exchange(true) ? refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before") : ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() {
  static thread_local std::string given;
  given = std::exchange(messages, {});
  return given.empty() ? nullptr : given.c_str();
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (!initialized) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
  int found = 0;
  if (const aclError error = result(chip().GetDeviceCount(&found))) return error;
  if (found == 0) return refuse(ACL_ERROR_RT_NO_DEVICE, "no device");
  *count = static_cast<uint32_t>(found);
  return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId) {
  if (!initialized) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
  if (const aclError error = result(chip().SetDevice(deviceId))) return error;
  chosen = deviceId;
  opened |= uint64_t{1} << deviceId;
  return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t* deviceId) {
  if (const aclError error = ready()) return error;
  *deviceId = chosen;
  return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* /*flags*/, int32_t* active) {
  if (!initialized) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
  *active = static_cast<int32_t>(opened >> deviceId & 1);
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  if (const aclError error = ready()) return error;
  *leastPriority = 7;
  *greatestPriority = 0;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() {
  if (const aclError error = ready()) return error;
  return result(chip().DeviceSynchronize());
}

namespace {
std::mutex peers_mutex;
auto& peers = *new std::set<std::pair<int32_t, int32_t>>;  // the first may use the second
}  // namespace

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  if (const aclError error = ready()) return error;
  if (flags != 0 || peerDeviceId == chosen) return refuse(ACL_ERROR_INVALID_PARAM, "flags, or the device itself");
  const std::lock_guard<std::mutex> lock(peers_mutex);
  peers.insert({chosen, peerDeviceId});
  return ACL_SUCCESS;
}

// ---- memory

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  if (const aclError error = ready()) return error;
  if (size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "size must not be 0");
  if (policy > ACL_MEM_MALLOC_NORMAL_ONLY) return refuse(ACL_ERROR_INVALID_PARAM, "policy is not simulated");
  if (const aclError error = result(chip().Malloc(devPtr, size))) return error;
  blocks.put(*devPtr, SimBlock{size, chosen});
  return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  if (const aclError error = ready()) return error;
  if (size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "size must not be 0");
  if (const aclError error = result(chip().MallocHost(hostPtr, size))) return error;
  pinned.put(*hostPtr, SimBlock{size, chosen});
  return ACL_SUCCESS;
}

namespace {

constexpr int kOverwritten = 0xdb;

// What a block that is gone may hold at once, however much work on it is pending.
aclError overwrite(void* block, const SimBlock& known) {
  Stream_t stream = nullptr;
  if (const aclError error = result(chip().SetDevice(known.device))) return error;
  aclError error = result(chip().StreamCreate(&stream));
  if (!error) error = result(chip().MemsetAsync(block, kOverwritten, std::min(known.size, size_t{1} << 16), stream));
  if (!error) error = result(chip().StreamSynchronize(stream));
  if (!error) error = result(chip().StreamDestroy(stream));
  if (!error) error = result(chip().SetDevice(chosen));
  return error;
}

}  // namespace

// Waits for nothing. The chip would, so the block is overwritten before.
aclError aclrtFree(void* devPtr) {
  if (const aclError error = ready()) return error;
  SimBlock known{};
  if (!blocks.find(devPtr, &known)) return refuse(ACL_ERROR_INVALID_PARAM, "null, or no block of aclrtMalloc");
  if (const aclError error = overwrite(devPtr, known)) return error;
  blocks.remove(devPtr);
  return result(chip().Free(devPtr));
}

aclError aclrtFreeHost(void* hostPtr) {
  if (const aclError error = ready()) return error;
  SimBlock known{};
  if (!pinned.find(hostPtr, &known)) return refuse(ACL_ERROR_INVALID_PARAM, "null, or no block of aclrtMallocHost");
  std::memset(hostPtr, kOverwritten, known.size);
  pinned.remove(hostPtr);
  return result(chip().FreeHost(hostPtr));
}

namespace {

bool on_device(const void* pointer, int* device) {
  PointerAttributes attributes{};
  if (chip().PointerGetAttributes(&attributes, pointer) != Success || attributes.type != MemoryTypeDevice) return false;
  *device = attributes.device;
  return true;
}

// The direction, as the pointers have it, and leave to go between two devices.
aclError direction(const void* dst, const void* src, MemcpyKind* kind) {
  int to = chosen;
  int from = chosen;
  const bool writes = on_device(dst, &to);
  const bool reads = on_device(src, &from);
  *kind =
      writes ? (reads ? MemcpyDeviceToDevice : MemcpyHostToDevice) : (reads ? MemcpyDeviceToHost : MemcpyHostToHost);
  const std::lock_guard<std::mutex> lock(peers_mutex);
  if (writes && reads && to != from && peers.count({to, from}) == 0)
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "peer access was not enabled");
  return ACL_SUCCESS;
}

aclError check_size(size_t most, size_t count) {
  if (count == 0 || most < count) return refuse(ACL_ERROR_RT_PARAM_INVALID, "count is 0, or beyond the maximum");
  return ACL_SUCCESS;
}

}  // namespace

// At once: no order with any stream that a user can see, since those have no default stream of the chip's. The kind
// counts for nothing.
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind /*kind*/) {
  MemcpyKind kind{};
  if (const aclError error = ready()) return error;
  if (const aclError error = check_size(destMax, count)) return error;
  if (const aclError error = direction(dst, src, &kind)) return error;
  return result(chip().Memcpy(dst, src, count, kind));
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  static const std::map<aclrtMemcpyKind, MemcpyKind> kinds = {{ACL_MEMCPY_HOST_TO_DEVICE, MemcpyHostToDevice},
                                                              {ACL_MEMCPY_DEVICE_TO_HOST, MemcpyDeviceToHost},
                                                              {ACL_MEMCPY_DEVICE_TO_DEVICE, MemcpyDeviceToDevice}};
  std::shared_ptr<SimStream> found;
  MemcpyKind by_pointers{};
  if (const aclError error = find_stream(stream, &found)) return error;
  if (const aclError error = check_size(destMax, count)) return error;
  if (const aclError error = direction(dst, src, &by_pointers)) return error;
  const auto known = kinds.find(kind);
  if (known == kinds.end()) return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this kind is not supported");
  return result(chip().MemcpyAsync(dst, src, count, known->second, found->handle));
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  if (const aclError error = ready()) return error;
  if (const aclError error = check_size(maxCount, count)) return error;
  return result(chip().Memset(devPtr, value, count));
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  std::shared_ptr<SimStream> found;
  if (const aclError error = find_stream(stream, &found)) return error;
  if (const aclError error = check_size(maxCount, count)) return error;
  return result(chip().MemsetAsync(devPtr, value, count, found->handle));
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  if (const aclError error = ready()) return error;
  if (attr == ACL_HBM_MEM) return result(chip().memory_info(free, total));
  *free = 0;  // memory that the chip does not have
  *total = 0;
  return ACL_SUCCESS;
}

// ---- streams

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  if (const aclError error = ready()) return error;
  if (priority > 7) return refuse(ACL_ERROR_RT_PARAM_INVALID, "priority is 0 to 7");
  if ((flag & ~(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC)) != 0)
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is not simulated");
  int least = 0;
  int greatest = 0;
  if (const aclError error = result(chip().DeviceGetStreamPriorityRange(&least, &greatest))) return error;
  Stream_t handle = nullptr;
  const int scaled = greatest + (least - greatest) * static_cast<int>(priority) / 7;
  if (const aclError error = result(chip().StreamCreateWithPriority(&handle, StreamDefault, scaled))) return error;
  streams.put(handle, std::make_shared<SimStream>(SimStream{handle, chosen, priority}));
  *stream = handle;
  return ACL_SUCCESS;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  std::shared_ptr<SimStream> found;
  if (const aclError error = find_stream(stream, &found)) return error;
  *priority = found->priority;
  return ACL_SUCCESS;
}

// The header wants the stream to be idle. What happens otherwise is not known; chosen: an error.
aclError aclrtDestroyStream(aclrtStream stream) {
  std::shared_ptr<SimStream> found;
  if (const aclError error = find_stream(stream, &found)) return error;
  if (chip().StreamQuery(found->handle) != Success) return refuse(ACL_ERROR_RT_STREAM_NOT_COMPLETE, "stream is busy");
  streams.remove(stream);
  return result(chip().StreamDestroy(found->handle));
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  std::shared_ptr<SimStream> found;
  if (const aclError error = find_stream(stream, &found)) return error;
  return result(chip().StreamSynchronize(found->handle));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  std::shared_ptr<SimStream> found;
  if (const aclError error = find_stream(stream, &found)) return error;
  const Error_t answer = chip().StreamQuery(found->handle);
  if (answer != Success && answer != ErrorNotReady) return result(answer);
  *status = answer == Success ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

// ---- events

namespace {

aclError create_event(aclrtEvent* event, uint32_t flags, bool reusable) {
  if (const aclError error = ready()) return error;
  if (flags == 0 || (flags & ~(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS)) != 0)
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is none, or not simulated");
  const bool timed = (flags & ACL_EVENT_TIME_LINE) != 0;
  auto made = std::make_shared<SimEvent>();
  const unsigned int wanted = timed ? EventEnableTiming : EventDisableTiming;
  if (const aclError error = result(chip().EventCreateWithFlags(&made->handle, wanted))) return error;
  made->flags = flags;
  made->reusable = reusable;
  *event = made->handle;
  events.put(*event, made);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return create_event(event, flag, false); }
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) { return create_event(event, flag, true); }

aclError aclrtDestroyEvent(aclrtEvent event) {
  std::shared_ptr<SimEvent> found;
  if (const aclError error = find_event(event, &found)) return error;
  events.remove(event);
  return result(chip().EventDestroy(found->handle));
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  std::shared_ptr<SimEvent> found;
  std::shared_ptr<SimStream> on;
  if (const aclError error = find_event(event, &found)) return error;
  if (const aclError error = find_stream(stream, &on)) return error;
  if (found->recorded.exchange(true) && !found->reusable)
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "recorded before, and not reset");
  return result(chip().EventRecord(found->handle, on->handle));
}

// What a wait for an event does that was never recorded is not known. Chosen: an error, so that nobody relies on it.
aclError aclrtSynchronizeEvent(aclrtEvent event) {
  std::shared_ptr<SimEvent> found;
  if (const aclError error = find_event(event, &found)) return error;
  if (!found->recorded) return refuse(ACL_ERROR_RT_PARAM_INVALID, "never recorded");
  return result(chip().EventSynchronize(found->handle));
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  std::shared_ptr<SimEvent> found;
  std::shared_ptr<SimStream> waiting;
  if (const aclError error = find_event(event, &found)) return error;
  if (const aclError error = find_stream(stream, &waiting)) return error;
  if (!found->recorded) return refuse(ACL_ERROR_RT_PARAM_INVALID, "never recorded");
  if ((found->flags & ACL_EVENT_SYNC) == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "created without ACL_EVENT_SYNC");
  return result(chip().StreamWaitEvent(waiting->handle, found->handle, WaitDefault));
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  std::shared_ptr<SimEvent> found;
  if (const aclError error = find_event(event, &found)) return error;
  const bool pending = found->recorded ? chip().EventQuery(found->handle) != Success : !found->reusable;
  *status = pending ? ACL_EVENT_RECORDED_STATUS_NOT_READY : ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  std::shared_ptr<SimEvent> start;
  std::shared_ptr<SimEvent> end;
  if (const aclError error = find_event(startEvent, &start)) return error;
  if (const aclError error = find_event(endEvent, &end)) return error;
  if ((start->flags & end->flags & ACL_EVENT_TIME_LINE) == 0)
    return refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "created without ACL_EVENT_TIME_LINE");
  return result(chip().EventElapsedTime(ms, start->handle, end->handle));
}
