// SPDX-License-Identifier: Apache-2.0
//
// Mutations of memory: blocks, copies, sets, and what is known about pointers.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "ingredients.h"

namespace mutation {
namespace {

template <auto change>
void ChangeMemcpy() {
  mutant.Memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) -> Error_t {
    return change(dst, src, count, kind);
  };
}

template <auto size_of>
void ChangeCopySize() {
  mutant.Memcpy = [](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.Memcpy(dst, src, size_of(count, kind), kind);
  };
}

template <auto size_of>
void ChangeAsyncCopySize() {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return real.MemcpyAsync(dst, src, size_of(count, kind), kind, stream);
  };
}

// Bytes from an address to the end of its block; unbounded where no block is known.
size_t RoomAt(const void* ptr) {
  std::optional<Block> block = BlockAround(live, ptr);
  if (!block) return SIZE_MAX;
  return static_cast<size_t>(block->start + block->size - static_cast<const char*>(ptr));
}

void* BlockStart(const void* ptr) {
  std::optional<Block> block = BlockAround(live, ptr);
  bool device = block && block->attributes.type == MemoryTypeDevice;
  return device ? block->start : const_cast<void*>(ptr);
}

// `change` edits the attributes of a successful PointerGetAttributes.
template <auto change>
void ChangeAttributes() {
  mutant.PointerGetAttributes = [](PointerAttributes* attributes, const void* ptr) {
    Error_t error = real.PointerGetAttributes(attributes, ptr);
    if (error == Success) change(*attributes, ptr);
    return error;
  };
}

template <MemoryType type>
void KeepFreedKnown() {
  TrackBlocks();
  ChangeAttributes<[](PointerAttributes& attributes, const void* ptr) {
    std::optional<Block> block = BlockAround(freed, ptr);
    if (attributes.type == MemoryTypeUnmanaged && block && block->attributes.type == type)
      attributes = block->attributes;
  }>();
}

MUTATION("memory.malloc_zero_fails", "Malloc(0) is an error") {
  mutant.Malloc = [](void** ptr, size_t size) { return size == 0 ? ErrorUnknown : real.Malloc(ptr, size); };
}

MUTATION("memory.malloc_zero_not_null", "Malloc(0) gives a pointer") {
  mutant.Malloc = [](void** ptr, size_t size) { return real.Malloc(ptr, size == 0 ? 256 : size); };
}

MUTATION("memory.malloc_host_zero_not_null", "MallocHost(0) gives a pointer") {
  mutant.MallocHost = [](void** ptr, size_t size) { return real.MallocHost(ptr, size == 0 ? 256 : size); };
}

MUTATION("memory.overcommit", "Malloc never runs out of memory: it gives a small block instead") {
  mutant.Malloc = [](void** ptr, size_t size) {
    Error_t error = real.Malloc(ptr, size);
    return error == ErrorMemoryAllocation ? real.Malloc(ptr, 4096) : error;
  };
}

MUTATION("memory.out_of_memory_poisons", "after out of memory no request works any more") {
  mutant.Malloc = [](void** ptr, size_t size) {
    static bool poisoned = false;
    Lock lock(mutex);
    if (poisoned) return ErrorMemoryAllocation;
    Error_t error = real.Malloc(ptr, size);
    poisoned = error == ErrorMemoryAllocation;
    return error;
  };
}

MUTATION("memory.host_out_of_memory_is_unknown", "MallocHost reports out of memory as ErrorUnknown") {
  mutant.MallocHost = [](void** ptr, size_t size) {
    Error_t error = real.MallocHost(ptr, size);
    return error == ErrorMemoryAllocation ? ErrorUnknown : error;
  };
}

