// SPDX-License-Identifier: Apache-2.0
//
// What a recorded host did between operators.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "addons/bench/recording/step_repeats.h"
#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Goes along recorded operators in their order, and adds up the host's time between them: without
/// what it waited for other ranks, and without the profiler's own time.
///
/// That it waited until a communication of another thread ended (Gloo's) is taken for granted where
/// one ended between two operators. The profiler's time for an event is at most what
/// any range takes beyond the only one inside of it: of the autograd engine's and of each operator
/// that is found 20 times with one inside, the least mean (without the largest tenth), and 2 us at
/// most; none, nothing is taken off. Half of it is spent at an event's begin, half at its end; of
/// the operators themselves, half between them.
///
/// Where steps are annotated the first operator's time begins with its step.
///
/// Where the device trace has the step several times (Repeats), the time is the median of theirs;
/// one in which an operator is not found counts for nothing there.
class HostGaps {
 public:
  /// `profile` is indexed and outlives this. O(events log events).
  explicit HostGaps(const profile::Profile& profile);

  /// Adds what the host did since the last one, up to this one. Untimed ones count for nothing.
  void pass(profile::EventId event);
  /// Goes on to this one's end, and adds nothing. Before the first that was passed does nothing
  /// where no step is annotated.
  void skip(profile::EventId event);
  /// What was added since it was last taken, never negative: of steps, the median (of an even
  /// number the mean of two). What was taken off too much in a step, times being rounded, is taken
  /// off the next.
  [[nodiscard]] Time take();
  /// By how much a step's times together are more than what was taken: what takes long now and then
  /// is in no median, but some of it in every step. The median of steps; 1 of a single one.
  [[nodiscard]] double more() const;

  /// What the profiler takes for one event.
  [[nodiscard]] Time profiler() const { return profiler_; }

 private:
  struct Place {
    std::uint32_t at = 0;     ///< among its lane's timed events in order
    std::uint32_t size = 0;   ///< of it and all that is inside of it
    std::uint32_t depth = 0;  ///< how many are around it
  };

  /// How far one step was gone along.
  struct Walk {
    std::vector<profile::EventId> last;  // by lane: passed, and ended last
    Time host{}, owed{};
    bool lost = false;  ///< since the last take
    Time all{};         ///< taken; the median where it was lost
  };

  void find_places();
  using Pair = std::pair<StringId, StringId>;

  [[nodiscard]] std::optional<Pair> alone_inside(profile::EventId inner) const;
  void find_profiler();
  void find_ends();
  void pass(Walk& walk, profile::EventId event) const;
  void go_to_end(Walk& walk, profile::EventId event) const;
  [[nodiscard]] std::int64_t stamps_before(const Walk& walk, profile::EventId event) const;

  const profile::Profile& profile_;
  StepRepeats repeats_;
  std::vector<Place> places_;                         // by event
  std::vector<std::pair<Time, std::uint32_t>> ends_;  // of communications, with their lanes
  std::vector<Walk> walks_;                           // by step
  Time profiler_{}, taken_{};
};

}  // namespace orrery::bench
