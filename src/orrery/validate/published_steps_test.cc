// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/published_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/validate/mfu_comparison.h"

namespace orrery::validate {
namespace {

PublishedSteps comparable(const std::string& model, const std::string& cluster,
                          std::vector<std::string> set = {}) {
  static const auto points = published_points();
  EXPECT_TRUE(points);
  study::Question question;
  question.cluster = cluster;
  Findings findings;
  const auto platform = study::read_platform(question, findings);
  EXPECT_TRUE(platform);
  study::JobDescription job;
  job.model = model;
  job.set = std::move(set);
  const auto spec = study::specify(job, {8, cluster}, findings);
  EXPECT_TRUE(spec);
  return published_steps(*points, *spec, platform->device);
}

TEST(PublishedSteps, AreInTheProgram) {
  const auto points = published_points();
  ASSERT_TRUE(points);
  EXPECT_GT(points->size(), 300u);
  for (const MeasuredPoint& point : *points) EXPECT_FALSE(point.source.empty()) << point.id;
}

// Narayanan et al. (SC 2021), table 1: 1.7B reaches 137 TFLOP/s per A100, with the forward pass
// twice (full recomputation). Without it, 3/4 of these are the model's: 33 % of 312 TFLOP/s.
TEST(PublishedSteps, CountAsThePapersDo) {
  const PublishedSteps steps = comparable("megatron-1.7b", "a100-40gb:8");
  ASSERT_EQ(steps.same_model.steps.size(), 1u);
  EXPECT_EQ(steps.same_model.steps[0].id, "narayanan21-t1-1.7B");
  EXPECT_EQ(steps.same_model.steps[0].devices, 32);
  EXPECT_NEAR(steps.same_model.steps[0].mfu, 137.0 * 3 / 4 / 312, 0.01);
  EXPECT_EQ(steps.device, "a100");
}

TEST(PublishedSteps, AreOfTheSameGpuFormatAndKind) {
  const PublishedSteps llama = comparable("llama-3.1-70b", "h100-sxm:8");
  EXPECT_EQ(llama.products, "16 bits");
  EXPECT_EQ(llama.same_model.steps.size(), 6u);
  EXPECT_EQ(llama.family.models,
            (std::vector<std::string>{"Llama3.1-405B", "Llama3.1-70B", "Llama3.1-8B"}));
  EXPECT_GT(llama.family.steps.size(), llama.same_model.steps.size());
  for (const PublishedStep& step : llama.family.steps) {
    EXPECT_GT(step.mfu, 0.1) << step.id;
    EXPECT_LT(step.mfu, 0.7) << step.id;
  }
  const PublishedSteps fp8 = comparable("llama-3.1-70b", "h100-sxm:8", {"precision.products=fp8"});
  EXPECT_EQ(fp8.products, "fp8");
  EXPECT_GT(fp8.same_model.quantile(0.5), llama.same_model.quantile(0.5)) << "of the bf16 peak";
  EXPECT_TRUE(comparable("llama-3.1-70b", "mi300x:8").family.steps.empty());
  EXPECT_TRUE(comparable("llama-3.1-70b", "h100-pcie:8").family.steps.empty());
  for (const std::string& model : comparable("mixtral-8x7b", "h100-sxm:8").family.models)
    EXPECT_EQ(model, "Grok1-314B") << "the only one with experts";
}

TEST(PublishedGroups, HavePercentiles) {
  PublishedGroup group;
  for (const double mfu : {0.1, 0.2, 0.3, 0.4, 0.5}) group.steps.push_back({"", "", "", 1, 1, mfu});
  EXPECT_DOUBLE_EQ(group.quantile(0.5), 0.3);
  EXPECT_DOUBLE_EQ(group.quantile(0.25), 0.2);
  EXPECT_DOUBLE_EQ(group.share_below(0.35), 0.6);
  EXPECT_DOUBLE_EQ(group.share_below(0.3), 0.5);
  EXPECT_DOUBLE_EQ(group.share_below(0.9), 1);
}

Result<MfuComparison> compared(MfuQuestion question) {
  question.base.job.model = "gpt2";
  question.base.job.global_batch = "16";
  question.base.job.seq = "512";
  if (question.base.cluster.empty()) question.base.cluster = "h100-sxm:8";
  study::Watch watch;
  return compare_mfu(question, watch);
}

TEST(MfuComparison, AcceptsTimesSharesAndTokens) {
  MfuQuestion by_time;
  by_time.measured = Time(20'000'000'000);  // 20 ms
  const auto first = compared(by_time);
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_EQ(first->measured.step, *by_time.measured);
  EXPECT_DOUBLE_EQ(first->measured.tokens_per_s, 16 * 512 / 20e-3);
  MfuQuestion by_tokens;
  by_tokens.measured_tokens_per_s = first->measured.tokens_per_s;
  MfuQuestion by_mfu;
  by_mfu.measured_mfu = fmt::format("{}%", 100 * first->measured.mfu);
  for (const MfuQuestion& question : {by_tokens, by_mfu}) {
    const auto again = compared(question);
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_NEAR(static_cast<double>(again->measured.step.count()), 2e10, 2);
  }
}

TEST(MfuComparison, StatesWhatNoModelExplains) {
  MfuQuestion question;
  question.measured = Time(1);
  const auto fast = compared(question);
  ASSERT_TRUE(fast);
  ASSERT_TRUE(fast->interval);
  EXPECT_FALSE(fast->is_inside());
  EXPECT_LT(fast->unexplained(), Time{});
  question.measured = fast->predicted.step;
  const auto equal = compared(question);
  ASSERT_TRUE(equal);
  EXPECT_TRUE(equal->is_inside());
  EXPECT_EQ(equal->unexplained(), Time{});
  EXPECT_DOUBLE_EQ(equal->measured.mfu, equal->predicted.mfu);
  const Time half(equal->predicted.step.count() / 2);
  EXPECT_NEAR(equal->gain(half), equal->predicted.mfu, 1e-6) << "half the step, twice the MFU";
}

TEST(MfuComparison, RefusesWhatIsNoMeasuredStep) {
  MfuQuestion none;
  EXPECT_EQ(compared(none).error().where, "--measured");
  MfuQuestion twice;
  twice.measured = Time(1);
  twice.measured_mfu = "41%";
  EXPECT_EQ(compared(twice).error().where, "--measured");
  for (const char* text : {"0", "141%", "x", "-1", "%"}) {
    MfuQuestion wrong;
    wrong.measured_mfu = text;
    const auto refused = compared(wrong);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().where, "--measured-mfu") << text;
    EXPECT_EQ(refused.error().code, Errc::usage);
  }
  MfuQuestion no_tokens;
  no_tokens.measured_tokens_per_s = 0;
  EXPECT_EQ(compared(no_tokens).error().where, "--measured-tokens-per-s");
}

}  // namespace
}  // namespace orrery::validate
