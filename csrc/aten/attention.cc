// SPDX-License-Identifier: Apache-2.0
//
// Attention: which kernel PyTorch's scaled_dot_product_attention takes on flagos. Without routes it is the plain
// formula, made of operators that every device has. With a route it is the target's choice, if that kernel is routed as
// well. Where PyTorch would call the CPU's flash attention for any device but CUDA, it offers an operator to override:
// ours is the target's flash attention.
#include <ATen/SDPBackend.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_fused_attention_overrideable_backward_ops.h>
#include <ATen/ops/_scaled_dot_product_fused_attention_overrideable_ops.h>
#include <ATen/ops/constant_pad_nd.h>

#include <cmath>

#include "aten/boxing.h"
#include "aten/routes.h"

namespace flagos {
namespace {

using Forward = at::_ops::_scaled_dot_product_fused_attention_overrideable;
using Backward = at::_ops::_scaled_dot_product_fused_attention_overrideable_backward;

// ---- the choice ----

int64_t formula(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, double, bool,
                std::optional<double>, bool) {
  return static_cast<int64_t>(at::SDPBackend::math);
}

template <typename Op>
bool is_routed() {
  static const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
  return op.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
}

at::SDPBackend usable(at::SDPBackend choice) {
  switch (choice) {
    case at::SDPBackend::flash_attention:
      return is_routed<at::_ops::_scaled_dot_product_flash_attention>() && is_routed<Forward>()
                 ? at::SDPBackend::overrideable
                 : at::SDPBackend::math;
    case at::SDPBackend::efficient_attention:
      return is_routed<at::_ops::_scaled_dot_product_efficient_attention>() ? choice : at::SDPBackend::math;
    case at::SDPBackend::cudnn_attention:
      return is_routed<at::_ops::_scaled_dot_product_cudnn_attention>() ? choice : at::SDPBackend::math;
    default:
      return at::SDPBackend::math;
  }
}

int64_t choice_of_target(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& mask, double dropout, bool causal,
                         std::optional<double> scale, bool grouped) {
  const int64_t choice =
      Boxed<at::_ops::_fused_sdp_choice>::kernel(query, key, value, mask, dropout, causal, scale, grouped);
  return static_cast<int64_t>(usable(static_cast<at::SDPBackend>(choice)));
}

// What scaled_dot_product_attention asks, for a device type; the answer is the operator's.
int64_t choice(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
               const std::optional<at::Tensor>& mask, double dropout, bool causal, std::optional<double> scale,
               bool grouped) {
  return at::_fused_sdp_choice(query, key, value, mask, dropout, causal, scale, grouped);
}

// ---- flash attention under the name that can be overridden ----

constexpr int64_t kMultiple = 8;  // of the size of a head, says the kernel

at::Tensor padded(const at::Tensor& tensor) {
  const int64_t rest = tensor.size(-1) % kMultiple;
  return rest == 0 ? tensor : at::constant_pad_nd(tensor, {0, kMultiple - rest});
}

at::Tensor cut(const at::Tensor& tensor, int64_t size) {
  return tensor.size(-1) == size ? tensor : tensor.narrow(-1, 0, size);
}

double scale_of(const at::Tensor& query, std::optional<double> scale) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor, at::Tensor>
flash(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const std::optional<at::Tensor>& bias,
      double dropout, bool causal, bool debug_mask, std::optional<double> scale) {
  log_target(query.device().index(), {Forward::name, Forward::overload_name});
  TORCH_CHECK(!bias.has_value() || !bias->defined(), "flagos: flash attention takes no mask");
  auto results = at::_scaled_dot_product_flash_attention(padded(query), padded(key), padded(value), dropout, causal,
                                                         debug_mask, scale_of(query, scale));
  std::get<0>(results) = cut(std::get<0>(results), query.size(-1));
  return results;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> flash_backward(
    const at::Tensor& grad, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
    const at::Tensor& /*bias*/, std::array<bool, 4> /*wanted*/, const at::Tensor& out, const at::Tensor& logsumexp,
    const at::Tensor& starts_q, const at::Tensor& starts_k, c10::SymInt max_q, c10::SymInt max_k, double dropout,
    bool causal, const at::Tensor& seed, const at::Tensor& offset, std::optional<double> scale) {
  log_target(query.device().index(), {Backward::name, Backward::overload_name});
  const auto [grad_query, grad_key, grad_value] = at::_scaled_dot_product_flash_attention_backward_symint(
      padded(grad), padded(query), padded(key), padded(value), padded(out), logsumexp, starts_q, starts_k,
      std::move(max_q), std::move(max_k), dropout, causal, seed, offset, scale_of(query, scale));
  return {cut(grad_query, query.size(-1)), cut(grad_key, key.size(-1)), cut(grad_value, value.size(-1)), at::Tensor()};
}

const bool added = [] {
  add_own_kernels({
      {"_fused_sdp_choice", add_typed<at::_ops::_fused_sdp_choice, formula>,
       add_typed<at::_ops::_fused_sdp_choice, choice_of_target>},
      {"_scaled_dot_product_fused_attention_overrideable", nullptr, add_typed<Forward, flash>},
      {"_scaled_dot_product_fused_attention_overrideable_backward", nullptr, add_typed<Backward, flash_backward>},
  });
  return true;
}();

}  // namespace
}  // namespace flagos

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &flagos::choice)
}  // namespace at::native
