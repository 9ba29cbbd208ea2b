// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/node_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "orrery/graph/builder.h"

namespace orrery::sim {
namespace {

using graph::Graph;
using graph::NodeId;

Graph graph_of(NodeId nodes) {
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

TEST(NodeLayout, GivesEachNodeOfEachRankItsOwnPlace) {
  const Graph few = graph_of(3), more = graph_of(5), none = graph_of(0);
  const std::vector<const Graph*> graphs = {&few, &more, &few, &few, &none, &more, &few, &few};
  for (const std::uint32_t tile : {1u, 2u, 3u, 64u}) {
    NodeLayout layout;
    layout.make(graphs, tile);
    std::set<std::size_t> places;
    for (std::uint32_t rank = 0; rank < graphs.size(); ++rank)
      for (NodeId node = 0; node < graphs[rank]->size(); ++node)
        EXPECT_TRUE(places.insert(layout.index(rank, node)).second);
    EXPECT_EQ(layout.size(), 5 * 3 + 2 * 5);
    EXPECT_EQ(places.size(), layout.size());
    EXPECT_EQ(*places.rbegin(), layout.size() - 1);
  }
}

TEST(NodeLayout, PutsOneNodeOfATileTogether) {
  const Graph few = graph_of(3), more = graph_of(5);
  NodeLayout layout;
  layout.make({&few, &more, &few, &few, &few}, 3);
  EXPECT_EQ(layout.index(2, 0), layout.index(0, 0) + 1);
  EXPECT_EQ(layout.index(3, 0), layout.index(0, 0) + 2);
  EXPECT_EQ(layout.index(0, 1), layout.index(0, 0) + 3);
  EXPECT_EQ(layout.index(4, 2), layout.index(4, 0) + 2);  // alone in the second tile
  EXPECT_EQ(layout.index(1, 4), layout.index(1, 0) + 4);  // the only rank with its graph
}

TEST(NodeLayout, StoresTheNodesOfARankTogetherWithoutTiles) {
  const Graph few = graph_of(3);
  NodeLayout layout;
  layout.make({&few, &few}, 1);
  EXPECT_EQ(layout.index(0, 2), 2);
  EXPECT_EQ(layout.index(1, 0), 3);
}

TEST(NodeLayout, ReadsAndWritesValuesOfARank) {
  const Graph few = graph_of(3);
  NodeLayout layout;
  layout.make({&few, &few});
  std::vector<int> values(layout.size());
  const RankNodes<int> first = layout.of(0, values.data()), second = layout.of(1, values.data());
  for (NodeId node = 0; node < 3; ++node) {
    first[node] = static_cast<int>(node);
    second[node] = static_cast<int>(10 + node);
  }
  EXPECT_EQ(first.copy(0, 2), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(second.copy(1, 2), (std::vector<int>{11, 12}));
  EXPECT_TRUE(second.copy(2, 1).empty());
}

}  // namespace
}  // namespace orrery::sim
