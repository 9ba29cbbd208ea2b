// SPDX-License-Identifier: Apache-2.0
//
// The packet network compared with ns-3, and properties that hold for all packets. The contract of
// networks is in ../network_contract_test.cc.
#include "orrery/network/packet_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "orrery/network/packet_rings_testing.h"
#include "orrery/network/packet_testing.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::model {
namespace {

using testing::Driver;
using ::testing::HasSubstr;
using testing::incast_of;
using testing::packet_cluster;
using testing::PacketRing;
using testing::ring_platform;
using testing::TimedSend;
using testing::with_window;

double ring_us(const testing::RingFabric& shape, std::int64_t mib, std::int64_t window) {
  PacketNetwork network(with_window(ring_platform(shape), window));
  return static_cast<double>(PacketRing(network, mib << 20).run()) / 1e6;
}

// Rings of raw packets in ns-3 3.37: 400 Gb/s, 500 ns, 4096 + 62 B, acknowledgements of 62 B. Times
// in microseconds, to the digits that are stored. 0.1 CPU s.
TEST(PacketNetwork, RingsLastAsLongAsInNs3) {
  EXPECT_NEAR(ring_us({8}, 1, 64), 52.436, 0.0005);
  EXPECT_NEAR(ring_us({16}, 1, 64), 72.448, 0.0005);
  EXPECT_NEAR(ring_us({64}, 1, 64), 178.5458, 0.00005);
  const auto first_spine = [](int, int) { return 0; };
  EXPECT_NEAR(ring_us({64, 8, first_spine}, 1, 64), 197.3757, 0.00005);
}

// One message: the time of the class comment, here of 3 packets over 2 links of different rates.
TEST(PacketNetwork, StoresAndForwardsEachPacket) {
  const platform::Platform platform = packet_cluster(
      "network: [{block: switch, size: 2, bandwidth: 1 GB/s, latency: 100 ns}, "
      "{block: switch, size: 2, bandwidth: 2 GB/s, latency: 0 ns}]\n"
      "packets: {payload: 938 B, header: 62 B}\n");
  PacketNetwork network(platform);
  Driver driver(network);
  const Send message{.from = 0, .to = 3, .bytes = 2 * 938 + 438};
  driver.run({{0, message}});
  // Links of 1, 1, 2 and 2 GB/s. The second full packet leaves the last link after 4 us, the last
  // packet, of 500 B, behind it.
  EXPECT_EQ(driver.arrivals.at(0), 200'000 + 4'000'000 + 250'000);
  EXPECT_EQ(network.uncontended_time(0, 3, message.bytes), driver.arrivals.at(0));
}

// A window of one packet: every packet waits for the acknowledgement of the one before.
TEST(PacketNetwork, WindowsLimitPacketsInFlight) {
  const platform::Platform platform = packet_cluster(
      "network: [{block: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}]\n"
      "packets: {payload: 938 B, header: 62 B, acknowledgement: 50 B, window: 1}\n");
  PacketNetwork network(platform);
  Driver driver(network);
  driver.run({{0, {.from = 0, .to = 1, .bytes = 4 * 938}}});
  const std::int64_t forth = 2 * 1'000'000 + 2 * 1'000'000, back = 2 * 1'000'000 + 2 * 50'000;
  EXPECT_EQ(driver.arrivals.at(0), 4 * forth + 3 * back);
}

// Two senders to one receiver share its port packet by packet.
TEST(PacketNetwork, SendersShareAPort) {
  const platform::Platform platform = packet_cluster(
      "network: [{block: switch, size: 3, bandwidth: 1 GB/s, latency: 0 ns}]\n"
      "packets: {payload: 999 B, header: 1 B, acknowledgement: 1 B}\n");
  PacketNetwork network(platform);
  Driver driver(network);
  driver.run({{0, {.from = 0, .to = 2, .bytes = 10 * 999, .token = 0}},
              {0, {.from = 1, .to = 2, .bytes = 10 * 999, .token = 1}}});
  EXPECT_EQ(driver.arrivals.at(0), 20'000'000);  // 1 us on the way, and 19 packets of 1 us
  EXPECT_EQ(driver.arrivals.at(1), 21'000'000);
}

struct RandomCase {
  platform::Platform platform;
  std::vector<TimedSend> sends;
};

RandomCase random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const char* const policies[] = {"ecmp", "spray", "d_mod_k"};
  RandomCase made{
      packet_cluster(
          "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: fat_tree, per_leaf: 2, "
          "radix: 4, port: {bandwidth: 10 GB/s, latency: 500 ns}}, routing: " +
          std::string(policies[below(3)]) + "}\npackets: {window: " + std::to_string(below(20)) +
          ", posting: " + (below(2) == 0 ? "fifo" : "turns") +
          ", entropies: " + std::to_string(1 + below(8)) + "}\n"),
      {}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    const auto from = static_cast<EndPoint>(below(8));
    made.sends.push_back({static_cast<std::int64_t>(below(3) * 1'000'000),
                          {.from = from,
                           .to = static_cast<EndPoint>((from + 1 + below(7)) % 8),
                           .bytes = static_cast<std::int64_t>(below(200'000)),
                           .token = i,
                           .order = i}});
  }
  return made;
}

// At any time: sent = received + in flight.
TEST(PacketNetwork, NoPacketIsLostOrDuplicated) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase drawn = random_case(seed);
    PacketNetwork network(drawn.platform);
    Driver driver(network);
    std::int64_t before = -1;
    for (std::int64_t until = 0; until < 40'000'000; before = until, until += 777'777) {
      std::vector<TimedSend> sends;
      std::copy_if(drawn.sends.begin(), drawn.sends.end(), std::back_inserter(sends),
                   [&](const TimedSend& one) { return one.at > before && one.at <= until; });
      driver.run(sends, until);
      const PacketCounts& counts = network.engine().counts();
      EXPECT_EQ(counts.sent, counts.received + network.engine().in_flight());
    }
    driver.run({});
    std::uint64_t packets = 0;
    for (const TimedSend& one : drawn.sends)
      packets +=
          static_cast<std::uint64_t>(std::max<std::int64_t>(1, (one.send.bytes + 4095) / 4096));
    EXPECT_EQ(network.engine().counts().sent, packets);
    EXPECT_EQ(network.engine().counts().received, packets);
    EXPECT_EQ(driver.arrivals.size(), drawn.sends.size());
  }
}

