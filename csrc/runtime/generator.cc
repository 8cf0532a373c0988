// SPDX-License-Identifier: Apache-2.0
#include "runtime/generator.h"

#include <array>
#include <mutex>
#include <optional>

#include "runtime/device.h"

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

  // PyTorch asks for an offset when it pickles a generator.
  void set_offset(uint64_t) override { refuse_offset(); }
  uint64_t get_offset() const override { refuse_offset(); }

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
    return clone;
  }
};

struct Defaults {
  std::mutex mutex;
  uint64_t seed = c10::default_rng_seed_val;  // of generators not made yet
  std::array<at::Generator, kMaxDevices> generators;
};

Defaults& defaults() {
  static auto& all = *new Defaults();
  return all;
}

}  // namespace

const at::Generator& default_generator(int device) {
  device = checked_index(device);
  const std::lock_guard<std::mutex> lock(defaults().mutex);
  at::Generator& generator = defaults().generators[device];
  if (!generator.defined()) generator = at::make_generator<FlagosGenerator>(device, defaults().seed);
  return generator;
}

at::Generator new_generator(int device) {
  return at::make_generator<FlagosGenerator>(checked_index(device), c10::default_rng_seed_val);
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
