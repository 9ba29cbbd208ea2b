// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/exposed_communication.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using testing::Deps;
using testing::Rank;

Options by_group() {
  Options options;
  options.exposed_by_group = true;
  return options;
}

/// Four ranks that all do the same, and two groups of all of them.
graph::Workload among_all(Rank& rank) {
  graph::Workload made = testing::replicated(rank, 4);
  for (const char* const name : {"a", "b"}) {
    made.groups[name] = {name, {0, 1, 2, 3}};
  }
  return made;
}

SimResult run_groups(const graph::Workload& work, const Options& options = by_group()) {
  auto result = simulate(work, testing::line(platform::Block::ring, 4), options);
  EXPECT_TRUE(result) << to_string(result.error());
  return *std::move(result);
}

Time all_exposed(const SimResult& result) {
  Time all{};
  for (const ExposedGroup& one : result.exposed) all += one.time;
  return all;
}

constexpr std::int64_t kBytes = 40'000;  // an all-gather of a shard of it: 3 x 41 us

TEST(Exposed, IsWhatComputeDoesNotHideOfEachGroup) {
  Rank rank;
  const auto first = rank.coll(CollectiveType::all_gather, kBytes, {}, "a");
  rank.comp(us(5), {first});
  rank.coll(CollectiveType::all_gather, kBytes, {first}, "b");
  const SimResult result = run_groups(among_all(rank));
  EXPECT_EQ(result.end, us(246));
  EXPECT_EQ(result.exposed, (std::vector<ExposedGroup>{{"a", us(123)}, {"b", us(118)}}));
  EXPECT_EQ(all_exposed(result), result.ranks.last().comm_only);
}

// b waits behind a, and the rank waits for b.
TEST(Exposed, IsOfTheOneThatBeganLast) {
  Rank rank;
  rank.coll(CollectiveType::all_gather, kBytes, {}, "a");
  const auto worked = rank.comp(us(1));
  rank.coll(CollectiveType::all_gather, kBytes, {worked}, "b");
  const SimResult result = run_groups(among_all(rank));
  EXPECT_EQ(result.exposed, (std::vector<ExposedGroup>{{"b", us(245)}}));
}

TEST(Exposed, MessagesAreOfNoGroup) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 1000);
  ranks[1].comp(us(3), {ranks[1].recv(0, 1000)});
  const auto result =
      simulate(testing::workload(ranks), testing::line(platform::Block::ring, 2), by_group());
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->exposed, (std::vector<ExposedGroup>{{"", us(2)}}));
}

TEST(Exposed, IsNotToldUnasked) {
  Rank rank;
  rank.coll(CollectiveType::all_gather, kBytes, {}, "a");
  EXPECT_TRUE(run_groups(among_all(rank), {}).exposed.empty());
}

RC_GTEST_PROP(Exposed, SumsToWhatIsExposed, ()) {
  Rank rank;
  const int nodes = *rc::gen::inRange(1, 30);
  for (int i = 1; i <= nodes; ++i) {
    Deps deps;
    if (i > 1 && *rc::gen::inRange(0, 3) > 0)
      deps = {static_cast<std::uint64_t>(*rc::gen::inRange(1, i))};
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) {
      rank.comp(us(*rc::gen::inRange(0, 200)), deps);
    } else {
      rank.coll(CollectiveType::all_gather, *rc::gen::inRange(1, 100'000), deps,
                kind == 1 ? "a" : "b");
    }
  }
  const graph::Workload work = among_all(rank);
  Options options = by_group();
  const SimResult every = run_groups(work, options);
  RC_ASSERT(all_exposed(every) == every.ranks.last().comm_only);
  options.fold = true;
  RC_ASSERT(run_groups(work, options).exposed == every.exposed);
}

}  // namespace
}  // namespace orrery::sim
