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

/// Twelve uniform numbers, summed: nearly normal within 3 σ, with nothing that differs between
/// mathematical libraries.
double nearly_normal(std::uint64_t seed) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i)
    sum += static_cast<double>(mixed(seed + i) >> 11) * 0x1p-53;
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

Workload varied(const Workload& workload, double sigma, std::uint64_t seed) {
  const auto seed_of = [&](std::uint32_t rank, NodeId n) {
    return mixed(mixed(mixed(seed) + rank) + workload.graph(rank).id(n));
  };
  std::vector<std::vector<std::uint64_t>> seeds(workload.rank_count());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    seeds[rank].resize(workload.graph(rank).size());
    for (NodeId n = 0; n < seeds[rank].size(); ++n) seeds[rank][n] = seed_of(rank, n);
  }
  // A transfer takes as long for all who take part in it.
  for (const CommLine& line : comm_lines(workload))
    for (const RecordedComm& met : line.met)
      for (const RankNode& one : met.members)
        seeds[one.rank][one.node] = seed_of(met.members[0].rank, met.members[0].node);
  Workload made = workload;
  made.graphs.clear();
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    std::vector<Time> durations = durations_of(graph);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!is_own_work(graph, n) && time_of(graph, n) != WorkKind::communication) continue;
      const double z = nearly_normal(seeds[rank][n]);
      if (durations[n] > Time{})  // nothing that takes a time takes none, even by chance
        durations[n] = std::max(kMinimumDuration,
                                times(durations[n], std::exp(sigma * z - sigma * sigma / 2)));
    }
    made.graph_of_rank[rank] = static_cast<std::uint32_t>(made.graphs.size());
    made.graphs.push_back(std::make_shared<const Graph>(graph.with_durations(durations)));
  }
  return made;
}

}  // namespace orrery::graph
