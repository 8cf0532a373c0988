// SPDX-License-Identifier: Apache-2.0
//
// Random number generators of flagos devices. Operators that run on the CPU draw the numbers of a CPU generator, which
// a flagos generator is; kernels of a target draw those of the target's generator that each flagos generator has then:
// for a device's default generator the target's default one. Both are seeded, saved and restored together. Seeding
// loads no runtime, so that torch.manual_seed is free of side effects before a fork.
#pragma once

#include <ATen/CPUGeneratorImpl.h>

#include <cstdint>
#include <mutex>

#include "include/flagos.h"

namespace flagos {

FLAGOS_EXPORT const at::Generator& default_generator(
    int device);  // -1 is the current device; lives as long as the process
at::Generator new_generator(int device);

// Seeds the default generator of every device, those not made yet included.
FLAGOS_EXPORT void seed_all_devices(uint64_t seed);

// Gives every generator one of the target, seeded like it. After set_target.
void use_target_generators();

// The target's generator of a flagos generator.
at::Generator generator_on_target(const at::Generator& flagos);

// Runs a CPU kernel with the numbers of a flagos generator: hand `cpu` to the kernel; the destructor moves the advanced
// state back. The flagos generator is locked meanwhile, as kernels lock theirs.
class GeneratorOnCpu {
 public:
  explicit GeneratorOnCpu(const at::Generator& device_generator);
  ~GeneratorOnCpu();
  GeneratorOnCpu(const GeneratorOnCpu&) = delete;
  GeneratorOnCpu& operator=(const GeneratorOnCpu&) = delete;

  const at::Generator& cpu() const { return cpu_; }

 private:
  at::Generator device_;
  at::Generator cpu_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace flagos
