// SPDX-License-Identifier: Apache-2.0
//
// copy_ and what is built on it. The rules are those of CPU copy_: the destination's dtype, the source broadcast to the
// destination's size, conjugate and negative views resolved, overlapping destinations refused.
//
// Bytes move by MemcpyAsync on the current stream of the device, so a copy is ordered with the work around it. A copy
// that touches host memory is finished on return, unless it is non_blocking and that memory is pinned. Where dtype or
// layout differ, the whole range that a tensor spans goes to the host in one piece and CPU copy_ does the rest; device
// memory is never read by host code.
#include <ATen/Context.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_copy_from_and_resize_ops.h>
#include <ATen/ops/_copy_from_ops.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zero_ops.h>

#include "aten/register.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/host_allocator.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

bool on_device(const at::Tensor& tensor) { return tensor.device().type() == kDeviceType; }

// ---- moving bytes
// -----------------------------------------------------------------------------------------------------

void copy_on_device(void* dst, const void* src, size_t bytes, int device) {
  if (dst == src) return;
  const DeviceScope scope(device);
  check(runtime().MemcpyAsync(dst, src, bytes, MemcpyDeviceToDevice, GetCurrentStream(device)), "MemcpyAsync");
}

// The copy is part of the source device's current stream. It waits for the destination's stream, whose earlier work may
// still use the memory, and later work there waits for the copy.
void copy_across_devices(void* dst, int dst_device, const void* src, int src_device, size_t bytes) {
  const c10::Stream dst_stream = current_stream(dst_device);
  const c10::Stream src_stream = current_stream(src_device);
  order_after(src_stream, dst_stream);
  {
    const DeviceScope scope(src_device);
    check(runtime().MemcpyAsync(dst, src, bytes, MemcpyDeviceToDevice, native_handle(src_stream)), "MemcpyAsync");
  }
  order_after(dst_stream, src_stream);
}

void copy_with_host(void* dst, const void* src, size_t bytes, const at::Tensor& host, int device, bool to_device,
                    bool non_blocking) {
  const DeviceScope scope(device);
  const c10::Stream stream = current_stream(device);
  check(runtime().MemcpyAsync(dst, src, bytes, to_device ? MemcpyHostToDevice : MemcpyDeviceToHost,
                              native_handle(stream)),
        "MemcpyAsync");
  const c10::DataPtr& memory = host.storage().data_ptr();
  // Pinned memory of another allocator cannot be kept from reuse, so such a copy blocks too.
  const bool kept_alive = non_blocking && is_pinned(memory.get()) &&
                          host_allocator().record_event(memory.get(), memory.get_context(), stream);
  if (!kept_alive) synchronize(stream);
}

// Copies `bytes` bytes from where `src` begins to where `dst` begins; at least one of the two is on a flagos device.
void copy_bytes(const at::Tensor& dst, const at::Tensor& src, size_t bytes, bool non_blocking) {
  if (bytes == 0) return;
  void* to = dst.mutable_data_ptr();
  const void* from = src.const_data_ptr();
  const int dst_device = dst.device().index();
  const int src_device = src.device().index();
  if (!on_device(src)) {
    copy_with_host(to, from, bytes, src, dst_device, /*to_device=*/true, non_blocking);
  } else if (!on_device(dst)) {
    copy_with_host(to, from, bytes, dst, src_device, /*to_device=*/false, non_blocking);
  } else if (dst_device == src_device) {
    copy_on_device(to, from, bytes, dst_device);
  } else {
    copy_across_devices(to, dst_device, from, src_device, bytes);
  }
}

// ---- layouts
// ----------------------------------------------------------------------------------------------------------

// From the first to the last byte that the tensor refers to.
size_t spanned_bytes(const at::Tensor& tensor) {
  return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
}

// Both tensors are one dense range of memory with the elements in the same order and the same encoding.
bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  if (a.dtype() != b.dtype() || a.is_conj() != b.is_conj() || a.is_neg() != b.is_neg()) return false;
  if (a.sizes() != b.sizes() || !a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return false;
  for (int64_t dim = 0; dim < a.dim(); ++dim) {
    if (a.size(dim) != 1 && a.stride(dim) != b.stride(dim)) return false;
  }
  return true;
}

// Host memory with the tensor's size, strides, dtype and bits; contents undefined.
at::Tensor host_twin(const at::Tensor& tensor) {
  at::Tensor host =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU).pinned_memory(false));
  host._set_conj(tensor.is_conj());
  host._set_neg(tensor.is_neg());
  return host;
}

