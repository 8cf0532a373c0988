// @generated from docs/vendors/ascend/op-api-map.yaml by generators.native_op; do not edit.
//
// The kernels of ascend's operators: marshalling by category, the library's call, and registration. What a kernel
// does not take goes to the CPU, and is counted there.
#include "calls.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>

#include <cmath>

#include <aclnn/acl_meta.h>
#include <aclnnop/aclnn_abs.h>
#include <aclnnop/aclnn_neg.h>
#include <aclnnop/aclnn_exp.h>
#include <aclnnop/aclnn_log.h>
#include <aclnnop/aclnn_sqrt.h>
#include <aclnnop/aclnn_rsqrt.h>
#include <aclnnop/aclnn_reciprocal.h>
#include <aclnnop/aclnn_relu.h>
#include <aclnnop/aclnn_sigmoid.h>
#include <aclnnop/aclnn_tanh.h>
#include <aclnnop/aclnn_sin.h>
#include <aclnnop/aclnn_cos.h>
#include <aclnnop/aclnn_silu.h>
#include <aclnnop/aclnn_erf.h>
#include <aclnnop/aclnn_floor.h>
#include <aclnnop/aclnn_ceil.h>
#include <aclnnop/aclnn_gelu.h>
#include <aclnnop/aclnn_leaky_relu.h>
#include <aclnnop/aclnn_clamp.h>
#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_sub.h>
#include <aclnnop/aclnn_mul.h>
#include <aclnnop/aclnn_div.h>
#include <aclnnop/aclnn_maximum.h>
#include <aclnnop/aclnn_minimum.h>
#include <aclnnop/aclnn_pow.h>
#include <aclnnop/aclnn_eq_tensor.h>
#include <aclnnop/aclnn_eq_scalar.h>
#include <aclnnop/aclnn_gt_tensor.h>
#include <aclnnop/aclnn_gt_scalar.h>
#include <aclnnop/aclnn_logical_and.h>
#include <aclnnop/aclnn_reduce_sum.h>
#include <aclnnop/aclnn_mean.h>
#include <aclnnop/aclnn_amax.h>
#include <aclnnop/aclnn_softmax.h>
#include <aclnnop/aclnn_log_softmax.h>
#include <aclnnop/aclnn_matmul.h>
#include <aclnnop/aclnn_addmm.h>
#include <aclnnop/aclnn_cat.h>
#include <aclnnop/aclnn_layer_norm.h>

#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/erf_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tanh_ops.h>

namespace flagos {
namespace {

namespace library = ascend;

// What was computed, for the caller.
template <typename Op>
const at::Tensor& done(const Result& result) {
  const at::Tensor& finished = result.finish();
  log_native(Op::name, Op::overload_name, library::kLibrary, finished);
  return finished;
}

// Of several results, some of which the caller did not ask for.
template <typename Op, size_t count>
void done(const std::array<Result, count>& results) {
  for (const Result& result : results) {
    if (result.tensor().defined()) return log_native(Op::name, Op::overload_name, library::kLibrary, result.tensor());
  }
}

// ---- abs: unary, aclnnAbs ----

bool abs_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnAbs));
}

at::Tensor abs(const at::Tensor& self) {
  Result result;
  if (!abs_into(result, self)) return OnCpu<at::_ops::abs>::call(self);
  return done<at::_ops::abs>(result);
}

at::Tensor& abs_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!abs_into(result, self)) return OnCpu<at::_ops::abs_out>::call(self, out);
  done<at::_ops::abs_out>(result);
  return out;
}

// ---- neg: unary, aclnnNeg ----

bool neg_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnNeg));
}

at::Tensor neg(const at::Tensor& self) {
  Result result;
  if (!neg_into(result, self)) return OnCpu<at::_ops::neg>::call(self);
  return done<at::_ops::neg>(result);
}

at::Tensor& neg_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!neg_into(result, self)) return OnCpu<at::_ops::neg_>::call(self);
  done<at::_ops::neg_>(result);
  return self;
}

at::Tensor& neg_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!neg_into(result, self)) return OnCpu<at::_ops::neg_out>::call(self, out);
  done<at::_ops::neg_out>(result);
  return out;
}

// ---- exp: unary, aclnnExp ----

bool exp_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnExp));
}

at::Tensor exp(const at::Tensor& self) {
  Result result;
  if (!exp_into(result, self)) return OnCpu<at::_ops::exp>::call(self);
  return done<at::_ops::exp>(result);
}

at::Tensor& exp_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!exp_into(result, self)) return OnCpu<at::_ops::exp_>::call(self);
  done<at::_ops::exp_>(result);
  return self;
}

at::Tensor& exp_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!exp_into(result, self)) return OnCpu<at::_ops::exp_out>::call(self, out);
  done<at::_ops::exp_out>(result);
  return out;
}

// ---- log: unary, aclnnLog ----

bool log_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnLog));
}

at::Tensor log(const at::Tensor& self) {
  Result result;
  if (!log_into(result, self)) return OnCpu<at::_ops::log>::call(self);
  return done<at::_ops::log>(result);
}

at::Tensor& log_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!log_into(result, self)) return OnCpu<at::_ops::log_>::call(self);
  done<at::_ops::log_>(result);
  return self;
}

at::Tensor& log_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!log_into(result, self)) return OnCpu<at::_ops::log_out>::call(self, out);
  done<at::_ops::log_out>(result);
  return out;
}

// ---- sqrt: unary, aclnnSqrt ----

bool sqrt_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnSqrt));
}

at::Tensor sqrt(const at::Tensor& self) {
  Result result;
  if (!sqrt_into(result, self)) return OnCpu<at::_ops::sqrt>::call(self);
  return done<at::_ops::sqrt>(result);
}

at::Tensor& sqrt_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!sqrt_into(result, self)) return OnCpu<at::_ops::sqrt_>::call(self);
  done<at::_ops::sqrt_>(result);
  return self;
}

at::Tensor& sqrt_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sqrt_into(result, self)) return OnCpu<at::_ops::sqrt_out>::call(self, out);
  done<at::_ops::sqrt_out>(result);
  return out;
}

// ---- rsqrt: unary, aclnnRsqrt ----

bool rsqrt_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnRsqrt));
}

at::Tensor rsqrt(const at::Tensor& self) {
  Result result;
  if (!rsqrt_into(result, self)) return OnCpu<at::_ops::rsqrt>::call(self);
  return done<at::_ops::rsqrt>(result);
}

