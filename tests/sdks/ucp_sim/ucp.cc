// SPDX-License-Identifier: Apache-2.0
//
// libhbucp: memory of a chip whose cache is not coherent with its accelerator, made visible. A block lies there twice:
// as the processor sees it (virAddr) and as the BPU sees it (phyAddr). Nothing passes from one to the other but by
// hbUCPMemFlush, so a write that was not cleaned never arrives, and an invalidation loses it. Where the sources are
// silent, a comment says what was chosen.
#include <hobot/hb_ucp_status.h>
#include <hobot/hb_ucp_sys.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "simulated.h"

namespace {

constexpr uint64_t kMemory = uint64_t{768} << 20;
constexpr uint64_t kPage = 4096;  // chosen: blocks begin at a page

struct Memory {
  std::mutex mutex;
  uint64_t used = 0;
  std::map<char*, hbUCPSysMem> blocks;  // by virAddr
};

Memory& memory() {
  static auto* const all = new Memory;
  return *all;
}

// Where the real library has been seen to crash: its own end comes before that of whoever frees last.
bool ended = false;
struct End {
  ~End() { ended = true; }
} end;

char* bpu_side(const hbUCPSysMem& block) { return reinterpret_cast<char*>(block.phyAddr); }

const hbUCPSysMem* find(const hbUCPSysMem* mem) {
  if (mem == nullptr) return nullptr;
  const auto found = memory().blocks.find(static_cast<char*>(mem->virAddr));
  const bool same =
      found != memory().blocks.end() && found->second.phyAddr == mem->phyAddr && found->second.memSize == mem->memSize;
  return same ? &found->second : nullptr;  // chosen: a part of a block is no block
}

}  // namespace

int32_t hbUCPMallocCached(hbUCPSysMem* mem, uint64_t size, int32_t deviceId) {
  if (mem == nullptr || size == 0 || deviceId != 0) return HB_UCP_INVALID_ARGUMENT;  // chosen: the index is reserved
  const std::lock_guard<std::mutex> lock(memory().mutex);
  if (size > kMemory - memory().used) return HB_UCP_MEM_ALLOC_FAIL;
  const uint64_t rounded = (size + kPage - 1) / kPage * kPage;
  auto* const processor = static_cast<char*>(std::aligned_alloc(kPage, rounded));
  auto* const bpu = static_cast<char*>(std::aligned_alloc(kPage, rounded));
  if (processor == nullptr || bpu == nullptr) {
    std::free(processor);
    std::free(bpu);
    return HB_UCP_MEM_ALLOC_FAIL;
  }
  // New memory holds anything; not, by chance, what a freed block held, which could be just what a test looks for.
  std::memset(processor, 0xa5, kPage);
  std::memset(bpu, 0x5a, kPage);
  *mem = hbUCPSysMem{reinterpret_cast<uint64_t>(bpu), processor, size};
  memory().blocks[processor] = *mem;
  memory().used += size;
  return HB_UCP_SUCCESS;
}

// Chosen: without a cache between, the two sides would be one. No map calls it.
int32_t hbUCPMalloc(hbUCPSysMem* /*mem*/, uint64_t /*size*/, int32_t /*deviceId*/) { return HB_UCP_INVALID_ARGUMENT; }

int32_t hbUCPMemFlush(const hbUCPSysMem* mem, int32_t flag) {
  const std::lock_guard<std::mutex> lock(memory().mutex);
  const hbUCPSysMem* const block = find(mem);
  if (block == nullptr) return HB_UCP_INVALID_ARGUMENT;
  switch (flag) {
    case HB_SYS_MEM_CACHE_INVALIDATE:
      std::memcpy(block->virAddr, bpu_side(*block), block->memSize);
      return HB_UCP_SUCCESS;
    case HB_SYS_MEM_CACHE_CLEAN:
      std::memcpy(bpu_side(*block), block->virAddr, block->memSize);
      return HB_UCP_SUCCESS;
    default:
      return HB_UCP_INVALID_ARGUMENT;
  }
}

int32_t hbUCPFree(hbUCPSysMem* mem) {
  if (ended) {
    std::fprintf(stderr, "UCP simulation: hbUCPFree after the library's end\n");
    std::abort();
  }
  const std::lock_guard<std::mutex> lock(memory().mutex);
  const hbUCPSysMem* const block = find(mem);
  if (block == nullptr) return HB_UCP_MEM_FREE_FAIL;
  std::free(block->virAddr);
  std::free(bpu_side(*block));
  memory().used -= block->memSize;
  memory().blocks.erase(static_cast<char*>(mem->virAddr));
  return HB_UCP_SUCCESS;
}

const char* hbUCPGetErrorDesc(int32_t errorCode) {
  switch (errorCode) {
    case HB_UCP_SUCCESS:
      return "success";
    case HB_UCP_MEM_ALLOC_FAIL:
      return "memory cannot be allocated";
    case HB_UCP_MEM_FREE_FAIL:
      return "memory cannot be freed";
    default:
      return "invalid argument";
  }
}

// For tests: a task of the BPU, which adds to each byte of a range. The address is the processor's; the real one wants
// the other.
extern "C" int32_t ucp_sim_add(char* address, uint64_t count, char amount) {
  const std::lock_guard<std::mutex> lock(memory().mutex);
  auto found = memory().blocks.upper_bound(address);
  if (found == memory().blocks.begin()) return HB_UCP_INVALID_ARGUMENT;
  const auto& [start, block] = *--found;
  const uint64_t offset = static_cast<uint64_t>(address - start);
  if (offset + count > block.memSize) return HB_UCP_INVALID_ARGUMENT;
  for (uint64_t i = 0; i < count; ++i)
    bpu_side(block)[offset + i] = static_cast<char>(bpu_side(block)[offset + i] + amount);
  return HB_UCP_SUCCESS;
}
