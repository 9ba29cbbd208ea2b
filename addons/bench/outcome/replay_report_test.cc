// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/replay_report.h"

#include <gmock/gmock.h>

#include "addons/bench/outcome/replay_timeline.h"
#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

using ::testing::SizeIs;

/// Three operators, the last of two steps; two iterations.
struct Case {
  ReplayPlan plan;
  ReplayOutcome outcome;
};

Case three() {
  Case made;
  made.plan.sources = {
      {"aten::relu", ReplayMethod::exact, "", Time(7'000), 41},
      {"aten::relu", ReplayMethod::exact, "", Time(3'000), 42},
      {"aten::_foreach_add_.List", ReplayMethod::rule, "foreach", Time(10'000), 43}};
  for (const std::uint32_t source : {0u, 1u, 2u, 2u}) {
    ReplayStep step;
    step.source = source;
    made.plan.steps.push_back(std::move(step));
  }
  made.outcome.wall_ns = {100, 200};
  made.outcome.cpu_ns = {90, 180};
  made.outcome.begin_ns = {0, 10, 30, 60, 0, 20, 60, 120};
  made.outcome.length_ns = {10, 20, 25, 15, 20, 40, 50, 30};
  made.outcome.failures = {0, 2, 0, 0};
  made.outcome.reasons = {"", "no", "", ""};
  made.outcome.reshaped = {false, false, true, false};
  return made;
}

TEST(BenchReport, CoverageByCountAndByRecordedTime) {
  const Coverage coverage = coverage_of(three().plan);
  EXPECT_EQ(coverage.all.count, 3u);
  EXPECT_EQ(coverage.all.recorded, Time(20'000));
  EXPECT_EQ(coverage.of(ReplayMethod::rule).count, 1u);
  EXPECT_EQ(coverage.of(ReplayMethod::rule).recorded, Time(10'000));
  ASSERT_THAT(coverage.rules, SizeIs(1));
  EXPECT_EQ(coverage.rules[0].rule, "foreach");
  EXPECT_FALSE(coverage.rules[0].description.empty());
}

TEST(BenchReport, TimesAreThoseOfRecordedOperators) {
  const Case made = three();
  const Timing timing = timing_of(made.plan, made.outcome);
  EXPECT_EQ(timing.wall.half, 100);
  EXPECT_EQ(timing.wall.most, 200);
  ASSERT_THAT(timing.operators, SizeIs(2));
  EXPECT_EQ(timing.operators[0].name, "aten::_foreach_add_.List");
  EXPECT_EQ(timing.operators[0].calls, 1u);
  EXPECT_EQ(timing.operators[0].total_ns, 60) << "(25 + 15 + 50 + 30) / 2";
  EXPECT_EQ(timing.operators[1].calls, 2u);
  EXPECT_EQ(timing.operators[1].each.most, 40);
  EXPECT_EQ(timing.failed_operators, 1u);
  EXPECT_EQ(timing.reshaped, 1u);
  ASSERT_THAT(timing.failed, SizeIs(1));
  EXPECT_EQ(timing.failed[0].reason, "no");
}

TEST(BenchReport, PercentilesAreOfTheNearestRank) {
  const TimePercentiles p = percentiles({5, 1, 4, 2, 3});
  EXPECT_EQ(p.least, 1);
  EXPECT_EQ(p.half, 3);
  EXPECT_EQ(p.p90, 5);
  EXPECT_EQ(percentiles({}).most, 0);
}

TEST(BenchTimeline, IsARecordingWithSteps) {
  const Case made = three();
  const profile::Profile profile = timeline_of(made.plan, made.outcome);
  ASSERT_EQ(profile.events.size(), 2 * (1 + 3));
  EXPECT_EQ(profile.name(0), "ProfilerStep#0");
  EXPECT_EQ(profile.name(3), "aten::_foreach_add_");
  EXPECT_EQ(profile.events[3].start, Time(30'000));
  EXPECT_EQ(profile.events[3].duration, Time(45'000)) << "both steps";
  EXPECT_EQ(profile.events[3].parent, 0u);
  EXPECT_EQ(profile.op(3).record_function_id, 43u);
  EXPECT_EQ(profile.op(7).record_function_id, profile::kNoId) << "only once";
}

}  // namespace
}  // namespace orrery::bench
