// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/single_collective.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/study/collectives/algorithms/group_rings.h"

namespace orrery::study {

namespace {

graph::GraphRef graph_of(std::span<const graph::NodeSpec> nodes,
                         const std::shared_ptr<StringPool>& strings) {
  graph::GraphBuilder builder("collective", strings, graph::Repair::refuse);
  for (const graph::NodeSpec& node : nodes) builder.add(node);
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::make_shared<const graph::Graph>(*std::move(made));
}

graph::NodeSpec collective_node(const graph::Collective& collective, std::uint64_t id) {
  graph::NodeSpec node;
  node.id = id;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective = collective;
  node.collective.group = StringId::empty;
  return node;
}

std::string group_of_plans(std::size_t group) {
  return std::string(kSingleCollective) + (group == 0 ? "" : " " + std::to_string(group + 1));
}

}  // namespace

graph::Workload concurrent_collectives(const graph::Collective& collective,
                                       std::span<const std::vector<std::uint32_t>> groups,
                                       std::uint32_t ranks) {
  graph::Workload work;
  const auto strings = std::make_shared<StringPool>();
  graph::NodeSpec node = collective_node(collective, 1);
  std::size_t members = 0;
  for (const auto& group : groups) members += group.size();
  work.graph_of_rank.assign(ranks, static_cast<std::uint32_t>(groups.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string name = group_of_plans(g);
    if (groups[g].size() != ranks) {
      node.collective.group = strings->intern(name);
      work.groups[name] = {name, groups[g]};
    }
    for (const std::uint32_t rank : groups[g])
      work.graph_of_rank[rank] = static_cast<std::uint32_t>(g);
    work.graphs.push_back(graph_of({&node, 1}, strings));
  }
  if (members == ranks) return work;
  graph::NodeSpec nothing;
  nothing.id = 1;
  nothing.kind = graph::NodeKind::metadata;
  work.graphs.push_back(graph_of({&nothing, 1}, strings));
  return work;
}

graph::Workload overlapping_collectives(std::span<const graph::Collective> collectives,
                                        std::span<const std::vector<std::uint32_t>> groups,
                                        std::uint32_t ranks) {
  graph::Workload work;
  const auto strings = std::make_shared<StringPool>();
  std::vector<std::vector<std::uint32_t>> groups_of(ranks);
  std::vector<graph::NodeSpec> nodes;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    nodes.push_back(collective_node(collectives[g], g + 1));
    if (groups[g].size() != ranks) {
      const std::string name = group_of_plans(g);
      nodes.back().collective.group = strings->intern(name);
      work.groups[name] = {name, groups[g]};
    }
    for (const std::uint32_t rank : groups[g]) groups_of[rank].push_back(g);
  }
  // Ranks in equal groups share a graph.
  std::map<std::vector<std::uint32_t>, std::uint32_t> graph_for;
  for (const auto& of : groups_of) {
    const auto [found, is_new] =
        graph_for.try_emplace(of, static_cast<std::uint32_t>(work.graphs.size()));
    work.graph_of_rank.push_back(found->second);
    if (!is_new) continue;
    std::vector<graph::NodeSpec> own;
    for (const std::uint32_t g : of) own.push_back(nodes[g]);
    if (own.empty()) {
      own.emplace_back().id = 1;
      own.back().kind = graph::NodeKind::metadata;
    }
    work.graphs.push_back(graph_of(own, strings));
  }
  return work;
}

graph::Workload single_collective(graph::CollectiveType type, Bytes whole,
                                  std::span<const std::uint32_t> members, std::uint32_t ranks,
                                  const graph::ExpertExchange& exchange, graph::Format numbers) {
  graph::Collective collective;
  collective.type = type;
  collective.format = numbers;
  collective.exchange = exchange;
  // A node of an all-gather states the contribution of one rank.
  const bool shard = type == graph::CollectiveType::all_gather;
  const auto count = static_cast<std::int64_t>(members.size());
  collective.size = shard ? Bytes(whole.count() / count) : whole;
  const std::vector<std::uint32_t> group(members.begin(), members.end());
  return concurrent_collectives(collective, {&group, 1}, ranks);
}

Result<sim::SimResult> simulate_collectives(const graph::Workload& work,
                                            const platform::Platform& platform,
                                            const sim::Options& options) {
  auto result = simulate_with_rings(work, platform, options);
  if (!result) return result;
  if (result->stall)
    return fail(Errc::stall, "the collective", "deadlocks",
                "a correct plan finishes; please report this");
  return result;
}

}  // namespace orrery::study
