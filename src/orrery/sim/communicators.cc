// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/communicators.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {

// `members` in ring order; empty: all ranks. A group of all ranks is the system's own topology, but
// has its own sequence of collectives.
void Communicators::add(std::string name, std::vector<std::uint32_t> members, std::uint32_t ranks,
                        platform::Rules rules) {
  Communicator& made = all_.emplace_back();
  made.name = std::move(name);
  made.listed = all_.size() > 1;
  if (members.empty() || members.size() == ranks) {
    made.members = ranks;
    return;
  }
  made.ranks = std::move(members);
  made.members = static_cast<std::uint32_t>(made.ranks.size());
  made.sub_group = true;
  if (std::is_sorted(made.ranks.begin(), made.ranks.end())) return;
  made.sorted = made.ranks;
  std::sort(made.sorted.begin(), made.sorted.end());
  if (rules == platform::Rules::orrery) {
    made.ranks = std::move(made.sorted);
    made.sorted.clear();
    return;
  }
  made.member_at.resize(made.members);
  for (std::uint32_t m = made.members; m-- > 0;) {  // of a rank listed twice, the first counts
    const auto place = std::lower_bound(made.sorted.begin(), made.sorted.end(), made.ranks[m]);
    made.member_at[static_cast<std::size_t>(place - made.sorted.begin())] = m;
  }
}

Result<void> Communicators::make_axis(const graph::Workload& workload, const std::string& name,
                                      platform::Rules rules) {
  const graph::GroupAxis& axis = workload.axes.find(name)->second;
  const std::uint32_t ranks = workload.rank_count();
  const std::string where = fmt::format("axis \"{}\"", name);
  std::uint64_t extent = 1;
  for (const graph::GroupAxis::Digit& digit : axis.digits) {
    extent *= digit.count;
    const std::uint64_t last = (std::uint64_t{digit.count} - 1) * digit.step * digit.stride;
    if (digit.count == 0 || digit.step == 0 || digit.stride == 0 || extent > ranks || last >= ranks)
      return fail(Errc::input_group, where, fmt::format("{} ranks have no such groups", ranks));
  }
  const auto kept = std::make_shared<std::vector<std::uint32_t>>(std::size_t{ranks}, kOutside);
  by_rank_.push_back(kept);
  std::vector<std::uint32_t>& by_rank = *kept;
  by_name_.emplace(name, Meaning{0, &by_rank});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (by_rank[rank] != kOutside || !axis.has(rank)) continue;
    std::vector<std::uint32_t> members = axis.members(axis.first(rank));
    const auto number = static_cast<std::uint32_t>(all_.size());
    for (const std::uint32_t member : members) {
      if (member >= ranks) {
        return fail(Errc::input_group, where,
                    fmt::format("rank {} is beyond the last one, {}", member, ranks - 1));
      }
      if (by_rank[member] != kOutside)
        return fail(Errc::input_group, where, fmt::format("rank {} is in two groups", member));
      by_rank[member] = number;
    }
    add(workload.group_name(name, rank), std::move(members), ranks, rules);
  }
  return {};
}

Result<void> Communicators::make(const graph::Workload& workload, platform::Rules rules) {
  const std::uint32_t ranks = workload.rank_count();
  add("", {}, ranks, rules);
  for (const auto& [name, group] : workload.groups) {
    for (const std::uint32_t rank : group.ranks) {
      if (rank < ranks) continue;
      return fail(Errc::input_group, fmt::format("process group \"{}\"", name),
                  fmt::format("rank {} is beyond the last one, {}", rank, ranks - 1));
    }
    by_name_.emplace(name, Meaning{static_cast<std::uint32_t>(all_.size())});
    add(name, group.ranks, ranks, rules);
  }
  for (const auto& [name, axis] : workload.axes) {
    if (auto done = make_axis(workload, name, rules); !done) return done;
  }
  return {};
}

Communicators::Meaning Communicators::meaning(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? Meaning{} : found->second;
}

}  // namespace orrery::sim
