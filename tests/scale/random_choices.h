// SPDX-License-Identifier: Apache-2.0
//
// Random choices, the same from one seed everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace orrery::scale {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// `low` … `high`, both included.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  [[nodiscard]] std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(random_() % count);
  }
  [[nodiscard]] bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  [[nodiscard]] T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
  /// `count` different numbers below `end`, ascending.
  [[nodiscard]] std::vector<std::uint32_t> some(std::uint32_t count, std::uint32_t end) {
    std::vector<std::uint32_t> all(end);
    for (std::uint32_t i = 0; i < end; ++i) all[i] = i;
    shuffle(all);
    all.resize(count);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace orrery::scale
