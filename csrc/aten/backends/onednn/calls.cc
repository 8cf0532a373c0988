// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>

#include <algorithm>

namespace flagos::onednn {
namespace {

using dnnl::prop_kind;

enum Kind {
  kUnary,
  kUnaryBackward,
  kBinary,
  kBinaryNumber,
  kTernary,
  kSquaredDifference,
  kPrelu,
  kReduce,
  kSoftmax,
  kSoftmaxBackward,
  kConcat,
  kShuffle,
  kMatmul,
  kMatmulAdd,
  kConvolution,
  kConvolutionBackwardData,
  kConvolutionBackwardWeight,
  kPooling,
  kPoolingBackward,
  kResampling,
  kResamplingBackward,
  kLayerNorm,
  kBatchNorm,
};

// Where all lie alike and without gaps, one dimension does.
bool alike(TensorRefs tensors) {
  const at::Tensor& first = **tensors.begin();
  return first.is_non_overlapping_and_dense() && std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor* t) {
           return t->sizes() == first.sizes() && t->strides() == first.strides();
         });
}

Desc flat(const at::Tensor& tensor) { return described({tensor.numel()}, {1}, tensor.scalar_type()); }

// Broadcast to a size: its elements stand for several by steps of nothing.
Desc expanded(const at::Tensor& tensor, at::IntArrayRef sizes) { return described(tensor.expand(sizes)); }

// The same where oneDNN broadcasts: it has size 1 there.
Desc narrow(const at::Tensor& tensor, at::IntArrayRef sizes) {
  const at::Tensor whole = tensor.expand(sizes);
  at::DimVector own(whole.sizes());
  for (size_t i = 0; i < own.size(); ++i) {
    if (whole.stride(static_cast<int64_t>(i)) == 0) own[i] = 1;
  }
  return described(own, whole.strides(), whole.scalar_type());
}

// As oneDNN's place for a tensor that is not one: the size of each dimension from the outermost, without gaps.
Desc dense(at::IntArrayRef sizes, dnnl::memory::data_type type = dnnl::memory::data_type::f32) {
  dnnl::memory::dims strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return {sizes.vec(), type, strides};
}

dnnl::memory::dims vec(at::IntArrayRef values) { return values.vec(); }

dnnl::memory::dims dims_of(const Desc& desc) { return {desc.data.dims, desc.data.dims + desc.data.ndims}; }
dnnl::memory::data_type type_of(const Desc& desc) { return static_cast<dnnl::memory::data_type>(desc.data.data_type); }

dnnl::memory::dims strides_of(const Desc& desc) {
  const auto& strides = desc.data.format_desc.blocking.strides;
  return {strides, strides + desc.data.ndims};
}

Desc any(const Desc& desc) { return {dims_of(desc), type_of(desc), dnnl::memory::format_tag::any}; }

// The layouts that oneDNN's fast products take; where the matrix lies otherwise, one without gaps.
Desc matrix(const at::Tensor& tensor) {
  const int64_t rows = tensor.stride(-2), columns = tensor.stride(-1);
  const bool taken = (columns == 1 && rows >= tensor.size(-1)) || (rows == 1 && columns >= tensor.size(-2));
  return taken ? described(tensor) : dense(tensor.sizes());
}

// For primitives that take no steps of nothing: each element in a place of its own.
at::Tensor each_element(const at::Tensor& tensor) {
  return tensor.defined() && at::has_internal_overlap(tensor.unsafeGetTensorImpl()) != at::MemOverlap::No
             ? tensor.contiguous()
             : tensor;
}

float number(double value) { return static_cast<float>(value); }

}  // namespace

// ---- element by element ----

bool unary(const at::Tensor& result, const at::Tensor& self, algorithm kind, double alpha, double beta) {
  if (result.numel() == 0) return true;
  return run(Key(kUnary, kind, number(alpha), number(beta), self, result), {&self, &result}, [&](Plan& plan) {
    const bool one = alike({&self, &result});
    const Desc data = one ? flat(result) : described(result);
    const auto from = plan.as(plan.given(one ? data : described(self)), data);
    const dnnl::eltwise_forward::primitive_desc primitive(
        {prop_kind::forward_inference, kind, data, number(alpha), number(beta)}, own_scratchpad(), engine());
    plan.step<dnnl::eltwise_forward>(primitive, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, plan.given(data)}});
  });
}

