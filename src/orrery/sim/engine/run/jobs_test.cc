// SPDX-License-Identifier: Apache-2.0
//
// Jobs on one machine whose messages never meet: each takes what it takes alone, also where its
// ranks wait for each other and only the order of chunks is in their way (chunk_deadlock.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "orrery/graph/transform/merge_jobs.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using testing::Rank;

constexpr std::uint32_t kRanksOfAJob = 4;

/// Every rank runs the collectives of its groups in an order of its own, some after kernels; some
/// such jobs can never end.
graph::Workload out_of_order(std::mt19937_64& random) {
  const auto draw = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  graph::Workload made;
  std::vector<std::vector<std::string>> order(kRanksOfAJob);
  for (std::uint32_t group = 0; group < 5; ++group) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t rank = 0; rank < kRanksOfAJob; ++rank)
      if (draw(3) > 0) members.push_back(rank);
    if (members.size() < 2) continue;
    const std::string name = "g" + std::to_string(group);
    for (const std::uint32_t rank : members) order[rank].push_back(name);
    made.groups[name] = {name, std::move(members)};
  }
  std::vector<Rank> ranks(kRanksOfAJob);
  for (std::uint32_t rank = 0; rank < kRanksOfAJob; ++rank) {
    std::shuffle(order[rank].begin(), order[rank].end(), random);
    std::uint64_t last = ranks[rank].comp(us(1 + draw(9)));
    for (const std::string& group : order[rank]) {
      const bool after = draw(3) == 0;
      const auto bytes = static_cast<std::int64_t>(1000 * (1 + group[1] % 7));
      const auto node = ranks[rank].coll(CollectiveType::all_reduce, bytes,
                                         after ? testing::Deps{last} : testing::Deps{}, group);
      if (draw(2) == 0) last = ranks[rank].comp(us(1 + draw(5)), {node});
    }
  }
  graph::Workload graphs = testing::workload(ranks);
  graphs.groups = std::move(made.groups);
  return graphs;
}

std::vector<Time> ends_of(const SimResult& result, const graph::JobPart& job) {
  std::vector<Time> ends;
  for (const std::uint32_t rank : job.ranks)
    ends.push_back(result.ranks[rank].finish.value_or(Time(-1)) - job.start);
  return ends;
}

TEST(Jobs, TakeWhatTheyTakeAloneWhateverOrderTheirChunksAreIn) {
  std::uint64_t resolved = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const graph::Workload first = out_of_order(random), second = out_of_order(random);
    // The second goes on long after the first has to be let go.
    const std::vector<graph::JobPart> jobs{
        {"a", &first, {0, 2, 4, 6}, us(static_cast<double>(random() % 20)), 1},
        {"b", &second, {1, 3, 5, 7}, {}, 1 + static_cast<std::uint32_t>(random() % 3)}};
    platform::Platform platform = testing::line(Block::switched, 9);
    platform.network =
        random() % 2 == 0 ? platform::NetworkModelKind::message : platform::NetworkModelKind::flow;
    platform.collectives.policy = platform::SchedulingPolicy::fifo;
    Options options;
    options.fold = random() % 2 == 0;
    options.skip_repeats = random() % 2 == 0;
    Findings findings;
    const auto all = graph::merge_jobs(jobs, 9, findings);
    ASSERT_TRUE(all) << to_string(all.error());
    const auto kernel_interference = simulate(*all, platform, options);
    ASSERT_TRUE(kernel_interference) << to_string(kernel_interference.error());
    std::uint64_t apart = 0;
    for (const graph::JobPart& job : jobs) {
      const auto one = graph::merge_jobs({&job, 1}, 9, findings);
      ASSERT_TRUE(one) << to_string(one.error());
      const auto alone = simulate(*one, platform, options);
      ASSERT_TRUE(alone) << to_string(alone.error());
      EXPECT_EQ(ends_of(*kernel_interference, job), ends_of(*alone, job)) << job.name;
      apart += alone->findings.count(FindingCode::chunk_order_resolved);
    }
    EXPECT_EQ(kernel_interference->findings.count(FindingCode::chunk_order_resolved), apart);
    resolved += apart;
  }
  EXPECT_GT(resolved, 50U);
}

}  // namespace
}  // namespace orrery::sim
