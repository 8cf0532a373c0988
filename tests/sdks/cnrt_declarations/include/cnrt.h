// SPDX-License-Identifier: Apache-2.0
//
// Declarations of Cambricon CNRT as public sources have them, for recon's scores: its argument orders are all traps.
// There is no library behind them.
#pragma once

#include <stddef.h>

typedef enum cnrtRet {
  cnrtSuccess = 0,
  cnrtErrorNotReady = 1,
  cnrtErrorInit = 100002,
  cnrtErrorNoDevice = 100004,
  cnrtErrorDeviceInvalid = 100005,
  cnrtErrorArgsInvalid = 100006,
  cnrtErrorSysNoMem = 100010,
  cnrtErrorInvalidResourceHandle = 100014,
  cnrtErrorNotSupport = 100050,
  cnrtErrorNoMem = 100100,
  cnrtErrorBusy = 632014,
  cnrtErrorUnknown = 999991,
} cnrtRet_t;

typedef enum cnrtMemTransDir {
  cnrtMemcpyHostToDev = 0,
  cnrtMemcpyDevToDev = 1,
  cnrtMemcpyDevToHost = 2,
  cnrtMemcpyHostToHost = 3,
} cnrtMemTransDir_t;

typedef enum cnrtMemType {
  cnrtMemTypeUnregistered = 0,
  cnrtMemTypeHost = 1,
  cnrtMemTypeDevice = 2,
} cnrtMemType_t;

typedef struct cnrtPointerAttributes {
  cnrtMemType_t type;
  int device;
  void* devicePointer;
} cnrtPointerAttributes_t;

typedef struct cnrtQueueOpaque* cnrtQueue_t;
typedef struct cnrtNotifierOpaque* cnrtNotifier_t;

#define CNRT_NOTIFIER_DEFAULT 0x0
#define CNRT_NOTIFIER_DISABLE_TIMING_ALL 0x2

cnrtRet_t cnrtGetDeviceCount(unsigned int* pCount);
cnrtRet_t cnrtGetDevice(int* pDev);
cnrtRet_t cnrtSetDevice(int dev);
cnrtRet_t cnrtDeviceGetQueuePriorityRange(int* leastPriority, int* greatestPriority);
cnrtRet_t cnrtSyncDevice(void);
cnrtRet_t cnrtMalloc(void** pPtr, size_t bytes);
cnrtRet_t cnrtFree(void* ptr);
cnrtRet_t cnrtHostMalloc(void** pPtr, size_t bytes);
cnrtRet_t cnrtFreeHost(void* ptr);
cnrtRet_t cnrtMemcpy(void* dst, void* src, size_t bytes, cnrtMemTransDir_t dir);
cnrtRet_t cnrtMemcpyAsync(void* dst, void* src, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t dir);
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attr, const void* ptr);
cnrtRet_t cnrtMemset(void* ptr, int value, size_t bytes);
cnrtRet_t cnrtMemsetAsync(void* ptr, int value, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtQueueCreateWithPriority(cnrtQueue_t* pQueue, unsigned int flags, int priority);
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* pQueue);
cnrtRet_t cnrtQueueGetPriority(cnrtQueue_t queue, int* priority);
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flag);
cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* pNotifier, unsigned int flags);
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* pNotifier);
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* ms);
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us);
cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total);
