// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocator/caching_device_allocator.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

using c10::CachingAllocator::format_size;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGranule = 512;        // every block is a multiple
constexpr size_t kLargestSmall = kMiB;  // bigger requests use the large pool
constexpr size_t kSmallSegment = 2 * kMiB;
constexpr size_t kLargeSegment = 20 * kMiB;  // for large requests below kOwnSegment
constexpr size_t kOwnSegment = 10 * kMiB;    // from here on a request gets a segment of its own
constexpr size_t kSegmentGranule = 2 * kMiB;
constexpr size_t kLargestRequest = size_t{1} << 62;  // rounding must not overflow

size_t round_up(size_t size, size_t granule) { return (size + granule - 1) / granule * granule; }

size_t segment_size(size_t size) {
  if (size <= kLargestSmall) return kSmallSegment;
  return size < kOwnSegment ? kLargeSegment : round_up(size, kSegmentGranule);
}

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

// A range of a segment. The blocks of a segment form a list in address order; a segment is a block without neighbours.
struct Block {
  int device = 0;
  c10::StreamId stream = 0;  // the stream it was allocated on, and the only one that it is reused for
  bool small = false;        // which pool
  char* data = nullptr;
  size_t size = 0;
  size_t requested = 0;
  bool in_pool = false;  // free and ready for reuse
  Block* previous = nullptr;
  Block* next = nullptr;
  std::vector<c10::Stream> used_on;  // other streams that were given to record_stream
  size_t unfinished_uses = 0;        // events that still keep a freed block from reuse

  bool is_whole_segment() const { return previous == nullptr && next == nullptr; }
};

struct BestFit {
  bool operator()(const Block* a, const Block* b) const {
    return std::tie(a->stream, a->size, a->data) < std::tie(b->stream, b->size, b->data);
  }
};
using Pool = std::set<Block*, BestFit>;

struct ByDeviceAndId {
  bool operator()(const c10::Stream& a, const c10::Stream& b) const {
    return std::make_tuple(a.device_index(), a.id()) < std::make_tuple(b.device_index(), b.id());
  }
};

// All of it guarded by `mutex`, except `device` and what `events` guards itself.
class DeviceMemory {
 public:
  explicit DeviceMemory(int device) : device_(device) {}

  Block* allocate(size_t requested, c10::StreamId stream);
  void free(Block* block);
  void record_use(Block* block, const c10::Stream& stream);
  void empty_cache();

  template <typename Visit>
  void with_stats(Visit visit) {
    const std::lock_guard<std::mutex> lock(mutex_);
    visit(stats_);
  }

  Event_t record_event(const c10::Stream& stream);  // on this device
  void recycle_event(Event_t event);

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Use {
    Event_t event;
    Block* block;
    size_t number;
  };

  Block* take_fitting(bool small, size_t size, c10::StreamId stream);
  Block* new_segment(Lock& lock, bool small, size_t size, size_t requested, c10::StreamId stream);
  void split(Block* block, size_t size);
  void put_in_pool(Block* block);
  void take_from_pool(Block* block);
  void absorb(Block* block, Block* neighbour);
  void reclaim(Block* block);
  void reclaim_finished_uses();
  void wait_for_uses(Lock& lock);
  void release_free_segments(Lock& lock);
  void release_cached(Lock& lock);
  [[noreturn]] void raise_out_of_memory(Lock& lock, size_t requested, size_t segment);

  static void change(StatArray& stat, const Block& block, int64_t amount);

  const int device_;
  std::mutex mutex_;
  Pool pools_[2];  // large, small
  std::map<c10::Stream, std::deque<Use>, ByDeviceAndId> uses_;
  size_t next_use_ = 0;
  DeviceStats stats_;

  std::mutex events_mutex_;
  std::vector<Event_t> spare_events_;
};

