// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/explore/front/point_set.h"

namespace orrery::explore {
namespace {

ExploreOptions estimates() {
  ExploreOptions options;
  options.evaluation = Evaluation::estimate;
  options.answers.threads = 2;
  return options;
}

/// A job on two dimensions whose bandwidths are axes.
std::string dimensions(const std::string& axes) {
  return R"(version: 1
job:
  model: {name: small, layers: 8, hidden: 1024, heads: 16, vocab: 32000}
  batch: {global: 64, micro: 1, seq: 1024}
  parallel: {tp: 8, sharding: zero1}
cluster:
  device: {peak: 400 TFLOP/s, memory_bandwidth: 4 TB/s, memory_capacity: 20 GB}
  collectives: {library: ideal}
  network:
    - {block: ring, size: 8, bandwidth: "{inner} GB/s", latency: 1 us}
    - {block: switch, size: 4, bandwidth: "{outer} GB/s", latency: 2 us}
)" + axes;
}

double least_of(const ExplorationResult& found, Figure figure) {
  return found.points[found.best.front()].figures[figure];
}

TEST(Continuous, ARangeWithoutPointsHasManyValuesAndFewCoarseOnes) {
  const auto space = space_of(dimensions(
      "axes:\n  - {name: inner, from: 100, to: 900}\n  - {name: outer, values: [10, 20]}\n"));
  EXPECT_EQ(space.axes[0].values.size(), 4097u);
  EXPECT_EQ(space.axes[0].labels.front(), "100");
  EXPECT_EQ(space.axes[0].labels[2048], "500");
  EXPECT_EQ(space.axes[0].labels.back(), "900");
  EXPECT_EQ(space.combinations(), 4097 * 2);
  EXPECT_EQ(space.coarse_combinations(), 9 * 2);
  for (std::uint64_t i = 0; i < 18; ++i) {
    const Coordinates at = space.at(space.coarse_number(i));
    EXPECT_EQ(at, (Coordinates{static_cast<std::uint32_t>(i / 2 * 512),
                               static_cast<std::uint32_t>(i % 2)}));
  }
}

// The cheapest link, where it costs more the faster it is: as good as the best of 400
// values that are all looked at, with a quarter of the work.
TEST(Continuous, ClosesInOnTheBest) {
  const std::string more =
      "  - {name: outer, values: [50]}\nobjectives: [cost]\nprices: {device: \"=1 + inner / "
      "500\"}\n";
  const auto space = [&](const std::string& points, const std::string& sample) {
    return space_of(
        dimensions("axes:\n  - {name: inner, from: 10, to: 2000" + points + "}\n" + more + sample));
  };
  const auto wanted = explored(space(", points: 400", ""), estimates());
  for (const char* how : {"all", "random", "latin", "evolve"}) {
    const auto some = space("", fmt::format("sample: {{how: {}, points: 30}}\n", how));
    const auto found = explored(some, estimates());
    EXPECT_LE(least_of(found, Figure::cost), least_of(wanted, Figure::cost) * (1 + 1e-6)) << how;
    EXPECT_LT(found.points.size(), 120u) << how;
    EXPECT_GT(some.at(found.points[found.best.front()].number)[0], 0u) << how;
  }
}

// A total to share, which no step along one axis alone may change.
TEST(Continuous, SharesATotal) {
  const auto all =
      space_of(dimensions("axes:\n  - {name: inner, from: 1, to: 299, step: 1}\n  - {name: outer, "
                          "from: 1, to: 299, step: "
                          "1}\nconstraints: [inner + outer == 300]\nobjectives: [step]\n"));
  const auto some = space_of(
      dimensions("axes:\n  - {name: inner, from: 1, to: 299}\n  - {name: outer, from: 1, to: 299}\n"
                 "constraints: [inner + outer <= 300]\nobjectives: [step]\n"));
  const auto wanted = explored(all, estimates()), found = explored(some, estimates());
  ASSERT_FALSE(wanted.best.empty() || found.best.empty());
  EXPECT_LE(least_of(found, Figure::step), least_of(wanted, Figure::step) * 1.0005);
  EXPECT_LT(found.points.size(), 1000u);
}

TEST(Continuous, NeighborsStayWithinTheAxes) {
  const auto space = space_of(dimensions(
      "axes:\n  - {name: inner, from: 1, to: 299}\n  - {name: outer, from: 1, to: 299}\n"));
  const auto ends = [&](const Coordinates& at, std::uint32_t by) {
    std::vector<Coordinates> around;
    for (const std::uint64_t number : refined_neighbors(space, space.number(at), by))
      around.push_back(space.at(number));
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    return around;
  };
  EXPECT_EQ(ends({0, 4096}, 64), (std::vector<Coordinates>{{0, 4032}, {64, 4032}, {64, 4096}}));
  EXPECT_EQ(
      ends({10, 100}, 64),
      (std::vector<Coordinates>{{0, 100}, {0, 164}, {10, 36}, {10, 164}, {74, 36}, {74, 100}}));
  EXPECT_TRUE(ends({10, 100}, 0).empty());
}

}  // namespace
}  // namespace orrery::explore
