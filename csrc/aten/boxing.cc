// SPDX-License-Identifier: Apache-2.0
#include "aten/boxing.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>

#include "aten/operators.h"
#include "aten/tensor_memory.h"
#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace flagos {
namespace {

constexpr size_t kFew = 16;  // so many tensors are found faster one by one than by a hash

// ---- memory for kernels of the target ----

// Flagos memory of the current device under the CPU's label.
class LabelledAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr memory = device_allocator().allocate(bytes);
    memory.unsafe_set_device(at::kCPU);
    return memory;
  }
  c10::DeleterFnPtr raw_deleter() const override { return device_allocator().raw_deleter(); }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }
};

LabelledAllocator& labelled_allocator() {
  static auto* const allocator = new LabelledAllocator;
  return *allocator;
}

thread_local bool results_in_flagos_memory = false;

// In place of the CPU's allocator: what a kernel allocates while it runs for flagos is flagos memory, so that its
// results need no copy. CPU kernels call their allocator directly, there is no other way in.
class CpuAllocator final : public c10::Allocator {
 public:
  explicit CpuAllocator(c10::Allocator* former) : former_(former) {}
  c10::DataPtr allocate(size_t bytes) override { return current().allocate(bytes); }
  c10::DeleterFnPtr raw_deleter() const override { return current().raw_deleter(); }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    current().copy_data(destination, source, bytes);
  }

 private:
  c10::Allocator& current() const { return results_in_flagos_memory ? labelled_allocator() : *former_; }

  c10::Allocator* const former_;
};

void drop_storage(void* storage) { c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage)); }

// ---- what was relabelled in a call, by its address ----

template <typename Entries, typename Address>
const typename Entries::value_type* find_entry(const Entries& entries, const Positions* positions, const void* address,
                                               Address address_of) {
  if (positions == nullptr) {
    for (const auto& entry : entries) {
      if (address_of(entry) == address) return &entry;
    }
    return nullptr;
  }
  const auto found = positions->find(address);
  return found != positions->end() ? &entries[found->second] : nullptr;
}

template <typename Entries, typename Address>
void remember_last(const Entries& entries, Positions* positions, Address address_of) {
  if (positions != nullptr) (*positions)[address_of(entries.back())] = entries.size() - 1;
}

// Memory for objects of one size: what a thread freed is kept for its next ones. A call over lists makes and drops
// hundreds of them at once, which malloc is slow at.
template <size_t size>
class Spare {
 public:
  static void* take() {
    List& list = spare;
    if (list.first == nullptr) return ::operator new(size);
    ++list.room;
    return std::exchange(list.first, list.first->next);
  }
  static void put(void* memory) noexcept {
    List& list = spare;
    if (list.room == 0) return ::operator delete(memory);
    if (list.room == kRoom) static_cast<void>(&emptied);  // made by its first use
    --list.room;
    list.first = ::new (memory) Block{list.first};
  }

 private:
  static constexpr size_t kRoom = 1024;
  struct Block {
    Block* next;
  };
  struct List {
    Block* first = nullptr;
    size_t room = kRoom;
  };
  // With the thread. What is freed later finds no room.
  struct Emptied {
    ~Emptied() {
      List& list = spare;
      while (list.first != nullptr) ::operator delete(std::exchange(list.first, list.first->next));
      list.room = 0;
    }
  };
  static inline thread_local List spare;
  static inline thread_local Emptied emptied;
};

class RelabelledStorage final : public c10::StorageImpl {
 public:
  using StorageImpl::StorageImpl;
  static void* operator new(size_t /*size*/) { return Spare<sizeof(RelabelledStorage)>::take(); }
  static void operator delete(void* memory) noexcept { Spare<sizeof(RelabelledStorage)>::put(memory); }
};

// An argument for the kernel: the tensor under another label. Made for each call, so it takes over what the tensor
// knows of its form instead of computing it anew. One that may be written counts the versions of the tensor itself; one
// that is only read counts none, as in inference mode: autograd is done when a kernel runs.
class RelabelledTensor final : public c10::TensorImpl {
 public:
  RelabelledTensor(c10::Storage storage, const c10::TensorImpl& like, bool written)
      : TensorImpl(VIEW, std::move(storage), keys_of(like), like.dtype()) {
    const std::optional<c10::Device> device = device_opt_;
    copy_generic_tensor_metadata(&like, this);
    device_opt_ = device;
    if (written) {
      key_set_ = key_set_ | (like.key_set() & kAutograd);
      set_version_counter(like.version_counter());
    }
  }
  static void* operator new(size_t /*size*/) { return Spare<sizeof(RelabelledTensor)>::take(); }
  static void operator delete(void* memory) noexcept { Spare<sizeof(RelabelledTensor)>::put(memory); }

