// @generated from docs/vendors/onednn/op-api-map.yaml by generators.native_op; do not edit.
//
// The kernels of onednn's operators: marshalling by category, the library's call, and registration. What a kernel
// does not take goes to the CPU, and is counted there.
#include "calls.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>

#include <cmath>

#include <ATen/ops/_addmm_activation_ops.h>
#include <ATen/ops/_foreach_abs_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_reciprocal_ops.h>
#include <ATen/ops/_foreach_round_ops.h>
#include <ATen/ops/_foreach_sigmoid_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_tanh_ops.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_prelu_kernel_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/avg_pool2d_backward_ops.h>
#include <ATen/ops/avg_pool2d_ops.h>
#include <ATen/ops/avg_pool3d_backward_ops.h>
#include <ATen/ops/avg_pool3d_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/channel_shuffle_ops.h>
#include <ATen/ops/convolution_backward_overrideable_ops.h>
#include <ATen/ops/convolution_overrideable_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/elu_backward_ops.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/leaky_relu_backward_ops.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/logical_or_ops.h>
#include <ATen/ops/logical_xor_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mish_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_backward_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/upsample_bilinear2d_backward_ops.h>
#include <ATen/ops/upsample_bilinear2d_ops.h>
#include <ATen/ops/upsample_linear1d_backward_ops.h>
#include <ATen/ops/upsample_linear1d_ops.h>
#include <ATen/ops/upsample_trilinear3d_backward_ops.h>
#include <ATen/ops/upsample_trilinear3d_ops.h>

namespace flagos {
namespace {

namespace library = onednn;

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

// ---- abs: unary, dnnl_eltwise_forward_desc_init ----

bool abs_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_abs);
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

// ---- neg: unary, dnnl_eltwise_forward_desc_init ----

bool neg_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_linear, -1, 0);
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

// ---- reciprocal: unary, dnnl_eltwise_forward_desc_init ----

bool reciprocal_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_pow, 1, -1);
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

// ---- round: unary, dnnl_eltwise_forward_desc_init ----

bool round_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_round);
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

// ---- sigmoid: unary, dnnl_eltwise_forward_desc_init ----

bool sigmoid_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_logistic);
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

// ---- sqrt: unary, dnnl_eltwise_forward_desc_init ----

bool sqrt_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_sqrt);
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

// ---- tanh: unary, dnnl_eltwise_forward_desc_init ----

bool tanh_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_tanh);
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

// ---- silu: unary, dnnl_eltwise_forward_desc_init ----

bool silu_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_swish, 1);
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

// ---- mish: unary, dnnl_eltwise_forward_desc_init ----

bool mish_into(Result& result, const at::Tensor& self) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_mish);
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

// ---- elu: activation, dnnl_eltwise_forward_desc_init ----

bool elu_into(Result& result, const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale) {
  if (!(scale.toDouble() == 1 && input_scale.toDouble() == 1)) return false;
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_elu, alpha.toDouble());
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

// ---- leaky_relu: activation, dnnl_eltwise_forward_desc_init ----

bool leaky_relu_into(Result& result, const at::Tensor& self, const at::Scalar& negative_slope) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, dnnl::algorithm::eltwise_relu, negative_slope.toDouble());
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

// ---- gelu: activation, dnnl_eltwise_forward_desc_init ----

bool gelu_into(Result& result, const at::Tensor& self, c10::string_view approximate) {
  return fit({&self}, {at::kFloat}) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
         library::unary(result.tensor(), self, approximate == "tanh" ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_gelu_erf);
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

// ---- tanh_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool tanh_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output) {
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &output}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, output, dnnl::algorithm::eltwise_tanh_use_dst_for_bwd);
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

// ---- sigmoid_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool sigmoid_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output) {
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &output}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, output, dnnl::algorithm::eltwise_logistic_use_dst_for_bwd);
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

// ---- elu_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool elu_backward_into(Result& result, const at::Tensor& grad_output, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale, bool is_result, const at::Tensor& self_or_result) {
  if (!(scale.toDouble() == 1 && input_scale.toDouble() == 1 && alpha.toDouble() >= 0)) return false;
  return fit({&grad_output, &self_or_result}, {at::kFloat}) && grad_output.sizes() == self_or_result.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self_or_result}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self_or_result, is_result ? dnnl::algorithm::eltwise_elu_use_dst_for_bwd : dnnl::algorithm::eltwise_elu, alpha.toDouble());
}

at::Tensor elu_backward(const at::Tensor& grad_output, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale, bool is_result, const at::Tensor& self_or_result) {
  Result result;
  if (!elu_backward_into(result, grad_output, alpha, scale, input_scale, is_result, self_or_result)) return OnCpu<at::_ops::elu_backward>::call(grad_output, alpha, scale, input_scale, is_result, self_or_result);
  return done<at::_ops::elu_backward>(result);
}

at::Tensor& elu_backward_grad_input(const at::Tensor& grad_output, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& input_scale, bool is_result, const at::Tensor& self_or_result, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!elu_backward_into(result, grad_output, alpha, scale, input_scale, is_result, self_or_result)) return OnCpu<at::_ops::elu_backward_grad_input>::call(grad_output, alpha, scale, input_scale, is_result, self_or_result, grad_input);
  done<at::_ops::elu_backward_grad_input>(result);
  return grad_input;
}

// ---- gelu_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool gelu_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, c10::string_view approximate) {
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, approximate == "tanh" ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_gelu_erf);
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

// ---- leaky_relu_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool leaky_relu_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, const at::Scalar& negative_slope, bool self_is_result) {
  if (!(!self_is_result)) return false;
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, dnnl::algorithm::eltwise_relu, negative_slope.toDouble());
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

// ---- silu_backward: activation backward, dnnl_eltwise_backward_desc_init ----

bool silu_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self) {
  return fit({&grad_output, &self}, {at::kFloat}) && grad_output.sizes() == self.sizes() &&
         result.prepare(grad_output.sizes(), grad_output.scalar_type(), {&grad_output, &self}, /*elementwise=*/true) &&
         library::unary_backward(result.tensor(), grad_output, self, dnnl::algorithm::eltwise_swish, 1);
}

at::Tensor silu_backward(const at::Tensor& grad_output, const at::Tensor& self) {
  Result result;
  if (!silu_backward_into(result, grad_output, self)) return OnCpu<at::_ops::silu_backward>::call(grad_output, self);
  return done<at::_ops::silu_backward>(result);
}

at::Tensor& silu_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!silu_backward_into(result, grad_output, self)) return OnCpu<at::_ops::silu_backward_grad_input>::call(grad_output, self, grad_input);
  done<at::_ops::silu_backward_grad_input>(result);
  return grad_input;
}

// ---- add.Tensor: binary, dnnl_binary_desc_init ----

bool add_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex() && std::abs(alpha.toDouble()) <= 1)) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::unary(result.tensor(), self, dnnl::algorithm::eltwise_linear, 1, alpha.toDouble() * *number);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_add, alpha.toDouble());
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

// ---- sub.Tensor: binary, dnnl_binary_desc_init ----

bool sub_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  if (!(!alpha.isComplex() && std::abs(alpha.toDouble()) <= 1)) return false;
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::unary(result.tensor(), self, dnnl::algorithm::eltwise_linear, 1, -alpha.toDouble() * *number);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_add, -alpha.toDouble());
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

// ---- mul.Tensor: binary, dnnl_binary_desc_init ----

bool mul_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::unary(result.tensor(), self, dnnl::algorithm::eltwise_linear, *number, 0);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_mul);
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

// ---- div.Tensor: binary, dnnl_binary_desc_init ----

bool div_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_div);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_div);
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

// ---- eq.Tensor: comparison, dnnl_binary_desc_init ----

bool eq_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_eq);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_eq);
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

// ---- eq.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool eq_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_eq);
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

// ---- ne.Tensor: comparison, dnnl_binary_desc_init ----

bool ne_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_ne);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_ne);
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

// ---- ne.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool ne_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_ne);
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

// ---- lt.Tensor: comparison, dnnl_binary_desc_init ----

bool lt_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_lt);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_lt);
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

// ---- lt.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool lt_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_lt);
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

// ---- le.Tensor: comparison, dnnl_binary_desc_init ----

bool le_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_le);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_le);
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

// ---- le.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool le_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_le);
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

// ---- gt.Tensor: comparison, dnnl_binary_desc_init ----

bool gt_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_gt);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_gt);
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

