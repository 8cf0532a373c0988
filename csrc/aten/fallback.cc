// SPDX-License-Identifier: Apache-2.0
#include "aten/fallback.h"

#include <ATen/core/Generator.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/convolution_backward_overrideable_ops.h>
#include <ATen/ops/convolution_overrideable_ops.h>
#include <ATen/ops/native_dropout_native.h>
#include <ATen/ops/native_dropout_ops.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "aten/register.h"
#include "runtime/device.h"
#include "runtime/generator.h"

namespace flagos {
namespace {

struct Counts {
  std::mutex mutex;
  std::unordered_map<c10::OperatorName, int64_t> calls;
};

Counts& counts() {
  static auto& all = *new Counts();
  return all;
}

// FLAGOS_TRACE_FALLBACK=1: one line on stderr for each call.
bool tracing() {
  static const bool on = [] {
    const char* value = std::getenv("FLAGOS_TRACE_FALLBACK");
    return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
  }();
  return on;
}

void note(const c10::OperatorName& name) {
  {
    const std::lock_guard<std::mutex> lock(counts().mutex);
    ++counts().calls[name];
  }
  if (tracing()) std::fprintf(stderr, "[flagos fallback] %s\n", c10::toString(name).c_str());
}

// The device of the arguments, -1 if none of them is on one. Two devices in one call are a mistake of the caller that
// the copies to the CPU would hide; lists may mix devices, as they may for PyTorch's own foreach operators.
int device_of_arguments(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  int device = -1;
  const auto arguments = torch::jit::last(stack, schema.arguments().size());
  for (const c10::IValue& argument : arguments) {
    if (!argument.isTensor() || !argument.toTensor().defined() || argument.toTensor().device().type() != kDeviceType) {
      continue;
    }
    const int found = argument.toTensor().device().index();
    TORCH_CHECK(device == -1 || device == found, schema.operator_name(),
                ": expected all tensors to be on the same device, but found at least two devices, flagos:", device,
                " and flagos:", found);
    device = found;
  }
  for (const c10::IValue& argument : arguments) {
    if (device == -1 && argument.isDevice() && argument.toDevice().type() == kDeviceType) {
      device = checked_index(argument.toDevice().index());
    }
  }
  return device;
}

// Lets the CPU kernel draw the numbers of the flagos generator that was passed, or of the device's default one if none
// was.
std::unique_ptr<GeneratorOnCpu> lend_generator(const c10::FunctionSchema& schema, torch::jit::Stack& stack,
                                               int device) {
  std::unique_ptr<GeneratorOnCpu> lent;
  const size_t first = stack.size() - schema.arguments().size();
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const auto optional = schema.arguments()[i].type()->cast<c10::OptionalType>();
    const bool takes_generator = schema.arguments()[i].type()->kind() == c10::TypeKind::GeneratorType ||
                                 (optional && optional->getElementType()->kind() == c10::TypeKind::GeneratorType);
    if (!takes_generator) continue;
    c10::IValue& argument = stack[first + i];
    const at::Generator generator = argument.isGenerator() ? argument.toGenerator() : default_generator(device);
    if (generator.device().type() != kDeviceType) continue;
    lent = std::make_unique<GeneratorOnCpu>(generator);
    argument = lent->cpu();
  }
  return lent;
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  note(op.operator_name());
  const int device = device_of_arguments(op.schema(), *stack);
  const DeviceScope scope(checked_index(device));
  const auto generator = lend_generator(op.schema(), *stack, device);
  // A copy is not a view: better no operator than one whose result no longer shares memory with its input.
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

// ---- convolution: PyTorch has a composite kernel for it that only says "not implemented" ----

at::Tensor to_cpu(const at::Tensor& tensor) { return tensor.defined() ? tensor.cpu() : tensor; }

template <typename Op>
void note_operator() {
  note({Op::name, Op::overload_name});
}

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation,
                       bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  note_operator<at::_ops::convolution_overrideable>();
  const auto cpu_bias = bias.has_value() ? std::make_optional(to_cpu(*bias)) : std::nullopt;
  return at::convolution_symint(to_cpu(input), to_cpu(weight), cpu_bias, stride, padding, dilation, transposed,
                                output_padding, std::move(groups))
      .to(input.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight, c10::SymIntArrayRef stride,
    c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding,
    c10::SymInt groups, std::array<bool, 3> output_mask) {
  note_operator<at::_ops::convolution_backward_overrideable>();
  const c10::SymInt channels = transposed ? weight.sym_size(1) * groups : weight.sym_size(0);
  const auto [grad_input, grad_weight, grad_bias] =
      at::convolution_backward_symint(to_cpu(grad_output), to_cpu(input), to_cpu(weight), c10::SymIntArrayRef(channels),
                                      stride, padding, dilation, transposed, output_padding, groups, output_mask);
  const auto back = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.to(input.device()) : tensor; };
  return {back(grad_input), back(grad_weight), back(grad_bias)};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::convolution_overrideable, convolution>(library);
  add_kernel<at::_ops::convolution_backward_overrideable, convolution_backward>(library);
  // It takes no generator, so on the CPU it would draw the CPU's numbers; run here, its parts draw the device's.
  add_kernel<at::_ops::native_dropout, at::native::native_dropout_cpu>(library);
}

}  // namespace

std::map<std::string, int64_t> fallback_counts() {
  const std::lock_guard<std::mutex> lock(counts().mutex);
  std::map<std::string, int64_t> named;
  for (const auto& [name, calls] : counts().calls) named[c10::toString(name)] = calls;
  return named;
}

void reset_fallback_counts() {
  const std::lock_guard<std::mutex> lock(counts().mutex);
  counts().calls.clear();
}

}  // namespace flagos
