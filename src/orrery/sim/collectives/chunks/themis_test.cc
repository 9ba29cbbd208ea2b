// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/themis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using platform::Rules;
using Order = std::vector<std::uint8_t>;

constexpr std::int64_t kMiB = 1 << 20;

platform::Platform system_of(const std::vector<std::int64_t>& sizes, Rules rules = Rules::orrery) {
  platform::Platform platform;
  platform.rules = rules;
  for (const std::int64_t size : sizes)
    platform.dims.push_back({Block::switched, size, Bandwidth(50e9), 500.0});
  return platform;
}

model::LogicalTopology topology_of(const platform::Platform& platform) {
  model::LogicalTopology topology;
  for (std::size_t d = 0; d < platform.dims.size(); ++d) {
    model::LogicalDim dim;
    dim.dim = static_cast<std::uint32_t>(d);
    dim.ring = {static_cast<std::uint32_t>(platform.dims[d].size), topology.members};
    topology.members *= dim.ring.size;
    topology.dims.push_back(dim);
  }
  return topology;
}

// Chunk 1 moves 3/4 MiB in dimension 0 and 3/16 MiB in dimension 1, so chunk 2 begins with
// dimension 1; that makes them equal, and chunk 3 is like the first.
TEST(Themis, AChunkBeginsAtTheLeastLoadedDimension) {
  const auto platform = system_of({4, 4});
  const auto topology = topology_of(platform);
  Themis themis(platform);
  const auto next = [&] {
    return themis.next(CollectiveType::reduce_scatter, kMiB, 8 * kMiB, topology, false).order;
  };
  EXPECT_EQ(next(), (Order{0, 1}));
  EXPECT_EQ(next(), (Order{1, 0}));
  EXPECT_EQ(next(), (Order{0, 1}));
}

TEST(Themis, LoadsAreForgottenWhenTimeMovesOn) {
  const auto platform = system_of({4, 4});
  const auto topology = topology_of(platform);
  Themis themis(platform);
  EXPECT_EQ(themis.next(CollectiveType::all_reduce, kMiB, kMiB, topology, false).order,
            (Order{0, 1}));
  themis.begin(5);
  EXPECT_EQ(themis.next(CollectiveType::all_reduce, kMiB, kMiB, topology, false).order,
            (Order{0, 1}));
  themis.begin(5);
  EXPECT_EQ(themis.next(CollectiveType::all_reduce, kMiB, kMiB, topology, false).order,
            (Order{1, 0}));
}

TEST(Themis, TheNaturalOrderOfAllGatherDependsOnTheRules) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    const auto platform = system_of({4, 4}, rules);
    const auto topology = topology_of(platform);
    Themis themis(platform);
    const Order natural =
        themis.next(CollectiveType::all_gather, kMiB, kMiB, topology, false).order;
    EXPECT_EQ(natural, rules == Rules::astra ? (Order{0, 1}) : (Order{1, 0}));
  }
}

TEST(Themis, AllGatherEndsAtTheLeastLoadedDimension) {
  const auto platform = system_of({4, 4});
  const auto topology = topology_of(platform);
  Themis themis(platform);
  const auto next = [&] {
    return themis.next(CollectiveType::all_gather, kMiB, 8 * kMiB, topology, false).order;
  };
  EXPECT_EQ(next(), (Order{1, 0}));  // 3 MiB in dimension 1, 12 MiB in dimension 0
  EXPECT_EQ(next(), (Order{0, 1}));
}

TEST(Themis, DimensionsThatTakeNoPartAreLeftOut) {
  const auto platform = system_of({4, 4, 4});
  auto topology = topology_of(platform);
  topology.dims[1].involved = false;
  Themis themis(platform);
  EXPECT_EQ(themis.next(CollectiveType::reduce_scatter, kMiB, kMiB, topology, false).order,
            (Order{0, 2}));
  topology.dims[0].involved = topology.dims[2].involved = false;
  EXPECT_TRUE(
      themis.next(CollectiveType::reduce_scatter, kMiB, kMiB, topology, false).order.empty());
}

// As published dimension 0, whose phases take 20 us without bytes, begins behind: 1 MB in the other
// dimension takes as long.
TEST(Themis, AsPublishedLoadsBeginAtLatencies) {
  const auto platform = system_of({4, 4});
  const auto topology = topology_of(platform);
  const PhaseSpeeds speeds{{}, {20e6, 0}};
  Themis themis(platform);
  const auto next = [&] {
    return themis.next(CollectiveType::reduce_scatter, kMiB, 8 * kMiB, topology, false, speeds)
        .order;
  };
  EXPECT_EQ(next(), (Order{1, 0}));  // then 44 us in dimension 0, 16 us in the other
  EXPECT_EQ(next(), (Order{1, 0}));
  themis.begin(5);
  EXPECT_EQ(next(), (Order{1, 0}));
  Themis coded(platform);
  EXPECT_EQ(coded.next(CollectiveType::reduce_scatter, kMiB, 8 * kMiB, topology, false).order,
            (Order{0, 1}));
}

// Whatever the system: chunks add up to the collective, flexible ones are full chunks at least (but
// for the last), and each visits every dimension once.
RC_GTEST_PROP(ThemisProperty, ChunksAddUp, ()) {
  const auto rules = *rc::gen::element(Rules::orrery, Rules::astra);
  const auto dims = *rc::gen::inRange<std::size_t>(1, 6);
  const auto sizes =
      *rc::gen::container<std::vector<std::int64_t>>(dims, rc::gen::inRange<std::int64_t>(2, 9));
  auto platform = system_of(sizes, rules);
  for (auto& dim : platform.dims) dim.bandwidth = Bandwidth(*rc::gen::inRange(1, 100) * 1e9);
  const auto topology = topology_of(platform);
  const auto type = *rc::gen::element(CollectiveType::all_reduce, CollectiveType::all_gather,
                                      CollectiveType::reduce_scatter);
  const bool flex = *rc::gen::arbitrary<bool>();
  const std::int64_t chunk = *rc::gen::inRange<std::int64_t>(1, 1 << 22);
  std::int64_t left =
      chunk * *rc::gen::inRange<std::int64_t>(1, 50) + *rc::gen::inRange<std::int64_t>(0, chunk);
  Themis themis(platform);
  while (left > 0) {
    Themis::Decision decision = themis.next(type, chunk, left, topology, flex);
    RC_ASSERT(decision.bytes >= std::min(chunk, left) && decision.bytes <= left);
    std::sort(decision.order.begin(), decision.order.end());
    RC_ASSERT(decision.order.size() == sizes.size());
    for (std::size_t d = 0; d < sizes.size(); ++d) RC_ASSERT(decision.order[d] == d);
    left -= decision.bytes;
  }
}

}  // namespace
}  // namespace orrery::sim