TEST(PacketNetwork, EqualRunsGiveEqualTimes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RandomCase drawn = random_case(seed);
    PacketNetwork first(drawn.platform), second(drawn.platform);
    Driver one(first), other(second);
    one.run(drawn.sends);
    other.run(drawn.sends);
    EXPECT_EQ(one.arrivals, other.arrivals);
  }
}

// 32 long flows over leaves and spines: sprayed, they share the spines almost evenly; with one
// route per flow, collisions make the last one at least half as long again as one flow alone.
TEST(PacketNetwork, SprayingAvoidsCollisions) {
  const auto last = [](const std::string& policy) {
    PacketNetwork network(packet_cluster(
        "fabric: {hosts: [{count: 32, devices: 1}], network: {kind: fat_tree, per_leaf: 4, radix: "
        "8, port: {bandwidth: 10 GB/s, latency: 500 ns}}, routing: " +
        policy + "}\n"));
    std::vector<TimedSend> sends;
    for (std::uint32_t i = 0; i < 32; ++i)
      sends.push_back({0, {.from = i, .to = (i + 4) % 32, .bytes = 4'000'000, .token = i}});
    Driver driver(network);
    driver.run(sends);
    std::int64_t latest = 0;
    for (const auto& [token, time] : driver.arrivals) latest = std::max(latest, time);
    return static_cast<double>(latest) /
           static_cast<double>(network.uncontended_time(0, 4, 4'000'000));
  };
  EXPECT_LT(last("spray"), 1.4);
  EXPECT_GT(last("ecmp"), 1.5);
}

/// Packets of 1000 B at 10 GB/s: 100 ns each.
platform::Platform incast_platform(const std::string& packets) {
  return packet_cluster(
      "fabric: {hosts: [{count: 9, devices: 1}], network: {kind: switch, port: {bandwidth: 10 "
      "GB/s, "
      "latency: 500 ns}}}\npackets: {payload: 938 B, header: 62 B, " +
      packets + "}\n");
}

