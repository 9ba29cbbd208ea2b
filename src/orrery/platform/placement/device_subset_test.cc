// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/placement/device_subset.h"

#include <gtest/gtest.h>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {
namespace {

Platform of_dims(const std::vector<std::int64_t>& sizes) {
  Platform made;
  made.name = "grid";
  for (const std::int64_t size : sizes)
    made.dims.push_back({Block::switched, size, Bandwidth(1e9 * static_cast<double>(size)), 100});
  return made;
}

std::vector<std::int64_t> sizes_of(const Platform& platform) {
  std::vector<std::int64_t> made;
  for (const Dimension& dim : platform.dims) made.push_back(dim.size);
  return made;
}

TEST(FewerDevices, DimensionsKeepTheirPlacesAndLinks) {
  const Platform grid = of_dims({8, 4});
  const auto made = restrict_to_devices(grid, {0, 4, 16, 20});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(sizes_of(*made), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(made->dims[0].bandwidth, grid.dims[0].bandwidth);
  EXPECT_EQ(made->dims[1].bandwidth, grid.dims[1].bandwidth);
}

TEST(FewerDevices, ADimensionWithOnePlaceIsGone) {
  Platform grid = of_dims({8, 4});
  grid.collectives.all_reduce.per_dim = {{Algorithm::direct}, {Algorithm::ring}};
  Deviation& behind = grid.deviations.emplace_back();
  behind.ranks = {1, 8};
  behind.ports = {{0, 0.5, 0}, {1, 0.25, 0}};
  const auto made = restrict_to_devices(grid, {0, 8, 16, 24});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(sizes_of(*made), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(made->dims[0].bandwidth, grid.dims[1].bandwidth);
  ASSERT_EQ(made->collectives.all_reduce.per_dim.size(), 1u);
  EXPECT_EQ(made->collectives.all_reduce.per_dim[0].algorithm, Algorithm::ring);
  ASSERT_EQ(made->deviations.size(), 1u);
  EXPECT_EQ(made->deviations[0].ranks, (std::vector<std::uint32_t>{1}));
  ASSERT_EQ(made->deviations[0].ports.size(), 1u);
  EXPECT_EQ(made->deviations[0].ports[0].dim, 0u);
  EXPECT_EQ(made->deviations[0].ports[0].bandwidth, 0.25);
  const auto one = restrict_to_devices(grid, {9});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->npu_count(), 1);
}

TEST(FewerDevices, AFabricStaysWhole) {
  Findings findings;
  const auto fabric = parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n"
      "fabric: {hosts: [{count: 4, devices: 2, scale_up: {bandwidth: 100 GB/s, latency: 100 ns}, "
      "nics: 2, pcie: {bandwidth: 50 GB/s, latency: 200 ns}}], network: {kind: fat_tree, "
      "per_leaf: 2, radix: 4, port: {bandwidth: 10 GB/s, latency: 1 us}}}\n",
      "tree.yaml", findings);
  ASSERT_TRUE(fabric.has_value()) << to_string(fabric.error());
  const auto made = restrict_to_devices(*fabric, {0, 1, 4, 5});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(made->fabric->rank_devices[2], fabric->fabric->rank_devices[4]);
  EXPECT_EQ(made->fabric->topology.link_count(), fabric->fabric->topology.link_count());
  EXPECT_EQ(sizes_of(*made), (std::vector<std::int64_t>{2, 2}));  // hosts within and between
  EXPECT_EQ(made->dims[1].bandwidth, fabric->dims[1].bandwidth);
}

TEST(FewerDevices, WhatIsNotEvenIsRefused) {
  const Platform grid = of_dims({4, 2});
  EXPECT_EQ(restrict_to_devices(grid, {0, 1, 4}).error().code, Errc::config_conflict);
  EXPECT_EQ(restrict_to_devices(grid, {0, 8}).error().code, Errc::usage);
  EXPECT_EQ(restrict_to_devices(grid, {}).error().code, Errc::usage);
  Platform memory = grid;
  memory.remote_memory.kind = RemoteMemoryKind::pool;
  EXPECT_EQ(restrict_to_devices(memory, {0, 1}).error().code, Errc::config_conflict);
}

}  // namespace
}  // namespace orrery::platform