at::Tensor read(const at::Tensor& tensor) {
  at::Tensor host = host_twin(tensor);
  copy_bytes(host, tensor, spanned_bytes(tensor), /*non_blocking=*/false);
  return host;
}

// ---- operators
// --------------------------------------------------------------------------------------------------------

void check_copy(const at::Tensor& src, const at::Tensor& dst) {
  for (const at::Tensor* tensor : {&src, &dst}) {
    TORCH_CHECK(tensor->layout() == at::kStrided && (tensor->is_cpu() || on_device(*tensor)),
                "flagos: cannot copy from ", src.device(), " (", src.layout(), ") to ", dst.device(), " (",
                dst.layout(), "); go through a strided CPU tensor");
  }
  at::assert_no_internal_overlap(dst);
  at::assert_no_partial_overlap(dst, src);
}

bool same_view(const at::Tensor& a, const at::Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && a.dtype() == b.dtype() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

at::Tensor copy_from(const at::Tensor& src, const at::Tensor& dst, bool non_blocking) {
  if (same_view(src, dst)) return dst;
  check_copy(src, dst);
  const at::Tensor source = src.sizes() == dst.sizes() ? src : src.expand(dst.sizes());
  if (dst.numel() == 0) return dst;
  if (same_bytes(dst, source)) {
    copy_bytes(dst, source, dst.nbytes(), non_blocking);
    return dst;
  }
  const at::Tensor host_source = on_device(src) ? read(src) : src;
  if (!on_device(dst)) {
    dst.copy_(host_source);
    return dst;
  }
  // What lies between the elements of a destination with gaps has to survive, so it is read first.
  const at::Tensor host_dst = dst.is_non_overlapping_and_dense() ? host_twin(dst) : read(dst);
  host_dst.copy_(host_source);
  copy_bytes(dst, host_dst, spanned_bytes(dst), /*non_blocking=*/false);
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& src, const at::Tensor& dst) {
  if (src.sizes() != dst.sizes()) dst.resize_(src.sizes());
  return copy_from(src, dst, /*non_blocking=*/false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  TORCH_CHECK(self.numel() == 1, "a tensor with ", self.numel(), " elements cannot be converted to a scalar");
  const int device = self.device().index();
  at::Tensor host = at::empty({}, self.options().device(at::kCPU));
  if (current_stream(device) == default_stream(device)) {
    // One blocking call instead of two: it is ordered after the work of the default stream.
    const DeviceScope scope(device);
    check(runtime().memory->memcpy(host.mutable_data_ptr(), self.const_data_ptr(), self.itemsize(), MemcpyDeviceToHost),
          "memcpy");
  } else {
    copy_bytes(host, self, self.itemsize(), /*non_blocking=*/false);
  }
  return at::_local_scalar_dense(host);
}

// Expanded dimensions refer to the same elements over and over; filling one of each is enough.
at::Tensor without_expanded_dims(at::Tensor tensor) {
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.stride(dim) == 0 && tensor.size(dim) > 1) tensor = tensor.narrow(dim, 0, 1);
  }
  return tensor;
}

at::Tensor& fill_scalar(at::Tensor& self, const at::Scalar& value) {
  const at::Tensor scalar = at::scalar_tensor(value, self.options().device(at::kCPU).pinned_memory(false));
  without_expanded_dims(self).copy_(scalar);
  return self;
}

at::Tensor& zero(at::Tensor& self) {
  if (!self.is_non_overlapping_and_dense()) return fill_scalar(self, 0);
  if (self.numel() == 0) return self;
  const int device = self.device().index();
  const DeviceScope scope(device);
  check(runtime().MemsetAsync(self.mutable_data_ptr(), 0, self.nbytes(), GetCurrentStream(device)), "MemsetAsync");
  return self;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::_copy_from, copy_from>(library);
  add_kernel<at::_ops::_copy_from_and_resize, copy_from_and_resize>(library);
  add_kernel<at::_ops::_local_scalar_dense, local_scalar_dense>(library);
  add_kernel<at::_ops::fill__Scalar, fill_scalar>(library);
  add_kernel<at::_ops::zero_, zero>(library);
}

// PyTorch resolves conjugate and negative views by copying them, so the copy itself has to be reached with the bit
// still set; without this a copy of such a view would call itself for ever.
TORCH_LIBRARY_IMPL(aten, Conjugate, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
  library.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
  library.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

}  // namespace
}  // namespace flagos
