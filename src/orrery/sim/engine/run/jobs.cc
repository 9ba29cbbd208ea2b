// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/run/jobs.h"

#include <algorithm>

#include "orrery/core/disjoint_sets.h"

namespace orrery::sim {

void Jobs::set_up(const graph::Workload& workload, const FoldedWorkload& folded_workload) {
  const auto& jobs = workload.job_of_rank;
  if (jobs.empty()) return;
  const std::uint32_t count = *std::max_element(jobs.begin(), jobs.end()) + 1;
  if (count < 2 || count >= Event::kNoJob) return;
  DisjointSets joined(count);
  for (std::uint32_t rank = 0; rank < jobs.size(); ++rank)
    joined.join(jobs[rank], jobs[folded_workload.real(folded_workload.rank_for(rank))]);
  for (std::uint32_t rank = 0; rank < folded_workload.ranks(); ++rank)
    of_rank_.push_back(static_cast<std::uint16_t>(joined.find(jobs[folded_workload.real(rank)])));
  pending_events_.resize(count);
}

std::vector<std::uint16_t> Jobs::take_stalled() {
  std::vector<std::uint16_t> still = std::exchange(maybe_stalled_, {});
  std::sort(still.begin(), still.end());
  still.erase(std::unique(still.begin(), still.end()), still.end());
  std::erase_if(still, [this](std::uint16_t job) { return pending_events_[job] > 0; });
  return still;
}

}  // namespace orrery::sim