at::Tensor& rsqrt_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!rsqrt_into(result, self)) return OnCpu<at::_ops::rsqrt_>::call(self);
  done<at::_ops::rsqrt_>(result);
  return self;
}

at::Tensor& rsqrt_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!rsqrt_into(result, self)) return OnCpu<at::_ops::rsqrt_out>::call(self, out);
  done<at::_ops::rsqrt_out>(result);
  return out;
}

// ---- reciprocal: unary, aclnnReciprocal ----

bool reciprocal_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnReciprocal));
}

at::Tensor reciprocal(const at::Tensor& self) {
  Result result;
  if (!reciprocal_into(result, self)) return OnCpu<at::_ops::reciprocal>::call(self);
  return done<at::_ops::reciprocal>(result);
}

at::Tensor& reciprocal_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!reciprocal_into(result, self)) return OnCpu<at::_ops::reciprocal_>::call(self);
  done<at::_ops::reciprocal_>(result);
  return self;
}

at::Tensor& reciprocal_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!reciprocal_into(result, self)) return OnCpu<at::_ops::reciprocal_out>::call(self, out);
  done<at::_ops::reciprocal_out>(result);
  return out;
}

// ---- relu: unary, aclnnRelu ----

bool relu_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnRelu));
}

at::Tensor relu(const at::Tensor& self) {
  Result result;
  if (!relu_into(result, self)) return OnCpu<at::_ops::relu>::call(self);
  return done<at::_ops::relu>(result);
}

at::Tensor& relu_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!relu_into(result, self)) return OnCpu<at::_ops::relu_>::call(self);
  done<at::_ops::relu_>(result);
  return self;
}

// ---- sigmoid: unary, aclnnSigmoid ----

bool sigmoid_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnSigmoid));
}

at::Tensor sigmoid(const at::Tensor& self) {
  Result result;
  if (!sigmoid_into(result, self)) return OnCpu<at::_ops::sigmoid>::call(self);
  return done<at::_ops::sigmoid>(result);
}

at::Tensor& sigmoid_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!sigmoid_into(result, self)) return OnCpu<at::_ops::sigmoid_>::call(self);
  done<at::_ops::sigmoid_>(result);
  return self;
}

at::Tensor& sigmoid_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sigmoid_into(result, self)) return OnCpu<at::_ops::sigmoid_out>::call(self, out);
  done<at::_ops::sigmoid_out>(result);
  return out;
}

// ---- tanh: unary, aclnnTanh ----

bool tanh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnTanh));
}

at::Tensor tanh(const at::Tensor& self) {
  Result result;
  if (!tanh_into(result, self)) return OnCpu<at::_ops::tanh>::call(self);
  return done<at::_ops::tanh>(result);
}

at::Tensor& tanh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!tanh_into(result, self)) return OnCpu<at::_ops::tanh_>::call(self);
  done<at::_ops::tanh_>(result);
  return self;
}

at::Tensor& tanh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!tanh_into(result, self)) return OnCpu<at::_ops::tanh_out>::call(self, out);
  done<at::_ops::tanh_out>(result);
  return out;
}

// ---- sin: unary, aclnnSin ----

bool sin_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnSin));
}

at::Tensor sin(const at::Tensor& self) {
  Result result;
  if (!sin_into(result, self)) return OnCpu<at::_ops::sin>::call(self);
  return done<at::_ops::sin>(result);
}

at::Tensor& sin_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!sin_into(result, self)) return OnCpu<at::_ops::sin_>::call(self);
  done<at::_ops::sin_>(result);
  return self;
}

at::Tensor& sin_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sin_into(result, self)) return OnCpu<at::_ops::sin_out>::call(self, out);
  done<at::_ops::sin_out>(result);
  return out;
}

// ---- cos: unary, aclnnCos ----

bool cos_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnCos));
}

at::Tensor cos(const at::Tensor& self) {
  Result result;
  if (!cos_into(result, self)) return OnCpu<at::_ops::cos>::call(self);
  return done<at::_ops::cos>(result);
}

at::Tensor& cos_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!cos_into(result, self)) return OnCpu<at::_ops::cos_>::call(self);
  done<at::_ops::cos_>(result);
  return self;
}

at::Tensor& cos_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!cos_into(result, self)) return OnCpu<at::_ops::cos_out>::call(self, out);
  done<at::_ops::cos_out>(result);
  return out;
}

// ---- silu: unary, aclnnSilu ----

bool silu_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnSilu));
}

at::Tensor silu(const at::Tensor& self) {
  Result result;
  if (!silu_into(result, self)) return OnCpu<at::_ops::silu>::call(self);
  return done<at::_ops::silu>(result);
}

at::Tensor& silu_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!silu_into(result, self)) return OnCpu<at::_ops::silu_>::call(self);
  done<at::_ops::silu_>(result);
  return self;
}

at::Tensor& silu_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!silu_into(result, self)) return OnCpu<at::_ops::silu_out>::call(self, out);
  done<at::_ops::silu_out>(result);
  return out;
}

// ---- erf: unary, aclnnErf ----

bool erf_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnErf));
}

at::Tensor erf(const at::Tensor& self) {
  Result result;
  if (!erf_into(result, self)) return OnCpu<at::_ops::erf>::call(self);
  return done<at::_ops::erf>(result);
}

at::Tensor& erf_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!erf_into(result, self)) return OnCpu<at::_ops::erf_>::call(self);
  done<at::_ops::erf_>(result);
  return self;
}

at::Tensor& erf_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!erf_into(result, self)) return OnCpu<at::_ops::erf_out>::call(self, out);
  done<at::_ops::erf_out>(result);
  return out;
}

// ---- floor: unary, aclnnFloor ----

bool floor_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnFloor));
}

at::Tensor floor(const at::Tensor& self) {
  Result result;
  if (!floor_into(result, self)) return OnCpu<at::_ops::floor>::call(self);
  return done<at::_ops::floor>(result);
}

at::Tensor& floor_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!floor_into(result, self)) return OnCpu<at::_ops::floor_>::call(self);
  done<at::_ops::floor_>(result);
  return self;
}

at::Tensor& floor_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!floor_into(result, self)) return OnCpu<at::_ops::floor_out>::call(self, out);
  done<at::_ops::floor_out>(result);
  return out;
}

// ---- ceil: unary, aclnnCeil ----

bool ceil_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnCeil));
}

at::Tensor ceil(const at::Tensor& self) {
  Result result;
  if (!ceil_into(result, self)) return OnCpu<at::_ops::ceil>::call(self);
  return done<at::_ops::ceil>(result);
}