MUTATION("memory.aligned_to_8", "blocks are aligned to 8 bytes only") {
  mutant.Malloc = [](void** ptr, size_t size) {
    Error_t error = real.Malloc(ptr, size == 0 ? 0 : size + 8);
    if (error == Success && *ptr != nullptr) *ptr = static_cast<char*>(*ptr) + 8;
    return Allocated(error, ptr, size);
  };
  mutant.Free = [](void* ptr) {
    bool ours = live.count(ptr) != 0;
    return Freed(real.Free(ours ? static_cast<char*>(ptr) - 8 : ptr), ptr);
  };
}

MUTATION("memory.aligned_to_128", "blocks are aligned to 128 bytes only") {
  mutant.Malloc = [](void** ptr, size_t size) {
    Error_t error = real.Malloc(ptr, size == 0 ? 0 : size + 128);
    if (error == Success && *ptr != nullptr) *ptr = static_cast<char*>(*ptr) + 128;
    return Allocated(error, ptr, size);
  };
  mutant.Free = [](void* ptr) {
    bool ours = live.count(ptr) != 0;
    return Freed(real.Free(ours ? static_cast<char*>(ptr) - 128 : ptr), ptr);
  };
}

MUTATION("memory.half_block", "blocks have half the size that was asked for") {
  mutant.Malloc = [](void** ptr, size_t size) { return real.Malloc(ptr, (size + 1) / 2); };
}

MUTATION("memory.same_block_twice", "two live blocks of one size are the same memory") {
  static std::map<std::pair<int, size_t>, std::pair<void*, int>> blocks;
  mutant.Malloc = [](void** ptr, size_t size) {
    Lock lock(mutex);
    auto& [block, uses] = blocks[{CurrentDevice(), size}];
    if (ptr == nullptr || size == 0) return real.Malloc(ptr, size);
    if (uses == 0) {
      Error_t error = real.Malloc(&block, size);
      if (error != Success) return error;
    }
    ++uses;
    *ptr = block;
    return Success;
  };
  mutant.Free = [](void* ptr) {
    Lock lock(mutex);
    for (auto& [key, block] : blocks) {
      if (block.first == ptr && block.second > 0 && --block.second > 0) return Success;
    }
    return real.Free(ptr);
  };
}

MUTATION("memory.always_on_device_0", "Malloc ignores the current device") {
  mutant.Malloc = [](void** ptr, size_t size) {
    OnDevice on(0);
    return real.Malloc(ptr, size);
  };
}

MUTATION("memory.pinned_is_pageable", "MallocHost gives plain pageable memory") {
  mutant.MallocHost = [](void** ptr, size_t size) {
    if (ptr == nullptr || size == 0) return real.MallocHost(ptr, size);
    void* block = std::malloc(size);
    if (block == nullptr) return real.MallocHost(ptr, size);  // which says why
    *ptr = block;
    Lock lock(mutex);
    live[block] = {static_cast<char*>(block), size, {MemoryTypeHost, CurrentDevice(), block}};
    return Success;
  };
  mutant.FreeHost = [](void* ptr) {
    Lock lock(mutex);
    if (live.erase(ptr) == 0) return real.FreeHost(ptr);
    real.DeviceSynchronize();
    std::free(ptr);
    return Success;
  };
  ChangeAttributes<[](PointerAttributes& attributes, const void* ptr) {
    std::optional<Block> block = BlockAround(live, ptr);
    if (block) attributes = {MemoryTypeHost, block->attributes.device, const_cast<void*>(ptr)};
  }>();
}

MUTATION("memory.free_refuses_null", "Free(NULL) is an error") {
  mutant.Free = [](void* ptr) { return ptr == nullptr ? ErrorUnknown : real.Free(ptr); };
}

MUTATION("memory.free_host_refuses_null", "FreeHost(NULL) is an error") {
  mutant.FreeHost = [](void* ptr) { return ptr == nullptr ? ErrorUnknown : real.FreeHost(ptr); };
}

MUTATION("memory.double_free_accepted", "a second Free of a block is Success") {
  TrackBlocks();
  mutant.Free = [](void* ptr) { return freed.count(ptr) != 0 ? Success : Freed(real.Free(ptr), ptr); };
}

