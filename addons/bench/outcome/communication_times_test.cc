// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/communication_times.h"

#include <gmock/gmock.h>

#include "addons/bench/outcome/replay_outcome_text.h"
#include "addons/bench/outcome/replay_report.h"
#include "addons/bench/plan/exchanges_testing.h"

namespace orrery::bench {
namespace {

using profile::CommKind;

/// An all-reduce under way for 50 ns in both iterations, of which 10 and 60 are waited for.
std::pair<ReplayPlan, ReplayOutcome> a_replay() {
  ReplayPlan plan = plan_with({exchange_of(CommKind::all_reduce, 8)});
  plan.sources = {{"c10d::allreduce_", ReplayMethod::communicated}};
  plan.steps.resize(2);
  plan.steps[0].kind = ReplayStep::Kind::communicate;
  plan.steps[1].kind = ReplayStep::Kind::wait;
  ReplayOutcome outcome;
  outcome.wall_ns = {100, 110};
  outcome.cpu_ns = {90, 80};
  outcome.begin_ns = {0, 40, 0, 20};
  outcome.length_ns = {5, 10, 5, 60};
  outcome.exchange_begin_ns = {5, 6};
  outcome.exchange_length_ns = {50, 50};
  outcome.failures = {0, 0};
  outcome.reasons = {"", "for a \"reason\""};
  outcome.reshaped = {false, true};
  outcome.prepare_ns = 7;
  outcome.peak_bytes = 12;
  return {plan, outcome};
}

TEST(Communication, IsHiddenOrExposed) {
  const auto [plan, outcome] = a_replay();
  const auto times = communication_times(plan, outcome);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].count, 1u);
  EXPECT_EQ(times[0].bytes, 8);
  EXPECT_EQ(times[0].length_ns, 50);
  EXPECT_EQ(times[0].exposed_ns, 35);
  EXPECT_EQ(times[0].hidden_ns, 20) << "40 in one iteration, none in the other";
  const Timing timing = timing_of(plan, outcome);
  ASSERT_EQ(timing.operators.size(), 1u);
  EXPECT_EQ(timing.operators[0].total_ns, 5) << "waiting is no operator's time";
}

TEST(OutcomeText, IsReadAsItWasWritten) {
  const auto [plan, outcome] = a_replay();
  const std::string text = outcome_text(outcome);
  const auto read = read_outcome(text, plan);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(outcome_text(*read), text);
  EXPECT_EQ(read->length_ns, outcome.length_ns);
  EXPECT_EQ(read->reshaped, outcome.reshaped);
  EXPECT_EQ(read->peak_bytes, 12);
}

TEST(OutcomeText, WhatDoesNotFitThePlanIsRefused) {
  const auto [plan, outcome] = a_replay();
  const std::string text = outcome_text(outcome);
  for (std::size_t cut = 0; cut < text.size(); cut += 7)
    EXPECT_FALSE(read_outcome(text.substr(0, cut), plan)) << cut;
  ReplayPlan larger = plan;
  larger.steps.resize(3);
  EXPECT_FALSE(read_outcome(text, larger));
  std::string wrong = text;
  wrong.replace(wrong.find("wall_ns 1"), 9, "wall_ns x");
  EXPECT_FALSE(read_outcome(wrong, plan));
}

}  // namespace
}  // namespace orrery::bench