at::Tensor& ceil_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!ceil_into(result, self)) return OnCpu<at::_ops::ceil_>::call(self);
  done<at::_ops::ceil_>(result);
  return self;
}

at::Tensor& ceil_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!ceil_into(result, self)) return OnCpu<at::_ops::ceil_out>::call(self, out);
  done<at::_ops::ceil_out>(result);
  return out;
}

// ---- gelu: activation, aclnnGelu ----

bool gelu_into(Result& result, const at::Tensor& self, c10::string_view approximate) {
  if (!(approximate == "none")) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnGelu));
}

at::Tensor gelu(const at::Tensor& self, c10::string_view approximate) {
  Result result;
  if (!gelu_into(result, self, approximate)) return OnCpu<at::_ops::gelu>::call(self, approximate);
  return done<at::_ops::gelu>(result);
}

at::Tensor& gelu_(at::Tensor& self, c10::string_view approximate) {
  Result result(self, /*in_place=*/true);
  if (!gelu_into(result, self, approximate)) return OnCpu<at::_ops::gelu_>::call(self, approximate);
  done<at::_ops::gelu_>(result);
  return self;
}

at::Tensor& gelu_out(const at::Tensor& self, c10::string_view approximate, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!gelu_into(result, self, approximate)) return OnCpu<at::_ops::gelu_out>::call(self, approximate, out);
  done<at::_ops::gelu_out>(result);
  return out;
}

// ---- leaky_relu: activation, aclnnLeakyRelu ----

bool leaky_relu_into(Result& result, const at::Tensor& self, const at::Scalar& negative_slope) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnLeakyRelu), negative_slope);
}

at::Tensor leaky_relu(const at::Tensor& self, const at::Scalar& negative_slope) {
  Result result;
  if (!leaky_relu_into(result, self, negative_slope)) return OnCpu<at::_ops::leaky_relu>::call(self, negative_slope);
  return done<at::_ops::leaky_relu>(result);
}

at::Tensor& leaky_relu_(at::Tensor& self, const at::Scalar& negative_slope) {
  Result result(self, /*in_place=*/true);
  if (!leaky_relu_into(result, self, negative_slope)) return OnCpu<at::_ops::leaky_relu_>::call(self, negative_slope);
  done<at::_ops::leaky_relu_>(result);
  return self;
}

at::Tensor& leaky_relu_out(const at::Tensor& self, const at::Scalar& negative_slope, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!leaky_relu_into(result, self, negative_slope)) return OnCpu<at::_ops::leaky_relu_out>::call(self, negative_slope, out);
  done<at::_ops::leaky_relu_out>(result);
  return out;
}

// ---- clamp: activation, aclnnClamp ----

bool clamp_into(Result& result, const at::Tensor& self, const std::optional<at::Scalar>& min, const std::optional<at::Scalar>& max) {
  if (!(min && max && min->toDouble() <= max->toDouble())) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, ACLNN(aclnnClamp), *min, *max);
}

at::Tensor clamp(const at::Tensor& self, const std::optional<at::Scalar>& min, const std::optional<at::Scalar>& max) {
  Result result;
  if (!clamp_into(result, self, min, max)) return OnCpu<at::_ops::clamp>::call(self, min, max);
  return done<at::_ops::clamp>(result);
}

at::Tensor& clamp_(at::Tensor& self, const std::optional<at::Scalar>& min, const std::optional<at::Scalar>& max) {
  Result result(self, /*in_place=*/true);
  if (!clamp_into(result, self, min, max)) return OnCpu<at::_ops::clamp_>::call(self, min, max);
  done<at::_ops::clamp_>(result);
  return self;
}

at::Tensor& clamp_out(const at::Tensor& self, const std::optional<at::Scalar>& min, const std::optional<at::Scalar>& max, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!clamp_into(result, self, min, max)) return OnCpu<at::_ops::clamp_out>::call(self, min, max, out);
  done<at::_ops::clamp_out>(result);
  return out;
}

// ---- add.Tensor: binary, aclnnAdd ----

bool add_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex())) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::unary(result.tensor(), self, ACLNN(aclnnAdds), at::Scalar(*number), alpha);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnAdd), alpha);
}

at::Tensor add_Tensor(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  Result result;
  if (!add_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::add_Tensor>::call(self, other, alpha);
  return done<at::_ops::add_Tensor>(result);
}

at::Tensor& add__Tensor(at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  Result result(self, /*in_place=*/true);
  if (!add_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::add__Tensor>::call(self, other, alpha);
  done<at::_ops::add__Tensor>(result);
  return self;
}

at::Tensor& add_out(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!add_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::add_out>::call(self, other, alpha, out);
  done<at::_ops::add_out>(result);
  return out;
}

// ---- sub.Tensor: binary, aclnnSub ----

bool sub_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex())) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::unary(result.tensor(), self, ACLNN(aclnnSubs), at::Scalar(*number), alpha);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnSub), alpha);
}

at::Tensor sub_Tensor(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  Result result;
  if (!sub_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::sub_Tensor>::call(self, other, alpha);
  return done<at::_ops::sub_Tensor>(result);
}

at::Tensor& sub__Tensor(at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  Result result(self, /*in_place=*/true);
  if (!sub_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::sub__Tensor>::call(self, other, alpha);
  done<at::_ops::sub__Tensor>(result);
  return self;
}

at::Tensor& sub_out(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sub_Tensor_into(result, self, other, alpha)) return OnCpu<at::_ops::sub_out>::call(self, other, alpha, out);
  done<at::_ops::sub_out>(result);
  return out;
}

// ---- mul.Tensor: binary, aclnnMul ----

bool mul_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, ACLNN(aclnnMuls));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnMul));
}

at::Tensor mul_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!mul_Tensor_into(result, self, other)) return OnCpu<at::_ops::mul_Tensor>::call(self, other);
  return done<at::_ops::mul_Tensor>(result);
}

at::Tensor& mul__Tensor(at::Tensor& self, const at::Tensor& other) {
  Result result(self, /*in_place=*/true);
  if (!mul_Tensor_into(result, self, other)) return OnCpu<at::_ops::mul__Tensor>::call(self, other);
  done<at::_ops::mul__Tensor>(result);
  return self;
}

at::Tensor& mul_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!mul_Tensor_into(result, self, other)) return OnCpu<at::_ops::mul_out>::call(self, other, out);
  done<at::_ops::mul_out>(result);
  return out;
}

// ---- div.Tensor: binary, aclnnDiv ----

bool div_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, ACLNN(aclnnDivs));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnDiv));
}

