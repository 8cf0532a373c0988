// SPDX-License-Identifier: Apache-2.0
//
// What the three files of the cuda vendor share: results of CUDA as results of the contract.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "flagos.h"

namespace flagos::cuda {

// Plain data: calls may still come while a thread's destructors run.
inline thread_local char last_error[512] = "";

// Misuse that we notice before CUDA does.
inline Error_t fail(const char* function, const char* text) {
  std::snprintf(last_error, sizeof(last_error), "%s: %s", function, text);
  return ErrorUnknown;
}

// No driver at all, as opposed to one that is too old.
inline bool driver_is_absent() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version == 0;
}

inline bool means_no_device(cudaError_t status) {
  return status == cudaErrorNoDevice || (status == cudaErrorInsufficientDriver && driver_is_absent());
}

// The contract's error for what `function` returned. Keeps the text, and clears the error that CUDA would otherwise
// report once more to the thread's next cudaGetLastError, which may be anyone's.
inline Error_t check(cudaError_t status, const char* function) {
  if (status == cudaSuccess) return Success;
  cudaGetLastError();
  if (status == cudaErrorNotReady) return ErrorNotReady;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%s)", function, cudaGetErrorString(status),
                cudaGetErrorName(status));
  if (status == cudaErrorMemoryAllocation) return ErrorMemoryAllocation;
  if (status == cudaErrorInvalidDevice || means_no_device(status)) return ErrorInvalidDevice;
  return ErrorUnknown;
}

// Devices that work may have been given to, a bit each. CUDA has no such list, and a device asked for the first time
// gets a context of some hundred megabytes, so asking all of them is no way to find out.
inline std::atomic<uint64_t> devices_in_use{0};

inline void note_device_in_use(int device) {
  const uint64_t bit = uint64_t{1} << (device & 63);
  if ((devices_in_use.load(std::memory_order_relaxed) & bit) == 0) devices_in_use.fetch_or(bit);
}

// For a thread that never chose a device.
inline void note_current_device_in_use() {
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) note_device_in_use(device);
}

}  // namespace flagos::cuda
