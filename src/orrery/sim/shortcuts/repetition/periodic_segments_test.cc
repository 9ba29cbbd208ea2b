// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/repetition/periodic_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using testing::Deps;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Rank;

std::vector<PeriodicSegment> stretches(Rank rank) { return find_periodic_segments(*rank.finish()); }

/// `count` times compute, all-reduce and send, one after another. Returns the last node.
std::uint64_t loop(Rank& rank, int count, std::uint32_t tag_step, std::uint64_t after) {
  for (int i = 0; i < count; ++i) {
    after = rank.comp(us(5), {after});
    after = rank.coll(CollectiveType::all_reduce, 1000, {after});
    after = rank.send(1, 10, static_cast<std::uint32_t>(i) * tag_step, {after});
  }
  return after;
}

TEST(Periods, FindsALoop) {
  Rank rank;
  loop(rank, 20, 0, rank.comp(us(1)));
  // The last send is followed by nothing, so that the last period is not like the others.
  EXPECT_THAT(stretches(std::move(rank)), ElementsAre(PeriodicSegment{1, 59, 3, 0, true}));
}

// What runs on another stream may run at another time.
TEST(Periods, LanesAreTheSame) {
  const auto found = [](std::int64_t streams) {
    graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
    for (std::uint64_t i = 1; i <= 40; ++i) {
      graph::NodeSpec node;
      node.id = i;
      node.kind = graph::NodeKind::comp;
      node.duration = us(5);
      node.lane = graph::Lane{.id = static_cast<std::int64_t>(i) % streams};
      if (i > 1) node.deps = {i - 1};
      builder.add(node);
    }
    Findings findings;
    return find_periodic_segments(*std::move(builder).finish(findings));
  };
  EXPECT_FALSE(found(1).empty());
  EXPECT_TRUE(found(40).empty());
}

// The same work may take another time as another kernel.
TEST(Periods, KernelsAreTheSame) {
  const auto found = [](std::int64_t kernels) {
    graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
    for (std::uint64_t i = 1; i <= 40; ++i) {
      graph::NodeSpec node;
      node.id = i;
      node.kind = graph::NodeKind::comp;
      node.flags = graph::kHasNumOps | graph::kHasTensorSize;
      node.work = {100, Bytes(10)};
      graph::Kernel kernel;
      kernel.operation = graph::Operation::softmax;
      kernel.sizes[0] = 1 + static_cast<std::int64_t>(i) % kernels;
      node.kernel = builder.kernels().intern(kernel);
      if (i > 1) node.deps = {i - 1};
      builder.add(node);
    }
    Findings findings;
    return find_periodic_segments(*std::move(builder).finish(findings));
  };
  EXPECT_FALSE(found(1).empty());
  EXPECT_FALSE(found(2).empty());
  EXPECT_TRUE(found(40).empty());
}

TEST(Periods, TagsMayGrow) {
  Rank rank;
  rank.comp(us(2), {loop(rank, 20, 7, rank.comp(us(1)))});
  // Before the first message there is none whose tag is 7 lower.
  EXPECT_THAT(stretches(std::move(rank)), ElementsAre(PeriodicSegment{4, 57, 3, 7, true}));
}

TEST(Periods, TagsMustGrowEvenly) {
  Rank rank;
  std::uint64_t last = rank.comp(us(1));
  for (std::uint32_t i = 0; i < 40; ++i) last = rank.send(1, 10, i * i, {last});
  EXPECT_THAT(stretches(std::move(rank)), IsEmpty());
}

TEST(Periods, OfTwoTheOneIsTakenThatRepeatsMore) {
  Rank rank;
  std::uint64_t last = rank.comp(us(1));
  for (int microbatch = 0; microbatch < 30; ++microbatch) {
    for (int layer = 0; layer < 6; ++layer) {
      last = rank.comp(us(3), {last});
      last = rank.comp(us(4), {last});
    }
    last = rank.comp(us(9), {last});
  }
  EXPECT_THAT(stretches(std::move(rank)), ElementsAre(PeriodicSegment{1, 389, 13, 0, false}));
}

TEST(Periods, LoopsFollowEachOther) {
  Rank rank;
  std::uint64_t last = rank.comp(us(1));
  for (int i = 0; i < 10; ++i) last = rank.comp(us(2), {last});
  last = rank.comp(us(7), {last});
  for (int i = 0; i < 20; ++i) last = rank.work(1000, i % 2, {last});
  EXPECT_THAT(stretches(std::move(rank)), ElementsAre(PeriodicSegment{1, 10, 1, 0, false},
                                                      PeriodicSegment{12, 19, 2, 0, false}));
}

// One node of a loop is different: in what it does, whom it names, what it is followed by.
TEST(Periods, EveryDifferenceCounts) {
  const auto broken = [](const auto& odd) {
    Rank rank;
    std::uint64_t last = rank.comp(us(1)), other = last;
    for (int i = 0; i < 40; ++i) {
      last = i == 20 ? odd(rank, last, other) : rank.send(1, 10, 0, {last}, true);
      other = rank.comp(us(4), {last});
    }
    return stretches(std::move(rank)).size();
  };
  EXPECT_EQ(1u, broken([](Rank& r, auto last, auto) { return r.send(1, 10, 0, {last}, true); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.send(1, 11, 0, {last}, true); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.send(2, 10, 0, {last}, true); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.send(1, 10, 5, {last}, true); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.send(1, 10, 0, {last}, false); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.recv(1, 10, 0, {last}, true); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto) { return r.comp(us(4), {last}); }));
  EXPECT_EQ(2u, broken([](Rank& r, auto last, auto other) {
              return r.send(1, 10, 0, {last, other}, true);
            }));
}

TEST(Periods, AlmostNothing) {
  EXPECT_THAT(stretches(Rank{}), IsEmpty());
  Rank rank;
  std::uint64_t last = rank.comp(us(1));
  for (int i = 0; i < 3; ++i) last = rank.comp(us(2), {last});
  EXPECT_THAT(stretches(std::move(rank)), IsEmpty());
}

}  // namespace
}  // namespace orrery::sim
