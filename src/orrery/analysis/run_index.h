// SPDX-License-Identifier: Apache-2.0
//
// Which ranks share a timeline, and which groups its group numbers stand for at them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// Whether the span came to an end (in a stalled run some only began).
[[nodiscard]] inline bool has_ended(const result::Span& span) { return span.end >= span.start; }

/// Made once per question over a run; refers to it. O(ranks × groups per rank).
class RunIndex {
 public:
  /// One of the groups that a number stands for, and at how many of the timeline's ranks.
  struct GroupShare {
    std::uint32_t group;
    std::uint32_t ranks;
  };

  explicit RunIndex(const result::Run& run);

  /// Ascending.
  [[nodiscard]] std::span<const std::uint32_t> ranks_of(std::uint32_t timeline) const {
    return {ranks_.data() + first_rank_[timeline],
            first_rank_[timeline + 1] - first_rank_[timeline]};
  }
  /// By group, ascending; empty when no rank of the timeline has that number.
  [[nodiscard]] std::span<const GroupShare> groups_of(std::uint32_t timeline,
                                                      std::uint32_t number) const;
  /// The timelines of those `distance` away from the ranks of `timeline`, ascending, each once.
  [[nodiscard]] std::vector<std::uint32_t> timelines_at(std::uint32_t timeline,
                                                        std::uint32_t distance) const;

 private:
  const result::Run& run_;
  std::vector<std::uint32_t> first_rank_, ranks_;
  std::vector<std::vector<std::vector<GroupShare>>> groups_;  // by timeline, by number
};

/// The span's collectives at the ranks of its timeline: calls `use(collective, ranks)` for each.
template <class Use>
void for_each_collective(const result::Run& run, const RunIndex& index, std::uint32_t timeline,
                         const result::Span& span, const Use& use) {
  for (const auto& [group, ranks] : index.groups_of(timeline, span.group)) {
    if (span.sequence >= run.groups[group].count) continue;
    use(run.groups[group].first + span.sequence, ranks);
  }
}

}  // namespace orrery::analysis
