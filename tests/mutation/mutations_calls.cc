// SPDX-License-Identifier: Apache-2.0
//
// Mutations of results and texts, of processes and threads, and of devices.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

#include "ingredients.h"

namespace mutation {
namespace {

MUTATION("error.all_unknown", "every error is ErrorUnknown") {
  MapResults<[](Error_t error) { return error == Success ? Success : ErrorUnknown; }>();
}

MUTATION("error.out_of_memory_is_unknown", "out of memory is ErrorUnknown: nobody frees and tries again") {
  MapResults<[](Error_t error) { return error == ErrorMemoryAllocation ? ErrorUnknown : error; }>();
}

MUTATION("error.not_ready_is_success", "unfinished work is Success: its memory is reused too early") {
  MapResults<[](Error_t error) { return error == ErrorNotReady ? Success : error; }>();
}

MUTATION("error.not_ready_is_unknown", "unfinished work is a failure") {
  MapResults<[](Error_t error) { return error == ErrorNotReady ? ErrorUnknown : error; }>();
}

MUTATION("error.invalid_device_is_unknown", "a bad device index is ErrorUnknown") {
  MapResults<[](Error_t error) { return error == ErrorInvalidDevice ? ErrorUnknown : error; }>();
}

MUTATION("error.unknown_is_success", "misuse is Success") {
  MapResults<[](Error_t error) { return error == ErrorUnknown ? Success : error; }>();
}

MUTATION("error.unknown_is_not_ready", "misuse is ErrorNotReady") {
  MapResults<[](Error_t error) { return error == ErrorUnknown ? ErrorNotReady : error; }>();
}

MUTATION("error.virtuals_all_unknown", "every error of the ten virtuals is ErrorUnknown") {
  MapVirtualResults<[](Error_t error) { return error == Success ? Success : ErrorUnknown; }>();
}

MUTATION("error.sticky", "after a failure the thread's next call fails with the same error") {
  MapResults<[](Error_t error) {
    thread_local Error_t left = Success;
    if (error == Success) return std::exchange(left, Success);
    if (error != ErrorNotReady) left = error;
    return error;
  }>();
}

MUTATION("error.malloc_writes_on_failure", "a failed Malloc changes its output") {
  mutant.Malloc = [](void** ptr, size_t size) {
    Error_t error = real.Malloc(ptr, size);
    if (error != Success && ptr != nullptr) *ptr = nullptr;
    return error;
  };
}

MUTATION("error.malloc_host_writes_on_failure", "a failed MallocHost changes its output") {
  mutant.MallocHost = [](void** ptr, size_t size) {
    Error_t error = real.MallocHost(ptr, size);
    if (error != Success && ptr != nullptr) *ptr = nullptr;
    return error;
  };
}

MUTATION("error.stream_create_writes_on_failure", "a failed StreamCreateWithPriority clears its output") {
  mutant.StreamCreateWithPriority = [](Stream_t* stream, unsigned int flags, int priority) {
    Error_t error = real.StreamCreateWithPriority(stream, flags, priority);
    if (error != Success && stream != nullptr) *stream = nullptr;
    return error;
  };
}

MUTATION("error.event_create_writes_on_failure", "a failed EventCreateWithFlags clears its output") {
  mutant.EventCreateWithFlags = [](Event_t* event, unsigned int flags) {
    Error_t error = real.EventCreateWithFlags(event, flags);
    if (error != Success && event != nullptr) *event = nullptr;
    return error;
  };
}

MUTATION("error.attributes_written_on_failure", "a failed PointerGetAttributes changes its output") {
  mutant.PointerGetAttributes = [](PointerAttributes* attributes, const void* ptr) {
    Error_t error = real.PointerGetAttributes(attributes, ptr);
    if (error != Success && attributes != nullptr) *attributes = unmanaged;
    return error;
  };
}

MUTATION("error.elapsed_writes_on_failure", "a failed EventElapsedTime writes 0") {
  mutant.EventElapsedTime = [](float* ms, Event_t start, Event_t end) {
    Error_t error = real.EventElapsedTime(ms, start, end);
    if (error != Success && ms != nullptr) *ms = 0;
    return error;
  };
}

MUTATION("text.empty", "failures have no text") {
  mutant.GetLastErrorText = [] { return ""; };
}

MUTATION("text.null_before_failure", "GetLastErrorText is null until a call fails") {
  mutant.GetLastErrorText = []() -> const char* {
    const char* text = real.GetLastErrorText();
    return *text == 0 ? nullptr : text;
  };
}

MUTATION("text.constant", "every failure has the same text") {
  mutant.GetLastErrorText = [] { return *real.GetLastErrorText() == 0 ? "" : "error"; };
}

MUTATION("text.stale", "the text of the thread's first failure stays for ever") {
  mutant.GetLastErrorText = []() -> const char* {
    thread_local std::string first;
    if (first.empty()) first = real.GetLastErrorText();
    return first.c_str();
  };
}

MUTATION("text.lost_on_success", "a successful call clears the text of the last failure") {
  static thread_local bool failed = false;
  MapAllResults<[](Error_t error) {
    if (error != ErrorNotReady) failed = error != Success;
    return error;
  }>();
  mutant.GetLastErrorText = [] { return failed ? real.GetLastErrorText() : ""; };
}

MUTATION("text.shared_between_threads", "the text is that of any thread's last failure") {
  static std::string last;
  MapAllResults<[](Error_t error) {
    Lock lock(mutex);
    if (error != Success && error != ErrorNotReady) last = real.GetLastErrorText();
    return error;
  }>();
  mutant.GetLastErrorText = []() -> const char* {
    Lock lock(mutex);
    thread_local std::string copy;
    copy = last;
    return copy.c_str();
  };
}

MUTATION("fork.works_in_child", "calls in a forked child say Success without a device") {
  static const pid_t parent = getpid();
  MapResults<[](Error_t error) { return getpid() == parent ? error : Success; }>();
}

MUTATION("thread.first_only", "only the thread that made the first call can use the runtime") {
  static const std::thread::id first = std::this_thread::get_id();
  MapResults<[](Error_t error) { return std::this_thread::get_id() == first ? error : ErrorUnknown; }>();
}

MUTATION("device.count_one_more", "one device is counted that is not there") {
  mutant.GetDeviceCount = [](int* count) {
    Error_t error = real.GetDeviceCount(count);
    if (error == Success) ++*count;
    return error;
  };
}

MUTATION("device.count_one_less", "the last device is not counted") {
  mutant.GetDeviceCount = [](int* count) {
    Error_t error = real.GetDeviceCount(count);
    if (error == Success) --*count;
    return error;
  };
}

MUTATION("device.index_clamped", "SetDevice takes the nearest device for a bad index") {
  mutant.SetDevice = [](int device) { return real.SetDevice(std::max(0, std::min(device, DeviceCount() - 1))); };
}

MUTATION("device.negative_accepted", "SetDevice(-1) is Success") {
  mutant.SetDevice = [](int device) { return device == -1 ? Success : real.SetDevice(device); };
}

MUTATION("device.bad_index_moves_current", "a refused SetDevice makes device 0 current") {
  mutant.SetDevice = [](int device) {
    Error_t error = real.SetDevice(device);
    if (error != Success) real.SetDevice(0);
    return error;
  };
}

MUTATION("device.get_zero", "GetDevice always says 0") {
  mutant.GetDevice = [](int* device) {
    Error_t error = real.GetDevice(device);
    if (error == Success) *device = 0;
    return error;
  };
}

MUTATION("device.set_for_process", "the current device belongs to the process, not to the thread") {
  static int current = 0;
  mutant.before = [](const char*) {
    Lock lock(mutex);
    real.SetDevice(current);
  };
  mutant.SetDevice = [](int device) {
    Lock lock(mutex);
    Error_t error = real.SetDevice(device);
    if (error == Success) current = device;
    return error;
  };
}

MUTATION("device.new_thread_inherits", "a new thread starts on the device that was set last") {
  static int last = 0;
  mutant.before = [](const char*) {
    Lock lock(mutex);
    thread_local bool known = false;
    if (!std::exchange(known, true)) real.SetDevice(last);
  };
  mutant.SetDevice = [](int device) {
    Lock lock(mutex);
    Error_t error = real.SetDevice(device);
    if (error == Success) last = device;
    return error;
  };
}

MUTATION("device.synchronize_default_stream_only", "DeviceSynchronize leaves created streams running") {
  mutant.DeviceSynchronize = [] { return real.StreamSynchronize(nullptr); };
}

MUTATION("device.synchronize_another_device",
         "DeviceSynchronize waits for the next device instead of the current one") {
  mutant.DeviceSynchronize = [] {
    int count = DeviceCount();
    if (count < 2) return real.DeviceSynchronize();
    OnDevice on((CurrentDevice() + 1) % count);
    return real.DeviceSynchronize();
  };
}

MUTATION("device.synchronize_every_device", "DeviceSynchronize waits for the other devices too") {
  mutant.DeviceSynchronize = [] {
    Error_t error = real.DeviceSynchronize();
    for (int device = 0; device < DeviceCount() && error == Success; ++device) {
      OnDevice on(device);
      error = real.DeviceSynchronize();
    }
    return error;
  };
}

MUTATION("device.priority_range_swapped", "least and greatest priority are exchanged") {
  mutant.DeviceGetStreamPriorityRange = [](int* least, int* greatest) {
    return real.DeviceGetStreamPriorityRange(greatest, least);
  };
}

MUTATION("device.priority_range_hidden", "the range is (0, 0) though streams get other priorities") {
  mutant.DeviceGetStreamPriorityRange = [](int* least, int* greatest) {
    Error_t error = real.DeviceGetStreamPriorityRange(least, greatest);
    if (error == Success) *least = *greatest = 0;
    return error;
  };
}

MUTATION("device.priority_range_too_wide", "the range promises one priority more than streams can have") {
  mutant.DeviceGetStreamPriorityRange = [](int* least, int* greatest) {
    Error_t error = real.DeviceGetStreamPriorityRange(least, greatest);
    if (error == Success) --*greatest;
    return error;
  };
}

MUTATION("device.default_stream_of_device_0", "GetDefaultStream gives device 0's stream for every device") {
  mutant.GetDefaultStream = [](int device) {
    return real.GetDefaultStream(device) == nullptr ? nullptr : real.GetDefaultStream(0);
  };
}

MUTATION("device.default_stream_of_bad_index", "GetDefaultStream gives a stream for a bad index") {
  mutant.GetDefaultStream = [](int device) {
    return real.GetDefaultStream(device < 0 || device >= DeviceCount() ? 0 : device);
  };
}

}  // namespace
}  // namespace mutation
