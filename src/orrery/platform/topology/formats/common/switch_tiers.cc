// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/switch_tiers.h"

#include <deque>
#include <limits>
#include <vector>

namespace orrery::platform {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Neighbors of every node, in either direction, in two columns.
struct Neighbors {
  std::vector<std::size_t> first;
  std::vector<NodeIndex> nodes;

  explicit Neighbors(TopologyBuilder& builder) : first(builder.node_count() + 1) {
    const NodeIndex count = builder.node_count();
    for (const Link& link : builder.links()) {
      if (link.from >= count || link.to >= count) continue;
      ++first[link.from + 1];
      ++first[link.to + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    nodes.resize(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (const Link& link : builder.links()) {
      if (link.from >= count || link.to >= count) continue;
      nodes[next[link.from]++] = link.to;
      nodes[next[link.to]++] = link.from;
    }
  }
};

}  // namespace

void assign_tiers(TopologyBuilder& builder) {
  const Neighbors neighbors(builder);
  std::vector<std::uint32_t> tier(builder.node_count(), kFar);
  std::deque<NodeIndex> reached;
  // Entering a switch costs one, passing a port, a NIC or a PCIe switch nothing.
  const auto search_from = [&](NodeClass from) {
    for (NodeIndex node = 0; node < builder.node_count(); ++node) {
      if (builder.kind(node) == from && tier[node] == kFar) {
        tier[node] = 0;
        reached.push_back(node);
      }
    }
    while (!reached.empty()) {
      const NodeIndex node = reached.front();
      reached.pop_front();
      for (std::size_t i = neighbors.first[node]; i < neighbors.first[node + 1]; ++i) {
        const NodeIndex peer = neighbors.nodes[i];
        const bool enters = builder.kind(peer) == NodeClass::switched;
        const std::uint32_t cost = tier[node] + (enters ? 1 : 0);
        if (cost >= tier[peer]) continue;
        tier[peer] = cost;
        if (enters) {
          reached.push_back(peer);
        } else {
          reached.push_front(peer);
        }
      }
    }
  };
  search_from(NodeClass::device);
  search_from(NodeClass::nic);
  for (NodeIndex node = 0; node < builder.node_count(); ++node) {
    if (builder.kind(node) != NodeClass::switched || tier[node] == kFar) continue;
    builder.set_kind(node, tier[node] <= 1   ? NodeClass::leaf
                           : tier[node] == 2 ? NodeClass::spine
                                             : NodeClass::core);
  }
}

}  // namespace orrery::platform
