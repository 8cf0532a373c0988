// SPDX-License-Identifier: Apache-2.0
//
// copy_ and what is built on it. The rules are those of CPU copy_: the destination's dtype, the source broadcast to the
// destination's size, conjugate and negative views resolved, overlapping destinations refused.
//
// Bytes move by MemcpyAsync on the current stream of the device, one call for each piece that is contiguous on both
// sides, so a copy is ordered with the work around it and touches nothing between the elements. What another dtype, the
// conjugate or negative bit, or too many pieces keep from that goes through pinned host memory, where CPU copy_ does
// the rest; device memory is never read by host code. A copy that touches the caller's host memory is finished on
// return, unless it is non_blocking and either that memory is pinned or its values have already been copied aside.
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/ops/_copy_from_and_resize_ops.h>
#include <ATen/ops/_copy_from_ops.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zero_ops.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "aten/boxing.h"
#include "aten/register.h"
#include "aten/routes.h"
#include "aten/tensor_memory.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/host_allocator.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

// ---- pieces ----

// The bytes of one tensor, or of two with the same size and item size, cut into the fewest pieces that are contiguous
// in each of them. Borrows the tensors.
class Pieces {
 public:
  explicit Pieces(const at::Tensor& tensor) : iterator_(settings().add_const_input(tensor).build()) {}
  Pieces(const at::Tensor& dst, const at::Tensor& src)
      : iterator_(settings().add_output(dst).add_const_input(src).build()) {}

  int64_t count() const { return iterator_.numel() / items(); }

  // Calls visit(addresses, bytes) with the piece's address in each of the tensors.
  template <typename Visit>
  void for_each(Visit visit) const {
    const int64_t bytes = items() * item_bytes();
    iterator_.serial_for_each(
        [&](char** data, const int64_t* strides, int64_t items, int64_t rows) {
          const int tensors = iterator_.ntensors();
          const int64_t pieces = items * item_bytes() / bytes;
          for (int64_t row = 0; row < rows; ++row) {
            std::array<char*, 2> at{};
            for (int i = 0; i < tensors; ++i) at[i] = data[i] + row * strides[tensors + i];
            for (int64_t piece = 0; piece < pieces; ++piece) {
              visit(at, static_cast<size_t>(bytes));
              for (int i = 0; i < tensors; ++i) at[i] += strides[i];
            }
          }
        },
        {0, iterator_.numel()});
  }

 private:
  static at::TensorIteratorConfig settings() {
    at::TensorIteratorConfig config;
    config.set_check_mem_overlap(false).check_all_same_dtype(false).check_all_same_device(false).resize_outputs(false);
    return config;
  }

  int64_t item_bytes() const { return static_cast<int64_t>(iterator_.element_size(0)); }

  // In one piece: the whole innermost dimension or a single item.
  int64_t items() const {
    if (iterator_.ndim() == 0) return 1;
    for (int i = 0; i < iterator_.ntensors(); ++i) {
      if (iterator_.strides(i)[0] != item_bytes()) return 1;
    }
    return iterator_.shape()[0];
  }

  at::TensorIterator iterator_;
};

// Up to this many pieces always move one by one: the copy stays asynchronous. Beyond that, a piece must save this many
// bytes of a detour through the host. Measured, the two take equally long at 16 to 64 KiB on an H200 (3 to 5 us for a
// piece) and at 1 to 2 KiB on the host device.
constexpr size_t kFewPieces = 64;
constexpr size_t kBytesPerPiece = 16 << 10;
// The same for a piece in pageable host memory, which the vendor has to wait for.
constexpr size_t kBytesPerPageablePiece = 64 << 10;

// Whether the tensor's elements move between device and host one piece at a time, or else with all that lies between
// them.
bool moves_in_pieces(const at::Tensor& tensor) {
  const auto count = static_cast<size_t>(Pieces(tensor).count());
  const size_t span = spanned_bytes(tensor);
  return count == 1 || (tensor.nbytes() <= span && count <= kFewPieces + span / kBytesPerPiece);
}

