// @generated from docs/vendors/kunlun/op-api-map.yaml by generators.native_op; do not edit.
//
// The kernels of kunlun's operators: marshalling by category, the library's call, and registration. What a kernel
// does not take goes to the CPU, and is counted there.
#include "calls.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>

#include <cmath>

#include <xpu/xdnn.h>

#include <ATen/ops/_foreach_abs_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_exp_ops.h>
#include <ATen/ops/_foreach_log_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_reciprocal_ops.h>
#include <ATen/ops/_foreach_rsqrt_ops.h>
#include <ATen/ops/_foreach_sigmoid_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_foreach_tanh_ops.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/acos_ops.h>
#include <ATen/ops/acosh_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/asin_ops.h>
#include <ATen/ops/asinh_ops.h>
#include <ATen/ops/atan_ops.h>
#include <ATen/ops/atanh_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/clamp_max_ops.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/cosh_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/erf_ops.h>
#include <ATen/ops/erfinv_ops.h>
#include <ATen/ops/exp2_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/hardshrink_ops.h>
#include <ATen/ops/hardsigmoid_ops.h>
#include <ATen/ops/hardswish_backward_ops.h>
#include <ATen/ops/hardswish_ops.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/leaky_relu_backward_ops.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/log1p_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/logical_or_ops.h>
#include <ATen/ops/logical_xor_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/mish_backward_ops.h>
#include <ATen/ops/mish_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sign_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sinh_ops.h>
#include <ATen/ops/softplus_backward_ops.h>
#include <ATen/ops/softplus_ops.h>
#include <ATen/ops/softshrink_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tan_ops.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/threshold_ops.h>

namespace flagos {
namespace {

namespace library = kunlun;

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

// ---- abs: unary, abs ----

bool abs_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), abs));
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

// ---- acos: unary, arccos ----

bool acos_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), arccos));
}

at::Tensor acos(const at::Tensor& self) {
  Result result;
  if (!acos_into(result, self)) return OnCpu<at::_ops::acos>::call(self);
  return done<at::_ops::acos>(result);
}

at::Tensor& acos_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!acos_into(result, self)) return OnCpu<at::_ops::acos_>::call(self);
  done<at::_ops::acos_>(result);
  return self;
}

at::Tensor& acos_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!acos_into(result, self)) return OnCpu<at::_ops::acos_out>::call(self, out);
  done<at::_ops::acos_out>(result);
  return out;
}

// ---- acosh: unary, acosh ----

bool acosh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), acosh));
}

at::Tensor acosh(const at::Tensor& self) {
  Result result;
  if (!acosh_into(result, self)) return OnCpu<at::_ops::acosh>::call(self);
  return done<at::_ops::acosh>(result);
}

at::Tensor& acosh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!acosh_into(result, self)) return OnCpu<at::_ops::acosh_>::call(self);
  done<at::_ops::acosh_>(result);
  return self;
}

at::Tensor& acosh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!acosh_into(result, self)) return OnCpu<at::_ops::acosh_out>::call(self, out);
  done<at::_ops::acosh_out>(result);
  return out;
}

// ---- asin: unary, arcsin ----

bool asin_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), arcsin));
}

at::Tensor asin(const at::Tensor& self) {
  Result result;
  if (!asin_into(result, self)) return OnCpu<at::_ops::asin>::call(self);
  return done<at::_ops::asin>(result);
}

at::Tensor& asin_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!asin_into(result, self)) return OnCpu<at::_ops::asin_>::call(self);
  done<at::_ops::asin_>(result);
  return self;
}

at::Tensor& asin_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!asin_into(result, self)) return OnCpu<at::_ops::asin_out>::call(self, out);
  done<at::_ops::asin_out>(result);
  return out;
}

// ---- asinh: unary, asinh ----

bool asinh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), asinh));
}

at::Tensor asinh(const at::Tensor& self) {
  Result result;
  if (!asinh_into(result, self)) return OnCpu<at::_ops::asinh>::call(self);
  return done<at::_ops::asinh>(result);
}

at::Tensor& asinh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!asinh_into(result, self)) return OnCpu<at::_ops::asinh_>::call(self);
  done<at::_ops::asinh_>(result);
  return self;
}

at::Tensor& asinh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!asinh_into(result, self)) return OnCpu<at::_ops::asinh_out>::call(self, out);
  done<at::_ops::asinh_out>(result);
  return out;
}

// ---- atan: unary, arctan ----

bool atan_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), arctan));
}

at::Tensor atan(const at::Tensor& self) {
  Result result;
  if (!atan_into(result, self)) return OnCpu<at::_ops::atan>::call(self);
  return done<at::_ops::atan>(result);
}

at::Tensor& atan_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!atan_into(result, self)) return OnCpu<at::_ops::atan_>::call(self);
  done<at::_ops::atan_>(result);
  return self;
}

at::Tensor& atan_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!atan_into(result, self)) return OnCpu<at::_ops::atan_out>::call(self, out);
  done<at::_ops::atan_out>(result);
  return out;
}

// ---- atanh: unary, atanh ----

bool atanh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), atanh));
}

at::Tensor atanh(const at::Tensor& self) {
  Result result;
  if (!atanh_into(result, self)) return OnCpu<at::_ops::atanh>::call(self);
  return done<at::_ops::atanh>(result);
}

at::Tensor& atanh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!atanh_into(result, self)) return OnCpu<at::_ops::atanh_>::call(self);
  done<at::_ops::atanh_>(result);
  return self;
}

at::Tensor& atanh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!atanh_into(result, self)) return OnCpu<at::_ops::atanh_out>::call(self, out);
  done<at::_ops::atanh_out>(result);
  return out;
}

// ---- ceil: unary, ceil ----

bool ceil_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), ceil));
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

// ---- cos: unary, cos ----

bool cos_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), cos));
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

// ---- cosh: unary, cosh ----

bool cosh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), cosh));
}

at::Tensor cosh(const at::Tensor& self) {
  Result result;
  if (!cosh_into(result, self)) return OnCpu<at::_ops::cosh>::call(self);
  return done<at::_ops::cosh>(result);
}

at::Tensor& cosh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!cosh_into(result, self)) return OnCpu<at::_ops::cosh_>::call(self);
  done<at::_ops::cosh_>(result);
  return self;
}

at::Tensor& cosh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!cosh_into(result, self)) return OnCpu<at::_ops::cosh_out>::call(self, out);
  done<at::_ops::cosh_out>(result);
  return out;
}

// ---- erf: unary, erf ----

bool erf_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), erf));
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

// ---- erfinv: unary, erfinv ----

bool erfinv_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), erfinv));
}

at::Tensor erfinv(const at::Tensor& self) {
  Result result;
  if (!erfinv_into(result, self)) return OnCpu<at::_ops::erfinv>::call(self);
  return done<at::_ops::erfinv>(result);
}

at::Tensor& erfinv_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!erfinv_into(result, self)) return OnCpu<at::_ops::erfinv_>::call(self);
  done<at::_ops::erfinv_>(result);
  return self;
}

at::Tensor& erfinv_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!erfinv_into(result, self)) return OnCpu<at::_ops::erfinv_out>::call(self, out);
  done<at::_ops::erfinv_out>(result);
  return out;
}

// ---- exp: unary, exp ----

bool exp_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), exp));
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

// ---- exp2: unary, exp2 ----

bool exp2_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), exp2));
}

at::Tensor exp2(const at::Tensor& self) {
  Result result;
  if (!exp2_into(result, self)) return OnCpu<at::_ops::exp2>::call(self);
  return done<at::_ops::exp2>(result);
}

at::Tensor& exp2_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!exp2_into(result, self)) return OnCpu<at::_ops::exp2_>::call(self);
  done<at::_ops::exp2_>(result);
  return self;
}

at::Tensor& exp2_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!exp2_into(result, self)) return OnCpu<at::_ops::exp2_out>::call(self, out);
  done<at::_ops::exp2_out>(result);
  return out;
}

// ---- floor: unary, floor ----

bool floor_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), floor));
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

// ---- log: unary, log ----

bool log_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), log));
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

// ---- log1p: unary, log1p ----

bool log1p_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), log1p));
}

at::Tensor log1p(const at::Tensor& self) {
  Result result;
  if (!log1p_into(result, self)) return OnCpu<at::_ops::log1p>::call(self);
  return done<at::_ops::log1p>(result);
}

at::Tensor& log1p_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!log1p_into(result, self)) return OnCpu<at::_ops::log1p_>::call(self);
  done<at::_ops::log1p_>(result);
  return self;
}

at::Tensor& log1p_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!log1p_into(result, self)) return OnCpu<at::_ops::log1p_out>::call(self, out);
  done<at::_ops::log1p_out>(result);
  return out;
}

// ---- neg: unary, neg ----

bool neg_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), neg));
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

// ---- reciprocal: unary, reciprocal ----

bool reciprocal_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), reciprocal));
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

// ---- rsqrt: unary, rsqrt ----

bool rsqrt_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), rsqrt));
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

// ---- sign: unary, sign ----

bool sign_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), sign));
}

at::Tensor sign(const at::Tensor& self) {
  Result result;
  if (!sign_into(result, self)) return OnCpu<at::_ops::sign>::call(self);
  return done<at::_ops::sign>(result);
}

at::Tensor& sign_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!sign_into(result, self)) return OnCpu<at::_ops::sign_>::call(self);
  done<at::_ops::sign_>(result);
  return self;
}

at::Tensor& sign_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sign_into(result, self)) return OnCpu<at::_ops::sign_out>::call(self, out);
  done<at::_ops::sign_out>(result);
  return out;
}

// ---- sin: unary, sin ----

bool sin_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), sin));
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

// ---- sinh: unary, sinh ----

bool sinh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), sinh));
}

at::Tensor sinh(const at::Tensor& self) {
  Result result;
  if (!sinh_into(result, self)) return OnCpu<at::_ops::sinh>::call(self);
  return done<at::_ops::sinh>(result);
}

at::Tensor& sinh_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!sinh_into(result, self)) return OnCpu<at::_ops::sinh_>::call(self);
  done<at::_ops::sinh_>(result);
  return self;
}

at::Tensor& sinh_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!sinh_into(result, self)) return OnCpu<at::_ops::sinh_out>::call(self, out);
  done<at::_ops::sinh_out>(result);
  return out;
}

// ---- sqrt: unary, sqrt ----

bool sqrt_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), sqrt));
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

// ---- tan: unary, tan ----

bool tan_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), tan));
}

at::Tensor tan(const at::Tensor& self) {
  Result result;
  if (!tan_into(result, self)) return OnCpu<at::_ops::tan>::call(self);
  return done<at::_ops::tan>(result);
}

at::Tensor& tan_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!tan_into(result, self)) return OnCpu<at::_ops::tan_>::call(self);
  done<at::_ops::tan_>(result);
  return self;
}

at::Tensor& tan_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!tan_into(result, self)) return OnCpu<at::_ops::tan_out>::call(self, out);
  done<at::_ops::tan_out>(result);
  return out;
}

// ---- round: unary, round ----

bool round_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), round), int64_t{0});
}

at::Tensor round(const at::Tensor& self) {
  Result result;
  if (!round_into(result, self)) return OnCpu<at::_ops::round>::call(self);
  return done<at::_ops::round>(result);
}

at::Tensor& round_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!round_into(result, self)) return OnCpu<at::_ops::round_>::call(self);
  done<at::_ops::round_>(result);
  return self;
}

at::Tensor& round_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!round_into(result, self)) return OnCpu<at::_ops::round_out>::call(self, out);
  done<at::_ops::round_out>(result);
  return out;
}

// ---- logical_not: unary, logical_not ----

bool logical_not_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kBool}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((bool), logical_not));
}

at::Tensor logical_not(const at::Tensor& self) {
  Result result;
  if (!logical_not_into(result, self)) return OnCpu<at::_ops::logical_not>::call(self);
  return done<at::_ops::logical_not>(result);
}

