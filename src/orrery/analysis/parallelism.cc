// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/parallelism.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "orrery/graph/structure/pipelines.h"

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
  if (sends) {
    const std::vector<std::uint32_t> pipelines = graph::pipelines(workload);
    made.stages =
        static_cast<std::uint32_t>(std::count(pipelines.begin(), pipelines.end(), pipelines[rank]));
  }
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
