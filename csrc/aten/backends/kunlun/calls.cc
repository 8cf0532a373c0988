// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "runtime/stream.h"

namespace flagos::kunlun {
namespace {

struct Destroy {
  void operator()(api::Context* context) const { api::destroy_context(context); }
};

// One for each thread and stream: a context is not for several threads, and its workspace is its stream's.
api::Context* context_of(int device, Stream_t stream) {
  using Contexts = std::map<std::pair<int, Stream_t>, std::unique_ptr<api::Context, Destroy>>;
  thread_local Contexts contexts;
  auto& context = contexts[{device, stream}];
  if (context == nullptr) {
    context.reset(api::create_context());
    TORCH_CHECK(context != nullptr, "flagos: create_context of XDNN failed");
    context->set_stream(reinterpret_cast<XPUStream>(stream));
  }
  return context.get();
}

}  // namespace

Call::Call(const at::Tensor& result)
    : guard_(result.device()),
      context_(context_of(result.device().index(), GetCurrentStream(result.device().index()))) {}

bool Call::taken(const char* function, int status) {
  if (status == api::SUCCESS) return true;
  TORCH_CHECK(status == api::INVALID_PARAM || status == api::NOT_IMPLEMENT, "flagos: ", function, " of XDNN failed: ",
              status == api::RUNTIME_ERROR         ? "RUNTIME_ERROR"
              : status == api::NO_ENOUGH_WORKSPACE ? "NO_ENOUGH_WORKSPACE"
                                                   : "unknown status",
              " (", status, ")");
  return false;
}

Sizes sizes_of(const at::Tensor& tensor) { return tensor.dim() == 0 ? Sizes{1} : tensor.sizes().vec(); }

at::Tensor dense(const at::Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  const at::Tensor moved = at::empty(tensor.sizes(), tensor.options());
  const Call call(moved);
  const auto move = XDNN((float, bool), as_strided);
  const bool done = typed(move, tensor.scalar_type(), [&]<typename E>(E) {
    return call(move, in<E>(tensor), out<E>(moved), tensor.sizes().vec(), tensor.strides().vec(), int64_t{0});
  });
  return done ? moved : at::Tensor();
}

at::Tensor constant(double value, const at::Tensor& like) {
  const at::Tensor made = at::empty({}, like.options());
  const Call call(made);
  const auto fill = XDNN((float), constant);
  const bool done = typed(fill, like.scalar_type(),
                          [&]<typename E>(E) { return call(fill, out<E>(made), int64_t{1}, static_cast<E>(value)); });
  return done ? made : at::Tensor();
}

Order::Order(const at::Tensor& result) : dims_(static_cast<size_t>(result.dim())) {
  std::iota(dims_.begin(), dims_.end(), 0);
  const at::IntArrayRef sizes = result.sizes(), strides = result.strides();
  // A dimension of size 1 may have any stride: it stays where it is if all others are in order.
  if (result.is_contiguous()) return;
  std::stable_sort(dims_.begin(), dims_.end(), [&](int64_t a, int64_t b) {
    const auto place = [&](int64_t dim) { return std::pair(strides[dim], sizes[dim]); };
    return place(a) > place(b);
  });
}

at::Tensor Order::operator()(const at::Tensor& tensor) const {
  at::Tensor padded = tensor;
  while (padded.dim() < static_cast<int64_t>(dims_.size())) padded = padded.unsqueeze(0);
  return padded.permute(dims_);
}

Written::Written(const at::Tensor& result)
    : result_(result), place_(result.is_contiguous() ? result : at::empty(result.sizes(), result.options())) {}

bool Written::finish(bool taken) const {
  if (taken && !place_.is_same(result_)) result_.copy_(place_);
  return taken;
}

bool scaled(const at::Tensor& result, const at::Tensor& self, double factor, double more) {
  return unary(result, self, XDNN((float), scale), /*bias_after_scale=*/true, static_cast<float>(factor),
               static_cast<float>(more));
}

Matrix::Matrix(const at::Tensor& tensor) : rows(tensor.size(-2)), columns(tensor.size(-1)) {
  const at::Tensor turned = tensor.transpose(-2, -1);
  transposed = !tensor.is_contiguous() && turned.is_contiguous();
  memory = transposed ? turned : dense(tensor);
}

}  // namespace flagos::kunlun
