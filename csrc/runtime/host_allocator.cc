// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_allocator.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "torch_line.h"

namespace flagos {
namespace {

using c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::format_size;

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kLargestPowerOfTwo = kMiB;
constexpr size_t kLargeGranule = 2 * kMiB;
constexpr size_t kLargestRequest = size_t{1} << 62;  // rounding must not overflow

// An untimed event on a stream, destroyed with its owner. Where the vendor fails to record it, it is not ready, and
// ready() tries again: the memory behind it is neither reused too early nor lost.
class OwnedEvent {
 public:
  explicit OwnedEvent(const c10::Stream& stream) : stream_(stream) { record(); }
  OwnedEvent(OwnedEvent&& other) noexcept : stream_(other.stream_), event_(std::exchange(other.event_, nullptr)) {}
  OwnedEvent& operator=(OwnedEvent&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~OwnedEvent() { reset(); }

  bool ready() {
    if (event_ == nullptr) record();
    if (event_ == nullptr) return false;
    const Error_t code = runtime().EventQuery(event_);
    if (code != Success && code != ErrorNotReady) reset();
    return code == Success;
  }

 private:
  void record() {
    const DeviceScope scope(stream_.device_index());
    if (runtime().EventCreateWithFlags(&event_, EventDisableTiming) != Success) {
      event_ = nullptr;
    } else if (runtime().EventRecord(event_, native_handle(stream_)) != Success) {
      reset();
    }
  }

  void reset() noexcept {
    const Runtime* usable = usable_runtime();
    if (event_ != nullptr && usable != nullptr) usable->EventDestroy(event_);
    event_ = nullptr;
  }

  c10::Stream stream_;
  Event_t event_ = nullptr;
};

using Block = at::HostBlock<c10::Stream>;

// What PyTorch's allocator does, except for large blocks and for the vendor's FreeHost, which may wait for a device: it
// is called once PyTorch's locks are released.
class PinnedMemory final : public at::CachingHostAllocatorImpl<c10::Stream, OwnedEvent, Block> {
  using Base = at::CachingHostAllocatorImpl<c10::Stream, OwnedEvent, Block>;

 public:
  std::pair<void*, void*> allocate(size_t size) override {
    if (size > kLargestRequest) raise_out_of_memory(size);
#if FLAGOS_TORCH >= 213
    if (size > pinned_max_round_threshold()) size = (size + kLargeGranule - 1) / kLargeGranule * kLargeGranule;
#endif
    const std::pair<void*, void*> memory = Base::allocate(size);
    give_back_dropped();
    return memory;
  }

  void free(void* context) override {
    Base::free(context);
    give_back_dropped();
  }

  void empty_cache() override {
    Base::empty_cache();
    give_back_dropped();
  }

  void copy_data(void* dest, const void* src, std::size_t count) const override { std::memcpy(dest, src, count); }

 private:
#if FLAGOS_TORCH >= 213  // before, every request becomes a power of two, so that a bucket has blocks of one size
  size_t pinned_max_round_threshold() const override {
    return std::min(AcceleratorAllocatorConfig::pinned_max_round_threshold(), kLargestPowerOfTwo);
  }

  // A bucket has blocks of different sizes, where they are not rounded to a power of two: the best fit.
  Block* get_free_block(size_t size, BlockPool& pool) override {
    const size_t bucket = size_index(size);
    const std::lock_guard<std::mutex> lock(pool.free_list_[bucket].mutex_);
    auto& blocks = pool.free_list_[bucket].list_;
    auto best = blocks.end();
    for (auto it = blocks.begin(); it != blocks.end(); ++it) {
      if ((*it)->size_ >= size && (best == blocks.end() || (*it)->size_ < (*best)->size_)) best = it;
    }
    if (best == blocks.end()) return nullptr;
    Block* block = *best;
    blocks.erase(best);
    block->allocated_ = true;
#if FLAGOS_TORCH >= 215
    auto& stats = pool;
#else
    auto& stats = stats_;
#endif
    stats.active_bucket_stats[bucket].increase(1);
    stats.active_bytes_bucket_stats[bucket].increase(block->size_);
    return block;
  }
#endif

  void allocate_host_memory(size_t size, void** pointer) override {
    Error_t code = runtime().MallocHost(pointer, size);
    if (code == ErrorMemoryAllocation) {
      empty_cache();
      code = runtime().MallocHost(pointer, size);
    }
    if (code == ErrorMemoryAllocation) raise_out_of_memory(size);
    check(code, "MallocHost");
  }

  [[noreturn]] void raise_out_of_memory(size_t size) {
    const at::HostStats stats = getStats();
#if FLAGOS_TORCH >= 210
    const int64_t pinned = stats.allocated_bytes.current;
    const int64_t cached = pinned - stats.active_bytes.current;
#else
    const int64_t pinned = stats.reserved_bytes.current;
    const int64_t cached = pinned - stats.allocated_bytes.current;
#endif
    TORCH_CHECK_WITH(OutOfMemoryError, false, "flagos: no pinned host memory is left. Tried to allocate ",
                     format_size(size), ". This process has pinned ", format_size(pinned), ", ", format_size(cached),
                     " of it in its cache. Free pinned tensors, or raise the limit on locked memory (ulimit -l)");
  }

  // Called with PyTorch's locks held.
  void free_block(Block* block) override {
    const std::lock_guard<std::mutex> lock(dropped_mutex_);
    dropped_.push_back(block->ptr_);
  }

  void give_back_dropped() {
    std::vector<void*> dropped;
    {
      const std::lock_guard<std::mutex> lock(dropped_mutex_);
      dropped.swap(dropped_);
    }
    for (void* pointer : dropped) check(runtime().FreeHost(pointer), "FreeHost");
  }

  void record_stream(std::optional<std::vector<OwnedEvent>>& events, c10::Stream stream) override {
    events->emplace_back(stream);
  }

  bool query_event(OwnedEvent& event) override { return event.ready(); }

  c10::Stream get_current_stream() const FLAGOS_OVERRIDE_SINCE_211 { return current_stream(-1); }

  bool stream_is_capturing(c10::Stream) const FLAGOS_OVERRIDE_SINCE_211 { return false; }

  std::mutex dropped_mutex_;
  std::vector<void*> dropped_;  // to be given to FreeHost
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
