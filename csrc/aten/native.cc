// SPDX-License-Identifier: Apache-2.0
#include "aten/native.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <cstdint>

#include "aten/operators.h"
#include "aten/tensor_memory.h"
#include "runtime/device.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

bool lies_in_place_of(const at::Tensor& result, const at::Tensor& input) {
  return result.data_ptr() == input.data_ptr() && result.sizes() == input.sizes() &&
         result.strides() == input.strides();
}

}  // namespace

bool fit(TensorRefs tensors, std::initializer_list<at::ScalarType> dtypes) {
  const at::Tensor* first = nullptr;
  for (const at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    if (first == nullptr) first = tensor;
    if (!on_device(*tensor) || tensor->device() != first->device() || tensor->layout() != at::kStrided ||
        tensor->_is_zerotensor() || tensor->numel() > INT32_MAX ||
        std::find(dtypes.begin(), dtypes.end(), tensor->scalar_type()) == dtypes.end()) {
      return false;
    }
  }
  return first != nullptr;
}

// ---- sizes ----

bool broadcast_sizes(at::IntArrayRef a, at::IntArrayRef b, at::DimVector& sizes) {
  if (!at::are_expandable(a, b)) return false;
  sizes = at::infer_size_dimvector(a, b);
  return true;
}

bool expandable(at::IntArrayRef from, at::IntArrayRef to) {
  at::DimVector sizes;
  return broadcast_sizes(from, to, sizes) && at::IntArrayRef(sizes) == to;
}

bool are_ratios(std::initializer_list<std::optional<double>> factors, at::IntArrayRef from, at::IntArrayRef to) {
  size_t dim = 2;
  for (const std::optional<double>& factor : factors) {
    if (factor && *factor * static_cast<double>(from[dim]) != static_cast<double>(to[dim])) return false;
    ++dim;
  }
  return true;
}

bool has_dim(const at::Tensor& tensor, int64_t dim) {
  const int64_t dims = std::max<int64_t>(tensor.dim(), 1);
  return -dims <= dim && dim < dims;
}

bool reduced_sizes(const at::Tensor& self, at::OptionalIntArrayRef reduced, bool keepdim, at::DimVector& dims,
                   at::DimVector& sizes) {
  const auto rank = static_cast<size_t>(self.dim());
  std::vector<bool> gone(rank, !reduced.has_value() || reduced->empty());
  for (const int64_t dim : reduced.value_or(at::IntArrayRef())) {
    if (!has_dim(self, dim)) return false;
    if (rank == 0) continue;
    const auto wrapped = static_cast<size_t>(at::maybe_wrap_dim(dim, self.dim()));
    if (gone[wrapped]) return false;
    gone[wrapped] = true;
  }
  for (size_t i = 0; i < rank; ++i) {
    if (gone[i]) dims.push_back(static_cast<int64_t>(i));
    if (!gone[i] || keepdim) sizes.push_back(gone[i] ? 1 : self.sizes()[i]);
  }
  return true;
}

bool concatenated(const at::ITensorListRef& tensors, int64_t dim, std::vector<at::Tensor>& parts,
                  at::DimVector& sizes) {
  for (const at::Tensor& tensor : tensors) {
    const bool nothing = tensor.dim() == 1 && tensor.numel() == 0;  // of any size otherwise
    if (!nothing) parts.push_back(tensor);
  }
  if (parts.empty() || parts[0].dim() == 0 || !has_dim(parts[0], dim)) return false;
  const auto along = static_cast<size_t>(at::maybe_wrap_dim(dim, parts[0].dim()));
  sizes = at::DimVector(parts[0].sizes());
  sizes[along] = 0;
  for (const at::Tensor& part : parts) {
    if (part.dim() != parts[0].dim()) return false;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i != along && part.sizes()[i] != sizes[i]) return false;
    }
    sizes[along] += part.sizes()[along];
  }
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const at::Tensor& part) { return part.numel() == 0; }),
              parts.end());
  return !parts.empty();
}

