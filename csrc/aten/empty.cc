// SPDX-License-Identifier: Apache-2.0
//
// Allocation: empty and empty_strided. Every factory function of PyTorch ends in one of them.
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/empty_strided_ops.h>
#include <c10/core/DeviceGuard.h>

#include "aten/register.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"

namespace flagos {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_options(std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(!layout.has_value() || *layout == at::kStrided,
              "flagos: only strided tensors can be allocated, found layout ", layout.value_or(at::kStrided));
  TORCH_CHECK(!pin_memory.value_or(false),
              "flagos: only CPU tensors can be pinned; drop pin_memory or device='flagos'");
  TORCH_CHECK(!device.has_value() || device->type() == kDeviceType, "flagos: expected a flagos device, found ",
              device.value_or(at::kCPU));
}

at::Tensor fill_if_deterministic(at::Tensor tensor) {
  if (C10_UNLIKELY(at::globalContext().deterministicAlgorithms() &&
                   at::globalContext().deterministicFillUninitializedMemory())) {
    at::native::fill_empty_deterministic_(tensor);
  }
  return tensor;
}

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin_memory,
                 std::optional<at::MemoryFormat> memory_format) {
  check_options(layout, device, pin_memory);
  const DeviceScope scope(device.has_value() ? device->index() : -1);
  return fill_if_deterministic(at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &device_allocator(), kKeys,
                                                         c10::dtype_or_default(dtype), memory_format));
}

at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device,
                         std::optional<bool> pin_memory) {
  check_options(layout, device, pin_memory);
  const DeviceScope scope(device.has_value() ? device->index() : -1);
  return fill_if_deterministic(at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size),
                                                                 C10_AS_INTARRAYREF_SLOW(stride), &device_allocator(),
                                                                 kKeys, c10::dtype_or_default(dtype)));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::empty_memory_format, empty>(library);
  add_kernel<at::_ops::empty_strided, empty_strided>(library);
}

}  // namespace
}  // namespace flagos
