// SPDX-License-Identifier: Apache-2.0
//
// Device time for torch.autograd.profiler: an event around each operator, on the current stream.
#include <c10/core/Event.h>
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

struct Profiler final : torch::profiler::impl::ProfilerStubs {
  bool enabled() const override { return device_count_or_zero() > 0; }

  void record(c10::DeviceIndex* device, ProfilerVoidEventStub* event, int64_t* cpu_ns) const override {
    const c10::Stream stream = current_stream(-1);
    const auto recorded = std::make_shared<c10::Event>(kDeviceType, c10::EventFlag::BACKEND_DEFAULT);
    if (device != nullptr) *device = stream.device_index();
    if (cpu_ns != nullptr) *cpu_ns = c10::getTime();
    recorded->record(stream);
    *event = recorded;
  }

  // Microseconds.
  float elapsed(const ProfilerVoidEventStub* start, const ProfilerVoidEventStub* end) const override {
    const auto& first = *static_cast<const c10::Event*>(start->get());
    const auto& last = *static_cast<const c10::Event*>(end->get());
    first.synchronize();
    last.synchronize();
    return static_cast<float>(first.elapsedTime(last) * 1000);
  }

  void onEachDevice(std::function<void(int)> visit) const override {
    for (int index = 0; index < device_count_or_zero(); ++index) {
      const DeviceScope scope(index);
      visit(index);
    }
  }

  void synchronize() const override { check(runtime().DeviceSynchronize(), "DeviceSynchronize"); }

  // Annotations for a vendor's own timeline: the contract has none.
  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
};

[[maybe_unused]] const bool registered = [] {
  torch::profiler::impl::registerPrivateUse1Methods(new Profiler());
  return true;
}();

}  // namespace
}  // namespace flagos
