// SPDX-License-Identifier: Apache-2.0
//
// libxpuapi: XDNN over the simulated chip. Each function checks what it is given, puts a kernel into its context's
// stream and returns. What the real one computes where public sources are silent is not known: this one computes what
// PyTorch does.
#include <xpu/xdnn.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "chip.h"
#include "simulated.h"

namespace baidu::xpu::api {
namespace {

using Shape = std::vector<int64_t>;

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// What a kernel reads or writes at an address of the program's. A chip would fault where there is no device memory.
template <typename T>
T* memory(T* address, int64_t elements) {
  void* const found = chip().device_memory(address, static_cast<size_t>(elements) * sizeof(T));
  if (found == nullptr) assertion_failed("XDNN: a pointer is not to so much device memory");
  return static_cast<T*>(found);
}

int launch(Context* ctx, std::function<void()> kernel) {
  if (ctx == nullptr) return INVALID_PARAM;
  return chip().launch(static_cast<Stream_t>(ctx->xpu_stream), std::move(kernel)) == Success ? SUCCESS : RUNTIME_ERROR;
}

template <typename T, typename Y, typename Of>
int each(Context* ctx, const T* x, Y* y, int64_t len, Of of) {
  if (x == nullptr || y == nullptr || len <= 0) return INVALID_PARAM;
  const T* const from = memory(x, len);
  Y* const to = memory(y, len);
  return launch(ctx, [=] {
    for (int64_t i = 0; i < len; ++i) to[i] = of(from[i]);
  });
}

template <typename T, typename Of>
int each_gradient(Context* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len, Of of) {
  if (x == nullptr || y == nullptr || dy == nullptr || dx == nullptr || len <= 0) return INVALID_PARAM;
  const T *const in = memory(x, len), *const out = memory(y, len), *const grad = memory(dy, len);
  T* const to = memory(dx, len);
  return launch(ctx, [=] {
    for (int64_t i = 0; i < len; ++i) to[i] = of(in[i], out[i], grad[i]);
  });
}

// The place of each element of a broadcast's result in one of its inputs.
class Places {
 public:
  Places(const Shape& shape, const Shape& result) : result_(result), strides_(result.size()) {
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      strides_[i + result.size() - shape.size()] = shape[i] == 1 ? 0 : stride;
      stride *= shape[i];
    }
  }
  int64_t operator()(int64_t element) const {
    int64_t place = 0;
    for (size_t i = result_.size(); i-- > 0; element /= result_[i]) place += element % result_[i] * strides_[i];
    return place;
  }

 private:
  Shape result_, strides_;
};

template <typename T, typename Z, typename Of>
int broadcast(Context* ctx, const T* x, const T* y, Z* z, const Shape& xshape, const Shape& yshape, Of of) {
  if (x == nullptr || y == nullptr || z == nullptr || xshape.empty() || yshape.empty()) return INVALID_PARAM;
  Shape result(std::max(xshape.size(), yshape.size()), 1);
  for (const Shape* shape : {&xshape, &yshape}) {
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t& size = result[i + result.size() - shape->size()];
      const int64_t own = (*shape)[i];
      if (own <= 0 || (own != 1 && size != 1 && own != size)) return INVALID_PARAM;
      size = std::max(size, own);
    }
  }
  const int64_t len = count(result);
  const T *const a = memory(x, count(xshape)), *const b = memory(y, count(yshape));
  Z* const to = memory(z, len);
  const Places in_a(xshape, result), in_b(yshape, result);
  return launch(ctx, [=] {
    for (int64_t i = 0; i < len; ++i) to[i] = of(a[in_a(i)], b[in_b(i)]);
  });
}

template <typename T, typename Of>
int reduce(
    Context* ctx, const T* x, T* y, const Shape& xshape, const Shape& rdims, double first, Of of,
    std::function<double(double, int64_t)> last = [](double value, int64_t) { return value; }) {
  if (x == nullptr || y == nullptr || xshape.empty() || rdims.empty()) return INVALID_PARAM;
  Shape kept = xshape;
  int64_t length = 1;
  for (const int64_t dim : rdims) {
    if (dim < 0 || dim >= static_cast<int64_t>(xshape.size())) return INVALID_PARAM;
    length *= std::exchange(kept[static_cast<size_t>(dim)], 1);
  }
  const int64_t len = count(xshape), results = count(kept);
  const T* const from = memory(x, len);
  T* const to = memory(y, results);
  const Places place(kept, xshape);
  return launch(ctx, [=] {
    std::vector<double> sums(static_cast<size_t>(results), first);
    for (int64_t i = 0; i < len; ++i) {
      double& sum = sums[static_cast<size_t>(place(i))];
      sum = of(sum, static_cast<double>(from[i]));
    }
    for (int64_t i = 0; i < results; ++i) to[i] = static_cast<T>(last(sums[static_cast<size_t>(i)], length));
  });
}

