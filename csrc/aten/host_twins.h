// SPDX-License-Identifier: Apache-2.0
//
// CPU tensors that stand for device tensors while an operator runs on the CPU.
//
// Twins relate to each other as the tensors do: one tensor has one twin, and tensors that overlap in device memory have
// twins that overlap in host memory. So a CPU kernel finds the overlaps that it has to refuse, and a result that is a
// view of an argument is known as one. Memory moves as part of the device's current stream and has arrived when a
// function returns.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace flagos {

class HostTwins {
 public:
  // Expects the device to be the current one for as long as the object is used.
  explicit HostTwins(int device) : device_(device) {}

  // Asks for the twin of a tensor of the device; `twin` takes the number that this returns, once `read` has been
  // called.
  size_t add(const at::Tensor& tensor);
  void read();
  const at::Tensor& twin(size_t number) const { return entries_[number].twin; }
  const at::Tensor& original(size_t number) const { return entries_[number].original; }

  // Gives the tensor what its twin has become: content, and size, strides and a larger storage where those changed.
  void write_back(size_t number) const;

  // The device tensor for a dense CPU tensor: the argument itself for a twin, a view of the argument for a view of a
  // twin, else new memory.
  at::Tensor to_device(const at::Tensor& result) const;

 private:
  struct Entry {
    at::Tensor original;
    at::Tensor twin;
    size_t begin;  // in the original's storage, in bytes
    size_t end;
  };

  // Bytes of one device storage and their copy on the host.
  struct Range {
    c10::Storage device;
    c10::Storage host;
    size_t begin;
    size_t end;
    size_t in_tensors;  // bytes; one that two tensors share counts twice

    bool is_mostly_gaps() const;
  };

  at::Tensor view_of(const Range& range, const at::Tensor& result) const;

  int device_;
  c10::SmallVector<Entry, 4> entries_;
  c10::SmallVector<Range, 4> ranges_;
};

}  // namespace flagos
