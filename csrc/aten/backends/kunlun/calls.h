// SPDX-License-Identifier: Apache-2.0
//
// XDNN's calling convention: one call of a template, on a context that has the stream, over pointers and sizes. One
// function for each way of calling; generated kernels choose among them by category.
//
// `result` has the size of the operator's result, no gaps, and is written whole. Tensors are of one flagos device. All
// return false, and have written nothing that counts, if XDNN refuses such a call.
#pragma once

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <xpu/xdnn.h>

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/native.h"

namespace flagos::kunlun {

namespace api = ::baidu::xpu::api;

constexpr const char* kLibrary = "kunlun";

using Sizes = std::vector<int64_t>;

// ---- functions ----

template <typename... T>
struct Types {};

// A function of XDNN, by any of the types that it is called for.
template <typename F, typename... T>
struct Function {
  const char* name;
  F call;
};

template <typename F, typename... T>
constexpr Function<F, T...> function_for(Types<T...>, const char* name, F call) {
  return {name, call};
}

// A template of functions has no address: XDNN((float), abs)
#define XDNN_TYPES(...) ::flagos::kunlun::Types<__VA_ARGS__>()
#define XDNN(types, ...)                                                                       \
  ::flagos::kunlun::function_for(                                                              \
      XDNN_TYPES types, #__VA_ARGS__,                                                          \
      [](const auto&... arguments) -> decltype(::baidu::xpu::api::__VA_ARGS__(arguments...)) { \
        return ::baidu::xpu::api::__VA_ARGS__(arguments...);                                   \
      })

// Calls `body` with a value of the C++ type of that dtype, if it is one of the function's. `&&` of what it returns.
template <typename F, typename... T, typename Body>
bool typed(const Function<F, T...>&, at::ScalarType dtype, Body body) {
  return ((c10::CppTypeToScalarType<T>::value == dtype && body(T{})) || ...);
}

// ---- calls ----

// The device of the result is current, and the context is that of its stream, as long as this lives.
class Call {
 public:
  explicit Call(const at::Tensor& result);

  // True if XDNN has taken the call. Throws where it has failed.
  template <typename F, typename... T, typename... Arguments>
  bool operator()(const Function<F, T...>& function, const Arguments&... arguments) const {
    return taken(function.name, function.call(context_, arguments...));
  }

 private:
  static bool taken(const char* function, int status);

  c10::DeviceGuard guard_;
  api::Context* context_;
};

template <typename T>
const T* in(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<const T*>(tensor.data_ptr()) : nullptr;
}
template <typename T>
T* out(const at::Tensor& tensor) {
  return static_cast<T*>(tensor.data_ptr());
}

// No dimensions are one of size 1.
Sizes sizes_of(const at::Tensor& tensor);
// The tensor itself, or its elements in new memory, as XDNN takes them. Not defined if XDNN cannot move them.
at::Tensor dense(const at::Tensor& tensor);
// A tensor without dimensions. Not defined if XDNN cannot make it.
at::Tensor constant(double value, const at::Tensor& like);

// The order of dimensions in which a tensor without gaps is dense.
class Order {
 public:
  explicit Order(const at::Tensor& result);
  // Seen in that order, with dimensions of size 1 in front if there are fewer.
  at::Tensor operator()(const at::Tensor& tensor) const;

 private:
  at::DimVector dims_;
};

// Where XDNN writes a result whose order of dimensions matters: the result, or memory that is copied there.
class Written {
 public:
  explicit Written(const at::Tensor& result);
  const at::Tensor& tensor() const { return place_; }
  bool finish(bool taken) const;

 private:
  const at::Tensor& result_;
  at::Tensor place_;
};

// ---- element by element ----

template <typename F, typename... T, typename... Extra>
bool unary(const at::Tensor& result, const at::Tensor& self, const Function<F, T...>& function, Extra... extra) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const Order order(result);
  const at::Tensor x = dense(order(self)), y = order(result);
  return x.defined() && typed(function, self.scalar_type(),
                              [&]<typename E>(E) { return call(function, in<E>(x), out<E>(y), y.numel(), extra...); });
}

// `data` is the forward's input, or its output where the function computes with that.
template <typename F, typename... T, typename... Extra>
bool unary_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& data,
                    const Function<F, T...>& function, Extra... extra) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const Order order(result);
  const at::Tensor x = dense(order(data)), dy = dense(order(grad)), dx = order(result);
  return x.defined() && dy.defined() && typed(function, data.scalar_type(), [&]<typename E>(E) {
           return call(function, in<E>(x), in<E>(x), in<E>(dy), out<E>(dx), dx.numel(), extra...);
         });
}

