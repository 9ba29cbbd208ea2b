// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/synthesis/fabric/fabric_state_testing.h"

namespace orrery::synthesis {
namespace {

constexpr Bytes kGiB{1 << 30};

Bound bound(const FabricState& fabric, CollectiveType type, Bytes bytes = kGiB,
            SwitchCapability in_network = SwitchCapability::forwards,
            std::vector<std::uint32_t> ranks = {}) {
  const auto found = lower_bound_of(fabric, {type, bytes, std::move(ranks), 0, in_network});
  EXPECT_TRUE(found) << (found ? "" : to_string(found.error()));
  return found.value_or(Bound{});
}

double micros(Time time) { return static_cast<double>(time.count()) * 1e-6; }

/// The worst of all sets of nodes, one after another. The root is rank 0.
double worst_of_all_sets(const FabricState& fabric, CollectiveType type, double bytes) {
  const auto p = static_cast<double>(fabric.rank_devices.size());
  double worst = 0;
  for (std::uint32_t set = 1; set < (1U << fabric.node_count()); ++set) {
    double capacity = 0, inside = 0;
    for (const Wire& wire : fabric.wires) {
      if ((set >> wire.from & 1U) != 0 && (set >> wire.to & 1U) == 0) capacity += wire.capacity;
    }
    for (const NodeIndex seat : fabric.rank_devices) inside += (set >> seat & 1U) != 0 ? 1 : 0;
    if (inside == 0 || inside == p) continue;
    const bool root = (set >> fabric.rank_devices[0] & 1U) != 0;
    const double out = type == CollectiveType::all_gather       ? bytes / p * inside
                       : type == CollectiveType::reduce_scatter ? bytes / p * (p - inside)
                       : type == CollectiveType::broadcast      ? (root ? bytes : 0)
                       : type == CollectiveType::reduce         ? (root ? 0 : bytes)
                                                                : bytes;
    worst = std::max(worst, out / capacity);
  }
  return worst * 1e12;
}

/// What wires carry together, each named once.
double carried_by(const FabricState& fabric, const std::vector<std::uint32_t>& wires) {
  EXPECT_EQ(std::adjacent_find(wires.begin(), wires.end(), std::greater_equal<>()), wires.end());
  double capacity = 0;
  for (const std::uint32_t wire : wires) capacity += fabric.wires[wire].capacity;
  return capacity;
}

// Brute force over all sets of nodes finds the same cut as the flows do.
TEST(Bounds, TheTightestCutIsThatOfAllSets) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const FabricState fabric =
        random_fabric(seed, {.devices = static_cast<std::uint32_t>(3 + seed % 6),
                             .switches = static_cast<std::uint32_t>(seed % 4),
                             .more_links = static_cast<std::uint32_t>(seed % 9)});
    const Bytes bytes(static_cast<std::int64_t>(fabric.rank_devices.size()) * 1'000'000);
    for (const CollectiveType type :
         {CollectiveType::all_gather, CollectiveType::reduce_scatter, CollectiveType::broadcast,
          CollectiveType::reduce, CollectiveType::all_reduce}) {
      const Bound found = bound(fabric, type, bytes, SwitchCapability::reduces);
      const double worst = worst_of_all_sets(fabric, type, static_cast<double>(bytes.count()));
      EXPECT_TRUE(found.exact);
      EXPECT_NEAR(static_cast<double>(found.bandwidth.count()), worst, 2 + worst * 1e-9)
          << "seed " << seed << ", " << graph::name(type) << ": " << found.binding_cut.name;
      EXPECT_NEAR(carried_by(fabric, found.binding_cut.wires), found.binding_cut.capacity, 1);
      EXPECT_EQ(found.binding_cut.wires.size(), found.binding_cut.links);
    }
  }
}

