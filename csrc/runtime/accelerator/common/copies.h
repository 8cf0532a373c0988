// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills that an SDK lacks or does in part, over the contract's own functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "blocks.h"
#include "sdk_call.h"

namespace flagos::sdk {

inline bool reads_host(MemcpyKind kind) { return kind == MemcpyHostToHost || kind == MemcpyHostToDevice; }
inline bool writes_host(MemcpyKind kind) { return kind == MemcpyHostToHost || kind == MemcpyDeviceToHost; }

inline Error_t is_pageable(const void* pointer, bool* pageable) {
  PointerAttributes attributes{};
  if (const Error_t error = PointerGetAttributes(&attributes, pointer)) return error;
  *pageable = *pageable || attributes.type == MemoryTypeUnmanaged;
  return Success;
}

// Whether a copy touches host memory that the runtime does not know. Only without it is an asynchronous copy truly the
// stream's own business; on a system whose device reads pageable memory directly, even a source need not be staged
// before the call returns.
inline Error_t touches_pageable(const void* dst, const void* src, MemcpyKind kind, bool* pageable) {
  *pageable = false;
  if (writes_host(kind)) {
    if (const Error_t error = is_pageable(dst, pageable)) return error;
  }
  return reads_host(kind) ? is_pageable(src, pageable) : Success;
}

// For an SDK that copies between host and device only.
inline Error_t host_copy(const char* slot, void* dst, const void* src, size_t count, Stream_t stream) {
  for (const void* pointer : {static_cast<const void*>(dst), src}) {
    PointerAttributes attributes{};
    if (const Error_t error = PointerGetAttributes(&attributes, pointer)) return error;
    if (attributes.type == MemoryTypeDevice) return fail(slot, "MemcpyHostToHost of device memory");
  }
  if (const Error_t error = StreamSynchronize(stream)) return error;
  std::memcpy(dst, src, count);
  return Success;
}

// A range that begins in a block of ours and leaves it, where the SDK would see parts of the work only.
inline Error_t refuse_overrun(const char* slot, const void* pointer, size_t count) {
  size_t rest = 0;
  if (!blocks().at(pointer, &rest) || count <= rest) return Success;
  return fail(slot, "the range leaves its block");
}

namespace emulation {

namespace async_then_wait {
inline Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  if (const Error_t error = MemcpyAsync(dst, src, count, kind, nullptr)) return error;
  return StreamSynchronize(nullptr);
}
inline Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = MemsetAsync(devPtr, value, count, nullptr)) return error;
  return StreamSynchronize(nullptr);
}
}  // namespace async_then_wait

namespace wait_then_block {
inline Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream) {
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return Memcpy(dst, src, count, kind);
}
inline Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return Memset(devPtr, value, count);
}
}  // namespace wait_then_block

namespace staged_fill {
constexpr size_t kPiece = size_t{1} << 20;

// Host memory full of one byte. There is at most one piece for each of the 256, and it stays: a stream may read it at
// any time later.
inline Error_t piece_of(unsigned char value, void** piece) {
  static std::mutex mutex;
  static std::array<void*, 256> pieces{};
  const std::lock_guard<std::mutex> lock(mutex);
  if (pieces[value] == nullptr) {
    void* made = nullptr;
    if (MallocHost(&made, kPiece) != Success) made = std::malloc(kPiece);  // slower, and as lasting
    if (made == nullptr) return fail("Memset", "out of host memory", ErrorMemoryAllocation);
    std::memset(made, value, kPiece);
    pieces[value] = made;
  }
  *piece = pieces[value];
  return Success;
}

inline Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  void* piece = nullptr;
  if (const Error_t error = refuse_overrun("MemsetAsync", devPtr, count)) return error;
  if (const Error_t error = piece_of(static_cast<unsigned char>(value), &piece)) return error;
  for (size_t done = 0; done < count; done += kPiece) {
    const size_t size = std::min(kPiece, count - done);
    void* target = static_cast<char*>(devPtr) + done;
    if (const Error_t error = MemcpyAsync(target, piece, size, MemcpyHostToDevice, stream)) return error;
  }
  return Success;
}

