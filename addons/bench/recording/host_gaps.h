// SPDX-License-Identifier: Apache-2.0
//
// The host time between recorded operators.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "addons/bench/recording/step_repeats.h"
#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Visits recorded operators in order and sums the host time between them, without waits for other
/// ranks and without the overhead of the profiler.
///
/// If a communication of another thread (Gloo) ends between two operators, it assumes that the host
/// waited until then. The profiler overhead per event is estimated from ranges that contain exactly
/// one other range, as the difference of their durations. For the ranges of the autograd engine,
/// and for each pair of operators found at least 20 times, it takes the mean without the largest
/// tenth. The estimate is the smallest mean, at most 2 us; without such ranges it is 0. Half of it
/// is subtracted at the begin and half at the end of each event; for the operators themselves, the
/// half between them.
///
/// If steps are annotated, the gap of the first operator starts at the begin of its step.
///
/// If the device trace contains the step several times (StepRepeats), the time is the median over
/// the steps. Steps in which an operator is not found do not contribute to it.
class HostGaps {
 public:
  /// `profile` must be indexed and outlive this object. O(events log events).
  explicit HostGaps(const profile::Profile& profile);

  /// Adds the host time from the end of the last visited operator to this one. Operators without
  /// times are ignored.
  void visit(profile::EventId event);
  /// Advances to the end of this operator without adding time. Has no effect before the first
  /// visit(), unless a step is annotated.
  void skip(profile::EventId event);
  /// The time added since the last take(), at least 0: the median over steps (for an even number,
  /// the mean of the two middle values). Because times are rounded, the sum of a step may be
  /// negative; the next take() compensates for it.
  [[nodiscard]] Time take();
  /// The median over steps of the total time, relative to the total of take(); at least 1, and 1
  /// for a single step. It is above 1 because rare long gaps are in no median, but each step has
  /// some.
  [[nodiscard]] double total_ratio() const;

  /// The estimated profiler overhead per event.
  [[nodiscard]] Time profiler_overhead() const { return profiler_overhead_; }

 private:
  struct Place {
    std::uint32_t at = 0;     ///< index among the timed events of its lane
    std::uint32_t size = 0;   ///< number of timed events in it, including itself
    std::uint32_t depth = 0;  ///< number of timed events around it
  };

  /// The progress in one step.
  struct Walk {
    std::vector<profile::EventId> last;  // by lane: the visited event that ended last
    Time host{}, remaining{};
    bool lost = false;  ///< an operator was not found since the last take
    Time all{};         ///< total of take(); the median if lost
  };

  void find_places();
  using Pair = std::pair<StringId, StringId>;

  [[nodiscard]] std::optional<Pair> single_child(profile::EventId inner) const;
  void estimate_profiler_overhead();
  void find_ends();
  void visit(Walk& walk, profile::EventId event) const;
  void move_to_end(Walk& walk, profile::EventId event) const;
  [[nodiscard]] std::int64_t stamps_before(const Walk& walk, profile::EventId event) const;

  const profile::Profile& profile_;
  StepRepeats repeats_;
  std::vector<Place> places_;                         // by event
  std::vector<std::pair<Time, std::uint32_t>> ends_;  // ends of communications, with their lanes
  std::vector<Walk> walks_;                           // by step
  Time profiler_overhead_{}, taken_{};
};

}  // namespace orrery::bench
