// @generated from torchgen of torch 2.13 by generators.aten; do not edit.
//
// A row for each operator that can be routed: the kernel that boxing.h makes of its declaration in at::_ops. The rows are
// compiled once; the conf says which of them are registered.
#include "aten/boxing.h"

#include <ATen/ops/channel_shuffle_ops.h>
#include <ATen/ops/cholesky_inverse_ops.h>
#include <ATen/ops/cholesky_ops.h>
#include <ATen/ops/clamp_max_ops.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/col2im_ops.h>
#include <ATen/ops/complex_ops.h>
#include <ATen/ops/conj_physical_ops.h>
#include <ATen/ops/conv_depthwise3d_ops.h>
#include <ATen/ops/convolution_backward_ops.h>
#include <ATen/ops/copysign_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/cosh_ops.h>
#include <ATen/ops/count_nonzero_ops.h>
#include <ATen/ops/cudnn_affine_grid_generator_backward_ops.h>
#include <ATen/ops/cudnn_affine_grid_generator_ops.h>
#include <ATen/ops/cudnn_batch_norm_backward_ops.h>
#include <ATen/ops/cudnn_batch_norm_ops.h>
#include <ATen/ops/cudnn_convolution_add_relu_ops.h>
#include <ATen/ops/cudnn_convolution_ops.h>
#include <ATen/ops/cudnn_convolution_relu_ops.h>
#include <ATen/ops/cudnn_convolution_transpose_ops.h>
#include <ATen/ops/cudnn_grid_sampler_backward_ops.h>
#include <ATen/ops/cudnn_grid_sampler_ops.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/dequantize_ops.h>
#include <ATen/ops/digamma_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/elu_backward_ops.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/embedding_dense_backward_ops.h>
#include <ATen/ops/embedding_renorm_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/empty_strided_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/equal_ops.h>
#include <ATen/ops/erf_ops.h>
#include <ATen/ops/erfc_ops.h>
#include <ATen/ops/erfinv_ops.h>
#include <ATen/ops/exp2_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expm1_ops.h>
#include <ATen/ops/exponential_ops.h>
#include <ATen/ops/eye_ops.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask_ops.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_cachemask_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/flip_ops.h>
#include <ATen/ops/floor_divide_ops.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/fmax_ops.h>
#include <ATen/ops/fmin_ops.h>
#include <ATen/ops/fmod_ops.h>
#include <ATen/ops/frac_ops.h>
#include <ATen/ops/fractional_max_pool2d_backward_ops.h>
#include <ATen/ops/fractional_max_pool2d_ops.h>
#include <ATen/ops/fractional_max_pool3d_backward_ops.h>
#include <ATen/ops/fractional_max_pool3d_ops.h>
#include <ATen/ops/frexp_ops.h>
#include <ATen/ops/gather_ops.h>
#include <ATen/ops/gcd_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/geometric_ops.h>
#include <ATen/ops/geqrf_ops.h>
#include <ATen/ops/glu_backward_jvp_ops.h>
#include <ATen/ops/glu_backward_ops.h>
#include <ATen/ops/glu_jvp_ops.h>
#include <ATen/ops/glu_ops.h>
#include <ATen/ops/grid_sampler_2d_backward_ops.h>
#include <ATen/ops/grid_sampler_2d_ops.h>
#include <ATen/ops/grid_sampler_3d_backward_ops.h>
#include <ATen/ops/grid_sampler_3d_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/hardshrink_backward_ops.h>
#include <ATen/ops/hardshrink_ops.h>
#include <ATen/ops/hardsigmoid_backward_ops.h>
#include <ATen/ops/hardsigmoid_ops.h>
#include <ATen/ops/hardswish_backward_ops.h>
#include <ATen/ops/hardswish_ops.h>
#include <ATen/ops/hardtanh_backward_ops.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/hash_tensor_ops.h>
#include <ATen/ops/heaviside_ops.h>
#include <ATen/ops/histc_ops.h>
#include <ATen/ops/huber_loss_backward_ops.h>
#include <ATen/ops/huber_loss_ops.h>
#include <ATen/ops/hypot_ops.h>
#include <ATen/ops/i0_ops.h>
#include <ATen/ops/igamma_ops.h>
#include <ATen/ops/igammac_ops.h>
#include <ATen/ops/im2col_ops.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_fill_ops.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_reduce_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/is_set_to_ops.h>
#include <ATen/ops/isin_ops.h>
#include <ATen/ops/isnan_ops.h>
#include <ATen/ops/isneginf_ops.h>
#include <ATen/ops/isposinf_ops.h>
#include <ATen/ops/kthvalue_ops.h>
#include <ATen/ops/lcm_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/leaky_relu_ops.h>

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"

