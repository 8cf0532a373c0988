// SPDX-License-Identifier: Apache-2.0
//
// Devices of a thread and of the process, over the contract's own functions.
#pragma once

#include <atomic>

#include "sdk_call.h"

namespace flagos::sdk {

// Makes a device current for a scope, and the one before it current again.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    error_ = GetDevice(&before_);
    changed_ = error_ == Success && device != before_;
    if (changed_) error_ = SetDevice(device);
  }
  ~CurrentDevice() {
    if (changed_) SetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  Error_t error() const { return error_; }

 private:
  int before_ = 0;
  bool changed_ = false;
  Error_t error_ = Success;
};

inline Error_t synchronize_device(int device) {
  const CurrentDevice current(device);
  if (const Error_t error = current.error()) return error;
  return DeviceSynchronize();
}

// For an SDK that names a current device where there is none. A device that was there stays.
inline Error_t require_device(const char* slot) {
  static std::atomic<bool> seen{false};
  if (seen.load(std::memory_order_relaxed)) return Success;
  int count = 0;
  if (const Error_t error = GetDeviceCount(&count)) return error;
  if (count == 0) return fail(slot, "there is no device", ErrorInvalidDevice);
  seen = true;
  return Success;
}

// Devices that work may have been given to, a bit each. SDKs have no such list, and a device asked for the first time
// may get a context of some hundred megabytes, so asking all of them is no way to find out.
class DevicesInUse {
 public:
  void note(int device) {
    const uint64_t bit = uint64_t{1} << (device & 63);
    if ((bits_.load(std::memory_order_relaxed) & bit) == 0) bits_.fetch_or(bit);
  }
  // For a thread that never chose a device.
  void note_current() {
    int device = 0;
    if (GetDevice(&device) == Success) note(device);
  }
  Error_t drain() const {
    const uint64_t devices = bits_.load();
    for (int device = 0; device < 64; ++device) {
      if ((devices >> device & 1) == 0) continue;
      if (const Error_t error = synchronize_device(device)) return error;
    }
    return Success;
  }

 private:
  std::atomic<uint64_t> bits_{0};
};

inline DevicesInUse devices_in_use;

namespace emulation::thread_device {

inline thread_local int current = 0;

inline Error_t GetDevice(int* device) {
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = current;
  return Success;
}

inline Error_t SetDevice(int device) {
  int count = 0;
  if (const Error_t error = GetDeviceCount(&count)) return error;
  if (device < 0 || device >= count) return fail("SetDevice", "no device has this index", ErrorInvalidDevice);
  current = device;
  return Success;
}

}  // namespace emulation::thread_device
}  // namespace flagos::sdk
