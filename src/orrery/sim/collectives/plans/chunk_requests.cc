// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/plans/chunk_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "orrery/platform/cluster/fabric/fabric_hosts.h"

namespace orrery::sim {

using graph::CollectiveType;

namespace {

/// Whether a run chose another algorithm than rings for collectives of this size in all groups.
bool chose_no_rings(const platform::CollectivePlan& plan, const graph::Graph& graph,
                    graph::NodeId node) {
  return plan.custom_prefix == platform::kRings && !graph.has(node, graph::kHasDims) &&
         std::any_of(
             plan.chosen.begin(), plan.chosen.end(),
             [size = graph.collective(node).size](const auto& one) { return one.size == size; });
}

}  // namespace

const std::string* custom_algorithm(const platform::CollectiveConfig& config,
                                    const graph::Graph& graph, graph::NodeId node,
                                    CollectiveType type) {
  if (!config.custom_by_node.empty()) {
    const auto found = config.custom_by_node.find(graph.id(node));
    if (found != config.custom_by_node.end()) return &found->second;
  }
  const platform::CollectivePlan* plan = config.plan(type);
  if (plan == nullptr || plan->custom_prefix.empty() || chose_no_rings(*plan, graph, node))
    return nullptr;
  return &plan->custom_prefix;
}

std::string traces_of(const std::string& prefix, CollectiveType type,
                      std::span<const std::uint32_t> members) {
  if (prefix != platform::kRings) return prefix;
  return fmt::format("{} {} {}", prefix, graph::name(type), fmt::join(members, ","));
}

bool lacks_rings(const graph::Workload& workload, const std::string& prefix, CollectiveType type,
                 std::span<const std::uint32_t> members) {
  return prefix == platform::kRings &&
         !workload.custom_collectives.contains(traces_of(prefix, type, members));
}

std::int64_t chunk_count(const platform::CollectiveConfig& config, const Options& options) {
  return options.library != nullptr ? 1 : config.splits;
}

ChunkRequest natural_request(const CollectivePlanner& planner, CollectiveType type,
                             std::uint32_t topology, const graph::Collective& collective) {
  ChunkRequest made;
  made.type = type;
  made.topology = topology;
  if (type == CollectiveType::all_to_all) made.exchange = collective.exchange;
  if (planner.switch_arithmetic().is_limited()) made.format = collective.format;
  return made;
}

bool has_two_phases(const platform::CollectiveConfig& config, const Policy& policy,
                    CollectiveType type) {
  const bool aware = config.optimization == platform::CollectiveOptimization::local_bw_aware;
  return type == CollectiveType::all_reduce && (aware || policy.always_two_phases);
}

}  // namespace orrery::sim
