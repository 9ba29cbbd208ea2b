// SPDX-License-Identifier: Apache-2.0
//
// Properties of all packets, over random fabrics, transports, load balancing, buffers and faults.
// 3 CPU s; more cases: ORRERY_PACKET_CASES=2000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "orrery/network/packet_testing.h"

namespace orrery::model {
namespace {

using testing::Driver;
using testing::TimedSend;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(std::uint64_t of) { return below(of) == 0; }
  std::string of(std::vector<std::string> words) { return words[below(words.size())]; }

 private:
  std::mt19937_64 random_;
};

std::string any_network(Draw& draw) {
  const std::string port = fmt::format("port: {{bandwidth: {} GB/s, latency: {} ns}}",
                                       2 + draw.below(20), draw.below(3) * 400);
  const std::string shape = draw.of(
      {"hosts: [{count: 8, devices: 1}], network: {kind: switch, " + port + "}",
       "hosts: [{count: 8, devices: 1}], network: {kind: fat_tree, per_leaf: 2, radix: 4, " + port +
           "}",
       "hosts: [{count: 8, devices: 1}], network: {kind: torus, sizes: [2, 4], " + port + "}",
       "hosts: [{count: 4, devices: 2, nics: 2, scale_up: {bandwidth: 50 GB/s, latency: 100 "
       "ns}, pcie: {bandwidth: 25 GB/s, latency: 100 ns}}], network: {kind: fat_tree, "
       "per_leaf: 2, radix: 8, " +
           port + "}"});
  std::string faults;
  if (draw.chance(2)) {
    const std::string node = shape.find("fat_tree") != std::string::npos ? "spine0" : "npu*";
    faults = fmt::format(", faults: [{{node: \"{}\", {}}}]", node,
                         draw.of({"start: 3 us, end: 40 us", "bandwidth: 0.3, start: 5 us",
                                  "bandwidth: 0.5", "every: 50 us, lasts: 7 us"}));
  }
  return "fabric: {" + shape + ", routing: " + draw.of({"ecmp", "spray", "spray", "d_mod_k"}) +
         faults + "}\n";
}

std::string any_packets(Draw& draw) {
  std::string text = fmt::format("packets: {{payload: {} B", 500 + draw.below(4000));
  const std::string transport =
      draw.of({"window", "dctcp", "dcqcn", "hpcc", "swift", "nscc", "rccc", "nscc_rccc"});
  text += ", transport: " + transport + ", seed: " + std::to_string(draw.below(1000));
  if (transport == "window" && draw.chance(2))
    text += ", window: " + std::to_string(draw.below(80));
  text += ", mark_from: 15 kB, mark_to: 30 kB, mark_most: " + draw.of({"0.1", "1"});
  const std::uint64_t buffer = draw.below(5);
  if (buffer == 1) text += ", queue: 40 kB, trims: " + draw.of({"true", "false"});
  if (buffer == 2)
    text += ", buffer: 200 kB, buffer_share: 1, trims: " + draw.of({"true", "false"});
  if (buffer == 3) text += ", buffer: 100 kB, pfc: true";
  if (buffer == 4) text += ", buffer: 100 kB, pfc: true, headroom: 5 kB";
  text += ", spraying: " + draw.of({"oblivious", "bitmap", "reps", "mixed", "adaptive"});
  text += ", entropies: " + std::to_string(1 + draw.below(20));
  text += ", posting: " + draw.of({"turns", "turns", "fifo"});
  text += ", reliability: " + draw.of({"selective", "go_back_n"});
  text += ", timeout: 30 us, reroute_after: " + draw.of({"0 us", "20 us"});
  text += ", acknowledge_every: " + draw.of({"0 B", "8 kB"});
  if (draw.chance(3)) text += ", priorities: {point_to_point: 2, memory: 1}";
  if (draw.chance(3)) text += ", classes: [{links: scale-up, transport: window, mark_to: 40 kB}]";
  return text + "}\n";
}

std::vector<TimedSend> any_sends(Draw& draw) {
  std::vector<TimedSend> sends;
  for (std::uint32_t i = 0; i < 25; ++i) {
    const auto from = static_cast<EndPoint>(draw.below(8));
    const auto to = draw.chance(2) ? static_cast<EndPoint>(from == 0 ? 1 : 0)
                                   : static_cast<EndPoint>((from + 1 + draw.below(7)) % 8);
    sends.push_back({static_cast<std::int64_t>(draw.below(3) * 10'000'000),
                     {.from = from,
                      .to = to,
                      .bytes = static_cast<std::int64_t>(draw.below(100'000)),
                      .traffic = static_cast<TrafficClass>(draw.below(4)),
                      .token = i,
                      .order = i}});
  }
  return sends;
}

std::uint64_t case_count() {
  const char* const wanted = std::getenv("ORRERY_PACKET_CASES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 150;
}

// At any time, every packet is received, dropped, trimmed or in flight. In the end all messages
// have arrived, unless pauses wait for each other, which the network then says. Equal runs are
// equal, and smaller steps change nothing.
TEST(PacketProperties, EveryPacketIsAccountedFor) {
  std::uint64_t dropped = 0, trimmed = 0, pauses = 0, credits = 0, stalls = 0;
  for (std::uint64_t seed = 1; seed <= case_count(); ++seed) {
    Draw draw(seed);
    const std::string text = any_network(draw) + any_packets(draw);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const platform::Platform platform = testing::packet_cluster(text);
    const std::vector<TimedSend> sends = any_sends(draw);
    PacketNetwork network(platform), other(platform);
    Driver driver(network), whole(other);
    std::vector<TimedSend> left = sends;
    for (std::int64_t until = 20'777'777; until < 400'000'000; until += 31'777'777) {
      // Messages of later times go with the first call, which stops before them.
      std::vector<TimedSend> due;
      std::erase_if(left, [&](const TimedSend& one) {
        if (one.at > until) return false;
        due.push_back(one);
        return true;
      });
      driver.run(std::move(due), until);
      testing::expect_conserved(network);
    }
    driver.run({});
    whole.run(sends);
    EXPECT_EQ(driver.arrivals, whole.arrivals);
    testing::expect_conserved(network);
    const PacketCounts& counts = network.engine().counts();
    if (driver.arrivals.size() < sends.size()) {
      EXPECT_NE(network.why_stalled(), "");
      ++stalls;
    } else {
      EXPECT_EQ(network.why_stalled(), "");
      EXPECT_GE(counts.again, counts.dropped + counts.trimmed);
    }
    EXPECT_EQ(network.next(), Network::kNever);
    dropped += counts.dropped;
    trimmed += counts.trimmed;
    pauses += counts.pauses;
    credits += counts.credits;
    if (::testing::Test::HasFailure()) return;
  }
  // The cases contain what they are for.
  EXPECT_GT(dropped, 100u);
  EXPECT_GT(trimmed, 100u);
  EXPECT_GT(pauses, 100u);
  EXPECT_GT(credits, 100u);
  EXPECT_LT(stalls, case_count() / 4);
}

}  // namespace
}  // namespace orrery::model
