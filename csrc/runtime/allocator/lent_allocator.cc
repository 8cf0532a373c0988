// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocator/lent_allocator.h"

#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "runtime/target.h"
#include "torch_line.h"

namespace flagos {
namespace {

class LentAllocator final : public c10::DeviceAllocator {
 public:
  explicit LentAllocator(c10::DeviceAllocator& lender) : lender_(lender) {}

  c10::DataPtr allocate(size_t bytes) override {
    const int device = current_device();
    const TargetStream stream(device);
    c10::DataPtr memory = lender_.allocate(bytes);
    memory.unsafe_set_device(make_device(device));
    return memory;
  }
  c10::DeleterFnPtr raw_deleter() const override { return lender_.raw_deleter(); }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    own_allocator().copy_data(destination, source, bytes);  // which asks nothing of where a block comes from
  }

  bool initialized() override { return lender_.initialized(); }
  void emptyCache(c10::MempoolId_t pool) override { lender_.emptyCache(pool); }
  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    native_handle(stream);  // throws for what is no stream of a flagos device
    lender_.recordStream(data, stream_on_target(stream));
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    return lender_.getDeviceStats(static_cast<c10::DeviceIndex>(checked_index(device)));
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    lender_.resetAccumulatedStats(static_cast<c10::DeviceIndex>(checked_index(device)));
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    lender_.resetPeakStats(static_cast<c10::DeviceIndex>(checked_index(device)));
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) FLAGOS_OVERRIDE_SINCE_210 {
    return memory_info(device);
  }

  static int device_of(const void* memory) {
    PointerAttributes attributes{};
    check(runtime().PointerGetAttributes(&attributes, memory), "PointerGetAttributes");
    return attributes.type == MemoryTypeDevice ? attributes.device : -1;
  }

 private:
  c10::DeviceAllocator& lender_;
};

}  // namespace

void borrow_target_memory() {
  c10::DeviceAllocator& lender = *c10::getDeviceAllocator(target().type);
  static auto* const allocator = new LentAllocator(lender);  // outlives every tensor
  for (int device = 0; device < device_count(); ++device) {
    TORCH_CHECK(own_allocator().getDeviceStats(static_cast<c10::DeviceIndex>(device)).reserved_bytes[0].current == 0,
                "flagos: operators are routed to ", target().key,
                " before the first tensor of a device is made, not after: name the conf in FLAGOS_BACKEND_CONFIG");
    const DeviceScope scope(device);
    const c10::DataPtr memory = lender.allocate(1);
    const int found = LentAllocator::device_of(memory.get());
    TORCH_CHECK(found == device, "flagos: the devices of ", target().key, " are not those of vendor '",
                runtime().vendor, "': its memory is ",
                found == -1 ? std::string("unknown to the vendor's runtime") : c10::str("on flagos:", found),
                ", expected flagos:", device, ". Take the routes out of the conf");
  }
  use_allocator(*allocator);
}

}  // namespace flagos
