// SPDX-License-Identifier: Apache-2.0
//
// Which operators run a kernel of the target instead of the CPU fallback. Chosen once, when the runtime is loaded:
// registration with PyTorch's dispatcher is the choice, so a call looks nothing up.
#pragma once

#include <string>
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

// Takes all back: operators fall back to the CPU again.
FLAGOS_EXPORT void unroute_operators();

// Those that are registered, as they were named.
FLAGOS_EXPORT std::vector<std::string> routed_operators();

}  // namespace flagos
