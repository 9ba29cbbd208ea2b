// SPDX-License-Identifier: Apache-2.0
//
// An index of a run: which ranks share a timeline, and which groups a timeline's group numbers
// refer to at those ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// Whether the span ended. In a stalled run, some spans begin but never end.
[[nodiscard]] inline bool has_ended(const result::Span& span) { return span.end >= span.start; }

/// Build it once per query on a run. It refers to the run, which must outlive it. O(ranks × groups
/// per rank).
class RunIndex {
 public:
  /// One of the groups that a number refers to, for all groups that share its collectives
  /// (result::Group::stored), and the number of the timeline's ranks in them.
  struct GroupShare {
    std::uint32_t group;
    std::uint32_t ranks;
  };

  explicit RunIndex(const result::Run& run);

  /// The ranks of the timeline, ascending.
  [[nodiscard]] std::span<const std::uint32_t> ranks_of(std::uint32_t timeline) const {
    return {ranks_.data() + first_rank_[timeline],
            first_rank_[timeline + 1] - first_rank_[timeline]};
  }
  /// The groups of a number, ascending; of groups that share collectives, the first. Empty if no
  /// rank of the timeline has this number.
  [[nodiscard]] std::span<const GroupShare> groups_of(std::uint32_t timeline,
                                                      std::uint32_t number) const;
  /// The distinct timelines of the ranks at `distance` from the ranks of `timeline`, ascending.
  [[nodiscard]] std::vector<std::uint32_t> timelines_at(std::uint32_t timeline,
                                                        std::uint32_t distance) const;

 private:
  const result::Run& run_;
  std::vector<std::uint32_t> first_rank_, ranks_;
  std::vector<std::vector<std::vector<GroupShare>>> groups_;  // by timeline, by number
};

/// Calls `use(collective, ranks)` for each stored collective (an index in Run::collectives) that
/// the span is part of at the ranks of its timeline.
template <class Use>
void for_each_collective(const result::Run& run, const RunIndex& index, std::uint32_t timeline,
                         const result::Span& span, const Use& use) {
  for (const auto& [group, ranks] : index.groups_of(timeline, span.group)) {
    if (span.sequence >= run.groups[group].count) continue;
    use(run.groups[group].stored + span.sequence, ranks);
  }
}

}  // namespace orrery::analysis
