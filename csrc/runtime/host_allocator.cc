// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_allocator.h"

#include <cstring>
#include <utility>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

// An untimed event that is destroyed with its owner.
class OwnedEvent {
 public:
  explicit OwnedEvent(const c10::Stream& stream) {
    const DeviceScope scope(stream.device_index());
    check(runtime().EventCreateWithFlags(&event_, EventDisableTiming), "EventCreateWithFlags");
    const Error_t code = runtime().EventRecord(event_, native_handle(stream));
    if (code != Success) {
      reset();
      raise(code, "EventRecord");
    }
  }
  OwnedEvent(OwnedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  OwnedEvent& operator=(OwnedEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedEvent() { reset(); }

  bool ready() const {
    const Error_t code = runtime().EventQuery(event_);
    if (code == ErrorNotReady) return false;
    check(code, "EventQuery");
    return true;
  }

 private:
  void reset() noexcept {
    const Runtime* usable = usable_runtime();
    if (event_ != nullptr && usable != nullptr) usable->EventDestroy(event_);
    event_ = nullptr;
  }

  Event_t event_ = nullptr;
};

using Block = at::HostBlock<c10::Stream>;

struct PinnedMemory final : at::CachingHostAllocatorImpl<c10::Stream, OwnedEvent, Block> {
 private:
  void allocate_host_memory(size_t size, void** pointer) override {
    Error_t code = runtime().MallocHost(pointer, size);
    if (code == ErrorMemoryAllocation) {
      empty_cache();
      code = runtime().MallocHost(pointer, size);
    }
    check(code, "MallocHost");
  }

  void free_block(Block* block) override { check(runtime().FreeHost(block->ptr_), "FreeHost"); }

  void record_stream(std::optional<std::vector<OwnedEvent>>& events, c10::Stream stream) override {
    events->emplace_back(stream);
  }

  bool query_event(OwnedEvent& event) override { return event.ready(); }

  c10::Stream get_current_stream() const override { return current_stream(-1); }

  bool stream_is_capturing(c10::Stream) const override { return false; }

 public:
  void copy_data(void* dest, const void* src, std::size_t count) const override { std::memcpy(dest, src, count); }
};

void release(void* context);

struct HostAllocator final : at::CachingHostAllocatorInterface<PinnedMemory, &release> {
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }  // the context is the block, not the memory
};

HostAllocator& instance() {
  static auto& allocator = *new HostAllocator();  // outlives every tensor
  return allocator;
}

// A deleter: must not throw, and leaves memory alone when the runtime is gone.
void release(void* context) {
  if (usable_runtime() == nullptr) return;
  try {
    instance().free(context);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flagos: pinned memory was not given back: %s\n", error.what());
  }
}

const at::HostAllocatorRegistry<kDeviceType> registered(&instance());

}  // namespace

at::HostAllocator& host_allocator() { return instance(); }

bool is_pinned(const void* pointer) noexcept {
  const Runtime* usable = usable_runtime();
  if (usable == nullptr || pointer == nullptr) return false;
  PointerAttributes attributes{};
  return usable->PointerGetAttributes(&attributes, pointer) == Success && attributes.type == MemoryTypeHost;
}

}  // namespace flagos