MUTATION("memory.double_free_host_accepted", "a second FreeHost of a block is Success") {
  TrackBlocks();
  mutant.FreeHost = [](void* ptr) { return freed.count(ptr) != 0 ? Success : Freed(real.FreeHost(ptr), ptr); };
}

MUTATION("memory.free_accepts_interior", "Free takes a pointer inside a block for its start") {
  TrackBlocks();
  mutant.Free = [](void* ptr) {
    std::optional<Block> block = BlockAround(live, ptr);
    void* start = block ? block->start : ptr;
    return Freed(real.Free(start), start);
  };
}

MUTATION("memory.free_accepts_foreign", "Free of memory that is not the runtime's is Success") {
  mutant.Free = [](void* ptr) { return IsPageable(ptr) ? Success : real.Free(ptr); };
}

MUTATION("memory.free_accepts_pinned", "Free also gives back pinned memory") {
  mutant.Free = [](void* ptr) { return real.Free(ptr) == Success ? Success : real.FreeHost(ptr); };
}

MUTATION("memory.free_host_accepts_device", "FreeHost also gives back device memory") {
  mutant.FreeHost = [](void* ptr) { return real.FreeHost(ptr) == Success ? Success : real.Free(ptr); };
}

MUTATION("memory.free_only_on_its_device", "Free of another device's block is an error") {
  mutant.Free = [](void* ptr) {
    PointerAttributes attributes{};
    bool known = ptr != nullptr && real.PointerGetAttributes(&attributes, ptr) == Success;
    bool foreign = known && attributes.type == MemoryTypeDevice && attributes.device != CurrentDevice();
    return foreign ? ErrorUnknown : real.Free(ptr);
  };
}

MUTATION("memory.free_moves_current_device", "Free of another device's block leaves that device current") {
  mutant.Free = [](void* ptr) {
    PointerAttributes attributes{};
    bool known = ptr != nullptr && real.PointerGetAttributes(&attributes, ptr) == Success;
    if (known && attributes.type == MemoryTypeDevice) real.SetDevice(attributes.device);
    return real.Free(ptr);
  };
}

MUTATION("memory.free_does_not_wait", "Free returns while submitted work still uses the block") {
  TrackHandles();
  mutant.Free = [](void* ptr) {
    std::set<Stream_t> streams;
    {
      Lock lock(mutex);
      streams = created_streams;
    }
    for (int device = 0; device < DeviceCount(); ++device) streams.insert(real.GetDefaultStream(device));
    bool busy = false;
    for (Stream_t stream : streams) busy = busy || real.StreamQuery(stream) == ErrorNotReady;
    if (!busy || !IsDevicePointer(ptr)) return real.Free(ptr);
    std::thread([ptr] { real.Free(ptr); }).detach();
    return Success;
  };
}

MUTATION("memory.free_drops_contents_first", "Free overwrites the block before the work that reads it") {
  TrackBlocks();
  mutant.Free = [](void* ptr) {
    std::optional<Block> block = BlockAround(live, ptr);
    bool quick = block && block->size <= size_t{64} << 20;  // the gates free gigabytes, too
    if (quick && block->start == ptr && block->attributes.type == MemoryTypeDevice) {
      Stream_t side = SideStream(block->attributes.device);
      real.MemsetAsync(ptr, 0xdd, block->size, side);
      real.StreamSynchronize(side);
    }
    return Freed(real.Free(ptr), ptr);
  };
}

MUTATION("copy.host_to_device_reversed", "a copy to the device runs backwards") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    if (kind != MemcpyHostToDevice) return real.Memcpy(dst, src, count, kind);
    return real.Memcpy(const_cast<void*>(src), dst, count, MemcpyDeviceToHost);
  }>();
}