at::Tensor div_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!div_Tensor_into(result, self, other)) return OnCpu<at::_ops::div_Tensor>::call(self, other);
  return done<at::_ops::div_Tensor>(result);
}

at::Tensor& div__Tensor(at::Tensor& self, const at::Tensor& other) {
  Result result(self, /*in_place=*/true);
  if (!div_Tensor_into(result, self, other)) return OnCpu<at::_ops::div__Tensor>::call(self, other);
  done<at::_ops::div__Tensor>(result);
  return self;
}

at::Tensor& div_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!div_Tensor_into(result, self, other)) return OnCpu<at::_ops::div_out>::call(self, other, out);
  done<at::_ops::div_out>(result);
  return out;
}

// ---- maximum: binary, aclnnMaximum ----

bool maximum_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnMaximum));
}

at::Tensor maximum(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!maximum_into(result, self, other)) return OnCpu<at::_ops::maximum>::call(self, other);
  return done<at::_ops::maximum>(result);
}

at::Tensor& maximum_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!maximum_into(result, self, other)) return OnCpu<at::_ops::maximum_out>::call(self, other, out);
  done<at::_ops::maximum_out>(result);
  return out;
}

// ---- minimum: binary, aclnnMinimum ----

bool minimum_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnMinimum));
}

at::Tensor minimum(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!minimum_into(result, self, other)) return OnCpu<at::_ops::minimum>::call(self, other);
  return done<at::_ops::minimum>(result);
}

at::Tensor& minimum_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!minimum_into(result, self, other)) return OnCpu<at::_ops::minimum_out>::call(self, other, out);
  done<at::_ops::minimum_out>(result);
  return out;
}

// ---- clamp_min: binary scalar, aclnnClampMin ----

bool clamp_min_into(Result& result, const at::Tensor& self, const at::Scalar& min) {
  return fit({&self}, {at::kFloat}) && !min.isComplex() &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, min.toDouble(), ACLNN(aclnnClampMin));
}

at::Tensor clamp_min(const at::Tensor& self, const at::Scalar& min) {
  Result result;
  if (!clamp_min_into(result, self, min)) return OnCpu<at::_ops::clamp_min>::call(self, min);
  return done<at::_ops::clamp_min>(result);
}

at::Tensor& clamp_min_(at::Tensor& self, const at::Scalar& min) {
  Result result(self, /*in_place=*/true);
  if (!clamp_min_into(result, self, min)) return OnCpu<at::_ops::clamp_min_>::call(self, min);
  done<at::_ops::clamp_min_>(result);
  return self;
}

at::Tensor& clamp_min_out(const at::Tensor& self, const at::Scalar& min, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!clamp_min_into(result, self, min)) return OnCpu<at::_ops::clamp_min_out>::call(self, min, out);
  done<at::_ops::clamp_min_out>(result);
  return out;
}

// ---- pow.Tensor_Scalar: binary scalar, aclnnPowTensorScalar ----

bool pow_Tensor_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& exponent) {
  if (!(!exponent.isComplex() && std::abs(exponent.toDouble()) != 0.5)) return false;
  return fit({&self}, {at::kFloat}) && !exponent.isComplex() &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, exponent.toDouble(), ACLNN(aclnnPowTensorScalar));
}

at::Tensor pow_Tensor_Scalar(const at::Tensor& self, const at::Scalar& exponent) {
  Result result;
  if (!pow_Tensor_Scalar_into(result, self, exponent)) return OnCpu<at::_ops::pow_Tensor_Scalar>::call(self, exponent);
  return done<at::_ops::pow_Tensor_Scalar>(result);
}

at::Tensor& pow__Scalar(at::Tensor& self, const at::Scalar& exponent) {
  Result result(self, /*in_place=*/true);
  if (!pow_Tensor_Scalar_into(result, self, exponent)) return OnCpu<at::_ops::pow__Scalar>::call(self, exponent);
  done<at::_ops::pow__Scalar>(result);
  return self;
}

at::Tensor& pow_Tensor_Scalar_out(const at::Tensor& self, const at::Scalar& exponent, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!pow_Tensor_Scalar_into(result, self, exponent)) return OnCpu<at::_ops::pow_Tensor_Scalar_out>::call(self, exponent, out);
  done<at::_ops::pow_Tensor_Scalar_out>(result);
  return out;
}

// ---- eq.Tensor: comparison, aclnnEqTensor ----

bool eq_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, ACLNN(aclnnEqScalar));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnEqTensor));
}

at::Tensor eq_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!eq_Tensor_into(result, self, other)) return OnCpu<at::_ops::eq_Tensor>::call(self, other);
  return done<at::_ops::eq_Tensor>(result);
}

at::Tensor& eq_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!eq_Tensor_into(result, self, other)) return OnCpu<at::_ops::eq_Tensor_out>::call(self, other, out);
  done<at::_ops::eq_Tensor_out>(result);
  return out;
}

// ---- eq.Scalar: comparison scalar, aclnnEqScalar ----

bool eq_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), ACLNN(aclnnEqScalar));
}

at::Tensor eq_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!eq_Scalar_into(result, self, other)) return OnCpu<at::_ops::eq_Scalar>::call(self, other);
  return done<at::_ops::eq_Scalar>(result);
}

at::Tensor& eq_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!eq_Scalar_into(result, self, other)) return OnCpu<at::_ops::eq_Scalar_out>::call(self, other, out);
  done<at::_ops::eq_Scalar_out>(result);
  return out;
}

// ---- gt.Tensor: comparison, aclnnGtTensor ----

bool gt_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, ACLNN(aclnnGtScalar));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnGtTensor));
}

at::Tensor gt_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!gt_Tensor_into(result, self, other)) return OnCpu<at::_ops::gt_Tensor>::call(self, other);
  return done<at::_ops::gt_Tensor>(result);
}

at::Tensor& gt_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!gt_Tensor_into(result, self, other)) return OnCpu<at::_ops::gt_Tensor_out>::call(self, other, out);
  done<at::_ops::gt_Tensor_out>(result);
  return out;
}

// ---- gt.Scalar: comparison scalar, aclnnGtScalar ----

bool gt_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), ACLNN(aclnnGtScalar));
}

at::Tensor gt_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!gt_Scalar_into(result, self, other)) return OnCpu<at::_ops::gt_Scalar>::call(self, other);
  return done<at::_ops::gt_Scalar>(result);
}

at::Tensor& gt_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!gt_Scalar_into(result, self, other)) return OnCpu<at::_ops::gt_Scalar_out>::call(self, other, out);
  done<at::_ops::gt_Scalar_out>(result);
  return out;
}

