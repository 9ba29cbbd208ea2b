// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/cut_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "orrery/core/disjoint_sets.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/synthesis/fabric/min_cut.h"

namespace orrery::synthesis {

using platform::NodeClass;

namespace {

constexpr std::uint32_t kNoLabel = ~0U;

/// Labels the connected components of the nodes in `stays`, numbered in node order.
std::vector<std::uint32_t> components(const FabricState& fabric, const std::vector<bool>& stays,
                                      std::uint32_t& count) {
  DisjointSets sets(fabric.node_count());
  for (const Wire& wire : fabric.wires) {
    if (stays[wire.from] && stays[wire.to]) sets.join(wire.from, wire.to);
  }
  std::vector<std::uint32_t> label(fabric.node_count(), kNoLabel);
  count = 0;
  for (NodeIndex node = 0; node < fabric.node_count(); ++node) {
    // The first node of a component is the smallest.
    if (stays[node]) label[node] = sets.find(node) == node ? count++ : label[sets.find(node)];
  }
  return label;
}

std::vector<NodeIndex> nodes_in(const std::vector<bool>& inside) {
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < inside.size(); ++node) {
    if (inside[node]) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

void CutBoundary::add(const FabricState& fabric, std::uint32_t wire) {
  const Wire& one = fabric.wires[wire];
  latency = wires.empty() ? one.latency : std::min(latency, one.latency);
  capacity += one.capacity;
  wires.push_back(wire);
}

CutFinder::CutFinder(const FabricState& fabric, std::span<const NodeIndex> members)
    : fabric_(fabric), members_(members), last_round_of_(fabric.node_count()) {}

NodeSet CutFinder::measure(std::string name, std::span<const NodeIndex> nodes) const {
  ++round_;
  for (const NodeIndex node : nodes) last_round_of_[node] = round_;
  NodeSet set;
  set.name = std::move(name);
  set.nodes.assign(nodes.begin(), nodes.end());
  for (const NodeIndex node : nodes) {
    for (std::uint32_t out = fabric_.out_offsets[node]; out < fabric_.out_offsets[node + 1];
         ++out) {
      if (last_round_of_[fabric_.wires[out].to] != round_) set.out.add(fabric_, out);
    }
    for (const std::uint32_t in : fabric_.incoming_wires(node)) {
      if (last_round_of_[fabric_.wires[in].from] != round_) set.in.add(fabric_, in);
    }
  }
  return set;
}

NodeSet CutFinder::measure(std::string name, const std::vector<bool>& inside) const {
  return measure(std::move(name), nodes_in(inside));
}

Partition CutFinder::by_label(std::string name, std::span<const std::uint32_t> label,
                              std::uint32_t labels) const {
  std::vector<std::vector<NodeIndex>> nodes(labels);
  for (NodeIndex node = 0; node < label.size(); ++node) {
    if (label[node] != kNoLabel) nodes[label[node]].push_back(node);
  }
  Partition partition{std::move(name), {}};
  for (const auto& set : nodes) {
    const auto device = std::find_if(set.begin(), set.end(), [&](NodeIndex node) {
      return fabric_.topology->kind(node) == NodeClass::device;
    });
    if (device == set.end()) continue;
    const auto switch_node = std::find_if(set.begin(), set.end(), [&](NodeIndex node) {
      return platform::is_switch(fabric_.topology->kind(node)) &&
             fabric_.topology->host(node) == Topology::kNoHost;
    });
    const NodeIndex named = switch_node == set.end() ? *device : *switch_node;
    partition.sets.push_back(
        measure(fabric_.topology->name(named) + (set.size() > 1 ? " and its devices" : ""), set));
  }
  return partition;
}

Partition CutFinder::hosts() const {
  const Topology& topology = *fabric_.topology;
  std::vector<std::vector<NodeIndex>> nodes(topology.host_count());
  std::vector<bool> has_device(topology.host_count());
  Partition partition{"all hosts", {}};
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const bool device = topology.kind(node) == NodeClass::device;
    if (topology.host(node) != Topology::kNoHost) {
      nodes[topology.host(node)].push_back(node);
      if (device) has_device[topology.host(node)] = true;
    } else if (device) {
      partition.sets.push_back(measure(topology.name(node), std::span(&node, 1)));
    }
  }
  for (std::size_t host = 0; host < nodes.size(); ++host) {
    if (has_device[host])
      partition.sets.push_back(measure(fmt::format("host {}", host), nodes[host]));
  }
  return partition;
}

Partition CutFinder::components_without_cores(bool spines) const {
  std::vector<bool> stays(fabric_.node_count());
  for (NodeIndex node = 0; node < stays.size(); ++node) {
    const NodeClass kind = fabric_.topology->kind(node);
    stays[node] = kind != NodeClass::core && (spines || kind != NodeClass::spine);
  }
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> label = components(fabric_, stays, count);
  return by_label(spines ? "all pods" : "all leaves", label, count);
}

std::vector<Partition> CutFinder::partitions() const {
  Partition singles{"all devices", {}};
  for (const NodeIndex node : fabric_.topology->devices())
    singles.sets.push_back(measure(fabric_.topology->name(node), std::span(&node, 1)));
  std::vector<Partition> all;
  all.push_back(std::move(singles));
  if (fabric_.topology->host_count() > 1) all.push_back(hosts());
  for (const bool spines : {false, true}) {
    Partition partition = components_without_cores(spines);
    if (partition.sets.size() > 1 && partition.sets.size() != all.back().sets.size())
      all.push_back(std::move(partition));
  }
  return all;
}

std::vector<NodeSet> CutFinder::bisections(std::uint64_t steps) const {
  const bool direct = members_.size() == fabric_.node_count();
  std::vector<NodeSet> sets;
  const auto add = [&](std::string name, const std::function<bool(std::size_t)>& first) {
    std::vector<NodeIndex> a, b;
    for (std::size_t i = 0; i < members_.size(); ++i) (first(i) ? a : b).push_back(members_[i]);
    if (a.empty() || b.empty()) return;
    if (direct) {
      sets.push_back(measure(std::move(name), a));
    } else if (const auto inside = min_cut(fabric_, a, b, steps)) {
      sets.push_back(measure(std::move(name), *inside));
    }
  };
  const std::size_t half = members_.size() / 2;
  if (!direct || fabric_.sizes.size() < 2)
    add("the first half of the ranks", [&](std::size_t i) { return i < half; });
  if (members_.size() != fabric_.rank_devices.size()) return sets;
  std::size_t stride = 1;
  for (std::size_t d = 0; d < fabric_.sizes.size(); ++d) {
    const auto size = static_cast<std::size_t>(fabric_.sizes[d]);
    add(fmt::format("half of dimension {}", d),
        [&](std::size_t i) { return i / stride % size < size / 2; });
    stride *= size;
  }
  return sets;
}

std::string CutFinder::describe(const std::vector<bool>& inside) const {
  const Topology& topology = *fabric_.topology;
  const std::vector<NodeIndex> nodes = nodes_in(inside);
  if (nodes.size() == 1) return topology.name(nodes.front());
  const std::uint32_t host = nodes.empty() ? Topology::kNoHost : topology.host(nodes.front());
  std::size_t of_host = 0;
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    of_host += topology.host(node) == host ? 1 : 0;
  if (host != Topology::kNoHost && of_host == nodes.size() &&
      std::all_of(nodes.begin(), nodes.end(),
                  [&](NodeIndex node) { return topology.host(node) == host; }))
    return fmt::format("host {}", host);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < fabric_.rank_devices.size(); ++rank) {
    if (inside[fabric_.rank_devices[rank]]) ranks.push_back(rank);
  }
  return ranks.empty() ? fmt::format("{} nodes", nodes.size()) : format_ranks(ranks);
}

}  // namespace orrery::synthesis
