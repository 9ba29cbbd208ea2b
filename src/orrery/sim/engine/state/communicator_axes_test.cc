// SPDX-License-Identifier: Apache-2.0
//
// Groups by axis and peers by distance say the same as groups and peers by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/expansion_testing.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using ::testing::HasSubstr;
using testing::Rank;

// 16 ranks: tp 2 × dp 4 × pp 2. The two stages exchange `rounds` messages each way, with
// collectives of all sizes between; stage 1 computes longer.
graph::Workload pipeline(int rounds) {
  graph::Workload made;
  made.axes["tp"] = {"tp", {{1, 2}}};
  made.axes["dp"] = {"dp", {{2, 4}}};
  made.axes["ends"] = {"ends", {{8, 2}, {1, 2}}};  // not in ascending order
  for (const bool last : {false, true}) {
    Rank rank;
    testing::Deps before;
    for (int i = 0; i < rounds; ++i) {
      const auto tag = static_cast<std::uint32_t>(i);
      if (last) before = {rank.recv(-8, 3'000, tag, before, true)};
      before = {rank.comp(us(last ? 7 : 3), before)};
      const auto gather = rank.coll(CollectiveType::all_gather, 4'000 + 100 * i, before, "tp");
      rank.coll(CollectiveType::all_reduce, 50'000, {gather}, "dp");
      before = {rank.comp(us(1), {gather})};
      before = {last ? rank.send(-8, 2'000, 100 + tag, before, true)
                     : rank.send(8, 3'000, tag, before, true)};
      if (!last) before = {rank.recv(8, 2'000, 100 + tag, before, true)};
    }
    rank.coll(CollectiveType::reduce_scatter, 80'000, before, "ends");
    made.graphs.push_back(rank.finish());
  }
  for (std::uint32_t r = 0; r < 16; ++r) made.graph_of_rank.push_back(r / 8);
  return made;
}

platform::Platform grid() {
  platform::Platform made = testing::line(platform::Block::switched, 4);
  made.dims.push_back({platform::Block::ring, 4, Bandwidth(3e8), 2000.0});
  for (auto* plan : {&made.collectives.all_reduce, &made.collectives.all_gather,
                     &made.collectives.reduce_scatter, &made.collectives.all_to_all})
    plan->per_dim = {{Algorithm::direct, -1}, {Algorithm::ring, -1}};
  return made;
}

void expect_same(const graph::Workload& workload, const platform::Platform& platform) {
  const auto axes = simulate(workload, platform);
  const auto listed = simulate(testing::expanded(workload), platform);
  ASSERT_TRUE(axes && listed) << axes.error().what << listed.error().what;
  ASSERT_FALSE(axes->stall || listed->stall);
  EXPECT_EQ(axes->events, listed->events);
  EXPECT_EQ(axes->messages, listed->messages);
  for (std::uint32_t r = 0; r < workload.rank_count(); ++r) {
    EXPECT_EQ(axes->ranks[r].finish, listed->ranks[r].finish) << r;
    EXPECT_EQ(axes->ranks[r].comm_only, listed->ranks[r].comm_only) << r;
    EXPECT_EQ(axes->ranks[r].sent_bytes, listed->ranks[r].sent_bytes) << r;
  }
  ASSERT_EQ(axes->collectives.size(), listed->collectives.size());
  for (std::size_t i = 0; i < axes->collectives.size(); ++i) {
    EXPECT_EQ(axes->collectives[i].group_size, listed->collectives[i].group_size);
    EXPECT_EQ(axes->collectives[i].operations, listed->collectives[i].operations);
    EXPECT_EQ(axes->collectives[i].time, listed->collectives[i].time);
  }
}

TEST(Axes, TakeTheSameTimeAsListedGroups) {
  platform::Platform platform = grid();
  expect_same(pipeline(6), platform);
  platform.collectives.splits = 4;
  platform.network = platform::NetworkModelKind::message;
  expect_same(pipeline(6), platform);
}

TEST(Axes, TakeTheSameTimeUnderRendezvous) {
  platform::Platform platform = grid();
  platform.collectives.rendezvous = true;
  expect_same(pipeline(6), platform);
}

TEST(Axes, TakeTheSameTimeUnderAstraRules) {
  platform::Platform platform = grid();
  platform.rules = platform::Rules::astra;
  expect_same(pipeline(6), platform);
}

TEST(Axes, AreRecordedAsTheGroupsTheyStandFor) {
  Options options;
  options.record = true;
  const auto run = simulate(pipeline(1), grid(), options);
  ASSERT_TRUE(run);
  std::vector<std::string> names;
  for (const RecordedGroup& group : run->recording->groups) names.push_back(group.name);
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"", "tp (ranks 0-1)", "tp (ranks 14-15)",
                                       "dp (ranks 9, 11, 13, 15)", "ends (ranks 2-3, 10-11)"}));
  EXPECT_EQ(names.size(), 1u + 8 + 4 + 4);
}

TEST(Axes, ARankWithoutAGroupThereIsToldSo) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {}, "ends");
  graph::Workload workload = testing::replicated(rank, 4);
  workload.axes["ends"] = {"ends", {{1, 2, 3}}};
  const auto run = simulate(workload, testing::line(platform::Block::ring, 4));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::input_group);
  EXPECT_THAT(run.error().what, HasSubstr("rank 1 is not a member of process group \"ends\""));
}

TEST(Axes, ThatTheRanksDoNotHaveAreRefused) {
  for (const graph::GroupAxis::Digit digit : {graph::GroupAxis::Digit{1, 0, 1},
                                              {0, 2, 1},
                                              {1, 2, 0},
                                              {1, 8, 1},
                                              {4, 2, 1},
                                              {1, 3, 1},
                                              {1u << 31, 2, 2}}) {
    Rank rank;
    rank.coll(CollectiveType::all_reduce, 1'000, {}, "odd");
    graph::Workload workload = testing::replicated(rank, 4);
    workload.axes["odd"] = {"odd", {digit}};
    const auto run = simulate(workload, testing::line(platform::Block::ring, 4));
    ASSERT_FALSE(run) << digit.stride << ' ' << digit.count << ' ' << digit.step;
    EXPECT_EQ(run.error().code, Errc::input_group);
  }
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1'000, {}, "twice");
  graph::Workload workload = testing::replicated(rank, 4);
  workload.axes["twice"] = {"twice", {{1, 2}, {1, 2}}};
  const auto run = simulate(workload, testing::line(platform::Block::ring, 4));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::input_group);
}

TEST(Axes, APeerBeyondTheLastRankIsToldSo) {
  Rank rank;
  rank.send(3, 100, 0, {}, true);
  graph::Workload workload = testing::replicated(rank, 2);
  const auto run = simulate(workload, testing::line(platform::Block::ring, 2));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::input_range);
  EXPECT_THAT(run.error().what, HasSubstr("rank 3 does not exist: there are 2 ranks"));
}

TEST(Axes, AStallNamesTheRankAtTheOtherEnd) {
  Rank first, second;
  first.recv(1, 100, 7, {}, true);
  second.recv(-1, 100, 7, {}, true);
  std::vector<Rank> ranks;
  ranks.push_back(std::move(first));
  ranks.push_back(std::move(second));
  const auto run = simulate(testing::workload(ranks), testing::line(platform::Block::ring, 2));
  ASSERT_TRUE(run);
  ASSERT_TRUE(run->stall);
  ASSERT_EQ(run->stall->nodes.size(), 2u);
  EXPECT_THAT(run->stall->nodes[0].why, HasSubstr("from rank 1"));
  EXPECT_THAT(run->stall->nodes[1].why, HasSubstr("from rank 0"));
  EXPECT_THAT(run->stall->circle, ::testing::ElementsAre("rank 0", "rank 1"));
}

}  // namespace
}  // namespace orrery::sim