// Along one axis: `of` is given a row's inputs, its second inputs and where its results go.
using Row = std::function<void(const std::vector<double>&, const std::vector<double>&, std::vector<double>&)>;

template <typename T>
int rows(Context* ctx, const T* x, const T* second, T* y, const Shape& xshape, int64_t axis, Row of) {
  if (x == nullptr || y == nullptr || axis < 0 || axis >= static_cast<int64_t>(xshape.size())) return INVALID_PARAM;
  const int64_t length = xshape[static_cast<size_t>(axis)];
  const int64_t inner = count(Shape(xshape.begin() + axis + 1, xshape.end())), len = count(xshape);
  const T *const a = memory(x, len), *const b = second == nullptr ? nullptr : memory(second, len);
  T* const to = memory(y, len);
  return launch(ctx, [=] {
    std::vector<double> in(static_cast<size_t>(length)), more(in.size()), out(in.size());
    for (int64_t row = 0; row < len / length; ++row) {
      const int64_t begin = row / inner * inner * length + row % inner;
      for (size_t i = 0; i < in.size(); ++i) {
        in[i] = a[begin + static_cast<int64_t>(i) * inner];
        more[i] = b == nullptr ? 0 : b[begin + static_cast<int64_t>(i) * inner];
      }
      of(in, more, out);
      for (size_t i = 0; i < in.size(); ++i) to[begin + static_cast<int64_t>(i) * inner] = static_cast<T>(out[i]);
    }
  });
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double inverse_erf(double x) {
  if (std::fabs(x) >= 1) return std::fabs(x) == 1 ? std::copysign(HUGE_VAL, x) : NAN;
  const double w = std::log(1 - x * x), a = 2 / (M_PI * 0.147) + w / 2;
  double y = std::copysign(std::sqrt(std::sqrt(a * a - w / 0.147) - a), x);
  for (int i = 0; i < 3; ++i) y -= (std::erf(y) - x) / (M_2_SQRTPI * std::exp(-y * y));
  return y;
}
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double softplus_of(double x, double beta, double threshold) {
  return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
}
double normal_below(double x) { return std::erfc(-x * M_SQRT1_2) / 2; }
double limited(double x, double least, double most) { return std::isnan(x) ? x : std::min(std::max(x, least), most); }

}  // namespace

Context* create_context() { return new Context; }
void destroy_context(Context* ctx) { delete ctx; }

// ---- one element after another

#define UNARY(name, value)                                                        \
  template <typename T>                                                           \
  int name(Context* ctx, const T* in, T* y, int64_t len) {                        \
    return each(ctx, in, y, len, [](double x) { return static_cast<T>(value); }); \
  }                                                                               \
  template int name<float>(Context*, const float*, float*, int64_t);
UNARY(abs, std::fabs(x))
UNARY(arccos, std::acos(x))
UNARY(acosh, std::acosh(x))
UNARY(arcsin, std::asin(x))
UNARY(asinh, std::asinh(x))
UNARY(arctan, std::atan(x))
UNARY(atanh, std::atanh(x))
UNARY(ceil, std::ceil(x))
UNARY(cos, std::cos(x))
UNARY(cosh, std::cosh(x))
UNARY(erf, std::erf(x))
UNARY(erfinv, inverse_erf(x))
UNARY(exp, std::exp(x))
UNARY(exp2, std::exp2(x))
UNARY(floor, std::floor(x))
UNARY(log, std::log(x))
UNARY(log1p, std::log1p(x))
UNARY(neg, -x)
UNARY(reciprocal, 1 / x)
UNARY(rsqrt, 1 / std::sqrt(x))
UNARY(sign, (x > 0) - (x < 0))
UNARY(sin, std::sin(x))
UNARY(sinh, std::sinh(x))
UNARY(sqrt, std::sqrt(x))
UNARY(tan, std::tan(x))

