// @generated from docs/vendors/ascend/runtime-api-map.yaml by generators.runtime; do not edit.
//
// Ascend ACL: results, handles and constants as the contract's.
#pragma once

#include <acl/acl_rt.h>

#include "generated_runtime.h"

namespace flagos::sdk {

inline bool means_no_device(aclError status) {
  const aclError code = status;
  return code == ACL_ERROR_RT_NO_DEVICE;
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(aclError status, const char* function, std::initializer_list<Reading<aclError>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == ACL_SUCCESS) return Success;
  const aclError code = status;
  Error_t error = otherwise;
  switch (code) {
    case ACL_ERROR_BAD_ALLOC:
      error = ErrorMemoryAllocation;
      break;
    case ACL_ERROR_INVALID_DEVICE:
      error = ErrorInvalidDevice;
      break;
    case ACL_ERROR_RT_INVALID_DEVICEID:
      error = ErrorInvalidDevice;
      break;
    case ACL_ERROR_RT_MEMORY_ALLOCATION:
      error = ErrorMemoryAllocation;
      break;
    case ACL_ERROR_RT_NO_DEVICE:
      error = ErrorInvalidDevice;
      break;
    case ACL_ERROR_RT_DEVICE_OOM:
      error = ErrorMemoryAllocation;
      break;
    case ACL_ERROR_RT_STREAM_NOT_COMPLETE:
      error = ErrorNotReady;
      break;
    case ACL_ERROR_RT_EVENT_NOT_COMPLETE:
      error = ErrorNotReady;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  const char* const text = aclGetRecentErrMsg();
  std::snprintf(last_error, sizeof(last_error), "%s: %s (%lld)", function, text == nullptr ? "no text" : text,
                static_cast<long long>(status));
  return error;
}

inline aclrtStream native(Stream_t stream) { return to<aclrtStream>(stream); }
inline aclrtEvent native(Event_t event) { return to<aclrtEvent>(event); }

inline aclrtMemcpyKind native(MemcpyKind kind) {
  switch (kind) {
    case MemcpyHostToDevice:
      return ACL_MEMCPY_HOST_TO_DEVICE;
    case MemcpyDeviceToHost:
      return ACL_MEMCPY_DEVICE_TO_HOST;
    case MemcpyDeviceToDevice:
      return ACL_MEMCPY_DEVICE_TO_DEVICE;
    default:
      return {};  // refused before
  }
}

// Once, before any other call.
inline Error_t set_up() {
  static auto* const done = new Kept<bool>;
  bool ready = false;
  return done->get(&ready, [](bool*) -> Error_t {
    const aclError status = aclInit(nullptr);
    if (status == ACL_ERROR_REPEAT_INITIALIZE) return Success;  // tolerated
    return check(status, "aclInit");
  });
}

// Before a call: the SDK's device of this thread is the current one. Done when a call needs it and no earlier, so a
// thread that only asks for the current device, or puts it back, opens none.
inline Error_t set_up_thread() {
  static thread_local int chosen = -1;
  int device = 0;
  if (const Error_t error = GetDevice(&device)) return error;
  if (device == chosen) return Success;
  if (const Error_t error = set_up()) return error;
  if (const Error_t error = check(aclrtSetDevice(device), "aclrtSetDevice")) return error;
  chosen = device;
  return Success;
}

}  // namespace flagos::sdk
