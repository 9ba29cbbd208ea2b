// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/front.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "orrery/explore/front/evolve.h"
#include "orrery/explore/space/sample.h"
#include "orrery/explore/space/search_space_testing.h"

namespace orrery::explore {
namespace {

/// The share of the box between `ideal` and `worst` that points dominate, of two objectives.
double dominated_share(std::vector<Scores> points, const Scores& ideal, const Scores& worst) {
  std::sort(points.begin(), points.end());
  double area = 0, low = worst[1];
  for (const Scores& point : points) {
    if (point[0] >= worst[0] || point[1] >= low) continue;
    area += (worst[0] - std::max(point[0], ideal[0])) * (low - std::max(point[1], ideal[1]));
    low = std::max(point[1], ideal[1]);
  }
  return area / ((worst[0] - ideal[0]) * (worst[1] - ideal[1]));
}

TEST(Front, IsWhatNobodyDominates) {
  RandomSequence draw(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t objectives = 1 + draw.below(4), count = draw.below(60);
    std::vector<Scores> points(count, Scores(objectives));
    for (Scores& point : points)
      for (double& score : point) score = static_cast<double>(draw.below(8));  // ties, too
    const auto front = front_of(points);
    const auto layers = layers_of(points);
    for (std::size_t i = 0; i < count; ++i) {
      const bool beaten = std::any_of(points.begin(), points.end(), [&](const Scores& other) {
        return dominates(other, points[i]);
      });
      EXPECT_EQ(front[i], !beaten);
      EXPECT_EQ(layers[i] == 0, !beaten);
      // A point of the previous layer dominates it, and none of its own.
      bool before = false;
      for (std::size_t j = 0; j < count; ++j) {
        if (!dominates(points[j], points[i])) continue;
        EXPECT_LT(layers[j], layers[i]);
        before = before || layers[j] + 1 == layers[i];
      }
      EXPECT_EQ(before, beaten);
    }
  }
}

TEST(Front, ThoseAtTheEndsAreNotCrowded) {
  const std::vector<Scores> points{{0, 10}, {1, 6}, {2, 5}, {10, 0}, {11, 11}};
  const auto crowding = crowding_of(points, layers_of(points));
  EXPECT_TRUE(std::isinf(crowding[0]) && std::isinf(crowding[3]) && std::isinf(crowding[4]));
  EXPECT_DOUBLE_EQ(crowding[1], 2.0 / 10 + 5.0 / 10);
  EXPECT_DOUBLE_EQ(crowding[2], 9.0 / 10 + 6.0 / 10);
  EXPECT_DOUBLE_EQ(dominated_share({{0, 0}}, {0, 0}, {1, 1}), 1);
  EXPECT_DOUBLE_EQ(dominated_share({{0.5, 0.5}, {0.25, 0.75}, {0.6, 0.6}}, {0, 0}, {1, 1}),
                   0.5 * 0.5 + 0.25 * 0.25);
}

TEST(Sample, LatinHasEachValueEquallyOften) {
  auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, from: 1, to: 20, points: 20}, {name: b, from: 1, to: "
      "10, points: 10}, {name: c, from: 1, to: 40, points: 40}]}");
  const auto drawn = sample_points(space, SampleMethod::latin, 40);
  ASSERT_TRUE(drawn);
  ASSERT_EQ(drawn->points.size(), 40u);
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<int> times(space.axes[a].values.size(), 0);
    for (const std::uint64_t point : drawn->points) ++times[space.at(point)[a]];
    for (const int n : times) EXPECT_EQ(n, 40 / static_cast<int>(times.size()));
  }
  EXPECT_EQ(sample_points(space, SampleMethod::latin, 40)->points, drawn->points);
  space.file.sample.seed = 2;
  EXPECT_NE(sample_points(space, SampleMethod::latin, 40)->points, drawn->points);
}

TEST(Sample, KeepsToConstraintsAndToWhatThereIs) {
  const auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, from: 1, to: 30, step: 1}, {name: b, from: 1, to: "
      "30, "
      "step: 1}], constraints: [a < b, step < 1, a + b != 7]}");
  EXPECT_FALSE(space.constraints[1].axes_only);
  const auto all = sample_points(space, SampleMethod::all, 0);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->points.size(), 30u * 29 / 2 - 3);  // 1+6, 2+5, 3+4
  EXPECT_EQ(all->refused, 900 - all->points.size());
  EXPECT_EQ(all->refused_by, (std::vector<std::uint64_t>{465, 0, 3}));
  for (const SampleMethod how : {SampleMethod::random, SampleMethod::latin}) {
    const auto drawn = sample_points(space, how, 200);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->points.size(), 200u);
    EXPECT_TRUE(std::includes(all->points.begin(), all->points.end(), drawn->points.begin(),
                              drawn->points.end()));
    EXPECT_EQ(sample_points(space, how, 2000)->points, all->points);
  }
  EXPECT_EQ(sample_points(space, SampleMethod::random, 800)->points,
            all->points);  // all that there are
}