template <typename T>
int logical_not(Context* ctx, const T* x, T* y, int64_t len) {
  return each(ctx, x, y, len, [](T a) { return !a; });
}
template int logical_not<bool>(Context*, const bool*, bool*, int64_t);

template <typename T>
int round(Context* ctx, const T* x, T* y, int64_t len, int64_t decimals) {
  if (decimals != 0) return NOT_IMPLEMENT;
  return each(ctx, x, y, len, [](T a) { return std::nearbyint(a); });
}
template int round<float>(Context*, const float*, float*, int64_t, int64_t);

template <typename T>
int scale(Context* ctx, const T* x, T* y, int64_t len, bool bias_after_scale, float factor, float bias) {
  return each(ctx, x, y, len, [=](T a) { return bias_after_scale ? a * factor + bias : (a + bias) * factor; });
}
template int scale<float>(Context*, const float*, float*, int64_t, bool, float, float);

template <typename T>
int clip(Context* ctx, const T* x, T* y, int64_t len, T min_val, T max_val) {
  return each(ctx, x, y, len, [=](T a) { return limited(a, min_val, max_val); });
}
template int clip<float>(Context*, const float*, float*, int64_t, float, float);

#define ACTIVATION(name, value)                                                              \
  template <typename T>                                                                      \
  int name(Context* ctx, const T* in, T* y, int64_t len, const float* max_x, float* max_y) { \
    if (max_x != nullptr || max_y != nullptr) return NOT_IMPLEMENT;                          \
    return each(ctx, in, y, len, [](double x) { return static_cast<T>(value); });            \
  }                                                                                          \
  template int name<float>(Context*, const float*, float*, int64_t, const float*, float*);
#define ACTIVATION_OF(name, a, value)                                                                 \
  template <typename T>                                                                               \
  int name(Context* ctx, const T* in, T* y, int64_t len, float a, const float* max_x, float* max_y) { \
    if (max_x != nullptr || max_y != nullptr) return NOT_IMPLEMENT;                                   \
    return each(ctx, in, y, len, [=](double x) { return static_cast<T>(value); });                    \
  }                                                                                                   \
  template int name<float>(Context*, const float*, float*, int64_t, float, const float*, float*);
#define ACTIVATION_OF_TWO(name, a, b, value)                                                                   \
  template <typename T>                                                                                        \
  int name(Context* ctx, const T* in, T* y, int64_t len, float a, float b, const float* max_x, float* max_y) { \
    if (max_x != nullptr || max_y != nullptr) return NOT_IMPLEMENT;                                            \
    return each(ctx, in, y, len, [=](double x) { return static_cast<T>(value); });                             \
  }                                                                                                            \
  template int name<float>(Context*, const float*, float*, int64_t, float, float, const float*, float*);
ACTIVATION(gelu, x* normal_below(x))
ACTIVATION(hard_swish, static_cast<T>(x* limited(x + 3, 0, 6)) / 6)
ACTIVATION(relu, std::isnan(x) || x > 0 ? x : 0)
ACTIVATION(sigmoid, sigmoid_of(x))
ACTIVATION(swish, x* sigmoid_of(x))
ACTIVATION(tanh, std::tanh(x))
ACTIVATION_OF(elu, alpha, x > 0 ? x : alpha * std::expm1(x))
ACTIVATION_OF(hard_shrink, threshold, x >= -threshold && x <= threshold ? 0 : x)
ACTIVATION_OF(hard_sigmoid, slope, limited(x* slope + 0.5, 0, 1))
ACTIVATION_OF(leaky_relu, alpha, x > 0 ? x : alpha * x)
ACTIVATION_OF(mish, threshold, x* std::tanh(softplus_of(x, 1, threshold)))
ACTIVATION_OF(soft_shrink, threshold, x > threshold ? x - threshold : x < -threshold ? x + threshold : x * 0)
ACTIVATION_OF_TWO(hard_tanh, minval, maxval, limited(x, minval, maxval))
ACTIVATION_OF_TWO(softplus, beta, threshold, softplus_of(x, beta, threshold))
ACTIVATION_OF_TWO(threshold, thre, value, x <= thre ? value : x)

