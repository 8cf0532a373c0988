// SPDX-License-Identifier: Apache-2.0
//
// libopapi: aclnn over the simulated chip. The first stage checks the arguments and makes an executor; the second
// checks what the first was promised, and puts kernels into the stream. Where the real one would read freed memory,
// this one stops and says so.
#include <aclnn/acl_meta.h>
#include <aclnn/declared_operators.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chip.h"
#include "simulated.h"

namespace {

constexpr aclnnStatus kSuccess = 0;
constexpr aclnnStatus kNull = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kRuntimeError = 361001;

using Dims = std::vector<int64_t>;

int64_t count(const Dims& dims) { return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()); }

// What was created and not destroyed.
std::mutex live_mutex;
auto& live = *new std::set<const void*>;  // never destroyed: used until the process ends

template <typename T>
T* created(T* object) {
  const std::lock_guard<std::mutex> lock(live_mutex);
  live.insert(object);
  return object;
}

template <typename T>
aclnnStatus destroyed(const T* object) {
  {
    const std::lock_guard<std::mutex> lock(live_mutex);
    if (object != nullptr && live.erase(object) == 0) assertion_failed("aclnn: destroyed twice, or never created");
  }
  delete object;
  return kSuccess;
}

void require_live(const void* object, const char* what) {
  const std::lock_guard<std::mutex> lock(live_mutex);
  if (live.count(object) == 0) assertion_failed(what);
}

// Whether a call lacks one of these.
bool missing(std::initializer_list<const void*> objects) {
  for (const void* const object : objects) {
    if (object == nullptr) return true;
    require_live(object, "aclnn: the first stage is given what was destroyed");
  }
  return false;
}

}  // namespace

struct aclTensor {
  Dims dims, strides;
  aclDataType type;
  int64_t offset;
  int64_t elements;  // of its storage
  void* storage;
};
struct aclTensorList {
  std::vector<const aclTensor*> tensors;
};
struct aclScalar {
  double value;
};
struct aclIntArray {
  Dims values;
};
struct aclOpExecutor {
  std::string call;
  uint64_t workspace;
  std::vector<const aclTensor*> tensors;
  std::function<std::function<void(char* workspace)>()>
      kernel;  // with the memory as it lies when the second stage comes
  bool used = false;
};

// ---- objects

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
  if (format != ACL_FORMAT_ND || offset < 0) return nullptr;
  const Dims storage(storageDims, storageDims + storageDimsNum);
  return created(new aclTensor{Dims(viewDims, viewDims + viewDimsNum), Dims(stride, stride + viewDimsNum), dataType,
                               offset, count(storage), tensorData});
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return created(new aclTensorList{{value, value + size}});
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  const auto as = [&](auto typed) {
    std::memcpy(&typed, value, sizeof typed);
    return created(new aclScalar{static_cast<double>(typed)});
  };
  switch (dataType) {
    case ACL_BOOL:
      return as(bool{});
    case ACL_FLOAT:
      return as(float{});
    case ACL_DOUBLE:
      return as(double{});
    case ACL_INT64:
      return as(int64_t{});
    default:
      return nullptr;
  }
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return created(new aclIntArray{Dims(value, value + size)});
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) { return destroyed(tensor); }
aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  if (array != nullptr) {
    for (const aclTensor* const tensor : array->tensors) destroyed(tensor);
  }
  return destroyed(array);
}
aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return destroyed(scalar); }
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return destroyed(array); }

// ---- stages

namespace {

// A tensor's elements, as a kernel finds them. Its elements in the order of its dimensions are numbers.
struct View {
  Dims dims, strides;
  bool booleans;
  char* memory;