// n (p - 1) / (p d B) in a torus of degree d; in a mesh a corner's two links.
TEST(Bounds, GridsAreBoundByTheirThinnestNode) {
  const Bound closed = bound(torus({32, 32}), CollectiveType::all_gather);
  EXPECT_NEAR(micros(closed.bandwidth), 20000.0 * 1023 / 1024 / 4, 1e-3);
  EXPECT_EQ(closed.latency, us(16));
  EXPECT_EQ(closed.total, closed.bandwidth + ns(500));
  EXPECT_TRUE(closed.exact);
  const Bound open = bound(mesh({32, 32}), CollectiveType::all_gather);
  EXPECT_NEAR(micros(open.bandwidth), 20000.0 * 1023 / 1024 / 2, 1e-3);
  EXPECT_EQ(open.binding_cut.name, "traffic into npu0");
  EXPECT_EQ(open.binding_cut.links, 2U);
  const FabricState corner = mesh({32, 32});
  const auto ends = corner.incoming_wires(0);
  EXPECT_EQ(open.binding_cut.wires, std::vector<std::uint32_t>(ends.begin(), ends.end()));
  EXPECT_EQ(open.latency, us(31));
}

// 16 hosts of 8: what enters a host, over eight cables of 50 GB/s; a device has 450 GB/s more.
TEST(Bounds, HostsBindWhereTheirCablesAreThin) {
  constexpr double kBytes = 1073741824.0;
  const FabricState fabric = rails(16);
  const Bound ag = bound(fabric, CollectiveType::all_gather);
  EXPECT_EQ(ag.binding_cut.name, "traffic into host 0");
  EXPECT_EQ(ag.binding_cut.links, 8U);
  EXPECT_NEAR(micros(ag.bandwidth), kBytes * 15 / 16 / 400e3, 1e-3);
  const Bound ar = bound(fabric, CollectiveType::all_reduce);
  EXPECT_EQ(ar.binding_cut.name, "traffic out of all hosts");
  EXPECT_NEAR(micros(ar.bandwidth), 2 * kBytes * 15 / 16 / 400e3, 1e-3);
  const Bound sharp = bound(fabric, CollectiveType::all_reduce, kGiB, SwitchCapability::reduces);
  EXPECT_NEAR(micros(sharp.bandwidth), kBytes / 400e3, 1e-3);
  const Bound a2a = bound(fabric, CollectiveType::all_to_all);
  EXPECT_NEAR(micros(a2a.bandwidth), kBytes * 8 * 15 / 16 / 400e3, 1e-3);
  // Few hosts are bound by their devices' own ports.
  EXPECT_NEAR(micros(bound(rails(4), CollectiveType::all_gather).bandwidth),
              kBytes * 31 / 32 / 500e3, 1e-3);
}

TEST(Bounds, RanksThatOnlyReducePayTwice) {
  const FabricState ring = torus({8});
  EXPECT_NEAR(micros(bound(ring, CollectiveType::all_reduce).bandwidth), 2 * 20000.0 * 7 / 8 / 2,
              1e-3);
  EXPECT_NEAR(
      micros(bound(ring, CollectiveType::all_reduce, kGiB, SwitchCapability::reduces).bandwidth),
      20000.0 / 2, 1e-3);
}

// Half of a torus sends its halves over two planes of links; its volume says the same.
TEST(Bounds, AllToAllsAreBoundByHalves) {
  const Bound cube = bound(torus({8, 8, 8}), CollectiveType::all_to_all);
  EXPECT_NEAR(micros(cube.bandwidth), 20000.0, 1e-3);  // n k / (8 B)
  const Bound flat = bound(mesh({8, 4}), CollectiveType::all_to_all);
  EXPECT_NEAR(micros(flat.bandwidth), 20000.0 * 16 * 16 / 32 / 4, 1e-3);
  EXPECT_EQ(flat.binding_cut.name, "traffic out of half of dimension 0");
}

// 4,096 nodes exactly, 65,536 by the cuts that are tried.
// Where several links are short together, their weights say more than any cut that is tried.
TEST(Bounds, WeightsOfLinksSayNoLessThanCuts) {
  int more = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FabricState fabric = random_fabric(seed, {.devices = 9, .switches = 3, .more_links = 9});
    BoundQuestion question{CollectiveType::all_to_all, kGiB};
    const auto plain = lower_bound_of(fabric, question);
    question.thorough = true;
    const auto weighed = lower_bound_of(fabric, question);
    ASSERT_TRUE(plain && weighed);
    EXPECT_GE(weighed->total, plain->total);
    // Links of the binding cut carry its bytes in its time.
    EXPECT_NEAR(weighed->binding_cut.bytes / weighed->binding_cut.capacity,
                seconds(weighed->bandwidth), 1e-6 * seconds(weighed->bandwidth));
    more += weighed->total > plain->total ? 1 : 0;
  }
  EXPECT_GT(more, 5);
}

