// SPDX-License-Identifier: Apache-2.0
//
// SIMULATION of the header of this name of Kunlun's XRE, written from public facts; no vendor code.
//
//   seen       the declaration was read in a public copy of the header of 2018-2022
//   seen-call  calls of it were read, the types follow from them
//   name only  libxpurt exports it, but its declaration is not known, so it is not here: pointer attributes, sharing
//              between processes, profiling
//
// tests/sdks/xre_sim/facts.yaml of torch_fl says which is which, row by row, and what the simulation leaves out.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "xpu/defs.h"

#ifdef __cplusplus
#define XRE_SIM_DEFAULT(value) = value
extern "C" {
#else
#define XRE_SIM_DEFAULT(value)
#endif

typedef void* XPUStream;
typedef void* XPUFunc;
typedef void* XPUEvent;

typedef enum {
  XPUATTR_PCI_ADDRESS = 0,
  XPUATTR_DEVID = 1,
  XPUATTR_MODEL = 4,
  XPUATTR_MEM_MAIN_CAPACITY = 5,
  XPUATTR_MEM_L3_CAPACITY = 6,
  XPUATTR_NUM_CLUSTER = 7,
  XPUATTR_NUM_SDNN = 8,
} XPUDeviceAttr;

// Devices: seen. The current device is a thread's own and 0 at first.
int xpu_device_count(int* pcount);
int xpu_device_list(int* dev_list);
int xpu_current_device(int* pdevid);
int xpu_set_device(int devid);
int xpu_device_get_attr(uint64_t* v, XPUDeviceAttr attr, int devid);
int xpu_get_driver_version(uint32_t* major, uint32_t* minor);
int xpu_get_runtime_version(uint32_t* major, uint32_t* minor);

// Memory: seen, but for xpu_memcpy_async: seen-call.
int xpu_malloc(void** pdevptr, uint64_t sz, XPUMemoryKind kind XRE_SIM_DEFAULT(XPU_MEM_MAIN));
int xpu_free(void* devptr);
int xpu_host_alloc(void** pptr, uint64_t size, unsigned int flags);
int xpu_host_free(void* ptr);
int xpu_host_register(void* ptr, uint64_t sz, unsigned int flags);
int xpu_host_unregister(void* ptr);
int xpu_memcpy(void* dst, const void* src, uint64_t size, XPUMemcpyKind kind);
int xpu_memcpy_async(void* dst, const void* src, uint64_t size, XPUMemcpyKind kind, XPUStream stream);
int xpu_memcpy_peer(int dst_devid, void* dst, int src_devid, const void* src, uint64_t size);

// Streams: seen. xpu_wait(NULL) waits for the default stream and for no other.
int xpu_stream_create(XPUStream* pstream);
int xpu_stream_destroy(XPUStream stream);
int xpu_stream_wait_event(XPUStream stream, XPUEvent event);
int xpu_wait(XPUStream stream XRE_SIM_DEFAULT(NULL));

// Events: seen, but for xpu_event_query: seen-call, and what it returns before the event is ready is not known.
int xpu_event_create(XPUEvent* pevent);
int xpu_event_destroy(XPUEvent event);
int xpu_event_record(XPUEvent event, XPUStream stream XRE_SIM_DEFAULT(NULL));
int xpu_event_wait(XPUEvent event);
int xpu_event_query(XPUEvent event);

#ifdef __cplusplus
}  // extern "C"
#endif
