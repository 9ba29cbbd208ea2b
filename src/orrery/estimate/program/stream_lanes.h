// SPDX-License-Identifier: Apache-2.0
//
// Collectives and transfers of a rank class that may still run, by the stream that issued them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::estimate {

/// A collective or a transfer, which slows concurrent kernels.
struct RunningOp {
  static constexpr std::uint8_t kNoAxis = 255;  ///< a transfer: does not contend with collectives
  std::int64_t ready, begin, end;
  double product_slowdown, other_slowdown;
  std::uint8_t queue, axis;
  std::uint64_t number;  // issue number
};

/// Ops of one stream in sequence, from the first that may still run.
struct StreamLane {
  std::vector<RunningOp> ops;
  std::size_t first = 0;
  [[nodiscard]] auto begin() { return ops.begin() + static_cast<std::ptrdiff_t>(first); }
  [[nodiscard]] auto end() { return ops.end(); }
  [[nodiscard]] auto begin() const { return ops.begin() + static_cast<std::ptrdiff_t>(first); }
  [[nodiscard]] auto end() const { return ops.end(); }
  void drop_finished(std::int64_t before) {
    while (first < ops.size() && ops[first].end <= before) ++first;
    if (first < ops.size()) return;
    ops.clear();
    first = 0;
  }
};

}  // namespace orrery::estimate
