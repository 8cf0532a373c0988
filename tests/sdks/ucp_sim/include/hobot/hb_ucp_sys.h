// SPDX-License-Identifier: Apache-2.0
//
// Simulated SDK. What public sources tell of D-Robotics' header of this name, as far as the map of the vendor needs it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hbUCPSysMem {
  uint64_t phyAddr;
  void* virAddr;
  uint64_t memSize;
} hbUCPSysMem;

typedef enum { HB_SYS_MEM_CACHE_INVALIDATE = 1, HB_SYS_MEM_CACHE_CLEAN = 2 } hbUCPSysMemFlushFlag;

int32_t hbUCPMalloc(hbUCPSysMem* mem, uint64_t size, int32_t deviceId);
int32_t hbUCPMallocCached(hbUCPSysMem* mem, uint64_t size, int32_t deviceId);
int32_t hbUCPMemFlush(const hbUCPSysMem* mem, int32_t flag);
int32_t hbUCPFree(hbUCPSysMem* mem);

#ifdef __cplusplus
}
#endif