MUTATION("copy.device_to_device_skipped", "a copy within the device is Success and does nothing") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return kind == MemcpyDeviceToDevice ? Success : real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy.host_to_host_skipped", "a copy within the host is Success and does nothing") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return kind == MemcpyHostToHost ? Success : real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy.across_devices_skipped", "a copy between two devices is Success and does nothing") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    PointerAttributes to{}, from{};
    bool known = kind == MemcpyDeviceToDevice && dst != nullptr && src != nullptr &&
                 real.PointerGetAttributes(&to, dst) == Success && real.PointerGetAttributes(&from, src) == Success;
    return known && to.device != from.device ? Success : real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy.only_current_device", "a copy of another device's memory is an error") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    PointerAttributes attributes{};
    const void* ptr = kind == MemcpyDeviceToHost ? src : dst;
    bool known = kind != MemcpyHostToHost && ptr != nullptr && real.PointerGetAttributes(&attributes, ptr) == Success &&
                 attributes.type == MemoryTypeDevice;
    return known && attributes.device != CurrentDevice() ? ErrorUnknown : real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy.device_to_host_one_short", "a copy to the host lacks its last byte") {
  ChangeCopySize<one_less_to_host>();
}

MUTATION("copy.odd_size_one_short", "a copy of an odd size lacks its last byte") { ChangeCopySize<even>(); }

MUTATION("copy.size_rounded_to_4", "the size of a copy is rounded down to 4 bytes") { ChangeCopySize<words>(); }

MUTATION("copy.truncated_64k", "a copy ends after 64 KiB") { ChangeCopySize<up_to_64k>(); }

MUTATION("copy.interior_to_start", "a device pointer inside a block is taken for the block's start") {
  TrackBlocks();
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.Memcpy(BlockStart(dst), BlockStart(src), count, kind);
  }>();
}

MUTATION("copy.zero_bytes_refused", "a copy of no bytes is an error") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return count == 0 ? ErrorUnknown : real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy.unknown_kind_accepted", "an unknown kind is Success") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    bool known = static_cast<int>(kind) >= 0 && kind <= MemcpyDeviceToDevice;
    return known ? real.Memcpy(dst, src, count, kind) : Success;
  }>();
}

MUTATION("copy.wrong_direction_accepted", "a copy against its pointers' direction is Success") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    Error_t error = real.Memcpy(dst, src, count, kind);
    bool known = static_cast<int>(kind) >= 0 && kind <= MemcpyDeviceToDevice;
    bool to_device = kind == MemcpyHostToDevice || kind == MemcpyDeviceToDevice;
    return error == ErrorUnknown && known && to_device != IsDevicePointer(dst) ? Success : error;
  }>();
}

MUTATION("copy.past_the_end_accepted", "a copy that leaves its block is cut off and Success") {
  TrackBlocks();
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.Memcpy(dst, src, std::min({count, RoomAt(dst), RoomAt(src)}), kind);
  }>();
}

MUTATION("copy.to_host_returns_early", "a copy to the host returns before the data is there") {
  RunHeldBeforeEveryCall();
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    bool late = kind == MemcpyDeviceToHost && count != 0 && !IsDevicePointer(dst);
    if (!late) return real.Memcpy(dst, src, count, kind);
    return DeliverLate(dst, count, [=](void* bytes) { return real.Memcpy(bytes, src, count, kind); });
  }>();
}

MUTATION("copy.to_device_returns_early", "a copy to the device reads its source after it returned") {
  RunHeldBeforeEveryCall();
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    if (kind != MemcpyHostToDevice) return real.Memcpy(dst, src, count, kind);
    return ReadLate([=] { return real.Memcpy(dst, src, count, kind); });
  }>();
}

MUTATION("copy.asynchronous", "Memcpy only submits the copy to the default stream") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    return real.MemcpyAsync(dst, src, count, kind, nullptr);
  }>();
}

MUTATION("copy.not_after_default_stream", "Memcpy does not wait for earlier work on the default stream") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    Stream_t side = SideStream(CurrentDevice());
    Error_t error = real.MemcpyAsync(dst, src, count, kind, side);
    return error == Success ? real.StreamSynchronize(side) : error;
  }>();
}

