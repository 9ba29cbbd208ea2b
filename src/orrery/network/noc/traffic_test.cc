// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/traffic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orrery/network/noc/noc_testing.h"

namespace orrery::noc {
namespace {

TrafficResult run_mesh(const TrafficSettings& traffic) {
  FlitEngine engine = engine_of(*make_cube({{4, 4}}), {});
  return run_traffic(engine, traffic);
}

TrafficSettings short_traffic(double load) {
  TrafficSettings made;
  made.load = load;
  made.period = 500;
  return made;
}

TEST(Traffic, PatternsOfBitsArePermutations) {
  for (const TrafficPattern pattern :
       {TrafficPattern::transpose, TrafficPattern::complement, TrafficPattern::shuffle}) {
    std::set<std::uint32_t> reached;
    for (std::uint32_t from = 0; from < 64; ++from) reached.insert(permuted(pattern, from, 64));
    EXPECT_EQ(reached.size(), 64u);
    EXPECT_EQ(*reached.rbegin(), 63u);
  }
  EXPECT_EQ(permuted(TrafficPattern::transpose, 0b001110, 64), 0b110001u);
  EXPECT_EQ(permuted(TrafficPattern::complement, 0b001110, 64), 0b110001u);
  EXPECT_EQ(permuted(TrafficPattern::shuffle, 0b101110, 64), 0b011101u);
}

TEST(Traffic, ASeedDeterminesTheResult) {
  TrafficSettings traffic = short_traffic(0.3);
  const TrafficResult first = run_mesh(traffic), again = run_mesh(traffic);
  EXPECT_EQ(first.latency, again.latency);
  EXPECT_EQ(first.cycles, again.cycles);
  EXPECT_EQ(first.counts.hops, again.counts.hops);
  traffic.seed = 2;
  EXPECT_NE(run_mesh(traffic).latency, first.latency);
}

// Below saturation, what is sent arrives: 16 nodes × 1,500 cycles × 0.2, to 4 standard deviations.
TEST(Traffic, AcceptsTheLoad) {
  for (const std::int64_t flits : {1, 5}) {
    TrafficSettings traffic = short_traffic(0.2);
    traffic.packet = flits;
    const TrafficResult result = run_mesh(traffic);
    EXPECT_TRUE(result.is_stable);
    EXPECT_NEAR(result.accepted, 0.2, 4 * 0.2 * std::sqrt(static_cast<double>(flits) / 4800));
    EXPECT_LE(result.least, result.median);
    EXPECT_LE(result.median, result.p99);
    EXPECT_LE(result.p99, result.most);
    EXPECT_GE(result.latency, result.network_latency);
  }
}

TEST(Traffic, NamesWhatIsWrongWithATrace) {
  const auto error_of = [](std::vector<TracePacket> trace) {
    TrafficSettings traffic;
    traffic.pattern = TrafficPattern::trace;
    traffic.trace = std::move(trace);
    const auto checked = check_traffic(traffic, 4);
    return checked ? std::string("none") : checked.error().where + " " + checked.error().what;
  };
  EXPECT_EQ(error_of({{0, 0, 1, 1}, {10'000'000, 0, 1, 1}}), "none");
  EXPECT_EQ(error_of({}), "trace has no packets");
  EXPECT_EQ(error_of({{0, 0, 1, 1}, {9223372036854775807, 0, 1, 1}}),
            "packet 2 begins in cycle 9223372036854775807");
}

// Half of all packets go to one node, which receives one flit per cycle.
TEST(Traffic, AHotSpotSaturatesItsNode) {
  TrafficSettings traffic = short_traffic(0.3);
  traffic.pattern = TrafficPattern::hot_spot;
  traffic.hot_node = 5;
  traffic.hot_share = 0.5;
  traffic.latency_limit = 100;
  const TrafficResult result = run_mesh(traffic);
  EXPECT_FALSE(result.is_stable);
  // One flit per cycle to the hot node, and what is sent to the others.
  EXPECT_LE(result.accepted, 1.0 / 16 + 0.5 * 0.3 * 15 / 16 * 1.1);
  EXPECT_LT(result.accepted, 0.2);
}

}  // namespace
}  // namespace orrery::noc
