// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocator/caching_device_allocator.h"

#include <c10/core/AllocatorConfig.h>
#include <c10/util/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "torch_line.h"

namespace flagos {
namespace {

using c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::format_size;
using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGranule = 512;        // every block is a multiple
constexpr size_t kLargestSmall = kMiB;  // bigger requests use the large pool
constexpr size_t kSmallSegment = 2 * kMiB;
constexpr size_t kOwnSegment = 10 * kMiB;  // from here on a request gets a segment of its own
constexpr size_t kSegmentGranule = 2 * kMiB;
constexpr size_t kSlack = 64 * kMiB;                 // reserved without a look at how much is used
constexpr size_t kLargestRequest = size_t{1} << 62;  // rounding must not overflow

size_t round_up(size_t size, size_t granule) { return (size + granule - 1) / granule * granule; }

// The size of the block for a request: see PYTORCH_ALLOC_CONF, roundup_power2_divisions.
size_t block_size(size_t requested) {
  const size_t divisions = AcceleratorAllocatorConfig::roundup_power2_divisions(requested);
  if (C10_LIKELY(divisions <= 1 || requested <= divisions * kGranule)) return round_up(requested, kGranule);
  return round_up(requested, std::max(std::bit_floor(requested) / divisions, kGranule));
}

size_t large_segment_size() {
#if FLAGOS_TORCH >= 211
  return AcceleratorAllocatorConfig::large_segment_size();
#else
  return 20 * kMiB;
#endif
}

size_t segment_size(size_t size) {
  if (size <= kLargestSmall) return kSmallSegment;
  return size < kOwnSegment ? std::max(large_segment_size(), size) : round_up(size, kSegmentGranule);
}

// Blocks from this size on are neither split nor given to smaller requests. (PyTorch allows no limit that is small.)
bool is_oversize(size_t size) { return size > kSmallSegment && size >= AcceleratorAllocatorConfig::max_split_size(); }

DeviceMemoryInterface& vendor_memory() { return *runtime().memory; }

// DeviceScope by way of the memory interface, which is all that the allocator asks of a vendor.
class MemoryScope {
 public:
  explicit MemoryScope(int device) {
    check(vendor_memory().get_device_index(&former_), "get_device_index");
    switched_ = former_ != device;
    if (switched_) check(vendor_memory().set_device(device), "set_device");
  }
  ~MemoryScope() {
    const Runtime* usable = usable_runtime();
    if (switched_ && usable != nullptr) usable->memory->set_device(former_);
  }
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  int former_ = 0;
  bool switched_ = false;
};

class FreeBlocks;

// A range of a segment. The blocks of a segment form a list in address order; a segment is a block without neighbours.
struct Block {
  FreeBlocks* pool = nullptr;  // where it goes when it is free
  c10::StreamId stream = 0;    // the stream it was allocated on, and the only one that it is reused for
  bool in_pool = false;        // free and ready for reuse
  char* data = nullptr;
  size_t size = 0;
  size_t requested = 0;
  Block* previous = nullptr;
  Block* next = nullptr;
  Block* smaller = nullptr;  // neighbours in the pool's bin
  Block* larger = nullptr;
  std::vector<c10::Stream> used_on;  // other streams that were given to record_stream
  size_t unfinished_uses = 0;        // of them, those that still keep a freed block from reuse
  size_t freed_at = 0;               // counts frees of the device: the smaller, the longer unused

  bool is_whole_segment() const { return previous == nullptr && next == nullptr; }
};

// The free blocks of one stream and pool. Each power of two has 32 bins, sizes below 32 KiB have one each; a bin is
// sorted by size. Best fit, in constant time unless many sizes share a bin.
class FreeBlocks {
 public:
  explicit FreeBlocks(bool is_small) : small(is_small) {}

  void insert(Block* block) {
    const size_t bin = bin_of(block->size);
    Block** link = &bins_[bin];
    Block* smaller = nullptr;
    for (; *link != nullptr && (*link)->size < block->size; link = &smaller->larger) smaller = *link;
    block->smaller = smaller;
    block->larger = *link;
    if (block->larger != nullptr) block->larger->smaller = block;
    *link = block;
    filled_[bin / 64] |= uint64_t{1} << bin % 64;
  }

