// @generated from docs/vendors/metax/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  int found{};
  const mcError_t status = mcGetDeviceCount(&found);
  if (means_no_device(status)) {
    static_cast<void>(mcGetLastError());
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "mcGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(mcSetDevice(device), "mcSetDevice")) return error;
  devices_in_use.note(device);
  return Success;
}

// Nothing public says what it gives where there is no device
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  int found{};
  if (const Error_t error = check(mcGetDevice(&found), "mcGetDevice")) return error;
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = found;
  return Success;
}

Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  int found_leastPriority{};
  int found_greatestPriority{};
  if (const Error_t error = check(mcDeviceGetStreamPriorityRange(&found_leastPriority, &found_greatestPriority),
                                  "mcDeviceGetStreamPriorityRange"))
    return error;
  *leastPriority = found_leastPriority;
  *greatestPriority = found_greatestPriority;
  return Success;
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(mcDeviceSynchronize(), "mcDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
