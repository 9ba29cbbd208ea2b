// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/routing/end_port_numbers.h"

#include <algorithm>
#include <limits>

namespace orrery::platform {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

bool is_in_network(const Topology& topology, NodeIndex node) {
  const NodeClass kind = topology.kind(node);
  return topology.host(node) == Topology::kNoHost && kind != NodeClass::device &&
         kind != NodeClass::memory;
}

/// By link: its number if it leaves the network, else kNone.
std::vector<std::uint32_t> number_links(const Topology& topology) {
  std::vector<std::uint32_t> numbers(topology.link_count(), kNone);
  std::vector<std::uint32_t> edge_switches(topology.node_count(), kNone);
  std::uint32_t switches = 0, most_ports = 0;
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    if (!is_in_network(topology, node)) continue;
    std::uint32_t ports = 0;
    const auto [first, last] = topology.out(node);
    for (LinkIndex link = first; link < last; ++link) {
      if (!is_in_network(topology, topology.link(link).to)) numbers[link] = ports++;
    }
    if (ports > 0) edge_switches[node] = switches++;
    most_ports = std::max(most_ports, ports);
  }
  for (LinkIndex link = 0; link < numbers.size(); ++link) {
    if (numbers[link] != kNone)
      numbers[link] += edge_switches[topology.link(link).from] * most_ports;
  }
  return numbers;
}

bool are_in_one_host(const Topology& topology, const Link& link) {
  return topology.host(link.from) != Topology::kNoHost &&
         topology.host(link.from) == topology.host(link.to);
}

}  // namespace

// Enters all hosts at once, hop by hop, so that every node gets the number of its nearest port.
std::vector<std::uint32_t> end_port_numbers(const Topology& topology) {
  const std::vector<std::uint32_t> numbers = number_links(topology);
  std::vector<std::uint32_t> made(topology.node_count(), kNone);
  std::vector<NodeIndex> reached, next;
  for (LinkIndex link = 0; link < numbers.size(); ++link) {
    std::uint32_t& number = made[topology.link(link).to];
    if (numbers[link] != kNone && number == kNone) reached.push_back(topology.link(link).to);
    number = std::min(number, numbers[link]);
  }
  for (std::vector<bool> is_known(made.size()); !reached.empty(); reached.swap(next)) {
    for (const NodeIndex node : reached) is_known[node] = true;
    next.clear();
    for (const NodeIndex node : reached) {
      const auto [first, last] = topology.out(node);
      for (LinkIndex link = first; link < last; ++link) {
        const NodeIndex there = topology.link(link).to;
        if (is_known[there] || !are_in_one_host(topology, topology.link(link))) continue;
        if (made[there] == kNone) next.push_back(there);
        made[there] = std::min(made[there], made[node]);
      }
    }
  }
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    if (made[node] == kNone) made[node] = topology.rank(node);
    if (made[node] == Topology::kNoRank) made[node] = node;
  }
  return made;
}

}  // namespace orrery::platform
