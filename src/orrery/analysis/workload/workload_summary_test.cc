// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/workload_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/analysis/workload/consistency.h"
#include "orrery/analysis/workload/longest_chain.h"
#include "orrery/graph/builder.h"

namespace orrery::analysis {
namespace {

using graph::CollectiveType;
using graph::GraphBuilder;
using graph::GraphRef;
using graph::NodeKind;
using graph::NodeSpec;
using graph::Workload;

NodeSpec comp(std::uint64_t id, Time duration, std::vector<std::uint64_t> deps = {}) {
  NodeSpec node;
  node.id = id;
  node.kind = NodeKind::comp;
  node.flags = graph::kHasNumOps | graph::kHasTensorSize;
  node.duration = duration;
  node.work = {1000, Bytes(64)};
  node.deps = std::move(deps);
  return node;
}

struct Rank {
  std::shared_ptr<StringPool> strings = std::make_shared<StringPool>();
  GraphBuilder builder{"test.et", strings, graph::Repair::refuse};

  Rank& add(const NodeSpec& node) {
    builder.add(node);
    return *this;
  }
  Rank& coll(std::uint64_t id, CollectiveType type, std::int64_t size,
             std::string_view group = "") {
    NodeSpec node;
    node.id = id;
    node.kind = NodeKind::coll;
    node.flags = graph::kHasCommType | graph::kHasCommSize;
    node.collective.type = type;
    node.collective.size = Bytes(size);
    node.collective.group = strings->intern(group);
    return add(node);
  }
  Rank& message(std::uint64_t id, NodeKind kind, std::int32_t peer, std::int64_t size,
                std::uint32_t tag, bool relative = false) {
    NodeSpec node;
    node.id = id;
    node.kind = kind;
    node.flags = static_cast<std::uint16_t>(
        (kind == NodeKind::send ? graph::kHasDst : graph::kHasSrc) | graph::kHasTag |
        graph::kHasCommSize | (relative ? graph::kPeerRelative : 0));
    (kind == NodeKind::send ? node.message.dst : node.message.src) = peer;
    node.message.size = Bytes(size);
    node.message.tag = tag;
    return add(node);
  }
  GraphRef done() {
    Findings findings;
    auto graph = std::move(builder).finish(findings);
    EXPECT_TRUE(graph.has_value()) << (graph ? "" : to_string(graph.error()));
    return std::make_shared<const graph::Graph>(*std::move(graph));
  }
};

Workload workload(std::vector<GraphRef> graphs, std::vector<std::uint32_t> graph_of_rank) {
  Workload all;
  all.graphs = std::move(graphs);
  all.graph_of_rank = std::move(graph_of_rank);
  return all;
}

std::vector<ProblemKind> kinds_of(const Consistency& consistency) {
  std::vector<ProblemKind> kinds;
  for (const Problem& problem : consistency.problems) kinds.push_back(problem.kind);
  return kinds;
}

TEST(LongestChain, FollowsTimeNotNodeCount) {
  // 1 → 2 → 3 takes 3 us; 1 → 4 takes 11 us.
  Rank rank;
  rank.add(comp(1, us(1)))
      .add(comp(2, us(1), {1}))
      .add(comp(3, us(1), {2}))
      .add(comp(4, us(10), {1}));
  const LongestChain chain = longest_chain(*rank.done());
  EXPECT_EQ(chain.duration, us(11));
  EXPECT_THAT(chain.nodes, ::testing::ElementsAre(0u, 3u));
  EXPECT_EQ(chain.depth, 3u);
}

TEST(LongestChain, WithoutDurationsItIsTheDeepest) {
  Rank rank;
  rank.add(comp(5, {})).add(comp(3, {}, {5})).add(comp(9, {}, {3})).add(comp(1, {}));
  const LongestChain chain = longest_chain(*rank.done());
  EXPECT_EQ(chain.duration, Time{});
  EXPECT_THAT(chain.nodes, ::testing::ElementsAre(2u, 1u, 3u));  // ids 5, 3, 9
  EXPECT_EQ(chain.depth, 3u);
}

TEST(LongestChain, HugeDurationsSaturate) {
  Rank rank;
  rank.add(comp(1, kTimeMax)).add(comp(2, kTimeMax, {1}));
  EXPECT_EQ(longest_chain(*rank.done()).duration, kTimeMax);
}

TEST(LongestChain, IsAPathAndBeatsEveryOther) {
  // Reference: the textbook recurrence over nodes in id order (edges only lead to larger ids here).
  rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& nodes) {
    Rank rank;
    std::vector<std::int64_t> longest;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<std::uint64_t> deps;
      std::int64_t before = 0;
      for (std::size_t d = 0; d < i; ++d) {
        if ((nodes[i].second * 31 + d * 17) % 5 != 0) continue;
        deps.push_back(d);
        before = std::max(before, longest[d]);
      }
      longest.push_back(before + nodes[i].first);
      rank.add(comp(i, ns(nodes[i].first), deps));
    }
    const GraphRef graph = rank.done();
    const LongestChain chain = longest_chain(*graph);
    const std::int64_t best =
        longest.empty() ? 0 : *std::max_element(longest.begin(), longest.end());
    RC_ASSERT(chain.duration == ns(best));
    Time sum{};
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
      sum += graph->duration(chain.nodes[i]);
      if (i == 0) continue;
      const auto next = graph->successors(chain.nodes[i - 1]);
      RC_ASSERT(std::find(next.begin(), next.end(), chain.nodes[i]) != next.end());
    }
    RC_ASSERT(sum == chain.duration);
  });
}

