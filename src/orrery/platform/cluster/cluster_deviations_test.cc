// SPDX-License-Identifier: Apache-2.0
//
// The cluster file's deviations: read, refused, written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTwoDims =
    "device: h100-sxm\nnetwork: [{block: switch, size: 8, link: nvlink4}, {block: switch, size: 2, "
    "link: ib-ndr}]\n";

Result<Platform> parse_deviating(const std::string& keys) {
  Findings findings;
  return parse_cluster(kTwoDims + keys, "c.yaml", findings);
}

TEST(Deviations, ReadsEveryKey) {
  const auto platform = parse_deviating(R"(
deviations:
  - {ranks: "5, 0-2", compute_time: 1.25, start: 5 ms}
  - ranks: [8-9, 15]
    ports:
      - {dimension: 1, bandwidth: 0.5, latency: 1.5 us}
      - {dimension: 0}
  - ranks: 3
)");
  ASSERT_TRUE(platform) << to_string(platform.error());
  ASSERT_EQ(platform->deviations.size(), 3u);
  const Deviation& slow = platform->deviations[0];
  EXPECT_THAT(slow.ranks, ElementsAre(0, 1, 2, 5));
  EXPECT_EQ(slow.compute_time, 1.25);
  EXPECT_EQ(slow.start, us(5000));
  EXPECT_TRUE(slow.ports.empty());
  const Deviation& bad = platform->deviations[1];
  EXPECT_THAT(bad.ranks, ElementsAre(8, 9, 15));
  EXPECT_EQ(bad.compute_time, 1);
  EXPECT_EQ(bad.start, Time{});
  ASSERT_EQ(bad.ports.size(), 2u);
  EXPECT_EQ(bad.ports[0].dim, 1u);
  EXPECT_EQ(bad.ports[0].bandwidth, 0.5);
  EXPECT_EQ(bad.ports[0].latency_ns, 1500);
  EXPECT_EQ(bad.ports[1].dim, 0u);
  EXPECT_EQ(bad.ports[1].bandwidth, 1);
  EXPECT_EQ(bad.ports[1].latency_ns, 0);
  EXPECT_THAT(platform->deviations[2].ranks, ElementsAre(3));
}

