// SPDX-License-Identifier: Apache-2.0
#include "aten/tensor_memory.h"

namespace flagos {

at::Tensor tensor_over(c10::Storage storage, c10::DispatchKey backend, size_t offset, const at::Tensor& like) {
  at::Tensor tensor =
      at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(backend), like.dtype());
  c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  impl.set_storage_offset(static_cast<int64_t>(offset));
  impl.set_sizes_and_strides(like.sizes(), like.strides());
  if (like.is_conj()) tensor._set_conj(true);
  if (like.is_neg()) tensor._set_neg(true);
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl.set_wrapped_number(true);
  return tensor;
}

}  // namespace flagos
