// @generated from torchgen of torch 2.13 by generators.aten; do not edit.
//
// A row for each operator that can be routed: the kernel that boxing.h makes of its declaration in at::_ops. The rows are
// compiled once; the conf says which of them are registered.
#include "aten/boxing.h"

#include <ATen/ops/leaky_relu_backward_ops.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/lgamma_ops.h>
#include <ATen/ops/linalg__powsum_ops.h>
#include <ATen/ops/linalg_cholesky_ex_ops.h>
#include <ATen/ops/linalg_cross_ops.h>
#include <ATen/ops/linalg_eig_ops.h>
#include <ATen/ops/linalg_eigvals_ops.h>
#include <ATen/ops/linalg_householder_product_ops.h>
#include <ATen/ops/linalg_inv_ex_ops.h>
#include <ATen/ops/linalg_ldl_factor_ex_ops.h>
#include <ATen/ops/linalg_ldl_solve_ops.h>
#include <ATen/ops/linalg_lstsq_ops.h>
#include <ATen/ops/linalg_lu_factor_ex_ops.h>
#include <ATen/ops/linalg_lu_ops.h>
#include <ATen/ops/linalg_lu_solve_ops.h>
#include <ATen/ops/linalg_matrix_exp_ops.h>
#include <ATen/ops/linalg_qr_ops.h>
#include <ATen/ops/linalg_solve_triangular_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/linspace_ops.h>
#include <ATen/ops/log10_ops.h>
#include <ATen/ops/log1p_ops.h>
#include <ATen/ops/log2_ops.h>
#include <ATen/ops/log_normal_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/log_sigmoid_backward_ops.h>
#include <ATen/ops/log_sigmoid_forward_ops.h>
#include <ATen/ops/logaddexp2_ops.h>
#include <ATen/ops/logaddexp_ops.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/logical_or_ops.h>
#include <ATen/ops/logical_xor_ops.h>
#include <ATen/ops/logit_backward_ops.h>
#include <ATen/ops/logit_ops.h>
#include <ATen/ops/logspace_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/lu_unpack_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/masked_scatter_ops.h>
#include <ATen/ops/masked_select_ops.h>
#include <ATen/ops/max_ops.h>
#include <ATen/ops/max_pool2d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool2d_with_indices_ops.h>
#include <ATen/ops/max_pool3d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool3d_with_indices_ops.h>
#include <ATen/ops/max_unpool2d_ops.h>
#include <ATen/ops/max_unpool3d_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/median_ops.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/miopen_batch_norm_backward_ops.h>
#include <ATen/ops/miopen_batch_norm_ops.h>
#include <ATen/ops/miopen_convolution_add_relu_ops.h>
#include <ATen/ops/miopen_convolution_ops.h>
#include <ATen/ops/miopen_convolution_relu_ops.h>
#include <ATen/ops/miopen_convolution_transpose_ops.h>
#include <ATen/ops/miopen_ctc_loss_ops.h>
#include <ATen/ops/miopen_depthwise_convolution_ops.h>
#include <ATen/ops/miopen_rnn_backward_ops.h>
#include <ATen/ops/miopen_rnn_ops.h>
#include <ATen/ops/mish_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mode_ops.h>
#include <ATen/ops/mse_loss_backward_ops.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/multi_margin_loss_backward_ops.h>
#include <ATen/ops/multi_margin_loss_ops.h>
#include <ATen/ops/multilabel_margin_loss_backward_ops.h>
#include <ATen/ops/multilabel_margin_loss_forward_ops.h>
#include <ATen/ops/multinomial_ops.h>
#include <ATen/ops/mvlgamma_ops.h>
#include <ATen/ops/nan_to_num_ops.h>
#include <ATen/ops/nanmedian_ops.h>
#include <ATen/ops/nansum_ops.h>
#include <ATen/ops/native_batch_norm_backward_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_dropout_backward_ops.h>
#include <ATen/ops/native_dropout_ops.h>
#include <ATen/ops/native_group_norm_backward_ops.h>
#include <ATen/ops/native_group_norm_ops.h>
#include <ATen/ops/native_layer_norm_backward_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/nextafter_ops.h>
#include <ATen/ops/nll_loss2d_backward_ops.h>
#include <ATen/ops/nll_loss2d_forward_ops.h>
#include <ATen/ops/nll_loss_backward_ops.h>
#include <ATen/ops/nll_loss_forward_ops.h>
#include <ATen/ops/nonzero_ops.h>
#include <ATen/ops/nonzero_static_ops.h>
#include <ATen/ops/norm_ops.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/ormqr_ops.h>
#include <ATen/ops/poisson_ops.h>
#include <ATen/ops/polar_ops.h>
#include <ATen/ops/polygamma_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/put_ops.h>
#include <ATen/ops/quantize_per_channel_ops.h>
#include <ATen/ops/quantize_per_tensor_dynamic_ops.h>
#include <ATen/ops/quantize_per_tensor_ops.h>
#include <ATen/ops/random_ops.h>
#include <ATen/ops/randperm_ops.h>
#include <ATen/ops/range_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/record_stream_ops.h>
#include <ATen/ops/reflection_pad1d_backward_ops.h>
#include <ATen/ops/reflection_pad1d_ops.h>
#include <ATen/ops/reflection_pad2d_backward_ops.h>
#include <ATen/ops/reflection_pad2d_ops.h>
#include <ATen/ops/reflection_pad3d_backward_ops.h>
#include <ATen/ops/reflection_pad3d_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/remainder_ops.h>
#include <ATen/ops/renorm_ops.h>

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"