// ---- gt.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool gt_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_gt);
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

// ---- ge.Tensor: comparison, dnnl_binary_desc_init ----

bool ge_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  if (const auto number = number_in(other, self)) {
    return fit({&self}, {at::kFloat}) &&
           result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
           library::binary_number(result.tensor(), self, *number, dnnl::algorithm::binary_ge);
  }
  at::DimVector sizes;
  return fit({&self, &other}, {at::kFloat}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_ge);
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

// ---- ge.Scalar: comparison scalar, dnnl_binary_desc_init ----

bool ge_Scalar_into(Result& result, const at::Tensor& self, const at::Scalar& other) {
  return fit({&self}, {at::kFloat}) && !other.isComplex() &&
         result.prepare(self.sizes(), at::kBool, {&self}, /*elementwise=*/true) &&
         library::binary_number(result.tensor(), self, other.toDouble(), dnnl::algorithm::binary_ge);
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

// ---- logical_and: logical, dnnl_binary_desc_init ----

bool logical_and_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_min);
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

// ---- logical_or: logical, dnnl_binary_desc_init ----

bool logical_or_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_max);
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

// ---- logical_xor: logical, dnnl_binary_desc_init ----

bool logical_xor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_ne);
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

// ---- bitwise_and.Tensor: logical, dnnl_binary_desc_init ----

bool bitwise_and_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_min);
}

at::Tensor bitwise_and_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!bitwise_and_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_and_Tensor>::call(self, other);
  return done<at::_ops::bitwise_and_Tensor>(result);
}

at::Tensor& bitwise_and__Tensor(at::Tensor& self, const at::Tensor& other) {
  Result result(self, /*in_place=*/true);
  if (!bitwise_and_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_and__Tensor>::call(self, other);
  done<at::_ops::bitwise_and__Tensor>(result);
  return self;
}

at::Tensor& bitwise_and_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!bitwise_and_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_and_Tensor_out>::call(self, other, out);
  done<at::_ops::bitwise_and_Tensor_out>(result);
  return out;
}

// ---- bitwise_or.Tensor: logical, dnnl_binary_desc_init ----

bool bitwise_or_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_max);
}

at::Tensor bitwise_or_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!bitwise_or_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_or_Tensor>::call(self, other);
  return done<at::_ops::bitwise_or_Tensor>(result);
}

at::Tensor& bitwise_or__Tensor(at::Tensor& self, const at::Tensor& other) {
  Result result(self, /*in_place=*/true);
  if (!bitwise_or_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_or__Tensor>::call(self, other);
  done<at::_ops::bitwise_or__Tensor>(result);
  return self;
}

at::Tensor& bitwise_or_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!bitwise_or_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_or_Tensor_out>::call(self, other, out);
  done<at::_ops::bitwise_or_Tensor_out>(result);
  return out;
}

// ---- bitwise_xor.Tensor: logical, dnnl_binary_desc_init ----

bool bitwise_xor_Tensor_into(Result& result, const at::Tensor& self, const at::Tensor& other) {
  at::DimVector sizes;
  return fit({&self, &other}, {at::kBool}) && self.scalar_type() == other.scalar_type() &&
         broadcast_sizes(self.sizes(), other.sizes(), sizes) &&
         result.prepare(sizes, at::kBool, {&self, &other}, /*elementwise=*/true) &&
         library::binary(result.tensor(), self, other, dnnl::algorithm::binary_ne);
}

at::Tensor bitwise_xor_Tensor(const at::Tensor& self, const at::Tensor& other) {
  Result result;
  if (!bitwise_xor_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_xor_Tensor>::call(self, other);
  return done<at::_ops::bitwise_xor_Tensor>(result);
}

at::Tensor& bitwise_xor__Tensor(at::Tensor& self, const at::Tensor& other) {
  Result result(self, /*in_place=*/true);
  if (!bitwise_xor_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_xor__Tensor>::call(self, other);
  done<at::_ops::bitwise_xor__Tensor>(result);
  return self;
}

at::Tensor& bitwise_xor_Tensor_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!bitwise_xor_Tensor_into(result, self, other)) return OnCpu<at::_ops::bitwise_xor_Tensor_out>::call(self, other, out);
  done<at::_ops::bitwise_xor_Tensor_out>(result);
  return out;
}

// ---- addcmul: ternary, dnnl_binary_desc_init ----

bool addcmul_into(Result& result, const at::Tensor& self, const at::Tensor& tensor1, const at::Tensor& tensor2, const at::Scalar& value) {
  at::DimVector product, sizes;
  return fit({&self, &tensor1, &tensor2}, {at::kFloat}) && !value.isComplex() &&
         broadcast_sizes(tensor1.sizes(), tensor2.sizes(), product) && broadcast_sizes(self.sizes(), product, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self, &tensor1, &tensor2}, /*elementwise=*/true) &&
         library::ternary(result.tensor(), self, tensor1, tensor2, dnnl::algorithm::binary_mul, value.toDouble());
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

// ---- sum.dim_IntList: reduction, dnnl_reduction_desc_init ----

bool sum_dim_IntList_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_sum);
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

// ---- mean.dim: reduction, dnnl_reduction_desc_init ----

bool mean_dim_into(Result& result, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_mean);
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

// ---- amax: reduction, dnnl_reduction_desc_init ----

bool amax_into(Result& result, const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_max);
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

// ---- amin: reduction, dnnl_reduction_desc_init ----

bool amin_into(Result& result, const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_min);
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

// ---- prod.dim_int: reduction, dnnl_reduction_desc_init ----

bool prod_dim_int_into(Result& result, const at::Tensor& self, int64_t dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_mul);
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

// ---- linalg_vector_norm: reduction, dnnl_reduction_desc_init ----

bool linalg_vector_norm_into(Result& result, const at::Tensor& self, const at::Scalar& ord, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  if (!(!ord.isComplex() && ord.toDouble() >= 1 && std::isfinite(ord.toDouble()))) return false;
  at::DimVector dims, sizes;
  return fit({&self}, {at::kFloat}) &&
         dtype.value_or(self.scalar_type()) == self.scalar_type() &&
         reduced_sizes(self, dim, keepdim, dims, sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::reduce(result.tensor(), self, dims, dnnl::algorithm::reduction_norm_lp_sum, ord.toDouble());
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

// ---- _softmax: softmax, dnnl_softmax_v2_forward_desc_init ----

bool _softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, dnnl::algorithm::softmax_accurate);
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

// ---- _log_softmax: softmax, dnnl_softmax_v2_forward_desc_init ----

bool _log_softmax_into(Result& result, const at::Tensor& self, int64_t dim, bool half_to_float) {
  if (!(!half_to_float)) return false;
  return fit({&self}, {at::kFloat}) && has_dim(self, dim) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::softmax(result.tensor(), self, dim, dnnl::algorithm::softmax_log);
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

// ---- _softmax_backward_data: softmax backward, dnnl_softmax_v2_backward_desc_init ----

bool _softmax_backward_data_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  if (!(input_dtype == output.scalar_type())) return false;
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         has_dim(output, dim) &&
         result.prepare(output.sizes(), output.scalar_type(), {&grad_output, &output}, /*elementwise=*/false) &&
         library::softmax_backward(result.tensor(), grad_output, output, dim, dnnl::algorithm::softmax_accurate);
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

// ---- _log_softmax_backward_data: softmax backward, dnnl_softmax_v2_backward_desc_init ----

bool _log_softmax_backward_data_into(Result& result, const at::Tensor& grad_output, const at::Tensor& output, int64_t dim, at::ScalarType input_dtype) {
  if (!(input_dtype == output.scalar_type())) return false;
  return fit({&grad_output, &output}, {at::kFloat}) && grad_output.sizes() == output.sizes() &&
         has_dim(output, dim) &&
         result.prepare(output.sizes(), output.scalar_type(), {&grad_output, &output}, /*elementwise=*/false) &&
         library::softmax_backward(result.tensor(), grad_output, output, dim, dnnl::algorithm::softmax_log);
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

// ---- mm: matmul, dnnl_matmul_desc_init ----

bool mm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), mat2.size(1)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2);
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

// ---- bmm: matmul, dnnl_matmul_desc_init ----

bool bmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat2) {
  if (!(self.dim() == 3 && mat2.dim() == 3 && self.size(0) == mat2.size(0) && self.size(2) == mat2.size(1))) return false;
  return fit({&self, &mat2}, {at::kFloat}) &&
         result.prepare({self.size(0), self.size(1), mat2.size(2)}, self.scalar_type(), {&self, &mat2}, /*elementwise=*/false) &&
         library::matmul(result.tensor(), self, mat2);
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

// ---- dot: matmul, dnnl_matmul_desc_init ----

bool dot_into(Result& result, const at::Tensor& self, const at::Tensor& tensor) {
  if (!(self.dim() == 1 && tensor.dim() == 1 && self.size(0) == tensor.size(0))) return false;
  return fit({&self, &tensor}, {at::kFloat}) &&
         result.prepare({}, self.scalar_type(), {&self, &tensor}, /*elementwise=*/false) &&
         library::matmul(result.tensor().view({1, 1}), self.unsqueeze(0), tensor.unsqueeze(1));
}

at::Tensor dot(const at::Tensor& self, const at::Tensor& tensor) {
  Result result;
  if (!dot_into(result, self, tensor)) return OnCpu<at::_ops::dot>::call(self, tensor);
  return done<at::_ops::dot>(result);
}

// ---- addmm: linear, dnnl_matmul_desc_init ----

bool addmm_into(Result& result, const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0))) return false;
  const at::DimVector sizes({mat1.size(0), mat2.size(1)});
  return fit({&self, &mat1, &mat2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat1, &mat2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, mat1, mat2, beta.toDouble(),
                             alpha.toDouble());
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

// ---- _addmm_activation: linear, dnnl_matmul_desc_init ----

bool _addmm_activation_into(Result& result, const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha, bool use_gelu) {
  if (!(mat1.dim() == 2 && mat2.dim() == 2 && mat1.size(1) == mat2.size(0))) return false;
  const at::DimVector sizes({mat1.size(0), mat2.size(1)});
  return fit({&self, &mat1, &mat2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat1, &mat2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, mat1, mat2, beta.toDouble(),
                             alpha.toDouble(), use_gelu ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_relu);
}

at::Tensor _addmm_activation(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha, bool use_gelu) {
  Result result;
  if (!_addmm_activation_into(result, self, mat1, mat2, beta, alpha, use_gelu)) return OnCpu<at::_ops::_addmm_activation>::call(self, mat1, mat2, beta, alpha, use_gelu);
  return done<at::_ops::_addmm_activation>(result);
}

at::Tensor& _addmm_activation_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, const at::Scalar& beta, const at::Scalar& alpha, bool use_gelu, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_addmm_activation_into(result, self, mat1, mat2, beta, alpha, use_gelu)) return OnCpu<at::_ops::_addmm_activation_out>::call(self, mat1, mat2, beta, alpha, use_gelu, out);
  done<at::_ops::_addmm_activation_out>(result);
  return out;
}

