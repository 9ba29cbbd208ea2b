// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/placement/host_crossings.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

/// All groups of `size` neighbors.
HostCrossings look_at_neighbors(const Platform& platform, std::uint32_t size) {
  auto crossings = HostCrossings::of(platform);
  std::vector<std::uint32_t> group(size);
  const auto ranks = static_cast<std::uint32_t>(platform.npu_count());
  for (std::uint32_t first = 0; first + size <= ranks; first += size) {
    std::iota(group.begin(), group.end(), first);
    crossings.add_group(group);
  }
  return crossings;
}

Platform crossed(const std::string& cluster) {
  Findings findings;
  auto made = parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + cluster,
                            "c.yaml", findings);
  EXPECT_TRUE(made) << to_string(made.error());
  return *std::move(made);
}

// Hosts of four, 100 GB/s inside, 10 GB/s outside.
constexpr const char* kHostsOfFour =
    "fabric: {hosts: [{count: 4, devices: 4, scale_up: {bandwidth: 100 GB/s, latency: 100 ns}, "
    "nics: 4, pcie: {bandwidth: 50 GB/s, latency: 200 ns}}], "
    "network: {kind: switch, port: {bandwidth: 10 GB/s, latency: 1 us}}";

TEST(HostCrossings, AreCountedAndTheFirstIsDescribed) {
  const Platform platform = crossed(kHostsOfFour + std::string("}"));
  EXPECT_EQ(look_at_neighbors(platform, 4).groups(), 0U);
  EXPECT_EQ(look_at_neighbors(platform, 4).description(), "");
  const HostCrossings found = look_at_neighbors(platform, 8);
  EXPECT_EQ(found.groups(), 2U);
  EXPECT_EQ(
      found.description(),
      "ranks 0-7 span 2 hosts, with 10 GB/s between hosts and 10 times as much inside a host");
  const std::vector<std::uint32_t> strided{0, 4, 8, 12};
  auto apart = HostCrossings::of(platform);
  apart.add_group(strided);
  EXPECT_EQ(apart.groups(), 1U);
}

TEST(HostCrossings, SeatsDecide) {
  const Platform platform = crossed(kHostsOfFour + std::string(", placement: [0-2, 4-8]}"));
  const HostCrossings found = look_at_neighbors(platform, 2);
  EXPECT_EQ(found.groups(), 2U);  // ranks 2-3 and 6-7
  EXPECT_EQ(found.description().substr(0, 25), "ranks 2-3 span 2 hosts, w");
}

TEST(HostCrossings, WhereNothingIsSlowerNothingIsSaid) {
  const std::string even =
      "fabric: {hosts: [{count: 2, devices: 2, scale_up: {bandwidth: 10 GB/s, latency: 1 ns}}], "
      "network: {kind: switch, port: {bandwidth: 10 GB/s, latency: 1 us}}}";
  EXPECT_EQ(look_at_neighbors(crossed(even), 4).groups(), 0U);
  const std::string none =
      "fabric: {hosts: [{count: 4, devices: 1}], network: {kind: switch, port: {bandwidth: 10 "
      "GB/s, latency: 1 us}}}";
  EXPECT_EQ(look_at_neighbors(crossed(none), 4).groups(), 0U);
  const std::string lone =
      "fabric: {hosts: [{count: 4, devices: 1, nics: 1, pcie: {bandwidth: 64 GB/s, latency: 1 "
      "us}}], network: {kind: switch, port: {bandwidth: 10 GB/s, latency: 1 us}}}";
  EXPECT_EQ(look_at_neighbors(crossed(lone), 4).groups(), 0U) << "any placement crosses";
}

TEST(HostCrossings, OfDimensionsTheFirstAreHosts) {
  Findings findings;
  const auto h100 = read_cluster("h100-sxm:32", findings);
  ASSERT_TRUE(h100);
  EXPECT_EQ(look_at_neighbors(*h100, 8).groups(), 0U);
  const HostCrossings found = look_at_neighbors(*h100, 16);
  EXPECT_EQ(found.groups(), 2U);
  EXPECT_EQ(
      found.description(),
      "ranks 0-15 span 2 hosts, with 50 GB/s between hosts and 9 times as much inside a host");
  const auto tpu = read_cluster("tpu-v4:64", findings);
  ASSERT_TRUE(tpu) << to_string(tpu.error());
  EXPECT_EQ(look_at_neighbors(*tpu, 64).groups(), 0U) << "all its links are alike";
}

}  // namespace
}  // namespace orrery::platform
