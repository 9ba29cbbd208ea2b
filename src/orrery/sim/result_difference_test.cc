// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/result_difference.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

namespace orrery::sim {
namespace {

RankResult rank(std::int64_t finish) {
  RankResult made;
  made.finish = Time(finish);
  made.compute = Time(finish);
  made.sent_bytes = 64;
  return made;
}

SimResult result(std::vector<RankResult> simulated, std::vector<std::uint32_t> class_of = {}) {
  SimResult made;
  made.ranks = RankResults(std::move(simulated), std::move(class_of));
  made.end = Time(7);
  made.collectives = {{"all_gather", 2, 4, 512, 256, Time(9)},
                      {"all_reduce", 4, 4, 512, 512, Time(11)}};
  return made;
}

TEST(Difference, ClassesOfRanksAreTheirRanks) {
  SimResult folded = result({rank(7), rank(5)}, {0, 1, 1, 0});
  folded.events = 3;  // how it was worked out
  folded.messages = 1;
  folded.savings.representatives = 2;
  EXPECT_EQ(first_difference(folded, result({rank(7), rank(5), rank(5), rank(7)})), std::nullopt);
  EXPECT_EQ(first_difference(folded, result({rank(7), rank(5), rank(6), rank(7)})),
            "rank 2: finish is 5 ps and 6 ps");
  EXPECT_EQ(first_difference(folded, result({rank(7), rank(5), rank(5)})),
            "the number of ranks is 4 and 3");
}

// Every figure of a rank counts and has a name of its own.
TEST(Difference, EveryFigureOfARankCounts) {
  const std::vector<std::function<void(RankResult&)>> changes = {
      [](auto& r) { r.finish.reset(); },        [](auto& r) { r.exposed_comm = Time(1); },
      [](auto& r) { r.compute = Time(1); },     [](auto& r) { r.overlapped = Time(1); },
      [](auto& r) { r.comm = Time(1); },        [](auto& r) { r.memory = Time(1); },
      [](auto& r) { r.comm_only = Time(1); },   [](auto& r) { r.memory_only = Time(1); },
      [](auto& r) { r.idle = Time(1); },        [](auto& r) { r.sent_bytes = 65; },
      [](auto& r) { r.peak_memory = Bytes(0); }};
  std::set<std::string> said;
  for (const auto& change : changes) {
    RankResult other = rank(5);
    change(other);
    const auto found = first_difference(result({rank(7), rank(5)}), result({rank(7), other}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->substr(0, 8), "rank 1: ") << *found;
    said.insert(*found);
  }
  EXPECT_EQ(said.size(), changes.size());
  EXPECT_EQ(said.count("rank 1: finish is 5 ps and none"), 1u);
  EXPECT_EQ(said.count("rank 1: peak_memory is none and 0 bytes"), 1u);
}

TEST(Difference, TotalsAndStallsCount) {
  const SimResult one = result({rank(7)});
  const auto against = [&](const std::function<void(SimResult&)>& change) {
    SimResult other = result({rank(7)});
    change(other);
    return first_difference(one, other).value_or("equal");
  };
  EXPECT_EQ(against([](SimResult&) {}), "equal");
  EXPECT_EQ(against([](SimResult& r) { r.end = Time(8); }), "the end of the step is 7 ps and 8 ps");
  EXPECT_EQ(against([](SimResult& r) { r.collectives[1].operations = 5; }),
            "all_reduce among 4: operations is 4 and 5");
  EXPECT_EQ(against([](SimResult& r) { r.collectives[0].bytes = 5; }),
            "all_gather among 2: bytes is 512 and 5");
  EXPECT_EQ(against([](SimResult& r) { ++r.collectives[0].sent; }).substr(0, 33),
            "all_gather among 2: bytes sent is");
  EXPECT_EQ(against([](SimResult& r) { r.collectives[1].time = Time(10); }),
            "all_reduce among 4: time is 11 ps and 10 ps");
  EXPECT_EQ(against([](SimResult& r) { r.collectives[0].group_size = 3; }),
            "all_gather among 2 is in the place of all_gather among 3");
  EXPECT_EQ(against([](SimResult& r) { r.collectives.pop_back(); }),
            "the number of kinds of collectives is 2 and 1");
  EXPECT_EQ(against([](SimResult& r) { r.stall.emplace(); }),
            "the second run stalls, the other does not");
  SimResult stalled = result({rank(7)}), later = result({rank(7)});
  stalled.stall.emplace();
  later.stall.emplace();
  EXPECT_EQ(first_difference(stalled, later), std::nullopt);
  later.stall->unfinished_ranks = 2;
  EXPECT_EQ(first_difference(stalled, later), "the number of ranks that never finish is 0 and 2");
  later.stall->at = Time(3);
  EXPECT_EQ(first_difference(stalled, later), "the time of the stall is 0 ps and 3 ps");
}

}  // namespace
}  // namespace orrery::sim