// The blocks in the hands of tensors, by address. Sharded: tensors come and go on many threads.
class LiveBlocks {
 public:
  void insert(Block* block) {
    Shard& shard = shard_of(block->data);
    const std::lock_guard<std::mutex> lock(shard.mutex);
    shard.blocks[block->data] = block;
  }

  Block* find(const void* data) { return look_up(data, false); }
  Block* take(const void* data) { return look_up(data, true); }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<const void*, Block*> blocks;
  };

  Shard& shard_of(const void* data) { return shards_[reinterpret_cast<uintptr_t>(data) / kGranule % shards_.size()]; }

  Block* look_up(const void* data, bool take) {
    Shard& shard = shard_of(data);
    const std::lock_guard<std::mutex> lock(shard.mutex);
    const auto found = shard.blocks.find(data);
    if (found == shard.blocks.end()) return nullptr;
    Block* block = found->second;
    if (take) shard.blocks.erase(found);
    return block;
  }

  std::array<Shard, 61> shards_;
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
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override;

  DeviceMemory& memory_of(int device) { return *devices_[device]; }
  void free(void* data);

  CachingDeviceAllocator() {
    for (int device = 0; device < kMaxDevices; ++device) devices_[device] = std::make_unique<DeviceMemory>(device);
  }

 private:
  std::array<std::unique_ptr<DeviceMemory>, kMaxDevices> devices_;
  LiveBlocks live_;
};

CachingDeviceAllocator& instance() {
  static auto& allocator = *new CachingDeviceAllocator();  // outlives every tensor
  return allocator;
}

const c10::AllocatorRegisterer<kDeviceType> registered(&instance());

// ---- statistics
// -------------------------------------------------------------------------------------------------------

void DeviceMemory::change(StatArray& stat, const Block& block, int64_t amount) {
  for (const StatType type : {StatType::AGGREGATE, block.small ? StatType::SMALL_POOL : StatType::LARGE_POOL}) {
    auto& one = stat[static_cast<size_t>(type)];
    if (amount >= 0) {
      one.increase(static_cast<size_t>(amount));
    } else {
      one.decrease(static_cast<size_t>(-amount));
    }
  }
}

template <typename Visit>
void for_each_stat(DeviceStats& stats, Visit visit) {
  for (StatArray* array :
       {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes,
        &stats.reserved_bytes, &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (auto& stat : *array) visit(stat);
  }
}

// ---- pools
// ------------------------------------------------------------------------------------------------------------

void DeviceMemory::put_in_pool(Block* block) {
  block->in_pool = true;
  pools_[block->small].insert(block);
  if (!block->is_whole_segment()) {
    change(stats_.inactive_split, *block, 1);
    change(stats_.inactive_split_bytes, *block, static_cast<int64_t>(block->size));
  }
}

void DeviceMemory::take_from_pool(Block* block) {
  if (!block->is_whole_segment()) {
    change(stats_.inactive_split, *block, -1);
    change(stats_.inactive_split_bytes, *block, -static_cast<int64_t>(block->size));
  }
  pools_[block->small].erase(block);
  block->in_pool = false;
}

Block* DeviceMemory::take_fitting(bool small, size_t size, c10::StreamId stream) {
  Block wanted;
  wanted.stream = stream;
  wanted.size = size;
  const auto found = pools_[small].lower_bound(&wanted);
  if (found == pools_[small].end() || (*found)->stream != stream) return nullptr;
  Block* block = *found;
  take_from_pool(block);
  return block;
}

// Cuts `block` to `size` and returns the rest to the pool, if a rest is worth having.
void DeviceMemory::split(Block* block, size_t size) {
  const size_t rest_size = block->size - size;
  if (block->small ? rest_size < kGranule : rest_size <= kLargestSmall) return;
  auto* rest = new Block();
  rest->device = block->device;
  rest->stream = block->stream;
  rest->small = block->small;
  rest->data = block->data + size;
  rest->size = rest_size;
  rest->previous = block;
  rest->next = block->next;
  if (rest->next != nullptr) rest->next->previous = rest;
  block->next = rest;
  block->size = size;
  put_in_pool(rest);
}

// Merges a free neighbour into `block`, which is not in its pool.
void DeviceMemory::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr || !neighbour->in_pool) return;
  take_from_pool(neighbour);
  if (neighbour == block->previous) {
    block->data = neighbour->data;
    block->previous = neighbour->previous;
    if (block->previous != nullptr) block->previous->next = block;
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->previous = block;
  }
  block->size += neighbour->size;
  delete neighbour;
}