#define GRADIENT(name, value)                                                                   \
  template <typename T>                                                                         \
  int name(Context* ctx, const T* in, const T* out, const T* dy, T* dx, int64_t len) {          \
    return each_gradient(ctx, in, out, dy, dx, len,                                             \
                         [](double x, double, double slope) { return static_cast<T>(value); }); \
  }                                                                                             \
  template int name<float>(Context*, const float*, const float*, const float*, float*, int64_t);
GRADIENT(relu_grad, x <= 0 ? 0 : slope)
GRADIENT(gelu_grad, slope*(normal_below(x) + x * std::exp(-x * x / 2) * M_2_SQRTPI * M_SQRT1_2 / 2))
GRADIENT(hard_swish_grad, x <= -3 ? 0 : x >= 3 ? slope : slope * (x / 3 + 0.5))

// With the output alone.
#define GRADIENT_OF_OUTPUT(name, value)                                                         \
  template <typename T>                                                                         \
  int name(Context* ctx, const T* in, const T* out, const T* dy, T* dx, int64_t len) {          \
    return each_gradient(ctx, in, out, dy, dx, len,                                             \
                         [](double, double y, double slope) { return static_cast<T>(value); }); \
  }                                                                                             \
  template int name<float>(Context*, const float*, const float*, const float*, float*, int64_t);
GRADIENT_OF_OUTPUT(tanh_grad, slope * (1 - y * y))
GRADIENT_OF_OUTPUT(sigmoid_grad, slope * y * (1 - y))

template <typename T>
int leaky_relu_grad(Context* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len, float alpha) {
  return each_gradient(ctx, x, y, dy, dx, len, [=](T in, T, T grad) { return in > 0 ? grad : grad * alpha; });
}
template int leaky_relu_grad<float>(Context*, const float*, const float*, const float*, float*, int64_t, float);

template <typename T>
int mish_grad(Context* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len, float threshold) {
  return each_gradient(ctx, x, y, dy, dx, len, [=](double in, double, double grad) {
    const double gate = std::tanh(softplus_of(in, 1, threshold));
    return static_cast<T>(grad * (gate + in * sigmoid_of(in) * (1 - gate * gate)));
  });
}
template int mish_grad<float>(Context*, const float*, const float*, const float*, float*, int64_t, float);

template <typename T>
int softplus_grad(Context* ctx, const T* x, const T* y, const T* dy, T* dx, int64_t len, float beta, float threshold) {
  return each_gradient(ctx, x, y, dy, dx, len, [=](double in, double, double grad) {
    return static_cast<T>(in * beta > threshold ? grad : grad * sigmoid_of(in * beta));
  });
}
template int softplus_grad<float>(Context*, const float*, const float*, const float*, float*, int64_t, float, float);

// ---- two tensors, or three

#define BINARY(name, value)                                                                         \
  template <typename T>                                                                             \
  int name(Context* ctx, const T* x, const T* y, T* z, const Shape& xshape, const Shape& yshape) {  \
    return broadcast(ctx, x, y, z, xshape, yshape, [](T a, T b) { return static_cast<T>(value); }); \
  }                                                                                                 \
  template int name<float>(Context*, const float*, const float*, float*, const Shape&, const Shape&);
BINARY(broadcast_add, a + b)
BINARY(broadcast_sub, a - b)
BINARY(broadcast_mul, a* b)
BINARY(broadcast_div, a / b)
BINARY(broadcast_max, larger(a, b))
BINARY(broadcast_min, smaller(a, b))
BINARY(broadcast_pow, std::pow(a, b))

#define COMPARISON(name, sign)                                                                        \
  template <typename T>                                                                               \
  int name(Context* ctx, const T* x, const T* y, bool* z, const Shape& xshape, const Shape& yshape) { \
    return broadcast(ctx, x, y, z, xshape, yshape, [](T a, T b) { return a sign b; });                \
  }                                                                                                   \
  template int name<float>(Context*, const float*, const float*, bool*, const Shape&, const Shape&);
COMPARISON(broadcast_equal, ==)
COMPARISON(broadcast_not_equal, !=)
COMPARISON(broadcast_less_than, <)
COMPARISON(broadcast_less_equal, <=)
COMPARISON(broadcast_greater_than, >)
COMPARISON(broadcast_greater_equal, >=)

