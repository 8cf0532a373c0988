// @generated from docs/vendors/tsingmicro/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  uint32_t found{};
  if (const Error_t error = check(txGetDeviceCount(&found), "txGetDeviceCount")) return error;
  *count = found;
  return Success;
}

Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  if (const Error_t error = check(txSetDevice(device), "txSetDevice", {}, ErrorInvalidDevice)) return error;
  devices_in_use.note(device);
  return Success;
}

// Is 0 in a thread that never set one
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  uint32_t found{};
  if (const Error_t error = check(txGetDevice(&found), "txGetDevice")) return error;
  if (const Error_t error = require_device("GetDevice")) return error;
  *device = found;
  return Success;
}

// Emulated (no_priorities): no function with a priority is called anywhere, and the library is not described to have
// one
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  return emulation::no_priorities::DeviceGetStreamPriorityRange(leastPriority, greatestPriority);
}

// Waits for all streams of the current device
Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return check(txDeviceSynchronize(), "txDeviceSynchronize");
}

const char* GetLastErrorText(void) { return last_error; }