// The block is no longer in use anywhere.
void DeviceMemory::reclaim(Block* block) {
  change(stats_.active, *block, -1);
  change(stats_.active_bytes, *block, -static_cast<int64_t>(block->size));
  absorb(block, block->previous);
  absorb(block, block->next);
  put_in_pool(block);
}

// ---- allocation
// -------------------------------------------------------------------------------------------------------

Block* DeviceMemory::allocate(size_t requested, c10::StreamId stream) {
  Lock lock(mutex_);
  if (requested > kLargestRequest) {
    ++stats_.num_ooms;
    raise_out_of_memory(lock, requested, requested);
  }
  const bool caching = !vendor_memory().provides_caching();
  const size_t size = caching ? round_up(requested, kGranule) : requested;
  const bool small = size <= kLargestSmall;

  reclaim_finished_uses();
  Block* block = nullptr;
  if (caching) {
    block = take_fitting(small, size, stream);
  } else {
    release_free_segments(lock);
  }
  if (block == nullptr) block = new_segment(lock, small, caching ? segment_size(size) : size, requested, stream);
  if (caching) split(block, size);

  block->requested = requested;
  change(stats_.allocation, *block, 1);
  change(stats_.allocated_bytes, *block, static_cast<int64_t>(block->size));
  change(stats_.requested_bytes, *block, static_cast<int64_t>(requested));
  change(stats_.active, *block, 1);
  change(stats_.active_bytes, *block, static_cast<int64_t>(block->size));
  return block;
}

Block* DeviceMemory::new_segment(Lock& lock, bool small, size_t size, size_t requested, c10::StreamId stream) {
  void* data = nullptr;
  lock.unlock();
  Error_t code = vendor_memory().device_malloc(&data, size);
  if (code == ErrorMemoryAllocation) {
    lock.lock();
    ++stats_.num_alloc_retries;
    release_cached(lock);
    lock.unlock();
    code = vendor_memory().device_malloc(&data, size);
  }
  lock.lock();
  if (code == ErrorMemoryAllocation) {
    ++stats_.num_ooms;
    raise_out_of_memory(lock, requested, size);
  }
  check(code, "device_malloc");

  auto* block = new Block();
  block->device = device_;
  block->stream = stream;
  block->small = small;
  block->data = static_cast<char*>(data);
  block->size = size;
  ++stats_.num_device_alloc;
  change(stats_.segment, *block, 1);
  change(stats_.reserved_bytes, *block, static_cast<int64_t>(size));
  return block;
}

void DeviceMemory::raise_out_of_memory(Lock& lock, size_t requested, size_t segment) {
  const int64_t allocated = stats_.allocated_bytes[0].current;
  const int64_t reserved = stats_.reserved_bytes[0].current;
  lock.unlock();
  size_t free = 0;
  size_t total = 0;
  const Error_t code = vendor_memory().get_memory_info(&free, &total);
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(requested), allocated, reserved, make_device(device_));
  TORCH_CHECK_WITH(
      OutOfMemoryError, false, "flagos:", device_, " is out of memory. Tried to allocate ", format_size(requested),
      segment == requested ? std::string() : c10::str(" (in a segment of ", format_size(segment), ")"), ". ",
      code == Success ? c10::str(format_size(free), " of ", format_size(total), " are free on the device. ") : "",
      "This process holds ", format_size(allocated), " in tensors and ", format_size(reserved - allocated),
      " more in its cache. Free tensors, or call torch.accelerator.empty_cache() in processes that share the device");
}