at::Tensor& logical_not_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!logical_not_into(result, self)) return OnCpu<at::_ops::logical_not_>::call(self);
  done<at::_ops::logical_not_>(result);
  return self;
}

at::Tensor& logical_not_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!logical_not_into(result, self)) return OnCpu<at::_ops::logical_not_out>::call(self, out);
  done<at::_ops::logical_not_out>(result);
  return out;
}

// ---- hardswish: unary, hard_swish ----

bool hardswish_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), hard_swish));
}

at::Tensor hardswish(const at::Tensor& self) {
  Result result;
  if (!hardswish_into(result, self)) return OnCpu<at::_ops::hardswish>::call(self);
  return done<at::_ops::hardswish>(result);
}

at::Tensor& hardswish_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!hardswish_into(result, self)) return OnCpu<at::_ops::hardswish_>::call(self);
  done<at::_ops::hardswish_>(result);
  return self;
}

at::Tensor& hardswish_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!hardswish_into(result, self)) return OnCpu<at::_ops::hardswish_out>::call(self, out);
  done<at::_ops::hardswish_out>(result);
  return out;
}

// ---- mish: unary, mish ----

bool mish_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), mish));
}

at::Tensor mish(const at::Tensor& self) {
  Result result;
  if (!mish_into(result, self)) return OnCpu<at::_ops::mish>::call(self);
  return done<at::_ops::mish>(result);
}

at::Tensor& mish_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!mish_into(result, self)) return OnCpu<at::_ops::mish_>::call(self);
  done<at::_ops::mish_>(result);
  return self;
}

at::Tensor& mish_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!mish_into(result, self)) return OnCpu<at::_ops::mish_out>::call(self, out);
  done<at::_ops::mish_out>(result);
  return out;
}

// ---- relu: unary, relu ----

bool relu_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), relu));
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

// ---- sigmoid: unary, sigmoid ----

bool sigmoid_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), sigmoid));
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

// ---- silu: unary, swish ----

bool silu_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), swish));
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

// ---- tanh: unary, tanh ----

bool tanh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), tanh));
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

// ---- hardsigmoid: activation, hard_sigmoid ----

bool hardsigmoid_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), hard_sigmoid), 1.0F / 6);
}

at::Tensor hardsigmoid(const at::Tensor& self) {
  Result result;
  if (!hardsigmoid_into(result, self)) return OnCpu<at::_ops::hardsigmoid>::call(self);
  return done<at::_ops::hardsigmoid>(result);
}

at::Tensor& hardsigmoid_(at::Tensor& self) {
  Result result(self, /*in_place=*/true);
  if (!hardsigmoid_into(result, self)) return OnCpu<at::_ops::hardsigmoid_>::call(self);
  done<at::_ops::hardsigmoid_>(result);
  return self;
}

at::Tensor& hardsigmoid_out(const at::Tensor& self, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!hardsigmoid_into(result, self)) return OnCpu<at::_ops::hardsigmoid_out>::call(self, out);
  done<at::_ops::hardsigmoid_out>(result);
  return out;
}

// ---- elu: activation, elu ----

bool elu_into(Result& result, const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale) {
  if (!(scale.toDouble() == 1 && input_scale.toDouble() == 1)) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), elu), alpha.toDouble());
}

at::Tensor elu(const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale) {
  Result result;
  if (!elu_into(result, self, alpha, scale, input_scale)) return OnCpu<at::_ops::elu>::call(self, alpha, scale, input_scale);
  return done<at::_ops::elu>(result);
}

at::Tensor& elu_(at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale) {
  Result result(self, /*in_place=*/true);
  if (!elu_into(result, self, alpha, scale, input_scale)) return OnCpu<at::_ops::elu_>::call(self, alpha, scale, input_scale);
  done<at::_ops::elu_>(result);
  return self;
}

at::Tensor& elu_out(const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!elu_into(result, self, alpha, scale, input_scale)) return OnCpu<at::_ops::elu_out>::call(self, alpha, scale, input_scale, out);
  done<at::_ops::elu_out>(result);
  return out;
}

// ---- gelu: activation, gelu ----

bool gelu_into(Result& result, const at::Tensor& self, c10::string_view approximate) {
  if (!(approximate == "none")) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), gelu));
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

// ---- hardshrink: activation, hard_shrink ----

bool hardshrink_into(Result& result, const at::Tensor& self, const at::Scalar& lambd) {
  if (!(lambd.toDouble() >= 0)) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), hard_shrink), lambd.toDouble());
}

at::Tensor hardshrink(const at::Tensor& self, const at::Scalar& lambd) {
  Result result;
  if (!hardshrink_into(result, self, lambd)) return OnCpu<at::_ops::hardshrink>::call(self, lambd);
  return done<at::_ops::hardshrink>(result);
}

at::Tensor& hardshrink_out(const at::Tensor& self, const at::Scalar& lambd, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!hardshrink_into(result, self, lambd)) return OnCpu<at::_ops::hardshrink_out>::call(self, lambd, out);
  done<at::_ops::hardshrink_out>(result);
  return out;
}

// ---- hardtanh: activation, hard_tanh ----

bool hardtanh_into(Result& result, const at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val) {
  if (!(min_val.toDouble() <= max_val.toDouble())) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), hard_tanh), min_val.toDouble(), max_val.toDouble());
}

at::Tensor hardtanh(const at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val) {
  Result result;
  if (!hardtanh_into(result, self, min_val, max_val)) return OnCpu<at::_ops::hardtanh>::call(self, min_val, max_val);
  return done<at::_ops::hardtanh>(result);
}

at::Tensor& hardtanh_(at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val) {
  Result result(self, /*in_place=*/true);
  if (!hardtanh_into(result, self, min_val, max_val)) return OnCpu<at::_ops::hardtanh_>::call(self, min_val, max_val);
  done<at::_ops::hardtanh_>(result);
  return self;
}

at::Tensor& hardtanh_out(const at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!hardtanh_into(result, self, min_val, max_val)) return OnCpu<at::_ops::hardtanh_out>::call(self, min_val, max_val, out);
  done<at::_ops::hardtanh_out>(result);
  return out;
}

// ---- leaky_relu: activation, leaky_relu ----

bool leaky_relu_into(Result& result, const at::Tensor& self, const at::Scalar& negative_slope) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), leaky_relu), negative_slope.toDouble());
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

// ---- softshrink: activation, soft_shrink ----

bool softshrink_into(Result& result, const at::Tensor& self, const at::Scalar& lambd) {
  if (!(lambd.toDouble() >= 0)) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), soft_shrink), lambd.toDouble());
}

at::Tensor softshrink(const at::Tensor& self, const at::Scalar& lambd) {
  Result result;
  if (!softshrink_into(result, self, lambd)) return OnCpu<at::_ops::softshrink>::call(self, lambd);
  return done<at::_ops::softshrink>(result);
}

at::Tensor& softshrink_out(const at::Tensor& self, const at::Scalar& lambd, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!softshrink_into(result, self, lambd)) return OnCpu<at::_ops::softshrink_out>::call(self, lambd, out);
  done<at::_ops::softshrink_out>(result);
  return out;
}

// ---- softplus: activation, softplus ----

bool softplus_into(Result& result, const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), softplus), beta.toDouble(), threshold.toDouble());
}

at::Tensor softplus(const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold) {
  Result result;
  if (!softplus_into(result, self, beta, threshold)) return OnCpu<at::_ops::softplus>::call(self, beta, threshold);
  return done<at::_ops::softplus>(result);
}

at::Tensor& softplus_out(const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!softplus_into(result, self, beta, threshold)) return OnCpu<at::_ops::softplus_out>::call(self, beta, threshold, out);
  done<at::_ops::softplus_out>(result);
  return out;
}

// ---- threshold: activation, threshold ----

bool threshold_into(Result& result, const at::Tensor& self, const at::Scalar& threshold, const at::Scalar& value) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), threshold), threshold.toDouble(), value.toDouble());
}

at::Tensor threshold(const at::Tensor& self, const at::Scalar& threshold, const at::Scalar& value) {
  Result result;
  if (!threshold_into(result, self, threshold, value)) return OnCpu<at::_ops::threshold>::call(self, threshold, value);
  return done<at::_ops::threshold>(result);
}

at::Tensor& threshold_(at::Tensor& self, const at::Scalar& threshold, const at::Scalar& value) {
  Result result(self, /*in_place=*/true);
  if (!threshold_into(result, self, threshold, value)) return OnCpu<at::_ops::threshold_>::call(self, threshold, value);
  done<at::_ops::threshold_>(result);
  return self;
}

at::Tensor& threshold_out(const at::Tensor& self, const at::Scalar& threshold, const at::Scalar& value, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!threshold_into(result, self, threshold, value)) return OnCpu<at::_ops::threshold_out>::call(self, threshold, value, out);
  done<at::_ops::threshold_out>(result);
  return out;
}

// ---- clamp: activation, clip ----

bool clamp_into(Result& result, const at::Tensor& self, const std::optional<at::Scalar>& min, const std::optional<at::Scalar>& max) {
  if (!(min && max && min->toDouble() <= max->toDouble())) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, XDNN((float), clip), min->to<float>(), max->to<float>());
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

// ---- threshold_backward: activation backward, relu_grad ----

bool threshold_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& threshold) {
  if (!(threshold.toDouble() == 0)) return false;
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), relu_grad));
}

at::Tensor threshold_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& threshold) {
  Result result;
  if (!threshold_backward_into(result, grad_output, self, threshold)) return OnCpu<at::_ops::threshold_backward>::call(grad_output, self, threshold);
  return done<at::_ops::threshold_backward>(result);
}

at::Tensor& threshold_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& threshold, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!threshold_backward_into(result, grad_output, self, threshold)) return OnCpu<at::_ops::threshold_backward_grad_input>::call(grad_output, self, threshold, grad_input);
  done<at::_ops::threshold_backward_grad_input>(result);
  return grad_input;
}

// ---- tanh_backward: activation backward, tanh_grad ----

bool tanh_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output) {
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &output}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, output, XDNN((float), tanh_grad));
}

at::Tensor tanh_backward(const at::Tensor& grad_output, const at::Tensor& output) {
  Result result;
  if (!tanh_backward_into(result, grad_output, output)) return OnCpu<at::_ops::tanh_backward>::call(grad_output, output);
  return done<at::_ops::tanh_backward>(result);
}

at::Tensor& tanh_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& output, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!tanh_backward_into(result, grad_output, output)) return OnCpu<at::_ops::tanh_backward_grad_input>::call(grad_output, output, grad_input);
  done<at::_ops::tanh_backward_grad_input>(result);
  return grad_input;
}

// ---- sigmoid_backward: activation backward, sigmoid_grad ----

bool sigmoid_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output) {
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &output}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, output, XDNN((float), sigmoid_grad));
}

at::Tensor sigmoid_backward(const at::Tensor& grad_output, const at::Tensor& output) {
  Result result;
  if (!sigmoid_backward_into(result, grad_output, output)) return OnCpu<at::_ops::sigmoid_backward>::call(grad_output, output);
  return done<at::_ops::sigmoid_backward>(result);
}

at::Tensor& sigmoid_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& output, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!sigmoid_backward_into(result, grad_output, output)) return OnCpu<at::_ops::sigmoid_backward_grad_input>::call(grad_output, output, grad_input);
  done<at::_ops::sigmoid_backward_grad_input>(result);
  return grad_input;
}

// ---- gelu_backward: activation backward, gelu_grad ----

bool gelu_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, c10::string_view approximate) {
  if (!(approximate == "none")) return false;
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), gelu_grad));
}

at::Tensor gelu_backward(const at::Tensor& grad_output, const at::Tensor& self, c10::string_view approximate) {
  Result result;
  if (!gelu_backward_into(result, grad_output, self, approximate)) return OnCpu<at::_ops::gelu_backward>::call(grad_output, self, approximate);
  return done<at::_ops::gelu_backward>(result);
}

