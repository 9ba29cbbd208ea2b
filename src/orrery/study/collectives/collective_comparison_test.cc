// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {
namespace {

Watch silent;

using graph::CollectiveType;
using ::testing::HasSubstr;

class CollectiveWays : public ::testing::Test {
 protected:
  Result<CollectiveComparison> try_ways(const std::string& collective, const std::string& cluster,
                                        std::int64_t size, std::vector<std::uint32_t> ranks = {}) {
    const auto path =
        std::filesystem::temp_directory_path() /
        ("ways-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
         ".yaml");
    std::ofstream(path) << "device: {peak: 1 TFLOP/s, memory_bandwidth: 1000 TB/s}\n" << cluster;
    Findings findings;
    auto made = compare_collective({.collective = collective,
                                    .cluster = path.string(),
                                    .size = Bytes(size),
                                    .ranks = std::move(ranks)},
                                   silent, findings);
    std::filesystem::remove(path);
    return made;
  }
  CollectiveComparison alternatives(const std::string& collective, const std::string& cluster,
                                    std::int64_t size, std::vector<std::uint32_t> ranks = {}) {
    auto made = try_ways(collective, cluster, size, std::move(ranks));
    EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
    return made ? *std::move(made) : CollectiveComparison{};
  }
};

const CollectiveAlternative* named(const CollectiveComparison& answer, const std::string& name) {
  const auto found = std::find_if(answer.alternatives.begin(), answer.alternatives.end(),
                                  [&](const auto& way) { return way.name == name; });
  return found == answer.alternatives.end() ? nullptr : &*found;
}

double of_bound(const CollectiveComparison& answer, const std::string& name) {
  const CollectiveAlternative* way = named(answer, name);
  if (way == nullptr) return -1;
  return static_cast<double>(way->time.count()) /
         static_cast<double>(answer.lower_bound_of(*way).total.count());
}

const std::string kFabrics[] = {
    "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: switch,"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}, in_network: [{switches: \"*\"}]}",
    "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: torus, sizes: [4, 4],"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}}",
    "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: mesh, sizes: [8],"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}}",
    "fabric: {hosts: [{count: 4, devices: 4, scale_up: {bandwidth: 10 GB/s, latency: 200 ns},"
    " nics: 4, pcie: {bandwidth: 4 GB/s, latency: 100 ns}}], network: {kind: rail_optimized,"
    " per_leaf: 2, radix: 8, port: {bandwidth: 1 GB/s, latency: 1 us}},"
    " in_network: [{switches: \"segment*\"}, {switches: \"spine*\"}, {switches: \"host*\"}]}",
    "fabric: {hosts: [{count: 12, devices: 1}], network: {kind: dragonfly, per_leaf: 2, group: 2,"
    " global_links: 2, port: {bandwidth: 1 GB/s, latency: 500 ns}}}",
    "network: [{block: ring, size: 4, bandwidth: 2 GB/s, latency: 100 ns},"
    " {block: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}]\nnetwork_model: flow"};

