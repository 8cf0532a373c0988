// SPDX-License-Identifier: Apache-2.0
//
// Simulated: the types, codes and enums of Kunlun XRE as public sources describe them, with no evidence for hardware.
#pragma once

#include <stdint.h>

typedef void *XPUStream;
typedef void *XPUEvent;
typedef void *XPUFunc;

enum XPUError {
  XPU_SUCCESS = 0,
  XPUERR_INVALID_DEVICE = 701,
  XPUERR_UNINIT = 702,
  XPUERR_NODEV = 703,
  XPUERR_VERSION = 704,
  XPUERR_NOMEM = 705,     // device memory
  XPUERR_NOCPUMEM = 706,  // host memory
  XPUERR_INVALID_PARAM = 707,
  XPUERR_NOXPUFUNC = 708,
  XPUERR_LDSO = 709,
  XPUERR_LDSYM = 710,
  XPUERR_SIMULATOR = 711,
  XPUERR_NOSUPPORT = 712,
  XPUERR_ABNORMAL = 713,
  XPUERR_KEXCEPTION = 714,
  XPUERR_TIMEOUT = 715,
  XPUERR_BUSY = 716,
  XPUERR_USEAFCLOSE = 717,
  XPUERR_UCECC = 718,
  XPUERR_OVERHEAT = 719,
  XPUERR_UNEXPECT = 800,
  XPUERR_DEVRESET = 801,
  XPUERR_DMATIMEOUT = 808,
  XPUERR_DMAABORT = 809,
  XPUERR_PCIE = 812,
  XPUERR_INTERRUPTED = 814,
  XPUERR_HOSTMEM_ALREADY_REGISTERED = 816,
};

enum XPUMemcpyKind {
  XPU_DEVICE_TO_HOST = 0,
  XPU_HOST_TO_DEVICE = 1,
  XPU_DEVICE_TO_DEVICE = 2,
};

enum XPUMemoryKind {
  XPU_MEM_MAIN = 0,
  XPU_MEM_HBM = XPU_MEM_MAIN,
  XPU_MEM_L3 = 1,
  XPU_MEM_MMAPPABLE = 16,
};

enum XPUDeviceAttr {
  XPUATTR_PCI_ADDRESS = 0,
  XPUATTR_DEVID = 1,
  XPUATTR_MODEL = 4,
  XPUATTR_MEM_MAIN_CAPACITY = 5,
  XPUATTR_MEM_L3_CAPACITY = 6,
  XPUATTR_NUM_CLUSTER = 7,
  XPUATTR_NUM_SDNN = 8,
};

// Takes the absolute value: functions return their code negated.
static inline const char *xpu_strerror(int error) {
  switch (error < 0 ? -error : error) {
    case XPU_SUCCESS:
      return "success";
    case XPUERR_INVALID_DEVICE:
      return "invalid device";
    case XPUERR_NOMEM:
      return "no device memory";
    case XPUERR_NOCPUMEM:
      return "no host memory";
    case XPUERR_INVALID_PARAM:
      return "invalid parameter";
    default:
      return "error of the simulated runtime";
  }
}
