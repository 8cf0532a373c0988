// SPDX-License-Identifier: Apache-2.0
//
// Device memory: one caching allocator for every vendor, over the ten functions of DeviceMemoryInterface.
//
// Sizes are rounded up to 512 bytes. Requests of at most 1 MiB are cut from segments of 2 MiB; larger ones from
// segments of 20 MiB, or of their own size rounded up to 2 MiB from 10 MiB on. A freed block merges with its free
// neighbours and serves the stream that it was allocated on, best fit first. A block that was used on other streams is
// reused when events recorded there at the time of the free are ready. A vendor that provides_caching() gets each
// request as it is and frees at once.
//
// PyTorch's PYTORCH_ALLOC_CONF applies: roundup_power2_divisions, max_split_size_mb, max_non_split_rounding_mb,
// large_segment_size_mb, and what it says of pinned memory. Not garbage_collection_threshold, which is relative to a
// limit that nobody can set, and not expandable_segments: the contract has no virtual memory. Instead, a new segment
// that would make the cache twice as large as the most that was ever in use (plus 64 MiB) first makes the segments go
// that were unused for longest, so that sizes that grow step by step do not fill the device.
//
// A full device: the smallest idle segment that is large enough is given back, of any stream; then blocks that other
// streams still use are waited for and all idle segments are given back; then OutOfMemoryError. Other devices keep
// theirs.
//
// Threads: all functions may be called from any thread, with or without the GIL. No lock is held while the vendor
// allocates, frees or is waited for. Memory freed while the process exits, or in a forked child, is left alone. Where
// the vendor fails to record an event or to take memory back, the block is kept, unused, and tried again later.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <utility>

#include "include/flagos.h"

namespace flagos {

// The allocator of flagos devices: the caching allocator, unless another is used. Alive until the process ends.
// allocate() serves the current device and its current stream, and throws c10::OutOfMemoryError when the device is
// full.
FLAGOS_EXPORT c10::DeviceAllocator& device_allocator();

// The caching allocator, and another in its place. PyTorch is told of it.
c10::DeviceAllocator& own_allocator();
void use_allocator(c10::DeviceAllocator& allocator);

// Bytes of a device: free, and installed.
FLAGOS_EXPORT std::pair<size_t, size_t> memory_info(int device);

}  // namespace flagos