at::Tensor& gelu_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, c10::string_view approximate, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!gelu_backward_into(result, grad_output, self, approximate)) return OnCpu<at::_ops::gelu_backward_grad_input>::call(grad_output, self, approximate, grad_input);
  done<at::_ops::gelu_backward_grad_input>(result);
  return grad_input;
}

// ---- hardswish_backward: activation backward, hard_swish_grad ----

bool hardswish_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self) {
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), hard_swish_grad));
}

at::Tensor hardswish_backward(const at::Tensor& grad_output, const at::Tensor& self) {
  Result result;
  if (!hardswish_backward_into(result, grad_output, self)) return OnCpu<at::_ops::hardswish_backward>::call(grad_output, self);
  return done<at::_ops::hardswish_backward>(result);
}

// ---- leaky_relu_backward: activation backward, leaky_relu_grad ----

bool leaky_relu_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& negative_slope, bool self_is_result) {
  if (!(!self_is_result)) return false;
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), leaky_relu_grad), negative_slope.toDouble());
}

at::Tensor leaky_relu_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& negative_slope, bool self_is_result) {
  Result result;
  if (!leaky_relu_backward_into(result, grad_output, self, negative_slope, self_is_result)) return OnCpu<at::_ops::leaky_relu_backward>::call(grad_output, self, negative_slope, self_is_result);
  return done<at::_ops::leaky_relu_backward>(result);
}

at::Tensor& leaky_relu_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& negative_slope, bool self_is_result, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!leaky_relu_backward_into(result, grad_output, self, negative_slope, self_is_result)) return OnCpu<at::_ops::leaky_relu_backward_grad_input>::call(grad_output, self, negative_slope, self_is_result, grad_input);
  done<at::_ops::leaky_relu_backward_grad_input>(result);
  return grad_input;
}

// ---- mish_backward: activation backward, mish_grad ----

bool mish_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self) {
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), mish_grad));
}

at::Tensor mish_backward(const at::Tensor& grad_output, const at::Tensor& self) {
  Result result;
  if (!mish_backward_into(result, grad_output, self)) return OnCpu<at::_ops::mish_backward>::call(grad_output, self);
  return done<at::_ops::mish_backward>(result);
}

// ---- softplus_backward: activation backward, softplus_grad ----

bool softplus_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold) {
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, XDNN((float), softplus_grad), beta.toDouble(), threshold.toDouble());
}

at::Tensor softplus_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold) {
  Result result;
  if (!softplus_backward_into(result, grad_output, self, beta, threshold)) return OnCpu<at::_ops::softplus_backward>::call(grad_output, self, beta, threshold);
  return done<at::_ops::softplus_backward>(result);
}

at::Tensor& softplus_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!softplus_backward_into(result, grad_output, self, beta, threshold)) return OnCpu<at::_ops::softplus_backward_grad_input>::call(grad_output, self, beta, threshold, grad_input);
  done<at::_ops::softplus_backward_grad_input>(result);
  return grad_input;
}

// ---- add.Tensor: binary, broadcast_add ----

bool add_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex())) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::scaled(result.tensor(), self, 1, alpha.toDouble() * *number);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_add), alpha.toDouble());
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

// ---- sub.Tensor: binary, broadcast_sub ----

bool sub_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex())) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::scaled(result.tensor(), self, 1, -alpha.toDouble() * *number);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_sub), alpha.toDouble());
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

// ---- mul.Tensor: binary, broadcast_mul ----

bool mul_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::scaled(result.tensor(), self, *number, 0);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_mul));
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

// ---- div.Tensor: binary, broadcast_div ----

bool div_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_div));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_div));
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

// ---- maximum: binary, broadcast_max ----

bool maximum_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_max));
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

// ---- minimum: binary, broadcast_min ----

bool minimum_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_min));
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

// ---- clamp_min: binary scalar, broadcast_max ----

bool clamp_min_into(Result& result, const at::Tensor& self, const at::Scalar& min) {
  return fit({&self}, {at::kFloat}) && !min.isComplex() &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, min.toDouble(), XDNN((float), broadcast_max));
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

// ---- clamp_max: binary scalar, broadcast_min ----

bool clamp_max_into(Result& result, const at::Tensor& self, const at::Scalar& max) {
  return fit({&self}, {at::kFloat}) && !max.isComplex() &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, max.toDouble(), XDNN((float), broadcast_min));
}

at::Tensor clamp_max(const at::Tensor& self, const at::Scalar& max) {
  Result result;
  if (!clamp_max_into(result, self, max)) return OnCpu<at::_ops::clamp_max>::call(self, max);
  return done<at::_ops::clamp_max>(result);
}

at::Tensor& clamp_max_(at::Tensor& self, const at::Scalar& max) {
  Result result(self, /*in_place=*/true);
  if (!clamp_max_into(result, self, max)) return OnCpu<at::_ops::clamp_max_>::call(self, max);
  done<at::_ops::clamp_max_>(result);
  return self;
}

at::Tensor& clamp_max_out(const at::Tensor& self, const at::Scalar& max, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!clamp_max_into(result, self, max)) return OnCpu<at::_ops::clamp_max_out>::call(self, max, out);
  done<at::_ops::clamp_max_out>(result);
  return out;
}

// ---- pow.Tensor_Scalar: binary scalar, broadcast_pow ----

bool pow_Tensor_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& exponent) {
  if (!(!exponent.isComplex() && std::abs(exponent.toDouble()) != 0.5)) return false;
  return fit({&self}, {at::kFloat}) && !exponent.isComplex() &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, exponent.toDouble(), XDNN((float), broadcast_pow));
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

// ---- eq.Tensor: comparison, broadcast_equal ----

bool eq_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_equal));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_equal));
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

// ---- eq.Scalar: comparison scalar, broadcast_equal ----

bool eq_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_equal));
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

// ---- ne.Tensor: comparison, broadcast_not_equal ----

bool ne_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_not_equal));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_not_equal));
}

at::Tensor ne_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!ne_Tensor_into(result, self, other)) return OnCpu<at::_ops::ne_Tensor>::call(self, other);
  return done<at::_ops::ne_Tensor>(result);
}

at::Tensor& ne_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!ne_Tensor_into(result, self, other)) return OnCpu<at::_ops::ne_Tensor_out>::call(self, other, out);
  done<at::_ops::ne_Tensor_out>(result);
  return out;
}

// ---- ne.Scalar: comparison scalar, broadcast_not_equal ----

bool ne_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_not_equal));
}

at::Tensor ne_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!ne_Scalar_into(result, self, other)) return OnCpu<at::_ops::ne_Scalar>::call(self, other);
  return done<at::_ops::ne_Scalar>(result);
}

at::Tensor& ne_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!ne_Scalar_into(result, self, other)) return OnCpu<at::_ops::ne_Scalar_out>::call(self, other, out);
  done<at::_ops::ne_Scalar_out>(result);
  return out;
}

// ---- lt.Tensor: comparison, broadcast_less_than ----

bool lt_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_less_than));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_less_than));
}

at::Tensor lt_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!lt_Tensor_into(result, self, other)) return OnCpu<at::_ops::lt_Tensor>::call(self, other);
  return done<at::_ops::lt_Tensor>(result);
}

at::Tensor& lt_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!lt_Tensor_into(result, self, other)) return OnCpu<at::_ops::lt_Tensor_out>::call(self, other, out);
  done<at::_ops::lt_Tensor_out>(result);
  return out;
}

// ---- lt.Scalar: comparison scalar, broadcast_less_than ----

bool lt_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_less_than));
}

at::Tensor lt_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!lt_Scalar_into(result, self, other)) return OnCpu<at::_ops::lt_Scalar>::call(self, other);
  return done<at::_ops::lt_Scalar>(result);
}

at::Tensor& lt_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!lt_Scalar_into(result, self, other)) return OnCpu<at::_ops::lt_Scalar_out>::call(self, other, out);
  done<at::_ops::lt_Scalar_out>(result);
  return out;
}

// ---- le.Tensor: comparison, broadcast_less_equal ----

bool le_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_less_equal));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_less_equal));
}

at::Tensor le_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!le_Tensor_into(result, self, other)) return OnCpu<at::_ops::le_Tensor>::call(self, other);
  return done<at::_ops::le_Tensor>(result);
}

at::Tensor& le_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!le_Tensor_into(result, self, other)) return OnCpu<at::_ops::le_Tensor_out>::call(self, other, out);
  done<at::_ops::le_Tensor_out>(result);
  return out;
}

// ---- le.Scalar: comparison scalar, broadcast_less_equal ----

bool le_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_less_equal));
}

at::Tensor le_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!le_Scalar_into(result, self, other)) return OnCpu<at::_ops::le_Scalar>::call(self, other);
  return done<at::_ops::le_Scalar>(result);
}

at::Tensor& le_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!le_Scalar_into(result, self, other)) return OnCpu<at::_ops::le_Scalar_out>::call(self, other, out);
  done<at::_ops::le_Scalar_out>(result);
  return out;
}

// ---- gt.Tensor: comparison, broadcast_greater_than ----

bool gt_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_greater_than));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_greater_than));
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

// ---- gt.Scalar: comparison scalar, broadcast_greater_than ----

bool gt_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_greater_than));
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

// ---- ge.Tensor: comparison, broadcast_greater_equal ----

bool ge_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, XDNN((float), broadcast_greater_equal));
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((float), broadcast_greater_equal));
}

at::Tensor ge_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!ge_Tensor_into(result, self, other)) return OnCpu<at::_ops::ge_Tensor>::call(self, other);
  return done<at::_ops::ge_Tensor>(result);
}

at::Tensor& ge_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!ge_Tensor_into(result, self, other)) return OnCpu<at::_ops::ge_Tensor_out>::call(self, other, out);
  done<at::_ops::ge_Tensor_out>(result);
  return out;
}

// ---- ge.Scalar: comparison scalar, broadcast_greater_equal ----

bool ge_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), XDNN((float), broadcast_greater_equal));
}

at::Tensor ge_Scalar(const at::Tensor& self, const at::Scalar& other) {
  Result result;
  if (!ge_Scalar_into(result, self, other)) return OnCpu<at::_ops::ge_Scalar>::call(self, other);
  return done<at::_ops::ge_Scalar>(result);
}

at::Tensor& ge_Scalar_out(const at::Tensor& self, const at::Scalar& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!ge_Scalar_into(result, self, other)) return OnCpu<at::_ops::ge_Scalar_out>::call(self, other, out);
  done<at::_ops::ge_Scalar_out>(result);
  return out;
}

// ---- logical_and: logical, logical_and ----

bool logical_and_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((bool), logical_and));
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

// ---- logical_or: logical, logical_or ----

bool logical_or_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((bool), logical_or));
}

at::Tensor logical_or(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!logical_or_into(result, self, other)) return OnCpu<at::_ops::logical_or>::call(self, other);
  return done<at::_ops::logical_or>(result);
}

at::Tensor& logical_or_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!logical_or_into(result, self, other)) return OnCpu<at::_ops::logical_or_out>::call(self, other, out);
  done<at::_ops::logical_or_out>(result);
  return out;
}

// ---- logical_xor: logical, logical_xor ----

bool logical_xor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, XDNN((bool), logical_xor));
}

at::Tensor logical_xor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!logical_xor_into(result, self, other)) return OnCpu<at::_ops::logical_xor>::call(self, other);
  return done<at::_ops::logical_xor>(result);
}

at::Tensor& logical_xor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!logical_xor_into(result, self, other)) return OnCpu<at::_ops::logical_xor_out>::call(self, other, out);
  done<at::_ops::logical_xor_out>(result);
  return out;
}

// ---- addcmul: ternary, addcmul ----

