// SPDX-License-Identifier: Apache-2.0
//
// Message times, with ports that deviate and without: the closed formulas.
#include <gtest/gtest.h>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/network/dimension_links.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {
namespace {

using platform::Algorithm;
using platform::Block;
using platform::Deviation;
using platform::Platform;
using platform::Rules;

constexpr std::int64_t kBytes = 1'000'000;

/// A ring of 4 (1 byte/ns, 10 ns) times 4 fully connected (2 bytes/ns, 100 ns) times a switch of 2
/// (0.5 bytes/ns, 1000 ns).
Platform three_dims() {
  Platform platform;
  platform.dims = {{Block::ring, 4, Bandwidth(1e9), 10},
                   {Block::fully_connected, 4, Bandwidth(2e9), 100},
                   {Block::switched, 2, Bandwidth(0.5e9), 1000}};
  return platform;
}

Deviation bad_port(std::vector<std::uint32_t> ranks, std::uint32_t dim, double share,
                   double latency_ns) {
  Deviation deviation;
  deviation.ranks = std::move(ranks);
  deviation.ports = {{dim, share, latency_ns}};
  return deviation;
}

TEST(FabricPorts, WithoutAnyNothingIsKept) {
  Platform platform = three_dims();
  Deviation slow;
  slow.ranks = {1};
  slow.compute_time = 2;
  slow.ports = {{1, 1.0, 0.0}};
  platform.deviations = {slow};
  const MultiDimFabric fabric(platform);
  EXPECT_FALSE(fabric.ports_deviate());
  EXPECT_FALSE(fabric.ports_deviate(1));
  EXPECT_EQ(fabric.port_class(1), 0u);
  EXPECT_EQ(fabric.port(1, 1), MultiDimFabric::Port{});
}

TEST(FabricPorts, ClassesAreThoseOfEqualPorts) {
  Platform platform = three_dims();
  platform.deviations = {bad_port({3, 7}, 0, 0.5, 0), bad_port({1}, 1, 0.5, 0),
                         bad_port({9}, 0, 0.5, 0)};
  const MultiDimFabric fabric(platform);
  EXPECT_TRUE(fabric.ports_deviate());
  EXPECT_TRUE(fabric.ports_deviate(0));
  EXPECT_TRUE(fabric.ports_deviate(1));
  EXPECT_FALSE(fabric.ports_deviate(2));
  EXPECT_EQ(fabric.port_class(0), 0u);
  EXPECT_EQ(fabric.port_class(3), fabric.port_class(7));
  EXPECT_EQ(fabric.port_class(3), fabric.port_class(9));
  EXPECT_NE(fabric.port_class(3), fabric.port_class(1));
  EXPECT_NE(fabric.port_class(3), 0u);
  EXPECT_EQ(fabric.port(7, 0), (MultiDimFabric::Port{0.5, 0}));
  EXPECT_EQ(fabric.port(7, 1), MultiDimFabric::Port{});
}

TEST(FabricPorts, TheWorseEndCountsAndBothLatencies) {
  Platform platform = three_dims();
  platform.deviations = {bad_port({0}, 0, 0.5, 7), bad_port({1}, 0, 0.25, 3),
                         bad_port({16}, 1, 0.125, 50)};
  const MultiDimFabric fabric(platform);
  const auto delay = [&](std::uint32_t from, std::uint32_t to) {
    EXPECT_EQ(fabric.delay(from, to, kBytes), fabric.delay(to, from, kBytes));
    return fabric.delay(from, to, kBytes);
  };
  const std::int64_t ns = kPsPerNs;
  EXPECT_EQ(delay(0, 1), (10 + 7 + 3 + 4 * kBytes) * ns);
  EXPECT_EQ(delay(0, 2), (20 + 7 + 2 * kBytes) * ns) << "rank 1 is only passed through";
  EXPECT_EQ(delay(2, 3), (10 + kBytes) * ns);
  EXPECT_EQ(delay(0, 4), (100 + kBytes / 2) * ns) << "by another dimension's port";
  // Dimensions 1 and 2 are crossed: 2 × 0.125 bytes/ns are less than 0.5.
  EXPECT_EQ(delay(16, 4), (100 + 50 + 2000 + 4 * kBytes) * ns);
  EXPECT_EQ(delay(0, 0), 0);
}

TEST(FabricPorts, AstraRulesChargeTheOneDimension) {
  Platform platform = three_dims();
  platform.rules = Rules::astra;
  platform.deviations = {bad_port({0}, 0, 0.3, 7), bad_port({5}, 1, 0.5, 50)};
  const MultiDimFabric fabric(platform);
  // Truncated to whole ns: 10^6 / 0.3 is 3333333.3.
  EXPECT_EQ(fabric.delay(0, 5, kBytes), (10 + 7 + 3'333'333) * kPsPerNs);
  EXPECT_EQ(fabric.delay(1, 5, kBytes), (100 + 50 + kBytes) * kPsPerNs);
}

TEST(FabricPorts, WhatIsNotThereDoesNothing) {
  Platform platform = three_dims();
  platform.deviations = {bad_port({0, 4'000'000'000}, 0, 0.5, 0), bad_port({1}, 9, 0.5, 0)};
  const MultiDimFabric fabric(platform);
  EXPECT_EQ(fabric.port(0, 0).share, 0.5);
  EXPECT_EQ(fabric.port_class(1), 0u);
}

// The engine asks rank by rank where a port deviates somewhere; pairs that it does not touch must
// take exactly what they would by key.
TEST(FabricPorts, RankByRankIsAsByKey) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    Platform platform = three_dims();
    platform.dims[1].bandwidth = Bandwidth(0.7e9);
    platform.dims[1].latency_ns = 0.3;
    platform.rules = rules;
    const MultiDimFabric plain(platform);
    platform.deviations = {bad_port({31}, 0, 0.5, 1), bad_port({30}, 1, 0.5, 1),
                           bad_port({29}, 2, 0.5, 1)};
    const MultiDimFabric fabric(platform);
    for (std::uint32_t from = 0; from < 29; ++from) {
      for (std::uint32_t to = 0; to < 29; ++to) {
        EXPECT_EQ(fabric.delay(from, to, 12'345), plain.delay(from, to, 12'345));
        for (std::size_t d = 0; d < 3; ++d) {
          const std::uint32_t a = fabric.coordinate(from, d), b = fabric.coordinate(to, d);
          if (a == b || to - from != (b - a) * fabric.stride(d)) continue;
          const std::uint32_t hops = fabric.hops(d, a, b);
          EXPECT_EQ(fabric.delay(from, to, 12'345), fabric.delay_in_dim(d, hops, 12'345));
        }
      }
    }
  }
}

TEST(FabricPorts, PhasesAskRankByRankOnlyWhereAPortDeviates) {
  Platform platform = three_dims();
  platform.deviations = {bad_port({3}, 1, 0.5, 0)};
  const MultiDimFabric fabric(platform);
  const PhaseFactory factory(platform, &fabric);
  PhaseRequest request;
  request.ring = {4, 1};
  request.data = kBytes;
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling}) {
    request.algorithm = {algorithm, -1};
    request.dim = 0;
    const auto other_dim = factory.make(request);
    ASSERT_TRUE(other_dim);
    EXPECT_FALSE(other_dim->delay_by_key.empty());
    EXPECT_EQ(other_dim->lockstep, algorithm != Algorithm::direct);
    request.dim = 1;
    const auto through = factory.make(request);
    ASSERT_TRUE(through);
    EXPECT_TRUE(through->delay_by_key.empty());
    EXPECT_FALSE(through->lockstep);
    EXPECT_FALSE(through->burst);
  }
}

