// @generated from torchgen of torch 2.13 by generators.aten; do not edit.
//
// A row for each operator that can be routed: the kernel that boxing.h makes of its declaration in at::_ops. The rows are
// compiled once; the conf says which of them are registered.
#include "aten/boxing.h"

#include <ATen/ops/_linalg_svd_ops.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_logcumsumexp_ops.h>
#include <ATen/ops/_make_per_channel_quantized_tensor_ops.h>
#include <ATen/ops/_make_per_tensor_quantized_tensor_ops.h>
#include <ATen/ops/_masked_scale_ops.h>
#include <ATen/ops/_masked_softmax_backward_ops.h>
#include <ATen/ops/_masked_softmax_ops.h>
#include <ATen/ops/_mixed_dtypes_linear_ops.h>
#include <ATen/ops/_native_batch_norm_legit_ops.h>
#include <ATen/ops/_native_multi_head_attention_ops.h>
#include <ATen/ops/_nested_compute_contiguous_strides_offsets_ops.h>
#include <ATen/ops/_nested_from_padded_ops.h>
#include <ATen/ops/_nested_tensor_from_mask_left_aligned_ops.h>
#include <ATen/ops/_nested_tensor_from_mask_ops.h>
#include <ATen/ops/_padded_dense_to_jagged_forward_ops.h>
#include <ATen/ops/_pdist_backward_ops.h>
#include <ATen/ops/_pdist_forward_ops.h>
#include <ATen/ops/_philox_key_fold_in_ops.h>
#include <ATen/ops/_philox_key_split_ops.h>
#include <ATen/ops/_philox_normal_ops.h>
#include <ATen/ops/_philox_uniform_ops.h>
#include <ATen/ops/_prelu_kernel_backward_ops.h>
#include <ATen/ops/_prelu_kernel_ops.h>
#include <ATen/ops/_sample_dirichlet_ops.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward_ops.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward_ops.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward_ops.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_ops.h>
#include <ATen/ops/_scaled_grouped_mm_ops.h>
#include <ATen/ops/_scaled_grouped_mm_v2_ops.h>
#include <ATen/ops/_scaled_mm_ops.h>
#include <ATen/ops/_scaled_mm_v2_ops.h>
#include <ATen/ops/_segment_reduce_backward_ops.h>
#include <ATen/ops/_slow_conv2d_backward_ops.h>
#include <ATen/ops/_slow_conv2d_forward_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/_sparse_semi_structured_addmm_ops.h>
#include <ATen/ops/_sparse_semi_structured_apply_dense_ops.h>
#include <ATen/ops/_sparse_semi_structured_apply_ops.h>
#include <ATen/ops/_sparse_semi_structured_linear_ops.h>
#include <ATen/ops/_sparse_semi_structured_mm_ops.h>
#include <ATen/ops/_sparse_semi_structured_tile_ops.h>
#include <ATen/ops/_standard_gamma_grad_ops.h>
#include <ATen/ops/_standard_gamma_ops.h>
#include <ATen/ops/_thnn_fused_gru_cell_backward_ops.h>
#include <ATen/ops/_thnn_fused_gru_cell_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_backward_impl_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_ops.h>
#include <ATen/ops/_to_sparse_bsc_ops.h>
#include <ATen/ops/_to_sparse_bsr_ops.h>
#include <ATen/ops/_to_sparse_csc_ops.h>
#include <ATen/ops/_to_sparse_csr_ops.h>
#include <ATen/ops/_to_sparse_ops.h>
#include <ATen/ops/_to_sparse_semi_structured_ops.h>
#include <ATen/ops/_transform_bias_rescale_qkv_ops.h>
#include <ATen/ops/_transformer_encoder_layer_fwd_ops.h>
#include <ATen/ops/_triton_multi_head_attention_ops.h>
#include <ATen/ops/_triton_scaled_dot_attention_ops.h>
#include <ATen/ops/_unique2_ops.h>
#include <ATen/ops/_unique_ops.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_ops.h>
#include <ATen/ops/_upsample_bicubic2d_aa_ops.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_ops.h>
#include <ATen/ops/_upsample_bilinear2d_aa_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_ops.h>
#include <ATen/ops/_use_cudnn_ctc_loss_ops.h>
#include <ATen/ops/_use_miopen_ctc_loss_ops.h>
#include <ATen/ops/_validate_compressed_sparse_indices_ops.h>
#include <ATen/ops/_weight_int4pack_mm_ops.h>
#include <ATen/ops/_weight_int8pack_mm_ops.h>
#include <ATen/ops/_weight_norm_interface_backward_ops.h>
#include <ATen/ops/_weight_norm_interface_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/acos_ops.h>
#include <ATen/ops/acosh_ops.h>
#include <ATen/ops/adaptive_avg_pool2d_ops.h>
#include <ATen/ops/adaptive_avg_pool3d_backward_ops.h>
#include <ATen/ops/adaptive_avg_pool3d_ops.h>
#include <ATen/ops/adaptive_max_pool2d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool2d_ops.h>
#include <ATen/ops/adaptive_max_pool3d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool3d_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addbmm_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/addr_ops.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/aminmax_ops.h>
#include <ATen/ops/angle_ops.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/arange_ops.h>
#include <ATen/ops/argmax_ops.h>
#include <ATen/ops/argmin_ops.h>
#include <ATen/ops/asin_ops.h>
#include <ATen/ops/asinh_ops.h>
#include <ATen/ops/atan2_ops.h>
#include <ATen/ops/atan_ops.h>
#include <ATen/ops/atanh_ops.h>
#include <ATen/ops/avg_pool2d_backward_ops.h>
#include <ATen/ops/avg_pool2d_ops.h>
#include <ATen/ops/avg_pool3d_backward_ops.h>
#include <ATen/ops/avg_pool3d_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/batch_norm_backward_elemt_ops.h>
#include <ATen/ops/batch_norm_backward_ops.h>
#include <ATen/ops/batch_norm_backward_reduce_ops.h>
#include <ATen/ops/batch_norm_elemt_ops.h>
#include <ATen/ops/batch_norm_gather_stats_ops.h>
#include <ATen/ops/batch_norm_gather_stats_with_counts_ops.h>
#include <ATen/ops/batch_norm_stats_ops.h>
#include <ATen/ops/batch_norm_update_stats_ops.h>
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/binary_cross_entropy_backward_ops.h>
#include <ATen/ops/binary_cross_entropy_ops.h>
#include <ATen/ops/bincount_ops.h>
#include <ATen/ops/binomial_ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_left_shift_ops.h>
#include <ATen/ops/bitwise_not_ops.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_right_shift_ops.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/bucketize_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/cauchy_ops.h>
#include <ATen/ops/ceil_ops.h>

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"

