// SPDX-License-Identifier: Apache-2.0
//
// Stretches in which a thread does nothing that was recorded.
#pragma once

#include <span>
#include <vector>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// A stretch in which nothing begins or ends on a thread and no call runs, nor communication.
/// Annotations and Python frames may be around it; `inside`: operators, too.
struct ThreadGap {
  Time begin{}, end{};  ///< the last one of a thread ends at kTimeMax
  std::uint32_t lane = 0;
  /// The last step that had ended before it, the first that ended after it. A step may last all
  /// along: an annotation without anything in it is itself what waits.
  NodePosition last = kNone, next = kNone;
  EventId around = kNoEvent;  ///< the innermost
  bool first = false;         ///< nothing is known of the thread before; no length then
  bool inside = false;        ///< in an operator

  [[nodiscard]] Time length() const { return end - begin; }
};

/// The gaps of all threads that are at least `shortest` long.
class ThreadGaps {
 public:
  ThreadGaps(const DependencyDraft& draft, Time shortest);

  [[nodiscard]] std::span<const ThreadGap> all() const { return gaps_; }
  /// Of a thread, in order of time.
  [[nodiscard]] std::span<const ThreadGap> of(std::uint32_t lane) const {
    return {gaps_.data() + first_of_lane_[lane], first_of_lane_[lane + 1] - first_of_lane_[lane]};
  }
  /// The last gap of a thread that had begun by then; null before its first event.
  [[nodiscard]] const ThreadGap* before(std::uint32_t lane, Time when) const;
  /// The thread with the most time in operators and calls.
  [[nodiscard]] std::uint32_t busiest() const { return busiest_; }

 private:
  std::vector<ThreadGap> gaps_;
  std::vector<std::size_t> first_of_lane_;
  std::uint32_t busiest_ = kNone;
};

}  // namespace orrery::profile::draft
