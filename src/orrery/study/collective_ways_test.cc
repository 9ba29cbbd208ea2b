// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collective_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace orrery::study {
namespace {

using ::testing::HasSubstr;

class CollectiveWays : public ::testing::Test {
 protected:
  WaysAnswer ways(const std::string& collective, const std::string& cluster, std::int64_t size,
                  std::vector<std::uint32_t> ranks = {}) {
    const auto path =
        std::filesystem::temp_directory_path() /
        ("ways-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
         ".yaml");
    std::ofstream(path) << "device: {peak: 1 TFLOP/s, memory_bandwidth: 1000 TB/s}\n" << cluster;
    Findings findings;
    auto made =
        compare_ways({collective, path.string(), {}, Bytes(size), std::move(ranks)}, findings);
    std::filesystem::remove(path);
    EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
    return made ? *std::move(made) : WaysAnswer{};
  }
};

const CollectiveWay* named(const WaysAnswer& answer, const std::string& name) {
  const auto found = std::find_if(answer.ways.begin(), answer.ways.end(),
                                  [&](const auto& way) { return way.name == name; });
  return found == answer.ways.end() ? nullptr : &*found;
}

double of_bound(const WaysAnswer& answer, const std::string& name) {
  const CollectiveWay* way = named(answer, name);
  if (way == nullptr) return -1;
  return static_cast<double>(way->time.count()) /
         static_cast<double>(answer.bound_of(*way).total.count());
}

const std::string kFabrics[] = {
    "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: switch,"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}, in_network: [{switches: \"*\"}]}",
    "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: torus, sizes: [4, 4],"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}}",
    "fabric: {hosts: [{count: 8, devices: 1}], network: {kind: mesh, sizes: [8],"
    " port: {bandwidth: 1 GB/s, latency: 500 ns}}}",
    "fabric: {hosts: [{count: 4, devices: 4, scale_up: {bandwidth: 10 GB/s, latency: 200 ns},"
    " nics: 4, pcie: {bandwidth: 4 GB/s, latency: 100 ns}}], network: {kind: rail_optimised,"
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
          const WaysAnswer answer =
              ways(collective, fabric, size,
                   some ? std::vector<std::uint32_t>{1, 2, 4, 7} : std::vector<std::uint32_t>{});
          EXPECT_GT(answer.ways.size(), 3U);
          for (const CollectiveWay& way : answer.ways) {
            EXPECT_GE(way.time, answer.bound_of(way).total)
                << collective << " by " << way.name << " of " << size << " on " << fabric;
          }
        }
      }
    }
  }
}

// Where the best is known: rings on rings, halving and doubling on a switch, sums in switches.
TEST_F(CollectiveWays, MeetTheBoundWhereTheBestIsKnown) {
  const std::int64_t large = 16'000'000'000;
  const WaysAnswer one_switch = ways("all-reduce", kFabrics[0], large);
  EXPECT_NEAR(of_bound(one_switch, "in_network"), 1, 1e-4);
  EXPECT_NEAR(of_bound(one_switch, "halving_doubling"), 1, 1e-4);
  EXPECT_NEAR(of_bound(one_switch, "ring"), 1, 1e-4);
  EXPECT_EQ(one_switch.ways[0].name, "in_network");
  EXPECT_THAT(one_switch.reason, HasSubstr("its bytes take longer"));
  const WaysAnswer gathered = ways("all-gather", kFabrics[0], large);
  EXPECT_NEAR(of_bound(gathered, "ring"), 1, 1e-4);
  EXPECT_NEAR(of_bound(gathered, "halving_doubling"), 1, 1e-4);
  EXPECT_NEAR(of_bound(gathered, "plan pat"), 1, 1e-4);
  // What wraps around goes in two messages, one of which is in the way of the round before.
  EXPECT_LT(of_bound(gathered, "plan bruck"), 1.15);
  const WaysAnswer exchanged = ways("all-to-all", kFabrics[0], large);
  EXPECT_NEAR(of_bound(exchanged, "plan direct"), 1, 1e-4);
}

// Of little data the way with the fewest steps is first.
TEST_F(CollectiveWays, LatencyDecidesWhatIsSmall) {
  const WaysAnswer answer = ways("all-gather", kFabrics[0], 8'000);
  ASSERT_NE(named(answer, "plan bruck"), nullptr);
  EXPECT_LT(named(answer, "plan bruck")->time, named(answer, "ring")->time);
}

TEST_F(CollectiveWays, SaysWhatItDoesNotKnow) {
  Findings findings;
  const auto none = compare_ways({"broadcast", "h100-sxm:8", {}, {}, {}}, findings);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("none that can be compared"));
  const auto twice = compare_ways({"all-reduce", "h100-sxm:8", {}, {}, {1, 1}}, findings);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().what, HasSubstr("each once"));
}

}  // namespace
}  // namespace orrery::study
