// SPDX-License-Identifier: Apache-2.0
//
// Blocks of blocks: what joins them, and which ways are known through them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

LinkFigures level_link(double gigabytes) {
  return {Bandwidth(gigabytes * 1e9), ns(100), 1, LinkClass::network};
}

NetworkPlan level_plan(NetworkShape shape, std::vector<std::int64_t> sizes = {}) {
  NetworkPlan plan;
  plan.shape = shape;
  plan.sizes = std::move(sizes);
  plan.port = plan.trunk = level_link(10);
  return plan;
}

HostShape lone_devices(std::int64_t count) {
  HostShape host;
  host.count = count;
  host.devices = 1;
  return host;
}

HostShape hosts_with_nics(std::int64_t count, std::int64_t devices) {
  HostShape host;
  host.count = count;
  host.devices = host.nics = devices;
  host.scale_up = host.pcie = level_link(100);
  return host;
}

std::map<NodeClass, int> counted(const Topology& topology) {
  std::map<NodeClass, int> counts;
  for (NodeIndex node = 0; node < topology.node_count(); ++node) ++counts[topology.kind(node)];
  return counts;
}

/// Links between nodes, however they are ordered.
std::multiset<std::pair<NodeIndex, NodeIndex>> ends_of(const Topology& topology) {
  std::multiset<std::pair<NodeIndex, NodeIndex>> ends;
  for (const Link& link : topology.links()) ends.insert({link.from, link.to});
  return ends;
}

std::vector<NodeIndex> nodes_of_way(const Topology& topology, const Router& router, NodeIndex from,
                                    NodeIndex to) {
  std::vector<RouteLink> way;
  EXPECT_TRUE(router.find(from, to, way));
  std::vector<NodeIndex> nodes{from};
  for (const RouteLink& step : way) nodes.push_back(topology.link(step.link).to);
  return nodes;
}

std::string wrong_with(const std::vector<HostShape>& hosts, const NetworkPlan& network,
                       const LevelPlan& level) {
  const auto made = generate("g", hosts, network, {level}, "c.yaml:/fabric");
  return made ? "" : to_string(made.error());
}

