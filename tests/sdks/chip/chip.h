// SPDX-License-Identifier: Apache-2.0
//
// What the simulated chip can do: the embedded vendor's functions, whose semantics flagos.h states, and what only a
// library of kernels needs of a chip.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "flagos.h"

struct Chip {
#define SLOT(name) decltype(&::name) name;
#include "slots.inc"
#undef SLOT
  Error_t (*memory_info)(size_t* free, size_t* total);  // of the current device
  // Runs a kernel in its turn in the stream, on the stream's own thread. It must not throw.
  Error_t (*launch)(Stream_t stream, std::function<void()> kernel);
  // Where a kernel finds what a program has at that address; null if there are not so many bytes of device memory.
  void* (*device_memory)(const void* address, size_t bytes);
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
