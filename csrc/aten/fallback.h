// SPDX-License-Identifier: Apache-2.0
//
// Operators without a flagos kernel run on the CPU: arguments are copied there, results and mutated arguments back. It
// is correct and slow, and it is counted, so that nobody takes it for device work.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <map>
#include <string>

#include "include/flagos.h"

namespace flagos {

// Calls since the last reset, by operator ("aten::add.Tensor"). Any thread.
FLAGOS_EXPORT std::map<std::string, int64_t> fallback_counts();
FLAGOS_EXPORT void reset_fallback_counts();

// Runs the operator with the arguments on the stack, which the results replace. This is the kernel of every operator
// that has no other.
FLAGOS_EXPORT void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace flagos
