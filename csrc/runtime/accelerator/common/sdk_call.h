// SPDX-License-Identifier: Apache-2.0
//
// What every generated runtime needs around a call of its SDK: the text of an error, casts between the contract's types
// and the SDK's, and values that are made once and kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <type_traits>

#include "flagos.h"

namespace flagos::sdk {

// Plain data: calls may still come while a thread's destructors run.
inline thread_local char last_error[512] = "";

// Misuse that we notice before the SDK does, or what the SDK cannot do.
inline Error_t fail(const char* function, const char* text, Error_t error = ErrorUnknown) {
  std::snprintf(last_error, sizeof(last_error), "%s: %s", function, text);
  return error;
}

// A slot that the SDK cannot fill.
inline Error_t gap(const char* slot, const char* reason) {
  std::snprintf(last_error, sizeof(last_error), "%s is a gap of this vendor: %s", slot, reason);
  return ErrorUnknown;
}

// For GetDeviceCount: that there is no device is an answer.
inline Error_t none_is_zero(Error_t error, int* count) {
  if (error != ErrorInvalidDevice) return error;
  *count = 0;
  return Success;
}

// What an SDK's code means to one function, before the meaning that it has to all.
template <typename Code>
struct Reading {
  Code code;
  Error_t error;
};

// `value` as the type that the other side has for the same thing: numbers by value, handles and pointers bit by bit.
template <typename To, typename From>
To to(From value) {
  if constexpr (std::is_pointer_v<To> || std::is_pointer_v<From>) {
    return (To)value;  // NOLINT: may take const away, which C headers forget to promise
  } else {
    return static_cast<To>(value);
  }
}

// An SDK's way to say that it made nothing.
template <typename T>
bool is_null(const T& made) {
  if constexpr (std::is_pointer_v<T>) {
    return made == nullptr;
  } else {
    return false;
  }
}

// A value of the process, made when it is first needed. A failure is not kept: the next call tries again.
template <typename T>
class Kept {
 public:
  template <typename Make>
  Error_t get(T* value, Make make) {
    if (!made_.load(std::memory_order_acquire)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!made_.load(std::memory_order_relaxed)) {
        if (const Error_t error = make(&value_)) return error;
        made_.store(true, std::memory_order_release);
      }
    }
    *value = value_;
    return Success;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> made_{false};
  T value_{};
};

// One value for each device.
template <typename T>
class KeptPerDevice {
 public:
  template <typename Make>
  Error_t get(int device, T* value, Make make) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);  // making one may ask for the device's other values
    auto known = values_.find(device);
    if (known == values_.end()) {
      T made{};
      if (const Error_t error = make(&made)) return error;
      known = values_.emplace(device, made).first;
    }
    *value = known->second;
    return Success;
  }

 private:
  std::recursive_mutex mutex_;
  std::map<int, T> values_;
};

// One call fills a list with a value for each device.
template <typename T>
class KeptList {
 public:
  static constexpr int kMost = 64;

  template <typename Make>
  Error_t get(int device, T* value, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!made_) {
      if (const Error_t error = make(values_)) return error;
      made_ = true;
    }
    if (device < 0 || device >= kMost)
      return fail("device", "an index beyond the 64 that are listed", ErrorInvalidDevice);
    *value = values_[device];
    return Success;
  }

 private:
  std::mutex mutex_;
  bool made_ = false;
  T values_[kMost] = {};
};

}  // namespace flagos::sdk
