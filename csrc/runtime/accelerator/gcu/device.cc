// @generated from docs/vendors/gcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  int found{};
  const topsError_t status = topsGetDeviceCount(&found);
  if (means_no_device(status)) {
    static_cast<void>(topsGetLastError());
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "topsGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(topsSetDevice(device), "topsSetDevice")) return error;
  devices_in_use.note(device);
  return Success;
}

Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  int found{};
  if (const Error_t error = check(topsGetDevice(&found), "topsGetDevice")) return error;
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = found;
  return Success;
}

// Emulated (no_priorities): the header has no function with a priority, and the vendor's torch answers that priorities
// are not supported yet
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  return emulation::no_priorities::DeviceGetStreamPriorityRange(leastPriority, greatestPriority);
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(topsDeviceSynchronize(), "topsDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