#define LOGICAL(name, sign)                                                                                     \
  template <typename T>                                                                                         \
  int name(Context* ctx, const T* x, const T* y, T* z, int64_t len) {                                           \
    return len <= 0 ? INVALID_PARAM : broadcast(ctx, x, y, z, {len}, {len}, [](T a, T b) { return a sign b; }); \
  }                                                                                                             \
  template int name<bool>(Context*, const bool*, const bool*, bool*, int64_t);
LOGICAL(logical_and, &&)
LOGICAL(logical_or, ||)
LOGICAL(logical_xor, !=)

#define TERNARY(name, value)                                                                            \
  template <typename T>                                                                                 \
  int name(Context* ctx, const T* w, const T* x, const T* y, T* z, float scalar, int64_t len) {         \
    if (w == nullptr || x == nullptr || y == nullptr || z == nullptr || len <= 0) return INVALID_PARAM; \
    const T *const base = memory(w, len), *const in = memory(x, len), *const other = memory(y, len);    \
    T* const to = memory(z, len);                                                                       \
    return launch(ctx, [=] {                                                                            \
      for (int64_t i = 0; i < len; ++i) {                                                               \
        const double c = base[i], a = in[i], b = other[i];                                              \
        to[i] = static_cast<T>(value);                                                                  \
      }                                                                                                 \
    });                                                                                                 \
  }                                                                                                     \
  template int name<float>(Context*, const float*, const float*, const float*, float*, float, int64_t);
TERNARY(addcmul, c + scalar * a * b)
TERNARY(addcdiv, c + static_cast<T>(scalar * a) / b)

// ---- along dimensions

#define REDUCTION(type, name, ...)                                                    \
  template <typename T>                                                               \
  int name(Context* ctx, const T* x, T* y, const Shape& xshape, const Shape& rdims) { \
    return reduce(ctx, x, y, xshape, rdims, __VA_ARGS__);                             \
  }                                                                                   \
  template int name<type>(Context*, const type*, type*, const Shape&, const Shape&);
REDUCTION(float, reduce_sum, 0, std::plus<>())
REDUCTION(float, reduce_mean, 0, std::plus<>(),
          [](double sum, int64_t length) { return sum / static_cast<double>(length); })
REDUCTION(float, reduce_max, -HUGE_VAL, larger)
REDUCTION(float, reduce_min, HUGE_VAL, smaller)
REDUCTION(float, reduce_prod, 1, std::multiplies<>())
REDUCTION(
    float, reduce_L2, 0, [](double sum, double x) { return sum + x * x; },
    [](double sum, int64_t) { return std::sqrt(sum); })
REDUCTION(bool, reduce_any, 0, larger)
REDUCTION(bool, reduce_all, 1, smaller)

namespace {

// Of each row: what softmax divides by, as a logarithm.
double log_of_sum(const std::vector<double>& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double value : x) sum += std::exp(value - most);
  return most + std::log(sum);
}

}  // namespace

template <typename T>
int softmax(Context* ctx, const T* x, T* y, const Shape& xshape, int64_t axis) {
  return rows<T>(ctx, x, nullptr, y, xshape, axis, [](const auto& in, const auto&, auto& out) {
    const double total = log_of_sum(in);
    std::transform(in.begin(), in.end(), out.begin(), [&](double value) { return std::exp(value - total); });
  });
}
template int softmax<float>(Context*, const float*, float*, const Shape&, int64_t);

template <typename T>
int log_softmax(Context* ctx, const T* x, T* y, const Shape& xshape, int64_t axis) {
  return rows<T>(ctx, x, nullptr, y, xshape, axis, [](const auto& in, const auto&, auto& out) {
    const double total = log_of_sum(in);
    std::transform(in.begin(), in.end(), out.begin(), [&](double value) { return value - total; });
  });
}
template int log_softmax<float>(Context*, const float*, float*, const Shape&, int64_t);

template <typename T>
int softmax_grad(Context* ctx, const T* y, const T* dy, T* dx, const Shape& xshape, int64_t axis, float input_scale) {
  if (input_scale != 1) return NOT_IMPLEMENT;
  return rows<T>(ctx, y, dy, dx, xshape, axis, [](const auto& in, const auto& grad, auto& out) {
    const double sum = std::inner_product(in.begin(), in.end(), grad.begin(), 0.0);
    for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] * (grad[i] - sum);
  });
}
template int softmax_grad<float>(Context*, const float*, const float*, float*, const Shape&, int64_t, float);

