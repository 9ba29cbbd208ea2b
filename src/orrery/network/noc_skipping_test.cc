// SPDX-License-Identifier: Apache-2.0
//
// Flits that are not simulated again: equal results, and how much is left out. 3 CPU s; more cases:
// ORRERY_FLIT_CASES=2000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "orrery/network/network_driver_testing.h"
#include "orrery/network/noc_network.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::model::skipping {
namespace {

using testing::Driver;
using testing::TimedSend;

class FlitDraw {
 public:
  explicit FlitDraw(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(std::uint64_t of) { return below(of) == 0; }
  std::string of(std::vector<std::string> words) { return words[below(words.size())]; }

 private:
  std::mt19937_64 random_;
};

platform::Platform flit_cluster(const std::string& network, const std::string& noc) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: noc\n" + network +
          "\nnoc: {" + noc + "}\n",
      "drawn", findings);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return *made;
}

std::string flit_grid(const std::string& kind, int devices, const std::string& sizes,
                      const std::string& more = "") {
  return fmt::format(
      "fabric: {{hosts: [{{count: {}, devices: 1}}], network: {{kind: {}, sizes: {}, port: "
      "{{bandwidth: 32 GB/s, latency: 1 ns}}{}}}}}",
      devices, kind, sizes, more);
}

/// A network of 16 devices.
std::string any_flit_network(FlitDraw& draw) {
  return draw.of({flit_grid("mesh", 16, "[4, 4]"), flit_grid("torus", 16, "[4, 4]"),
                  flit_grid("torus", 16, "[16]"),
                  flit_grid("mesh", 16, "[8, 2]",
                            ", dies: [4, 2], die_link: {bandwidth: 5 GB/s, latency: 7 ns}"),
                  "network:\n  - {block: switch, size: 4, bandwidth: 32 GB/s, latency: 3 ns}\n"
                  "  - {block: switch, size: 4, bandwidth: 10 GB/s, latency: 5 ns}",
                  "network:\n  - {block: fully_connected, size: 16, bandwidth: 8 GB/s, latency: 1 "
                  "ns}"});
}

std::string any_routers(FlitDraw& draw, const std::string& network) {
  std::string text = fmt::format(
      "stages: {}, channels: {}, buffer: {}, packet: {}, speedup: {}, iterations: {}, seed: {}",
      1 + draw.below(4), 2 + draw.below(4), 2 + draw.below(8), 2 + draw.below(12),
      1 + draw.below(2), 1 + draw.below(2), draw.below(99));
  text += ", channel_allocator: " + draw.of({"islip", "separable", "wavefront"});
  text += ", switch_allocator: " + draw.of({"islip", "separable", "wavefront"});
  if (draw.chance(3)) text += ", waits_for_tail: true";
  if (draw.chance(3) && network.find("sizes: [4") != std::string::npos)
    text += ", clocks: [{cycle: 1.5 ns, from: [2, 0], to: [3, 3]}]";
  if (draw.chance(6)) text += ", routing: up_down";
  return text;
}