 private:
  static constexpr c10::DispatchKeySet kAutograd = c10::autograd_dispatch_keyset | c10::inplace_or_view_ks;

  // Those of the tensor but autograd's, with the target's in place of flagos's.
  static c10::DispatchKeySet keys_of(const c10::TensorImpl& like) {
    const auto flagos = c10::BackendComponent::PrivateUse1Bit;
    const c10::DispatchKeySet others = like.key_set() - kAutograd - c10::getAutocastRelatedKeySetFromBackend(flagos);
    return others.remove_backend(flagos) | c10::DispatchKeySet(target().key);
  }
};

}  // namespace

void install_cpu_allocator() {
  static auto* const allocator = new CpuAllocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(allocator, /*priority=*/UINT8_MAX);
}

OnTarget::OnTarget(int device) {
  if (target().is_cpu()) {
    synchronize(current_stream(device));
    results_in_flagos_memory = true;
  } else {
    stream_.emplace(device);
  }
}

OnTarget::~OnTarget() {
  if (target().is_cpu()) results_in_flagos_memory = false;
}

// ---- a call ----

void log_target(int device, const c10::OperatorName& op) {
  if (logs_dispatch()) log_dispatch(device, c10::toString(op), c10::str(target().key, " kernel"));
}

BoxedCall::BoxedCall(const char* name, const char* overload, bool writes)
    : name_(name), overload_(overload), writes_(writes) {}

BoxedCall::~BoxedCall() = default;

void BoxedCall::check_devices() const {
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(name_, overload_);
  Places places;
  for (const auto& [argument, tensor] : seen_) {
    const int64_t item = !places.empty() && places.back().argument == argument ? places.back().item + 1 : 0;
    places.push_back({argument, item, *tensor});
  }
  common_device(described(handle), places);
}

void BoxedCall::begin() {
  require_tensor_here(device_, named_.has_value(), !seen_.empty());
  if (mixed_ && target().is_cpu()) check_devices();  // other kernels tell the devices apart themselves
  device_ = checked_index(named_ ? named_->index() : device_);
  if (C10_UNLIKELY(logs_dispatch())) log_target(device_, {name_, overload_});
  scope_.emplace(device_);
  on_target_.emplace(device_);
  tensors_.reserve(seen_.size());  // so that what is relabelled stays where it is
  storages_.reserve(seen_.size());
  if (seen_.size() > kFew) {
    positions_ = std::make_unique<Positions>();
    positions_->reserve(2 * seen_.size());
  }
}

const c10::Storage& BoxedCall::relabel(const c10::Storage& storage) {
  c10::StorageImpl* const impl = storage.unsafeGetStorageImpl();
  const auto original = [](const StorageEntry& entry) { return entry.original; };
  if (const StorageEntry* const known = find_entry(storages_, positions_.get(), impl, original)) {
    return known->relabelled;
  }
  c10::raw::intrusive_ptr::incref(impl);
  c10::DataPtr memory(storage.mutable_data(), impl, &drop_storage, on_target(storage.device().index()));
  c10::Allocator* const allocator = target().is_cpu() ? &labelled_allocator() : c10::GetAllocator(target().type);
  storages_.push_back({impl, c10::Storage(c10::make_intrusive<RelabelledStorage>(
                                 c10::StorageImpl::use_byte_size_t(), storage.sym_nbytes(), std::move(memory),
                                 allocator, storage.resizable()))});
  remember_last(storages_, positions_.get(), original);
  return storages_.back().relabelled;
}

const at::Tensor& BoxedCall::relabel(const at::Tensor& tensor) {
  if (!tensor.defined() || !on_device(tensor)) return tensor;
  const c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
  const auto original = [](const TensorEntry& entry) { return entry.original->unsafeGetTensorImpl(); };
  if (const TensorEntry* const known = find_entry(tensors_, positions_.get(), impl, original)) return known->relabelled;
  tensors_.push_back(
      {&tensor, tensor._is_zerotensor()
                    ? at::zeros(tensor.sizes(), tensor.options().device(on_target(device_)))
                    : at::detail::make_tensor<RelabelledTensor>(relabel(tensor.storage()), *impl, writes_)});
  remember_last(tensors_, positions_.get(), original);
  return tensors_.back().relabelled;
}

c10::Device BoxedCall::relabel(c10::Device device) const {
  return device.type() == kDeviceType ? on_target(device_) : device;
}

