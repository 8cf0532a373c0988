// SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

using flagos::host::call;
using flagos::host::require_output;
using flagos::host::Simulator;

Error_t GetDeviceCount(int* count) {
  return call("GetDeviceCount", [&](Simulator& simulator) {
    require_output(count);
    *count = simulator.device_count();
  });
}

Error_t SetDevice(int device) {
  return call("SetDevice", [&](Simulator& simulator) { simulator.set_current_device(device); });
}

Error_t GetDevice(int* device) {
  return call("GetDevice", [&](Simulator& simulator) {
    require_output(device);
    *device = simulator.current_device();
  });
}

// The range is there for callers to be tested against. How soon a stream really runs is up to the system's scheduler,
// which lets only the privileged raise a thread.
Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return call("DeviceGetStreamPriorityRange", [&](Simulator& simulator) {
    require_output(leastPriority);
    require_output(greatestPriority);
    simulator.current_device();  // the range is a device's: fails if there is none
    *leastPriority = Simulator::kLeastPriority;
    *greatestPriority = Simulator::kGreatestPriority;
  });
}

Error_t DeviceSynchronize(void) {
  return call("DeviceSynchronize", [](Simulator& simulator) { simulator.synchronize(simulator.current_device()); });
}

const char* GetLastErrorText(void) { return flagos::host::error_text(); }
