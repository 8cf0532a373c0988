// SPDX-License-Identifier: Apache-2.0
//
// For kernels that call a vendor's operator library: which calls it may take, where its results go, and the way to the
// CPU for the others. Generated code (csrc/aten/backends/<library>/kernels.cc) and the library's own layer use it.
//
// All of it belongs to the calling thread. Functions throw c10::Error.
#pragma once

#include <ATen/core/IListRef.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/fallback.h"
#include "aten/kernel_table.h"
#include "include/flagos.h"

namespace flagos {

// Tensors by address: they live as long as the call.
using TensorRefs = c10::ArrayRef<const at::Tensor*>;

// Whether a library's kernel may run on these: dense tensors of one flagos device, of one of the dtypes, none of which
// has more elements than a 32-bit number counts. A tensor that is not defined is no objection.
FLAGOS_EXPORT bool fit(TensorRefs tensors, std::initializer_list<at::ScalarType> dtypes);

// ---- sizes of results. False, or nothing, where there is none: the CPU then says why ----

FLAGOS_EXPORT bool broadcast_sizes(at::IntArrayRef a, at::IntArrayRef b, at::DimVector& sizes);
FLAGOS_EXPORT bool expandable(at::IntArrayRef from, at::IntArrayRef to);
// Whether each factor that is given is the ratio of the two sizes behind batch and channels.
FLAGOS_EXPORT bool are_ratios(std::initializer_list<std::optional<double>> factors, at::IntArrayRef from,
                              at::IntArrayRef to);
FLAGOS_EXPORT bool has_dim(const at::Tensor& tensor, int64_t dim);
// No dimensions are all of them.
FLAGOS_EXPORT bool reduced_sizes(const at::Tensor& self, at::OptionalIntArrayRef reduced, bool keepdim,
                                 at::DimVector& dims, at::DimVector& sizes);
// The parts that have elements, and what they are side by side.
FLAGOS_EXPORT bool concatenated(const at::ITensorListRef& tensors, int64_t dim, std::vector<at::Tensor>& parts,
                                at::DimVector& sizes);

// What a convolution or a pooling looks at: one number for each dimension that it moves along.
struct Window {
  at::DimVector kernel, stride, padding, dilation;
  bool transposed = false;
  int64_t groups = 1;
};
FLAGOS_EXPORT Window convolution_window(const at::Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding,
                                        at::IntArrayRef dilation, bool transposed, int64_t groups);
FLAGOS_EXPORT at::DimVector convolution_sizes(const at::Tensor& input, const at::Tensor& weight, const Window& window,
                                              at::IntArrayRef output_padding);
// One number stands for all; no stride is the kernel's.
FLAGOS_EXPORT Window pooling_window(size_t dims, at::IntArrayRef kernel, at::IntArrayRef stride,
                                    at::IntArrayRef padding);
FLAGOS_EXPORT at::DimVector pooling_sizes(const at::Tensor& input, const Window& window);

// ---- numbers ----

// The number that a CPU tensor without dimensions stands for, where the result has the dtype of `self` all the same.
FLAGOS_EXPORT std::optional<double> number_in(const at::Tensor& number, const at::Tensor& self);

// Everything that the device's current stream was given is done: for a library that computes on the host.
FLAGOS_EXPORT void finish_stream(const at::Tensor& on_device);

// One result of a call: a new tensor, the one that `out=` names, or the argument that is changed in place.
class FLAGOS_EXPORT Result {
 public:
  Result() = default;
  Result(const at::Tensor& given, bool in_place) : given_(&given), in_place_(in_place) {}

  // Makes a place for a result of that size and dtype beside the inputs. `elementwise`: each element of the result is
  // computed from those at the same place, so it may be written where an input lies. False if what was given cannot
  // take it, which the CPU then says. New memory lies as the first input does, if that has the same size and no gaps.
  bool prepare(at::IntArrayRef sizes, at::ScalarType dtype, TensorRefs inputs, bool elementwise);

  // Where the library writes: without gaps, and it shares memory with no input but one that it may overwrite.
  const at::Tensor& tensor() const { return place_; }

  // The caller's result, when the library has written.
  const at::Tensor& finish() const;

 private:
  const at::Tensor* given_ = nullptr;
  bool in_place_ = false;
  at::Tensor place_;
};

// With FLAGOS_LOG_DISPATCH=1, says which library's kernel ran.
FLAGOS_EXPORT void log_native(const char* name, const char* overload, const char* library, const at::Tensor& result);

// The way to the CPU, as every operator without a kernel goes it: over copies, counted.
template <typename Op, typename Schema = typename Op::schema>
struct OnCpu;
template <typename Op, typename R, typename... A>
struct OnCpu<Op, R(A...)> {
  static R call(A... arguments) {
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name).template typed<R(A...)>();
    return c10::impl::BoxedKernelWrapper<R(A...)>::call(c10::BoxedKernel::makeFromFunction<&run_on_cpu>(), op,
                                                        c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                                        std::forward<A>(arguments)...);
  }
};

// A signature that is not exactly the operator's stops the build here.
template <typename Op, auto kernel>
c10::RegistrationHandleRAII add_native_kernel() {
  static_assert(std::is_same_v<std::remove_pointer_t<decltype(kernel)>, typename Op::schema>,
                "the kernel's signature is not the operator's");
  return c10::Dispatcher::singleton().registerImpl({Op::name, Op::overload_name}, c10::DispatchKey::PrivateUse1,
                                                   c10::KernelFunction::makeFromUnboxedFunction(TORCH_FN(kernel)),
                                                   c10::impl::CppSignature::make<typename Op::schema>(), nullptr,
                                                   "flagos: native");
}

}  // namespace flagos