// No way beats the bound, on any fabric, small or large, among all or some.
TEST_F(CollectiveWays, AreNeverBelowTheBound) {
  for (const std::string& fabric : kFabrics) {
    for (const char* collective : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}) {
      for (const std::int64_t size : {std::int64_t{4'800}, std::int64_t{48'000'000}}) {
        for (const bool some : {false, true}) {
          const CollectiveComparison answer = alternatives(
              collective, fabric, size,
              some ? std::vector<std::uint32_t>{1, 2, 4, 7} : std::vector<std::uint32_t>{});
          EXPECT_GT(answer.alternatives.size(), 3U);
          for (const CollectiveAlternative& way : answer.alternatives) {
            EXPECT_GE(way.time, answer.lower_bound_of(way).total)
                << collective << " by " << way.name << " of " << size << " on " << fabric;
          }
        }
      }
    }
  }
}

/// Of any kind, with links of any speed, some of them degraded, and any way to choose among ways.
std::string any_fabric(std::mt19937_64& random) {
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  const auto link = [&] {
    return "{bandwidth: " + std::to_string(1 + random() % 9) +
           " GB/s, latency: " + std::to_string(random() % 4 * 300) + " ns}";
  };
  const std::string hosts =
      one_of({"{count: 8, devices: 1}",
              "{count: 4, devices: 2, scale_up: " + link() + ", nics: 2, pcie: " + link() + "}",
              "{count: 3, devices: 4, scale_up: " + link() + ", nics: 2, pcie: " + link() + "}"});
  const std::string network =
      one_of({"kind: switch", "kind: fat_tree, per_leaf: 2, radix: 8, oversubscription: 2",
              "kind: rail_optimized, per_leaf: 2, radix: 8", "kind: fully_connected", "kind: ring",
              "kind: dragonfly, per_leaf: 2, group: 2, global_links: 4"});
  std::string text =
      "fabric: {hosts: [" + hosts + "], network: {" + network + ", port: " + link() +
      "}, routing: " + one_of({"known", "ecmp", "spray"}) + ", in_network: [{switches: \"*\"" +
      one_of({"", ", with: {streams: 1}", ", with: {streams: 2, buffer: 8 kB}"}) + "}]";
  if (network == "kind: fully_connected" || network == "kind: ring") {
    if (hosts.find("nics") == std::string::npos)
      text.erase(text.find(", in_network"));  // there is no switch
  }
  if (random() % 2 == 0)
    text += ", faults: [{node: " + one_of({"host0*", "npu1", "*"}) + ", bandwidth: 0.5}]";
  if (random() % 3 == 0) text += ", transport: {payload: 4096 B, header: 64 B}";
  return text + "}";
}

TEST_F(CollectiveWays, AreNeverBelowTheBoundOnAnyFabric) {
  std::mt19937_64 random(20);
  const std::vector<std::string> all{"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
  std::size_t compared = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string fabric = any_fabric(random);
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      if (random() % 2 == 0) ranks.push_back(rank);
    }
    if (ranks.size() < 2) ranks.clear();
    const std::int64_t size = random() % 2 == 0 ? 8'400 : 84'000'000;
    const auto answer = try_ways(all[random() % all.size()], fabric, size, ranks);
    if (!answer) continue;  // a fault that names nothing there
    for (const CollectiveAlternative& way : answer->alternatives) {
      EXPECT_GE(way.time, answer->lower_bound_of(way).total)
          << graph::name(answer->type) << " by " << way.name << " of " << size << " on " << fabric;
      ++compared;
    }
  }
  EXPECT_GT(compared, 250U);
}

// Tokens that switches carry, copied and summed on the way, are not faster than their own cut says.
TEST_F(CollectiveWays, TokensAreNeverBelowTheirBound) {
  std::mt19937_64 random(21);
  std::size_t compared = 0, tight = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string fabric = any_fabric(random);
    Findings findings;
    const auto platform = platform::parse_cluster(
        "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " +
            std::string(random() % 2 == 0 ? "flow" : "message") +
            "\ncollectives: {library: ideal, chunks: 1, all_to_all: one_in_network}\n" + fabric,
        "test", findings);
    if (!platform) continue;  // no switch, or a fault that names nothing there
    const auto ranks = static_cast<std::uint32_t>(platform->npu_count());
    std::vector<std::uint32_t> members;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (random() % 3 != 0) members.push_back(rank);
    }
    if (members.size() < 2) members = {0, 1};
    const auto experts = static_cast<std::uint16_t>(members.size() * (1 + random() % 4));
    graph::ExpertExchange tokens{
        experts, 1000, static_cast<std::uint8_t>(1 + random() % std::min(8, int{experts}))};
    tokens.set(graph::ExpertTransport::in_network, random() % 2 == 0);
    const Bytes size(random() % 2 == 0 ? 8'400 : 84'000'000);
    const auto done = simulate_collectives(
        single_collective(CollectiveType::all_to_all, size, members, ranks, tokens), *platform, {});
    if (!done) continue;  // switches that do not reach all
    const auto least =
        synthesis::lower_bound_of(*platform, {CollectiveType::all_to_all, size, members, 0,
                                              synthesis::SwitchCapability::reduces, tokens});
    ASSERT_TRUE(least);
    EXPECT_GT(least->total, Time{});
    EXPECT_GE(done->end, least->total) << fabric << " " << to_text(tokens);
    EXPECT_EQ(done->findings.count(FindingCode::collective_by_end_points), 0U);
    ++compared;
    tight += done->end.count() < 2 * least->total.count() ? 1 : 0;
  }
  EXPECT_GT(compared, 30U);
  EXPECT_GT(tight, compared / 4);
}