// ---- addmv: linear, dnnl_matmul_desc_init ----

bool addmv_into(Result& result, const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(mat.dim() == 2 && vec.dim() == 1 && mat.size(1) == vec.size(0))) return false;
  const at::DimVector sizes({mat.size(0)});
  return fit({&self, &mat, &vec}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &mat, &vec}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor().unsqueeze(1), self.dim() == 0 ? self : self.unsqueeze(1), mat, vec.unsqueeze(1), beta.toDouble(),
                             alpha.toDouble());
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

// ---- baddbmm: linear, dnnl_matmul_desc_init ----

bool baddbmm_into(Result& result, const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta, const at::Scalar& alpha) {
  if (!(batch1.dim() == 3 && batch2.dim() == 3 && batch1.size(0) == batch2.size(0) && batch1.size(2) == batch2.size(1))) return false;
  const at::DimVector sizes({batch1.size(0), batch1.size(1), batch2.size(2)});
  return fit({&self, &batch1, &batch2}, {at::kFloat}) && expandable(self.sizes(), sizes) &&
         !beta.isComplex() && !alpha.isComplex() &&
         result.prepare(sizes, self.scalar_type(), {&self, &batch1, &batch2}, /*elementwise=*/false) &&
         library::matmul_add(result.tensor(), self, batch1, batch2, beta.toDouble(),
                             alpha.toDouble());
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

// ---- convolution_overrideable: convolution, dnnl_dilated_convolution_forward_desc_init ----

bool convolution_overrideable_into(Result& result, const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  const Window window =
      convolution_window(weight, C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding),
                         C10_AS_INTARRAYREF_SLOW(dilation), transposed, groups.guard_int(__FILE__, __LINE__));
  const at::Tensor plus = bias.value_or(at::Tensor());
  return fit({&input, &weight, &plus}, {at::kFloat}) &&
         result.prepare(convolution_sizes(input, weight, window, C10_AS_INTARRAYREF_SLOW(output_padding)),
                        input.scalar_type(), {&input, &weight, &plus}, /*elementwise=*/false) &&
         library::convolution(result.tensor(), input, weight, plus, window);
}

