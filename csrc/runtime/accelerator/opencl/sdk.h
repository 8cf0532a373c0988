// @generated from docs/vendors/opencl/runtime-api-map.yaml by generators.runtime; do not edit.
//
// OpenCL: results, handles and constants as the contract's.
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "generated_runtime.h"

namespace flagos::sdk {

inline bool means_no_device(cl_int status) {
  const cl_int code = status;
  return code == CL_DEVICE_NOT_FOUND || code == CL_PLATFORM_NOT_FOUND_KHR;
}

// The contract's error for what `function` returned: its own reading of a code goes before the map's. Keeps the SDK's
// text.
inline Error_t check(cl_int status, const char* function, std::initializer_list<Reading<cl_int>> readings = {},
                     Error_t otherwise = ErrorUnknown) {
  if (status == CL_SUCCESS) return Success;
  const cl_int code = status;
  Error_t error = otherwise;
  switch (code) {
    case CL_DEVICE_NOT_FOUND:
      error = ErrorInvalidDevice;
      break;
    case CL_PLATFORM_NOT_FOUND_KHR:
      error = ErrorInvalidDevice;
      break;
    case CL_INVALID_DEVICE:
      error = ErrorInvalidDevice;
      break;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      error = ErrorMemoryAllocation;
      break;
    case CL_OUT_OF_RESOURCES:
      error = ErrorMemoryAllocation;
      break;
    case CL_OUT_OF_HOST_MEMORY:
      error = ErrorMemoryAllocation;
      break;
    default:
      break;
  }
  for (const auto& reading : readings) {
    if (reading.code == code) error = reading.error;
  }
  if (error == ErrorNotReady) return error;  // not a failure: leaves the last text
  std::snprintf(last_error, sizeof(last_error), "%s: error %lld", function, static_cast<long long>(status));
  return error;
}

inline cl_command_queue native(Stream_t stream) { return to<cl_command_queue>(stream); }

inline Error_t release(cl_event event) { return check(clReleaseEvent(event), "clReleaseEvent"); }

inline HeldEvents<cl_event>& held_events() {
  static auto* const held = new HeldEvents<cl_event>;  // never destroyed: used until the process ends
  return *held;
}
using EventOfRecord = HeldEvents<cl_event>::Record;

// include/CL/cl.h:954
inline Error_t get_platform(cl_platform_id* value) {
  static auto* const kept = new Kept<cl_platform_id>;
  return kept->get(value, [](cl_platform_id* self) -> Error_t {
    cl_platform_id found{};
    if (const Error_t error = check(clGetPlatformIDs(1, &found, nullptr), "clGetPlatformIDs")) return error;
    *self = found;
    return Success;
  });
}

// include/CL/cl.h:967
inline Error_t get_devices(cl_device_id* value) {
  int current = 0;
  if (const Error_t error = GetDevice(&current)) return error;
  static auto* const kept = new KeptList<cl_device_id>;
  return kept->get(current, value, [](cl_device_id* self) -> Error_t {
    cl_platform_id platform{};
    if (const Error_t error = get_platform(&platform)) return error;
    cl_uint ignored{};
    return check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, self, &ignored), "clGetDeviceIDs");
  });
}

// include/CL/cl.h:1028
inline Error_t get_context(cl_context* value) {
  static auto* const kept = new Kept<cl_context>;
  return kept->get(value, [](cl_context* self) -> Error_t {
    cl_int status{};
    const auto made = clCreateContextFromType(nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status);
    if (const Error_t error = check(status, "clCreateContextFromType")) return error;
    *self = made;
    return Success;
  });
}

// Once, before any other call.
inline Error_t set_up() {
  static auto* const done = new Kept<bool>;
  bool ready = false;
  return done->get(&ready, [](bool*) -> Error_t {
    cl_platform_id platform{};
    if (const Error_t error = get_platform(&platform)) return error;
    cl_uint ignored{};
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &ignored);
    if (status == CL_DEVICE_NOT_FOUND) return Success;  // tolerated
    return check(status, "clGetDeviceIDs");
  });
}

}  // namespace flagos::sdk
