// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are unlike each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

const std::string kGroupPort = "port: {bandwidth: 10 GB/s, latency: 1 us}";

std::string group_of(int count, int hosts, int devices) {
  const std::string link = "{bandwidth: 100 GB/s, latency: 100 ns}";
  return "{count: " + std::to_string(count) + ", hosts: [{count: " + std::to_string(hosts) +
         ", devices: " + std::to_string(devices) + ", nics: " + std::to_string(devices) +
         ", scale_up: " + link + ", pcie: " + link +
         "}], network: {kind: fat_tree, per_leaf: 4, radix: 8, " + kGroupPort + "}}";
}

Result<Platform> read_groups(const std::string& groups, const std::string& levels) {
  Findings findings;
  return parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nfabric: {groups: [" +
                           groups + "], levels: [" + levels + "]}\n",
                       "c.yaml", findings);
}

std::string groups_problem(const std::string& groups, const std::string& levels) {
  const auto made = read_groups(groups, levels);
  return made ? "" : to_string(made.error());
}

std::string level_of(int count, const std::string& kind) {
  return "{count: " + std::to_string(count) + ", network: {kind: " + kind + ", " + kGroupPort +
         "}}";
}

TEST(Groups, MayBeUnequal) {
  const auto made =
      read_groups(group_of(2, 2, 4) + ", " + group_of(1, 3, 2), level_of(3, "switch"));
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->npu_count(), 2 * 8 + 6);
  ASSERT_EQ(made->dims.size(), 1U) << "unequal groups are no dimension";
  const Topology& topology = made->fabric->topology;
  const Router router(topology, {}, {});
  for (const NodeIndex from : made->fabric->rank_devices) {
    for (const NodeIndex to : made->fabric->rank_devices) {
      std::vector<RouteLink> way;
      EXPECT_TRUE(from == to || router.find(from, to, way));
    }
  }
  std::vector<std::string> leaves(3);
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    if (topology.kind(node) == NodeClass::leaf)
      leaves[static_cast<std::size_t>(topology.name(node)[5] - '0')] += "x";
  EXPECT_EQ(leaves, (std::vector<std::string>{"xx", "xx", "xx"})) << "block0.leaf0 …";
}

TEST(Groups, ThatAreEqualAreBlocks) {
  const auto made = read_groups(group_of(1, 2, 4) + ", " + group_of(2, 2, 4),
                                level_of(3, "fully_connected") + ", " + level_of(2, "ring"));
  ASSERT_TRUE(made) << to_string(made.error());
  std::string text = group_of(1, 2, 4).substr(11);  // without its braces and count
  text.pop_back();
  Findings findings;
  const auto equivalent = parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nfabric: {" + text + ", levels: [" +
          level_of(3, "fully_connected") + ", " + level_of(2, "ring") + "]}\n",
      "c.yaml", findings);
  ASSERT_TRUE(equivalent) << to_string(equivalent.error());
  const Topology &one = made->fabric->topology, &other = equivalent->fabric->topology;
  ASSERT_EQ(one.node_count(), other.node_count());
  for (NodeIndex node = 0; node < one.node_count(); ++node)
    EXPECT_EQ(one.name(node), other.name(node));
  ASSERT_EQ(one.link_count(), other.link_count());
  for (LinkIndex link = 0; link < one.link_count(); ++link) {
    EXPECT_EQ(one.link(link).from, other.link(link).from);
    EXPECT_EQ(one.link(link).to, other.link(link).to);
  }
  EXPECT_EQ(made->dims.size(), equivalent->dims.size());
}

TEST(Groups, AreRefusedWhereNothingFits) {
  const std::string unequal = group_of(2, 2, 4) + ", " + group_of(1, 3, 2);
  EXPECT_THAT(groups_problem(unequal, level_of(2, "switch")),
              HasSubstr("c.yaml:/fabric/levels/0/count: is not 3, the number of groups"));
  EXPECT_THAT(groups_problem(unequal, ""), HasSubstr("no network joins the groups"));
  EXPECT_THAT(groups_problem(group_of(1, 2, 4) + ", " + group_of(1, 3, 4), level_of(2, "ring")),
              HasSubstr("different numbers of ports"));
  EXPECT_THAT(
      groups_problem(group_of(1, 2, 4) + ", " + group_of(1, 1 << 24, 4), level_of(2, "ring")),
      HasSubstr("c.yaml:/fabric/groups/1/hosts/0/count: results in more than"));
}

}  // namespace
}  // namespace orrery::platform
