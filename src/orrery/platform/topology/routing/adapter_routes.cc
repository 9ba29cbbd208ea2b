// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/routing/adapter_routes.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace orrery::platform {

namespace {

/// One link from a device to each adapter that begins shortest routes; empty if some of these
/// routes begin elsewhere.
std::vector<LinkIndex> links_to_adapters(const Topology& topology, const ShortestRoutes& shortest,
                                         NodeIndex from, NodeIndex to) {
  std::vector<LinkIndex> next, links;
  shortest.next(from, to, next);
  if (next.size() < 2) return {};  // the usual case
  for (const LinkIndex link : next) {
    const NodeIndex adapter = topology.link(link).to;
    if (topology.kind(adapter) != NodeClass::nic) return {};
    if (links.empty() || topology.link(links.back()).to != adapter) links.push_back(link);
  }
  return links;
}

/// The adapters next to a device, ascending.
std::vector<NodeIndex> adapters_of(const Topology& topology, const ShortestRoutes& shortest,
                                   NodeIndex device) {
  std::vector<NodeIndex> adapters;
  const auto [first, last] = topology.out(device);
  for (LinkIndex link = first; link < last; ++link) {
    const NodeIndex there = topology.link(link).to;
    if (topology.kind(there) == NodeClass::nic && shortest.distance(there, device) == 1 &&
        (adapters.empty() || adapters.back() != there))
      adapters.push_back(there);
  }
  return adapters;
}

/// Whether a shortest route leads from `at` to `to` over `by`.
bool is_on_way(const ShortestRoutes& shortest, NodeIndex at, NodeIndex by, NodeIndex to) {
  const std::uint32_t far = shortest.distance(at, by);
  return far != ShortestRoutes::kNoRoute &&
         far + shortest.distance(by, to) == shortest.distance(at, to);
}

}  // namespace

bool may_use_all_adapters(const Routing& routing) {
  // Configured routes of single pairs are those of fixed adapters.
  return routing.fixed_routes.empty() &&
         (routing.policy == RoutePolicy::known || routing.policy == RoutePolicy::ecmp);
}

bool has_several_adapters(const Topology& topology) {
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    if (topology.kind(node) != NodeClass::device) continue;
    std::optional<NodeIndex> adapter;
    const auto [first, last] = topology.out(node);
    for (LinkIndex link = first; link < last; ++link) {
      const NodeIndex there = topology.link(link).to;
      if (topology.kind(there) != NodeClass::nic) continue;
      if (adapter && *adapter != there) return true;
      adapter = there;
    }
  }
  return false;
}

bool find_over_adapters(const Topology& topology, const Router& router, NodeIndex from,
                        NodeIndex to, std::vector<RouteLink>& out) {
  if (topology.kind(from) != NodeClass::device || topology.kind(to) != NodeClass::device)
    return false;
  const ShortestRoutes& shortest = router.shortest();
  const std::vector<LinkIndex> leaving = links_to_adapters(topology, shortest, from, to);
  if (leaving.size() < 2) return false;
  const std::vector<NodeIndex> arriving = adapters_of(topology, shortest, to);
  const double share = 1.0 / static_cast<double>(leaving.size());
  std::map<std::pair<std::uint32_t, LinkIndex>, double, std::greater<>> shares;  // farthest first
  const auto add = [&](LinkIndex link) {
    shares[{shortest.distance(topology.link(link).from, to), link}] += share;
  };
  std::vector<RouteLink> way;
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const NodeIndex adapter = topology.link(leaving[i]).to;
    NodeIndex by = arriving.empty() ? to : arriving[i % arriving.size()];
    if (by != to && !is_on_way(shortest, adapter, by, to)) by = to;
    add(leaving[i]);
    for (const auto& [start, end] : {std::pair{adapter, by}, std::pair{by, to}}) {
      if (start == end) continue;
      if (!router.find(start, end, way)) return false;
      for (const RouteLink& step : way) add(step.link);
    }
  }
  out.clear();
  for (const auto& [place, part] : shares) out.push_back({place.second, part});
  return true;
}

}  // namespace orrery::platform
