// SPDX-License-Identifier: Apache-2.0
//
// Registration of hand-written kernels with the type checked by PyTorch's own declaration of the operator.
#pragma once

#include <torch/library.h>

#include <string>
#include <type_traits>

namespace flagos {

// `add_kernel<at::_ops::view, view>(library)`: registers the function `view` as the operator's kernel. A signature that
// is not exactly the operator's stops the build here, with the operator's name in the error.
template <typename Op, auto kernel>
void add_kernel(torch::Library& library) {
  static_assert(std::is_same_v<std::remove_pointer_t<decltype(kernel)>, typename Op::schema>,
                "the kernel's signature is not the operator's");
  std::string name = Op::name;
  if (*Op::overload_name != '\0') name.append(".").append(Op::overload_name);
  library.impl(name.c_str(), TORCH_FN(kernel));
}

}  // namespace flagos
