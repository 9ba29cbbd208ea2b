// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/group_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
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

bool any_rings(const platform::Platform& platform) {
  const auto plans = platform.collectives.plans();
  return std::any_of(plans.begin(), plans.end(),
                     [](const auto* plan) { return plan->custom_prefix == platform::kRings; });
}

std::set<Use> uses_of(const platform::Platform& platform, const graph::Graph& graph) {
  std::set<Use> uses;
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    if (graph.kind(node) != graph::NodeKind::coll) continue;
    const graph::Collective& one = graph.collective(node);
    const std::string* algorithm =
        sim::custom_algorithm(platform.collectives, graph, node, one.type);
    if (algorithm != nullptr && *algorithm == platform::kRings) uses.emplace(one.type, one.group);
  }
  return uses;
}

/// The rings of a collective among hosts with these numbers of ranks; empty: there are none.
Result<Graphs> rings_of(const platform::Platform& platform, CollectiveType type,
                        const std::vector<std::uint32_t>& hosts) {
  synthesis::AlgorithmShape shape;
  // Where links forward complete messages only, chunks use several links of a route at once.
  if (platform.network == platform::NetworkModelKind::message)
    shape.ring_chunks =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(platform.collectives.splits, 1, 1024));
  shape.ranks = std::accumulate(hosts.begin(), hosts.end(), 0U);
  shape.unequal_hosts = hosts;
  for (const synthesis::PlannedAlgorithm& one : synthesis::planned_algorithms())
    if (one.name == platform::kRings && one.collective == type && one.supports(shape))
      return synthesis::lower_plan(one.plan(shape));
  return Graphs{};
}

/// Why these ranks keep one ring although several would use more adapters; empty: they would not.
std::string why_one_ring(const platform::Platform& platform,
                         const std::vector<std::uint32_t>& ranks) {
  std::map<std::uint32_t, std::uint32_t> hosts;  // ranks by host
  for (const std::uint32_t rank : ranks)
    ++hosts[platform.fabric->topology.host(platform.fabric->rank_devices[rank])];
  const auto several = [](const auto& host) { return host.second > 1; };
  if (hosts.size() < 2 || !std::all_of(hosts.begin(), hosts.end(), several)) return {};
  return platform::ranks_per_host(platform, ranks).empty()
             ? "its ranks alternate between hosts"
             : fmt::format("{} ranks are too many for rings by adapter", ranks.size());
}

/// Adds the rings of one collective and one group after the other.
class GroupRings {
 public:
  GroupRings(const platform::Platform& platform, graph::Workload& workload, Findings& findings)
      : platform_(platform), workload_(workload), findings_(findings), all_(workload.rank_count()) {
    std::iota(all_.begin(), all_.end(), 0U);
  }

  Result<void> add(CollectiveType type, std::string_view name,
                   const std::vector<std::uint32_t>& members) {
    const std::vector<std::uint32_t>& ranks = members.empty() ? all_ : members;
    // An invalid group; the simulator reports it.
    if (std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end() || ranks.empty() ||
        ranks.back() >= platform_.fabric->rank_devices.size())
      return {};
    const std::vector<std::uint32_t> hosts = platform::ranks_per_host(platform_, ranks);
    const auto [rings, is_new] = made_.try_emplace({type, hosts});
    if (is_new && !hosts.empty()) {
      auto graphs = rings_of(platform_, type, hosts);
      if (!graphs) return tl::unexpected(graphs.error());
      rings->second = *std::move(graphs);
    }
    if (!rings->second.empty())
      workload_.custom_collectives[sim::traces_of(std::string(platform::kRings), type, members)] =
          rings->second;
    else if (const std::string why = why_one_ring(platform_, ranks); !why.empty())
      findings_.add(FindingCode::group_falls_back_to_ring,
                    fmt::format("{} of group \"{}\": {}", graph::name(type), name, why));
    return {};
  }

 private:
  const platform::Platform& platform_;
  graph::Workload& workload_;
  Findings& findings_;
  std::vector<std::uint32_t> all_;
  std::map<std::pair<CollectiveType, std::vector<std::uint32_t>>, Graphs> made_;  // by hosts
};

}  // namespace

Result<void> add_group_rings(const platform::Platform& platform, graph::Workload& workload,
                             Findings& findings) {
  if (!any_rings(platform) || platform.fabric == nullptr) return {};
  sim::Communicators communicators;
  if (auto made = communicators.make(workload, platform.rules); !made) return made;
  const sim::Policy policy = sim::Policy::of(platform.rules);
  GroupRings rings(platform, workload, findings);
  std::map<std::uint32_t, std::set<Use>> uses;              // by graph
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
      if (auto done = rings.add(type, name, communicators[found].ascending()); !done) return done;
    }
  }
  return {};
}

Result<sim::SimResult> simulate_with_rings(const graph::Workload& workload,
                                           const platform::Platform& platform,
                                           const sim::Options& options) {
  if (!any_rings(platform)) return sim::simulate(workload, platform, options);
  graph::Workload with_rings = workload;
  Findings findings;
  if (auto made = add_group_rings(platform, with_rings, findings); !made)
    return tl::unexpected(made.error());
  auto result = sim::simulate(with_rings, platform, options);
  if (result) result->findings.merge(findings);
  return result;
}

}  // namespace orrery::study
