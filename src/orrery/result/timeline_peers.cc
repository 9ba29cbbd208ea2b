// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/timeline_peers.h"

#include <algorithm>

namespace orrery::result {

std::vector<std::vector<std::uint32_t>> ranks_by_timeline(const Run& run) {
  std::vector<std::vector<std::uint32_t>> ranks(run.timelines.size());
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank)
    ranks[run.ranks[rank].timeline].push_back(rank);
  return ranks;
}

std::vector<std::uint32_t> peer_timelines(const Run& run, std::span<const std::uint32_t> ranks,
                                          std::uint32_t distance) {
  std::vector<std::uint32_t> timelines;
  for (const std::uint32_t rank : ranks) {
    const std::uint32_t timeline = run.ranks[run.peer(rank, distance)].timeline;
    if (timelines.empty() || timelines.back() != timeline) timelines.push_back(timeline);
  }
  std::sort(timelines.begin(), timelines.end());
  timelines.erase(std::unique(timelines.begin(), timelines.end()), timelines.end());
  return timelines;
}

}  // namespace orrery::result