bool addcmul_into(Result& result, const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  at::DimVector product, sizes;
  return fit({&self, &tensor1, &tensor2}, {at::kFloat}) && !value.isComplex() &&
         broadcast_sizes(tensor1.sizes(), tensor2.sizes(), product) && broadcast_sizes(self.sizes(), product, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &tensor1, &tensor2}, /*elementwise=*/true) &&
         library::ternary(result.tensor(), self, tensor1, tensor2, XDNN((float), addcmul), value.toDouble());
}

at::Tensor addcmul(const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  Result result;
  if (!addcmul_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcmul>::call(self, tensor1, tensor2, value);
  return done<at::_ops::addcmul>(result);
}

at::Tensor& addcmul_(at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  Result result(self, /*in_place=*/true);
  if (!addcmul_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcmul_>::call(self, tensor1, tensor2, value);
  done<at::_ops::addcmul_>(result);
  return self;
}

at::Tensor& addcmul_out(const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!addcmul_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcmul_out>::call(self, tensor1, tensor2, value, out);
  done<at::_ops::addcmul_out>(result);
  return out;
}

// ---- addcdiv: ternary, addcdiv ----

bool addcdiv_into(Result& result, const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  at::DimVector product, sizes;
  return fit({&self, &tensor1, &tensor2}, {at::kFloat}) && !value.isComplex() &&
         broadcast_sizes(tensor1.sizes(), tensor2.sizes(), product) && broadcast_sizes(self.sizes(), product, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &tensor1, &tensor2}, /*elementwise=*/true) &&
         library::ternary(result.tensor(), self, tensor1, tensor2, XDNN((float), addcdiv), value.toDouble());
}

at::Tensor addcdiv(const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  Result result;
  if (!addcdiv_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcdiv>::call(self, tensor1, tensor2, value);
  return done<at::_ops::addcdiv>(result);
}

at::Tensor& addcdiv_(at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  Result result(self, /*in_place=*/true);
  if (!addcdiv_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcdiv_>::call(self, tensor1, tensor2, value);
  done<at::_ops::addcdiv_>(result);
  return self;
}

at::Tensor& addcdiv_out(const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!addcdiv_into(result, self, tensor1, tensor2, value)) return OnCpu<at::_ops::addcdiv_out>::call(self, tensor1, tensor2, value, out);
  done<at::_ops::addcdiv_out>(result);
  return out;
}

// ---- sum.dim_IntList: reduction, reduce_sum ----

bool sum_dim_IntList_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_sum));
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

// ---- mean.dim: reduction, reduce_mean ----

bool mean_dim_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_mean));
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

// ---- amax: reduction, reduce_max ----

bool amax_into(Result& result, const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_max));
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

// ---- amin: reduction, reduce_min ----

bool amin_into(Result& result, const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_min));
}

at::Tensor amin(const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  Result result;
  if (!amin_into(result, self, dim, keepdim)) return OnCpu<at::_ops::amin>::call(self, dim, keepdim);
  return done<at::_ops::amin>(result);
}

at::Tensor& amin_out(const at::Tensor& self, at::IntArrayRef dim, bool keepdim, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!amin_into(result, self, dim, keepdim)) return OnCpu<at::_ops::amin_out>::call(self, dim, keepdim, out);
  done<at::_ops::amin_out>(result);
  return out;
}

// ---- prod.dim_int: reduction, reduce_prod ----

bool prod_dim_int_into(Result& result, const at::Tensor& self, int64_t dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_prod));
}

at::Tensor prod_dim_int(const at::Tensor& self, int64_t dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  Result result;
  if (!prod_dim_int_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::prod_dim_int>::call(self, dim, keepdim, dtype);
  return done<at::_ops::prod_dim_int>(result);
}

at::Tensor& prod_int_out(const at::Tensor& self, int64_t dim, bool keepdim, std::optional<at::ScalarType> dtype, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!prod_dim_int_into(result, self, dim, keepdim, dtype)) return OnCpu<at::_ops::prod_int_out>::call(self, dim, keepdim, dtype, out);
  done<at::_ops::prod_int_out>(result);
  return out;
}

// ---- linalg_vector_norm: reduction, reduce_L2 ----

bool linalg_vector_norm_into(Result& result, const at::Tensor& self, const at::Scalar& ord, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  if (!(!ord.isComplex() && ord.toDouble() == 2)) return false;
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((float), reduce_L2));
}

at::Tensor linalg_vector_norm(const at::Tensor& self, const at::Scalar& ord, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  Result result;
  if (!linalg_vector_norm_into(result, self, ord, dim, keepdim, dtype)) return OnCpu<at::_ops::linalg_vector_norm>::call(self, ord, dim, keepdim, dtype);
  return done<at::_ops::linalg_vector_norm>(result);
}

at::Tensor& linalg_vector_norm_out(const at::Tensor& self, const at::Scalar& ord, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!linalg_vector_norm_into(result, self, ord, dim, keepdim, dtype)) return OnCpu<at::_ops::linalg_vector_norm_out>::call(self, ord, dim, keepdim, dtype, out);
  done<at::_ops::linalg_vector_norm_out>(result);
  return out;
}

// ---- any.dim: reduction, reduce_any ----

bool any_dim_into(Result& result, const at::Tensor& self, int64_t dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kBool}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((bool), reduce_any));
}

at::Tensor any_dim(const at::Tensor& self, int64_t dim, bool keepdim) {
  Result result;
  if (!any_dim_into(result, self, dim, keepdim)) return OnCpu<at::_ops::any_dim>::call(self, dim, keepdim);
  return done<at::_ops::any_dim>(result);
}

at::Tensor& any_out(const at::Tensor& self, int64_t dim, bool keepdim, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!any_dim_into(result, self, dim, keepdim)) return OnCpu<at::_ops::any_out>::call(self, dim, keepdim, out);
  done<at::_ops::any_out>(result);
  return out;
}

// ---- all.dim: reduction, reduce_all ----

bool all_dim_into(Result& result, const at::Tensor& self, int64_t dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kBool}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, XDNN((bool), reduce_all));
}

at::Tensor all_dim(const at::Tensor& self, int64_t dim, bool keepdim) {
  Result result;
  if (!all_dim_into(result, self, dim, keepdim)) return OnCpu<at::_ops::all_dim>::call(self, dim, keepdim);
  return done<at::_ops::all_dim>(result);
}

at::Tensor& all_out(const at::Tensor& self, int64_t dim, bool keepdim, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!all_dim_into(result, self, dim, keepdim)) return OnCpu<at::_ops::all_out>::call(self, dim, keepdim, out);
  done<at::_ops::all_out>(result);
  return out;
}

// ---- _softmax: softmax, softmax ----

bool _softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, XDNN((float), softmax));
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

// ---- _log_softmax: softmax, log_softmax ----

bool _log_softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, XDNN((float), log_softmax));
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

// ---- _softmax_backward_data: softmax backward, softmax_grad ----

bool _softmax_backward_data_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  if (!(input_dtype == output.scalar_type())) return false;
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         has_dim(output, dim) &&
         result.prepare(output.sizes(), output.scalar_type(), {&grad_output, &output}, /*elementwise=*/false) &&
         library::softmax_backward(result.tensor(), grad_output, output, dim, XDNN((float), softmax_grad));
}

at::Tensor _softmax_backward_data(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  Result result;
  if (!_softmax_backward_data_into(result, grad_output, output, dim, input_dtype)) return OnCpu<at::_ops::_softmax_backward_data>::call(grad_output, output, dim, input_dtype);
  return done<at::_ops::_softmax_backward_data>(result);
}

at::Tensor& _softmax_backward_data_out(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!_softmax_backward_data_into(result, grad_output, output, dim, input_dtype)) return OnCpu<at::_ops::_softmax_backward_data_out>::call(grad_output, output, dim, input_dtype, grad_input);
  done<at::_ops::_softmax_backward_data_out>(result);
  return grad_input;
}

// ---- _log_softmax_backward_data: softmax backward, log_softmax_grad ----

bool _log_softmax_backward_data_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  if (!(input_dtype == output.scalar_type())) return false;
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         has_dim(output, dim) &&
         result.prepare(output.sizes(), output.scalar_type(), {&grad_output, &output}, /*elementwise=*/false) &&
         library::softmax_backward(result.tensor(), grad_output, output, dim, XDNN((float), log_softmax_grad));
}

at::Tensor _log_softmax_backward_data(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  Result result;
  if (!_log_softmax_backward_data_into(result, grad_output, output, dim, input_dtype)) return OnCpu<at::_ops::_log_softmax_backward_data>::call(grad_output, output, dim, input_dtype);
  return done<at::_ops::_log_softmax_backward_data>(result);
}

at::Tensor& _log_softmax_backward_data_out(const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_log_softmax_backward_data_into(result, grad_output, output, dim, input_dtype)) return OnCpu<at::_ops::_log_softmax_backward_data_out>::call(grad_output, output, dim, input_dtype, out);
  done<at::_ops::_log_softmax_backward_data_out>(result);
  return out;
}

// ---- mm: matmul, fc_batched<float, float, float, float> ----

bool mm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), mat2.size(1)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2, XDNN((float), fc_batched<float, float, float, float>));
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

// ---- bmm: matmul, fc_batched<float, float, float, float> ----

bool bmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 3 && mat2.dim() == 3 && self.size(0) == mat2.size(0) && self.size(2) == mat2.size(1))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), self.size(1), mat2.size(2)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2, XDNN((float), fc_batched<float, float, float, float>));
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

// ---- dot: matmul, fc_batched<float, float, float, float> ----

bool dot_into(Result& result, const at::Tensor& self, const at::Tensor& tensor) {
  if (!(self.dim() == 1 && tensor.dim() == 1 && self.size(0) == tensor.size(0))) return false;
  return fit({&self, &tensor}, {at::kFloat}) &&
         result.prepare({}, self.scalar_type(), {&self, &tensor}, /*elementwise=*/false) &&
         library::matmul(result.tensor().view({1, 1}), self.unsqueeze(0), tensor.unsqueeze(1), XDNN((float), fc_batched<float, float, float, float>));
}

at::Tensor dot(const at::Tensor& self, const at::Tensor& tensor) {
  Result result;
  if (!dot_into(result, self, tensor)) return OnCpu<at::_ops::dot>::call(self, tensor);
  return done<at::_ops::dot>(result);
}

// ---- addmm: linear, fc_batched<float, float, float, float> ----

bool addmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0))) return false;
  const at::DimVector sizes({mat1.size(0), mat2.size(1)});
  return fit({&self, &mat1, &mat2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat1, &mat2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, mat1, mat2, beta.toDouble(),
                             alpha.toDouble(), XDNN((float), fc_batched<float, float, float, float>));
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

// ---- addmv: linear, fc_batched<float, float, float, float> ----

bool addmv_into(Result& result, const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(mat.dim() == 2 && vec.dim() == 1 && mat.size(1) == vec.size(0))) return false;
  const at::DimVector sizes({mat.size(0)});
  return fit({&self, &mat, &vec}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat, &vec}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor().unsqueeze(1), self.dim() == 0 ? self : self.unsqueeze(1), mat, vec.unsqueeze(1), beta.toDouble(),
                             alpha.toDouble(), XDNN((float), fc_batched<float, float, float, float>));
}

at::Tensor addmv(const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result;
  if (!addmv_into(result, self, mat, vec, beta, alpha)) return OnCpu<at::_ops::addmv>::call(self, mat, vec, beta, alpha);
  return done<at::_ops::addmv>(result);
}

at::Tensor& addmv_(at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result(self, /*in_place=*/true);
  if (!addmv_into(result, self, mat, vec, beta, alpha)) return OnCpu<at::_ops::addmv_>::call(self, mat, vec, beta, alpha);
  done<at::_ops::addmv_>(result);
  return self;
}

at::Tensor& addmv_out(const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!addmv_into(result, self, mat, vec, beta, alpha)) return OnCpu<at::_ops::addmv_out>::call(self, mat, vec, beta, alpha, out);
  done<at::_ops::addmv_out>(result);
  return out;
}

