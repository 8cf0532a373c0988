// SPDX-License-Identifier: Apache-2.0
//
// The host vendor's runtime, seen from C++: threads, process life, and what else a test in Python sees badly. One case
// runs per process: `host_runtime_test NAME`.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "device_memory_interface.h"
#include "flagos.h"

#define CHECK(condition)                                                                                \
  do {                                                                                                  \
    if (!(condition)) {                                                                                 \
      std::fprintf(stderr, "%s:%d: CHECK(%s) failed; last error: %s\n", __FILE__, __LINE__, #condition, \
                   GetLastErrorText());                                                                 \
      std::_Exit(1);                                                                                    \
    }                                                                                                   \
  } while (false)
#define OK(call) CHECK((call) == Success)

namespace {

#ifdef __SANITIZE_THREAD__
constexpr int kSanitizerThread = 1;  // the sanitizer starts a thread of its own with the program's first
#else
constexpr int kSanitizerThread = 0;
#endif

using Clock = std::chrono::steady_clock;

std::map<std::string, void (*)()>& cases() {
  static std::map<std::string, void (*)()> all;
  return all;
}

#define CASE(name)                                                \
  void name();                                                    \
  const bool name##_listed = cases().emplace(#name, name).second; \
  void name()

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

long threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

bool last_error_has(const char* text) { return std::strstr(GetLastErrorText(), text) != nullptr; }

template <typename T = char>
T* device_memory(size_t bytes) {
  void* pointer = nullptr;
  OK(Malloc(&pointer, bytes));
  return static_cast<T*>(pointer);
}

template <typename T = char>
T* pinned_memory(size_t bytes) {
  void* pointer = nullptr;
  OK(MallocHost(&pointer, bytes));
  return static_cast<T*>(pointer);
}

Stream_t new_stream() {
  Stream_t stream = nullptr;
  OK(StreamCreate(&stream));
  return stream;
}

Event_t new_event(unsigned flags = EventEnableTiming) {
  Event_t event = nullptr;
  OK(EventCreateWithFlags(&event, flags));
  return event;
}

// Work for a stream: `passes` times over 32 MiB, a few milliseconds each. Every stream has a block of its own, since
// streams are not ordered; returns it.
char* keep_busy(Stream_t stream, int passes) {
  constexpr size_t kBytes = size_t{32} << 20;
  static std::map<Stream_t, char*> blocks;
  char*& block = blocks[stream];
  if (block == nullptr) block = device_memory(kBytes);
  for (int pass = 0; pass < passes; ++pass) OK(MemsetAsync(block, pass, kBytes, stream));
  return block;
}

// The exit status of a child that runs `body`, -signal if one ended it. A child that hangs is ended by its alarm.
int in_child(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    std::exit(0);  // with the exit handlers: they must not hang either
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- threads of the runtime
// ------------------------------------------------------------------------------------------

CASE(load_starts_no_thread) {
  const long before = threads();
  CHECK(before == 1 || kSanitizerThread);
  int count = 0;
  OK(GetDeviceCount(&count));
  CHECK(count == 2);
  char value[4] = {1, 2, 3, 4};
  char* const block = device_memory(sizeof(value));
  OK(Memcpy(block, value, sizeof(value), MemcpyHostToDevice));
  OK(DeviceSynchronize());
  const Stream_t stream = new_stream();
  OK(StreamQuery(stream));
  OK(StreamSynchronize(stream));
  CHECK(threads() == before);
  OK(MemsetAsync(block, 0, 4, stream));
  CHECK(threads() == before + 1 + kSanitizerThread);
}

CASE(destroyed_streams_leave_no_thread) {
  const long before = threads() + kSanitizerThread;
  for (int i = 0; i < 200; ++i) {
    const Stream_t stream = new_stream();
    OK(MemsetAsync(device_memory(64), i, 64, stream));
    OK(StreamDestroy(stream));
  }
  const auto start = Clock::now();
  while (threads() > before && milliseconds_since(start) < 5000) OK(StreamDestroy(new_stream()));
  CHECK(threads() == before);
}

CASE(thread_stress) {
  std::atomic<bool> stop{false};
  std::atomic<long> rounds{0};
  Event_t shared = new_event();  // recorded and waited for by all threads that are on its device
  std::vector<std::thread> workers;
  for (int index = 0; index < 8; ++index) {
    workers.emplace_back([&, index] {
      const int device = index % 2;
      OK(SetDevice(device));
      const Stream_t own = new_stream();
      constexpr size_t kWords = 4096;
      constexpr size_t kBytes = kWords * sizeof(int);
      int* const pinned = pinned_memory<int>(kBytes);
      std::vector<int> pageable(kWords);
      for (int round = 0; !stop.load(); ++round) {
        const Stream_t stream = round % 3 == 0 ? nullptr : round % 3 == 1 ? own : new_stream();
        int* const first = device_memory<int>(kBytes);
        int* const second = device_memory<int>(kBytes + static_cast<size_t>(round % 1000));
        const Event_t event = new_event();
        std::fill(pageable.begin(), pageable.end(), index * 1000000 + round);
        OK(MemcpyAsync(first, pageable.data(), kBytes, MemcpyHostToDevice, stream));
        std::fill(pageable.begin(), pageable.end(), -1);  // the source is ours again
        OK(EventRecord(event, stream));
        OK(StreamWaitEvent(own, event, WaitDefault));
        if (device == 0) OK(EventRecord(shared, stream));
        OK(StreamWaitEvent(own, shared, WaitDefault));
        OK(MemcpyAsync(second, first, kBytes, MemcpyDeviceToDevice, own));
        OK(MemcpyAsync(pinned, second, kBytes, MemcpyDeviceToHost, own));
        const Error_t state = EventQuery(event);
        CHECK(state == Success || state == ErrorNotReady);
        OK(EventDestroy(event));
        OK(Free(second));
        OK(StreamSynchronize(own));
        for (const int value : {pinned[0], pinned[kWords / 2], pinned[kWords - 1]}) {
          CHECK(value == index * 1000000 + round);
        }
        OK(Free(first));
        if (round % 3 == 2) OK(StreamDestroy(stream));
        if (round % 16 == 0) OK(DeviceSynchronize());
        ++rounds;
      }
      OK(StreamDestroy(own));
      OK(FreeHost(pinned));
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
  stop = true;
  for (std::thread& worker : workers) worker.join();
  OK(EventDestroy(shared));
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  OK(GetDeviceMemoryInterface()->get_memory_info(&free_bytes, &total_bytes));
  CHECK(free_bytes == total_bytes);
  std::printf("%ld rounds\n", rounds.load());
}

// ---- exit
// ------------------------------------------------------------------------------------------------------------

CASE(exit_with_pending_work) {
  const auto start = Clock::now();
  const Stream_t stream = new_stream();
  keep_busy(stream, 5000);
  OK(StreamDestroy(stream));
  keep_busy(nullptr, 5000);
  CHECK(StreamQuery(nullptr) == ErrorNotReady);
  CHECK(milliseconds_since(start) < 10000);  // submitting does not execute
}

CASE(exit_with_waiting_streams) {
  // A chain over two devices behind work that the process does not live to see.
  keep_busy(nullptr, 5000);
  Event_t event = new_event();
  OK(EventRecord(event, nullptr));
  for (int link = 0; link < 20; ++link) {
    OK(SetDevice(link % 2));
    const Stream_t stream = new_stream();
    OK(StreamWaitEvent(stream, event, WaitDefault));
    event = new_event();
    OK(EventRecord(event, stream));
    CHECK(EventQuery(event) == ErrorNotReady);
  }
}

CASE(exit_with_blocked_threads) {
  static char* block = keep_busy(nullptr, 5000);
  // Other threads are still in the runtime while this one exits. They are told that the work will not be done.
  for (int index = 0; index < 3; ++index) {
    std::thread([index] {
      if (index == 0) CHECK(StreamSynchronize(nullptr) == ErrorUnknown);
      if (index == 1) CHECK(DeviceSynchronize() == ErrorUnknown);
      if (index == 2) OK(Free(block));  // nothing uses it any more
      std::this_thread::sleep_for(std::chrono::seconds(30));
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

CASE(calls_after_shutdown) {
  // Registered before the first use, so it runs after the runtime's own exit handler.
  static char* block = nullptr;
  static Stream_t stream = nullptr;
  static Event_t event = nullptr;
  std::atexit([] {
    CHECK(MemsetAsync(block, 0, 64, stream) == ErrorUnknown);
    CHECK(last_error_has("exiting"));
    CHECK(EventRecord(event, stream) == ErrorUnknown);
    OK(EventDestroy(event));
    OK(StreamDestroy(stream));
    OK(Free(block));
    CHECK(Free(block) == ErrorUnknown);
  });
  stream = new_stream();
  event = new_event();
  block = device_memory(64);
  OK(MemsetAsync(block, 1, 64, stream));
  OK(EventRecord(event, stream));
}

// ---- fork
// ------------------------------------------------------------------------------------------------------------

CASE(fork_after_use) {
  keep_busy(new_stream(), 200);
  CHECK(in_child([] {
          int count = 7;
          void* pointer = nullptr;
          CHECK(GetDeviceCount(&count) == ErrorUnknown && count == 7);
          CHECK(last_error_has("fork"));
          CHECK(Malloc(&pointer, 64) == ErrorUnknown && pointer == nullptr);
          CHECK(DeviceSynchronize() == ErrorUnknown);
          CHECK(StreamQuery(nullptr) == ErrorUnknown);
          CHECK(GetDefaultStream(0) == nullptr);
        }) == 0);
  OK(DeviceSynchronize());  // the parent goes on
}

CASE(fork_before_use) {
  CHECK(in_child([] {
          char* const block = device_memory(64);
          OK(MemsetAsync(block, 5, 64, nullptr));
          char read = 0;
          OK(Memcpy(&read, block, 1, MemcpyDeviceToHost));
          CHECK(read == 5);
        }) == 0);
  int count = 0;
  OK(GetDeviceCount(&count));
  CHECK(count == 2);
}

// ---- pending work and handles
// ----------------------------------------------------------------------------------------

CASE(destroy_while_pending) {
  char* const block = device_memory(1);
  char* const read = pinned_memory(1);
  const Stream_t slow = new_stream();
  const Stream_t waiting = new_stream();
  const Event_t event = new_event();
  const auto start = Clock::now();
  keep_busy(slow, 100);
  OK(MemsetAsync(block, 9, 1, slow));
  OK(EventRecord(event, slow));
  OK(StreamWaitEvent(waiting, event, WaitDefault));
  OK(MemcpyAsync(read, block, 1, MemcpyDeviceToHost, waiting));
  CHECK(EventQuery(event) == ErrorNotReady);
  OK(EventDestroy(event));
  OK(StreamDestroy(slow));
  const double submitted = milliseconds_since(start);
  CHECK(EventQuery(event) == ErrorUnknown);
  CHECK(StreamQuery(slow) == ErrorUnknown);
  CHECK(EventDestroy(event) == ErrorUnknown);
  CHECK(StreamDestroy(slow) == ErrorUnknown);
  CHECK(StreamQuery(reinterpret_cast<Stream_t>(event)) == ErrorUnknown);
  CHECK(StreamQuery(waiting) == ErrorNotReady);
  OK(StreamSynchronize(waiting));
  CHECK(*read == 9);
  CHECK(submitted < milliseconds_since(start) / 2);  // nothing above blocked
  OK(DeviceSynchronize());
}

CASE(events_capture_the_record) {
  const Stream_t slow = new_stream();
  const Stream_t other = new_stream();
  const Event_t event = new_event();
  OK(StreamWaitEvent(other, event, WaitDefault));  // never recorded: holds nothing
  OK(EventQuery(event));
  OK(EventSynchronize(event));
  OK(StreamSynchronize(other));
  OK(EventRecord(event, other));
  OK(StreamWaitEvent(other, event, WaitDefault));
  keep_busy(slow, 100);
  OK(EventRecord(event, slow));  // a later record, which `other` does not wait for
  OK(StreamSynchronize(other));
  CHECK(EventQuery(event) == ErrorNotReady);
  float ms = -1;
  CHECK(EventElapsedTime(&ms, event, event) == ErrorNotReady);
  OK(EventSynchronize(event));
  OK(StreamQuery(slow));
  OK(EventElapsedTime(&ms, event, event));
  CHECK(ms == 0);
  const Event_t untimed = new_event(EventDisableTiming);
  OK(EventRecord(untimed, slow));
  OK(EventSynchronize(untimed));
  CHECK(EventElapsedTime(&ms, event, untimed) == ErrorUnknown);
  CHECK(EventElapsedTime(&ms, event, new_event()) == ErrorUnknown);
  OK(SetDevice(1));
  CHECK(EventRecord(event, nullptr) == ErrorUnknown);
}

CASE(free_waits_for_work) {
  // Of the owning device, of another device's stream, and of pinned memory.
  OK(SetDevice(1));
  const Stream_t foreign = new_stream();
  OK(SetDevice(0));
  const Stream_t own = new_stream();
  for (const bool use_foreign : {false, true}) {
    char* const block = device_memory(64);
    char* const pinned = pinned_memory(64);
    const Stream_t stream = use_foreign ? foreign : own;
    keep_busy(stream, 30);
    OK(MemsetAsync(block, 1, 64, stream));
    OK(MemcpyAsync(pinned, block, 64, MemcpyDeviceToHost, stream));
    CHECK(StreamQuery(stream) == ErrorNotReady);
    OK(SetDevice(1));  // the current device does not matter
    OK(FreeHost(pinned));
    OK(StreamQuery(stream));
    keep_busy(stream, 30);
    OK(MemsetAsync(block, 1, 64, stream));
    OK(Free(block));
    OK(StreamQuery(stream));
    OK(SetDevice(0));
  }
  keep_busy(foreign, 100);
  OK(Free(device_memory(64)));  // device 0 is idle
  CHECK(StreamQuery(foreign) == ErrorNotReady);
  OK(DeviceSynchronize());
  CHECK(StreamQuery(foreign) == ErrorNotReady);
  OK(StreamSynchronize(foreign));
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

CASE(pointers_are_checked) {
  char* const block = device_memory(1000);
  char* const pinned = pinned_memory(1000);
  char host[2000] = {};
  CHECK(Free(block + 1) == ErrorUnknown && last_error_has("not the start of a live block"));
  CHECK(Free(host) == ErrorUnknown && Free(pinned) == ErrorUnknown && FreeHost(block) == ErrorUnknown);
  CHECK(Memcpy(block, host, 1001, MemcpyHostToDevice) == ErrorUnknown && last_error_has("overrun"));
  CHECK(Memcpy(block + 999, host, 2, MemcpyHostToDevice) == ErrorUnknown);
  OK(Memcpy(block + 999, host, 1, MemcpyHostToDevice));
  CHECK(Memcpy(host, pinned, 1001, MemcpyHostToHost) == ErrorUnknown && last_error_has("overrun"));
  CHECK(Memcpy(host, block, 10, MemcpyHostToHost) == ErrorUnknown && last_error_has("is device memory"));
  CHECK(Memcpy(host, block, 10, MemcpyHostToDevice) == ErrorUnknown && last_error_has("not device memory"));
  CHECK(Memcpy(block, block, 10, MemcpyHostToDevice) == ErrorUnknown);
  CHECK(Memcpy(block, nullptr, 10, MemcpyHostToDevice) == ErrorUnknown);
  CHECK(Memcpy(block, host, ~size_t{0}, MemcpyHostToDevice) == ErrorUnknown);
  CHECK(Memcpy(block, host, 0, static_cast<MemcpyKind>(4)) == ErrorUnknown && last_error_has("MemcpyKind"));
  CHECK(Memset(pinned, 0, 10) == ErrorUnknown && Memset(block, 0, 1001) == ErrorUnknown);
  OK(Memset(nullptr, 0, 0));
  PointerAttributes attributes{};
  OK(PointerGetAttributes(&attributes, block + 999));
  CHECK(attributes.type == MemoryTypeDevice && attributes.device == 0 && attributes.pointer == block + 999);
  OK(PointerGetAttributes(&attributes, block + 1000));
  CHECK(attributes.type == MemoryTypeUnmanaged && attributes.device == -1 && attributes.pointer == nullptr);
  CHECK(PointerGetAttributes(&attributes, nullptr) == ErrorUnknown);
  OK(Free(block));
  CHECK(Free(block) == ErrorUnknown);
  CHECK(Memset(block, 0, 1) == ErrorUnknown);
  OK(PointerGetAttributes(&attributes, block));
  CHECK(attributes.type == MemoryTypeUnmanaged);
  OK(FreeHost(pinned));
}

CASE(memory_is_limited) {
  setenv("FLAGOS_HOST_MEMORY", "64K", 1);
  flagos::DeviceMemoryInterface* const memory = GetDeviceMemoryInterface();
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  void* pointer = &free_bytes;
  void* const untouched = pointer;
  CHECK(Malloc(&pointer, 64 * 1024 + 1) == ErrorMemoryAllocation && pointer == untouched);
  for (const size_t size : {~size_t{0}, ~size_t{0} - 600, ~size_t{0} / 2}) {
    CHECK(Malloc(&pointer, size) == ErrorMemoryAllocation);
    CHECK(MallocHost(&pointer, size) == ErrorMemoryAllocation);
  }
  char* const block = device_memory(32 * 1024 + 1);
  CHECK(Malloc(&pointer, 32 * 1024) == ErrorMemoryAllocation && pointer == untouched);
  OK(memory->get_memory_info(&free_bytes, &total_bytes));
  CHECK(total_bytes == 64 * 1024 && free_bytes == 32 * 1024 - 512);
  char* const rest = device_memory(free_bytes);
  OK(SetDevice(1));
  OK(Free(device_memory(64 * 1024)));  // the other device has its own
  OK(Free(block));
  OK(Free(rest));
  OK(SetDevice(0));
  OK(memory->get_memory_info(&free_bytes, &total_bytes));
  CHECK(free_bytes == total_bytes);
  OK(Malloc(&pointer, 0));
  CHECK(pointer == nullptr);
}

CASE(isolated_memory) {
  setenv("FLAGOS_HOST_ISOLATE", "1", 1);
  char host[64] = "device";
  static char* block = nullptr;
  block = device_memory(64);
  OK(Memcpy(block, host, 64, MemcpyHostToDevice));
  char* const other = device_memory(64);
  OK(MemcpyAsync(other, block, 64, MemcpyDeviceToDevice, new_stream()));
  OK(DeviceSynchronize());
  std::memset(host, 0, 64);
  OK(Memcpy(host, other, 64, MemcpyDeviceToHost));
  CHECK(std::strcmp(host, "device") == 0);
  char* const pinned = pinned_memory(64);
  pinned[0] = 1;  // pinned memory stays the host's
  CHECK(in_child([] {
          signal(SIGSEGV, SIG_DFL);  // also under a sanitizer, which would report it in its own way
          std::printf("%c\n", *block);
        }) == -SIGSEGV);
  OK(Free(block));
  OK(Free(other));
}

// ---- environment
// -----------------------------------------------------------------------------------------------------

CASE(no_device) {
  setenv("FLAGOS_HOST_DEVICES", "0", 1);
  int value = 7;
  void* pointer = nullptr;
  Stream_t stream = nullptr;
  OK(GetDeviceCount(&value));
  CHECK(value == 0);
  CHECK(GetDevice(&value) == ErrorInvalidDevice);
  CHECK(SetDevice(0) == ErrorInvalidDevice);
  CHECK(Malloc(&pointer, 1) == ErrorInvalidDevice);
  CHECK(StreamCreate(&stream) == ErrorInvalidDevice);
  CHECK(StreamQuery(nullptr) == ErrorInvalidDevice);
  CHECK(DeviceSynchronize() == ErrorInvalidDevice);
  CHECK(GetDefaultStream(0) == nullptr);
}

CASE(nonsense_in_the_environment) {
  const std::vector<std::pair<const char*, const char*>> nonsense = {
      {"FLAGOS_HOST_DEVICES", "65"},
      {"FLAGOS_HOST_DEVICES", "-1"},
      {"FLAGOS_HOST_DEVICES", ""},
      {"FLAGOS_HOST_DEVICES", "2x"},
      {"FLAGOS_HOST_DEVICES", " 2"},
      {"FLAGOS_HOST_DEVICES", "99999999999999999999999"},
      {"FLAGOS_HOST_MEMORY", "4GB"},
      {"FLAGOS_HOST_MEMORY", "K"},
      {"FLAGOS_HOST_MEMORY", "0"},
      {"FLAGOS_HOST_MEMORY", "1e9"},
      {"FLAGOS_HOST_MEMORY", "99999999999999G"},
      {"FLAGOS_HOST_ISOLATE", "yes"},
  };
  static const char* name = nullptr;
  static const char* value = nullptr;
  for (const auto& entry : nonsense) {
    name = entry.first;
    value = entry.second;
    CHECK(in_child([] {
            setenv(name, value, 1);
            int count = 7;
            const std::string quoted = std::string("\"") + value + "\"";
            CHECK(GetDeviceCount(&count) == ErrorUnknown && count == 7);
            CHECK(last_error_has(name) && last_error_has(quoted.c_str()));
            CHECK(SetDevice(0) == ErrorUnknown && last_error_has(name));
            CHECK(GetDefaultStream(0) == nullptr);
          }) == 0);
  }
  setenv("FLAGOS_HOST_DEVICES", "64", 1);
  setenv("FLAGOS_HOST_MEMORY", "17179869183G", 1);  // the most that a size_t holds
  OK(SetDevice(63));
  CHECK(SetDevice(64) == ErrorInvalidDevice && SetDevice(-1) == ErrorInvalidDevice);
  int device = 0;
  OK(GetDevice(&device));
  CHECK(device == 63);
}

// ---- speed: printed, not judged
// --------------------------------------------------------------------------------------

CASE(latency) {
  const Stream_t stream = new_stream();
  const Event_t event = new_event();
  char* const block = device_memory(64);
  char host[64] = {};
  constexpr int kTimes = 20000;
  const auto time = [&](const char* what, auto&& body) {
    const auto start = Clock::now();
    for (int i = 0; i < kTimes; ++i) body();
    std::printf("%-28s %7.2f us\n", what, milliseconds_since(start) * 1000 / kTimes);
    OK(DeviceSynchronize());
  };
  time("GetDevice", [] {
    int device;
    OK(GetDevice(&device));
  });
  time("MemsetAsync", [&] { OK(MemsetAsync(block, 1, 64, stream)); });
  time("EventRecord", [&] { OK(EventRecord(event, stream)); });
  time("EventQuery", [&] { OK(EventQuery(event)); });
  time("StreamSynchronize, idle", [&] { OK(StreamSynchronize(stream)); });
  time("Memcpy to host, idle stream", [&] { OK(Memcpy(host, block, 64, MemcpyDeviceToHost)); });
  time("MemsetAsync + synchronize", [&] {
    OK(MemsetAsync(block, 1, 64, stream));
    OK(StreamSynchronize(stream));
  });
  time("Malloc + Free, idle device", [&] { OK(Free(device_memory(4096))); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = cases().find(argc == 2 ? argv[1] : "");
  if (found == cases().end()) {
    std::fprintf(stderr, "usage: %s CASE, one of:\n", argv[0]);
    for (const auto& entry : cases()) std::fprintf(stderr, "  %s\n", entry.first.c_str());
    return 2;
  }
  found->second();
  return 0;
}
