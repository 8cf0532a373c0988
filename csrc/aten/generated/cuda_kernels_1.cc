// @generated from torchgen of torch 2.13 by generators.aten; do not edit.
//
// A row for each operator that can be routed: the kernel that boxing.h makes of its declaration in at::_ops. The rows are
// compiled once; the conf says which of them are registered.
#include "aten/boxing.h"

#include <ATen/ops/_adaptive_avg_pool2d_backward_ops.h>
#include <ATen/ops/_adaptive_avg_pool2d_ops.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward_ops.h>
#include <ATen/ops/_adaptive_avg_pool3d_ops.h>
#include <ATen/ops/_addmm_activation_ops.h>
#include <ATen/ops/_aminmax_ops.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_ops.h>
#include <ATen/ops/_amp_update_scale_ops.h>
#include <ATen/ops/_assert_async_ops.h>
#include <ATen/ops/_batch_norm_with_update_ops.h>
#include <ATen/ops/_cdist_backward_ops.h>
#include <ATen/ops/_cdist_forward_ops.h>
#include <ATen/ops/_cholesky_solve_helper_ops.h>
#include <ATen/ops/_chunk_cat_ops.h>
#include <ATen/ops/_compute_linear_combination_ops.h>
#include <ATen/ops/_conv_depthwise2d_ops.h>
#include <ATen/ops/_convert_indices_from_coo_to_csr_ops.h>
#include <ATen/ops/_convert_indices_from_csr_to_coo_ops.h>
#include <ATen/ops/_convert_weight_to_int4pack_ops.h>
#include <ATen/ops/_cslt_compress_ops.h>
#include <ATen/ops/_cslt_sparse_mm_ops.h>
#include <ATen/ops/_cslt_sparse_mm_search_ops.h>
#include <ATen/ops/_ctc_loss_backward_ops.h>
#include <ATen/ops/_ctc_loss_ops.h>
#include <ATen/ops/_cudnn_attention_backward_ops.h>
#include <ATen/ops/_cudnn_attention_forward_ops.h>
#include <ATen/ops/_cudnn_ctc_loss_ops.h>
#include <ATen/ops/_cudnn_init_dropout_state_ops.h>
#include <ATen/ops/_cudnn_rnn_backward_ops.h>
#include <ATen/ops/_cudnn_rnn_flatten_weight_ops.h>
#include <ATen/ops/_cudnn_rnn_ops.h>
#include <ATen/ops/_cummax_helper_ops.h>
#include <ATen/ops/_cummin_helper_ops.h>
#include <ATen/ops/_dirichlet_grad_ops.h>
#include <ATen/ops/_efficient_attention_backward_ops.h>
#include <ATen/ops/_efficient_attention_forward_ops.h>
#include <ATen/ops/_efficientzerotensor_ops.h>
#include <ATen/ops/_embedding_bag_backward_ops.h>
#include <ATen/ops/_embedding_bag_dense_backward_ops.h>
#include <ATen/ops/_embedding_bag_forward_only_ops.h>
#include <ATen/ops/_embedding_bag_ops.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_ops.h>
#include <ATen/ops/_fake_quantize_learnable_per_channel_affine_backward_ops.h>
#include <ATen/ops/_fake_quantize_learnable_per_channel_affine_ops.h>
#include <ATen/ops/_fake_quantize_learnable_per_tensor_affine_backward_ops.h>
#include <ATen/ops/_fake_quantize_learnable_per_tensor_affine_ops.h>
#include <ATen/ops/_fake_quantize_per_tensor_affine_cachemask_tensor_qparams_ops.h>
#include <ATen/ops/_fft_c2c_ops.h>
#include <ATen/ops/_fft_c2r_ops.h>
#include <ATen/ops/_fft_r2c_ops.h>
#include <ATen/ops/_fill_mem_eff_dropout_mask_ops.h>
#include <ATen/ops/_flash_attention_backward_ops.h>
#include <ATen/ops/_flash_attention_forward_no_dropout_inplace_ops.h>
#include <ATen/ops/_flash_attention_forward_ops.h>
#include <ATen/ops/_foreach_abs_ops.h>
#include <ATen/ops/_foreach_acos_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_asin_ops.h>
#include <ATen/ops/_foreach_atan_ops.h>
#include <ATen/ops/_foreach_ceil_ops.h>
#include <ATen/ops/_foreach_clamp_max_ops.h>
#include <ATen/ops/_foreach_clamp_min_ops.h>
#include <ATen/ops/_foreach_clone_ops.h>
#include <ATen/ops/_foreach_copy_ops.h>
#include <ATen/ops/_foreach_cos_ops.h>
#include <ATen/ops/_foreach_cosh_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_erf_ops.h>
#include <ATen/ops/_foreach_erfc_ops.h>
#include <ATen/ops/_foreach_exp_ops.h>
#include <ATen/ops/_foreach_expm1_ops.h>
#include <ATen/ops/_foreach_floor_ops.h>
#include <ATen/ops/_foreach_frac_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_lgamma_ops.h>
#include <ATen/ops/_foreach_log10_ops.h>
#include <ATen/ops/_foreach_log1p_ops.h>
#include <ATen/ops/_foreach_log2_ops.h>
#include <ATen/ops/_foreach_log_ops.h>
#include <ATen/ops/_foreach_max_ops.h>
#include <ATen/ops/_foreach_maximum_ops.h>
#include <ATen/ops/_foreach_minimum_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_norm_ops.h>
#include <ATen/ops/_foreach_pow_ops.h>
#include <ATen/ops/_foreach_powsum_ops.h>
#include <ATen/ops/_foreach_reciprocal_ops.h>
#include <ATen/ops/_foreach_round_ops.h>
#include <ATen/ops/_foreach_rsqrt_ops.h>
#include <ATen/ops/_foreach_sigmoid_ops.h>
#include <ATen/ops/_foreach_sign_ops.h>
#include <ATen/ops/_foreach_sin_ops.h>
#include <ATen/ops/_foreach_sinh_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_foreach_tan_ops.h>
#include <ATen/ops/_foreach_tanh_ops.h>
#include <ATen/ops/_foreach_trunc_ops.h>
#include <ATen/ops/_foreach_zero_ops.h>
#include <ATen/ops/_fused_adagrad_ops.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/_fused_dropout_ops.h>
#include <ATen/ops/_fused_moving_avg_obs_fq_helper_ops.h>
#include <ATen/ops/_fused_rms_norm_backward_ops.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
#include <ATen/ops/_grouped_mm_ops.h>
#include <ATen/ops/_index_put_impl_ops.h>
#include <ATen/ops/_int_mm_ops.h>
#include <ATen/ops/_jagged_to_padded_dense_forward_ops.h>
#include <ATen/ops/_linalg_det_ops.h>
#include <ATen/ops/_linalg_eigh_ops.h>
#include <ATen/ops/_linalg_eigvals_ops.h>
#include <ATen/ops/_linalg_slogdet_ops.h>
#include <ATen/ops/_linalg_solve_ex_ops.h>
#include <ATen/ops/_linalg_svd_ops.h>
#include <ATen/ops/lshift_ops.h>
#include <ATen/ops/rshift_ops.h>

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"

