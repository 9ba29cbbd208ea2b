// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/durations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

namespace orrery::graph {
void drop_unused_graphs(Workload& workload) {
  std::vector<GraphRef> used;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t& number : workload.graph_of_rank) {
    const auto [known, added] =
        numbers.try_emplace(number, static_cast<std::uint32_t>(used.size()));
    if (added) used.push_back(workload.graphs[number]);
    number = known->second;
  }
  workload.graphs = std::move(used);
}

Time scale_time(Time time, double factor) {
  constexpr auto kMost = static_cast<double>(kTimeMax.count());
  const double made = std::round(static_cast<double>(time.count()) * factor);
  return made < kMost ? Time(static_cast<std::int64_t>(made)) : kTimeMax;
}

std::vector<Time> durations_of(const Graph& graph) {
  std::vector<Time> durations(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) durations[n] = graph.duration(n);
  return durations;
}

GraphRef scale_durations(const Graph& graph, const NodeSelection& selection, double factor) {
  const std::vector<bool> chosen = select_nodes(graph, selection);
  std::vector<Time> durations = durations_of(graph);
  bool any = false;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!chosen[n] || durations[n] <= Time{}) continue;
    durations[n] = std::max(kMinimumDuration, scale_time(durations[n], factor));
    any = true;
  }
  return any ? std::make_shared<const Graph>(graph.with_durations(durations)) : nullptr;
}

GraphRef scale_lags(const Graph& graph, LagKind kind, double factor) {
  bool any = false;
  std::vector<Time> durations = durations_of(graph);
  for (NodeId n = 0; kind == LagKind::waits && n < graph.size(); ++n) {
    if (work_kind(graph, n) != WorkKind::waits || durations[n] <= Time{}) continue;
    durations[n] = scale_time(durations[n], factor);
    any = true;
  }
  std::vector<Time> lags;
  if (graph.has_lags()) lags.reserve(graph.edge_count());
  for (NodeId n = 0; graph.has_lags() && n < graph.size(); ++n) {
    const auto were = graph.lags(n);
    for (std::size_t i = 0; i < were.size(); ++i) {
      const bool changes = were[i] > Time{} && lag_kind(graph, n, i) == kind;
      lags.push_back(changes ? scale_time(were[i], factor) : were[i]);
      any = any || changes;
    }
  }
  if (!any) return nullptr;
  return std::make_shared<const Graph>(lags.empty() ? graph.with_durations(durations)
                                                    : graph.with_times(durations, lags));
}

Workload with_graphs_of(const Workload& workload, const std::vector<std::uint32_t>& ranks,
                        const std::function<GraphRef(const Graph&)>& change) {
  Workload made = workload;
  std::map<std::uint32_t, std::uint32_t> changed;  // by number of the graph
  for (const std::uint32_t rank : ranks) {
    if (rank >= made.rank_count()) continue;
    std::uint32_t& number = made.graph_of_rank[rank];
    const auto [known, added] = changed.try_emplace(number, number);
    if (added) {
      if (GraphRef graph = change(*workload.graphs[number])) {
        known->second = static_cast<std::uint32_t>(made.graphs.size());
        made.graphs.push_back(std::move(graph));
      }
    }
    number = known->second;
  }
  drop_unused_graphs(made);
  return made;
}

Workload with_graphs(const Workload& workload,
                     const std::function<GraphRef(const Graph&)>& change) {
  std::vector<std::uint32_t> all(workload.rank_count());
  std::iota(all.begin(), all.end(), 0u);
  return with_graphs_of(workload, all, change);
}

}  // namespace orrery::graph
