// SPDX-License-Identifier: Apache-2.0
//
// A vector that grows without moving its elements and without allocating twice their memory.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "orrery/core/memory_slab.h"

namespace orrery {

/// Elements in blocks of 2^10: small blocks, since a job may have thousands of small traces. After
/// kSmallBlocks, blocks are allocated many at a time, in slabs of large pages. Indexing costs a
/// shift and a mask more than in std::vector. References stay valid while it grows.
template <class T>
class ChunkedVector {
  static_assert(std::is_trivially_destructible_v<T>, "elements are not destroyed");

 public:
  static constexpr std::size_t kShift = 10;
  static constexpr std::size_t kBlock = std::size_t{1} << kShift;
  static constexpr std::size_t kSmallBlocks = 64;
  static constexpr std::size_t kSlabBytes = std::size_t{4} << 20;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i >> kShift][i & (kBlock - 1)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return blocks_[i >> kShift][i & (kBlock - 1)];
  }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  T& push_back(T value) {
    if (size_ == blocks_.size() * kBlock) add_block();
    T* const place = std::construct_at(&(*this)[size_], std::move(value));
    ++size_;
    return *place;
  }
  void pop_back() { --size_; }
  void clear() {
    blocks_.clear();
    slabs_.clear();
    free_bytes_ = 0;
    size_ = 0;
  }
  [[nodiscard]] std::size_t resident_bytes() const { return blocks_.size() * kBlock * sizeof(T); }

 private:
  void add_block() {
    constexpr std::size_t kBytes = kBlock * sizeof(T);
    if (free_bytes_ < kBytes) {
      const std::size_t bytes =
          blocks_.size() < kSmallBlocks || kBytes > kSlabBytes ? kBytes : kSlabBytes;
      slabs_.push_back(allocate_slab(bytes));
      free_ = slabs_.back().get();
      free_bytes_ = bytes;
    }
    blocks_.push_back(reinterpret_cast<T*>(free_));
    free_ += kBytes;
    free_bytes_ -= kBytes;
  }

  std::vector<T*> blocks_;
  std::vector<MemorySlab> slabs_;
  std::byte* free_ = nullptr;   // of the last slab …
  std::size_t free_bytes_ = 0;  // … so many bytes
  std::size_t size_ = 0;
};

}  // namespace orrery