TEST(Deviations, ComeBackFromTheWriter) {
  const auto platform = parse_deviating(
      "deviations: [{ranks: [9, 8, 15], compute_time: 0.1, host_time: 2.5, kernels: [{name: "
      "gemm, time: 0.5}], start: 1 ps}, {ranks: "
      "0-7, ports: "
      "[{dimension: 1, bandwidth: 0.3, latency: 1001 ps}]}]\n");
  ASSERT_TRUE(platform) << to_string(platform.error());
  const std::string resolved = resolved_cluster(*platform);
  EXPECT_THAT(resolved,
              HasSubstr("ranks: \"8-9,15\", compute_time: 0.1, host_time: 2.5, "
                        "copy_time: 1.0, communication_time: 1.0, kernels: [{name: \"gemm\", "
                        "time: 0.5}], start: \"1 ps\"}"));
  EXPECT_THAT(resolved, HasSubstr("ports: [{dimension: 1, bandwidth: 0.3, latency: \"1001 ps\"}]"));
  Findings findings;
  const auto again = parse_cluster(resolved, "r.yaml", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(resolved_cluster(*again), resolved);
  ASSERT_EQ(again->deviations.size(), 2u);
  EXPECT_EQ(again->deviations[0].ranks, platform->deviations[0].ranks);
  EXPECT_EQ(again->deviations[0].start, ps(1));
  EXPECT_EQ(again->deviations[1].ports[0].latency_ns, 1.001);
  ASSERT_EQ(again->deviations[0].kernels.size(), 1u);
  EXPECT_EQ(again->deviations[0].kernels[0].name, "gemm");
  EXPECT_EQ(again->deviations[0].kernels[0].time, 0.5);
}

TEST(Deviations, AreNotWrittenWhereThereAreNone) {
  const auto platform = parse_deviating("deviations: []\n");
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_TRUE(platform->deviations.empty());
  EXPECT_THAT(resolved_cluster(*platform), testing::Not(HasSubstr("deviations")));
}

TEST(Deviations, AreInTheSchema) {
  const auto schema = nlohmann::json::parse(cluster_schema());
  const auto& one = schema["properties"]["deviations"]["items"];
  EXPECT_EQ(one["required"], nlohmann::json{"ranks"});
  EXPECT_EQ(one["properties"]["ranks"]["anyOf"].size(), 3u);
  EXPECT_EQ(one["properties"]["compute_time"]["exclusiveMinimum"], 0);
  const auto& share = one["properties"]["ports"]["items"]["properties"]["bandwidth"];
  EXPECT_EQ(share["exclusiveMinimum"], 0);
  EXPECT_EQ(share["maximum"], 1.0);
}

/// One deviation that is refused.
struct Refusal {
  std::string deviation;
  Errc code;
  std::string place;  ///< end of the place
  std::string what;   ///< part of the sentence
};

TEST(Deviations, ThatCannotBeAreRefused) {
  const std::vector<Refusal> refusals = {
      {"ranks: 16", Errc::config_range, "/ranks", "rank 16 does not exist"},
      {"ranks: 0-4294967295", Errc::config_range, "/ranks", "rank 4294967295 does not exist"},
      {"ranks: 0-99999999999", Errc::config_range, "/ranks", "is not a rank or a range"},
      {"ranks: -1", Errc::config_range, "/ranks", "-1"},
      {"ranks: 1.5", Errc::config_type, "/ranks", "whole number"},
      {"ranks: 7-3", Errc::config_range, "/ranks", "\"7-3\""},
      {"ranks: 1-", Errc::config_range, "/ranks", "\"1-\""},
      {"ranks: \"1,\"", Errc::config_range, "/ranks", "\"\""},
      {"ranks: \"\"", Errc::config_range, "/ranks", "\"\""},
      {"ranks: all", Errc::config_range, "/ranks", "\"all\""},
      {"ranks: []", Errc::config_range, "/ranks", "names no rank"},
      {"ranks: [1, [2]]", Errc::config_type, "/ranks/1", "a list"},
      {"ranks: true", Errc::config_type, "/ranks", "rank"},
      {"ranks: [1-4, 4]", Errc::config_conflict, "/ranks", "rank 4 is already here"},
      {"compute_time: 2", Errc::config_missing_key, "/ranks", "missing"},
      {"ranks: 1, compute_time: 0", Errc::config_range, "/compute_time", "above 0"},
      {"ranks: 1, compute_time: -2", Errc::config_range, "/compute_time", "above 0"},
      {"ranks: 1, compute_time: .inf", Errc::config_type, "/compute_time", "number"},
      {"ranks: 1, compute_time: 1e999", Errc::config_type, "/compute_time", "number"},
      {"ranks: 1, compute_time: fast", Errc::config_type, "/compute_time", "number"},
      {"ranks: 1, start: -1 us", Errc::config_range, "/start", "negative"},
      {"ranks: 1, start: 5", Errc::config_unit, "/start", "unit"},
      {"ranks: 1, start: 300 h", Errc::config_range, "/start", "1000000 s"},
      {"ranks: 1, kernels: [{}]", Errc::config_missing_key, "/kernels/0/name", "missing"},
      {"ranks: 1, kernels: [{name: \"\", time: 2}]", Errc::config_range, "/kernels/0/name",
       "empty"},
      {"ranks: 1, kernels: [{name: a, time: 0}]", Errc::config_range, "/kernels/0/time", "above 0"},
      {"ranks: 1, ports: [{}]", Errc::config_missing_key, "/ports/0/dimension", "missing"},
      {"ranks: 1, ports: [{dimension: 2}]", Errc::config_range, "/ports/0/dimension",
       "dimension 2 does not exist"},
      {"ranks: 1, ports: [{dimension: 1}, {dimension: 1}]", Errc::config_conflict,
       "/ports/1/dimension", "given twice"},
      {"ranks: 1, ports: [{dimension: 0, bandwidth: 0}]", Errc::config_range, "/ports/0/bandwidth",
       "above 0, at most 1"},
      {"ranks: 1, ports: [{dimension: 0, bandwidth: 1.01}]", Errc::config_range,
       "/ports/0/bandwidth", "above 0, at most 1"},
      {"ranks: 1, ports: [{dimension: 0, latency: -1 ns}]", Errc::config_range, "/ports/0/latency",
       ""},
      {"ranks: 1, ports: [{dimension: 0, latency: 300 h}]", Errc::config_range, "/ports/0/latency",
       "1000000 s"},
      {"ranks: 1, speed: 2", Errc::config_unknown_key, "/speed", "is not a key of this mapping"},
  };
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.deviation);
    const auto platform = parse_deviating("deviations: [{" + each.deviation + "}]\n");
    if (platform) {
      ADD_FAILURE() << "was accepted";
      continue;
    }
    EXPECT_EQ(name(platform.error().code), name(each.code)) << to_string(platform.error());
    EXPECT_THAT(platform.error().where, testing::EndsWith("/deviations/0" + each.place));
    EXPECT_THAT(platform.error().what, HasSubstr(each.what));
  }
}

TEST(Deviations, ARankDeviatesOnce) {
  const auto platform = parse_deviating("deviations: [{ranks: 4-9}, {ranks: 12}, {ranks: 0-4}]\n");
  ASSERT_FALSE(platform);
  EXPECT_EQ(platform.error().code, Errc::config_conflict);
  EXPECT_EQ(platform.error().where, "c.yaml:/deviations/2/ranks");
  EXPECT_EQ(platform.error().what, "rank 4 is already in /deviations/0");
}

TEST(Deviations, OfAMillionRanksAreRead) {
  std::string list;
  for (int i = 0; i < 100'000; ++i) list += "{ranks: " + std::to_string(i) + "}, ";
  Findings findings;
  const auto start = std::chrono::steady_clock::now();
  const auto platform = parse_cluster(
      "device: h100-sxm\nnetwork: [{block: switch, size: 1048576, link: nvlink4}]\ndeviations: [" +
          list + "{ranks: 100000-1048575}]\n",
      "c.yaml", findings);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "hangs";
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->deviations.size(), 100'001u);
  EXPECT_EQ(platform->deviations.back().ranks.size(), 948'576u);
}

}  // namespace
}  // namespace orrery::platform
