// SPDX-License-Identifier: Apache-2.0
//
// Streams and events as PyTorch sees them.
//
// The id of a c10::Stream is the vendor's handle; 0 is the default stream of the stream's device. Streams come from
// pools, one per device and priority: they are made when first asked for, handed out in turn, and live as long as the
// process. The current stream is kept per thread and device. Any thread may call any of these functions; all throw
// c10::Error.
#pragma once

#include <c10/core/Stream.h>

#include <utility>

#include "include/flagos.h"

// The calling thread's current stream of a device; null means the device's default stream where the SDK has no handle
// for it. -1 is the current device. For operator libraries: throws as the functions below.
extern "C" FLAGOS_EXPORT Stream_t GetCurrentStream(int device);

namespace flagos {

c10::Stream default_stream(int device);
c10::Stream current_stream(int device);

// A stream of the device's pool; lower numbers are more urgent, a priority outside the device's range is clamped.
c10::Stream pooled_stream(int device, int priority);
c10::Stream urgent_stream(int device);  // of the device's most urgent priority

// The device's priorities: least and most urgent, the latter the lower number.
FLAGOS_EXPORT std::pair<int, int> priority_range(int device);

// Makes a stream current for its device in this thread. Leaves the current device alone. Returns the former stream.
c10::Stream exchange_current_stream(const c10::Stream& stream);

// The vendor's handle of a stream. A null handle is only meaningful while the stream's device is current.
Stream_t native_handle(const c10::Stream& stream);

// Everything submitted to `later` from now on runs after everything submitted to `earlier` so far. The streams may
// belong to different devices.
void order_after(const c10::Stream& later, const c10::Stream& earlier);

void synchronize(const c10::Stream& stream);

}  // namespace flagos
