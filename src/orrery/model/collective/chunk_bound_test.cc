// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_bound.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "orrery/model/collective/dense_lp_testing.h"

namespace orrery::model {
namespace {

using graph::CollectiveType;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

ChunkDim switch_of(std::uint32_t size, double gib_per_second) {
  const PhaseCost cost{0, 1e12 / (gib_per_second * static_cast<double>(kGiB))};
  return {size, 1, cost, cost};
}

/// What each dimension takes of one byte in the order.
std::vector<double> loads_of(const std::vector<ChunkDim>& dims,
                             const std::vector<std::uint8_t>& order) {
  std::vector<double> loads(dims.size());
  double left = 1;
  for (const std::uint8_t d : order) {
    loads[d] = (left - left / dims[d].size) * dims[d].scatter.per_byte / dims[d].servers;
    left /= dims[d].size;
  }
  return loads;
}

std::vector<std::vector<double>> loads_of_all_orders(const std::vector<ChunkDim>& dims) {
  std::vector<std::uint8_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::vector<std::vector<double>> all;
  do {
    all.push_back(loads_of(dims, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

double largest_load(const std::vector<ChunkDim>& dims, const std::vector<OrderShare>& mixture) {
  std::vector<double> loads(dims.size());
  for (const OrderShare& one : mixture) {
    const std::vector<double> own = loads_of(dims, one.order);
    for (std::size_t d = 0; d < dims.size(); ++d) loads[d] += one.share * own[d];
  }
  return *std::max_element(loads.begin(), loads.end());
}

// Where orders can be mixed so that all dimensions are busy all the time it is all bytes over all
// ports.
TEST(ChunkBound, OfThePostersSystemsIsTheIdeal) {
  struct Case {
    std::vector<ChunkDim> dims;
    double ideal;
  };
  for (const Case& one :
       {Case{{switch_of(8, 50), switch_of(8, 50), switch_of(8, 50)}, 13307.292},
        Case{{switch_of(32, 250), switch_of(16, 250)}, 3992.188},
        Case{{switch_of(16, 200), switch_of(8, 100), switch_of(4, 50)}, 5703.125},
        Case{{switch_of(2, 250), switch_of(8, 200), switch_of(8, 100), switch_of(4, 50)},
             3326.823}}) {
    const auto bound = chunk_bound(CollectiveType::all_reduce, kGiB, one.dims);
    ASSERT_TRUE(bound);
    EXPECT_NEAR(static_cast<double>(bound->time.count()) / 1e6, one.ideal, 5.2e-4);
    EXPECT_EQ(bound->dims.size(), one.dims.size());
  }
}

// Of W-2D 48.28 % take the order 0, 1 and 51.72 % the order 1, 0.
TEST(ChunkBound, TheMixtureOfTwoDimensionsIsKnown) {
  const auto mixture =
      best_order_mixture(kGiB, std::vector{switch_of(32, 250), switch_of(16, 250)}, 0);
  ASSERT_EQ(mixture.size(), 2U);
  EXPECT_EQ(mixture[0].order, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_NEAR(mixture[0].share, 0.5172, 5e-5);
  EXPECT_NEAR(mixture[1].share, 0.4828, 5e-5);
}

// A dimension that is slow whatever the order binds alone, and is always the last.
TEST(ChunkBound, ASlowDimensionBindsAlone) {
  const std::vector dims{switch_of(8, 400), switch_of(8, 1)};
  const auto bound = chunk_bound(CollectiveType::reduce_scatter, kGiB, dims);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->dims, (std::vector<std::uint8_t>{1}));
  EXPECT_NEAR(static_cast<double>(bound->time.count()), 1e12 / 8 * 7 / 8, 1e4);
  const auto mixture = best_order_mixture(kGiB, dims, 0);
  ASSERT_EQ(mixture.size(), 1U);
  EXPECT_EQ(mixture[0].order, (std::vector<std::uint8_t>{0, 1}));
}

TEST(ChunkBound, LatencyIsChargedForEveryChunkAndOnceForAnyNumber) {
  std::vector dims{switch_of(4, 100), switch_of(4, 100)};
  for (ChunkDim& dim : dims) dim.scatter.fixed = dim.gather.fixed = 1e9;
  const auto any = chunk_bound(CollectiveType::reduce_scatter, 16, dims);
  const auto ten = chunk_bound(CollectiveType::reduce_scatter, 16, dims, 10);
  ASSERT_TRUE(any && ten);
  EXPECT_NEAR(static_cast<double>(any->time.count()), 2e9, 1e3);  // a chunk's way through both
  EXPECT_TRUE(any->dims.empty());
  EXPECT_NEAR(static_cast<double>(ten->time.count()), 1e10, 1e3);  // ten phases in each
}

TEST(ChunkBound, KnowsNoneOfWhatHasNoOrder) {
  const std::vector dims{switch_of(4, 1)};
  EXPECT_FALSE(chunk_bound(CollectiveType::all_to_all, kGiB, dims));
  EXPECT_FALSE(chunk_bound(CollectiveType::all_reduce, kGiB, {}));
  EXPECT_FALSE(chunk_bound(CollectiveType::all_reduce, 0, dims));
  EXPECT_FALSE(
      chunk_bound(CollectiveType::all_reduce, kGiB, std::vector(kMaxOrderedDims + 1, dims[0])));
}

std::vector<ChunkDim> dims_of_chunks(std::size_t most) {
  std::vector<ChunkDim> dims(*rc::gen::inRange<std::size_t>(2, most + 1));
  for (ChunkDim& dim : dims) {
    dim = switch_of(*rc::gen::inRange(2U, 33U), *rc::gen::inRange(1, 500));
    dim.servers = *rc::gen::inRange(1, 4);
  }
  return dims;
}

// The sets' maximum is the linear program's optimum, and the mixture comes to it.
RC_GTEST_PROP(ChunkBoundProperty, IsTheLinearProgramsOptimum, ()) {
  const std::vector<ChunkDim> dims = dims_of_chunks(5);
  const double least = MinMaxLoad(loads_of_all_orders(dims)).value();
  const auto bound = chunk_bound(CollectiveType::reduce_scatter, kGiB, dims);
  RC_ASSERT(bound);
  const double ours = static_cast<double>(bound->time.count()) / static_cast<double>(kGiB);
  RC_ASSERT(ours <= least * (1 + 1e-12));
  RC_ASSERT(ours >= least * (1 - 1e-7));
  const std::vector<OrderShare> mixture = best_order_mixture(kGiB, dims, 0);
  RC_ASSERT(mixture.size() <= dims.size());
  double shares = 0;
  for (const OrderShare& one : mixture) shares += one.share;
  RC_ASSERT(std::abs(shares - 1) < 1e-6);
  RC_ASSERT(largest_load(dims, mixture) <= least * (1 + 1e-5));
}

// Passes that do not cost the same: it is below every mixture of orders there and back.
RC_GTEST_PROP(ChunkBoundProperty, IsBelowEveryMixture, ()) {
  std::vector<ChunkDim> dims = dims_of_chunks(4);
  for (ChunkDim& dim : dims) dim.gather.per_byte *= *rc::gen::inRange(50, 150) / 100.0;
  const auto bound = chunk_bound(CollectiveType::all_reduce, kGiB, dims);
  RC_ASSERT(bound);
  std::vector<ChunkDim> back = dims;
  for (ChunkDim& dim : back) dim.scatter = dim.gather;
  const auto there_loads = loads_of_all_orders(dims), back_loads = loads_of_all_orders(back);
  std::vector<std::vector<double>> pairs;
  for (const auto& there : there_loads) {
    for (const auto& again : back_loads) {
      pairs.push_back(there);
      for (std::size_t d = 0; d < dims.size(); ++d) pairs.back()[d] += again[d];
    }
  }
  const double least = MinMaxLoad(pairs).value() * static_cast<double>(kGiB);
  RC_ASSERT(static_cast<double>(bound->time.count()) <= least * (1 + 1e-9));
  RC_ASSERT(static_cast<double>(bound->time.count()) >= least * 0.8);
}

}  // namespace
}  // namespace orrery::model
