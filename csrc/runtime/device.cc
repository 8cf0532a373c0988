// SPDX-License-Identifier: Apache-2.0
#include "runtime/device.h"

#include <c10/util/Exception.h>

#include <array>
#include <atomic>

#include "runtime/error.h"

namespace flagos {
namespace {

std::array<std::atomic<bool>, kMaxDevices> g_used{};

std::string existing_devices(int count) {
  if (count == 1) return "its only device is flagos:0";
  return c10::str("its devices are flagos:0 to flagos:", count - 1);
}

}  // namespace

int device_count() {
  // Devices neither come nor go while a process runs.
  static const int count = [] {
    int found = 0;
    check(runtime().GetDeviceCount(&found), "GetDeviceCount");
    TORCH_CHECK(found >= 0 && found <= kMaxDevices, "flagos: GetDeviceCount of vendor '", runtime().vendor,
                "' returned ", found, ", expected 0 to ", kMaxDevices);
    return found;
  }();
  return count;
}

int device_count_or_zero() noexcept {
  try {
    runtime();
    return device_count();
  } catch (...) {
    return 0;
  }
}

void require_device() {
  TORCH_CHECK(device_count() > 0, "flagos: the runtime of vendor '", runtime().vendor, "' (", runtime().library,
              ") finds no device. Check the driver and what hides devices from this process, or set FLAGOS_ACCELERATOR "
              "to one of the built vendors: ",
              built_vendors());
}

int current_device() {
  int index = 0;
  const Error_t code = runtime().GetDevice(&index);
  if (C10_UNLIKELY(code != Success)) {
    require_device();
    raise(code, "GetDevice");
  }
  return index;
}

void set_device(int index) {
  TORCH_CHECK(index >= 0, "flagos: ", index, " is not the index of a device");
  check(runtime().SetDevice(checked_index(index)), "SetDevice");
}

int checked_index(int index) {
  if (index == -1) return current_device();
  const int count = device_count();
  if (C10_UNLIKELY(index < 0 || index >= count)) {
    require_device();
    TORCH_CHECK(false, "flagos:", index, " does not exist: the runtime of vendor '", runtime().vendor,
                "' is in use and ", existing_devices(count));
  }
  return index;
}

bool device_used(int index) noexcept {
  return index >= 0 && index < kMaxDevices && g_used[index].load(std::memory_order_relaxed);
}

void mark_device_used(int index) noexcept { g_used[index].store(true, std::memory_order_relaxed); }

DeviceScope::DeviceScope(int index) {
  if (index == -1 || (index == 0 && device_count() == 1)) return;  // nothing that a switch could change
  former_ = current_device();
  switched_ = former_ != index;
  if (switched_) set_device(index);
}

DeviceScope::~DeviceScope() {
  const Runtime* usable = usable_runtime();
  if (switched_ && usable != nullptr) usable->SetDevice(former_);
}

}  // namespace flagos
