// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/algorithms/planned_algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "orrery/synthesis/algorithms/plan_program.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::synthesis {
namespace {

std::string wrong(const Plan& plan) {
  const PlanCheck check = check_plan(plan);
  if (check.is_valid() && check.result_checked) return {};
  if (check.errors.empty()) return "not checked: " + check.unchecked_reason;
  return to_text(plan, check.errors[0].at) + ": " + check.errors[0].what;
}

// Any number of ranks, any hosts, any order of the ring, any root.
TEST(PlannedAlgorithms, AreRight) {
  std::mt19937_64 random(7);
  std::size_t tried = 0;
  for (const PlannedAlgorithm& algorithm : planned_algorithms()) {
    for (std::uint32_t ranks = 2; ranks <= 17; ++ranks) {
      for (const std::uint32_t inner : {1U, 2U, 3U, 4U, 8U}) {
        if (ranks % inner != 0) continue;
        AlgorithmShape shape{
            ranks, inner, {}, 1 + ranks % 4, static_cast<std::uint32_t>(random() % ranks)};
        shape.order.resize(ranks);
        std::iota(shape.order.begin(), shape.order.end(), 0U);
        for (std::uint32_t i = ranks; i-- > 1;)
          std::swap(shape.order[i], shape.order[random() % (i + 1)]);
        if (!algorithm.supports(shape)) continue;
        const Plan plan = algorithm.plan(shape);
        EXPECT_EQ(wrong(plan), "") << algorithm.name << " " << name(algorithm.collective) << " of "
                                   << ranks << " in hosts of " << inner;
        EXPECT_TRUE(lower_plan(plan).has_value());
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 300U);
}

// In chunks of a rank's share: what each sends is what the papers say.
TEST(PlannedAlgorithms, SendAsMuchAsTheyShould) {
  const AlgorithmShape shape{16, 4, {}, 4, 0};
  const auto most = [&](CollectiveType collective, std::string_view called) {
    const auto all = planned_algorithms();
    const auto found = std::find_if(all.begin(), all.end(), [&](const PlannedAlgorithm& one) {
      return one.collective == collective && one.name == called;
    });
    EXPECT_NE(found, all.end());
    const auto sent = chunks_sent(found->plan(shape));
    return *std::max_element(sent.begin(), sent.end());
  };
  EXPECT_EQ(most(CollectiveType::all_reduce, "ring"), 30U);    // 2 (p - 1)
  EXPECT_EQ(most(CollectiveType::all_reduce, "rings"), 120U);  // of a quarter each
  EXPECT_EQ(most(CollectiveType::all_reduce, "pat"), 30U);
  EXPECT_EQ(most(CollectiveType::all_reduce, "hierarchical"), 30U);
  EXPECT_LE(most(CollectiveType::all_reduce, "double_tree"), 16U);  // of 8: twice what there is
  EXPECT_EQ(most(CollectiveType::all_gather, "bruck"), 15U);
  EXPECT_EQ(most(CollectiveType::all_to_all, "direct"), 15U);
  EXPECT_EQ(most(CollectiveType::all_to_all, "bruck"), 32U);         // p / 2 log2 p
  EXPECT_EQ(most(CollectiveType::all_to_all, "hierarchical"), 24U);  // 12 and 12
}

// Between hosts each rank sends to its like, but for one host of an odd number, and all as much.
TEST(PlannedAlgorithms, RingsUseAllRailsAlike) {
  for (const std::uint32_t hosts : {2U, 3U, 4U, 5U}) {
    for (const std::uint32_t inner : {2U, 3U, 4U}) {
      const auto all = planned_algorithms();
      const auto rings =
          std::find_if(all.begin(), all.end(), [](const auto& one) { return one.name == "rings"; });
      const Plan plan = rings->plan({hosts * inner, inner, {}, 1, 0});
      std::map<std::uint32_t, std::size_t> out;  // by rank: what leaves its host
      std::size_t off_rail = 0;
      for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
        for (const PlanBlock& block : plan.ranks[rank].blocks) {
          if (!block.to || *block.to / inner == rank / inner) continue;
          out[rank] += block.steps.size();
          off_rail += *block.to % inner != rank % inner ? 1 : 0;
        }
      }
      EXPECT_EQ(out.size(), hosts * inner);
      for (const auto& [rank, steps] : out) EXPECT_EQ(steps, out.begin()->second);
      EXPECT_EQ(off_rail, hosts % 2 == 0 || hosts % inner == 0 ? 0 : inner);
    }
  }
}

// Rings over hosts of 4 and 6: each sends over another adapter, and every collective is right.
TEST(PlannedAlgorithms, RingsSupportUnequalHosts) {
  for (const std::vector<std::uint32_t>& hosts :
       {std::vector<std::uint32_t>{4, 6}, {6, 4}, {2, 3, 5}, {2, 8, 2, 3}, {3, 3, 4}}) {
    const std::uint32_t ranks = std::accumulate(hosts.begin(), hosts.end(), 0U);
    const std::uint32_t least = *std::min_element(hosts.begin(), hosts.end());
    AlgorithmShape shape{ranks, 1, {}, 1, 0};
    std::size_t tried = 0;
    for (const PlannedAlgorithm& algorithm : planned_algorithms()) {
      if (algorithm.name != "rings") continue;
      EXPECT_FALSE(algorithm.supports(shape)) << "without hosts";
      shape.unequal_hosts = hosts;
      ASSERT_TRUE(algorithm.supports(shape));
      const Plan plan = algorithm.plan(shape);
      EXPECT_EQ(wrong(plan), "") << name(algorithm.collective);
      std::vector<std::uint32_t> host_of;
      for (std::uint32_t host = 0; host < hosts.size(); ++host)
        host_of.insert(host_of.end(), hosts[host], host);
      std::map<std::uint32_t, std::set<std::uint32_t>>
          leaves;  // by host: ranks that send out of it
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        for (const PlanBlock& block : plan.ranks[rank].blocks)
          if (block.to && host_of[*block.to] != host_of[rank]) leaves[host_of[rank]].insert(rank);
      for (const auto& [host, senders] : leaves) EXPECT_EQ(senders.size(), least);
      EXPECT_EQ(leaves.size(), hosts.size());
      shape.ring_chunks = 3;
      EXPECT_EQ(wrong(algorithm.plan(shape)), "") << name(algorithm.collective) << " in chunks";
      shape.ring_chunks = 1;
      shape.unequal_hosts.clear();
      ++tried;
    }
    EXPECT_EQ(tried, 3U);
  }
}

TEST(PlanProgram, WaitsForWhatItReadsAndForWhoReadsWhatItWrites) {
  PlanProgram program("test", CollectiveType::unknown, 3, {2, 2, 0}, false);
  program.send({0, PlanBuffer::input, 0, 2}, {1, PlanBuffer::input, 0, 2});
  program.send({1, PlanBuffer::input, 1, 1}, {2, PlanBuffer::output, 0, 1}, true);
  program.send({0, PlanBuffer::input, 1, 1}, {1, PlanBuffer::input, 1, 1}, false, 1);
  const Plan plan = std::move(program).finish();
  const auto& blocks = plan.ranks[1].blocks;
  ASSERT_EQ(blocks.size(), 3U);  // from 0, to 2, from 0 on another channel
  EXPECT_EQ(blocks[1].steps[0].after, (std::vector<StepPosition>{{1, 0, 0}}));
  EXPECT_EQ(blocks[2].steps[0].after, (std::vector<StepPosition>{{1, 0, 0}, {1, 1, 0}}));
}

}  // namespace
}  // namespace orrery::synthesis