// Every packet is received, dropped, trimmed or in flight; all messages arrive in the end.
TEST(PacketNetwork, LostPacketsAreSentAgain) {
  for (const char* const queue : {"queue: 20 kB, trims: true", "queue: 20 kB, timeout: 20 us",
                                  "queue: 5 kB, trims: true, posting: fifo",
                                  "queue: 20 kB, trims: true, transport: nscc, mark_from: 4 kB, "
                                  "mark_to: 16 kB, acknowledge_every: 4 kB"}) {
    SCOPED_TRACE(queue);
    PacketNetwork network(incast_platform(queue));
    Driver driver(network);
    std::vector<TimedSend> sends = incast_of(8, 100);
    for (std::int64_t until = 0; until < 200'000'000; until += 1'234'567) {
      driver.run(std::exchange(sends, {}), until);
      const PacketCounts& counts = network.engine().counts();
      EXPECT_EQ(counts.sent,
                counts.received + counts.dropped + counts.trimmed + network.engine().in_flight());
    }
    driver.run({});
    const PacketCounts& counts = network.engine().counts();
    EXPECT_EQ(driver.arrivals.size(), 8u);
    EXPECT_GT(counts.dropped + counts.trimmed, 0u);
    EXPECT_GE(counts.again, counts.dropped + counts.trimmed);
    EXPECT_EQ(counts.sent - counts.again, 800u);
  }
}

