// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/fabric/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

Result<Platform> read_fabric(const std::string& fabric, const std::string& more = {}) {
  Findings findings;
  return parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nfabric: " + fabric + "\n" + more,
      "c.yaml", findings);
}

std::string fabric_problem(const std::string& fabric, const std::string& more = {}) {
  const auto made = read_fabric(fabric, more);
  return made ? "" : to_string(made.error());
}

const std::string kFabricPort = "port: {bandwidth: 10 GB/s, latency: 1 us}";
const std::string kFabricTree =
    "{hosts: [{count: 4, devices: 2, scale_up: {bandwidth: 100 GB/s, latency: "
    "100 ns}, nics: 2, pcie: {bandwidth: 50 GB/s, latency: 200 ns}}], "
    "network: {kind: fat_tree, per_leaf: 2, radix: 4, " +
    kFabricPort + "}";

TEST(FabricFile, HostsBecomeDimensionsForCollectives) {
  const auto made = read_fabric(kFabricTree + "}");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->network, NetworkModelKind::flow);
  ASSERT_EQ(made->dims.size(), 2U);
  EXPECT_EQ(made->dims[0].size, 2);
  EXPECT_EQ(made->dims[0].bandwidth.count(), 100e9);
  EXPECT_EQ(made->dims[1].size, 4);
  EXPECT_EQ(made->dims[1].bandwidth.count(), 10e9);
  EXPECT_EQ(made->collectives.library, CollectiveLibrary::ideal);
}

TEST(FabricFile, NetworkSaysOtherwise) {
  const auto made = read_fabric(kFabricTree + "}", "network: [{block: ring, size: 8}]");
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->dims.size(), 1U);
  EXPECT_EQ(made->dims[0].block, Block::ring);
  EXPECT_THAT(fabric_problem(kFabricTree + "}", "network: [{block: ring, size: 6}]"),
              HasSubstr("has 6 positions, but the fabric has 8 ranks"));
  EXPECT_THAT(
      fabric_problem(kFabricTree + "}", "network: [{block: ring, size: 8, bandwidth: 1 GB/s}]"),
      HasSubstr("has link values, but the fabric defines them"));
}

TEST(FabricFile, ComesBackAsItWasWritten) {
  const std::string text =
      kFabricTree +
      ", routing: {policy: ecmp, seed: 7}, faults: [{node: spine0, start: 1 ms}], "
      "placement: [\"6-7\", 0, 1], transport: {window: 1 MB}, bandwidth: 2}";
  const auto made = read_fabric(text);
  ASSERT_TRUE(made) << to_string(made.error());
  const std::string written = resolved_cluster(*made);
  Findings findings;
  const auto again = parse_cluster(written, "again.yaml", findings);
  ASSERT_TRUE(again) << written << to_string(again.error());
  EXPECT_EQ(resolved_cluster(*again), written);
  EXPECT_EQ(again->fabric->rank_devices, made->fabric->rank_devices);
  EXPECT_EQ(again->fabric->routing, made->fabric->routing);
  EXPECT_EQ(again->fabric->topology.links()[0], made->fabric->topology.links()[0]);
  EXPECT_EQ(again->npu_count(), 4);
}

TEST(FabricFile, PlacementSaysWhereRanksSit) {
  const auto made = read_fabric(kFabricTree + ", placement: [\"4-5\", 0]}");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->npu_count(), 3);
  EXPECT_EQ(made->fabric->topology.rank(made->fabric->rank_devices[0]), 4U);
  EXPECT_EQ(made->fabric->topology.rank(made->fabric->rank_devices[2]), 0U);
  EXPECT_EQ(made->dims.size(), 1U);  // hosts of two and one
  EXPECT_THAT(fabric_problem(kFabricTree + ", placement: 0-8}"),
              HasSubstr("device 8 does not exist"));
  EXPECT_THAT(fabric_problem(kFabricTree + ", placement: [0, 0]}"),
              HasSubstr("device 0 has two ranks"));
}

