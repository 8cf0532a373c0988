// SPDX-License-Identifier: Apache-2.0
//
// What is known of an operator beside its kernel, and its arguments on the dispatcher's stack: for the kernels that are
// written once for all operators.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/generator.h"

namespace flagos {

struct Argument {
  std::string name;
  bool written = false;
  bool holds_indices = false;  // CUDA takes these from the CPU too
  bool takes_generator = false;
};

struct Operator {
  std::string name;  // "aten::add.Tensor"
  std::vector<Argument> arguments;
  std::vector<int> returned;          // for each result the argument that it is, -1 if it is none
  int cpu_scalars = 0;                // how many arguments may be CPU tensors without dimensions
  bool by_item = false;               // items of lists are each computed apart, as if in calls of their own
  std::atomic<int64_t> fallbacks{0};  // calls that ran on the CPU
};

// Described once, because that is most of the work of a small call. Any thread; lives as long as the process.
Operator& described(const c10::OperatorHandle& handle);

// All operators that were described so far, those included that have been taken back since.
void each_operator(const std::function<void(Operator&)>& visit);

// With FLAGOS_LOG_DISPATCH=1, a line on stderr: the device, the operator and what runs it.
void log_dispatch(int device, std::string_view op, std::string_view runs);
bool logs_dispatch();

// A tensor among the arguments: in a list if `item` is not -1.
struct Place {
  size_t argument;
  int64_t item;
  at::Tensor tensor;
  size_t twin = 0;
};

using Places = c10::SmallVector<Place, 4>;

// The defined tensors among the arguments.
Places tensors_of(c10::ArrayRef<c10::IValue> arguments);

// Puts another tensor into a place; `first` is where the arguments begin.
void put(torch::jit::Stack& stack, size_t first, const Place& place, const at::Tensor& tensor);

// Gives the kernel lists of its own: the caller's must not be changed.
void copy_lists(torch::jit::Stack& stack, size_t first);

// The device of the tensors, -1 if none of them is on one. Where tensors of different devices look alike to the kernel,
// what CUDA refuses is refused here.
int common_device(const Operator& op, const Places& places);

// The device that the caller names becomes `instead`, a device of another type, with the same index if it has any.
// Returns the index of the device of new results: the one named, else `device`, which is -1 for the current one, if the
// call has no tensors.
int take_device(torch::jit::Stack& stack, size_t first, int device, bool has_tensors, c10::DeviceType instead);

// Throws for a call that came here by a generator alone, which the dispatcher looks at as well: tensors that are
// elsewhere, and one of ours.
void require_tensor_here(int device, bool named, bool has_tensors);
void require_own_generator(const at::Generator& generator);

// Lets a CPU kernel draw the numbers of the flagos generator that was passed, or of the device's default one if none
// was.
std::unique_ptr<GeneratorOnCpu> lend_generator(const Operator& op, torch::jit::Stack& stack, size_t first, int device);

}  // namespace flagos