at::Tensor convolution_overrideable(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  Result result;
  if (!convolution_overrideable_into(result, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)) return OnCpu<at::_ops::convolution_overrideable>::call(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
  return done<at::_ops::convolution_overrideable>(result);
}

// ---- convolution_backward_overrideable: convolution backward, dnnl_dilated_convolution_backward_data_desc_init ----

bool convolution_backward_overrideable_into(std::array<Result, 3>& results, const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups, std::array<bool,3> output_mask) {
  const Window window =
      convolution_window(weight, C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding),
                         C10_AS_INTARRAYREF_SLOW(dilation), transposed, groups.guard_int(__FILE__, __LINE__));
  const at::ScalarType dtype = input.scalar_type();
  const std::array<const at::Tensor*, 3> inputs{&input, &weight, &grad_output};
  if (!fit(inputs, {at::kFloat})) return false;
  if (output_mask[0] && !(results[0].prepare(input.sizes(), dtype, inputs, /*elementwise=*/false) &&
                          library::convolution_backward_data(results[0].tensor(), grad_output, weight, window))) {
    return false;
  }
  if (!output_mask[1] && !output_mask[2]) return true;
  if (!results[1].prepare(weight.sizes(), dtype, inputs, /*elementwise=*/false)) return false;
  if (output_mask[2] && !results[2].prepare(grad_output.sizes().slice(1, 1), dtype, inputs, /*elementwise=*/false)) {
    return false;
  }
  return library::convolution_backward_weight(results[1].tensor(), results[2].tensor(), grad_output, input, window);
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> convolution_backward_overrideable(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups, std::array<bool,3> output_mask) {
  std::array<Result, 3> results;
  if (!convolution_backward_overrideable_into(results, grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups, output_mask)) return OnCpu<at::_ops::convolution_backward_overrideable>::call(grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups, output_mask);
  done<at::_ops::convolution_backward_overrideable>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

// ---- avg_pool2d: pooling, dnnl_pooling_forward_desc_init ----

bool avg_pool2d_into(Result& result, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  if (!(!ceil_mode && !divisor_override)) return false;
  if (!fit({&self}, {at::kFloat}) || self.dim() != 2 + 2) return false;
  const Window window = pooling_window(2, kernel_size, stride, padding);
  return result.prepare(pooling_sizes(self, window), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::pooling(result.tensor(), self, window, count_include_pad ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding);
}

at::Tensor avg_pool2d(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  Result result;
  if (!avg_pool2d_into(result, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool2d>::call(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
  return done<at::_ops::avg_pool2d>(result);
}

at::Tensor& avg_pool2d_out(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!avg_pool2d_into(result, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool2d_out>::call(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out);
  done<at::_ops::avg_pool2d_out>(result);
  return out;
}

// ---- avg_pool2d_backward: pooling backward, dnnl_pooling_backward_desc_init ----

bool avg_pool2d_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  if (!(!ceil_mode && !divisor_override)) return false;
  if (!fit({&grad_output, &self}, {at::kFloat}) || self.dim() != 2 + 2) return false;
  const Window window = pooling_window(2, kernel_size, stride, padding);
  return result.prepare(self.sizes(), self.scalar_type(), {&self, &grad_output}, /*elementwise=*/false) &&
         library::pooling_backward(result.tensor(), grad_output, window, count_include_pad ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding);
}

at::Tensor avg_pool2d_backward(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  Result result;
  if (!avg_pool2d_backward_into(result, grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool2d_backward>::call(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
  return done<at::_ops::avg_pool2d_backward>(result);
}

at::Tensor& avg_pool2d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!avg_pool2d_backward_into(result, grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool2d_backward_grad_input>::call(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, grad_input);
  done<at::_ops::avg_pool2d_backward_grad_input>(result);
  return grad_input;
}

// ---- avg_pool3d: pooling, dnnl_pooling_forward_desc_init ----

bool avg_pool3d_into(Result& result, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  if (!(!ceil_mode && !divisor_override)) return false;
  if (!fit({&self}, {at::kFloat}) || self.dim() != 3 + 2) return false;
  const Window window = pooling_window(3, kernel_size, stride, padding);
  return result.prepare(pooling_sizes(self, window), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::pooling(result.tensor(), self, window, count_include_pad ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding);
}

at::Tensor avg_pool3d(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  Result result;
  if (!avg_pool3d_into(result, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool3d>::call(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
  return done<at::_ops::avg_pool3d>(result);
}

at::Tensor& avg_pool3d_out(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!avg_pool3d_into(result, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool3d_out>::call(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out);
  done<at::_ops::avg_pool3d_out>(result);
  return out;
}

// ---- avg_pool3d_backward: pooling backward, dnnl_pooling_backward_desc_init ----

bool avg_pool3d_backward_into(Result& result, const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  if (!(!ceil_mode && !divisor_override)) return false;
  if (!fit({&grad_output, &self}, {at::kFloat}) || self.dim() != 3 + 2) return false;
  const Window window = pooling_window(3, kernel_size, stride, padding);
  return result.prepare(self.sizes(), self.scalar_type(), {&self, &grad_output}, /*elementwise=*/false) &&
         library::pooling_backward(result.tensor(), grad_output, window, count_include_pad ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding);
}

at::Tensor avg_pool3d_backward(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  Result result;
  if (!avg_pool3d_backward_into(result, grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool3d_backward>::call(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
  return done<at::_ops::avg_pool3d_backward>(result);
}

at::Tensor& avg_pool3d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding, bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!avg_pool3d_backward_into(result, grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)) return OnCpu<at::_ops::avg_pool3d_backward_grad_input>::call(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, grad_input);
  done<at::_ops::avg_pool3d_backward_grad_input>(result);
  return grad_input;
}

// ---- upsample_linear1d: resampling, dnnl_resampling_forward_desc_init ----

bool upsample_linear1d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales) {
  if (!(!align_corners)) return false;
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_linear1d(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales) {
  Result result;
  if (!upsample_linear1d_into(result, self, output_size, align_corners, scales)) return OnCpu<at::_ops::upsample_linear1d>::call(self, output_size, align_corners, scales);
  return done<at::_ops::upsample_linear1d>(result);
}

at::Tensor& upsample_linear1d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!upsample_linear1d_into(result, self, output_size, align_corners, scales)) return OnCpu<at::_ops::upsample_linear1d_out>::call(self, output_size, align_corners, scales, out);
  done<at::_ops::upsample_linear1d_out>(result);
  return out;
}

// ---- upsample_linear1d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool upsample_linear1d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales) {
  if (!(!align_corners)) return false;
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_linear1d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales) {
  Result result;
  if (!upsample_linear1d_backward_into(result, grad_output, output_size, input_size, align_corners, scales)) return OnCpu<at::_ops::upsample_linear1d_backward>::call(grad_output, output_size, input_size, align_corners, scales);
  return done<at::_ops::upsample_linear1d_backward>(result);
}

at::Tensor& upsample_linear1d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!upsample_linear1d_backward_into(result, grad_output, output_size, input_size, align_corners, scales)) return OnCpu<at::_ops::upsample_linear1d_backward_grad_input>::call(grad_output, output_size, input_size, align_corners, scales, grad_input);
  done<at::_ops::upsample_linear1d_backward_grad_input>(result);
  return grad_input;
}

// ---- upsample_bilinear2d: resampling, dnnl_resampling_forward_desc_init ----

bool upsample_bilinear2d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
  if (!(!align_corners)) return false;
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales_h, scales_w}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_bilinear2d(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!upsample_bilinear2d_into(result, self, output_size, align_corners, scales_h, scales_w)) return OnCpu<at::_ops::upsample_bilinear2d>::call(self, output_size, align_corners, scales_h, scales_w);
  return done<at::_ops::upsample_bilinear2d>(result);
}

at::Tensor& upsample_bilinear2d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!upsample_bilinear2d_into(result, self, output_size, align_corners, scales_h, scales_w)) return OnCpu<at::_ops::upsample_bilinear2d_out>::call(self, output_size, align_corners, scales_h, scales_w, out);
  done<at::_ops::upsample_bilinear2d_out>(result);
  return out;
}

// ---- upsample_bilinear2d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool upsample_bilinear2d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
  if (!(!align_corners)) return false;
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales_h, scales_w}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_bilinear2d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!upsample_bilinear2d_backward_into(result, grad_output, output_size, input_size, align_corners, scales_h, scales_w)) return OnCpu<at::_ops::upsample_bilinear2d_backward>::call(grad_output, output_size, input_size, align_corners, scales_h, scales_w);
  return done<at::_ops::upsample_bilinear2d_backward>(result);
}

at::Tensor& upsample_bilinear2d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!upsample_bilinear2d_backward_into(result, grad_output, output_size, input_size, align_corners, scales_h, scales_w)) return OnCpu<at::_ops::upsample_bilinear2d_backward_grad_input>::call(grad_output, output_size, input_size, align_corners, scales_h, scales_w, grad_input);
  done<at::_ops::upsample_bilinear2d_backward_grad_input>(result);
  return grad_input;
}

// ---- upsample_trilinear3d: resampling, dnnl_resampling_forward_desc_init ----

bool upsample_trilinear3d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  if (!(!align_corners)) return false;
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales_d, scales_h, scales_w}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_trilinear3d(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!upsample_trilinear3d_into(result, self, output_size, align_corners, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::upsample_trilinear3d>::call(self, output_size, align_corners, scales_d, scales_h, scales_w);
  return done<at::_ops::upsample_trilinear3d>(result);
}

at::Tensor& upsample_trilinear3d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!upsample_trilinear3d_into(result, self, output_size, align_corners, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::upsample_trilinear3d_out>::call(self, output_size, align_corners, scales_d, scales_h, scales_w, out);
  done<at::_ops::upsample_trilinear3d_out>(result);
  return out;
}

// ---- upsample_trilinear3d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool upsample_trilinear3d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  if (!(!align_corners)) return false;
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales_d, scales_h, scales_w}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_linear);
}

at::Tensor upsample_trilinear3d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!upsample_trilinear3d_backward_into(result, grad_output, output_size, input_size, align_corners, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::upsample_trilinear3d_backward>::call(grad_output, output_size, input_size, align_corners, scales_d, scales_h, scales_w);
  return done<at::_ops::upsample_trilinear3d_backward>(result);
}

at::Tensor& upsample_trilinear3d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, bool align_corners, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!upsample_trilinear3d_backward_into(result, grad_output, output_size, input_size, align_corners, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::upsample_trilinear3d_backward_grad_input>::call(grad_output, output_size, input_size, align_corners, scales_d, scales_h, scales_w, grad_input);
  done<at::_ops::upsample_trilinear3d_backward_grad_input>(result);
  return grad_input;
}

// ---- _upsample_nearest_exact1d: resampling, dnnl_resampling_forward_desc_init ----

bool _upsample_nearest_exact1d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales) {
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact1d(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales) {
  Result result;
  if (!_upsample_nearest_exact1d_into(result, self, output_size, scales)) return OnCpu<at::_ops::_upsample_nearest_exact1d>::call(self, output_size, scales);
  return done<at::_ops::_upsample_nearest_exact1d>(result);
}

at::Tensor& _upsample_nearest_exact1d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_upsample_nearest_exact1d_into(result, self, output_size, scales)) return OnCpu<at::_ops::_upsample_nearest_exact1d_out>::call(self, output_size, scales, out);
  done<at::_ops::_upsample_nearest_exact1d_out>(result);
  return out;
}

// ---- _upsample_nearest_exact1d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool _upsample_nearest_exact1d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales) {
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact1d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales) {
  Result result;
  if (!_upsample_nearest_exact1d_backward_into(result, grad_output, output_size, input_size, scales)) return OnCpu<at::_ops::_upsample_nearest_exact1d_backward>::call(grad_output, output_size, input_size, scales);
  return done<at::_ops::_upsample_nearest_exact1d_backward>(result);
}

