// SPDX-License-Identifier: Apache-2.0
//
// SIMULATION of the header of this name of Kunlun's XRE, written from public facts; no vendor code. Which names and
// numbers were seen, and where, stands in tests/sdks/xre_sim/facts.yaml of torch_fl.
#ifndef XRE_SIM_XPU_DEFS_H
#define XRE_SIM_XPU_DEFS_H

#include <stdint.h>

// Functions return these negated; xpu_strerror takes either sign. There is no code for "not ready".
typedef enum {
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
} XPUError_t;

// The order is not CUDA's, and host to host is not there.
typedef enum {
  XPU_DEVICE_TO_HOST = 0,
  XPU_HOST_TO_DEVICE = 1,
  XPU_DEVICE_TO_DEVICE = 2,
} XPUMemcpyKind;

typedef enum {
  XPU_MEM_HBM = 0,
  XPU_MEM_MAIN = 0,
  XPU_MEM_L3 = 1,
  XPU_MEM_MMAPPABLE = 16,
} XPUMemoryKind;

// The first model of each generation.
typedef enum {
  K200 = 0,
  R200 = 2,
  KL3 = 300,
} DeviceModel;

// The texts are the simulation's own.
static inline const char* xpu_strerror(int e) {
  switch (e < 0 ? -e : e) {
    case XPU_SUCCESS:
      return "success";
    case XPUERR_INVALID_DEVICE:
      return "no such device";
    case XPUERR_NODEV:
      return "there is no device";
    case XPUERR_NOMEM:
      return "out of device memory";
    case XPUERR_NOCPUMEM:
      return "out of host memory";
    case XPUERR_INVALID_PARAM:
      return "a parameter is not valid";
    case XPUERR_NOSUPPORT:
      return "not supported";
    case XPUERR_BUSY:
      return "busy";
    case XPUERR_UNEXPECT:
      return "unexpected";
    case XPUERR_HOSTMEM_ALREADY_REGISTERED:
      return "this host memory is registered already";
    default:
      return "an error without a text";
  }
}

#endif
