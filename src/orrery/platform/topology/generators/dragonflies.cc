// SPDX-License-Identifier: Apache-2.0
//
// Groups that are full inside, and few links between them.
//
// Dragonfly: p ports and h global links at each of a routers; up to a × h + 1 groups (Kim, Dally,
// Scott, Abts, ISCA 2008, section 3). Dragonfly+: a group is leaves and spines, each leaf to each
// spine, and spines have the global links (Shpiner et al., HiPINEB 2017). Global link k of a group
// leads to the k-th other group, and again from the first where there are more links than groups.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

struct Group {
  std::vector<NodeIndex> edge;    // with ports
  std::vector<NodeIndex> global;  // with links to other groups
};

/// Every pair of groups gets as many links as every other, or one more.
std::optional<KeyError> join_groups(TopologyBuilder& builder, std::vector<Group>& groups,
                                    const NetworkPlan& plan) {
  const auto count = static_cast<std::int64_t>(groups.size());
  if (count < 2) return std::nullopt;
  const std::int64_t each = static_cast<std::int64_t>(groups.front().global.size());
  const std::int64_t links = each * plan.global_links;
  if (links < count - 1)
    return KeyError{
        "/network/global_links",
        fmt::format("a group has {} global links, but there are {} other groups", links, count - 1),
        "use more global links, or larger groups"};
  const std::int64_t pairs = links / (count - 1);
  if (!builder.has_room(static_cast<double>(count) * static_cast<double>(count - 1) *
                        static_cast<double>(pairs)))
    return std::nullopt;
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t b = a + 1; b < count; ++b) {
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t from = i * (count - 1) + b - 1, to = i * (count - 1) + a;
        builder.join(groups[static_cast<std::size_t>(a)]
                         .global[static_cast<std::size_t>(from / plan.global_links)],
                     groups[static_cast<std::size_t>(b)]
                         .global[static_cast<std::size_t>(to / plan.global_links)],
                     plan.trunk);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<KeyError> join_dragonfly(TopologyBuilder& builder, std::span<const Port> ports,
                                       const NetworkPlan& plan) {
  const bool plus = plan.shape == NetworkShape::dragonfly_plus;
  // Balanced: a = 2p = 2h; of leaves and spines as many each, half of the ports down.
  const std::int64_t per_leaf =
      plan.per_leaf > 0 ? plan.per_leaf
                        : std::max<std::int64_t>(1, plus ? plan.radix / 2 : (plan.radix + 1) / 4);
  const std::int64_t edges =
      plan.group > 0 ? plan.group
                     : (plus ? std::max<std::int64_t>(1, plan.radix / 2) : 2 * per_leaf);
  NetworkPlan full = plan;
  if (full.global_links == 0)
    full.global_links = plus ? std::max<std::int64_t>(1, plan.radix / 2) : per_leaf;
  const std::int64_t spines = plus ? (plan.spines > 0 ? plan.spines : edges) : 0;
  const std::int64_t in_group = per_leaf * edges;
  const double all = std::ceil(static_cast<double>(ports.size()) / static_cast<double>(in_group));
  const auto routers = static_cast<double>(edges);
  const double inside = plus ? 2 * routers * static_cast<double>(spines) : routers * (routers - 1);
  if (!builder.has_room(all * inside, all * static_cast<double>(edges + spines)))
    return std::nullopt;
  std::vector<Group> groups;
  for (std::size_t first = 0; first < ports.size(); first += static_cast<std::size_t>(in_group)) {
    Group group;
    const std::string name = fmt::format("{}group{}", plan.prefix, groups.size());
    for (std::int64_t e = 0; e < edges; ++e) {
      const NodeIndex made =
          builder.add(NodeClass::leaf, fmt::format("{}.{}{}", name, plus ? "leaf" : "router", e));
      group.edge.push_back(made);
      for (std::int64_t i = 0; i < per_leaf; ++i) {
        const std::size_t port = first + static_cast<std::size_t>(e * per_leaf + i);
        if (port < ports.size()) builder.join(ports[port].node, made, plan.port);
      }
    }
    for (std::int64_t s = 0; s < spines; ++s) {
      const NodeIndex made = builder.add(NodeClass::spine, fmt::format("{}.spine{}", name, s));
      group.global.push_back(made);
      for (const NodeIndex leaf : group.edge) builder.join(leaf, made, plan.trunk);
    }
    if (!plus) {
      group.global = group.edge;
      for (std::size_t a = 0; a < group.edge.size(); ++a) {
        for (std::size_t b = a + 1; b < group.edge.size(); ++b)
          builder.join(group.edge[a], group.edge[b], plan.trunk);
      }
    }
    groups.push_back(std::move(group));
  }
  return join_groups(builder, groups, full);
}

}  // namespace orrery::platform::generators
