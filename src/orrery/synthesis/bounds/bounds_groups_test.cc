// SPDX-License-Identifier: Apache-2.0
//
// Bounds of several groups that do one collective each, all at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/synthesis/bounds/bounds.h"
#include "orrery/synthesis/fabric/fabric_state_testing.h"

namespace orrery::synthesis {
namespace {

using enum graph::CollectiveType;
using Groups = std::vector<std::vector<std::uint32_t>>;

constexpr Bytes kMebi{1 << 20};

BoundQuestion mebibyte(graph::CollectiveType type) {
  BoundQuestion question;
  question.type = type;
  question.bytes = kMebi;
  question.thorough = true;
  return question;
}

Bound at_once(const FabricState& fabric, graph::CollectiveType type, const Groups& groups) {
  const auto found = joint_lower_bound(fabric, mebibyte(type), groups);
  EXPECT_TRUE(found) << (found ? "" : to_string(found.error()));
  return found.value_or(Bound{});
}

// In a row of four, ranks 0 and 3 gather over the link over which 1 and 2 do.
TEST(BoundsOfGroups, WhatGroupsShareCarriesAll) {
  const FabricState row = mesh({4});
  const double link = row.wires.front().capacity;
  for (const auto type : {all_gather, reduce_scatter, all_to_all}) {
    const Bound alone = at_once(row, type, {{0, 3}});
    const Bound both = at_once(row, type, {{0, 3}, {1, 2}});
    EXPECT_NEAR(seconds(alone.bandwidth), 0.5 * (1 << 20) / link, 1e-12) << graph::name(type);
    EXPECT_NEAR(seconds(both.bandwidth), (1 << 20) / link, 1e-12) << graph::name(type);
    EXPECT_EQ(both.binding_cut.bytes, 1 << 20) << both.binding_cut.name;
    EXPECT_FALSE(both.exact);
  }
  // Each of two must send all of it, and once.
  EXPECT_NEAR(seconds(at_once(row, all_reduce, {{0, 3}, {1, 2}}).bandwidth), 2.0 * (1 << 20) / link,
              1e-12);
  // Apart from each other they are as alone.
  const Bound apart = at_once(row, all_gather, {{0, 1}, {2, 3}});
  EXPECT_EQ(apart.total, at_once(row, all_gather, {{0, 1}}).total);
}

// Pairs across a ring: half of it, which only steps from a single node lead to, has to let all
// pass.
TEST(BoundsOfGroups, SetsGrowUntilTheyAreTight) {
  const FabricState ring = torus({8});
  const double both = 2 * ring.wires.front().capacity;
  const Bound pairs = at_once(ring, all_gather, {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  EXPECT_NEAR(seconds(pairs.bandwidth), 2.0 * (1 << 20) / both, 1e-12) << pairs.binding_cut.name;
  const Bound parities = at_once(ring, reduce_scatter, {{0, 2, 4, 6}, {1, 3, 5, 7}});
  EXPECT_NEAR(seconds(parities.bandwidth), 1.5 * (1 << 20) / both, 1e-12)
      << parities.binding_cut.name;
}

TEST(BoundsOfGroups, OneGroupIsAsEver) {
  const FabricState fabric = rails(2);
  for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce}) {
    BoundQuestion question = mebibyte(type);
    question.ranks = {0, 3, 8, 11};
    const auto one = lower_bound_of(fabric, question);
    const auto same = joint_lower_bound(fabric, question, Groups{{0, 3, 8, 11}});
    ASSERT_TRUE(one && same);
    EXPECT_EQ(one->total, same->total);
    EXPECT_EQ(one->exact, same->exact);
    EXPECT_EQ(one->binding_cut.name, same->binding_cut.name);
  }
}

/// What leaves the worst of all sets of nodes, in picoseconds.
double worst_of_sets(const FabricState& fabric, graph::CollectiveType type, const Groups& groups) {
  double worst = 0;
  for (std::uint32_t set = 1; set < (1U << fabric.node_count()); ++set) {
    double capacity = 0, bytes = 0;
    for (const Wire& wire : fabric.wires) {
      if ((set >> wire.from & 1U) != 0 && (set >> wire.to & 1U) == 0) capacity += wire.capacity;
    }
    for (const auto& group : groups) {
      const auto p = static_cast<double>(group.size());
      const auto is_in = [&](std::uint32_t rank) {
        return (set >> fabric.rank_devices[rank] & 1U) != 0;
      };
      const auto inside = static_cast<double>(std::count_if(group.begin(), group.end(), is_in));
      const double shard = static_cast<double>(kMebi.count() / static_cast<std::int64_t>(p));
      if (inside == 0 || inside == p) continue;
      bytes += type == all_gather ? shard * inside : shard * inside * (p - inside);
    }
    if (bytes > 0) worst = std::max(worst, bytes / capacity);
  }
  return worst * 1e12;
}

// The bound is that of some set, never above that of all sets, and never below any group's own.
TEST(BoundsOfGroups, NeverAboveTheTightestOfAllSets) {
  int together = 0, exact = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const FabricState fabric = random_fabric(seed, {.devices = 6, .switches = 2, .more_links = 4});
    const Groups groups = {{0, 2, 4}, {1, 3, 5}, {0, 5}};
    const Bound found = at_once(fabric, all_gather, groups);
    const double worst = worst_of_sets(fabric, all_gather, groups);
    EXPECT_LE(static_cast<double>(found.bandwidth.count()), worst * (1 + 1e-9)) << seed;
    exact += static_cast<double>(found.bandwidth.count()) > worst * (1 - 1e-9) - 2 ? 1 : 0;
    Time alone{};
    for (const auto& group : groups)
      alone = std::max(alone, at_once(fabric, all_gather, {group}).total);
    EXPECT_GE(found.total, alone);
    together += found.total > alone ? 1 : 0;
  }
  EXPECT_GT(together, 60);
  EXPECT_GT(exact, 90);
}

TEST(BoundsOfGroups, WhatCannotBeIsSaid) {
  const FabricState row = mesh({4});
  EXPECT_FALSE(joint_lower_bound(row, mebibyte(all_gather), Groups{{0, 1}, {2, 4}}));
  EXPECT_FALSE(
      joint_lower_bound(row, mebibyte(graph::CollectiveType::barrier), Groups{{0, 1}, {2}}));
}

}  // namespace
}  // namespace orrery::synthesis
