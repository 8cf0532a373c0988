// SPDX-License-Identifier: Apache-2.0
#include "runtime/generator.h"

#include <ATen/Context.h>
#include <ATen/Utils.h>
#include <ATen/ops/cat.h>

#include <array>
#include <mutex>
#include <optional>

#include "runtime/device.h"
#include "runtime/target.h"

namespace flagos {
namespace {

void copy_state(const at::CPUGeneratorImpl& from, at::CPUGeneratorImpl& to) {
  auto& source = const_cast<at::CPUGeneratorImpl&>(from);  // its getters are not const
  to.set_engine(source.engine());
  to.set_next_float_normal_sample(source.next_float_normal_sample());
  to.set_next_double_normal_sample(source.next_double_normal_sample());
}

struct FlagosGenerator final : at::CPUGeneratorImpl {
  FlagosGenerator(int device, uint64_t seed) : CPUGeneratorImpl(seed) {
    device_ = make_device(device);
    key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
  }

  void set_current_seed(uint64_t seed) override {
    CPUGeneratorImpl::set_current_seed(seed);
    seed_target();
  }
  uint64_t seed() override {
    const uint64_t fresh = CPUGeneratorImpl::seed();
    seed_target();
    return fresh;
  }

  // The state of the CPU generator, and after it that of the target's.
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    auto own = CPUGeneratorImpl::get_state();
    if (!on_target.defined()) return own;
    const std::lock_guard<std::mutex> lock(on_target.mutex());
    return at::cat({at::Tensor(std::move(own)), on_target.get_state()}).unsafeReleaseIntrusivePtr();
  }
  void set_state(const c10::TensorImpl& state) override {
    const int64_t own = at::Tensor(CPUGeneratorImpl::get_state()).numel();
    if (!on_target.defined() || state.numel() <= own) {  // a state from before there was a target
      CPUGeneratorImpl::set_state(state);
      return;
    }
    at::detail::check_rng_state(state);
    const at::Tensor whole(state.shallow_copy_and_detach(/*version_counter=*/0, /*allow_tensor_metadata_change=*/true));
    const std::lock_guard<std::mutex> lock(on_target.mutex());
    on_target.set_state(whole.narrow(0, own, state.numel() - own).clone());
    CPUGeneratorImpl::set_state(*whole.narrow(0, 0, own).clone().unsafeGetTensorImpl());
  }

  // PyTorch asks for an offset when it pickles a generator.
  void set_offset(uint64_t) override { refuse_offset(); }
  uint64_t get_offset() const override { refuse_offset(); }

  mutable at::Generator on_target;  // undefined without a target that has generators

  void seed_target() {
    if (!on_target.defined()) return;
    const std::lock_guard<std::mutex> lock(on_target.mutex());
    on_target.set_current_seed(current_seed());
  }

 private:
  [[noreturn]] static void refuse_offset() {
    TORCH_CHECK(
        false,
        "flagos: a generator has no offset, its whole position is in get_state(). To save it, save that tensor; "
        "to copy it, call clone_state()");
  }

  FlagosGenerator* clone_impl() const override {
    auto* clone = new FlagosGenerator(device_.index(), c10::default_rng_seed_val);
    copy_state(*this, *clone);
    if (on_target.defined()) clone->on_target = on_target.clone();
    return clone;
  }
};

FlagosGenerator& impl_of(const at::Generator& flagos) {
  return *static_cast<FlagosGenerator*>(flagos.unsafeGetGeneratorImpl());
}

bool target_has_generators() { return target().key != c10::DispatchKey::Undefined && !target().is_cpu(); }

const at::AcceleratorHooksInterface& target_hooks() {
  return at::globalContext().getAcceleratorHooksInterface(target().type);
}

struct Defaults {
  std::mutex mutex;
  uint64_t seed = c10::default_rng_seed_val;  // of generators not made yet
  std::array<at::Generator, kMaxDevices> generators;
};

Defaults& defaults() {
  static auto& all = *new Defaults();
  return all;
}

// Operators that take no generator draw the numbers of the target's default one.
void give_default_of_target(const at::Generator& flagos) {
  if (!target_has_generators()) return;
  impl_of(flagos).on_target = target_hooks().getDefaultGenerator(flagos.device().index());
  impl_of(flagos).seed_target();
}

}  // namespace

const at::Generator& default_generator(int device) {
  device = checked_index(device);
  const std::lock_guard<std::mutex> lock(defaults().mutex);
  at::Generator& generator = defaults().generators[device];
  if (!generator.defined()) {
    generator = at::make_generator<FlagosGenerator>(device, defaults().seed);
    give_default_of_target(generator);
  }
  return generator;
}

at::Generator new_generator(int device) {
  at::Generator generator = at::make_generator<FlagosGenerator>(checked_index(device), c10::default_rng_seed_val);
  generator_on_target(generator);
  return generator;
}

void use_target_generators() {
  for (int device = 0; device < device_count(); ++device) {
    give_default_of_target(default_generator(device));
  }
}

at::Generator generator_on_target(const at::Generator& flagos) {
  FlagosGenerator& own = impl_of(flagos);
  const std::lock_guard<std::mutex> lock(own.mutex_);
  if (!own.on_target.defined() && target_has_generators()) {  // made before there was a target
    own.on_target = target_hooks().getNewGenerator(flagos.device().index());
    own.seed_target();
  }
  return own.on_target;
}

void seed_all_devices(uint64_t seed) {
  const std::lock_guard<std::mutex> lock(defaults().mutex);
  defaults().seed = seed;
  for (at::Generator& generator : defaults().generators) {
    if (!generator.defined()) continue;
    const std::lock_guard<std::mutex> own(generator.mutex());
    generator.set_current_seed(seed);
  }
}

GeneratorOnCpu::GeneratorOnCpu(const at::Generator& device_generator)
    : device_(device_generator), cpu_(at::detail::createCPUGenerator()), lock_(device_.mutex()) {
  copy_state(*static_cast<at::CPUGeneratorImpl*>(device_.unsafeGetGeneratorImpl()),
             *static_cast<at::CPUGeneratorImpl*>(cpu_.unsafeGetGeneratorImpl()));
}

GeneratorOnCpu::~GeneratorOnCpu() {
  copy_state(*static_cast<at::CPUGeneratorImpl*>(cpu_.unsafeGetGeneratorImpl()),
             *static_cast<at::CPUGeneratorImpl*>(device_.unsafeGetGeneratorImpl()));
}

}  // namespace flagos
