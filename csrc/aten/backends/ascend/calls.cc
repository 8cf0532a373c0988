// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <ATen/ops/empty.h>

#include "runtime/stream.h"

namespace flagos::ascend {
namespace {

constexpr aclnnStatus kSuccess = 0;
constexpr aclnnStatus kInvalid =
    161002;  // ACLNN_ERR_PARAM_INVALID: a dtype, size or layout that the function does not take

template <typename T>
Owned<T> owned(T* object, const char* made_by) {
  TORCH_CHECK(object != nullptr, "flagos: ", made_by, " of aclnn failed");
  return Owned<T>(object);
}

}  // namespace

Owned<aclTensor> described(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  const at::IntArrayRef sizes = tensor.sizes(), strides = tensor.strides();
  // The storage's own address is aligned as aclnn wants it, which that of a view need not be.
  const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
  return owned(aclCreateTensor(sizes.data(), sizes.size(), data_type(tensor.scalar_type()), strides.data(),
                               tensor.storage_offset(), ACL_FORMAT_ND, &elements, 1, tensor.storage().mutable_data()),
               "aclCreateTensor");
}

Owned<aclTensorList> described(const std::vector<at::Tensor>& tensors) {
  std::vector<Owned<aclTensor>> made;
  std::vector<const aclTensor*> members;
  for (const at::Tensor& tensor : tensors) {
    made.push_back(described(tensor));
    members.push_back(made.back().get());
  }
  auto list = owned(aclCreateTensorList(members.data(), members.size()), "aclCreateTensorList");
  for (auto& member : made) (void)member.release();  // the list's now
  return list;
}

Owned<aclScalar> described(const at::Scalar& number) {
  if (number.isBoolean()) {
    bool value = number.toBool();
    return owned(aclCreateScalar(&value, ACL_BOOL), "aclCreateScalar");
  }
  if (number.isIntegral(/*includeBool=*/false)) {
    int64_t value = number.toLong();
    return owned(aclCreateScalar(&value, ACL_INT64), "aclCreateScalar");
  }
  double value = number.toDouble();
  return owned(aclCreateScalar(&value, ACL_DOUBLE), "aclCreateScalar");
}

Owned<aclIntArray> described(at::IntArrayRef values) {
  return owned(aclCreateIntArray(values.data(), values.size()), "aclCreateIntArray");
}

bool prepared(const char* function, aclnnStatus status) {
  TORCH_CHECK(status == kSuccess || status == kInvalid, "flagos: ", function, "GetWorkspaceSize failed: ", status);
  return status == kSuccess;
}

void execute(const char* function, Execute* second, uint64_t size, aclOpExecutor* executor, const at::Tensor& result) {
  // Memory that is freed here is given out again in the order of this stream, so the work may still use it.
  at::Tensor workspace;
  if (size != 0) workspace = at::empty({static_cast<int64_t>(size)}, result.options().dtype(at::kByte));
  const Stream_t stream = GetCurrentStream(result.device().index());
  const aclnnStatus status =
      second(size != 0 ? workspace.data_ptr() : nullptr, size, executor, reinterpret_cast<aclrtStream>(stream));
  TORCH_CHECK(status == kSuccess, "flagos: ", function, " failed: ", status);
}

at::IntArrayRef inner_sizes(const at::Tensor& input, const at::Tensor& weight, int64_t elements) {
  const at::IntArrayRef sizes = input.sizes();
  size_t dims = weight.defined() ? static_cast<size_t>(weight.dim()) : 0;
  while (c10::multiply_integers(sizes.slice(sizes.size() - dims)) != elements) ++dims;
  return sizes.slice(sizes.size() - dims);
}

}  // namespace flagos::ascend
