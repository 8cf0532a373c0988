// SPDX-License-Identifier: Apache-2.0
//
// Calls that run a kernel of the CPU, made on the CPU and made on flagos tensors that are relabelled for it: an
// operator with a compiled kernel, and one that is boxed by its schema. Loaded into Python by test_boxing.py.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <torch/library.h>

#include <chrono>

namespace {

at::Tensor twice(const at::Tensor& x) { return at::add(x, x); }

TORCH_LIBRARY(flagos_perf, library) { library.def("twice(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(flagos_perf, CPU, library) { library.impl("twice", &twice); }

at::Tensor square(bool on_flagos) {
  return at::ones({8, 8}, at::device(on_flagos ? c10::DeviceType::PrivateUse1 : c10::DeviceType::CPU));
}

template <typename Call>
double seconds_of(int calls, Call call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

}  // namespace

// Seconds of a call, the mean of so many.
extern "C" double boxed_add(bool on_flagos, int calls) {
  const at::Tensor x = square(on_flagos);
  return seconds_of(calls, [&] { return at::add(x, x); });
}

extern "C" double boxed_by_schema(bool on_flagos, int calls) {
  const at::Tensor x = square(on_flagos);
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("flagos_perf::twice", "").typed<decltype(twice)>();
  return seconds_of(calls, [&] { return op.call(x); });
}
