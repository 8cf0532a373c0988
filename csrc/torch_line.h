// SPDX-License-Identifier: Apache-2.0
//
// For what differs between torch lines and has no form that all of them take.
#pragma once

#include <torch/version.h>

// The line that is compiled against, 213 for torch 2.13.
#define FLAGOS_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

// `override` of a virtual function that PyTorch has since that line; before, nobody calls it.
#if FLAGOS_TORCH >= 210
#define FLAGOS_OVERRIDE_SINCE_210 override
#else
#define FLAGOS_OVERRIDE_SINCE_210
#endif
#if FLAGOS_TORCH >= 211
#define FLAGOS_OVERRIDE_SINCE_211 override
#else
#define FLAGOS_OVERRIDE_SINCE_211
#endif
#if FLAGOS_TORCH >= 212
#define FLAGOS_OVERRIDE_SINCE_212 override
#else
#define FLAGOS_OVERRIDE_SINCE_212
#endif
