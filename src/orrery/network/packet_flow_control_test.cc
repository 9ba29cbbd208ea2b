// SPDX-License-Identifier: Apache-2.0
//
// Shared buffers, priority flow control, priorities and faults of the packet network. 2 CPU s.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/network/packet_testing.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {
namespace {

using testing::Driver;
using testing::expect_conserved;
using ::testing::HasSubstr;
using testing::incast_of;
using testing::last_arrival;
using testing::packet_cluster;
using testing::star;
using testing::TimedSend;

std::uint64_t dropped_by(const PacketNetwork& network, PacketDrop why) {
  return network.engine().counts().dropped_by[static_cast<std::size_t>(why)];
}

std::uint32_t link_named(const PacketNetwork& network, const std::string& name) {
  for (std::uint32_t link = 0; link < network.link_count(); ++link)
    if (network.link(link).name == name) return link;
  ADD_FAILURE() << "no link " << name;
  return 0;
}

/// The largest queue into each of the devices, sampled every microsecond.
std::vector<std::int64_t> longest_queues(PacketNetwork& network, std::vector<TimedSend> sends,
                                         std::uint32_t devices, std::int64_t until) {
  std::vector<std::int64_t> most(devices);
  Driver driver(network);
  for (std::int64_t time = 0; time < until; time += 1'000'000) {
    driver.run(std::exchange(sends, {}), time);
    for (std::uint32_t i = 0; i < devices; ++i)
      most[i] = std::max(most[i], network.engine().waiting(
                                      link_named(network, "switch -> npu" + std::to_string(i))));
  }
  return most;
}

// Choudhury and Hahne 1998, equation 3: n queues that grow share the buffer so that each has
// share x B / (1 + n x share).
TEST(SharedBuffer, DynamicThresholdsLeaveRoom) {
  for (const double share : {0.5, 1.0, 2.0}) {
    for (const std::uint32_t queues : {1u, 2u}) {
      SCOPED_TRACE(share);
      PacketNetwork network(star(
          12, fmt::format("buffer: 300 kB, buffer_share: {}, window: 0, timeout: 10 ms", share)));
      std::vector<TimedSend> sends;
      for (std::uint32_t i = 0; i < 8; ++i)
        sends.push_back({0, {.from = 4 + i, .to = i % queues, .bytes = 1000 * 938, .token = i}});
      const std::vector<std::int64_t> most =
          longest_queues(network, std::move(sends), queues, 150'000'000);
      const double expected = share * 300e3 / (1 + queues * share);
      for (const std::int64_t each : most) EXPECT_NEAR(static_cast<double>(each), expected, 3'000);
      EXPECT_GT(dropped_by(network, PacketDrop::no_room), 0u);
      expect_conserved(network);
    }
  }
}

// With the default headroom nothing is lost and the port is never idle; without any, packets that
// are on their way when the pause begins are.
TEST(FlowControl, LosesNothingWithHeadroom) {
  PacketNetwork network(star(9, "buffer: 100 kB, pfc: true, window: 0"));
  Driver driver(network);
  driver.run(incast_of(8, 500));
  EXPECT_EQ(driver.arrivals.size(), 8u);
  EXPECT_EQ(network.engine().counts().dropped, 0u);
  EXPECT_EQ(network.engine().counts().sent, 4000u);
  EXPECT_GT(network.engine().counts().pauses, 8u);
  EXPECT_LT(static_cast<double>(last_arrival(driver)), 1.01 * 4000 * 100e3);
  expect_conserved(network);

  PacketNetwork without(
      star(9, "buffer: 100 kB, pfc: true, headroom: 1 kB, window: 0, timeout: 50 us"));
  Driver other(without);
  other.run(incast_of(8, 500));
  EXPECT_EQ(other.arrivals.size(), 8u);
  EXPECT_GT(dropped_by(without, PacketDrop::no_headroom), 0u);
  expect_conserved(without);
}

/// Devices 0 to 4 at one switch. The links from 1 to 4 to it carry 10 GB/s over 500 ns, those to
/// them less, over more.
platform::Platform slow_back(const std::string& packets) {
  platform::Platform platform = star(5, packets);
  const platform::LinkFigures fast{Bandwidth(10e9), ns(500), 1, platform::LinkClass::network};
  const platform::LinkFigures slow{Bandwidth(0.5e9), us(8), 1, platform::LinkClass::network};
  platform::TopologyBuilder builder("star", "test");
  auto fabric = std::make_shared<platform::Fabric>();
  std::vector<platform::NodeIndex>& devices = fabric->rank_devices;
  for (int i = 0; i < 5; ++i)
    devices.push_back(
        builder.add(platform::NodeClass::device, fmt::format("npu{}", i), builder.add_host()));
  const platform::NodeIndex center = builder.add(platform::NodeClass::switched, "switch");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    builder.link(devices[i], center, fast);
    builder.link(center, devices[i], i == 0 ? fast : slow);
  }
  fabric->topology = builder.finish("test").value();
  platform.fabric = std::move(fabric);
  return platform;
}

// The pause travels over the link back, which has a rate, a latency and packets of its own.
TEST(FlowControl, LosesNothingOverSlowLinksBack) {
  for (const char* const priorities : {"", ", priorities: {point_to_point: 1, memory: 2}"}) {
    SCOPED_TRACE(priorities);
    PacketNetwork network(
        slow_back(std::string("buffer: 20 kB, pfc: true, window: 0") + priorities));
    std::vector<TimedSend> sends;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t at = 1 + i % 4;
      const auto traffic = static_cast<TrafficClass>(i % 3);
      const std::int64_t time = i / 12 * 20'000'000;
      sends.push_back(
          {time, {.from = at, .to = 0, .bytes = 60 * 938, .traffic = traffic, .token = 2 * i}});
      sends.push_back({time, {.from = 0, .to = at, .bytes = 9 * 938, .token = 2 * i + 1}});
    }
    Driver driver(network);
    driver.run(sends);
    EXPECT_EQ(driver.arrivals.size(), sends.size()) << network.why_stalled();
    EXPECT_EQ(network.engine().counts().dropped, 0u);
    EXPECT_GT(network.engine().counts().pauses, 20u);
    expect_conserved(network);
  }
}

