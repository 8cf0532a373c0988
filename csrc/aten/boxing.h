// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernel of another dispatch key, the target, on flagos memory: CUDA's kernels on a chip that has them, the
// CPU's on a chip whose memory the host shares.
//
// Boxing relabels, it copies nothing: a flagos tensor goes to the kernel as a new TensorImpl of the target over the
// same memory. The caller's tensors are not touched while the kernel runs, for another thread may be using them; what
// the kernel made of sizes and memory of an argument is written back afterwards. Results become flagos tensors over the
// memory that the kernel gave them, which is the caching allocator's.
//
// `boxed_kernel<at::_ops::add_Tensor>` is the flagos kernel of that operator: for any schema, by its types alone.
// Factories need no care: the device that the caller names is relabelled as well, so no call leads back here.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/SmallVector.h>
#include <c10/util/flat_hash_map.h>

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/kernel_table.h"
#include "include/flagos.h"
#include "runtime/device.h"
#include "runtime/generator.h"
#include "runtime/target.h"

namespace flagos {

// A CPU allocator in place of PyTorch's: what a CPU kernel allocates while it runs for flagos is flagos memory, so that
// its results need no copy. Once, before the first call with the CPU as the target.
void install_cpu_allocator();

// The target is used as it has to be for as long as this lives: CPU kernels after all that the current flagos stream
// was given and with results in flagos memory, others on that stream.
class FLAGOS_EXPORT OnTarget {
 public:
  explicit OnTarget(int device);
  ~OnTarget();
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;

 private:
  std::optional<TargetStream> stream_;
};

// Tells, where FLAGOS_LOG_DISPATCH asks for it, that the target runs the operator: a BoxedCall does of its own, a
// kernel that calls another operator under its own name has to.
FLAGOS_EXPORT void log_target(int device, const c10::OperatorName& op);

// Where something stands in a list, by its address.
using Positions = ska::flat_hash_map<const void*, size_t>;

// One call of an operator. Belongs to the calling thread.
class FLAGOS_EXPORT BoxedCall {
 public:
  // `writes`: whether the kernel may change an argument's size or memory, which `write_back` is for.
  BoxedCall(const char* name, const char* overload, bool writes);
  ~BoxedCall();
  BoxedCall(const BoxedCall&) = delete;
  BoxedCall& operator=(const BoxedCall&) = delete;

  // First every argument is seen, which finds the device of the call. `argument` is its number in the schema.
  void see(size_t argument, const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    const c10::Device device = tensor.device();
    if (device.type() == kDeviceType && (device_ == -1 || device_ == device.index())) {
      device_ = device.index();
    } else if (!tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
      mixed_ = true;
    }
    seen_.emplace_back(argument, &tensor);
  }
  void see(c10::Device device) {
    if (device.type() == kDeviceType) named_ = device;
  }

  // Then the call begins: devices are checked, the device is made current, and its current stream is waited for or
  // becomes the target's.
  void begin();

  // Then arguments go to the kernel. Anything that is not flagos stays what it is.
  const at::Tensor& relabel(const at::Tensor& tensor);  // lives as long as the call
  c10::Device relabel(c10::Device device) const;
  std::optional<at::Generator> relabel(const std::optional<at::Generator>& generator);

  c10::DispatchKeySet keys() const;

  // At last arguments take over what the kernel changed, and results become flagos tensors: an argument stays itself, a
  // view of an argument is a view of it.
  void write_back();
  at::Tensor result(at::Tensor from_kernel);
  // The caller's tensor for a reference that the kernel returned.
  const at::Tensor& original(const at::Tensor& relabelled) const;

 private:
  struct TensorEntry {
    const at::Tensor* original;
    at::Tensor relabelled;
  };
  struct StorageEntry {
    c10::StorageImpl* original;  // the caller's tensor holds it
    c10::Storage relabelled;
  };

  const TensorEntry* entry_of(const at::Tensor& relabelled) const;
  const c10::Storage& relabel(const c10::Storage& storage);
  void check_devices() const;

