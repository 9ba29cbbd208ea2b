// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/algorithm_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "orrery/graph/builder.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/collectives/algorithms/algorithm_candidates.h"
#include "orrery/study/collectives/algorithms/single_collective.h"

namespace orrery::study {
namespace {

using graph::CollectiveType;
using platform::NetworkModelKind;

const std::string kClusters[] = {
    "network: [{block: switch, size: 8, bandwidth: 100 GB/s, latency: 500 ns},"
    " {block: switch, size: 4, bandwidth: 10 GB/s, latency: 2 us}]",
    "network: [{block: ring, size: 4, bandwidth: 2 GB/s, latency: 100 ns},"
    " {block: switch, size: 6, bandwidth: 1 GB/s, latency: 1 us, in_network: {}}]",
    "fabric: {hosts: [{count: 4, devices: 4, scale_up: {bandwidth: 10 GB/s, latency: 200 ns},"
    " nics: 4, pcie: {bandwidth: 4 GB/s, latency: 100 ns}}], network: {kind: rail_optimized,"
    " per_leaf: 2, radix: 8, port: {bandwidth: 1 GB/s, latency: 1 us}},"
    " in_network: [{switches: \"segment*\"}, {switches: \"spine*\"}, {switches: \"host*\"}]}"};

platform::Platform platform_of(const std::string& text) {
  Findings findings;
  auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + text, "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : platform::Platform{};
}

Time end_of(const graph::Workload& work, const platform::Platform& platform, bool fold) {
  sim::Options options;
  options.fold = fold;
  const auto made = simulate_collectives(work, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->end : Time{};
}

/// Every rank does all of these, one after another, with those that share its groups.
graph::Workload chain(const std::vector<std::pair<graph::Collective, std::uint32_t>>& steps,
                      const std::vector<std::vector<std::vector<std::uint32_t>>>& groups,
                      std::uint32_t ranks) {
  graph::Workload work;
  const auto strings = std::make_shared<StringPool>();
  for (std::size_t kind = 0; kind < groups.size(); ++kind) {
    for (std::size_t g = 0; g < groups[kind].size(); ++g) {
      const std::string name = std::to_string(kind) + "/" + std::to_string(g);
      work.groups[name] = {name, groups[kind][g]};
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    graph::GraphBuilder builder("chain", strings, graph::Repair::refuse);
    std::uint64_t id = 0;
    for (const auto& [collective, kind] : steps) {
      graph::NodeSpec node;
      node.id = ++id;
      node.kind = graph::NodeKind::metadata;
      for (std::size_t g = 0; g < groups[kind].size(); ++g) {
        if (std::count(groups[kind][g].begin(), groups[kind][g].end(), rank) == 0) continue;
        node.kind = graph::NodeKind::coll;
        node.flags = graph::kHasCommType | graph::kHasCommSize;
        node.collective = collective;
        node.collective.group = strings->intern(std::to_string(kind) + "/" + std::to_string(g));
      }
      if (id > 1) node.deps.push_back(id - 1);
      builder.add(node);
    }
    Findings findings;
    work.graphs.push_back(
        std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
    work.graph_of_rank.push_back(rank);
  }
  return work;
}

graph::Collective collective_of(CollectiveType type, std::int64_t size) {
  graph::Collective collective;
  collective.type = type;
  collective.size = Bytes(size);
  return collective;
}

// What is chosen is the quickest of all words, and runs take the time that it was chosen for:
// folded or not, by flows or messages, among all ranks or some.
TEST(ChosenAlgorithms, AreTheQuickestAndRun) {
  std::set<std::string> seen;
  for (const std::string& text : kClusters) {
    for (const NetworkModelKind network : {NetworkModelKind::flow, NetworkModelKind::message}) {
      for (const CollectiveType type :
           {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter,
            CollectiveType::all_to_all}) {
        for (const std::int64_t size : {std::int64_t{960}, std::int64_t{96'000'000}}) {
          platform::Platform platform = platform_of(text);
          platform.network = network;
          const auto ranks = static_cast<std::uint32_t>(platform.npu_count());
          std::vector<std::vector<std::uint32_t>> groups(2);
          for (std::uint32_t r = 0; r < ranks; ++r) groups[r < ranks / 2 ? 0 : 1].push_back(r);
          const auto work = concurrent_collectives(collective_of(type, size), groups, ranks);
          Time least = end_of(work, platform, true);
          for (const std::string& words : algorithm_candidates(platform, type, groups[0])) {
            platform::Platform by = platform;
            if (platform::use_algorithms(by, words))
              least = std::min(least, end_of(work, by, true));
          }
          const auto chosen = choose_algorithms(platform, work);
          ASSERT_TRUE(chosen);
          ASSERT_EQ(chosen->size(), 1U);
          const AlgorithmChoice& one = chosen->front();
          EXPECT_EQ(one.time, least) << text << graph::name(type);
          EXPECT_EQ(one.groups, 2U);
          EXPECT_FALSE(one.next.empty());
          EXPECT_EQ(end_of(work, platform, true), one.time) << text << one.algorithm;
          EXPECT_EQ(end_of(work, platform, false), one.time) << text << one.algorithm;
          seen.insert(one.algorithm);
        }
      }
    }
  }
  EXPECT_GT(seen.size(), 4U);
}

// Sizes and groups each have their own; a collective that is not among them runs as before.
TEST(ChosenAlgorithms, DependOnSizeAndGroup) {
  platform::Platform platform = platform_of(
      "network: [{block: ring, size: 8, bandwidth: 2 GB/s, latency: 100 ns},"
      " {block: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}]");
  platform.network = NetworkModelKind::flow;
  std::vector<std::vector<std::uint32_t>> inner(3), outer(8);
  for (std::uint32_t r = 0; r < 24; ++r) {
    inner[r / 8].push_back(r);
    outer[r % 8].push_back(r);
  }
  const auto small = collective_of(CollectiveType::all_reduce, 960);
  const auto large = collective_of(CollectiveType::all_reduce, 960'000'000);
  const std::vector<std::pair<graph::Collective, std::uint32_t>> steps{
      {small, 0}, {large, 0}, {small, 1}, {large, 1}, {large, 1}};
  const graph::Workload work = chain(steps, {inner, outer}, 24);
  const platform::Platform before = platform;
  const auto chosen = choose_algorithms(platform, work);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 4U);
  Time sum{};
  std::map<std::pair<std::uint32_t, std::int64_t>, const AlgorithmChoice*> by;
  for (const AlgorithmChoice& one : *chosen) by[{one.groups, one.whole.count()}] = &one;
  for (const auto& [collective, kind] : steps)
    sum += by.at({kind == 0 ? 3U : 8U, collective.size.count()})->time;
  EXPECT_EQ(end_of(work, platform, true), sum);
  EXPECT_EQ(end_of(work, platform, false), sum);
  EXPECT_LE(sum, end_of(work, before, true));
  EXPECT_NE(by.at({3U, 960})->algorithm, by.at({3U, 960'000'000})->algorithm);
  EXPECT_NE(by.at({3U, 960'000'000})->algorithm, by.at({8U, 960'000'000})->algorithm);
  const auto other =
      concurrent_collectives(collective_of(CollectiveType::all_reduce, 9'600), inner, 24);
  EXPECT_EQ(end_of(other, platform, true), end_of(other, before, true));
}

const std::string kUnequal =
    "fabric: {hosts: [{count: 1, devices: 4, scale_up: {bandwidth: 400 GB/s, latency: 200 ns},"
    " nics: 4, pcie: {bandwidth: 64 GB/s, latency: 250 ns}}, {count: 1, devices: 6, scale_up:"
    " {bandwidth: 400 GB/s, latency: 200 ns}, nics: 6, pcie: {bandwidth: 64 GB/s, latency: 250"
    " ns}}], network: {kind: switch, port: {bandwidth: 50 GB/s, latency: 1 us}}}";

// Rings of unequal hosts are a candidate: large collectives keep them, small ones do not.
TEST(ChosenAlgorithms, CompareWithRingsOfUnequalHosts) {
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    for (const std::int64_t size : {std::int64_t{64'000}, std::int64_t{64'000'000}}) {
      platform::Platform platform = platform_of(kUnequal);
      platform.network = NetworkModelKind::flow;
      std::vector<std::uint32_t> all(10);
      std::iota(all.begin(), all.end(), 0U);
      const auto work = concurrent_collectives(collective_of(type, size),
                                               std::vector<std::vector<std::uint32_t>>{all}, 10);
      const Time rings = end_of(work, platform, true);
      Time least = rings;
      for (const std::string& words : algorithm_candidates(platform, type, all)) {
        platform::Platform by = platform;
        if (platform::use_algorithms(by, words)) least = std::min(least, end_of(work, by, true));
      }
      const auto chosen = choose_algorithms(platform, work);
      ASSERT_TRUE(chosen);
      ASSERT_EQ(chosen->size(), 1U);
      EXPECT_EQ(chosen->front().algorithm == kFileAlgorithm, least == rings) << size;
      EXPECT_EQ(chosen->front().time, least);
      EXPECT_EQ(end_of(work, platform, true), least);
      EXPECT_EQ(end_of(work, platform, false), least);
      if (type == CollectiveType::all_reduce) EXPECT_EQ(least == rings, size > 1'000'000);
    }
  }
}

// One size in two groups: both keep the rings if they are the fastest in one of them.
TEST(ChosenAlgorithms, KeepRingsOfASizeInAllGroups) {
  platform::Platform platform = platform_of(kUnequal);
  platform.network = NetworkModelKind::flow;
  const auto small = collective_of(CollectiveType::all_reduce, 64'000);
  const auto large = collective_of(CollectiveType::all_reduce, 64'000'000);
  std::vector<std::uint32_t> all(10);
  std::iota(all.begin(), all.end(), 0U);
  const graph::Workload work =
      chain({{small, 0}, {large, 0}, {large, 1}, {small, 1}}, {{all}, {{0, 1}}}, 10);
  const Time before = end_of(work, platform, false);
  const auto chosen = choose_algorithms(platform, work);
  ASSERT_TRUE(chosen);
  for (const AlgorithmChoice& one : *chosen)
    EXPECT_EQ(one.algorithm == kFileAlgorithm, one.whole.count() == 64'000'000)
        << one.members << " " << one.algorithm;
  EXPECT_LT(end_of(work, platform, false), before);
  EXPECT_EQ(end_of(work, platform, true), end_of(work, platform, false));
}

// Groups that overlap are not tried together, but have what was chosen for their like.
TEST(ChosenAlgorithms, OverlappingGroupsAreTriedApart) {
  platform::Platform platform = platform_of(kClusters[0]);
  platform.network = NetworkModelKind::flow;
  const auto large = collective_of(CollectiveType::all_gather, 80'000'000);
  const graph::Workload work =
      chain({{large, 0}, {large, 1}}, {{{0, 1, 2, 3}}, {{2, 3, 4, 5}}}, 32);
  const auto chosen = choose_algorithms(platform, work);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 1U);
  EXPECT_EQ(chosen->front().members, 4U);
  EXPECT_EQ(chosen->front().groups, 1U);
  EXPECT_EQ(end_of(work, platform, true), end_of(work, platform, false));
}

// Switches that add some numbers: of collectives that are alike but for theirs the slowest counts,
// in whichever order they come, and what end points do is not called by switches.
TEST(ChosenAlgorithms, DependOnNumbersThatSwitchesAdd) {
  using graph::Format;
  const std::string adds[] = {"adds: [bf16]", "adds: [bf16, fp32]", ""};
  const std::vector<Format> jobs[] = {
      {Format::bf16}, {Format::fp32}, {Format::bf16, Format::fp32}, {Format::fp32, Format::bf16}};
  for (const std::string& can : adds) {
    for (const std::vector<Format>& numbers : jobs) {
      platform::Platform platform = platform_of(
          "network: [{block: switch, size: 8, bandwidth: 1 GB/s, latency: 1 us, in_network: {" +
          can + "}}]");
      platform.network = NetworkModelKind::flow;
      std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
      const std::vector<std::vector<std::uint32_t>> groups{all};
      std::vector<std::pair<graph::Collective, std::uint32_t>> steps;
      std::vector<graph::Workload> each;
      for (const Format format : numbers) {
        auto one = collective_of(CollectiveType::all_reduce, 8'000'000);
        one.format = format;
        steps.emplace_back(one, 0);
        each.push_back(concurrent_collectives(one, groups, 8));
      }
      const auto slowest = [&](const platform::Platform& by) {
        Time most{};
        for (const graph::Workload& work : each) most = std::max(most, end_of(work, by, true));
        return most;
      };
      Time least = slowest(platform);
      for (const std::string& words :
           algorithm_candidates(platform, CollectiveType::all_reduce, all)) {
        platform::Platform by = platform;
        if (platform::use_algorithms(by, words)) least = std::min(least, slowest(by));
      }
      const auto chosen = choose_algorithms(platform, chain(steps, {groups}, 8));
      ASSERT_TRUE(chosen);
      ASSERT_EQ(chosen->size(), 1U);
      EXPECT_EQ(chosen->front().time, least) << can;
      EXPECT_EQ(slowest(platform), least) << can;
      const bool one_cannot = can == adds[0] && numbers != jobs[0];
      EXPECT_EQ(uses_switch_reduction(chosen->front().algorithm), !one_cannot) << can;
      if (numbers == jobs[1] && one_cannot) {
        EXPECT_FALSE(uses_switch_reduction(chosen->front().next));
      }
    }
  }
}

}  // namespace
}  // namespace orrery::study