// A pause and its end wait for one packet of 2 us on the link back. If the pause came last, the
// second message would wait forever.
TEST(FlowControl, EndsShortPauses) {
  PacketNetwork network(slow_back("buffer: 40 kB, pfc: true, window: 0"));
  std::vector<TimedSend> sends;
  for (std::uint32_t i = 1; i <= 2; ++i) {
    sends.push_back({0, {.from = i, .to = 0, .bytes = 8 * 938, .token = i}});
    sends.push_back({0, {.from = 0, .to = i, .bytes = 3 * 938, .token = 2 + i}});
    sends.push_back({us(50).count(), {.from = i, .to = 0, .bytes = 938, .token = 4 + i}});
  }
  Driver driver(network);
  driver.run(sends);
  EXPECT_GT(network.engine().counts().pauses, 0u);
  EXPECT_EQ(driver.arrivals.size(), sends.size());
}

// Head-of-line blocking, the known cost of flow control: a pair whose own ports are free waits
// because the port of its sender is paused.
TEST(FlowControl, PausesVictims) {
  const auto victim = [](const char* packets) {
    PacketNetwork network(star(9, packets));
    std::vector<TimedSend> sends = incast_of(6, 1000);
    sends.push_back({0, {.from = 1, .to = 8, .bytes = 200 * 938, .token = 9}});
    Driver driver(network);
    driver.run(sends);
    return static_cast<double>(driver.arrivals.at(9));
  };
  // By turns, half of the sender's port: 400 packets of 100 ns. Paused, a sixth of a port.
  EXPECT_LT(victim("window: 0"), 1.1 * 400 * 100e3);
  EXPECT_GT(victim("window: 0, buffer: 100 kB, pfc: true"), 2 * 400 * 100e3);
}

