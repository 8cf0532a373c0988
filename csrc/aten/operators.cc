// SPDX-License-Identifier: Apache-2.0
#include "aten/operators.h"

#include <ATen/core/Generator.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "aten/tensor_memory.h"
#include "runtime/device.h"

namespace flagos {
namespace {

// CUDA's kernels built on TensorIterator take a CPU tensor without dimensions for a number: one in a call. These are
// the operators that PyTorch tags `pointwise`; the exceptions have their reason here.
struct CpuScalars {
  const char* op;  // without namespace, overload and the underscore of in-place
  int most;
  const char* reason;
};
constexpr CpuScalars kCpuScalars[] = {
    {"where", 3, "moves all that have no dimensions itself"},
    {"fill", 1, "reads the value"},
    {"masked_fill", 1, "reads the value"},
    {"index_fill", 1, "reads the value"},
    {"index_put", 1, "moves the values"},
    {"_index_put_impl", 1, "moves the values"},
    {"_unsafe_index_put", 1, "moves the values"},
    {"_unsafe_masked_index_put_accumulate", 1, "moves the values"},
    {"floor_divide", 1, "TensorIterator, not tagged"},
    {"rsub", 1, "TensorIterator, not tagged"},
    {"mse_loss", 1, "TensorIterator, not tagged"},
    {"smooth_l1_loss", 1, "TensorIterator, not tagged"},
    {"_fused_adam", 1, "the learning rate"},
    {"_fused_adamw", 1, "the learning rate"},
    {"_fused_sgd", 1, "the learning rate"},
    {"_fused_adagrad", 1, "the learning rate"},
    {"clamp", 0, "devices are compared before TensorIterator"},
    {"clamp_max", 0, "devices are compared before TensorIterator"},
    {"clamp_min", 0, "devices are compared before TensorIterator"},
    {"gcd", 0, "devices are compared before TensorIterator"},
    {"lcm", 0, "devices are compared before TensorIterator"},
    {"igamma", 0, "devices are compared before TensorIterator"},
    {"igammac", 0, "devices are compared before TensorIterator"},
    {"logaddexp", 0, "devices are compared before TensorIterator"},
    {"logaddexp2", 0, "devices are compared before TensorIterator"},
    {"nextafter", 0, "devices are compared before TensorIterator"},
    {"equal", 0, "devices are compared first"},
};

// Arguments that are written although the schema does not say so.
struct HiddenWrite {
  const char* op;
  const char* argument;
};
constexpr HiddenWrite kHiddenWrites[] = {
    {"aten::native_batch_norm", "running_mean"},
    {"aten::native_batch_norm", "running_var"},
    {"aten::batch_norm_update_stats", "running_mean"},
    {"aten::batch_norm_update_stats", "running_var"},
};

bool is_by_item(const c10::OperatorHandle& op) { return op.operator_name().name.starts_with("aten::_foreach_"); }

int cpu_scalars_of(const c10::OperatorHandle& op) {
  const c10::OperatorName& name = op.operator_name();
  const std::string_view whole = name.name;
  if (whole.substr(0, 6) != "aten::") return 0;
  std::string_view base = whole.substr(6);
  const bool in_place = base.size() > 1 && base.back() == '_' && base[base.size() - 2] != '_';
  if (in_place) base.remove_suffix(1);
  if (is_by_item(op)) return 1;
  for (const CpuScalars& known : kCpuScalars) {
    if (base == known.op) return known.most;
  }
  if (op.hasTag(at::Tag::pointwise)) return 1;
  if (!in_place) return 0;
  // In-place variants are not always tagged themselves.
  const auto functional =
      c10::Dispatcher::singleton().findSchema({std::string(whole.substr(0, whole.size() - 1)), name.overload_name});
  return functional.has_value() && functional->hasTag(at::Tag::pointwise) ? 1 : 0;
}

bool is_or_holds(const c10::TypePtr& type, c10::TypeKind kind) {
  if (type->kind() == kind) return true;
  const auto optional = type->cast<c10::OptionalType>();
  return optional && is_or_holds(optional->getElementType(), kind);
}

bool is_index_list(const c10::TypePtr& type) {
  const auto list = type->cast<c10::ListType>();
  return list && list->getElementType()->kind() == c10::TypeKind::OptionalType &&
         is_or_holds(list->getElementType(), c10::TypeKind::TensorType);
}

std::unique_ptr<Operator> describe(const c10::OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  auto described = std::make_unique<Operator>();
  described->name = c10::toString(op.operator_name());
  described->cpu_scalars = cpu_scalars_of(op);
  described->by_item = is_by_item(op);
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::AliasInfo* alias = argument.alias_info();
    const bool hidden = std::any_of(std::begin(kHiddenWrites), std::end(kHiddenWrites), [&](const HiddenWrite& write) {
      return schema.name() == write.op && argument.name() == write.argument;
    });
    described->arguments.push_back({argument.name(), hidden || (alias != nullptr && alias->isWrite()),
                                    is_index_list(argument.type()),
                                    is_or_holds(argument.type(), c10::TypeKind::GeneratorType)});
  }
  for (const c10::Argument& result : schema.returns()) {
    int same = -1;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::AliasInfo* written = result.alias_info();
      const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
      if (written != nullptr && written->isWrite() && alias != nullptr && *alias == *written)
        same = static_cast<int>(i);
    }
    described->returned.push_back(same);
  }
  return described;
}

