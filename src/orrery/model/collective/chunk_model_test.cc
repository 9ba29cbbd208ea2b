// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/model/collective/chunk_search.h"

namespace orrery::model {
namespace {

using platform::IntraDimension;

ChunkPhaseTime step(std::uint8_t dim, std::int64_t time, std::int64_t largest = 0,
                    bool gather = false) {
  return {dim, QueueUse::all, gather, time, largest};
}

std::int64_t time_of(const ChunkRules& rules, const std::vector<ChunkPath>& paths) {
  std::vector<const ChunkPath*> all;
  for (const ChunkPath& path : paths) all.push_back(&path);
  return ChunkModel(rules).time_of(all);
}

TEST(ChunkModel, ADimensionServesOneAfterAnother) {
  const std::vector<ChunkPath> paths(3, {step(0, 10), step(1, 4)});
  EXPECT_EQ(time_of({2, 1, 1}, paths), 34);  // the last leaves dimension 0 at 30
  EXPECT_EQ(time_of({2, 1, 3}, paths), 14);  // all at once
  EXPECT_EQ(time_of({2, 2, 1}, paths), 24);  // two queues of one server
}

TEST(ChunkModel, OppositeOrdersFillBothDimensions) {
  EXPECT_EQ(time_of({2, 1, 1}, {{step(0, 10), step(1, 10)}, {step(1, 10), step(0, 10)}}), 20);
}

// Dimension 0 is free at 1, and a large chunk waits there before a small one comes at 5.
TEST(ChunkModel, WhoIsNextIsARule) {
  const std::vector<ChunkPath> paths{{step(0, 10), step(1, 1)},
                                     {step(0, 10, 100), step(1, 50)},
                                     {step(1, 5), step(0, 1, 10), step(1, 60)}};
  // First come: 10, 20, 21, then 60.
  EXPECT_EQ(time_of({2, 1, 1, IntraDimension::fifo}, paths), 130);
  // Smallest first: the third's way goes on at 11, and takes dimension 1 until 71; then 50.
  EXPECT_EQ(time_of({2, 1, 1, IntraDimension::smallest_first}, paths), 121);
}

TEST(ChunkModel, FirstAndSecondHalvesHaveQueuesOfTheirOwn) {
  const ChunkPath there{{0, QueueUse::first_half, false, 10, 0}};
  const ChunkPath back{{0, QueueUse::second_half, true, 10, 0}};
  EXPECT_EQ(time_of({1, 2, 1}, {there, there, back}), 20);
  EXPECT_EQ(time_of({1, 1, 1}, {there, there, back}), 30);
}

TEST(ChunkSearch, RoundsAMixture) {
  const std::vector<OrderShare> mixture{{{0, 1}, 0.75}, {{1, 0}, 0.25}};
  EXPECT_EQ(round_mixture(mixture, 8), (std::vector<std::size_t>{0, 0, 1, 0, 0, 0, 1, 0}));
}

TEST(ChunkSearch, OrdersBeginWithRotations) {
  const auto three = orders_of(3);
  EXPECT_EQ(three.size(), 6U);
  EXPECT_EQ(three[1], (DimOrder{1, 2, 0}));
  EXPECT_EQ(orders_of(5).size(), 120U);
  EXPECT_EQ(orders_of(8).size(), kMaxOrders);
}

// Four chunks through two equal dimensions, all in one order: half of them the other way round is
// the best that there is.
TEST(ChunkSearch, FindsWhatIsBest) {
  std::vector<OrderPaths> paths{{{0, 1}, {step(0, 10), step(1, 10)}, {}},
                                {{1, 0}, {step(1, 10), step(0, 10)}, {}}};
  for (OrderPaths& one : paths) one.last = one.full;
  ChunkSearch search({2, 1, 1}, paths, 4);
  search.consider("natural", {0, 0, 0, 0});
  EXPECT_EQ(search.best().time, 50);
  search.improve(1, 4000, 40);
  EXPECT_EQ(search.best().time, 40);
  EXPECT_EQ(search.best().method, "search");
  ChunkSearch again({2, 1, 1}, paths, 4);
  again.consider("natural", {0, 0, 0, 0});
  again.improve(1, 4000, 40);
  EXPECT_EQ(again.best().orders, search.best().orders);
}

}  // namespace
}  // namespace orrery::model
