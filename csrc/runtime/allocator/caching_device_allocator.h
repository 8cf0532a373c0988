// SPDX-License-Identifier: Apache-2.0
//
// Device memory: one caching allocator for every vendor, over the ten functions of DeviceMemoryInterface.
//
// Sizes are rounded up to 512 bytes. Requests of at most 1 MiB are cut from segments of 2 MiB; larger ones from
// segments of 20 MiB, or of their own size rounded up to 2 MiB from 10 MiB on. A freed block merges with its free
// neighbours and serves the stream that it was allocated on, best fit first. A block that was used on other streams is
// reused when events recorded there at the time of the free are ready. When the device is full, cached segments are
// given back and the request is tried once more. A vendor that provides_caching() gets each request as it is and frees
// at once.
//
// Threads: all functions may be called from any thread. No lock is held while the vendor allocates, frees or is waited
// for. Memory freed while the process exits, or in a forked child, is left alone.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include "include/flagos.h"

namespace flagos {

// The registered allocator of flagos devices; alive until the process ends. allocate() serves the current device and
// its current stream, and throws c10::OutOfMemoryError when the device is full.
FLAGOS_EXPORT c10::DeviceAllocator& device_allocator();

}  // namespace flagos
