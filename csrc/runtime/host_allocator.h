// SPDX-License-Identifier: Apache-2.0
//
// Pinned host memory: PyTorch's caching host allocator over MallocHost and FreeHost. A freed block is handed out again
// only when every stream that it was recorded on has passed the copies that use it. Sizes are rounded up to a power of
// two as far as 1 MiB, and to 2 MiB above: pinned pages are taken from the whole machine.
#pragma once

#include <ATen/core/CachingHostAllocator.h>

namespace flagos {

at::HostAllocator& host_allocator();

// Pinned memory known to the runtime, from this allocator or not. Never throws, loads no runtime.
bool is_pinned(const void* pointer) noexcept;

}  // namespace flagos