  void erase(Block* block) {
    if (block->larger != nullptr) block->larger->smaller = block->smaller;
    if (block->smaller != nullptr) {
      block->smaller->larger = block->larger;
      return;
    }
    const size_t bin = bin_of(block->size);
    bins_[bin] = block->larger;
    if (bins_[bin] == nullptr) filled_[bin / 64] &= ~(uint64_t{1} << bin % 64);
  }

  // The smallest block of at least `size`, or null.
  Block* best_fit(size_t size) const {
    const size_t bin = bin_of(size);
    for (Block* block = bins_[bin]; block != nullptr; block = block->larger) {
      if (block->size >= size) return block;
    }
    size_t word = bin / 64;
    for (uint64_t bits = filled_[word] & (~uint64_t{0} << bin % 64 << 1);; bits = filled_[word]) {
      if (bits != 0) return bins_[word * 64 + std::countr_zero(bits)];
      if (++word == filled_.size()) return nullptr;
    }
  }

  const bool small;

 private:
  static constexpr int kBinBits = 5;
  static constexpr size_t kBins = (64 - kBinBits) << kBinBits;

  static size_t bin_of(size_t size) {
    const size_t granules = size / kGranule;
    if (granules < size_t{2} << kBinBits) return granules;
    const int shift = std::bit_width(granules) - 1 - kBinBits;
    return (static_cast<size_t>(shift) << kBinBits) + (granules >> shift);
  }

  std::array<Block*, kBins> bins_{};
  std::array<uint64_t, (kBins + 63) / 64> filled_{};  // which bins are not empty
};

struct StreamPools {
  FreeBlocks small{true};
  FreeBlocks large{false};
};

struct ByDeviceAndId {
  bool operator()(const c10::Stream& a, const c10::Stream& b) const {
    return std::make_tuple(a.device_index(), a.id()) < std::make_tuple(b.device_index(), b.id());
  }
};

// All of it guarded by `mutex`, except `device` and what `events` guards itself.
class DeviceMemory {
 public:
  explicit DeviceMemory(int index) : device(index) {}

  Block* allocate(size_t requested, c10::StreamId stream);
  // The size of the block that begins there and is now free; 0 if no live block does.
  size_t free(const void* data);
  // For memory in whoever's wrapping, and from its middle as well; false if it is in no live block.
  bool record_use(const void* address, const c10::Stream& stream);
  void empty_cache();

  template <typename Visit>
  void with_stats(Visit visit) {
    const std::lock_guard<std::mutex> lock(mutex_);
    visit(stats_);
  }

  Event_t record_event(const c10::Stream& stream);  // on this device
  void recycle_event(Event_t event);

  const int device;

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Use {
    Event_t event;
    Block* block;
    size_t number;
  };

  Block* find(const void* address) const;
  Block* make_block();
  void drop_block(Block* block);
  void put_in_pool(Block* block);
  void take_from_pool(Block* block);
  Block* take_fitting(FreeBlocks& pool, size_t size);
  void split(Block* block, size_t size);
  Block* merge(Block* block, Block* behind);
  void reclaim(Block* block);

  Block* allocate_segment(Lock& lock, size_t size, c10::StreamId stream, FreeBlocks* pool);
  Block* new_segment(Lock& lock, size_t size, size_t segment, c10::StreamId stream, FreeBlocks* pool);
  [[noreturn]] void raise_out_of_memory(Lock& lock, size_t requested, size_t segment);

  void record_uses(Block* block, const std::vector<c10::Stream>& streams);
  void record_missed_uses(Lock& lock);
  void reclaim_finished_uses();
  void wait_for_uses(Lock& lock);

  std::vector<Block*> idle_segments() const;
  void release(Lock& lock, const std::vector<Block*>& segments);
  void trim(Lock& lock, size_t incoming);