TEST(WorkloadSummary, CountsEveryRankOnceThoughGraphsAreShared) {
  Rank a, b;
  a.add(comp(1, us(2)))
      .coll(2, CollectiveType::all_reduce, 100, "7")
      .coll(3, CollectiveType::all_gather, 10);
  b.add(comp(1, us(3))).message(2, NodeKind::send, 0, 50, 1);
  Workload all = workload({a.done(), b.done()}, {0, 1, 0});
  all.groups["7"] = {"7", {0, 2}};
  const WorkloadSummary summary = summarize(all);
  EXPECT_EQ(summary.ranks, 3u);
  EXPECT_EQ(summary.total.nodes, 8u);
  EXPECT_EQ(summary.total.flops, 3000u);
  EXPECT_EQ(summary.total.recorded, us(7));
  EXPECT_EQ(summary.total.comm_bytes, 2 * (100u + 3 * 10u) + 50u);
  ASSERT_EQ(summary.parts.size(), 2u);
  EXPECT_THAT(summary.parts[0].ranks, ::testing::ElementsAre(0u, 2u));
  ASSERT_EQ(summary.traffic.size(), 3u);
  EXPECT_EQ(summary.traffic[0].type, "all_gather");
  EXPECT_EQ(summary.traffic[0].group_size, 3u);
  EXPECT_EQ(summary.traffic[0].bytes, 2 * 3 * 10u) << "what each of two ranks gets";
  EXPECT_EQ(summary.traffic[1].type, "all_reduce");
  EXPECT_EQ(summary.traffic[1].group, "7");
  EXPECT_EQ(summary.traffic[1].group_size, 2u);
  EXPECT_EQ(summary.traffic[1].bytes, 200u);
  EXPECT_EQ(summary.traffic[2].type, "send");
}

TEST(WorkloadSummary, JoinsGroupsOfOneSize) {
  const auto joined = by_group_size(
      {{"all_reduce", "1", 2, 3, 30}, {"all_reduce", "2", 2, 1, 10}, {"send", "", 2, 1, 1}});
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].operations, 4u);
  EXPECT_EQ(joined[0].bytes, 40u);
}

TEST(WorkloadSummary, SumsSaturate) {
  Rank rank;
  rank.coll(1, CollectiveType::all_reduce, std::numeric_limits<std::int64_t>::max());
  const WorkloadSummary summary =
      summarize(workload({rank.done()}, std::vector<std::uint32_t>(5, 0)));
  EXPECT_EQ(summary.total.comm_bytes, std::numeric_limits<std::uint64_t>::max());
}

