// @generated from docs/vendors/tsingmicro/runtime-api-map.yaml by generators.runtime; do not edit.
//
// TsingMicro TX: results, handles and constants as the contract's.
#pragma once

#include <tx_runtime.h>

#include "generated_runtime.h"

namespace flagos::sdk {

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(txError_t status, const char* function, std::initializer_list<Reading<txError_t>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == TX_SUCCESS) return Success;
  const txError_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case TX_ERROR_NOT_READY:
      error = ErrorNotReady;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%lld)", function, txGetErrorString(status),
                static_cast<long long>(status));
  return error;
}

inline txStream_t native(Stream_t stream) { return to<txStream_t>(stream); }
inline txEvent_t native(Event_t event) { return to<txEvent_t>(event); }

inline txMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToDevice:
      return txMemcpyHostToDevice;
    case MemcpyDeviceToHost:
      return txMemcpyDeviceToHost;
    case MemcpyDeviceToDevice:
      return txMemcpyDeviceToDevice;
    default:
      return {};  // refused before
  }
}

}  // namespace flagos::sdk
