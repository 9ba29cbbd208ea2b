// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "orrery/model/collective/collective_algorithm.h"
#include "orrery/sim/folding.h"

namespace orrery::sim {

using graph::NodeKind;

namespace {

// One ring across several dimensions has places unlike others.
bool turn_freely(std::span<const platform::AlgorithmSpec> algorithms) {
  return std::all_of(algorithms.begin(), algorithms.end(), [](const auto& one) {
    return !one.joined && model::algorithm_of(one).turns_freely();
  });
}
bool turns_freely(const platform::CollectivePlan& plan) {
  return plan.custom_prefix.empty() && turn_freely(plan.per_dim) &&
         std::all_of(plan.chosen.begin(), plan.chosen.end(),
                     [](const auto& one) { return turn_freely(one.per_dim); });
}

// Everything that the graph names is all ranks at once.
bool names_nobody(const graph::Graph& graph) {
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    const NodeKind kind = graph.kind(node);
    if (kind == NodeKind::send || kind == NodeKind::recv) return false;
    if (kind == NodeKind::coll && graph.collective(node).group != StringId::empty) return false;
  }
  return true;
}

}  // namespace

std::optional<Folding> fold_plain(const graph::Workload& workload,
                                  const platform::Platform& platform,
                                  const Communicators& communicators) {
  const bool plain = workload.graphs.size() == 1 && platform.deviations.empty() &&
                     names_nobody(*workload.graphs.front());
  const platform::CollectiveConfig& config = platform.collectives;
  if (!plain || !config.custom_by_node.empty()) return std::nullopt;
  for (const auto* plan : config.plans()) {
    if (!turns_freely(*plan)) return std::nullopt;
  }
  Folding made;
  made.class_of.assign(workload.rank_count(), 0);
  made.representative = {0};
  made.members = {workload.rank_count()};
  made.group_like.resize(communicators.all().size());
  std::iota(made.group_like.begin(), made.group_like.end(), 0u);
  return made;
}

}  // namespace orrery::sim
