// SPDX-License-Identifier: Apache-2.0
#include "chip.h"

#include "device_memory_interface.h"
#include "simulated.h"
#include "simulator.h"

namespace {

Error_t launch(Stream_t stream, std::function<void()> kernel) {
  return flagos::host::call("launch", [&](flagos::host::Simulator& simulator) {
    simulator.stream(stream)->submit([kernel = std::move(kernel)] {
      kernel();
      return true;
    });
  });
}

void* device_memory(const void* address, size_t bytes) {
  void* found = nullptr;
  flagos::host::call("device_memory", [&](flagos::host::Simulator& simulator) {
    const auto block = simulator.block_at(address);
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (block == nullptr || block->type != MemoryTypeDevice || bytes > block->end() - begin) return;
    found = block->data + (begin - block->begin());
  });
  return found;
}

}  // namespace

extern "C" const Chip* SimulatedChip() {
  static const Chip table = {
#define SLOT(name) &::name,
#include "slots.inc"
#undef SLOT
      [](size_t* free, size_t* total) { return GetDeviceMemoryInterface()->get_memory_info(free, total); },
      &launch,
      &device_memory,
  };
  return &table;
}
