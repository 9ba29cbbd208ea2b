// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/group_rings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/sim/collectives/plans/chunk_requests.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/synthesis/algorithms/planned_algorithms.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::study {

using graph::CollectiveType;

namespace {

using Graphs = std::vector<graph::GraphRef>;
using Use = std::pair<CollectiveType, StringId>;  // a collective and its group's name

bool has_rings(const platform::Platform& platform, CollectiveType type) {
  const platform::CollectivePlan* plan = platform.collectives.plan(type);
  return plan != nullptr && plan->custom_prefix == platform::kRings;
}

std::set<Use> uses_of(const platform::Platform& platform, const graph::Graph& graph) {
  std::set<Use> uses;
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    if (graph.kind(node) != graph::NodeKind::coll) continue;
    const graph::Collective& one = graph.collective(node);
    if (has_rings(platform, one.type)) uses.emplace(one.type, one.group);
  }
  return uses;
}

/// The rings of a collective among hosts with these numbers of ranks; empty: there are none.
Result<Graphs> rings_of(CollectiveType type, const std::vector<std::uint32_t>& hosts) {
  synthesis::AlgorithmShape shape;
  shape.ranks = std::accumulate(hosts.begin(), hosts.end(), 0U);
  shape.unequal_hosts = hosts;
  for (const synthesis::PlannedAlgorithm& one : synthesis::planned_algorithms())
    if (one.name == platform::kRings && one.collective == type && one.supports(shape))
      return synthesis::lower_plan(one.plan(shape));
  return Graphs{};
}

}  // namespace

Result<void> add_group_rings(const platform::Platform& platform, graph::Workload& workload) {
  const auto plans = platform.collectives.plans();
  if (std::none_of(plans.begin(), plans.end(),
                   [](const auto* plan) { return plan->custom_prefix == platform::kRings; }))
    return {};
  sim::Communicators communicators;
  if (auto made = communicators.make(workload, platform.rules); !made) return made;
  const sim::Policy policy = sim::Policy::of(platform.rules);
  std::vector<std::uint32_t> all(workload.rank_count());
  std::iota(all.begin(), all.end(), 0U);
  std::map<std::pair<CollectiveType, std::vector<std::uint32_t>>, Graphs> made;  // by hosts
  std::map<std::uint32_t, std::set<Use>> uses;                                   // by graph
  std::set<std::pair<CollectiveType, std::uint32_t>> seen;  // with the communicator
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t number = workload.graph_of_rank[rank];
    const graph::Graph& graph = *workload.graphs[number];
    const auto [used, added] = uses.try_emplace(number);
    if (added) used->second = uses_of(platform, graph);
    for (const auto& [type, group] : used->second) {
      const std::string_view name = graph.string(group);
      const std::uint32_t found = policy.means_all(name) ? 0 : communicators.find(name, rank);
      if (found >= sim::Communicators::kOutside || !seen.emplace(type, found).second) continue;
      const std::vector<std::uint32_t>& members = communicators[found].ascending();
      std::vector<std::uint32_t> hosts =
          platform::ranks_per_host(platform, members.empty() ? all : members);
      const auto [rings, is_new] = made.try_emplace({type, hosts});
      if (is_new) {
        auto graphs = rings_of(type, hosts);
        if (!graphs) return tl::unexpected(graphs.error());
        rings->second = *std::move(graphs);
      }
      if (!rings->second.empty())
        workload.custom_collectives[sim::traces_of(std::string(platform::kRings), type, members)] =
            rings->second;
    }
  }
  return {};
}

}  // namespace orrery::study