  std::mutex mutex_;
  std::unordered_map<c10::StreamId, std::unique_ptr<StreamPools>> pools_;
  std::map<const char*, Block*> segments_;        // the first block of each, by address
  ska::flat_hash_map<const void*, Block*> live_;  // those in the hands of tensors, by address
  Block* spare_blocks_ = nullptr;                 // a list by `next`
  std::map<c10::Stream, std::deque<Use>, ByDeviceAndId> uses_;
  std::vector<std::pair<Block*, c10::Stream>> missed_uses_;  // the vendor failed to record an event for them
  size_t next_use_ = 0;
  size_t frees_ = 0;
  int64_t most_active_ = 0;  // as the peak of active_bytes, but nobody resets it
  DeviceStats stats_;

  std::mutex events_mutex_;
  std::vector<Event_t> spare_events_;
};

void release(void* data);

class CachingDeviceAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t size) override;
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* destination, const void* source, std::size_t count) const override;

  bool initialized() override { return usable_runtime() != nullptr && device_count_or_zero() > 0; }
  void emptyCache(c10::MempoolId_t) override;
  void recordStream(const c10::DataPtr& data, c10::Stream stream) override;
  DeviceStats getDeviceStats(c10::DeviceIndex device) override;
  void resetAccumulatedStats(c10::DeviceIndex device) override;
  void resetPeakStats(c10::DeviceIndex device) override;
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) FLAGOS_OVERRIDE_SINCE_210;

  DeviceMemory& memory_of(int device) { return *devices_[device]; }
  void free(void* data);

  CachingDeviceAllocator() {
    for (int device = 0; device < kMaxDevices; ++device) devices_[device] = std::make_unique<DeviceMemory>(device);
  }

 private:
  DeviceMemory& checked_memory(int device);
  template <typename Visit>
  bool visit_devices(int first, Visit visit);

  std::array<std::unique_ptr<DeviceMemory>, kMaxDevices> devices_;
};

CachingDeviceAllocator& instance() {
  static auto& allocator = *new CachingDeviceAllocator();  // outlives every tensor
  return allocator;
}

const c10::AllocatorRegisterer<kDeviceType> registered(&instance());

std::atomic<c10::DeviceAllocator*> g_used{nullptr};  // null: this one

// ---- statistics
// -------------------------------------------------------------------------------------------------------

C10_ALWAYS_INLINE void add(StatArray& stat, const Block& block, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].increase(amount);
  stat[static_cast<size_t>(block.pool->small ? StatType::SMALL_POOL : StatType::LARGE_POOL)].increase(amount);
}

C10_ALWAYS_INLINE void subtract(StatArray& stat, const Block& block, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].decrease(amount);
  stat[static_cast<size_t>(block.pool->small ? StatType::SMALL_POOL : StatType::LARGE_POOL)].decrease(amount);
}

