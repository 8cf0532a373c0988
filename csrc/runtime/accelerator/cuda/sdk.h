// @generated from docs/vendors/cuda/runtime-api-map.yaml by generators.runtime; do not edit.
//
// CUDA runtime: results, handles and constants as the contract's.
#pragma once

#include <cuda_runtime_api.h>

#include "generated_runtime.h"

namespace flagos::sdk {

// No driver at all, as opposed to one that is too old.
inline bool driver_is_absent() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version == 0;
}

inline bool means_no_device(cudaError_t status) {
  const cudaError_t code = status;
  return code == cudaErrorNoDevice || (code == cudaErrorInsufficientDriver && driver_is_absent());
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(cudaError_t status, const char* function,
                     std::initializer_list<Reading<cudaError_t>> readings = {}, Error_t otherwise = ErrorUnknown) {
  if (status == cudaSuccess) return Success;
  // Else the thread's next question, which may be anyone's, gets this error once more.
  static_cast<void>(cudaGetLastError());
  const cudaError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case cudaErrorMemoryAllocation:
      error = ErrorMemoryAllocation;
      break;
    case cudaErrorNoDevice:
      error = ErrorInvalidDevice;
      break;
    case cudaErrorInvalidDevice:
      error = ErrorInvalidDevice;
      break;
    case cudaErrorNotReady:
      error = ErrorNotReady;
      break;
    default:
      if (means_no_device(status)) error = ErrorInvalidDevice;
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%s)", function, cudaGetErrorString(status),
                cudaGetErrorName(status));
  return error;
}

inline cudaStream_t native(Stream_t stream) { return to<cudaStream_t>(stream); }
inline cudaEvent_t native(Event_t event) { return to<cudaEvent_t>(event); }

inline enum cudaMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToHost:
      return cudaMemcpyHostToHost;
    case MemcpyHostToDevice:
      return cudaMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return cudaMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return cudaMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
