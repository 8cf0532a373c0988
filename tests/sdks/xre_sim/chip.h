// SPDX-License-Identifier: Apache-2.0
//
// What the simulated chip can do: the embedded vendor's functions, whose semantics flagos.h states.
#pragma once

#include "flagos.h"

struct Chip {
#define SLOT(name) decltype(&::name) name;
#include "slots.inc"
#undef SLOT
  Error_t (*memory_info)(size_t* free, size_t* total);  // of the current device
};

extern "C" const Chip* XreSimChip();
