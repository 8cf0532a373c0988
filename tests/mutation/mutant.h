// SPDX-License-Identifier: Apache-2.0
//
// A runtime library that lies in one chosen way, to prove that the gates notice. It exports the whole contract and
// forwards every call to a real runtime; one mutation replaces some of the forwarding. Two environment variables
// choose:
//
//   FLAGOS_MUTANT_OF   path of the real libflagos_<vendor>.so
//   FLAGOS_MUTATION    name of the mutation (mutations_*.cc); empty or unset forwards everything
//
// Types come from the contract's headers by decltype, names from slots.inc.
#pragma once

#include <map>
#include <string>

#include "device_memory_interface.h"
#include "flagos.h"

namespace mutation {

using flagos::DeviceMemoryInterface;

// The virtuals with their parameters: VIRTUAL(name, parameters, arguments). The compiler refuses a list that lacks one.
#define FLAGOS_VIRTUALS(VIRTUAL)                                           \
  VIRTUAL(device_malloc, (void** ptr, size_t size), (ptr, size))           \
  VIRTUAL(device_free, (void* ptr), (ptr))                                 \
  VIRTUAL(get_device_index, (int* device), (device))                       \
  VIRTUAL(set_device, (int device), (device))                              \
  VIRTUAL(get_memory_info, (size_t* free, size_t* total), (free, total))   \
  VIRTUAL(event_create, (Event_t * event), (event))                        \
  VIRTUAL(event_destroy, (Event_t event), (event))                         \
  VIRTUAL(event_record, (Event_t event, Stream_t stream), (event, stream)) \
  VIRTUAL(event_query, (Event_t event), (event))                           \
  VIRTUAL(memcpy, (void* dst, const void* src, size_t count, MemcpyKind kind), (dst, src, count, kind))

// What a runtime library offers, as pointers: `real` calls the library, `mutant` is what callers of this library get.
struct Runtime {
#define SLOT(name) decltype(&::name) name = nullptr;
#include "slots.inc"
#undef SLOT
#define VIRTUAL(name, parameters, arguments) Error_t(*name) parameters = nullptr;
  FLAGOS_VIRTUALS(VIRTUAL)
#undef VIRTUAL
  bool (*provides_caching)() = nullptr;
  decltype(&::GetDefaultStream) GetDefaultStream = nullptr;
  decltype(&::GetLastErrorText) GetLastErrorText = nullptr;

  // Called before every slot and virtual, with its name.
  void (*before)(const char* function) = nullptr;
};

extern Runtime real;
extern Runtime mutant;

struct Mutation {
  const char* name;    // `area.what`, or `stub.NAME`
  const char* breaks;  // what a caller sees, in one line
  void (*apply)();     // replaces members of `mutant`
};

// All mutations, by name.
std::map<std::string, Mutation>& Table();

// Adds a mutation to the table when the library is loaded.
struct Registered {
  explicit Registered(const Mutation& mutation);
};

// MUTATION(name, breaks) { the body of `apply` }
#define MUTATION(name, breaks) FLAGOS_MUTATION_(name, breaks, __COUNTER__)
#define FLAGOS_MUTATION_(name, breaks, number) FLAGOS_MUTATION__(name, breaks, number)
#define FLAGOS_MUTATION__(name, breaks, number)                       \
  void Apply##number();                                               \
  const Registered registered##number({name, breaks, Apply##number}); \
  void Apply##number()

}  // namespace mutation
