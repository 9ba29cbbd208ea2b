// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using nlohmann::json;
using result::testing::sample_run;

std::string write(const result::Run& run, const TimelineChoice& choice = {}) {
  std::string text;
  EXPECT_TRUE(write_chrome(run, choice, [&](std::string_view piece) {
    text += piece;
    return true;
  }));
  return text;
}

std::int64_t ns_of(const json& us) { return std::llround(us.get<double>() * 1000); }

TEST(Chrome, TellsTheSampleRun) {
  const json trace = json::parse(write(sample_run(4, 2)));
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
  std::map<std::string, int> phases;
  std::map<std::string, json> opened;  // flows
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> lanes;
  for (const json& event : trace["traceEvents"]) {
    ++phases[event["ph"]];
    const std::pair<int, int> lane{event["pid"], event["tid"]};
    if (event["ph"] == "X") {
      const std::int64_t start = ns_of(event["ts"]), end = start + ns_of(event["dur"]);
      if (!lanes[lane].empty()) {
        EXPECT_GE(start, lanes[lane].back().second);
      }
      lanes[lane].emplace_back(start, end);
      EXPECT_EQ(event["args"]["start_ps"].get<std::int64_t>(), start * 1000);
      EXPECT_EQ(event["args"]["duration_ps"].get<std::int64_t>(), (end - start) * 1000);
    } else if (event["ph"] == "s") {
      EXPECT_TRUE(opened.emplace(event["id"], event).second);
    }
    if (event["ph"] == "s" || event["ph"] == "f") {
      const std::int64_t at = ns_of(event["ts"]);
      const auto& slices = lanes[lane];
      EXPECT_TRUE(std::any_of(slices.begin(), slices.end(), [&](const auto& slice) {
        return slice.first <= at && at < slice.second;
      }));
    }
    if (event["ph"] == "f") {
      ASSERT_EQ(opened.count(event["id"]), 1u);
      EXPECT_LE(ns_of(opened[event["id"]]["ts"]), ns_of(event["ts"]));
      opened.erase(event["id"]);
    }
  }
  EXPECT_TRUE(opened.empty());
  EXPECT_EQ(phases["X"], 32);
  EXPECT_EQ(phases["f"], 8 + 5);  // messages, and steps of the path from span to span
  EXPECT_EQ(phases["C"], 4 * 3 + 5 * 5 + 2 * (3 + 2));
  EXPECT_EQ(phases["M"], 2 * (1 + 4 + 16));
}

TEST(Chrome, TimesAreExactDecimals) {
  result::Run run = sample_run(1, 1, false);
  run.timelines[0].spans[0].start = Time(1'234'567'890'123'400);
  run.timelines[0].spans[0].end = Time(1'234'567'890'124'499);
  const std::string text = write(run);
  EXPECT_NE(text.find("\"ts\":1234567890.123,\"dur\":0.001,"), std::string::npos);
  EXPECT_NE(text.find("\"start_ps\":1234567890123400,\"duration_ps\":1099"), std::string::npos);
}

TEST(Chrome, AnyNamesMakeValidJson) {
  result::Run run = sample_run(2, 1);
  run.timelines[0].spans[0].name = run.names.intern("\"\\\x01\xff\n</script>");
  run.timelines[0].spans[1].name = 0;
  run.groups[0].name = "\"}\xc3";
  run.dims[0].block = "\"";
  EXPECT_TRUE(json::accept(write(run)));
  EXPECT_TRUE(json::accept(write(result::Run{})));
}

TEST(Chrome, PartsHaveNoFlowsToWhatIsLeftOut) {
  TimelineChoice choice;
  choice.first_rank = choice.last_rank = 1;
  const json trace = json::parse(write(sample_run(4, 2), choice));
  std::map<std::string, int> phases;
  for (const json& event : trace["traceEvents"]) {
    ++phases[event["ph"]];
    EXPECT_TRUE(event["pid"] == 2 || event["pid"] == 5);
  }
  EXPECT_EQ(phases["X"], 8);
  EXPECT_EQ(phases["s"], phases["f"]);
}

TEST(Chrome, ASampleHasOneRankPerTimelineWithItsCount) {
  TimelineChoice choice;
  result::Run run = sample_run(4, 2, false);
  run.path.clear();
  choice.sample = std::make_shared<const RankSample>(sample_ranks(run));
  const json trace = json::parse(write(run, choice));
  std::vector<std::string> names;
  for (const json& event : trace["traceEvents"]) {
    EXPECT_TRUE(event["pid"] == 1 || event["pid"] == 5);
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"Cluster", "rank 0 + 3 identical"}));
}

TEST(Chrome, EqualRunsGiveEqualTextAndARefusingSinkStops) {
  EXPECT_EQ(write(sample_run(5, 7)), write(sample_run(5, 7)));
  int pieces = 0;
  EXPECT_FALSE(
      write_chrome(sample_run(5, 2000), {}, [&](std::string_view) { return ++pieces < 2; }));
  EXPECT_EQ(pieces, 2);
}

}  // namespace
}  // namespace orrery::report
