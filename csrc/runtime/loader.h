// SPDX-License-Identifier: Apache-2.0
//
// Finds, loads and binds the runtime library of one vendor. Knows nothing of torch.
//
// Which library: FLAGOS_RUNTIME_LIBRARY (a file) if set; else libflagos_<vendor>.so beside this library, where the
// vendor is FLAGOS_ACCELERATOR if set, else the one vendor that finds a device, else `host`. The choice is made at the
// first use and holds until the process ends; nothing is loaded before.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "include/flagos.h"
#include "runtime/allocator/device_memory_interface.h"

namespace flagos {

// One bound pointer for each function of the contract. Immutable once published.
struct Runtime {
#define SLOT(name) decltype(&::name) name = nullptr;
#include "runtime/slots.inc"
#undef SLOT
  decltype(&::GetDefaultStream) GetDefaultStream = nullptr;
  decltype(&::GetLastErrorText) GetLastErrorText = nullptr;
  DeviceMemoryInterface* memory = nullptr;

  std::string vendor;
  std::string library;
  std::string chosen;                // why this vendor
  std::vector<std::string> skipped;  // vendors that detection passed over, each with the reason
};

// The runtime, loaded on first use. Any thread. Throws std::runtime_error if it cannot be loaded (the next call tries
// again), in a child forked after the runtime was loaded, and once the process is exiting.
FLAGOS_EXPORT const Runtime& runtime();

// The runtime if it is loaded and may still be called, else null. Loads nothing and never throws: for destructors and
// questions that must have no side effect.
FLAGOS_EXPORT const Runtime* usable_runtime() noexcept;

// The folder of libtorch_fl.so, where the libraries that belong to it lie. Throws std::runtime_error.
std::filesystem::path own_folder();

// The vendors whose library lies beside this one, for error texts: "cuda, host".
std::string built_vendors();

// True in a child that was forked after the runtime had been loaded.
FLAGOS_EXPORT bool in_bad_fork() noexcept;

}  // namespace flagos
