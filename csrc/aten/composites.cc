// SPDX-License-Identifier: Apache-2.0
//
// Operators that the general fallback cannot serve: PyTorch calls them only for devices other than the CPU, or their
// CPU kernel does something else. They are made of other operators where that is possible, so that a vendor's kernels
// for those are used.
#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_efficientzerotensor_ops.h>
#include <ATen/ops/_thnn_fused_gru_cell_backward_ops.h>
#include <ATen/ops/_thnn_fused_gru_cell_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_backward_impl_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_ops.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/native_dropout_native.h>
#include <ATen/ops/native_dropout_ops.h>
#include <ATen/ops/zeros_like.h>

#include "aten/boxing.h"
#include "aten/fallback.h"
#include "aten/register.h"
#include "aten/routes.h"
#include "runtime/device.h"

namespace flagos {
namespace {

// ---- convolution: others have it under the name of the general operator ----

using Run = void (*)(const c10::OperatorHandle&, torch::jit::Stack*);

c10::OperatorHandle find(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

// The general operator tells its own name; a route is under the other.
template <Run run>
void tell(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  if constexpr (run == &run_on_target) {
    const at::Tensor& first = torch::jit::peek(stack, 0, op.schema().arguments().size()).toTensor();
    log_target(first.device().index(), op.operator_name());
  }
}

template <Run run>
void convolution(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  static const c10::OperatorHandle general = find("aten::convolution");
  tell<run>(op, *stack);
  run(general, stack);
}

template <Run run>
void convolution_backward(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  static const c10::OperatorHandle general = find("aten::convolution_backward");
  tell<run>(op, *stack);
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  const at::Tensor& weight = arguments[2].toTensor();
  const bool transposed = arguments[6].toBool();
  const c10::SymInt channels = transposed ? weight.sym_size(1) * arguments[8].toSymInt() : weight.sym_size(0);
  // The general operator has the size of the bias in addition, after the weight.
  stack->insert(stack->end() - static_cast<std::ptrdiff_t>(arguments.size()) + 3, std::vector<c10::SymInt>{channels});
  run(general, stack);
}

// ---- cells of recurrent networks ----

at::Tensor with_bias(const at::Tensor& gates, const std::optional<at::Tensor>& bias) {
  return bias.has_value() && bias->defined() ? gates + *bias : gates;
}

// The workspace is the four gates after their activation, side by side: input, forget, cell, output.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const std::optional<at::Tensor>& input_bias,
                                                         const std::optional<at::Tensor>& hidden_bias) {
  const auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  const at::Tensor in = gates[0].sigmoid();
  const at::Tensor forget = gates[1].sigmoid();
  const at::Tensor cell = gates[2].tanh();
  const at::Tensor out = gates[3].sigmoid();
  const at::Tensor cy = forget * cx + in * cell;
  return {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(const std::optional<at::Tensor>& grad_hy,
                                                                  const std::optional<at::Tensor>& grad_cy,
                                                                  const at::Tensor& cx, const at::Tensor& cy,
                                                                  const at::Tensor& workspace, bool has_bias) {
  const bool has_grad_hy = grad_hy.has_value() && grad_hy->defined();
  const bool has_grad_cy = grad_cy.has_value() && grad_cy->defined();
  if (!has_grad_hy && !has_grad_cy) return {};
  const auto gates = workspace.chunk(4, 1);
  const at::Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const at::Tensor tanh_cy = cy.tanh();
  at::Tensor grad_out = at::zeros_like(cy);
  at::Tensor grad_cell_state = has_grad_cy ? *grad_cy : at::zeros_like(cy);
  if (has_grad_hy) {
    grad_out = *grad_hy * tanh_cy;
    grad_cell_state = grad_cell_state + *grad_hy * out * (1 - tanh_cy * tanh_cy);
  }
  const at::Tensor grad_gates = at::cat({grad_cell_state * cell * in * (1 - in),        //
                                         grad_cell_state * cx * forget * (1 - forget),  //
                                         grad_cell_state * in * (1 - cell * cell),      //
                                         grad_out * out * (1 - out)},
                                        1);
  return {grad_gates, grad_cell_state * forget, has_bias ? grad_gates.sum(0) : at::Tensor()};
}

// The workspace is reset, update and new gate, the old state, and what the state brings to the new gate, side by side.
std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                            const at::Tensor& hx, const std::optional<at::Tensor>& input_bias,
                                            const std::optional<at::Tensor>& hidden_bias) {
  const auto input = with_bias(input_gates, input_bias).chunk(3, 1);
  const auto hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const at::Tensor reset = (input[0] + hidden[0]).sigmoid();
  const at::Tensor update = (input[1] + hidden[1]).sigmoid();
  const at::Tensor fresh = (input[2] + reset * hidden[2]).tanh();
  return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, hidden[2]}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(const at::Tensor& grad_hy,
                                                                                         const at::Tensor& workspace,
                                                                                         bool has_bias) {
  const auto kept = workspace.chunk(5, 1);
  const at::Tensor &reset = kept[0], &update = kept[1], &fresh = kept[2], &hx = kept[3], &hidden = kept[4];
  const at::Tensor grad_fresh = grad_hy * (1 - update) * (1 - fresh * fresh);
  const at::Tensor grad_update = grad_hy * (hx - fresh) * update * (1 - update);
  const at::Tensor grad_reset = grad_fresh * hidden * reset * (1 - reset);
  const at::Tensor grad_input_gates = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const at::Tensor grad_hidden_gates = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  return {grad_input_gates, grad_hidden_gates, grad_hy * update, has_bias ? grad_input_gates.sum(0) : at::Tensor(),
          has_bias ? grad_hidden_gates.sum(0) : at::Tensor()};
}

// ---- zeros without memory, which forward-mode differentiation uses ----

at::Tensor zeros_without_memory(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                                std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  at::native::ZeroTensorAllocator allocator(make_device(checked_index(device.has_value() ? device->index() : -1)));
  const c10::DispatchKeySet keys =
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1) | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor);
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &allocator, keys, c10::dtype_or_default(dtype),
                                   std::nullopt);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::_efficientzerotensor, zeros_without_memory>(library);
}

