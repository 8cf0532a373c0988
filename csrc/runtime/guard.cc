// SPDX-License-Identifier: Apache-2.0
//
// What torch.accelerator, torch.Stream, torch.Event and the autograd engine call.
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "torch_line.h"

namespace flagos {
namespace {

using c10::Device;
using c10::DeviceIndex;

struct DeviceGuard final : c10::impl::DeviceGuardImplInterface {
  // ---- devices ----
  c10::DeviceType type() const override { return kDeviceType; }

  Device exchangeDevice(Device device) const override {
    const Device former = getDevice();
    setDevice(device);
    return former;
  }

  Device getDevice() const override { return make_device(current_device()); }

  void setDevice(Device device) const override {
    TORCH_CHECK(device.type() == kDeviceType, "flagos: expected a flagos device, found ", device);
    if (device.index() != current_device()) set_device(device.index());
  }

  void uncheckedSetDevice(Device device) const noexcept override {
    if (const Runtime* usable = usable_runtime()) usable->SetDevice(device.index());
  }

  DeviceIndex deviceCount() const noexcept override { return static_cast<DeviceIndex>(device_count_or_zero()); }

#if FLAGOS_TORCH >= 210  // before, nobody asks
  c10::DeviceCapability getDeviceCapability(Device device) const override {
    checked_index(device.index());
    // What can be allocated and copied: every dtype but the quantised ones. The narrow integers and the bits are bytes
    // that only move.
    c10::DeviceCapability capability;
    capability.capability_data.capability_bits = 0;
    auto& types = capability.capability_data.supported_scalar_types;
    types.has_Byte = types.has_Char = types.has_Short = types.has_Int = types.has_Long = 1;
    types.has_UInt16 = types.has_UInt32 = types.has_UInt64 = 1;
    types.has_Half = types.has_BFloat16 = types.has_Float = types.has_Double = 1;
    types.has_ComplexHalf = types.has_ComplexFloat = types.has_ComplexDouble = 1;
    types.has_Bool = 1;
    types.has_Float8_e5m2 = types.has_Float8_e4m3fn = types.has_Float8_e5m2fnuz = types.has_Float8_e4m3fnuz = 1;
    types.has_Float8_e8m0fnu = types.has_Float4_e2m1fn_x2 = 1;
    types.has_UInt1 = types.has_UInt2 = types.has_UInt3 = types.has_UInt4 = types.has_UInt5 = types.has_UInt6 = 1;
    types.has_UInt7 = types.has_Int1 = types.has_Int2 = types.has_Int3 = types.has_Int4 = types.has_Int5 = 1;
    types.has_Int6 = types.has_Int7 = 1;
    types.has_Bits1x8 = types.has_Bits2x4 = types.has_Bits4x2 = types.has_Bits8 = types.has_Bits16 = 1;
    return capability;
  }
#endif

  void synchronizeDevice(const DeviceIndex index) const override {
    const DeviceScope scope(checked_index(index));
    check(runtime().DeviceSynchronize(), "DeviceSynchronize");
  }

  // ---- streams ----
  c10::Stream getStream(Device device) const override { return current_stream(device.index()); }
  c10::Stream getDefaultStream(Device device) const override { return default_stream(device.index()); }

  c10::Stream getStreamFromGlobalPool(Device device, bool is_high_priority) const override {
    return is_high_priority ? urgent_stream(device.index()) : pooled_stream(device.index(), 0);
  }

  c10::Stream getNewStream(Device device, int priority) const override {
    return pooled_stream(device.index(), priority);
  }

  c10::Stream exchangeStream(c10::Stream stream) const override { return exchange_current_stream(stream); }

  void* getStreamNativeHandle(const c10::Stream stream) const FLAGOS_OVERRIDE_SINCE_211 {
    return native_handle(stream);
  }

  bool queryStream(const c10::Stream& stream) const override {
    const DeviceScope scope(stream.device_index());
    return is_ready(runtime().StreamQuery(native_handle(stream)), "StreamQuery");
  }

  void synchronizeStream(const c10::Stream& stream) const override { synchronize(stream); }

  // No vendor has graph capture yet, so no stream is ever capturing.
  bool isStreamCapturing(const c10::Stream& stream) const FLAGOS_OVERRIDE_SINCE_212 { return false; }

  void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override {
    device_allocator().recordStream(memory, stream);
  }

  // ---- events: `void*` is an Event_t, null until first recorded ----
  void record(void** event, const c10::Stream& stream, const DeviceIndex index,
              const c10::EventFlag flag) const override {
    TORCH_CHECK(index == -1 || index == stream.device_index(), "flagos: an event of flagos:", static_cast<int>(index),
                " cannot be recorded on ", stream, ", a stream of flagos:", static_cast<int>(stream.device_index()),
                "; record an event of that device, the other one can wait for it");
    const DeviceScope scope(stream.device_index());
    if (*event == nullptr) *event = create_event(flag);
    mark_device_used(stream.device_index());
    check(runtime().EventRecord(static_cast<Event_t>(*event), native_handle(stream)), "EventRecord");
  }

  void block(void* event, const c10::Stream& stream) const override {
    if (event == nullptr) return;
    const DeviceScope scope(stream.device_index());
    check(runtime().StreamWaitEvent(native_handle(stream), static_cast<Event_t>(event), WaitDefault),
          "StreamWaitEvent");
  }

  bool queryEvent(void* event) const override {
    return event == nullptr || is_ready(runtime().EventQuery(static_cast<Event_t>(event)), "EventQuery");
  }

  void synchronizeEvent(void* event) const override {
    if (event != nullptr) check(runtime().EventSynchronize(static_cast<Event_t>(event)), "EventSynchronize");
  }

  double elapsedTime(void* start, void* end, const DeviceIndex index) const override {
    TORCH_CHECK(start != nullptr && end != nullptr, "flagos: both events must be recorded before time is measured");
    float milliseconds = 0;
    const Error_t code =
        runtime().EventElapsedTime(&milliseconds, static_cast<Event_t>(start), static_cast<Event_t>(end));
    TORCH_CHECK(code != ErrorNotReady,
                "flagos: an event has not finished yet; call synchronize() on it before "
                "elapsed_time()");
    check(code, "EventElapsedTime");
    return milliseconds;
  }

  void destroyEvent(void* event, const DeviceIndex index) const noexcept override {
    const Runtime* usable = usable_runtime();
    if (event != nullptr && usable != nullptr) usable->EventDestroy(static_cast<Event_t>(event));
  }

 private:
  static bool is_ready(Error_t code, const char* function) {
    if (code == ErrorNotReady) return false;
    check(code, function);
    return true;
  }

  static Event_t create_event(c10::EventFlag flag) {
    TORCH_CHECK(flag == c10::EventFlag::PYTORCH_DEFAULT || flag == c10::EventFlag::BACKEND_DEFAULT,
                "flagos: unknown event flag ", static_cast<int>(flag));
    const unsigned flags = flag == c10::EventFlag::BACKEND_DEFAULT ? EventEnableTiming : EventDisableTiming;
    Event_t event = nullptr;
    check(runtime().EventCreateWithFlags(&event, flags), "EventCreateWithFlags");
    return event;
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, DeviceGuard);

}  // namespace
}  // namespace flagos
