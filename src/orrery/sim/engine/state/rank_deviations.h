// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are slower or later than the others (what their ports do is the fabric's).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// `factor` times as long, rounded up to ticks of so many picoseconds; at most Fabric::kTooLong.
[[nodiscard]] Time scaled(Time time, double factor, std::int64_t tick);

/// When each rank begins and how long it computes. All compute nodes deviate (those on the host
/// only where the rank has no device), whether their time was recorded or comes from the roofline;
/// communication and memory do not. Times are rounded up to the clock of the rules: picoseconds, or
/// nanoseconds with ASTRA's.
///
/// Every query is O(1); a rank takes four bytes where some rank deviates and none otherwise.
class RankDeviations {
 public:
  explicit RankDeviations(const platform::Platform& platform);

  /// Some rank is slow or late.
  [[nodiscard]] bool any() const { return !class_of_.empty(); }
  /// Equal numbers: equally slow and late. 0: neither.
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank) const {
    return any() ? class_of_[rank] : 0;
  }
  /// When the rank's first node may begin.
  [[nodiscard]] Time start(std::uint32_t rank) const { return classes_[class_of(rank)].start; }
  /// What a compute node of that many picoseconds takes; at most Fabric::kTooLong.
  [[nodiscard]] Time compute(std::uint32_t rank, Time time) const {
    return of(time, classes_[class_of(rank)].compute_time);
  }
  /// … a step of a host beside a device, a copy, communication that takes its recorded time.
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

  std::vector<std::uint32_t> class_of_;  // by rank; empty: all alike
  std::vector<Class> classes_{Class{}};
  std::int64_t tick_;
};

}  // namespace orrery::sim
