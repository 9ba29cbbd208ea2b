// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/peers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string_view>

#include "orrery/core/random.h"
#include "orrery/graph/content_hash.h"
#include "orrery/graph/structure/selection.h"
#include "orrery/graph/transform/costs.h"

namespace orrery::graph {
namespace {

bool is_local_work(const Graph& graph, NodeId n) {
  const auto of = time_of(graph, n);
  return of == TimeOf::kernels || of == TimeOf::copies || of == TimeOf::host;
}

/// A graph's own works by name, each name's in the order of ids.
using WorksByName = std::map<std::string_view, std::vector<NodeId>>;

WorksByName works_by_name(const Graph& graph) {
  WorksByName made;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (is_local_work(graph, n)) made[graph.name(n)].push_back(n);
  return made;
}

/// Equal for graphs with as many works of each name.
std::uint64_t shape_of(const Graph& graph) {
  ContentHash hash;
  for (const auto& [name, works] : works_by_name(graph)) {
    hash.add(name);
    hash.add(works.size());
  }
  return hash.value();
}

struct Peer {
  const Graph* graph = nullptr;
  WorksByName works;
};

GraphRef levelled(const Graph& graph, const std::vector<Peer>& peers) {
  std::vector<Time> durations = durations_of(graph);
  std::vector<Time> theirs(peers.size());
  bool any = false;
  for (const auto& [name, works] : works_by_name(graph)) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      for (std::size_t i = 0; i < peers.size(); ++i)
        theirs[i] = peers[i].graph->duration(peers[i].works.at(name)[w]);
      const auto middle = theirs.begin() + static_cast<std::ptrdiff_t>((theirs.size() - 1) / 2);
      std::nth_element(theirs.begin(), middle, theirs.end());
      any = any || durations[works[w]] != *middle;
      durations[works[w]] = *middle;
    }
  }
  return any ? std::make_shared<const Graph>(graph.with_durations(durations)) : nullptr;
}

/// Twelve uniform numbers, summed: nearly normal within 3 σ, with nothing that differs between
/// mathematical libraries.
double nearly_normal(std::uint64_t seed) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i)
    sum += static_cast<double>(mixed(seed + i) >> 11) * 0x1p-53;
  return sum;
}

/// Ranks that do the same, classes by their first rank.
std::vector<std::vector<std::uint32_t>> peers(const Workload& workload) {
  std::map<std::uint64_t, std::size_t> known;
  std::vector<std::uint64_t> shapes;
  for (const GraphRef& graph : workload.graphs) shapes.push_back(shape_of(*graph));
  std::vector<std::vector<std::uint32_t>> made;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const auto [found, added] =
        known.try_emplace(shapes[workload.graph_of_rank[rank]], made.size());
    if (added) made.emplace_back();
    made[found->second].push_back(rank);
  }
  return made;
}

}  // namespace

Workload without_stragglers(const Workload& workload) {
  Workload made = workload;
  for (const std::vector<std::uint32_t>& ranks : peers(workload)) {
    std::vector<Peer> theirs;
    for (const std::uint32_t rank : ranks)
      theirs.push_back({&workload.graph(rank), works_by_name(workload.graph(rank))});
    made = with_graphs_of(made, ranks, [&](const Graph& graph) { return levelled(graph, theirs); });
  }
  return made;
}

Workload varied(const Workload& workload, double sigma, std::uint64_t seed) {
  Workload made = workload;
  made.graphs.clear();
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    std::vector<Time> durations = durations_of(graph);
    const std::uint64_t own = mixed(mixed(seed) + rank);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!is_local_work(graph, n) && time_of(graph, n) != TimeOf::communication) continue;
      const double z = nearly_normal(mixed(own + graph.id(n)));
      durations[n] = times(durations[n], std::exp(sigma * z - sigma * sigma / 2));
    }
    made.graph_of_rank[rank] = static_cast<std::uint32_t>(made.graphs.size());
    made.graphs.push_back(std::make_shared<const Graph>(graph.with_durations(durations)));
  }
  return made;
}

}  // namespace orrery::graph
