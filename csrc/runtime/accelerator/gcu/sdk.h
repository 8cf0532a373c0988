// @generated from docs/vendors/gcu/runtime-api-map.yaml by generators.runtime; do not edit.
//
// Enflame TOPS: results, handles and constants as the contract's.
#pragma once

#include <tops/tops_runtime_api.h>

#include "generated_runtime.h"

namespace flagos::sdk {

inline bool means_no_device(topsError_t status) {
  const topsError_t code = status;
  return code == topsErrorNoDevice;
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(topsError_t status, const char* function,
                     std::initializer_list<Reading<topsError_t>> readings = {}, Error_t otherwise = ErrorUnknown) {
  if (status == topsSuccess) return Success;
  // Else the thread's next question, which may be anyone's, gets this error once more.
  static_cast<void>(topsGetLastError());
  const topsError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case topsErrorOutOfMemory:
      error = ErrorMemoryAllocation;
      break;
    case topsErrorNoDevice:
      error = ErrorInvalidDevice;
      break;
    case topsErrorInvalidDevice:
      error = ErrorInvalidDevice;
      break;
    case topsErrorNotReady:
      error = ErrorNotReady;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%lld)", function, topsGetErrorString(status),
                static_cast<long long>(status));
  return error;
}

inline topsStream_t native(Stream_t stream) { return to<topsStream_t>(stream); }
inline topsEvent_t native(Event_t event) { return to<topsEvent_t>(event); }

inline topsMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToHost:
      return topsMemcpyHostToHost;
    case MemcpyHostToDevice:
      return topsMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return topsMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return topsMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
