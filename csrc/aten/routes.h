// SPDX-License-Identifier: Apache-2.0
//
// Which operators run a kernel of the target instead of the CPU fallback. Chosen once, when the runtime is loaded:
// registration with PyTorch's dispatcher is the choice, so a call looks nothing up.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "include/flagos.h"

namespace flagos {

// Registers boxed kernels of the target device type ("cpu", "cuda") for operators such as "add.Tensor" (of aten) or
// "mylib::f". Operators that are unknown here at build time get a kernel that works by their schema, at run time.
//
// Returns what is wrong, one text for each operator that could not be registered: all of them, not the first. The
// others are registered. A second call adds to the first. Throws if the target cannot be used at all.
FLAGOS_EXPORT std::vector<std::string> route_operators(const std::vector<std::string>& operators,
                                                       const std::string& target);

// The same with the kernels of a vendor's operator library, libtorch_fl_<library>.so beside this one, and those that it
// has. Throw if it cannot be loaded.
FLAGOS_EXPORT std::vector<std::string> route_to_library(const std::vector<std::string>& operators,
                                                        const std::string& library);
FLAGOS_EXPORT std::vector<std::string> operators_of_library(const std::string& library);

// Every operator that can be routed to the target: one that was compiled or has a kernel for it here, whose kernel for
// the target exists, and for which flagos has no kernel that stays.
FLAGOS_EXPORT std::vector<std::string> routable_operators(const std::string& target);

// Takes all back: operators fall back to the CPU again.
FLAGOS_EXPORT void unroute_operators();

// Those that are registered, as they were named.
FLAGOS_EXPORT std::vector<std::string> routed_operators();

// Runs the operator by its schema, as a boxed kernel does by its type.
void run_on_target(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// ---- kernels of flagos's own that give way ----

using AddKernel = c10::RegistrationHandleRAII (*)(const c10::OperatorName& op);

// What an operator runs that has a kernel for all devices in PyTorch which is wrong here, until it is routed: to a
// target other than the CPU; to any, if it does nothing but fall back.
struct OwnKernel {
  const char* op;              // of aten: "mode.values"
  AddKernel own;               // null: PyTorch's
  AddKernel routed = nullptr;  // null: the boxed kernel
};

// For static initialisers.
void add_own_kernels(std::initializer_list<OwnKernel> kernels);

template <c10::BoxedKernel::BoxedKernelFunction* kernel>
c10::RegistrationHandleRAII add_boxed(const c10::OperatorName& op) {
  return c10::Dispatcher::singleton().registerImpl(op, c10::DispatchKey::PrivateUse1,
                                                   c10::KernelFunction::makeFromBoxedFunction<kernel>(), std::nullopt,
                                                   nullptr, "flagos");
}

// A signature that is not exactly the operator's stops the build here.
template <typename Op, auto kernel>
c10::RegistrationHandleRAII add_typed(const c10::OperatorName& op) {
  static_assert(std::is_same_v<std::remove_pointer_t<decltype(kernel)>, typename Op::schema>,
                "the kernel's signature is not the operator's");
  return c10::Dispatcher::singleton().registerImpl(
      op, c10::DispatchKey::PrivateUse1, c10::KernelFunction::makeFromUnboxedFunction(TORCH_FN(kernel)),
      c10::impl::CppSignature::make<typename Op::schema>(), nullptr, "flagos");
}

}  // namespace flagos
