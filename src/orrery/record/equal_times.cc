// SPDX-License-Identifier: Apache-2.0
#include "orrery/record/equal_times.h"

#include <numeric>
#include <unordered_map>

namespace orrery::record {

EqualTimes::EqualTimes(const RecordingSource& source)
    : same_as_(source.workload.rank_count()), is_shared_(same_as_.size()) {
  std::iota(same_as_.begin(), same_as_.end(), 0u);
  if (!source.recording.class_of.empty()) return;
  std::unordered_map<std::size_t, std::uint32_t> first;  // by index of the first node
  for (std::uint32_t rank = 0; rank < same_as_.size(); ++rank) {
    if (source.workload.graph(rank).size() == 0) continue;
    const auto [known, added] = first.try_emplace(source.recording.nodes_of[rank].first, rank);
    if (added) continue;
    same_as_[rank] = known->second;
    is_shared_[known->second] = true;
  }
}

}  // namespace orrery::record
