// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/goodput/goodput.h"

#include <gtest/gtest.h>

namespace orrery::study {
namespace {

/// A measured step on 1,024 devices, whose checkpoint lasts 16 s.
GoodputQuestion measured() {
  GoodputQuestion question;
  question.cluster = "h100-sxm:1024";
  question.step = Duration{2};
  question.step_tokens = 4'000'000;
  question.checkpoint_size = Bytes(2'000'000'000'000);
  question.failures.checkpoint_bandwidth = Bandwidth(125e9);
  return question;
}

Goodput predict(const GoodputQuestion& question) {
  Watch watch;
  Findings findings;
  auto made = predict_goodput(question, watch, findings);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : Goodput{};
}

TEST(Goodput, TakesPublishedRatesByDefault) {
  const Goodput made = predict(measured());
  const FailureModel& failures = made.failures;
  EXPECT_EQ(failures.devices, 1024);
  EXPECT_EQ(failures.nodes, 128);
  EXPECT_NEAR(failures.job.mtbf, 16 * 54 * 86400.0 / 419, 1);  // a sixteenth of Llama 3's devices
  EXPECT_DOUBLE_EQ(failures.job.write, 16);
  EXPECT_DOUBLE_EQ(failures.job.restart, 600 + 16);
  EXPECT_DOUBLE_EQ(failures.job.interval, failures.best);
  EXPECT_NEAR(made.simulation.shares.training / failures.shares.training, 1, 0.01);
  EXPECT_FALSE(made.budget.has_value());
}

TEST(Goodput, ConfiguredTimesReplaceThem) {
  GoodputQuestion question = measured();
  question.failures.node_mtbf = Duration{128 * 3600.0};
  question.failures.checkpoint_time = Duration{1};
  question.failures.checkpoint_interval = Duration{60};
  question.failures.reshard_time = Duration{84};
  const FailureModel failures = predict(question).failures;
  EXPECT_DOUBLE_EQ(failures.job.mtbf, 3600);
  EXPECT_DOUBLE_EQ(failures.job.write, 1);
  EXPECT_DOUBLE_EQ(failures.job.interval, 60);
  EXPECT_DOUBLE_EQ(failures.job.restart, 700);
  question.failures.devices_per_node = 16;
  EXPECT_DOUBLE_EQ(predict(question).failures.job.mtbf, 7200);
}

TEST(Goodput, BudgetHasTimeAndCost) {
  GoodputQuestion question = measured();
  question.tokens = 4e6 * 43200 * 10;  // ten days of steps
  question.price = "h100-sxm=3";
  question.deadline = Duration{10 * kSecondsPerDay};
  question.failures.spare_nodes = 2;
  question.failures.repair_time = Duration{kSecondsPerDay};
  const Goodput made = predict(question);
  ASSERT_TRUE(made.budget.has_value());
  const BudgetPrediction& budget = *made.budget;
  EXPECT_DOUBLE_EQ(budget.without_failures, 10 * kSecondsPerDay);
  EXPECT_DOUBLE_EQ(budget.elapsed, 10 * kSecondsPerDay / made.failures.shares.training);
  EXPECT_TRUE(budget.late());
  ASSERT_TRUE(budget.range.has_value());
  EXPECT_LT(budget.range->first, budget.elapsed);
  EXPECT_GT(budget.range->second, budget.elapsed);
  EXPECT_DOUBLE_EQ(*budget.cost, 3 * (1024 + 2 * 8) * budget.elapsed / 3600);
}

TEST(Goodput, MoreSpareNodesWaitLess) {
  GoodputQuestion question = measured();
  question.failures.repair_time = Duration{5 * kSecondsPerDay};
  double before = 1;
  for (std::int64_t spares = 0; spares < 6; ++spares) {
    question.failures.spare_nodes = spares;
    const double waiting = predict(question).failures.shares.waiting;
    EXPECT_LT(waiting, before);
    before = waiting;
  }
}

}  // namespace
}  // namespace orrery::study
