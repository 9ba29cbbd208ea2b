// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "handmade_traces_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/intake/job/job.h"
#include "orrery/trace/kineto/writer.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = std::string(core_testing::kSourceFolder) + "/tests/cli/fixtures/replay";

class ReplayTest : public ByHand {
 protected:
  static Replay play(ReplayQuestion question) {
    Watch watch;
    auto made = replay(question, watch);
    EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
    return made ? std::move(*made) : Replay{};
  }
  static Time end(const std::string& path, profile::CostScales scales = {},
                  profile::IgnoredDependencies without = {}) {
    const Replay made =
        play({.recorded = {.traces = {path}}, .scales = std::move(scales), .leave_out = without});
    return made.ranks.empty() ? Time{} : made.ranks[0].simulated;
  }
};

TEST_F(ReplayTest, TwoStreamsRunSideBySide) {
  const std::string two = kFixtures / "two.json";
  EXPECT_EQ(end(two), us(1015));
  EXPECT_EQ(end(two, {.kernels = 0.5}), us(945));  // then the copy on the other stream is last
  EXPECT_EQ(end(two, {.kernels = 0.5, .copies = 0.5}), us(515));
  EXPECT_EQ(end(two, {.named = {{"gemm", 2.0}}}), us(2015));
}

TEST_F(ReplayTest, AGapStaysAsItWasRecorded) {
  const std::string gap = kFixtures / "gap.json";
  const Replay made = play({.recorded = {.traces = {gap}}});
  ASSERT_EQ(made.ranks.size(), 1u);
  EXPECT_EQ(made.ranks[0].recorded, us(550));
  EXPECT_EQ(made.ranks[0].simulated, us(550));
  EXPECT_EQ(made.ranks[0].drift.worst, Time{});
  EXPECT_EQ(made.ranks[0].unknowns.recorded_waits, 3u);
  EXPECT_EQ(made.ranks[0].unknowns.waited, us(396));
  EXPECT_EQ(made.findings.count(FindingCode::recorded_wait), 3u);
  EXPECT_EQ(end(gap, {.kernels = 0.5}), us(475));  // three kernels of 50 us
  EXPECT_EQ(end(gap, {}, {.lags = true}), us(154));
}

// A host that waits for the device: what it does afterwards comes earlier if the device is faster.
TEST_F(ReplayTest, SynchronizationFollowsTheDevice) {
  const std::string path =
      write("sync.json", {launch(0, 1), kernel("gemm", 7, 10, 1000, 1),
                          event("cuda_runtime", "cudaDeviceSynchronize", false, 1, 20, 1000, 9),
                          launch(1030, 2), kernel("after", 7, 1040, 100, 2)});
  EXPECT_EQ(end(path), us(1140));
  EXPECT_EQ(end(path, {.kernels = 0.5}), us(590));
  EXPECT_EQ(end(path, {.host = 0.5}), us(1125));  // launches 5 and 15, after the wait 10: halved
}

TEST_F(ReplayTest, AStragglerKeepsOthersWaiting) {
  const std::string early = write("rank0.json", {launch(0, 1), all_reduce(7, 10, 110, 1)}, 0);
  const std::string late = write(
      "rank1.json",
      {launch(0, 1), kernel("gemm", 7, 10, 88, 1), launch(6, 2), all_reduce(7, 100, 20, 2)}, 1);
  const auto ends = [&](ReplayQuestion question) {
    question.recorded.traces = {early, late};
    const Replay made = play(std::move(question));
    std::vector<Time> all;
    for (const ReplayedRank& rank : made.ranks) all.push_back(rank.simulated);
    return all;
  };
  EXPECT_EQ(ends({}), (std::vector<Time>{us(120), us(120)}));
  EXPECT_EQ(ends({.scales = {.named = {{"gemm", 0.5}}}}), (std::vector<Time>{us(76), us(76)}));
  EXPECT_EQ(ends({.scales = {.named = {{"gemm", 0.5}}}, .together = false}),
            (std::vector<Time>{us(120), us(76)}));
  EXPECT_EQ(ends({.scales = {.communication = 0.5}}), (std::vector<Time>{us(110), us(110)}));
}

TEST_F(ReplayTest, StepsAreFromOneToTheNext) {
  std::vector<std::string> events;
  for (int step = 0; step < 3; ++step) {
    const int at = step * 1000;
    events.push_back(
        event("user_annotation", fmt::format("ProfilerStep#{}", step), false, 1, at, 950, 0));
    events.push_back(launch(at + 10, step + 1));
    events.push_back(kernel("gemm", 7, at + 20, 800, step + 1));
    events.push_back(event("cuda_runtime", "cudaDeviceSynchronize", false, 1, at + 30, 800, 90));
  }
  const std::string path = write("steps.json", events);
  const Replay made = play({.recorded = {.traces = {path}}, .scales = {.kernels = 0.5}});
  ASSERT_EQ(made.ranks.size(), 1u);
  ASSERT_EQ(made.ranks[0].steps.size(), 3u);
  for (const ReplayedStep& step : made.ranks[0].steps) {
    const Time length = step.number == 2 ? us(950) : us(1000);
    EXPECT_EQ(step.recorded, length) << step.number;
    EXPECT_EQ(step.simulated, length - us(400)) << step.number;
  }
  EXPECT_EQ(made.ranks[0].recorded_parts.compute_only, us(2400));
  EXPECT_EQ(made.ranks[0].simulated_parts.compute_only, us(1200));
}

TEST_F(ReplayTest, SimulatedTimesAreATraceAgain) {
  const Replay made = play({.recorded = {.traces = {kFixtures / "two.json"}},
                            .scales = {.kernels = 0.5},
                            .keep_profiles = true});
  const std::string path = folder_ / "faster.json";
  ASSERT_TRUE(trace::write_kineto(*made.ranks[0].profile, path, false));
  EXPECT_FALSE(trace::write_kineto(*made.ranks[0].profile, path, false));  // there is one
  EXPECT_EQ(end(path), us(945));
  const Replay again = play({.recorded = {.traces = {path}}});
  EXPECT_EQ(again.ranks[0].recorded, us(945));
  EXPECT_EQ(again.ranks[0].drift.worst, Time{});
  EXPECT_EQ(again.ranks[0].recorded_parts, made.ranks[0].simulated_parts);
}

TEST_F(ReplayTest, WhatHasNoTimesIsRefused) {
  const fs::path path = folder_ / "et.json";
  std::ofstream(path) << R"({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "time": "x", "nodes": [
    {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1,
     "inputs": {"values": [], "shapes": [], "types": []},
     "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
    {"id": 2, "name": "aten::add", "ctrl_deps": 1,
     "inputs": {"values": [], "shapes": [], "types": []},
     "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []}]})";
  Watch watch;
  const auto made = replay({.recorded = {.traces = {path.string()}}}, watch);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::input_unsupported) << to_string(made.error());
}

}  // namespace
}  // namespace orrery::study
