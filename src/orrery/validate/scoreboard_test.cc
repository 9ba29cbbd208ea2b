// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/scoreboard.h"

#include <gtest/gtest.h>

namespace orrery::validate {
namespace {

struct Toys {
  std::vector<MeasuredPoint> points;
  std::vector<PointPrediction> predictions;

  /// A step of `measured` seconds, said to be `predicted`.
  Toys& add(double measured, double predicted, const std::string& source = "a") {
    MeasuredPoint point;
    point.id = "p" + std::to_string(points.size());
    point.source = source;
    point.seconds = measured;
    points.push_back(point);
    PointPrediction prediction;
    prediction.seconds = predicted;
    prediction.traits = {{"source", source}, {"tp", measured > 15 ? "2" : "1"}};
    predictions.push_back(prediction);
    return *this;
  }
};

TEST(Errors, AreSummedUp) {
  Toys toys;
  toys.add(10, 11).add(10, 8).add(10, 10.5).add(10, 14);
  toys.predictions[0].interval = {9.5, 11.5};
  toys.predictions[1].interval = {7, 9};
  const ErrorSummary all = summarize(toys.points, toys.predictions);
  EXPECT_EQ(all.points, 4u);
  EXPECT_NEAR(all.median, 0.15, 1e-12);  // of 5, 10, 20, 40 %
  EXPECT_NEAR(all.mean, 0.1875, 1e-12);
  EXPECT_NEAR(all.p90, 0.4, 1e-12);
  EXPECT_NEAR(all.signed_median, 0.075, 1e-12);
  EXPECT_EQ(all.with_interval, 2u);
  EXPECT_NEAR(all.coverage, 0.5, 1e-12);
  EXPECT_NEAR(all.half_width, (1 / 11.0 + 1 / 8.0) / 2, 1e-12);
}

TEST(Errors, OfNothingAreNothing) {
  EXPECT_EQ(summarize({}, {}).points, 0u);
  Toys toys;
  toys.add(1, 1);
  toys.predictions[0].skip_reason = "no";
  const Scoreboard board = make_scoreboard(toys.points, toys.predictions);
  EXPECT_EQ(board.all.points, 0u);
  ASSERT_EQ(board.unpredicted.size(), 1u);
  EXPECT_EQ(board.unpredicted[0].first, "no");
  EXPECT_TRUE(board.worst.empty());
}

// One source has three points that are right, the other one that is off by 40 %.
TEST(Errors, CanWeighSourcesAlike) {
  Toys toys;
  toys.add(10, 10, "a").add(10, 10, "a").add(10, 10, "a").add(10, 14, "b");
  const Scoreboard board = make_scoreboard(toys.points, toys.predictions);
  EXPECT_NEAR(board.all.median, 0, 1e-12);
  EXPECT_NEAR(board.by_source.median, 0.2, 1e-12);
  EXPECT_NEAR(board.by_source.mean, 0.2, 1e-12);
}

TEST(Errors, AreToldByGroupsAndWorstFirst) {
  Toys toys;
  toys.add(10, 11).add(20, 30).add(10, 10);
  const Scoreboard board = make_scoreboard(toys.points, toys.predictions);
  EXPECT_EQ(board.worst, (std::vector<std::size_t>{1, 0, 2}));
  std::vector<std::string> prediction;
  for (const ErrorGroup& group : board.groups)
    if (group.trait == "tp")
      prediction.push_back(group.value + ":" + std::to_string(group.errors.points));
  EXPECT_EQ(prediction, (std::vector<std::string>{"1:2", "2:1"}));
}

TEST(Errors, SayWhatChoosingByThemCosts) {
  Toys toys;
  // Measured best: the third. Predicted: second, first, third …
  toys.add(10, 8).add(11, 7).add(9, 9).add(12, 12).add(13, 13);
  const Scoreboard board = make_scoreboard(toys.points, toys.predictions);
  ASSERT_EQ(board.rankings.size(), 1u);
  EXPECT_EQ(board.rankings[0].measured_best, "p2");
  EXPECT_EQ(board.rankings[0].predicted_best, "p1");
  EXPECT_EQ(board.rankings[0].rank_of_best, 3u);
  EXPECT_NEAR(board.rankings[0].regret, 11.0 / 9 - 1, 1e-12);
  toys.points.pop_back();
  toys.predictions.pop_back();
  EXPECT_TRUE(make_scoreboard(toys.points, toys.predictions).rankings.empty());
}

}  // namespace
}  // namespace orrery::validate
