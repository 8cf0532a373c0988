// SPDX-License-Identifier: Apache-2.0
//
// libcudart of Kunlun (xcudart) over the simulated chip, with the deviations from CUDA that facts.yaml lists as quirks.
// One deviation is the simulation's own: a stream without cudaStreamNonBlocking does not wait for the default stream,
// since the chip knows no such streams, and whether Kunlun's do is not known.
#include <cuda_runtime.h>
#include <xpu/runtime.h>

#include <cstdlib>
#include <cstring>

#include "chip.h"
#include "simulated.h"

namespace {

// Plain data: calls may still come while a thread's destructors run.
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t failed(cudaError_t error) {
  last_error = error;
  return error;
}

cudaError_t no_such_device() {
  int count = 0;
  const bool none = chip().GetDeviceCount(&count) == Success && count == 0;
  return failed(none ? cudaErrorNoDevice : cudaErrorInvalidDevice);
}

// The chip has one error for all misuse; the caller knows what can be wrong.
cudaError_t result(Error_t error, cudaError_t misuse) {
  switch (error) {
    case Success:
      return cudaSuccess;
    case ErrorNotReady:
      return failed(cudaErrorNotReady);
    case ErrorInvalidDevice:
      return no_such_device();
    case ErrorMemoryAllocation:
      return failed(cudaErrorMemoryAllocation);
    case ErrorUnknown:
      return failed(misuse);
  }
  return failed(cudaErrorUnknown);
}

cudaError_t of_value(Error_t error) { return result(error, cudaErrorInvalidValue); }
cudaError_t of_handle(Error_t error) { return result(error, cudaErrorInvalidResourceHandle); }

Stream_t native(cudaStream_t stream) { return reinterpret_cast<Stream_t>(stream); }
Event_t native(cudaEvent_t event) { return reinterpret_cast<Event_t>(event); }

}  // namespace

// ---- devices

cudaError_t cudaGetDeviceCount(int* count) {
  int devices = 0;
  const Error_t error = count == nullptr ? ErrorUnknown : chip().GetDeviceCount(&devices);
  if (error != Success) return of_value(error);
  if (devices == 0) return failed(cudaErrorNoDevice);
  *count = devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) { return of_value(chip().GetDevice(device)); }

cudaError_t cudaSetDevice(int device) { return of_value(chip().SetDevice(device)); }

// The chip has priorities, Kunlun's streams do not.
cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  const Error_t error = chip().DeviceGetStreamPriorityRange(leastPriority, greatestPriority);
  if (error == Success) *leastPriority = *greatestPriority = 0;
  return of_value(error);
}

cudaError_t cudaDeviceSynchronize(void) { return of_value(chip().DeviceSynchronize()); }

// The PCI fields are left as they were.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device) {
  int count = 0;
  const Error_t error = prop == nullptr ? ErrorUnknown : chip().GetDeviceCount(&count);
  if (error != Success) return of_value(error);
  if (device < 0 || device >= count) return no_such_device();
  std::strcpy(prop->name, "GPU");
  prop->major = 8;
  prop->minor = 6;
  size_t free = 0;
  return of_value(chip().memory_info(&free, &prop->totalGlobalMem));  // all simulated devices are alike
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  if (runtimeVersion == nullptr) return failed(cudaErrorInvalidValue);
  *runtimeVersion = CUDART_VERSION;
  return cudaSuccess;
}

// ---- errors

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
#define NAME(code) \
  case code:       \
    return #code
  switch (error) {
    NAME(cudaSuccess);
    NAME(cudaErrorInvalidValue);
    NAME(cudaErrorMemoryAllocation);
    NAME(cudaErrorInsufficientDriver);
    NAME(cudaErrorNoDevice);
    NAME(cudaErrorInvalidDevice);
    NAME(cudaErrorInvalidResourceHandle);
    NAME(cudaErrorNotReady);
    NAME(cudaErrorUnknown);
  }
#undef NAME
  return "an unrecognized code";
}

// The texts are the simulation's own.
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "success";
    case cudaErrorInvalidValue:
      return "a value is not valid";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "the driver is too old";
    case cudaErrorNoDevice:
      return "there is no device";
    case cudaErrorInvalidDevice:
      return "no such device";
    case cudaErrorInvalidResourceHandle:
      return "a stream or event is not valid";
    case cudaErrorNotReady:
      return "not ready yet";
    case cudaErrorUnknown:
      return "unknown error";
  }
  return "an unrecognized code";
}

// ---- memory

