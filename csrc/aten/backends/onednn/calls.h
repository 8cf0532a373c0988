// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's calling convention: a call is described, a primitive is made for the description, and executed on memory.
// One function for each kind of primitive; generated kernels choose among them by category.
//
// `result` has the size of the operator's result, no gaps, and is written whole. Tensors are of one flagos device,
// whose memory the host shares. All return false, and have written nothing, if oneDNN has no primitive for such a call.
#pragma once

#include "plan.h"

namespace flagos::onednn {

using dnnl::algorithm;

constexpr const char* kLibrary = "onednn";

// ---- element by element ----

bool unary(const at::Tensor& result, const at::Tensor& self, algorithm kind, double alpha = 0, double beta = 0);
// `data` is the forward's input, or its output where the algorithm is one of those that use it.
bool unary_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& data, algorithm kind,
                    double alpha = 0, double beta = 0);
// a ? scale * b, both broadcast to the result's size. Booleans are bytes.
bool binary(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, algorithm kind, double scale = 1);
// self ? number
bool binary_number(const at::Tensor& result, const at::Tensor& self, double number, algorithm kind);
// self + scale * (a ? b), all broadcast.
bool ternary(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, algorithm kind,
             double scale);
// (a - b)^2, reduced if there is a reduction.
bool squared_difference(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, algorithm reduction);
bool prelu(const at::Tensor& result, const at::Tensor& self, const at::Tensor& weight);

// ---- along dimensions ----

// An empty `dims` means all. `result` has the size of `self` with 1 for those, or without them.
bool reduce(const at::Tensor& result, const at::Tensor& self, at::IntArrayRef dims, algorithm kind, double p = 0);
bool softmax(const at::Tensor& result, const at::Tensor& self, int64_t dim, algorithm kind);
bool softmax_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& output, int64_t dim,
                      algorithm kind);
bool concat(const at::Tensor& result, const std::vector<at::Tensor>& tensors, int64_t dim);
// Channels in `groups` become `groups` in channels.
bool shuffle(const at::Tensor& result, const at::Tensor& self, int64_t dim, int64_t groups);

// ---- products of matrices ----

// alpha * (a @ b), with or without a dimension of batches in front; vectors are matrices of one row or column.
bool matmul(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, double alpha = 1);
// beta * self + alpha * (a @ b), `self` broadcast, then the activation if there is one.
bool matmul_add(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, double beta,
                double alpha, algorithm activation = algorithm::undef);

// ---- windows; tensors that are not there are undefined ----

bool convolution(const at::Tensor& result, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                 const Window& window);
bool convolution_backward_data(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& weight,
                               const Window& window);
bool convolution_backward_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& grad,
                                 const at::Tensor& input, const Window& window);
bool pooling(const at::Tensor& result, const at::Tensor& input, const Window& window, algorithm kind);
bool pooling_backward(const at::Tensor& result, const at::Tensor& grad, const Window& window, algorithm kind);
bool resampling(const at::Tensor& result, const at::Tensor& input, algorithm kind);
bool resampling_backward(const at::Tensor& result, const at::Tensor& grad, algorithm kind);

// ---- normalisation ----

// Over the last dimensions, which hold `inner` elements. `rstd` is 1 / sqrt(variance + eps).
bool layer_norm(const at::Tensor& result, const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& input,
                const at::Tensor& weight, const at::Tensor& bias, int64_t inner, double eps);
// With the given statistics, of the size of a channel's.
bool batch_norm(const at::Tensor& result, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                const at::Tensor& mean, const at::Tensor& variance, double eps);

}  // namespace flagos::onednn
