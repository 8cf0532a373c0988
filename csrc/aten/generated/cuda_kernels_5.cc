// @generated from torchgen of torch 2.13 by generators.aten; do not edit.
//
// A row for each operator that can be routed: the kernel that boxing.h makes of its declaration in at::_ops. The rows are
// compiled once; the conf says which of them are registered.
#include "aten/boxing.h"

#include <ATen/ops/renorm_ops.h>
#include <ATen/ops/repeat_interleave_ops.h>
#include <ATen/ops/replication_pad1d_backward_ops.h>
#include <ATen/ops/replication_pad1d_ops.h>
#include <ATen/ops/replication_pad2d_backward_ops.h>
#include <ATen/ops/replication_pad2d_ops.h>
#include <ATen/ops/replication_pad3d_backward_ops.h>
#include <ATen/ops/replication_pad3d_ops.h>
#include <ATen/ops/resize_ops.h>
#include <ATen/ops/roll_ops.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/rrelu_with_noise_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/rsub_ops.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/scatter_reduce_ops.h>
#include <ATen/ops/searchsorted_ops.h>
#include <ATen/ops/segment_reduce_ops.h>
#include <ATen/ops/sgn_ops.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sign_ops.h>
#include <ATen/ops/signbit_ops.h>
#include <ATen/ops/silu_backward_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sinc_ops.h>
#include <ATen/ops/sinh_ops.h>
#include <ATen/ops/slow_conv_dilated2d_ops.h>
#include <ATen/ops/slow_conv_dilated3d_ops.h>
#include <ATen/ops/slow_conv_transpose2d_ops.h>
#include <ATen/ops/slow_conv_transpose3d_ops.h>
#include <ATen/ops/smooth_l1_loss_backward_ops.h>
#include <ATen/ops/smooth_l1_loss_ops.h>
#include <ATen/ops/softplus_backward_ops.h>
#include <ATen/ops/softplus_ops.h>
#include <ATen/ops/softshrink_backward_ops.h>
#include <ATen/ops/softshrink_ops.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/special_airy_ai_ops.h>
#include <ATen/ops/special_bessel_j0_ops.h>
#include <ATen/ops/special_bessel_j1_ops.h>
#include <ATen/ops/special_bessel_y0_ops.h>
#include <ATen/ops/special_bessel_y1_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_t_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_u_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_v_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_w_ops.h>
#include <ATen/ops/special_entr_ops.h>
#include <ATen/ops/special_erfcx_ops.h>
#include <ATen/ops/special_hermite_polynomial_h_ops.h>
#include <ATen/ops/special_hermite_polynomial_he_ops.h>
#include <ATen/ops/special_i0e_ops.h>
#include <ATen/ops/special_i1_ops.h>
#include <ATen/ops/special_i1e_ops.h>
#include <ATen/ops/special_laguerre_polynomial_l_ops.h>
#include <ATen/ops/special_legendre_polynomial_p_ops.h>
#include <ATen/ops/special_log_ndtr_ops.h>
#include <ATen/ops/special_modified_bessel_i0_ops.h>
#include <ATen/ops/special_modified_bessel_i1_ops.h>
#include <ATen/ops/special_modified_bessel_k0_ops.h>
#include <ATen/ops/special_modified_bessel_k1_ops.h>
#include <ATen/ops/special_ndtri_ops.h>
#include <ATen/ops/special_scaled_modified_bessel_k0_ops.h>
#include <ATen/ops/special_scaled_modified_bessel_k1_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_ops.h>
#include <ATen/ops/special_spherical_bessel_j0_ops.h>
#include <ATen/ops/special_xlog1py_ops.h>
#include <ATen/ops/special_zeta_ops.h>
#include <ATen/ops/split_with_sizes_copy_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sspaddmm_ops.h>
#include <ATen/ops/std_mean_ops.h>
#include <ATen/ops/std_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/take_ops.h>
#include <ATen/ops/tan_ops.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/threshold_ops.h>
#include <ATen/ops/topk_ops.h>
#include <ATen/ops/trace_ops.h>
#include <ATen/ops/triangular_solve_ops.h>
#include <ATen/ops/tril_indices_ops.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/triu_indices_ops.h>
#include <ATen/ops/triu_ops.h>
#include <ATen/ops/trunc_ops.h>
#include <ATen/ops/unfold_backward_ops.h>
#include <ATen/ops/uniform_ops.h>
#include <ATen/ops/unique_consecutive_ops.h>
#include <ATen/ops/unique_dim_consecutive_ops.h>
#include <ATen/ops/unique_dim_ops.h>
#include <ATen/ops/upsample_bicubic2d_backward_ops.h>
#include <ATen/ops/upsample_bicubic2d_ops.h>
#include <ATen/ops/upsample_bilinear2d_backward_ops.h>
#include <ATen/ops/upsample_bilinear2d_ops.h>
#include <ATen/ops/upsample_linear1d_backward_ops.h>
#include <ATen/ops/upsample_linear1d_ops.h>
#include <ATen/ops/upsample_nearest1d_backward_ops.h>
#include <ATen/ops/upsample_nearest1d_ops.h>
#include <ATen/ops/upsample_nearest2d_backward_ops.h>
#include <ATen/ops/upsample_nearest2d_ops.h>
#include <ATen/ops/upsample_nearest3d_backward_ops.h>
#include <ATen/ops/upsample_nearest3d_ops.h>
#include <ATen/ops/upsample_trilinear3d_backward_ops.h>
#include <ATen/ops/upsample_trilinear3d_ops.h>
#include <ATen/ops/var_mean_ops.h>
#include <ATen/ops/var_ops.h>
#include <ATen/ops/vdot_ops.h>
#include <ATen/ops/where_ops.h>
#include <ATen/ops/xlogy_ops.h>
#include <ATen/ops/zero_ops.h>

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"