/// Switches in a ring, each with one device. All routes between devices go the same way round.
platform::Platform ring_of_switches(int count, const std::string& packets) {
  platform::Platform platform = star(2, packets);
  const platform::LinkFigures cable{Bandwidth(10e9), ns(500), 1, platform::LinkClass::network};
  platform::TopologyBuilder builder("ring", "test");
  auto fabric = std::make_shared<platform::Fabric>();
  std::vector<platform::NodeIndex>& devices = fabric->rank_devices;
  std::vector<platform::NodeIndex> switches;
  for (int i = 0; i < count; ++i)
    devices.push_back(
        builder.add(platform::NodeClass::device, fmt::format("device{}", i), builder.add_host()));
  for (int i = 0; i < count; ++i)
    switches.push_back(builder.add(platform::NodeClass::switched, fmt::format("switch{}", i)));
  const auto size = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < size; ++i) {
    builder.join(devices[i], switches[i], cable);
    builder.join(switches[i], switches[(i + 1) % size], cable);
  }
  fabric->topology = builder.finish("test").value();
  for (std::size_t i = 0; i < size; ++i)
    fabric->routing.fixed_routes.push_back({{devices[i], switches[i], switches[(i + 1) % size],
                                             switches[(i + 2) % size], devices[(i + 2) % size]}});
  platform.dims = {{platform::Block::switched, count, Bandwidth(10e9), 500}};
  platform.fabric = std::move(fabric);
  return platform;
}

// Each device sends to the next but one: packets from both links of a switch wait for the same
// port, so that pauses wait for each other around the ring.
TEST(FlowControl, NamesADeadlock) {
  std::vector<TimedSend> sends;
  for (std::uint32_t i = 0; i < 3; ++i)
    sends.push_back({0, {.from = i, .to = (i + 2) % 3, .bytes = 1'000'000, .token = i}});
  PacketNetwork network(ring_of_switches(3, "window: 0, buffer: 40 kB, pfc: true"));
  Driver driver(network);
  driver.run(sends);
  EXPECT_LT(driver.arrivals.size(), 3u);
  EXPECT_EQ(network.next(), Network::kNever);
  EXPECT_THAT(network.why_stalled(),
              HasSubstr("pauses of priority flow control wait for each other: switch0 -> switch1 "
                        "-> switch2 -> switch0"));
  expect_conserved(network);
  Findings findings;
  network.add_findings(findings);
  EXPECT_EQ(findings.count(FindingCode::pauses_deadlock), 1u);
  // Timers of senders do not keep it alive forever.
  PacketNetwork lossy(
      ring_of_switches(3, "window: 0, buffer: 40 kB, pfc: true, headroom: 100 kB, retries: 20"));
  Driver other(lossy);
  other.run(sends);
  EXPECT_LT(other.arrivals.size(), 3u);
  EXPECT_THAT(lossy.why_stalled(), HasSubstr("switch0 -> switch1 -> switch2 -> switch0"));
  // Without flow control all arrive.
  PacketNetwork without(ring_of_switches(3, "window: 0"));
  Driver complete(without);
  complete.run(sends);
  EXPECT_EQ(complete.arrivals.size(), 3u);
}

/// Two messages to one receiver, one of a collective, one point to point.
std::pair<double, double> two_classes(const std::string& packets) {
  PacketNetwork network(star(3, packets));
  Driver driver(network);
  driver.run({{0, {.from = 1, .to = 0, .bytes = 3000 * 938, .token = 0}},
              {0,
               {.from = 2,
                .to = 0,
                .bytes = 3000 * 938,
                .traffic = TrafficClass::point_to_point,
                .token = 1}}});
  expect_conserved(network);
  return {static_cast<double>(driver.arrivals.at(0)), static_cast<double>(driver.arrivals.at(1))};
}

TEST(Priorities, StrictOnesGoFirst) {
  const auto [low, high] = two_classes("priorities: {point_to_point: 3}, window: 64");
  EXPECT_LT(high, 1.01 * 3000 * 100e3);  // as if alone
  EXPECT_NEAR(low, 6000 * 100e3, 0.02 * 6000 * 100e3);
}

// Weights of 1 and 3: the second one has three quarters of the port until it ends.
TEST(Priorities, WeightsShareThePort) {
  const auto [one, three] = two_classes(
      "priorities: {point_to_point: 1}, scheduling: weighted, weights: [1, 3], window: 200");
  EXPECT_NEAR(three, 4000 * 100e3, 0.02 * 4000 * 100e3);
  EXPECT_NEAR(one, 6000 * 100e3, 0.02 * 6000 * 100e3);
}

