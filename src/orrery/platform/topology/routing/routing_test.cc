// SPDX-License-Identifier: Apache-2.0
//
// Routes against a search that knows no tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <set>

#include "orrery/core/sanitized_testing.h"
#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/router.h"
#include "orrery/platform/topology/routing/shortest_routes.h"

namespace orrery::platform {
namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

LinkFigures rate(double gigabytes) {
  return {Bandwidth(gigabytes * 1e9), ns(100), 1, LinkClass::network};
}

/// Hops (devices passed through count twice) and the narrowest link, from every node to `to`.
struct Plain {
  std::vector<int> hops;
  std::vector<double> width;
};

constexpr int kFar = 1 << 20;

Plain search(const Topology& topology, NodeIndex to, const std::vector<bool>& down,
             const std::vector<bool>& allowed) {
  Plain found{std::vector<int>(topology.node_count(), kFar),
              std::vector<double>(topology.node_count(), 0)};
  found.hops[to] = 0;
  found.width[to] = 1e300;
  for (bool changed = true; changed;) {  // Bellman and Ford: slow and plain
    changed = false;
    for (LinkIndex i = 0; i < topology.link_count(); ++i) {
      const Link& link = topology.link(i);
      if (down[i] || found.hops[link.to] == kFar || !allowed[link.to] || !allowed[link.from])
        continue;
      const bool passes = link.to != to && topology.kind(link.to) == NodeClass::device;
      const int hops = found.hops[link.to] + 1 + (passes ? 1 : 0);
      const double width = std::min(found.width[link.to], link.capacity());
      if (hops < found.hops[link.from] ||
          (hops == found.hops[link.from] && width > found.width[link.from])) {
        found.hops[link.from] = hops;
        found.width[link.from] = width;
        changed = true;
      }
    }
  }
  return found;
}

/// Only what is between hosts, and both ends' hosts; everything if that is no way.
Plain search_as_stated(const Topology& topology, NodeIndex from, NodeIndex to,
                       const std::vector<bool>& down) {
  std::vector<bool> allowed(topology.node_count(), true);
  const auto own = [&](NodeIndex node) {
    if (topology.host(node) == Topology::kNoHost)
      return topology.kind(node) != NodeClass::device || node == from || node == to;
    return topology.host(node) == topology.host(from) || topology.host(node) == topology.host(to);
  };
  bool touching = false;
  for (const Link& link : topology.links()) {
    const auto between = [&](NodeIndex node) {
      return topology.host(node) == Topology::kNoHost && topology.kind(node) != NodeClass::device;
    };
    const bool same = topology.host(link.from) != Topology::kNoHost &&
                      topology.host(link.from) == topology.host(link.to);
    touching |= !same && !between(link.from) && !between(link.to);
  }
  if (!touching) {
    for (NodeIndex node = 0; node < topology.node_count(); ++node) allowed[node] = own(node);
    // Nor does anything come back to where it began, nor leave where it ends.
    std::vector<bool> closed = down;
    for (LinkIndex i = 0; i < topology.link_count(); ++i) {
      const NodeIndex a = topology.link(i).from, b = topology.link(i).to;
      const bool comes_back = b == from || (topology.host(b) != Topology::kNoHost &&
                                            topology.host(b) == topology.host(from));
      const bool at_home =
          topology.host(from) != Topology::kNoHost &&
          (topology.host(from) == topology.host(to) || topology.host(a) == topology.host(from));
      const bool leaves =
          topology.host(to) != Topology::kNoHost && topology.host(from) != topology.host(to) &&
          topology.host(a) == topology.host(to) && topology.host(b) != topology.host(to);
      if ((comes_back && !at_home) || leaves) closed[i] = true;
    }
    Plain found = search(topology, to, closed, allowed);
    if (found.hops[from] != kFar) return found;
  }
  return search(topology, to, down, std::vector<bool>(topology.node_count(), true));
}

void expect_shortest(const Topology& topology, const std::vector<bool>& down, NodeIndex from,
                     NodeIndex to) {
  const ShortestRoutes routes(topology, down);
  const Plain plain = search_as_stated(topology, from, to, down);
  std::vector<LinkIndex> next;
  routes.next(from, to, next);
  std::vector<LinkIndex> expected;
  const auto [first, last] = topology.out(from);
  for (LinkIndex i = first; i < last; ++i) {
    const Link& link = topology.link(i);
    if (down[i] || plain.hops[link.to] == kFar) continue;
    const bool passes = link.to != to && topology.kind(link.to) == NodeClass::device;
    if (plain.hops[link.to] + 1 + (passes ? 1 : 0) == plain.hops[from] &&
        std::min(plain.width[link.to], link.capacity()) == plain.width[from])
      expected.push_back(i);
  }
  EXPECT_EQ(next, expected) << topology.name(from) << " to " << topology.name(to);
  EXPECT_EQ(routes.distance(from, to), plain.hops[from] == kFar
                                           ? ShortestRoutes::kNoRoute
                                           : static_cast<std::uint32_t>(plain.hops[from]));
}

Topology random_fabric(Random& random) {
  TopologyBuilder builder("random", "test");
  const std::int64_t hosts = 1 + below(random, 5), switches = 1 + below(random, 6);
  std::vector<NodeIndex> outside;
  for (std::int64_t s = 0; s < switches; ++s)
    outside.push_back(builder.add(below(random, 2) != 0 ? NodeClass::leaf : NodeClass::spine, "s"));
  for (std::int64_t h = 0; h < hosts; ++h) {
    const bool alone = below(random, 4) == 0;
    const std::uint32_t host = alone ? Topology::kNoHost : builder.add_host();
    std::vector<NodeIndex> inside;
    const std::int64_t devices = alone ? 1 : 1 + below(random, 4);
    for (std::int64_t d = 0; d < devices; ++d)
      inside.push_back(builder.add(NodeClass::device, "d", host));
    for (std::int64_t n = below(random, 3); n > 0 && !alone; --n)
      inside.push_back(builder.add(NodeClass::nic, "n", host));
    const auto one_of = [&](const std::vector<NodeIndex>& nodes) {
      return nodes[static_cast<std::size_t>(below(random, std::ssize(nodes)))];
    };
    for (std::int64_t l = below(random, 6); l > 0; --l) {
      const auto a = one_of(inside), b = one_of(inside);
      if (a != b) builder.join(a, b, rate(static_cast<double>(1 + below(random, 3))));
    }
    for (std::int64_t l = 1 + below(random, 3); l > 0; --l) {
      const auto a = one_of(inside), b = one_of(outside);  // drawn in this order by every compiler
      builder.join(a, b, rate(static_cast<double>(1 + below(random, 3))));
    }
  }
  for (std::int64_t l = below(random, 2 * switches); l > 0; --l) {
    const auto a = outside[static_cast<std::size_t>(below(random, switches))];
    const auto b = outside[static_cast<std::size_t>(below(random, switches))];
    if (a != b) builder.link(a, b, rate(static_cast<double>(1 + below(random, 3))));
  }
  if (below(random, 3) == 0 && builder.node_count() > switches + 1)  // hosts that touch
    builder.join(static_cast<NodeIndex>(switches), builder.node_count() - 1, rate(1));
  Result<Topology> made = builder.finish("random");
  EXPECT_TRUE(made);
  return std::move(*made);
}

TEST(ShortestRoutes, AreThoseOfAPlainSearch) {
  for (std::uint64_t seed = 1; seed <= rounds(6000u, 1500u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Topology topology = random_fabric(random);
    std::vector<bool> down(topology.link_count());
    for (std::int64_t n = below(random, 3); n > 0; --n)
      down[static_cast<std::size_t>(below(random, topology.link_count()))] = true;
    for (int pair = 0; pair < 4; ++pair) {
      const auto devices = topology.devices();
      const auto from = static_cast<NodeIndex>(below(random, topology.node_count()));
      const auto to = devices[static_cast<std::size_t>(below(random, std::ssize(devices)))];
      // From inside a host, or from a switch that may look into hosts of both.
      if (from == to || topology.rank(from) == Topology::kNoRank) continue;
      expect_shortest(topology, down, from, to);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<Topology> generated() {
  const HostShape dgx{4, 4, HostInterconnect::switched, 1, rate(100), 4, rate(30)};
  const HostShape single{12, 1, HostInterconnect::none, 1, {}, 0, {}};
  std::vector<Topology> made;
  const auto add = [&](const HostShape& host, NetworkPlan plan) {
    plan.port = plan.trunk = rate(20);
    auto topology = generate("g", {host}, plan, "g");
    ASSERT_TRUE(topology) << to_string(topology.error());
    made.push_back(std::move(*topology));
  };
  using enum NetworkShape;
  for (const NetworkShape shape : {fat_tree, rail_optimized, rail_only, dual_plane})
    add(dgx, {.shape = shape, .per_leaf = 2, .radix = 8});
  add(dgx, {.shape = fat_tree, .per_leaf = 2, .radix = 4, .tiers = 3, .leaves_per_pod = 2});
  add(dgx, {.shape = dragonfly, .per_leaf = 2, .group = 2, .global_links = 2});
  add(dgx, {.shape = dragonfly_plus, .per_leaf = 2, .group = 2, .global_links = 2});
  add(single, {.shape = torus, .sizes = {3, 4}});
  add(single, {.shape = torus, .sizes = {4, 3}, .twists = {1, 0}});
  add(single, {.shape = mesh, .sizes = {3, 4}});
  add(single, {.shape = switched});
  add(single, {.shape = fat_tree, .per_leaf = 3, .radix = 8, .oversubscription = 3});
  return made;
}

TEST(ShortestRoutes, ReachEveryoneInGeneratedFabrics) {
  for (const Topology& topology : generated()) {
    const std::vector<bool> down(topology.link_count());
    for (const NodeIndex from : topology.devices()) {
      for (const NodeIndex to : topology.devices()) {
        if (from != to) expect_shortest(topology, down, from, to);
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    }
  }
}

/// Every way leads from one end to the other, and its shares are whole at every node.
void expect_whole(const Topology& topology, const std::vector<RouteLink>& way, NodeIndex from,
                  NodeIndex to) {
  std::vector<double> here(topology.node_count());
  here[from] = 1;
  for (const RouteLink& step : way) {
    const Link& link = topology.link(step.link);
    here[link.from] -= step.share;
    here[link.to] += step.share;
  }
  for (NodeIndex node = 0; node < topology.node_count(); ++node)
    EXPECT_NEAR(here[node], node == to ? 1 : 0, 1e-12) << topology.name(node);
}

TEST(Router, EveryPolicyLeadsThere) {
  struct Uneven : LinkLoads {
    [[nodiscard]] double load(LinkIndex link) const override { return link % 3 * 0.3; }
  } loads;
  for (const Topology& topology : generated()) {
    for (const RoutePolicyEntry& policy : kRoutePolicies) {
      const Router router(topology, {policy.policy, 7, {}});
      std::vector<RouteLink> way;
      for (const NodeIndex from : topology.devices()) {
        for (const NodeIndex to : topology.devices()) {
          if (from == to) continue;
          ASSERT_TRUE(router.find(from, to, way, &loads)) << policy.word;
          expect_whole(topology, way, from, to);
        }
      }
    }
  }
}

// A link that goes down moves the ways that crossed it, and no other.
TEST(Router, AFailedLinkMovesOnlyWhatCrossedIt) {
  Random random(3);
  for (const Topology& topology : generated()) {
    for (const RoutePolicy policy : {RoutePolicy::ecmp, RoutePolicy::known, RoutePolicy::d_mod_k}) {
      const Router healthy(topology, {policy, 5, {}});
      for (int trial = 0; trial < 6; ++trial) {
        std::vector<bool> down(topology.link_count());
        const auto broken = static_cast<LinkIndex>(below(random, topology.link_count()));
        down[broken] = true;
        const Router hurt(topology, {policy, 5, {}}, down);
        std::vector<RouteLink> before, after;
        for (const NodeIndex from : topology.devices()) {
          for (const NodeIndex to : topology.devices()) {
            if (from == to) continue;
            ASSERT_TRUE(healthy.find(from, to, before));
            const bool crossed =
                std::any_of(before.begin(), before.end(),
                            [&](const RouteLink& step) { return step.link == broken; });
            const bool found = hurt.find(from, to, after);
            if (!crossed) {
              ASSERT_TRUE(found);
              EXPECT_EQ(after, before);
            }
            for (const RouteLink& step : after) EXPECT_NE(step.link, broken);
          }
        }
      }
    }
  }
}

// By way of a switch where there is one: on a star that is the only way.
TEST(Router, ValiantLeavesDevicesInPeace) {
  const HostShape single{6, 1, HostInterconnect::none, 1, {}, 0, {}};
  NetworkPlan plan{.shape = NetworkShape::switched};
  plan.port = rate(10);
  const auto star = generate("star", {single}, plan, "star");
  ASSERT_TRUE(star);
  const Router router(*star, {RoutePolicy::valiant, 1, {}});
  std::vector<RouteLink> way;
  for (NodeIndex to = 1; to < 6; ++to) {
    ASSERT_TRUE(router.find(0, to, way));
    EXPECT_EQ(way.size(), 2U);
  }
}

TEST(Router, ASetWayIsTaken) {
  const Topology topology = generated().back();  // 12 devices, leaves of 3
  std::vector<NodeIndex> nodes{0};
  const Router plain(topology, {RoutePolicy::ecmp, 1, {}});
  std::vector<RouteLink> way;
  ASSERT_TRUE(plain.find(0, 11, way));
  for (const RouteLink& step : way) nodes.push_back(topology.link(step.link).to);
  const Router set(topology, {RoutePolicy::spray, 1, {{nodes}}});
  std::vector<RouteLink> same;
  ASSERT_TRUE(set.find(0, 11, same));
  EXPECT_EQ(same, way);
}

TEST(Generate, SixtyFourThousandHostsAreTherInASecond) {
  const HostShape single{65536, 1, HostInterconnect::none, 1, {}, 0, {}};
  NetworkPlan plan{.shape = NetworkShape::fat_tree, .radix = 64, .tiers = 3};
  plan.port = plan.trunk = rate(50);
  const auto topology = generate("big", {single}, plan, "big");
  ASSERT_TRUE(topology) << to_string(topology.error());
  // k = 64: k/2 * k leaves and spines, k^2/4 cores.
  EXPECT_EQ(topology->node_count(), 65536U + 2048 + 2048 + 1024);
  EXPECT_EQ(topology->link_count(), 2U * 3 * 65536);
  const Router router(*topology, {RoutePolicy::ecmp, 1, {}});
  std::vector<RouteLink> way;
  ASSERT_TRUE(router.find(0, 65535, way));
  EXPECT_EQ(way.size(), 6U);
  ASSERT_TRUE(router.find(0, 1023, way));
  EXPECT_EQ(way.size(), 4U);
  ASSERT_TRUE(router.find(0, 31, way));
  EXPECT_EQ(way.size(), 2U);
}

}  // namespace
}  // namespace orrery::platform
