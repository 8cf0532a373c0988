// SPDX-License-Identifier: Apache-2.0
//
// `parameter.data = tensor` between the CPU and flagos, on which `module.to()` depends to keep its Parameter objects.
#include <ATen/core/Tensor.h>
#include <ATen/ops/_has_compatible_shallow_copy_type_ops.h>

#include "aten/register.h"
#include "runtime/device.h"

namespace flagos {
namespace {

// A plain strided tensor, whose TensorImpl has nothing that another device's would lack.
bool is_plain(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && (tensor.is_cpu() || tensor.device().type() == kDeviceType) &&
         tensor.key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::Dense));
}

bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  return (is_plain(self) && is_plain(from)) ||
         self.unsafeGetTensorImpl()->has_compatible_shallow_copy_type(from.key_set());
}

// Under the keys of this device alone: whichever argument is on it brings them, and other tensors ask PyTorch. The
// operator is composite in PyTorch, hence answered above autograd there, and so here.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  add_kernel<at::_ops::_has_compatible_shallow_copy_type, has_compatible_shallow_copy_type>(library);
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, library) {
  add_kernel<at::_ops::_has_compatible_shallow_copy_type, has_compatible_shallow_copy_type>(library);
}

}  // namespace
}  // namespace flagos
