// @generated from docs/vendors/bpu/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Counts cores, which share one memory and are chosen by the driver for each task, so they are one device
Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  const auto made = hb_bpu_core_num();
  if (made < 0) return fail("hb_bpu_core_num", "returned a negative figure");
  *count = std::min<int>(made, 1);
  return Success;
}

// Emulated (thread_device): there is one device, and the parameter deviceId of UCP is reserved
Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  return emulation::thread_device::SetDevice(device);
}

// Emulated (thread_device): there is one device, and the parameter deviceId of UCP is reserved
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  return emulation::thread_device::GetDevice(device);
}

// Emulated (no_priorities): a task has a priority, a stream does not exist
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  return emulation::no_priorities::DeviceGetStreamPriorityRange(leastPriority, greatestPriority);
}

// Emulated (streamless): there is no stream and no event; what the BPU runs is submitted and waited for as a task
Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return emulation::streamless::DeviceSynchronize();
}

const char* GetLastErrorText(void) { return last_error; }
