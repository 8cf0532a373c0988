// SPDX-License-Identifier: Apache-2.0
//
// Operators that change what a tensor refers to and move no data: views, set_ and resize_. PyTorch's own
// implementations are used wherever they do not touch memory.
#include <ATen/Context.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/is_set_to_ops.h>
#include <ATen/ops/record_stream_ops.h>
#include <ATen/ops/resize_ops.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/unfold_ops.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_complex_ops.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/view_native.h>
#include <ATen/ops/view_ops.h>

#include "aten/register.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/storage.h"

namespace flagos {
namespace {

// ---- views ----

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> offset) {
  const auto plain_offset =
      offset.has_value() ? std::make_optional(offset->guard_int(__FILE__, __LINE__)) : std::nullopt;
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                           plain_offset);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

// ---- resize_ and set_ ----

// Sets size and stride (contiguous if there is none) and grows the storage where it is too small; the storage stays on
// the tensor's own device.
void resize(at::TensorImpl& tensor, at::IntArrayRef size, at::OptionalIntArrayRef stride) {
  const bool unchanged = tensor.sizes() == size && (!stride.has_value() || tensor.strides() == *stride);
  if (unchanged) return;
  const size_t itemsize = tensor.dtype().itemsize();
  size_t bytes = 0;
  if (stride.has_value()) {
    bytes = at::detail::computeStorageNbytes(size, *stride, itemsize, tensor.storage_offset());
    tensor.set_sizes_and_strides(size, *stride);
  } else {
    bytes = at::detail::computeStorageNbytesContiguous(size, itemsize, tensor.storage_offset());
    tensor.set_sizes_contiguous(size);
  }
  // An offset alone needs no memory.
  if (tensor.numel() != 0 && bytes > tensor.unsafe_storage().nbytes()) {
    resize_storage(*tensor.unsafe_storage().unsafeGetStorageImpl(), bytes);
  }
}

const at::Tensor& resize_(const at::Tensor& self, c10::SymIntArrayRef size,
                          std::optional<at::MemoryFormat> memory_format) {
  at::TensorImpl& tensor = *self.unsafeGetTensorImpl();
  const auto old_bytes = static_cast<int64_t>(tensor.unsafe_storage().nbytes());
  at::detail::check_size_nonnegative(C10_AS_INTARRAYREF_SLOW(size));
  resize(tensor, C10_AS_INTARRAYREF_SLOW(size), std::nullopt);
  if (memory_format.has_value()) {
    TORCH_CHECK(*memory_format != at::MemoryFormat::Preserve, "resize_ does not take memory format ", *memory_format);
    tensor.empty_tensor_restride(*memory_format);
  }
  if (C10_UNLIKELY(at::globalContext().deterministicAlgorithms() &&
                   at::globalContext().deterministicFillUninitializedMemory())) {
    at::native::fill_resize_deterministic_(self, old_bytes);
  }
  return self;
}

at::Tensor& set_storage_offset(at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                               c10::SymIntArrayRef stride) {
  const int64_t plain_offset = offset.guard_int(__FILE__, __LINE__);
  const at::IntArrayRef plain_size = C10_AS_INTARRAYREF_SLOW(size);
  const at::IntArrayRef plain_stride = C10_AS_INTARRAYREF_SLOW(stride);
  at::native::checkSetStorage(self, std::move(source), plain_offset, plain_size, plain_stride);
  at::TensorImpl& tensor = *self.unsafeGetTensorImpl();
  tensor.set_storage_offset(plain_offset);
  resize(tensor, plain_size, plain_stride.data() != nullptr ? at::OptionalIntArrayRef(plain_stride) : std::nullopt);
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) { return at::native::set_(self, std::move(source)); }

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) { return at::native::set_tensor_(self, source); }

at::Tensor& set_empty(at::Tensor& self) {
  const DeviceScope scope(self.device().index());
  at::Storage storage(at::Storage::use_byte_size_t(), 0, device_allocator().allocate(0), &device_allocator(),
                      /*resizable=*/true);
  return set_storage_offset(self, std::move(storage), 0, c10::SymIntArrayRef(c10::SymInt(0)), {});
}

// ---- other questions about memory ----

void record_stream(at::Tensor& self, c10::Stream stream) {
  device_allocator().recordStream(self.storage().data_ptr(), stream);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::as_strided, as_strided>(library);
  add_kernel<at::_ops::view, view>(library);
  add_kernel<at::_ops::_reshape_alias, reshape_alias>(library);
  add_kernel<at::_ops::unfold, at::native::unfold>(library);
  add_kernel<at::_ops::view_as_real, at::native::view_as_real>(library);
  add_kernel<at::_ops::view_as_complex, at::native::view_as_complex>(library);

  add_kernel<at::_ops::resize_, resize_>(library);
  add_kernel<at::_ops::set__source_Storage_storage_offset, set_storage_offset>(library);
  add_kernel<at::_ops::set__source_Storage, set_storage>(library);
  add_kernel<at::_ops::set__source_Tensor, set_tensor>(library);
  add_kernel<at::_ops::set_, set_empty>(library);

  add_kernel<at::_ops::is_set_to, at::native::is_set_to>(library);
  add_kernel<at::_ops::record_stream, record_stream>(library);
}

}  // namespace
}  // namespace flagos
