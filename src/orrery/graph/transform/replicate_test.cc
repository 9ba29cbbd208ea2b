// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/replicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "orrery/graph/rank_chains_testing.h"

namespace orrery::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A group keeps the order of its ring where it has every rank already.
TEST(Replicate, CopiesOfARankCommunicateWithEachOther) {
  Workload workload;
  workload.graph_of_rank = {0};
  workload.files = {"w.0.et"};
  workload.groups["dp"] = {"dp", {0}};
  workload.groups["tp"] = {"tp", {0, 8}};
  workload.groups["ring"] = {"ring", {2, 0, 1}};
  workload.groups["twice"] = {"twice", {0, 1, 1}};
  replicate(workload, 3);
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0, 0, 0));
  EXPECT_THAT(workload.files, ElementsAre("w.0.et", "w.0.et", "w.0.et"));
  EXPECT_THAT(workload.groups["ring"].ranks, ElementsAre(2, 0, 1));
  for (const char* name : {"dp", "tp", "twice"})
    EXPECT_THAT(workload.groups[name].ranks, ElementsAre()) << name;
}

// Traces of ranks 0 and 1, of three that are there, for five.
TEST(Replicate, SeveralTracesStandForAllInTurn) {
  Workload workload;
  workload.graph_of_rank = {0, 1, 1};
  workload.files = {"w.0.et", "w.1.et", "w.1.et"};
  workload.without_trace = {2};
  replicate(workload, 5);
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(workload.files, ElementsAre("w.0.et", "w.1.et", "w.0.et", "w.1.et", "w.0.et"));
  EXPECT_TRUE(workload.without_trace.empty());
  replicate(workload, 1);
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0));
}

/// A layer forward and backward, a bucket of gradients, the optimizer.
void train(RankChains& chain) {
  chain.work("gemm");
  chain.work("gemm");
  chain.collective(CollectiveType::all_reduce, "dp", 100);
  chain.work("adam");
}

/// Why three ranks are no replicas of which the second does `more`, besides what all do.
std::string refusal(const std::function<void(RankChains&)>& more) {
  Workload workload = RankChains::workload(3, [&](std::uint32_t rank, RankChains& chain) {
    train(chain);
    if (rank == 1) more(chain);
  });
  workload.groups["dp"] = {"dp", {2, 1, 0}};
  workload.groups["pair"] = {"pair", {0, 1}};
  const auto fine = check_replicas(workload, "w");
  return fine ? "" : fine.error().what;
}

TEST(Replicate, RanksThatDoTheSameAreReplicas) {
  EXPECT_EQ(refusal([](RankChains&) {}), "");
  EXPECT_THAT(refusal([](RankChains& chain) { chain.work("gemm"); }),
              HasSubstr("rank 0 runs 2 kernels \"gemm\", rank 1 runs 3"));
  EXPECT_THAT(refusal([](RankChains& chain) { chain.work("relu"); }),
              HasSubstr("rank 0 runs 0 kernels \"relu\", rank 1 runs 1"));
  EXPECT_THAT(refusal([](RankChains& chain) { chain.message(NodeKind::send, 1, 2); }),
              HasSubstr("rank 1 sends and receives messages"));
  EXPECT_THAT(
      refusal([](RankChains& chain) { chain.collective(CollectiveType::all_reduce, "dp", 100); }),
      HasSubstr("rank 0 communicates 1 times, rank 1 2 times"));
  EXPECT_THAT(
      refusal([](RankChains& chain) { chain.collective(CollectiveType::all_reduce, "pair", 100); }),
      HasSubstr("rank 1 communicates with 2 of 3 ranks (process group \"pair\")"));
  for (const CollectiveType shares :
       {CollectiveType::all_gather, CollectiveType::all_to_all, CollectiveType::reduce_scatter})
    EXPECT_THAT(refusal([&](RankChains& chain) { chain.collective(shares, "dp", 100); }),
                HasSubstr("rank 1 shards data over other ranks"));
}

TEST(Replicate, CommunicationsAreHeldAgainstEachOtherInOrder) {
  Workload workload = RankChains::workload(2, [&](std::uint32_t rank, RankChains& chain) {
    chain.collective(CollectiveType::all_reduce, "", 100);
    chain.collective(CollectiveType::all_reduce, "", rank == 0 ? 200 : 300);
  });
  const auto fine = check_replicas(workload, "w");
  ASSERT_FALSE(fine.has_value());
  EXPECT_THAT(fine.error().what, HasSubstr("communication 2 of rank 0 is all_reduce of 200 B, that "
                                           "of rank 1 all_reduce of 300 B"));
}

}  // namespace
}  // namespace orrery::graph
