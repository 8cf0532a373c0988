// SPDX-License-Identifier: Apache-2.0
//
// The simulated device behind the host vendor: streams that are threads, events that order them, memory that is counted
// and checked. device.cc, memory.cc and stream.cc put the contract of flagos.h over it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flagos.h"

namespace flagos::host {

// How the simulator says no; `call` below turns it into an error code and a text.
struct Failure : std::runtime_error {
  Failure(Error_t error_code, const std::string& text) : std::runtime_error(text), error(error_code) {}
  const Error_t error;
};

// An in-order queue of work with a worker thread, which starts with the first submission. A ticket is a task's position
// in the stream: ticket n has passed once n tasks are complete.
class HostStream {
 public:
  // Runs on the worker; false if it could not do its work because the process is exiting.
  using Task = std::function<bool()>;

  HostStream(int device_index, int stream_priority) : device(device_index), priority(stream_priority) {}

  // Queue `task` and return its ticket.
  uint64_t submit(Task task);
  // The same for a task of no length: an idle stream passes it at once, on the calling thread.
  uint64_t mark(Task task);
  // Do `task` in its turn and return when it is done.
  void run(const Task& task);

  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  bool passed(uint64_t ticket) const { return completed_.load(std::memory_order_acquire) >= ticket; }
  // False if the stream was stopped before it came to `ticket`.
  bool wait(uint64_t ticket);

  // The worker ends after the work already submitted (drain) or after the task it is at (stop).
  void drain() { end(End::Drain); }
  void stop() { end(End::Stop); }
  // True when no thread will touch this stream any more; join() then does not block.
  bool ended();
  void join();

  const int device;
  const int priority;

 private:
  enum class End { No, Drain, Stop };

  void end(End how);
  void work();
  void complete_one();  // with mutex_ held

  std::mutex mutex_;
  std::condition_variable wake_;  // for the worker: there is something to do
  std::condition_variable done_;  // for waiters: completed_ has moved or the worker has ended
  std::deque<Task> queue_;
  // Written with mutex_ held, read without it by queries.
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> completed_{0};
  int waiters_ = 0;
  bool worker_asleep_ = false;
  bool borrowed_ = false;  // run() executes a task on its caller's thread; the worker must let it finish
  bool worker_ended_ = false;
  End end_ = End::No;
  std::thread worker_;
};

// One record of an event: a place in a stream, and when the stream came by.
struct Record {
  explicit Record(std::shared_ptr<HostStream> recorded_on) : stream(std::move(recorded_on)) {}
  bool ready() const { return stream->passed(ticket); }
  bool wait() const { return stream->wait(ticket); }

  const std::shared_ptr<HostStream> stream;
  uint64_t ticket = 0;
  std::chrono::steady_clock::time_point time;  // valid once ready
};

class HostEvent {
 public:
  HostEvent(int device_index, bool with_timing) : device(device_index), timed(with_timing) {}

  void record(const std::shared_ptr<HostStream>& stream);
  std::shared_ptr<const Record> latest() const;  // null before the first record

  const int device;
  const bool timed;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Record> latest_;
};

// Memory of a device or pinned host memory, mapped for itself alone so that releasing it gives the pages back.
class Block {
 public:
  // Throws ErrorMemoryAllocation if the system has no memory. `isolated`: nobody can touch the memory at `address`, and
  // the simulator reaches the same pages at `data`.
  Block(size_t block_size, MemoryType block_type, int owner, bool isolated);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(address); }
  uintptr_t end() const { return begin() + size; }

  // Streams of the owning device need no bookkeeping, release waits for all of them. Others are noted here.
  void note_use(const std::shared_ptr<HostStream>& stream, uint64_t ticket);
  void wait_for_foreign_uses();

  const size_t size;
  const MemoryType type;
  const int device;
  char* address = nullptr;  // what the user holds
  char* data = nullptr;     // where the simulator reads and writes; differs from `address` if isolated

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::shared_ptr<HostStream>, uint64_t>> foreign_uses_;
};

// A checked range of memory: one side of a copy.
struct Span {
  char* data = nullptr;
  std::shared_ptr<Block> block;  // null for pageable host memory
};