std::optional<at::Generator> BoxedCall::relabel(const std::optional<at::Generator>& generator) {
  const bool given = generator.has_value() && generator->defined();
  if (given) require_own_generator(*generator);
  const at::Generator& flagos = given ? *generator : default_generator(device_);
  if (!target().is_cpu()) return generator_on_target(flagos);
  generator_ = std::make_unique<GeneratorOnCpu>(flagos);
  return generator_->cpu();
}

c10::DispatchKeySet BoxedCall::keys() const { return c10::DispatchKeySet(target().key); }

void BoxedCall::write_back() {
  if (!writes_) return;
  for (StorageEntry& entry : storages_) {
    c10::StorageImpl& kept = *entry.original;
    c10::StorageImpl& used = *entry.relabelled.unsafeGetStorageImpl();
    if (used.data() == kept.data() && used.nbytes() == kept.nbytes()) continue;
    used._mutable_data_ptr_no_checks().unsafe_set_device(kept.device());
    kept.set_data_ptr_noswap(std::move(used._mutable_data_ptr_no_checks()));
    kept.set_nbytes(used.nbytes());
  }
  for (const TensorEntry& entry : tensors_) {
    c10::TensorImpl& kept = *entry.original->unsafeGetTensorImpl();
    const c10::TensorImpl& used = *entry.relabelled.unsafeGetTensorImpl();
    if (used.sizes() != kept.sizes() || used.strides() != kept.strides()) {
      kept.set_sizes_and_strides(used.sizes(), used.strides());
    }
  }
}

const BoxedCall::TensorEntry* BoxedCall::entry_of(const at::Tensor& relabelled) const {
  for (const TensorEntry& entry : tensors_) {
    if (entry.relabelled.is_same(relabelled)) return &entry;
  }
  return nullptr;
}

const at::Tensor& BoxedCall::original(const at::Tensor& relabelled) const {
  const TensorEntry* const entry = entry_of(relabelled);
  if (entry != nullptr) return *entry->original;
  for (const auto& [argument, tensor] : seen_) {
    if (tensor->is_same(relabelled)) return *tensor;  // an argument that was not relabelled
  }
  TORCH_INTERNAL_ASSERT(false, name_, ".", overload_, ": the kernel returned a reference to none of its arguments");
}

at::Tensor BoxedCall::result(at::Tensor from_kernel) {
  if (!from_kernel.defined() || from_kernel.device().type() != target().type) return from_kernel;
  if (from_kernel.use_count() > 1) {  // else nobody else knows this tensor
    if (const TensorEntry* const entry = entry_of(from_kernel)) return *entry->original;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(from_kernel.layout() == at::kStrided && !from_kernel.is_quantized(), name_, ".",
                              overload_, ": flagos devices hold dense tensors only, and the result is a ",
                              from_kernel.toString(), ". Do this step on the CPU: tensor.cpu()");
  const c10::Storage& storage = from_kernel.storage();
  if (storage.use_count() > 1) {  // an argument or another result may lie in it
    for (const StorageEntry& entry : storages_) {
      if (!entry.relabelled.is_alias_of(storage)) continue;
      return tensor_over(c10::Storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(entry.original)),
                         c10::DispatchKey::PrivateUse1, from_kernel.storage_offset(), from_kernel);
    }
  }
  c10::StorageImpl& impl = *storage.unsafeGetStorageImpl();
  if (target().is_cpu() && impl.nbytes() != 0 && impl.data_ptr().get_deleter() != device_allocator().raw_deleter()) {
    // a kernel with memory of its own
    c10::Storage copy(c10::Storage::use_byte_size_t(), impl.nbytes(), &device_allocator(), /*resizable=*/true);
    check(runtime().memory->memcpy(copy.mutable_data(), impl.data(), impl.nbytes(), MemcpyHostToDevice), "memcpy");
    return tensor_over(std::move(copy), c10::DispatchKey::PrivateUse1, from_kernel.storage_offset(), from_kernel);
  }
  if (impl.device_type() != kDeviceType) {  // else another result of this call lies in it
    impl._mutable_data_ptr_no_checks().unsafe_set_device(make_device(device_));
    impl.set_allocator(&device_allocator());
    if (from_kernel.use_count() == 1) {  // it becomes one of flagos
      c10::TensorImpl& own = *from_kernel.unsafeGetTensorImpl();
      own._change_backend_component_keys(make_device(device_));
      own.set_storage_keep_dtype(storage);
      return from_kernel;
    }
  }
  return tensor_over(storage, c10::DispatchKey::PrivateUse1, from_kernel.storage_offset(), from_kernel);
}

}  // namespace flagos
