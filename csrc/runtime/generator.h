// SPDX-License-Identifier: Apache-2.0
//
// Random number generators of flagos devices. Until operators have device kernels of their own, the numbers are the CPU
// generator's: a flagos generator is one whose device says flagos. Seeding loads no runtime, so that torch.manual_seed
// is free of side effects before a fork.
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
