// SPDX-License-Identifier: Apache-2.0
//
// Detects which of several jobs on one machine has stalled while others continue.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/shortcuts/folding/folded_workload.h"

namespace orrery::sim {

/// Counts the pending events of each job, including messages in flight. An event belongs to the job
/// of the event that caused it, because jobs affect each other only through message times. With one
/// job, nothing is counted.
class Jobs {
 public:
  /// Takes the jobs of the workload. Jobs with ranks that one simulated rank represents are merged.
  void set_up(const graph::Workload& workload, const FoldedWorkload& folded_workload);

  [[nodiscard]] bool has_several() const { return !pending_events_.empty(); }
  [[nodiscard]] std::uint16_t of(std::uint32_t rank) const { return of_rank_[rank]; }

  /// Events queued from now on belong to the job of this simulated rank.
  void set_current(std::uint32_t rank) {
    if (has_several()) current_ = of_rank_[rank];
  }
  /// Counts a pending event for the current job.
  void count_queued(Event& event) {
    if (!has_several()) return;
    event.job = current_;
    ++pending_events_[current_];
  }
  /// The queue has merged the event into another one.
  void uncount_merged(const Event& event) {
    if (event.job != Event::kNoJob) --pending_events_[event.job];
  }
  /// The event is processed now.
  void count_processed(const Event& event) {
    if (event.job == Event::kNoJob) return;
    current_ = event.job;
    if (--pending_events_[current_] == 0) maybe_stalled_.push_back(current_);
  }
  /// At the end of a tick: the jobs that have lost their last pending event in it.
  [[nodiscard]] std::vector<std::uint16_t> take_stalled();

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [of_rank, pending_events, maybe_stalled, current] = self;
    return std::tie(pending_events, maybe_stalled, current);
  }

 private:
  std::vector<std::uint16_t> of_rank_;         // by simulated rank
  std::vector<std::uint64_t> pending_events_;  // by job; empty: there is one job
  std::vector<std::uint16_t> maybe_stalled_;
  std::uint16_t current_ = 0;
};

}  // namespace orrery::sim
