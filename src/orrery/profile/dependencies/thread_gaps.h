// SPDX-License-Identifier: Apache-2.0
//
// Gaps on threads: times in which the recording shows no activity of a thread.
#pragma once

#include <span>
#include <vector>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// A time in which no event begins or ends on a thread, and neither a call nor a communication
/// runs. Annotations and Python frames may enclose it; with `inside` also operators.
struct ThreadGap {
  Time begin{}, end{};  ///< the last gap of a thread ends at kTimeMax
  std::uint32_t lane = 0;
  /// The last step that ended before the gap, and the first that ended after it. A step may last
  /// for the complete gap: an annotation without children is itself the wait.
  NodePosition last = kNone, next = kNone;
  EventId around = kNoEvent;  ///< the innermost enclosing event
  bool first = false;         ///< the begin of the thread: nothing was recorded before; length 0
  bool inside = false;        ///< inside an operator

  [[nodiscard]] Time length() const { return end - begin; }
};

/// The gaps of all threads that are at least `shortest` long.
class ThreadGaps {
 public:
  ThreadGaps(const DependencyDraft& draft, Time shortest);

  [[nodiscard]] std::span<const ThreadGap> all() const { return gaps_; }
  /// The gaps of a thread, in order of time.
  [[nodiscard]] std::span<const ThreadGap> of(std::uint32_t lane) const {
    return {gaps_.data() + first_of_lane_[lane], first_of_lane_[lane + 1] - first_of_lane_[lane]};
  }
  /// The last gap of a thread that began by `when`; null before its first event.
  [[nodiscard]] const ThreadGap* before(std::uint32_t lane, Time when) const;
  /// The thread with the most time in operators and calls.
  [[nodiscard]] std::uint32_t busiest() const { return busiest_; }

 private:
  std::vector<ThreadGap> gaps_;
  std::vector<std::size_t> first_of_lane_;
  std::uint32_t busiest_ = kNone;
};

}  // namespace orrery::profile::draft
