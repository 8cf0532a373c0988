// SPDX-License-Identifier: Apache-2.0
#include "check.h"

using flagos::cuda::check;
using flagos::cuda::fail;
using flagos::cuda::means_no_device;
using flagos::cuda::note_device_in_use;

Error_t GetDeviceCount(int* count) {
  if (count == nullptr) return fail("cudaGetDeviceCount", "null output");
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (means_no_device(status)) {
    cudaGetLastError();
    *count = 0;
    return Success;
  }
  if (status == cudaSuccess) *count = devices;
  return check(status, "cudaGetDeviceCount");
}

Error_t SetDevice(int device) {
  const cudaError_t status = cudaSetDevice(device);
  if (status == cudaSuccess) note_device_in_use(device);
  return check(status, "cudaSetDevice");
}

Error_t GetDevice(int* device) {
  if (device == nullptr) return fail("cudaGetDevice", "null output");
  // cudaGetDevice alone says 0 on a machine with a driver and no device.
  int current = 0;
  int devices = 0;
  cudaError_t status = cudaGetDevice(&current);
  if (status == cudaSuccess && current == 0) status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess) *device = current;
  return check(status, "cudaGetDevice");
}

Error_t DeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority == nullptr || greatestPriority == nullptr) {
    return fail("cudaDeviceGetStreamPriorityRange", "null output");
  }
  int least = 0;
  int greatest = 0;
  const cudaError_t status = cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (status == cudaSuccess) {
    *leastPriority = least;
    *greatestPriority = greatest;
  }
  return check(status, "cudaDeviceGetStreamPriorityRange");
}

Error_t DeviceSynchronize(void) { return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

const char* GetLastErrorText(void) { return flagos::cuda::last_error; }
