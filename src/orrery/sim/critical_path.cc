// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/critical_path.h"

#include <algorithm>
#include <tuple>

namespace orrery::sim {

using graph::NodeId;

std::vector<PathLink> critical_path(Run& run, Nodes& nodes, const MessageState& messages) {
  std::vector<PathLink> links;
  std::uint32_t slowest = 0;
  for (std::uint32_t rank = 1; rank < run.shared.results.size(); ++rank) {
    if (run.shared.results[rank].finish.value_or(Time{}) >
        run.shared.results[slowest].finish.value_or(Time{}))
      slowest = rank;
  }
  std::uint32_t rank = slowest;
  const auto times = [&](NodeId node) -> const NodeTimes& {
    return run.shared.times[run.shared.first_times[rank] + node];
  };
  // With folding the chain goes through the ranks themselves, whoever was simulated for them.
  std::uint32_t number = run.real(rank);
  std::vector<bool> settled(run.shared.states.size());
  NodeId last = graph::kNoNode;
  for (NodeId node = 0; node < run.graph_of(rank).size(); ++node) {
    if (times(node).end >= 0 && (last == graph::kNoNode || times(node).end > times(last).end))
      last = node;
  }
  for (NodeId node = last; node != graph::kNoNode && links.size() < run.shared.times.size();) {
    if (!run.policy.first_come && !settled[rank]) {
      nodes.settle_releases(rank);
      settled[rank] = true;
    }
    const NodeTimes& ran = times(node);
    const bool waited = ran.sender != kNone;
    links.push_back({number, node, Time(waited ? ran.end : ran.start), Time(ran.end)});
    if (!waited) {
      node = ran.released_by;
      continue;
    }
    number = static_cast<std::uint32_t>(run.workload.graph(number).message(node, number).src);
    const std::size_t before =
        messages.first_senders.empty() ? 0 : messages.first_senders[run.shared.parts.part_of[rank]];
    std::tie(rank, node) = messages.senders[before + ran.sender];
  }
  std::reverse(links.begin(), links.end());
  return links;
}

}  // namespace orrery::sim
