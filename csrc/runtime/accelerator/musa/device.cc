// @generated from docs/vendors/musa/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  int found{};
  const musaError_t status = musaGetDeviceCount(&found);
  if (means_no_device(status)) {
    static_cast<void>(musaGetLastError());
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "musaGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(musaSetDevice(device), "musaSetDevice")) return error;
  devices_in_use.note(device);
  return Success;
}

// Per thread; nothing public says what it gives where there is no device
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  int found{};
  if (const Error_t error = check(musaGetDevice(&found), "musaGetDevice")) return error;
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = found;
  return Success;
}

Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  int found_leastPriority{};
  int found_greatestPriority{};
  if (const Error_t error = check(musaDeviceGetStreamPriorityRange(&found_leastPriority, &found_greatestPriority),
                                  "musaDeviceGetStreamPriorityRange"))
    return error;
  *leastPriority = found_leastPriority;
  *greatestPriority = found_greatestPriority;
  return Success;
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(musaDeviceSynchronize(), "musaDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
