// SPDX-License-Identifier: Apache-2.0
//
// The list of streams of a runtime whose SDK has none: a stream is destroyed while DeviceSynchronize, which walks the
// list, is about to wait for it. The SDK here is this file's, so that the moment is chosen and not hoped for.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "streams.h"

#define CHECK(condition)                                                                                \
  do {                                                                                                  \
    if (!(condition)) {                                                                                 \
      std::fprintf(stderr, "%s:%d: CHECK(%s) failed; last error: %s\n", __FILE__, __LINE__, #condition, \
                   flagos::sdk::last_error);                                                            \
      std::_Exit(1);                                                                                    \
    }                                                                                                   \
  } while (false)

namespace {

using namespace flagos::sdk;

const Stream_t kStream = reinterpret_cast<Stream_t>(0x10);
std::atomic<bool> waiting{false};
std::atomic<bool> alive{true};  // what the SDK would say of kStream

}  // namespace

Error_t GetDevice(int* device) {
  *device = 0;
  return Success;
}
Error_t SetDevice(int /*device*/) { return Success; }
Error_t GetDeviceCount(int* count) {
  *count = 1;
  return Success;
}
Error_t StreamCreate(Stream_t* stream) {
  *stream = kStream;
  return Success;
}
Error_t EventCreateWithFlags(Event_t* /*event*/, unsigned int /*flags*/) { return ErrorUnknown; }
Error_t EventDestroy(Event_t /*event*/) { return Success; }
Error_t EventRecord(Event_t /*event*/, Stream_t /*stream*/) { return ErrorUnknown; }
Error_t EventQuery(Event_t /*event*/) { return ErrorUnknown; }
Error_t EventSynchronize(Event_t /*event*/) { return ErrorUnknown; }
Error_t DeviceSynchronize() { return emulation::synchronize_streams::DeviceSynchronize(); }

// As a generated one: the list is asked first, then the SDK. Slow, so that the destroyer comes in between.
Error_t StreamSynchronize(Stream_t stream) {
  if (stream == nullptr) return Success;
  waiting = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (const Error_t error = streams().require("StreamSynchronize", stream)) return error;
  return alive ? Success : fail("StreamSynchronize", "the SDK was given a destroyed stream");
}

int main() {
  CHECK(streams().add(kStream) == Success);
  std::thread destroyer([] {
    while (!waiting) std::this_thread::yield();
    CHECK(streams().remove("StreamDestroy", kStream) == Success);
    alive = false;
  });
  CHECK(DeviceSynchronize() == Success);  // another thread's stream that goes away is no failure
  destroyer.join();
  CHECK(DeviceSynchronize() == Success);
  CHECK(streams().remove("StreamDestroy", kStream) == ErrorUnknown);
  CHECK(streams().remove("StreamDestroy", nullptr) == ErrorUnknown);
}