const CompiledKernel kernels_2[251] = {
    BOXED(_linalg_svd_U),
    BOXED(_local_scalar_dense),
    BOXED(_log_softmax),
    BOXED(_log_softmax_out),
    BOXED(_log_softmax_backward_data),
    BOXED(_log_softmax_backward_data_out),
    BOXED(_logcumsumexp),
    BOXED(_logcumsumexp_out),
    BOXED(_make_per_channel_quantized_tensor),
    BOXED(_make_per_tensor_quantized_tensor),
    BOXED(_masked_scale),
    BOXED(_masked_softmax),
    BOXED(_masked_softmax_backward),
    BOXED(_mixed_dtypes_linear),
    BOXED(_native_batch_norm_legit),
    BOXED(_native_batch_norm_legit_no_stats),
    BOXED(_native_batch_norm_legit_no_stats_out),
    BOXED(_native_batch_norm_legit_out),
    BOXED(_native_multi_head_attention),
    BOXED(_nested_compute_contiguous_strides_offsets),
    BOXED(_nested_from_padded),
    BOXED(_nested_tensor_from_mask),
    BOXED(_nested_tensor_from_mask_left_aligned),
    BOXED(_padded_dense_to_jagged_forward),
    BOXED(_pdist_backward),
    BOXED(_pdist_forward),
    BOXED(_philox_key_fold_in),
    BOXED(_philox_key_split),
    BOXED(_philox_normal_),
    BOXED(_philox_uniform_),
    BOXED(_prelu_kernel),
    BOXED(_prelu_kernel_backward),
    BOXED(_sample_dirichlet),
    BOXED(_scaled_dot_product_cudnn_attention),
    BOXED(_scaled_dot_product_cudnn_attention_backward),
    BOXED(_scaled_dot_product_efficient_attention),
    BOXED(_scaled_dot_product_efficient_attention_backward),
    BOXED(_scaled_dot_product_flash_attention),
    BOXED(_scaled_dot_product_flash_attention_quantized),
    BOXED(_scaled_dot_product_flash_attention_backward),
    BOXED(_scaled_grouped_mm),
    BOXED(_scaled_grouped_mm_v2),
    BOXED(_scaled_mm),
    BOXED(_scaled_mm_out),
    BOXED(_scaled_mm_v2),
    BOXED(_scaled_mm_v2_out),
    BOXED(_segment_reduce_backward),
    BOXED(_slow_conv2d_backward_grad_input),
    BOXED(_slow_conv2d_backward_output_mask),
    BOXED(_slow_conv2d_forward),
    BOXED(_slow_conv2d_forward_output),
    BOXED(_softmax),
    BOXED(_softmax_out),
    BOXED(_softmax_backward_data),
    BOXED(_softmax_backward_data_out),
    BOXED(_sparse_semi_structured_addmm),
    BOXED(_sparse_semi_structured_apply),
    BOXED(_sparse_semi_structured_apply_dense),
    BOXED(_sparse_semi_structured_linear),
    BOXED(_sparse_semi_structured_mm),
    BOXED(_sparse_semi_structured_tile),
    BOXED(_standard_gamma),
    BOXED(_standard_gamma_grad),
    BOXED(_thnn_fused_gru_cell),
    BOXED(_thnn_fused_gru_cell_backward),
    BOXED(_thnn_fused_lstm_cell),
    BOXED(_thnn_fused_lstm_cell_backward_impl),
    BOXED(_to_sparse),
    BOXED(_to_sparse_sparse_dim),
    BOXED(_to_sparse_bsc),
    BOXED(_to_sparse_bsr),
    BOXED(_to_sparse_csc),
    BOXED(_to_sparse_csr),
    BOXED(_to_sparse_semi_structured),
    BOXED(_transform_bias_rescale_qkv),
    BOXED(_transformer_encoder_layer_fwd),
    BOXED(_triton_multi_head_attention),
    BOXED(_triton_scaled_dot_attention),
    BOXED(_unique),
    BOXED(_unique2),
    BOXED(_upsample_bicubic2d_aa),
    BOXED(_upsample_bicubic2d_aa_out),
    BOXED(_upsample_bicubic2d_aa_backward),
    BOXED(_upsample_bicubic2d_aa_backward_grad_input),
    BOXED(_upsample_bilinear2d_aa),
    BOXED(_upsample_bilinear2d_aa_out),
    BOXED(_upsample_bilinear2d_aa_backward),
    BOXED(_upsample_bilinear2d_aa_backward_grad_input),
    BOXED(_upsample_nearest_exact1d),
    BOXED(_upsample_nearest_exact1d_out),
    BOXED(_upsample_nearest_exact1d_backward),
    BOXED(_upsample_nearest_exact1d_backward_grad_input),
    BOXED(_upsample_nearest_exact2d),
    BOXED(_upsample_nearest_exact2d_out),
    BOXED(_upsample_nearest_exact2d_backward),
    BOXED(_upsample_nearest_exact2d_backward_grad_input),
    BOXED(_upsample_nearest_exact3d),
    BOXED(_upsample_nearest_exact3d_out),
    BOXED(_upsample_nearest_exact3d_backward),
    BOXED(_upsample_nearest_exact3d_backward_grad_input),
    BOXED(_use_cudnn_ctc_loss),
    BOXED(_use_cudnn_ctc_loss_Tensor),
    BOXED(_use_miopen_ctc_loss),
    BOXED(_use_miopen_ctc_loss_Tensor),
    BOXED(_validate_compressed_sparse_indices),
    BOXED(_weight_int4pack_mm),
    BOXED(_weight_int8pack_mm),
    BOXED(_weight_norm_interface),
    BOXED(_weight_norm_interface_backward),
    BOXED(abs_out),
    BOXED(acos),
    BOXED(acos_out),
    BOXED(acos_),
    BOXED(acosh),
    BOXED(acosh_out),
    BOXED(acosh_),
    BOXED(adaptive_avg_pool2d_out),
    BOXED(adaptive_avg_pool3d_out),
    BOXED(adaptive_avg_pool3d_backward_grad_input),
    BOXED(adaptive_max_pool2d),
    BOXED(adaptive_max_pool2d_out),
    BOXED(adaptive_max_pool2d_backward),
    BOXED(adaptive_max_pool2d_backward_grad_input),
    BOXED(adaptive_max_pool3d),
    BOXED(adaptive_max_pool3d_out),
    BOXED(adaptive_max_pool3d_backward),
    BOXED(adaptive_max_pool3d_backward_grad_input),
    BOXED(add_Tensor),
    BOXED(add_out),
    BOXED(add__Tensor),
    BOXED(addbmm),
    BOXED(addbmm_out),
    BOXED(addbmm_),
    BOXED(addcdiv),
    BOXED(addcdiv_out),
    BOXED(addcdiv_),
    BOXED(addcmul),
    BOXED(addcmul_out),
    BOXED(addcmul_),
    BOXED(addmm),
    BOXED(addmm_dtype),
    BOXED(addmm_dtype_out),
    BOXED(addmm_out),
    BOXED(addmm_),
    BOXED(addmv),
    BOXED(addmv_out),
    BOXED(addmv_),
    BOXED(addr),
    BOXED(addr_out),
    BOXED(all),
    BOXED(all_all_out),
    BOXED(all_dim),
    BOXED(all_dims),
    BOXED(all_dims_out),
    BOXED(all_out),
    BOXED(amax),
    BOXED(amax_out),
    BOXED(amin),
    BOXED(amin_out),
    BOXED(aminmax),
    BOXED(aminmax_out),
    BOXED(angle),
    BOXED(angle_out),
    BOXED(any),
    BOXED(any_all_out),
    BOXED(any_dim),
    BOXED(any_dims),
    BOXED(any_dims_out),
    BOXED(any_out),
    BOXED(arange_start_out),
    BOXED(argmax),
    BOXED(argmax_out),
    BOXED(argmin),
    BOXED(argmin_out),
    BOXED(asin),
    BOXED(asin_out),
    BOXED(asin_),
    BOXED(asinh),
    BOXED(asinh_out),
    BOXED(asinh_),
    BOXED(atan),
    BOXED(atan_out),
    BOXED(atan2),
    BOXED(atan2_out),
    BOXED(atan2_),
    BOXED(atan_),
    BOXED(atanh),
    BOXED(atanh_out),
    BOXED(atanh_),
    BOXED(avg_pool2d),
    BOXED(avg_pool2d_out),
    BOXED(avg_pool2d_backward),
    BOXED(avg_pool2d_backward_grad_input),
    BOXED(avg_pool3d),
    BOXED(avg_pool3d_out),
    BOXED(avg_pool3d_backward),
    BOXED(avg_pool3d_backward_grad_input),
    BOXED(baddbmm),
    BOXED(baddbmm_dtype),
    BOXED(baddbmm_dtype_out),
    BOXED(baddbmm_out),
    BOXED(baddbmm_),
    BOXED(batch_norm_backward),
    BOXED(batch_norm_backward_elemt),
    BOXED(batch_norm_backward_reduce),
    BOXED(batch_norm_elemt),
    BOXED(batch_norm_elemt_out),
    BOXED(batch_norm_gather_stats),
    BOXED(batch_norm_gather_stats_with_counts),
    BOXED(batch_norm_stats),
    BOXED(batch_norm_update_stats),
    BOXED(bernoulli_out),
    BOXED(bernoulli__Tensor),
    BOXED(bernoulli__float),
    BOXED(binary_cross_entropy),
    BOXED(binary_cross_entropy_out),
    BOXED(binary_cross_entropy_backward),
    BOXED(binary_cross_entropy_backward_grad_input),
    BOXED(bincount),
    BOXED(binomial),
    BOXED(bitwise_and_Tensor),
    BOXED(bitwise_and_Tensor_out),
    BOXED(bitwise_and__Tensor),
    BOXED(bitwise_left_shift_Tensor),
    BOXED(bitwise_left_shift_Tensor_out),
    BOXED(bitwise_left_shift__Tensor),
    BOXED(bitwise_not),
    BOXED(bitwise_not_out),
    BOXED(bitwise_not_),
    BOXED(bitwise_or_Tensor),
    BOXED(bitwise_or_Tensor_out),
    BOXED(bitwise_or__Tensor),
    BOXED(bitwise_right_shift_Tensor),
    BOXED(bitwise_right_shift_Tensor_out),
    BOXED(bitwise_right_shift__Tensor),
    BOXED(bitwise_xor_Tensor),
    BOXED(bitwise_xor_Tensor_out),
    BOXED(bitwise_xor__Tensor),
    BOXED(bmm),
    BOXED(bmm_dtype),
    BOXED(bmm_dtype_out),
    BOXED(bmm_out),
    BOXED(bucketize_Scalar),
    BOXED(bucketize_Tensor),
    BOXED(bucketize_Tensor_out),
    BOXED(cat),
    BOXED(cat_out),
    BOXED(cauchy_),
    BOXED(ceil),
    BOXED(ceil_out),
    BOXED(ceil_),
};

}  // namespace flagos
