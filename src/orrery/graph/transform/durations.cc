// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/durations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "orrery/graph/structure/late_start.h"
#include "orrery/graph/structure/poll_edges.h"

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

namespace {

std::vector<Time> lags_of(const Graph& graph) {
  std::vector<Time> lags;
  lags.reserve(graph.edge_count());
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto own = graph.lags(n);
    lags.insert(lags.end(), own.begin(), own.end());
  }
  return lags;
}

/// By node: index of its first edge.
std::vector<std::size_t> first_edges(const Graph& graph) {
  std::vector<std::size_t> first(graph.size());
  std::size_t edges = 0;
  for (NodeId n = 0; n < graph.size(); ++n) {
    first[n] = edges;
    edges += graph.successors(n).size();
  }
  return first;
}

double ratio(Time is, Time was) {
  return was <= Time{} ? 1 : static_cast<double>(is.count()) / static_cast<double>(was.count());
}

}  // namespace

GraphRef with_durations(const Graph& graph, const std::vector<Time>& durations) {
  const std::vector<PollEdge> polls = poll_edges(graph);
  if (polls.empty()) return std::make_shared<const Graph>(graph.with_durations(durations));
  std::vector<Time> lags = lags_of(graph);
  const std::vector<std::size_t> first = first_edges(graph);
  for (const PollEdge& poll : polls)
    lags[first[poll.from] + poll.edge] =
        poll.before_work(graph) +
        scale_time(poll.progress(graph), ratio(durations[poll.work], graph.duration(poll.work)));
  return std::make_shared<const Graph>(graph.with_times(durations, lags));
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
  return any ? with_durations(graph, durations) : nullptr;
}

GraphRef scale_lags(const Graph& graph, LagKind kind, double factor) {
  bool any = false;
  std::vector<Time> durations = durations_of(graph);
  const Time late = kind == LagKind::waits ? late_start(graph) : Time{};
  for (NodeId n = 0; kind == LagKind::waits && n < graph.size(); ++n) {
    const Time fixed = is_start_wait(graph, n) ? late : Time{};
    if (work_kind(graph, n) != WorkKind::waits || durations[n] <= fixed) continue;
    durations[n] = fixed + scale_time(durations[n] - fixed, factor);
    any = true;
  }
  std::vector<Time> lags;
  if (graph.has_lags()) lags = lags_of(graph);
  std::size_t edge = 0;
  for (NodeId n = 0; graph.has_lags() && n < graph.size(); ++n) {
    for (std::size_t i = 0; i < graph.successors(n).size(); ++i, ++edge) {
      if (lags[edge] <= Time{} || lag_kind(graph, n, i) != kind) continue;
      lags[edge] = scale_time(lags[edge], factor);
      any = true;
    }
  }
  if (!any) return nullptr;
  if (const auto polls = poll_edges(graph); !polls.empty()) {
    const std::vector<std::size_t> first = first_edges(graph);
    for (const PollEdge& poll : polls)
      lags[first[poll.from] + poll.edge] =
          lags[first[poll.from] + poll.work_edge] + poll.progress(graph);
  }
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