template <typename Visit>
void for_each_stat(DeviceStats& stats, Visit visit) {
  for (StatArray* array :
       {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes,
        &stats.reserved_bytes, &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (Stat& stat : *array) visit(stat);
  }
  visit(stats.oversize_allocations);
  visit(stats.oversize_segments);
}

// ---- blocks and pools
// -------------------------------------------------------------------------------------------------

Block* DeviceMemory::make_block() {
  if (spare_blocks_ == nullptr) return new Block();
  Block* block = spare_blocks_;
  spare_blocks_ = block->next;
  block->next = nullptr;
  return block;
}

void DeviceMemory::drop_block(Block* block) {
  block->previous = nullptr;
  block->next = spare_blocks_;
  spare_blocks_ = block;
}

void DeviceMemory::put_in_pool(Block* block) {
  block->in_pool = true;
  block->freed_at = ++frees_;
  block->pool->insert(block);
  if (!block->is_whole_segment()) {
    add(stats_.inactive_split, *block, 1);
    add(stats_.inactive_split_bytes, *block, block->size);
  }
}

void DeviceMemory::take_from_pool(Block* block) {
  if (!block->is_whole_segment()) {
    subtract(stats_.inactive_split, *block, 1);
    subtract(stats_.inactive_split_bytes, *block, block->size);
  }
  block->pool->erase(block);
  block->in_pool = false;
}

Block* DeviceMemory::take_fitting(FreeBlocks& pool, size_t size) {
  Block* block = pool.best_fit(size);
  if (block == nullptr) return nullptr;
  if (C10_UNLIKELY(is_oversize(block->size))) {
    const size_t waste = is_oversize(size) ? AcceleratorAllocatorConfig::max_non_split_rounding_size() : 0;
    if (block->size - size >= waste) return nullptr;
  }
  take_from_pool(block);
  return block;
}

// Cuts `block` to `size` and returns the rest to the pool, if a rest is worth having.
void DeviceMemory::split(Block* block, size_t size) {
  const size_t rest_size = block->size - size;
  if (block->pool->small ? rest_size < kGranule : rest_size <= kLargestSmall || is_oversize(block->size)) return;
  Block* rest = make_block();
  rest->pool = block->pool;
  rest->stream = block->stream;
  rest->data = block->data + size;
  rest->size = rest_size;
  rest->previous = block;
  rest->next = block->next;
  if (rest->next != nullptr) rest->next->previous = rest;
  block->next = rest;
  block->size = size;
  put_in_pool(rest);
}

// Makes one block of two that follow each other, both out of the pool. The first remains: a segment keeps its first.
Block* DeviceMemory::merge(Block* block, Block* behind) {
  block->size += behind->size;
  block->next = behind->next;
  if (block->next != nullptr) block->next->previous = block;
  drop_block(behind);
  return block;
}

// The block is no longer in use anywhere.
void DeviceMemory::reclaim(Block* block) {
  subtract(stats_.active, *block, 1);
  subtract(stats_.active_bytes, *block, block->size);
  if (Block* next = block->next; next != nullptr && next->in_pool) {
    take_from_pool(next);
    merge(block, next);
  }
  if (Block* previous = block->previous; previous != nullptr && previous->in_pool) {
    take_from_pool(previous);
    block = merge(previous, block);
  }
  put_in_pool(block);
}

// ---- allocation
// -------------------------------------------------------------------------------------------------------

Block* DeviceMemory::allocate(size_t requested, c10::StreamId stream) {
  const bool caching = !vendor_memory().provides_caching();
  Lock lock(mutex_);
  if (requested > kLargestRequest) {
    ++stats_.num_ooms;
    raise_out_of_memory(lock, requested, requested);
  }
  const size_t size = caching ? block_size(requested) : requested;
  if (!uses_.empty()) reclaim_finished_uses();
  std::unique_ptr<StreamPools>& pools = pools_[stream];
  if (pools == nullptr) pools = std::make_unique<StreamPools>();
  FreeBlocks* pool = size <= kLargestSmall ? &pools->small : &pools->large;

  Block* block = caching ? take_fitting(*pool, size) : nullptr;
  if (block == nullptr) {
    const size_t segment = caching ? segment_size(size) : size;
    block = new_segment(lock, size, segment, stream, pool);
    if (block == nullptr) raise_out_of_memory(lock, requested, segment);
  }
  if (caching) split(block, size);

  live_.emplace(block->data, block);
  block->requested = requested;
  add(stats_.allocation, *block, 1);
  add(stats_.allocated_bytes, *block, block->size);
  add(stats_.requested_bytes, *block, requested);
  add(stats_.active, *block, 1);
  add(stats_.active_bytes, *block, block->size);
  if (C10_UNLIKELY(is_oversize(block->size))) stats_.oversize_allocations.increase(1);
  most_active_ = std::max(most_active_, stats_.active_bytes[0].current);
  return block;
}

// One segment from the vendor, or null if the device is full.
Block* DeviceMemory::allocate_segment(Lock& lock, size_t size, c10::StreamId stream, FreeBlocks* pool) {
  void* data = nullptr;
  lock.unlock();
  const Error_t code = vendor_memory().device_malloc(&data, size);
  lock.lock();
  if (code == ErrorMemoryAllocation) return nullptr;
  check(code, "device_malloc");
  mark_device_used(device);

  Block* block = make_block();
  block->pool = pool;
  block->stream = stream;
  block->data = static_cast<char*>(data);
  block->size = size;
  segments_.emplace(block->data, block);
  ++stats_.num_device_alloc;
  add(stats_.segment, *block, 1);
  add(stats_.reserved_bytes, *block, size);
  if (is_oversize(size)) stats_.oversize_segments.increase(1);
  return block;
}

// A block of at least `size` where the pool has none: a new segment, for which a full device is cleared step by step.
// Null if all of it was not enough.
Block* DeviceMemory::new_segment(Lock& lock, size_t size, size_t segment, c10::StreamId stream, FreeBlocks* pool) {
  trim(lock, segment);
  if (Block* block = allocate_segment(lock, segment, stream, pool)) return block;
  ++stats_.num_alloc_retries;

  // The smallest idle segment that makes the room alone, of whatever stream; the rest of the cache stays useful.
  const std::vector<Block*> idle = idle_segments();
  const auto large_enough = [&](const Block* candidate) { return candidate->size >= segment; };
  const auto by_size = [](const Block* a, const Block* b) { return a->size < b->size; };
  std::vector<Block*> fitting;
  std::copy_if(idle.begin(), idle.end(), std::back_inserter(fitting), large_enough);
  if (!fitting.empty()) {
    release(lock, {*std::min_element(fitting.begin(), fitting.end(), by_size)});
    if (Block* block = allocate_segment(lock, segment, stream, pool)) return block;
  }

  // What other streams still use, and then all that is idle.
  record_missed_uses(lock);
  if (!uses_.empty()) ++stats_.num_sync_all_streams;
  wait_for_uses(lock);
  if (Block* block = take_fitting(*pool, size)) return block;
  release(lock, idle_segments());
  if (Block* block = allocate_segment(lock, segment, stream, pool)) return block;
  ++stats_.num_ooms;
  return nullptr;
}

void DeviceMemory::raise_out_of_memory(Lock& lock, size_t requested, size_t segment) {
  const int64_t allocated = stats_.allocated_bytes[0].current;
  const int64_t reserved = stats_.reserved_bytes[0].current;
  lock.unlock();
  size_t free = 0;
  size_t total = 0;
  const Error_t code = vendor_memory().get_memory_info(&free, &total);
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(requested), allocated, reserved, make_device(device));
  TORCH_CHECK_WITH(
      OutOfMemoryError, false, "flagos:", device, " is out of memory. Tried to allocate ", format_size(requested),
      segment == requested ? std::string() : c10::str(" (in a segment of ", format_size(segment), ")"), ". ",
      code == Success ? c10::str(format_size(free), " of ", format_size(total), " are free on the device. ") : "",
      "This process holds ", format_size(allocated), " in tensors and ", format_size(reserved - allocated),
      " more in its cache. Free tensors, or call torch.accelerator.empty_cache() in processes that share the device");
}

