// SPDX-License-Identifier: Apache-2.0
//
// Simulated: the native runtime of Kunlun XRE as public sources describe its declarations, with no evidence for hardware.
// It is C++ only: parameters have defaults. Functions return 0 or a negated code of defs.h.
#pragma once

#include "xpu/defs.h"

extern "C" {

int xpu_device_count(int *pcount);
int xpu_current_device(int *pdevid);
int xpu_set_device(int devid);
int xpu_device_get_attr(uint64_t *pattr, XPUDeviceAttr attr, int devid);

int xpu_malloc(void **pdevptr, uint64_t sz, XPUMemoryKind kind = XPU_MEM_MAIN);
int xpu_free(void *devptr);
int xpu_host_alloc(void **pptr, uint64_t size, unsigned int flags = 0);
int xpu_host_free(void *ptr);
int xpu_host_register(void *ptr, uint64_t size, unsigned int flags);
int xpu_host_unregister(void *ptr);
int xpu_memcpy(void *dst, const void *src, uint64_t size, XPUMemcpyKind kind);
int xpu_memcpy_peer(int dst_devid, void *dst, int src_devid, const void *src, uint64_t size);
int xpu_memcpy_async(void *dst, const void *src, uint64_t size, XPUMemcpyKind kind, XPUStream stream);

int xpu_wait(XPUStream stream = 0);
int xpu_stream_create(XPUStream *pstream);
int xpu_stream_destroy(XPUStream stream);
int xpu_stream_wait_event(XPUStream stream, XPUEvent event);

int xpu_event_create(XPUEvent *pevent);
int xpu_event_destroy(XPUEvent event);
int xpu_event_record(XPUEvent event, XPUStream stream = 0);
int xpu_event_wait(XPUEvent event);
int xpu_event_query(XPUEvent event);

}  // extern "C"
