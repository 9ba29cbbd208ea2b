// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/peers.h"

namespace orrery::sim {

using graph::NodeKind;

Peers::Peers(const graph::Workload& workload) : workload_(workload) {
  for (const graph::GraphRef& graph : workload.graphs) {
    List& list = lists_.emplace_back();
    for (graph::NodeId node = 0; node < graph->size(); ++node) {
      const NodeKind kind = graph->kind(node);
      if (kind != NodeKind::send && kind != NodeKind::recv) continue;
      const graph::PointToPoint& message = graph->point_to_point(node);
      const bool sends = kind == NodeKind::send;
      if (!graph->has(node, sends ? graph::kHasDst : graph::kHasSrc)) continue;
      const std::int64_t peer = sends ? message.dst : message.src;
      const bool relative = graph->has(node, graph::kPeerRelative);
      auto& known = relative ? list.distances : list.ranks;
      if (!known.emplace(peer, static_cast<std::uint32_t>(list.peers.size())).second) continue;
      list.peers.push_back(peer);
      list.relative.push_back(relative);
    }
    graph->release();
  }
}

std::uint32_t Peers::place(std::uint32_t rank, std::uint32_t peer) const {
  const List& list = lists_[workload_.graph_of_rank[rank]];
  if (const auto found = list.ranks.find(peer); found != list.ranks.end()) return found->second;
  const auto found = list.distances.find(std::int64_t{peer} - rank);
  return found == list.distances.end() ? kNone : found->second;
}

std::uint32_t Peers::at(std::uint32_t rank, std::uint32_t place) const {
  const List& list = lists_[workload_.graph_of_rank[rank]];
  return static_cast<std::uint32_t>(list.peers[place] + (list.relative[place] ? rank : 0));
}

}  // namespace orrery::sim
