// SPDX-License-Identifier: Apache-2.0
//
// From the contract's error codes to PyTorch's exceptions.
#pragma once

#include <c10/macros/Macros.h>

#include "runtime/loader.h"

namespace flagos {

// The contract's name of a code, "unknown code" for a number that it does not have.
const char* error_name(Error_t code) noexcept;

// Throws what a failed call means: c10::OutOfMemoryError for ErrorMemoryAllocation, else c10::Error. The text has the
// function, the code and the vendor's own text.
[[noreturn]] void raise(Error_t code, const char* function);

// `check(runtime().Free(p), "Free")`: returns on Success, else raises.
inline void check(Error_t code, const char* function) {
  if (C10_UNLIKELY(code != Success)) raise(code, function);
}

}  // namespace flagos