const CompiledKernel kernels_4[251] = {
    BOXED(leaky_relu_),
    BOXED(leaky_relu_backward),
    BOXED(leaky_relu_backward_grad_input),
    BOXED(lerp_Scalar),
    BOXED(lerp_Scalar_out),
    BOXED(lerp_Tensor),
    BOXED(lerp_Tensor_out),
    BOXED(lerp__Scalar),
    BOXED(lerp__Tensor),
    BOXED(lgamma),
    BOXED(lgamma_out),
    BOXED(lgamma_),
    BOXED(linalg__powsum),
    BOXED(linalg_cholesky_ex),
    BOXED(linalg_cholesky_ex_L),
    BOXED(linalg_cross),
    BOXED(linalg_cross_out),
    BOXED(linalg_eig),
    BOXED(linalg_eig_out),
    BOXED(linalg_eigvals_out),
    BOXED(linalg_householder_product),
    BOXED(linalg_householder_product_out),
    BOXED(linalg_inv_ex),
    BOXED(linalg_inv_ex_inverse),
    BOXED(linalg_ldl_factor_ex),
    BOXED(linalg_ldl_factor_ex_out),
    BOXED(linalg_ldl_solve),
    BOXED(linalg_ldl_solve_out),
    BOXED(linalg_lstsq_out),
    BOXED(linalg_lu),
    BOXED(linalg_lu_out),
    BOXED(linalg_lu_factor_ex),
    BOXED(linalg_lu_factor_ex_out),
    BOXED(linalg_lu_solve),
    BOXED(linalg_lu_solve_out),
    BOXED(linalg_matrix_exp),
    BOXED(linalg_qr),
    BOXED(linalg_qr_out),
    BOXED(linalg_solve_triangular),
    BOXED(linalg_solve_triangular_out),
    BOXED(linalg_vector_norm),
    BOXED(linalg_vector_norm_out),
    BOXED(linspace_out),
    BOXED(log),
    BOXED(log_out),
    BOXED(log10),
    BOXED(log10_out),
    BOXED(log10_),
    BOXED(log1p),
    BOXED(log1p_out),
    BOXED(log1p_),
    BOXED(log2),
    BOXED(log2_out),
    BOXED(log2_),
    BOXED(log_),
    BOXED(log_normal_),
    BOXED(log_sigmoid_backward),
    BOXED(log_sigmoid_backward_grad_input),
    BOXED(log_sigmoid_forward),
    BOXED(log_sigmoid_forward_output),
    BOXED(logaddexp),
    BOXED(logaddexp_out),
    BOXED(logaddexp2),
    BOXED(logaddexp2_out),
    BOXED(logical_and_out),
    BOXED(logical_not_out),
    BOXED(logical_or_out),
    BOXED(logical_xor_out),
    BOXED(logit),
    BOXED(logit_out),
    BOXED(logit_),
    BOXED(logit_backward),
    BOXED(logit_backward_grad_input),
    BOXED(logspace_out),
    BOXED(lt_Scalar),
    BOXED(lt_Scalar_out),
    BOXED(lt_Tensor),
    BOXED(lt_Tensor_out),
    BOXED(lt__Scalar),
    BOXED(lt__Tensor),
    BOXED(lu_unpack),
    BOXED(lu_unpack_out),
    BOXED(masked_fill__Scalar),
    BOXED(masked_fill__Tensor),
    BOXED(masked_scatter_),
    BOXED(masked_select),
    BOXED(masked_select_out),
    BOXED(max),
    BOXED(max_dim),
    BOXED(max_dim_max),
    BOXED(max_unary_out),
    BOXED(max_pool2d_with_indices),
    BOXED(max_pool2d_with_indices_out),
    BOXED(max_pool2d_with_indices_backward),
    BOXED(max_pool2d_with_indices_backward_grad_input),
    BOXED(max_pool3d_with_indices),
    BOXED(max_pool3d_with_indices_out),
    BOXED(max_pool3d_with_indices_backward),
    BOXED(max_pool3d_with_indices_backward_grad_input),
    BOXED(max_unpool2d),
    BOXED(max_unpool2d_out),
    BOXED(max_unpool3d),
    BOXED(max_unpool3d_out),
    BOXED(maximum),
    BOXED(maximum_out),
    BOXED(mean_dim),
    BOXED(mean_out),
    BOXED(median),
    BOXED(median_dim_values),
    BOXED(min),
    BOXED(min_dim),
    BOXED(min_dim_min),
    BOXED(min_unary_out),
    BOXED(minimum),
    BOXED(minimum_out),
    BOXED(miopen_batch_norm),
    BOXED(miopen_batch_norm_backward),
    BOXED(miopen_convolution),
    BOXED(miopen_convolution_add_relu),
    BOXED(miopen_convolution_relu),
    BOXED(miopen_convolution_transpose),
    BOXED(miopen_ctc_loss),
    BOXED(miopen_ctc_loss_Tensor),
    BOXED(miopen_depthwise_convolution),
    BOXED(miopen_rnn),
    BOXED(miopen_rnn_backward),
    BOXED(mish),
    BOXED(mish_out),
    BOXED(mish_),
    BOXED(mm),
    BOXED(mm_dtype),
    BOXED(mm_dtype_out),
    BOXED(mm_out),
    BOXED(mode),
    BOXED(mse_loss),
    BOXED(mse_loss_out),
    BOXED(mse_loss_backward),
    BOXED(mse_loss_backward_grad_input),
    BOXED(mul_Tensor),
    BOXED(mul_out),
    BOXED(mul__Tensor),
    BOXED(multi_margin_loss),
    BOXED(multi_margin_loss_out),
    BOXED(multi_margin_loss_backward),
    BOXED(multi_margin_loss_backward_grad_input),
    BOXED(multilabel_margin_loss_backward),
    BOXED(multilabel_margin_loss_backward_grad_input),
    BOXED(multilabel_margin_loss_forward),
    BOXED(multilabel_margin_loss_forward_output),
    BOXED(multinomial),
    BOXED(multinomial_out),
    BOXED(mvlgamma_out),
    BOXED(nan_to_num_out),
    BOXED(nanmedian),
    BOXED(nanmedian_dim_values),
    BOXED(nansum),
    BOXED(nansum_out),
    BOXED(native_batch_norm),
    BOXED(native_batch_norm_out),
    BOXED(native_batch_norm_backward),
    BOXED(native_dropout),
    BOXED(native_dropout_backward),
    BOXED(native_group_norm),
    BOXED(native_group_norm_backward),
    BOXED(native_layer_norm),
    BOXED(native_layer_norm_backward),
    BOXED(ne_Scalar),
    BOXED(ne_Scalar_out),
    BOXED(ne_Tensor),
    BOXED(ne_Tensor_out),
    BOXED(ne__Scalar),
    BOXED(ne__Tensor),
    BOXED(neg),
    BOXED(neg_out),
    BOXED(neg_),
    BOXED(nextafter),
    BOXED(nextafter_out),
    BOXED(nextafter_),
    BOXED(nll_loss2d_backward),
    BOXED(nll_loss2d_backward_grad_input),
    BOXED(nll_loss2d_forward),
    BOXED(nll_loss2d_forward_output),
    BOXED(nll_loss_backward),
    BOXED(nll_loss_backward_grad_input),
    BOXED(nll_loss_forward),
    BOXED(nll_loss_forward_output),
    BOXED(nonzero),
    BOXED(nonzero_out),
    BOXED(nonzero_static),
    BOXED(nonzero_static_out),
    BOXED(norm_ScalarOpt_dim),
    BOXED(norm_ScalarOpt_dim_dtype),
    BOXED(norm_dtype_out),
    BOXED(norm_out),
    BOXED(normal_Tensor_Tensor),
    BOXED(normal_Tensor_Tensor_out),
    BOXED(normal_Tensor_float),
    BOXED(normal_Tensor_float_out),
    BOXED(normal_float_Tensor),
    BOXED(normal_float_Tensor_out),
    BOXED(normal_),
    BOXED(ormqr),
    BOXED(ormqr_out),
    BOXED(poisson),
    BOXED(polar_out),
    BOXED(polygamma),
    BOXED(polygamma_out),
    BOXED(pow_Scalar),
    BOXED(pow_Scalar_out),
    BOXED(pow_Tensor_Scalar),
    BOXED(pow_Tensor_Scalar_out),
    BOXED(pow_Tensor_Tensor),
    BOXED(pow_Tensor_Tensor_out),
    BOXED(pow__Scalar),
    BOXED(pow__Tensor),
    BOXED(prod),
    BOXED(prod_dim_int),
    BOXED(prod_int_out),
    BOXED(put_),
    BOXED(quantize_per_channel),
    BOXED(quantize_per_tensor),
    BOXED(quantize_per_tensor_tensor_qparams),
    BOXED(quantize_per_tensor_dynamic),
    BOXED(random_),
    BOXED(random__from),
    BOXED(random__to),
    BOXED(randperm_generator_out),
    BOXED(range_out),
    BOXED(reciprocal),
    BOXED(reciprocal_out),
    BOXED(reciprocal_),
    BOXED(record_stream),
    BOXED(reflection_pad1d),
    BOXED(reflection_pad1d_out),
    BOXED(reflection_pad1d_backward),
    BOXED(reflection_pad1d_backward_grad_input),
    BOXED(reflection_pad2d),
    BOXED(reflection_pad2d_out),
    BOXED(reflection_pad2d_backward),
    BOXED(reflection_pad2d_backward_grad_input),
    BOXED(reflection_pad3d),
    BOXED(reflection_pad3d_out),
    BOXED(reflection_pad3d_backward),
    BOXED(reflection_pad3d_backward_grad_input),
    BOXED(relu),
    BOXED(relu_),
    BOXED(remainder_Scalar_Tensor),
    BOXED(remainder_Tensor),
    BOXED(remainder_Tensor_out),
    BOXED(remainder__Tensor),
    BOXED(renorm),
};

}  // namespace flagos
