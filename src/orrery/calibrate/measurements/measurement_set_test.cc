// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measurement_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "orrery/calibrate/measurements/measured_curves.h"
#include "orrery/calibrate/measurements/toy_runs_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery::calibrate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using namespace testing_runs;

// The same measurements, written in every way that says them.
TEST(Measured, FormatsAgree) {
  const auto times = toy_times(6);
  std::string json = R"({"args":["all_reduce_perf"],"config":{"nthreads":1,"ngpus":2},"results":[)";
  std::string csv = "collective,gpus,bytes,us\n", log;
  for (const auto& [bytes, us] : times) {
    const double bandwidth = static_cast<double>(bytes) / (us * 1e3);
    json +=
        fmt::format(R"({}{{"size":{},"redop":"sum","out_of_place":{{"time":{:.6f},"alg_bw":{:.6f},)"
                    R"("bus_bw":{:.6f}}}}})",
                    bytes == times[0].first ? "" : ",", bytes, us, bandwidth, bandwidth);
    csv += fmt::format("all_reduce,2,{},{}\n", bytes, us);
    for (const int rank : {0, 1})
      log += fmt::format(
          R"({{"header":{{"id":"0x1","rank":{},"n_ranks":2}},"coll_perf":{{"coll":)"
          R"("AllReduce","coll_sn":{},"coll_msg_size_bytes":{},"coll_exec_time_us":{}}}}})"
          "\n",
          rank, bytes, bytes, us);
  }
  const std::string devices = R"({"rank":0,"hostname":"a","device_info":"toy"})";
  json.insert(json.find("2}") + 1, ",\"devices\":[" + devices + "]");
  for (const std::string& text :
       {text_of({.ranks = 2, .factor = 1}, times), json + "]}", csv, log}) {
    auto [set, findings] = parse(text);
    ASSERT_TRUE(set) << to_string(set.error());
    std::erase_if(set->rows, [](const MeasuredCollective& row) { return row.in_place; });
    ASSERT_EQ(set->rows.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(set->rows[i].collective, "all_reduce");
      EXPECT_EQ(set->rows[i].ranks, 2);
      EXPECT_EQ(set->rows[i].bytes, times[i].first);
      EXPECT_NEAR(set->rows[i].time_us, times[i].second, 0.005);
    }
    EXPECT_TRUE(findings.empty());
  }
}

TEST(MeasuredHostile, NothingIsReadOutOfNothing) {
  EXPECT_THAT(error_of(""), HasSubstr("E2011"));
  EXPECT_THAT(error_of("# size time algbw\n"), HasSubstr("E2011"));
  EXPECT_THAT(error_of(std::string_view("a\0b", 3)), HasSubstr("E2004"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("E2011"));
  EXPECT_THAT(error_of(std::string(1 << 20, '{')), HasSubstr("E2"));
  EXPECT_THAT(error_of("{\"coll_perf\":" + std::string(1 << 20, '[')), HasSubstr("E2011"));
  EXPECT_THAT(error_of(std::string(17 << 20, 'x')), HasSubstr("E4000"));
  EXPECT_THAT(error_of("{\"coll_perf\":\"" + std::string(17 << 20, 'x')), HasSubstr("E4000"));
}

TEST(MeasuredHostile, WideTables) {
  std::string commas, blanks;
  for (int i = 0; i < 1'000'000; ++i) {
    commas += ",c";
    blanks += " time";
  }
  EXPECT_THAT(error_of("bytes,us" + commas + "\n1,2\n"), HasSubstr("no column for the collective"));
  EXPECT_THAT(error_of("# size" + blanks + " algbw\n1 2 3\n"), HasSubstr("E2011"));
  const std::string good = text_of({}, toy_times(4));
  EXPECT_EQ(parse(good + "1024" + blanks + "\n").set->rows.size(), 8u);
}

// Every cut of a file gives rows or an error, never more rows than the whole.
TEST(MeasuredHostile, CutAnywhere) {
  const std::string text = text_of({}, toy_times(4));
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto [set, findings] = parse(text.substr(0, size));
    EXPECT_TRUE(!set || set->rows.size() <= 8) << size;
  }
}

TEST(MeasuredHostile, NumbersThatCannotBe) {
  const std::string header =
      "# Collective test starting: all_reduce_perf\n"
      "# size count type redop root time algbw busbw #wrong\n";
  for (const char* row :
       {"99999999999999999999 1 float sum -1 1 1 1 0", "1024 1 float sum -1 nan 1 1 0",
        "1024 1 float sum -1 -5 1 1 0", "1024 1 float sum -1 1 inf 1 0",
        "1024 1 float sum x 1 1 1 0", "1024 1 float sum -1 1e99999 1 1 0"}) {
    const auto [set, findings] = parse(header + row + "\n");
    EXPECT_FALSE(set) << row;
    EXPECT_EQ(findings.count(FindingCode::corrupt_record_dropped), 1u) << row;
  }
  const auto [set, findings] = parse(header + "0 0 float sum -1 0.00 0.00 0.00 0\n" +
                                     "4 1 fl\xFFoat sum -1 4.00 0.00 0.00 0\n");
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(set->rows[0].dtype, "fl?oat");
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 1u);
}

// Tables of others, where they are there.
TEST(RealMeasurements, BecomeCurves) {
  const fs::path folder = fs::path(core_testing::kSourceFolder) / "../shared/data/kernels";
  if (!fs::exists(folder))
    GTEST_SKIP() << "the measured tables are not next to the project (../shared/data/kernels)";
  struct Table {
    const char* name;
    std::size_t rows, devices;
  };
  for (const Table& table :
       {Table{"nccl_intranode_aiconfigurator", 2358, 3}, Table{"nccl_more", 4620, 6},
        Table{"collectives_pipeweave", 3059, 6}}) {
    Findings findings;
    const auto set =
        read_measurements({(folder / (std::string(table.name) + ".csv.gz")).string()}, findings);
    ASSERT_TRUE(set) << to_string(set.error());
    EXPECT_EQ(set->rows.size(), table.rows) << table.name;
    std::set<std::string> devices;
    std::size_t points = 0;
    for (const MeasuredCurve& curve : measured_curves(*set, findings)) {
      devices.insert(curve.device);
      points += curve.points.size();
      EXPECT_GE(curve.points.size(), 4u);
    }
    EXPECT_EQ(devices.size(), table.devices) << table.name;
    EXPECT_EQ(points + findings.count(FindingCode::outlier_dropped), table.rows) << table.name;
    EXPECT_EQ(findings.count(FindingCode::curve_too_short), 0u) << table.name;
  }
}

}  // namespace
}  // namespace orrery::calibrate