TEST(FabricFile, LevelsBecomeDimensionsToo) {
  const auto sizes = [](const std::string& fabric) {
    const auto made = read_fabric(fabric);
    EXPECT_TRUE(made) << to_string(made.error());
    std::vector<std::int64_t> found;
    for (const Dimension& dim : made->dims) found.push_back(dim.size);
    return found;
  };
  const std::string outer = "network: {kind: switch, " + kFabricPort + "}}";
  EXPECT_THAT(
      sizes(kFabricTree + ", levels: [{count: 3, " + outer + ", {count: 2, " + outer + "]}"),
      testing::ElementsAre(2, 4, 3, 2));
  EXPECT_THAT(sizes("{hosts: [{count: 6, devices: 1}], network: {kind: torus, sizes: [3, 2], " +
                    kFabricPort + "}, levels: [{count: 8, network: {kind: mesh, sizes: [4, 2], " +
                    kFabricPort + "}}]}"),
              testing::ElementsAre(3, 2, 4, 2));
  EXPECT_THAT(sizes("{hosts: [{count: 1, devices: 1}], levels: [{count: 4, " + outer + "]}"),
              testing::ElementsAre(4));
  const std::string packed =
      "devices: 8, scale_up: nvlink4, package: {devices: 4, link: {bandwidth: 1 TB/s, latency: 10 "
      "ns}}}]";
  EXPECT_THAT(sizes("{hosts: [{" + packed + "}"), testing::ElementsAre(4, 2));
  EXPECT_THAT(sizes("{hosts: [{count: 3, " + packed + ", " + outer), testing::ElementsAre(4, 2, 3));
}