/// Messages that begin together, several times, on the same or other devices, at times that differ
/// or not.
std::vector<TimedSend> any_flit_sends(FlitDraw& draw) {
  std::vector<TimedSend> sends, pattern;
  for (std::uint64_t i = 2 + draw.below(6); i > 0; --i) {
    const auto from = static_cast<EndPoint>(draw.below(16));
    pattern.push_back({static_cast<std::int64_t>(draw.below(3) * draw.below(300'000)),
                       {.from = from,
                        .to = static_cast<EndPoint>((from + 1 + draw.below(15)) % 16),
                        .bytes = static_cast<std::int64_t>(draw.below(4000))}});
  }
  std::int64_t begin = 0;
  for (std::uint64_t i = 2 + draw.below(6); i > 0; --i) {
    const auto shift = static_cast<EndPoint>(draw.chance(2) ? 0 : 4 * draw.below(4));
    for (TimedSend one : pattern) {
      one.at += begin;
      one.send.from = (one.send.from + shift) % 16;
      one.send.to = (one.send.to + shift) % 16;
      one.send.token = static_cast<std::uint32_t>(sends.size());
      one.send.order = one.send.token;
      sends.push_back(one);
    }
    begin += static_cast<std::int64_t>(draw.below(4)) * 500'000;
    if (draw.chance(3)) begin += static_cast<std::int64_t>(draw.below(20'000));
  }
  return sends;
}

std::uint64_t flit_case_count() {
  const char* const wanted = std::getenv("ORRERY_FLIT_CASES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 200;
}

// All arrivals are equal, whatever is skipped: over random networks, clocks, routers and
// allocators, for messages that repeat exactly, nearly, or in another place. A copy continues as
// the original.
TEST(FlitSkipping, ChangesNoArrival) {
  std::uint64_t all = 0, simulated = 0;
  for (std::uint64_t seed = 1; seed <= flit_case_count(); ++seed) {
    FlitDraw draw(seed);
    const std::string network = any_flit_network(draw), routers = any_routers(draw, network);
    SCOPED_TRACE(fmt::format("seed {}\n{}\n{}", seed, network, routers));
    const platform::Platform plain_cluster = flit_cluster(network, routers);
    const auto checked = check_noc(plain_cluster, "cluster.yaml");
    ASSERT_TRUE(checked.has_value()) << to_string(checked.error());
    const std::vector<TimedSend> sends = any_flit_sends(draw);
    NocNetwork plain(plain_cluster);
    Driver expected(plain);
    expected.run(sends);
    NocNetwork network_with(flit_cluster(network, routers + ", skip: repeats"));
    Driver driver(network_with);
    const std::int64_t middle = sends[sends.size() / 2].at + 77'777;
    std::vector<TimedSend> first, second;
    for (const TimedSend& one : sends) (one.at <= middle ? first : second).push_back(one);
    driver.run(first, middle);
    const std::unique_ptr<Network> copy = network_with.snapshot();
    Driver copied(*copy, driver);
    driver.run(second);
    EXPECT_EQ(driver.arrivals, expected.arrivals);
    copied.run(second);
    EXPECT_EQ(copied.arrivals, expected.arrivals) << "copy";
    const auto flits = network_with.skipped_flits();
    ASSERT_TRUE(flits);
    EXPECT_EQ(flits->all, std::max(plain.engine().counts().hops, flits->simulated));
    all += flits->all;
    simulated += flits->simulated;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all, simulated);
}

/// In each row of a mesh, `times` times, each device sends to the next one and the last to the
/// first.
std::vector<TimedSend> row_rings(std::uint32_t side, int times, std::int64_t bytes) {
  std::vector<TimedSend> sends;
  for (int time = 0; time < times; ++time) {
    for (std::uint32_t i = 0; i < side * side; ++i) {
      const EndPoint to = i % side == side - 1 ? i - (side - 1) : i + 1;
      const auto token = static_cast<std::uint32_t>(sends.size());
      sends.push_back({time * std::int64_t{2'000'000},
                       {.from = i, .to = to, .bytes = bytes, .token = token, .order = token}});
    }
  }
  return sends;
}

// One row represents all, and one pair of neighbors all others. Later times differ in the pointers
// of allocators, which repeat after some 50 times. docs/noc.md has these figures.
TEST(FlitSkipping, SimulatesEqualRowsOnce) {
  struct Case {
    std::uint32_t side;
    int times;
    std::int64_t bytes;
    std::uint64_t simulated, all;
  };
  for (const Case& one :
       {Case{8, 300, 5000, 85'008, 8'870'400}, Case{32, 30, 8192, 267'972, 24'725'760}}) {
    const std::string sizes = fmt::format("[{0}, {0}]", one.side);
    NocNetwork network(flit_cluster(flit_grid("mesh", static_cast<int>(one.side * one.side), sizes),
                                    "skip: repeats"));
    Driver driver(network);
    const std::vector<TimedSend> sends = row_rings(one.side, one.times, one.bytes);
    driver.run(sends);
    ASSERT_EQ(driver.arrivals.size(), sends.size());
    const auto flits = network.skipped_flits();
    ASSERT_TRUE(flits);
    EXPECT_EQ(flits->simulated, one.simulated);
    EXPECT_EQ(flits->all, one.all);
    Findings findings;
    network.add_findings(findings);
    EXPECT_EQ(findings.count(FindingCode::packets_skipped), 1u);
  }
}

TEST(FlitSkipping, NamesWhyNothingIsSkipped) {
  for (const std::string routing : {"o1turn", "valiant", "adaptive", "xy_escape"}) {
    NocNetwork network(
        flit_cluster(flit_grid("mesh", 16, "[4, 4]"), "skip: repeats, routing: " + routing));
    EXPECT_FALSE(network.skipped_flits());
    Findings findings;
    network.add_findings(findings);
    EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1u) << routing;
  }
}

}  // namespace
}  // namespace orrery::model::skipping
