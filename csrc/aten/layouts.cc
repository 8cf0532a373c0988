// SPDX-License-Identifier: Apache-2.0
//
// Flagos devices hold dense, strided tensors. An operator of another layout that PyTorch cannot express through its
// dense parts ends here, instead of in PyTorch's list of every backend that has the operator.
#include <torch/library.h>

namespace {

// Arrays of characters, because a template cannot take a string.
constexpr char kSparse[] = "sparse";
constexpr char kQuantized[] = "quantized";
constexpr char kNested[] = "nested";

template <const char* layout>
void refuse(const c10::OperatorHandle& op, torch::jit::Stack*) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, op.operator_name(),
                              ": flagos devices hold dense tensors only, and this call has or makes a ", layout,
                              " one. Do this step on the CPU, tensor.cpu(), or with a dense tensor, such as ",
                              "tensor.to_dense() or tensor.dequantize() makes");
}

TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<kSparse>>());
}

TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<kSparse>>());
}

TORCH_LIBRARY_IMPL(_, QuantizedPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<kQuantized>>());
}

TORCH_LIBRARY_IMPL(_, NestedTensorPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<kNested>>());
}

}  // namespace