  int64_t place(int64_t element) const {
    int64_t found = 0;
    for (size_t i = dims.size(); i-- > 0; element /= dims[i]) found += element % dims[i] * strides[i];
    return found;
  }
  double at(int64_t element) const {
    const int64_t found = place(element);
    return booleans ? static_cast<double>(reinterpret_cast<const bool*>(memory)[found])
                    : static_cast<double>(reinterpret_cast<const float*>(memory)[found]);
  }
  void put(int64_t element, double value) const {
    const int64_t found = place(element);
    if (booleans) {
      reinterpret_cast<bool*>(memory)[found] = value != 0;
    } else {
      reinterpret_cast<float*>(memory)[found] = static_cast<float>(value);
    }
  }
  int64_t elements() const { return count(dims); }
  // Seen with the dimensions of another, those of size 1 without a step.
  View as(const Dims& wanted) const {
    View seen{wanted, Dims(wanted.size(), 0), booleans, memory};
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] != 1) seen.strides[i + wanted.size() - dims.size()] = strides[i];
    }
    return seen;
  }
};

View view_of(const aclTensor* tensor) {
  const bool booleans = tensor->type == ACL_BOOL;
  const size_t size = booleans ? sizeof(bool) : sizeof(float);
  char* const storage =
      static_cast<char*>(chip().device_memory(tensor->storage, static_cast<size_t>(tensor->elements) * size));
  if (storage == nullptr) assertion_failed("aclnn: a tensor is not in so much device memory");
  return {tensor->dims, tensor->strides, booleans, storage + static_cast<size_t>(tensor->offset) * size};
}

// Whether aclnn takes them, as far as this simulation goes: float and bool, within their storage.
bool taken(const aclTensor* tensor) {
  if (tensor->type != ACL_FLOAT && tensor->type != ACL_BOOL) return false;
  int64_t last = tensor->offset;
  for (size_t i = 0; i < tensor->dims.size(); ++i)
    last += std::max<int64_t>(tensor->dims[i] - 1, 0) * tensor->strides[i];
  return count(tensor->dims) == 0 || last < tensor->elements;
}

// What a kernel computes: the numbers of its outputs, one after another, of the views of its inputs.
using Compute = std::function<void(const std::vector<View>& inputs, const std::vector<View>& outputs, double* results)>;

aclnnStatus prepare(const char* call, const std::vector<const aclTensor*>& inputs,
                    const std::vector<const aclTensor*>& outputs, Compute compute, uint64_t* workspaceSize,
                    aclOpExecutor** executor) {
  if (workspaceSize == nullptr || executor == nullptr) return kNull;
  std::vector<const aclTensor*> tensors = inputs;
  tensors.insert(tensors.end(), outputs.begin(), outputs.end());
  uint64_t elements = 0;
  for (const aclTensor* const tensor : tensors) {
    if (missing({tensor})) return kNull;
    require_live(tensor, "aclnn: the first stage is given a tensor that was destroyed");
    if (!taken(tensor)) return kInvalid;
  }
  for (const aclTensor* const output : outputs) elements += static_cast<uint64_t>(count(output->dims));
  const size_t of_inputs = inputs.size();
  const auto kernel = [tensors, of_inputs, compute = std::move(compute)]() -> std::function<void(char*)> {
    std::vector<View> in, out;
    for (size_t i = 0; i < tensors.size(); ++i) (i < of_inputs ? in : out).push_back(view_of(tensors[i]));
    // By way of the workspace, so that one which is another's by then does harm.
    return [in, out, compute](char* workspace) {
      auto* results = reinterpret_cast<double*>(workspace);
      compute(in, out, results);
      for (const View& view : out) {
        for (int64_t i = 0; i < view.elements(); ++i) view.put(i, *results++);
      }
    };
  };
  *workspaceSize = std::max<uint64_t>(elements, 1) * sizeof(double);
  *executor = created(new aclOpExecutor{call, *workspaceSize, tensors, kernel});
  return kSuccess;
}

aclnnStatus execute(const char* call, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                    aclrtStream stream) {
  if (executor == nullptr) return kNull;
  require_live(executor, "aclnn: no such executor");
  if (std::exchange(executor->used, true)) assertion_failed("aclnn: an executor is used twice");
  if (executor->call != call) assertion_failed("aclnn: an executor of another function");
  for (const aclTensor* const tensor : executor->tensors) {
    require_live(tensor, "aclnn: a tensor was destroyed before the second stage");
  }
  if (workspaceSize < executor->workspace) return kRuntimeError;
  char* const memory = static_cast<char*>(chip().device_memory(workspace, executor->workspace));
  if (memory == nullptr) assertion_failed("aclnn: the workspace is not so much device memory");
  const Error_t status =
      chip().launch(static_cast<Stream_t>(stream), [kernel = executor->kernel(), memory] { kernel(memory); });
  return status == Success ? kSuccess : kRuntimeError;  // the executor stays, to be recognised
}

