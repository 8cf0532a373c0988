// SPDX-License-Identifier: Apache-2.0
#include "aten/fallback.h"

#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include <memory>
#include <vector>

#include "aten/host_twins.h"
#include "aten/operators.h"
#include "aten/tensor_memory.h"
#include "runtime/device.h"

namespace flagos {
namespace {

at::Tensor to_device(const Operator& op, const at::Tensor& result, const HostTwins& twins) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !result.defined() || (result.layout() == at::kStrided && !result.is_quantized() && !result.is_nested()), op.name,
      ": flagos devices hold dense tensors only, and the result is a ", result.toString(),
      ". Do this step on the CPU: tensor.cpu()");
  return twins.to_device(result);
}

void to_device(const Operator& op, c10::IValue& result, const HostTwins& twins) {
  if (result.isTensor()) {
    result = to_device(op, result.toTensor(), twins);
  } else if (result.isTensorList()) {
    c10::List<at::Tensor> moved;
    for (const at::Tensor& tensor : result.toTensorVector()) moved.push_back(to_device(op, tensor, twins));
    result = std::move(moved);
  }
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

// For an operator that has no formula of its own: not differentiable, and said so where backward() asks. Older torch
// has this for other devices only.
TORCH_LIBRARY_IMPL(_, AutogradPrivateUse1, library) {
  if (!c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(c10::DispatchKey::AutogradPrivateUse1)) {
    library.fallback(torch::autograd::basicAutogradNotImplementedFallback());
  }
}

}  // namespace

void run_on_cpu(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  Operator& op = described(handle);
  TORCH_CHECK_NOT_IMPLEMENTED(
      handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU), op.name,
      " has no kernel for flagos, and none for the CPU, where operators without a kernel for flagos run. Register one: "
      "torch.library.impl(\"",
      op.name, "\", \"PrivateUse1\")");
  const size_t first = stack->size() - op.arguments.size();
  Places places = tensors_of(torch::jit::last(*stack, op.arguments.size()));
  const int tensors_device = common_device(op, places);
  const int device = take_device(*stack, first, tensors_device, !places.empty(), at::kCPU);
  op.fallbacks.fetch_add(1, std::memory_order_relaxed);
  log_dispatch(device, op.name, "fallback, on the CPU over copies");
  const DeviceScope scope(device);

  HostTwins twins(device);
  std::vector<c10::IValue> arguments;  // as the caller passed them
  for (const int argument : op.returned) {
    arguments.push_back(argument == -1 ? c10::IValue() : (*stack)[first + static_cast<size_t>(argument)]);
  }
  copy_lists(*stack, first);
  for (Place& place : places) {
    if (on_device(place.tensor)) place.twin = twins.add(place.tensor);
  }
  twins.read();
  for (const Place& place : places) {
    if (on_device(place.tensor)) put(*stack, first, place, twins.twin(place.twin));
  }
  {
    const auto generator = lend_generator(op, *stack, first, device);
    handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  }
  for (const Place& place : places) {
    if (on_device(place.tensor) && op.arguments[place.argument].written) twins.write_back(place.twin);
  }
  for (size_t i = 0; i < op.returned.size(); ++i) {
    c10::IValue& result = torch::jit::peek(*stack, i, op.returned.size());
    if (op.returned[i] != -1) {
      result = std::move(arguments[i]);
    } else {
      to_device(op, result, twins);
    }
  }
}

std::map<std::string, int64_t> fallback_counts() {
  std::map<std::string, int64_t> named;
  each_operator([&](Operator& op) {
    const int64_t calls = op.fallbacks.load(std::memory_order_relaxed);
    if (calls != 0) named[op.name] += calls;
  });
  return named;
}

void reset_fallback_counts() {
  each_operator([](Operator& op) { op.fallbacks.store(0, std::memory_order_relaxed); });
}

}  // namespace flagos