const CompiledKernel kernels_3[251] = {
    BOXED(channel_shuffle),
    BOXED(cholesky),
    BOXED(cholesky_out),
    BOXED(cholesky_inverse),
    BOXED(cholesky_inverse_out),
    BOXED(clamp),
    BOXED(clamp_Tensor),
    BOXED(clamp_Tensor_out),
    BOXED(clamp_out),
    BOXED(clamp_),
    BOXED(clamp__Tensor),
    BOXED(clamp_max),
    BOXED(clamp_max_Tensor),
    BOXED(clamp_max_Tensor_out),
    BOXED(clamp_max_out),
    BOXED(clamp_max_),
    BOXED(clamp_max__Tensor),
    BOXED(clamp_min),
    BOXED(clamp_min_Tensor),
    BOXED(clamp_min_Tensor_out),
    BOXED(clamp_min_out),
    BOXED(clamp_min_),
    BOXED(clamp_min__Tensor),
    BOXED(col2im),
    BOXED(col2im_out),
    BOXED(complex_out),
    BOXED(conj_physical_out),
    BOXED(conv_depthwise3d),
    BOXED(convolution_backward),
    BOXED(copysign_Tensor),
    BOXED(copysign_out),
    BOXED(copysign__Tensor),
    BOXED(cos),
    BOXED(cos_out),
    BOXED(cos_),
    BOXED(cosh),
    BOXED(cosh_out),
    BOXED(cosh_),
    BOXED(count_nonzero_dim_IntList),
    BOXED(cudnn_affine_grid_generator),
    BOXED(cudnn_affine_grid_generator_backward),
    BOXED(cudnn_batch_norm),
    BOXED(cudnn_batch_norm_out),
    BOXED(cudnn_batch_norm_backward),
    BOXED(cudnn_convolution),
    BOXED(cudnn_convolution_out),
    BOXED(cudnn_convolution_add_relu),
    BOXED(cudnn_convolution_relu),
    BOXED(cudnn_convolution_transpose),
    BOXED(cudnn_grid_sampler),
    BOXED(cudnn_grid_sampler_backward),
    BOXED(cumprod),
    BOXED(cumprod_out),
    BOXED(cumprod_),
    BOXED(cumsum),
    BOXED(cumsum_out),
    BOXED(cumsum_),
    BOXED(dequantize_self),
    BOXED(digamma),
    BOXED(digamma_out),
    BOXED(digamma_),
    BOXED(div_Tensor),
    BOXED(div_Tensor_mode),
    BOXED(div_out),
    BOXED(div_out_mode),
    BOXED(div__Tensor),
    BOXED(div__Tensor_mode),
    BOXED(dot),
    BOXED(elu),
    BOXED(elu_out),
    BOXED(elu_),
    BOXED(elu_backward),
    BOXED(elu_backward_grad_input),
    BOXED(embedding_dense_backward),
    BOXED(embedding_renorm_),
    BOXED(empty_memory_format),
    BOXED(empty_strided),
    BOXED(eq_Scalar),
    BOXED(eq_Scalar_out),
    BOXED(eq_Tensor),
    BOXED(eq_Tensor_out),
    BOXED(eq__Scalar),
    BOXED(eq__Tensor),
    BOXED(equal),
    BOXED(erf),
    BOXED(erf_out),
    BOXED(erf_),
    BOXED(erfc),
    BOXED(erfc_out),
    BOXED(erfc_),
    BOXED(erfinv),
    BOXED(erfinv_out),
    BOXED(erfinv_),
    BOXED(exp),
    BOXED(exp_out),
    BOXED(exp2),
    BOXED(exp2_out),
    BOXED(exp2_),
    BOXED(exp_),
    BOXED(expm1),
    BOXED(expm1_out),
    BOXED(expm1_),
    BOXED(exponential_),
    BOXED(eye_m_out),
    BOXED(eye_out),
    BOXED(fake_quantize_per_channel_affine_cachemask),
    BOXED(fake_quantize_per_tensor_affine_cachemask),
    BOXED(fill__Scalar),
    BOXED(fill__Tensor),
    BOXED(flip),
    BOXED(floor),
    BOXED(floor_out),
    BOXED(floor_),
    BOXED(floor_divide),
    BOXED(floor_divide_out),
    BOXED(floor_divide__Tensor),
    BOXED(fmax),
    BOXED(fmax_out),
    BOXED(fmin),
    BOXED(fmin_out),
    BOXED(fmod_Tensor),
    BOXED(fmod_Tensor_out),
    BOXED(fmod__Tensor),
    BOXED(frac),
    BOXED(frac_out),
    BOXED(frac_),
    BOXED(fractional_max_pool2d),
    BOXED(fractional_max_pool2d_output),
    BOXED(fractional_max_pool2d_backward),
    BOXED(fractional_max_pool2d_backward_grad_input),
    BOXED(fractional_max_pool3d),
    BOXED(fractional_max_pool3d_output),
    BOXED(fractional_max_pool3d_backward),
    BOXED(fractional_max_pool3d_backward_grad_input),
    BOXED(frexp_Tensor_out),
    BOXED(gather),
    BOXED(gather_out),
    BOXED(gcd),
    BOXED(gcd_out),
    BOXED(gcd_),
    BOXED(ge_Scalar),
    BOXED(ge_Scalar_out),
    BOXED(ge_Tensor),
    BOXED(ge_Tensor_out),
    BOXED(ge__Scalar),
    BOXED(ge__Tensor),
    BOXED(gelu),
    BOXED(gelu_out),
    BOXED(gelu_),
    BOXED(gelu_backward),
    BOXED(gelu_backward_grad_input),
    BOXED(geometric_),
    BOXED(geqrf),
    BOXED(geqrf_a),
    BOXED(glu),
    BOXED(glu_out),
    BOXED(glu_backward),
    BOXED(glu_backward_grad_input),
    BOXED(glu_backward_jvp),
    BOXED(glu_jvp),
    BOXED(grid_sampler_2d),
    BOXED(grid_sampler_2d_backward),
    BOXED(grid_sampler_3d),
    BOXED(grid_sampler_3d_backward),
    BOXED(gt_Scalar),
    BOXED(gt_Scalar_out),
    BOXED(gt_Tensor),
    BOXED(gt_Tensor_out),
    BOXED(gt__Scalar),
    BOXED(gt__Tensor),
    BOXED(hardshrink),
    BOXED(hardshrink_out),
    BOXED(hardshrink_backward),
    BOXED(hardshrink_backward_grad_input),
    BOXED(hardsigmoid),
    BOXED(hardsigmoid_out),
    BOXED(hardsigmoid_),
    BOXED(hardsigmoid_backward),
    BOXED(hardsigmoid_backward_grad_input),
    BOXED(hardswish),
    BOXED(hardswish_out),
    BOXED(hardswish_),
    BOXED(hardswish_backward),
    BOXED(hardtanh),
    BOXED(hardtanh_out),
    BOXED(hardtanh_),
    BOXED(hardtanh_backward),
    BOXED(hardtanh_backward_grad_input),
    BOXED(hash_tensor),
    BOXED(hash_tensor_out),
    BOXED(heaviside),
    BOXED(heaviside_out),
    BOXED(heaviside_),
    BOXED(histc),
    BOXED(histc_out),
    BOXED(huber_loss),
    BOXED(huber_loss_out),
    BOXED(huber_loss_backward_out),
    BOXED(hypot),
    BOXED(hypot_out),
    BOXED(hypot_),
    BOXED(i0),
    BOXED(i0_out),
    BOXED(i0_),
    BOXED(igamma),
    BOXED(igamma_out),
    BOXED(igamma_),
    BOXED(igammac),
    BOXED(igammac_out),
    BOXED(igammac_),
    BOXED(im2col),
    BOXED(im2col_out),
    BOXED(index_Tensor),
    BOXED(index_Tensor_out),
    BOXED(index_add),
    BOXED(index_add_out),
    BOXED(index_add_),
    BOXED(index_copy),
    BOXED(index_copy_out),
    BOXED(index_copy_),
    BOXED(index_fill__int_Scalar),
    BOXED(index_fill__int_Tensor),
    BOXED(index_reduce),
    BOXED(index_reduce_out),
    BOXED(index_reduce_),
    BOXED(index_select),
    BOXED(index_select_out),
    BOXED(is_set_to),
    BOXED(isin_Scalar_Tensor),
    BOXED(isin_Scalar_Tensor_out),
    BOXED(isin_Tensor_Scalar),
    BOXED(isin_Tensor_Scalar_out),
    BOXED(isin_Tensor_Tensor),
    BOXED(isin_Tensor_Tensor_out),
    BOXED(isnan),
    BOXED(isneginf),
    BOXED(isneginf_out),
    BOXED(isposinf),
    BOXED(isposinf_out),
    BOXED(kthvalue_values),
    BOXED(lcm),
    BOXED(lcm_out),
    BOXED(lcm_),
    BOXED(le_Scalar),
    BOXED(le_Scalar_out),
    BOXED(le_Tensor),
    BOXED(le_Tensor_out),
    BOXED(le__Scalar),
    BOXED(le__Tensor),
    BOXED(leaky_relu),
    BOXED(leaky_relu_out),
};

}  // namespace flagos