// Dimensions that both are broadcast to; false if there are none.
bool broadcast(const Dims& a, const Dims& b, const Dims& wanted) {
  Dims found(std::max(a.size(), b.size()), 1);
  for (const Dims* dims : {&a, &b}) {
    for (size_t i = 0; i < dims->size(); ++i) {
      int64_t& size = found[i + found.size() - dims->size()];
      if ((*dims)[i] == 1) continue;
      if (size != 1 && size != (*dims)[i]) return false;
      size = (*dims)[i];
    }
  }
  return found == wanted;
}

using OfOne = std::function<double(double)>;
using OfTwo = std::function<double(double, double)>;

aclnnStatus prepare_unary(const char* call, const aclTensor* self, const aclTensor* out, OfOne of, uint64_t* size,
                          aclOpExecutor** executor) {
  if (missing({self, out})) return kNull;
  if (self->dims != out->dims) return kInvalid;
  return prepare(
      call, {self}, {out},
      [of](const auto& in, const auto& results, double* to) {
        for (int64_t i = 0; i < results[0].elements(); ++i) *to++ = of(in[0].at(i));
      },
      size, executor);
}

aclnnStatus prepare_binary(const char* call, const aclTensor* self, const aclTensor* other, const aclTensor* out,
                           OfTwo of, uint64_t* size, aclOpExecutor** executor) {
  if (missing({self, other, out})) return kNull;
  if (self->type != other->type || !broadcast(self->dims, other->dims, out->dims)) return kInvalid;
  return prepare(
      call, {self, other}, {out},
      [of](const auto& in, const auto& results, double* to) {
        const View a = in[0].as(results[0].dims), b = in[1].as(results[0].dims);
        for (int64_t i = 0; i < results[0].elements(); ++i) *to++ = of(a.at(i), b.at(i));
      },
      size, executor);
}

float single(double value) { return static_cast<float>(value); }
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

}  // namespace

