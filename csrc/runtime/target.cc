// SPDX-License-Identifier: Apache-2.0
#include "runtime/target.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "runtime/stream.h"

namespace flagos {
namespace {

Target& mutable_target() {
  static Target target;
  return target;
}

}  // namespace

const Target& target() { return mutable_target(); }

void set_target(const Target& target) { mutable_target() = target; }

c10::Device on_target(int device) {
  return {target().type, target().is_cpu() ? c10::DeviceIndex{-1} : static_cast<c10::DeviceIndex>(device)};
}

// The id of both is the vendor's handle; that of a default stream is 0, by c10's convention.
c10::Stream stream_on_target(const c10::Stream& stream) {
  return c10::Stream(c10::Stream::UNSAFE, on_target(stream.device_index()), stream.id());
}

TargetStream::TargetStream(int device) : guard_(c10::impl::getDeviceGuardImpl(target().type)) {
  const c10::Stream wanted = stream_on_target(current_stream(device));
  if (guard_->getStream(on_target(device)) != wanted) former_ = guard_->exchangeStream(wanted);
}

TargetStream::~TargetStream() {
  if (former_) guard_->exchangeStream(*former_);
}

}  // namespace flagos
