// @generated from docs/vendors/dcu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Without a driver it is hipErrorNoDevice as well
Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  int found{};
  const hipError_t status = hipGetDeviceCount(&found);
  if (means_no_device(status)) {
    static_cast<void>(hipGetLastError());
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "hipGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(hipSetDevice(device), "hipSetDevice")) return error;
  devices_in_use.note(device);
  return Success;
}

Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  int found{};
  if (const Error_t error = check(hipGetDevice(&found), "hipGetDevice")) return error;
  *device = found;
  return Success;
}

// Lower numbers run first
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  int found_leastPriority{};
  int found_greatestPriority{};
  if (const Error_t error = check(hipDeviceGetStreamPriorityRange(&found_leastPriority, &found_greatestPriority),
                                  "hipDeviceGetStreamPriorityRange"))
    return error;
  *leastPriority = found_leastPriority;
  *greatestPriority = found_greatestPriority;
  return Success;
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
