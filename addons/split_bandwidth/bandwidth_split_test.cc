// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/bandwidth_split.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/core/random.h"

namespace orrery::split_bandwidth {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kGB = 1e9;

std::vector<double> in_gb(const Split& split) {
  std::vector<double> made;
  for (const Bandwidth one : split.bandwidth) made.push_back(one.count() / kGB);
  return made;
}

Split best_of(const SplitProblem& problem) {
  auto split = best_split(problem);
  EXPECT_TRUE(split.has_value()) << (split ? "" : to_string(split.error()));
  return split ? *split : Split{};
}

std::string why_not(const SplitProblem& problem) {
  const auto split = best_split(problem);
  return split ? "it is one" : to_string(split.error());
}

/// Random numbers by seed and order.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * uniform_double(mix_bits(seed_ + n_++ * 7919));
  }
  std::size_t up_to(std::size_t count) {
    return static_cast<std::size_t>(between(0, 1) * static_cast<double>(count));
  }

 private:
  std::uint64_t seed_, n_ = 0;
};

/// Anything that can be asked, and has an answer: bounds are around a split that is there.
SplitProblem drawn(std::uint64_t seed, std::size_t dims) {
  Draws draw(mix_bits(seed));
  SplitProblem problem;
  problem.total = Bandwidth(std::pow(10, draw.between(8, 13)));
  const std::size_t demands = 1 + draw.up_to(8);
  for (std::size_t c = 0; c < demands; ++c) {
    CollectiveTraffic demand{std::vector<double>(dims, 0),
                             1 + static_cast<double>(draw.up_to(100))};
    for (double& bytes : demand.bytes)
      if (draw.between(0, 1) < 0.8) bytes = std::pow(10, draw.between(3, 10));
    if (c == 0) demand.bytes[draw.up_to(dims)] = 1e9;
    problem.demands.push_back(std::move(demand));
  }
  if (draw.between(0, 1) < 0.5) {
    problem.objective = SplitObjective::time_cost;
    problem.fixed_seconds = draw.between(0, 1) < 0.3 ? 0 : std::pow(10, draw.between(-3, 2));
    for (std::size_t d = 0; d < dims; ++d)
      problem.costs.push_back(std::pow(10, draw.between(-9, -6)));
  }
  std::vector<double> inside(dims);
  double sum = 0;
  for (double& share : inside) sum += share = draw.between(0.05, 1);
  for (double& share : inside) share /= sum;
  if (draw.between(0, 1) < 0.4)
    for (std::size_t d = 0; d < dims; ++d) {
      problem.lower.emplace_back(
          draw.between(0, 1) < 0.5 ? 0 : inside[d] * draw.between(0, 1) * problem.total.count());
      problem.upper.emplace_back(inside[d] * draw.between(1, 3) * problem.total.count());
    }
  if (draw.between(0, 1) < 0.4)
    for (std::uint32_t d = 0; d + 1 < dims; ++d) {
      if (inside[d] > inside[d + 1]) problem.order.emplace_back(d, d + 1);
      if (inside[d] < inside[d + 1]) problem.order.emplace_back(d + 1, d);
    }
  return problem;
}

bool keeps(const SplitProblem& problem, const std::vector<Bandwidth>& split) {
  const double slack = 1e-6 * problem.total.count();
  for (std::size_t d = 0; d < split.size(); ++d) {
    if (!problem.lower.empty() && split[d] < problem.lower[d] - Bandwidth(slack)) return false;
    if (!problem.upper.empty() && split[d] > problem.upper[d] + Bandwidth(slack)) return false;
  }
  return std::all_of(problem.order.begin(), problem.order.end(), [&](const auto& pair) {
    return split[pair.first] > split[pair.second] - Bandwidth(slack);
  });
}

