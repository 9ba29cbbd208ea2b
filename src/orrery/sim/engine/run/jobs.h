// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine: which of them has come to a standstill while others go on.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/sim/engine/state/event_queue.h"
#include "orrery/sim/shortcuts/folding/folded_workload.h"

namespace orrery::sim {

/// How many events of each job are to come, messages under way among them. What a job's event
/// leads to is the job's, since jobs have nothing to do with each other but for how long messages
/// take. With one job nothing is counted.
class Jobs {
 public:
  /// Those of the workload; ranks that stand for ranks of several jobs make these one.
  void set_up(const graph::Workload& workload, const FoldedWorkload& folded_workload);

  [[nodiscard]] bool several() const { return !to_come_.empty(); }
  [[nodiscard]] std::uint16_t of(std::uint32_t rank) const { return of_rank_[rank]; }

  /// What begins from now on is this simulated rank's doing.
  void act_for(std::uint32_t rank) {
    if (several()) now_ = of_rank_[rank];
  }
  /// An event of whoever acts is to come.
  void begins(Event& event) {
    if (!several()) return;
    event.job = now_;
    ++to_come_[now_];
  }
  /// It is one with another now.
  void merged(const Event& event) {
    if (event.job != Event::kNoJob) --to_come_[event.job];
  }
  /// It happens now.
  void happens(const Event& event) {
    if (event.job == Event::kNoJob) return;
    now_ = event.job;
    if (--to_come_[now_] == 0) maybe_stalled_.push_back(now_);
  }
  /// The tick is over: jobs that had something to come before it and have nothing now.
  [[nodiscard]] std::vector<std::uint16_t> take_stalled();

 private:
  std::vector<std::uint16_t> of_rank_;  // by simulated rank
  std::vector<std::uint64_t> to_come_;  // by job; empty: there is one
  std::vector<std::uint16_t> maybe_stalled_;
  std::uint16_t now_ = 0;
};

}  // namespace orrery::sim
