// SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace flagos::host {
namespace {

// Device memory is counted in units of this many bytes, as a chip's allocator would.
constexpr size_t kAllocationUnit = 512;
// Pageable memory up to this size is copied aside by an asynchronous copy; above it the call waits instead.
constexpr size_t kStagingLimit = size_t{1} << 20;

// How often a thread looks again, yielding, before it sleeps: some 20 us where the processor has nothing else to do.
constexpr int kSpins = 50;

// Set in the child of a process that used the simulator: its threads are not there and its locks may be held for ever.
std::atomic<bool> forked{false};

// Plain data, because calls may still come while the thread's or the process's destructors run.
thread_local int current = 0;
thread_local char last_error[512] = "";

std::string in_hex(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", pointer);
  return text;
}

[[noreturn]] void fail_exiting() { throw Failure(ErrorUnknown, "the process is exiting, the streams have stopped"); }

// A decimal number and nothing else, at most `most`.
bool parse_number(const std::string& text, size_t most, size_t* number) {
  if (text.empty()) return false;
  size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    const size_t digit = static_cast<size_t>(c - '0');
    if (value > (most - digit) / 10 || digit > most) return false;
    value = value * 10 + digit;
  }
  *number = value;
  return true;
}

bool parse_bytes(std::string text, size_t* bytes) {
  int shift = 0;
  if (!text.empty()) {
    if (text.back() == 'K') shift = 10;
    if (text.back() == 'M') shift = 20;
    if (text.back() == 'G') shift = 30;
    if (shift != 0) text.pop_back();
  }
  size_t number = 0;
  if (!parse_number(text, std::numeric_limits<size_t>::max() >> shift, &number) || number == 0) return false;
  *bytes = number << shift;
  return true;
}

// Signals are for the program's own threads. A fault is for the thread that caused it.
void leave_signals_to_the_program() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&signals, fault);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

void set_error_text(const char* function, const char* text) {
  std::snprintf(last_error, sizeof(last_error), "%s: %s", function, text);
}

const char* error_text() { return last_error; }

// ---- Stream
// ----------------------------------------------------------------------------------------------------------

uint64_t HostStream::submit(Task task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (end_ != End::No) fail_exiting();
  if (!worker_.joinable()) worker_ = std::thread(&HostStream::work, this);
  queue_.push_back(std::move(task));
  const uint64_t ticket = submitted_.load(std::memory_order_relaxed) + 1;
  submitted_.store(ticket, std::memory_order_release);
  const bool wake = worker_asleep_;  // a wake-up is a system call: only where it is needed
  lock.unlock();
  if (wake) wake_.notify_one();
  return ticket;
}

uint64_t HostStream::mark(Task task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (end_ == End::No && passed(submitted())) {
      task();
      const uint64_t ticket = submitted() + 1;
      submitted_.store(ticket, std::memory_order_release);
      complete_one();
      return ticket;
    }
  }
  return submit(std::move(task));
}

void HostStream::run(const Task& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!passed(submitted())) {
    lock.unlock();
    if (!wait(submit(task))) fail_exiting();
    return;
  }
  // Nothing to be ordered after: the caller does the work itself, which saves two thread switches.
  submitted_.store(submitted() + 1, std::memory_order_release);
  borrowed_ = true;
  lock.unlock();
  task();
  lock.lock();
  borrowed_ = false;
  complete_one();
  const bool wake = worker_asleep_ && (!queue_.empty() || end_ != End::No);
  lock.unlock();
  if (wake) wake_.notify_one();
}

