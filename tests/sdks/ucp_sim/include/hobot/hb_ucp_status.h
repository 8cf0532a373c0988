// SPDX-License-Identifier: Apache-2.0
//
// Simulated SDK. What public sources tell of D-Robotics' header of this name, as far as the map of the vendor needs it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HB_UCP_SUCCESS = 0,
  HB_UCP_INVALID_ARGUMENT = -100001,
  HB_UCP_MEM_ALLOC_FAIL = -400001,
  HB_UCP_MEM_FREE_FAIL = -400002,
} hbUCPStatus;

const char* hbUCPGetErrorDesc(int32_t errorCode);

#ifdef __cplusplus
}
#endif
