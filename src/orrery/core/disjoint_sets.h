// SPDX-License-Identifier: Apache-2.0
//
// Sets of numbers that are joined two by two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace orrery {

/// At first each number is a set of its own. Joining and asking take O(log n) amortised.
class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : up_(count) { std::iota(up_.begin(), up_.end(), 0u); }
  /// The lowest of the set that `one` is in.
  [[nodiscard]] std::uint32_t of(std::uint32_t one) {
    while (up_[one] != one) one = up_[one] = up_[up_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = of(a);
    b = of(b);
    up_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> up_;
};

}  // namespace orrery