// ---- moving bytes ----

// Calls submit(move), which calls move(dst, src, bytes) for what is to be copied from memory of `src` to memory of
// `dst`; at least one of the two is on a flagos device.
//
// Between devices the copies are part of the source device's current stream. They wait for the destination's stream,
// whose earlier work may still use the memory, and later work there waits for them.
template <typename Submit>
void move_bytes(const at::Tensor& dst, const at::Tensor& src, bool non_blocking, Submit submit) {
  const bool from_device = on_device(src);
  const bool to_device = on_device(dst);
  const MemcpyKind kind = !from_device ? MemcpyHostToDevice : to_device ? MemcpyDeviceToDevice : MemcpyDeviceToHost;
  const int device = (from_device ? src : dst).device().index();
  const c10::Stream stream = current_stream(device);
  const c10::Stream dst_stream = to_device ? current_stream(dst.device().index()) : stream;
  bool kept_alive = true;
  if (!from_device || !to_device) {
    const c10::DataPtr& memory = (from_device ? dst : src).storage().data_ptr();
    // Pinned memory of another allocator cannot be kept from reuse, so such a copy blocks too.
    kept_alive = non_blocking && is_pinned(memory.get()) &&
                 host_allocator().record_event(memory.get(), memory.get_context(), stream);
  }
  order_after(stream, dst_stream);
  {
    const DeviceScope scope(device);
    const Stream_t handle = native_handle(stream);
    submit([&](void* to, const void* from, size_t bytes) {
      check(runtime().MemcpyAsync(to, from, bytes, kind, handle), "MemcpyAsync");
    });
  }
  order_after(dst_stream, stream);
  if (!kept_alive) synchronize(stream);
}

void move_pieces(const Pieces& pieces, const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  move_bytes(dst, src, non_blocking, [&](auto move) {
    pieces.for_each([&](const std::array<char*, 2>& at, size_t bytes) { move(at[0], at[1], bytes); });
  });
}

// All between the first and the last byte; the tensors have the same strides.
void move_span(const at::Tensor& dst, const at::Tensor& src) {
  move_bytes(dst, src, /*non_blocking=*/false,
             [&](auto move) { move(dst.mutable_data_ptr(), src.const_data_ptr(), spanned_bytes(src)); });
}

// ---- through host memory ----

// A detour takes at most so much host memory at once, for each side; larger tensors are cut.
constexpr size_t kStagingBytes = 64 << 20;

// Host memory with the tensor's size, dtype and bits; contents undefined. Pinned, unless there is no more of that.
at::Tensor staging(const at::Tensor& tensor, at::IntArrayRef strides) {
  constexpr c10::DispatchKeySet keys(c10::DispatchKey::CPU);
  at::Tensor host;
  try {
    host = at::detail::empty_strided_generic(tensor.sizes(), strides, &host_allocator(), keys, tensor.scalar_type());
  } catch (const c10::OutOfMemoryError&) {
    host = at::detail::empty_strided_cpu(tensor.sizes(), strides, tensor.scalar_type());
  }
  host._set_conj(tensor.is_conj());
  host._set_neg(tensor.is_neg());
  return host;
}

std::vector<int64_t> dense_strides(const at::Tensor& tensor) {
  return at::infer_dense_strides(tensor.sizes(), tensor.strides());
}

// Expanded dimensions refer to the same elements over and over; one of each is enough.
at::Tensor without_expanded_dims(at::Tensor tensor) {
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.stride(dim) == 0 && tensor.size(dim) > 1) tensor = tensor.narrow(dim, 0, 1);
  }
  return tensor;
}

// The values of a tensor on a device; expanded dimensions have size one.
at::Tensor fetch(const at::Tensor& tensor) {
  const at::Tensor once = without_expanded_dims(tensor);
  at::Tensor host;
  if (moves_in_pieces(once)) {
    host = staging(once, dense_strides(once));
    move_pieces(Pieces(host, once), host, once, /*non_blocking=*/false);
  } else {
    host = staging(once, once.strides());
    move_span(host, once);
  }
  return host;
}

