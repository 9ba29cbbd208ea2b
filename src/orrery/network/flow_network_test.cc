// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/flow_network.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "orrery/network/analytical_network.h"
#include "orrery/network/message_network.h"
#include "orrery/network/network_driver_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::model {
namespace {

using platform::Platform;
using testing::Driver;
using testing::TimedSend;

using Random = std::mt19937_64;
using Landed = std::map<std::uint32_t, std::int64_t>;

std::int64_t drawn(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

Platform cluster_of(const std::string& text) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + text, "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : Platform{};
}

Send a_message(EndPoint from, EndPoint to, std::int64_t bytes, std::uint32_t token) {
  return {.from = from, .to = to, .bytes = bytes, .token = token};
}

Landed all_of(Network& network, const std::vector<TimedSend>& sends) {
  Driver driver(network);
  driver.run(sends);
  return driver.arrivals;
}

constexpr const char* kStar =
    "fabric: {hosts: [{count: 4, devices: 1}],"
    " network: {kind: switch, port: {bandwidth: 1 GB/s, latency: 500 ns}}}";

// Dimensions as a graph: every pair takes what the formula says, to the picosecond.
TEST(FlowNetwork, DimensionsAsAGraphTakeWhatTheFormulaSays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Platform platform;
    for (std::int64_t d = 1 + drawn(random, 3); d > 0; --d)
      platform.dims.push_back({static_cast<platform::Block>(drawn(random, 3)), 1 + drawn(random, 5),
                               Bandwidth(1e9 * static_cast<double>(1 + drawn(random, 700))),
                               static_cast<double>(drawn(random, 3000))});
    const FlowNetwork flows(platform);
    const AnalyticalNetwork analytical(platform);
    const FabricMessageNetwork hops(platform);
    const MessageNetwork stacked(platform);
    const auto ranks = static_cast<EndPoint>(platform.npu_count());
    for (EndPoint from = 0; from < ranks; ++from) {
      for (EndPoint to = 0; to < ranks; ++to) {
        const std::int64_t bytes = drawn(random, 1 << 30);
        EXPECT_EQ(flows.uncontended_time(from, to, bytes),
                  analytical.uncontended_time(from, to, bytes));
        EXPECT_EQ(hops.uncontended_time(from, to, bytes),
                  stacked.uncontended_time(from, to, bytes));
        if (from == to) continue;
        FlowNetwork fresh = flows;
        EXPECT_EQ(all_of(fresh, {{0, a_message(from, to, bytes, 1)}}).at(1),
                  analytical.uncontended_time(from, to, bytes));
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// … and messages that queue do so in the same order, whether links come from the formula or the
// graph.
TEST(FlowNetwork, MessagesQueueAlikeOnDimensionsAndOnTheirGraph) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Platform platform;
    for (std::int64_t d = 1 + drawn(random, 3); d > 0; --d)
      platform.dims.push_back({static_cast<platform::Block>(drawn(random, 3)), 2 + drawn(random, 4),
                               Bandwidth(1e9 * static_cast<double>(1 + drawn(random, 9))),
                               static_cast<double>(drawn(random, 3) * 500)});
    const std::int64_t ranks = platform.npu_count();
    std::vector<TimedSend> sends;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto from = static_cast<EndPoint>(drawn(random, ranks));
      const auto to = static_cast<EndPoint>((from + 1 + drawn(random, ranks - 1)) % ranks);
      sends.push_back({drawn(random, 3) * 1'000'000, a_message(from, to, drawn(random, 5000), i)});
    }
    MessageNetwork stacked(platform);
    FabricMessageNetwork graph(platform);
    ASSERT_EQ(all_of(stacked, sends), all_of(graph, sends));
  }
}

TEST(FlowNetwork, TwoOnALinkTakeTwiceAsLongAndTheLastHasItAlone) {
  FlowNetwork network(cluster_of(kStar));
  const Landed arrivals = all_of(network, {{0, a_message(0, 1, 1000, 0)},
                                           {0, a_message(2, 1, 2000, 1)},
                                           {0, a_message(2, 3, 1000, 2)}});
  // As FluidNetwork.SharesPortsAlike: 1 GB/s, 1 us in all.
  EXPECT_EQ(arrivals, (Landed{{0, 3'000'000}, {1, 4'000'000}, {2, 3'000'000}}));
}

// What max-min fairness is about: 2 -> 3 has what the slower two leave.
TEST(FlowNetwork, WhatOneCannotUseAnotherGets) {
  FlowNetwork network(cluster_of(kStar));
  const Landed arrivals = all_of(network, {{0, a_message(0, 1, 1000, 0)},
                                           {0, a_message(2, 1, 1000, 1)},
                                           {0, a_message(3, 1, 1000, 2)},
                                           {0, a_message(3, 2, 2000, 3)}});
  EXPECT_EQ(arrivals.at(0), 4'000'000);  // a third of the port into 1
  EXPECT_EQ(arrivals.at(3), 4'000'000);  // two thirds of the port out of 3
}

TEST(FlowNetwork, AWindowAndHeadersSlowAMessageDown) {
  const std::string star(kStar);
  const std::string open = star.substr(0, star.size() - 1);
  FlowNetwork window(cluster_of(open + ", transport: {window: 1000 B}}"));
  // 1,000 bytes in 2 x 1 us: half of the link.
  EXPECT_EQ(all_of(window, {{0, a_message(0, 1, 1000, 0)}}).at(0), 3'000'000);
  FlowNetwork headers(cluster_of(open + ", transport: {payload: 100 B, header: 25 B}}"));
  EXPECT_EQ(all_of(headers, {{0, a_message(0, 1, 1000, 0)}}).at(0), 2'250'000);
}

TEST(FlowNetwork, ASprayedMessageHasAllWays) {
  const std::string two =
      "fabric: {hosts: [{count: 2, devices: 1}], network: {kind: fat_tree, "
      "per_leaf: 1, radix: 3, oversubscription: 0.5, port: {bandwidth: 2 GB/s, "
      "latency: 0 ns}, trunk: {bandwidth: 1 GB/s, latency: 0 ns}}, routing: ";
  FlowNetwork one(cluster_of(two + "ecmp}")), all(cluster_of(two + "spray}"));
  EXPECT_EQ(all_of(one, {{0, a_message(0, 1, 1000, 0)}}).at(0), 1'000'000);
  EXPECT_EQ(all_of(all, {{0, a_message(0, 1, 1000, 0)}}).at(0), 500'000);
}

// A message whose link goes down halfway takes the other way with the other half; one that has
// none waits.
TEST(FlowNetwork, AFailedLinkSendsAMessageAnotherWayOrLetsItWait) {
  const std::string leaves =
      "fabric: {hosts: [{count: 2, devices: 1}], network: {kind: fat_tree, per_leaf: 1, radix: 3, "
      "oversubscription: 0.5, port: {bandwidth: 1 GB/s, latency: 0 ns}}, ";
  const std::string spine =
      "faults: [{node: spine0, start: 500 ns}, {node: spine1, start: 700 ns, "
      "end: 900 ns}]}";
  FlowNetwork network(cluster_of(leaves + spine));
  // Whichever spine it takes first, only 700 to 900 ns are without any.
  EXPECT_EQ(all_of(network, {{0, a_message(0, 1, 1000, 0)}}).at(0), 1'200'000);
  FlowNetwork slow(cluster_of(leaves + "faults: [{node: leaf0, bandwidth: 0.5, start: 500 ns}]}"));
  EXPECT_EQ(all_of(slow, {{0, a_message(0, 1, 1000, 0)}}).at(0), 1'500'000);
  FlowNetwork flaps(cluster_of(leaves + "faults: [{node: leaf0, every: 400 ns, lasts: 100 ns}]}"));
  // Down from 0 to 100, 400 to 500, 800 to 900, 1200 to 1300 …: 1,000 bytes need 1,400 ns.
  EXPECT_EQ(all_of(flaps, {{0, a_message(0, 1, 1000, 0)}}).at(0), 1'400'000);
}

// Whichever spine it takes: it moves to the other one at the same rate and loses nothing.
TEST(FlowNetwork, AMessageThatMovesGoesOnAsFast) {
  for (int seed = 1; seed <= 8; ++seed) {
    for (const char* spine : {"spine0", "spine1"}) {
      FlowNetwork network(cluster_of(
          std::string("fabric: {hosts: [{count: 2, devices: 1}], network: {kind: fat_tree, "
                      "per_leaf: 1, radix: 3, oversubscription: 0.5, port: {bandwidth: 1 GB/s, "
                      "latency: 0 ns}}, routing: {policy: ecmp, seed: ") +
          std::to_string(seed) + "}, faults: [{node: " + spine + ", start: 500 ns}]}"));
      const Landed landed = all_of(network, {{0, a_message(0, 1, 1000, 0)}});
      ASSERT_EQ(landed.size(), 1U) << spine << ", seed " << seed;
      EXPECT_EQ(landed.at(0), 1'000'000) << spine << ", seed " << seed;
    }
  }
}

// On every link, what those ways carry that lead over it.
TEST(FlowNetwork, LinksCarryWhatLeadsOverThem) {
  struct Carried : LinkObserver {
    void carries(std::uint32_t link, std::int64_t from, std::int64_t until, std::int64_t bytes,
                 std::uint32_t /*times*/) override {
      EXPECT_LE(from, until);
      all[link] += bytes;
    }
    std::map<std::uint32_t, std::int64_t> all;
  };
  for (const char* policy : {"ecmp", "spray", "adaptive", "valiant"}) {
    FlowNetwork network(cluster_of(
        "fabric: {hosts: [{count: 4, devices: 2, scale_up: {bandwidth: 10 GB/s, latency: 1 ns}, "
        "nics: 2, pcie: {bandwidth: 5 GB/s, latency: 1 ns}}], network: {kind: fat_tree, per_leaf: "
        "2, radix: 4, port: {bandwidth: 1 GB/s, latency: 1 us}}, routing: " +
        std::string(policy) + "}"));
    Carried carried;
    network.observe(&carried);
    std::vector<TimedSend> sends;
    std::vector<std::int64_t> sent(8), received(8);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const EndPoint from = i % 8, to = (i * 5 + 3) % 8;
      if (from == to) continue;
      sends.push_back({i / 16 * 1'000'000, a_message(from, to, 10'000 + i, i)});
      sent[from] += 10'000 + i;
      received[to] += 10'000 + i;
    }
    ASSERT_EQ(all_of(network, sends).size(), sends.size());
    std::vector<std::int64_t> up(8), down(8);
    for (const auto& [link, bytes] : carried.all) {
      const LinkPlace place = network.link(link);
      if (place.from == LinkPlace::kNoRank) continue;
      (place.down ? down : up)[place.from] += bytes;
    }
    EXPECT_EQ(up, sent) << policy;
    EXPECT_EQ(down, received) << policy;
  }
}

}  // namespace
}  // namespace orrery::model