// ---- free
// -------------------------------------------------------------------------------------------------------------

size_t DeviceMemory::free(const void* data) {
  std::vector<c10::Stream> streams;
  Block* block = nullptr;
  size_t size = 0;
  {
    Lock lock(mutex_);
    const auto found = live_.find(data);
    if (found == live_.end()) return 0;
    block = found->second;
    size = block->size;
    live_.erase(found);
    subtract(stats_.allocation, *block, 1);
    subtract(stats_.allocated_bytes, *block, block->size);
    subtract(stats_.requested_bytes, *block, block->requested);
    if (C10_UNLIKELY(is_oversize(block->size))) stats_.oversize_allocations.decrease(1);
    if (block->used_on.empty()) {
      reclaim(block);
      if (vendor_memory().provides_caching()) release(lock, idle_segments());
      return size;
    }
    streams.swap(block->used_on);
    block->unfinished_uses = streams.size();
  }
  record_uses(block, streams);
  return size;
}

Block* DeviceMemory::find(const void* address) const {
  const auto* data = static_cast<const char*>(address);
  const auto behind = segments_.upper_bound(data);
  if (behind == segments_.begin()) return nullptr;
  for (Block* block = std::prev(behind)->second; block != nullptr; block = block->next) {
    if (data < block->data + block->size) return live_.count(block->data) != 0 ? block : nullptr;
  }
  return nullptr;
}

