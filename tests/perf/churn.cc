// SPDX-License-Identifier: Apache-2.0
//
// Allocating and freeing at random on several threads, each of which holds a number of blocks, by one of three means:
// the device allocator, the vendor's Malloc and Free, or C's malloc and free. Loaded into Python by test_allocator.py.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "runtime/allocator/caching_device_allocator.h"
#include "runtime/loader.h"

namespace {

constexpr size_t kHeld = 50;  // blocks of each thread

struct Cached {
  using Block = c10::DataPtr;
  static Block allocate(size_t size) { return flagos::device_allocator().allocate(size); }
  static void free(Block& block) { block.clear(); }
};

struct Vendor {
  using Block = void*;
  static Block allocate(size_t size) {
    void* memory = nullptr;
    if (flagos::runtime().Malloc(&memory, size) != Success) std::abort();
    return memory;
  }
  static void free(Block& block) {
    if (flagos::runtime().Free(block) != Success) std::abort();
  }
};

struct C {
  using Block = void*;
  static Block allocate(size_t size) {
    void* memory = std::malloc(size);
    asm volatile("" : : "r"(memory) : "memory");  // or the compiler leaves the pair out
    return memory;
  }
  static void free(Block& block) { std::free(block); }
};

// Sizes of 1 KiB to 8 MiB, each power of two as often as the others.
std::vector<size_t> random_sizes(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(10, 23);
  std::vector<size_t> sizes(4096);
  for (size_t& size : sizes) size = static_cast<size_t>(std::exp2(exponent(random)));
  return sizes;
}

template <typename Means>
void work(int steps, unsigned seed) {
  const std::vector<size_t> sizes = random_sizes(seed);
  std::mt19937 random(seed);
  std::vector<typename Means::Block> held;
  for (size_t i = 0; i < kHeld; ++i) held.push_back(Means::allocate(sizes[i]));
  for (int step = 0; step < steps; ++step) {
    auto& block = held[random() % kHeld];
    Means::free(block);
    block = Means::allocate(sizes[step % sizes.size()]);
  }
  for (auto& block : held) Means::free(block);
}

template <typename Means>
double churn(int threads, int steps) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work<Means>, steps, i);
  for (std::thread& worker : workers) worker.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Seconds that `threads` threads take for `steps` pairs of a free and an allocation each.
extern "C" double churn_cached(int threads, int steps) { return churn<Cached>(threads, steps); }
extern "C" double churn_vendor(int threads, int steps) { return churn<Vendor>(threads, steps); }
extern "C" double churn_malloc(int threads, int steps) { return churn<C>(threads, steps); }
