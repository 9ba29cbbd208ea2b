// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/merge_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orrery/graph/builder.h"

namespace orrery::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Nodes one after another.
class JobChain {
 public:
  void message(NodeKind kind, std::int32_t peer, bool relative) {
    NodeSpec node = next(kind, "message");
    node.flags = kHasTag | kHasCommSize | (kind == NodeKind::send ? kHasDst : kHasSrc);
    if (relative) node.flags |= kPeerRelative;
    (kind == NodeKind::send ? node.message.dst : node.message.src) = peer;
    builder_.add(node);
  }
  void collective(const std::string& group, std::uint32_t mask = ~0u) {
    NodeSpec node = next(NodeKind::coll, "collective");
    node.flags = kHasCommType | kHasCommSize;
    node.collective.size = Bytes(64);
    node.collective.group = builder_.strings().intern(group);
    if (mask != ~0u) {
      node.flags |= kHasDims;
      node.collective.dims_mask = mask;
      node.collective.dims_count = 2;
    }
    builder_.add(node);
  }
  void work() { builder_.add(next(NodeKind::comp, "work")); }
  GraphRef finish() {
    Findings findings;
    auto graph = std::move(builder_).finish(findings);
    EXPECT_TRUE(graph.has_value());
    return std::make_shared<const Graph>(*std::move(graph));
  }

 private:
  NodeSpec next(NodeKind kind, const std::string& name) {
    NodeSpec node;
    node.id = next_++;
    node.kind = kind;
    node.name = builder_.strings().intern(name);
    node.duration = Time(kind == NodeKind::comp ? 100 : 0);
    if (node.id > 0) node.deps = {node.id - 1};
    return node;
  }

  std::uint64_t next_ = 0;
  GraphBuilder builder_{"chain", std::make_shared<StringPool>(), Repair::refuse};
};

Workload all_run(GraphRef graph, std::uint32_t ranks) {
  Workload made;
  made.graphs = {std::move(graph)};
  made.graph_of_rank.assign(ranks, 0);
  return made;
}

Workload put(std::vector<JobPart> jobs, std::uint32_t ranks) {
  Findings findings;
  auto made = merge_jobs(jobs, ranks, findings);
  EXPECT_TRUE(made.has_value()) << made.error().what;
  return *std::move(made);
}

std::string refused(std::vector<JobPart> jobs, std::uint32_t ranks) {
  Findings findings;
  const auto made = merge_jobs(jobs, ranks, findings);
  return made ? "" : made.error().where + ": " + made.error().what;
}

TEST(Together, RanksAndGroupsAreThoseThatTheySitOn) {
  JobChain chain;
  chain.message(NodeKind::send, 2, false);
  chain.collective("");
  chain.collective("some");
  chain.collective("pairs");
  chain.collective("nobody knows it");
  Workload job = all_run(chain.finish(), 4);
  job.groups["some"] = {"some", {3, 0}};
  job.axes["pairs"] = {"pairs", {{1, 2}}};
  const Workload made = put({{"a", &job, {1, 4, 5, 7}}}, 8);
  ASSERT_EQ(made.rank_count(), 8u);
  const Graph& graph = made.graph(4);
  EXPECT_EQ(graph.point_to_point(0).dst, 5);
  EXPECT_EQ(graph.string(graph.collective(1).group), "a");
  EXPECT_EQ(graph.string(graph.collective(2).group), "a/some");
  EXPECT_EQ(graph.string(graph.collective(3).group), "a/pairs");
  EXPECT_EQ(graph.string(graph.collective(4).group), "a");
  EXPECT_THAT(made.groups.at("a").ranks, ElementsAre(1, 4, 5, 7));
  EXPECT_THAT(made.groups.at("a/some").ranks, ElementsAre(7, 1));
  const GroupAxis& pairs = made.axes.at("a/pairs");
  EXPECT_THAT(pairs.members(pairs.first(7)), ElementsAre(5, 7));
  EXPECT_EQ(pairs.position(7), 1u);
  EXPECT_TRUE(pairs.has(4));
  EXPECT_FALSE(pairs.has(0));
  EXPECT_EQ(made.group_name("a/pairs", 4), "a/pairs (ranks 1, 4)");
  EXPECT_EQ(made.graph(0).size(), 0u) << "a rank without a job does nothing";
}

TEST(Together, RanksThatSendEquallyFarShareAGraph) {
  JobChain chain;
  chain.message(NodeKind::send, 1, true);
  JobChain last;
  last.work();
  Workload job = all_run(chain.finish(), 4);
  job.graphs.push_back(last.finish());
  job.graph_of_rank[3] = 1;
  const Workload made = put({{"a", &job, {0, 1, 4, 5}}}, 6);
  EXPECT_EQ(made.graph(0).point_to_point(0).dst, 1);
  EXPECT_EQ(made.graph(1).point_to_point(0).dst, 3);
  EXPECT_EQ(made.graph_of_rank[0], made.graph_of_rank[4]);
  EXPECT_NE(made.graph_of_rank[0], made.graph_of_rank[1]);
  EXPECT_EQ(made.graph(1).message(0, 1).dst, 4);
}

TEST(Together, StepsFollowEachOtherAndBeginLater) {
  JobChain chain;
  chain.work();
  chain.work();
  const Workload job = all_run(chain.finish(), 1);
  const Workload made = put({{"a", &job, {0}, Time(7000), 3}}, 1);
  const Graph& graph = made.graph(0);
  ASSERT_EQ(graph.size(), 2 * 3 + 2 + 1u);  // and two joints, and the wait
  std::uint64_t waits = 0;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) == NodeKind::metadata) {
      EXPECT_EQ(graph.in_degrees()[n], 1u);
      EXPECT_EQ(graph.successors(n).size(), 1u);
    }
    if (!graph.has(n, kIsWait)) continue;
    ++waits;
    EXPECT_EQ(graph.duration(n), Time(7000));
    EXPECT_THAT(graph.successors(n), ElementsAre(graph.find(0)));
  }
  EXPECT_EQ(waits, 1u);
}

TEST(Together, RefusesWhatCannotBe) {
  JobChain chain;
  chain.message(NodeKind::send, 1, true);
  const Workload job = all_run(chain.finish(), 2);
  EXPECT_THAT(refused({{"a", &job, {0, 1}}}, 2), HasSubstr("rank 2, but the job has 2 ranks"));
  JobChain other;
  other.collective("", 1);
  const Workload masked = all_run(other.finish(), 2);
  EXPECT_THAT(refused({{"a", &masked, {0, 1}}}, 2), HasSubstr("some dimensions of the machine"));
  JobChain third;
  third.work();
  const Workload plain = all_run(third.finish(), 2);
  EXPECT_THAT(refused({{"a", &plain, {0, 1}}, {"b", &plain, {1, 2}}}, 3),
              HasSubstr("already used by job a"));
  EXPECT_THAT(refused({{"a", &plain, {0, 4}}}, 4), HasSubstr("rank 4 does not exist"));
  EXPECT_THAT(refused({{"a", &plain, {0}}}, 4), HasSubstr("has 2 ranks, but gets 1"));
  Workload group = plain;
  group.groups["g"] = {"g", {0, 2}};
  EXPECT_THAT(refused({{"a", &group, {0, 1}}}, 4), HasSubstr("rank 2, but the job has 2 ranks"));
}

}  // namespace
}  // namespace orrery::graph
