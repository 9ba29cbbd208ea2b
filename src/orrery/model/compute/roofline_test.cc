// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/roofline.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

platform::Device device() {
  platform::Device d;
  d.peak = FlopRate(100e12);
  d.memory = Bandwidth(2e12);
  return d;
}

TEST(Roofline, TheRidgeSplitsMemoryBoundFromComputeBound) {
  // Ridge: 100e12 / 2e12 = 50 FLOP per byte.
  EXPECT_EQ(roofline_time({100'000'000, Bytes(1'000)}, device(), platform::Rules::orrery), us(1));
  EXPECT_EQ(roofline_time({1'000, Bytes(2'000'000)}, device(), platform::Rules::orrery), us(1));
}

TEST(Roofline, AstraRulesTruncateToNanoseconds) {
  EXPECT_EQ(roofline_time({150'999, Bytes(1)}, device(), platform::Rules::astra), ns(1));
  EXPECT_EQ(roofline_time({0, Bytes(5)}, device(), platform::Rules::astra), Time{});
  EXPECT_EQ(roofline_time({5, Bytes(0)}, device(), platform::Rules::astra), Time{});
}

TEST(Roofline, ATimeBeyondTheClockIsEmpty) {
  platform::Device slow = device();
  slow.peak = FlopRate(1e-3);
  EXPECT_FALSE(roofline_time({1LL << 60, Bytes(1)}, slow, platform::Rules::orrery).has_value());
  slow.memory = Bandwidth(0);
  EXPECT_FALSE(roofline_time({1, Bytes(1)}, slow, platform::Rules::orrery).has_value());
}

}  // namespace
}  // namespace orrery::model
