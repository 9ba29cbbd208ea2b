// SPDX-License-Identifier: Apache-2.0
//
// Tokens that switches take to experts and back, on every kind of network.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using graph::ExpertExchange;
using graph::ExpertTransport;
using testing::Rank;

/// A byte takes 1 ns on a link, a hop 500 ns.
platform::Platform carrier(const std::string& network, const std::string& model,
                           const std::string& algorithm) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " + model +
          "\ncollectives: {library: ideal, chunks: 1, all_to_all: " + algorithm + "}\n" + network,
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : platform::Platform{};
}

const std::string kOne =
    "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";

std::string leaves(const std::string& with, const std::string& more) {
  return "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: fat_tree, per_leaf: 4,"
         " radix: 8, port: {bandwidth: 1 GB/s, latency: 500 ns},"
         " trunk: {bandwidth: 1 GB/s, latency: 300 ns}}" +
         more + ", in_network: [{switches: \"leaf*\"" + with + "}, {switches: \"spine*\"" + with +
         "}]}";
}

ExpertExchange tokens(int top_k, int experts, bool combine) {
  ExpertExchange made{static_cast<std::uint16_t>(experts), 1000, static_cast<std::uint8_t>(top_k)};
  made.set(ExpertTransport::in_network, combine);
  return made;
}

/// Each group exchanges so many bytes of copies.
graph::Workload exchanges(std::uint32_t count,
                          const std::vector<std::vector<std::uint32_t>>& groups,
                          const ExpertExchange& exchange, std::int64_t bytes) {
  std::vector<Rank> ranks(count);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t r : groups[g]) {
      ranks[r].coll(CollectiveType::all_to_all, bytes, {}, "g" + std::to_string(g), {}, exchange);
    }
  }
  graph::Workload made = testing::workload(ranks);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string name = "g" + std::to_string(g);
    made.groups[name] = {name, groups[g]};
  }
  return made;
}

SimResult run_it(const graph::Workload& workload, const platform::Platform& platform, bool fold) {
  Options options;
  options.fold = fold;
  auto made = simulate(workload, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : SimResult{};
}

const std::vector<std::vector<std::uint32_t>> kEveryRank{{0, 1, 2, 3, 4, 5, 6, 7}};

// All of 8 experts for each token: it leaves once, and 7 others' come; back it is the other way
// around.
TEST(TokensInSwitches, TakeWhatTheFormulaSaysOnEveryNetwork) {
  for (const char* model : {"analytical", "flow", "message"}) {
    for (const bool fold : {true, false}) {
      for (const bool combine : {false, true}) {
        const auto done = run_it(exchanges(8, kEveryRank, tokens(8, 8, combine), 8'000'000),
                                 carrier(kOne, model, "in_network"), fold);
        EXPECT_EQ(done.end.count(), 1'000'000 + 7'000'000'000) << model << fold << combine;
        EXPECT_EQ(done.ranks[3].sent_bytes, combine ? 7'000'000U : 1'000'000U);
        EXPECT_TRUE(done.findings.empty());
        // Messages of end points, by whom it could be done, keep ranks apart.
        const bool apart = !fold || std::string_view(model) == "message";
        EXPECT_EQ(done.savings.representatives, apart ? 8U : 1U) << model;
      }
    }
  }
}

// What does not say that it carries tokens, or crosses dimensions, goes as it would without.
TEST(TokensInSwitches, OthersAreDoneByEndPointsAndCounted) {
  const std::string two =
      "network: [{block: switch, size: 4, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}},"
      " {block: switch, size: 2, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}}]";
  const auto plain = exchanges(8, kEveryRank, {}, 8'000'000);
  for (const char* model : {"analytical", "flow", "message"}) {
    for (const bool fold : {true, false}) {
      const auto same = [&](const graph::Workload& work, const std::string& network) {
        const auto done = run_it(work, carrier(network, model, "in_network"), fold);
        const auto direct = run_it(work, carrier(network, model, "\"direct:1\""), fold);
        EXPECT_EQ(done.end, direct.end) << model << fold << network;
        EXPECT_EQ(done.findings.count(FindingCode::collective_by_end_points), 8U);
        EXPECT_EQ(direct.findings.count(FindingCode::collective_by_end_points), 0U);
      };
      same(plain, kOne);
      same(exchanges(8, kEveryRank, tokens(2, 16, false), 8'000'000), two);
    }
  }
}

// Any groups, on healthy and degraded fabrics: folding, threads, streams and the network's model
// change nothing that they must not.
TEST(TokensInSwitches, GoWithEverythingElse) {
  std::mt19937_64 random(11);
  const std::string withs[] = {"", ", with: {streams: 1}", ", with: {streams: 4}",
                               ", with: {latency: 100 ns, buffer: 4 kB}"};
  const std::string faults[] = {"", ", faults: [{node: leaf1, bandwidth: 0.5}]",
                                ", faults: [{node: npu5, bandwidth: 0.25}]"};
  for (int i = 0; i < 40; ++i) {
    std::vector<std::vector<std::uint32_t>> groups;
    const std::uint32_t step = random() % 2 == 0 ? 1 : 4, count = 1 + random() % 4;
    for (std::uint32_t g = 0; g < count; ++g) {
      const std::uint32_t first = step == 1 ? 4 * g : g;
      groups.push_back({first, first + step, first + 2 * step, first + 3 * step});
    }
    const int experts = static_cast<int>(4 << random() % 4);
    const auto exchange = tokens(1 + static_cast<int>(random() % 4), experts, random() % 2 == 0);
    const auto workload = exchanges(16, groups, exchange, 1'000'000);
    const std::string network = leaves(withs[random() % 4], faults[random() % 3]);
    for (const char* model : {"analytical", "flow", "message"}) {
      const auto on = carrier(network, model, "one_in_network");
      const auto unfolded = run_it(workload, on, false);
      EXPECT_EQ(run_it(workload, on, true).end, unfolded.end) << i << model << network;
      Options side_by_side;
      side_by_side.threads = 4;
      const auto parts = simulate(workload, on, side_by_side);
      ASSERT_TRUE(parts);
      EXPECT_EQ(parts->end, unfolded.end) << i << model << network;
      if (groups.size() == 1) {  // no contention
        EXPECT_EQ(run_it(workload, carrier(network, "analytical", "one_in_network"), false).end,
                  unfolded.end)
            << i << model << network;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::sim
