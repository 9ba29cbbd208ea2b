// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/run_index.h"

#include <algorithm>
#include <map>

namespace orrery::analysis {

RunIndex::RunIndex(const result::Run& run)
    : run_(run),
      first_rank_(run.timelines.size() + 1),
      ranks_(run.ranks.size()),
      groups_(run.timelines.size()) {
  for (const result::Rank& rank : run.ranks) ++first_rank_[rank.timeline + 1];
  for (std::size_t t = 0; t < run.timelines.size(); ++t) first_rank_[t + 1] += first_rank_[t];
  std::vector<std::uint32_t> next(first_rank_.begin(), first_rank_.end() - 1);
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) ranks_[next[run.ranks[r].timeline]++] = r;
  for (std::uint32_t t = 0; t < run.timelines.size(); ++t) {
    std::vector<std::map<std::uint32_t, std::uint32_t>> counts;
    for (const std::uint32_t r : ranks_of(t)) {
      const auto& groups = run.ranks[r].groups;
      if (counts.size() < groups.size()) counts.resize(groups.size());
      for (std::size_t number = 0; number < groups.size(); ++number) {
        if (groups[number] >= run.groups.size()) continue;
        const result::Group& group = run.groups[groups[number]];
        const bool shared = group.count > 0 && group.stored < run.collectives.size();
        ++counts[number][shared ? run.collectives[group.stored].group : groups[number]];
      }
    }
    for (const auto& count : counts) {
      auto& shares = groups_[t].emplace_back();
      for (const auto& [group, ranks] : count) shares.push_back({group, ranks});
    }
  }
}

std::span<const RunIndex::GroupShare> RunIndex::groups_of(std::uint32_t timeline,
                                                          std::uint32_t number) const {
  const auto& groups = groups_[timeline];
  if (number >= groups.size()) return {};
  return groups[number];
}

std::vector<std::uint32_t> RunIndex::timelines_at(std::uint32_t timeline,
                                                  std::uint32_t distance) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t r : ranks_of(timeline)) {
    found.push_back(run_.ranks[run_.peer(r, distance)].timeline);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace orrery::analysis
