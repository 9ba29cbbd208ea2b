// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/equal_times.h"

#include <gtest/gtest.h>

#include <random>

#include "orrery/graph/builder.h"

namespace orrery::sim {
namespace {

using graph::Graph;
using graph::NodeId;

Graph graph_of_size(NodeId nodes) {
  graph::GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (NodeId n = 0; n < nodes; ++n) {
    graph::NodeSpec node;
    node.id = n;
    node.kind = graph::NodeKind::comp;
    builder.add(node);
  }
  Findings findings;
  return *std::move(builder).finish(findings);
}

/// Ranks with random graphs, whose times are copies of a few, with or without changes.
struct RandomTimes {
  std::vector<const Graph*> graphs;
  NodeLayout layout;
  std::vector<NodeTimes> times;

  RandomTimes(const std::vector<Graph>& all, std::mt19937_64& random) {
    const std::size_t ranks = 1 + random() % 200;
    for (std::size_t rank = 0; rank < ranks; ++rank) graphs.push_back(&all[random() % all.size()]);
    layout.make(graphs);
    times.resize(layout.size());
    const std::uint64_t kinds = 1 + random() % 4, changes = random() % 4;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto nodes = layout.of(rank, times.data());
      const auto kind = static_cast<std::int64_t>(random() % kinds);
      for (NodeId node = 0; node < graphs[rank]->size(); ++node)
        nodes[node] = {kind + node, 10 * kind + node, node == 0 ? graph::kNoNode : node - 1, rank};
      if (graphs[rank]->size() == 0 || random() % 4 >= changes) continue;
      NodeTimes& changed = nodes[static_cast<NodeId>(random() % graphs[rank]->size())];
      switch (random() % 3) {
        case 0:
          changed.start -= 1;
          break;
        case 1:
          changed.end += 1;
          break;
        default:
          changed.released_by = 0;
          break;
      }
    }
  }

  [[nodiscard]] bool are_equal(std::uint32_t a, std::uint32_t b) const {
    if (graphs[a] != graphs[b]) return false;
    for (NodeId node = 0; node < graphs[a]->size(); ++node) {
      const NodeTimes &x = times[layout.index(a, node)], &y = times[layout.index(b, node)];
      if (x.start != y.start || x.end != y.end || x.released_by != y.released_by) return false;
    }
    return true;
  }
};

// 2,000 cases of up to 200 ranks need 0.4 CPU s.
TEST(EqualTimes, AreThoseOfTheFirstEqualRank) {
  std::vector<Graph> all;
  for (const NodeId nodes : {0u, 1u, 7u, 7u, 30u}) all.push_back(graph_of_size(nodes));
  std::mt19937_64 random(7);
  std::size_t shared = 0, alone = 0;
  for (int i = 0; i < 2000; ++i) {
    const RandomTimes made(all, random);
    const auto first_of = find_equal_times(made.graphs, made.layout, made.times);
    ASSERT_EQ(first_of.size(), made.graphs.size());
    for (std::uint32_t rank = 0; rank < first_of.size(); ++rank) {
      std::uint32_t first = 0;
      while (!made.are_equal(first, rank)) ++first;
      ASSERT_EQ(first_of[rank], first) << "case " << i << ", rank " << rank;
      ++(first == rank ? alone : shared);
    }
  }
  EXPECT_GT(shared, 10'000u);
  EXPECT_GT(alone, 10'000u);
}

}  // namespace
}  // namespace orrery::sim
