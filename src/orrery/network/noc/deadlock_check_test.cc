// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/deadlock_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

namespace orrery::noc {
namespace {

using platform::NocRouting;
using platform::NocSettings;

/// The error of a routing; empty: it has no deadlocks.
std::string deadlock(const NocGraph& graph, NocRouting routing, RouteTable table = {}) {
  NocSettings settings;
  settings.routing = routing;
  const auto routes = NocRoutes::make(graph, settings, std::move(table));
  if (!routes) return routes.error().what;
  const auto checked = check_deadlock(graph, *routes);
  return checked ? std::string() : checked.error().what;
}

// Costs 0.3 s.
TEST(DeadlockCheck, AcceptsTheRoutingsOfCubes) {
  for (const NocRouting routing :
       {NocRouting::xy, NocRouting::yx, NocRouting::o1turn, NocRouting::adaptive,
        NocRouting::xy_escape, NocRouting::valiant, NocRouting::up_down}) {
    for (const CubeShape& shape :
         {CubeShape{{4, 4}}, CubeShape{{5, 4}, true}, CubeShape{{6}, true}, CubeShape{{7}, true},
          CubeShape{{3, 4, 2}}, CubeShape{{4, 3, 4}, true}, CubeShape{{2, 2}, false, 3}})
      EXPECT_EQ(deadlock(*make_cube(shape), routing), "") << static_cast<int>(routing);
  }
}

// The check of large meshes and tori does not depend on their size. Costs 0.2 s.
TEST(DeadlockCheck, ChecksLargeCubesByShortOnes) {
  for (const NocRouting routing :
       {NocRouting::automatic, NocRouting::adaptive, NocRouting::valiant}) {
    NocSettings settings;
    settings.routing = routing;
    EXPECT_TRUE(find_safe_routes(*make_cube({{250, 250}, true}), settings).has_value());
    EXPECT_TRUE(find_safe_routes(*make_cube({{16, 9, 16}}), settings).has_value());
  }
}

// A ring whose packets use the same channels everywhere waits in a circle.
TEST(DeadlockCheck, NamesTheCircleOfARing) {
  EXPECT_EQ(deadlock(*make_cube({{5}, true}), NocRouting::shortest),
            "packets can wait for each other forever: router 0 -> router 1, router 1 -> router 2, "
            "router 2 -> router 3, router 3 -> router 4, router 4 -> router 0");
  EXPECT_EQ(deadlock(*make_cube({{5}, true}), NocRouting::up_down), "");
  EXPECT_THAT(deadlock(*make_cube({{20}, true}), NocRouting::shortest),
              ::testing::HasSubstr("and 12 more"));
}

// Two turns are enough: a mesh whose packets take XY in one half and YX in the other.
TEST(DeadlockCheck, FindsTurnsOfAMeshThatCloseACircle) {
  const NocGraph mesh = *make_cube({{2, 2}});
  RouteTable table = shortest_routes(mesh);
  EXPECT_EQ(deadlock(mesh, NocRouting::shortest, table), "");
  // Diagonal packets turn clockwise: 0 -> 2 -> 3, 2 -> 3 -> 1, 3 -> 1 -> 0, 1 -> 0 -> 2.
  const auto set = [&](std::uint32_t from, std::uint32_t to, std::uint16_t port) {
    table.ports[from * 4 + to] = port;
  };
  set(0, 3, 2);
  set(2, 1, 0);
  set(3, 0, 3);
  set(1, 2, 1);
  EXPECT_THAT(deadlock(mesh, NocRouting::shortest, table),
              ::testing::StartsWith("packets can wait for each other forever: "));
}

// A switch with 1,500 ports has two million pairs of channels. Costs 0.5 s.
TEST(DeadlockCheck, ASwitchWithManyPorts) {
  NocGraph star;
  star.ports.assign(1501, 0);
  star.domain.assign(1501, 0);
  star.periods = {1000};
  for (std::uint32_t leaf = 1; leaf < star.router_count(); ++leaf) {
    add_link(star, leaf, 0);
    add_link(star, 0, leaf);
    add_node(star, leaf);
  }
  const std::clock_t begin = std::clock();
  EXPECT_EQ(deadlock(star, NocRouting::shortest), "");
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
}

TEST(DeadlockCheck, TreesAndFullyConnectedNetworksHaveNone) {
  EXPECT_EQ(deadlock(*make_fully_connected(9), NocRouting::shortest), "");
  NocGraph tree;
  tree.ports.assign(7, 0);
  tree.domain.assign(7, 0);
  tree.periods = {1000};
  for (std::uint32_t child = 1; child < 7; ++child) {
    add_link(tree, child, (child - 1) / 2);
    add_link(tree, (child - 1) / 2, child);
    add_node(tree, child);
  }
  EXPECT_EQ(deadlock(tree, NocRouting::shortest), "");
  EXPECT_EQ(deadlock(tree, NocRouting::up_down), "");
}

}  // namespace
}  // namespace orrery::noc
