// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are slower or later than the others. (The fabric contains deviations of their ports.)
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// `time` × `factor`, rounded up to multiples of `tick` picoseconds; at most
/// model::MultiDimFabric::kTooLong.
[[nodiscard]] Time scaled(Time time, double factor, std::int64_t tick);

/// The start of each rank, and the factors of its times. The compute factor applies to all compute
/// nodes (those on the host only if the rank has no device), with recorded or predicted times.
/// Other factors apply to host work, copies, and communication with its recorded duration.
/// Simulated communication and memory do not deviate. Times are rounded up to the clock of the
/// rules: picoseconds, or nanoseconds with ASTRA's.
///
/// Every query is O(1). A rank uses four bytes if some rank deviates, none otherwise.
class RankDeviations {
 public:
  explicit RankDeviations(const platform::Platform& platform);

  /// Whether some rank is slow or late.
  [[nodiscard]] bool any() const { return !class_of_.empty(); }
  /// Ranks with equal numbers have equal deviations. 0: none.
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank) const {
    return any() ? class_of_[rank] : 0;
  }
  /// Earliest start of the rank's first node.
  [[nodiscard]] Time start(std::uint32_t rank) const { return classes_[class_of(rank)].start; }
  /// Duration of a compute node of `time` picoseconds; at most model::MultiDimFabric::kTooLong.
  [[nodiscard]] Time compute(std::uint32_t rank, Time time) const {
    return of(time, classes_[class_of(rank)].compute_time);
  }
  /// The same for host work on ranks with a device, for copies, and for communication with its
  /// recorded duration.
  [[nodiscard]] Time host(std::uint32_t rank, Time time) const {
    return of(time, classes_[class_of(rank)].host_time);
  }
  [[nodiscard]] Time copy(std::uint32_t rank, Time time) const {
    return of(time, classes_[class_of(rank)].copy_time);
  }
  [[nodiscard]] Time communication(std::uint32_t rank, Time time) const {
    return of(time, classes_[class_of(rank)].communication_time);
  }

 private:
  struct Class {
    double compute_time = 1, host_time = 1, copy_time = 1, communication_time = 1;
    Time start{};

    friend auto operator<=>(const Class&, const Class&) = default;
  };
  [[nodiscard]] Time of(Time time, double factor) const { return scaled(time, factor, tick_); }

  std::vector<std::uint32_t> class_of_;  // by rank; empty: no rank deviates
  std::vector<Class> classes_{Class{}};
  std::int64_t tick_;
};

}  // namespace orrery::sim
