// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/one_collective.h"

#include <memory>
#include <string>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"

namespace orrery::study {

namespace {

graph::GraphRef graph_of(const graph::NodeSpec& node, const std::shared_ptr<StringPool>& strings) {
  graph::GraphBuilder builder("collective", strings, graph::Repair::refuse);
  builder.add(node);
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::make_shared<const graph::Graph>(*std::move(made));
}

}  // namespace

graph::Workload collectives_at_once(const graph::Collective& collective,
                                    std::span<const std::vector<std::uint32_t>> groups,
                                    std::uint32_t ranks) {
  graph::Workload work;
  const auto strings = std::make_shared<StringPool>();
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective = collective;
  node.collective.group = StringId::empty;
  std::size_t members = 0;
  for (const auto& group : groups) members += group.size();
  work.graph_of_rank.assign(ranks, static_cast<std::uint32_t>(groups.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string name =
        std::string(kOneCollective) + (g == 0 ? "" : " " + std::to_string(g + 1));
    if (groups[g].size() != ranks) {
      node.collective.group = strings->intern(name);
      work.groups[name] = {name, groups[g]};
    }
    for (const std::uint32_t rank : groups[g])
      work.graph_of_rank[rank] = static_cast<std::uint32_t>(g);
    work.graphs.push_back(graph_of(node, strings));
  }
  if (members == ranks) return work;
  graph::NodeSpec nothing;
  nothing.id = 1;
  nothing.kind = graph::NodeKind::metadata;
  work.graphs.push_back(graph_of(nothing, strings));
  return work;
}

graph::Workload one_collective(graph::CollectiveType type, Bytes whole,
                               std::span<const std::uint32_t> members, std::uint32_t ranks,
                               const graph::ExpertExchange& exchange) {
  graph::Collective collective;
  collective.type = type;
  collective.exchange = exchange;
  // Of all-gathers a node states what each rank gives.
  const bool shard = type == graph::CollectiveType::all_gather;
  const auto count = static_cast<std::int64_t>(members.size());
  collective.size = shard ? Bytes(whole.count() / count) : whole;
  const std::vector<std::uint32_t> group(members.begin(), members.end());
  return collectives_at_once(collective, {&group, 1}, ranks);
}

Result<sim::SimResult> simulate_one(const graph::Workload& work, const platform::Platform& platform,
                                    const sim::Options& options) {
  auto result = sim::simulate(work, platform, options);
  if (!result) return result;
  if (result->stall)
    return fail(Errc::stall, "the collective", "it cannot finish",
                "a plan that is right does; this is worth a report");
  return result;
}

}  // namespace orrery::study