// ---- logical_and: logical, aclnnLogicalAnd ----

bool logical_and_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, ACLNN(aclnnLogicalAnd));
}

at::Tensor logical_and(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!logical_and_into(result, self, other)) return OnCpu<at::_ops::logical_and>::call(self, other);
  return done<at::_ops::logical_and>(result);
}

at::Tensor& logical_and_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!logical_and_into(result, self, other)) return OnCpu<at::_ops::logical_and_out>::call(self, other, out);
  done<at::_ops::logical_and_out>(result);
  return out;
}

// ---- sum.dim_IntList: reduction, aclnnReduceSum ----

bool sum_dim_IntList_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, ACLNN(aclnnReduceSum));
}

at::Tensor sum_dim_IntList(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  Result result;
  if (!sum_dim_IntList_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::sum_dim_IntList>::call(self, dim, keepdim, dtype);
  return done<at::_ops::sum_dim_IntList>(result);
}

at::Tensor& sum_IntList_out(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sum_dim_IntList_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::sum_IntList_out>::call(self, dim, keepdim, dtype, out);
  done<at::_ops::sum_IntList_out>(result);
  return out;
}

// ---- mean.dim: reduction, aclnnMean ----

bool mean_dim_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, ACLNN(aclnnMean));
}

at::Tensor mean_dim(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  Result result;
  if (!mean_dim_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::mean_dim>::call(self, dim, keepdim, dtype);
  return done<at::_ops::mean_dim>(result);
}

at::Tensor& mean_out(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!mean_dim_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::mean_out>::call(self, dim, keepdim, dtype, out);
  done<at::_ops::mean_out>(result);
  return out;
}

// ---- amax: reduction, aclnnAmax ----

bool amax_into(Result& result, const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, ACLNN(aclnnAmax));
}

at::Tensor amax(const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  Result result;
  if (!amax_into(result, self, dim, keepdim)) return OnCpu<at::_ops::amax>::call(self, dim, keepdim);
  return done<at::_ops::amax>(result);
}

at::Tensor& amax_out(const at::Tensor& self, at::IntArrayRef dim, bool keepdim, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!amax_into(result, self, dim, keepdim)) return OnCpu<at::_ops::amax_out>::call(self, dim, keepdim, out);
  done<at::_ops::amax_out>(result);
  return out;
}

// ---- _softmax: softmax, aclnnSoftmax ----

bool _softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, ACLNN(aclnnSoftmax));
}

at::Tensor _softmax(const at::Tensor& self, int64_t dim, bool half_to_float) {
  Result result;
  if (!_softmax_into(result, self, dim, half_to_float)) return OnCpu<at::_ops::_softmax>::call(self, dim, half_to_float);
  return done<at::_ops::_softmax>(result);
}

at::Tensor& _softmax_out(const at::Tensor& self, int64_t dim, bool half_to_float, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_softmax_into(result, self, dim, half_to_float)) return OnCpu<at::_ops::_softmax_out>::call(self, dim, half_to_float, out);
  done<at::_ops::_softmax_out>(result);
  return out;
}

// ---- _log_softmax: softmax, aclnnLogSoftmax ----

bool _log_softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, ACLNN(aclnnLogSoftmax));
}

at::Tensor _log_softmax(const at::Tensor& self, int64_t dim, bool half_to_float) {
  Result result;
  if (!_log_softmax_into(result, self, dim, half_to_float)) return OnCpu<at::_ops::_log_softmax>::call(self, dim, half_to_float);
  return done<at::_ops::_log_softmax>(result);
}

at::Tensor& _log_softmax_out(const at::Tensor& self, int64_t dim, bool half_to_float, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_log_softmax_into(result, self, dim, half_to_float)) return OnCpu<at::_ops::_log_softmax_out>::call(self, dim, half_to_float, out);
  done<at::_ops::_log_softmax_out>(result);
  return out;
}

// ---- mm: matmul, aclnnMatmul ----

bool mm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), mat2.size(1)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2, ACLNN(aclnnMatmul));
}

at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  Result result;
  if (!mm_into(result, self, mat2)) return OnCpu<at::_ops::mm>::call(self, mat2);
  return done<at::_ops::mm>(result);
}

at::Tensor& mm_out(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!mm_into(result, self, mat2)) return OnCpu<at::_ops::mm_out>::call(self, mat2, out);
  done<at::_ops::mm_out>(result);
  return out;
}

// ---- bmm: matmul, aclnnMatmul ----

bool bmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 3 && mat2.dim() == 3 && self.size(0) == mat2.size(0) && self.size(2) == mat2.size(1))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), self.size(1), mat2.size(2)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2, ACLNN(aclnnMatmul));
}

at::Tensor bmm(const at::Tensor& self, const at::Tensor& mat2) {
  Result result;
  if (!bmm_into(result, self, mat2)) return OnCpu<at::_ops::bmm>::call(self, mat2);
  return done<at::_ops::bmm>(result);
}

at::Tensor& bmm_out(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!bmm_into(result, self, mat2)) return OnCpu<at::_ops::bmm_out>::call(self, mat2, out);
  done<at::_ops::bmm_out>(result);
  return out;
}

// ---- addmm: linear, aclnnAddmm ----

bool addmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0))) return false;
  const at::DimVector sizes({mat1.size(0), mat2.size(1)});
  return fit({&self, &mat1, &mat2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat1, &mat2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, mat1, mat2, beta.toDouble(),
                             alpha.toDouble(), ACLNN(aclnnAddmm));
}

at::Tensor addmm(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result;
  if (!addmm_into(result, self, mat1, mat2, beta, alpha)) return OnCpu<at::_ops::addmm>::call(self, mat1, mat2, beta, alpha);
  return done<at::_ops::addmm>(result);
}

at::Tensor& addmm_(at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result(self, /*in_place=*/true);
  if (!addmm_into(result, self, mat1, mat2, beta, alpha)) return OnCpu<at::_ops::addmm_>::call(self, mat1, mat2, beta, alpha);
  done<at::_ops::addmm_>(result);
  return self;
}

at::Tensor& addmm_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!addmm_into(result, self, mat1, mat2, beta, alpha)) return OnCpu<at::_ops::addmm_out>::call(self, mat1, mat2, beta, alpha, out);
  done<at::_ops::addmm_out>(result);
  return out;
}

// ---- cat: concat, aclnnCat ----

