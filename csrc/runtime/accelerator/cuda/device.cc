// @generated from docs/vendors/cuda/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  int found{};
  const cudaError_t status = cudaGetDeviceCount(&found);
  if (means_no_device(status)) {
    static_cast<void>(cudaGetLastError());
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "cudaGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(cudaSetDevice(device), "cudaSetDevice")) return error;
  devices_in_use.note(device);
  return Success;
}

// cudaGetDevice alone says 0 on a machine with a driver and no device
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  int found{};
  if (const Error_t error = check(cudaGetDevice(&found), "cudaGetDevice")) return error;
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = found;
  return Success;
}

Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  int found_leastPriority{};
  int found_greatestPriority{};
  if (const Error_t error = check(cudaDeviceGetStreamPriorityRange(&found_leastPriority, &found_greatestPriority),
                                  "cudaDeviceGetStreamPriorityRange"))
    return error;
  *leastPriority = found_leastPriority;
  *greatestPriority = found_greatestPriority;
  return Success;
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
