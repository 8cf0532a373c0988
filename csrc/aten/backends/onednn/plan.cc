// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <omp.h>

#include <numeric>
#include <unordered_map>

namespace flagos::onednn {
namespace {

// Of a tensor's memory, and oneDNN's own wish.
constexpr size_t kAlignment = 64;
// Calls on fewer elements than this run in the calling thread alone, as PyTorch's own do.
constexpr int64_t kSmall = 32768;
constexpr size_t kMostPlans = 1024;

struct KeyHash {
  size_t operator()(const Key& key) const { return key.hash(); }
};

dnnl::stream& stream() {
  thread_local dnnl::stream own(engine());
  return own;
}

// The calling thread's number of threads, for the length of a call.
class Threads {
 public:
  explicit Threads(bool one) : former_(omp_get_max_threads()) {
    wanted_ = one ? 1 : at::get_num_threads();
    if (wanted_ != former_) omp_set_num_threads(wanted_);
  }
  ~Threads() {
    if (wanted_ != former_) omp_set_num_threads(former_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int former_;
  int wanted_;
};

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Desc described(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) {
  if (sizes.empty()) return {{1}, data_type(dtype), dnnl::memory::dims{1}};
  return {sizes.vec(), data_type(dtype), strides.vec()};
}

Desc described(const at::Tensor& tensor) { return described(tensor.sizes(), tensor.strides(), tensor.scalar_type()); }

void Key::add(const at::Tensor& tensor) {
  add(tensor.scalar_type());
  add(tensor.sizes());
  add(tensor.strides());
}

void Key::add(at::IntArrayRef values) {
  words_.push_back(static_cast<int64_t>(values.size()));
  words_.append(values.begin(), values.end());
}

void Key::add(float value) {
  int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  words_.push_back(bits);
}

size_t Key::hash() const {
  return std::accumulate(words_.begin(), words_.end(), size_t{0}, [](size_t seed, int64_t word) {
    return (seed ^ static_cast<size_t>(word)) * 0x9e3779b97f4a7c15ULL + (seed >> 29);
  });
}

Plan::Place Plan::given(const Desc& desc) {
  places_.emplace_back(desc, engine(), nullptr);
  given_.push_back(static_cast<Place>(places_.size()) - 1);
  return given_.back();
}

Plan::Place Plan::own(const Desc& desc) {
  places_.emplace_back(desc, engine(), nullptr);
  const auto place = static_cast<Place>(places_.size()) - 1;
  own_.push_back({place, own_bytes_});
  own_bytes_ += (desc.get_size() + kAlignment - 1) / kAlignment * kAlignment;
  return place;
}

Plan::Place Plan::constant(float value, size_t dims) {
  constants_.push_back(std::make_unique<float>(value));
  const dnnl::memory::dims one(dims, 1);
  places_.emplace_back(Desc(one, dnnl::memory::data_type::f32, one), engine(), constants_.back().get());
  return static_cast<Place>(places_.size()) - 1;
}

Plan::Place Plan::as(Place place, const Desc& desc) {
  const Desc former = places_[static_cast<size_t>(place)].get_desc();
  if (former == desc) return place;
  const Place made = own(desc);
  step<dnnl::reorder>(dnnl::reorder::primitive_desc(engine(), former, engine(), desc, own_scratchpad()),
                      {{DNNL_ARG_FROM, place}, {DNNL_ARG_TO, made}});
  return made;
}

Plan::Place Plan::result_as(Place place, const Desc& desc) {
  if (places_[static_cast<size_t>(place)].get_desc() == desc) return place;
  const Place made = own(desc);
  results_.emplace_back(made, place);
  return made;
}

void Plan::add(const dnnl::primitive& primitive, const std::vector<Argument>& arguments) {
  std::vector<dnnl_exec_arg_t> named;
  for (const Argument& argument : arguments) {
    named.push_back({argument.name, places_[static_cast<size_t>(argument.place)].get()});
  }
  steps_.push_back({primitive, std::move(named)});
}

void Plan::finish() {
  for (const auto& [from, to] : results_) {
    const dnnl::reorder::primitive_desc reorder(engine(), places_[static_cast<size_t>(from)].get_desc(), engine(),
                                                places_[static_cast<size_t>(to)].get_desc(), own_scratchpad());
    step<dnnl::reorder>(reorder, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }
  finished_ = true;
}

void Plan::run(TensorRefs tensors) {
  TORCH_INTERNAL_ASSERT(tensors.size() == given_.size());
  size_t number = 0;
  int64_t elements = 0;
  for (const at::Tensor* tensor : tensors) {
    places_[static_cast<size_t>(given_[number++])].set_data_handle(tensor->data_ptr(), stream());
    elements = std::max(elements, tensor->numel());
  }
  const at::Tensor& written = *tensors.back();
  at::Tensor memory;
  if (own_bytes_ != 0) {
    memory = at::empty({static_cast<int64_t>(own_bytes_)}, written.options().dtype(at::kByte));
    for (const Own& own : own_) {
      places_[static_cast<size_t>(own.place)].set_data_handle(static_cast<char*>(memory.data_ptr()) + own.offset,
                                                              stream());
    }
  }
  finish_stream(written);
  const Threads threads(elements < kSmall);
  for (const Step& step : steps_) {
    dnnl::error::wrap_c_api(dnnl_primitive_execute(step.primitive.get(), stream().get(),
                                                   static_cast<int>(step.arguments.size()), step.arguments.data()),
                            "a primitive of oneDNN failed");
  }
}

// ---- the plans of a thread ----

class Plans {
 public:
  Plan* find(const Key& key, Make make, void* context) {
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second.get();
    if (known_.size() >= kMostPlans) known_.clear();
    auto plan = std::make_unique<Plan>();
    try {
      make(context, *plan);
      plan->finish();
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
      plan.reset();
    }
    return known_.emplace(key, std::move(plan)).first->second.get();
  }

 private:
  std::unordered_map<Key, std::unique_ptr<Plan>, KeyHash> known_;
};

Plan* plan_for(const Key& key, Make make, void* context) {
  thread_local Plans plans;
  return plans.find(key, make, context);
}

}  // namespace flagos::onednn
