// SPDX-License-Identifier: Apache-2.0
#include "chip.h"

#include "device_memory_interface.h"
#include "simulated.h"

extern "C" const Chip* SimulatedChip() {
  static const Chip table = {
#define SLOT(name) &::name,
#include "slots.inc"
#undef SLOT
      [](size_t* free, size_t* total) { return GetDeviceMemoryInterface()->get_memory_info(free, total); },
  };
  return &table;
}
