// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_fit_moves.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// A model of 1.3 billion weights on 16 ranks.
Spec small_job() {
  Spec spec;
  spec.model.layers = 24;
  spec.model.hidden = 2048;
  spec.model.heads = 16;
  spec.parallel.dp = 8;
  spec.parallel.tp = 2;
  spec.batch.micro = 8;
  spec.batch.seq = 2048;
  return spec;
}

std::int64_t peak_of(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value()) << (program ? "" : to_string(program.error()));
  if (!program) return -1;
  const auto report = account_memory(*program);
  EXPECT_TRUE(report.has_value());
  return report->roles[report->worst].total();
}

double flops_of(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value());
  const auto counted = count(*program);
  EXPECT_TRUE(counted.has_value());
  return to_double(counted->flops.all());
}

/// Every answer is legal, fits, does the same work on as many ranks, and says what it is.
void expect_answers(const Spec& spec, std::int64_t capacity,
                    const std::vector<FittingChange>& changes) {
  const double flops = flops_of(spec);
  for (const FittingChange& change : changes) {
    SCOPED_TRACE(change.what);
    EXPECT_TRUE(check_spec(change.spec).has_value());
    EXPECT_LE(change.total, capacity);
    EXPECT_EQ(change.total, peak_of(change.spec));
    EXPECT_EQ(change.spec.parallel.world(), spec.parallel.world());
    EXPECT_EQ(change.spec.global_batch(), spec.global_batch());
    EXPECT_GE(change.cost, 1);
    EXPECT_DOUBLE_EQ(change.cost, std::max(1.0, flops_of(change.spec) / flops));
    EXPECT_FALSE(change.what.empty());
  }
  for (std::size_t i = 1; i < changes.size(); ++i) {  // cheapest first, but for a thousandth
    EXPECT_LE(changes[i - 1].cost, changes[i].cost + 0.001);
  }
}

TEST(MakeItFit, WhatFitsNeedsNoChange) {
  const auto changes = find_fitting_changes(small_job(), peak_of(small_job()));
  ASSERT_TRUE(changes.has_value());
  EXPECT_TRUE(changes->empty());
}

TEST(MakeItFit, WhatCannotFitGetsNoAnswer) {
  const auto changes = find_fitting_changes(small_job(), 1 << 20);
  ASSERT_TRUE(changes.has_value());
  EXPECT_TRUE(changes->empty());
}

TEST(MakeItFit, ALittleTooMuchNeedsOneFreeChange) {
  const std::int64_t capacity = peak_of(small_job()) - 1;
  const auto changes = find_fitting_changes(small_job(), capacity);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->size(), 3u);
  expect_answers(small_job(), capacity, *changes);
  EXPECT_EQ((*changes)[0].what, "parallel.sp = true");
  EXPECT_EQ((*changes)[1].what, "parallel.sharding = zero1");
}

TEST(MakeItFit, MuchTooMuchNeedsTwoChanges) {
  for (const std::int64_t capacity : {12 * kGiB, 8 * kGiB, 6 * kGiB}) {
    const auto changes = find_fitting_changes(small_job(), capacity);
    ASSERT_TRUE(changes.has_value());
    EXPECT_EQ(changes->size(), 3u) << capacity;
    expect_answers(small_job(), capacity, *changes);
  }
}

// Loops are not walked: a plan costs the same with any number of microbatches.
TEST(MakeItFit, ManyMicrobatchesHaveAnswersToo) {
  Spec spec = small_job();
  spec.parallel.pp = 2;
  spec.batch.global = 2'000'000 * spec.batch.micro * spec.parallel.dp;
  const std::int64_t capacity = peak_of(spec) / 4 * 3;
  const auto changes = find_fitting_changes(spec, capacity);
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->size(), 3U);
  expect_answers(spec, capacity, *changes);
}

TEST(MakeItFit, AsManyAnswersAsAsked) {
  const std::int64_t capacity = peak_of(small_job()) - 1;
  EXPECT_TRUE(find_fitting_changes(small_job(), capacity, 0)->empty());
  EXPECT_EQ(find_fitting_changes(small_job(), capacity, 1)->size(), 1u);
  EXPECT_GT(find_fitting_changes(small_job(), capacity, 100)->size(), 8u);
}

TEST(MakeItFit, AnswersAreTheSameEachTime) {
  const auto first = find_fitting_changes(small_job(), 10 * kGiB),
             second = find_fitting_changes(small_job(), 10 * kGiB);
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_EQ(first->size(), second->size());
  for (std::size_t i = 0; i < first->size(); ++i) {
    EXPECT_EQ((*first)[i].what, (*second)[i].what);
    EXPECT_EQ((*first)[i].total, (*second)[i].total);
  }
}

TEST(MakeItFit, ExpertsCanBeSpreadFurther) {
  Spec spec = small_job();
  spec.model.moe.emplace();
  spec.batch.micro = 1;
  const std::int64_t capacity = peak_of(spec) * 3 / 4;
  const auto changes = find_fitting_changes(spec, capacity, 100);
  ASSERT_TRUE(changes.has_value());
  expect_answers(spec, capacity, *changes);
  bool spread = false;
  for (const FittingChange& change : *changes) spread |= change.what == "parallel.ep = 2";
  EXPECT_TRUE(spread);
}

TEST(MakeItFit, RefusesWhatIsIllegalToBeginWith) {
  Spec spec = small_job();
  spec.parallel.tp = 3;
  const auto changes = find_fitting_changes(spec, kGiB);
  ASSERT_FALSE(changes.has_value());
  EXPECT_EQ(changes.error().code, check_spec(spec).error().code);
}

TEST(FitMoves, AreNoMoreThanPromised) {
  Spec spec = small_job();
  spec.model.moe.emplace();
  spec.kernels.flash_attention = false;
  spec.batch.micro = 1 << 20;
  EXPECT_LE(fit_moves(spec).size(), 32u);
}

TEST(FitMoves, TakeRanksFromWhereThereAreSome) {
  Spec spec = small_job();
  spec.parallel.dp = 1;
  spec.parallel.pp = 4;
  spec.batch.global = spec.global_batch();
  std::vector<std::string> said;
  for (const FitMove& move : fit_moves(spec)) {
    Spec changed = spec;
    const std::string what = move.apply(changed);
    if (move.kind == FitMoveKind::tensor_parallel && !what.empty()) said.push_back(what);
    EXPECT_EQ(changed.parallel.world(), spec.parallel.world()) << what;
  }
  EXPECT_EQ(said, (std::vector<std::string>{"parallel.tp = 4, parallel.pp = 2",
                                            "parallel.tp = 8, parallel.pp = 1"}));
}

}  // namespace
}  // namespace orrery::workload
