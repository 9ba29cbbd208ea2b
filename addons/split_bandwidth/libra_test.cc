// SPDX-License-Identifier: Apache-2.0
//
// The points that LIBRA published, from the inputs of its artifact
// (github.com/willjwon/sc245-artifact, optimizer_input): two layers of each transformer, tensor
// parallel over the first dimensions and data parallel over the rest. With n layers instead,
// compute and bytes are n / 2 times these, and all points the same.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "addons/split_bandwidth/bandwidth_split.h"
#include "addons/split_bandwidth/job_traffic.h"

namespace orrery::split_bandwidth {
namespace {

using graph::CollectiveType;

struct Network {
  std::vector<std::int64_t> sizes;
  std::vector<double> costs;  ///< $ for a GB/s of a device: half of two links' price on rings and
                              ///< where all are joined; link, switch and NIC behind switches
};
const Network k4D{{2, 8, 8, 8}, {1, 2, 2, 57.4}};
const Network k3D{{8, 8, 16}, {2, 2, 57.4}};
const Network k2D{{8, 128}, {2, 57.4}};

struct Job {
  std::int64_t mp;
  double activation, gathered;  ///< bytes: all-reduced, 12 times; given to all-gathers, 2 of them
  double gradients;             ///< 2 × 12 h² of 2 bytes over the mp ranks: all-reduced
  double compute;               ///< ns: of two layers, forward and twice as long backward
};
double two_layers(double projection, double scores, double mlp, double norm) {
  return 3 * 2 * (4 * projection + 2 * scores + 2 * mlp + norm);
}
const Job k1T{128, 805306368, 6291456, 226492416, two_layers(2343750, 97656, 9375000, 12207)};
const Job k175B{16, 805306368, 50331648, 452984832, two_layers(9375000, 781250, 37500000, 12207)};
const Job k17B{1, 0, 0, 869449728, two_layers(4498545, 270589, 17994181, 1057)};

void add(const Job& job, const Network& network, SplitProblem& problem) {
  const auto inner = extents_of(job.mp, 1, network.sizes, "");
  const auto outer = extents_of(1024 / job.mp, job.mp, network.sizes, "");
  ASSERT_TRUE(inner && outer);
  problem.demands.push_back({bytes_sent(CollectiveType::all_reduce, job.activation, *inner), 12});
  problem.demands.push_back({bytes_sent(CollectiveType::all_gather, job.gathered, *inner), 2});
  problem.demands.push_back({bytes_sent(CollectiveType::all_reduce, job.gradients, *outer), 1});
  problem.fixed_seconds += job.compute * 1e-9;
}

SplitProblem problem_of(const std::vector<Job>& jobs, const Network& network,
                        SplitObjective objective) {
  SplitProblem problem;
  problem.total = Bandwidth(100e9);
  problem.objective = objective;
  for (const double cost : network.costs) problem.costs.push_back(cost * 1e-9);
  for (const Job& job : jobs) add(job, network, problem);
  return problem;
}

/// How far the best split is from a published one, in GB/s, and how far that one's value is above.
struct Compared {
  double farthest = 0, above = 0, gain = 0;
};
Compared compare(const SplitProblem& problem, const std::vector<double>& published) {
  const auto split = best_split(problem);
  EXPECT_TRUE(split.has_value());
  if (!split) return {};
  EXPECT_LT(split->gap(), 1e-8);
  Compared made;
  std::vector<Bandwidth> theirs, equal;
  for (std::size_t d = 0; d < published.size(); ++d) {
    made.farthest =
        std::max(made.farthest, std::abs(split->bandwidth[d].count() * 1e-9 - published[d]));
    theirs.emplace_back(published[d] * 1e9);
    equal.emplace_back(100e9 / static_cast<double>(published.size()));
  }
  made.above = split_value(problem, theirs) / split->value - 1;
  made.gain = collective_seconds(problem.demands, equal) / split->seconds;
  return made;
}

struct Point {
  std::string name;
  Job job;
  Network network;
  std::vector<double> published;
  double gain = 0;  ///< of equal bandwidths over the best, to three digits
};

TEST(Libra, NinePointsForTime) {
  const std::vector<Point> points{{"1T 4D", k1T, k4D, {44.28, 38.74, 4.85, 12.14}, 1.615},
                                  {"175B 4D", k175B, k4D, {43.96, 38.47, 15.62, 1.95}, 1.559},
                                  {"17B 4D", k17B, k4D, {50.03, 43.77, 5.49, 0.71}, 2.002},
                                  {"1T 3D", k1T, k3D, {78.06, 9.76, 12.18}, 2.101},
                                  {"175B 3D", k175B, k3D, {81.92, 13.77, 4.31}, 2.088},
                                  {"17B 3D", k17B, k3D, {87.55, 10.96, 1.49}, 2.628},
                                  {"1T 2D", k1T, k2D, {87.18, 12.82}, 1.553},
                                  {"175B 2D", k175B, k2D, {81.92, 18.08}, 1.408},
                                  {"17B 2D", k17B, k2D, {87.58, 12.42}, 1.752}};
  for (const Point& point : points) {
    const Compared compared =
        compare(problem_of({point.job}, point.network, SplitObjective::time), point.published);
    // 17B's smallest dimension is published as 0.71 of 0.684: its descent had not come to rest.
    EXPECT_LT(compared.farthest, point.name.starts_with("17B") ? 0.04 : 0.01) << point.name;
    EXPECT_LT(compared.above, point.name.starts_with("17B") ? 6e-4 : 3e-4) << point.name;
    EXPECT_GT(compared.above, -1e-4) << point.name;  // published ones are rounded, and add up to it
    EXPECT_NEAR(compared.gain, point.gain, 6e-4) << point.name;
  }
}

TEST(Libra, PointsForTimeTimesCost) {
  const std::vector<Point> points{{"1T 4D", k1T, k4D, {49.57, 43.36, 5.42, 1.65}},
                                  {"175B 4D", k175B, k4D, {58.91, 36.65, 3.96, 0.48}},
                                  {"17B 4D", k17B, k4D, {87.44, 11.02, 1.39, 0.16}},
                                  {"1T 3D", k1T, k3D, {87.18, 10.91, 1.91}},
                                  {"1T 2D", k1T, k2D, {92.22, 7.78}}};
  for (const Point& point : points) {
    const Compared compared =
        compare(problem_of({point.job}, point.network, SplitObjective::time_cost), point.published);
    // Those of 1T to the digits; of the others the value, which is flat where they differ.
    EXPECT_LT(compared.farthest, point.name.starts_with("1T") ? 0.02 : 0.3) << point.name;
    EXPECT_LT(compared.above, 0.01) << point.name;
    EXPECT_GT(compared.above, -1e-4) << point.name;
  }
}

// Of the group the times are added up as they are: no job's is relative to its own best.
TEST(Libra, PointsOfTheGroup) {
  const std::vector<Job> jobs{k17B, k175B, k1T};
  const std::vector<Point> points{{"4D", {}, k4D, {43.09, 37.71, 11.25, 7.95}},
                                  {"3D", {}, k3D, {80.95, 10.80, 8.25}},
                                  {"2D", {}, k2D, {84.48, 15.52}}};
  for (const Point& point : points) {
    const Compared compared =
        compare(problem_of(jobs, point.network, SplitObjective::time), point.published);
    EXPECT_LT(compared.farthest, 0.01) << point.name;
    EXPECT_LT(compared.above, 1e-4) << point.name;
    EXPECT_GT(compared.above, -1e-4) << point.name;
    SplitProblem shares;
    shares.total = Bandwidth(100e9);
    for (const Job& job : jobs) {
      SplitProblem own = problem_of({job}, point.network, SplitObjective::time);
      const double best = best_split(own)->seconds;
      for (CollectiveTraffic& demand : own.demands) {
        demand.times /= best;
        shares.demands.push_back(demand);
      }
    }
    EXPECT_GT(compare(shares, point.published).farthest, 1) << point.name;
  }
}

}  // namespace
}  // namespace orrery::split_bandwidth
