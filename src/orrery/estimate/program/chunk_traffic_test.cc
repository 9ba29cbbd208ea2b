// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/chunk_traffic.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "orrery/model/collective/chunk_model.h"

namespace orrery::estimate {
namespace {

ChunkWork work_of(std::vector<std::vector<ChunkWork::Phase>> chunks) {
  return {std::move(chunks), 0};
}

TEST(ChunkTraffic, PhasesWaitForTheirQueueFirstComeFirstServed) {
  // Two dimensions: two chunks go through 0 then 1, another collective needs 0 alone.
  const ChunkWork both = work_of({{{0, 10}, {1, 30}}, {{0, 10}, {1, 30}}});
  const ChunkWork other = work_of({{{0, 5}}});
  const auto ends = [&](std::vector<IssuedCollective> issued, ChunkQueueing how = {}) {
    return collective_ends(issued, how);
  };
  using Ends = std::vector<std::int64_t>;
  EXPECT_EQ(ends({{0, &both}}), (Ends{70}));
  EXPECT_EQ(ends({{100, &both}}), (Ends{170}));
  // Behind both chunks, though it is short; the first is not in its way any more.
  EXPECT_EQ(ends({{0, &both}, {1, &other}}), (Ends{70, 25}));
  // The dimension is free again: neither collective waits for the other.
  EXPECT_EQ(ends({{0, &both}, {30, &other}}), (Ends{70, 35}));
  // … unless it comes while both wait, and those that come later go first.
  EXPECT_EQ(ends({{0, &both}, {1, &other}}, {.last_first = true}), (Ends{70, 15}));
  // A collective that was issued earlier goes first wherever it comes to.
  const ChunkWork late = work_of({{{1, 4}, {0, 10}}}), long_one = work_of({{{0, 8}}, {{0, 8}}});
  EXPECT_EQ(ends({{0, &late}, {1, &long_one}}), (Ends{19, 27}));
  EXPECT_EQ(ends({{0, &late}, {1, &long_one}}, {.last_first = true}), (Ends{27, 17}));
  // The collective that is issued first goes first, in whatever order they are listed.
  EXPECT_EQ(ends({{1, &both}, {0, &other}}), (Ends{75, 5}));
  EXPECT_EQ(ends({{0, &other}, {0, &both}}), (Ends{5, 75}));
  EXPECT_EQ(ends({{0, &both}, {0, &other}}), (Ends{70, 25}));
  // Two at a time.
  EXPECT_EQ(ends({{0, &both}, {1, &other}}, {.servers = 2}), (Ends{40, 15}));
  const ChunkWork nothing = work_of({{}});
  EXPECT_EQ(ends({{7, &other}, {7, &nothing}}), (Ends{12, 7}));
}

TEST(ChunkTraffic, WhatComesLaterMovesEndsThatWereSaid) {
  const ChunkWork both = work_of({{{0, 10}, {1, 30}}, {{0, 10}, {1, 30}}});
  ChunkWork other = work_of({{{1, 5}}});
  other.isolated_duration = 5;
  ConcurrentCollectives some;
  std::vector<std::array<std::int64_t, 3>> said;
  const auto report_delay = [&](std::uint64_t number, std::int64_t before, std::int64_t end) {
    said.push_back({static_cast<std::int64_t>(number), before, end});
  };
  EXPECT_EQ(some.add(100, both, 1, {}, report_delay), 170);
  EXPECT_EQ(some.add(101, other, 2, {}, report_delay), 106);  // before the first chunk comes there
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(some.add(111, other, 3, {}, report_delay),
            175);  // behind those that were issued earlier
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(some.add(99, other, 4, {}, report_delay), 104);   // in front of the second
  EXPECT_EQ(some.add(108, other, 5, {}, report_delay), 114);  // in front of the first chunk
  EXPECT_EQ(said, (std::vector<std::array<std::int64_t, 3>>{
                      {2, 106, 109}, {1, 170, 174}, {3, 175, 179}}));
  // All are over, and later ones know nothing of them.
  EXPECT_EQ(some.add(200, other, 6, {}, report_delay), 205);
  some.delay(1000, 6);
  EXPECT_EQ(some.add(1201, both, 7, {}, report_delay), 1271);
}

// The model of chunks that the orders of chunks are chosen by says the same of one alone.
TEST(ChunkTraffic, AloneItIsTheModelOfChunks) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    model::ChunkRules rules;
    rules.dims = 1 + static_cast<std::uint32_t>(random() % 4);
    rules.servers = 1 + static_cast<std::uint32_t>(random() % 3);
    std::vector<model::ChunkPath> ways(1 + random() % 9);
    ChunkWork work;
    for (model::ChunkPath& way : ways) {
      auto& chunk = work.chunks.emplace_back();
      for (std::size_t p = 0; p < 1 + random() % 6; ++p) {
        model::ChunkPhaseTime step;
        step.dim = static_cast<std::uint8_t>(random() % rules.dims);
        step.time = static_cast<std::int64_t>(1 + random() % 50);
        chunk.push_back({step.dim, step.time});
        way.push_back(step);
      }
    }
    std::vector<const model::ChunkPath*> all;
    for (const model::ChunkPath& way : ways) all.push_back(&way);
    const std::int64_t ready = static_cast<std::int64_t>(random() % 1000);
    const IssuedCollective issued{ready, &work};
    EXPECT_EQ(collective_ends({&issued, 1}, {.servers = rules.servers}).front(),
              ready + model::ChunkModel(rules).time_of(all))
        << round;
  }
}

}  // namespace
}  // namespace orrery::estimate