bool cat_into(Result& result, const at::ITensorListRef& tensors, int64_t dim) {
  std::vector<at::Tensor> parts;
  at::DimVector sizes;
  if (!concatenated(tensors, dim, parts, sizes)) return false;
  std::vector<const at::Tensor*> inputs;
  for (const at::Tensor& part : parts) inputs.push_back(&part);
  return fit(inputs, {at::kFloat}) &&
         result.prepare(sizes, parts[0].scalar_type(), inputs, /*elementwise=*/false) &&
         library::concat(result.tensor(), parts, at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size())), ACLNN(aclnnCat));
}

at::Tensor cat(const at::ITensorListRef& tensors, int64_t dim) {
  Result result;
  if (!cat_into(result, tensors, dim)) return OnCpu<at::_ops::cat>::call(tensors, dim);
  return done<at::_ops::cat>(result);
}

at::Tensor& cat_out(const at::ITensorListRef& tensors, int64_t dim, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!cat_into(result, tensors, dim)) return OnCpu<at::_ops::cat_out>::call(tensors, dim, out);
  done<at::_ops::cat_out>(result);
  return out;
}

// ---- native_layer_norm: layer normalisation, aclnnLayerNorm ----

bool native_layer_norm_into(std::array<Result, 3>& results, const at::Tensor& input, c10::SymIntArrayRef normalized_shape, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps) {
  const at::Tensor scale = weight.value_or(at::Tensor()), shift = bias.value_or(at::Tensor());
  if (!fit({&input, &scale, &shift}, {at::kFloat})) return false;
  const at::IntArrayRef inner = C10_AS_INTARRAYREF_SLOW(normalized_shape);
  if (inner.empty() || inner.size() > input.sizes().size() || input.sizes().slice(input.dim() - inner.size()) != inner) {
    return false;
  }
  at::DimVector statistics(input.sizes().slice(0, input.dim() - inner.size()));
  statistics.resize(input.dim(), 1);
  const at::Tensor dense = input.contiguous();
  for (Result& result : results) {
    const bool first = &result == &results[0];
    if (!result.prepare(first ? input.sizes() : statistics, input.scalar_type(), {&dense}, /*elementwise=*/false)) return false;
  }
  return library::layer_norm(results[0].tensor(), results[1].tensor(), results[2].tensor(), dense,
                             scale.defined() ? scale.contiguous() : scale, shift.defined() ? shift.contiguous() : shift,
                             c10::multiply_integers(inner), eps, ACLNN(aclnnLayerNorm));
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> native_layer_norm(const at::Tensor& input, c10::SymIntArrayRef normalized_shape, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps) {
  std::array<Result, 3> results;
  if (!native_layer_norm_into(results, input, normalized_shape, weight, bias, eps)) return OnCpu<at::_ops::native_layer_norm>::call(input, normalized_shape, weight, bias, eps);
  done<at::_ops::native_layer_norm>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

constexpr CompiledKernel kKernels[] = {
    {at::_ops::abs::name, at::_ops::abs::overload_name, &add_native_kernel<at::_ops::abs, abs>},
    {at::_ops::abs_out::name, at::_ops::abs_out::overload_name, &add_native_kernel<at::_ops::abs_out, abs_out>},
    {at::_ops::neg::name, at::_ops::neg::overload_name, &add_native_kernel<at::_ops::neg, neg>},
    {at::_ops::neg_::name, at::_ops::neg_::overload_name, &add_native_kernel<at::_ops::neg_, neg_>},
    {at::_ops::neg_out::name, at::_ops::neg_out::overload_name, &add_native_kernel<at::_ops::neg_out, neg_out>},
    {at::_ops::exp::name, at::_ops::exp::overload_name, &add_native_kernel<at::_ops::exp, exp>},
    {at::_ops::exp_::name, at::_ops::exp_::overload_name, &add_native_kernel<at::_ops::exp_, exp_>},
    {at::_ops::exp_out::name, at::_ops::exp_out::overload_name, &add_native_kernel<at::_ops::exp_out, exp_out>},
    {at::_ops::log::name, at::_ops::log::overload_name, &add_native_kernel<at::_ops::log, log>},
    {at::_ops::log_::name, at::_ops::log_::overload_name, &add_native_kernel<at::_ops::log_, log_>},
    {at::_ops::log_out::name, at::_ops::log_out::overload_name, &add_native_kernel<at::_ops::log_out, log_out>},
    {at::_ops::sqrt::name, at::_ops::sqrt::overload_name, &add_native_kernel<at::_ops::sqrt, sqrt>},
    {at::_ops::sqrt_::name, at::_ops::sqrt_::overload_name, &add_native_kernel<at::_ops::sqrt_, sqrt_>},
    {at::_ops::sqrt_out::name, at::_ops::sqrt_out::overload_name, &add_native_kernel<at::_ops::sqrt_out, sqrt_out>},
    {at::_ops::rsqrt::name, at::_ops::rsqrt::overload_name, &add_native_kernel<at::_ops::rsqrt, rsqrt>},
    {at::_ops::rsqrt_::name, at::_ops::rsqrt_::overload_name, &add_native_kernel<at::_ops::rsqrt_, rsqrt_>},
    {at::_ops::rsqrt_out::name, at::_ops::rsqrt_out::overload_name, &add_native_kernel<at::_ops::rsqrt_out, rsqrt_out>},
    {at::_ops::reciprocal::name, at::_ops::reciprocal::overload_name, &add_native_kernel<at::_ops::reciprocal, reciprocal>},
    {at::_ops::reciprocal_::name, at::_ops::reciprocal_::overload_name, &add_native_kernel<at::_ops::reciprocal_, reciprocal_>},
    {at::_ops::reciprocal_out::name, at::_ops::reciprocal_out::overload_name, &add_native_kernel<at::_ops::reciprocal_out, reciprocal_out>},
    {at::_ops::relu::name, at::_ops::relu::overload_name, &add_native_kernel<at::_ops::relu, relu>},
    {at::_ops::relu_::name, at::_ops::relu_::overload_name, &add_native_kernel<at::_ops::relu_, relu_>},
    {at::_ops::sigmoid::name, at::_ops::sigmoid::overload_name, &add_native_kernel<at::_ops::sigmoid, sigmoid>},
    {at::_ops::sigmoid_::name, at::_ops::sigmoid_::overload_name, &add_native_kernel<at::_ops::sigmoid_, sigmoid_>},
    {at::_ops::sigmoid_out::name, at::_ops::sigmoid_out::overload_name, &add_native_kernel<at::_ops::sigmoid_out, sigmoid_out>},
    {at::_ops::tanh::name, at::_ops::tanh::overload_name, &add_native_kernel<at::_ops::tanh, tanh>},
    {at::_ops::tanh_::name, at::_ops::tanh_::overload_name, &add_native_kernel<at::_ops::tanh_, tanh_>},
    {at::_ops::tanh_out::name, at::_ops::tanh_out::overload_name, &add_native_kernel<at::_ops::tanh_out, tanh_out>},
    {at::_ops::sin::name, at::_ops::sin::overload_name, &add_native_kernel<at::_ops::sin, sin>},
    {at::_ops::sin_::name, at::_ops::sin_::overload_name, &add_native_kernel<at::_ops::sin_, sin_>},
    {at::_ops::sin_out::name, at::_ops::sin_out::overload_name, &add_native_kernel<at::_ops::sin_out, sin_out>},
    {at::_ops::cos::name, at::_ops::cos::overload_name, &add_native_kernel<at::_ops::cos, cos>},
    {at::_ops::cos_::name, at::_ops::cos_::overload_name, &add_native_kernel<at::_ops::cos_, cos_>},
    {at::_ops::cos_out::name, at::_ops::cos_out::overload_name, &add_native_kernel<at::_ops::cos_out, cos_out>},
    {at::_ops::silu::name, at::_ops::silu::overload_name, &add_native_kernel<at::_ops::silu, silu>},
    {at::_ops::silu_::name, at::_ops::silu_::overload_name, &add_native_kernel<at::_ops::silu_, silu_>},
    {at::_ops::silu_out::name, at::_ops::silu_out::overload_name, &add_native_kernel<at::_ops::silu_out, silu_out>},
    {at::_ops::erf::name, at::_ops::erf::overload_name, &add_native_kernel<at::_ops::erf, erf>},
    {at::_ops::erf_::name, at::_ops::erf_::overload_name, &add_native_kernel<at::_ops::erf_, erf_>},
    {at::_ops::erf_out::name, at::_ops::erf_out::overload_name, &add_native_kernel<at::_ops::erf_out, erf_out>},
    {at::_ops::floor::name, at::_ops::floor::overload_name, &add_native_kernel<at::_ops::floor, floor>},
    {at::_ops::floor_::name, at::_ops::floor_::overload_name, &add_native_kernel<at::_ops::floor_, floor_>},
    {at::_ops::floor_out::name, at::_ops::floor_out::overload_name, &add_native_kernel<at::_ops::floor_out, floor_out>},
    {at::_ops::ceil::name, at::_ops::ceil::overload_name, &add_native_kernel<at::_ops::ceil, ceil>},
    {at::_ops::ceil_::name, at::_ops::ceil_::overload_name, &add_native_kernel<at::_ops::ceil_, ceil_>},
    {at::_ops::ceil_out::name, at::_ops::ceil_out::overload_name, &add_native_kernel<at::_ops::ceil_out, ceil_out>},
    {at::_ops::gelu::name, at::_ops::gelu::overload_name, &add_native_kernel<at::_ops::gelu, gelu>},
    {at::_ops::gelu_::name, at::_ops::gelu_::overload_name, &add_native_kernel<at::_ops::gelu_, gelu_>},
    {at::_ops::gelu_out::name, at::_ops::gelu_out::overload_name, &add_native_kernel<at::_ops::gelu_out, gelu_out>},
    {at::_ops::leaky_relu::name, at::_ops::leaky_relu::overload_name, &add_native_kernel<at::_ops::leaky_relu, leaky_relu>},
    {at::_ops::leaky_relu_::name, at::_ops::leaky_relu_::overload_name, &add_native_kernel<at::_ops::leaky_relu_, leaky_relu_>},
    {at::_ops::leaky_relu_out::name, at::_ops::leaky_relu_out::overload_name, &add_native_kernel<at::_ops::leaky_relu_out, leaky_relu_out>},
    {at::_ops::clamp::name, at::_ops::clamp::overload_name, &add_native_kernel<at::_ops::clamp, clamp>},
    {at::_ops::clamp_::name, at::_ops::clamp_::overload_name, &add_native_kernel<at::_ops::clamp_, clamp_>},
    {at::_ops::clamp_out::name, at::_ops::clamp_out::overload_name, &add_native_kernel<at::_ops::clamp_out, clamp_out>},
    {at::_ops::add_Tensor::name, at::_ops::add_Tensor::overload_name, &add_native_kernel<at::_ops::add_Tensor, add_Tensor>},
    {at::_ops::add__Tensor::name, at::_ops::add__Tensor::overload_name, &add_native_kernel<at::_ops::add__Tensor, add__Tensor>},
    {at::_ops::add_out::name, at::_ops::add_out::overload_name, &add_native_kernel<at::_ops::add_out, add_out>},
    {at::_ops::sub_Tensor::name, at::_ops::sub_Tensor::overload_name, &add_native_kernel<at::_ops::sub_Tensor, sub_Tensor>},
    {at::_ops::sub__Tensor::name, at::_ops::sub__Tensor::overload_name, &add_native_kernel<at::_ops::sub__Tensor, sub__Tensor>},
    {at::_ops::sub_out::name, at::_ops::sub_out::overload_name, &add_native_kernel<at::_ops::sub_out, sub_out>},
    {at::_ops::mul_Tensor::name, at::_ops::mul_Tensor::overload_name, &add_native_kernel<at::_ops::mul_Tensor, mul_Tensor>},
    {at::_ops::mul__Tensor::name, at::_ops::mul__Tensor::overload_name, &add_native_kernel<at::_ops::mul__Tensor, mul__Tensor>},
    {at::_ops::mul_out::name, at::_ops::mul_out::overload_name, &add_native_kernel<at::_ops::mul_out, mul_out>},
    {at::_ops::div_Tensor::name, at::_ops::div_Tensor::overload_name, &add_native_kernel<at::_ops::div_Tensor, div_Tensor>},
    {at::_ops::div__Tensor::name, at::_ops::div__Tensor::overload_name, &add_native_kernel<at::_ops::div__Tensor, div__Tensor>},
    {at::_ops::div_out::name, at::_ops::div_out::overload_name, &add_native_kernel<at::_ops::div_out, div_out>},
    {at::_ops::maximum::name, at::_ops::maximum::overload_name, &add_native_kernel<at::_ops::maximum, maximum>},
    {at::_ops::maximum_out::name, at::_ops::maximum_out::overload_name, &add_native_kernel<at::_ops::maximum_out, maximum_out>},
    {at::_ops::minimum::name, at::_ops::minimum::overload_name, &add_native_kernel<at::_ops::minimum, minimum>},
    {at::_ops::minimum_out::name, at::_ops::minimum_out::overload_name, &add_native_kernel<at::_ops::minimum_out, minimum_out>},
    {at::_ops::clamp_min::name, at::_ops::clamp_min::overload_name, &add_native_kernel<at::_ops::clamp_min, clamp_min>},
    {at::_ops::clamp_min_::name, at::_ops::clamp_min_::overload_name, &add_native_kernel<at::_ops::clamp_min_, clamp_min_>},
    {at::_ops::clamp_min_out::name, at::_ops::clamp_min_out::overload_name, &add_native_kernel<at::_ops::clamp_min_out, clamp_min_out>},
    {at::_ops::pow_Tensor_Scalar::name, at::_ops::pow_Tensor_Scalar::overload_name, &add_native_kernel<at::_ops::pow_Tensor_Scalar, pow_Tensor_Scalar>},
    {at::_ops::pow__Scalar::name, at::_ops::pow__Scalar::overload_name, &add_native_kernel<at::_ops::pow__Scalar, pow__Scalar>},
    {at::_ops::pow_Tensor_Scalar_out::name, at::_ops::pow_Tensor_Scalar_out::overload_name, &add_native_kernel<at::_ops::pow_Tensor_Scalar_out, pow_Tensor_Scalar_out>},
    {at::_ops::eq_Tensor::name, at::_ops::eq_Tensor::overload_name, &add_native_kernel<at::_ops::eq_Tensor, eq_Tensor>},
    {at::_ops::eq_Tensor_out::name, at::_ops::eq_Tensor_out::overload_name, &add_native_kernel<at::_ops::eq_Tensor_out, eq_Tensor_out>},
    {at::_ops::eq_Scalar::name, at::_ops::eq_Scalar::overload_name, &add_native_kernel<at::_ops::eq_Scalar, eq_Scalar>},
    {at::_ops::eq_Scalar_out::name, at::_ops::eq_Scalar_out::overload_name, &add_native_kernel<at::_ops::eq_Scalar_out, eq_Scalar_out>},
    {at::_ops::gt_Tensor::name, at::_ops::gt_Tensor::overload_name, &add_native_kernel<at::_ops::gt_Tensor, gt_Tensor>},
    {at::_ops::gt_Tensor_out::name, at::_ops::gt_Tensor_out::overload_name, &add_native_kernel<at::_ops::gt_Tensor_out, gt_Tensor_out>},
    {at::_ops::gt_Scalar::name, at::_ops::gt_Scalar::overload_name, &add_native_kernel<at::_ops::gt_Scalar, gt_Scalar>},
    {at::_ops::gt_Scalar_out::name, at::_ops::gt_Scalar_out::overload_name, &add_native_kernel<at::_ops::gt_Scalar_out, gt_Scalar_out>},
    {at::_ops::logical_and::name, at::_ops::logical_and::overload_name, &add_native_kernel<at::_ops::logical_and, logical_and>},
    {at::_ops::logical_and_out::name, at::_ops::logical_and_out::overload_name, &add_native_kernel<at::_ops::logical_and_out, logical_and_out>},
    {at::_ops::sum_dim_IntList::name, at::_ops::sum_dim_IntList::overload_name, &add_native_kernel<at::_ops::sum_dim_IntList, sum_dim_IntList>},
    {at::_ops::sum_IntList_out::name, at::_ops::sum_IntList_out::overload_name, &add_native_kernel<at::_ops::sum_IntList_out, sum_IntList_out>},
    {at::_ops::mean_dim::name, at::_ops::mean_dim::overload_name, &add_native_kernel<at::_ops::mean_dim, mean_dim>},
    {at::_ops::mean_out::name, at::_ops::mean_out::overload_name, &add_native_kernel<at::_ops::mean_out, mean_out>},
    {at::_ops::amax::name, at::_ops::amax::overload_name, &add_native_kernel<at::_ops::amax, amax>},
    {at::_ops::amax_out::name, at::_ops::amax_out::overload_name, &add_native_kernel<at::_ops::amax_out, amax_out>},
    {at::_ops::_softmax::name, at::_ops::_softmax::overload_name, &add_native_kernel<at::_ops::_softmax, _softmax>},
    {at::_ops::_softmax_out::name, at::_ops::_softmax_out::overload_name, &add_native_kernel<at::_ops::_softmax_out, _softmax_out>},
    {at::_ops::_log_softmax::name, at::_ops::_log_softmax::overload_name, &add_native_kernel<at::_ops::_log_softmax, _log_softmax>},
    {at::_ops::_log_softmax_out::name, at::_ops::_log_softmax_out::overload_name, &add_native_kernel<at::_ops::_log_softmax_out, _log_softmax_out>},
    {at::_ops::mm::name, at::_ops::mm::overload_name, &add_native_kernel<at::_ops::mm, mm>},
    {at::_ops::mm_out::name, at::_ops::mm_out::overload_name, &add_native_kernel<at::_ops::mm_out, mm_out>},
    {at::_ops::bmm::name, at::_ops::bmm::overload_name, &add_native_kernel<at::_ops::bmm, bmm>},
    {at::_ops::bmm_out::name, at::_ops::bmm_out::overload_name, &add_native_kernel<at::_ops::bmm_out, bmm_out>},
    {at::_ops::addmm::name, at::_ops::addmm::overload_name, &add_native_kernel<at::_ops::addmm, addmm>},
    {at::_ops::addmm_::name, at::_ops::addmm_::overload_name, &add_native_kernel<at::_ops::addmm_, addmm_>},
    {at::_ops::addmm_out::name, at::_ops::addmm_out::overload_name, &add_native_kernel<at::_ops::addmm_out, addmm_out>},
    {at::_ops::cat::name, at::_ops::cat::overload_name, &add_native_kernel<at::_ops::cat, cat>},
    {at::_ops::cat_out::name, at::_ops::cat_out::overload_name, &add_native_kernel<at::_ops::cat_out, cat_out>},
    {at::_ops::native_layer_norm::name, at::_ops::native_layer_norm::overload_name, &add_native_kernel<at::_ops::native_layer_norm, native_layer_norm>},
};

}  // namespace

aclDataType ascend::data_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
      return ACL_FLOAT;
    case at::kBool:
      return ACL_BOOL;
    default:
      return ACL_DT_UNDEFINED;
  }
}

}  // namespace flagos

extern "C" FLAGOS_EXPORT const flagos::CompiledKernel* flagos_kernel(size_t number) {
  return number < std::size(flagos::kKernels) ? flagos::kKernels + number : nullptr;
}