TEST(Levels, OfGridsAreOneGrid) {
  const NetworkPlan ring = level_plan(NetworkShape::ring);
  const auto made =
      generate("g", {lone_devices(4)}, ring,
               {{3, {}, 1, ring}, {2, {}, 1, level_plan(NetworkShape::fully_connected)}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  using Joined = StackedDim::Block;
  const auto flat = stack_dimensions("s",
                                     {{Joined::ring, 4, level_link(10)},
                                      {Joined::ring, 3, level_link(10)},
                                      {Joined::fully_connected, 2, level_link(10)}},
                                     "s");
  ASSERT_TRUE(flat);
  EXPECT_EQ(ends_of(*made), ends_of(*flat));
  ASSERT_NE(made->formula_routes(), nullptr);
  const Router through(*made, {}), along(*flat, {});
  for (NodeIndex from = 0; from < 24; ++from) {
    for (NodeIndex to = 0; to < 24; ++to) {
      if (from == to) continue;
      const auto way = nodes_of_way(*made, through, from, to);
      EXPECT_EQ(way, nodes_of_way(*flat, along, from, to));
      EXPECT_EQ(2 * (way.size() - 2) + 1, through.shortest().distance(from, to));
    }
  }
}

// Devices that are joined already have other ways than those of the grid.
TEST(Levels, KnowNoWaysOfDevicesThatHostsJoin) {
  HostShape host = lone_devices(2);
  host.devices = 4;
  host.inside = HostInterconnect::fully_connected;
  for (const NetworkShape shape : {NetworkShape::fully_connected, NetworkShape::ring}) {
    const auto made =
        generate("g", {host}, level_plan(shape), {{2, {}, 1, level_plan(NetworkShape::ring)}}, "g");
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(made->formula_routes(), nullptr);
  }
}

TEST(Levels, MayBeginWithOneDevice) {
  const NetworkPlan ring = level_plan(NetworkShape::ring);
  const auto made = generate("g", {lone_devices(1)}, level_plan(NetworkShape::none),
                             {{4, {}, 1, ring}, {3, {}, 1, ring}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  const auto flat = generate("f", {lone_devices(12)}, level_plan(NetworkShape::torus, {4, 3}), "f");
  ASSERT_TRUE(flat);
  EXPECT_EQ(ends_of(*made), ends_of(*flat));
  EXPECT_NE(made->formula_routes(), nullptr);
  const NetworkPlan star = level_plan(NetworkShape::switched);
  const auto searched =
      generate("g", {lone_devices(4)}, ring, {{2, {}, 1, ring}, {2, {}, 1, star}}, "g");
  ASSERT_TRUE(searched);
  EXPECT_EQ(searched->formula_routes(), nullptr) << "a switch between grids";
}

TEST(Levels, OfCubesKnowTheirWays) {
  const auto made = generate("g", {lone_devices(64)}, level_plan(NetworkShape::tpu, {4, 4, 4}),
                             {{3, {}, 1, level_plan(NetworkShape::ring)}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_NE(made->formula_routes(), nullptr);
  const Router router(*made, {});
  for (NodeIndex to = 1; to < 192; ++to) {
    const auto way = nodes_of_way(*made, router, 0, to);
    EXPECT_EQ(way.back(), to);
    EXPECT_LE(way.size(), 2U + 2 * 3 + 3 + 1) << "three dimensions of four, and blocks";
  }
}

TEST(Levels, OfTreesHaveTheirSpinesJoined) {
  NetworkPlan tree = level_plan(NetworkShape::fat_tree);
  tree.per_leaf = 4;
  tree.radix = 8;
  NetworkPlan dragonfly = level_plan(NetworkShape::dragonfly);
  dragonfly.per_leaf = 4;
  dragonfly.group = 1;
  dragonfly.global_links = 2;
  const auto made = generate("g", {hosts_with_nics(4, 2)}, tree, {{3, {}, 2, dragonfly}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->devices().size(), 24U);
  EXPECT_EQ(made->host_count(), 12U);
  auto counts = counted(*made);
  EXPECT_EQ(counts[NodeClass::spine], 3 * 1);     // eight ports: all eight links of two leaves
  EXPECT_EQ(counts[NodeClass::leaf], 3 * 2 + 2);  // six uplinks at routers of four
  EXPECT_EQ(made->formula_routes(), nullptr);
  std::set<std::string> names;
  for (NodeIndex node = 0; node < made->node_count(); ++node) names.insert(made->name(node));
  EXPECT_EQ(names.size(), made->node_count());
  EXPECT_EQ(names.count("block2.spine0"), 1U);
  EXPECT_EQ(names.count("group1.router0"), 1U);
  const Router router(*made, {});
  for (NodeIndex from = 0; from < 24; ++from) {
    for (NodeIndex to = 0; to < 24; ++to) {
      if (from == to) continue;
      EXPECT_EQ(nodes_of_way(*made, router, from, to).back(), to);
    }
  }
}

TEST(Levels, AreNamedFromTheOutside) {
  const NetworkPlan star = level_plan(NetworkShape::switched);
  const auto made =
      generate("g", {lone_devices(2)}, star, {{2, {}, 1, star}, {3, {}, 1, star}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  std::vector<std::string> names;
  for (NodeIndex node = 12; node < made->node_count(); ++node) names.push_back(made->name(node));
  EXPECT_THAT(names,
              testing::ElementsAre("block0.0.switch", "block0.1.switch", "block1.0.switch",
                                   "block1.1.switch", "block2.0.switch", "block2.1.switch",
                                   "block0.switch", "block1.switch", "block2.switch", "switch"));
  const auto [first, last] = made->out(12);
  ASSERT_EQ(last - first, 3U);
  EXPECT_EQ(made->link(first + 2).to, 18U) << "its own block's";
}

TEST(Levels, MayJoinWhatTheyName) {
  const NetworkPlan rails = level_plan(NetworkShape::rail_only);
  const auto made = generate("g", {hosts_with_nics(2, 4)}, level_plan(NetworkShape::none),
                             {{2, NodeClass::device, 1, rails}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(counted(*made)[NodeClass::leaf], 8) << "a rail for each device of a block";
}

TEST(Levels, OfCircuitsJoinEachTwo) {
  NetworkPlan tree = level_plan(NetworkShape::fat_tree);
  tree.per_leaf = 2;
  tree.radix = 4;
  const auto made = generate("g", {hosts_with_nics(4, 1)}, tree,
                             {{4, {}, 3, level_plan(NetworkShape::circuits)}}, "g");
  ASSERT_TRUE(made) << to_string(made.error());
  std::map<std::pair<char, char>, int> circuits;  // by block
  int optical = 0;
  for (NodeIndex node = 0; node < made->node_count(); ++node) {
    if (made->kind(node) != NodeClass::optical) continue;
    ++optical;
    const auto [first, last] = made->out(node);
    ASSERT_EQ(last - first, 2U);
    Time both{};
    for (LinkIndex link = first; link < last; ++link) both += *made->link(link).figures.latency;
    EXPECT_EQ(both, ns(100)) << "half of it on either side";
    const char a = made->name(made->link(first).to)[5], b = made->name(made->link(first + 1).to)[5];
    ++circuits[{std::min(a, b), std::max(a, b)}];
  }
  EXPECT_EQ(circuits.size(), 6U);
  // One spine with three uplinks, or more: as many for every pair.
  for (const auto& [pair, count] : circuits) EXPECT_EQ(count, optical / 6);
}

TEST(Levels, BeginWithDiesOfPackages) {
  HostShape host = hosts_with_nics(2, 8);
  host.nics = 2;
  host.per_package = 4;
  host.package = level_link(500);
  const auto made = generate("g", {host}, level_plan(NetworkShape::switched), "g");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(counted(*made)[NodeClass::nvswitch], 2 * (2 + 1));
  const Router router(*made, {});
  const auto name = [&](NodeIndex node) { return made->name(node); };
  std::vector<std::string> names;
  for (const NodeIndex node : nodes_of_way(*made, router, 1, 6)) names.push_back(name(node));
  EXPECT_THAT(names, testing::ElementsAre("host0.gpu1", "host0.package0", "host0.switch0",
                                          "host0.package1", "host0.gpu6"));
  names.clear();
  for (const NodeIndex node : nodes_of_way(*made, router, 5, 8)) names.push_back(name(node));
  EXPECT_THAT(names, testing::ElementsAre("host0.gpu5", "host0.package1", "host0.nic1", "switch",
                                          "host1.nic0", "host1.package0", "host1.gpu0"));
}

TEST(Levels, WhatIsWrongIsNamedWithItsPlace) {
  const NetworkPlan ring = level_plan(NetworkShape::ring),
                    star = level_plan(NetworkShape::switched);
  const std::vector<HostShape> four{lone_devices(4)};
  EXPECT_THAT(wrong_with(four, ring, {2, {}, 1, level_plan(NetworkShape::tpu, {4, 4, 4})}),
              HasSubstr("c.yaml:/fabric/levels/0/network/kind: a tpu network joins devices"));
  EXPECT_THAT(wrong_with(four, ring, {2, NodeClass::spine, 1, star}),
              HasSubstr("/fabric/levels/0/ports: no node of a block has that class"));
  EXPECT_THAT(wrong_with(four, ring, {6, {}, 1, level_plan(NetworkShape::torus, {2, 2})}),
              HasSubstr("/fabric/levels/0/network/sizes: 2 x 2 is 4 positions, but there are 6"));
  EXPECT_THAT(
      wrong_with(four, star, {6, {}, 4, level_plan(NetworkShape::circuits)}),
      HasSubstr("/fabric/levels/0/network/kind: each of 6 blocks (or hosts) has 4 circuits"));
  EXPECT_THAT(wrong_with(four, level_plan(NetworkShape::torus, {3, 2}), {2, {}, 1, ring}),
              HasSubstr("c.yaml:/fabric/network/sizes"));
  EXPECT_THAT(wrong_with(four, ring, {1 << 24, {}, 1, ring}),
              HasSubstr("/fabric/levels/0/count: results in more than 16777216"));
  EXPECT_THAT(wrong_with({lone_devices(4096)}, star,
                         {4096, {}, 1, level_plan(NetworkShape::fully_connected)}),
              HasSubstr("more than"));
  EXPECT_THAT(wrong_with({lone_devices(1)}, star, {1 << 20, {}, 65536, star}),
              HasSubstr("more than"));
  const auto deep =
      generate("g", {lone_devices(1)}, star, {{2, {}, 65536, star}, {1 << 19, {}, 1, star}}, "g");
  ASSERT_FALSE(deep);
  EXPECT_THAT(to_string(deep.error()), HasSubstr("more than"));
  HostShape packed = hosts_with_nics(1, 8);
  packed.per_package = 3;
  EXPECT_THAT(
      wrong_with({packed}, star, {2, {}, 1, star}),
      HasSubstr(
          "/fabric/hosts/0/package/devices: 8 devices are not a multiple of the package size 3"));
}

}  // namespace
}  // namespace orrery::platform
