// SPDX-License-Identifier: Apache-2.0
//
// Disjoint sets of numbers (union-find). Initially each number is its own set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace orrery {

/// Both find() and join() take O(log n) amortised.
class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }
  /// The smallest number of the set that contains `member`.
  [[nodiscard]] std::uint32_t find(std::uint32_t member) {
    while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parents_;
};

}  // namespace orrery