MUTATION("copy.waits_for_every_stream", "Memcpy waits for all streams of the device") {
  ChangeMemcpy<[](void* dst, const void* src, size_t count, MemcpyKind kind) {
    real.DeviceSynchronize();
    return real.Memcpy(dst, src, count, kind);
  }>();
}

MUTATION("copy_async.ignores_stream", "MemcpyAsync copies at once, before earlier work on its stream") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t) {
    return real.Memcpy(dst, src, count, kind);
  };
}

MUTATION("copy_async.on_another_stream", "MemcpyAsync copies on a stream of its own") {
  TrackHandles();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return real.MemcpyAsync(dst, src, count, kind, SideStream(DeviceOf(stream)));
  };
}

MUTATION("copy_async.on_default_stream", "MemcpyAsync copies on the default stream") {
  TrackHandles();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return real.MemcpyAsync(dst, src, count, kind, DefaultOf(stream));
  };
}

MUTATION("copy_async.starts_early",
         "MemcpyAsync does not wait for earlier work on its stream, which then waits for the copy") {
  TrackHandles();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    Stream_t own = NewStream(DeviceOf(stream));
    Error_t error = real.MemcpyAsync(dst, src, count, kind, own);
    if (error == Success) Join(stream, own);
    real.StreamDestroy(own);
    return error;
  };
}

MUTATION("copy_async.blocks_host", "MemcpyAsync returns when the copy is done") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    Error_t error = real.MemcpyAsync(dst, src, count, kind, stream);
    return error == Success ? real.StreamSynchronize(stream) : error;
  };
}

MUTATION("copy_async.pinned_blocks_host", "MemcpyAsync with pinned memory returns when the copy is done") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    Error_t error = real.MemcpyAsync(dst, src, count, kind, stream);
    bool host = kind != MemcpyDeviceToDevice;
    return error == Success && host ? real.StreamSynchronize(stream) : error;
  };
}

MUTATION("copy_async.pageable_not_staged", "MemcpyAsync reads pageable memory after it returned") {
  RunHeldBeforeEveryCall();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    bool late = kind == MemcpyHostToDevice && IsPageable(src);
    if (!late) return real.MemcpyAsync(dst, src, count, kind, stream);
    return ReadLate([=] { return real.MemcpyAsync(dst, src, count, kind, stream); });
  };
}

MUTATION("copy_async.pageable_result_late", "MemcpyAsync writes pageable memory after it returned") {
  RunHeldBeforeEveryCall();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    bool late = kind == MemcpyDeviceToHost && count != 0 && IsPageable(dst);
    if (!late) return real.MemcpyAsync(dst, src, count, kind, stream);
    return DeliverLate(dst, count, [=](void* bytes) { return real.MemcpyAsync(bytes, src, count, kind, stream); });
  };
}

MUTATION("copy_async.device_to_host_one_short", "an asynchronous copy to the host lacks its last byte") {
  ChangeAsyncCopySize<one_less_to_host>();
}

MUTATION("copy_async.odd_size_one_short", "an asynchronous copy of an odd size lacks its last byte") {
  ChangeAsyncCopySize<even>();
}

MUTATION("copy_async.truncated_64k", "an asynchronous copy ends after 64 KiB") { ChangeAsyncCopySize<up_to_64k>(); }

MUTATION("copy_async.device_to_device_skipped", "an asynchronous copy within the device does nothing") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return kind == MemcpyDeviceToDevice ? Success : real.MemcpyAsync(dst, src, count, kind, stream);
  };
}

MUTATION("copy_async.interior_to_start", "an asynchronous copy takes a device pointer inside a block for its start") {
  TrackBlocks();
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    return real.MemcpyAsync(BlockStart(dst), BlockStart(src), count, kind, stream);
  };
}