// All operators that came here so far. They are described once, because that is most of the work of a small call, and
// forgotten when they are taken back: an operator defined later may get the same handle.
class Operators final : public c10::OpRegistrationListener {
 public:
  Operator& operator[](const c10::OperatorHandle& op) {
    {
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      const auto found = known_.find(op);
      if (found != known_.end()) return *found->second;
    }
    auto described = describe(op);
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    return *known_.try_emplace(op, std::move(described)).first->second;
  }

  template <typename Visit>
  void each(Visit visit) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    for (const auto& [handle, op] : known_) visit(*op);
    for (const auto& op : gone_) visit(*op);
  }

  void onOperatorRegistered(const c10::OperatorHandle&) override {}
  void onOperatorDeregistered(const c10::OperatorHandle& op) override {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    const auto found = known_.find(op);
    if (found == known_.end()) return;
    gone_.push_back(std::move(found->second));  // a call may still be using it, and its count remains
    known_.erase(found);
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<c10::OperatorHandle, std::unique_ptr<Operator>> known_;
  std::vector<std::unique_ptr<Operator>> gone_;
};

// Never destroyed: other threads may call operators while the process exits.
Operators& operators() {
  static Operators& all = []() -> Operators& {
    auto listener = std::make_unique<Operators>();
    Operators& found = *listener;
    static auto& registration =
        *new c10::RegistrationHandleRAII(c10::Dispatcher::singleton().addRegistrationListener(std::move(listener)));
    (void)registration;
    return found;
  }();
  return all;
}

}  // namespace

Operator& described(const c10::OperatorHandle& handle) { return operators()[handle]; }

void each_operator(const std::function<void(Operator&)>& visit) { operators().each(visit); }

