// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
  for (std::uint32_t m = made.members;
       m-- > 0;) {  // if a rank is listed twice, the first position counts
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
      return fail(Errc::input_group, where,
                  fmt::format("{} ranks cannot form these groups", ranks));
  }
  const auto retained = std::make_shared<std::vector<std::uint32_t>>(std::size_t{ranks}, kOutside);
  by_rank_.push_back(retained);
  std::vector<std::uint32_t>& by_rank = *retained;
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
  if (rules == platform::Rules::orrery) find_precedence();
  return {};
}

void Communicators::find_precedence() {
  // Compares groups by the distances of their members from the first one.
  const auto compare_shapes = [](const Communicator& a, const Communicator& b) {
    if (a.members != b.members) return a.members < b.members ? -1 : 1;
    for (std::size_t m = 1; m < a.ranks.size() && m < b.ranks.size(); ++m) {
      const std::uint32_t one = a.ranks[m] - a.ranks[0], other = b.ranks[m] - b.ranks[0];
      if (one != other) return one < other ? -1 : 1;
    }
    return 0;
  };
  const auto first = [](const Communicator& one) { return one.ranks.empty() ? 0 : one.ranks[0]; };
  std::vector<std::uint32_t> in_order(all_.size());
  std::iota(in_order.begin(), in_order.end(), 0u);
  std::stable_sort(in_order.begin(), in_order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const int shapes = compare_shapes(all_[i], all_[j]);
    return shapes != 0 ? shapes < 0 : first(all_[i]) < first(all_[j]);
  });
  for (std::uint32_t place = 0; place < in_order.size(); ++place)
    all_[in_order[place]].precedence = place;
}

Communicators::Meaning Communicators::meaning(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? Meaning{} : found->second;
}

}  // namespace orrery::sim
