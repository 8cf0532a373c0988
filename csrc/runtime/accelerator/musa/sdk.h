// @generated from docs/vendors/musa/runtime-api-map.yaml by generators.runtime; do not edit.
//
// MUSA runtime: results, handles and constants as the contract's.
#pragma once

#include <musa_runtime_api.h>

#include "generated_runtime.h"

namespace flagos::sdk {

// No driver at all, as opposed to one that is too old.
inline bool driver_is_absent() {
  int version = 0;
  return musaDriverGetVersion(&version) == musaSuccess && version == 0;
}

inline bool means_no_device(musaError_t status) {
  const musaError_t code = status;
  return code == musaErrorNoDevice || (code == musaErrorInsufficientDriver && driver_is_absent());
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(musaError_t status, const char* function,
                     std::initializer_list<Reading<musaError_t>> readings = {}, Error_t otherwise = ErrorUnknown) {
  if (status == musaSuccess) return Success;
  // Else the thread's next question, which may be anyone's, gets this error once more.
  static_cast<void>(musaGetLastError());
  const musaError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case musaErrorMemoryAllocation:
      error = ErrorMemoryAllocation;
      break;
    case musaErrorNoDevice:
      error = ErrorInvalidDevice;
      break;
    case musaErrorInvalidDevice:
      error = ErrorInvalidDevice;
      break;
    case musaErrorNotReady:
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
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%s)", function, musaGetErrorString(status),
                musaGetErrorName(status));
  return error;
}

inline musaStream_t native(Stream_t stream) { return to<musaStream_t>(stream); }
inline musaEvent_t native(Event_t event) { return to<musaEvent_t>(event); }

inline musaMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToHost:
      return musaMemcpyHostToHost;
    case MemcpyHostToDevice:
      return musaMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return musaMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return musaMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
