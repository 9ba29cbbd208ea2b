// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/power/sustained_clock.h"

#include <gtest/gtest.h>

#include <cmath>

#include "orrery/model/power/device_power.h"

namespace orrery::model {
namespace {

constexpr double kBoard = 700;

KernelLoad product_of_rate(double flops) {
  const OperationEnergy energy = operation_energy("hopper", 3.35e12);
  return {.flops = flops, .bytes = 0, .flop = energy.flop16, .byte = energy.byte};
}

// A long product uses all of the board's power, so what is left follows the cube of the clock.
TEST(SustainedClock, IsTheCubeRootOfThePowerForOperations) {
  const double idle = kIdlePowerShare * kBoard;
  const double slowdown = slowdown_under_limit(product_of_rate(743e12), kBoard, 500);
  EXPECT_NEAR(slowdown, std::cbrt((kBoard - idle) / (500 - idle)), 1e-6);
}

TEST(SustainedClock, KernelsBelowTheLimitKeepTheirTime) {
  EXPECT_EQ(slowdown_under_limit(product_of_rate(743e12), kBoard, kBoard), 1);
  EXPECT_EQ(slowdown_under_limit(product_of_rate(743e12), kBoard, 900), 1);
  EXPECT_EQ(slowdown_under_limit(product_of_rate(200e12), kBoard, 500), 1);
  // A copy at the full rate of an H100: published decode steps of an H200 draw 137 to 300 W of 700
  // (arXiv 2605.11999).
  KernelLoad copy = product_of_rate(0);
  copy.matrix = false;
  copy.bytes = 3e12;
  EXPECT_EQ(slowdown_under_limit(copy, kBoard, 300), 1);
  EXPECT_GT(slowdown_under_limit(copy, kBoard, 200), 1);
}

TEST(SustainedClock, AHarderLimitAndAFasterKernelAreSlowedMore) {
  double last = 1;
  for (const double limit : {650., 500., 350., 200.}) {
    const double slowdown = slowdown_under_limit(product_of_rate(743e12), kBoard, limit);
    EXPECT_GT(slowdown, last) << limit;
    last = slowdown;
  }
  EXPECT_LT(slowdown_under_limit(product_of_rate(450e12), kBoard, 500),
            slowdown_under_limit(product_of_rate(743e12), kBoard, 500));
  EXPECT_LE(slowdown_under_limit(product_of_rate(743e12), kBoard, 1), 10) << "and it ends";
}

// An architecture without data: its products are assumed to use all of the board's power.
TEST(SustainedClock, UnknownArchitecturesUseAllPower) {
  EXPECT_EQ(operation_energy("cdna3", 5.3e12).flop16, 0);
  EXPECT_GT(slowdown_under_limit({.flops = 1}, kBoard, 500), 1.1);
}

}  // namespace
}  // namespace orrery::model