at::Tensor& _upsample_nearest_exact1d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!_upsample_nearest_exact1d_backward_into(result, grad_output, output_size, input_size, scales)) return OnCpu<at::_ops::_upsample_nearest_exact1d_backward_grad_input>::call(grad_output, output_size, input_size, scales, grad_input);
  done<at::_ops::_upsample_nearest_exact1d_backward_grad_input>(result);
  return grad_input;
}

// ---- _upsample_nearest_exact2d: resampling, dnnl_resampling_forward_desc_init ----

bool _upsample_nearest_exact2d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w) {
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales_h, scales_w}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact2d(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!_upsample_nearest_exact2d_into(result, self, output_size, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact2d>::call(self, output_size, scales_h, scales_w);
  return done<at::_ops::_upsample_nearest_exact2d>(result);
}

at::Tensor& _upsample_nearest_exact2d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_upsample_nearest_exact2d_into(result, self, output_size, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact2d_out>::call(self, output_size, scales_h, scales_w, out);
  done<at::_ops::_upsample_nearest_exact2d_out>(result);
  return out;
}

// ---- _upsample_nearest_exact2d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool _upsample_nearest_exact2d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_h, std::optional<double> scales_w) {
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales_h, scales_w}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact2d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!_upsample_nearest_exact2d_backward_into(result, grad_output, output_size, input_size, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact2d_backward>::call(grad_output, output_size, input_size, scales_h, scales_w);
  return done<at::_ops::_upsample_nearest_exact2d_backward>(result);
}

at::Tensor& _upsample_nearest_exact2d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!_upsample_nearest_exact2d_backward_into(result, grad_output, output_size, input_size, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact2d_backward_grad_input>::call(grad_output, output_size, input_size, scales_h, scales_w, grad_input);
  done<at::_ops::_upsample_nearest_exact2d_backward_grad_input>(result);
  return grad_input;
}

// ---- _upsample_nearest_exact3d: resampling, dnnl_resampling_forward_desc_init ----

