// @generated from docs/vendors/bpu/runtime-api-map.yaml by generators.runtime; do not edit.
//
// D-Robotics UCP: results, handles and constants as the contract's.
#pragma once

#include <hb_bpu.h>
#include <hobot/hb_ucp_status.h>
#include <hobot/hb_ucp_sys.h>

#include "generated_runtime.h"

namespace flagos::sdk {

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(int32_t status, const char* function, std::initializer_list<Reading<int32_t>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == HB_UCP_SUCCESS) return Success;
  const int32_t code = status;
  Error_t error = otherwise;
  switch (code) {
    case HB_UCP_MEM_ALLOC_FAIL:
      error = ErrorMemoryAllocation;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%lld)", function, hbUCPGetErrorDesc(status),
                static_cast<long long>(status));
  return error;
}

}  // namespace flagos::sdk
