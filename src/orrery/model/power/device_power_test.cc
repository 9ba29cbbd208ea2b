// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/power/device_power.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

TEST(DevicePower, GrowsWithTheLoad) {
  const DevicePower power{100, 700};
  EXPECT_DOUBLE_EQ(power.at(0), 100);
  EXPECT_DOUBLE_EQ(power.at(0.5), 400);
  EXPECT_DOUBLE_EQ(power.at(1), 700);
  EXPECT_DOUBLE_EQ(power_of(700).at(1), 700);
  EXPECT_DOUBLE_EQ(power_of(700).at(0), 119);
}

TEST(DevicePower, IsParsed) {
  EXPECT_DOUBLE_EQ(parse_power("1000", "--power")->busy, 1000);
  EXPECT_DOUBLE_EQ(parse_power("1000", "--power")->idle, 170);
  EXPECT_DOUBLE_EQ(parse_power("0-700", "--power")->idle, 0);
  EXPECT_DOUBLE_EQ(parse_power("90.5-700", "--power")->idle, 90.5);
  for (const char* wrong : {"", "much", "-700", "700-100", "0", "100-", "100-x", "inf"})
    EXPECT_EQ(parse_power(wrong, "--power").error().where, "--power") << wrong;
}

TEST(DevicePower, HasPrefixes) {
  EXPECT_EQ(format_power_unit(512, "W"), "512 W");
  EXPECT_EQ(format_power_unit(11'468'800, "W"), "11.47 MW");
}

}  // namespace
}  // namespace orrery::model
