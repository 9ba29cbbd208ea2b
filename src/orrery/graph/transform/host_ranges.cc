// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/host_ranges.h"

#include <algorithm>

#include "orrery/graph/transform/durations.h"

namespace orrery::graph {

namespace {

/// By name: whether it contains `text`.
std::vector<bool> named_like(const HostRanges& ranges, std::string_view text) {
  std::vector<bool> chosen;
  for (const std::string& name : ranges.names)
    chosen.push_back(name.find(text) != std::string::npos);
  return chosen;
}

/// Calls `use(part, time)` with the first chosen part of each node, and the time of the node in
/// chosen ranges.
template <class Use>
void for_each_node(const HostRanges& ranges, const std::vector<bool>& chosen, Use use) {
  for (std::size_t first = 0, next = 0; first < ranges.parts.size(); first = next) {
    const RangePart& node = ranges.parts[first];
    Time inside{}, until{};
    for (; next < ranges.parts.size() && ranges.parts[next].node == node.node; ++next) {
      const RangePart& part = ranges.parts[next];
      if (!chosen[part.name] || part.to <= until) continue;
      inside += part.to - std::max(part.from, until);
      until = part.to;
    }
    if (inside > Time{}) use(node, inside);
  }
}

GraphRef scale_graph(const Graph& graph, const HostRanges& ranges, const std::vector<bool>& chosen,
                     double factor) {
  std::vector<Time> durations = durations_of(graph);
  bool any = false;
  for_each_node(ranges, chosen, [&](const RangePart& node, Time inside) {
    const NodeId n = graph.find(node.node);
    if (n == kNoNode || durations[n] <= Time{}) return;
    const double share = static_cast<double>(inside.count()) / static_cast<double>(node.of.count());
    durations[n] = std::max(kMinimumDuration, scale_time(durations[n], 1 - share + share * factor));
    any = true;
  });
  return any ? with_durations(graph, durations) : nullptr;
}

}  // namespace

Time time_in_ranges(const Workload& workload, std::string_view text) {
  Time most{};
  for (const auto& ranges : workload.host_ranges) {
    if (ranges == nullptr) continue;
    Time all{};
    for_each_node(*ranges, named_like(*ranges, text),
                  [&](const RangePart&, Time inside) { all += inside; });
    most = std::max(most, all);
  }
  return most;
}

std::map<std::string, Time> range_times(const Workload& workload) {
  struct Sum {
    Time all{}, until{};
    std::uint64_t node = 0;
  };
  std::map<std::string, Time> most;
  for (const auto& ranges : workload.host_ranges) {
    if (ranges == nullptr) continue;
    std::vector<Sum> sums(ranges->names.size());
    for (const RangePart& part : ranges->parts) {
      Sum& sum = sums[part.name];
      if (sum.node != part.node) sum = {sum.all, Time{}, part.node};
      if (part.to <= sum.until) continue;
      sum.all += part.to - std::max(part.from, sum.until);
      sum.until = part.to;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      Time& time = most[ranges->names[i]];
      time = std::max(time, sums[i].all);
    }
  }
  return most;
}

Workload scale_ranges(const Workload& workload, std::string_view text, double factor) {
  Workload made = workload;
  for (std::uint32_t rank = 0; rank < workload.host_ranges.size(); ++rank) {
    const HostRanges* ranges = workload.host_ranges[rank].get();
    if (ranges == nullptr) continue;
    const std::vector<bool> chosen = named_like(*ranges, text);
    made = with_graphs_of(made, {rank}, [&](const Graph& graph) {
      return scale_graph(graph, *ranges, chosen, factor);
    });
  }
  return made;
}

}  // namespace orrery::graph
