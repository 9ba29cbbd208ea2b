// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/comparison/cluster_names.h"

#include <gmock/gmock.h>

namespace orrery::analysis {
namespace {

using testing::ElementsAre;

ClusterTraits h100(double inter, double latency_ns = 1350) {
  return {"h100-sxm:64",
          "NVIDIA H100",
          {{"switch", 8, Bandwidth(450e9), 235}, {"switch", 8, Bandwidth(inter), latency_ns}},
          "analytical",
          "nccl",
          "name: x\ndevice: h100\n"};
}

// A comparison printed the name in the catalog twice.
TEST(ClusterNames, StateOnlyWhatDiffers) {
  EXPECT_THAT(difference_names(std::vector{h100(50e9), h100(25e9)}),
              ElementsAre("50 GB/s", "25 GB/s"));
  EXPECT_THAT(difference_names(std::vector{h100(50e9), h100(50e9, 2700)}),
              ElementsAre("1.35 us", "2.7 us"));
  EXPECT_THAT(difference_names(std::vector{h100(50e9), h100(25e9, 2700)}),
              ElementsAre("50 GB/s, 1.35 us", "25 GB/s, 2.7 us"));
  EXPECT_THAT(difference_names(std::vector{h100(50e9), h100(25e9), h100(100e9)}),
              ElementsAre("50 GB/s", "25 GB/s", "100 GB/s"));
}

TEST(ClusterNames, NumberSeveralDimensions) {
  ClusterTraits other = h100(25e9);
  other.dims[0].block = "ring";
  EXPECT_THAT(difference_names(std::vector{h100(50e9), other}),
              ElementsAre("dimension 0 switch, dimension 1 50 GB/s",
                          "dimension 0 ring, dimension 1 25 GB/s"));
}

TEST(ClusterNames, OfOtherModelsAndSettings) {
  ClusterTraits flow = h100(50e9);
  flow.network_model = "flow";
  EXPECT_THAT(difference_names(std::vector{h100(50e9), flow}),
              ElementsAre("network analytical", "network flow"));
  ClusterTraits tree = h100(50e9);
  tree.config += "collectives:\n  settings: {NCCL_ALGO: \"tree\"}\n";
  EXPECT_THAT(difference_names(std::vector{h100(50e9), tree}),
              ElementsAre("h100-sxm:64", "settings: {NCCL_ALGO: tree}"));
}

TEST(ClusterNames, OtherDevicesHaveTheirOwnNames) {
  ClusterTraits b200 = h100(50e9);
  b200.name = "b200:64";
  b200.device = "NVIDIA B200";
  EXPECT_THAT(difference_names(std::vector{h100(50e9), b200}),
              ElementsAre("h100-sxm:64", "b200:64"));
  b200.name = "h100-sxm:64";
  EXPECT_THAT(difference_names(std::vector{h100(50e9), b200}),
              ElementsAre("NVIDIA H100", "NVIDIA B200"));
}

TEST(ClusterNames, OfEqualClustersAreEmpty) {
  EXPECT_THAT(difference_names(std::vector{h100(50e9), h100(50e9)}), ElementsAre("", ""));
  EXPECT_TRUE(difference_names(std::vector<ClusterTraits>{}).empty());
}

}  // namespace
}  // namespace orrery::analysis