const CompiledKernel kernels_1[250] = {
    BOXED(__ilshift___Scalar),
    BOXED(__ilshift___Tensor),
    BOXED(__irshift___Scalar),
    BOXED(__irshift___Tensor),
    BOXED(__lshift___Scalar),
    BOXED(__lshift___Tensor),
    BOXED(__rshift___Scalar),
    BOXED(__rshift___Tensor),
    BOXED(_adaptive_avg_pool2d),
    BOXED(_adaptive_avg_pool2d_backward),
    BOXED(_adaptive_avg_pool3d),
    BOXED(_adaptive_avg_pool3d_backward),
    BOXED(_addmm_activation),
    BOXED(_addmm_activation_out),
    BOXED(_aminmax),
    BOXED(_aminmax_dim),
    BOXED(_amp_foreach_non_finite_check_and_unscale_),
    BOXED(_amp_update_scale_),
    BOXED(_assert_async),
    BOXED(_assert_async_msg),
    BOXED(_batch_norm_with_update),
    BOXED(_batch_norm_with_update_out),
    BOXED(_cdist_backward),
    BOXED(_cdist_forward),
    BOXED(_cholesky_solve_helper),
    BOXED(_chunk_cat),
    BOXED(_chunk_cat_out),
    BOXED(_compute_linear_combination),
    BOXED(_compute_linear_combination_out),
    BOXED(_conv_depthwise2d),
    BOXED(_conv_depthwise2d_out),
    BOXED(_convert_indices_from_coo_to_csr),
    BOXED(_convert_indices_from_coo_to_csr_out),
    BOXED(_convert_indices_from_csr_to_coo),
    BOXED(_convert_indices_from_csr_to_coo_out),
    BOXED(_convert_weight_to_int4pack),
    BOXED(_cslt_compress),
    BOXED(_cslt_sparse_mm),
    BOXED(_cslt_sparse_mm_search),
    BOXED(_ctc_loss),
    BOXED(_ctc_loss_Tensor),
    BOXED(_ctc_loss_backward),
    BOXED(_ctc_loss_backward_Tensor),
    BOXED(_cudnn_attention_backward),
    BOXED(_cudnn_attention_forward),
    BOXED(_cudnn_ctc_loss),
    BOXED(_cudnn_ctc_loss_Tensor),
    BOXED(_cudnn_init_dropout_state),
    BOXED(_cudnn_rnn),
    BOXED(_cudnn_rnn_backward),
    BOXED(_cudnn_rnn_flatten_weight),
    BOXED(_cummax_helper),
    BOXED(_cummin_helper),
    BOXED(_dirichlet_grad),
    BOXED(_efficient_attention_backward),
    BOXED(_efficient_attention_forward),
    BOXED(_efficientzerotensor),
    BOXED(_embedding_bag),
    BOXED(_embedding_bag_backward),
    BOXED(_embedding_bag_dense_backward),
    BOXED(_embedding_bag_forward_only),
    BOXED(_embedding_bag_per_sample_weights_backward),
    BOXED(_fake_quantize_learnable_per_channel_affine),
    BOXED(_fake_quantize_learnable_per_channel_affine_backward),
    BOXED(_fake_quantize_learnable_per_tensor_affine),
    BOXED(_fake_quantize_learnable_per_tensor_affine_backward),
    BOXED(_fake_quantize_per_tensor_affine_cachemask_tensor_qparams),
    BOXED(_fft_c2c),
    BOXED(_fft_c2c_out),
    BOXED(_fft_c2r),
    BOXED(_fft_c2r_out),
    BOXED(_fft_r2c),
    BOXED(_fft_r2c_out),
    BOXED(_fill_mem_eff_dropout_mask_),
    BOXED(_flash_attention_backward),
    BOXED(_flash_attention_forward),
    BOXED(_flash_attention_forward_quantized),
    BOXED(_flash_attention_forward_no_dropout_inplace),
    BOXED(_foreach_abs),
    BOXED(_foreach_abs_),
    BOXED(_foreach_acos),
    BOXED(_foreach_acos_),
    BOXED(_foreach_add_List),
    BOXED(_foreach_add_Scalar),
    BOXED(_foreach_add_ScalarList),
    BOXED(_foreach_add_Tensor),
    BOXED(_foreach_add__List),
    BOXED(_foreach_add__Scalar),
    BOXED(_foreach_add__ScalarList),
    BOXED(_foreach_add__Tensor),
    BOXED(_foreach_addcdiv_Scalar),
    BOXED(_foreach_addcdiv_ScalarList),
    BOXED(_foreach_addcdiv_Tensor),
    BOXED(_foreach_addcdiv__Scalar),
    BOXED(_foreach_addcdiv__ScalarList),
    BOXED(_foreach_addcdiv__Tensor),
    BOXED(_foreach_addcmul_Scalar),
    BOXED(_foreach_addcmul_ScalarList),
    BOXED(_foreach_addcmul_Tensor),
    BOXED(_foreach_addcmul__Scalar),
    BOXED(_foreach_addcmul__ScalarList),
    BOXED(_foreach_addcmul__Tensor),
    BOXED(_foreach_asin),
    BOXED(_foreach_asin_),
    BOXED(_foreach_atan),
    BOXED(_foreach_atan_),
    BOXED(_foreach_ceil),
    BOXED(_foreach_ceil_),
    BOXED(_foreach_clamp_max_List),
    BOXED(_foreach_clamp_max_Scalar),
    BOXED(_foreach_clamp_max_ScalarList),
    BOXED(_foreach_clamp_max__List),
    BOXED(_foreach_clamp_max__Scalar),
    BOXED(_foreach_clamp_max__ScalarList),
    BOXED(_foreach_clamp_min_List),
    BOXED(_foreach_clamp_min_Scalar),
    BOXED(_foreach_clamp_min_ScalarList),
    BOXED(_foreach_clamp_min__List),
    BOXED(_foreach_clamp_min__Scalar),
    BOXED(_foreach_clamp_min__ScalarList),
    BOXED(_foreach_clone),
    BOXED(_foreach_copy_),
    BOXED(_foreach_cos),
    BOXED(_foreach_cos_),
    BOXED(_foreach_cosh),
    BOXED(_foreach_cosh_),
    BOXED(_foreach_div_List),
    BOXED(_foreach_div_Scalar),
    BOXED(_foreach_div_ScalarList),
    BOXED(_foreach_div_Tensor),
    BOXED(_foreach_div__List),
    BOXED(_foreach_div__Scalar),
    BOXED(_foreach_div__ScalarList),
    BOXED(_foreach_div__Tensor),
    BOXED(_foreach_erf),
    BOXED(_foreach_erf_),
    BOXED(_foreach_erfc),
    BOXED(_foreach_erfc_),
    BOXED(_foreach_exp),
    BOXED(_foreach_exp_),
    BOXED(_foreach_expm1),
    BOXED(_foreach_expm1_),
    BOXED(_foreach_floor),
    BOXED(_foreach_floor_),
    BOXED(_foreach_frac),
    BOXED(_foreach_frac_),
    BOXED(_foreach_lerp_List),
    BOXED(_foreach_lerp_Scalar),
    BOXED(_foreach_lerp_ScalarList),
    BOXED(_foreach_lerp__List),
    BOXED(_foreach_lerp__Scalar),
    BOXED(_foreach_lerp__ScalarList),
    BOXED(_foreach_lgamma),
    BOXED(_foreach_lgamma_),
    BOXED(_foreach_log),
    BOXED(_foreach_log10),
    BOXED(_foreach_log10_),
    BOXED(_foreach_log1p),
    BOXED(_foreach_log1p_),
    BOXED(_foreach_log2),
    BOXED(_foreach_log2_),
    BOXED(_foreach_log_),
    BOXED(_foreach_max),
    BOXED(_foreach_maximum_List),
    BOXED(_foreach_maximum_Scalar),
    BOXED(_foreach_maximum_ScalarList),
    BOXED(_foreach_maximum__List),
    BOXED(_foreach_maximum__Scalar),
    BOXED(_foreach_maximum__ScalarList),
    BOXED(_foreach_minimum_List),
    BOXED(_foreach_minimum_Scalar),
    BOXED(_foreach_minimum_ScalarList),
    BOXED(_foreach_minimum__List),
    BOXED(_foreach_minimum__Scalar),
    BOXED(_foreach_minimum__ScalarList),
    BOXED(_foreach_mul_List),
    BOXED(_foreach_mul_Scalar),
    BOXED(_foreach_mul_ScalarList),
    BOXED(_foreach_mul_Tensor),
    BOXED(_foreach_mul__List),
    BOXED(_foreach_mul__Scalar),
    BOXED(_foreach_mul__ScalarList),
    BOXED(_foreach_mul__Tensor),
    BOXED(_foreach_neg),
    BOXED(_foreach_neg_),
    BOXED(_foreach_norm_Scalar),
    BOXED(_foreach_pow_List),
    BOXED(_foreach_pow_Scalar),
    BOXED(_foreach_pow_ScalarAndTensor),
    BOXED(_foreach_pow_ScalarList),
    BOXED(_foreach_pow__List),
    BOXED(_foreach_pow__Scalar),
    BOXED(_foreach_pow__ScalarList),
    BOXED(_foreach_powsum_Scalar),
    BOXED(_foreach_reciprocal),
    BOXED(_foreach_reciprocal_),
    BOXED(_foreach_round),
    BOXED(_foreach_round_),
    BOXED(_foreach_rsqrt),
    BOXED(_foreach_rsqrt_),
    BOXED(_foreach_sigmoid),
    BOXED(_foreach_sigmoid_),
    BOXED(_foreach_sign),
    BOXED(_foreach_sign_),
    BOXED(_foreach_sin),
    BOXED(_foreach_sin_),
    BOXED(_foreach_sinh),
    BOXED(_foreach_sinh_),
    BOXED(_foreach_sqrt),
    BOXED(_foreach_sqrt_),
    BOXED(_foreach_sub_List),
    BOXED(_foreach_sub_Scalar),
    BOXED(_foreach_sub_ScalarList),
    BOXED(_foreach_sub__List),
    BOXED(_foreach_sub__Scalar),
    BOXED(_foreach_sub__ScalarList),
    BOXED(_foreach_tan),
    BOXED(_foreach_tan_),
    BOXED(_foreach_tanh),
    BOXED(_foreach_tanh_),
    BOXED(_foreach_trunc),
    BOXED(_foreach_trunc_),
    BOXED(_foreach_zero_),
    BOXED(_fused_adagrad_),
    BOXED(_fused_adagrad__tensor_lr),
    BOXED(_fused_adam_),
    BOXED(_fused_adam__tensor_lr),
    BOXED(_fused_adamw_),
    BOXED(_fused_adamw__tensor_lr),
    BOXED(_fused_dropout),
    BOXED(_fused_moving_avg_obs_fq_helper),
    BOXED(_fused_rms_norm_backward),
    BOXED(_fused_sdp_choice),
    BOXED(_fused_sgd_),
    BOXED(_fused_sgd__tensor_lr),
    BOXED(_grouped_mm),
    BOXED(_index_put_impl_),
    BOXED(_int_mm),
    BOXED(_int_mm_out),
    BOXED(_jagged_to_padded_dense_forward),
    BOXED(_linalg_det),
    BOXED(_linalg_det_result),
    BOXED(_linalg_eigh),
    BOXED(_linalg_eigh_eigenvalues),
    BOXED(_linalg_eigvals),
    BOXED(_linalg_slogdet),
    BOXED(_linalg_slogdet_sign),
    BOXED(_linalg_solve_ex),
    BOXED(_linalg_solve_ex_result),
    BOXED(_linalg_svd),
};

}  // namespace flagos
