// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/step_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "orrery/study/whatif/loss_remedies.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

struct Predicted {
  WhatIfCase read;
  Outcome outcome;
};

std::optional<Predicted> predict(std::vector<std::string> set) {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "512";
  question.job.set = std::move(set);
  question.cluster = "h100-sxm:8";
  question.exposed_by_group = true;
  Watch watch;
  Findings findings;
  auto read = WhatIfCase::read(question, "", watch, findings);
  EXPECT_TRUE(read);
  if (!read) return std::nullopt;
  auto outcome = read->simulate({}, false, watch, findings);
  EXPECT_TRUE(outcome);
  if (!outcome) return std::nullopt;
  return Predicted{*std::move(read), *std::move(outcome)};
}

Time time_of(const StepLosses& losses, LossKind kind) {
  Time sum{};
  for (const StepLoss& loss : losses.losses)
    if (loss.kind == kind) sum += loss.time;
  return sum;
}

TEST(StepLosses, SumToTheStep) {
  for (const char* plan : {"parallel.tp=4", "parallel.pp=4", "recompute.kind=full",
                           "parallel.sharding=zero3", "precision.products=fp8"}) {
    const auto predicted = predict({plan});
    ASSERT_TRUE(predicted);
    const StepLosses losses = step_losses(predicted->outcome);
    Time sum = losses.needed;
    for (const StepLoss& loss : losses.losses) {
      EXPECT_GT(loss.time, Time{});
      sum += loss.time;
    }
    const double step = static_cast<double>(losses.step.count());
    EXPECT_NEAR(static_cast<double>(sum.count()), step, 1e-6 * step) << plan;
    EXPECT_TRUE(
        std::is_sorted(losses.losses.begin(), losses.losses.end(),
                       [](const StepLoss& a, const StepLoss& b) { return a.time > b.time; }));
  }
}

