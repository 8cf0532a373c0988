// SPDX-License-Identifier: Apache-2.0
//
// What the simulated chip can do: the embedded vendor's functions, whose semantics flagos.h states.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "flagos.h"

struct Chip {
#define SLOT(name) decltype(&::name) name;
#include "slots.inc"
#undef SLOT
  Error_t (*memory_info)(size_t* free, size_t* total);  // of the current device
};

extern "C" const Chip* SimulatedChip();

inline const Chip& chip() {
  static const Chip* const table = SimulatedChip();
  return *table;
}

// Where the real driver asserts.
[[noreturn]] inline void assertion_failed(const char* what) {
  std::fprintf(stderr, "simulated SDK: assertion failed: %s\n", what);
  std::abort();
}