#define EXECUTE(name)                                                                                      \
  aclnnStatus name(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) { \
    return execute(#name, workspace, workspaceSize, executor, stream);                                     \
  }

// ---- one element after another

#define UNARY(name, computed)                                                                           \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,    \
                                     aclOpExecutor** executor) {                                        \
    return prepare_unary(#name, self, out, [](double x) { return computed; }, workspaceSize, executor); \
  }                                                                                                     \
  EXECUTE(name)
UNARY(aclnnAbs, std::fabs(x))
UNARY(aclnnNeg, -x)
UNARY(aclnnExp, std::exp(x))
UNARY(aclnnLog, std::log(x))
UNARY(aclnnSqrt, std::sqrt(x))
UNARY(aclnnRsqrt, 1 / std::sqrt(x))
UNARY(aclnnReciprocal, 1 / x)
UNARY(aclnnRelu, larger(x, 0))
UNARY(aclnnSigmoid, 1 / (1 + std::exp(-x)))
UNARY(aclnnTanh, std::tanh(x))
UNARY(aclnnSin, std::sin(x))
UNARY(aclnnCos, std::cos(x))
UNARY(aclnnSilu, x / (1 + std::exp(-x)))
UNARY(aclnnErf, std::erf(x))
UNARY(aclnnFloor, std::floor(x))
UNARY(aclnnCeil, std::ceil(x))
UNARY(aclnnGelu, x* std::erfc(-x* M_SQRT1_2) / 2)

#define WITH_NUMBER(name, out_type, computed)                                                                   \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, const aclScalar* number, out_type out,              \
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {                       \
    if (missing({number})) return kNull;                                                                        \
    return prepare_unary(                                                                                       \
        #name, self, out, [b = single(number->value)](double a) { return computed; }, workspaceSize, executor); \
  }                                                                                                             \
  EXECUTE(name)
WITH_NUMBER(aclnnLeakyRelu, aclTensor*, a > 0 ? a : a * b)
WITH_NUMBER(aclnnMuls, aclTensor*, a* b)
WITH_NUMBER(aclnnDivs, aclTensor*, a / b)
WITH_NUMBER(aclnnClampMin, aclTensor*, larger(a, b))
WITH_NUMBER(aclnnPowTensorScalar, const aclTensor*, std::pow(a, b))
WITH_NUMBER(aclnnEqScalar, aclTensor*, a == b)
WITH_NUMBER(aclnnGtScalar, aclTensor*, a > b)

#define WITH_TWO_NUMBERS(name, computed)                                                                        \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, const aclScalar* first, const aclScalar* second,    \
                                     aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {       \
    if (missing({first, second})) return kNull;                                                                 \
    return prepare_unary(                                                                                       \
        #name, self, out, [b = single(first->value), c = single(second->value)](double a) { return computed; }, \
        workspaceSize, executor);                                                                               \
  }                                                                                                             \
  EXECUTE(name)
WITH_TWO_NUMBERS(aclnnAdds, a + static_cast<double>(b) * c)
WITH_TWO_NUMBERS(aclnnSubs, a - static_cast<double>(b) * c)
WITH_TWO_NUMBERS(aclnnClamp, smaller(larger(a, b), c))

#define BINARY(name, computed)                                                                          \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclTensor* out,     \
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {               \
    return prepare_binary(                                                                              \
        #name, self, other, out, [](double a, double b) { return computed; }, workspaceSize, executor); \
  }                                                                                                     \
  EXECUTE(name)
BINARY(aclnnMul, a* b)
BINARY(aclnnDiv, a / b)
BINARY(aclnnMaximum, larger(a, b))
BINARY(aclnnMinimum, smaller(a, b))
BINARY(aclnnEqTensor, a == b)
BINARY(aclnnGtTensor, a > b)
BINARY(aclnnLogicalAnd, a != 0 && b != 0)

#define BINARY_WITH_NUMBER(name, computed)                                                                           \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, const aclTensor* other, const aclScalar* alpha,          \
                                     aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {            \
    if (missing({alpha})) return kNull;                                                                              \
    return prepare_binary(                                                                                           \
        #name, self, other, out, [c = single(alpha->value)](double a, double b) { return computed; }, workspaceSize, \
        executor);                                                                                                   \
  }                                                                                                                  \
  EXECUTE(name)
BINARY_WITH_NUMBER(aclnnAdd, a + b * c)
BINARY_WITH_NUMBER(aclnnSub, a - b * c)

// ---- along dimensions

namespace {

aclnnStatus prepare_reduction(const char* call, const aclTensor* self, const aclIntArray* dim, bool keepDim,
                              const aclTensor* out, double first, OfTwo of, bool mean, uint64_t* size,
                              aclOpExecutor** executor) {
  if (missing({self, dim, out})) return kNull;
  Dims kept = self->dims, result;
  for (const int64_t gone : dim->values) kept[static_cast<size_t>(gone)] = 1;
  if (dim->values.empty()) std::fill(kept.begin(), kept.end(), 1);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (keepDim || std::count(dim->values.begin(), dim->values.end(), static_cast<int64_t>(i)) == 0)
      result.push_back(kept[i]);
  }
  if (result != out->dims && !(dim->values.empty() && count(out->dims) == 1)) return kInvalid;
  return prepare(
      call, {self}, {out},
      [=](const auto& in, const auto& results, double* to) {
        const int64_t sums = results[0].elements(), elements = in[0].elements();
        std::fill_n(to, sums, first);
        Dims steps(kept.size(), 0);
        for (size_t i = kept.size(), step = 1; i-- > 0; step *= static_cast<size_t>(kept[i])) {
          steps[i] = kept[i] == 1 ? 0 : static_cast<int64_t>(step);
        }
        const View sum{in[0].dims, steps, false, nullptr};
        for (int64_t i = 0; i < elements; ++i) to[sum.place(i)] = of(to[sum.place(i)], in[0].at(i));
        if (mean) std::for_each(to, to + sums, [&](double& value) { value /= static_cast<double>(elements / sums); });
      },
      size, executor);
}

aclnnStatus prepare_softmax(const char* call, const aclTensor* self, int64_t dim, const aclTensor* out, bool logarithm,
                            uint64_t* size, aclOpExecutor** executor) {
  if (missing({self, out})) return kNull;
  const auto rank = static_cast<int64_t>(self->dims.size());
  if (self->dims != out->dims || dim < -std::max<int64_t>(rank, 1) || dim >= std::max<int64_t>(rank, 1))
    return kInvalid;
  const auto along = static_cast<size_t>(dim < 0 ? dim + rank : dim);
  return prepare(
      call, {self}, {out},
      [=](const auto& in, const auto&, double* to) {
        const Dims& dims = in[0].dims;
        const int64_t length = dims.empty() ? 1 : dims[along];
        const int64_t inner =
            dims.empty() ? 1 : count(Dims(dims.begin() + static_cast<int64_t>(along) + 1, dims.end()));
        for (int64_t row = 0; row < in[0].elements() / length; ++row) {
          const int64_t begin = row / inner * inner * length + row % inner;
          double most = -HUGE_VAL, sum = 0;
          for (int64_t i = 0; i < length; ++i) most = larger(most, in[0].at(begin + i * inner));
          for (int64_t i = 0; i < length; ++i) sum += std::exp(in[0].at(begin + i * inner) - most);
          for (int64_t i = 0; i < length; ++i) {
            const double value = in[0].at(begin + i * inner) - most - std::log(sum);
            to[begin + i * inner] = logarithm ? value : std::exp(value);
          }
        }
      },
      size, executor);
}

}  // namespace

aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims, bool keepDims,
                                           aclDataType dtype, aclTensor* out, uint64_t* workspaceSize,
                                           aclOpExecutor** executor) {
  if (out != nullptr && dtype != out->type) return kInvalid;
  return prepare_reduction("aclnnReduceSum", self, dims, keepDims, out, 0, std::plus<>(), false, workspaceSize,
                           executor);
}
EXECUTE(aclnnReduceSum)

aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype,
                                      aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  if (out != nullptr && dtype != out->type) return kInvalid;
  return prepare_reduction("aclnnMean", self, dim, keepDim, out, 0, std::plus<>(), true, workspaceSize, executor);
}
EXECUTE(aclnnMean)

