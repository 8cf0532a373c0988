// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage.h"

#include <algorithm>

#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace flagos {

void resize_storage(c10::StorageImpl& storage, size_t bytes) {
  TORCH_CHECK(storage.resizable(), "flagos: this storage cannot be resized: its memory is not its own");
  const int device = storage.device().index();
  const DeviceScope scope(device);
  c10::DataPtr grown = device_allocator().allocate(bytes);
  const size_t kept = std::min(bytes, storage.nbytes());
  if (kept != 0) {
    const c10::Stream stream = current_stream(device);
    check(runtime().MemcpyAsync(grown.get(), storage.data(), kept, MemcpyDeviceToDevice, native_handle(stream)),
          "MemcpyAsync");
    // The old block may be from another stream's pool; it must outlive the copy.
    device_allocator().recordStream(storage.data_ptr(), stream);
  }
  storage.set_data_ptr_noswap(std::move(grown));
  storage.set_nbytes(bytes);
}

}  // namespace flagos
