// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/traffic_bins.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace orrery::sim {
namespace {

TEST(TrafficBins, SpreadsEvenly) {
  TrafficBins use(1);
  const std::int64_t bin = use.bin();
  use.add(0, bin / 2, bin / 2 + 2 * bin, 100);
  const auto curve = use.curve(0);
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0], 25u);
  EXPECT_EQ(curve[1], 50u);
  EXPECT_EQ(curve[2], 25u);
}

TEST(TrafficBins, DoublesItsBinsWhenTimeRunsOn) {
  TrafficBins use(2);
  const std::int64_t bin = use.bin();
  use.add(0, 0, bin, 8);
  use.add(1, bin, 2 * bin, 4);
  use.add(0, bin * 1000, bin * 1001, 16);
  EXPECT_GE(use.bin(), bin * 4);
  EXPECT_EQ(use.total(0), 24u);
  EXPECT_EQ(use.curve(0).front(), 8u);
  EXPECT_EQ(use.curve(1).front(), 4u);
}

RC_GTEST_PROP(UseRecorderProperty, LosesNothing, ()) {
  TrafficBins use(3);
  std::uint64_t sum = 0;
  const int times = *rc::gen::inRange(1, 50);
  for (int i = 0; i < times; ++i) {
    const auto from = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    const auto length = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 35);
    const auto bytes = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    use.add(1, from, from + length, bytes);
    sum += static_cast<std::uint64_t>(bytes);
  }
  const auto curve = use.curve(1);
  RC_ASSERT(use.total(1) == sum);
  RC_ASSERT(std::accumulate(curve.begin(), curve.end(), std::uint64_t{0}) == sum);
  RC_ASSERT(use.total(0) == 0u);
}

}  // namespace
}  // namespace orrery::sim