bool HostStream::wait(uint64_t ticket) {
  for (int i = 0; i < kSpins; ++i) {
    if (passed(ticket)) return true;
    std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiters_;
  done_.wait(lock, [&] { return passed(ticket) || (worker_ended_ && !borrowed_); });
  --waiters_;
  return passed(ticket);
}

void HostStream::complete_one() {
  completed_.store(completed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (waiters_ > 0) done_.notify_all();
}

void HostStream::work() {
  leave_signals_to_the_program();
  pthread_setname_np(pthread_self(), "flagos-host");
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    // More work usually follows at once; to wake for it would cost ten times what it does.
    if (queue_.empty() && end_ == End::No) {
      lock.unlock();
      for (int i = 0; i < kSpins && passed(submitted()); ++i) std::this_thread::yield();
      lock.lock();
    }
    worker_asleep_ = true;
    wake_.wait(lock, [&] { return !borrowed_ && (!queue_.empty() || end_ != End::No); });
    worker_asleep_ = false;
    if (queue_.empty() || end_ == End::Stop) break;
    Task task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const bool worked = task();
    task = nullptr;  // let go of what it holds before anyone learns that it is done
    lock.lock();
    if (!worked) break;
    complete_one();
  }
  std::deque<Task> dropped;
  dropped.swap(queue_);
  worker_ended_ = true;
  done_.notify_all();
  lock.unlock();  // `dropped` may hold other streams
}

void HostStream::end(End how) {
  std::unique_lock<std::mutex> lock(mutex_);
  end_ = std::max(end_, how);
  lock.unlock();
  wake_.notify_one();
}

bool HostStream::ended() {
  std::unique_lock<std::mutex> lock(mutex_);
  return end_ != End::No && !borrowed_ && (worker_ended_ || !worker_.joinable());
}

void HostStream::join() {
  if (worker_.joinable()) worker_.join();
}

// ---- Event
// -----------------------------------------------------------------------------------------------------------

void HostEvent::record(const std::shared_ptr<HostStream>& stream) {
  auto record = std::make_shared<Record>(stream);
  record->ticket = stream->mark([record] {
    record->time = std::chrono::steady_clock::now();
    return true;
  });
  std::unique_lock<std::mutex> lock(mutex_);
  latest_ = std::move(record);
}

std::shared_ptr<const Record> HostEvent::latest() const {
  std::unique_lock<std::mutex> lock(mutex_);
  return latest_;
}

// ---- Block
// -----------------------------------------------------------------------------------------------------------

Block::Block(size_t block_size, MemoryType block_type, int owner, bool isolated)
    : size(block_size), type(block_type), device(owner) {
  void* mapped = MAP_FAILED;
  void* second = MAP_FAILED;
  if (!isolated) {
    // A device's memory is limited by its own account; the system's heuristics shall judge only what is pinned.
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (type == MemoryTypeDevice ? MAP_NORESERVE : 0);
    mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    second = mapped;
  } else {
    const int file = memfd_create("flagos-host", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0) {
      mapped = mmap(nullptr, size, PROT_NONE, MAP_SHARED, file, 0);
      second = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    const int error = errno;
    if (file >= 0) close(file);  // the mappings keep the pages
    errno = error;
  }
  if (mapped == MAP_FAILED || second == MAP_FAILED) {
    const std::string reason = std::strerror(errno);
    if (mapped != MAP_FAILED) munmap(mapped, size);
    if (second != MAP_FAILED && second != mapped) munmap(second, size);
    throw Failure(ErrorMemoryAllocation, "cannot map " + std::to_string(size) + " bytes: " + reason);
  }
  address = static_cast<char*>(mapped);
  data = static_cast<char*>(second);
}

Block::~Block() {
  munmap(address, size);
  if (data != address) munmap(data, size);
}

void Block::note_use(const std::shared_ptr<HostStream>& stream, uint64_t ticket) {
  if (stream->device == device) return;
  std::unique_lock<std::mutex> lock(mutex_);
  const auto over = [&](const auto& use) { return use.first == stream || use.first->passed(use.second); };
  foreign_uses_.erase(std::remove_if(foreign_uses_.begin(), foreign_uses_.end(), over), foreign_uses_.end());
  foreign_uses_.emplace_back(stream, ticket);
}

void Block::wait_for_foreign_uses() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (const auto& [stream, ticket] : foreign_uses_) stream->wait(ticket);
}

// ---- Simulator: life
// -------------------------------------------------------------------------------------------------

Simulator& Simulator::get() {
  if (forked.load(std::memory_order_relaxed)) {
    throw Failure(ErrorUnknown,
                  "this process was forked from one that used the runtime; start it by exec (spawn) instead");
  }
  // Never destroyed: other threads and static destructors may call until the very end. shut_down ends its threads.
  static Simulator* const simulator = new Simulator;
  if (!simulator->unusable_.empty()) throw Failure(ErrorUnknown, simulator->unusable_);
  return *simulator;
}

Simulator::Simulator() {
  pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  read_environment();
  for (int device = 0; device < device_count(); ++device) {
    auto stream = std::make_shared<HostStream>(device, kLeastPriority);
    all_streams_.push_back(stream);
    default_streams_.push_back(streams_.add(std::move(stream)));
  }
  static Simulator* self;
  self = this;
  std::atexit([] { self->shut_down(); });
}

void Simulator::read_environment() {
  const auto reject = [this](const char* name, const std::string& value, const char* expected) {
    unusable_ = std::string(name) + " is \"" + value + "\", expected " + expected;
  };
  size_t devices = 2;
  if (const char* value = std::getenv("FLAGOS_HOST_DEVICES")) {
    if (!parse_number(value, 64, &devices)) reject("FLAGOS_HOST_DEVICES", value, "an integer from 0 to 64");
  }
  if (const char* value = std::getenv("FLAGOS_HOST_MEMORY")) {
    if (!parse_bytes(value, &memory_limit_)) {
      reject("FLAGOS_HOST_MEMORY", value, "a positive number of bytes, or one followed by K, M or G");
    }
  }
  if (const char* value = std::getenv("FLAGOS_HOST_ISOLATE")) {
    isolated_ = std::strcmp(value, "1") == 0;
    if (!isolated_ && std::strcmp(value, "0") != 0) reject("FLAGOS_HOST_ISOLATE", value, "0 or 1");
  }
  used_.resize(devices);
}

// At exit work that has not begun is dropped. Memory stays: whoever still holds it may yet release it.
void Simulator::shut_down() {
  if (forked.load(std::memory_order_relaxed)) return;
  std::unique_lock<std::mutex> lock(streams_mutex_);
  shut_down_ = true;
  const std::vector<std::shared_ptr<HostStream>> streams = all_streams_;
  lock.unlock();
  for (const auto& stream : streams) stream->stop();
  // A worker that waits for another stream wakes when that stream's worker ends, and no chain of waits is circular:
  // a wait is always for a record made before it.
  for (const auto& stream : streams) stream->join();
}

// ---- Simulator: devices and streams
// ----------------------------------------------------------------------------------

int Simulator::current_device() const {
  if (device_count() == 0) throw Failure(ErrorInvalidDevice, "there is no device");
  return current;
}

void Simulator::set_current_device(int device) {
  if (device < 0 || device >= device_count()) {
    throw Failure(ErrorInvalidDevice,
                  "device " + std::to_string(device) + " is not one of " + std::to_string(device_count()));
  }
  current = device;
}

void Simulator::synchronize(int device) {
  std::vector<std::pair<std::shared_ptr<HostStream>, uint64_t>> pending;
  {
    std::unique_lock<std::mutex> lock(streams_mutex_);
    for (const auto& stream : all_streams_) {
      const uint64_t ticket = stream->submitted();
      if (stream->device == device && !stream->passed(ticket)) pending.emplace_back(stream, ticket);
    }
  }
  bool reached = true;
  for (const auto& [stream, ticket] : pending) reached &= stream->wait(ticket);
  if (!reached) fail_exiting();
}

void Simulator::add_stream(const std::shared_ptr<HostStream>& stream) {
  std::unique_lock<std::mutex> lock(streams_mutex_);
  if (shut_down_) fail_exiting();
  all_streams_.push_back(stream);
}

void Simulator::reap_streams() {
  std::vector<std::shared_ptr<HostStream>> ended;
  {
    std::unique_lock<std::mutex> lock(streams_mutex_);
    if (shut_down_) return;  // shut_down joins them
    const auto living = [](const auto& stream) { return !stream->ended(); };
    const auto first = std::stable_partition(all_streams_.begin(), all_streams_.end(), living);
    ended.assign(first, all_streams_.end());
    all_streams_.erase(first, all_streams_.end());
  }
  for (const auto& stream : ended) stream->join();
}

Stream_t Simulator::create_stream(int priority) {
  reap_streams();
  auto stream = std::make_shared<HostStream>(current_device(), std::clamp(priority, kGreatestPriority, kLeastPriority));
  add_stream(stream);
  return streams_.add(std::move(stream));
}

void Simulator::destroy_stream(Stream_t handle) {
  if (std::find(default_streams_.begin(), default_streams_.end(), handle) != default_streams_.end()) {
    throw Failure(ErrorUnknown, "a default stream cannot be destroyed");
  }
  streams_.remove(handle)->drain();
  reap_streams();
}

std::shared_ptr<HostStream> Simulator::stream(Stream_t handle) const {
  return streams_.find(handle != nullptr ? handle : default_stream(current_device()));
}

Event_t Simulator::create_event(bool timed) {
  return events_.add(std::make_shared<HostEvent>(current_device(), timed));
}

// ---- Simulator: memory
// -----------------------------------------------------------------------------------------------

void* Simulator::allocate(size_t size, MemoryType type) {
  if (size == 0) return nullptr;
  const int device = current_device();
  const bool counted = type == MemoryTypeDevice;
  size_t charge = 0;
  if (counted) {
    std::unique_lock<std::shared_mutex> lock(memory_mutex_);
    const size_t available = memory_limit_ - used_[device];
    // The second test is for a size near the largest number, whose rounding would overflow.
    charge = (size + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
    if (charge > available || size > available) {
      throw Failure(ErrorMemoryAllocation, "out of memory on device " + std::to_string(device) + ": " +
                                               std::to_string(size) + " bytes requested, " + std::to_string(available) +
                                               " of " + std::to_string(memory_limit_) + " free");
    }
    used_[device] += charge;
  }
  try {
    auto block = std::make_shared<Block>(size, type, device, counted && isolated_);
    std::unique_lock<std::shared_mutex> lock(memory_mutex_);
    blocks_.emplace(block->begin(), block);
    return block->address;
  } catch (...) {
    std::unique_lock<std::shared_mutex> lock(memory_mutex_);
    if (counted) used_[device] -= charge;
    throw;
  }
}

void Simulator::release(void* pointer, MemoryType type) {
  if (pointer == nullptr) return;
  std::shared_ptr<Block> block;
  {
    std::unique_lock<std::shared_mutex> lock(memory_mutex_);
    const auto found = blocks_.find(reinterpret_cast<uintptr_t>(pointer));
    if (found == blocks_.end() || found->second->type != type) {
      const char* const kind = type == MemoryTypeDevice ? "device" : "pinned host";
      throw Failure(ErrorUnknown, in_hex(pointer) + " is not the start of a live block of " + kind + " memory");
    }
    block = std::move(found->second);
    blocks_.erase(found);  // of two threads that free it, only one gets here
  }
  try {
    synchronize(block->device);
  } catch (const Failure&) {
    // The process is exiting and the streams have ended: they use nothing any more, which is what counts here.
  }
  block->wait_for_foreign_uses();
  const int device = block->device;
  const size_t charge = (block->size + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
  block.reset();  // unmaps, before the account says that there is room
  std::unique_lock<std::shared_mutex> lock(memory_mutex_);
  if (type == MemoryTypeDevice) used_[device] -= charge;
}

void Simulator::memory_info(int device, size_t* free, size_t* total) const {
  std::shared_lock<std::shared_mutex> lock(memory_mutex_);
  *free = memory_limit_ - used_[device];
  *total = memory_limit_;
}

std::shared_ptr<Block> Simulator::block_at(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  std::shared_lock<std::shared_mutex> lock(memory_mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const std::shared_ptr<Block>& block = std::prev(after)->second;
  return address < block->end() ? block : nullptr;
}

Span Simulator::device_span(const char* side, const void* pointer, size_t count) const {
  const std::shared_ptr<Block> block = block_at(pointer);
  if (block == nullptr || block->type != MemoryTypeDevice) {
    throw Failure(ErrorUnknown, std::string(side) + " " + in_hex(pointer) + " is not device memory");
  }
  const size_t offset = reinterpret_cast<uintptr_t>(pointer) - block->begin();
  if (count > block->size - offset) {
    throw Failure(ErrorUnknown, std::string(side) + " " + in_hex(pointer) + ": " + std::to_string(count) +
                                    " bytes at offset " + std::to_string(offset) + " overrun a block of " +
                                    std::to_string(block->size));
  }
  return Span{block->data + offset, block};
}

Span Simulator::host_span(const char* side, const void* pointer, size_t count) const {
  const std::string name = std::string(side) + " " + in_hex(pointer);
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  if (pointer == nullptr) throw Failure(ErrorUnknown, std::string(side) + " is null");
  if (count > std::numeric_limits<uintptr_t>::max() - begin) {
    throw Failure(ErrorUnknown, name + ": " + std::to_string(count) + " bytes overrun the address space");
  }
  char* const data = static_cast<char*>(const_cast<void*>(pointer));
  std::shared_lock<std::shared_mutex> lock(memory_mutex_);
  const auto after = blocks_.lower_bound(begin + count);
  if (after == blocks_.begin()) return Span{data, nullptr};
  const std::shared_ptr<Block>& block = std::prev(after)->second;  // the last block that begins before the range ends
  if (block->end() <= begin) return Span{data, nullptr};
  if (block->type == MemoryTypeDevice) throw Failure(ErrorUnknown, name + " is device memory, not host memory");
  if (begin < block->begin() || begin + count > block->end()) {
    throw Failure(ErrorUnknown, name + ": " + std::to_string(count) + " bytes overrun a pinned block of " +
                                    std::to_string(block->size));
  }
  return Span{data, block};
}

void Simulator::copy(void* dst, const void* src, size_t count, MemcpyKind kind,
                     const std::shared_ptr<HostStream>& stream, Mode mode) {
  bool to_device = false;
  bool from_device = false;
  switch (kind) {
    case MemcpyHostToHost:
      break;
    case MemcpyHostToDevice:
      to_device = true;
      break;
    case MemcpyDeviceToHost:
      from_device = true;
      break;
    case MemcpyDeviceToDevice:
      to_device = from_device = true;
      break;
    default:
      throw Failure(ErrorUnknown, "unknown MemcpyKind " + std::to_string(static_cast<int>(kind)));
  }
  if (count == 0) return;
  const Span to = to_device ? device_span("destination", dst, count) : host_span("destination", dst, count);
  const Span from = from_device ? device_span("source", src, count) : host_span("source", src, count);

  // Pageable memory is its owner's again when the call returns: a source is copied aside, all else is waited for.
  std::shared_ptr<char[]> staged;
  if (mode == Mode::Asynchronous && (to.block == nullptr || from.block == nullptr)) {
    if (to.block != nullptr && count <= kStagingLimit) {
      staged.reset(new char[count]);
      std::memcpy(staged.get(), from.data, count);
    } else {
      mode = Mode::Blocking;
    }
  }
  char* const target = to.data;
  const char* const source = staged ? staged.get() : from.data;
  const auto task = [target, source, count, staged] {
    std::memmove(target, source, count);
    return true;
  };
  if (mode == Mode::Blocking) {
    stream->run(task);
    return;
  }
  const uint64_t ticket = stream->submit(task);
  to.block->note_use(stream, ticket);
  if (from.block != nullptr) from.block->note_use(stream, ticket);
}

void Simulator::fill(void* dst, int value, size_t count, const std::shared_ptr<HostStream>& stream, Mode mode) {
  if (count == 0) return;
  const Span to = device_span("destination", dst, count);
  const auto task = [target = to.data, value, count] {
    std::memset(target, static_cast<unsigned char>(value), count);
    return true;
  };
  if (mode == Mode::Blocking) {
    stream->run(task);
  } else {
    to.block->note_use(stream, stream->submit(task));
  }
}

}  // namespace flagos::host