// factor * self + more
bool scaled(const at::Tensor& result, const at::Tensor& self, double factor, double more);

// a ? b, both broadcast to the result's size.
template <typename F, typename... T>
bool binary(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const Order order(result);
  const at::Tensor z = order(result);
  return typed(function, a.scalar_type(), [&]<typename E>(E) {
    constexpr bool broadcasts = !std::is_invocable_v<F, api::Context*, const E*, const E*, E*, int64_t>;
    const at::Tensor x = dense(order(broadcasts ? a : a.expand(result.sizes())));
    const at::Tensor y = dense(order(broadcasts ? b : b.expand(result.sizes())));
    if (!x.defined() || !y.defined()) return false;
    if constexpr (!broadcasts) {
      return call(function, in<E>(x), in<E>(y), out<E>(z), z.numel());
    } else if constexpr (std::is_invocable_v<F, api::Context*, const E*, const E*, E*, Sizes, Sizes>) {
      return call(function, in<E>(x), in<E>(y), out<E>(z), sizes_of(x), sizes_of(y));
    } else {  // a comparison
      return call(function, in<E>(x), in<E>(y), out<bool>(z), sizes_of(x), sizes_of(y));
    }
  });
}

// a ? scale * b, a sum or a difference. With a large scale that is scale * (a / scale ? b): scale * b alone may
// overflow where the whole does not.
template <typename F, typename... T>
bool binary(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const Function<F, T...>& function,
            double scale) {
  if (scale == 1 || result.numel() == 0) return binary(result, a, b, function);
  const bool large = std::abs(scale) > 1 && std::isfinite(scale);
  const at::Tensor times = at::empty((large ? a : b).sizes(), b.options());
  if (!large) return scaled(times, b, scale, 0) && binary(result, a, times, function);
  return scaled(times, a, 1 / scale, 0) && binary(result, times, b, function) && scaled(result, result, scale, 0);
}

// self ? number
template <typename F, typename... T>
bool binary_number(const at::Tensor& result, const at::Tensor& self, double number, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  const at::Tensor other = constant(number, self);
  return other.defined() && binary(result, self, other, function);
}

// self + scale * (a ? b), all broadcast.
template <typename F, typename... T>
bool ternary(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b,
             const Function<F, T...>& function, double scale) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const Order order(result);
  const auto whole = [&](const at::Tensor& tensor) { return dense(order(tensor.expand(result.sizes()))); };
  const at::Tensor w = whole(self), x = whole(a), y = whole(b), z = order(result);
  return w.defined() && x.defined() && y.defined() && typed(function, self.scalar_type(), [&]<typename E>(E) {
           return call(function, in<E>(w), in<E>(x), in<E>(y), out<E>(z), static_cast<float>(scale), z.numel());
         });
}

// ---- along dimensions ----

// `result` has the size of `self` with 1 for those, or without them.
template <typename F, typename... T>
bool reduce(const at::Tensor& result, const at::Tensor& self, at::IntArrayRef dims, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  if (self.numel() == 0) return false;
  const Call call(result);
  const at::Tensor x = dense(self);
  const Written y(result);
  return y.finish(x.defined() && typed(function, self.scalar_type(), [&]<typename E>(E) {
                    return call(function, in<E>(x), out<E>(y.tensor()), sizes_of(x),
                                self.dim() == 0 ? Sizes{0} : dims.vec());
                  }));
}

template <typename F, typename... T>
bool softmax(const at::Tensor& result, const at::Tensor& self, int64_t dim, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const at::Tensor x = dense(self);
  const Written y(result);
  const int64_t axis = dim < 0 ? dim + static_cast<int64_t>(sizes_of(x).size()) : dim;
  return y.finish(x.defined() && typed(function, self.scalar_type(), [&]<typename E>(E) {
                    return call(function, in<E>(x), out<E>(y.tensor()), sizes_of(x), axis);
                  }));
}

template <typename F, typename... T>
bool softmax_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& output, int64_t dim,
                      const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  const Call call(result);
  const at::Tensor y = dense(output), dy = dense(grad);
  const Written dx(result);
  const int64_t axis = dim < 0 ? dim + static_cast<int64_t>(sizes_of(y).size()) : dim;
  return dx.finish(y.defined() && dy.defined() && typed(function, output.scalar_type(), [&]<typename E>(E) {
                     return call(function, in<E>(y), in<E>(dy), out<E>(dx.tensor()), sizes_of(y), axis);
                   }));
}

