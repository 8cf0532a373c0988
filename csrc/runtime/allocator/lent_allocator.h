// SPDX-License-Identifier: Apache-2.0
//
// Device memory from the target's own allocator. The target's kernels allocate their results and workspaces there; if
// flagos tensors come from there too, there is one cache, and neither starves the other. Its blocks are bound to the
// current flagos stream.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

namespace flagos {

// From now on flagos memory comes from the target's allocator, statistics too. Before any memory was allocated. Throws
// if the vendor's runtime does not know that memory as its own: then the target's devices are not flagos's.
void borrow_target_memory();

}  // namespace flagos