// ---- baddbmm: linear, fc_batched<float, float, float, float> ----

bool baddbmm_into(Result& result, const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(batch1.dim() == 3 && batch2.dim() == 3 && batch1.size(0) == batch2.size(0) && batch1.size(2) == batch2.size(1))) return false;
  const at::DimVector sizes({batch1.size(0), batch1.size(1), batch2.size(2)});
  return fit({&self, &batch1, &batch2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &batch1, &batch2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, batch1, batch2, beta.toDouble(),
                             alpha.toDouble(), XDNN((float), fc_batched<float, float, float, float>));
}

at::Tensor baddbmm(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result;
  if (!baddbmm_into(result, self, batch1, batch2, beta, alpha)) return OnCpu<at::_ops::baddbmm>::call(self, batch1, batch2, beta, alpha);
  return done<at::_ops::baddbmm>(result);
}

at::Tensor& baddbmm_(at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta, const at::Scalar& alpha) {
  Result result(self, /*in_place=*/true);
  if (!baddbmm_into(result, self, batch1, batch2, beta, alpha)) return OnCpu<at::_ops::baddbmm_>::call(self, batch1, batch2, beta, alpha);
  done<at::_ops::baddbmm_>(result);
  return self;
}

at::Tensor& baddbmm_out(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!baddbmm_into(result, self, batch1, batch2, beta, alpha)) return OnCpu<at::_ops::baddbmm_out>::call(self, batch1, batch2, beta, alpha, out);
  done<at::_ops::baddbmm_out>(result);
  return out;
}

// ---- cat: concat, concat ----

bool cat_into(Result& result, const at::ITensorListRef& tensors, int64_t dim) {
  std::vector<at::Tensor> parts;
  at::DimVector sizes;
  if (!concatenated(tensors, dim, parts, sizes)) return false;
  std::vector<const at::Tensor*> inputs;
  for (const at::Tensor& part : parts) inputs.push_back(&part);
  return fit(inputs, {at::kFloat}) &&
         result.prepare(sizes, parts[0].scalar_type(), inputs, /*elementwise=*/false) &&
         library::concat(result.tensor(), parts, at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size())), XDNN((float), concat));
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

// ---- native_layer_norm: layer normalisation, layer_norm ----

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
                             c10::multiply_integers(inner), eps, XDNN((float), layer_norm));
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> native_layer_norm(const at::Tensor& input, c10::SymIntArrayRef normalized_shape, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps) {
  std::array<Result, 3> results;
  if (!native_layer_norm_into(results, input, normalized_shape, weight, bias, eps)) return OnCpu<at::_ops::native_layer_norm>::call(input, normalized_shape, weight, bias, eps);
  done<at::_ops::native_layer_norm>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

// ---- native_batch_norm: batch normalisation, batch_norm_infer ----

bool native_batch_norm_into(std::array<Result, 3>& results, const at::Tensor& input, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps) {
  const at::Tensor scale = weight.value_or(at::Tensor()), shift = bias.value_or(at::Tensor());
  const at::Tensor mean = running_mean.value_or(at::Tensor()), variance = running_var.value_or(at::Tensor());
  if (training || !mean.defined() || !variance.defined() || input.dim() < 2) return false;
  return fit({&input, &scale, &shift, &mean, &variance}, {at::kFloat}) &&
         results[0].prepare(input.sizes(), input.scalar_type(), {&input}, /*elementwise=*/false) &&
         results[1].prepare({0}, input.scalar_type(), {&input}, /*elementwise=*/false) &&
         results[2].prepare({0}, input.scalar_type(), {&input}, /*elementwise=*/false) &&
         library::batch_norm(results[0].tensor(), input, scale, shift, mean, variance, eps, XDNN((float), batch_norm_infer));
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> native_batch_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps) {
  std::array<Result, 3> results;
  if (!native_batch_norm_into(results, input, weight, bias, running_mean, running_var, training, momentum, eps)) return OnCpu<at::_ops::native_batch_norm>::call(input, weight, bias, running_mean, running_var, training, momentum, eps);
  done<at::_ops::native_batch_norm>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

// ---- _foreach_abs: foreach, abs ----

std::vector<at::Tensor> _foreach_abs(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(abs(self[i]));
  return results;
}

void _foreach_abs_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    abs_out(item, item);
  }
}

// ---- _foreach_exp: foreach, exp ----

std::vector<at::Tensor> _foreach_exp(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(exp(self[i]));
  return results;
}

void _foreach_exp_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    exp_out(item, item);
  }
}

// ---- _foreach_log: foreach, log ----

std::vector<at::Tensor> _foreach_log(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(log(self[i]));
  return results;
}

void _foreach_log_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    log_out(item, item);
  }
}

// ---- _foreach_neg: foreach, neg ----

std::vector<at::Tensor> _foreach_neg(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(neg(self[i]));
  return results;
}

void _foreach_neg_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    neg_out(item, item);
  }
}

// ---- _foreach_reciprocal: foreach, reciprocal ----

std::vector<at::Tensor> _foreach_reciprocal(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(reciprocal(self[i]));
  return results;
}

void _foreach_reciprocal_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    reciprocal_out(item, item);
  }
}

// ---- _foreach_rsqrt: foreach, rsqrt ----

std::vector<at::Tensor> _foreach_rsqrt(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(rsqrt(self[i]));
  return results;
}

void _foreach_rsqrt_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    rsqrt_out(item, item);
  }
}

// ---- _foreach_sigmoid: foreach, sigmoid ----

std::vector<at::Tensor> _foreach_sigmoid(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(sigmoid(self[i]));
  return results;
}

void _foreach_sigmoid_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    sigmoid_out(item, item);
  }
}

// ---- _foreach_sqrt: foreach, sqrt ----

std::vector<at::Tensor> _foreach_sqrt(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(sqrt(self[i]));
  return results;
}

void _foreach_sqrt_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    sqrt_out(item, item);
  }
}

// ---- _foreach_tanh: foreach, tanh ----

std::vector<at::Tensor> _foreach_tanh(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(tanh(self[i]));
  return results;
}

void _foreach_tanh_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    tanh_out(item, item);
  }
}

// ---- _foreach_add.List: foreach, broadcast_add ----

std::vector<at::Tensor> _foreach_add_List(at::TensorList self, at::TensorList other, const at::Scalar& alpha) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_add_List>::call(self, other, alpha);
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(add_Tensor(self[i], other[i], alpha));
  return results;
}

void _foreach_add__List(at::TensorList self, at::TensorList other, const at::Scalar& alpha) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_add__List>::call(self, other, alpha);
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    add_out(item, other[i], alpha, item);
  }
}

// ---- _foreach_sub.List: foreach, broadcast_sub ----

std::vector<at::Tensor> _foreach_sub_List(at::TensorList self, at::TensorList other, const at::Scalar& alpha) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_sub_List>::call(self, other, alpha);
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(sub_Tensor(self[i], other[i], alpha));
  return results;
}

void _foreach_sub__List(at::TensorList self, at::TensorList other, const at::Scalar& alpha) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_sub__List>::call(self, other, alpha);
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    sub_out(item, other[i], alpha, item);
  }
}

// ---- _foreach_mul.List: foreach, broadcast_mul ----

std::vector<at::Tensor> _foreach_mul_List(at::TensorList self, at::TensorList other) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_mul_List>::call(self, other);
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(mul_Tensor(self[i], other[i]));
  return results;
}

void _foreach_mul__List(at::TensorList self, at::TensorList other) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_mul__List>::call(self, other);
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    mul_out(item, other[i], item);
  }
}

// ---- _foreach_div.List: foreach, broadcast_div ----

std::vector<at::Tensor> _foreach_div_List(at::TensorList self, at::TensorList other) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_div_List>::call(self, other);
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(div_Tensor(self[i], other[i]));
  return results;
}

void _foreach_div__List(at::TensorList self, at::TensorList other) {
  if (self.size() != other.size()) return OnCpu<at::_ops::_foreach_div__List>::call(self, other);
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    div_out(item, other[i], item);
  }
}

