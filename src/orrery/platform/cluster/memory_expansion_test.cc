// SPDX-License-Identifier: Apache-2.0
//
// Memory expansions of devices, in cluster files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

Result<Platform> of_device(const std::string& device) {
  Findings findings;
  return parse_cluster("device: {" + device +
                           "}\nnetwork: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]\n",
                       "c.yaml", findings);
}

TEST(MemoryExpansion, IsReadAndWrittenAgain) {
  const auto read = of_device(
      "is: a100-80gb, memory_expansion: {bandwidth: 500 GB/s, capacity: 480 GB, access: at_once}");
  ASSERT_TRUE(read) << to_string(read.error());
  const MemoryExpansion expansion{Bandwidth(500e9), Bytes(480'000'000'000),
                                  MemoryAccess::concurrent};
  EXPECT_EQ(read->device.expansion, expansion);
  Findings none;
  const auto again = parse_cluster(resolved_cluster(*read), "again", none);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->device.expansion, expansion);
  const auto plain = of_device("is: a100-80gb, memory_expansion: {bandwidth: 1 TB/s}");
  ASSERT_TRUE(plain) << to_string(plain.error());
  EXPECT_EQ(plain->device.expansion, (MemoryExpansion{Bandwidth(1e12), Bytes{}}));
  EXPECT_FALSE(of_device("is: a100-80gb")->device.expansion);
}

TEST(MemoryExpansion, NeedsWhatItIsBeside) {
  const auto own = of_device(
      "peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s, memory_expansion: {bandwidth: 100 GB/s}");
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().code, Errc::config_missing_key);
  EXPECT_THAT(own.error().where, testing::HasSubstr("/device/memory_capacity"));
  const auto still = of_device("is: a100-80gb, memory_expansion: {capacity: 480 GB}");
  ASSERT_FALSE(still);
  EXPECT_THAT(still.error().where, testing::HasSubstr("/device/memory_expansion/bandwidth"));
  EXPECT_FALSE(of_device("is: a100-80gb, memory_expansion: {bandwidth: 0 GB/s}"));
  EXPECT_FALSE(of_device("is: a100-80gb, memory_expansion: {bandwidth: 1 GB/s, access: never}"));
}

}  // namespace
}  // namespace orrery::platform