// With congestion control, an incast keeps the receiver's port busy with few losses, and its queue
// short.
TEST(PacketNetwork, CongestionControlAvoidsLosses) {
  const auto trimmed = [](const std::string& transport) {
    PacketNetwork network(
        incast_platform("queue: 60 kB, trims: true, mark_from: 12 kB, mark_to: 48 "
                        "kB, " +
                        transport));
    Driver driver(network);
    driver.run(incast_of(8, 2000));
    std::int64_t last = 0;
    for (const auto& [token, time] : driver.arrivals) last = std::max(last, time);
    // 16,000 packets of 100 ns. Without control, headers of trimmed packets use half of the port.
    if (transport != "window: 64") {
      EXPECT_LT(static_cast<double>(last), 1.06 * 16000 * 100'000) << transport;
    }
    return network.engine().counts().trimmed;
  };
  const std::uint64_t uncontrolled = trimmed("window: 64");
  EXPECT_LT(trimmed("transport: nscc"), uncontrolled / 4);
  EXPECT_LT(trimmed("transport: dctcp"), uncontrolled / 4);
}

// Max-min: two senders share a receiver's port equally in the long run.
TEST(PacketNetwork, TransportsAreFair) {
  for (const char* const transport : {"window: 64", "transport: nscc", "transport: dctcp"}) {
    PacketNetwork network(incast_platform(
        "queue: 60 kB, trims: true, mark_from: 12 kB, mark_to: 48 kB, " + std::string(transport)));
    Driver driver(network);
    driver.run(incast_of(2, 5000));
    const auto first = static_cast<double>(driver.arrivals.at(0));
    const auto second = static_cast<double>(driver.arrivals.at(1));
    // The same number of bytes: both end at about the same time.
    EXPECT_NEAR(first / second, 1, 0.05) << transport;
  }
}

/// The error of a cluster file with these packets; empty: it has none.
std::string cluster_error_with(const std::string& packets) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork: [{block: switch, size: 4, "
      "bandwidth: 1 GB/s, latency: 1 us}]\npackets: " +
          packets + "\n",
      "test", findings);
  return made ? std::string() : to_string(made.error());
}

TEST(PacketSettings, ContradictionsAreErrors) {
  EXPECT_EQ(cluster_error_with("{}"), "");
  EXPECT_THAT(cluster_error_with("{mark_from: 2 kB, mark_to: 1 kB}"),
              HasSubstr("is above `mark_to`"));
  EXPECT_THAT(cluster_error_with("{queue: 8 kB, mark_from: 8 kB, mark_to: 9 kB}"),
              HasSubstr("not below `queue`"));
  EXPECT_THAT(cluster_error_with("{queue: 1 kB}"), HasSubstr("no room for one packet of 4158 B"));
  EXPECT_THAT(cluster_error_with("{trims: true}"), HasSubstr("set `queue`"));
  EXPECT_THAT(cluster_error_with("{pfc: true}"), HasSubstr("needs buffers that can become full"));
  EXPECT_THAT(cluster_error_with("{pfc: true, buffer: 1 MB, queue: 9 kB}"),
              HasSubstr("no packet is dropped"));
  EXPECT_THAT(cluster_error_with("{pfc: true, buffer: 1 MB, trims: true}"),
              HasSubstr("no packet is dropped"));
  EXPECT_THAT(cluster_error_with("{buffer: 9 kB}"), HasSubstr("no room for one packet of 4158 B"));
  EXPECT_THAT(cluster_error_with("{buffer_share: 1}"), HasSubstr("set `buffer`"));
  EXPECT_THAT(cluster_error_with("{headroom: 9 kB}"), HasSubstr("set `pfc`"));
  EXPECT_THAT(cluster_error_with("{resume_below: 1 kB}"), HasSubstr("set `pfc`"));
  EXPECT_THAT(cluster_error_with("{round_trip: 1 us}"), HasSubstr("no `transport` uses it"));
  EXPECT_THAT(cluster_error_with("{transport: dcqcn, mark_to: 9 kB, round_trip: 1 us}"),
              HasSubstr("no `transport` uses it"));
  EXPECT_EQ(cluster_error_with("{transport: swift, round_trip: 1 us}"), "");
  EXPECT_THAT(cluster_error_with("{mark_most: 0.1}"), HasSubstr("set `mark_to`"));
  EXPECT_THAT(cluster_error_with("{transport: dcqcn}"), HasSubstr("needs marked packets"));
  EXPECT_THAT(cluster_error_with("{dcqcn: {fast_recovery: 1}}"),
              HasSubstr("no `transport` uses it"));
  EXPECT_THAT(cluster_error_with("{transport: hpcc, hpcc: {utilization: 2}}"),
              HasSubstr("utilization"));
  EXPECT_THAT(cluster_error_with("{transport: swift, swift: {range_from: 9, range_to: 8}}"),
              HasSubstr("is not below `range_to`"));
  EXPECT_THAT(cluster_error_with("{scheduling: weighted}"),
              HasSubstr("all traffic has one priority"));
  EXPECT_THAT(cluster_error_with("{weights: [1, 2]}"), HasSubstr("set `scheduling: weighted`"));
  EXPECT_THAT(
      cluster_error_with("{priorities: {memory: 2}, scheduling: weighted, weights: [1, 2]}"),
      HasSubstr("one number for each of 3 priorities"));
  EXPECT_THAT(
      cluster_error_with("{priorities: {memory: 1}, scheduling: weighted, weights: [1, 0]}"),
      HasSubstr("from 1 to 1000"));
  EXPECT_THAT(cluster_error_with("{priorities: {memory: 8}}"),
              HasSubstr("/packets/priorities/memory"));
  EXPECT_THAT(cluster_error_with("{transport: nscc}"), HasSubstr("needs marked packets"));
  EXPECT_THAT(cluster_error_with("{transport: dctcp, mark_to: 9 kB, window: 4}"),
              HasSubstr("remove it"));
  EXPECT_THAT(cluster_error_with("{payload: 0 B}"), HasSubstr("/packets/payload"));
  EXPECT_THAT(cluster_error_with("{windows: 1}"), HasSubstr("window"));
}

TEST(PacketSettings, ContradictionsOfClassesAreErrors) {
  EXPECT_THAT(cluster_error_with("{classes: [{links: network}]}"),
              HasSubstr("no other values than all links"));
  EXPECT_THAT(cluster_error_with("{classes: [{links: network, transport: nscc}]}"),
              HasSubstr("/packets/classes/0/transport"));
  EXPECT_THAT(
      cluster_error_with("{classes: [{links: pcie, queue: 9 kB}, {links: pcie, queue: 8 kB}]}"),
      HasSubstr("already in the list"));
  EXPECT_EQ(cluster_error_with(
                "{pfc: true, buffer: 1 MB, window: 9, classes: [{links: network, transport: "
                "dcqcn, mark_to: 9 kB}]}"),
            "");
  // What a class does not state has no effect there, and that is no error.
  EXPECT_EQ(cluster_error_with(
                "{pfc: true, buffer: 1 MB, headroom: 9 kB, resume_below: 1 kB, classes: [{links: "
                "scale-up, pfc: false}]}"),
            "");
  EXPECT_EQ(cluster_error_with(
                "{buffer: 1 MB, queue: 90 kB, trims: true, classes: [{links: network, pfc: "
                "true}]}"),
            "");
  EXPECT_EQ(cluster_error_with(
                "{queue: 90 kB, trims: true, mark_from: 1 kB, mark_to: 2 kB, mark_most: 0.5, "
                "classes: [{links: network, queue: 0 B, mark_to: 0 B}]}"),
            "");
  EXPECT_THAT(cluster_error_with(
                  "{pfc: true, buffer: 1 MB, classes: [{links: network, pfc: false, headroom: 9 "
                  "kB}]}"),
              HasSubstr("/packets/classes/0/headroom"));
}

}  // namespace
}  // namespace orrery::model
