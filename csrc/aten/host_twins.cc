// SPDX-License-Identifier: Apache-2.0
#include "aten/host_twins.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/_copy_from.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

#include "aten/tensor_memory.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/host_allocator.h"
#include "runtime/storage.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

// Ranges begin at a multiple of the largest element, so that every tensor's offset in one is a whole number of
// elements.
constexpr size_t kLargestElement = 16;

constexpr size_t kSmall = size_t{64} << 10;
constexpr size_t kLarge = size_t{64} << 20;

// Memory of the middle sizes is pinned, unless there is no more of that: the pinned allocator keeps what it has got,
// where the system would map and clear new pages for each call, and chips copy it faster. It would keep the large ones
// for ever, and small ones do not gain.
c10::Storage host_storage(size_t bytes) {
  const auto from = [&](c10::Allocator* allocator) {
    return c10::Storage(c10::Storage::use_byte_size_t(), bytes, allocator, /*resizable=*/true);
  };
  if (bytes >= kSmall && bytes <= kLarge) {
    try {
      return from(&host_allocator());
    } catch (const c10::OutOfMemoryError&) {
    }
  }
  return from(c10::GetCPUAllocator());
}

// On the default stream one blocking call does what else takes two.
void move(void* to, const void* from, size_t bytes, MemcpyKind kind, int device) {
  if (bytes == 0) return;
  const c10::Stream stream = current_stream(device);
  if (stream == default_stream(device)) {
    check(runtime().memory->memcpy(to, from, bytes, kind), "memcpy");
  } else {
    check(runtime().MemcpyAsync(to, from, bytes, kind, native_handle(stream)), "MemcpyAsync");
    synchronize(stream);
  }
}

}  // namespace

size_t HostTwins::add(const at::Tensor& tensor) {
  for (size_t number = 0; number < entries_.size(); ++number) {
    if (entries_[number].original.is_same(tensor)) return number;
  }
  const size_t begin = static_cast<size_t>(tensor.storage_offset()) * tensor.itemsize();
  entries_.push_back({tensor, at::Tensor(), begin, begin + spanned_bytes(tensor)});
  return entries_.size() - 1;
}

void HostTwins::read() {
  c10::SmallVector<Entry*, 4> by_address;
  for (Entry& entry : entries_) {
    if (entry.original._is_zerotensor()) {
      entry.twin = at::zeros(entry.original.sizes(), entry.original.options().device(at::kCPU));
    } else {
      by_address.push_back(&entry);
    }
  }
  const auto storage_of = [](const Entry& entry) { return entry.original.storage().unsafeGetStorageImpl(); };
  std::sort(by_address.begin(), by_address.end(), [&](const Entry* a, const Entry* b) {
    return std::make_pair(storage_of(*a), a->begin) < std::make_pair(storage_of(*b), b->begin);
  });

  c10::SmallVector<size_t, 4> range_of;
  for (const Entry* entry : by_address) {
    Range* last = ranges_.empty() ? nullptr : &ranges_.back();
    if (last != nullptr && last->device.unsafeGetStorageImpl() == storage_of(*entry) && entry->begin < last->end) {
      last->end = std::max(last->end, entry->end);
    } else {
      const bool empty = entry->begin == entry->end;
      const size_t begin = empty ? entry->begin : entry->begin / kLargestElement * kLargestElement;
      ranges_.push_back({entry->original.storage(), c10::Storage(), begin, entry->end, 0});
    }
    ranges_.back().in_tensors += entry->original.nbytes();
    range_of.push_back(ranges_.size() - 1);
  }

  for (Range& range : ranges_) {
    range.host = host_storage(range.end - range.begin);
    if (!range.is_mostly_gaps()) {
      move(range.host.mutable_data(), static_cast<const char*>(range.device.data()) + range.begin,
           range.end - range.begin, MemcpyDeviceToHost, device_);
    }
  }
  for (size_t i = 0; i < by_address.size(); ++i) {
    const Range& range = ranges_[range_of[i]];
    Entry& entry = *by_address[i];
    const size_t offset = (entry.begin - range.begin) / entry.original.itemsize();
    entry.twin = tensor_over(range.host, c10::DispatchKey::CPU, offset, entry.original);
    if (range.is_mostly_gaps()) at::_copy_from(entry.original, entry.twin);
  }
}

// Host memory that nothing is written to costs nothing, so only the elements are read.
bool HostTwins::Range::is_mostly_gaps() const { return end - begin > kLarge && in_tensors < (end - begin) / 2; }

void HostTwins::write_back(size_t number) const {
  const at::Tensor& tensor = entries_[number].original;
  const at::Tensor& twin = entries_[number].twin;
  if (tensor.sizes() != twin.sizes() || tensor.strides() != twin.strides()) {
    const size_t needed = at::detail::computeStorageNbytes(twin.sizes(), twin.strides(), twin.itemsize(),
                                                           static_cast<size_t>(tensor.storage_offset()));
    if (twin.numel() != 0 && needed > tensor.storage().nbytes()) {
      resize_storage(*tensor.storage().unsafeGetStorageImpl(), needed);
    }
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(twin.sizes(), twin.strides());
  }
  if (tensor.is_non_overlapping_and_dense()) {
    move(tensor.mutable_data_ptr(), twin.const_data_ptr(), tensor.nbytes(), MemcpyHostToDevice, device_);
  } else if (tensor.numel() != 0) {
    at::_copy_from(twin, tensor);  // which leaves alone what lies between the elements
  }
}

at::Tensor HostTwins::to_device(const at::Tensor& result) const {
  if (!result.defined() || !result.is_cpu()) return result;
  for (const Entry& entry : entries_) {
    if (entry.twin.is_same(result)) return entry.original;
  }
  for (const Range& range : ranges_) {
    if (range.host.is_alias_of(result.storage())) return view_of(range, result);
  }
  const size_t span = spanned_bytes(result);
  if (span > result.nbytes()) return to_device(result.contiguous());  // gaps; where elements repeat the span is small
  const at::Tensor host = result._is_zerotensor() ? at::zeros(result.sizes(), result.options()) : result;
  c10::Storage storage(c10::Storage::use_byte_size_t(), span, &device_allocator(), /*resizable=*/true);
  move(storage.mutable_data(), host.const_data_ptr(), span, MemcpyHostToDevice, device_);
  return tensor_over(std::move(storage), c10::DispatchKey::PrivateUse1, 0, host);
}

at::Tensor HostTwins::view_of(const Range& range, const at::Tensor& result) const {
  const size_t begin = static_cast<size_t>(result.storage_offset()) * result.itemsize();
  TORCH_INTERNAL_ASSERT(begin + spanned_bytes(result) <= range.host.nbytes(), "a view reaches beyond its base");
  return tensor_over(range.device, c10::DispatchKey::PrivateUse1, (range.begin + begin) / result.itemsize(), result);
}

}  // namespace flagos
