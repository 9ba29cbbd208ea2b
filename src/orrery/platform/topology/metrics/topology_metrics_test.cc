// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/metrics/topology_metrics.h"

#include <gtest/gtest.h>

#include "orrery/platform/topology/generators/topology_generator.h"

namespace orrery::platform {
namespace {

LinkFigures cable(double gigabytes, std::int64_t latency) {
  return {Bandwidth(gigabytes * 1e9), ns(latency), 1, LinkClass::network};
}

TopologyMetrics facts(const HostShape& host, NetworkPlan plan, double port, double trunk) {
  plan.port = cable(port, 500);
  plan.trunk = cable(trunk, 300);
  const auto made = generate("f", {host}, plan, "f");
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return topology_metrics(*made, made->devices());
}

constexpr HostShape kSingles(std::int64_t count) {
  return {count, 1, HostInterconnect::none, 1, {}, 0, {}};
}

TEST(TopologyMetrics, AFatTreeIsAsWideAsItsOversubscriptionLeaves) {
  // 4 leaves of 4 ports, 2 uplinks each.
  const TopologyMetrics tree = facts(
      kSingles(16),
      {.shape = NetworkShape::fat_tree, .per_leaf = 4, .radix = 8, .oversubscription = 2}, 10, 10);
  EXPECT_EQ(tree.diameter, 4U);
  EXPECT_EQ(tree.farthest, ns(1600));
  EXPECT_EQ(tree.leaf_oversubscription, (MetricRange{2, 2}));
  EXPECT_EQ(tree.bisection, 40e9);  // two leaves of two uplinks
  EXPECT_EQ(tree.device_bandwidth, (MetricRange{10e9, 10e9}));
  EXPECT_TRUE(tree.connected);
  EXPECT_FALSE(tree.sampled);
}

// A ring is cut at two places, a torus of 4 x 4 at eight, a mesh at four, all pairs of 8 at 16.
TEST(TopologyMetrics, GridsAreCutWhereTheyAreThin) {
  EXPECT_EQ(facts(kSingles(8), {.shape = NetworkShape::ring}, 10, 10).bisection, 20e9);
  EXPECT_EQ(facts(kSingles(8), {.shape = NetworkShape::ring}, 10, 10).diameter, 4U);
  EXPECT_EQ(facts(kSingles(16), {.shape = NetworkShape::torus, .sizes = {4, 4}}, 10, 10).bisection,
            80e9);
  EXPECT_EQ(facts(kSingles(16), {.shape = NetworkShape::mesh, .sizes = {4, 4}}, 10, 10).bisection,
            40e9);
  EXPECT_EQ(facts(kSingles(8), {.shape = NetworkShape::fully_connected}, 10, 10).bisection, 160e9);
  EXPECT_EQ(facts(kSingles(64), {.shape = NetworkShape::tpu, .sizes = {4, 4, 4}}, 10, 10).bisection,
            320e9);
}

TEST(TopologyMetrics, HostsAreAsWideAsTheirNics) {
  const HostShape host{4, 8, HostInterconnect::switched, 1, cable(450, 100), 4, cable(50, 100)};
  const TopologyMetrics rails =
      facts(host, {.shape = NetworkShape::rail_optimized, .per_leaf = 4, .radix = 8}, 25, 25);
  EXPECT_EQ(rails.hosts, 4U);
  EXPECT_EQ(rails.devices_per_host, (MetricRange{8, 8}));
  EXPECT_EQ(rails.host_bandwidth, (MetricRange{12.5e9, 12.5e9}));
  EXPECT_EQ(rails.bisection, 200e9);  // two hosts of four NICs
  EXPECT_EQ(rails.nodes[static_cast<std::size_t>(NodeClass::nic)], 16U);
  const TopologyMetrics apart = facts(host, {.shape = NetworkShape::none}, 25, 25);
  EXPECT_FALSE(apart.connected);
  EXPECT_EQ(apart.bisection, 0);
}

// What is not stated is not nothing: the rest is the least that there is.
TEST(TopologyMetrics, LinksWithoutABandwidthLeaveItOpen) {
  const auto join = [](double second) {
    TopologyBuilder builder("f", "test");
    for (const char* name : {"a", "b"}) builder.add(NodeClass::device, name, builder.add_host());
    const NodeIndex leaf = builder.add(NodeClass::leaf, "leaf");
    const NodeIndex spine = builder.add(NodeClass::spine, "spine");
    builder.join(0, leaf, cable(10, 500));
    builder.join(1, leaf, cable(second, 500));
    builder.join(leaf, spine, cable(40, 500));
    return topology_metrics(*builder.finish("f"), std::vector<NodeIndex>{0, 1});
  };
  const TopologyMetrics whole = join(10), open = join(0);
  EXPECT_FALSE(whole.device_unknown || whole.host_unknown || whole.any_unknown);
  EXPECT_EQ(whole.leaf_oversubscription, (MetricRange{0.5, 0.5}));
  EXPECT_TRUE(open.device_unknown && open.host_unknown && open.any_unknown);
  EXPECT_FALSE(open.leaf_oversubscription);
  EXPECT_EQ(open.device_bandwidth, (MetricRange{0, 10e9}));
}

// TPU v4's published bisection is 24 TB/s for 4,096 chips of 50 GB/s links (16 x 16 x 16: 2 x 256
// links each way).
TEST(TopologyMetrics, ATpuPodIsAsWideAsPublished) {
  NetworkPlan plan{.shape = NetworkShape::tpu, .sizes = {16, 16, 16}};
  plan.port = cable(50, 500);
  const auto pod = generate("v4", {kSingles(4096)}, plan, "v4");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->devices().size(), 4096U);
  // 48 optical switches, each with a circuit for each of 64 cubes.
  EXPECT_EQ(pod->node_count(), 4096U + 48 * 64);
  const auto devices = pod->devices();
  EXPECT_EQ(max_flow(*pod, devices.subspan(0, 2048), devices.subspan(2048)), 2.0 * 256 * 50e9);
}

}  // namespace
}  // namespace orrery::platform
