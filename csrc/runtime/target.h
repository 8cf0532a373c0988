// SPDX-License-Identifier: Apache-2.0
//
// The target: PyTorch's own device type whose kernels run on flagos memory. CUDA on a chip that has CUDA's runtime, the
// CPU where the host shares the memory. A process has one, or none.
#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/Stream.h>

#include <optional>

#include "include/flagos.h"

namespace c10::impl {
struct DeviceGuardImplInterface;
}

namespace flagos {

struct Target {
  c10::DispatchKey key = c10::DispatchKey::Undefined;
  c10::DeviceType type = c10::DeviceType::CPU;

  bool is_cpu() const { return type == c10::DeviceType::CPU; }
};

// Undefined until it is set, which comes before the first boxed call and does not change while one runs.
const Target& target();
void set_target(const Target& target);

// The target's name of a flagos device; the CPU has no index.
c10::Device on_target(int device);

// For as long as this lives, the calling thread's current stream of a target that has streams is the device's current
// flagos stream: the same handle, so that both are in one order.
class FLAGOS_EXPORT TargetStream {
 public:
  explicit TargetStream(int device);
  ~TargetStream();
  TargetStream(const TargetStream&) = delete;
  TargetStream& operator=(const TargetStream&) = delete;

 private:
  const c10::impl::DeviceGuardImplInterface* guard_;
  std::optional<c10::Stream> former_;  // where it was another
};

// The target's stream for a flagos stream.
c10::Stream stream_on_target(const c10::Stream& stream);

}  // namespace flagos
