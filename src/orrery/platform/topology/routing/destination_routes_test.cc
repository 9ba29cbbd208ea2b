// SPDX-License-Identifier: Apache-2.0
//
// Routes by destination: what Zahavi (2010) proves of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/end_port_numbers.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {
namespace {

LinkFigures tree_link(double gigabytes) {
  return {Bandwidth(gigabytes * 1e9), ns(100), 1, LinkClass::network};
}

Topology tree_of(std::int64_t hosts, NetworkPlan plan) {
  HostShape host{hosts, 1, HostInterconnect::none, 1, {}, 0, {}};
  plan.port = plan.trunk = tree_link(20);
  auto made = generate("tree", {host}, plan, "tree");
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return std::move(*made);
}

/// The most messages on a link, if every rank sends to the one `shift` after it.
std::size_t busiest(const Topology& topology, const Router& router, std::size_t shift) {
  std::vector<std::size_t> messages(topology.link_count());
  const auto devices = topology.devices();
  std::vector<RouteLink> route;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    const NodeIndex to = devices[(rank + shift) % devices.size()];
    EXPECT_TRUE(router.find(devices[rank], to, route));
    for (const RouteLink& step : route) ++messages[step.link];
  }
  return *std::max_element(messages.begin(), messages.end());
}

struct BusiestLink {
  std::int64_t hosts;
  NetworkPlan plan;
  std::size_t most = 1;
};

// Theorem of section 3: on fat trees of constant bisection, no two messages of a shift meet.
TEST(DestinationRoutes, ShiftsDoNotBlock) {
  using enum NetworkShape;
  const BusiestLink all[] = {
      {16, {.shape = fat_tree, .per_leaf = 4, .radix = 8}},
      {64, {.shape = fat_tree, .per_leaf = 8, .radix = 16}},
      // Two or four links between a leaf and a spine.
      {32, {.shape = fat_tree, .per_leaf = 8, .radix = 16}},
      {16, {.shape = fat_tree, .per_leaf = 8, .radix = 16}},
      {16, {.shape = fat_tree, .radix = 4, .tiers = 3}},
      {54, {.shape = fat_tree, .radix = 6, .tiers = 3}},
      {128, {.shape = fat_tree, .radix = 8, .tiers = 3}},
      // Two pods: parallel links between spines and cores.
      {32, {.shape = fat_tree, .radix = 8, .tiers = 3}},
      // So many messages below a leaf for each link above.
      {64, {.shape = fat_tree, .per_leaf = 8, .radix = 16, .oversubscription = 2}, 2},
      {64, {.shape = fat_tree, .per_leaf = 8, .radix = 16, .oversubscription = 4}, 4},
  };
  for (const BusiestLink& one : all) {
    SCOPED_TRACE(
        fmt::format("{} hosts, radix {}, {} tiers", one.hosts, one.plan.radix, one.plan.tiers));
    const Topology topology = tree_of(one.hosts, one.plan);
    const Router router(topology, {RoutePolicy::d_mod_k, 1, {}});
    for (std::size_t shift = 1; shift < topology.devices().size(); ++shift)
      EXPECT_LE(busiest(topology, router, shift), one.most) << "shift " << shift;
  }
}

// Each NIC of a host is on its own rail: shifts by whole hosts stay on rails.
TEST(DestinationRoutes, ShiftsOnRailsDoNotBlock) {
  const HostShape host{16, 4, HostInterconnect::switched, 1, tree_link(100), 4, tree_link(30)};
  for (const NetworkShape shape : {NetworkShape::rail_optimized, NetworkShape::rail_only}) {
    NetworkPlan plan{.shape = shape, .per_leaf = 4, .radix = 64};
    plan.port = plan.trunk = tree_link(20);
    const auto topology = generate("rails", {host}, plan, "rails");
    ASSERT_TRUE(topology);
    const Router router(*topology, {RoutePolicy::d_mod_k, 1, {}});
    for (std::size_t hosts = 1; hosts < 16; ++hosts)
      EXPECT_EQ(busiest(*topology, router, 4 * hosts), 1U);
  }
}

// A switch decides by the destination alone, as one with a forwarding table does.
TEST(DestinationRoutes, FitIntoForwardingTables) {
  const Topology topology = tree_of(54, {.shape = NetworkShape::fat_tree, .radix = 6, .tiers = 3});
  std::vector<bool> down(topology.link_count());
  for (const bool healthy : {true, false}) {
    if (!healthy) down[topology.out(topology.node_count() - 1).first] = true;
    const Router router(topology, {RoutePolicy::d_mod_k, 1, {}}, down);
    std::map<std::pair<NodeIndex, NodeIndex>, LinkIndex> tables;
    std::vector<RouteLink> route;
    for (const NodeIndex from : topology.devices()) {
      for (const NodeIndex to : topology.devices()) {
        if (from == to) continue;
        ASSERT_TRUE(router.find(from, to, route));
        for (const RouteLink& step : route) {
          const std::pair entry{topology.link(step.link).from, to};
          EXPECT_EQ(tables.try_emplace(entry, step.link).first->second, step.link);
        }
      }
    }
  }
}

// The last leaf of the first rail has two ports, and so has a gap of two after it.
TEST(DestinationRoutes, NumberPortsLeafByLeaf) {
  const HostShape host{6, 2, HostInterconnect::switched, 1, tree_link(100), 2, tree_link(30)};
  NetworkPlan plan{.shape = NetworkShape::rail_optimized, .per_leaf = 4, .radix = 64};
  plan.port = plan.trunk = tree_link(20);
  const auto topology = generate("rails", {host}, plan, "rails");
  ASSERT_TRUE(topology);
  const std::vector<std::uint32_t> numbers = end_port_numbers(*topology);
  std::vector<std::uint32_t> of_devices;
  for (const NodeIndex device : topology->devices()) of_devices.push_back(numbers[device]);
  EXPECT_EQ(of_devices, (std::vector<std::uint32_t>{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13}));
}

// In grids: dimension by dimension, as without a policy.
TEST(DestinationRoutes, OfGridsAreKnown) {
  const Topology topology = tree_of(12, {.shape = NetworkShape::torus, .sizes = {3, 4}});
  const Router known(topology, {RoutePolicy::known, 1, {}});
  const Router by_destination(topology, {RoutePolicy::d_mod_k, 1, {}});
  std::vector<RouteLink> a, b;
  for (NodeIndex from = 0; from < 12; ++from) {
    for (NodeIndex to = 0; to < 12; ++to) {
      if (from == to) continue;
      ASSERT_TRUE(known.find(from, to, a) && by_destination.find(from, to, b));
      EXPECT_EQ(a, b);
    }
  }
}

}  // namespace
}  // namespace orrery::platform
