// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/workload_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace orrery::analysis {

using graph::CollectiveType;
using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

void add(std::uint64_t& sum, std::uint64_t more) { sum = more > kMax - sum ? kMax : sum + more; }
void add(Time& sum, Time more) { sum = more > kTimeMax - sum ? kTimeMax : sum + more; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMax / a ? kMax : a * b;
}
std::uint64_t natural(std::int64_t number) {
  return number > 0 ? static_cast<std::uint64_t>(number) : 0;
}

struct Tally {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
};
using TypeAndGroup = std::tuple<std::string, std::string>;  // type, group

/// By type and the graph's number for the group, so that a million nodes need no strings.
using Collectives = std::map<std::pair<CollectiveType, StringId>, Tally>;

struct GraphTraffic {
  Collectives collectives;
  Tally sends, receives;
};

void count_node(const Graph& graph, NodeId n, NodeCounts& contents, GraphTraffic& traffic) {
  const NodeKind kind = graph.kind(n);
  ++contents.kinds[static_cast<std::size_t>(kind)];
  const Time duration = std::max(graph.duration(n), Time{});
  if (graph.is_cpu(n)) {
    ++contents.cpu_nodes;
    add(contents.recorded_cpu, duration);
  }
  const auto tally = [&](Tally& into, Bytes size) {
    ++into.operations;
    add(into.bytes, natural(size.count()));
  };
  switch (kind) {
    case NodeKind::comp:
      if (!graph.is_cpu(n)) add(contents.recorded, duration);
      add(contents.flops, natural(graph.work(n).num_ops));
      add(contents.compute_bytes, natural(graph.work(n).tensor_size.count()));
      break;
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      add(contents.memory_bytes, natural(graph.work(n).tensor_size.count()));
      break;
    case NodeKind::coll: {
      const graph::Collective& collective = graph.collective(n);
      tally(traffic.collectives[{collective.type, collective.group}], collective.size);
      break;
    }
    case NodeKind::send:
      tally(traffic.sends, graph.point_to_point(n).size);
      add(contents.comm_bytes, natural(graph.point_to_point(n).size.count()));
      break;
    case NodeKind::recv:
      tally(traffic.receives, graph.point_to_point(n).size);
      break;
    case NodeKind::invalid:
    case NodeKind::metadata:
      break;
  }
}

void add_all(NodeCounts& total, const NodeCounts& one, std::uint64_t ranks) {
  for (const auto part :
       {&NodeCounts::nodes, &NodeCounts::edges, &NodeCounts::cpu_nodes, &NodeCounts::flops,
        &NodeCounts::compute_bytes, &NodeCounts::memory_bytes, &NodeCounts::comm_bytes})
    add(total.*part, times(one.*part, ranks));
  for (std::size_t k = 0; k < one.kinds.size(); ++k)
    add(total.kinds[k], times(one.kinds[k], ranks));
  const auto all = static_cast<std::int64_t>(ranks);
  const auto scaled = [&](Time t) {
    return t.count() > kTimeMax.count() / all ? kTimeMax : t * all;
  };
  add(total.recorded, scaled(one.recorded));
  add(total.recorded_cpu, scaled(one.recorded_cpu));
}

std::uint32_t size_of_group(const graph::Workload& workload, const std::string& group) {
  const auto axis = workload.axes.find(group);
  if (axis != workload.axes.end()) return axis->second.extent();
  const auto found = workload.groups.find(group);
  if (found != workload.groups.end() && !found->second.ranks.empty()) {
    return static_cast<std::uint32_t>(found->second.ranks.size());
  }
  const bool all_ranks = group.empty() || group == "0" || found != workload.groups.end();
  return all_ranks ? workload.rank_count() : 0;
}

/// Converts stated sizes to complete buffers if the number of ranks is known.
Collectives whole_buffers(const graph::Workload& workload, const Graph& graph,
                          Collectives collectives) {
  for (auto& [key, tally] : collectives) {
    if (key.first != CollectiveType::all_gather) continue;
    const std::uint32_t members = size_of_group(workload, std::string(graph.string(key.second)));
    if (members > 1) tally.bytes = times(tally.bytes, members);
  }
  return collectives;
}

void sort_traffic(std::vector<Traffic>& traffic) {
  std::sort(traffic.begin(), traffic.end(), [](const Traffic& a, const Traffic& b) {
    return std::tie(a.type, a.group_size, a.group) < std::tie(b.type, b.group_size, b.group);
  });
}

}  // namespace

WorkloadSummary summarize(const graph::Workload& workload) {
  WorkloadSummary summary;
  summary.ranks = workload.rank_count();
  std::vector<std::size_t> part_of_graph(workload.graphs.size(), kMax);
  for (std::uint32_t rank = 0; rank < summary.ranks; ++rank) {
    std::size_t& part = part_of_graph[workload.graph_of_rank[rank]];
    if (part == kMax) {
      part = summary.parts.size();
      summary.parts.emplace_back();
    }
    summary.parts[part].ranks.push_back(rank);
  }

  std::map<TypeAndGroup, Tally> sums;
  const auto sum_up = [&](TypeAndGroup key, const Tally& one, std::uint64_t ranks) {
    if (one.operations == 0) return;
    Tally& sum = sums[std::move(key)];
    add(sum.operations, times(one.operations, ranks));
    add(sum.bytes, times(one.bytes, ranks));
  };
  for (Part& part : summary.parts) {
    const Graph& graph = workload.graph(part.ranks.front());
    GraphTraffic traffic;
    part.contents.nodes = graph.size();
    part.contents.edges = graph.edge_count();
    for (NodeId n = 0; n < graph.size(); ++n) count_node(graph, n, part.contents, traffic);
    const Collectives whole = whole_buffers(workload, graph, std::move(traffic.collectives));
    for (const auto& [key, tally] : whole) add(part.contents.comm_bytes, tally.bytes);
    part.chain = longest_chain(graph);
    const std::uint64_t ranks = part.ranks.size();
    add_all(summary.total, part.contents, ranks);
    for (const auto& [key, tally] : whole) {
      sum_up({std::string(name(key.first)), std::string(graph.string(key.second))}, tally, ranks);
    }
    sum_up({"send", ""}, traffic.sends, ranks);
    sum_up({"recv", ""}, traffic.receives, ranks);
  }

  for (const auto& [key, tally] : sums) {
    const auto& [type, group] = key;
    const bool pair = type == "send" || type == "recv";
    summary.traffic.push_back(
        {type, group, pair ? 2 : size_of_group(workload, group), tally.operations, tally.bytes});
  }
  sort_traffic(summary.traffic);
  return summary;
}

std::vector<Traffic> by_group_size(const std::vector<Traffic>& traffic) {
  std::vector<Traffic> joined;
  for (const Traffic& row : traffic) {
    if (joined.empty() || joined.back().type != row.type ||
        joined.back().group_size != row.group_size) {
      joined.push_back({row.type, "", row.group_size, 0, 0});
    }
    add(joined.back().operations, row.operations);
    add(joined.back().bytes, row.bytes);
  }
  return joined;
}

}  // namespace orrery::analysis