TEST(Breakdown, PartsMakeTheStep) {
  const std::vector<RankTimes> ranks = {{us(10), us(6), us(5), us(3), us(1)},
                                        {us(8), us(8), us(4), {}, {}}};
  const Breakdown result = break_down(ranks, us(10));
  EXPECT_EQ(result.compute, us(7));
  EXPECT_EQ(result.comm_only, ps(1'500'000));
  EXPECT_EQ(result.memory_only, ps(500'000));
  EXPECT_EQ(result.idle, us(1));
  EXPECT_EQ(result.fastest, us(8));
  EXPECT_EQ(result.slowest[0].rank, 0u);
  EXPECT_DOUBLE_EQ(result.share(result.compute), 0.7);
}

TEST(Breakdown, NoRankFinished) {
  const std::vector<RankTimes> ranks(3);
  const Breakdown result = break_down(ranks, us(1));
  EXPECT_EQ(result.finished, 0u);
  EXPECT_TRUE(result.slowest.empty());
  EXPECT_EQ(break_down({}, {}).share(us(1)), 0.0);
}

TEST(Breakdown, MeansOfHugeTimesDoNotOverflow) {
  const std::vector<RankTimes> ranks(100'000, RankTimes{kTimeMax, kTimeMax, kTimeMax, {}, {}});
  EXPECT_LE(kTimeMax.count() - break_down(ranks, kTimeMax).compute.count(), 1'000'000'000'000);
}

// Classes are a shorter way of writing the same ranks.
TEST(Breakdown, ClassesOfRanksAreTheirRanks) {
  const std::vector<RankTimes> classes = {{us(7), us(6), us(5), us(3), us(1)},
                                          {us(9), us(8), us(4), ps(1), {}},
                                          {std::nullopt, us(3), us(2), us(1), {}},
                                          {us(9), us(1), us(1), us(1), ps(7)}};
  std::vector<std::uint32_t> class_of;
  std::vector<RankTimes> ranks;
  for (std::uint32_t rank = 0; rank < 101; ++rank) {
    class_of.push_back(rank * rank % 7 % 4);
    ranks.push_back(classes[class_of.back()]);
  }
  for (const std::size_t most : {0u, 1u, 3u, 60u, 200u}) {
    const Breakdown one = break_down(classes, us(10), most, class_of);
    const Breakdown all = break_down(ranks, us(10), most);
    EXPECT_EQ(one.compute, all.compute);
    EXPECT_EQ(one.comm_only, all.comm_only);
    EXPECT_EQ(one.memory_only, all.memory_only);
    EXPECT_EQ(one.comm, all.comm);
    EXPECT_EQ(one.idle, all.idle);
    EXPECT_EQ(one.finished, all.finished);
    EXPECT_EQ(one.fastest, all.fastest);
    EXPECT_EQ(one.median, all.median);
    ASSERT_EQ(one.slowest.size(), std::min<std::size_t>(most, all.finished));
    ASSERT_EQ(all.slowest.size(), one.slowest.size());
    for (std::size_t i = 0; i < one.slowest.size(); ++i) {
      EXPECT_EQ(one.slowest[i].rank, all.slowest[i].rank);
      EXPECT_EQ(one.slowest[i].finish, all.slowest[i].finish);
      if (i == 0) continue;
      const auto& before = one.slowest[i - 1];
      EXPECT_TRUE(before.finish > one.slowest[i].finish ||
                  (before.finish == one.slowest[i].finish && before.rank < one.slowest[i].rank));
    }
  }
}

TEST(Consistency, AMatchedExchangeIsFine) {
  Rank a, b;
  a.message(1, NodeKind::send, 1, 8, 3).coll(2, CollectiveType::all_reduce, 4);
  b.message(1, NodeKind::recv, 0, 8, 3).coll(9, CollectiveType::all_reduce, 4);
  EXPECT_EQ(check_consistency(workload({a.done(), b.done()}, {0, 1})).count, 0u);
}

TEST(Consistency, SizesMustMatchToo) {
  Rank a, b;
  a.message(1, NodeKind::send, 1, 8, 3);
  b.message(1, NodeKind::recv, 0, 16, 3);
  const auto found = check_consistency(workload({a.done(), b.done()}, {0, 1}));
  EXPECT_THAT(kinds_of(found),
              ::testing::ElementsAre(ProblemKind::unmatched_send, ProblemKind::unmatched_receive));
  EXPECT_EQ(found.problems[1].where, "rank 1 node 1");
  EXPECT_EQ(found.problems[1].what, "a receive of 16 B, tag 3, from rank 0 has no matching send");
}

// A recorded receive names both ends, and its file may be read as another rank's: the problem was
// looked up in the graph of the rank that the node spoke of, which had no such node.
TEST(Consistency, ProblemsAreWhereTheNodeIs) {
  NodeSpec receive;
  receive.id = 7;
  receive.kind = NodeKind::recv;
  receive.flags = graph::kHasSrc | graph::kHasDst | graph::kHasTag | graph::kHasCommSize;
  receive.message.src = 0;
  receive.message.dst = 9;
  receive.message.size = Bytes(8);
  Rank only;
  only.add(comp(1, Time(5))).add(receive);
  const auto found = check_consistency(workload({only.done()}, {0}));
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0].where, "rank 0 node 7");
}

TEST(Consistency, GroupsMembersAndRanks) {
  Rank a;
  a.coll(1, CollectiveType::all_reduce, 4, "5").coll(2, CollectiveType::all_reduce, 4, "6");
  a.message(3, NodeKind::send, 9, 1, 1);
  Workload all = workload({a.done()}, {0, 0});
  all.groups["6"] = {"6", {1, 1, 77}};
  EXPECT_THAT(kinds_of(check_consistency(all)),
              ::testing::UnorderedElementsAre(
                  ProblemKind::group_rank, ProblemKind::group_rank, ProblemKind::unknown_group,
                  ProblemKind::unknown_group, ProblemKind::not_a_member, ProblemKind::unknown_rank,
                  ProblemKind::unknown_rank));
}

TEST(Consistency, MembersMustIssueTheSameCollectives) {
  Rank a, b;
  a.coll(1, CollectiveType::all_reduce, 4, "5").coll(2, CollectiveType::all_reduce, 4, "5");
  b.coll(1, CollectiveType::all_reduce, 4, "5");
  Workload all = workload({a.done(), b.done()}, {0, 1});
  all.groups["5"] = {"5", {0, 1}};
  const auto found = check_consistency(all);
  ASSERT_THAT(kinds_of(found), ::testing::ElementsAre(ProblemKind::collective_mismatch));
  EXPECT_EQ(found.problems[0].where, "group 5");
  EXPECT_EQ(found.problems[0].what, "rank 0 issues 2 all_reduce of 4 B, rank 1 issues 1");
}

TEST(Consistency, OnAnAxisTheMembersOfEachGroupMustAgree) {
  // Ranks 0 and 1 send to 2 and 3; "tp" is {0, 1} and {2, 3}, "ends" {0, 3} only.
  Rank a, b, c;
  a.message(1, NodeKind::send, 2, 8, 3, true).coll(2, CollectiveType::all_reduce, 4, "tp");
  b.message(1, NodeKind::recv, -2, 8, 3, true).coll(2, CollectiveType::all_reduce, 6, "tp");
  c.message(1, NodeKind::recv, -2, 8, 3, true).coll(2, CollectiveType::all_reduce, 6, "ends");
  Workload all = workload({a.done(), b.done(), c.done()}, {0, 0, 1, 1});
  all.axes["tp"] = {"tp", {{1, 2}}};
  all.axes["ends"] = {"ends", {{1, 2, 3}}};
  EXPECT_EQ(check_consistency(all).count, 0u);
  EXPECT_EQ(summarize(all).traffic.front().group_size, 2u);
  all.graph_of_rank = {0, 0, 1, 2};
  const auto found = check_consistency(all);
  ASSERT_THAT(kinds_of(found), ::testing::ElementsAre(ProblemKind::collective_mismatch,
                                                      ProblemKind::collective_mismatch));
  EXPECT_EQ(found.problems[0].where, "group ends (ranks 0, 3)");
  EXPECT_EQ(found.problems[1].where, "group tp (ranks 2-3)");
  all.graph_of_rank = {0, 0, 2, 1};
  EXPECT_THAT(kinds_of(check_consistency(all)),
              ::testing::Contains(ProblemKind::not_a_member));  // rank 2 is no end
}

TEST(Consistency, NodesNeedTheirAttributes) {
  NodeSpec node;
  node.id = 4;
  node.kind = NodeKind::coll;
  Rank a;
  a.add(node);
  const auto found = check_consistency(workload({a.done()}, {0}));
  ASSERT_EQ(found.count, 1u);
  EXPECT_EQ(found.problems[0].what, "a coll node without comm_type and comm_size");
}

TEST(Consistency, ManyProblemsAreCountedAndTheFirstKept) {
  Rank a;
  for (std::uint64_t i = 0; i < 100; ++i)
    a.message(i, NodeKind::recv, 0, 8, static_cast<std::uint32_t>(i));
  const auto found = check_consistency(workload({a.done()}, {0}));
  EXPECT_EQ(found.count, 100u);
  EXPECT_EQ(found.problems.size(), kProblemsPerKind);
}

}  // namespace
}  // namespace orrery::analysis
