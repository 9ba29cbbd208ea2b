// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/cut_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "orrery/core/text/rank_list.h"
#include "orrery/synthesis/fabric/min_cut.h"

namespace orrery::synthesis {

using platform::NodeClass;

namespace {

constexpr std::uint32_t kNoLabel = ~0U;

/// Which nodes hang together, with those alone that `stays` says; numbers in the nodes' order.
std::vector<std::uint32_t> components(const FabricState& fabric, const std::vector<bool>& stays,
                                      std::uint32_t& count) {
  std::vector<std::uint32_t> label(fabric.node_count(), kNoLabel);
  std::vector<NodeIndex> stack;
  count = 0;
  for (NodeIndex start = 0; start < fabric.node_count(); ++start) {
    if (!stays[start] || label[start] != kNoLabel) continue;
    stack.assign(1, start);
    label[start] = count;
    while (!stack.empty()) {
      const NodeIndex at = stack.back();
      stack.pop_back();
      const auto visit = [&](NodeIndex other) {
        if (!stays[other] || label[other] != kNoLabel) return;
        label[other] = count;
        stack.push_back(other);
      };
      for (const Wire& wire : fabric.out(at)) visit(wire.to);
      for (const std::uint32_t wire : fabric.into(at)) visit(fabric.wires[wire].from);
    }
    ++count;
  }
  return label;
}

}  // namespace

void CutBoundary::add(const FabricState& fabric, std::uint32_t wire) {
  const Wire& one = fabric.wires[wire];
  latency = wires.empty() ? one.latency : std::min(latency, one.latency);
  capacity += one.capacity;
  wires.push_back(wire);
}

CutFinder::CutFinder(const FabricState& fabric, std::span<const NodeIndex> members)
    : fabric_(fabric), members_(members), mark_(fabric.node_count()) {}

NodeSet CutFinder::measure(std::string name, std::span<const NodeIndex> nodes) const {
  ++round_;
  for (const NodeIndex node : nodes) mark_[node] = round_;
  NodeSet set;
  set.name = std::move(name);
  set.nodes.assign(nodes.begin(), nodes.end());
  for (const NodeIndex node : nodes) {
    for (std::uint32_t out = fabric_.out_offsets[node]; out < fabric_.out_offsets[node + 1];
         ++out) {
      if (mark_[fabric_.wires[out].to] != round_) set.out.add(fabric_, out);
    }
    for (const std::uint32_t in : fabric_.into(node)) {
      if (mark_[fabric_.wires[in].from] != round_) set.in.add(fabric_, in);
    }
  }
  return set;
}

NodeSet CutFinder::measure(std::string name, const std::vector<bool>& inside) const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < inside.size(); ++node) {
    if (inside[node]) nodes.push_back(node);
  }
  return measure(std::move(name), nodes);
}

Partition CutFinder::by_label(std::string name, std::span<const std::uint32_t> label,
                              std::uint32_t labels) const {
  std::vector<std::vector<NodeIndex>> nodes(labels);
  for (NodeIndex node = 0; node < label.size(); ++node) {
    if (label[node] != kNoLabel) nodes[label[node]].push_back(node);
  }
  Partition family{std::move(name), {}};
  for (const auto& set : nodes) {
    const auto device = std::find_if(set.begin(), set.end(), [&](NodeIndex node) {
      return fabric_.topology->kind(node) == NodeClass::device;
    });
    if (device == set.end()) continue;
    const auto anchor = std::find_if(set.begin(), set.end(), [&](NodeIndex node) {
      return platform::is_switch(fabric_.topology->kind(node)) &&
             fabric_.topology->host(node) == Topology::kNoHost;
    });
    const NodeIndex called = anchor == set.end() ? *device : *anchor;
    family.sets.push_back(measure(
        fabric_.topology->name(called) + (set.size() > 1 ? " and what hangs on it" : ""), set));
  }
  return family;
}

Partition CutFinder::hosts() const {
  const Topology& topology = *fabric_.topology;
  std::vector<std::vector<NodeIndex>> nodes(topology.host_count());
  std::vector<bool> has_device(topology.host_count());
  Partition family{"all hosts", {}};
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    const bool device = topology.kind(node) == NodeClass::device;
    if (topology.host(node) != Topology::kNoHost) {
      nodes[topology.host(node)].push_back(node);
      if (device) has_device[topology.host(node)] = true;
    } else if (device) {
      family.sets.push_back(measure(topology.name(node), std::span(&node, 1)));
    }
  }
  for (std::size_t host = 0; host < nodes.size(); ++host) {
    if (has_device[host]) family.sets.push_back(measure(fmt::format("host {}", host), nodes[host]));
  }
  return family;
}

Partition CutFinder::without(bool spines) const {
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
    Partition family = without(spines);
    if (family.sets.size() > 1 && family.sets.size() != all.back().sets.size())
      all.push_back(std::move(family));
  }
  return all;
}

std::vector<NodeSet> CutFinder::halves(std::uint64_t steps) const {
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
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < inside.size(); ++node) {
    if (inside[node]) nodes.push_back(node);
  }
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