TEST(StepLosses, AreThoseOfThePlan) {
  const auto plain = predict({"parallel.pp=1"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(time_of(step_losses(plain->outcome), LossKind::recomputation), Time{});
  const auto full = predict({"recompute.kind=full"});
  ASSERT_TRUE(full);
  EXPECT_GT(time_of(step_losses(full->outcome), LossKind::recomputation), Time{});
  const auto stages = predict({"parallel.pp=4"});
  ASSERT_TRUE(stages);
  const StepLosses losses = step_losses(stages->outcome);
  EXPECT_GT(time_of(losses, LossKind::idle) + time_of(losses, LossKind::communication), Time{});
}

TEST(StepLosses, HaveRemediesThatAreSimulated) {
  auto predicted = predict({"recompute.kind=full"});
  ASSERT_TRUE(predicted);
  StepLosses losses = step_losses(predicted->outcome);
  try_remedies(predicted->read, losses.losses.size(), losses);
  const auto recomputation =
      std::find_if(losses.losses.begin(), losses.losses.end(),
                   [](const StepLoss& loss) { return loss.kind == LossKind::recomputation; });
  ASSERT_NE(recomputation, losses.losses.end());
  const LossRemedy* remedy = recomputation->remedy(losses.step);
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->change, "recompute=none");
  const auto change = parse_change(remedy->change);
  EXPECT_EQ(predicted->read.estimate_step(std::span(&*change, 1))->whole, remedy->whole);
  for (const StepLoss& loss : losses.losses)
    if (!is_recoverable(loss.kind)) EXPECT_TRUE(loss.tried.empty());
}

TEST(StepLosses, NameTheFamiliesOfTheirKernels) {
  const auto predicted = predict({"recompute.kind=full"});
  ASSERT_TRUE(predicted);
  const StepLosses losses = step_losses(predicted->outcome);
  std::size_t with_families = 0;
  for (const StepLoss& loss : losses.losses) {
    Time sum{};
    for (const FamilyTime& family : loss.families) sum += family.time;
    if (loss.families.empty()) continue;
    ++with_families;
    EXPECT_TRUE(
        std::is_sorted(loss.families.begin(), loss.families.end(),
                       [](const FamilyTime& a, const FamilyTime& b) { return a.time > b.time; }));
    if (loss.kind == LossKind::below_peak) {
      EXPECT_EQ(loss.families.front().operation, graph::Operation::gemm);
      EXPECT_GT(sum, loss.time);
    } else {
      EXPECT_NEAR(seconds(sum), seconds(loss.time), 1e-9) << name(loss.kind);
    }
  }
  EXPECT_EQ(with_families, 4u);  // recomputation, memory-bound, optimizer, products
}

Time step_with(const WhatIfCase& read, const std::vector<std::string>& texts) {
  const auto changes = parse_changes(texts);
  EXPECT_TRUE(changes);
  const auto estimate = read.estimate_step(*changes);
  EXPECT_TRUE(estimate);
  return estimate ? estimate->whole : Time{};
}

// Waits for hosts were once part of the idle time, and an imbalance part of several losses.
TEST(SeparatedLosses, AreWhatTheStepIsShorterWithoutThem) {
  const auto predicted = predict({"kernels.launch=6us", "model.moe.experts=8", "model.moe.top_k=2",
                                  "model.moe.ffn=3072", "parallel.ep=8", "model.moe.imbalance=2"});
  ASSERT_TRUE(predicted);
  Watch watch;
  const StepLosses losses = separated_losses(predicted->read, predicted->outcome, watch);
  const Time step = predicted->outcome.result.end;
  const Time balanced = step_with(predicted->read, {std::string(kWithoutImbalance)});
  const Time without_both =
      step_with(predicted->read, {std::string(kWithoutImbalance), "kernels.launch=0"});
  EXPECT_GT(time_of(losses, LossKind::imbalance), Time{});
  EXPECT_GT(time_of(losses, LossKind::host), Time{});
  EXPECT_EQ(time_of(losses, LossKind::imbalance), step - balanced);
  EXPECT_EQ(time_of(losses, LossKind::host), balanced - without_both);
  Time sum = losses.needed;
  for (const StepLoss& loss : losses.losses) sum += loss.time;
  EXPECT_EQ(losses.step, step);
  EXPECT_NEAR(seconds(sum), seconds(step), 1e-6 * seconds(step));
}

TEST(SeparatedLosses, AreOnlyOfJobsThatHaveThem) {
  const auto predicted = predict({"parallel.tp=2"});
  ASSERT_TRUE(predicted);
  Watch watch;
  const StepLosses losses = separated_losses(predicted->read, predicted->outcome, watch);
  EXPECT_EQ(time_of(losses, LossKind::host), Time{});
  EXPECT_EQ(time_of(losses, LossKind::imbalance), Time{});
  EXPECT_EQ(losses.losses.size(), step_losses(predicted->outcome).losses.size());
}

WhatIf list_of(const std::vector<std::string>& changes) {
  WhatIfQuestion question;
  question.base.job.model = "gpt2";
  question.base.job.global_batch = "16";
  question.base.job.seq = "512";
  question.base.cluster = "h100-sxm:8";
  question.changes = changes;
  question.list = changes.empty();
  question.most = 0;
  Watch watch;
  const auto result = what_if(question, watch);
  EXPECT_TRUE(result) << result.error().what;
  return result ? *result : WhatIf{};
}

TEST(Operators, ChangeAlone) {
  const WhatIf half = list_of({"operator:mlp_up=0.5"});
  const WhatIf gemm = list_of({"gemm=0.5"});
  EXPECT_LT(half.changed->whole, half.base.whole);
  EXPECT_GT(half.changed->whole, gemm.changed->whole);
  EXPECT_EQ(half.findings.count(FindingCode::key_without_effect), 0u);
}

TEST(Operators, AreRankedAndTotalsAreLast) {
  const WhatIf all = list_of({});
  const auto place = [&](std::string_view change) {
    return std::find_if(all.list.begin(), all.list.end(),
                        [&](const ChangeTrial& trial) { return trial.change == change; });
  };
  ASSERT_NE(place("operator:mlp_up=0.5"), all.list.end());
  ASSERT_NE(place("gemm=0.5"), all.list.end());
  ASSERT_NE(place("kernels=0.5"), all.list.end());
  EXPECT_LT(place("gemm=0.5"), place("operator:mlp_up=0.5"));
  EXPECT_EQ(place("kernels=0.5") + 1, all.list.end());
  EXPECT_EQ(all.list.front().kind, "family");
  EXPECT_GT(place("operator:mlp_up=0.5")->time, Time{});
  EXPECT_LT(place("operator:mlp_up=0.5")->time, place("gemm=0.5")->time);
}

TEST(Operators, ThatAreUnknownAreAnError) {
  WhatIfQuestion question;
  question.base.job.model = "gpt2";
  question.base.cluster = "h100-sxm:8";
  question.changes = {"operator:mlp_upp=0.5"};
  Watch watch;
  const auto result = what_if(question, watch);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::usage);
  EXPECT_EQ(result.error().hint, "did you mean \"mlp_up\"?");
}

}  // namespace
}  // namespace orrery::study