MUTATION("copy_async.unknown_kind_accepted", "an unknown kind is Success for MemcpyAsync") {
  mutant.MemcpyAsync = [](void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
    bool known = static_cast<int>(kind) >= 0 && kind <= MemcpyDeviceToDevice;
    return known ? real.MemcpyAsync(dst, src, count, kind, stream) : Success;
  };
}

MUTATION("set.one_short", "Memset leaves the last byte") {
  mutant.Memset = [](void* ptr, int value, size_t count) {
    return real.Memset(ptr, value, one_less(count, MemcpyHostToHost));
  };
}

MUTATION("set.zero", "Memset writes 0 whatever the value") {
  mutant.Memset = [](void* ptr, int, size_t count) { return real.Memset(ptr, 0, count); };
}

MUTATION("set.seven_bits", "Memset writes the low seven bits of the value") {
  mutant.Memset = [](void* ptr, int value, size_t count) { return real.Memset(ptr, value & 0x7f, count); };
}

MUTATION("set.high_byte", "Memset writes the value's second byte if it has one") {
  mutant.Memset = [](void* ptr, int value, size_t count) {
    return real.Memset(ptr, value > 0xff ? value >> 8 : value, count);
  };
}

MUTATION("set.wide_value_refused", "Memset refuses a value that does not fit a byte") {
  mutant.Memset = [](void* ptr, int value, size_t count) {
    return value < 0 || value > 0xff ? ErrorUnknown : real.Memset(ptr, value, count);
  };
}

MUTATION("set.whole_block", "Memset sets the block to its end") {
  TrackBlocks();
  mutant.Memset = [](void* ptr, int value, size_t count) {
    bool known = BlockAround(live, ptr).has_value();
    return real.Memset(ptr, value, known && count > 0 ? RoomAt(ptr) : count);
  };
}

MUTATION("set.asynchronous", "Memset only submits to the default stream") {
  mutant.Memset = [](void* ptr, int value, size_t count) { return real.MemsetAsync(ptr, value, count, nullptr); };
}

MUTATION("set.not_after_default_stream", "Memset does not wait for earlier work on the default stream") {
  mutant.Memset = [](void* ptr, int value, size_t count) {
    Stream_t side = SideStream(CurrentDevice());
    Error_t error = real.MemsetAsync(ptr, value, count, side);
    return error == Success ? real.StreamSynchronize(side) : error;
  };
}

MUTATION("set.past_the_end_accepted", "a Memset that leaves its block is cut off and Success") {
  TrackBlocks();
  mutant.Memset = [](void* ptr, int value, size_t count) {
    return real.Memset(ptr, value, std::min(count, RoomAt(ptr)));
  };
}

MUTATION("set_async.past_the_end_accepted", "a MemsetAsync that leaves its block is cut off and Success") {
  TrackBlocks();
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, value, std::min(count, RoomAt(ptr)), stream);
  };
}

MUTATION("set_async.one_short", "MemsetAsync leaves the last byte") {
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, value, one_less(count, MemcpyHostToHost), stream);
  };
}

MUTATION("set_async.rounded_to_4", "MemsetAsync rounds the size down to 4 bytes") {
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, value, words(count, MemcpyHostToHost), stream);
  };
}

MUTATION("set_async.zero", "MemsetAsync writes 0 whatever the value") {
  mutant.MemsetAsync = [](void* ptr, int, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, 0, count, stream);
  };
}

MUTATION("set_async.ignores_stream", "MemsetAsync sets at once, before earlier work on its stream") {
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t) { return real.Memset(ptr, value, count); };
}

MUTATION("set_async.on_another_stream", "MemsetAsync sets on a stream of its own") {
  TrackHandles();
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    return real.MemsetAsync(ptr, value, count, SideStream(DeviceOf(stream)));
  };
}