TEST(FabricFile, LevelsComeBackAsTheyWereWritten) {
  const auto made = read_fabric(kFabricTree + ", levels: [{count: 3, uplinks: 2, ports: leaf, " +
                                "network: {kind: circuits, " + kFabricPort + "}}]}");
  ASSERT_TRUE(made) << to_string(made.error());
  Findings findings;
  const auto again = parse_cluster(resolved_cluster(*made), "again.yaml", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(resolved_cluster(*again), resolved_cluster(*made));
  ASSERT_EQ(again->fabric->topology.link_count(), made->fabric->topology.link_count());
  EXPECT_EQ(again->npu_count(), 24);
}

// 4 x 2 in a torus of dies of 2 x 2: in each of the 2 rows, 2 of 4 links join dies.
TEST(FabricFile, DiesAreJoinedByOtherLinks) {
  const auto made = read_fabric(
      "{hosts: [{count: 8, devices: 1}], network: {kind: torus, sizes: [4, 2], dies: [2, 2], "
      "die_link: {bandwidth: 7 GB/s, latency: 9 ns}, " +
      kFabricPort + "}}");
  ASSERT_TRUE(made) << to_string(made.error());
  std::vector<std::string> between;
  const Topology& topology = made->fabric->topology;
  for (const Link& link : topology.links()) {
    if (link.figures.latency == ns(9) && link.from < link.to)
      between.push_back(topology.name(link.from) + " " + topology.name(link.to));
  }
  EXPECT_THAT(between,
              testing::UnorderedElementsAre("npu0 npu3", "npu1 npu2", "npu4 npu7", "npu5 npu6"));
  Findings findings;
  const auto again = parse_cluster(resolved_cluster(*made), "again.yaml", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(resolved_cluster(*again), resolved_cluster(*made));
}

void expect_problem(const std::string& fabric, const std::string& place, const std::string& what) {
  EXPECT_THAT(fabric_problem(fabric), HasSubstr("c.yaml:/fabric" + place));
  EXPECT_THAT(fabric_problem(fabric), HasSubstr(what));
}

TEST(FabricFile, DiesThatDoNotFitAreNamed) {
  expect_problem(
      "{hosts: [{count: 6, devices: 1}], network: {kind: mesh, sizes: [3, 2], dies: [2, 1], " +
          kFabricPort + "}}",
      "/network/dies/0", "3 x 2 positions cannot be divided into dies of 2 x 1");
  expect_problem(
      "{hosts: [{count: 6, devices: 1}], network: {kind: mesh, dies: [0], " + kFabricPort + "}}",
      "/network/dies/0", "is less than 1");
  expect_problem(
      "{hosts: [{count: 6, devices: 1}], network: {kind: switch, dies: [2], " + kFabricPort + "}}",
      "/network/dies", "is for rings, meshes and tori only");
  expect_problem("{hosts: [{count: 6, devices: 1}], network: {kind: ring, die_link: nvlink4, " +
                     kFabricPort + "}}",
                 "/network/die_link", "has no effect without `dies`");
}

TEST(FabricFile, WhatIsWrongIsNamedWithItsPlace) {
  const auto& expect = expect_problem;
  expect("{}", "/hosts", "is missing");
  expect("{hosts: [{devices: 2}]}", "/hosts/0/scale_up", "is missing");
  expect("{hosts: [{devices: 1, nics: 1}]}", "/hosts/0/pcie", "is missing");
  expect("{hosts: [{count: 2, devices: 1}], network: {kind: switch}}", "/network/port",
         "is missing");
  expect("{hosts: [{count: 2, devices: 1}], network: {kind: switch, port: {bandwidth: 1 GB/s}}}",
         "/network/port/latency", "is missing");
  expect("{hosts: [{count: 2, devices: 1}], network: {kind: switch, port: ib-nrd}}",
         "/network/port/link", "did you mean");
  expect("{hosts: [{count: 6, devices: 1}], network: {kind: torus, sizes: [2, 2], " + kFabricPort +
             "}}",
         "/network/sizes", "2 x 2 is 4 positions, but there are 6 devices or NICs");
  expect("{hosts: [{count: 64, devices: 1}], network: {kind: tpu, sizes: [4, 4, 2], " +
             kFabricPort + "}}",
         "/network/sizes", "multiples of 4");
  expect("{hosts: [{count: 99, devices: 1}], network: {kind: fat_tree, radix: 4, " + kFabricPort +
             "}}",
         "/network/radix", "use 3 tiers");
  expect(
      "{hosts: [{count: 99, devices: 1}], network: {kind: dragonfly, per_leaf: 1, group: 2, "
      "global_links: 1, " +
          kFabricPort + "}}",
      "/network/global_links", "global links, but there are");
  expect("{hosts: [{count: 16777217, devices: 1}]}", "/hosts/0/count", "16777216");
  // What would be too much is not begun.
  for (const char* huge : {"[{count: 16777216, devices: 1, nics: 65536, pcie: pcie5-x16}]",
                           "[{count: 256, devices: 65536, switches: 1024, scale_up: nvlink4}]",
                           "[{devices: 65536, inside: fully_connected, scale_up: nvlink4}]"})
    expect("{hosts: " + std::string(huge) + "}", "", "more than");
  for (const char* huge : {"fat_tree, tiers: 3, per_leaf: 1, radix: 65536, oversubscription: 0.01",
                           "dragonfly, per_leaf: 1, group: 65536, global_links: 65536",
                           "dragonfly_plus, per_leaf: 1, group: 1024, spines: 65536"})
    expect("{hosts: [{count: 400000, devices: 1}], network: {kind: " + std::string(huge) + ", " +
               kFabricPort + "}}",
           "", "more than");
  expect("{hosts: [{count: 3, devices: 1}]}", "", "no path from npu0 to npu1");
  expect("{file: x, hosts: []}", "/hosts", "");
  expect("{hosts: [{devices: 1}], levels: [{count: 2, network: {kind: switch}}]}",
         "/levels/0/network/port", "is missing");
  expect("{hosts: [{devices: 4, package: {devices: 2}}]}", "/hosts/0/package/link", "is missing");
  expect("{hosts: [{devices: 4, scale_up: nvlink4, package: {devices: 3, link: nvlink4}}]}",
         "/hosts/0/package/devices", "not a multiple of the package size 3");
  expect("{file: x, levels: []}", "/file",
         "together with `hosts`, `network`, `groups` or `levels`");
  expect("{hosts: [{count: 65536, devices: 1}], network: {kind: fully_connected, " + kFabricPort +
             "}}",
         "", "more than");
}

TEST(FabricFile, FaultsAndWaysNameWhatIsThere) {
  const auto expect = [](const std::string& more, const std::string& what) {
    EXPECT_THAT(fabric_problem(kFabricTree + ", " + more + "}"), HasSubstr(what)) << more;
  };
  expect("faults: [{node: spine9}]", "the fabric has no node \"spine9\"");
  expect("faults: [{from: leaf0}]", "/fabric/faults/0/to: is missing");
  expect("faults: [{from: leaf0, to: leaf1}]", "the fabric has no such link");
  expect("faults: [{node: leaf0, from: leaf0, to: spine0}]", "names both a node and a link");
  expect("faults: [{node: leaf0, start: 2 us, end: 1 us}]", "is not after its start");
  expect("faults: [{node: leaf0, every: 2 us, lasts: 3 us}]", "a shorter `lasts`");
  expect("faults: [{node: leaf0}]", "no path from");
  expect("routing: {ways: [host0.gpu0 nowhere]}", "the fabric has no node \"nowhere\"");
  expect("routing: {ways: [host0.gpu0 host3.gpu1]}", "no link from");
  expect("routing: {ways: [host0.gpu0]}", "is not a path: name both ends");
  expect("routing: {ways: [host0.gpu0 host0.nic0 host0.gpu0]}", "the path has a loop");
  EXPECT_EQ(fabric_problem(kFabricTree + ", faults: [{node: leaf0, start: 1 ms}]}"), "");
  EXPECT_THAT(fabric_problem(kFabricTree + ", faults: [{node: leaf0, start: 1 ms}]}",
                             "network_model: message"),
              HasSubstr("only the network models flow and packet support that"));
  EXPECT_THAT(fabric_problem(kFabricTree + "}",
                             "deviations: [{ranks: 0, ports: [{dimension: 0, bandwidth: "
                             "0.5}]}]"),
              HasSubstr("under `fabric: {faults"));
}

TEST(FabricFile, FaultsComeAndGoWhenTheySay) {
  const LinkFault flaps{{}, 0, us(10), us(100), us(20), us(5)};
  EXPECT_FALSE(flaps.is_active(us(9)));
  EXPECT_TRUE(flaps.is_active(us(10)));
  EXPECT_FALSE(flaps.is_active(us(15)));
  EXPECT_TRUE(flaps.is_active(us(34)));
  EXPECT_FALSE(flaps.is_active(us(100)));
  EXPECT_EQ(flaps.next_change(us(0)), us(10));
  EXPECT_EQ(flaps.next_change(us(10)), us(15));
  EXPECT_EQ(flaps.next_change(us(15)), us(30));
  EXPECT_EQ(flaps.next_change(us(95)), us(100));
  EXPECT_EQ(flaps.next_change(us(100)), std::nullopt);
  EXPECT_TRUE((LinkFault{{}, 0.5, {}, {}, {}, {}}.is_permanent()));
}

TEST(FabricFile, EveryExampleCanBeSimulated) {
  for (const auto& entry : std::filesystem::directory_iterator(
           std::string(core_testing::kSourceFolder) + "/examples/fabrics")) {
    Findings findings;
    const auto made = read_cluster(entry.path().string(), findings);
    EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  }
}

TEST(FabricFile, AnAlteredNetworkIsWrittenSo) {
  auto made = read_fabric(kFabricTree + "}");
  ASSERT_TRUE(made);
  scale_network(*made, 2, 0.5);
  EXPECT_EQ(made->dims[1].bandwidth.count(), 20e9);
  Findings findings;
  const auto again = parse_cluster(resolved_cluster(*made), "again.yaml", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  for (LinkIndex i = 0; i < made->fabric->topology.link_count(); ++i)
    EXPECT_EQ(again->fabric->topology.link(i), made->fabric->topology.link(i));
}

}  // namespace
}  // namespace orrery::platform