// ---- free
// -------------------------------------------------------------------------------------------------------------

void DeviceMemory::free(Block* block) {
  std::vector<c10::Stream> streams;
  {
    Lock lock(mutex_);
    change(stats_.allocation, *block, -1);
    change(stats_.allocated_bytes, *block, -static_cast<int64_t>(block->size));
    change(stats_.requested_bytes, *block, -static_cast<int64_t>(block->requested));
    streams.swap(block->used_on);
    if (streams.empty()) {
      reclaim(block);
      if (vendor_memory().provides_caching()) release_free_segments(lock);
      return;
    }
  }
  // Should recording fail, the block is never reused: that leaks, the alternative is silent corruption.
  std::vector<std::pair<c10::Stream, Event_t>> events;
  for (const c10::Stream& stream : streams) {
    events.emplace_back(stream, instance().memory_of(stream.device_index()).record_event(stream));
  }
  const Lock lock(mutex_);
  block->unfinished_uses = events.size();
  for (const auto& [stream, event] : events) uses_[stream].push_back({event, block, next_use_++});
}

void DeviceMemory::record_use(Block* block, const c10::Stream& stream) {
  if (stream.device_index() == device_ && stream.id() == block->stream) return;
  const Lock lock(mutex_);
  if (std::find(block->used_on.begin(), block->used_on.end(), stream) == block->used_on.end()) {
    block->used_on.push_back(stream);
  }
}

