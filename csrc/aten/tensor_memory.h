// SPDX-License-Identifier: Apache-2.0
//
// Where a tensor lies, and how far it reaches.
#pragma once

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>

#include "runtime/device.h"

namespace flagos {

inline bool on_device(const at::Tensor& tensor) { return tensor.device().type() == kDeviceType; }

// From the first to the last byte that the tensor refers to.
inline size_t spanned_bytes(const at::Tensor& tensor) {
  return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
}

}  // namespace flagos
