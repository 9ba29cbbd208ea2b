// SPDX-License-Identifier: Apache-2.0
//
// Published figures, built from their descriptions.
#include <gtest/gtest.h>

#include "one_all_reduce_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::golden {
namespace {

using platform::Algorithm;
using platform::Block;

// 512 NPUs, Switch 8×8×8, 50 GiB/s each, latency 1 ns, endpoint delay 10 ns, 1 GiB all-reduce in 64
// chunks.
platform::Platform themis_platform() {
  platform::Platform platform;
  platform.rules = platform::Rules::orrery;
  for (int d = 0; d < 3; ++d)
    platform.dims.push_back({Block::switched, 8, Bandwidth(50.0 * (1 << 30)), 1.0});
  auto& config = platform.collectives;
  config.splits = 64;
  config.endpoint_delay = ns(10);
  config.all_reduce.per_dim.assign(3, {Algorithm::halving_doubling, -1});
  return platform;
}

double simulate_ns(const platform::Platform& platform) {
  const auto workload = one_all_reduce(512, 1 << 30);
  const auto result = sim::simulate(workload, platform);
  EXPECT_TRUE(result.has_value() && !result->stall);
  return static_cast<double>(result->end.count()) / 1e3;
}

// Themis authors' slides: baseline 35,008.129 us; the specification's model 35,008,064 ns.
TEST(ReferencePoint, BaselineHierarchicalAllReduce) {
  EXPECT_NEAR(simulate_ns(themis_platform()), 35'008'064.0, 35'008'064.0 * 1e-4);
}

// Themis authors' slides: 13,635.871 us with smallest chunk first.
TEST(ReferencePoint, ThemisSmallestChunkFirst) {
  platform::Platform platform = themis_platform();
  platform.collectives.inter_dimension = platform::InterDimension::themis;
  platform.collectives.intra_dimension = platform::IntraDimension::smallest_first;
  EXPECT_NEAR(simulate_ns(platform), 13'635'871.0, 13'635'871.0 * 5e-3);
}

// ASTRA-sim's own regression reference: 8-NPU ring, 1 MiB, 4 splits: 117,780 cycles.
TEST(ReferencePoint, AstraSimRegressionTemplate) {
  platform::Platform platform;
  platform.rules = platform::Rules::astra;
  platform.dims = {{Block::ring, 8, Bandwidth(50.0 * (1 << 30)), 500.0}};
  platform.device.memory = Bandwidth(50e9);
  platform.collectives.splits = 4;
  platform.collectives.endpoint_delay = ns(10);
  platform.collectives.all_reduce.per_dim = {{Algorithm::ring, -1}};
  const auto result = sim::simulate(one_all_reduce(8, 1 << 20), platform);
  ASSERT_TRUE(result.has_value());
  for (const auto& rank : result->ranks) EXPECT_EQ(rank.finish, ns(117'780));
}

}  // namespace
}  // namespace orrery::golden
