// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/stragglers/rank_variation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "orrery/core/random.h"
#include "orrery/graph/stragglers/peer_levels.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

/// The sum of twelve uniform numbers: approximately normal within 3 σ, and independent of the
/// mathematical library.
double nearly_normal(std::uint64_t seed) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i)
    sum += static_cast<double>(mix_bits(seed + i) >> 11) * 0x1p-53;
  return sum;
}

}  // namespace

Workload without_stragglers(const Workload& workload) {
  const PeerLevels levels(workload);
  std::vector<std::vector<Time>> durations;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const auto level = levels.of(rank);
    durations.push_back(levels.peer_count(rank) > 1 ? std::vector<Time>(level.begin(), level.end())
                                                    : durations_of(workload.graph(rank)));
  }
  return with_times(workload, durations);
}

Workload with_random_factors(const Workload& workload, double sigma, std::uint64_t seed) {
  const auto seed_of = [&](std::uint32_t rank, NodeId n) {
    return mix_bits(mix_bits(mix_bits(seed) + rank) + workload.graph(rank).id(n));
  };
  std::vector<std::vector<std::uint64_t>> seeds(workload.rank_count());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    seeds[rank].resize(workload.graph(rank).size());
    for (NodeId n = 0; n < seeds[rank].size(); ++n) seeds[rank][n] = seed_of(rank, n);
  }
  // All members of a transfer get the same factor.
  for (const CommGroup& group : comm_groups(workload))
    for (const CommInstance& instance : group.communications)
      for (const RankNode& member : instance.members)
        seeds[member.rank][member.node] =
            seed_of(instance.members[0].rank, instance.members[0].node);
  Workload made = workload;
  made.graphs.clear();
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    std::vector<Time> durations = durations_of(graph);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!is_own_work(graph, n) && work_kind(graph, n) != WorkKind::communication) continue;
      const double z = nearly_normal(seeds[rank][n]);
      if (durations[n] > Time{})  // a positive duration stays positive
        durations[n] = std::max(kMinimumDuration,
                                scale_time(durations[n], std::exp(sigma * z - sigma * sigma / 2)));
    }
    made.graph_of_rank[rank] = static_cast<std::uint32_t>(made.graphs.size());
    made.graphs.push_back(with_durations(graph, durations));
  }
  return made;
}

}  // namespace orrery::graph
