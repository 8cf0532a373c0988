// @generated from docs/vendors/dcu/runtime-api-map.yaml by generators.runtime; do not edit.
//
// HIP, hip: results, handles and constants as the contract's.
#pragma once

#include <hip/hip_runtime_api.h>

#include "generated_runtime.h"

namespace flagos::sdk {

inline bool means_no_device(hipError_t status) {
  const hipError_t code = status;
  return code == hipErrorNoDevice;
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(hipError_t status, const char* function, std::initializer_list<Reading<hipError_t>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == hipSuccess) return Success;
  // Else the thread's next question, which may be anyone's, gets this error once more.
  static_cast<void>(hipGetLastError());
  const hipError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case hipErrorOutOfMemory:
      error = ErrorMemoryAllocation;
      break;
    case hipErrorNoDevice:
      error = ErrorInvalidDevice;
      break;
    case hipErrorInvalidDevice:
      error = ErrorInvalidDevice;
      break;
    case hipErrorNotReady:
      error = ErrorNotReady;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%lld)", function, hipGetErrorString(status),
                static_cast<long long>(status));
  return error;
}

inline hipStream_t native(Stream_t stream) { return to<hipStream_t>(stream); }
inline hipEvent_t native(Event_t event) { return to<hipEvent_t>(event); }

inline hipMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToHost:
      return hipMemcpyHostToHost;
    case MemcpyHostToDevice:
      return hipMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return hipMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return hipMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
