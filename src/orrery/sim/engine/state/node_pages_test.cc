// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/node_pages.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "orrery/graph/builder.h"
#include "orrery/graph/spill.h"

namespace orrery::sim {
namespace {

using graph::Graph;
using graph::NodeId;

/// Node n waits for some of the `reach` before it.
Graph random_graph(NodeId nodes, NodeId reach, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  graph::GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (NodeId n = 0; n < nodes; ++n) {
    graph::NodeSpec node;
    node.id = n;
    node.kind = graph::NodeKind::comp;
    for (std::uint64_t i = random() % 4; i > 0 && n > 0; --i)
      node.deps.push_back(n - 1 - random() % std::min(n, reach));
    builder.add(node);
  }
  Findings findings;
  return *std::move(builder).finish(findings);
}

/// Runs ranks node by node in a random order that dependencies allow; says how much was held.
class Walk {
 public:
  explicit Walk(std::vector<const Graph*> graphs) : graphs_(std::move(graphs)) {
    for (const Graph* graph : graphs_) {
      pages_.add(*graph);
      order_.emplace_back();
    }
  }

  std::size_t run(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::size_t most = 0;
    for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
      std::set<NodeId> ready;
      for (NodeId n = 0; n < graphs_[rank]->size(); ++n)
        if (graphs_[rank]->in_degrees()[n] == 0) ready.insert(n);
      while (!ready.empty()) {
        // One of the lowest that are ready, like a lane.
        auto pick = ready.begin();
        std::advance(pick, random() % std::min<std::size_t>(3, ready.size()));
        const NodeId node = *pick;
        ready.erase(pick);
        step(rank, node, ready);
        most = std::max(most, pages_.resident_bytes());
      }
    }
    return most;
  }

  NodePages& pages() { return pages_; }
  [[nodiscard]] const std::vector<NodeId>& order(std::uint32_t rank) const { return order_[rank]; }

 private:
  void step(std::uint32_t rank, NodeId node, std::set<NodeId>& ready) {
    pages_.times(rank, node).start = ++clock_;
    pages_.times(rank, node).end = ++clock_;
    order_[rank].push_back(node);
    for (const NodeId next : graphs_[rank]->successors(node))
      if (pages_.satisfy(rank, next)) ready.insert(next);
    pages_.end(rank, node);
  }

  std::vector<const Graph*> graphs_;
  NodePages pages_;
  std::vector<std::vector<NodeId>> order_;
  std::int64_t clock_ = 0;
};

/// Every node once, and after those it waits for.
void expect_in_order(const Graph& graph, const std::vector<NodeId>& order) {
  ASSERT_EQ(order.size(), graph.size());
  std::vector<std::uint32_t> place(graph.size(), ~0u);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (NodeId n = 0; n < graph.size(); ++n) {
    ASSERT_NE(place[n], ~0u);
    for (const NodeId next : graph.successors(n)) ASSERT_LT(place[n], place[next]);
  }
}

TEST(NodePages, EveryNodeRunsOnceAfterThoseItWaitsFor) {
  for (const NodeId nodes : {1u, 5u, 1023u, 1024u, 1025u, 3000u}) {
    const Graph graph = random_graph(nodes, 2000, nodes), other = random_graph(7, 3, nodes);
    Walk walk({&graph, &other, &graph});
    (void)walk.run(nodes);
    expect_in_order(graph, walk.order(0));
    expect_in_order(other, walk.order(1));
    expect_in_order(graph, walk.order(2));
  }
}

TEST(NodePages, HoldsTheNodesAroundTheFront) {
  const Graph graph = random_graph(100'000, 50, 1);
  Walk walk({&graph, &graph, &graph});
  const std::size_t most = walk.run(1);
  expect_in_order(graph, walk.order(2));
  // Roots are everywhere, but only those near the front are picked: some pages, and 18 bytes for
  // each of 294.
  EXPECT_LT(most, std::size_t{10} * NodePages::kPage * (sizeof(NodeTimes) + 4) + 294 * 40);
  EXPECT_EQ(walk.pages().known(1, 77).start, -1);
}

TEST(NodePages, WalksGraphsInAFile) {
  const Graph graph = random_graph(20'000, 50, 3);
  auto spill = graph::Spill::create(::testing::TempDir());
  ASSERT_TRUE(spill);
  const auto spilled = spill->put(graph);
  ASSERT_TRUE(spilled);
  Walk in_memory({&graph, &graph}), in_file({&*spilled, &*spilled});
  (void)in_memory.run(9);
  (void)in_file.run(9);
  EXPECT_EQ(in_memory.order(0), in_file.order(0));
  EXPECT_EQ(in_memory.order(1), in_file.order(1));
}

TEST(NodePagesDeathTest, NobodyAsksForWhatHasGone) {
  const Graph graph = random_graph(3, 1, 1);
  Walk walk({&graph});
  (void)walk.run(1);
  EXPECT_DEATH((void)walk.pages().times(0, 1), "pending_");
  EXPECT_DEATH((void)walk.pages().satisfy(0, 1), "pending_");
}

}  // namespace
}  // namespace orrery::sim
