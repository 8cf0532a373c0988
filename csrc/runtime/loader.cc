// SPDX-License-Identifier: Apache-2.0
#include "runtime/loader.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace flagos {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "libflagos_";
constexpr char kSuffix[] = ".so";
constexpr char kDefaultVendor[] = "host";
constexpr char kRefusedVendor[] = "xpu";  // torch.xpu is Intel's

enum class State { kNotLoaded, kUsable, kForked, kExiting };

std::atomic<State> g_state{State::kNotLoaded};
std::atomic<const Runtime*> g_usable{nullptr};  // non-null exactly while the state is kUsable
std::mutex g_loading;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// The vendors whose sources lie in the checkout, if the package lies in one: the package is <checkout>/torch_fl, and
// this library in its lib/.
std::vector<std::string> vendors_with_sources() {
  std::vector<std::string> vendors;
  std::error_code ignored;
  for (const auto& folder :
       fs::directory_iterator(own_folder().parent_path().parent_path() / "csrc/runtime/accelerator", ignored)) {
    if (fs::exists(folder.path() / "memory.cc", ignored)) vendors.push_back(folder.path().filename().string());
  }
  std::sort(vendors.begin(), vendors.end());
  return vendors;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

fs::path library_of(const std::string& vendor) { return own_folder() / (kPrefix + vendor + kSuffix); }

// "libflagos_NAME.so" -> "NAME"; any other file is its own vendor name.
std::string vendor_of(const fs::path& library) {
  const std::string file = library.filename().string();
  const bool ours =
      file.size() > sizeof(kPrefix) + sizeof(kSuffix) - 2 && file.starts_with(kPrefix) && file.ends_with(kSuffix);
  return ours ? file.substr(sizeof(kPrefix) - 1, file.size() - sizeof(kPrefix) - sizeof(kSuffix) + 2) : file;
}

bool is_vendor_name(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

std::vector<fs::path> vendor_libraries() {
  std::vector<fs::path> libraries;
  for (const auto& entry : fs::directory_iterator(own_folder())) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(kPrefix) && file.ends_with(kSuffix)) libraries.push_back(entry.path());
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

std::string how_to_build(const std::string& vendor) {
  if (!is_vendor_name(vendor)) {
    return "FLAGOS_RUNTIME_LIBRARY must name a vendor's runtime library, which is called libflagos_<vendor>.so; "
           "without "
           "it the built vendors are used: " +
           built_vendors();
  }
  const std::vector<std::string> known = vendors_with_sources();
  if (std::find(known.begin(), known.end(), vendor) == known.end()) {
    return "There are no sources of a vendor '" + vendor +
           "' beside this package to build it from; there are those of: " + listed(known);
  }
  return "Build it: python -m generators.build --vendor " + vendor +
         "; then see what is wrong: pytest gates/runtime --vendor " + vendor;
}

void refuse_reserved_name(const std::string& vendor) {
  if (vendor == kRefusedVendor) {
    throw std::runtime_error(
        "flagos: a vendor cannot be called 'xpu', PyTorch means Intel's GPUs by it. Name the library and "
        "FLAGOS_ACCELERATOR after the chip family");
  }
}

// What detection found: the only vendor that has a device, if there is one, and why the others do not count.
struct Detection {
  std::string vendor = kDefaultVendor;
  std::string reason = "no other built vendor has a device";
  std::vector<std::string> skipped;
};

Detection detect() {
  Detection found;
  std::vector<std::string> present;
  for (const fs::path& library : vendor_libraries()) {
    const std::string vendor = vendor_of(library);
    if (vendor == kDefaultVendor || vendor == kRefusedVendor) continue;
    // Never closed again: SDKs rarely survive that.
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      found.skipped.push_back(vendor + ": " + dlerror());
      continue;
    }
    const auto count_devices = reinterpret_cast<decltype(&::GetDeviceCount)>(dlsym(handle, "GetDeviceCount"));
    int count = 0;
    if (count_devices == nullptr) {
      found.skipped.push_back(vendor + ": exports no GetDeviceCount");
    } else if (const Error_t code = count_devices(&count); code != Success) {
      found.skipped.push_back(vendor + ": GetDeviceCount returned " + std::to_string(code));
    } else if (count <= 0) {
      found.skipped.push_back(vendor + ": no device");
    } else {
      present.push_back(vendor);
    }
  }
  if (present.size() > 1) {
    throw std::runtime_error("flagos: devices of several vendors are present (" + listed(present) +
                             "), and one process uses one vendor. Set FLAGOS_ACCELERATOR to one of them");
  }
  if (present.size() == 1) {
    found.vendor = present.front();
    found.reason = "it is the only built vendor with a device";
  }
  return found;
}

void* open_library(const fs::path& library, const std::string& vendor) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const std::string reason = dlerror();
  std::error_code ignored;
  if (!fs::exists(library, ignored)) {
    throw std::runtime_error("flagos: vendor '" + vendor + "' is not built: " + library.string() +
                             " does not exist; the built vendors are: " + built_vendors() + ". " +
                             how_to_build(vendor));
  }
  throw std::runtime_error(
      "flagos: the runtime library of vendor '" + vendor + "' cannot be loaded from " + library.string() + ": " +
      reason +
      "\nThe file is there: it is built for another architecture, or a library that it needs (often "
      "the vendor's SDK) is not on the loader's path; `ldd " +
      library.string() + "` shows which. " + how_to_build(vendor));
}