// A ring of five: each rank sends 1 link far both ways, and 2: 6 links for its 2.
TEST(Bounds, WeightsOfARingAreAlike) {
  const FabricState fabric = torus({5});
  BoundQuestion question{CollectiveType::all_to_all, kGiB};
  question.thorough = true;
  const auto weighed = lower_bound_of(fabric, question);
  ASSERT_TRUE(weighed);
  const double shard = static_cast<double>(kGiB.count() / 5);
  EXPECT_NEAR(seconds(weighed->bandwidth), 3 * shard / fabric.wires[0].capacity, 1e-9);
}

TEST(Bounds, LargeFabricsAreAnswered) {
  EXPECT_TRUE(bound(torus({64, 64}), CollectiveType::all_gather).exact);
  const FabricState large = torus({256, 256});
  const Bound found = bound(large, CollectiveType::all_gather);
  EXPECT_FALSE(found.exact);
  EXPECT_NEAR(micros(found.bandwidth), 20000.0 * 65535 / 65536 / 4, 1e-2);
  EXPECT_LE(found.latency, us(128));
}

TEST(Bounds, GroupsAndBarriers) {
  const FabricState ring = torus({8});
  const std::vector<std::uint32_t> ranks = {0, 2, 4};
  const Bound group = bound(ring, CollectiveType::all_gather, Bytes(3'000'000), {}, ranks);
  EXPECT_NEAR(micros(group.bandwidth), 2e6 / (2 * 53.6870912e3), 1e-4);
  EXPECT_EQ(group.latency, us(2));
  const Bound barrier = bound(ring, CollectiveType::barrier);
  EXPECT_EQ(barrier.bandwidth, Time{});
  EXPECT_EQ(barrier.total, us(2));
}

TEST(Bounds, DimensionsAreAFabric) {
  platform::Platform cluster;
  cluster.name = "dims";
  cluster.dims = {{platform::Block::switched, 8, Bandwidth(400e9), 100},
                  {platform::Block::ring, 4, Bandwidth(50e9), 500}};
  const auto found = lower_bound_of(cluster, {CollectiveType::all_gather, kGiB, {}, 0, {}});
  ASSERT_TRUE(found);
  // A device's port and two links.
  EXPECT_NEAR(micros(found->bandwidth), 1073741824.0 * 31 / 32 / 500e3, 1e-3)
      << found->binding_cut.name;
}

TEST(Bounds, WhatCannotBeIsSaid) {
  const FabricState ring = torus({8});
  const auto ask = [&](BoundQuestion question) {
    const auto found = lower_bound_of(ring, question);
    return found ? std::string() : found.error().what;
  };
  EXPECT_EQ(ask({CollectiveType::gather, kGiB, {}, 0, {}}), "has no lower bound");
  EXPECT_EQ(ask({CollectiveType::all_gather, kGiB, {3}, 0, {}}),
            "a collective needs at least two ranks");
  EXPECT_EQ(ask({CollectiveType::all_gather, kGiB, {3, 3}, 0, {}}), "rank 3 is listed twice");
  EXPECT_EQ(ask({CollectiveType::all_gather, kGiB, {3, 8}, 0, {}}),
            "rank 8 does not exist: the fabric has 8 ranks");
  std::vector<double> left(16, 1.0);
  for (const NodeIndex node : {0, 4}) {  // both links of npu0 and of npu4
    for (LinkIndex l = 0; l < 16; ++l) {
      const platform::Link& link = ring.topology->link(l);
      if (link.from == node || link.to == node) left[l] = 0;
    }
  }
  const auto cut = make_fabric_state(ring.topology, ring.rank_devices, left, "cut");
  ASSERT_TRUE(cut);
  const auto found = lower_bound_of(*cut, {CollectiveType::all_gather, kGiB, {}, 0, {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::config_conflict);
}

}  // namespace
}  // namespace orrery::synthesis
