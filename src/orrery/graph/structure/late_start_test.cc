// SPDX-License-Identifier: Apache-2.0
//
// Waits for starts, and for values that a work writes before it ends.
#include "orrery/graph/structure/late_start.h"

#include <gtest/gtest.h>

#include "orrery/graph/builder.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/structure/poll_edges.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

/// A rank by hand. Ids are 1, 2 … in the order of calls.
class Rank {
 public:
  void work(std::int64_t time, bool host, std::vector<DependencyNote> deps) {
    add(time, static_cast<std::uint16_t>(kHasCpuAttr | (host ? kIsCpu : 0)), std::move(deps));
    nodes_.back().lane = Lane{host ? 1 : 7, 0, 0, host};
  }
  void wait(std::int64_t time) { add(time, kHasCpuAttr | kIsCpu | kIsWait, {}); }

  Graph take() {
    for (NodeSpec& node : nodes_) builder_.add(std::move(node));
    Findings findings;
    return std::move(builder_).finish(findings).value();
  }

 private:
  void add(std::int64_t time, std::uint16_t flags, std::vector<DependencyNote> deps) {
    NodeSpec node;
    node.id = nodes_.size() + 1;
    node.kind = NodeKind::comp;
    node.flags = flags;
    node.duration = us(time);
    for (const DependencyNote& dep : deps) node.deps.push_back(dep.dep);
    node.notes = std::move(deps);
    nodes_.push_back(std::move(node));
  }

  GraphBuilder builder_{"w.0.et", std::make_shared<StringPool>(), Repair::refuse};
  std::vector<NodeSpec> nodes_;
};

TEST(LateStart, IsTheLeastStartOfARankThatWaits) {
  Rank late;
  late.wait(5'000);
  late.wait(5'700);
  late.work(10, true, {{1, {}, DependencyKind::start}});
  late.work(10, true, {{2, {}, DependencyKind::start}});
  const Graph graph = late.take();
  EXPECT_EQ(late_start(graph), us(5'000));
  // Only the rest is a wait of the step.
  const GraphRef without = scale_lags(graph, LagKind::waits, 0);
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(without->duration(0), us(5'000));
  EXPECT_EQ(without->duration(1), us(5'000));

  Rank first;  // something starts at once
  first.work(10, true, {});
  first.wait(700);
  first.work(10, false, {{2, {}, DependencyKind::start}});
  EXPECT_EQ(late_start(first.take()), Time{});
}

/// A launch and a product before a work that writes a value; a thread reads it 70 us later.
Graph polled() {
  Rank rank;
  rank.work(10, true, {});                                        // 1: the launch
  rank.work(5'000, false, {{1, us(5), DependencyKind::launch}});  // 2: the product
  rank.work(100, false,
            {{1, us(3), DependencyKind::launch}, {2, us(2), DependencyKind::stream}});  // 3
  rank.work(10, true, {{1, us(73), DependencyKind::poll}, {2, us(72), DependencyKind::poll}});
  return rank.take();
}

TEST(PollEdges, FollowTheWorkThatWritesTheValue) {
  const Graph graph = polled();
  const auto edges = poll_edges(graph);
  ASSERT_EQ(edges.size(), 2u);
  for (const PollEdge& edge : edges) {
    EXPECT_EQ(graph.id(edge.work), 3u);
    EXPECT_EQ(edge.progress(graph), us(70));
  }
  std::vector<Time> durations = durations_of(graph);
  durations[2] = us(50);
  const GraphRef half = with_durations(graph, durations);
  for (const PollEdge& edge : poll_edges(*half)) EXPECT_EQ(edge.progress(*half), us(35));
  // Without gaps, the thread reads the value that much earlier, and the kernel lasts as long.
  const GraphRef without = scale_lags(graph, LagKind::gaps, 0);
  ASSERT_NE(without, nullptr);
  for (const PollEdge& edge : poll_edges(*without)) EXPECT_EQ(edge.progress(*without), us(70));
  EXPECT_EQ(without->lag(1, without->edge(1, 3)), us(70));
}

}  // namespace
}  // namespace orrery::graph
