// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/parallelism.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/pipeline_stages.h"
#include "orrery/graph/transform/rank_subset.h"

namespace orrery::analysis {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;
using graph::Workload;

std::uint32_t stride(std::vector<std::uint32_t> members) {
  std::sort(members.begin(), members.end());
  if (members.size() < 2) return 0;
  const std::uint32_t first = members[1] - members[0];
  for (std::size_t i = 2; i < members.size(); ++i)
    if (members[i] - members[i - 1] != first) return 0;
  return first;
}

/// The communication in a group.
struct Deeds {
  std::uint64_t collectives = 0;
  bool reduces = false, gathers = false, exchanges = false;  ///< in forward layers
  bool much_elsewhere = false;
};

void add(const Graph& graph, const Communication& one, Deeds& deeds) {
  const graph::Collective& collective = graph.collective(one.node);
  ++deeds.collectives;
  using Type = graph::CollectiveType;
  if (one.position != LoopPosition::forward) {
    deeds.much_elsewhere = deeds.much_elsewhere || collective.size >= graph::kMinimumGradientBuffer;
  } else if (collective.type == Type::all_to_all) {
    deeds.exchanges = true;
  } else if (collective.type == Type::all_gather) {
    deeds.gathers = true;
  } else {
    deeds.reduces = true;
  }
}

RankAxisKind axis_of(const Deeds& deeds) {
  if (deeds.exchanges) return RankAxisKind::expert;
  if (deeds.reduces) return RankAxisKind::tensor;
  if (deeds.gathers) return RankAxisKind::sharded;
  return deeds.much_elsewhere ? RankAxisKind::data : RankAxisKind::unsaid;
}

std::uint32_t connected(const std::vector<std::uint32_t>& leaders, std::uint32_t rank) {
  return static_cast<std::uint32_t>(std::count(leaders.begin(), leaders.end(), leaders[rank]));
}

}  // namespace

std::string_view name(RankAxisKind kind) {
  switch (kind) {
    case RankAxisKind::tensor:
      return "tensor parallel";
    case RankAxisKind::expert:
      return "expert parallel";
    case RankAxisKind::sharded:
      return "sharded data or context parallel";
    case RankAxisKind::data:
      return "data parallel";
    case RankAxisKind::context:
    case RankAxisKind::pipeline:
    case RankAxisKind::unsaid:
      return "";
  }
  return "";
}

GraphCommunications graph_communications(const Workload& workload) {
  GraphCommunications all;
  for (const graph::GraphRef& graph : workload.graphs) all.push_back(communications(*graph));
  return all;
}

std::vector<std::uint32_t> message_leaders(const Workload& workload, const GraphCommunications& all,
                                           bool in_layers) {
  std::vector<std::vector<NodeId>> messages(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Communication& one : all[i])
      if (workload.graphs[i]->kind(one.node) != NodeKind::coll &&
          (one.position != LoopPosition::outside) == in_layers)
        messages[i].push_back(one.node);
  return graph::pipeline_leaders(workload, messages);
}

std::vector<Parallelism> parallelism(const Workload& workload,
                                     const std::vector<RankStructure>& found) {
  const GraphCommunications all = graph_communications(workload);
  const auto stages = message_leaders(workload, all, false);
  const auto context = message_leaders(workload, all, true);
  std::vector<Parallelism> made(workload.graphs.size());
  std::vector<bool> is_known(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t which = workload.graph_of_rank[rank];
    if (is_known[which]) continue;
    is_known[which] = true;
    made[which].stages = connected(stages, rank);
    made[which].context = connected(context, rank);
    const Graph& graph = workload.graph(rank);
    std::map<std::string_view, Deeds> deeds;
    for (const Communication& one : all[which])
      if (graph.kind(one.node) == NodeKind::coll)
        add(graph, one, deeds[graph.string(graph.collective(one.node).group)]);
    const std::uint64_t steps = std::max(1u, found[which].steps);
    const std::uint64_t layers = std::uint64_t{found[which].layers} * found[which].forwards;
    for (const auto& [group, done] : deeds) {
      const auto members = graph::members_of(workload, group, rank);
      if (members.size() < 2) continue;
      const std::uint64_t each = done.collectives / steps;
      made[which].groups.push_back({std::string(group), static_cast<std::uint32_t>(members.size()),
                                    stride(members), each, layers > 0 && each >= layers,
                                    axis_of(done)});
    }
    std::stable_sort(made[which].groups.begin(), made[which].groups.end(),
                     [](const auto& a, const auto& b) { return a.collectives > b.collectives; });
  }
  return made;
}

}  // namespace orrery::analysis
