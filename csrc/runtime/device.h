// SPDX-License-Identifier: Apache-2.0
//
// Devices by index. The current device is the calling thread's and is kept by the vendor's runtime. All functions may
// be called from any thread; those that are not noexcept throw c10::Error or what runtime() throws.
#pragma once

#include <c10/core/Device.h>

#include "include/flagos.h"

namespace flagos {

constexpr c10::DeviceType kDeviceType = c10::DeviceType::PrivateUse1;
constexpr int kMaxDevices = 128;  // c10::DeviceIndex has eight bits

inline c10::Device make_device(int index) { return {kDeviceType, static_cast<c10::DeviceIndex>(index)}; }

int device_count();
FLAGOS_EXPORT int device_count_or_zero() noexcept;  // zero as well when there is no runtime

void require_device();  // throws, with what to do, if there is none

int current_device();
void set_device(int index);

// The index itself if such a device exists, the current device for -1; anything else throws and says what exists.
int checked_index(int index);

// True once something was made on the device: memory, a stream or an event.
bool device_used(int index) noexcept;
void mark_device_used(int index) noexcept;

// Makes a device current for a scope and then restores the former one. -1 changes nothing.
class DeviceScope {
 public:
  explicit DeviceScope(int index);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int former_ = -1;
  bool switched_ = false;
};

}  // namespace flagos
