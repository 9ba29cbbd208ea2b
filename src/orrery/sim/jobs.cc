// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/jobs.h"

#include <algorithm>
#include <limits>

#include "orrery/core/joined_sets.h"

namespace orrery::sim {

void Jobs::set_up(const graph::Workload& workload, const Quotient& quotient) {
  const auto& jobs = workload.job_of_rank;
  if (jobs.empty()) return;
  const std::uint32_t count = *std::max_element(jobs.begin(), jobs.end()) + 1;
  if (count < 2 || count >= Event::kNobody) return;
  JoinedSets joined(count);
  for (std::uint32_t rank = 0; rank < jobs.size(); ++rank)
    joined.join(jobs[rank], jobs[quotient.real(quotient.rank_for(rank))]);
  for (std::uint32_t rank = 0; rank < quotient.ranks(); ++rank)
    of_rank_.push_back(static_cast<std::uint16_t>(joined.of(jobs[quotient.real(rank)])));
  to_come_.resize(count);
}

std::vector<std::uint16_t> Jobs::take_still() {
  std::vector<std::uint16_t> still = std::exchange(perhaps_still_, {});
  std::sort(still.begin(), still.end());
  still.erase(std::unique(still.begin(), still.end()), still.end());
  std::erase_if(still, [this](std::uint16_t job) { return to_come_[job] > 0; });
  return still;
}

}  // namespace orrery::sim
