// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::sim {

/// Bytes over time for many slots, in equal bins. The length of the bins doubles whenever time
/// exceeds the last one, so that memory does not depend on the length of the run.
class TrafficBins {
 public:
  explicit TrafficBins(std::size_t slots) : TrafficBins(slots, slots) {}
  /// With as many bins as for `like` slots.
  TrafficBins(std::size_t slots, std::size_t like);

  /// Spreads `bytes` evenly over [from, until) (picoseconds; until == from: all at once). Exact:
  /// the bins of a slot sum to what was added. The same as adding it `times` times.
  void add(std::size_t slot, std::int64_t from, std::int64_t until, std::int64_t bytes,
           std::uint32_t times = 1);

  [[nodiscard]] std::size_t slots() const { return totals_.size(); }
  [[nodiscard]] std::int64_t bin() const { return bin_; }
  [[nodiscard]] std::uint64_t total(std::size_t slot) const { return totals_[slot]; }
  /// The bins of a slot, up to the last bin with traffic in any slot.
  [[nodiscard]] std::span<const std::uint64_t> curve(std::size_t slot) const;

 private:
  void make_room(std::int64_t until);

  std::int64_t bin_ = std::int64_t{1} << 16;
  std::size_t bins_;
  std::size_t used_ = 0;
  std::vector<std::uint64_t> cells_;  // [slot × bins_ + bin]
  std::vector<std::uint64_t> totals_;
};

}  // namespace orrery::sim
