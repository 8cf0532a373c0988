// SPDX-License-Identifier: Apache-2.0
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/generator.h"
#include "runtime/host_allocator.h"
#include "runtime/storage.h"

namespace flagos {
namespace {

using c10::DeviceIndex;

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count_or_zero() > 0; }
  bool hasPrimaryContext(DeviceIndex index) const override { return device_used(index); }
  DeviceIndex deviceCount() const override { return static_cast<DeviceIndex>(device_count_or_zero()); }

  void init() const override { require_device(); }

  void setCurrentDevice(DeviceIndex index) const override { set_device(index); }
  DeviceIndex getCurrentDevice() const override { return static_cast<DeviceIndex>(current_device()); }

  DeviceIndex exchangeDevice(DeviceIndex index) const override {
    const int former = current_device();
    if (index != former) set_device(index);
    return static_cast<DeviceIndex>(former);
  }

  // A negative index means "leave the device as it is".
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const override {
    return index < 0 ? getCurrentDevice() : exchangeDevice(index);
  }

  at::Device getDeviceFromPtr(void* pointer) const override {
    PointerAttributes attributes{};
    check(runtime().PointerGetAttributes(&attributes, pointer), "PointerGetAttributes");
    TORCH_CHECK(attributes.type == MemoryTypeDevice, "flagos: ", pointer, " is not memory of a flagos device");
    return make_device(attributes.device);
  }

  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &host_allocator(); }

  const at::Generator& getDefaultGenerator(DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(DeviceIndex index) const override { return new_generator(index); }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    resize_storage(*storage.unsafeGetStorageImpl(), bytes);
  }
};

[[maybe_unused]] const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks());
  return true;
}();

}  // namespace
}  // namespace flagos
