// @generated from docs/vendors/opencl/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

// Devices of the first platform
Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  if (const Error_t error = set_up()) return none_is_zero(error, count);
  cl_platform_id platform{};
  if (const Error_t error = get_platform(&platform)) return none_is_zero(error, count);
  cl_uint found{};
  const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &found);
  if (means_no_device(status)) {
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "clGetDeviceIDs")) return error;
  *count = found;
  return Success;
}

// Emulated (thread_device): calls name their device, none is current
Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  return emulation::thread_device::SetDevice(device);
}

// Emulated (thread_device): calls name their device, none is current
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  return emulation::thread_device::GetDevice(device);
}

// Emulated (no_priorities): queues have a priority only with an extension, which PoCL lacks
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  return emulation::no_priorities::DeviceGetStreamPriorityRange(leastPriority, greatestPriority);
}

// Emulated (synchronize_streams): clFinish is for one queue
Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  return emulation::synchronize_streams::DeviceSynchronize();
}

const char* GetLastErrorText(void) { return last_error; }