constexpr CompiledKernel kKernels[] = {
    {at::_ops::abs::name, at::_ops::abs::overload_name, &add_native_kernel<at::_ops::abs, abs>},
    {at::_ops::abs_out::name, at::_ops::abs_out::overload_name, &add_native_kernel<at::_ops::abs_out, abs_out>},
    {at::_ops::acos::name, at::_ops::acos::overload_name, &add_native_kernel<at::_ops::acos, acos>},
    {at::_ops::acos_::name, at::_ops::acos_::overload_name, &add_native_kernel<at::_ops::acos_, acos_>},
    {at::_ops::acos_out::name, at::_ops::acos_out::overload_name, &add_native_kernel<at::_ops::acos_out, acos_out>},
    {at::_ops::acosh::name, at::_ops::acosh::overload_name, &add_native_kernel<at::_ops::acosh, acosh>},
    {at::_ops::acosh_::name, at::_ops::acosh_::overload_name, &add_native_kernel<at::_ops::acosh_, acosh_>},
    {at::_ops::acosh_out::name, at::_ops::acosh_out::overload_name, &add_native_kernel<at::_ops::acosh_out, acosh_out>},
    {at::_ops::asin::name, at::_ops::asin::overload_name, &add_native_kernel<at::_ops::asin, asin>},
    {at::_ops::asin_::name, at::_ops::asin_::overload_name, &add_native_kernel<at::_ops::asin_, asin_>},
    {at::_ops::asin_out::name, at::_ops::asin_out::overload_name, &add_native_kernel<at::_ops::asin_out, asin_out>},
    {at::_ops::asinh::name, at::_ops::asinh::overload_name, &add_native_kernel<at::_ops::asinh, asinh>},
    {at::_ops::asinh_::name, at::_ops::asinh_::overload_name, &add_native_kernel<at::_ops::asinh_, asinh_>},
    {at::_ops::asinh_out::name, at::_ops::asinh_out::overload_name, &add_native_kernel<at::_ops::asinh_out, asinh_out>},
    {at::_ops::atan::name, at::_ops::atan::overload_name, &add_native_kernel<at::_ops::atan, atan>},
    {at::_ops::atan_::name, at::_ops::atan_::overload_name, &add_native_kernel<at::_ops::atan_, atan_>},
    {at::_ops::atan_out::name, at::_ops::atan_out::overload_name, &add_native_kernel<at::_ops::atan_out, atan_out>},
    {at::_ops::atanh::name, at::_ops::atanh::overload_name, &add_native_kernel<at::_ops::atanh, atanh>},
    {at::_ops::atanh_::name, at::_ops::atanh_::overload_name, &add_native_kernel<at::_ops::atanh_, atanh_>},
    {at::_ops::atanh_out::name, at::_ops::atanh_out::overload_name, &add_native_kernel<at::_ops::atanh_out, atanh_out>},
    {at::_ops::ceil::name, at::_ops::ceil::overload_name, &add_native_kernel<at::_ops::ceil, ceil>},
    {at::_ops::ceil_::name, at::_ops::ceil_::overload_name, &add_native_kernel<at::_ops::ceil_, ceil_>},
    {at::_ops::ceil_out::name, at::_ops::ceil_out::overload_name, &add_native_kernel<at::_ops::ceil_out, ceil_out>},
    {at::_ops::cos::name, at::_ops::cos::overload_name, &add_native_kernel<at::_ops::cos, cos>},
    {at::_ops::cos_::name, at::_ops::cos_::overload_name, &add_native_kernel<at::_ops::cos_, cos_>},
    {at::_ops::cos_out::name, at::_ops::cos_out::overload_name, &add_native_kernel<at::_ops::cos_out, cos_out>},
    {at::_ops::cosh::name, at::_ops::cosh::overload_name, &add_native_kernel<at::_ops::cosh, cosh>},
    {at::_ops::cosh_::name, at::_ops::cosh_::overload_name, &add_native_kernel<at::_ops::cosh_, cosh_>},
    {at::_ops::cosh_out::name, at::_ops::cosh_out::overload_name, &add_native_kernel<at::_ops::cosh_out, cosh_out>},
    {at::_ops::erf::name, at::_ops::erf::overload_name, &add_native_kernel<at::_ops::erf, erf>},
    {at::_ops::erf_::name, at::_ops::erf_::overload_name, &add_native_kernel<at::_ops::erf_, erf_>},
    {at::_ops::erf_out::name, at::_ops::erf_out::overload_name, &add_native_kernel<at::_ops::erf_out, erf_out>},
    {at::_ops::erfinv::name, at::_ops::erfinv::overload_name, &add_native_kernel<at::_ops::erfinv, erfinv>},
    {at::_ops::erfinv_::name, at::_ops::erfinv_::overload_name, &add_native_kernel<at::_ops::erfinv_, erfinv_>},
    {at::_ops::erfinv_out::name, at::_ops::erfinv_out::overload_name, &add_native_kernel<at::_ops::erfinv_out, erfinv_out>},
    {at::_ops::exp::name, at::_ops::exp::overload_name, &add_native_kernel<at::_ops::exp, exp>},
    {at::_ops::exp_::name, at::_ops::exp_::overload_name, &add_native_kernel<at::_ops::exp_, exp_>},
    {at::_ops::exp_out::name, at::_ops::exp_out::overload_name, &add_native_kernel<at::_ops::exp_out, exp_out>},
    {at::_ops::exp2::name, at::_ops::exp2::overload_name, &add_native_kernel<at::_ops::exp2, exp2>},
    {at::_ops::exp2_::name, at::_ops::exp2_::overload_name, &add_native_kernel<at::_ops::exp2_, exp2_>},
    {at::_ops::exp2_out::name, at::_ops::exp2_out::overload_name, &add_native_kernel<at::_ops::exp2_out, exp2_out>},
    {at::_ops::floor::name, at::_ops::floor::overload_name, &add_native_kernel<at::_ops::floor, floor>},
    {at::_ops::floor_::name, at::_ops::floor_::overload_name, &add_native_kernel<at::_ops::floor_, floor_>},
    {at::_ops::floor_out::name, at::_ops::floor_out::overload_name, &add_native_kernel<at::_ops::floor_out, floor_out>},
    {at::_ops::log::name, at::_ops::log::overload_name, &add_native_kernel<at::_ops::log, log>},
    {at::_ops::log_::name, at::_ops::log_::overload_name, &add_native_kernel<at::_ops::log_, log_>},
    {at::_ops::log_out::name, at::_ops::log_out::overload_name, &add_native_kernel<at::_ops::log_out, log_out>},
    {at::_ops::log1p::name, at::_ops::log1p::overload_name, &add_native_kernel<at::_ops::log1p, log1p>},
    {at::_ops::log1p_::name, at::_ops::log1p_::overload_name, &add_native_kernel<at::_ops::log1p_, log1p_>},
    {at::_ops::log1p_out::name, at::_ops::log1p_out::overload_name, &add_native_kernel<at::_ops::log1p_out, log1p_out>},
    {at::_ops::neg::name, at::_ops::neg::overload_name, &add_native_kernel<at::_ops::neg, neg>},
    {at::_ops::neg_::name, at::_ops::neg_::overload_name, &add_native_kernel<at::_ops::neg_, neg_>},
    {at::_ops::neg_out::name, at::_ops::neg_out::overload_name, &add_native_kernel<at::_ops::neg_out, neg_out>},
    {at::_ops::reciprocal::name, at::_ops::reciprocal::overload_name, &add_native_kernel<at::_ops::reciprocal, reciprocal>},
    {at::_ops::reciprocal_::name, at::_ops::reciprocal_::overload_name, &add_native_kernel<at::_ops::reciprocal_, reciprocal_>},
    {at::_ops::reciprocal_out::name, at::_ops::reciprocal_out::overload_name, &add_native_kernel<at::_ops::reciprocal_out, reciprocal_out>},
    {at::_ops::rsqrt::name, at::_ops::rsqrt::overload_name, &add_native_kernel<at::_ops::rsqrt, rsqrt>},
    {at::_ops::rsqrt_::name, at::_ops::rsqrt_::overload_name, &add_native_kernel<at::_ops::rsqrt_, rsqrt_>},
    {at::_ops::rsqrt_out::name, at::_ops::rsqrt_out::overload_name, &add_native_kernel<at::_ops::rsqrt_out, rsqrt_out>},
    {at::_ops::sign::name, at::_ops::sign::overload_name, &add_native_kernel<at::_ops::sign, sign>},
    {at::_ops::sign_::name, at::_ops::sign_::overload_name, &add_native_kernel<at::_ops::sign_, sign_>},
    {at::_ops::sign_out::name, at::_ops::sign_out::overload_name, &add_native_kernel<at::_ops::sign_out, sign_out>},
    {at::_ops::sin::name, at::_ops::sin::overload_name, &add_native_kernel<at::_ops::sin, sin>},
    {at::_ops::sin_::name, at::_ops::sin_::overload_name, &add_native_kernel<at::_ops::sin_, sin_>},
    {at::_ops::sin_out::name, at::_ops::sin_out::overload_name, &add_native_kernel<at::_ops::sin_out, sin_out>},
    {at::_ops::sinh::name, at::_ops::sinh::overload_name, &add_native_kernel<at::_ops::sinh, sinh>},
    {at::_ops::sinh_::name, at::_ops::sinh_::overload_name, &add_native_kernel<at::_ops::sinh_, sinh_>},
    {at::_ops::sinh_out::name, at::_ops::sinh_out::overload_name, &add_native_kernel<at::_ops::sinh_out, sinh_out>},
    {at::_ops::sqrt::name, at::_ops::sqrt::overload_name, &add_native_kernel<at::_ops::sqrt, sqrt>},
    {at::_ops::sqrt_::name, at::_ops::sqrt_::overload_name, &add_native_kernel<at::_ops::sqrt_, sqrt_>},
    {at::_ops::sqrt_out::name, at::_ops::sqrt_out::overload_name, &add_native_kernel<at::_ops::sqrt_out, sqrt_out>},
    {at::_ops::tan::name, at::_ops::tan::overload_name, &add_native_kernel<at::_ops::tan, tan>},
    {at::_ops::tan_::name, at::_ops::tan_::overload_name, &add_native_kernel<at::_ops::tan_, tan_>},
    {at::_ops::tan_out::name, at::_ops::tan_out::overload_name, &add_native_kernel<at::_ops::tan_out, tan_out>},
    {at::_ops::round::name, at::_ops::round::overload_name, &add_native_kernel<at::_ops::round, round>},
    {at::_ops::round_::name, at::_ops::round_::overload_name, &add_native_kernel<at::_ops::round_, round_>},
    {at::_ops::round_out::name, at::_ops::round_out::overload_name, &add_native_kernel<at::_ops::round_out, round_out>},
    {at::_ops::logical_not::name, at::_ops::logical_not::overload_name, &add_native_kernel<at::_ops::logical_not, logical_not>},
    {at::_ops::logical_not_::name, at::_ops::logical_not_::overload_name, &add_native_kernel<at::_ops::logical_not_, logical_not_>},
    {at::_ops::logical_not_out::name, at::_ops::logical_not_out::overload_name, &add_native_kernel<at::_ops::logical_not_out, logical_not_out>},
    {at::_ops::hardswish::name, at::_ops::hardswish::overload_name, &add_native_kernel<at::_ops::hardswish, hardswish>},
    {at::_ops::hardswish_::name, at::_ops::hardswish_::overload_name, &add_native_kernel<at::_ops::hardswish_, hardswish_>},
    {at::_ops::hardswish_out::name, at::_ops::hardswish_out::overload_name, &add_native_kernel<at::_ops::hardswish_out, hardswish_out>},
    {at::_ops::mish::name, at::_ops::mish::overload_name, &add_native_kernel<at::_ops::mish, mish>},
    {at::_ops::mish_::name, at::_ops::mish_::overload_name, &add_native_kernel<at::_ops::mish_, mish_>},
    {at::_ops::mish_out::name, at::_ops::mish_out::overload_name, &add_native_kernel<at::_ops::mish_out, mish_out>},
    {at::_ops::relu::name, at::_ops::relu::overload_name, &add_native_kernel<at::_ops::relu, relu>},
    {at::_ops::relu_::name, at::_ops::relu_::overload_name, &add_native_kernel<at::_ops::relu_, relu_>},
    {at::_ops::sigmoid::name, at::_ops::sigmoid::overload_name, &add_native_kernel<at::_ops::sigmoid, sigmoid>},
    {at::_ops::sigmoid_::name, at::_ops::sigmoid_::overload_name, &add_native_kernel<at::_ops::sigmoid_, sigmoid_>},
    {at::_ops::sigmoid_out::name, at::_ops::sigmoid_out::overload_name, &add_native_kernel<at::_ops::sigmoid_out, sigmoid_out>},
    {at::_ops::silu::name, at::_ops::silu::overload_name, &add_native_kernel<at::_ops::silu, silu>},
    {at::_ops::silu_::name, at::_ops::silu_::overload_name, &add_native_kernel<at::_ops::silu_, silu_>},
    {at::_ops::silu_out::name, at::_ops::silu_out::overload_name, &add_native_kernel<at::_ops::silu_out, silu_out>},
    {at::_ops::tanh::name, at::_ops::tanh::overload_name, &add_native_kernel<at::_ops::tanh, tanh>},
    {at::_ops::tanh_::name, at::_ops::tanh_::overload_name, &add_native_kernel<at::_ops::tanh_, tanh_>},
    {at::_ops::tanh_out::name, at::_ops::tanh_out::overload_name, &add_native_kernel<at::_ops::tanh_out, tanh_out>},
    {at::_ops::hardsigmoid::name, at::_ops::hardsigmoid::overload_name, &add_native_kernel<at::_ops::hardsigmoid, hardsigmoid>},
    {at::_ops::hardsigmoid_::name, at::_ops::hardsigmoid_::overload_name, &add_native_kernel<at::_ops::hardsigmoid_, hardsigmoid_>},
    {at::_ops::hardsigmoid_out::name, at::_ops::hardsigmoid_out::overload_name, &add_native_kernel<at::_ops::hardsigmoid_out, hardsigmoid_out>},
    {at::_ops::elu::name, at::_ops::elu::overload_name, &add_native_kernel<at::_ops::elu, elu>},
    {at::_ops::elu_::name, at::_ops::elu_::overload_name, &add_native_kernel<at::_ops::elu_, elu_>},
    {at::_ops::elu_out::name, at::_ops::elu_out::overload_name, &add_native_kernel<at::_ops::elu_out, elu_out>},
    {at::_ops::gelu::name, at::_ops::gelu::overload_name, &add_native_kernel<at::_ops::gelu, gelu>},
    {at::_ops::gelu_::name, at::_ops::gelu_::overload_name, &add_native_kernel<at::_ops::gelu_, gelu_>},
    {at::_ops::gelu_out::name, at::_ops::gelu_out::overload_name, &add_native_kernel<at::_ops::gelu_out, gelu_out>},
    {at::_ops::hardshrink::name, at::_ops::hardshrink::overload_name, &add_native_kernel<at::_ops::hardshrink, hardshrink>},
    {at::_ops::hardshrink_out::name, at::_ops::hardshrink_out::overload_name, &add_native_kernel<at::_ops::hardshrink_out, hardshrink_out>},
    {at::_ops::hardtanh::name, at::_ops::hardtanh::overload_name, &add_native_kernel<at::_ops::hardtanh, hardtanh>},
    {at::_ops::hardtanh_::name, at::_ops::hardtanh_::overload_name, &add_native_kernel<at::_ops::hardtanh_, hardtanh_>},
    {at::_ops::hardtanh_out::name, at::_ops::hardtanh_out::overload_name, &add_native_kernel<at::_ops::hardtanh_out, hardtanh_out>},
    {at::_ops::leaky_relu::name, at::_ops::leaky_relu::overload_name, &add_native_kernel<at::_ops::leaky_relu, leaky_relu>},
    {at::_ops::leaky_relu_::name, at::_ops::leaky_relu_::overload_name, &add_native_kernel<at::_ops::leaky_relu_, leaky_relu_>},
    {at::_ops::leaky_relu_out::name, at::_ops::leaky_relu_out::overload_name, &add_native_kernel<at::_ops::leaky_relu_out, leaky_relu_out>},
    {at::_ops::softshrink::name, at::_ops::softshrink::overload_name, &add_native_kernel<at::_ops::softshrink, softshrink>},
    {at::_ops::softshrink_out::name, at::_ops::softshrink_out::overload_name, &add_native_kernel<at::_ops::softshrink_out, softshrink_out>},
    {at::_ops::softplus::name, at::_ops::softplus::overload_name, &add_native_kernel<at::_ops::softplus, softplus>},
    {at::_ops::softplus_out::name, at::_ops::softplus_out::overload_name, &add_native_kernel<at::_ops::softplus_out, softplus_out>},
    {at::_ops::threshold::name, at::_ops::threshold::overload_name, &add_native_kernel<at::_ops::threshold, threshold>},
    {at::_ops::threshold_::name, at::_ops::threshold_::overload_name, &add_native_kernel<at::_ops::threshold_, threshold_>},
    {at::_ops::threshold_out::name, at::_ops::threshold_out::overload_name, &add_native_kernel<at::_ops::threshold_out, threshold_out>},
    {at::_ops::clamp::name, at::_ops::clamp::overload_name, &add_native_kernel<at::_ops::clamp, clamp>},
    {at::_ops::clamp_::name, at::_ops::clamp_::overload_name, &add_native_kernel<at::_ops::clamp_, clamp_>},
    {at::_ops::clamp_out::name, at::_ops::clamp_out::overload_name, &add_native_kernel<at::_ops::clamp_out, clamp_out>},
    {at::_ops::threshold_backward::name, at::_ops::threshold_backward::overload_name, &add_native_kernel<at::_ops::threshold_backward, threshold_backward>},
    {at::_ops::threshold_backward_grad_input::name, at::_ops::threshold_backward_grad_input::overload_name, &add_native_kernel<at::_ops::threshold_backward_grad_input, threshold_backward_grad_input>},
    {at::_ops::tanh_backward::name, at::_ops::tanh_backward::overload_name, &add_native_kernel<at::_ops::tanh_backward, tanh_backward>},
    {at::_ops::tanh_backward_grad_input::name, at::_ops::tanh_backward_grad_input::overload_name, &add_native_kernel<at::_ops::tanh_backward_grad_input, tanh_backward_grad_input>},
    {at::_ops::sigmoid_backward::name, at::_ops::sigmoid_backward::overload_name, &add_native_kernel<at::_ops::sigmoid_backward, sigmoid_backward>},
    {at::_ops::sigmoid_backward_grad_input::name, at::_ops::sigmoid_backward_grad_input::overload_name, &add_native_kernel<at::_ops::sigmoid_backward_grad_input, sigmoid_backward_grad_input>},
    {at::_ops::gelu_backward::name, at::_ops::gelu_backward::overload_name, &add_native_kernel<at::_ops::gelu_backward, gelu_backward>},
    {at::_ops::gelu_backward_grad_input::name, at::_ops::gelu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::gelu_backward_grad_input, gelu_backward_grad_input>},
    {at::_ops::hardswish_backward::name, at::_ops::hardswish_backward::overload_name, &add_native_kernel<at::_ops::hardswish_backward, hardswish_backward>},
    {at::_ops::leaky_relu_backward::name, at::_ops::leaky_relu_backward::overload_name, &add_native_kernel<at::_ops::leaky_relu_backward, leaky_relu_backward>},
    {at::_ops::leaky_relu_backward_grad_input::name, at::_ops::leaky_relu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::leaky_relu_backward_grad_input, leaky_relu_backward_grad_input>},
    {at::_ops::mish_backward::name, at::_ops::mish_backward::overload_name, &add_native_kernel<at::_ops::mish_backward, mish_backward>},
    {at::_ops::softplus_backward::name, at::_ops::softplus_backward::overload_name, &add_native_kernel<at::_ops::softplus_backward, softplus_backward>},
    {at::_ops::softplus_backward_grad_input::name, at::_ops::softplus_backward_grad_input::overload_name, &add_native_kernel<at::_ops::softplus_backward_grad_input, softplus_backward_grad_input>},
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
    {at::_ops::clamp_max::name, at::_ops::clamp_max::overload_name, &add_native_kernel<at::_ops::clamp_max, clamp_max>},
    {at::_ops::clamp_max_::name, at::_ops::clamp_max_::overload_name, &add_native_kernel<at::_ops::clamp_max_, clamp_max_>},
    {at::_ops::clamp_max_out::name, at::_ops::clamp_max_out::overload_name, &add_native_kernel<at::_ops::clamp_max_out, clamp_max_out>},
    {at::_ops::pow_Tensor_Scalar::name, at::_ops::pow_Tensor_Scalar::overload_name, &add_native_kernel<at::_ops::pow_Tensor_Scalar, pow_Tensor_Scalar>},
    {at::_ops::pow__Scalar::name, at::_ops::pow__Scalar::overload_name, &add_native_kernel<at::_ops::pow__Scalar, pow__Scalar>},
    {at::_ops::pow_Tensor_Scalar_out::name, at::_ops::pow_Tensor_Scalar_out::overload_name, &add_native_kernel<at::_ops::pow_Tensor_Scalar_out, pow_Tensor_Scalar_out>},
    {at::_ops::eq_Tensor::name, at::_ops::eq_Tensor::overload_name, &add_native_kernel<at::_ops::eq_Tensor, eq_Tensor>},
    {at::_ops::eq_Tensor_out::name, at::_ops::eq_Tensor_out::overload_name, &add_native_kernel<at::_ops::eq_Tensor_out, eq_Tensor_out>},
    {at::_ops::eq_Scalar::name, at::_ops::eq_Scalar::overload_name, &add_native_kernel<at::_ops::eq_Scalar, eq_Scalar>},
    {at::_ops::eq_Scalar_out::name, at::_ops::eq_Scalar_out::overload_name, &add_native_kernel<at::_ops::eq_Scalar_out, eq_Scalar_out>},
    {at::_ops::ne_Tensor::name, at::_ops::ne_Tensor::overload_name, &add_native_kernel<at::_ops::ne_Tensor, ne_Tensor>},
    {at::_ops::ne_Tensor_out::name, at::_ops::ne_Tensor_out::overload_name, &add_native_kernel<at::_ops::ne_Tensor_out, ne_Tensor_out>},
    {at::_ops::ne_Scalar::name, at::_ops::ne_Scalar::overload_name, &add_native_kernel<at::_ops::ne_Scalar, ne_Scalar>},
    {at::_ops::ne_Scalar_out::name, at::_ops::ne_Scalar_out::overload_name, &add_native_kernel<at::_ops::ne_Scalar_out, ne_Scalar_out>},
    {at::_ops::lt_Tensor::name, at::_ops::lt_Tensor::overload_name, &add_native_kernel<at::_ops::lt_Tensor, lt_Tensor>},
    {at::_ops::lt_Tensor_out::name, at::_ops::lt_Tensor_out::overload_name, &add_native_kernel<at::_ops::lt_Tensor_out, lt_Tensor_out>},
    {at::_ops::lt_Scalar::name, at::_ops::lt_Scalar::overload_name, &add_native_kernel<at::_ops::lt_Scalar, lt_Scalar>},
    {at::_ops::lt_Scalar_out::name, at::_ops::lt_Scalar_out::overload_name, &add_native_kernel<at::_ops::lt_Scalar_out, lt_Scalar_out>},
    {at::_ops::le_Tensor::name, at::_ops::le_Tensor::overload_name, &add_native_kernel<at::_ops::le_Tensor, le_Tensor>},
    {at::_ops::le_Tensor_out::name, at::_ops::le_Tensor_out::overload_name, &add_native_kernel<at::_ops::le_Tensor_out, le_Tensor_out>},
    {at::_ops::le_Scalar::name, at::_ops::le_Scalar::overload_name, &add_native_kernel<at::_ops::le_Scalar, le_Scalar>},
    {at::_ops::le_Scalar_out::name, at::_ops::le_Scalar_out::overload_name, &add_native_kernel<at::_ops::le_Scalar_out, le_Scalar_out>},
    {at::_ops::gt_Tensor::name, at::_ops::gt_Tensor::overload_name, &add_native_kernel<at::_ops::gt_Tensor, gt_Tensor>},
    {at::_ops::gt_Tensor_out::name, at::_ops::gt_Tensor_out::overload_name, &add_native_kernel<at::_ops::gt_Tensor_out, gt_Tensor_out>},
    {at::_ops::gt_Scalar::name, at::_ops::gt_Scalar::overload_name, &add_native_kernel<at::_ops::gt_Scalar, gt_Scalar>},
    {at::_ops::gt_Scalar_out::name, at::_ops::gt_Scalar_out::overload_name, &add_native_kernel<at::_ops::gt_Scalar_out, gt_Scalar_out>},
    {at::_ops::ge_Tensor::name, at::_ops::ge_Tensor::overload_name, &add_native_kernel<at::_ops::ge_Tensor, ge_Tensor>},
    {at::_ops::ge_Tensor_out::name, at::_ops::ge_Tensor_out::overload_name, &add_native_kernel<at::_ops::ge_Tensor_out, ge_Tensor_out>},
    {at::_ops::ge_Scalar::name, at::_ops::ge_Scalar::overload_name, &add_native_kernel<at::_ops::ge_Scalar, ge_Scalar>},
    {at::_ops::ge_Scalar_out::name, at::_ops::ge_Scalar_out::overload_name, &add_native_kernel<at::_ops::ge_Scalar_out, ge_Scalar_out>},
    {at::_ops::logical_and::name, at::_ops::logical_and::overload_name, &add_native_kernel<at::_ops::logical_and, logical_and>},
    {at::_ops::logical_and_out::name, at::_ops::logical_and_out::overload_name, &add_native_kernel<at::_ops::logical_and_out, logical_and_out>},
    {at::_ops::logical_or::name, at::_ops::logical_or::overload_name, &add_native_kernel<at::_ops::logical_or, logical_or>},
    {at::_ops::logical_or_out::name, at::_ops::logical_or_out::overload_name, &add_native_kernel<at::_ops::logical_or_out, logical_or_out>},
    {at::_ops::logical_xor::name, at::_ops::logical_xor::overload_name, &add_native_kernel<at::_ops::logical_xor, logical_xor>},
    {at::_ops::logical_xor_out::name, at::_ops::logical_xor_out::overload_name, &add_native_kernel<at::_ops::logical_xor_out, logical_xor_out>},
    {at::_ops::addcmul::name, at::_ops::addcmul::overload_name, &add_native_kernel<at::_ops::addcmul, addcmul>},
    {at::_ops::addcmul_::name, at::_ops::addcmul_::overload_name, &add_native_kernel<at::_ops::addcmul_, addcmul_>},
    {at::_ops::addcmul_out::name, at::_ops::addcmul_out::overload_name, &add_native_kernel<at::_ops::addcmul_out, addcmul_out>},
    {at::_ops::addcdiv::name, at::_ops::addcdiv::overload_name, &add_native_kernel<at::_ops::addcdiv, addcdiv>},
    {at::_ops::addcdiv_::name, at::_ops::addcdiv_::overload_name, &add_native_kernel<at::_ops::addcdiv_, addcdiv_>},
    {at::_ops::addcdiv_out::name, at::_ops::addcdiv_out::overload_name, &add_native_kernel<at::_ops::addcdiv_out, addcdiv_out>},
    {at::_ops::sum_dim_IntList::name, at::_ops::sum_dim_IntList::overload_name, &add_native_kernel<at::_ops::sum_dim_IntList, sum_dim_IntList>},
    {at::_ops::sum_IntList_out::name, at::_ops::sum_IntList_out::overload_name, &add_native_kernel<at::_ops::sum_IntList_out, sum_IntList_out>},
    {at::_ops::mean_dim::name, at::_ops::mean_dim::overload_name, &add_native_kernel<at::_ops::mean_dim, mean_dim>},
    {at::_ops::mean_out::name, at::_ops::mean_out::overload_name, &add_native_kernel<at::_ops::mean_out, mean_out>},
    {at::_ops::amax::name, at::_ops::amax::overload_name, &add_native_kernel<at::_ops::amax, amax>},
    {at::_ops::amax_out::name, at::_ops::amax_out::overload_name, &add_native_kernel<at::_ops::amax_out, amax_out>},
    {at::_ops::amin::name, at::_ops::amin::overload_name, &add_native_kernel<at::_ops::amin, amin>},
    {at::_ops::amin_out::name, at::_ops::amin_out::overload_name, &add_native_kernel<at::_ops::amin_out, amin_out>},
    {at::_ops::prod_dim_int::name, at::_ops::prod_dim_int::overload_name, &add_native_kernel<at::_ops::prod_dim_int, prod_dim_int>},
    {at::_ops::prod_int_out::name, at::_ops::prod_int_out::overload_name, &add_native_kernel<at::_ops::prod_int_out, prod_int_out>},
    {at::_ops::linalg_vector_norm::name, at::_ops::linalg_vector_norm::overload_name, &add_native_kernel<at::_ops::linalg_vector_norm, linalg_vector_norm>},
    {at::_ops::linalg_vector_norm_out::name, at::_ops::linalg_vector_norm_out::overload_name, &add_native_kernel<at::_ops::linalg_vector_norm_out, linalg_vector_norm_out>},
    {at::_ops::any_dim::name, at::_ops::any_dim::overload_name, &add_native_kernel<at::_ops::any_dim, any_dim>},
    {at::_ops::any_out::name, at::_ops::any_out::overload_name, &add_native_kernel<at::_ops::any_out, any_out>},
    {at::_ops::all_dim::name, at::_ops::all_dim::overload_name, &add_native_kernel<at::_ops::all_dim, all_dim>},
    {at::_ops::all_out::name, at::_ops::all_out::overload_name, &add_native_kernel<at::_ops::all_out, all_out>},
    {at::_ops::_softmax::name, at::_ops::_softmax::overload_name, &add_native_kernel<at::_ops::_softmax, _softmax>},
    {at::_ops::_softmax_out::name, at::_ops::_softmax_out::overload_name, &add_native_kernel<at::_ops::_softmax_out, _softmax_out>},
    {at::_ops::_log_softmax::name, at::_ops::_log_softmax::overload_name, &add_native_kernel<at::_ops::_log_softmax, _log_softmax>},
    {at::_ops::_log_softmax_out::name, at::_ops::_log_softmax_out::overload_name, &add_native_kernel<at::_ops::_log_softmax_out, _log_softmax_out>},
    {at::_ops::_softmax_backward_data::name, at::_ops::_softmax_backward_data::overload_name, &add_native_kernel<at::_ops::_softmax_backward_data, _softmax_backward_data>},
    {at::_ops::_softmax_backward_data_out::name, at::_ops::_softmax_backward_data_out::overload_name, &add_native_kernel<at::_ops::_softmax_backward_data_out, _softmax_backward_data_out>},
    {at::_ops::_log_softmax_backward_data::name, at::_ops::_log_softmax_backward_data::overload_name, &add_native_kernel<at::_ops::_log_softmax_backward_data, _log_softmax_backward_data>},
    {at::_ops::_log_softmax_backward_data_out::name, at::_ops::_log_softmax_backward_data_out::overload_name, &add_native_kernel<at::_ops::_log_softmax_backward_data_out, _log_softmax_backward_data_out>},
    {at::_ops::mm::name, at::_ops::mm::overload_name, &add_native_kernel<at::_ops::mm, mm>},
    {at::_ops::mm_out::name, at::_ops::mm_out::overload_name, &add_native_kernel<at::_ops::mm_out, mm_out>},
    {at::_ops::bmm::name, at::_ops::bmm::overload_name, &add_native_kernel<at::_ops::bmm, bmm>},
    {at::_ops::bmm_out::name, at::_ops::bmm_out::overload_name, &add_native_kernel<at::_ops::bmm_out, bmm_out>},
    {at::_ops::dot::name, at::_ops::dot::overload_name, &add_native_kernel<at::_ops::dot, dot>},
    {at::_ops::addmm::name, at::_ops::addmm::overload_name, &add_native_kernel<at::_ops::addmm, addmm>},
    {at::_ops::addmm_::name, at::_ops::addmm_::overload_name, &add_native_kernel<at::_ops::addmm_, addmm_>},
    {at::_ops::addmm_out::name, at::_ops::addmm_out::overload_name, &add_native_kernel<at::_ops::addmm_out, addmm_out>},
    {at::_ops::addmv::name, at::_ops::addmv::overload_name, &add_native_kernel<at::_ops::addmv, addmv>},
    {at::_ops::addmv_::name, at::_ops::addmv_::overload_name, &add_native_kernel<at::_ops::addmv_, addmv_>},
    {at::_ops::addmv_out::name, at::_ops::addmv_out::overload_name, &add_native_kernel<at::_ops::addmv_out, addmv_out>},
    {at::_ops::baddbmm::name, at::_ops::baddbmm::overload_name, &add_native_kernel<at::_ops::baddbmm, baddbmm>},
    {at::_ops::baddbmm_::name, at::_ops::baddbmm_::overload_name, &add_native_kernel<at::_ops::baddbmm_, baddbmm_>},
    {at::_ops::baddbmm_out::name, at::_ops::baddbmm_out::overload_name, &add_native_kernel<at::_ops::baddbmm_out, baddbmm_out>},
    {at::_ops::cat::name, at::_ops::cat::overload_name, &add_native_kernel<at::_ops::cat, cat>},
    {at::_ops::cat_out::name, at::_ops::cat_out::overload_name, &add_native_kernel<at::_ops::cat_out, cat_out>},
    {at::_ops::native_layer_norm::name, at::_ops::native_layer_norm::overload_name, &add_native_kernel<at::_ops::native_layer_norm, native_layer_norm>},
    {at::_ops::native_batch_norm::name, at::_ops::native_batch_norm::overload_name, &add_native_kernel<at::_ops::native_batch_norm, native_batch_norm>},
    {at::_ops::_foreach_abs::name, at::_ops::_foreach_abs::overload_name, &add_native_kernel<at::_ops::_foreach_abs, _foreach_abs>},
    {at::_ops::_foreach_abs_::name, at::_ops::_foreach_abs_::overload_name, &add_native_kernel<at::_ops::_foreach_abs_, _foreach_abs_>},
    {at::_ops::_foreach_exp::name, at::_ops::_foreach_exp::overload_name, &add_native_kernel<at::_ops::_foreach_exp, _foreach_exp>},
    {at::_ops::_foreach_exp_::name, at::_ops::_foreach_exp_::overload_name, &add_native_kernel<at::_ops::_foreach_exp_, _foreach_exp_>},
    {at::_ops::_foreach_log::name, at::_ops::_foreach_log::overload_name, &add_native_kernel<at::_ops::_foreach_log, _foreach_log>},
    {at::_ops::_foreach_log_::name, at::_ops::_foreach_log_::overload_name, &add_native_kernel<at::_ops::_foreach_log_, _foreach_log_>},
    {at::_ops::_foreach_neg::name, at::_ops::_foreach_neg::overload_name, &add_native_kernel<at::_ops::_foreach_neg, _foreach_neg>},
    {at::_ops::_foreach_neg_::name, at::_ops::_foreach_neg_::overload_name, &add_native_kernel<at::_ops::_foreach_neg_, _foreach_neg_>},
    {at::_ops::_foreach_reciprocal::name, at::_ops::_foreach_reciprocal::overload_name, &add_native_kernel<at::_ops::_foreach_reciprocal, _foreach_reciprocal>},
    {at::_ops::_foreach_reciprocal_::name, at::_ops::_foreach_reciprocal_::overload_name, &add_native_kernel<at::_ops::_foreach_reciprocal_, _foreach_reciprocal_>},
    {at::_ops::_foreach_rsqrt::name, at::_ops::_foreach_rsqrt::overload_name, &add_native_kernel<at::_ops::_foreach_rsqrt, _foreach_rsqrt>},
    {at::_ops::_foreach_rsqrt_::name, at::_ops::_foreach_rsqrt_::overload_name, &add_native_kernel<at::_ops::_foreach_rsqrt_, _foreach_rsqrt_>},
    {at::_ops::_foreach_sigmoid::name, at::_ops::_foreach_sigmoid::overload_name, &add_native_kernel<at::_ops::_foreach_sigmoid, _foreach_sigmoid>},
    {at::_ops::_foreach_sigmoid_::name, at::_ops::_foreach_sigmoid_::overload_name, &add_native_kernel<at::_ops::_foreach_sigmoid_, _foreach_sigmoid_>},
    {at::_ops::_foreach_sqrt::name, at::_ops::_foreach_sqrt::overload_name, &add_native_kernel<at::_ops::_foreach_sqrt, _foreach_sqrt>},
    {at::_ops::_foreach_sqrt_::name, at::_ops::_foreach_sqrt_::overload_name, &add_native_kernel<at::_ops::_foreach_sqrt_, _foreach_sqrt_>},
    {at::_ops::_foreach_tanh::name, at::_ops::_foreach_tanh::overload_name, &add_native_kernel<at::_ops::_foreach_tanh, _foreach_tanh>},
    {at::_ops::_foreach_tanh_::name, at::_ops::_foreach_tanh_::overload_name, &add_native_kernel<at::_ops::_foreach_tanh_, _foreach_tanh_>},
    {at::_ops::_foreach_add_List::name, at::_ops::_foreach_add_List::overload_name, &add_native_kernel<at::_ops::_foreach_add_List, _foreach_add_List>},
    {at::_ops::_foreach_add__List::name, at::_ops::_foreach_add__List::overload_name, &add_native_kernel<at::_ops::_foreach_add__List, _foreach_add__List>},
    {at::_ops::_foreach_sub_List::name, at::_ops::_foreach_sub_List::overload_name, &add_native_kernel<at::_ops::_foreach_sub_List, _foreach_sub_List>},
    {at::_ops::_foreach_sub__List::name, at::_ops::_foreach_sub__List::overload_name, &add_native_kernel<at::_ops::_foreach_sub__List, _foreach_sub__List>},
    {at::_ops::_foreach_mul_List::name, at::_ops::_foreach_mul_List::overload_name, &add_native_kernel<at::_ops::_foreach_mul_List, _foreach_mul_List>},
    {at::_ops::_foreach_mul__List::name, at::_ops::_foreach_mul__List::overload_name, &add_native_kernel<at::_ops::_foreach_mul__List, _foreach_mul__List>},
    {at::_ops::_foreach_div_List::name, at::_ops::_foreach_div_List::overload_name, &add_native_kernel<at::_ops::_foreach_div_List, _foreach_div_List>},
    {at::_ops::_foreach_div__List::name, at::_ops::_foreach_div__List::overload_name, &add_native_kernel<at::_ops::_foreach_div__List, _foreach_div__List>},
};

}  // namespace

}  // namespace flagos

extern "C" FLAGOS_EXPORT const flagos::CompiledKernel* flagos_kernel(size_t number) {
  return number < std::size(flagos::kKernels) ? flagos::kKernels + number : nullptr;
}