// Writes elements so many and so close together that what lies between them has to travel along: it is read first and
// written back. Of two threads that do this in one range, the second one waits, or it would undo the first one's work.
// Other work on that range has to be ordered with this stream.
void store_with_gaps(const at::Tensor& dst, const at::Tensor& host_source) {
  static std::array<std::mutex, kMaxDevices> rewriting;
  const int device = dst.device().index();
  synchronize(current_stream(device));  // earlier work may take long: wait for it before the lock is held
  const std::lock_guard<std::mutex> lock(rewriting[device]);
  const at::Tensor host = staging(dst, dst.strides());
  move_span(host, dst);
  host.copy_(host_source);
  move_span(dst, host);
}

void store(const at::Tensor& dst, const at::Tensor& host_source, bool non_blocking) {
  if (!moves_in_pieces(dst)) return store_with_gaps(dst, host_source);
  const at::Tensor host = staging(dst, dense_strides(dst));
  host.copy_(host_source);
  move_pieces(Pieces(dst, host), dst, host, non_blocking);
}

size_t staged_bytes(const at::Tensor& tensor) {
  if (!on_device(tensor)) return 0;
  const at::Tensor once = without_expanded_dims(tensor);
  return moves_in_pieces(once) ? once.nbytes() : spanned_bytes(once);
}

int64_t widest_dim(const at::Tensor& tensor) {
  const auto width = [&](int64_t dim) { return (tensor.size(dim) - 1) * tensor.stride(dim); };
  int64_t widest = 0;
  for (int64_t dim = 1; dim < tensor.dim(); ++dim) {
    if (width(dim) > width(widest)) widest = dim;
  }
  return widest;
}

void copy_through_host(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  const size_t dst_bytes = staged_bytes(dst);
  const size_t src_bytes = staged_bytes(src);
  if (std::max(dst_bytes, src_bytes) > kStagingBytes) {
    const int64_t dim = widest_dim(dst_bytes > src_bytes ? dst : src);
    const int64_t half = dst.size(dim) / 2;
    copy_through_host(dst.narrow(dim, 0, half), src.narrow(dim, 0, half), non_blocking);
    copy_through_host(dst.narrow(dim, half, dst.size(dim) - half), src.narrow(dim, half, dst.size(dim) - half),
                      non_blocking);
    return;
  }
  const at::Tensor host_source = on_device(src) ? fetch(src) : src;
  if (!on_device(dst)) {
    dst.copy_(host_source);
  } else {
    store(dst, host_source, non_blocking || on_device(src));
  }
}

// ---- operators ----

void check_layouts(const at::Tensor& src, const at::Tensor& dst) {
  for (const at::Tensor* tensor : {&src, &dst}) {
    TORCH_CHECK(tensor->layout() == at::kStrided && !tensor->is_quantized() && (tensor->is_cpu() || on_device(*tensor)),
                "flagos: cannot copy from ", src.device(), " (", src.layout(), ", ", src.scalar_type(), ") to ",
                dst.device(), " (", dst.layout(), ", ", dst.scalar_type(),
                "); go through a strided CPU tensor that is not quantized");
  }
}

