// SPDX-License-Identifier: Apache-2.0
//
// Statistics of times, without storing them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "orrery/core/quantity.h"

namespace orrery {

/// Count, sum, extremes and deviation of times, without the times themselves.
class TimeStatistics {
 public:
  void add(Time time) {
    least_ = count_ == 0 ? time : std::min(least_, time);
    most_ = count_ == 0 ? time : std::max(most_, time);
    total_ = saturating_sum(total_, time);
    ++count_;
    // Welford's method: the sum of squared distances from the mean so far.
    const double value = static_cast<double>(time.count());
    const double distance = value - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (value - mean_);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Time total() const { return total_; }
  [[nodiscard]] Time least() const { return least_; }
  [[nodiscard]] Time most() const { return most_; }
  /// Rounded down to picoseconds; 0 without times.
  [[nodiscard]] Time mean() const {
    return count_ == 0 ? Time{} : Time(total_.count() / static_cast<std::int64_t>(count_));
  }
  /// Standard deviation of a sample (n - 1); 0 for fewer than two times.
  [[nodiscard]] Time deviation() const {
    if (count_ < 2) return {};
    return Time(std::llround(std::sqrt(squares_ / static_cast<double>(count_ - 1))));
  }

 private:
  std::uint64_t count_ = 0;
  Time total_{}, least_{}, most_{};
  double mean_ = 0, squares_ = 0;  // in picoseconds
};

}  // namespace orrery
