// SPDX-License-Identifier: Apache-2.0
//
// Where a tensor lies, how far it reaches, and another one in its likeness over other memory.
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

// A tensor of that backend over the storage, `offset` elements into it, otherwise like another: sizes, strides, dtype,
// lazy conjugation and negation, and whether it stands for a number of Python's.
at::Tensor tensor_over(c10::Storage storage, c10::DispatchKey backend, size_t offset, const at::Tensor& like);

}  // namespace flagos