// Where the best is known: rings on rings, halving and doubling on a switch, sums in switches.
TEST_F(CollectiveWays, MeetTheBoundWhereTheBestIsKnown) {
  const std::int64_t large = 16'000'000'000;
  const CollectiveComparison one_switch = alternatives("all-reduce", kFabrics[0], large);
  EXPECT_NEAR(of_bound(one_switch, "in_network"), 1, 1e-4);
  EXPECT_NEAR(of_bound(one_switch, "halving_doubling"), 1, 1e-4);
  EXPECT_NEAR(of_bound(one_switch, "ring"), 1, 1e-4);
  EXPECT_EQ(one_switch.alternatives[0].name, "in_network");
  EXPECT_THAT(one_switch.reason, HasSubstr("more time for bytes"));
  const CollectiveComparison gathered = alternatives("all-gather", kFabrics[0], large);
  EXPECT_NEAR(of_bound(gathered, "ring"), 1, 1e-4);
  EXPECT_NEAR(of_bound(gathered, "halving_doubling"), 1, 1e-4);
  EXPECT_NEAR(of_bound(gathered, "plan pat"), 1, 1e-4);
  // What wraps around goes in two messages, one of which is in the way of the round before.
  EXPECT_LT(of_bound(gathered, "plan bruck"), 1.15);
  const CollectiveComparison exchanged = alternatives("all-to-all", kFabrics[0], large);
  EXPECT_NEAR(of_bound(exchanged, "plan direct"), 1, 1e-4);
}

// Of little data the way with the fewest steps is first.
TEST_F(CollectiveWays, LatencyDecidesWhatIsSmall) {
  const CollectiveComparison answer = alternatives("all-gather", kFabrics[0], 8'000);
  ASSERT_NE(named(answer, "plan bruck"), nullptr);
  EXPECT_LT(named(answer, "plan bruck")->time, named(answer, "ring")->time);
}

// What is announced is what follows, except what is skipped.
TEST_F(CollectiveWays, AnnouncesItsSimulations) {
  struct Counter : Watch {
    std::uint32_t announced = 0, estimated_ones = 0;
    void simulations(std::uint32_t count) override { announced += count; }
    void estimated(std::uint32_t ranks, std::uint64_t /*bytes*/, double cpu_seconds) override {
      EXPECT_EQ(ranks, 8u);
      EXPECT_GT(cpu_seconds, 0);
      ++estimated_ones;
    }
  } counter;
  Findings findings;
  const auto answer = compare_collective(
      {.collective = "all-reduce", .cluster = "h100-sxm:8", .size = Bytes(1'000'000)}, counter,
      findings);
  ASSERT_TRUE(answer);
  EXPECT_EQ(counter.estimated_ones, 2 * answer->alternatives.size());
  EXPECT_GE(counter.announced, counter.estimated_ones);
  EXPECT_LE(counter.announced, counter.estimated_ones + 2 * answer->skipped.size());
}

TEST_F(CollectiveWays, SaysWhatItDoesNotKnow) {
  Findings findings;
  const auto none = compare_collective({"broadcast", "h100-sxm:8", {}, {}, {}}, silent, findings);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("not a collective that can be compared"));
  const auto twice = compare_collective(
      {.collective = "all-reduce", .cluster = "h100-sxm:8", .ranks = {1, 1}}, silent, findings);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().what, HasSubstr("each once"));
}

// Tokens' copies, on random switches and few or many experts: no way is below the bound.
TEST_F(CollectiveWays, DispatchAndCombineAreNeverBelowTheirBound) {
  std::mt19937 random(24);
  for (int i = 0; i < 12; ++i) {
    const std::int64_t ranks = 2 + static_cast<std::int64_t>(random() % 9);
    const auto path = std::filesystem::temp_directory_path() / "ways-of-tokens.yaml";
    std::ofstream(path) << "device: {peak: 1 TFLOP/s, memory_bandwidth: 1000 TB/s}\n"
                        << "network: [{block: switch, size: " << ranks
                        << ", bandwidth: 100 GB/s, latency: 250 ns, in_network: {}}]\n";
    for (const char* what : {"dispatch", "combine"}) {
      const std::int64_t experts = ranks * (1 + static_cast<std::int64_t>(random() % 16));
      Findings findings;
      const auto answer = compare_collective(
          {.collective = what,
           .cluster = path.string(),
           .size = Bytes(ranks * 1'000'000),
           .experts = experts,
           .top_k = std::min<std::int64_t>(experts, 1 + static_cast<std::int64_t>(random() % 8))},
          silent, findings);
      ASSERT_TRUE(answer) << to_string(answer.error());
      EXPECT_EQ(collective_label(*answer), what);
      EXPECT_NE(named(*answer, "in_network"), nullptr);
      for (const CollectiveAlternative& way : answer->alternatives)
        EXPECT_GE(way.time, answer->lower_bound_of(way).total) << what << ' ' << way.name;
    }
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace orrery::study
