// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/memories/nearest_memories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "orrery/platform/topology/routing/shortest_routes.h"

namespace orrery::model {
namespace {

using platform::NodeClass;
using platform::NodeIndex;
using platform::Topology;
using platform::TopologyBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint32_t> nearest(const NearestMemories& near, NodeIndex node) {
  const auto found = near.of(node);
  return {found.begin(), found.end()};
}

Topology finished(TopologyBuilder& builder) {
  auto made = builder.finish("test");
  EXPECT_TRUE(made);
  return std::move(*made);
}

// device 0 - switch 1 - device 2 - switch 3, with a memory at each switch.
TEST(NearestMemories, ByLinksAndADeviceOnTheWayIsOneMore) {
  TopologyBuilder builder("line", "test");
  for (const NodeClass kind : {NodeClass::device, NodeClass::leaf, NodeClass::device,
                               NodeClass::leaf, NodeClass::memory, NodeClass::memory})
    builder.add(kind, "n");
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {1, 4}, {3, 5}})
    builder.join(static_cast<NodeIndex>(a), static_cast<NodeIndex>(b), {Bandwidth(1e9), ns(1)});
  const Topology topology = finished(builder);
  const std::vector<NodeIndex> memories{5, 4};
  const NearestMemories near(topology, memories, {});
  EXPECT_THAT(nearest(near, 0), ElementsAre(1));
  EXPECT_THAT(nearest(near, 2), ElementsAre(0, 1)) << "both are two links away";
  EXPECT_THAT(nearest(near, 3), ElementsAre(0));
  std::vector<bool> down(topology.link_count());
  down[topology.between(4, 1).first] = true;
  const NearestMemories broken(topology, memories, down);
  EXPECT_THAT(nearest(broken, 0), ElementsAre(0));
  EXPECT_THAT(nearest(NearestMemories(topology, {}, {}), 0), IsEmpty());
}

// Against the ways of fewest links, over random graphs.
TEST(NearestMemories, AreThoseOfTheShortestWays) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t limit) {
      return static_cast<NodeIndex>(random() % limit);
    };
    TopologyBuilder builder("random", "test");
    const NodeIndex count = 3 + below(12);
    std::vector<NodeIndex> memories;
    for (NodeIndex node = 0; node < count; ++node) {
      const NodeClass kinds[] = {NodeClass::device, NodeClass::leaf, NodeClass::memory};
      const NodeClass kind = kinds[below(3)];
      builder.add(kind, "n");
      if (kind == NodeClass::memory) memories.push_back(node);
    }
    for (NodeIndex link = below(3 * count); link > 0; --link) {
      const NodeIndex a = below(count), b = below(count);
      if (a != b) builder.link(a, b, {Bandwidth(1e9), ns(1)});
    }
    const Topology topology = finished(builder);
    std::vector<bool> down(topology.link_count());
    for (std::size_t link = 0; link < down.size(); ++link) down[link] = below(6) == 0;
    const platform::ShortestRoutes routes(topology, down);
    const NearestMemories near(topology, memories, down);
    for (NodeIndex node = 0; node < count; ++node) {
      std::uint32_t least = platform::ShortestRoutes::kNoRoute;
      for (const NodeIndex memory : memories)
        least = std::min(least, routes.distance(memory, node));
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < memories.size(); ++i) {
        if (least != platform::ShortestRoutes::kNoRoute &&
            routes.distance(memories[i], node) == least)
          expected.push_back(i);
      }
      EXPECT_EQ(nearest(near, node), expected) << "seed " << seed << ", node " << node;
    }
  }
}

}  // namespace
}  // namespace orrery::model
