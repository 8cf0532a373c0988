// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/StorageImpl.h>

#include <cstddef>

namespace flagos {

// Gives a storage `bytes` bytes on the device that it already lives on, whatever device is current, and keeps the
// content that fits. Ordered with the device's current stream. Throws if the storage may not be resized.
void resize_storage(c10::StorageImpl& storage, size_t bytes);

}  // namespace flagos