bool _upsample_nearest_exact3d_into(Result& result, const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  const at::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(output_size);
  if (!fit({&self}, {at::kFloat}) || self.dim() != static_cast<int64_t>(wanted.size()) + 2) return false;
  at::DimVector sizes(self.sizes().slice(0, 2));
  sizes.append(wanted.begin(), wanted.end());
  return are_ratios({scales_d, scales_h, scales_w}, self.sizes(), sizes) &&
         result.prepare(sizes, self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::resampling(result.tensor(), self, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact3d(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!_upsample_nearest_exact3d_into(result, self, output_size, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact3d>::call(self, output_size, scales_d, scales_h, scales_w);
  return done<at::_ops::_upsample_nearest_exact3d>(result);
}

at::Tensor& _upsample_nearest_exact3d_out(const at::Tensor& self, c10::SymIntArrayRef output_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!_upsample_nearest_exact3d_into(result, self, output_size, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact3d_out>::call(self, output_size, scales_d, scales_h, scales_w, out);
  done<at::_ops::_upsample_nearest_exact3d_out>(result);
  return out;
}

// ---- _upsample_nearest_exact3d_backward: resampling backward, dnnl_resampling_backward_desc_init ----

bool _upsample_nearest_exact3d_backward_into(Result& result, const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  return fit({&grad_output}, {at::kFloat}) && input_size.size() == output_size.size() + 2 &&
         are_ratios({scales_d, scales_h, scales_w}, C10_AS_INTARRAYREF_SLOW(input_size), grad_output.sizes()) &&
         result.prepare(C10_AS_INTARRAYREF_SLOW(input_size), grad_output.scalar_type(), {&grad_output}, /*elementwise=*/false) &&
         library::resampling_backward(result.tensor(), grad_output, dnnl::algorithm::resampling_nearest);
}

at::Tensor _upsample_nearest_exact3d_backward(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w) {
  Result result;
  if (!_upsample_nearest_exact3d_backward_into(result, grad_output, output_size, input_size, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact3d_backward>::call(grad_output, output_size, input_size, scales_d, scales_h, scales_w);
  return done<at::_ops::_upsample_nearest_exact3d_backward>(result);
}

at::Tensor& _upsample_nearest_exact3d_backward_grad_input(const at::Tensor& grad_output, c10::SymIntArrayRef output_size, c10::SymIntArrayRef input_size, std::optional<double> scales_d, std::optional<double> scales_h, std::optional<double> scales_w, at::Tensor& grad_input) {
  Result result(grad_input, /*in_place=*/false);
  if (!_upsample_nearest_exact3d_backward_into(result, grad_output, output_size, input_size, scales_d, scales_h, scales_w)) return OnCpu<at::_ops::_upsample_nearest_exact3d_backward_grad_input>::call(grad_output, output_size, input_size, scales_d, scales_h, scales_w, grad_input);
  done<at::_ops::_upsample_nearest_exact3d_backward_grad_input>(result);
  return grad_input;
}

// ---- cat: concat, dnnl_concat_primitive_desc_create ----

bool cat_into(Result& result, const at::ITensorListRef& tensors, int64_t dim) {
  std::vector<at::Tensor> parts;
  at::DimVector sizes;
  if (!concatenated(tensors, dim, parts, sizes)) return false;
  std::vector<const at::Tensor*> inputs;
  for (const at::Tensor& part : parts) inputs.push_back(&part);
  return fit(inputs, {at::kFloat}) &&
         result.prepare(sizes, parts[0].scalar_type(), inputs, /*elementwise=*/false) &&
         library::concat(result.tensor(), parts, at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size())));
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

// ---- native_layer_norm: layer normalisation, dnnl_layer_normalization_forward_desc_init ----

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
                             c10::multiply_integers(inner), eps);
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> native_layer_norm(const at::Tensor& input, c10::SymIntArrayRef normalized_shape, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, double eps) {
  std::array<Result, 3> results;
  if (!native_layer_norm_into(results, input, normalized_shape, weight, bias, eps)) return OnCpu<at::_ops::native_layer_norm>::call(input, normalized_shape, weight, bias, eps);
  done<at::_ops::native_layer_norm>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

// ---- native_batch_norm: batch normalisation, dnnl_batch_normalization_forward_desc_init ----

bool native_batch_norm_into(std::array<Result, 3>& results, const at::Tensor& input, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps) {
  const at::Tensor scale = weight.value_or(at::Tensor()), shift = bias.value_or(at::Tensor());
  const at::Tensor mean = running_mean.value_or(at::Tensor()), variance = running_var.value_or(at::Tensor());
  if (training || !mean.defined() || !variance.defined() || input.dim() < 2) return false;
  return fit({&input, &scale, &shift, &mean, &variance}, {at::kFloat}) &&
         results[0].prepare(input.sizes(), input.scalar_type(), {&input}, /*elementwise=*/false) &&
         results[1].prepare({0}, input.scalar_type(), {&input}, /*elementwise=*/false) &&
         results[2].prepare({0}, input.scalar_type(), {&input}, /*elementwise=*/false) &&
         library::batch_norm(results[0].tensor(), input, scale, shift, mean, variance, eps);
}

std::tuple<at::Tensor,at::Tensor,at::Tensor> native_batch_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& running_mean, const std::optional<at::Tensor>& running_var, bool training, double momentum, double eps) {
  std::array<Result, 3> results;
  if (!native_batch_norm_into(results, input, weight, bias, running_mean, running_var, training, momentum, eps)) return OnCpu<at::_ops::native_batch_norm>::call(input, weight, bias, running_mean, running_var, training, momentum, eps);
  done<at::_ops::native_batch_norm>(results);
  return {results[0].finish(), results[1].finish(), results[2].finish()};
}

// ---- _prelu_kernel: prelu, dnnl_prelu_forward_desc_init ----

bool _prelu_kernel_into(Result& result, const at::Tensor& self, const at::Tensor& weight) {
  return fit({&self, &weight}, {at::kFloat}) && expandable(weight.sizes(), self.sizes()) &&
         result.prepare(self.sizes(), self.scalar_type(), {&self, &weight}, /*elementwise=*/true) &&
         library::prelu(result.tensor(), self, weight);
}

at::Tensor _prelu_kernel(const at::Tensor& self, const at::Tensor& weight) {
  Result result;
  if (!_prelu_kernel_into(result, self, weight)) return OnCpu<at::_ops::_prelu_kernel>::call(self, weight);
  return done<at::_ops::_prelu_kernel>(result);
}

// ---- channel_shuffle: shuffle, dnnl_shuffle_forward_desc_init ----

bool channel_shuffle_into(Result& result, const at::Tensor& self, c10::SymInt groups) {
  const int64_t parts = groups.guard_int(__FILE__, __LINE__);
  return fit({&self}, {at::kFloat}) && self.dim() >= 3 && parts > 0 && self.size(1) % parts == 0 &&
         result.prepare(self.sizes(), self.scalar_type(), {&self}, /*elementwise=*/false) &&
         library::shuffle(result.tensor(), self, 1, parts);
}

at::Tensor channel_shuffle(const at::Tensor& self, c10::SymInt groups) {
  Result result;
  if (!channel_shuffle_into(result, self, groups)) return OnCpu<at::_ops::channel_shuffle>::call(self, groups);
  return done<at::_ops::channel_shuffle>(result);
}

// ---- mse_loss: loss, dnnl_binary_desc_init ----

bool mse_loss_into(Result& result, const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  return fit({&self, &target}, {at::kFloat}) && self.sizes() == target.sizes() &&
         result.prepare(reduction == at::Reduction::None ? self.sizes() : at::IntArrayRef(), self.scalar_type(), {&self, &target},
                        /*elementwise=*/false) &&
         library::squared_difference(result.tensor(), self, target, reduction == at::Reduction::None ? dnnl::algorithm::undef : reduction == at::Reduction::Mean ? dnnl::algorithm::reduction_mean : dnnl::algorithm::reduction_sum);
}

at::Tensor mse_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  Result result;
  if (!mse_loss_into(result, self, target, reduction)) return OnCpu<at::_ops::mse_loss>::call(self, target, reduction);
  return done<at::_ops::mse_loss>(result);
}

at::Tensor& mse_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, at::Tensor& out) {
  Result result(out, /*in_place=*/false);
  if (!mse_loss_into(result, self, target, reduction)) return OnCpu<at::_ops::mse_loss_out>::call(self, target, reduction, out);
  done<at::_ops::mse_loss_out>(result);
  return out;
}

// ---- _foreach_abs: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_neg: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_reciprocal: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_round: foreach, dnnl_eltwise_forward_desc_init ----

std::vector<at::Tensor> _foreach_round(at::TensorList self) {
  std::vector<at::Tensor> results;
  for (size_t i = 0; i < self.size(); ++i) results.push_back(round(self[i]));
  return results;
}

void _foreach_round_(at::TensorList self) {
  for (size_t i = 0; i < self.size(); ++i) {
    at::Tensor item = self[i];
    round_out(item, item);
  }
}

// ---- _foreach_sigmoid: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_sqrt: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_tanh: foreach, dnnl_eltwise_forward_desc_init ----

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

// ---- _foreach_mul.List: foreach, dnnl_binary_desc_init ----

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

// ---- _foreach_div.List: foreach, dnnl_binary_desc_init ----

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
    {at::_ops::neg::name, at::_ops::neg::overload_name, &add_native_kernel<at::_ops::neg, neg>},
    {at::_ops::neg_::name, at::_ops::neg_::overload_name, &add_native_kernel<at::_ops::neg_, neg_>},
    {at::_ops::neg_out::name, at::_ops::neg_out::overload_name, &add_native_kernel<at::_ops::neg_out, neg_out>},
    {at::_ops::reciprocal::name, at::_ops::reciprocal::overload_name, &add_native_kernel<at::_ops::reciprocal, reciprocal>},
    {at::_ops::reciprocal_::name, at::_ops::reciprocal_::overload_name, &add_native_kernel<at::_ops::reciprocal_, reciprocal_>},
    {at::_ops::reciprocal_out::name, at::_ops::reciprocal_out::overload_name, &add_native_kernel<at::_ops::reciprocal_out, reciprocal_out>},
    {at::_ops::round::name, at::_ops::round::overload_name, &add_native_kernel<at::_ops::round, round>},
    {at::_ops::round_::name, at::_ops::round_::overload_name, &add_native_kernel<at::_ops::round_, round_>},
    {at::_ops::round_out::name, at::_ops::round_out::overload_name, &add_native_kernel<at::_ops::round_out, round_out>},
    {at::_ops::sigmoid::name, at::_ops::sigmoid::overload_name, &add_native_kernel<at::_ops::sigmoid, sigmoid>},
    {at::_ops::sigmoid_::name, at::_ops::sigmoid_::overload_name, &add_native_kernel<at::_ops::sigmoid_, sigmoid_>},
    {at::_ops::sigmoid_out::name, at::_ops::sigmoid_out::overload_name, &add_native_kernel<at::_ops::sigmoid_out, sigmoid_out>},
    {at::_ops::sqrt::name, at::_ops::sqrt::overload_name, &add_native_kernel<at::_ops::sqrt, sqrt>},
    {at::_ops::sqrt_::name, at::_ops::sqrt_::overload_name, &add_native_kernel<at::_ops::sqrt_, sqrt_>},
    {at::_ops::sqrt_out::name, at::_ops::sqrt_out::overload_name, &add_native_kernel<at::_ops::sqrt_out, sqrt_out>},
    {at::_ops::tanh::name, at::_ops::tanh::overload_name, &add_native_kernel<at::_ops::tanh, tanh>},
    {at::_ops::tanh_::name, at::_ops::tanh_::overload_name, &add_native_kernel<at::_ops::tanh_, tanh_>},
    {at::_ops::tanh_out::name, at::_ops::tanh_out::overload_name, &add_native_kernel<at::_ops::tanh_out, tanh_out>},
    {at::_ops::silu::name, at::_ops::silu::overload_name, &add_native_kernel<at::_ops::silu, silu>},
    {at::_ops::silu_::name, at::_ops::silu_::overload_name, &add_native_kernel<at::_ops::silu_, silu_>},
    {at::_ops::silu_out::name, at::_ops::silu_out::overload_name, &add_native_kernel<at::_ops::silu_out, silu_out>},
    {at::_ops::mish::name, at::_ops::mish::overload_name, &add_native_kernel<at::_ops::mish, mish>},
    {at::_ops::mish_::name, at::_ops::mish_::overload_name, &add_native_kernel<at::_ops::mish_, mish_>},
    {at::_ops::mish_out::name, at::_ops::mish_out::overload_name, &add_native_kernel<at::_ops::mish_out, mish_out>},
    {at::_ops::elu::name, at::_ops::elu::overload_name, &add_native_kernel<at::_ops::elu, elu>},
    {at::_ops::elu_::name, at::_ops::elu_::overload_name, &add_native_kernel<at::_ops::elu_, elu_>},
    {at::_ops::elu_out::name, at::_ops::elu_out::overload_name, &add_native_kernel<at::_ops::elu_out, elu_out>},
    {at::_ops::leaky_relu::name, at::_ops::leaky_relu::overload_name, &add_native_kernel<at::_ops::leaky_relu, leaky_relu>},
    {at::_ops::leaky_relu_::name, at::_ops::leaky_relu_::overload_name, &add_native_kernel<at::_ops::leaky_relu_, leaky_relu_>},
    {at::_ops::leaky_relu_out::name, at::_ops::leaky_relu_out::overload_name, &add_native_kernel<at::_ops::leaky_relu_out, leaky_relu_out>},
    {at::_ops::gelu::name, at::_ops::gelu::overload_name, &add_native_kernel<at::_ops::gelu, gelu>},
    {at::_ops::gelu_::name, at::_ops::gelu_::overload_name, &add_native_kernel<at::_ops::gelu_, gelu_>},
    {at::_ops::gelu_out::name, at::_ops::gelu_out::overload_name, &add_native_kernel<at::_ops::gelu_out, gelu_out>},
    {at::_ops::tanh_backward::name, at::_ops::tanh_backward::overload_name, &add_native_kernel<at::_ops::tanh_backward, tanh_backward>},
    {at::_ops::tanh_backward_grad_input::name, at::_ops::tanh_backward_grad_input::overload_name, &add_native_kernel<at::_ops::tanh_backward_grad_input, tanh_backward_grad_input>},
    {at::_ops::sigmoid_backward::name, at::_ops::sigmoid_backward::overload_name, &add_native_kernel<at::_ops::sigmoid_backward, sigmoid_backward>},
    {at::_ops::sigmoid_backward_grad_input::name, at::_ops::sigmoid_backward_grad_input::overload_name, &add_native_kernel<at::_ops::sigmoid_backward_grad_input, sigmoid_backward_grad_input>},
    {at::_ops::elu_backward::name, at::_ops::elu_backward::overload_name, &add_native_kernel<at::_ops::elu_backward, elu_backward>},
    {at::_ops::elu_backward_grad_input::name, at::_ops::elu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::elu_backward_grad_input, elu_backward_grad_input>},
    {at::_ops::gelu_backward::name, at::_ops::gelu_backward::overload_name, &add_native_kernel<at::_ops::gelu_backward, gelu_backward>},
    {at::_ops::gelu_backward_grad_input::name, at::_ops::gelu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::gelu_backward_grad_input, gelu_backward_grad_input>},
    {at::_ops::leaky_relu_backward::name, at::_ops::leaky_relu_backward::overload_name, &add_native_kernel<at::_ops::leaky_relu_backward, leaky_relu_backward>},
    {at::_ops::leaky_relu_backward_grad_input::name, at::_ops::leaky_relu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::leaky_relu_backward_grad_input, leaky_relu_backward_grad_input>},
    {at::_ops::silu_backward::name, at::_ops::silu_backward::overload_name, &add_native_kernel<at::_ops::silu_backward, silu_backward>},
    {at::_ops::silu_backward_grad_input::name, at::_ops::silu_backward_grad_input::overload_name, &add_native_kernel<at::_ops::silu_backward_grad_input, silu_backward_grad_input>},
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
    {at::_ops::bitwise_and_Tensor::name, at::_ops::bitwise_and_Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_and_Tensor, bitwise_and_Tensor>},
    {at::_ops::bitwise_and__Tensor::name, at::_ops::bitwise_and__Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_and__Tensor, bitwise_and__Tensor>},
    {at::_ops::bitwise_and_Tensor_out::name, at::_ops::bitwise_and_Tensor_out::overload_name, &add_native_kernel<at::_ops::bitwise_and_Tensor_out, bitwise_and_Tensor_out>},
    {at::_ops::bitwise_or_Tensor::name, at::_ops::bitwise_or_Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_or_Tensor, bitwise_or_Tensor>},
    {at::_ops::bitwise_or__Tensor::name, at::_ops::bitwise_or__Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_or__Tensor, bitwise_or__Tensor>},
    {at::_ops::bitwise_or_Tensor_out::name, at::_ops::bitwise_or_Tensor_out::overload_name, &add_native_kernel<at::_ops::bitwise_or_Tensor_out, bitwise_or_Tensor_out>},
    {at::_ops::bitwise_xor_Tensor::name, at::_ops::bitwise_xor_Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_xor_Tensor, bitwise_xor_Tensor>},
    {at::_ops::bitwise_xor__Tensor::name, at::_ops::bitwise_xor__Tensor::overload_name, &add_native_kernel<at::_ops::bitwise_xor__Tensor, bitwise_xor__Tensor>},
    {at::_ops::bitwise_xor_Tensor_out::name, at::_ops::bitwise_xor_Tensor_out::overload_name, &add_native_kernel<at::_ops::bitwise_xor_Tensor_out, bitwise_xor_Tensor_out>},
    {at::_ops::addcmul::name, at::_ops::addcmul::overload_name, &add_native_kernel<at::_ops::addcmul, addcmul>},
    {at::_ops::addcmul_::name, at::_ops::addcmul_::overload_name, &add_native_kernel<at::_ops::addcmul_, addcmul_>},
    {at::_ops::addcmul_out::name, at::_ops::addcmul_out::overload_name, &add_native_kernel<at::_ops::addcmul_out, addcmul_out>},
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
    {at::_ops::_addmm_activation::name, at::_ops::_addmm_activation::overload_name, &add_native_kernel<at::_ops::_addmm_activation, _addmm_activation>},
    {at::_ops::_addmm_activation_out::name, at::_ops::_addmm_activation_out::overload_name, &add_native_kernel<at::_ops::_addmm_activation_out, _addmm_activation_out>},
    {at::_ops::addmv::name, at::_ops::addmv::overload_name, &add_native_kernel<at::_ops::addmv, addmv>},
    {at::_ops::addmv_::name, at::_ops::addmv_::overload_name, &add_native_kernel<at::_ops::addmv_, addmv_>},
    {at::_ops::addmv_out::name, at::_ops::addmv_out::overload_name, &add_native_kernel<at::_ops::addmv_out, addmv_out>},
    {at::_ops::baddbmm::name, at::_ops::baddbmm::overload_name, &add_native_kernel<at::_ops::baddbmm, baddbmm>},
    {at::_ops::baddbmm_::name, at::_ops::baddbmm_::overload_name, &add_native_kernel<at::_ops::baddbmm_, baddbmm_>},
    {at::_ops::baddbmm_out::name, at::_ops::baddbmm_out::overload_name, &add_native_kernel<at::_ops::baddbmm_out, baddbmm_out>},
    {at::_ops::convolution_overrideable::name, at::_ops::convolution_overrideable::overload_name, &add_native_kernel<at::_ops::convolution_overrideable, convolution_overrideable>},
    {at::_ops::convolution_backward_overrideable::name, at::_ops::convolution_backward_overrideable::overload_name, &add_native_kernel<at::_ops::convolution_backward_overrideable, convolution_backward_overrideable>},
    {at::_ops::avg_pool2d::name, at::_ops::avg_pool2d::overload_name, &add_native_kernel<at::_ops::avg_pool2d, avg_pool2d>},
    {at::_ops::avg_pool2d_out::name, at::_ops::avg_pool2d_out::overload_name, &add_native_kernel<at::_ops::avg_pool2d_out, avg_pool2d_out>},
    {at::_ops::avg_pool2d_backward::name, at::_ops::avg_pool2d_backward::overload_name, &add_native_kernel<at::_ops::avg_pool2d_backward, avg_pool2d_backward>},
    {at::_ops::avg_pool2d_backward_grad_input::name, at::_ops::avg_pool2d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::avg_pool2d_backward_grad_input, avg_pool2d_backward_grad_input>},
    {at::_ops::avg_pool3d::name, at::_ops::avg_pool3d::overload_name, &add_native_kernel<at::_ops::avg_pool3d, avg_pool3d>},
    {at::_ops::avg_pool3d_out::name, at::_ops::avg_pool3d_out::overload_name, &add_native_kernel<at::_ops::avg_pool3d_out, avg_pool3d_out>},
    {at::_ops::avg_pool3d_backward::name, at::_ops::avg_pool3d_backward::overload_name, &add_native_kernel<at::_ops::avg_pool3d_backward, avg_pool3d_backward>},
    {at::_ops::avg_pool3d_backward_grad_input::name, at::_ops::avg_pool3d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::avg_pool3d_backward_grad_input, avg_pool3d_backward_grad_input>},
    {at::_ops::upsample_linear1d::name, at::_ops::upsample_linear1d::overload_name, &add_native_kernel<at::_ops::upsample_linear1d, upsample_linear1d>},
    {at::_ops::upsample_linear1d_out::name, at::_ops::upsample_linear1d_out::overload_name, &add_native_kernel<at::_ops::upsample_linear1d_out, upsample_linear1d_out>},
    {at::_ops::upsample_linear1d_backward::name, at::_ops::upsample_linear1d_backward::overload_name, &add_native_kernel<at::_ops::upsample_linear1d_backward, upsample_linear1d_backward>},
    {at::_ops::upsample_linear1d_backward_grad_input::name, at::_ops::upsample_linear1d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::upsample_linear1d_backward_grad_input, upsample_linear1d_backward_grad_input>},
    {at::_ops::upsample_bilinear2d::name, at::_ops::upsample_bilinear2d::overload_name, &add_native_kernel<at::_ops::upsample_bilinear2d, upsample_bilinear2d>},
    {at::_ops::upsample_bilinear2d_out::name, at::_ops::upsample_bilinear2d_out::overload_name, &add_native_kernel<at::_ops::upsample_bilinear2d_out, upsample_bilinear2d_out>},
    {at::_ops::upsample_bilinear2d_backward::name, at::_ops::upsample_bilinear2d_backward::overload_name, &add_native_kernel<at::_ops::upsample_bilinear2d_backward, upsample_bilinear2d_backward>},
    {at::_ops::upsample_bilinear2d_backward_grad_input::name, at::_ops::upsample_bilinear2d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::upsample_bilinear2d_backward_grad_input, upsample_bilinear2d_backward_grad_input>},
    {at::_ops::upsample_trilinear3d::name, at::_ops::upsample_trilinear3d::overload_name, &add_native_kernel<at::_ops::upsample_trilinear3d, upsample_trilinear3d>},
    {at::_ops::upsample_trilinear3d_out::name, at::_ops::upsample_trilinear3d_out::overload_name, &add_native_kernel<at::_ops::upsample_trilinear3d_out, upsample_trilinear3d_out>},
    {at::_ops::upsample_trilinear3d_backward::name, at::_ops::upsample_trilinear3d_backward::overload_name, &add_native_kernel<at::_ops::upsample_trilinear3d_backward, upsample_trilinear3d_backward>},
    {at::_ops::upsample_trilinear3d_backward_grad_input::name, at::_ops::upsample_trilinear3d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::upsample_trilinear3d_backward_grad_input, upsample_trilinear3d_backward_grad_input>},
    {at::_ops::_upsample_nearest_exact1d::name, at::_ops::_upsample_nearest_exact1d::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact1d, _upsample_nearest_exact1d>},
    {at::_ops::_upsample_nearest_exact1d_out::name, at::_ops::_upsample_nearest_exact1d_out::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact1d_out, _upsample_nearest_exact1d_out>},
    {at::_ops::_upsample_nearest_exact1d_backward::name, at::_ops::_upsample_nearest_exact1d_backward::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact1d_backward, _upsample_nearest_exact1d_backward>},
    {at::_ops::_upsample_nearest_exact1d_backward_grad_input::name, at::_ops::_upsample_nearest_exact1d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact1d_backward_grad_input, _upsample_nearest_exact1d_backward_grad_input>},
    {at::_ops::_upsample_nearest_exact2d::name, at::_ops::_upsample_nearest_exact2d::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact2d, _upsample_nearest_exact2d>},
    {at::_ops::_upsample_nearest_exact2d_out::name, at::_ops::_upsample_nearest_exact2d_out::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact2d_out, _upsample_nearest_exact2d_out>},
    {at::_ops::_upsample_nearest_exact2d_backward::name, at::_ops::_upsample_nearest_exact2d_backward::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact2d_backward, _upsample_nearest_exact2d_backward>},
    {at::_ops::_upsample_nearest_exact2d_backward_grad_input::name, at::_ops::_upsample_nearest_exact2d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact2d_backward_grad_input, _upsample_nearest_exact2d_backward_grad_input>},
    {at::_ops::_upsample_nearest_exact3d::name, at::_ops::_upsample_nearest_exact3d::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact3d, _upsample_nearest_exact3d>},
    {at::_ops::_upsample_nearest_exact3d_out::name, at::_ops::_upsample_nearest_exact3d_out::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact3d_out, _upsample_nearest_exact3d_out>},
    {at::_ops::_upsample_nearest_exact3d_backward::name, at::_ops::_upsample_nearest_exact3d_backward::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact3d_backward, _upsample_nearest_exact3d_backward>},
    {at::_ops::_upsample_nearest_exact3d_backward_grad_input::name, at::_ops::_upsample_nearest_exact3d_backward_grad_input::overload_name, &add_native_kernel<at::_ops::_upsample_nearest_exact3d_backward_grad_input, _upsample_nearest_exact3d_backward_grad_input>},
    {at::_ops::cat::name, at::_ops::cat::overload_name, &add_native_kernel<at::_ops::cat, cat>},
    {at::_ops::cat_out::name, at::_ops::cat_out::overload_name, &add_native_kernel<at::_ops::cat_out, cat_out>},
    {at::_ops::native_layer_norm::name, at::_ops::native_layer_norm::overload_name, &add_native_kernel<at::_ops::native_layer_norm, native_layer_norm>},
    {at::_ops::native_batch_norm::name, at::_ops::native_batch_norm::overload_name, &add_native_kernel<at::_ops::native_batch_norm, native_batch_norm>},
    {at::_ops::_prelu_kernel::name, at::_ops::_prelu_kernel::overload_name, &add_native_kernel<at::_ops::_prelu_kernel, _prelu_kernel>},
    {at::_ops::channel_shuffle::name, at::_ops::channel_shuffle::overload_name, &add_native_kernel<at::_ops::channel_shuffle, channel_shuffle>},
    {at::_ops::mse_loss::name, at::_ops::mse_loss::overload_name, &add_native_kernel<at::_ops::mse_loss, mse_loss>},
    {at::_ops::mse_loss_out::name, at::_ops::mse_loss_out::overload_name, &add_native_kernel<at::_ops::mse_loss_out, mse_loss_out>},
    {at::_ops::_foreach_abs::name, at::_ops::_foreach_abs::overload_name, &add_native_kernel<at::_ops::_foreach_abs, _foreach_abs>},
    {at::_ops::_foreach_abs_::name, at::_ops::_foreach_abs_::overload_name, &add_native_kernel<at::_ops::_foreach_abs_, _foreach_abs_>},
    {at::_ops::_foreach_neg::name, at::_ops::_foreach_neg::overload_name, &add_native_kernel<at::_ops::_foreach_neg, _foreach_neg>},
    {at::_ops::_foreach_neg_::name, at::_ops::_foreach_neg_::overload_name, &add_native_kernel<at::_ops::_foreach_neg_, _foreach_neg_>},
    {at::_ops::_foreach_reciprocal::name, at::_ops::_foreach_reciprocal::overload_name, &add_native_kernel<at::_ops::_foreach_reciprocal, _foreach_reciprocal>},
    {at::_ops::_foreach_reciprocal_::name, at::_ops::_foreach_reciprocal_::overload_name, &add_native_kernel<at::_ops::_foreach_reciprocal_, _foreach_reciprocal_>},
    {at::_ops::_foreach_round::name, at::_ops::_foreach_round::overload_name, &add_native_kernel<at::_ops::_foreach_round, _foreach_round>},
    {at::_ops::_foreach_round_::name, at::_ops::_foreach_round_::overload_name, &add_native_kernel<at::_ops::_foreach_round_, _foreach_round_>},
    {at::_ops::_foreach_sigmoid::name, at::_ops::_foreach_sigmoid::overload_name, &add_native_kernel<at::_ops::_foreach_sigmoid, _foreach_sigmoid>},
    {at::_ops::_foreach_sigmoid_::name, at::_ops::_foreach_sigmoid_::overload_name, &add_native_kernel<at::_ops::_foreach_sigmoid_, _foreach_sigmoid_>},
    {at::_ops::_foreach_sqrt::name, at::_ops::_foreach_sqrt::overload_name, &add_native_kernel<at::_ops::_foreach_sqrt, _foreach_sqrt>},
    {at::_ops::_foreach_sqrt_::name, at::_ops::_foreach_sqrt_::overload_name, &add_native_kernel<at::_ops::_foreach_sqrt_, _foreach_sqrt_>},
    {at::_ops::_foreach_tanh::name, at::_ops::_foreach_tanh::overload_name, &add_native_kernel<at::_ops::_foreach_tanh, _foreach_tanh>},
    {at::_ops::_foreach_tanh_::name, at::_ops::_foreach_tanh_::overload_name, &add_native_kernel<at::_ops::_foreach_tanh_, _foreach_tanh_>},
    {at::_ops::_foreach_mul_List::name, at::_ops::_foreach_mul_List::overload_name, &add_native_kernel<at::_ops::_foreach_mul_List, _foreach_mul_List>},
    {at::_ops::_foreach_mul__List::name, at::_ops::_foreach_mul__List::overload_name, &add_native_kernel<at::_ops::_foreach_mul__List, _foreach_mul__List>},
    {at::_ops::_foreach_div_List::name, at::_ops::_foreach_div_List::overload_name, &add_native_kernel<at::_ops::_foreach_div_List, _foreach_div_List>},
    {at::_ops::_foreach_div__List::name, at::_ops::_foreach_div__List::overload_name, &add_native_kernel<at::_ops::_foreach_div__List, _foreach_div__List>},
};

}  // namespace

dnnl::memory::data_type onednn::data_type(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
      return dnnl::memory::data_type::f32;
    case at::kBool:
      return dnnl::memory::data_type::u8;
    default:
      return dnnl::memory::data_type::undef;
  }
}

}  // namespace flagos

extern "C" FLAGOS_EXPORT const flagos::CompiledKernel* flagos_kernel(size_t number) {
  return number < std::size(flagos::kKernels) ? flagos::kKernels + number : nullptr;
}
