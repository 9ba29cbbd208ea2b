// SPDX-License-Identifier: Apache-2.0
//
// How far ranks and steps are apart is found again in recordings in which it was planted.
#include <gtest/gtest.h>

#include <cmath>

#include "orrery/core/paths_testing.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/study/calibrate/variability_calibration.h"
#include "slow_ranks_testing.h"

namespace orrery::study {
namespace {

/// Ranks' own speeds, and jitter of each in each step.
Factor spread(std::uint32_t seed, double speed, double jitter) {
  const Noise noise(seed);
  return [=](std::uint32_t rank, std::int64_t step, const Graph& graph, NodeId n) {
    if (!graph::is_own_work(graph, n)) return 1.0;
    return std::exp(noise(rank, 1'000'000, speed) - 1) *
           std::exp(noise(rank, static_cast<std::uint64_t>(step), jitter) - 1);
  };
}

// Of eight ranks a variance is known to a half; of twelve times as many to a sixth.
TEST(MeasuredSpread, IsWhatWasPlanted) {
  double speed = 0, jitter = 0;
  constexpr int kJobs = 12;
  for (std::uint32_t seed = 0; seed < kJobs; ++seed) {
    const auto made = measure_variability(recording(spread(seed, 0.05, 0.02)), kSteps);
    ASSERT_TRUE(made.speed_known && made.jitter_known && made.network_known);
    speed += made.variability.speed.sigma * made.variability.speed.sigma / kJobs;
    jitter += made.variability.jitter.sigma * made.variability.jitter.sigma / kJobs;
    EXPECT_EQ(made.stalled, 0u);
    EXPECT_EQ(made.variability.network.sigma, 0);
  }
  EXPECT_NEAR(std::sqrt(speed), 0.05, 0.25 * 0.05);
  EXPECT_NEAR(std::sqrt(jitter), 0.02, 0.15 * 0.02);
}

TEST(MeasuredSpread, StallsAreTakenOut) {
  const Factor steady = spread(3, 0.02, 0.01);
  const auto stalling = [&](std::uint32_t rank, std::int64_t step, const Graph& graph, NodeId n) {
    const double stall = rank == 5 && step == 2 && graph::is_own_work(graph, n) ? 3 : 1;
    return steady(rank, step, graph, n) * stall;
  };
  const auto without = measure_variability(recording(steady), kSteps);
  const auto with = measure_variability(recording(stalling), kSteps);
  EXPECT_EQ(with.stalled, 1u);
  EXPECT_NEAR(with.variability.stalls.rate, 1.0 / 48, 1e-9);
  EXPECT_GT(with.variability.stalls.mean, Time{});
  EXPECT_NEAR(with.variability.jitter.sigma, without.variability.jitter.sigma, 0.003);
  EXPECT_NEAR(with.variability.speed.sigma, without.variability.speed.sigma, 0.003);
}

TEST(MeasuredSpread, OfTheNetworkIsThatOfSteps) {
  const auto slow = [](std::uint32_t, std::int64_t step, const Graph& graph, NodeId n) {
    return graph.kind(n) == graph::NodeKind::coll && step % 2 == 1 ? 1.2 : 1.0;
  };
  const auto made = measure_variability(recording(slow), kSteps);
  // Three steps of 1 and three of 1.2: ln(1.2) / 2 * sqrt(6 / 5)
  EXPECT_NEAR(made.variability.network.sigma, std::log(1.2) / 2 * std::sqrt(1.2), 1e-4);
  EXPECT_EQ(made.variability.speed.sigma, 0);
}

TEST(MeasuredSpread, OneRankSaysNothing) {
  RecordedTraces one;
  one.traces = {std::string(core_testing::kSourceFolder) +
                "/data/demo/transformer/layers4_microbatches1.json.gz"};
  Watch watch;
  const auto made = calibrate_variability(one, 0, watch);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::input_unsupported);
  EXPECT_EQ(calibrate_variability(one, -1, watch).error().code, Errc::usage);
}

// What is written can be drawn from.
TEST(MeasuredSpread, TheFileIsRead) {
  RecordedTraces two;
  two.traces = {std::string(core_testing::kSourceFolder) +
                "/data/demo/ddp_transformer/rank*.kineto.json.gz"};
  Watch watch;
  const auto made = calibrate_variability(two, 0, watch);
  ASSERT_TRUE(made.has_value());
  const auto read = platform::parse_variability(made->file, "file");
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_NEAR(read->jitter.sigma, made->measured.variability.jitter.sigma, 1e-9);
}

}  // namespace
}  // namespace orrery::study
