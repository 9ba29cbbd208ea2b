// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/exposed_communication.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {

/// A node begins or ends.
struct Edge {
  std::int64_t at = 0;
  NodeId node = 0;
  bool begins = false, computes = false;
};

std::vector<Edge> edges_of(EngineRun& run, std::uint32_t rank) {
  const graph::Graph& graph = run.graph_of(rank);
  std::vector<Edge> edges;
  for (NodeId node = 0; node < graph.size(); ++node) {
    const NodeTimes& ran = run.times_of(rank, node);
    const NodeKind kind = graph.kind(node);
    const bool computes = run.computes(rank, node);
    const bool communicates = kind == NodeKind::coll || kind == NodeKind::send ||
                              (kind == NodeKind::comp && run.communicates(rank, node));
    if ((!computes && !communicates) || ran.start < 0 || ran.end <= ran.start) continue;
    edges.push_back({ran.start, node, true, computes});
    edges.push_back({ran.end, node, false, computes});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.at, a.node, a.begins) < std::tie(b.at, b.node, b.begins);
  });
  return edges;
}

std::string_view group_of(const graph::Graph& graph, NodeId node) {
  return graph.kind(node) == NodeKind::coll ? graph.string(graph.collective(node).group) : "";
}

}  // namespace

std::vector<ExposedGroup> exposed_by_group(EngineRun& run) {
  if (run.shared.results.empty()) return {};
  const auto rank = static_cast<std::uint32_t>(slowest(run.shared.results));
  if (!run.shared.results[rank].finish) return {};
  const graph::Graph& graph = run.graph_of(rank);
  std::map<std::string_view, Time> sums;
  std::set<std::pair<std::int64_t, NodeId>> under_way;  // start, node
  std::int64_t computing = 0, since = 0;
  Time predicted{};
  for (const Edge& edge : edges_of(run, rank)) {
    if (computing == 0 && !under_way.empty()) {
      const Time passed(edge.at - since);
      sums[group_of(graph, under_way.rbegin()->second)] += passed;
      predicted += passed;
    }
    since = edge.at;
    if (edge.computes) {
      computing += edge.begins ? 1 : -1;
    } else if (edge.begins) {
      under_way.emplace(edge.at, edge.node);
    } else {
      under_way.erase({run.times_of(rank, edge.node).start, edge.node});
    }
  }
  const Time rest = run.shared.results[rank].comm_only - predicted;  // receives
  if (rest > Time{}) sums[""] += rest;
  std::vector<ExposedGroup> groups;
  for (const auto& [group, time] : sums)
    if (time > Time{}) groups.push_back({std::string(group), time});
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return groups;
}

}  // namespace orrery::sim