template <typename T>
int log_softmax_grad(Context* ctx, const T* y, const T* dy, T* dx, const Shape& xshape, int64_t axis) {
  return rows<T>(ctx, y, dy, dx, xshape, axis, [](const auto& in, const auto& grad, auto& out) {
    const double sum = std::accumulate(grad.begin(), grad.end(), 0.0);
    for (size_t i = 0; i < in.size(); ++i) out[i] = grad[i] - std::exp(in[i]) * sum;
  });
}
template int log_softmax_grad<float>(Context*, const float*, const float*, float*, const Shape&, int64_t);

template <typename T>
int concat(Context* ctx, const std::vector<const T*>& x_list, T* y, const std::vector<Shape>& xshape_list,
           int64_t axis) {
  if (x_list.empty() || x_list.size() != xshape_list.size() || axis < 0 ||
      axis >= static_cast<int64_t>(xshape_list[0].size())) {
    return INVALID_PARAM;
  }
  struct Part {
    const T* from;
    int64_t length;  // of what lies together
  };
  std::vector<Part> parts;
  int64_t length = 0;
  const int64_t outer = count(Shape(xshape_list[0].begin(), xshape_list[0].begin() + axis));
  for (size_t i = 0; i < x_list.size(); ++i) {
    parts.push_back({memory(x_list[i], count(xshape_list[i])), count(xshape_list[i]) / outer});
    length += parts.back().length;
  }
  T* const to = memory(y, outer * length);
  return launch(ctx, [=] {
    T* next = to;
    for (int64_t row = 0; row < outer; ++row) {
      for (const Part& part : parts) next = std::copy_n(part.from + row * part.length, part.length, next);
    }
  });
}
template int concat<float>(Context*, const std::vector<const float*>&, float*, const std::vector<Shape>&, int64_t);

// ---- memory

template <typename T>
int constant(Context* ctx, T* x, int64_t len, T val) {
  if (x == nullptr || len <= 0) return INVALID_PARAM;
  T* const to = memory(x, len);
  return launch(ctx, [=] { std::fill_n(to, len, val); });
}
template int constant<float>(Context*, float*, int64_t, float);

template <typename T>
int as_strided(Context* ctx, const T* x, T* y, const Shape& yshape, const Shape& strides, const int64_t& offset) {
  if (x == nullptr || y == nullptr || yshape.size() != strides.size() || count(yshape) == 0) return INVALID_PARAM;
  int64_t last = offset;
  for (size_t i = 0; i < yshape.size(); ++i) last += (yshape[i] - 1) * strides[i];
  const T* const from = memory(x, last + 1) + offset;
  const int64_t len = count(yshape);
  T* const to = memory(y, len);
  return launch(ctx, [=] {
    for (int64_t i = 0; i < len; ++i) {
      int64_t place = 0, rest = i;
      for (size_t dim = yshape.size(); dim-- > 0; rest /= yshape[dim]) place += rest % yshape[dim] * strides[dim];
      to[i] = from[place];
    }
  });
}
template int as_strided<float>(Context*, const float*, float*, const Shape&, const Shape&, const int64_t&);
template int as_strided<bool>(Context*, const bool*, bool*, const Shape&, const Shape&, const int64_t&);

// ---- products and normalisation

