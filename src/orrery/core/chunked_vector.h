// SPDX-License-Identifier: Apache-2.0
//
// A vector that grows without moving its elements and without allocating twice their memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace orrery {

/// Elements in blocks of 2^10: small blocks, since a job may have thousands of small traces.
/// Indexing costs a shift and a mask more than in std::vector. References stay valid while it
/// grows.
template <class T>
class ChunkedVector {
 public:
  static constexpr std::size_t kShift = 10;
  static constexpr std::size_t kBlock = std::size_t{1} << kShift;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i >> kShift][i & (kBlock - 1)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return blocks_[i >> kShift][i & (kBlock - 1)];
  }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  T& push_back(T value) {
    if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<T[]>(kBlock));
    T& place = (*this)[size_++];
    place = std::move(value);
    return place;
  }
  void pop_back() { --size_; }
  void clear() {
    blocks_.clear();
    size_ = 0;
  }
  [[nodiscard]] std::size_t resident_bytes() const { return blocks_.size() * kBlock * sizeof(T); }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace orrery