/// 8 hosts, 2 per leaf, 2 spines.
PacketNetwork leaves(const std::string& routing, const std::string& faults,
                     const std::string& packets) {
  return PacketNetwork(packet_cluster(
      "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: fat_tree, per_leaf: 2, radix: 4, "
      "port: {bandwidth: 10 GB/s, latency: 500 ns}}, routing: " +
      routing + ", faults: [" + faults + "]}\npackets: {payload: 938 B, header: 62 B" + packets +
      "}\n"));
}

TEST(PacketFaults, ASlowLinkSlowsItsPackets) {
  const auto time = [](const char* faults) {
    PacketNetwork network = leaves("ecmp", faults, "");
    Driver driver(network);
    driver.run({{0, {.from = 0, .to = 7, .bytes = 1000 * 938}}});
    return static_cast<double>(driver.arrivals.at(0));
  };
  const double usual = time("");
  // From the begin, and from the middle on.
  EXPECT_NEAR(time("{node: npu7, bandwidth: 0.5}") / usual, 2, 0.03);
  EXPECT_NEAR(time("{node: npu7, bandwidth: 0.5, start: 50 us}") / usual, 1.5, 0.05);
  EXPECT_NEAR(time("{node: npu7, bandwidth: 0.5, start: 50 us, end: 60 us}") / usual, 1.05, 0.02);
}

// A spine fails for a while: packets in its queues are lost and sent again, new ones use the other
// spine. If the receiver's only link fails, they wait for its end.
TEST(PacketFaults, PacketsAreLostAndRerouted) {
  for (const char* const routing : {"ecmp", "spray"}) {
    SCOPED_TRACE(routing);
    for (const char* const fault :
         {"{node: spine0, start: 20 us, end: 500 us}", "{node: spine0, start: 20 us}",
          "{node: npu7, start: 20 us, end: 700 us}"}) {
      SCOPED_TRACE(fault);
      PacketNetwork network = leaves(routing, fault, "");
      std::vector<TimedSend> sends;
      for (std::uint32_t i = 0; i < 4; ++i)
        sends.push_back({0, {.from = i, .to = i + 4, .bytes = 1000 * 938, .token = i}});
      Driver driver(network);
      driver.run(sends);
      EXPECT_EQ(driver.arrivals.size(), 4u);
      EXPECT_GT(dropped_by(network, PacketDrop::link_down), 0u);
      EXPECT_GE(network.engine().counts().again, network.engine().counts().dropped);
      expect_conserved(network);
    }
  }
}

