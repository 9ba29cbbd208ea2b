// SPDX-License-Identifier: Apache-2.0
//
// Spaces whose points are estimated in columns first.
#include <gtest/gtest.h>

#include <cmath>

#include "orrery/core/sanitized_testing.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/explore/explore.h"

namespace orrery::explore {
namespace {

ExploreOptions options_with(Evaluation evaluation, std::uint32_t threads, std::string file = {}) {
  ExploreOptions options;
  options.evaluation = evaluation;
  options.simulated = 4;
  options.answers.threads = threads;
  options.answers.file = std::move(file);
  return options;
}

// Each point by itself: as an estimate has it, but for its time.
TEST(ColumnsFirst, TellWhatEstimatesTell) {
  const SearchSpace space = space_of(small_space());
  Evaluator evaluator(space), other(space);
  const auto points = static_cast<std::uint64_t>(space.combinations());
  std::size_t fitting = 0;
  for (std::uint64_t number = 0; number < points; number += kSanitized ? 17 : 1) {
    const auto asked = spec_at(space, space.at(number));
    ASSERT_TRUE(asked);
    const PointPrediction columns = evaluator.predict(*asked, Evaluation::columns);
    const PointPrediction estimate = other.predict(*asked, Evaluation::estimate);
    EXPECT_EQ(columns.state, estimate.state) << number;
    EXPECT_EQ(columns.why, estimate.why);
    EXPECT_EQ(columns.plan, estimate.plan);
    EXPECT_EQ(columns.memory, estimate.memory);
    if (columns.state != State::fits || estimate.state != State::fits) continue;
    ++fitting;
    EXPECT_EQ(columns.model_flops, estimate.model_flops);
    EXPECT_EQ(columns.tokens, estimate.tokens);
    EXPECT_EQ(columns.samples, estimate.samples);
    EXPECT_NEAR(static_cast<double>(columns.step) / static_cast<double>(estimate.step), 1, 0.15);
  }
  EXPECT_GT(fitting, 3u);
}

// Played by halves, the best are those that all estimates find.
TEST(ColumnsFirst, LoseNoneOfTheBest) {
  const SearchSpace space = space_of(small_space());
  const auto all = explored(space, options_with(Evaluation::estimate, 2));
  const auto some = explored(space, options_with(Evaluation::columns, 2));
  ASSERT_GE(all.best.size(), 8u);
  EXPECT_EQ(some.best.size(), all.best.size());
  EXPECT_GT(some.in_columns, some.detailed);
  EXPECT_EQ(all.in_columns, 0u);
  EXPECT_LT(std::abs(some.columns_error), 0.15);
  for (std::size_t i = 0; i < 8; ++i) {
    const Point &a = all.points[all.best[i]], &b = some.points[some.best[i]];
    EXPECT_EQ(a.number, b.number) << i;
    EXPECT_TRUE(b.estimate);
    EXPECT_EQ(a.predicted().step, b.predicted().step);
  }
}

// The same with any number of threads, and from stored points; lines contain their method.
TEST(ColumnsFirst, ThreadsAndFilesChangeNothing) {
  const SearchSpace space = space_of(small_space());
  const Folder folder;
  std::string first;
  for (const std::uint32_t threads : {1u, 3u}) {
    const std::string file = folder.path + "/" + std::to_string(threads);
    const auto found = explored(space, options_with(Evaluation::columns, threads, file));
    EXPECT_GT(found.evaluated, 0u);
    const std::string bytes = bytes_of(file);
    EXPECT_NE(bytes.find("\"method\": \"columns\""), std::string::npos);
    EXPECT_NE(bytes.find("\"method\": \"estimate\""), std::string::npos);
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
    const auto again = explored(space, options_with(Evaluation::columns, 2, file));
    EXPECT_EQ(again.evaluated, 0u);
    EXPECT_EQ(bytes_of(file), first);
    EXPECT_EQ(again.best, found.best);
  }
}

TEST(ColumnsFirst, OnlyWherePointsAreMany) {
  EXPECT_EQ(first_evaluation(space_of(small_space()), Evaluation::automatic), Evaluation::estimate);
  const SearchSpace many =
      space_of(small_space("  - {name: seed, from: 1, to: 100, points: 100}\n"));
  EXPECT_EQ(first_evaluation(many, Evaluation::automatic), Evaluation::columns);
  EXPECT_EQ(first_evaluation(many, Evaluation::estimate), Evaluation::estimate);
  const SearchSpace few = space_of(small_space(
      "  - {name: seed, from: 1, to: 100, points: 100}\nsample: {how: random, points: 50}\n"));
  EXPECT_EQ(first_evaluation(few, Evaluation::automatic), Evaluation::estimate);
}

}  // namespace
}  // namespace orrery::explore
