// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/study/questions/outcome/sampled_errors_testing.h"
#include "orrery/study/study.h"

namespace orrery::study {
namespace {

Outcome small_step() {
  Question question;
  question.job.model = "llama-3.2-1b";
  question.job.tp = "2";
  question.job.sp = true;
  question.job.global_batch = "8";
  question.job.seq = "1024";
  question.cluster = "h100-sxm:8";
  // Its band reaches five times as far up as down: more than 80 % of such truths lie inside.
  question.without = {"in_step_factors"};
  Watch watch;
  Findings findings;
  auto answered = answer(question, watch, findings);
  EXPECT_TRUE(answered);
  return *std::move(answered);
}

// Models that are right tell the truth.
TEST(DrawnTruth, WithoutErrorsIsWhatWasTold) {
  const sampled_errors::ErrorSamples draws(1);
  EXPECT_EQ(draws.factor("a", {}), 1.0);
  EXPECT_EQ(draws.factor("a", {-0.1, 0.2}), draws.factor("a", {-0.1, 0.2}));
  EXPECT_NE(draws.factor("a", {-0.1, 0.2}), draws.factor("b", {-0.1, 0.2}));
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const double factor = sampled_errors::ErrorSamples(seed).factor("a", {-0.1, 0.2});
    inside += factor >= 0.9 && factor <= 1.2 ? 1 : 0;
  }
  EXPECT_NEAR(inside, 1600, 60);
}

// 80 % of truths should lie in a step's band; of 200, 72 to 88 % are nothing unusual. More, and
// more jobs, in benchmarks/accuracy/band_coverage.cc.
TEST(DrawnTruth, LiesInTheBandAsOftenAsTheBandSays) {
  const Outcome predicted = small_step();
  std::vector<result::ErrorClass> classes = digest(predicted).errors;
  // The samples have errors of models, not of the complete step.
  std::erase_if(classes, [](const result::ErrorClass& one) { return one.time == Time{}; });
  const auto interval = analysis::step_interval(classes, predicted.result.end);
  ASSERT_TRUE(interval);
  constexpr int kDraws = 200;
  int inside = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Time truth = sampled_errors::sampled_step(predicted, seed);
    inside += truth >= interval->lower && truth <= interval->upper ? 1 : 0;
  }
  EXPECT_GE(inside, kDraws * 72 / 100);
  EXPECT_LE(inside, kDraws * 88 / 100);
}

}  // namespace
}  // namespace orrery::study