bool unary_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& data, algorithm kind,
                    double alpha, double beta) {
  if (result.numel() == 0) return true;
  const Key key(kUnaryBackward, kind, number(alpha), number(beta), grad, data, result);
  return run(key, {&grad, &data, &result}, [&](Plan& plan) {
    const bool one = alike({&result, &grad, &data});
    const Desc all = one ? flat(result) : described(result);
    const auto diff = plan.as(plan.given(one ? all : described(grad)), all);
    const auto from = plan.as(plan.given(one ? all : described(data)), all);
    const auto to = plan.given(all);
    const dnnl::eltwise_forward::primitive_desc forward(
        {prop_kind::forward_training, kind, all, number(alpha), number(beta)}, engine());
    const dnnl::eltwise_backward::primitive_desc backward({kind, all, all, number(alpha), number(beta)},
                                                          own_scratchpad(), engine(), forward);
    // Whether it takes the forward's input or its output, it looks for it under both names.
    plan.step<dnnl::eltwise_backward>(
        backward, {{DNNL_ARG_DIFF_DST, diff}, {DNNL_ARG_SRC, from}, {DNNL_ARG_DST, from}, {DNNL_ARG_DIFF_SRC, to}});
  });
}

bool binary(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, algorithm kind, double scale) {
  if (result.numel() == 0) return true;
  return run(Key(kBinary, kind, number(scale), a, b, result), {&a, &b, &result}, [&](Plan& plan) {
    const bool one = alike({&result, &a, &b});
    const Desc to = one ? flat(result) : described(result);
    const Desc left = Desc(dims_of(to), data_type(a.scalar_type()), strides_of(to));
    const Desc right = one ? flat(b) : narrow(b, result.sizes());
    const auto first = plan.as(plan.given(one ? left : expanded(a, result.sizes())), left);
    const auto second = plan.given(right);
    dnnl::primitive_attr attributes = own_scratchpad();
    if (scale != 1) attributes.set_scales(DNNL_ARG_SRC_1, 0, {number(scale)});
    plan.step<dnnl::binary>(dnnl::binary::primitive_desc({kind, left, right, to}, attributes, engine()),
                            {{DNNL_ARG_SRC_0, first}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool binary_number(const at::Tensor& result, const at::Tensor& self, double value, algorithm kind) {
  if (result.numel() == 0) return true;
  return run(Key(kBinaryNumber, kind, number(value), self, result), {&self, &result}, [&](Plan& plan) {
    const bool one = alike({&result, &self});
    const Desc to = one ? flat(result) : described(result);
    const Desc from = Desc(dims_of(to), data_type(self.scalar_type()), strides_of(to));
    const auto first = plan.as(plan.given(one ? from : described(self)), from);
    const auto second = plan.constant(number(value), dims_of(to).size());
    plan.step<dnnl::binary>(
        dnnl::binary::primitive_desc({kind, from, dense(dnnl::memory::dims(dims_of(to).size(), 1)), to},
                                     own_scratchpad(), engine()),
        {{DNNL_ARG_SRC_0, first}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool ternary(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, algorithm kind,
             double scale) {
  if (result.numel() == 0) return true;
  const Key key(kTernary, kind, number(scale), self, a, b, result);
  return run(key, {&self, &a, &b, &result}, [&](Plan& plan) {
    const at::IntArrayRef sizes = result.sizes();
    const Desc to = described(result);
    const Desc added = narrow(self, sizes);
    const Desc right = narrow(b, sizes);
    const auto summand = plan.given(added);
    const auto first = plan.as(plan.given(expanded(a, sizes)), to);
    const auto second = plan.given(right);
    dnnl::primitive_attr attributes = own_scratchpad();
    dnnl::post_ops then;
    if (scale != 1) then.append_eltwise(1, algorithm::eltwise_linear, number(scale), 0);
    then.append_binary(algorithm::binary_add, added);
    attributes.set_post_ops(then);
    plan.step<dnnl::binary>(dnnl::binary::primitive_desc({kind, to, right, to}, attributes, engine()),
                            {{DNNL_ARG_SRC_0, first},
                             {DNNL_ARG_SRC_1, second},
                             {DNNL_ARG_ATTR_MULTIPLE_POST_OP(scale != 1 ? 1 : 0) | DNNL_ARG_SRC_1, summand},
                             {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool squared_difference(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, algorithm reduction) {
  if (a.numel() == 0) return result.numel() == 0;
  return run(Key(kSquaredDifference, reduction, a, b, result), {&a, &b, &result}, [&](Plan& plan) {
    const Desc whole = dense(a.sizes());
    const auto first = plan.as(plan.given(described(a)), whole);
    const auto second = plan.as(plan.given(described(b)), whole);
    const auto to = plan.given(described(result));
    const bool reduced = reduction != algorithm::undef;
    const Desc squared = reduced ? whole : described(result);
    dnnl::primitive_attr attributes = own_scratchpad();
    dnnl::post_ops then;
    then.append_eltwise(1, algorithm::eltwise_square, 0, 0);
    attributes.set_post_ops(then);
    const auto squares = reduced ? plan.own(squared) : to;
    plan.step<dnnl::binary>(
        dnnl::binary::primitive_desc({algorithm::binary_sub, whole, whole, squared}, attributes, engine()),
        {{DNNL_ARG_SRC_0, first}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, squares}});
    if (!reduced) return;
    const dnnl::memory::dims one(dims_of(whole).size(), 1);
    plan.step<dnnl::reduction>(
        dnnl::reduction::primitive_desc({reduction, whole, dense(one), 0, 0}, own_scratchpad(), engine()),
        {{DNNL_ARG_SRC, squares}, {DNNL_ARG_DST, to}});
  });
}

bool prelu(const at::Tensor& result, const at::Tensor& self, const at::Tensor& weight) {
  if (result.numel() == 0) return true;
  return run(Key(kPrelu, self, weight, result), {&self, &weight, &result}, [&](Plan& plan) {
    const Desc data = described(result);
    const Desc slopes = narrow(weight, result.sizes());
    const auto from = plan.as(plan.given(described(self)), data);
    const auto by = plan.given(slopes);
    plan.step<dnnl::prelu_forward>(
        dnnl::prelu_forward::primitive_desc({prop_kind::forward_inference, data, slopes}, own_scratchpad(), engine()),
        {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, by}, {DNNL_ARG_DST, plan.given(data)}});
  });
}

// ---- along dimensions ----

bool reduce(const at::Tensor& result, const at::Tensor& self, at::IntArrayRef dims, algorithm kind, double p) {
  if (self.numel() == 0) return false;  // there is nothing that oneDNN could begin with
  if (kind == algorithm::reduction_norm_lp_sum && self.numel() == result.numel()) return false;  // is no copy then
  return run(Key(kReduce, kind, number(p), dims, self, result), {&self, &result}, [&](Plan& plan) {
    dnnl::memory::dims kept = dims_of(described(self));
    if (dims.empty()) std::fill(kept.begin(), kept.end(), 1);
    for (const int64_t dim : dims)
      kept[static_cast<size_t>(at::maybe_wrap_dim(dim, static_cast<int64_t>(kept.size())))] = 1;
    const Desc from = described(self);
    const Desc to = dense(kept);
    const auto source = plan.given(from);
    const auto target = plan.given(to);
    if (kept == dims_of(from)) {  // oneDNN wants something to reduce
      plan.step<dnnl::reorder>(dnnl::reorder::primitive_desc(engine(), from, engine(), to, own_scratchpad()),
                               {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}});
      return;
    }
    plan.step<dnnl::reduction>(
        dnnl::reduction::primitive_desc({kind, from, to, number(p), 0}, own_scratchpad(), engine()),
        {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, target}});
  });
}

bool softmax(const at::Tensor& result, const at::Tensor& self, int64_t dim, algorithm kind) {
  if (result.numel() == 0) return true;
  return run(Key(kSoftmax, kind, dim, self, result), {&self, &result}, [&](Plan& plan) {
    const Desc data = described(result);
    const int axis = static_cast<int>(at::maybe_wrap_dim(dim, static_cast<int64_t>(dims_of(data).size())));
    const auto from = plan.as(plan.given(described(self)), data);
    plan.step<dnnl::softmax_v2_forward>(
        dnnl::softmax_v2_forward::primitive_desc({prop_kind::forward_inference, kind, data, data, axis},
                                                 own_scratchpad(), engine()),
        {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, plan.given(data)}});
  });
}

bool softmax_backward(const at::Tensor& result, const at::Tensor& grad, const at::Tensor& output, int64_t dim,
                      algorithm kind) {
  if (result.numel() == 0) return true;
  return run(Key(kSoftmaxBackward, kind, dim, grad, output, result), {&grad, &output, &result}, [&](Plan& plan) {
    const Desc data = described(result);
    const int axis = static_cast<int>(at::maybe_wrap_dim(dim, static_cast<int64_t>(dims_of(data).size())));
    const auto diff = plan.as(plan.given(described(grad)), data);
    const auto from = plan.as(plan.given(described(output)), data);
    const dnnl::softmax_v2_forward::primitive_desc forward({prop_kind::forward_training, kind, data, data, axis},
                                                           engine());
    plan.step<dnnl::softmax_v2_backward>(
        dnnl::softmax_v2_backward::primitive_desc({kind, data, data, data, axis}, own_scratchpad(), engine(), forward),
        {{DNNL_ARG_DIFF_DST, diff}, {DNNL_ARG_DST, from}, {DNNL_ARG_DIFF_SRC, plan.given(data)}});
  });
}

bool concat(const at::Tensor& result, const std::vector<at::Tensor>& tensors, int64_t dim) {
  if (result.numel() == 0) return true;
  Key key(kConcat, dim, result);
  std::vector<const at::Tensor*> all;
  for (const at::Tensor& tensor : tensors) {
    key.add(tensor);
    all.push_back(&tensor);
  }
  all.push_back(&result);
  return run(key, all, [&](Plan& plan) {
    std::vector<Desc> parts;
    std::vector<Plan::Argument> arguments;
    for (const at::Tensor& tensor : tensors) {
      parts.push_back(described(tensor));
      arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(arguments.size()), plan.given(parts.back())});
    }
    const Desc to = described(result);
    arguments.push_back({DNNL_ARG_DST, plan.given(to)});
    plan.step<dnnl::concat>(dnnl::concat::primitive_desc(to, static_cast<int>(at::maybe_wrap_dim(dim, result.dim())),
                                                         parts, engine(), own_scratchpad()),
                            arguments);
  });
}

bool shuffle(const at::Tensor& result, const at::Tensor& self, int64_t dim, int64_t groups) {
  if (result.numel() == 0) return true;
  return run(Key(kShuffle, dim, groups, self, result), {&self, &result}, [&](Plan& plan) {
    const Desc data = described(result);
    const auto from = plan.as(plan.given(described(self)), data);
    const dnnl::shuffle_forward::desc shuffled(prop_kind::forward_inference, data, static_cast<int>(dim),
                                               static_cast<int>(self.size(dim) / groups));
    plan.step<dnnl::shuffle_forward>(dnnl::shuffle_forward::primitive_desc(shuffled, engine(), own_scratchpad()),
                                     {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, plan.given(data)}});
  });
}

// ---- products of matrices ----

bool matmul(const at::Tensor& result, const at::Tensor& a, const at::Tensor& b, double alpha) {
  if (result.numel() == 0) return true;
  if (a.numel() == 0) return false;
  return run(Key(kMatmul, number(alpha), a, b, result), {&a, &b, &result}, [&](Plan& plan) {
    const Desc left = matrix(a), right = matrix(b), to = described(result);
    const auto first = plan.as(plan.given(described(a)), left);
    const auto second = plan.as(plan.given(described(b)), right);
    dnnl::primitive_attr attributes = own_scratchpad();
    if (alpha != 1) attributes.set_output_scales(0, {number(alpha)});
    plan.step<dnnl::matmul>(dnnl::matmul::primitive_desc({left, right, to}, attributes, engine()),
                            {{DNNL_ARG_SRC, first}, {DNNL_ARG_WEIGHTS, second}, {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool matmul_add(const at::Tensor& result, const at::Tensor& self, const at::Tensor& a, const at::Tensor& b, double beta,
                double alpha, algorithm activation) {
  if (result.numel() == 0) return true;
  if (a.numel() == 0) return false;
  const Key key(kMatmulAdd, activation, number(beta), number(alpha), self, a, b, result);
  return run(key, {&self, &a, &b, &result}, [&](Plan& plan) {
    const Desc left = matrix(a), right = matrix(b), to = described(result);
    const Desc added = narrow(self, result.sizes());
    const auto summand = plan.given(added);
    const auto first = plan.as(plan.given(described(a)), left);
    const auto second = plan.as(plan.given(described(b)), right);
    // beta * (alpha / beta * product + self): one factor for both where they are the same
    dnnl::primitive_attr attributes = own_scratchpad();
    dnnl::post_ops then;
    std::vector<Plan::Argument> arguments{{DNNL_ARG_SRC, first}, {DNNL_ARG_WEIGHTS, second}};
    const double factor = beta == 0 ? alpha : alpha / beta;
    if (factor != 1) attributes.set_output_scales(0, {number(factor)});
    if (beta != 0) {
      then.append_binary(algorithm::binary_add, added);
      arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, summand});
      if (beta != 1) then.append_eltwise(1, algorithm::eltwise_linear, number(beta), 0);
    }
    if (activation != algorithm::undef) then.append_eltwise(1, activation, 0, 0);
    attributes.set_post_ops(then);
    arguments.push_back({DNNL_ARG_DST, plan.given(to)});
    plan.step<dnnl::matmul>(dnnl::matmul::primitive_desc({left, right, to}, attributes, engine()), arguments);
  });
}

// ---- windows ----

namespace {

dnnl::memory::dims less_one(at::IntArrayRef dilation) {
  dnnl::memory::dims dims = dilation.vec();
  for (int64_t& dim : dims) --dim;
  return dims;
}

// What is left of the input behind the last window is not padding: oneDNN wants to know how much is.
dnnl::memory::dims padding_behind(at::IntArrayRef input, at::IntArrayRef output, const Window& window) {
  dnnl::memory::dims behind;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1;
    behind.push_back((output[i + 2] - 1) * window.stride[i] + span - input[i + 2] - window.padding[i]);
  }
  return behind;
}

// {groups, out / groups, in / groups, kernel…}: PyTorch's transposed weight has its inputs before its outputs.
Desc weight_desc(const at::Tensor& weight, const Window& window) {
  const auto w = weight.unflatten(0, {window.groups, weight.size(0) / window.groups});
  const at::Tensor ordered = window.transposed ? w.transpose(1, 2) : w;
  return described(ordered);
}

// Forward and backward of a convolution, or of its transposed: oneDNN has the latter under another name.
template <typename Forward>
typename Forward::primitive_desc forward_of(const Desc& input, const Desc& weight, const Desc* bias, const Desc& output,
                                            const Window& window, const dnnl::memory::dims& behind) {
  constexpr algorithm kDirect = std::is_same_v<Forward, dnnl::convolution_forward> ? algorithm::convolution_direct
                                                                                   : algorithm::deconvolution_direct;
  const auto stride = vec(window.stride), dilation = less_one(window.dilation), before = vec(window.padding);
  const typename Forward::desc desc = bias != nullptr
                                          ? typename Forward::desc(prop_kind::forward_training, kDirect, input, weight,
                                                                   *bias, output, stride, dilation, before, behind)
                                          : typename Forward::desc(prop_kind::forward_training, kDirect, input, weight,
                                                                   output, stride, dilation, before, behind);
  return {desc, own_scratchpad(), engine()};
}

template <typename Forward>
void plan_convolution(Plan& plan, const at::Tensor& result, const at::Tensor& input, const at::Tensor& weight,
                      const at::Tensor& bias, const Window& window, const dnnl::memory::dims& behind) {
  const Desc from = described(input), by = weight_desc(weight, window), to = described(result);
  const Desc plus = bias.defined() ? described(bias) : Desc();
  const auto primitive =
      forward_of<Forward>(any(from), any(by), bias.defined() ? &plus : nullptr, any(to), window, behind);
  const auto source = plan.as(plan.given(from), primitive.src_desc());
  const auto weights = plan.as(plan.given(by), primitive.weights_desc());
  std::vector<Plan::Argument> arguments{{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}};
  if (bias.defined()) arguments.push_back({DNNL_ARG_BIAS, plan.given(plus)});
  arguments.push_back({DNNL_ARG_DST, plan.result_as(plan.given(to), primitive.dst_desc())});
  plan.step<Forward>(primitive, arguments);
}

template <typename Forward, typename Backward>
void plan_backward_data(Plan& plan, const at::Tensor& result, const at::Tensor& grad, const at::Tensor& weight,
                        const Window& window, const dnnl::memory::dims& behind) {
  const Desc from = described(grad), by = weight_desc(weight, window), to = described(result);
  const auto forward = forward_of<Forward>(any(to), any(by), nullptr, any(from), window, behind);
  constexpr algorithm kDirect = std::is_same_v<Forward, dnnl::convolution_forward> ? algorithm::convolution_direct
                                                                                   : algorithm::deconvolution_direct;
  const typename Backward::primitive_desc primitive({kDirect, any(to), any(by), any(from), vec(window.stride),
                                                     less_one(window.dilation), vec(window.padding), behind},
                                                    own_scratchpad(), engine(), forward);
  const auto diff = plan.as(plan.given(from), primitive.diff_dst_desc());
  const auto weights = plan.as(plan.given(by), primitive.weights_desc());
  plan.step<Backward>(primitive, {{DNNL_ARG_DIFF_DST, diff},
                                  {DNNL_ARG_WEIGHTS, weights},
                                  {DNNL_ARG_DIFF_SRC, plan.result_as(plan.given(to), primitive.diff_src_desc())}});
}

template <typename Forward, typename Backward>
void plan_backward_weight(Plan& plan, const at::Tensor& weight, const at::Tensor& grad, const at::Tensor& input,
                          const at::Tensor& bias, const Window& window, const dnnl::memory::dims& behind) {
  const Desc from = described(input), diff = described(grad), to = weight_desc(weight, window);
  const Desc plus = bias.defined() ? described(bias) : Desc();
  const auto forward =
      forward_of<Forward>(any(from), any(to), bias.defined() ? &plus : nullptr, any(diff), window, behind);
  constexpr algorithm kDirect = std::is_same_v<Forward, dnnl::convolution_forward> ? algorithm::convolution_direct
                                                                                   : algorithm::deconvolution_direct;
  const auto stride = vec(window.stride), dilation = less_one(window.dilation), before = vec(window.padding);
  const typename Backward::desc desc =
      bias.defined()
          ? typename Backward::desc(kDirect, any(from), any(to), plus, any(diff), stride, dilation, before, behind)
          : typename Backward::desc(kDirect, any(from), any(to), any(diff), stride, dilation, before, behind);
  const typename Backward::primitive_desc primitive(desc, own_scratchpad(), engine(), forward);
  const auto diffs = plan.as(plan.given(diff), primitive.diff_dst_desc());
  const auto source = plan.as(plan.given(from), primitive.src_desc());
  std::vector<Plan::Argument> arguments{{DNNL_ARG_DIFF_DST, diffs}, {DNNL_ARG_SRC, source}};
  if (bias.defined()) arguments.push_back({DNNL_ARG_DIFF_BIAS, plan.given(plus)});
  arguments.push_back({DNNL_ARG_DIFF_WEIGHTS, plan.result_as(plan.given(to), primitive.diff_weights_desc())});
  plan.step<Backward>(primitive, arguments);
}

Key key_of(Kind kind, const Window& window) {
  return Key(kind, window.kernel, window.stride, window.padding, window.dilation, window.transposed, window.groups);
}

}  // namespace

bool convolution(const at::Tensor& result, const at::Tensor& given_input, const at::Tensor& given_weight,
                 const at::Tensor& given_bias, const Window& window) {
  if (result.numel() == 0 || given_input.numel() == 0) return false;
  const at::Tensor input = each_element(given_input), weight = each_element(given_weight);
  const at::Tensor bias = each_element(given_bias);
  Key key = key_of(kConvolution, window);
  key.add(input), key.add(weight), key.add(result), key.add(bias.defined());
  if (bias.defined()) key.add(bias);
  const auto make = [&](Plan& plan) {
    if (window.transposed) {
      plan_convolution<dnnl::deconvolution_forward>(plan, result, input, weight, bias, window,
                                                    padding_behind(result.sizes(), input.sizes(), window));
    } else {
      plan_convolution<dnnl::convolution_forward>(plan, result, input, weight, bias, window,
                                                  padding_behind(input.sizes(), result.sizes(), window));
    }
  };
  if (bias.defined()) return run(key, {&input, &weight, &bias, &result}, make);
  return run(key, {&input, &weight, &result}, make);
}

bool convolution_backward_data(const at::Tensor& result, const at::Tensor& given_grad, const at::Tensor& given_weight,
                               const Window& window) {
  if (result.numel() == 0 || given_grad.numel() == 0) return false;
  const at::Tensor grad = each_element(given_grad), weight = each_element(given_weight);
  Key key = key_of(kConvolutionBackwardData, window);
  key.add(grad), key.add(weight), key.add(result);
  return run(key, {&grad, &weight, &result}, [&](Plan& plan) {
    if (window.transposed) {
      plan_backward_data<dnnl::deconvolution_forward, dnnl::deconvolution_backward_data>(
          plan, result, grad, weight, window, padding_behind(grad.sizes(), result.sizes(), window));
    } else {
      plan_backward_data<dnnl::convolution_forward, dnnl::convolution_backward_data>(
          plan, result, grad, weight, window, padding_behind(result.sizes(), grad.sizes(), window));
    }
  });
}

bool convolution_backward_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& given_grad,
                                 const at::Tensor& given_input, const Window& window) {
  if (given_grad.numel() == 0 || given_input.numel() == 0) return false;
  const at::Tensor grad = each_element(given_grad), input = each_element(given_input);
  Key key = key_of(kConvolutionBackwardWeight, window);
  key.add(grad), key.add(input), key.add(weight), key.add(bias.defined());
  const auto make = [&](Plan& plan) {
    if (window.transposed) {
      plan_backward_weight<dnnl::deconvolution_forward, dnnl::deconvolution_backward_weights>(
          plan, weight, grad, input, bias, window, padding_behind(grad.sizes(), input.sizes(), window));
    } else {
      plan_backward_weight<dnnl::convolution_forward, dnnl::convolution_backward_weights>(
          plan, weight, grad, input, bias, window, padding_behind(input.sizes(), grad.sizes(), window));
    }
  };
  if (bias.defined()) return run(key, {&grad, &input, &bias, &weight}, make);
  return run(key, {&grad, &input, &weight}, make);
}

bool pooling(const at::Tensor& result, const at::Tensor& input, const Window& window, algorithm kind) {
  if (result.numel() == 0 || input.numel() == 0) return false;
  Key key = key_of(kPooling, window);
  key.add(kind), key.add(input), key.add(result);
  return run(key, {&input, &result}, [&](Plan& plan) {
    const Desc from = described(input), to = described(result);
    const auto source = plan.given(from);
    plan.step<dnnl::pooling_forward>(
        dnnl::pooling_forward::primitive_desc(
            {prop_kind::forward_inference, kind, from, to, vec(window.stride), vec(window.kernel), vec(window.padding),
             padding_behind(input.sizes(), result.sizes(), window)},
            own_scratchpad(), engine()),
        {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool pooling_backward(const at::Tensor& result, const at::Tensor& grad, const Window& window, algorithm kind) {
  if (result.numel() == 0 || grad.numel() == 0) return false;
  Key key = key_of(kPoolingBackward, window);
  key.add(kind), key.add(grad), key.add(result);
  return run(key, {&grad, &result}, [&](Plan& plan) {
    const Desc from = described(grad), to = described(result);
    const auto stride = vec(window.stride), kernel = vec(window.kernel), before = vec(window.padding);
    const auto behind = padding_behind(result.sizes(), grad.sizes(), window);
    const auto source = plan.given(from);
    const dnnl::pooling_forward::primitive_desc forward(
        {prop_kind::forward_training, kind, to, from, stride, kernel, before, behind}, engine());
    plan.step<dnnl::pooling_backward>(
        dnnl::pooling_backward::primitive_desc({kind, to, from, stride, kernel, before, behind}, own_scratchpad(),
                                               engine(), forward),
        {{DNNL_ARG_DIFF_DST, source}, {DNNL_ARG_DIFF_SRC, plan.given(to)}});
  });
}

bool resampling(const at::Tensor& result, const at::Tensor& input, algorithm kind) {
  if (result.numel() == 0 || input.numel() == 0) return false;
  return run(Key(kResampling, kind, input, result), {&input, &result}, [&](Plan& plan) {
    const Desc from = described(input), to = described(result);
    const auto source = plan.given(from);
    plan.step<dnnl::resampling_forward>(dnnl::resampling_forward::primitive_desc(
                                            {prop_kind::forward_inference, kind, from, to}, own_scratchpad(), engine()),
                                        {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, plan.given(to)}});
  });
}

bool resampling_backward(const at::Tensor& result, const at::Tensor& grad, algorithm kind) {
  if (result.numel() == 0 || grad.numel() == 0) return false;
  return run(Key(kResamplingBackward, kind, grad, result), {&grad, &result}, [&](Plan& plan) {
    const Desc from = described(grad), to = described(result);
    const auto source = plan.given(from);
    const dnnl::resampling_forward::primitive_desc forward({prop_kind::forward_training, kind, to, from}, engine());
    plan.step<dnnl::resampling_backward>(
        dnnl::resampling_backward::primitive_desc({kind, to, from}, own_scratchpad(), engine(), forward),
        {{DNNL_ARG_DIFF_DST, source}, {DNNL_ARG_DIFF_SRC, plan.given(to)}});
  });
}

// ---- normalisation ----

namespace {

dnnl::normalization_flags affine(const at::Tensor& weight, const at::Tensor& bias) {
  auto flags = dnnl::normalization_flags::none;
  if (weight.defined()) flags = flags | dnnl::normalization_flags::use_scale;
  if (bias.defined()) flags = flags | dnnl::normalization_flags::use_shift;
  return flags;
}

}  // namespace

bool layer_norm(const at::Tensor& result, const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& input,
                const at::Tensor& weight, const at::Tensor& bias, int64_t inner, double eps) {
  if (result.numel() == 0) return false;
  Key key(kLayerNorm, inner, number(eps), input, result, weight.defined(), bias.defined());
  std::vector<const at::Tensor*> tensors{&input};
  if (weight.defined()) tensors.push_back(&weight);
  if (bias.defined()) tensors.push_back(&bias);
  for (const at::Tensor* tensor : {&mean, &rstd, &result}) tensors.push_back(tensor);
  return run(key, tensors, [&](Plan& plan) {
    const int64_t outer = result.numel() / inner;
    const Desc data = dense({outer, inner}), statistics = dense({outer});
    const auto flags = affine(weight, bias);
    const dnnl::layer_normalization_forward::primitive_desc primitive(
        {prop_kind::forward_training, data, statistics, number(eps), flags}, own_scratchpad(), engine());
    std::vector<Plan::Argument> arguments{{DNNL_ARG_SRC, plan.given(data)}};
    if (weight.defined()) arguments.push_back({DNNL_ARG_SCALE, plan.given(dense({inner}))});
    if (bias.defined()) arguments.push_back({DNNL_ARG_SHIFT, plan.given(dense({inner}))});
    const auto means = plan.given(statistics), roots = plan.given(statistics);
    const auto variances = plan.own(statistics);
    arguments.push_back({DNNL_ARG_MEAN, means});
    arguments.push_back({DNNL_ARG_VARIANCE, variances});
    arguments.push_back({DNNL_ARG_DST, plan.given(data)});
    plan.step<dnnl::layer_normalization_forward>(primitive, arguments);
    const auto apply = [&](algorithm kind, float alpha, float beta, Plan::Place from, Plan::Place to) {
      plan.step<dnnl::eltwise_forward>(
          dnnl::eltwise_forward::primitive_desc({prop_kind::forward_inference, kind, statistics, alpha, beta},
                                                own_scratchpad(), engine()),
          {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    };
    apply(algorithm::eltwise_linear, 1, number(eps), variances, variances);
    apply(algorithm::eltwise_pow, 1, -0.5F, variances, roots);
  });
}

bool batch_norm(const at::Tensor& result, const at::Tensor& input, const at::Tensor& given_weight,
                const at::Tensor& given_bias, const at::Tensor& given_mean, const at::Tensor& given_variance,
                double eps) {
  if (result.numel() == 0) return false;
  const at::Tensor weight = each_element(given_weight), bias = each_element(given_bias);
  const at::Tensor mean = each_element(given_mean), variance = each_element(given_variance);
  Key key(kBatchNorm, number(eps), input, result, weight.defined(), bias.defined());
  std::vector<const at::Tensor*> tensors{&input};
  if (weight.defined()) tensors.push_back(&weight);
  if (bias.defined()) tensors.push_back(&bias);
  for (const at::Tensor* tensor : {&mean, &variance, &result}) tensors.push_back(tensor);
  return run(key, tensors, [&](Plan& plan) {
    const Desc data = described(result), channel = dense({input.size(1)});
    const auto flags = affine(weight, bias) | dnnl::normalization_flags::use_global_stats;
    const dnnl::batch_normalization_forward::primitive_desc primitive(
        {prop_kind::forward_inference, data, number(eps), flags}, own_scratchpad(), engine());
    std::vector<Plan::Argument> arguments{{DNNL_ARG_SRC, plan.as(plan.given(described(input)), data)}};
    if (weight.defined()) arguments.push_back({DNNL_ARG_SCALE, plan.given(channel)});
    if (bias.defined()) arguments.push_back({DNNL_ARG_SHIFT, plan.given(channel)});
    arguments.push_back({DNNL_ARG_MEAN, plan.given(channel)});
    arguments.push_back({DNNL_ARG_VARIANCE, plan.given(channel)});
    arguments.push_back({DNNL_ARG_DST, plan.given(data)});
    plan.step<dnnl::batch_normalization_forward>(primitive, arguments);
  });
}

}  // namespace flagos::onednn
