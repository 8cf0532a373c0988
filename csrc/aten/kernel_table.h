// SPDX-License-Identifier: Apache-2.0
//
// How a library of compiled kernels offers them: a function `flagos_kernel(n)` that returns the n-th row of its table,
// null behind the last. It is the library's only export.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace flagos {

// An operator and how its kernel is registered for flagos. Registration lasts as long as the handle.
struct CompiledKernel {
  const char* name;      // "aten::add"
  const char* overload;  // "Tensor", or empty
  c10::RegistrationHandleRAII (*add)();
};

constexpr const char* kKernelTable = "flagos_kernel";
using KernelTable = const CompiledKernel*(size_t number);

}  // namespace flagos
