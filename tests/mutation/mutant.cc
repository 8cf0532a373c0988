// SPDX-License-Identifier: Apache-2.0
//
// The interposing library: loads the real runtime, applies the mutation, exports the contract.
#include "mutant.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mutation {

Runtime real;
Runtime mutant;

std::map<std::string, Mutation>& Table() {
  static std::map<std::string, Mutation> table;
  return table;
}

namespace {

DeviceMemoryInterface* memory;  // the real one

template <typename... Parameters>
Error_t LyingStub(Parameters...) {
  return Success;
}

#define SLOT(slot)              \
  const Registered stub_##slot( \
      {"stub." #slot, #slot " says Success and does nothing", [] { mutant.slot = LyingStub; }});
#include "slots.inc"
#undef SLOT
#define VIRTUAL(slot, parameters, arguments) \
  const Registered stub_##slot(              \
      {"stub." #slot, "the virtual " #slot " says Success and does nothing", [] { mutant.slot = LyingStub; }});
FLAGOS_VIRTUALS(VIRTUAL)
#undef VIRTUAL

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "libflagos_mutant: %s\n", message.c_str());
  std::abort();
}

const char* Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Levenshtein distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

const Mutation* Choose(const std::string& name) {
  if (name.empty()) return nullptr;
  auto found = Table().find(name);
  if (found != Table().end()) return &found->second;
  std::multimap<size_t, std::string> near;
  for (const auto& [known, mutation] : Table()) near.emplace(Distance(known, name), known);
  auto nearest = near.begin();
  std::string message = "FLAGOS_MUTATION: no mutation '" + name + "'; near names: " + nearest->second;
  for (int more = 0; more < 2; ++more) message += ", " + (++nearest)->second;
  Die(message);
}

template <typename Function>
void Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) Die(std::string("the real runtime does not export ") + name);
}

bool Load() {
  const char* path = Setting("FLAGOS_MUTANT_OF");
  if (*path == 0) Die("FLAGOS_MUTANT_OF names no runtime library");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Die(std::string("FLAGOS_MUTANT_OF: ") + dlerror());
#define SLOT(name) Bind(library, #name, real.name);
#include "slots.inc"
#undef SLOT
  Bind(library, "GetDefaultStream", real.GetDefaultStream);
  Bind(library, "GetLastErrorText", real.GetLastErrorText);
  decltype(&::GetDeviceMemoryInterface) accessor;
  Bind(library, "GetDeviceMemoryInterface", accessor);
  memory = accessor();
  if (memory == nullptr) Die("the real runtime's GetDeviceMemoryInterface() is null");
#define VIRTUAL(name, parameters, arguments) real.name = [] parameters { return memory->name arguments; };
  FLAGOS_VIRTUALS(VIRTUAL)
#undef VIRTUAL
  real.provides_caching = [] { return memory->provides_caching(); };

  const Mutation* chosen = Choose(Setting("FLAGOS_MUTATION"));
  mutant = real;
  if (chosen != nullptr) chosen->apply();
  return true;
}

// On first use: the table of mutations works without a real runtime.
const Runtime& Loaded() {
  static const bool loaded = Load();
  return loaded ? mutant : real;
}

const Runtime& Enter(const char* function) {
  const Runtime& runtime = Loaded();
  if (runtime.before != nullptr) runtime.before(function);
  return runtime;
}

class Interposed final : public DeviceMemoryInterface {
 public:
#define VIRTUAL(name, parameters, arguments) \
  Error_t name parameters override { return Enter(#name).name arguments; }
  FLAGOS_VIRTUALS(VIRTUAL)
#undef VIRTUAL
  bool provides_caching() const override { return Enter("provides_caching").provides_caching(); }
};

}  // namespace

Registered::Registered(const Mutation& mutation) {
  if (!Table().emplace(mutation.name, mutation).second) Die(std::string("two mutations are named ") + mutation.name);
}

}  // namespace mutation

// One definition per slot without its parameter list: every parameter of the contract is an integer or a pointer and
// there are at most five, so five machine words carry any of them in the C calling conventions of x86-64 and AArch64.
using Word = std::uintptr_t;
using AnySlot = Error_t (*)(Word, Word, Word, Word, Word);

#define SLOT(name)                                                                                         \
  extern "C" FLAGOS_EXPORT Error_t Export##name(Word, Word, Word, Word, Word) __asm__(#name);              \
  Error_t Export##name(Word a, Word b, Word c, Word d, Word e) {                                           \
    return reinterpret_cast<AnySlot>(reinterpret_cast<void*>(mutation::Enter(#name).name))(a, b, c, d, e); \
  }
#include "slots.inc"
#undef SLOT

extern "C" Stream_t GetDefaultStream(int device) { return mutation::Loaded().GetDefaultStream(device); }

extern "C" const char* GetLastErrorText(void) { return mutation::Loaded().GetLastErrorText(); }

extern "C" flagos::DeviceMemoryInterface* GetDeviceMemoryInterface(void) {
  static auto* const interposed = new mutation::Interposed;  // lives until the process ends
  return interposed;
}
