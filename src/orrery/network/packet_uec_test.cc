// SPDX-License-Identifier: Apache-2.0
//
// The packet network compared with runs of the simulator of the Ultra Ethernet Consortium
// (uet-htsim, 40ccb05), whose results are in shared/data/packets (README.md there has the
// parameters that the commands imply). 5 CPU s.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/paths_testing.h"
#include "orrery/network/packet_network.h"
#include "orrery/network/packet_paths.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {
namespace {

std::string uec_folder() {
  return (std::filesystem::path(core_testing::kSourceFolder) / "../shared/data/packets").string();
}

/// One stored run with NSCC at the sender, 128 or 64 entropy values and load balancing "mixed".
struct UecRun {
  std::string fabric;  ///< hosts of a fat tree of 3 tiers, or a file in topo/
  std::string matrix;  ///< in cm/
  std::int64_t entropies = 64;
  int hops = 6;  ///< of the longest route
};

struct UecResult {
  double last_us = 0;  ///< acknowledgement of the last packet
  double again = 0;    ///< packets sent again
};

platform::PacketSettings uec_settings(const UecRun& run, std::int64_t seed) {
  platform::PacketSettings made;
  constexpr double kRate = 12.5e-3;  // bytes per picosecond: 100 Gb/s
  constexpr int kPacket = 4150, kSmall = 64;
  made.payload = Bytes(kPacket - kSmall);
  made.header = Bytes(kSmall);
  made.acknowledgement = Bytes(kSmall);
  made.acknowledge_every = Bytes(4 * (kPacket - kSmall));  // 16,384 B on the wire
  made.transport = platform::PacketTransport::nscc;
  made.window = 0;
  made.spraying = platform::PacketSpraying::mixed;
  made.entropies = run.entropies;
  made.trims = true;
  made.seed = seed;
  const double round_trip = run.hops * (2e6 + (kPacket + kSmall) / kRate);
  const auto packets = [&](double products) {
    return Bytes(
        static_cast<std::int64_t>(kPacket * products * std::ceil(round_trip * kRate / kPacket)));
  };
  made.round_trip = Time(std::llround(round_trip));
  made.queue = packets(1);
  made.mark_from = packets(0.2);
  made.mark_to = packets(0.8);
  made.timeout = Time(std::llround(15e6 + 6 * static_cast<double>(made.queue.count()) / kRate));
  return made;
}

platform::Platform uec_platform(const UecRun& run, std::int64_t seed) {
  const std::string network =
      run.fabric.ends_with(".topo")
          ? fmt::format("file: {}/topo/{}", uec_folder(), run.fabric)
          : fmt::format(
                "hosts: [{{count: {}, devices: 1}}], network: {{kind: fat_tree, tiers: 3, "
                "radix: {}, port: {{bandwidth: 100 Gb/s, latency: 1 us}}}}",
                run.fabric, run.fabric == "16" ? 4 : 8);
  Findings findings;
  auto made = platform::parse_cluster(
      fmt::format("device: {{peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}}\nfabric: {{{}, routing: "
                  "{{policy: spray, seed: {}}}}}",
                  network, seed),
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return *made;
}

/// The flows of a connection matrix: "FROM->TO id N start PICOSECONDS size BYTES".
std::vector<std::pair<std::int64_t, PacketPost>> uec_flows(const std::string& file) {
  std::vector<std::pair<std::int64_t, PacketPost>> flows;
  std::ifstream in(uec_folder() + "/cm/" + file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t arrow = line.find("->"), start = line.find("start "),
                      size = line.find("size ");
    if (arrow == std::string::npos) continue;
    flows.emplace_back(std::atoll(line.c_str() + start + 6),
                       PacketPost{static_cast<std::uint32_t>(std::atoi(line.c_str())),
                                  static_cast<std::uint32_t>(std::atoi(line.c_str() + arrow + 2)),
                                  std::atoll(line.c_str() + size + 5), 0});
  }
  return flows;
}

class UecFlows final : public PacketEngine::Report {
 public:
  void arrives(std::uint32_t /*token*/) override {}
  void carries(std::uint32_t /*link*/, std::int64_t /*from*/, std::int64_t /*until*/,
               std::int64_t /*bytes*/) override {}
  void acknowledged(std::uint32_t /*token*/, std::int64_t now) override {
    last = std::max(last, now);
    ++count;
  }
  std::int64_t last = 0;
  std::size_t count = 0;
};

UecResult run_uec(const UecRun& run, std::int64_t seed) {
  const platform::Platform platform = uec_platform(run, seed);
  auto routes = std::make_shared<FabricRoutes>(platform, true);
  PacketEngine engine(uec_settings(run, seed), packet_links(*routes),
                      std::make_shared<PacketPaths>(routes));
  UecFlows done;
  const auto flows = uec_flows(run.matrix);
  for (const auto& [start, flow] : flows) {
    while (engine.next_arrival() <= start) engine.run(engine.next_arrival(), done);
    engine.run(start, done);
    engine.post(flow, start, done);
  }
  while (engine.next_arrival() != PacketEngine::kNever) engine.run(engine.next_arrival(), done);
  engine.run(PacketEngine::kNever - 1, done);
  EXPECT_EQ(done.count, flows.size());
  EXPECT_FALSE(flows.empty());
  return {static_cast<double>(done.last) / 1e6, static_cast<double>(engine.counts().again)};
}

UecResult mean_of(const UecRun& run, std::int64_t seeds) {
  UecResult mean;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    const UecResult one = run_uec(run, seed);
    mean.last_us += one.last_us / static_cast<double>(seeds);
    mean.again += one.again / static_cast<double>(seeds);
  }
  return mean;
}

/// Within 1 % of the time, and within a fifth or 50 of the packets sent again.
void expect_like(const UecRun& run, std::int64_t seeds, double last_us, double again) {
  SCOPED_TRACE(run.matrix + " on " + run.fabric);
  const UecResult mean = mean_of(run, seeds);
  EXPECT_NEAR(mean.last_us / last_us, 1, 0.01);
  EXPECT_NEAR(mean.again, again, std::max(0.2 * again, 50.0));
}

TEST(UecRuns, UncontendedFlowsLastAsLong) {
  if (!std::filesystem::exists(uec_folder())) GTEST_SKIP() << "no runs at ../shared/data/packets";
  EXPECT_NEAR(run_uec({"16", "one.cm"}, 1).last_us / 176.2, 1, 0.001);
  EXPECT_NEAR(run_uec({"16", "bidir.cm"}, 1).last_us / 176.804, 1, 0.001);
}

// Means of 5 seeds: random numbers differ.
TEST(UecRuns, ContendedFlowsEndAsLate) {
  if (!std::filesystem::exists(uec_folder())) GTEST_SKIP() << "no runs at ../shared/data/packets";
  expect_like({"16", "incast.cm"}, 5, 2478.53, 811);
  expect_like({"16", "perm_16n_16c_2MB.cm", 128}, 5, 194.022, 0);
  expect_like({"128", "incast_128.cm"}, 5, 21029.3, 72'623);
  expect_like({"128", "outcast_incast.cm"}, 5, 1638.08, 0);
}

// 1,024 hosts, one seed each: 3 tiers, and leaves with four or eight times more ports down than up.
TEST(UecRuns, LargePermutationsEndAsLate) {
  if (!std::filesystem::exists(uec_folder())) GTEST_SKIP() << "no runs at ../shared/data/packets";
  const std::string permutation = "perm_1024n_1024c_0u_2000000b.cm";
  expect_like({"fat_tree_1024.topo", permutation, 128}, 1, 200.507, 0);
  expect_like({"leaf_spine_1024_oversub.topo", permutation, 128, 4}, 1, 785.774, 31'934);
  expect_like({"leaf_spine_1024_oversub_8-1.topo", permutation, 128, 4}, 1, 1443.43, 39'531);
}

}  // namespace
}  // namespace orrery::model
