// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/parallelism.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace orrery::analysis {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;
using graph::Workload;

std::vector<std::uint32_t> members_of(const Workload& workload, std::string_view group,
                                      std::uint32_t rank) {
  if (const auto axis = workload.axes.find(group); axis != workload.axes.end())
    return axis->second.members(axis->second.first(rank));
  std::vector<std::uint32_t> members;
  if (const auto known = workload.groups.find(group); known != workload.groups.end())
    members = known->second.ranks;
  if (!members.empty()) return members;
  members.resize(workload.rank_count());
  std::iota(members.begin(), members.end(), 0u);
  return members;
}

std::uint32_t apart(std::vector<std::uint32_t> members) {
  std::sort(members.begin(), members.end());
  if (members.size() < 2) return 0;
  const std::uint32_t first = members[1] - members[0];
  for (std::size_t i = 2; i < members.size(); ++i)
    if (members[i] - members[i - 1] != first) return 0;
  return first;
}

/// Ranks that a chain of sends leads to from here, in either direction.
std::uint32_t connected(const Workload& workload, std::uint32_t rank) {
  const std::uint32_t ranks = workload.rank_count();
  std::vector<std::uint32_t> leader(ranks);
  std::iota(leader.begin(), leader.end(), 0u);
  const auto find = [&](std::uint32_t r) {
    while (leader[r] != r) r = leader[r] = leader[leader[r]];
    return r;
  };
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const Graph& graph = workload.graph(from);
    std::set<std::int32_t> to;
    for (NodeId n = 0; n < graph.size(); ++n)
      if (graph.kind(n) == NodeKind::send) to.insert(graph.message(n, from).dst);
    for (const std::int32_t other : to)
      if (other >= 0 && static_cast<std::uint32_t>(other) < ranks)
        leader[find(from)] = find(static_cast<std::uint32_t>(other));
  }
  std::uint32_t size = 0;
  for (std::uint32_t other = 0; other < ranks; ++other) size += find(other) == find(rank) ? 1 : 0;
  return size;
}

}  // namespace

Parallelism parallelism(const Workload& workload, std::uint32_t rank, const RankStructure& found) {
  Parallelism made;
  const Graph& graph = workload.graph(rank);
  std::map<std::string_view, std::uint64_t> uses;
  bool sends = false;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) == NodeKind::coll) ++uses[graph.string(graph.collective(n).group)];
    sends = sends || graph.kind(n) == NodeKind::send || graph.kind(n) == NodeKind::recv;
  }
  if (sends) made.stages = connected(workload, rank);
  const std::uint64_t steps = std::max(1u, found.steps);
  const std::uint64_t layers = std::uint64_t{found.layers} * found.forwards;
  for (const auto& [group, count] : uses) {
    const auto members = members_of(workload, group, rank);
    if (members.size() < 2) continue;
    made.groups.push_back({std::string(group), static_cast<std::uint32_t>(members.size()),
                           apart(members), count / steps, layers > 0 && count / steps >= layers});
  }
  std::stable_sort(made.groups.begin(), made.groups.end(),
                   [](const auto& a, const auto& b) { return a.collectives > b.collectives; });
  return made;
}

}  // namespace orrery::analysis
