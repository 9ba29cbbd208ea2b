// SPDX-License-Identifier: Apache-2.0
//
// Packets that are not simulated again: equal results, and how much is left out. 4 CPU s; more
// cases: ORRERY_PACKET_CASES=2000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "orrery/network/packet_testing.h"

namespace orrery::model::skipping {
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
  return "fabric: {" + shape + ", routing: " + draw.of({"ecmp", "d_mod_k"}) + "}\n";
}

std::string any_packets(Draw& draw) {
  std::string text =
      fmt::format("payload: {} B, seed: {}", 500 + draw.below(4000), draw.below(1000));
  if (draw.chance(2)) text += ", window: " + std::to_string(draw.below(80));
  if (draw.chance(3)) text += ", buffer: 100 kB, pfc: true";
  text += ", posting: " + draw.of({"turns", "turns", "fifo"});
  text += ", timeout: 30 us, acknowledge_every: " + draw.of({"0 B", "8 kB"});
  if (draw.chance(3)) text += ", priorities: {point_to_point: 2, memory: 1}";
  return text;
}

/// Messages that begin together, several times, on the same or other devices and at times that
/// differ or not.
std::vector<TimedSend> any_sends(Draw& draw) {
  std::vector<TimedSend> sends;
  std::vector<TimedSend> pattern;
  const bool is_long = draw.chance(2);
  for (std::uint64_t i = 2 + draw.below(6); i > 0; --i) {
    const auto from = static_cast<EndPoint>(draw.below(8));
    pattern.push_back(
        {static_cast<std::int64_t>(draw.below(3) * draw.below(5'000'000)),
         {.from = from,
          .to = static_cast<EndPoint>((from + 1 + draw.below(7)) % 8),
          .bytes = static_cast<std::int64_t>(draw.below(is_long ? 3'000'000 : 60'000)),
          .traffic = static_cast<TrafficClass>(draw.below(4))}});
  }
  std::int64_t begin = 0;
  for (std::uint64_t i = 2 + draw.below(4); i > 0; --i) {
    const auto shift = static_cast<EndPoint>(draw.chance(2) ? 0 : 2 * draw.below(4));
    for (TimedSend one : pattern) {
      one.at += begin;
      one.send.from = (one.send.from + shift) % 8;
      one.send.to = (one.send.to + shift) % 8;
      one.send.token = static_cast<std::uint32_t>(sends.size());
      one.send.order = one.send.token;
      sends.push_back(one);
    }
    begin += static_cast<std::int64_t>(draw.of({"x", "xx", "xxx"}).size() * 300'000'000);
    if (draw.chance(3)) begin += static_cast<std::int64_t>(draw.below(2'000'000));
  }
  return sends;
}

std::uint64_t case_count() {
  const char* const wanted = std::getenv("ORRERY_PACKET_CASES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 150;
}

platform::Platform cluster(const std::string& fabric, const std::string& packets,
                           const std::string& skip) {
  return testing::packet_cluster(fabric + "packets: {" + packets + ", skip: " + skip + "}\n");
}

// All arrivals are equal, whatever is skipped: over random fabrics, buffers, losses and pauses, for
// messages that repeat exactly, nearly or on other devices. A copy continues as the original does.
TEST(PacketSkipping, ChangesNoArrival) {
  std::uint64_t all = 0, simulated = 0;
  for (std::uint64_t seed = 1; seed <= case_count(); ++seed) {
    Draw draw(seed);
    const std::string fabric = any_network(draw), packets = any_packets(draw);
    SCOPED_TRACE(fmt::format("seed {}\n{}{}", seed, fabric, packets));
    const std::vector<TimedSend> sends = any_sends(draw);
    PacketNetwork plain(cluster(fabric, packets, "off"));
    Driver expected(plain);
    expected.run(sends);
    for (const std::string skip : {"repeats"}) {
      PacketNetwork network(cluster(fabric, packets, skip));
      Driver driver(network);
      const std::int64_t middle = sends[sends.size() / 2].at + 7'777'777;
      std::vector<TimedSend> first, second;
      for (const TimedSend& one : sends) (one.at <= middle ? first : second).push_back(one);
      driver.run(first, middle);
      const std::unique_ptr<Network> copy = network.snapshot();
      Driver copied(*copy, driver);
      driver.run(second);
      EXPECT_EQ(driver.arrivals, expected.arrivals) << skip;
      copied.run(second);
      EXPECT_EQ(copied.arrivals, expected.arrivals) << "copy, " << skip;
      Findings findings;
      network.add_findings(findings);
      const auto events = network.skipped_events();
      ASSERT_TRUE(events);
      EXPECT_EQ(findings.count(FindingCode::packets_skipped), events->simulated < events->all);
      all += events->all;
      simulated += events->simulated;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all, simulated);
}

// One long message: all but its first and last packets are left out.
TEST(PacketSkipping, LeavesOutPeriodsOfLongMessages) {
  const std::string fabric =
      "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: switch, port: {bandwidth: 10 "
      "GB/s, "
      "latency: 400 ns}}}\n";
  PacketNetwork network(cluster(fabric, "payload: 4 KiB", "repeats"));
  Driver driver(network);
  driver.run({{0, {.from = 0, .to = 1, .bytes = 400'000'000}}});
  const auto events = network.skipped_events();
  ASSERT_TRUE(events);
  EXPECT_GT(events->all, 500 * events->simulated);
}

std::string why(const std::string& packets, const std::string& routing = "ecmp",
                const std::string& faults = "") {
  const platform::Platform made = testing::packet_cluster(
      "fabric: {hosts: [{count: 4, devices: 1}], network: {kind: fat_tree, per_leaf: 2, radix: 4, "
      "port: {bandwidth: 10 GB/s, latency: 500 ns}}, routing: " +
      routing + faults + "}\npackets: {" + packets + "}\n");
  const PacketNetwork network(made);
  Findings findings;
  network.add_findings(findings);
  const std::string& reason = network.why_nothing_is_skipped();
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), reason.empty() ? 0u : 1u);
  return reason;
}

TEST(PacketSkipping, SaysWhyNothingIsSkipped) {
  EXPECT_EQ(why("skip: repeats"), "");
  EXPECT_EQ(why("skip: 'off', transport: swift"), "");
  EXPECT_EQ(why("skip: repeats, transport: swift"),
            "the transport adapts to earlier messages (only `transport: window` does not)");
  EXPECT_EQ(why("skip: repeats, queue: 40 kB"), "queues mark or lose packets");
  EXPECT_EQ(why("skip: repeats", "spray"),
            "packets are sprayed, and later messages use other routes");
  EXPECT_EQ(why("skip: repeats", "ecmp", ", faults: [{node: spine0, start: 3 us, end: 40 us}]"),
            "links fail or recover during the run");
  EXPECT_EQ(why("skip: repeats, priorities: {memory: 1}, scheduling: weighted, weights: [1, 2]"),
            "weighted queues remember earlier packets");
}

}  // namespace
}  // namespace orrery::model::skipping
