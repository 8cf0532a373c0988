// SPDX-License-Identifier: Apache-2.0
//
// The blocks that a runtime gave out, for SDKs that cannot tell of an address what it is.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "devices.h"
#include "sdk_call.h"

namespace flagos::sdk {

struct Block {
  size_t size;
  int device;
  MemoryType type;
  std::shared_ptr<void> object = nullptr;  // by which the SDK knows it, where that is not the address
};

class Blocks {
 public:
  // A new block of the current device.
  Error_t add(void* start, size_t size, MemoryType type, std::shared_ptr<void> object = nullptr) {
    int device = 0;
    if (const Error_t error = GetDevice(&device)) return error;
    put(start, Block{size, device, type, std::move(object)});
    return Success;
  }
  void put(void* start, const Block& block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[reinterpret_cast<uintptr_t>(start)] = block;
  }
  // The block that starts there, which from now on is unknown.
  Error_t take(const char* slot, void* start, MemoryType type, Block* block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<uintptr_t>(start));
    if (found == blocks_.end() || found->second.type != type) return fail(slot, "not the start of a live block");
    *block = found->second;
    blocks_.erase(found);
    return Success;
  }
  // The block around an address, and how much of it lies behind the address.
  std::optional<Block> at(const void* pointer, size_t* rest = nullptr) const {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto found = blocks_.upper_bound(address);
    if (found == blocks_.begin()) return std::nullopt;
    --found;
    if (address >= found->first + found->second.size) return std::nullopt;
    if (rest != nullptr) *rest = found->first + found->second.size - address;
    return found->second;
  }
  // The device of a pointer; the current one for memory that is not in the list.
  Error_t device_of(const void* pointer, int* device) const {
    const std::optional<Block> block = at(pointer);
    if (!block) return GetDevice(device);
    *device = block->device;
    return Success;
  }
  // Bytes of device memory, in the pages of 512 bytes that SDKs round to.
  size_t used(int device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    size_t bytes = 0;
    for (const auto& [start, block] : blocks_) {
      if (block.type == MemoryTypeDevice && block.device == device) bytes += (block.size + 511) / 512 * 512;
    }
    return bytes;
  }

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Block> blocks_;
};

inline Blocks& blocks() {
  static auto* const list = new Blocks;  // never destroyed: used until the process ends
  return *list;
}

// A block on its way out. Another thread may get the same address as soon as the SDK has freed it, so it is forgotten
// before that, and remembered again unless it was freed.
class TakenBlock {
 public:
  TakenBlock(const char* slot, void* start, MemoryType type)
      : start_(start), error_(blocks().take(slot, start, type, &block_)), taken_(error_ == Success) {}
  ~TakenBlock() {
    if (taken_) blocks().put(start_, block_);
  }
  TakenBlock(const TakenBlock&) = delete;
  TakenBlock& operator=(const TakenBlock&) = delete;

  Error_t error() const { return error_; }
  int device() const { return block_.device; }
  template <typename Object>
  Object* object() const {
    return static_cast<Object*>(block_.object.get());
  }
  void freed() { taken_ = false; }

 private:
  void* const start_;
  Block block_{};
  const Error_t error_;
  bool taken_;
};

namespace emulation {

namespace side_table {
inline Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  const std::optional<Block> block = blocks().at(ptr);
  *attributes = block ? PointerAttributes{block->type, block->device, const_cast<void*>(ptr)}
                      : PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
  return Success;
}
}  // namespace side_table

namespace pageable_host {
inline Error_t MallocHost(void** hostPtr, size_t size) {
  if (size > SIZE_MAX - 4095) return fail("MallocHost", "out of memory", ErrorMemoryAllocation);
  void* block = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  if (block == nullptr) return fail("MallocHost", "out of memory", ErrorMemoryAllocation);
  if (const Error_t error = blocks().add(block, size, MemoryTypeHost)) {
    std::free(block);
    return error;
  }
  *hostPtr = block;
  return Success;
}
// Copies that are still queued may use the block, on any device.
inline Error_t FreeHost(void* hostPtr) {
  int devices = 0;
  if (const Error_t error = GetDeviceCount(&devices)) return error;
  for (int device = 0; device < devices; ++device) {
    if (const Error_t error = synchronize_device(device)) return error;
  }
  TakenBlock block("FreeHost", hostPtr, MemoryTypeHost);
  if (const Error_t error = block.error()) return error;
  std::free(hostPtr);
  block.freed();
  return Success;
}
}  // namespace pageable_host

namespace counted_memory {
template <typename Total>
Error_t get_memory_info(size_t* free, size_t* total, Total total_of_device) {
  int device = 0;
  size_t installed = 0;
  if (const Error_t error = GetDevice(&device)) return error;
  if (const Error_t error = total_of_device(&installed)) return error;
  const size_t used = blocks().used(device);
  *free = used < installed ? installed - used : 0;
  *total = installed;
  return Success;
}
}  // namespace counted_memory

}  // namespace emulation
}  // namespace flagos::sdk