TEST(Sample, EndsWhereConstraintsLeaveNothing) {
  const auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, from: 1, to: 9999, step: 1}, {name: b, from: 1, to: "
      "9999, step: 1}], constraints: [a < b, b < a]}");
  const auto drawn = sample_points(space, SampleMethod::random, 1'000'000);
  ASSERT_TRUE(drawn);
  EXPECT_TRUE(drawn->points.empty());
  EXPECT_LE(drawn->refused, 100'000u);
}

TEST(Sample, TooManyAreNotLookedAtOneByOne) {
  const auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, from: 1, to: 9999, step: 1}, {name: b, from: 1, to: "
      "9999, step: 1}]}");
  EXPECT_EQ(sample_points(space, SampleMethod::all, 0).error().code, Errc::limit_exceeded);
  EXPECT_EQ(sample_points(space, SampleMethod::random, 100)->points.size(), 100u);
}

/// Two objectives over a million points, some of which are not allowed.
PointFitness mountain(const SearchSpace& space, std::uint64_t number) {
  double f = 0, g = 0;
  const Coordinates at = space.at(number);
  for (std::size_t a = 0; a < at.size(); ++a) {
    const double x = at[a] / 9.0, to = 0.3 + 0.1 * static_cast<double>(a % 3);
    f += (x - 0.1) * (x - 0.1);
    g += (x - 0.5 - to) * (x - 0.5 - to) + (a > 0 ? 0.2 * std::abs(x - at[a - 1] / 9.0) : 0);
  }
  if ((at[0] + at[1]) % 5 == 4) return {1, {}};
  return {0, {f, g}};
}

TEST(Evolve, ComesNearerToTheFrontThanChance) {
  auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, from: 0, to: 9, step: 1}, {name: b, from: 0, to: 9, "
      "step: 1}, {name: c, from: 0, to: 9, step: 1}, {name: d, from: 0, to: 9, step: 1}, {name: e, "
      "from: 0, to: 9, step: 1}, {name: f, values: [a, b, c, d, e, f, g, h, i, j]}]}");
  std::vector<Scores> all;
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    if (const PointFitness one = mountain(space, i); one.violation == 0) all.push_back(one.scores);
  const Scores ideal{0, 0}, worst{4, 5};
  const double most = dominated_share(all, ideal, worst);
  for (int seed = 1; seed <= 5; ++seed) {
    space.file.sample.seed = seed;
    std::vector<Scores> found;
    std::vector<std::uint64_t> asked;
    const auto judge = [&](const std::vector<std::uint64_t>& numbers) {
      std::vector<PointFitness> fitness;
      for (const std::uint64_t number : numbers) {
        asked.push_back(number);
        fitness.push_back(mountain(space, number));
        if (fitness.back().violation == 0) found.push_back(fitness.back().scores);
      }
      return Result<std::vector<PointFitness>>(fitness);
    };
    ASSERT_TRUE(evolve(space, 3000, judge));
    EXPECT_LE(asked.size(), 3000u);
    std::vector<Scores> chance;
    const auto drawn = sample_points(space, SampleMethod::random, 3000);
    for (const std::uint64_t number : drawn->points)
      if (const PointFitness one = mountain(space, number); one.violation == 0)
        chance.push_back(one.scores);
    const double evolved = dominated_share(found, ideal, worst) / most;
    EXPECT_GT(evolved, 0.97);
    // At most half as far from all that there is.
    EXPECT_LT(1 - evolved, (1 - dominated_share(chance, ideal, worst) / most) / 2);
    const auto once = asked;
    std::sort(asked.begin(), asked.end());
    EXPECT_EQ(std::adjacent_find(asked.begin(), asked.end()), asked.end());  // each once
    asked.clear();
    found.clear();
    ASSERT_TRUE(evolve(space, 3000, judge));
    EXPECT_EQ(asked, once);
  }
}

TEST(Evolve, EndsWhereThereIsNothingMore) {
  const auto space = space_of(
      "{job: {}, cluster: x, axes: [{name: a, values: [1, 2]}, {name: b, values: [x]}, {name: c, "
      "values: [1, 2, 3]}], constraints: [a != c]}");
  std::size_t asked = 0;
  const auto judge = [&](const std::vector<std::uint64_t>& numbers) {
    asked += numbers.size();
    return Result<std::vector<PointFitness>>(
        std::vector<PointFitness>(numbers.size(), PointFitness{0, {1}}));
  };
  ASSERT_TRUE(evolve(space, 1000, judge));
  EXPECT_EQ(asked, 4u);
}

}  // namespace
}  // namespace orrery::explore
