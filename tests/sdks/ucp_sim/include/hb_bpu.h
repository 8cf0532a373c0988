// SPDX-License-Identifier: Apache-2.0
//
// Simulated SDK. What public sources tell of Horizon's driver library, as far as the map of the vendor needs it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int32_t hb_bpu_core_num(void);

#ifdef __cplusplus
}
#endif
