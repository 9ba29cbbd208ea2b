// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

TEST(ExactMath, IsNearTheLibrarysLogarithmAndPower) {
  for (double x = 1e-12; x < 1e18; x *= 1.37) {
    EXPECT_NEAR(exact_log2(x), std::log2(x), 4e-15 * std::max(1.0, std::abs(std::log2(x)))) << x;
  }
  for (double x = -60; x < 60; x += 0.0371) {
    EXPECT_NEAR(exact_exp2(x) / std::exp2(x), 1, 4e-15) << x;
  }
}

TEST(ExactMath, IsExactAtPowersOfTwo) {
  for (int i = -40; i <= 40; ++i) {
    EXPECT_EQ(exact_log2(std::ldexp(1.0, i)), i);
    EXPECT_EQ(exact_exp2(i), std::ldexp(1.0, i));
  }
}

TEST(ExactMath, KeepsPowersWithinWhatDoublesHold) {
  EXPECT_GT(exact_exp2(-1e9), 0);
  EXPECT_TRUE(std::isfinite(exact_exp2(1e9)));
  EXPECT_GT(exact_exp2(std::nan("")), 0);
}

}  // namespace
}  // namespace orrery