  const char* const name_;
  const char* const overload_;
  const bool writes_;
  int device_ = -1;
  bool mixed_ = false;
  std::optional<c10::Device> named_;
  c10::SmallVector<std::pair<size_t, const at::Tensor*>, 8> seen_;
  c10::SmallVector<TensorEntry, 4> tensors_;
  c10::SmallVector<StorageEntry, 4> storages_;
  std::unique_ptr<Positions> positions_;  // of tensors and storages, where there are many
  std::optional<DeviceScope> scope_;
  std::unique_ptr<GeneratorOnCpu> generator_;
  std::optional<OnTarget> on_target_;
};

// ---- arguments: seen first, then relabelled, then handed over ----

// Numbers, sizes, dtypes and what else no kernel can tell apart: as they are.
template <typename A>
class BoxedArgument {
 public:
  BoxedArgument(BoxedCall& /*call*/, size_t /*number*/, A value) : value_(std::forward<A>(value)) {}
  void relabel(BoxedCall& /*call*/) {}
  A get() { return std::forward<A>(value_); }

 private:
  A value_;
};

template <typename Reference>
class BoxedTensor {
 public:
  BoxedTensor(BoxedCall& call, size_t number, Reference tensor) : original_(tensor) { call.see(number, tensor); }
  void relabel(BoxedCall& call) { relabelled_ = &call.relabel(original_); }
  Reference get() { return const_cast<Reference>(*relabelled_); }  // NOLINT: it is the call's own

 private:
  Reference original_;
  const at::Tensor* relabelled_ = nullptr;
};
template <>
class BoxedArgument<const at::Tensor&> : public BoxedTensor<const at::Tensor&> {
  using BoxedTensor::BoxedTensor;
};
template <>
class BoxedArgument<at::Tensor&> : public BoxedTensor<at::Tensor&> {
  using BoxedTensor::BoxedTensor;
};

template <>
class BoxedArgument<const std::optional<at::Tensor>&> {
 public:
  BoxedArgument(BoxedCall& call, size_t number, const std::optional<at::Tensor>& tensor) : original_(tensor) {
    if (tensor) call.see(number, *tensor);
  }
  void relabel(BoxedCall& call) {
    if (original_) relabelled_ = call.relabel(*original_);
  }
  const std::optional<at::Tensor>& get() const { return relabelled_; }

 private:
  const std::optional<at::Tensor>& original_;
  std::optional<at::Tensor> relabelled_;
};

template <typename List>
class BoxedList {
 public:
  BoxedList(BoxedCall& call, size_t number, List tensors) : originals_(tensors) {
    for (const at::Tensor& tensor : originals_) call.see(number, tensor);
  }
  void relabel(BoxedCall& call) {
    relabelled_.reserve(originals_.size());
    for (const at::Tensor& tensor : originals_) relabelled_.push_back(call.relabel(tensor));
  }

 protected:
  List originals_;
  c10::SmallVector<at::Tensor, 8> relabelled_;
};
template <>
class BoxedArgument<at::TensorList> : public BoxedList<at::TensorList> {
 public:
  using BoxedList::BoxedList;
  at::TensorList get() const { return relabelled_; }
};
template <>
class BoxedArgument<const at::ITensorListRef&> : public BoxedList<const at::ITensorListRef&> {
 public:
  using BoxedList::BoxedList;
  const at::ITensorListRef& get() { return list_ = at::ITensorListRef(at::TensorList(relabelled_)); }

 private:
  at::ITensorListRef list_;
};

template <>
class BoxedArgument<const c10::List<std::optional<at::Tensor>>&> {
 public:
  BoxedArgument(BoxedCall& call, size_t number, const c10::List<std::optional<at::Tensor>>& tensors) {
    originals_.reserve(tensors.size());
    for (const std::optional<at::Tensor> tensor : tensors) originals_.push_back(tensor.value_or(at::Tensor()));
    for (const at::Tensor& tensor : originals_) call.see(number, tensor);
  }
  void relabel(BoxedCall& call) {
    relabelled_.reserve(originals_.size());
    for (const at::Tensor& tensor : originals_) {
      relabelled_.push_back(tensor.defined() ? std::optional<at::Tensor>(call.relabel(tensor)) : std::nullopt);
    }
  }
  const c10::List<std::optional<at::Tensor>>& get() const { return relabelled_; }

 private:
  std::vector<at::Tensor> originals_;
  c10::List<std::optional<at::Tensor>> relabelled_;
};

template <>
class BoxedArgument<std::optional<c10::Device>> {
 public:
  BoxedArgument(BoxedCall& call, size_t /*number*/, std::optional<c10::Device> device) : device_(device) {
    if (device) call.see(*device);
  }
  void relabel(BoxedCall& call) {
    if (device_) device_ = call.relabel(*device_);
  }
  std::optional<c10::Device> get() const { return device_; }