// A link that recurs to fail while nothing is sent: the next message waits for its end as always.
TEST(PacketFaults, ThatRecurWithoutMessagesStallNothing) {
  PacketNetwork network = leaves("ecmp", "{node: npu7, every: 50 us, lasts: 7 us}", "");
  Driver driver(network);
  const std::int64_t begin = us(100'000).count();  // 2,000 faults later, when the next one begins
  driver.run({{begin, {.from = 0, .to = 7, .bytes = 938, .token = 0}},
              {2 * begin + us(1).count(), {.from = 0, .to = 7, .bytes = 938, .token = 1}}});
  ASSERT_EQ(driver.arrivals.size(), 2u) << network.why_stalled();
  EXPECT_GT(driver.arrivals.at(0), begin + us(7).count());
  EXPECT_LT(driver.arrivals.at(0), begin + us(120).count());  // 7 us and a timeout
  EXPECT_LT(driver.arrivals.at(1), 2 * begin + us(120).count());
}

// Until routes change, adaptive switches use the other spine, as fast as the sender.
TEST(PacketFaults, AdaptiveSwitchesAvoidAFailedSpine) {
  const auto time = [](const char* spraying) {
    PacketNetwork network = leaves("spray", "{node: spine0, start: 20 us}",
                                   fmt::format(", spraying: {}, reroute_after: 10 ms", spraying));
    Driver driver(network);
    driver.run({{0, {.from = 0, .to = 7, .bytes = 2000 * 938}}});
    EXPECT_EQ(driver.arrivals.size(), 1u);
    expect_conserved(network);
    return static_cast<double>(driver.arrivals.at(0));
  };
  const double adaptive = time("adaptive");
  EXPECT_LT(adaptive, 1.05 * 2000 * 100e3);
  EXPECT_LT(adaptive, time("reps"));
}

// Bonato et al. 2024: until switches reroute, recycled entropies avoid a failed spine, and an
// oblivious order keeps losing half of its packets there.
TEST(PacketFaults, RecycledEntropiesAvoidAFailedSpine) {
  const auto dropped = [](const char* spraying) {
    PacketNetwork network = leaves("spray", "{node: spine0, start: 20 us}",
                                   fmt::format(", spraying: {}, reroute_after: 10 ms, timeout: 20 "
                                               "us",
                                               spraying));
    Driver driver(network);
    driver.run({{0, {.from = 0, .to = 7, .bytes = 2000 * 938}}});
    EXPECT_EQ(driver.arrivals.size(), 1u);
    expect_conserved(network);
    return network.engine().counts().dropped;
  };
  EXPECT_LT(dropped("reps"), dropped("oblivious") / 3);
}

// Of equally long queues, switches choose by `seed`.
TEST(Spraying, TheSeedChoosesAmongEqualQueues) {
  const auto arrivals = [](int seed) {
    PacketNetwork network =
        leaves("spray", "", fmt::format(", spraying: adaptive, entropies: 1, seed: {}", seed));
    std::vector<TimedSend> sends;
    for (std::uint32_t i = 0; i < 8; ++i)
      sends.push_back({0, {.from = i, .to = (i + 3) % 8, .bytes = 300 * 938, .token = i}});
    Driver driver(network);
    driver.run(sends);
    return driver.arrivals;
  };
  EXPECT_EQ(arrivals(1), arrivals(1));
  EXPECT_NE(arrivals(1), arrivals(2));
}

// Switches that choose by their queues spread a permutation evenly; by flow, flows collide.
TEST(Spraying, AdaptiveSwitchesAvoidCollisions) {
  const auto last = [](const char* spraying) {
    PacketNetwork network(packet_cluster(fmt::format(
        "fabric: {{hosts: [{{count: 32, devices: 1}}], network: {{kind: fat_tree, per_leaf: 4, "
        "radix: 8, port: {{bandwidth: 10 GB/s, latency: 500 ns}}}}, routing: spray}}\n"
        "packets: {{spraying: {}, entropies: 16}}\n",
        spraying)));
    std::vector<TimedSend> sends;
    for (std::uint32_t i = 0; i < 32; ++i)
      sends.push_back({0, {.from = i, .to = (i + 4) % 32, .bytes = 4'000'000, .token = i}});
    Driver driver(network);
    driver.run(sends);
    EXPECT_EQ(driver.arrivals.size(), 32u);
    expect_conserved(network);
    return static_cast<double>(last_arrival(driver)) /
           static_cast<double>(network.uncontended_time(0, 4, 4'000'000));
  };
  const double adaptive = last("adaptive");
  EXPECT_LT(adaptive, 1.1);
  EXPECT_LE(adaptive, last("oblivious"));
}

// Go-back-N sends everything after a loss again; selective repeat only what is lost.
TEST(Reliability, GoBackNRepeatsMore) {
  const auto repeated = [](const char* reliability) {
    PacketNetwork network(
        star(9, "queue: 50 kB, timeout: 50 us, reliability: " + std::string(reliability)));
    Driver driver(network);
    driver.run(incast_of(8, 500));
    EXPECT_EQ(driver.arrivals.size(), 8u);
    const PacketCounts& counts = network.engine().counts();
    EXPECT_EQ(counts.sent - counts.again, 4000u);
    expect_conserved(network);
    if (std::string(reliability) == "selective") {
      EXPECT_EQ(counts.discarded, 0u);
    } else {
      EXPECT_GT(counts.discarded, 0u);
    }
    return counts.again;
  };
  EXPECT_GT(repeated("go_back_n"), 3 * repeated("selective"));
}

}  // namespace
}  // namespace orrery::model
