// SPDX-License-Identifier: Apache-2.0
//
// Ranks that issue collectives of several groups in different orders: a real cluster runs them on
// streams of their own, so no order may bring a run to a halt.
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using testing::Rank;

void add_group(graph::Workload& workload, const std::string& name,
               std::vector<std::uint32_t> ranks) {
  workload.groups[name] = {name, std::move(ranks)};
}

// Ranks 0 and 1 run a chunk that rank 2 has not issued; no rank has begun what rank 2 waits for.
TEST(Rescue, BeginsWhatAllPeersHaveWaiting) {
  std::vector<Rank> ranks(3);
  ranks[0].coll(CollectiveType::all_reduce, 3000, {}, "x");
  const auto y = ranks[0].coll(CollectiveType::all_reduce, 3000, {}, "y");
  ranks[0].send(2, 100, 0, {y});
  ranks[1].coll(CollectiveType::all_reduce, 3000, {}, "z");
  ranks[1].coll(CollectiveType::all_reduce, 3000, {}, "y");
  const auto predicted = ranks[2].recv(0, 100);
  ranks[2].coll(CollectiveType::all_reduce, 3000, {predicted}, "x");
  ranks[2].coll(CollectiveType::all_reduce, 3000, {predicted}, "z");
  graph::Workload workload = testing::workload(ranks);
  add_group(workload, "x", {0, 2});
  add_group(workload, "y", {0, 1});
  add_group(workload, "z", {1, 2});
  platform::Platform platform = testing::line(Block::switched, 3);
  platform.collectives.policy = platform::SchedulingPolicy::fifo;
  const auto result = simulate(workload, platform);
  ASSERT_TRUE(result.has_value()) << to_string(result.error());
  EXPECT_FALSE(result->stall.has_value());
  EXPECT_GT(result->findings.count(FindingCode::chunk_order_resolved), 0u);
}

// Under round robin the first rank that issues a chunk decides which dimension it visits first, so
// that ranks agree although they have issued different numbers of chunks before.
TEST(Rescue, RanksAgreeOnTheRotationOfDimensions) {
  std::vector<Rank> ranks(6);
  for (std::uint32_t r = 0; r < 6; ++r) {
    const bool whole_first = r == 2 || r == 3;
    if (whole_first) ranks[r].coll(CollectiveType::all_to_all, 600, {}, "whole");
    ranks[r].coll(CollectiveType::all_reduce, 6000);
    if (!whole_first) ranks[r].coll(CollectiveType::all_to_all, 600, {}, "whole");
  }
  graph::Workload workload = testing::workload(ranks);
  add_group(workload, "whole", {0, 1, 2, 3, 4, 5});
  platform::Platform platform =
      testing::line(Block::fully_connected, 2, platform::Algorithm::direct);
  platform.dims.push_back({Block::switched, 3, Bandwidth(1e9), 500.0});
  for (auto* plan : {&platform.collectives.all_reduce, &platform.collectives.all_to_all})
    plan->per_dim.push_back({platform::Algorithm::direct, -1});
  platform.collectives.inter_dimension = platform::InterDimension::round_robin;
  platform.collectives.splits = 3;
  const auto result = simulate(workload, platform);
  ASSERT_TRUE(result.has_value()) << to_string(result.error());
  EXPECT_FALSE(result->stall.has_value());
}

}  // namespace
}  // namespace orrery::sim