bool logs_dispatch() {
  static const bool on = [] {
    // Other values are refused with the first use of the device.
    const char* value = std::getenv("FLAGOS_LOG_DISPATCH");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return on;
}

void log_dispatch(int device, std::string_view op, std::string_view runs) {
  if (!logs_dispatch()) return;
  std::fprintf(stderr, "flagos:%d: %.*s: %.*s\n", device, static_cast<int>(op.size()), op.data(),
               static_cast<int>(runs.size()), runs.data());
}

Places tensors_of(const c10::ArrayRef<c10::IValue> arguments) {
  Places places;
  const auto add = [&](size_t argument, int64_t item, at::Tensor tensor) {
    if (tensor.defined()) places.push_back({argument, item, std::move(tensor)});
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::IValue& argument = arguments[i];
    if (argument.isTensor()) {
      add(i, -1, argument.toTensor());
    } else if (argument.isTensorList()) {
      const auto list = argument.toTensorList();
      for (size_t item = 0; item < list.size(); ++item) add(i, static_cast<int64_t>(item), list.get(item));
    } else if (argument.isOptionalTensorList()) {
      const auto list = argument.toOptionalTensorList();
      for (size_t item = 0; item < list.size(); ++item) {
        add(i, static_cast<int64_t>(item), list.get(item).value_or(at::Tensor()));
      }
    }
  }
  return places;
}

void put(torch::jit::Stack& stack, size_t first, const Place& place, const at::Tensor& twin) {
  c10::IValue& argument = stack[first + place.argument];
  if (place.item == -1) {
    argument = twin;
  } else if (argument.isTensorList()) {
    argument.toTensorList().set(place.item, twin);
  } else {
    argument.toOptionalTensorList().set(place.item, twin);
  }
}

void copy_lists(torch::jit::Stack& stack, size_t first) {
  for (size_t i = first; i < stack.size(); ++i) {
    if (stack[i].isTensorList()) stack[i] = stack[i].toTensorList().copy();
    if (stack[i].isOptionalTensorList()) stack[i] = stack[i].toOptionalTensorList().copy();
  }
}

void require_tensor_here(int device, bool named, bool has_tensors) {
  TORCH_CHECK(device != -1 || named || !has_tensors, "Expected a 'cpu' device type for generator but found 'flagos'");
}

int take_device(torch::jit::Stack& stack, size_t first, int device, bool has_tensors, c10::DeviceType instead) {
  bool named = false;
  for (size_t i = first; i < stack.size(); ++i) {
    if (!stack[i].isDevice() || stack[i].toDevice().type() != kDeviceType) continue;
    named = true;
    device = stack[i].toDevice().index();
    stack[i] = c10::Device(instead, instead == at::kCPU ? -1 : static_cast<c10::DeviceIndex>(checked_index(device)));
  }
  require_tensor_here(device, named, has_tensors);
  return checked_index(device);
}

void require_own_generator(const at::Generator& generator) {
  TORCH_CHECK(generator.device().type() == kDeviceType, "Expected a 'flagos' device type for generator but found '",
              c10::DeviceTypeName(generator.device().type(), /*lower_case=*/true), "'");
}

std::unique_ptr<GeneratorOnCpu> lend_generator(const Operator& op, torch::jit::Stack& stack, size_t first, int device) {
  std::unique_ptr<GeneratorOnCpu> lent;
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    if (!op.arguments[i].takes_generator) continue;
    c10::IValue& argument = stack[first + i];
    const at::Generator generator = argument.isGenerator() ? argument.toGenerator() : default_generator(device);
    require_own_generator(generator);
    lent = std::make_unique<GeneratorOnCpu>(generator);
    argument = lent->cpu();
  }
  return lent;
}

int common_device(const Operator& op, const Places& places) {
  const auto same = [](const Place& a, const Place& b) { return a.tensor.device() == b.tensor.device(); };
  const Place* first = nullptr;
  const Place* indexed = nullptr;
  for (const Place& place : places) {
    if (op.arguments[place.argument].holds_indices) continue;
    if (indexed == nullptr) indexed = &place;
    if (on_device(place.tensor) && first == nullptr) first = &place;
  }
  std::map<int64_t, int> cpu_scalars;
  for (const Place& place : places) {
    const Argument& argument = op.arguments[place.argument];
    if (argument.holds_indices) {
      TORCH_CHECK(place.tensor.is_cpu() || indexed == nullptr || same(place, *indexed),
                  "indices should be either on cpu or on the same device as the indexed tensor (",
                  indexed->tensor.device(), ")");
      continue;
    }
    if (first == nullptr || same(place, *first)) continue;
    if (place.tensor.is_cpu() && place.tensor.dim() == 0 && !argument.written) {
      if (place.tensor.unsafeGetTensorImpl()->is_wrapped_number()) continue;  // a Python number
      if (op.cpu_scalars != 0) {
        TORCH_CHECK(++cpu_scalars[op.by_item ? place.item : 0] <= op.cpu_scalars,
                    "Trying to pass too many CPU scalars to non-CPU kernel! (argument ", argument.name, " of ", op.name,
                    ")");
        continue;
      }
    }
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ",
                first->tensor.device(), " and ", place.tensor.device(), "! (argument ", argument.name, " of ", op.name,
                ")");
  }
  return first == nullptr ? -1 : first->tensor.device().index();
}

}  // namespace flagos