TEST(LinksPorts, NeighborsTakeWhatTheFabricSays) {
  for (const Rules rules : {Rules::orrery, Rules::astra}) {
    Platform platform = three_dims();
    platform.rules = rules;
    platform.deviations = {bad_port({0}, 0, 0.3, 7), bad_port({1}, 0, 0.7, 3),
                           bad_port({4}, 1, 0.1, 50)};
    const MultiDimFabric fabric(platform);
    const DimensionLinks links(platform);
    const std::pair<std::uint32_t, std::uint32_t> pairs[] = {{0, 1}, {1, 0}, {0, 3},  {1, 2},
                                                             {2, 3}, {0, 4}, {4, 12}, {8, 4}};
    for (const auto& [from, to] : pairs)
      EXPECT_EQ(links.uncontended_time(from, to, kBytes), fabric.delay(from, to, kBytes));
  }
}

TEST(LinksPorts, EachLinkHasThePortsAtItsEnds) {
  Platform platform = three_dims();
  platform.deviations = {bad_port({1}, 0, 0.5, 5), bad_port({16}, 2, 0.25, 40)};
  DimensionLinks links(platform);
  const std::int64_t ns = kPsPerNs;
  EXPECT_EQ(links.uncontended_time(0, 2, kBytes), 2 * (10 + 5 + 2 * kBytes) * ns)
      << "in and out of rank 1";
  EXPECT_EQ(links.uncontended_time(16, 0, kBytes),
            (1000 + 40 + 8 * kBytes + 1000 + 2 * kBytes) * ns)
      << "up";
  EXPECT_EQ(links.uncontended_time(0, 16, kBytes),
            (1000 + 2 * kBytes + 1000 + 40 + 8 * kBytes) * ns)
      << "down";
  EXPECT_EQ(links.uncontended_time(17, 1, kBytes), 2 * (1000 + 2 * kBytes) * ns)
      << "another switch";
  DimensionLinks::Departure departure;
  ASSERT_TRUE(links.forward(links.add(16, 0, kBytes), departure));
  EXPECT_EQ(departure.busy, 8 * kBytes * ns);
  EXPECT_EQ(departure.arrival, (1000 + 40 + 8 * kBytes) * ns);
  EXPECT_EQ(departure.size, kBytes);
}

}  // namespace
}  // namespace orrery::model