bool DeviceMemory::record_use(const void* address, const c10::Stream& stream) {
  const Lock lock(mutex_);
  const auto found = live_.find(address);
  Block* block = found != live_.end() ? found->second : find(address);
  if (block == nullptr) return false;
  const bool own = stream.device_index() == device && stream.id() == block->stream;
  if (!own && std::find(block->used_on.begin(), block->used_on.end(), stream) == block->used_on.end()) {
    block->used_on.push_back(stream);
  }
  return true;
}

// Records an event for each use of a freed block. Where the vendor fails to, the block waits for a later attempt: it is
// neither reused before its use has ended nor lost. Throws the last failure.
void DeviceMemory::record_uses(Block* block, const std::vector<c10::Stream>& streams) {
  std::exception_ptr failure;
  for (const c10::Stream& stream : streams) {
    try {
      const Event_t event = instance().memory_of(stream.device_index()).record_event(stream);
      const Lock lock(mutex_);
      uses_[stream].push_back({event, block, next_use_++});
    } catch (...) {
      failure = std::current_exception();
      const Lock lock(mutex_);
      missed_uses_.emplace_back(block, stream);
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void DeviceMemory::record_missed_uses(Lock& lock) {
  std::vector<std::pair<Block*, c10::Stream>> missed;
  missed.swap(missed_uses_);
  lock.unlock();
  for (const auto& [block, stream] : missed) {
    try {
      record_uses(block, {stream});
    } catch (const std::exception&) {
      // It is among the missed ones again; that it failed was said at the free.
    }
  }
  lock.lock();
}

Event_t DeviceMemory::record_event(const c10::Stream& stream) {
  const MemoryScope scope(device);
  Event_t event = nullptr;
  {
    const std::lock_guard<std::mutex> lock(events_mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (event == nullptr) check(vendor_memory().event_create(&event), "event_create");
  const Error_t code = vendor_memory().event_record(event, native_handle(stream));
  if (code != Success) recycle_event(event);
  check(code, "event_record");
  return event;
}

void DeviceMemory::recycle_event(Event_t event) {
  const std::lock_guard<std::mutex> lock(events_mutex_);
  spare_events_.push_back(event);
}

// Events of one stream become ready in order, those of different streams do not.
// A use whose event fails is one that has no event yet.
void DeviceMemory::reclaim_finished_uses() {
  Error_t failure = Success;
  for (auto it = uses_.begin(); it != uses_.end();) {
    auto& [stream, queue] = *it;
    while (!queue.empty()) {
      const Use use = queue.front();
      const Error_t code = vendor_memory().event_query(use.event);
      if (code == ErrorNotReady) break;
      queue.pop_front();
      instance().memory_of(stream.device_index()).recycle_event(use.event);
      if (code != Success) {
        failure = code;
        missed_uses_.emplace_back(use.block, stream);
      } else if (--use.block->unfinished_uses == 0) {
        reclaim(use.block);
      }
    }
    it = queue.empty() ? uses_.erase(it) : std::next(it);
  }
  check(failure, "event_query");
}

// Waits for the uses known now, not for those that other threads add meanwhile. The interface has no blocking wait for
// an event, so this asks at growing intervals.
void DeviceMemory::wait_for_uses(Lock& lock) {
  const size_t known = next_use_;
  const auto waiting = [&] {
    reclaim_finished_uses();
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const auto& entry) { return entry.second.front().number < known; });
  };
  auto pause = std::chrono::microseconds(10);
  while (waiting()) {
    lock.unlock();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(1000));
    lock.lock();
  }
}

// ---- giving back
// ------------------------------------------------------------------------------------------------------

std::vector<Block*> DeviceMemory::idle_segments() const {
  std::vector<Block*> idle;
  for (const auto& [data, block] : segments_) {
    if (block->in_pool && block->is_whole_segment()) idle.push_back(block);
  }
  return idle;
}

// Gives idle segments back to the vendor. Those that it fails to take stay in the cache, and the failure is thrown.
void DeviceMemory::release(Lock& lock, const std::vector<Block*>& segments) {
  if (segments.empty()) return;
  for (Block* segment : segments) {
    take_from_pool(segment);
    segments_.erase(segment->data);  // another thread may be given the same address at once
  }
  lock.unlock();
  std::vector<Error_t> codes;
  {
    const MemoryScope scope(device);
    for (const Block* segment : segments) codes.push_back(vendor_memory().device_free(segment->data));
  }
  lock.lock();
  Error_t failure = Success;
  for (size_t i = 0; i < segments.size(); ++i) {
    Block* segment = segments[i];
    if (codes[i] != Success) {
      failure = codes[i];
      segments_.emplace(segment->data, segment);
      put_in_pool(segment);
      continue;
    }
    ++stats_.num_device_free;
    subtract(stats_.segment, *segment, 1);
    subtract(stats_.reserved_bytes, *segment, segment->size);
    if (is_oversize(segment->size)) stats_.oversize_segments.decrease(1);
    drop_block(segment);
  }
  check(failure, "device_free");
}

// Sizes that grow or wander leave segments behind that fit no later request. Once the cache would exceed the most that
// was ever in use, those unused for longest go, in one batch because giving back may wait for the device.
void DeviceMemory::trim(Lock& lock, size_t incoming) {
  const size_t most_active = std::max<size_t>(most_active_, stats_.active_bytes[0].current + incoming);
  size_t reserved = stats_.reserved_bytes[0].current + incoming;
  if (reserved <= 2 * most_active + kSlack) return;
  std::vector<Block*> idle = idle_segments();
  std::sort(idle.begin(), idle.end(), [](const Block* a, const Block* b) { return a->freed_at < b->freed_at; });
  std::vector<Block*> unused;
  for (Block* segment : idle) {
    if (reserved <= most_active + most_active / 2) break;
    reserved -= segment->size;
    unused.push_back(segment);
  }
  release(lock, unused);
}

void DeviceMemory::empty_cache() {
  Lock lock(mutex_);
  record_missed_uses(lock);
  if (!uses_.empty()) ++stats_.num_sync_all_streams;
  wait_for_uses(lock);
  release(lock, idle_segments());
  lock.unlock();
  std::vector<Event_t> spare;
  {
    const std::lock_guard<std::mutex> guard(events_mutex_);
    spare.swap(spare_events_);
  }
  for (Event_t event : spare) check(vendor_memory().event_destroy(event), "event_destroy");
}

// ---- what PyTorch calls
// -----------------------------------------------------------------------------------------------

void report_to_profiler(DeviceMemory& memory, int64_t change_in_bytes, void* data) {
  if (C10_LIKELY(!c10::memoryProfilingEnabled())) return;
  int64_t allocated = 0;
  int64_t reserved = 0;
  memory.with_stats([&](const DeviceStats& stats) {
    allocated = stats.allocated_bytes[0].current;
    reserved = stats.reserved_bytes[0].current;
  });
  c10::reportMemoryUsageToProfiler(data, change_in_bytes, allocated, reserved, make_device(memory.device));
}

c10::DataPtr CachingDeviceAllocator::allocate(size_t size) {
  int device = 0;
  const Error_t code = vendor_memory().get_device_index(&device);
  if (C10_UNLIKELY(code != Success)) {
    require_device();
    raise(code, "get_device_index");
  }
  if (size == 0) return {nullptr, nullptr, &release, make_device(device)};
  DeviceMemory& memory = memory_of(device);
  const Block* block = memory.allocate(size, current_stream(device).id());
  report_to_profiler(memory, static_cast<int64_t>(block->size), block->data);
  return {block->data, block->data, &release, make_device(device)};
}

// Asks the device that is likely to know, and then all others, until one says true.
template <typename Visit>
bool CachingDeviceAllocator::visit_devices(int first, Visit visit) {
  if (visit(memory_of(first))) return true;
  for (int device = 0; device < device_count(); ++device) {
    if (device != first && visit(memory_of(device))) return true;
  }
  return false;
}

void CachingDeviceAllocator::free(void* data) {
  thread_local int latest = 0;
  const bool known = visit_devices(latest, [&](DeviceMemory& memory) {
    const size_t size = memory.free(data);
    if (size == 0) return false;
    latest = memory.device;
    report_to_profiler(memory, -static_cast<int64_t>(size), data);
    return true;
  });
  TORCH_CHECK(known, data, " is no live block of the allocator: freed twice?");
}

// A deleter: must not throw, must not need the GIL, and leaves memory alone when the runtime is gone.
void release(void* data) {
  if (data == nullptr || usable_runtime() == nullptr) return;
  try {
    instance().free(data);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flagos: device memory was not given back yet: %s\n", error.what());
  }
}

// Both blocks are this allocator's, on one device. In the order of that device's current stream.
void CachingDeviceAllocator::copy_data(void* destination, const void* source, std::size_t count) const {
  if (count == 0) return;
  PointerAttributes attributes{};
  check(runtime().PointerGetAttributes(&attributes, destination), "PointerGetAttributes");
  const DeviceScope scope(attributes.device);
  check(runtime().MemcpyAsync(destination, source, count, MemcpyDeviceToDevice, GetCurrentStream(attributes.device)),
        "MemcpyAsync");
}

void CachingDeviceAllocator::emptyCache(c10::MempoolId_t) {
  for (int device = 0; device < device_count(); ++device) checked_memory(device).empty_cache();
}

void CachingDeviceAllocator::recordStream(const c10::DataPtr& data, c10::Stream stream) {
  TORCH_CHECK(stream.device_type() == kDeviceType, "flagos: record_stream needs a stream of a flagos device, found ",
              stream);
  if (data.get() == nullptr) return;
  native_handle(stream);  // throws for a stream that does not exist: better here than in a deleter
  const bool here = data.device().type() == kDeviceType && data.device().has_index();
  // No device knows memory that came from elsewhere: it is not ours to reuse.
  visit_devices(here ? data.device().index() : 0,
                [&](DeviceMemory& memory) { return memory.record_use(data.get(), stream); });
}

// Throws where the runtime is not usable: in a forked child a lock may be held for ever.
DeviceMemory& CachingDeviceAllocator::checked_memory(int device) {
  runtime();
  return memory_of(checked_index(device));
}

DeviceStats CachingDeviceAllocator::getDeviceStats(c10::DeviceIndex device) {
  DeviceStats copy;
  checked_memory(device).with_stats([&](const DeviceStats& stats) { copy = stats; });
  copy.max_split_size = static_cast<int64_t>(AcceleratorAllocatorConfig::max_split_size());
  return copy;
}

void CachingDeviceAllocator::resetAccumulatedStats(c10::DeviceIndex device) {
  checked_memory(device).with_stats([](DeviceStats& stats) {
    for_each_stat(stats, [](auto& stat) { stat.reset_accumulated(); });
    stats.num_alloc_retries = 0;
    stats.num_ooms = 0;
    stats.num_sync_all_streams = 0;
    stats.num_device_alloc = 0;
    stats.num_device_free = 0;
  });
}

void CachingDeviceAllocator::resetPeakStats(c10::DeviceIndex device) {
  checked_memory(device).with_stats(
      [](DeviceStats& stats) { for_each_stat(stats, [](auto& stat) { stat.reset_peak(); }); });
}

std::pair<size_t, size_t> CachingDeviceAllocator::getMemoryInfo(c10::DeviceIndex device) { return memory_info(device); }

}  // namespace

std::pair<size_t, size_t> memory_info(int device) {
  const MemoryScope scope(checked_index(device));
  size_t free = 0;
  size_t total = 0;
  check(vendor_memory().get_memory_info(&free, &total), "get_memory_info");
  return {free, total};
}

c10::DeviceAllocator& device_allocator() {
  c10::DeviceAllocator* const other = g_used.load(std::memory_order_relaxed);
  return other != nullptr ? *other : instance();
}

c10::DeviceAllocator& own_allocator() { return instance(); }

void use_allocator(c10::DeviceAllocator& allocator) {
  g_used = &allocator;
  c10::SetAllocator(kDeviceType, &allocator);
}

}  // namespace flagos
