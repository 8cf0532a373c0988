// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda_memory.h"
#include "check.h"

using flagos::cuda::check;
using flagos::cuda::devices_in_use;
using flagos::cuda::fail;
using flagos::cuda::note_current_device_in_use;

namespace {

bool translate(MemcpyKind kind, cudaMemcpyKind* translated) {
  switch (kind) {
    case MemcpyHostToHost:
      *translated = cudaMemcpyHostToHost;
      return true;
    case MemcpyHostToDevice:
      *translated = cudaMemcpyHostToDevice;
      return true;
    case MemcpyDeviceToHost:
      *translated = cudaMemcpyDeviceToHost;
      return true;
    case MemcpyDeviceToDevice:
      *translated = cudaMemcpyDeviceToDevice;
      return true;
  }
  return false;
}

// Whether CUDA knows the memory. Only then is an asynchronous copy truly the stream's own business; on a system whose
// GPU reads pageable memory directly, even a source need not be staged before the call returns.
cudaError_t is_pageable(const void* pointer, bool* pageable) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
  *pageable = attributes.type == cudaMemoryTypeUnregistered;
  return status;
}

cudaError_t synchronize_devices_in_use() {
  int current = 0;
  cudaError_t status = cudaGetDevice(&current);
  const uint64_t devices = devices_in_use.load();
  for (int device = 0; device < 64 && status == cudaSuccess; ++device) {
    if ((devices >> device & 1) == 0) continue;
    status = cudaSetDevice(device);
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
  }
  const cudaError_t restored = cudaSetDevice(current);
  return status != cudaSuccess ? status : restored;
}

}  // namespace

Error_t Malloc(void** devPtr, size_t size) {
  if (devPtr == nullptr) return fail("cudaMalloc", "null output");
  void* pointer = nullptr;
  if (size != 0) {
    const cudaError_t status = cudaMalloc(&pointer, size);
    if (status != cudaSuccess) return check(status, "cudaMalloc");
  }
  *devPtr = pointer;
  return Success;
}

// cudaFree waits by itself, for the work of every device that uses the block (seen on two H200, CUDA 13.0).
Error_t Free(void* devPtr) {
  if (devPtr == nullptr) return Success;
  return check(cudaFree(devPtr), "cudaFree");
}

Error_t MallocHost(void** hostPtr, size_t size) {
  if (hostPtr == nullptr) return fail("cudaMallocHost", "null output");
  void* pointer = nullptr;
  if (size != 0) {
    const cudaError_t status = cudaMallocHost(&pointer, size);
    if (status != cudaSuccess) return check(status, "cudaMallocHost");
  }
  *hostPtr = pointer;
  return Success;
}

Error_t FreeHost(void* hostPtr) {
  if (hostPtr == nullptr) return Success;
  // cudaFreeHost waits for the device that was current at cudaMallocHost and for no other: a copy that another device
  // has still queued would fault, and with it all later work of that device.
  const cudaError_t status = synchronize_devices_in_use();
  if (status != cudaSuccess) return check(status, "cudaDeviceSynchronize before cudaFreeHost");
  return check(cudaFreeHost(hostPtr), "cudaFreeHost");
}

Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  cudaMemcpyKind translated;
  if (!translate(kind, &translated)) return fail("cudaMemcpy", "unknown MemcpyKind");
  const cudaError_t status = cudaMemcpy(dst, src, count, translated);
  if (status != cudaSuccess) return check(status, "cudaMemcpy");
  // Only a copy to the host is complete when cudaMemcpy returns: the last part of a pageable source may still be in a
  // staging buffer, and copies within a device are asynchronous.
  if (kind == MemcpyHostToHost || kind == MemcpyDeviceToHost) return Success;
  return check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize after cudaMemcpy");
}

Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  cudaMemcpyKind translated;
  if (!translate(kind, &translated)) return fail("cudaMemcpyAsync", "unknown MemcpyKind");
  bool pageable_dst = false;
  bool pageable_src = false;
  cudaError_t status = cudaSuccess;
  if (kind == MemcpyHostToHost || kind == MemcpyDeviceToHost) status = is_pageable(dst, &pageable_dst);
  if (status != cudaSuccess) return check(status, "cudaPointerGetAttributes");
  if (kind == MemcpyHostToHost || kind == MemcpyHostToDevice) status = is_pageable(src, &pageable_src);
  if (status != cudaSuccess) return check(status, "cudaPointerGetAttributes");
  const auto native = reinterpret_cast<cudaStream_t>(stream);
  note_current_device_in_use();
  status = cudaMemcpyAsync(dst, src, count, translated, native);
  if (status != cudaSuccess) return check(status, "cudaMemcpyAsync");
  if (!pageable_dst && !pageable_src) return Success;
  return check(cudaStreamSynchronize(native), "cudaStreamSynchronize after cudaMemcpyAsync");
}

Error_t PointerGetAttributes(PointerAttributes* attributes, const void* ptr) {
  if (attributes == nullptr) return fail("cudaPointerGetAttributes", "null output");
  if (ptr == nullptr) return fail("cudaPointerGetAttributes", "null pointer");
  cudaPointerAttributes native{};
  const cudaError_t status = cudaPointerGetAttributes(&native, ptr);
  if (status != cudaSuccess) return check(status, "cudaPointerGetAttributes");
  switch (native.type) {
    case cudaMemoryTypeUnregistered:
      *attributes = PointerAttributes{MemoryTypeUnmanaged, -1, nullptr};
      return Success;
    case cudaMemoryTypeHost:
      *attributes = PointerAttributes{MemoryTypeHost, native.device, native.devicePointer};
      return Success;
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged:  // nothing of ours, but kernels and copies treat it as device memory
      *attributes = PointerAttributes{MemoryTypeDevice, native.device, native.devicePointer};
      return Success;
  }
  return fail("cudaPointerGetAttributes", "unknown cudaMemoryType");
}

Error_t Memset(void* devPtr, int value, size_t count) {
  const cudaError_t status = cudaMemset(devPtr, value & 0xff, count);
  if (status != cudaSuccess) return check(status, "cudaMemset");
  return check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize after cudaMemset");
}

Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  return check(cudaMemsetAsync(devPtr, value & 0xff, count, reinterpret_cast<cudaStream_t>(stream)), "cudaMemsetAsync");
}

flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static flagos::CudaMemory* const memory = new flagos::CudaMemory;  // never destroyed: used until the process ends
  return memory;
}