bool same_encoding(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

bool same_view(const at::Tensor& a, const at::Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && same_encoding(a, b);
}

bool spans_meet(const at::Tensor& a, const at::Tensor& b) {
  if (a.device() != b.device()) return false;
  const auto* const a_begin = static_cast<const char*>(a.const_data_ptr());
  const auto* const b_begin = static_cast<const char*>(b.const_data_ptr());
  return a_begin < b_begin + spanned_bytes(b) && b_begin < a_begin + spanned_bytes(a);
}

// Whether to move the pieces straight from `src` to `dst`.
bool moves_directly(const Pieces& pieces, const at::Tensor& dst, const at::Tensor& src) {
  const auto count = static_cast<size_t>(pieces.count());
  if (count == 1) return true;
  const auto pageable = [](const at::Tensor& tensor) {
    return !on_device(tensor) && !is_pinned(tensor.storage().data_ptr().get());
  };
  if (pageable(dst) || pageable(src)) return count <= dst.nbytes() / kBytesPerPageablePiece;
  const size_t detour = (on_device(dst) ? spanned_bytes(dst) : 0) + (on_device(src) ? spanned_bytes(src) : 0);
  return count <= kFewPieces + detour / kBytesPerPiece;
}

// The tensors have the same size, at least one element, and share no memory.
void copy_values(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  if (same_encoding(dst, src)) {
    const Pieces pieces(dst, src);
    if (moves_directly(pieces, dst, src)) return move_pieces(pieces, dst, src, non_blocking);
  }
  copy_through_host(dst, src, non_blocking);
}

// The values in memory of their own, on the same device.
at::Tensor snapshot(const at::Tensor& tensor) {
  const at::Tensor once = without_expanded_dims(tensor);
  const at::Tensor copy = at::empty_strided(once.sizes(), dense_strides(once), once.options());
  copy._set_conj(once.is_conj());
  copy._set_neg(once.is_neg());
  copy_values(copy, once, /*non_blocking=*/false);
  return copy.expand(tensor.sizes());
}

at::Tensor copy_from(const at::Tensor& src, const at::Tensor& dst, bool non_blocking) {
  check_layouts(src, dst);
  if (same_view(src, dst)) return dst;
  at::assert_no_internal_overlap(dst);
  at::assert_no_partial_overlap(dst, src);
  const at::Tensor source = src.sizes() == dst.sizes() ? src : src.expand(dst.sizes());
  if (dst.numel() == 0) return dst;
  copy_values(dst, spans_meet(dst, source) ? snapshot(source) : source, non_blocking);
  return dst;
}

// Within a device the target's own kernel copies, whatever the dtype and the strides.
at::Tensor& copy_on_target(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
  if (src.device() != self.device()) return at::native::copy_(self, src, non_blocking);
  check_layouts(src, self);
  return Boxed<at::_ops::copy_>::kernel(self, src, non_blocking);
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
    move_span(host, self);
  }
  return at::_local_scalar_dense(host);
}

// Filling is idempotent, so unlike copy_ it takes a tensor that refers to an element more than once.
at::Tensor& fill_scalar(at::Tensor& self, const at::Scalar& value) {
  const at::Tensor scalar = at::scalar_tensor(value, self.options().device(at::kCPU).pinned_memory(false));
  without_expanded_dims(self).copy_(scalar, /*non_blocking=*/true);
  return self;
}

at::Tensor& zero(at::Tensor& self) {
  if (self.numel() == 0) return self;
  const at::Tensor once = without_expanded_dims(self);
  if (!moves_in_pieces(once)) return fill_scalar(self, 0);
  const int device = self.device().index();
  const DeviceScope scope(device);
  const Stream_t stream = GetCurrentStream(device);
  Pieces(once).for_each([&](const std::array<char*, 2>& at, size_t bytes) {
    check(runtime().MemsetAsync(at[0], 0, bytes, stream), "MemsetAsync");
  });
  return self;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::_copy_from, copy_from>(library);
  add_kernel<at::_ops::_copy_from_and_resize, copy_from_and_resize>(library);
  add_kernel<at::_ops::_local_scalar_dense, local_scalar_dense>(library);
}

const bool added = [] {
  add_own_kernels({
      {"copy_", nullptr, add_typed<at::_ops::copy_, copy_on_target>},
      {"fill_.Scalar", add_typed<at::_ops::fill__Scalar, fill_scalar>},
      {"zero_", add_typed<at::_ops::zero_, zero>},
  });
  return true;
}();

// Reached only to be refused, with our message instead of a list of the operator's backends.
TORCH_LIBRARY_IMPL(aten, QuantizedPrivateUse1, library) { add_kernel<at::_ops::_copy_from, copy_from>(library); }
TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, library) { add_kernel<at::_ops::_copy_from, copy_from>(library); }
TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, library) { add_kernel<at::_ops::_copy_from, copy_from>(library); }

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