const CompiledKernel kernels_5[251] = {
    BOXED(renorm_out),
    BOXED(renorm_),
    BOXED(repeat_interleave_Tensor),
    BOXED(replication_pad1d),
    BOXED(replication_pad1d_out),
    BOXED(replication_pad1d_backward),
    BOXED(replication_pad1d_backward_grad_input),
    BOXED(replication_pad2d),
    BOXED(replication_pad2d_out),
    BOXED(replication_pad2d_backward),
    BOXED(replication_pad2d_backward_grad_input),
    BOXED(replication_pad3d),
    BOXED(replication_pad3d_out),
    BOXED(replication_pad3d_backward),
    BOXED(replication_pad3d_backward_grad_input),
    BOXED(resize_),
    BOXED(roll),
    BOXED(round),
    BOXED(round_decimals),
    BOXED(round_decimals_out),
    BOXED(round_out),
    BOXED(round_),
    BOXED(round__decimals),
    BOXED(rrelu_with_noise),
    BOXED(rrelu_with_noise_out),
    BOXED(rrelu_with_noise_),
    BOXED(rsqrt),
    BOXED(rsqrt_out),
    BOXED(rsqrt_),
    BOXED(rsub_Tensor),
    BOXED(scatter_reduce),
    BOXED(scatter_reduce_out),
    BOXED(scatter_src),
    BOXED(scatter_src_out),
    BOXED(scatter_value),
    BOXED(scatter_value_out),
    BOXED(scatter_value_reduce),
    BOXED(scatter_value_reduce_out),
    BOXED(scatter__reduce),
    BOXED(scatter__src),
    BOXED(scatter__value),
    BOXED(scatter__value_reduce),
    BOXED(scatter_add),
    BOXED(scatter_add_out),
    BOXED(scatter_add_),
    BOXED(scatter_reduce_two),
    BOXED(scatter_reduce_two_out),
    BOXED(scatter_reduce__two),
    BOXED(searchsorted_Scalar),
    BOXED(searchsorted_Scalar_out),
    BOXED(searchsorted_Tensor),
    BOXED(searchsorted_Tensor_out),
    BOXED(segment_reduce),
    BOXED(sgn),
    BOXED(sgn_out),
    BOXED(sgn_),
    BOXED(sigmoid),
    BOXED(sigmoid_out),
    BOXED(sigmoid_),
    BOXED(sigmoid_backward),
    BOXED(sigmoid_backward_grad_input),
    BOXED(sign),
    BOXED(sign_out),
    BOXED(sign_),
    BOXED(signbit),
    BOXED(signbit_out),
    BOXED(silu),
    BOXED(silu_out),
    BOXED(silu_),
    BOXED(silu_backward_grad_input),
    BOXED(sin),
    BOXED(sin_out),
    BOXED(sin_),
    BOXED(sinc),
    BOXED(sinc_out),
    BOXED(sinc_),
    BOXED(sinh),
    BOXED(sinh_out),
    BOXED(sinh_),
    BOXED(slow_conv_dilated2d),
    BOXED(slow_conv_dilated3d),
    BOXED(slow_conv_transpose2d),
    BOXED(slow_conv_transpose2d_out),
    BOXED(slow_conv_transpose3d),
    BOXED(slow_conv_transpose3d_out),
    BOXED(smooth_l1_loss),
    BOXED(smooth_l1_loss_out),
    BOXED(smooth_l1_loss_backward_grad_input),
    BOXED(softplus),
    BOXED(softplus_out),
    BOXED(softplus_backward),
    BOXED(softplus_backward_grad_input),
    BOXED(softshrink),
    BOXED(softshrink_out),
    BOXED(softshrink_backward),
    BOXED(softshrink_backward_grad_input),
    BOXED(sort_stable),
    BOXED(sort_values_stable),
    BOXED(special_airy_ai),
    BOXED(special_airy_ai_out),
    BOXED(special_bessel_j0),
    BOXED(special_bessel_j0_out),
    BOXED(special_bessel_j1),
    BOXED(special_bessel_j1_out),
    BOXED(special_bessel_y0),
    BOXED(special_bessel_y0_out),
    BOXED(special_bessel_y1),
    BOXED(special_bessel_y1_out),
    BOXED(special_chebyshev_polynomial_t),
    BOXED(special_chebyshev_polynomial_t_out),
    BOXED(special_chebyshev_polynomial_u),
    BOXED(special_chebyshev_polynomial_u_out),
    BOXED(special_chebyshev_polynomial_v),
    BOXED(special_chebyshev_polynomial_v_out),
    BOXED(special_chebyshev_polynomial_w),
    BOXED(special_chebyshev_polynomial_w_out),
    BOXED(special_entr),
    BOXED(special_entr_out),
    BOXED(special_erfcx),
    BOXED(special_erfcx_out),
    BOXED(special_hermite_polynomial_h),
    BOXED(special_hermite_polynomial_h_out),
    BOXED(special_hermite_polynomial_he),
    BOXED(special_hermite_polynomial_he_out),
    BOXED(special_i0e),
    BOXED(special_i0e_out),
    BOXED(special_i1),
    BOXED(special_i1_out),
    BOXED(special_i1e),
    BOXED(special_i1e_out),
    BOXED(special_laguerre_polynomial_l),
    BOXED(special_laguerre_polynomial_l_out),
    BOXED(special_legendre_polynomial_p),
    BOXED(special_legendre_polynomial_p_out),
    BOXED(special_log_ndtr),
    BOXED(special_log_ndtr_out),
    BOXED(special_modified_bessel_i0),
    BOXED(special_modified_bessel_i0_out),
    BOXED(special_modified_bessel_i1),
    BOXED(special_modified_bessel_i1_out),
    BOXED(special_modified_bessel_k0),
    BOXED(special_modified_bessel_k0_out),
    BOXED(special_modified_bessel_k1),
    BOXED(special_modified_bessel_k1_out),
    BOXED(special_ndtri),
    BOXED(special_ndtri_out),
    BOXED(special_scaled_modified_bessel_k0),
    BOXED(special_scaled_modified_bessel_k0_out),
    BOXED(special_scaled_modified_bessel_k1),
    BOXED(special_scaled_modified_bessel_k1_out),
    BOXED(special_shifted_chebyshev_polynomial_t),
    BOXED(special_shifted_chebyshev_polynomial_t_out),
    BOXED(special_shifted_chebyshev_polynomial_u),
    BOXED(special_shifted_chebyshev_polynomial_u_out),
    BOXED(special_shifted_chebyshev_polynomial_v),
    BOXED(special_shifted_chebyshev_polynomial_v_out),
    BOXED(special_shifted_chebyshev_polynomial_w),
    BOXED(special_shifted_chebyshev_polynomial_w_out),
    BOXED(special_spherical_bessel_j0),
    BOXED(special_spherical_bessel_j0_out),
    BOXED(special_xlog1py),
    BOXED(special_xlog1py_out),
    BOXED(special_zeta),
    BOXED(special_zeta_out),
    BOXED(split_with_sizes_copy_out),
    BOXED(sqrt),
    BOXED(sqrt_out),
    BOXED(sqrt_),
    BOXED(sspaddmm_out),
    BOXED(std_correction),
    BOXED(std_correction_out),
    BOXED(std_mean_correction),
    BOXED(sub_Tensor),
    BOXED(sub_out),
    BOXED(sub__Tensor),
    BOXED(sum_IntList_out),
    BOXED(sum_dim_IntList),
    BOXED(take),
    BOXED(take_out),
    BOXED(tan),
    BOXED(tan_out),
    BOXED(tan_),
    BOXED(tanh),
    BOXED(tanh_out),
    BOXED(tanh_),
    BOXED(tanh_backward),
    BOXED(tanh_backward_grad_input),
    BOXED(threshold),
    BOXED(threshold_out),
    BOXED(threshold_),
    BOXED(threshold_backward),
    BOXED(threshold_backward_grad_input),
    BOXED(topk),
    BOXED(topk_values),
    BOXED(trace),
    BOXED(triangular_solve),
    BOXED(triangular_solve_X),
    BOXED(tril),
    BOXED(tril_out),
    BOXED(tril_),
    BOXED(tril_indices),
    BOXED(triu),
    BOXED(triu_out),
    BOXED(triu_),
    BOXED(triu_indices),
    BOXED(trunc),
    BOXED(trunc_out),
    BOXED(trunc_),
    BOXED(unfold_backward),
    BOXED(uniform_),
    BOXED(unique_consecutive),
    BOXED(unique_dim),
    BOXED(unique_dim_consecutive),
    BOXED(upsample_bicubic2d),
    BOXED(upsample_bicubic2d_out),
    BOXED(upsample_bicubic2d_backward),
    BOXED(upsample_bicubic2d_backward_grad_input),
    BOXED(upsample_bilinear2d),
    BOXED(upsample_bilinear2d_out),
    BOXED(upsample_bilinear2d_backward),
    BOXED(upsample_bilinear2d_backward_grad_input),
    BOXED(upsample_linear1d),
    BOXED(upsample_linear1d_out),
    BOXED(upsample_linear1d_backward),
    BOXED(upsample_linear1d_backward_grad_input),
    BOXED(upsample_nearest1d),
    BOXED(upsample_nearest1d_out),
    BOXED(upsample_nearest1d_backward),
    BOXED(upsample_nearest1d_backward_grad_input),
    BOXED(upsample_nearest2d),
    BOXED(upsample_nearest2d_out),
    BOXED(upsample_nearest2d_backward),
    BOXED(upsample_nearest2d_backward_grad_input),
    BOXED(upsample_nearest3d),
    BOXED(upsample_nearest3d_out),
    BOXED(upsample_nearest3d_backward),
    BOXED(upsample_nearest3d_backward_grad_input),
    BOXED(upsample_trilinear3d),
    BOXED(upsample_trilinear3d_out),
    BOXED(upsample_trilinear3d_backward),
    BOXED(upsample_trilinear3d_backward_grad_input),
    BOXED(var_correction),
    BOXED(var_correction_out),
    BOXED(var_mean_correction),
    BOXED(vdot),
    BOXED(where_self),
    BOXED(where_self_out),
    BOXED(xlogy_OutTensor),
    BOXED(xlogy_Tensor),
    BOXED(xlogy__Tensor),
    BOXED(zero_),
};

}  // namespace flagos
