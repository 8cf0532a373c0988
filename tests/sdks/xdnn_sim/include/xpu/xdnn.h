// SPDX-License-Identifier: Apache-2.0
//
// SIMULATION of the header of this name of Kunlun's XDNN, written from public facts; no vendor code. Types here are
// reduced to what public sources use of them. Functions stand in the headers below, which tests.sdks.operators writes
// from docs/vendors/kunlun/op-api-map.yaml.
#pragma once

#include <cstdint>
#include <vector>

#include "xpu/runtime.h"

namespace baidu::xpu::api {

enum Error_t {
  SUCCESS = 0,
  INVALID_PARAM = 1,
  RUNTIME_ERROR = 2,
  NO_ENOUGH_WORKSPACE = 3,
  NOT_IMPLEMENT = 4,
};

struct Context {
  void set_stream(XPUStream stream) { xpu_stream = stream; }
  XPUStream get_stream() { return xpu_stream; }

  XPUStream xpu_stream = nullptr;
};

Context* create_context();
void destroy_context(Context* ctx);

}  // namespace baidu::xpu::api

#include "xpu/declared_operators.h"
