// SPDX-License-Identifier: Apache-2.0
//
// Collectives and transfers of a role that may not have ended, by the stream that they were issued
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::estimate {

/// A collective or a transfer, which kernels feel.
struct RunningOp {
  static constexpr std::uint8_t kNoAxis = 255;  ///< a transfer: in no collective's way
  std::int64_t ready, begin, end;
  double of_products, of_others;
  std::uint8_t queue, axis;
  std::uint64_t number;  // in the order of issue
};

/// Those of one stream, one after another, from the first that may not have ended.
struct StreamLane {
  std::vector<RunningOp> list;
  std::size_t first = 0;
  [[nodiscard]] auto begin() { return list.begin() + static_cast<std::ptrdiff_t>(first); }
  [[nodiscard]] auto end() { return list.end(); }
  [[nodiscard]] auto begin() const { return list.begin() + static_cast<std::ptrdiff_t>(first); }
  [[nodiscard]] auto end() const { return list.end(); }
  void forget(std::int64_t before) {
    while (first < list.size() && list[first].end <= before) ++first;
    if (first < list.size()) return;
    list.clear();
    first = 0;
  }
};

}  // namespace orrery::estimate