inline Error_t Memset(void* devPtr, int value, size_t count) {
  if (const Error_t error = MemsetAsync(devPtr, value, count, nullptr)) return error;
  return StreamSynchronize(nullptr);
}
}  // namespace staged_fill

namespace host_mapped {
inline Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind /*kind*/, Stream_t stream) {
  if (const Error_t error = refuse_overrun("MemcpyAsync", dst, count)) return error;
  if (const Error_t error = refuse_overrun("MemcpyAsync", src, count)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  std::memmove(dst, src, count);
  return Success;
}
inline Error_t Memcpy(void* dst, const void* src, size_t count, MemcpyKind kind) {
  return host_mapped::MemcpyAsync(dst, src, count, kind, nullptr);
}
inline Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream) {
  if (const Error_t error = refuse_overrun("MemsetAsync", devPtr, count)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  std::memset(devPtr, value, count);
  return Success;
}
inline Error_t Memset(void* devPtr, int value, size_t count) {
  return host_mapped::MemsetAsync(devPtr, value, count, nullptr);
}
}  // namespace host_mapped

namespace cached_mapped {

// Held around invalidation, work and cleaning: the SDK takes whole blocks, so an invalidation would drop what another
// thread has written to its part of the block and not cleaned yet.
inline std::mutex& one_at_a_time() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// The SDK's object of the block that a range of device memory lies in; none for host memory. The host does the work, so
// nobody but the runtime checks the range.
inline Error_t object_of(const char* slot, const void* pointer, size_t count, bool device,
                         std::shared_ptr<void>* object) {
  size_t rest = 0;
  const std::optional<Block> block = blocks().at(pointer, &rest);
  const bool found = block && block->type == MemoryTypeDevice;
  if (found != device) return fail(slot, device ? "device memory is expected" : "host memory is expected");
  if (block && count > rest) return fail(slot, "the range leaves its block");
  if (found) *object = block->object;
  return Success;
}

// `work` reads one range and writes another. What the device wrote must not be hidden by lines that the cache holds
// from before; that goes for the written range as well, whose first and last line are shared with its neighbours.
template <typename Work, typename Invalidate, typename Clean>
Error_t between(void* read, void* written, Work work, Invalidate invalidate, Clean clean) {
  const std::lock_guard<std::mutex> lock(one_at_a_time());
  for (void* object : {read, written}) {
    if (object == nullptr) continue;
    if (const Error_t error = invalidate(object)) return error;
  }
  work();
  return written == nullptr ? Success : clean(written);
}

template <typename Invalidate, typename Clean>
Error_t MemcpyAsync(void* dst, const void* src, size_t count, MemcpyKind kind, Stream_t stream, Invalidate invalidate,
                    Clean clean) {
  std::shared_ptr<void> from;
  std::shared_ptr<void> to;
  if (const Error_t error = object_of("MemcpyAsync", src, count, !reads_host(kind), &from)) return error;
  if (const Error_t error = object_of("MemcpyAsync", dst, count, !writes_host(kind), &to)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return between(from.get(), to.get(), [&] { std::memmove(dst, src, count); }, invalidate, clean);
}

template <typename Invalidate, typename Clean>
Error_t MemsetAsync(void* devPtr, int value, size_t count, Stream_t stream, Invalidate invalidate, Clean clean) {
  std::shared_ptr<void> to;
  if (const Error_t error = object_of("MemsetAsync", devPtr, count, true, &to)) return error;
  if (const Error_t error = StreamSynchronize(stream)) return error;
  return between(nullptr, to.get(), [&] { std::memset(devPtr, value, count); }, invalidate, clean);
}

}  // namespace cached_mapped

}  // namespace emulation
}  // namespace flagos::sdk
