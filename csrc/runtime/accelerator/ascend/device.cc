// @generated from docs/vendors/ascend/runtime-api-map.yaml by generators.runtime; do not edit.
#include "sdk.h"

using namespace flagos::sdk;

Error_t GetDeviceCount(int* count) {
  if (const Error_t error = arguments::GetDeviceCount(count)) return error;
  if (const Error_t error = set_up()) return none_is_zero(error, count);
  uint32_t found{};
  const aclError status = aclrtGetDeviceCount(&found);
  if (means_no_device(status)) {
    *count = 0;
    return Success;
  }
  if (const Error_t error = check(status, "aclrtGetDeviceCount")) return error;
  *count = found;
  return Success;
}

// Emulated (thread_device): aclrtGetDevice fails in a thread that chose no device, and aclrtSetDevice opens one; only a
// call that needs a device chooses it
Error_t SetDevice(int device) {
  if (const Error_t error = arguments::SetDevice(device)) return error;
  return emulation::thread_device::SetDevice(device);
}

// Emulated (thread_device): aclrtGetDevice fails in a thread that chose no device, and aclrtSetDevice opens one; only a
// call that needs a device chooses it
Error_t GetDevice(int* device) {
  if (const Error_t error = arguments::GetDevice(device)) return error;
  return emulation::thread_device::GetDevice(device);
}

// 7 to 0 on a 910C (public report): 0, the default, is the highest priority, and lower ones are greater numbers
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (const Error_t error = arguments::DeviceGetStreamPriorityRange(leastPriority, greatestPriority)) return error;
  if (const Error_t error = set_up_thread()) return error;
  int32_t found_leastPriority{};
  int32_t found_greatestPriority{};
  if (const Error_t error = check(aclrtDeviceGetStreamPriorityRange(&found_leastPriority, &found_greatestPriority),
                                  "aclrtDeviceGetStreamPriorityRange"))
    return error;
  *leastPriority = found_leastPriority;
  *greatestPriority = found_greatestPriority;
  return Success;
}

Error_t DeviceSynchronize(void) {
  if (const Error_t error = arguments::DeviceSynchronize()) return error;
  if (const Error_t error = set_up_thread()) return error;
  return check(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
}

const char* GetLastErrorText(void) { return last_error; }