cudaError_t cudaMalloc(void** devPtr, size_t size) { return of_value(chip().Malloc(devPtr, size)); }

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  const cudaError_t waited = cudaStreamSynchronize(hStream);
  return waited != cudaSuccess ? waited : cudaMalloc(devPtr, size);
}

cudaError_t cudaFree(void* devPtr) { return of_value(chip().Free(devPtr)); }

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  const cudaError_t waited = cudaStreamSynchronize(hStream);
  return waited != cudaSuccess ? waited : cudaFree(devPtr);
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return of_value(chip().MallocHost(ptr, size)); }

// Mapped makes no difference: the chip reads pinned memory at the host's address.
cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  if ((flags & ~unsigned{cudaHostAllocMapped}) != 0) return failed(cudaErrorInvalidValue);
  return cudaMallocHost(pHost, size);
}

cudaError_t cudaFreeHost(void* ptr) { return of_value(chip().FreeHost(ptr)); }

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  if ((flags & cudaHostRegisterMapped) != 0) assertion_failed("cudaHostRegister without cudaHostRegisterMapped");
  return xpu_host_register(ptr, size, flags) == XPU_SUCCESS ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void* ptr) {
  return xpu_host_unregister(ptr) == XPU_SUCCESS ? cudaSuccess : failed(cudaErrorInvalidValue);
}

// The kinds' numbers are the chip's, which refuses unknown ones.
cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind) {
  return of_value(chip().Memcpy(dst, src, count, static_cast<MemcpyKind>(kind)));
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return of_value(chip().MemcpyAsync(dst, src, count, static_cast<MemcpyKind>(kind), native(stream)));
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) { return of_value(chip().Memset(devPtr, value, count)); }

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  const cudaError_t submitted = of_value(chip().MemsetAsync(devPtr, value, count, native(stream)));
  return submitted != cudaSuccess ? submitted : cudaStreamSynchronize(stream);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr) {
  PointerAttributes known{};
  const Error_t error = attributes == nullptr ? ErrorUnknown : chip().PointerGetAttributes(&known, ptr);
  if (error != Success) return of_value(error);
  void* const pinned = known.type == MemoryTypeHost ? known.pointer : nullptr;
  *attributes = {static_cast<cudaMemoryType>(known.type), known.device, known.pointer, pinned};
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) { return of_value(chip().memory_info(free, total)); }

// ---- streams

cudaError_t cudaStreamCreate(cudaStream_t* pStream) { return cudaStreamCreateWithFlags(pStream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return cudaStreamCreateWithPriority(pStream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  if (pStream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) || priority != 0) {
    return failed(cudaErrorInvalidValue);
  }
  Stream_t stream = nullptr;
  const Error_t error = chip().StreamCreate(&stream);
  if (error == Success) *pStream = reinterpret_cast<cudaStream_t>(stream);
  return of_value(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return of_handle(chip().StreamGetPriority(native(hStream), priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return of_handle(chip().StreamDestroy(native(stream))); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return of_handle(chip().StreamQuery(native(stream))); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return of_handle(chip().StreamSynchronize(native(stream))); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (flags != cudaEventWaitDefault) return failed(cudaErrorInvalidValue);
  return of_handle(chip().StreamWaitEvent(native(stream), native(event), WaitDefault));
}

// ---- events

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if (event == nullptr || (flags & ~unsigned{cudaEventBlockingSync | cudaEventDisableTiming}) != 0) {
    return failed(cudaErrorInvalidValue);
  }
  const bool timed = (flags & cudaEventDisableTiming) == 0;
  Event_t created = nullptr;
  const Error_t error = chip().EventCreateWithFlags(&created, timed ? EventEnableTiming : EventDisableTiming);
  if (error == Success) *event = reinterpret_cast<cudaEvent_t>(created);
  return of_value(error);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) { return of_handle(chip().EventDestroy(native(event))); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return of_handle(chip().EventRecord(native(event), native(stream)));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return flags == cudaEventRecordDefault ? cudaEventRecord(event, stream) : failed(cudaErrorInvalidValue);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return of_handle(chip().EventSynchronize(native(event))); }

cudaError_t cudaEventQuery(cudaEvent_t event) { return of_handle(chip().EventQuery(native(event))); }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const Error_t error = chip().EventElapsedTime(ms, native(start), native(end));
  const char* const measured = std::getenv("XPU_EVENT_KL3_ENABLE");
  if (error == Success && (measured == nullptr || std::strcmp(measured, "1") != 0)) *ms = 0.0F;
  return of_handle(error);
}