// Handles are numbers that are never used twice, by streams and events together, so a destroyed or confused handle is
// always recognised. Never null.
inline std::atomic<uintptr_t> next_handle{0x100};

template <typename Object, typename Handle>
class HandleTable {
 public:
  explicit HandleTable(const char* kind) : kind_(kind) {}

  Handle add(std::shared_ptr<Object> object) {
    const Handle handle = reinterpret_cast<Handle>(next_handle.fetch_add(0x10));
    std::unique_lock<std::shared_mutex> lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  std::shared_ptr<Object> find(Handle handle) const {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw unknown(handle);
    return found->second;
  }

  std::shared_ptr<Object> remove(Handle handle) {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw unknown(handle);
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  Failure unknown(Handle handle) const {
    if (handle == nullptr) return Failure(ErrorUnknown, std::string("null ") + kind_);
    return Failure(ErrorUnknown, std::string(kind_) + " handle is unknown: destroyed, or of another runtime");
  }

  const char* const kind_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<Handle, std::shared_ptr<Object>> objects_;
};

class Simulator {
 public:
  static constexpr int kLeastPriority = 0;
  static constexpr int kGreatestPriority = -2;

  // The one simulator, made by the first call. Throws if it cannot be used: a nonsensical environment variable, or the
  // child of a process that used it.
  static Simulator& get();

  int device_count() const { return static_cast<int>(used_.size()); }
  int current_device() const;
  void set_current_device(int device);
  // Wait for what the streams of `device` have been given so far, destroyed streams included.
  void synchronize(int device);

  Stream_t create_stream(int priority);
  void destroy_stream(Stream_t handle);
  std::shared_ptr<HostStream> stream(Stream_t handle) const;  // null: default stream of the current device
  Stream_t default_stream(int device) const { return default_streams_.at(device); }

  Event_t create_event(bool timed);
  void destroy_event(Event_t handle) { events_.remove(handle); }
  std::shared_ptr<HostEvent> event(Event_t handle) const { return events_.find(handle); }

  void* allocate(size_t size, MemoryType type);
  void release(void* pointer, MemoryType type);
  void memory_info(int device, size_t* free, size_t* total) const;
  std::shared_ptr<Block> block_at(const void* pointer) const;  // null if the address is in no block

  enum class Mode { Blocking, Asynchronous };
  void copy(void* dst, const void* src, size_t count, MemcpyKind kind, const std::shared_ptr<HostStream>& stream,
            Mode mode);
  void fill(void* dst, int value, size_t count, const std::shared_ptr<HostStream>& stream, Mode mode);

 private:
  Simulator();
  void read_environment();
  void shut_down();
  void add_stream(const std::shared_ptr<HostStream>& stream);
  void reap_streams();
  Span device_span(const char* side, const void* pointer, size_t count) const;
  Span host_span(const char* side, const void* pointer, size_t count) const;

  std::string unusable_;  // why; empty if usable
  size_t memory_limit_ = size_t{4} << 30;
  bool isolated_ = false;

  mutable std::mutex streams_mutex_;
  std::vector<std::shared_ptr<HostStream>> all_streams_;  // with those that are destroyed but still have work
  bool shut_down_ = false;
  HandleTable<HostStream, Stream_t> streams_{"stream"};
  HandleTable<HostEvent, Event_t> events_{"event"};
  std::vector<Stream_t> default_streams_;

  mutable std::shared_mutex memory_mutex_;
  std::map<uintptr_t, std::shared_ptr<Block>> blocks_;
  std::vector<size_t> used_;  // by device
};

void set_error_text(const char* function, const char* text);
const char* error_text();

// Every slot is one `call`: no exception leaves the library, every failure leaves its text. A body that returns nothing
// means Success.
template <typename Body>
Error_t call(const char* function, Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body, Simulator&>>) {
      body(Simulator::get());
      return Success;
    } else {
      return body(Simulator::get());
    }
  } catch (const Failure& failure) {
    set_error_text(function, failure.what());
    return failure.error;
  } catch (const std::exception& exception) {  // the simulator's own needs: memory, a thread
    set_error_text(function, exception.what());
    return ErrorUnknown;
  }
}

inline void require_output(const void* output) {
  if (output == nullptr) throw Failure(ErrorUnknown, "null output");
}

}  // namespace flagos::host