aclnnStatus aclnnAmaxGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return prepare_reduction("aclnnAmax", self, dim, keepDim, out, -HUGE_VAL, larger, false, workspaceSize, executor);
}
EXECUTE(aclnnAmax)

aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out, uint64_t* workspaceSize,
                                         aclOpExecutor** executor) {
  return prepare_softmax("aclnnSoftmax", self, dim, out, false, workspaceSize, executor);
}
EXECUTE(aclnnSoftmax)

aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return prepare_softmax("aclnnLogSoftmax", self, dim, out, true, workspaceSize, executor);
}
EXECUTE(aclnnLogSoftmax)

aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList* tensors, int64_t dim, aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  if (missing({tensors, out})) return kNull;
  if (dim < 0 || dim >= static_cast<int64_t>(out->dims.size())) return kInvalid;
  return prepare(
      "aclnnCat", tensors->tensors, {out},
      [dim](const auto& in, const auto& results, double* to) {
        const Dims& dims = results[0].dims;
        const int64_t outer = count(Dims(dims.begin(), dims.begin() + dim));
        for (int64_t row = 0; row < outer; ++row) {
          for (const View& part : in) {
            const int64_t length = part.elements() / outer;
            for (int64_t i = 0; i < length; ++i) *to++ = part.at(row * length + i);
          }
        }
      },
      workspaceSize, executor);
}
EXECUTE(aclnnCat)

// ---- products and normalisation

