// SPDX-License-Identifier: Apache-2.0
//
// The systems of ASTRA-sim 2.0's comparison of wafers and conventional networks, and Themis on
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "one_all_reduce_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::golden {
namespace {

using platform::Algorithm;
using platform::Block;
using platform::InterDimension;
using platform::IntraDimension;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// Sizes of the dimensions and GB/s of a port, both innermost first; times in microseconds of an
/// all-reduce of 1 GiB in 64 chunks without latency, by a chunk model that shares nothing with this
/// one; and what this one found, in 64 chunks and in as many as it likes.
struct PosterSystem {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::vector<double> ports;
  double ideal, baseline, themis, themis_smallest_first;
  double best, best_of_any_number;
};

std::vector<PosterSystem> poster_systems() {
  return {
      {"W-1D-350", {512}, {350}, 5703.125, 5703.125, 5703.125, 5703.125, 5703.126, 5703.125},
      {"W-1D-500", {512}, {500}, 3992.188, 3992.188, 3992.188, 3992.188, 3992.188, 3992.188},
      {"W-1D-600", {512}, {600}, 3326.823, 3326.823, 3326.823, 3326.823, 3326.824, 3326.823},
      {"W-2D", {32, 16}, {250, 250}, 3992.188, 7750.0, 4041.26, 4003.66, 4003.66, 3994.91},
      {"Conv-3D", {16, 8, 4}, {200, 100, 50}, 5703.125, 9375.0, 5901.79, 5800.78, 5709.23, 5706.02},
      {"Conv-4D",
       {2, 8, 8, 4},
       {250, 200, 100, 50},
       3326.823,
       4437.5,
       3625.61,
       3405.76,
       3405.15,
       3329.32}};
}

// The poster's bandwidths are GiB/s, as ASTRA-sim has them.
platform::Platform platform_of(const PosterSystem& system) {
  platform::Platform platform;
  for (std::size_t d = 0; d < system.sizes.size(); ++d)
    platform.dims.push_back(
        {Block::switched, system.sizes[d], Bandwidth(system.ports[d] * kGiB), 0});
  platform.collectives.splits = 64;
  platform.collectives.policy = platform::SchedulingPolicy::fifo;
  platform.collectives.all_reduce.per_dim.assign(platform.dims.size(),
                                                 {Algorithm::halving_doubling, -1});
  return platform;
}

double microseconds(const PosterSystem& system, InterDimension order, IntraDimension within) {
  platform::Platform platform = platform_of(system);
  platform.collectives.inter_dimension = order;
  platform.collectives.intra_dimension = within;
  const auto work = one_all_reduce(512, kGiB);
  const auto result = sim::simulate(work, platform);
  EXPECT_TRUE(result.has_value() && !result->stall) << system.name;
  return static_cast<double>(result->end.count()) / 1e6;
}

double ideal(const PosterSystem& system) {
  double ports = 0;
  for (const double port : system.ports) ports += port;
  return 2 * 511.0 / 512 / ports * 1e6;
}

TEST(PosterPoint, IdealsAreTheBytesOverAllPorts) {
  for (const PosterSystem& system : poster_systems())
    EXPECT_NEAR(ideal(system), system.ideal, 5.1e-4) << system.name;
}

TEST(PosterPoint, BaselineAndThemisWithinHalfAPercent) {
  for (const PosterSystem& one : poster_systems()) {
    const double natural = microseconds(one, InterDimension::ascending, IntraDimension::fifo);
    const double fifo = microseconds(one, InterDimension::themis, IntraDimension::fifo);
    const double smallest =
        microseconds(one, InterDimension::themis, IntraDimension::smallest_first);
    EXPECT_NEAR(natural, one.baseline, one.baseline * 5e-3) << one.name;
    // First come, first served, what is next hangs on who comes first of those that come at once.
    EXPECT_NEAR(fifo, one.themis, one.themis * 3e-2) << one.name;
    EXPECT_NEAR(smallest, one.themis_smallest_first, one.themis_smallest_first * 5e-3) << one.name;
    EXPECT_GE(std::min({natural, fifo, smallest}), one.ideal * (1 - 1e-6)) << one.name;
  }
}

// No mixture of orders is quicker than the bound, and what is found is close to it.
TEST(PosterPoint, BestWithChunksByModelWithinTwoPercentOfTheBound) {
  for (const PosterSystem& one : poster_systems()) {
    platform::Platform platform = platform_of(one);
    platform.collectives.inter_dimension = InterDimension::best;
    platform.collectives.intra_dimension = IntraDimension::smallest_first;
    platform.collectives.splits_by_model = true;
    const auto result = sim::simulate(one_all_reduce(512, kGiB), platform);
    ASSERT_TRUE(result.has_value() && result->chunk_choices.size() == 1) << one.name;
    const sim::ChunkChoice& choice = result->chunk_choices.front();
    const double bound = static_cast<double>(choice.bound.count()) / 1e6;
    const double took = static_cast<double>(result->end.count()) / 1e6;
    EXPECT_NEAR(bound, one.ideal, 1e-3) << one.name;
    EXPECT_EQ(choice.time, result->end) << one.name;
    EXPECT_GE(took, bound) << one.name;
    EXPECT_LE(took, bound * 1.02) << one.name;
    EXPECT_NEAR(took, one.best_of_any_number, 0.01) << one.name;
  }
}

// At the same number of chunks it is no slower than Themis, nor than the linear program rounded.
TEST(PosterPoint, BestIsNoSlowerThanThemisAtTheSameNumberOfChunks) {
  for (const PosterSystem& one : poster_systems()) {
    const double best = microseconds(one, InterDimension::best, IntraDimension::smallest_first);
    EXPECT_LE(best, one.themis_smallest_first * (1 + 1e-5)) << one.name;
    EXPECT_NEAR(best, one.best, 0.01) << one.name;
  }
}

}  // namespace
}  // namespace orrery::golden
