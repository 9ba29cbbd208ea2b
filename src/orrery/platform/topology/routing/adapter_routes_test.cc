// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/routing/adapter_routes.h"

#include <gtest/gtest.h>

#include "orrery/platform/topology/generators/topology_generator.h"

namespace orrery::platform {
namespace {

LinkFigures figures(double gigabytes) {
  return {Bandwidth(gigabytes * 1e9), ns(100), 1, LinkClass::network};
}

/// Three hosts of one device with four adapters, and one host of one device with two, at one
/// switch.
Topology star() {
  const HostShape host{3, 1, HostInterconnect::none, 1, {}, 4, figures(64)};
  const HostShape small{1, 1, HostInterconnect::none, 1, {}, 2, figures(64)};
  NetworkPlan plan{.shape = NetworkShape::switched};
  plan.port = figures(50);
  auto made = generate("star", {host, small}, plan, "star");
  EXPECT_TRUE(made) << to_string(made.error());
  return *std::move(made);
}

/// The shares add up to 1 at the end, and to 0 at each node on the way.
void expect_complete(const Topology& topology, const std::vector<RouteLink>& route, NodeIndex from,
                     NodeIndex to) {
  std::vector<double> here(topology.node_count());
  here[from] = 1;
  for (const RouteLink& step : route) {
    EXPECT_GE(here[topology.link(step.link).from], step.share - 1e-12) << "it comes after";
    here[topology.link(step.link).from] -= step.share;
    here[topology.link(step.link).to] += step.share;
  }
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    EXPECT_NEAR(here[node], node == to ? 1 : 0, 1e-12) << topology.name(node);
}

TEST(AdapterRoutes, UseAllAdaptersOfBothEnds) {
  const Topology topology = star();
  const Router router(topology, {RoutePolicy::ecmp, 1, {}});
  for (const NodeIndex from : topology.devices()) {
    for (const NodeIndex to : topology.devices()) {
      if (from == to) continue;
      std::vector<RouteLink> route;
      ASSERT_TRUE(find_over_adapters(topology, router, from, to, route));
      expect_complete(topology, route, from, to);
      const bool small = topology.host(from) == 3 || topology.host(to) == 3;
      EXPECT_DOUBLE_EQ(route_capacity(topology, route), (small ? 2 : 4) * 50e9);
    }
  }
}

// An adapter that fails leaves the others; the last one is an ordinary route.
TEST(AdapterRoutes, UseTheRemainingAdapters) {
  const Topology topology = star();
  const NodeIndex from = topology.devices()[0], to = topology.devices()[1];
  std::vector<bool> down(topology.link_count());
  const auto [first, last] = topology.out(from);
  std::size_t left = last - first;
  ASSERT_EQ(left, 4U);
  for (LinkIndex link = first; link < last; ++link) {
    down[link] = true;
    --left;
    const Router router(topology, {RoutePolicy::ecmp, 1, {}}, down);
    std::vector<RouteLink> route;
    EXPECT_EQ(find_over_adapters(topology, router, from, to, route), left > 1) << left;
    if (left > 1) {
      expect_complete(topology, route, from, to);
      EXPECT_DOUBLE_EQ(route_capacity(topology, route), static_cast<double>(left) * 50e9);
    }
  }
}

TEST(AdapterRoutes, AreOnlyForDevicesWithSeveral) {
  const HostShape host{4, 1, HostInterconnect::none, 1, {}, 1, figures(64)};
  NetworkPlan plan{.shape = NetworkShape::switched};
  plan.port = figures(50);
  const auto topology = generate("star", {host}, plan, "star");
  ASSERT_TRUE(topology);
  const Router router(*topology, {RoutePolicy::ecmp, 1, {}});
  std::vector<RouteLink> route;
  EXPECT_FALSE(
      find_over_adapters(*topology, router, topology->devices()[0], topology->devices()[1], route));
  EXPECT_TRUE(route.empty());
}

}  // namespace
}  // namespace orrery::platform