Window convolution_window(const at::Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding,
                          at::IntArrayRef dilation, bool transposed, int64_t groups) {
  return {at::DimVector(weight.sizes().slice(2)),
          at::DimVector(stride),
          at::DimVector(padding),
          at::DimVector(dilation),
          transposed,
          groups};
}

at::DimVector convolution_sizes(const at::Tensor& input, const at::Tensor& weight, const Window& window,
                                at::IntArrayRef output_padding) {
  at::DimVector sizes{input.size(0), window.transposed ? weight.size(1) * window.groups : weight.size(0)};
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1;
    const int64_t from = input.sizes()[i + 2];
    sizes.push_back(window.transposed ? (from - 1) * window.stride[i] - 2 * window.padding[i] + span + output_padding[i]
                                      : (from + 2 * window.padding[i] - span) / window.stride[i] + 1);
  }
  return sizes;
}

Window pooling_window(size_t dims, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding) {
  const auto for_all = [&](at::IntArrayRef values) {
    return values.size() == 1 ? at::DimVector(dims, values[0]) : at::DimVector(values);
  };
  return {for_all(kernel), for_all(stride.empty() ? kernel : stride), for_all(padding), at::DimVector(dims, 1)};
}

at::DimVector pooling_sizes(const at::Tensor& input, const Window& window) {
  at::DimVector sizes(input.sizes().slice(0, 2));
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    sizes.push_back((input.sizes()[i + 2] + 2 * window.padding[i] - window.kernel[i]) / window.stride[i] + 1);
  }
  return sizes;
}

// ---- numbers ----

std::optional<double> number_in(const at::Tensor& number, const at::Tensor& self) {
  if (!number.is_cpu() || number.dim() != 0 || number.is_complex() || !self.is_floating_point()) return std::nullopt;
  const bool wrapped = number.unsafeGetTensorImpl()->is_wrapped_number();
  if (self.dim() == 0 && !wrapped && number.scalar_type() != self.scalar_type()) return std::nullopt;
  return number.item().toDouble();
}

void finish_stream(const at::Tensor& on_device) { synchronize(current_stream(on_device.device().index())); }

bool Result::prepare(at::IntArrayRef sizes, at::ScalarType dtype, TensorRefs inputs, bool elementwise) {
  const at::Tensor& first = *inputs.front();
  if (given_ != nullptr) {
    if (given_->scalar_type() != dtype || given_->device() != first.device() || given_->layout() != at::kStrided) {
      return false;
    }
    if (in_place_ && given_->sizes() != sizes) return false;
    if (!in_place_) at::native::resize_output(*given_, sizes);
    bool shared = !given_->is_non_overlapping_and_dense();
    for (const at::Tensor* input : inputs) {
      if (!input->defined() || !input->is_alias_of(*given_) || (elementwise && lies_in_place_of(*given_, *input)))
        continue;
      if (elementwise && at::get_overlap_status(*given_, *input) != at::MemOverlapStatus::No) return false;
      shared = true;
    }
    if (elementwise && at::has_internal_overlap(*given_) == at::MemOverlap::Yes) return false;
    if (!shared) {
      place_ = *given_;
      return true;
    }
  }
  const at::TensorOptions options = first.options().dtype(dtype);
  place_ = sizes == first.sizes() && first.is_non_overlapping_and_dense()
               ? at::empty_strided(sizes, first.strides(), options)
               : at::empty(sizes, options);
  return true;
}

const at::Tensor& Result::finish() const {
  if (given_ == nullptr) return place_;
  if (!place_.is_same(*given_)) given_->copy_(place_);
  return *given_;
}

void log_native(const char* name, const char* overload, const char* library, const at::Tensor& result) {
  if (C10_LIKELY(!logs_dispatch())) return;
  log_dispatch(result.device().index(), c10::toString(c10::OperatorName(name, overload)), c10::str(library, " kernel"));
}

}  // namespace flagos