namespace {

// beta * base + alpha * (a @ b), of matrices or batches of them.
Compute product(double beta, double alpha, bool has_base) {
  return [=](const auto& in, const auto& results, double* to) {
    const View &a = in[0], &b = in[1];
    const int64_t m = a.dims[a.dims.size() - 2], k = a.dims.back(), n = b.dims.back();
    for (int64_t i = 0; i < results[0].elements(); ++i) {
      const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
      double sum = 0;
      for (int64_t at = 0; at < k; ++at) sum += a.at((batch * m + row) * k + at) * b.at((batch * k + at) * n + column);
      to[i] = alpha * sum;
      if (has_base && beta != 0) to[i] += beta * in[2].as(results[0].dims).at(i);
    }
  };
}

bool multiply(const aclTensor* a, const aclTensor* b, const aclTensor* out) {
  const size_t rank = a->dims.size();
  if (rank < 2 || b->dims.size() != rank || out->dims.size() != rank || a->dims.back() != b->dims[rank - 2])
    return false;
  return out->dims[rank - 2] == a->dims[rank - 2] && out->dims.back() == b->dims.back();
}

}  // namespace

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor* self, const aclTensor* mat2, aclTensor* out,
                                        int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor) {
  if (missing({self, mat2, out})) return kNull;
  if (cubeMathType != 0 || !multiply(self, mat2, out)) return kInvalid;
  return prepare("aclnnMatmul", {self, mat2}, {out}, product(0, 1, false), workspaceSize, executor);
}
EXECUTE(aclnnMatmul)

aclnnStatus aclnnAddmmGetWorkspaceSize(const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
                                       const aclScalar* beta, const aclScalar* alpha, aclTensor* out,
                                       int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor) {
  if (missing({self, mat1, mat2, beta, alpha, out})) return kNull;
  if (cubeMathType != 0 || !multiply(mat1, mat2, out) || !broadcast(self->dims, out->dims, out->dims)) return kInvalid;
  return prepare("aclnnAddmm", {mat1, mat2, self}, {out}, product(beta->value, alpha->value, true), workspaceSize,
                 executor);
}
EXECUTE(aclnnAddmm)

aclnnStatus aclnnLayerNormGetWorkspaceSize(const aclTensor* input, const aclIntArray* normalizedShape,
                                           const aclTensor* weightOptional, const aclTensor* biasOptional, double eps,
                                           aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  if (missing({input, normalizedShape, out, meanOutOptional, rstdOutOptional})) {
    return kNull;
  }
  const Dims inner = normalizedShape->values;
  for (const aclTensor* const given : {weightOptional, biasOptional}) {
    if (given != nullptr && given->dims != inner) return kInvalid;
  }
  std::vector<const aclTensor*> inputs{input};
  if (weightOptional != nullptr) inputs.push_back(weightOptional);
  if (biasOptional != nullptr) inputs.push_back(biasOptional);
  const bool scales = weightOptional != nullptr, shifts = biasOptional != nullptr;
  return prepare(
      "aclnnLayerNorm", inputs, {out, meanOutOptional, rstdOutOptional},
      [=](const auto& in, const auto&, double* to) {
        const int64_t length = count(inner), elements = in[0].elements(), rows = elements / length;
        for (int64_t row = 0; row < rows; ++row) {
          double mean = 0, variance = 0;
          for (int64_t i = 0; i < length; ++i) mean += in[0].at(row * length + i) / static_cast<double>(length);
          for (int64_t i = 0; i < length; ++i)
            variance += std::pow(in[0].at(row * length + i) - mean, 2) / static_cast<double>(length);
          const double rstd = 1 / std::sqrt(variance + eps);
          for (int64_t i = 0; i < length; ++i) {
            const double factor = scales ? in[1].at(i) : 1, more = shifts ? in.back().at(i) : 0;
            to[row * length + i] = (in[0].at(row * length + i) - mean) * rstd * factor + more;
          }
          to[elements + row] = mean;
          to[elements + rows + row] = rstd;
        }
      },
      workspaceSize, executor);
}
EXECUTE(aclnnLayerNorm)