TEST(BandwidthSplit, OneCollectiveIsSplitAsItsBytes) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  problem.demands = {{{3e9, 1e9}, 7}};
  const Split split = best_of(problem);
  EXPECT_THAT(in_gb(split), ElementsAre(DoubleNear(75, 1e-6), DoubleNear(25, 1e-6)));
  EXPECT_NEAR(split.seconds, 7 * 4e9 / 100e9, 1e-9);
}

// Two groups that share no dimension: bandwidths are as the square roots of what they send.
TEST(BandwidthSplit, GroupsApartAreSplitBySquareRoots) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  problem.demands = {{{9e9, 0}, 1}, {{0, 1e9}, 1}};
  const Split split = best_of(problem);
  EXPECT_THAT(in_gb(split), ElementsAre(DoubleNear(75, 1e-4), DoubleNear(25, 1e-4)));
  EXPECT_NEAR(split.seconds, 16e9 / 100e9, 1e-9);
  EXPECT_LE(split.bound, split.value);
}

TEST(BandwidthSplit, ADimensionThatNobodyUsesHasNone) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  problem.demands = {{{1e9, 0, 1e9}, 1}};
  const Split split = best_of(problem);
  EXPECT_EQ(split.bandwidth[1].count(), 0);
  EXPECT_NEAR(split.seconds, 0.02, 1e-9);
}

TEST(BandwidthSplit, WhatSendsLittleHasLittle) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  problem.demands = {{{1e15, 1}, 1}, {{1, 1e15}, 0}};
  const Split split = best_of(problem);
  EXPECT_GT(split.bandwidth[1].count(), 0);
  EXPECT_NEAR(split.seconds / 1e4, 1, 1e-6);
  EXPECT_LT(split.gap(), 1e-6);
}

TEST(BandwidthSplit, BoundsAndOrdersAreKept) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  problem.demands = {{{8e9, 1e9, 1e9}, 1}};
  problem.upper = {Bandwidth(60 * kGB), Bandwidth(1e18), Bandwidth(1e18)};
  EXPECT_NEAR(in_gb(best_of(problem))[0], 60, 1e-5);
  problem.upper.clear();
  problem.lower = {Bandwidth(0), Bandwidth(30 * kGB)};
  EXPECT_NEAR(in_gb(best_of(problem))[1], 30, 1e-5);
  problem.lower.clear();
  problem.order = {{2, 0}};
  EXPECT_THAT(in_gb(best_of(problem)),
              ElementsAre(DoubleNear(800.0 / 17, 1e-4), DoubleNear(100.0 / 17, 1e-4),
                          DoubleNear(800.0 / 17, 1e-4)));
  problem.order.clear();
  problem.lower = problem.upper = {Bandwidth(20 * kGB)};
  problem.upper.resize(3, Bandwidth(1e18));
  EXPECT_THAT(in_gb(best_of(problem))[0], DoubleNear(20, 1e-9));
  problem.upper = problem.lower = {Bandwidth(20 * kGB), Bandwidth(30 * kGB), Bandwidth(50 * kGB)};
  EXPECT_EQ(best_of(problem).gap(), 0);
  EXPECT_THAT(in_gb(best_of(problem)),
              ElementsAre(DoubleNear(20, 1e-9), DoubleNear(30, 1e-9), DoubleNear(50, 1e-9)));
}

TEST(BandwidthSplit, AProofStandsBesideEachOfAThousand) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const SplitProblem problem = drawn(seed, 2 + seed % 5);
    const Split split = best_of(problem);
    ASSERT_LT(split.gap(), 1e-6) << seed;
    ASSERT_LE(split.bound, split.value * (1 + 1e-12)) << seed;
    double sum = 0;
    for (const Bandwidth one : split.bandwidth) sum += one.count();
    ASSERT_NEAR(sum / problem.total.count(), 1, 1e-6) << seed;
    ASSERT_TRUE(keeps(problem, split.bandwidth)) << seed;
  }
}

