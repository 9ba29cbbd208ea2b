// SPDX-License-Identifier: Apache-2.0
//
// Which ranks are alike on fabrics whose links they share, and that they take what all of them
// take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/shortcuts/folding/folding_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Platform;
using testing::folded;
using ::testing::HasSubstr;
using testing::Rank;

const std::string kEight =
    "hosts: [{count: 8, devices: 8, scale_up: {bandwidth: 450 GB/s, latency: 235 ns}, nics: 8,"
    " pcie: {bandwidth: 64 GB/s, latency: 250 ns}}]";
const std::string kPort = "port: {bandwidth: 50 GB/s, latency: 1 us}";

/// 64 devices, eight a host.
Platform shared(const std::string& network, const std::string& more = "") {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\ncollectives: {library: ideal}\n"
      "fabric: {" +
          kEight + ", network: {" + network + ", " + kPort + "}" + more + "}",
      "test", findings);
  ORRERY_CHECK(made.has_value());
  return *made;
}

graph::Workload everything() {
  Rank rank;
  auto last = rank.coll(CollectiveType::all_reduce, 100'000'000);
  last = rank.coll(CollectiveType::all_to_all, 6'400'000, {last});
  rank.coll(CollectiveType::all_gather, 64'000'000, {last});
  return testing::replicated(rank, 64);
}

SimResult run(const graph::Workload& workload, const Platform& platform, bool fold) {
  Options options;
  options.fold = fold;
  auto made = simulate(workload, platform, options);
  ORRERY_CHECK(made.has_value());
  return std::move(*made);
}

struct Expected {
  const char* network;
  const char* more;
  std::size_t classes;
};

TEST(LinkClasses, LinksThatCarryTheSameMakeRanksAlike) {
  const Expected all[] = {
      {"kind: rail_only, per_leaf: 8, radix: 64", "", 1},
      {"kind: rail_only, per_leaf: 8, radix: 64", ", routing: spray", 1},
      {"kind: rail_optimized, per_leaf: 8, radix: 64", "", 1},
      // Of two hosts on a leaf one sends to the other, and one to the next leaf.
      {"kind: fat_tree, per_leaf: 16, radix: 32", ", routing: spray", 2},
      {"kind: fat_tree, per_leaf: 16, radix: 32", ", routing: d_mod_k", 2},
      {"kind: switch", "", 1},
      // A rail is slow: devices differ by how far they are from its in their hosts' rings.
      {"kind: rail_only, per_leaf: 8, radix: 64", ", faults: [{node: \"rail2.*\", bandwidth: 0.5}]",
       8},
      // A NIC is: every host is another way from its.
      {"kind: rail_only, per_leaf: 8, radix: 64",
       ", faults: [{from: host3.nic2, to: \"*\", bandwidth: 0.5}]", 64},
  };
  const graph::Workload workload = everything();
  for (const Expected& one : all) {
    SCOPED_TRACE(std::string(one.network) + one.more);
    const Platform platform = shared(one.network, one.more);
    const Folding folding = folded(workload, platform);
    EXPECT_EQ(folding.why_not, "");
    EXPECT_EQ(folding.classes(), one.classes);
    const SimResult few = run(workload, platform, true), whole = run(workload, platform, false);
    EXPECT_EQ(few.savings.representatives, one.classes);
    EXPECT_EQ(few.end, whole.end);
    EXPECT_EQ(whole.savings.representatives, 64);
  }
}

// One link stands for all that are like it: NVLink, PCIe, the network's, both ways alike, since
// what comes to a device comes from one that is like it.
TEST(LinkClasses, SaysWhichLinksStandForWhich) {
  const Platform platform = shared("kind: rail_only, per_leaf: 8, radix: 64");
  const Folding folding = folded(everything(), platform);
  const auto network = model::make_network(platform);
  ASSERT_EQ(folding.links.first.size(), network->link_count());
  std::vector<std::uint32_t> of(network->link_count(), 0);
  for (std::uint32_t link = 0; link < of.size(); ++link) {
    EXPECT_EQ(folding.links.first[folding.links.first[link]], folding.links.first[link]);
    ++of[folding.links.first[link]];
  }
  for (std::uint32_t link = 0; link < of.size(); ++link)
    EXPECT_EQ(folding.links.count[link], of[folding.links.first[link]]);
  EXPECT_EQ(of.size() - static_cast<std::size_t>(std::count(of.begin(), of.end(), 0U)), 3);
}

TEST(LinkClasses, HashedWaysTellRanksApart) {
  const Platform platform = shared("kind: fat_tree, per_leaf: 16, radix: 32", ", routing: ecmp");
  EXPECT_GT(folded(everything(), platform).classes(), 32);
}

// Shares of a third add up to what depends on their order.
TEST(LinkClasses, UnevenShareAreNotCompared) {
  const Platform platform =
      shared("kind: fat_tree, per_leaf: 16, radix: 32, oversubscription: 5.34", ", routing: spray");
  EXPECT_THAT(folded(everything(), platform).why_not, HasSubstr("unevenly"));
}

TEST(LinkClasses, WhatLooksAtLoadsOrBreaksInTimeIsSimulatedRankByRank) {
  for (const char* more :
       {", routing: adaptive", ", faults: [{from: host3.nic2, to: \"*\", start: 1 us}]"}) {
    const Platform platform = shared("kind: rail_only, per_leaf: 8, radix: 64", more);
    EXPECT_THAT(folded(everything(), platform).why_not,
                HasSubstr("routes or links change during the run"));
  }
}

}  // namespace
}  // namespace orrery::sim
