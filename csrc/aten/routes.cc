// SPDX-License-Identifier: Apache-2.0
#include "aten/routes.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aten/boxing.h"
#include "aten/fallback.h"
#include "aten/operators.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/allocator/lent_allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/loader.h"

namespace flagos {
namespace {

struct OwnEntry {
  OwnKernel kernel;
  std::optional<c10::RegistrationHandleRAII> registration;

  void add();
};

struct Routes {
  std::mutex mutex;
  std::map<std::string, c10::RegistrationHandleRAII> registered;
  int boxed = 0;  // of these
  std::map<std::string, OwnEntry> own;
};

// Never destroyed: at exit the dispatcher may be gone first.
Routes& routes() {
  static auto* const all = new Routes;
  return *all;
}

c10::OperatorName operator_name(const std::string& name) {
  const std::string whole = name.find("::") != std::string::npos ? name : "aten::" + name;
  const size_t dot = whole.find('.');
  return {whole.substr(0, dot), dot == std::string::npos ? "" : whole.substr(dot + 1)};
}

void OwnEntry::add() {
  if (kernel.own != nullptr && !registration) registration = kernel.own(operator_name(kernel.op));
}

// ---- kernels that are compiled, by operator ----

using Kernels = std::unordered_map<std::string, const CompiledKernel*>;

// What is built over a simulated SDK lies apart (generators.build, folder_for): kernels of a library beside the
// runtime.
std::filesystem::path folder_of_libraries() {
  const Runtime* loaded = usable_runtime();
  const std::filesystem::path folder = loaded ? std::filesystem::path(loaded->library).parent_path() : "";
  return folder.filename() == "simulated" ? folder : own_folder();
}

// Of a library that is loaded with the first route to it.
Kernels load_kernels(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path library = folder / ("libtorch_fl_" + name + ".so");
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(handle != nullptr, "flagos: ", library.string(), " cannot be loaded: ", dlerror(),
              "; build it: python -m generators.build --vendor ", name);
  auto* const next = reinterpret_cast<KernelTable*>(dlsym(handle, kKernelTable));
  TORCH_CHECK(next != nullptr, "flagos: ", library.string(), " is of another version: ", dlerror());
  Kernels found;
  for (size_t i = 0; const CompiledKernel* kernel = next(i); ++i) {
    found.emplace(c10::toString(c10::OperatorName(kernel->name, kernel->overload)), kernel);
  }
  return found;
}

const Kernels& boxed_kernels() {
  static const Kernels kernels = load_kernels(own_folder(), "operators");
  return kernels;
}

// Those of a vendor's operator library. Under the lock of the routes.
const Kernels& native_kernels(const std::string& library) {
  static std::map<std::string, Kernels> loaded;
  const auto found = loaded.find(library);
  return found != loaded.end() ? found->second
                               : loaded.emplace(library, load_kernels(folder_of_libraries(), library)).first->second;
}

// ---- the target ----

// A system call says whether this process may read the memory, where a look would end it.
bool host_can_read(const void* memory) {
  int ends[2];
  TORCH_CHECK(pipe(ends) == 0, "flagos: no pipe: ", std::strerror(errno));
  const bool readable = write(ends[1], memory, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

// CPU kernels work on memory that the host shares with the device, and on no other.
void require_shared_memory() {
  const c10::DataPtr memory = device_allocator().allocate(512);
  TORCH_CHECK(host_can_read(memory.get()),
              "flagos: the route 'host' needs memory that the host shares with the device; ", "vendor '",
              runtime().vendor,
              "' has none such here. Take the routes out of the conf: operators without "
              "one run on the CPU, over copies");
  constexpr unsigned char kPattern = 0x5a;
  check(runtime().Memset(memory.get(), kPattern, 1), "Memset");
  TORCH_CHECK(*static_cast<const volatile unsigned char*>(memory.get()) == kPattern,
              "flagos: the route 'host' needs memory that the host shares with the device; what the device of vendor '",
              runtime().vendor, "' writes, the host does not see. Take the routes out of the conf");
}

Target target_named(const std::string& name) {
  const c10::Device device(name);
  const c10::DispatchKey key = c10::computeDispatchKey(std::nullopt, at::kStrided, device);
  TORCH_CHECK(device.type() == at::kCPU || c10::impl::hasDeviceGuardImpl(device.type()),
              "flagos: torch has no device '", name,
              "' here: its library is not loaded; python -m torch_fl.preload COMMAND starts a program with it");
  TORCH_CHECK(device.type() == at::kCPU || c10::impl::getDeviceGuardImpl(device.type())->deviceCount() > 0,
              "flagos: torch has no device '", name, "' here: there is none on this machine");
  return {key, device.type()};
}

// Once in a process.
void begin_to_use(const Target& wanted) {
  if (wanted.is_cpu()) {
    require_shared_memory();
    install_cpu_allocator();
    set_target(wanted);
    return;
  }
  require_device();
  at::globalContext().lazyInitDevice(wanted.type);
  set_target(wanted);
  try {
    borrow_target_memory();
    use_target_generators();
  } catch (...) {
    set_target({});
    throw;
  }
}

// The kernel of our own that gives way to the target's, or null.
OwnEntry* yielding(const std::string& name, const Target& target, std::map<std::string, OwnEntry>& own) {
  const auto found = own.find(name);
  if (found == own.end()) return nullptr;
  const bool only_falls_back = found->second.kernel.own == &add_boxed<&run_on_cpu>;
  return !target.is_cpu() || only_falls_back ? &found->second : nullptr;
}

// Why an operator cannot be routed to a target; empty if it can.
std::string problem_of(const c10::OperatorName& op, const Target& target, const OwnKernel* yields) {
  const auto handle = c10::Dispatcher::singleton().findSchema(op);
  if (!handle.has_value()) return "this torch has no such operator";
  if (yields != nullptr && yields->routed != nullptr) return "";  // it is not the operator's own kernel that will run
  if (!handle->hasComputedKernelForDispatchKey(target.key)) return c10::str("there is no kernel for ", target.key);
  if (yields == nullptr && handle->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) {
    return "flagos has a kernel of its own for it";
  }
  return "";
}

c10::RegistrationHandleRAII add_kernel_for(const std::string& name, std::map<std::string, OwnEntry>& own) {
  const c10::OperatorName op = operator_name(name);
  OwnEntry* const entry = yielding(name, target(), own);
  const std::string problem = problem_of(op, target(), entry != nullptr ? &entry->kernel : nullptr);
  TORCH_CHECK(problem.empty(), problem);
  if (entry != nullptr) {
    entry->registration.reset();
    if (entry->kernel.routed != nullptr) return entry->kernel.routed(op);
  }
  const auto& compiled = boxed_kernels();
  const auto found = compiled.find(c10::toString(op));
  return found != compiled.end() ? found->second->add() : add_boxed<&run_on_target>(op);
}

}  // namespace

void run_on_target(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  Operator& op = described(handle);
  BoxedCall call(handle.operator_name().name.c_str(), handle.operator_name().overload_name.c_str(),
                 /*writes=*/true);
  const size_t first = stack->size() - op.arguments.size();
  const Places places = tensors_of(torch::jit::last(*stack, op.arguments.size()));
  for (const Place& place : places) call.see(place.argument, place.tensor);
  for (size_t i = first; i < stack->size(); ++i) {
    if ((*stack)[i].isDevice()) call.see((*stack)[i].toDevice());
  }
  call.begin();

  std::vector<c10::IValue> arguments;  // as the caller passed them
  for (const int argument : op.returned) {
    arguments.push_back(argument == -1 ? c10::IValue() : (*stack)[first + static_cast<size_t>(argument)]);
  }
  copy_lists(*stack, first);
  for (const Place& place : places) put(*stack, first, place, call.relabel(place.tensor));
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    c10::IValue& argument = (*stack)[first + i];
    if (argument.isDevice()) argument = call.relabel(argument.toDevice());
    if (!op.arguments[i].takes_generator) continue;
    std::optional<at::Generator> generator;
    if (argument.isGenerator()) generator = argument.toGenerator();
    argument = call.relabel(generator);
  }
  handle.redispatchBoxed(call.keys(), stack);
  call.write_back();
  for (size_t i = 0; i < op.returned.size(); ++i) {
    c10::IValue& result = torch::jit::peek(*stack, i, op.returned.size());
    if (op.returned[i] != -1) {
      result = std::move(arguments[i]);
    } else if (result.isTensor()) {
      result = call.result(result.toTensor());
    } else if (result.isTensorList()) {
      c10::List<at::Tensor> tensors;
      for (const at::Tensor& tensor : result.toTensorVector()) tensors.push_back(call.result(tensor));
      result = std::move(tensors);
    }
  }
}

void add_own_kernels(std::initializer_list<OwnKernel> kernels) {
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const OwnKernel& kernel : kernels) all.own[kernel.op].kernel = kernel;
  for (auto& [name, entry] : all.own) entry.add();
}

namespace {

// What is wrong, one text for each operator that `add` throws for.
template <typename Add>
std::vector<std::string> add_each(const std::vector<std::string>& operators, Routes& all, Add add) {
  std::vector<std::string> problems;
  for (const std::string& name : operators) {
    try {
      TORCH_CHECK(all.registered.count(name) == 0, "it is routed already");
      all.registered.emplace(name, add(name));
    } catch (const c10::Error& error) {
      problems.push_back(name + ": " + error.what_without_backtrace());
    }
  }
  return problems;
}

}  // namespace

std::vector<std::string> route_operators(const std::vector<std::string>& operators, const std::string& target_name) {
  const Target wanted = target_named(target_name);
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (target().key != wanted.key) {
    TORCH_CHECK(all.boxed == 0, "flagos: operators are routed to ", target().key, ", and a process has one target");
    begin_to_use(wanted);
  }
  return add_each(operators, all, [&](const std::string& name) {
    auto kernel = add_kernel_for(name, all.own);
    ++all.boxed;
    return kernel;
  });
}

std::vector<std::string> route_to_library(const std::vector<std::string>& operators, const std::string& library) {
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const Kernels& kernels = native_kernels(library);
  return add_each(operators, all, [&](const std::string& name) {
    const c10::OperatorName op = operator_name(name);
    const auto found = kernels.find(c10::toString(op));
    TORCH_CHECK(found != kernels.end(), "the library has no kernel for it");
    TORCH_CHECK(c10::Dispatcher::singleton().findSchema(op).has_value(), "this torch has no such operator");
    const auto own = all.own.find(name);
    if (own != all.own.end()) own->second.registration.reset();
    return found->second->add();
  });
}

std::vector<std::string> operators_of_library(const std::string& library) {
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, kernel] : native_kernels(library)) names.push_back(name.substr(name.find("::") + 2));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> routable_operators(const std::string& target_name) {
  const Target wanted = target_named(target_name);
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::set<std::string> names;
  for (const auto& [name, kernel] : boxed_kernels()) names.insert(name.substr(name.find("::") + 2));
  if (!wanted.is_cpu()) {
    for (const auto& [name, entry] : all.own) names.insert(name);
  }
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const OwnEntry* const entry = yielding(name, wanted, all.own);
    const bool routed = all.registered.count(name) != 0;
    if (routed || problem_of(operator_name(name), wanted, entry != nullptr ? &entry->kernel : nullptr).empty()) {
      found.push_back(name);
    }
  }
  return found;
}

void unroute_operators() {
  Routes& all = routes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.registered.clear();
  all.boxed = 0;
  for (auto& [name, entry] : all.own) entry.add();
}

std::vector<std::string> routed_operators() {
  const std::lock_guard<std::mutex> lock(routes().mutex);
  std::vector<std::string> names;
  for (const auto& [name, registration] : routes().registered) names.push_back(name);
  return names;
}

}  // namespace flagos