MUTATION("set_async.starts_early",
         "MemsetAsync does not wait for earlier work on its stream, which then waits for it") {
  TrackHandles();
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    Stream_t own = NewStream(DeviceOf(stream));
    Error_t error = real.MemsetAsync(ptr, value, count, own);
    if (error == Success) Join(stream, own);
    real.StreamDestroy(own);
    return error;
  };
}

MUTATION("set_async.blocks_host", "MemsetAsync returns when the memory is set") {
  mutant.MemsetAsync = [](void* ptr, int value, size_t count, Stream_t stream) {
    Error_t error = real.MemsetAsync(ptr, value, count, stream);
    return error == Success ? real.StreamSynchronize(stream) : error;
  };
}

MUTATION("pointer.pinned_is_unmanaged", "pinned memory is reported as unmanaged") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeHost) attributes = unmanaged;
  }>();
}

MUTATION("pointer.device_is_host", "device memory is reported as pinned host memory") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeDevice) attributes.type = MemoryTypeHost;
  }>();
}

MUTATION("pointer.unmanaged_is_host", "pageable memory is reported as pinned host memory") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeUnmanaged) attributes.type = MemoryTypeHost;
  }>();
}

MUTATION("pointer.unmanaged_is_error", "pageable memory is an error") {
  mutant.PointerGetAttributes = [](PointerAttributes* attributes, const void* ptr) {
    if (attributes != nullptr && IsPageable(ptr)) return ErrorUnknown;
    return real.PointerGetAttributes(attributes, ptr);
  };
}

MUTATION("pointer.unmanaged_has_device", "pageable memory belongs to device 0") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeUnmanaged) attributes.device = 0;
  }>();
}

MUTATION("pointer.unmanaged_has_address", "the address of pageable memory is reported as the device sees it") {
  ChangeAttributes<[](PointerAttributes& attributes, const void* ptr) {
    if (attributes.type == MemoryTypeUnmanaged) attributes.pointer = const_cast<void*>(ptr);
  }>();
}

MUTATION("pointer.interior_unknown", "only the start of a block is known") {
  TrackBlocks();
  ChangeAttributes<[](PointerAttributes& attributes, const void* ptr) {
    std::optional<Block> block = BlockAround(live, ptr);
    if (block && block->start != ptr) attributes = unmanaged;
  }>();
}

MUTATION("pointer.freed_still_known", "a freed device block is still reported as device memory") {
  KeepFreedKnown<MemoryTypeDevice>();
}

MUTATION("pointer.freed_pinned_still_known", "a freed pinned block is still reported as pinned") {
  KeepFreedKnown<MemoryTypeHost>();
}

MUTATION("pointer.device_0", "every device block belongs to device 0") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeDevice) attributes.device = 0;
  }>();
}

MUTATION("pointer.device_is_current", "every block belongs to the device that is current when asked") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type != MemoryTypeUnmanaged) attributes.device = CurrentDevice();
  }>();
}

MUTATION("pointer.pinned_has_no_device", "pinned memory belongs to no device") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) {
    if (attributes.type == MemoryTypeHost) attributes.device = -1;
  }>();
}

MUTATION("pointer.address_missing", "the address is not reported") {
  ChangeAttributes<[](PointerAttributes& attributes, const void*) { attributes.pointer = nullptr; }>();
}

MUTATION("pointer.address_is_block_start", "the block's start is reported for an address inside it") {
  TrackBlocks();
  ChangeAttributes<[](PointerAttributes& attributes, const void* ptr) {
    std::optional<Block> block = BlockAround(live, ptr);
    if (block && attributes.pointer != nullptr) attributes.pointer = block->start;
  }>();
}

MUTATION("pointer.null_accepted", "NULL is unmanaged memory instead of an error") {
  mutant.PointerGetAttributes = [](PointerAttributes* attributes, const void* ptr) {
    if (attributes == nullptr || ptr != nullptr) return real.PointerGetAttributes(attributes, ptr);
    *attributes = unmanaged;
    return Success;
  };
}

}  // namespace
}  // namespace mutation