template <typename F, typename... T>
bool concat(const at::Tensor& result, const std::vector<at::Tensor>& tensors, int64_t dim,
            const Function<F, T...>& function) {
  const Call call(result);
  const Written y(result);
  std::vector<at::Tensor> parts;
  std::vector<Sizes> sizes;
  for (const at::Tensor& tensor : tensors) {
    parts.push_back(dense(tensor));
    if (!parts.back().defined()) return false;
    sizes.push_back(sizes_of(parts.back()));
  }
  return y.finish(typed(function, result.scalar_type(), [&]<typename E>(E) {
    std::vector<const E*> x;
    for (const at::Tensor& part : parts) x.push_back(in<E>(part));
    return call(function, x, out<E>(y.tensor()), sizes, dim);
  }));
}

// ---- products of matrices ----

// A matrix or a batch of them as it lies, if it or its transpose is dense.
struct Matrix {
  explicit Matrix(const at::Tensor& tensor);
  at::Tensor memory;
  bool transposed = false;
  int64_t rows, columns;
};

// beta * result + alpha * (a @ b)
template <typename F, typename... T>
bool product(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, double beta, double alpha,
             const Function<F, T...>& function) {
  const Call call(result);
  const Matrix x(a), w(b);
  const int64_t m = x.rows, n = w.columns, k = x.columns;
  return x.memory.defined() && w.memory.defined() && typed(function, a.scalar_type(), [&]<typename E>(E) {
           return call(function, a.dim() == 3 ? a.size(0) : 1, x.transposed, w.transposed, m, n, k,
                       static_cast<float>(alpha), in<E>(x.memory), m * k, in<E>(w.memory), k * n,
                       static_cast<float>(beta), out<E>(result), m * n, in<float>(at::Tensor()),
                       in<float>(at::Tensor()));
         });
}

template <typename F, typename... T>
bool matmul(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  if (a.numel() == 0) return false;  // sums of nothing
  const Written y(result);
  return y.finish(product(y.tensor(), a, b, 0, 1, function));
}

// beta * self + alpha * (a @ b), `self` broadcast.
template <typename F, typename... T>
bool matmul_add(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, double beta,
                double alpha, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  if (a.numel() == 0) return false;
  const Written y(result);
  if (beta != 0) y.tensor().copy_(self.expand(result.sizes()));
  return y.finish(product(y.tensor(), a, b, beta, alpha, function));
}

// ---- normalisation; tensors that are not there are undefined ----

// Over the last dimensions, which hold `inner` elements, of dense tensors. `rstd` is 1 / sqrt(variance + eps).
template <typename F, typename... T>
bool layer_norm(const at::Tensor& result, const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& input,
                const at::Tensor& weight, const at::Tensor& bias, int64_t inner, double eps,
                const Function<F, T...>& function) {
  if (result.numel() == 0) return mean.numel() == 0;
  const Call call(result);
  return typed(function, input.scalar_type(), [&]<typename E>(E) {
    return call(function, in<E>(input), out<E>(result), input.numel() / inner, inner, static_cast<float>(eps),
                in<float>(weight), in<float>(bias), out<float>(mean), out<float>(rstd), /*is_rstd=*/true);
  });
}

// With the given statistics, of the size of a channel's.
template <typename F, typename... T>
bool batch_norm(const at::Tensor& result, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                const at::Tensor& mean, const at::Tensor& variance, double eps, const Function<F, T...>& function) {
  if (result.numel() == 0) return true;
  if (!weight.defined() || !bias.defined()) return false;  // whether null is 1 and 0 is not known
  const Call call(result);
  const at::Tensor x = dense(input), scale = dense(weight), shift = dense(bias), m = dense(mean), v = dense(variance);
  if (!x.defined() || !scale.defined() || !shift.defined() || !m.defined() || !v.defined()) return false;
  const Written y(result);
  const int64_t n = x.size(0), c = x.size(1);
  return y.finish(typed(function, input.scalar_type(), [&]<typename E>(E) {
    return call(function, in<E>(x), out<E>(y.tensor()), n, c, x.numel() / (n * c), int64_t{1}, static_cast<float>(eps),
                in<float>(scale), in<float>(shift), in<float>(m), in<float>(v), /*is_nchw=*/true);
  }));
}

}  // namespace flagos::kunlun
