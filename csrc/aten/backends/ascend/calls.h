// SPDX-License-Identifier: Apache-2.0
//
// aclnn's calling convention: a call in two stages. The first is given descriptions of all tensors and numbers and says
// how much workspace the second wants; the second puts the work into a stream. One function for each order of
// arguments; generated kernels choose among them by category.
//
// `result` has the size of the operator's result, no gaps, and is written whole. Tensors are of one flagos device, and
// lie as they lie: aclnn takes strides and broadcasts. All return false, and have written nothing, if aclnn refuses
// such a call.
#pragma once

#include <ATen/core/Tensor.h>
#include <aclnn/acl_meta.h>
#include <c10/core/DeviceGuard.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "aten/native.h"

namespace flagos::ascend {

constexpr const char* kLibrary = "ascend";

// aclnn's word for a dtype; ACL_DT_UNDEFINED if it has none here. From the table.
aclDataType data_type(at::ScalarType dtype);

// ---- functions ----

using Execute = aclnnStatus(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream);

template <typename Prepare>
struct Function {
  const char* name;
  Prepare* prepare;
  Execute* execute;
};
#define ACLNN(name) \
  (::flagos::ascend::Function<decltype(name##GetWorkspaceSize)>{#name, &name##GetWorkspaceSize, &name})

// ---- what a call is described with ----

struct Destroy {
  void operator()(const aclTensor* tensor) const { aclDestroyTensor(tensor); }
  void operator()(const aclTensorList* tensors) const { aclDestroyTensorList(tensors); }  // and those in it
  void operator()(const aclScalar* scalar) const { aclDestroyScalar(scalar); }
  void operator()(const aclIntArray* values) const { aclDestroyIntArray(values); }
};
template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

Owned<aclTensor> described(const at::Tensor& tensor);  // null if there is none
Owned<aclTensorList> described(const std::vector<at::Tensor>& tensors);
Owned<aclScalar> described(const at::Scalar& number);
Owned<aclIntArray> described(at::IntArrayRef values);
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
T described(T value) {
  return value;
}

template <typename T>
T* raw(const Owned<T>& object) {
  return object.get();
}
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
T raw(T value) {
  return value;
}

// ---- calls ----

// False if aclnn refuses the arguments. Throws for any other failure.
bool prepared(const char* function, aclnnStatus status);
// Gives the work to the current stream of the result's device, with workspace of flagos memory.
void execute(const char* function, Execute* second, uint64_t size, aclOpExecutor* executor, const at::Tensor& result);

// `arguments` are all of the first stage's, the result among them.
template <typename Prepare, typename... Arguments>
bool call(const Function<Prepare>& function, const at::Tensor& result, const Arguments&... arguments) {
  const c10::DeviceGuard guard(result.device());
  const auto objects = std::make_tuple(described(arguments)...);  // the second stage still needs them
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status =
      std::apply([&](const auto&... object) { return function.prepare(raw(object)..., &size, &executor); }, objects);
  if (!prepared(function.name, status)) return false;
  execute(function.name, function.execute, size, executor, result);
  return true;
}

// ---- element by element; `more` is what stands between the inputs and the result ----

template <typename Prepare, typename... More>
bool unary(const at::Tensor& result, const at::Tensor& self, const Function<Prepare>& function, const More&... more) {
  return result.numel() == 0 || call(function, result, self, more..., result);
}

template <typename Prepare, typename... More>
bool binary(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const Function<Prepare>& function,
            const More&... more) {
  return result.numel() == 0 || call(function, result, a, b, more..., result);
}

template <typename Prepare>
bool binary_number(const at::Tensor& result, const at::Tensor& self, double number, const Function<Prepare>& function) {
  return result.numel() == 0 || call(function, result, self, at::Scalar(number), result);
}

// ---- along dimensions ----

// `result` has the size of `self` with 1 for those, or without them.
template <typename Prepare>
bool reduce(const at::Tensor& result, const at::Tensor& self, at::IntArrayRef dims, const Function<Prepare>& function) {
  if (result.numel() == 0) return true;
  if (self.numel() == 0) return false;
  const bool keeps = result.dim() == self.dim();
  constexpr bool names_dtype = std::is_invocable_v<Prepare, const aclTensor*, const aclIntArray*, bool, aclDataType,
                                                   aclTensor*, uint64_t*, aclOpExecutor**>;
  if constexpr (names_dtype) {
    return call(function, result, self, dims, keeps, data_type(result.scalar_type()), result);
  } else {
    return call(function, result, self, dims, keeps, result);
  }
}

template <typename Prepare>
bool softmax(const at::Tensor& result, const at::Tensor& self, int64_t dim, const Function<Prepare>& function) {
  return result.numel() == 0 || call(function, result, self, dim, result);
}

template <typename Prepare>
bool concat(const at::Tensor& result, const std::vector<at::Tensor>& tensors, int64_t dim,
            const Function<Prepare>& function) {
  return call(function, result, tensors, dim, result);
}

// ---- products of matrices ----

// Computes in the dtype of the operands.
constexpr int8_t kKeepDtype = 0;

template <typename Prepare>
bool matmul(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const Function<Prepare>& function) {
  if (result.numel() == 0) return true;
  return a.numel() != 0 && call(function, result, a, b, result, kKeepDtype);
}

// beta * self + alpha * (a @ b), `self` broadcast.
template <typename Prepare>
bool matmul_add(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, double beta,
                double alpha, const Function<Prepare>& function) {
  if (result.numel() == 0) return true;
  return a.numel() != 0 && call(function, result, self, a, b, at::Scalar(beta), at::Scalar(alpha), result, kKeepDtype);
}

// ---- normalisation; tensors that are not there are undefined ----

// The last dimensions of `input`, which hold so many elements.
at::IntArrayRef inner_sizes(const at::Tensor& input, const at::Tensor& weight, int64_t elements);

template <typename Prepare>
bool layer_norm(const at::Tensor& result, const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& input,
                const at::Tensor& weight, const at::Tensor& bias, int64_t inner, double eps,
                const Function<Prepare>& function) {
  if (result.numel() == 0) return mean.numel() == 0;
  return call(function, result, input, inner_sizes(input, weight.defined() ? weight : bias, inner), weight, bias, eps,
              result, mean, rstd);
}

}  // namespace flagos::ascend
