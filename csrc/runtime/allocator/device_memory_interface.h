// SPDX-License-Identifier: Apache-2.0
//
// What the caching device allocator needs of a vendor: ten pure virtuals, implemented in backends/<vendor>_memory.h.
// They are separate from the 28 functions because an SDK may offer cheaper calls for them (untimed events, for one).
// The rules of flagos.h hold: sizes in bytes, the same errors, callable from any thread.
#pragma once

#include <cstddef>

#include "flagos.h"

namespace flagos {

class DeviceMemoryInterface {
 public:
  virtual ~DeviceMemoryInterface() = default;

  // A block on the current device. ErrorMemoryAllocation makes the allocator empty its cache and try once more.
  virtual Error_t device_malloc(void** ptr, size_t size) = 0;
  virtual Error_t device_free(void* ptr) = 0;

  virtual Error_t get_device_index(int* device) = 0;
  virtual Error_t set_device(int device) = 0;

  // Bytes of the current device: free for a new allocation, and installed.
  virtual Error_t get_memory_info(size_t* free, size_t* total) = 0;

  // Untimed events on the current device. A block used on a foreign stream is reused once event_query says Success.
  virtual Error_t event_create(Event_t* event) = 0;
  virtual Error_t event_destroy(Event_t event) = 0;
  virtual Error_t event_record(Event_t event, Stream_t stream) = 0;
  virtual Error_t event_query(Event_t event) = 0;

  // Blocking copy, as Memcpy.
  virtual Error_t memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) = 0;

  // True where the vendor ships a mature caching allocator behind device_malloc and device_free: every request is then
  // passed through. The default is to cache.
  virtual bool provides_caching() const { return false; }
};

}  // namespace flagos

// The library's one instance; never null, alive until the process ends.
extern "C" FLAGOS_EXPORT flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void);
