// @generated from docs/vendors/metax/runtime-api-map.yaml by generators.runtime; do not edit.
//
// MACA runtime, mcruntime: results, handles and constants as the contract's.
#pragma once

#include <mcr/mc_runtime.h>

#include "generated_runtime.h"

namespace flagos::sdk {

inline bool means_no_device(mcError_t status) {
  const mcError_t code = status;
  return code == mcErrorNoDevice;
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(mcError_t status, const char* function, std::initializer_list<Reading<mcError_t>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == mcSuccess) return Success;
  // Else the thread's next question, which may be anyone's, gets this error once more.
  static_cast<void>(mcGetLastError());
  const mcError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case mcErrorMemoryAllocation:
      error = ErrorMemoryAllocation;
      break;
    case mcErrorNoMemory:
      error = ErrorMemoryAllocation;
      break;
    case mcErrorNoDevice:
      error = ErrorInvalidDevice;
      break;
    case mcErrorInvalidDevice:
      error = ErrorInvalidDevice;
      break;
    case mcErrorNotReady:
      error = ErrorNotReady;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%s)", function, mcGetErrorString(status),
                mcGetErrorName(status));
  return error;
}

inline mcStream_t native(Stream_t stream) { return to<mcStream_t>(stream); }
inline mcEvent_t native(Event_t event) { return to<mcEvent_t>(event); }

inline mcMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToHost:
      return mcMemcpyHostToHost;
    case MemcpyHostToDevice:
      return mcMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return mcMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return mcMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
