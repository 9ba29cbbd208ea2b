// SPDX-License-Identifier: Apache-2.0
//
// Collectives that switches do, on every kind of network.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "orrery/platform/cluster.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using testing::Rank;

/// A byte takes 1 ns on a link, a hop 500 ns.
platform::Platform machine(const std::string& network, const std::string& model,
                           const std::string& algorithm = "in_network") {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " + model +
          "\ncollectives: {library: ideal, chunks: 1, all_reduce: " + algorithm + "}\n" + network,
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  platform::Platform platform = made ? *made : platform::Platform{};
  platform.device.memory = Bandwidth(0);  // reductions take no time
  return platform;
}

const std::string kSwitch =
    "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";
const std::string kTree =
    "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: fat_tree, per_leaf: 4, radix: 8,"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}, trunk: {bandwidth: 1 GB/s, latency: 300 ns}},"
    " in_network: [{switches: \"leaf*\"}, {switches: \"spine*\"}]}";

std::int64_t takes(const graph::Workload& workload, const platform::Platform& platform,
                   bool fold = true) {
  Options options;
  options.fold = fold;
  const auto made = simulate(workload, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->end.count() : -1;
}

graph::Workload one(CollectiveType type, std::uint32_t ranks, std::int64_t bytes = 1'000'000) {
  Rank rank;
  rank.coll(type, bytes);
  return testing::replicated(rank, ranks);
}

// 2 l alpha + n / B on every network: nobody is in the way.
TEST(InSwitches, AloneTakeWhatTheFormulaSays) {
  for (const char* model : {"analytical", "flow", "message"}) {
    SCOPED_TRACE(model);
    for (const bool fold : {true, false}) {
      EXPECT_EQ(takes(one(CollectiveType::all_reduce, 8), machine(kSwitch, model), fold),
                1'000'000 + 1'000'000'000);
      EXPECT_EQ(takes(one(CollectiveType::reduce_scatter, 8), machine(kSwitch, model), fold),
                1'000'000 + 1'000'000'000);
      EXPECT_EQ(takes(one(CollectiveType::all_gather, 8, 125'000), machine(kSwitch, model), fold),
                1'000'000 + 1'000'000'000);
      EXPECT_EQ(
          takes(one(CollectiveType::all_reduce, 16), machine(kTree, model, "one_in_network"), fold),
          1'600'000 + 1'000'000'000);
    }
  }
}

// 500 bytes are on their way for 1,000 ns there and back: half of the links' rate.
TEST(InSwitches, AreHeldBackByBuffersOnEveryNetwork) {
  std::string small = kSwitch;
  small.replace(small.find("in_network: {}"), 14, "in_network: {buffer: 500 B}");
  for (const char* model : {"analytical", "flow", "message"}) {
    for (const bool fold : {true, false}) {
      EXPECT_EQ(takes(one(CollectiveType::all_reduce, 8), machine(small, model), fold),
                1'000'000 + 2'000'000'000)
          << model;
    }
  }
}

// At most 2 (p - 1) / p faster than what end points do in bandwidth.
TEST(InSwitches, AreAtMostTwiceAsFastAsEndPoints) {
  const auto workload = one(CollectiveType::all_reduce, 8, 100'000'000);
  for (const char* model : {"analytical", "flow"}) {
    const auto by_switch = static_cast<double>(takes(workload, machine(kSwitch, model)));
    for (const char* algorithm : {"ring", "halving_doubling"}) {
      const auto by_ends = static_cast<double>(takes(workload, machine(kSwitch, model, algorithm)));
      EXPECT_GT(by_ends / by_switch, 1.7) << model << " " << algorithm;
      EXPECT_LT(by_ends / by_switch, 1.752) << model << " " << algorithm;
    }
  }
}

// Two at once share every link, where links are shared.
TEST(InSwitches, MeetOtherTraffic) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    ranks[r].coll(CollectiveType::all_reduce, 1'000'000);
    if (r == 0) ranks[r].send(1, 1'000'000);
    if (r == 1) ranks[r].recv(0, 1'000'000);
  }
  const graph::Workload workload = testing::workload(ranks);
  EXPECT_EQ(takes(workload, machine(kSwitch, "analytical")), 1'001'000'000);
  for (const bool fold : {true, false})
    EXPECT_EQ(takes(workload, machine(kSwitch, "flow"), fold), 2'001'000'000);
}

// Data moves when there is a summand from everybody.
TEST(InSwitches, WaitForTheLast) {
  for (const char* model : {"analytical", "flow", "message"}) {
    std::vector<Rank> ranks(8);
    for (std::uint32_t r = 0; r < 8; ++r) {
      Rank& rank = ranks[r];
      rank.coll(CollectiveType::all_reduce, 1'000'000,
                r == 5 ? testing::Deps{rank.comp(us(300))} : testing::Deps{});
    }
    const graph::Workload workload = testing::workload(ranks);
    for (const bool fold : {true, false})
      EXPECT_EQ(takes(workload, machine(kSwitch, model), fold), 300'000'000 + 1'001'000'000);
  }
}

TEST(InSwitches, AreAPhaseAmongOthers) {
  const std::string two =
      "network: [{block: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns},"
      " {block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";
  const auto workload = one(CollectiveType::all_reduce, 16, 4'000'000);
  // Reduce-scatter and all-gather of 4 MB around the ring, an all-reduce of 1 MB between.
  const auto rings = std::int64_t{6} * (500'000 + 1'000'000'000);
  for (const bool fold : {true, false}) {
    EXPECT_EQ(takes(workload, machine(two, "analytical", "[ring, in_network]"), fold),
              rings + 1'001'000'000);
    EXPECT_EQ(takes(workload, machine(two, "flow", "[ring, in_network]"), fold),
              rings + 1'001'000'000);
  }
}

TEST(InSwitches, WhoCannotIsNotAskedTo) {
  Findings findings;
  const auto refused = [&](const std::string& network, const std::string& collective) {
    const auto made =
        platform::parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + network +
                                    "\ncollectives: {" + collective + "}",
                                "test", findings);
    return made ? std::string() : to_string(made.error());
  };
  const std::string plain = "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 1 us}]";
  EXPECT_NE(refused(plain, "all_reduce: in_network").find("do not say that they can"),
            std::string::npos);
  EXPECT_NE(refused(kSwitch, "all_to_all: in_network").find("cannot run an all-to-all"),
            std::string::npos);
  EXPECT_NE(refused("network: [{block: ring, size: 8, bandwidth: 1 GB/s, latency: 1 us,"
                    " in_network: {}}]",
                    "chunks: 1")
                .find("has no switch"),
            std::string::npos);
  EXPECT_NE(refused("fabric: {hosts: [{count: 4, devices: 1}], network: {kind: switch,"
                    " port: {bandwidth: 1 GB/s, latency: 1 us}}}",
                    "all_reduce: in_network")
                .find("no switch of the fabric"),
            std::string::npos);
}

}  // namespace
}  // namespace orrery::sim