template <typename TX, typename TW, typename TY, typename TGEMM, int MAX_PTR_TYPE>
int fc_batched(Context* ctx, int64_t batch_size, bool x_trans, bool w_trans, int64_t m, int64_t n, int64_t k,
               float alpha, const TX* x, int64_t stride_a, const TW* w, int64_t stride_b, float beta, TY* y,
               int64_t stride_c, const float* x_maxptr, const float* w_maxptr) {
  if (x == nullptr || w == nullptr || y == nullptr || batch_size <= 0 || m <= 0 || n <= 0 || k <= 0)
    return INVALID_PARAM;
  if (x_maxptr != nullptr || w_maxptr != nullptr) return NOT_IMPLEMENT;
  const TX* const a = memory(x, (batch_size - 1) * stride_a + m * k);
  const TW* const b = memory(w, (batch_size - 1) * stride_b + k * n);
  TY* const to = memory(y, (batch_size - 1) * stride_c + m * n);
  return launch(ctx, [=] {
    for (int64_t batch = 0; batch < batch_size; ++batch) {
      for (int64_t row = 0; row < m; ++row) {
        for (int64_t column = 0; column < n; ++column) {
          double sum = 0;
          for (int64_t i = 0; i < k; ++i) {
            sum += static_cast<double>(a[batch * stride_a + (x_trans ? i * m + row : row * k + i)]) *
                   static_cast<double>(b[batch * stride_b + (w_trans ? column * k + i : i * n + column)]);
          }
          TY& result = to[batch * stride_c + row * n + column];
          result = static_cast<TY>(alpha * sum + (beta == 0 ? 0 : beta * static_cast<double>(result)));
        }
      }
    }
  });
}
template int fc_batched<float, float, float, float, 0>(Context*, int64_t, bool, bool, int64_t, int64_t, int64_t, float,
                                                       const float*, int64_t, const float*, int64_t, float, float*,
                                                       int64_t, const float*, const float*);

template <typename T, typename TW>
int layer_norm(Context* ctx, const T* x, T* y, int64_t m, int64_t n, float eps, const TW* scale, const TW* bias,
               float* mean, float* var, bool is_rstd) {
  if (x == nullptr || y == nullptr || m <= 0 || n <= 0) return INVALID_PARAM;
  const T* const from = memory(x, m * n);
  T* const to = memory(y, m * n);
  const TW* const factor = scale == nullptr ? nullptr : memory(scale, n);
  const TW* const more = bias == nullptr ? nullptr : memory(bias, n);
  float *const means = mean == nullptr ? nullptr : memory(mean, m), *const spreads =
                                                                        var == nullptr ? nullptr : memory(var, m);
  return launch(ctx, [=] {
    for (int64_t row = 0; row < m; ++row) {
      const T* const in = from + row * n;
      const double middle = std::accumulate(in, in + n, 0.0) / static_cast<double>(n);
      double variance = 0;
      for (int64_t i = 0; i < n; ++i) variance += (in[i] - middle) * (in[i] - middle) / static_cast<double>(n);
      const double rstd = 1 / std::sqrt(variance + eps);
      for (int64_t i = 0; i < n; ++i) {
        to[row * n + i] = static_cast<T>((in[i] - middle) * rstd * (factor == nullptr ? 1 : factor[i]) +
                                         (more == nullptr ? 0 : more[i]));
      }
      if (means != nullptr) means[row] = static_cast<float>(middle);
      if (spreads != nullptr) spreads[row] = static_cast<float>(is_rstd ? rstd : variance);
    }
  });
}
template int layer_norm<float, float>(Context*, const float*, float*, int64_t, int64_t, float, const float*,
                                      const float*, float*, float*, bool);

template <typename T>
int batch_norm_infer(Context* ctx, const T* x, T* y, int64_t n, int64_t c, int64_t h, int64_t w, float eps,
                     const float* scale, const float* bias, const float* batch_mean, const float* batch_var,
                     bool is_nchw) {
  if (x == nullptr || y == nullptr || scale == nullptr || bias == nullptr || batch_mean == nullptr ||
      batch_var == nullptr || n * c * h * w <= 0) {
    return INVALID_PARAM;
  }
  if (!is_nchw) return NOT_IMPLEMENT;
  const T* const from = memory(x, n * c * h * w);
  T* const to = memory(y, n * c * h * w);
  const float *const factor = memory(scale, c), *const more = memory(bias, c);
  const float *const mean = memory(batch_mean, c), *const variance = memory(batch_var, c);
  return launch(ctx, [=] {
    for (int64_t i = 0; i < n * c * h * w; ++i) {
      const int64_t channel = i / (h * w) % c;
      to[i] = static_cast<T>((from[i] - mean[channel]) / std::sqrt(variance[channel] + double{eps}) * factor[channel] +
                             more[channel]);
    }
  });
}
template int batch_norm_infer<float>(Context*, const float*, float*, int64_t, int64_t, int64_t, int64_t, float,
                                     const float*, const float*, const float*, const float*, bool);

}  // namespace baidu::xpu::api
