// SPDX-License-Identifier: Apache-2.0
//
// Switches that add some numbers only.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using graph::Format;
using testing::Rank;

platform::Platform adding(const std::string& network, const std::string& model,
                          const std::string& algorithm, const std::string& optimization = "") {
  Findings findings;
  std::string text =
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " + model +
      "\ncollectives: {library: ideal, chunks: 2" + optimization;
  for (const char* type : {"all_reduce", "reduce_scatter", "all_gather", "all_to_all"})
    text += std::string(", ") + type + ": " + algorithm;
  const auto made = platform::parse_cluster(text + "}\n" + network, "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : platform::Platform{};
}

std::string one_switch(const std::string& with) {
  return "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 500 ns, in_network: {" +
         with + "}}]";
}

/// The outer dimension's switches add what `with` says, the inner one's whatever comes.
std::string two_levels(const std::string& with) {
  return "network: [{block: switch, size: 2, bandwidth: 1 GB/s, latency: 500 ns, in_network: {}},"
         " {block: switch, size: 4, bandwidth: 0.2 GB/s, latency: 500 ns, in_network: {" +
         with + "}}]";
}

std::string two_adding_leaves(const std::string& with) {
  return "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: fat_tree, per_leaf: 4,"
         " radix: 8, port: {bandwidth: 1 GB/s, latency: 500 ns},"
         " trunk: {bandwidth: 1 GB/s, latency: 300 ns}},"
         " in_network: [{switches: \"leaf*\"}, {switches: \"spine*\", with: {" +
         with + "}}]}";
}

graph::Workload sum_of(CollectiveType type, Format numbers, const graph::ExpertExchange& exchange) {
  std::vector<Rank> ranks(8);
  for (Rank& rank : ranks) rank.coll(type, 8'000'000, {}, "", {}, exchange, numbers);
  return testing::workload(ranks);
}

SimResult summed(const graph::Workload& workload, const platform::Platform& platform, bool fold) {
  Options options;
  options.fold = fold;
  auto made = simulate(workload, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : SimResult{};
}

struct SumCase {
  CollectiveType type;
  bool sums;
  graph::ExpertExchange exchange;
};

std::vector<SumCase> sum_cases() {
  graph::ExpertExchange there{16, 1000, 2}, back = there;
  there.set(graph::ExpertTransport::in_network, false);
  back.set(graph::ExpertTransport::in_network, true);
  return {{CollectiveType::all_reduce, true, {}},
          {CollectiveType::reduce_scatter, true, {}},
          {CollectiveType::all_gather, false, {}},
          {CollectiveType::all_to_all, false, there},
          {CollectiveType::all_to_all, true, back}};
}

// What a switch cannot add end points do as if there were no such switch, and it is counted; all
// else goes as by switches that add whatever comes.
TEST(Summands, WhatSwitchesCannotAddEndPointsDo) {
  for (const auto& network : {one_switch, two_adding_leaves})
    for (const char* model : {"analytical", "flow", "message"})
      for (const bool fold : {true, false})
        for (const SumCase& one : sum_cases()) {
          const std::string word = network("") == one_switch("") ? "" : "one_";
          const auto at = [&](const std::string& with, const std::string& algorithm,
                              Format numbers) {
            return summed(sum_of(one.type, numbers, one.exchange),
                          adding(network(with), model, algorithm), fold);
          };
          const std::string by_switches = word + "in_network";
          const auto any = at("", by_switches, Format::bf16);
          const auto points = at("", "\"" + word + "direct:1\"", Format::bf16);
          const std::string where = std::string(model) + (fold ? " folded " : " ") +
                                    std::string(graph::name(one.type)) + word;
          const auto cannot = at("adds: [fp32, int32]", by_switches, Format::bf16);
          EXPECT_EQ(cannot.end, one.sums ? points.end : any.end) << where;
          EXPECT_EQ(cannot.findings.count(FindingCode::collective_not_added), one.sums ? 8U : 0U)
              << where;
          for (const Format fits : {Format::fp32, Format::tf32, Format::int32}) {
            const auto can = at("adds: [fp32, int32]", by_switches, fits);
            EXPECT_EQ(can.end, any.end) << where;
            EXPECT_TRUE(can.findings.empty()) << where;
          }
          const auto unsaid = at("adds: [fp32]", by_switches, Format::unsaid);
          EXPECT_EQ(unsaid.end, any.end) << where;
          EXPECT_EQ(unsaid.findings.count(FindingCode::collective_numbers_unsaid),
                    one.sums ? 8U : 0U)
              << where;
          EXPECT_NE(any.end, points.end) << where << ": else this tells nothing";
        }
}

// In several dimensions each dimension's own switches count.
TEST(Summands, OfADimensionItsSwitchesCount) {
  for (const char* model : {"analytical", "flow", "message"})
    for (const char* optimization : {"", ", optimization: local_bw_aware"})
      for (const bool fold : {true, false}) {
        const auto work = sum_of(CollectiveType::all_reduce, Format::bf16, {});
        const auto at = [&](const std::string& with, const std::string& algorithms) {
          return summed(work, adding(two_levels(with), model, algorithms, optimization), fold);
        };
        const auto cannot = at("adds: [fp32]", "[in_network, in_network]");
        const auto mixed = at("", "[in_network, \"direct:1\"]");
        // In two phases what gathers still goes by switches.
        if (std::string_view(optimization).empty()) {
          EXPECT_EQ(cannot.end, mixed.end) << model << fold;
        } else {
          EXPECT_LE(cannot.end, mixed.end) << model << fold;
        }
        EXPECT_GT(cannot.end, at("", "[in_network, in_network]").end) << model << fold;
        EXPECT_EQ(cannot.findings.count(FindingCode::collective_not_added), 8U);
      }
}

// Groups of different numbers side by side, one collective after another: folding and threads
// change nothing.
TEST(Summands, GoWithFoldingAndThreads) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<Rank> ranks(8);
    graph::Workload work;
    const std::uint32_t size = 2U << random() % 3;
    for (int i = 0; i < 3; ++i) {
      const auto type = std::array{CollectiveType::all_reduce, CollectiveType::reduce_scatter,
                                   CollectiveType::all_gather}[random() % 3];
      const auto numbers = std::array{Format::bf16, Format::fp32, Format::unsaid}[random() % 3];
      const bool equivalent = random() % 2 == 0;
      for (std::uint32_t r = 0; r < 8; ++r) {
        const bool other = !equivalent && r / size % 2 == 1;
        ranks[r].coll(type, 1'000'000 * (1 + i), {}, "g" + std::to_string(r / size), {}, {},
                      other ? Format::fp32 : numbers);
      }
    }
    work = testing::workload(ranks);
    for (std::uint32_t g = 0; g < 8 / size; ++g) {
      const std::string name = "g" + std::to_string(g);
      work.groups[name].name = name;
      for (std::uint32_t r = 0; r < size; ++r) work.groups[name].ranks.push_back(g * size + r);
    }
    for (const char* model : {"analytical", "flow", "message"}) {
      const bool fabric = round % 2 == 0;
      const auto platform = fabric
                                ? adding(two_adding_leaves("adds: [fp32]"), model, "one_in_network")
                                : adding(one_switch("adds: [fp32]"), model, "in_network");
      const auto unfolded = summed(work, platform, false);
      const auto folded = summed(work, platform, true);
      EXPECT_EQ(folded.end, unfolded.end) << round << model;
      EXPECT_EQ(folded.findings.count(FindingCode::collective_not_added),
                unfolded.findings.count(FindingCode::collective_not_added))
          << round << model;
      Options threads;
      threads.threads = 4;
      const auto parts = simulate(work, platform, threads);
      ASSERT_TRUE(parts);
      EXPECT_EQ(parts->end, unfolded.end) << round << model;
    }
  }
}

}  // namespace
}  // namespace orrery::sim