// Nothing on a fine grid is better than what is found, nor lower than the bound.
TEST(BandwidthSplit, NoGridHasABetterOne) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t dims = 2 + seed % 2;
    const SplitProblem problem = drawn(5000 + seed, dims);
    const Split split = best_of(problem);
    const int steps = dims == 2 ? 4000 : 200;
    double lower = 1e300;
    for (int i = 1; i < steps; ++i)
      for (int j = 1; j < (dims == 2 ? 2 : steps - i); ++j) {
        const double a = static_cast<double>(i) / steps, b = static_cast<double>(j) / steps;
        std::vector<Bandwidth> at{Bandwidth(a * problem.total.count())};
        if (dims == 3) at.emplace_back(b * problem.total.count());
        at.emplace_back((dims == 2 ? 1 - a : 1 - a - b) * problem.total.count());
        if (keeps(problem, at)) lower = std::min(lower, split_value(problem, at));
      }
    EXPECT_LE(split.value, lower * (1 + 1e-5)) << seed;
  }
}

TEST(BandwidthSplit, SaysWhatIsWrong) {
  SplitProblem problem;
  problem.total = Bandwidth(100 * kGB);
  EXPECT_THAT(why_not(problem), HasSubstr("the job sends nothing"));
  problem.demands = {{{0, 0}, 1}};
  EXPECT_THAT(why_not(problem), HasSubstr("the job sends nothing"));
  problem.demands = {{{1e9, 1e9}, 1}};
  problem.total = Bandwidth(0);
  EXPECT_THAT(why_not(problem), HasSubstr("is out of range"));
  problem.total = Bandwidth(100 * kGB);
  problem.lower = {Bandwidth(60 * kGB), Bandwidth(50 * kGB)};
  EXPECT_THAT(why_not(problem), HasSubstr("110 GB/s at least"));
  problem.lower.clear();
  problem.upper = {Bandwidth(40 * kGB), Bandwidth(50 * kGB)};
  EXPECT_THAT(why_not(problem), HasSubstr("90 GB/s at most"));
  problem.upper = {Bandwidth(0), Bandwidth(100 * kGB)};
  EXPECT_THAT(why_not(problem), HasSubstr("dimension 0: its bandwidth is limited to 0"));
  problem.upper.clear();
  problem.order = {{0, 1}, {1, 0}};
  EXPECT_THAT(why_not(problem), HasSubstr("is circular"));
  problem.order = {{0, 2}};
  EXPECT_THAT(why_not(problem), HasSubstr("dimension 2: is not in the network"));
  problem.order = {{0, 1}};
  problem.lower = {Bandwidth(0), Bandwidth(70 * kGB)};
  problem.upper = {Bandwidth(60 * kGB), Bandwidth(100 * kGB)};
  EXPECT_THAT(why_not(problem), HasSubstr("at least 70 GB/s and at most 60 GB/s"));
  problem = {};
  problem.total = Bandwidth(1e9);
  problem.demands = {{{1e9, std::nan("")}, 1}};
  EXPECT_THAT(why_not(problem), HasSubstr("are out of range"));
  problem.demands = {{{1e9, 1e9}, 1}};
  problem.objective = SplitObjective::time_cost;
  problem.costs = {1};
  EXPECT_THAT(why_not(problem), HasSubstr("has values for 1 dimensions, but the network has 2"));
  problem.costs = {1, 0};
  EXPECT_THAT(why_not(problem), HasSubstr("the cost: 0 is out of range"));
  problem.costs = {1, 1};
  problem.demands.clear();
  for (int i = 0; i < 300; ++i) problem.demands.push_back({{1e9, 1e9 + 1e6 * i}, 1});
  EXPECT_THAT(why_not(problem), HasSubstr("more than 256 different proportions"));
  problem.demands = {{std::vector<double>(17, 1e9), 1}};
  EXPECT_THAT(why_not(problem), HasSubstr("the limit is 16"));
}

}  // namespace
}  // namespace orrery::split_bandwidth
