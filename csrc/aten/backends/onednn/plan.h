// SPDX-License-Identifier: Apache-2.0
//
// What a call of oneDNN needs beside its numbers, made once for each form of call and thread and then kept: primitives,
// descriptions of memory, the places in between.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

#include "aten/native.h"

namespace flagos::onednn {

using Desc = dnnl::memory::desc;

const dnnl::engine& engine();

// oneDNN's word for a dtype; undef if it has none. From the table.
dnnl::memory::data_type data_type(at::ScalarType dtype);

// The tensor as it lies: its strides are oneDNN's. No dimensions are one of size 1.
Desc described(const at::Tensor& tensor);
Desc described(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype);

// What tells one form of call from another: kind, attributes, and how each tensor lies.
class Key {
 public:
  template <typename... Parts>
  explicit Key(const Parts&... parts) {
    (add(parts), ...);
  }
  bool operator==(const Key& other) const { return words_ == other.words_; }
  size_t hash() const;

  void add(const at::Tensor& tensor);
  void add(at::IntArrayRef values);
  void add(float value);
  template <typename Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>)
  void add(Number value) {
    words_.push_back(static_cast<int64_t>(value));
  }

 private:
  c10::SmallVector<int64_t, 48> words_;
};

// Steps over places. Not for use by several threads.
class Plan {
 public:
  using Place = int;

  Place given(const Desc& desc);             // the next of the caller's tensors
  Place own(const Desc& desc);               // memory for the length of a run
  Place constant(float value, size_t dims);  // one number, of so many dimensions
  Place as(Place place, const Desc& desc);   // the same in another layout: a step, or the place itself if it lies so
  Place result_as(Place place, const Desc& desc);  // where a step writes what is reordered into the place at the end

  struct Argument {
    int name;  // DNNL_ARG_…
    Place place;
  };
  template <typename Primitive, typename PrimitiveDesc>
  void step(const PrimitiveDesc& primitive_desc, std::vector<Argument> arguments) {
    arguments.push_back({DNNL_ARG_SCRATCHPAD, own(primitive_desc.scratchpad_desc())});
    add(Primitive(primitive_desc), arguments);
  }

  void run(TensorRefs tensors);

 private:
  void add(const dnnl::primitive& primitive, const std::vector<Argument>& arguments);
  void finish();

  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  struct Own {
    Place place;
    size_t offset;
  };

  std::vector<dnnl::memory> places_;
  std::vector<Place> given_;
  std::vector<Own> own_;
  size_t own_bytes_ = 0;
  std::vector<std::unique_ptr<float>> constants_;
  std::vector<std::pair<Place, Place>> results_;  // from, to
  std::vector<Step> steps_;
  bool finished_ = false;

  friend class Plans;
};

// Attributes of every primitive: its scratchpad is memory of ours.
dnnl::primitive_attr own_scratchpad();

// The plan kept for a key, null if oneDNN has no such primitive. `make` is called with an empty one the first time.
using Make = void (*)(void* context, Plan& plan);
Plan* plan_for(const Key& key, Make make, void* context);

// Runs a call: false if oneDNN has no primitive for it. The tensors are those that the plan was given, in its order;
// the last is written.
template <typename Function>
bool run(const Key& key, TensorRefs tensors, Function make) {
  Plan* const plan =
      plan_for(key, [](void* context, Plan& empty) { (*static_cast<Function*>(context))(empty); }, &make);
  if (plan == nullptr) return false;
  plan->run(tensors);
  return true;
}

}  // namespace flagos::onednn