const bool added = [] {
  add_own_kernels({
      {"convolution_overrideable", add_boxed<&convolution<run_on_cpu>>, add_boxed<&convolution<run_on_target>>},
      {"convolution_backward_overrideable", add_boxed<&convolution_backward<run_on_cpu>>,
       add_boxed<&convolution_backward<run_on_target>>},
      // PyTorch's kernels of these for other devices: one only says that there is none, the others lose digits.
      {"mode", add_boxed<&run_on_cpu>},
      {"mode.values", add_boxed<&run_on_cpu>},
      {"native_group_norm", add_boxed<&run_on_cpu>},  // theirs takes contiguous tensors only
      {"native_layer_norm", add_boxed<&run_on_cpu>},
      {"native_layer_norm_backward", add_boxed<&run_on_cpu>},
      {"_thnn_fused_lstm_cell", add_typed<at::_ops::_thnn_fused_lstm_cell, lstm_cell>},
      {"_thnn_fused_lstm_cell_backward_impl",
       add_typed<at::_ops::_thnn_fused_lstm_cell_backward_impl, lstm_cell_backward>},
      {"_thnn_fused_gru_cell", add_typed<at::_ops::_thnn_fused_gru_cell, gru_cell>},
      {"_thnn_fused_gru_cell_backward", add_typed<at::_ops::_thnn_fused_gru_cell_backward, gru_cell_backward>},
      // It takes no generator, so on the CPU it would draw the CPU's numbers; run here, its parts draw the device's.
      {"native_dropout", add_typed<at::_ops::native_dropout, at::native::native_dropout_cpu>},
  });
  return true;
}();

}  // namespace
}  // namespace flagos