template <typename Function>
void bind_slot(void* handle, const char* name, Function& slot, std::vector<std::string>& missing) {
  slot = reinterpret_cast<Function>(dlsym(handle, name));
  if (slot == nullptr) missing.emplace_back(name);
}

void bind_all(void* handle, Runtime& runtime) {
  std::vector<std::string> missing;
  decltype(&::GetDeviceMemoryInterface) memory = nullptr;
#define SLOT(name) bind_slot(handle, #name, runtime.name, missing);
#include "runtime/slots.inc"
#undef SLOT
  bind_slot(handle, "GetDefaultStream", runtime.GetDefaultStream, missing);
  bind_slot(handle, "GetLastErrorText", runtime.GetLastErrorText, missing);
  bind_slot(handle, "GetDeviceMemoryInterface", memory, missing);
  if (!missing.empty()) {
    std::string names;
    for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
    throw std::runtime_error("flagos: " + runtime.library + " is not a complete runtime of vendor '" + runtime.vendor +
                             "': it does not export " + std::to_string(missing.size()) + " of the functions of " +
                             "csrc/include/flagos.h: " + names + "\n" + how_to_build(runtime.vendor));
  }
  runtime.memory = memory();
  if (runtime.memory == nullptr) {
    throw std::runtime_error(
        "flagos: GetDeviceMemoryInterface() of " + runtime.library +
        " returned null; csrc/runtime/allocator/device_memory_interface.h says what it must return");
  }
}

Runtime load() {
  Runtime loaded;
  if (const auto file = environment("FLAGOS_RUNTIME_LIBRARY")) {
    loaded.library = *file;
    loaded.vendor = vendor_of(*file);
    loaded.chosen = "FLAGOS_RUNTIME_LIBRARY names its library";
  } else if (const auto vendor = environment("FLAGOS_ACCELERATOR")) {
    if (!is_vendor_name(*vendor)) {
      throw std::runtime_error("flagos: FLAGOS_ACCELERATOR='" + *vendor +
                               "' is not the name of a vendor; the built ones are: " + built_vendors());
    }
    loaded.vendor = *vendor;
    loaded.library = library_of(*vendor);
    loaded.chosen = "FLAGOS_ACCELERATOR names it";
  } else {
    Detection found = detect();
    loaded.vendor = found.vendor;
    loaded.library = library_of(found.vendor);
    loaded.chosen = std::move(found.reason);
    loaded.skipped = std::move(found.skipped);
  }
  refuse_reserved_name(loaded.vendor);
  bind_all(open_library(loaded.library, loaded.vendor), loaded);
  return loaded;
}

void leave(State state) {
  g_usable.store(nullptr, std::memory_order_release);
  g_state.store(state, std::memory_order_release);
}

void publish(Runtime loaded) {
  // Registered after dlopen, so it runs before the library's own exit handlers.
  static const bool registered = [] {
    pthread_atfork(nullptr, nullptr, [] {
      if (g_state.load(std::memory_order_acquire) == State::kUsable) leave(State::kForked);
    });
    std::atexit([] { leave(State::kExiting); });
    return true;
  }();
  static_cast<void>(registered);
  g_state.store(State::kUsable, std::memory_order_release);
  g_usable.store(new Runtime(std::move(loaded)), std::memory_order_release);  // lives as long as the process
}

const Runtime& load_once() {
  const std::lock_guard<std::mutex> lock(g_loading);
  switch (g_state.load(std::memory_order_acquire)) {
    case State::kNotLoaded:
      publish(load());
      break;
    case State::kUsable:
      break;
    case State::kForked:
      throw std::runtime_error(
          "flagos: this process was forked after its parent had used flagos, and the vendor's runtime does not work "
          "across fork(). Start the process with the 'spawn' method, or fork before the first use of flagos");
    case State::kExiting:
      throw std::runtime_error("flagos: the process is exiting, the runtime is no longer available");
  }
  return *g_usable.load(std::memory_order_acquire);
}

}  // namespace

fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) {
    throw std::runtime_error("flagos: the folder of libtorch_fl.so could not be found");
  }
  return fs::absolute(info.dli_fname).parent_path();
}

const Runtime& runtime() {
  const Runtime* usable = g_usable.load(std::memory_order_acquire);
  return usable != nullptr ? *usable : load_once();
}

const Runtime* usable_runtime() noexcept { return g_usable.load(std::memory_order_acquire); }

std::string built_vendors() {
  std::vector<std::string> vendors;
  for (const fs::path& library : vendor_libraries()) vendors.push_back(vendor_of(library));
  return listed(vendors);
}

bool in_bad_fork() noexcept { return g_state.load(std::memory_order_acquire) == State::kForked; }

}  // namespace flagos