Event_t DeviceMemory::record_event(const c10::Stream& stream) {
  const MemoryScope scope(device_);
  Event_t event = nullptr;
  {
    const std::lock_guard<std::mutex> lock(events_mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (event == nullptr) check(vendor_memory().event_create(&event), "event_create");
  check(vendor_memory().event_record(event, native_handle(stream)), "event_record");
  return event;
}

void DeviceMemory::recycle_event(Event_t event) {
  const std::lock_guard<std::mutex> lock(events_mutex_);
  spare_events_.push_back(event);
}

// Events of one stream become ready in order, those of different streams do not.
void DeviceMemory::reclaim_finished_uses() {
  for (auto it = uses_.begin(); it != uses_.end();) {
    auto& [stream, queue] = *it;
    while (!queue.empty()) {
      const Use use = queue.front();
      const Error_t code = vendor_memory().event_query(use.event);
      if (code == ErrorNotReady) break;
      check(code, "event_query");
      queue.pop_front();
      instance().memory_of(stream.device_index()).recycle_event(use.event);
      if (--use.block->unfinished_uses == 0) reclaim(use.block);
    }
    it = queue.empty() ? uses_.erase(it) : std::next(it);
  }
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

void DeviceMemory::release_free_segments(Lock& lock) {
  std::vector<Block*> segments;
  for (Pool& pool : pools_) {
    std::copy_if(pool.begin(), pool.end(), std::back_inserter(segments),
                 [](const Block* block) { return block->is_whole_segment(); });
  }
  if (segments.empty()) return;
  for (Block* segment : segments) {
    take_from_pool(segment);
    ++stats_.num_device_free;
    change(stats_.segment, *segment, -1);
    change(stats_.reserved_bytes, *segment, -static_cast<int64_t>(segment->size));
  }
  lock.unlock();
  Error_t failure = Success;
  {
    const MemoryScope scope(device_);
    for (Block* segment : segments) {
      const Error_t code = vendor_memory().device_free(segment->data);
      if (code != Success) failure = code;
      delete segment;
    }
  }
  lock.lock();
  check(failure, "device_free");
}

void DeviceMemory::release_cached(Lock& lock) {
  if (!uses_.empty()) ++stats_.num_sync_all_streams;
  wait_for_uses(lock);
  release_free_segments(lock);
}

void DeviceMemory::empty_cache() {
  Lock lock(mutex_);
  release_cached(lock);
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

void report_to_profiler(const Block& block, int64_t change_in_bytes, void* data) {
  if (!c10::memoryProfilingEnabled()) return;
  int64_t allocated = 0;
  int64_t reserved = 0;
  instance().memory_of(block.device).with_stats([&](const DeviceStats& stats) {
    allocated = stats.allocated_bytes[0].current;
    reserved = stats.reserved_bytes[0].current;
  });
  c10::reportMemoryUsageToProfiler(data, change_in_bytes, allocated, reserved, make_device(block.device));
}

c10::DataPtr CachingDeviceAllocator::allocate(size_t size) {
  int device = 0;
  check(vendor_memory().get_device_index(&device), "get_device_index");
  if (size == 0) return {nullptr, nullptr, &release, make_device(device)};
  Block* block = memory_of(device).allocate(size, current_stream(device).id());
  mark_device_used(device);
  live_.insert(block);
  report_to_profiler(*block, static_cast<int64_t>(block->size), block->data);
  return {block->data, block->data, &release, make_device(device)};
}

void CachingDeviceAllocator::free(void* data) {
  Block* block = live_.take(data);
  TORCH_CHECK(block != nullptr, "flagos: ", data, " is not a live block of the device allocator");
  const int device = block->device;
  const auto size = static_cast<int64_t>(block->size);
  Block description;  // the block itself may be gone after the free
  description.device = device;
  memory_of(device).free(block);
  report_to_profiler(description, -size, data);
}

// A deleter: must not throw, must not need the GIL, and leaves memory alone when the runtime is gone.
void release(void* data) {
  if (data == nullptr || usable_runtime() == nullptr) return;
  try {
    instance().free(data);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flagos: device memory was not given back: %s\n", error.what());
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
  for (int device = 0; device < device_count(); ++device) memory_of(device).empty_cache();
}

void CachingDeviceAllocator::recordStream(const c10::DataPtr& data, c10::Stream stream) {
  TORCH_CHECK(stream.device_type() == kDeviceType, "flagos: record_stream needs a stream of a flagos device, found ",
              stream);
  // No block: an empty tensor, or memory that came from elsewhere and is not ours to reuse.
  if (Block* block = live_.find(data.get())) {
    native_handle(stream);  // throws for a stream that does not exist: better here than in a deleter
    memory_of(block->device).record_use(block, stream);
  }
}

DeviceStats CachingDeviceAllocator::getDeviceStats(c10::DeviceIndex device) {
  DeviceStats copy;
  memory_of(checked_index(device)).with_stats([&](const DeviceStats& stats) { copy = stats; });
  return copy;
}

void CachingDeviceAllocator::resetAccumulatedStats(c10::DeviceIndex device) {
  memory_of(checked_index(device)).with_stats([](DeviceStats& stats) {
    for_each_stat(stats, [](auto& stat) { stat.reset_accumulated(); });
    stats.num_alloc_retries = 0;
    stats.num_ooms = 0;
    stats.num_sync_all_streams = 0;
    stats.num_device_alloc = 0;
    stats.num_device_free = 0;
  });
}

void CachingDeviceAllocator::resetPeakStats(c10::DeviceIndex device) {
  memory_of(checked_index(device)).with_stats([](DeviceStats& stats) {
    for_each_stat(stats, [](auto& stat) { stat.reset_peak(); });
  });
}

std::pair<size_t, size_t> CachingDeviceAllocator::getMemoryInfo(c10::DeviceIndex device) {
  const MemoryScope scope(checked_index(device));
  size_t free = 0;
  size_t total = 0;
  check(vendor_memory().get_memory_info(&free, &total), "get_memory_info");
  return {free, total};
}

}  // namespace

c10::DeviceAllocator& device_allocator() { return instance(); }

}  // namespace flagos
