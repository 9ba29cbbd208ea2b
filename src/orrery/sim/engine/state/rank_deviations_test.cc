// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/rank_deviations.h"

#include <gtest/gtest.h>

#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

platform::Platform four(std::vector<platform::Deviation> deviations) {
  platform::Platform made = testing::line(platform::Block::ring, 4);
  made.deviations = std::move(deviations);
  return made;
}

platform::Deviation slow_from(std::vector<std::uint32_t> ranks, double times, Time start = {}) {
  platform::Deviation deviation;
  deviation.ranks = std::move(ranks);
  deviation.compute_time = times;
  deviation.start = start;
  return deviation;
}

TEST(RankDeviations, AreNoneWhereNothingDiffers) {
  platform::Deviation port;
  port.ranks = {2};
  port.ports = {{0, 0.5, 0}};
  const RankDeviations deviations(four({slow_from({1}, 1), port}));
  EXPECT_FALSE(deviations.any());
  EXPECT_EQ(deviations.class_of(2), 0u);
  EXPECT_EQ(deviations.compute(1, ps(7)), ps(7));
  EXPECT_EQ(deviations.start(1), Time{});
}

TEST(RankDeviations, ScaleAndRoundUp) {
  const RankDeviations deviations(
      four({slow_from({0}, 1.5), slow_from({1, 2}, 0.25, us(3)), slow_from({9}, 2)}));
  EXPECT_TRUE(deviations.any());
  EXPECT_EQ(deviations.compute(0, ps(4)), ps(6));
  EXPECT_EQ(deviations.compute(0, ps(5)), ps(8));
  EXPECT_EQ(deviations.compute(1, ps(1)), ps(1));
  EXPECT_EQ(deviations.compute(1, ps(8)), ps(2));
  EXPECT_EQ(deviations.compute(3, ps(5)), ps(5));
  EXPECT_EQ(deviations.compute(0, Time{}), Time{});
  EXPECT_EQ(deviations.start(2), us(3));
  EXPECT_EQ(deviations.start(3), Time{});
  EXPECT_EQ(deviations.class_of(1), deviations.class_of(2));
  EXPECT_NE(deviations.class_of(0), deviations.class_of(1));
}

TEST(RankDeviations, KeepToTheClockOfAstra) {
  platform::Platform platform = four({slow_from({0}, 1.5, ps(1))});
  platform.rules = platform::Rules::astra;
  const RankDeviations deviations(platform);
  EXPECT_EQ(deviations.compute(0, ns(3)), ns(5));
  EXPECT_EQ(deviations.start(0), ns(1));
}

TEST(RankDeviations, EndAtTheLongestTimeThereIs) {
  const RankDeviations deviations(four({slow_from({0}, 1e300)}));
  EXPECT_EQ(deviations.compute(0, ps(1)).count(), model::MultiDimFabric::kTooLong);
}

}  // namespace
}  // namespace orrery::sim