 private:
  std::optional<c10::Device> device_;
};

template <>
class BoxedArgument<std::optional<at::Generator>> {
 public:
  BoxedArgument(BoxedCall& /*call*/, size_t /*number*/, std::optional<at::Generator> generator)
      : generator_(std::move(generator)) {}
  void relabel(BoxedCall& call) { generator_ = call.relabel(generator_); }
  std::optional<at::Generator> get() { return std::move(generator_); }

 private:
  std::optional<at::Generator> generator_;
};

// ---- results ----

template <typename R>
struct BoxedResult {
  static R of(const BoxedCall& /*call*/, R value) { return std::forward<R>(value); }
};
template <>
struct BoxedResult<at::Tensor> {
  static at::Tensor of(BoxedCall& call, at::Tensor tensor) { return call.result(std::move(tensor)); }
};
template <>
struct BoxedResult<const at::Tensor&> {
  static const at::Tensor& of(const BoxedCall& call, const at::Tensor& tensor) { return call.original(tensor); }
};
template <>
struct BoxedResult<at::Tensor&> {
  static at::Tensor& of(const BoxedCall& call, const at::Tensor& tensor) {
    return const_cast<at::Tensor&>(call.original(tensor));  // NOLINT: it came in as at::Tensor&
  }
};
template <>
struct BoxedResult<std::vector<at::Tensor>> {
  static std::vector<at::Tensor> of(BoxedCall& call, std::vector<at::Tensor> tensors) {
    for (at::Tensor& tensor : tensors) tensor = call.result(std::move(tensor));
    return tensors;
  }
};
template <typename... R>
struct BoxedResult<std::tuple<R...>> {
  static std::tuple<R...> of(BoxedCall& call, std::tuple<R...> results) {
    return of(call, results, std::index_sequence_for<R...>());
  }
  template <size_t... I>
  static std::tuple<R...> of(BoxedCall& call, std::tuple<R...>& results, std::index_sequence<I...>) {
    return std::tuple<R...>(BoxedResult<R>::of(call, std::forward<R>(std::get<I>(results)))...);
  }
};

// ---- the kernel ----

template <typename R>
constexpr bool returns_values = !std::is_void_v<R> && !std::is_reference_v<R>;
template <typename... R>
constexpr bool returns_values<std::tuple<R...>> = (returns_values<R> && ...);

template <typename Op, typename Schema = typename Op::schema>
struct Boxed;
template <typename Op, typename R, typename... A>
struct Boxed<Op, R(A...)> {
  static R kernel(A... arguments) { return run(std::index_sequence_for<A...>(), std::forward<A>(arguments)...); }

 private:
  // What returns new tensors and takes no tensor to write changes no argument's size or memory.
  static constexpr bool kWrites = !returns_values<R> || (std::is_same_v<A, at::Tensor&> || ...);

  template <size_t... I>
  static R run(std::index_sequence<I...>, A... arguments) {
    BoxedCall call(Op::name, Op::overload_name, kWrites);
    std::tuple<BoxedArgument<A>...> boxed{BoxedArgument<A>(call, I, std::forward<A>(arguments))...};
    call.begin();
    (std::get<I>(boxed).relabel(call), ...);
    if constexpr (std::is_void_v<R>) {
      Op::redispatch(call.keys(), std::get<I>(boxed).get()...);
      call.write_back();
    } else {
      R result = Op::redispatch(call.keys(), std::get<I>(boxed).get()...);
      call.write_back();
      return BoxedResult<R>::of(call, std::forward<R>(result));
    }
  }
};

template <typename Op>
c10::RegistrationHandleRAII add_boxed_kernel() {
  return c10::Dispatcher::singleton().registerImpl(
      {Op::name, Op::overload_name}, c10::DispatchKey::PrivateUse1,
      c10::KernelFunction::makeFromUnboxedFunction(TORCH_FN((Boxed<Op>::kernel))),
      c10::impl::CppSignature::make<typename Op::schema>(), nullptr, "flagos: boxed");
}

#define BOXED(at_op) \
  {at::_ops::at_op::name, at::_ops::at_op::overload_name, &::flagos::add_boxed_kernel<at::_ops::at_op>}

}  // namespace flagos
