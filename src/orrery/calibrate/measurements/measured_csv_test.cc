// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measured_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/calibrate/measurements/measured_curves.h"
#include "orrery/calibrate/measurements/toy_runs_testing.h"

namespace orrery::calibrate {
namespace {

using ::testing::HasSubstr;
using namespace testing_runs;

TEST(MeasuredCsv, ReadsColumnsInAnyOrder) {
  const auto [set, findings] = parse(
      "\xEF\xBB\xBF# ours\n"
      "latency_us,gpu,\"nccl\",collective,dtype,gpus,bytes,min_us,nodes\r\n"
      "31.5,H100-SXM5,2.27.3,AllReduce,half,8,1048576,30,1\r\n"
      "\n"
      "7,\"A100, small\",,alltoall,,4,512,6,\n"
      "7,A100,,gather,,4,512,6,\n");
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 2u);
  EXPECT_EQ(set->rows[0].collective, "all_reduce");
  EXPECT_EQ(set->rows[0].device, "H100-SXM5");
  EXPECT_EQ(set->rows[0].library + set->rows[0].version, "nccl2.27.3");
  EXPECT_EQ(set->rows[0].ranks, 8);
  EXPECT_EQ(set->rows[0].nodes, 1);
  EXPECT_EQ(set->rows[1].device, "A100, small");
  EXPECT_EQ(set->rows[1].nodes, 0);
  EXPECT_EQ(findings.count(FindingCode::key_ignored), 1u);
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 1u);
}

TEST(MeasuredCsv, SaysWhatIsWrong) {
  const std::string header = "gpu,collective,gpus,bytes,time_us\n";
  const auto error = [&](const std::string& row) { return error_of(header + row); };
  EXPECT_THAT(error("a,all_reduce,8,1,1,1\n"), HasSubstr("toy.log:2: 6 cells"));
  EXPECT_THAT(error("a,all_reduse,8,1,1\n"), HasSubstr("did you mean \"all_reduce\"?"));
  EXPECT_THAT(error("a,all_reduce,8.5,1,1\n"), HasSubstr("is not a whole number (E2003)"));
  EXPECT_THAT(error("a,all_reduce,-8,1,1\n"), HasSubstr("E2009"));
  EXPECT_THAT(error("a,all_reduce,8,9223372036854775807,1\n"), HasSubstr("E2009"));
  EXPECT_THAT(error("a,all_reduce,8,99999999999999999999,1\n"), HasSubstr("E2003"));
  for (const char* time : {"-1", "0", "1e12"})
    EXPECT_THAT(error(std::string("a,all_reduce,8,1,") + time), HasSubstr("E2009")) << time;
  for (const char* time : {"nan", "inf", "1e999", "", "1 ms", "\xFF\xFE"})
    EXPECT_THAT(error(std::string("a,all_reduce,8,1,") + time), HasSubstr("is not a time")) << time;
  EXPECT_THAT(error("\"a,all_reduce,8,1,1\n"), HasSubstr("unclosed quote"));
  EXPECT_THAT(error(""), HasSubstr("E2011"));
  EXPECT_THAT(error_of("bytes,size,us\n"), HasSubstr("duplicates another column"));
  EXPECT_THAT(error_of("bytes,us\n1,2\n"), HasSubstr("no column for the collective"));
  EXPECT_EQ(parse("bytes,us\n1,2\n", {.collective = "send_recv"}).set->rows.size(), 1u);
}

TEST(MeasuredCurves, AreInOrderWithoutOutliers) {
  std::string text = "gpu,collective,gpus,bytes,us\n";
  for (const int bytes : {4096, 1024, 8192, 2048, 16384})
    text += fmt::format("a,all_reduce,8,{},{}\n", bytes, bytes == 4096 ? 90 : 10 + bytes / 1000);
  text += "a,all_reduce,8,1024,21\na,all_reduce,8,1024,16\n";
  text += "a,all_reduce,4,1024,10\na,all_reduce,4,2048,10\na,all_reduce,4,8192,10\n";
  auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  const auto curves = measured_curves(*set, findings);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].ranks, 8);
  EXPECT_EQ(curves[0].dropped, 1);
  const std::vector<model::SizedTime> points = {{1024, 16}, {2048, 12}, {8192, 18}, {16384, 26}};
  EXPECT_EQ(curves[0].points, points);
  EXPECT_EQ(findings.count(FindingCode::outlier_dropped), 1u);
  EXPECT_EQ(findings.count(FindingCode::measured_again), 1u);
  EXPECT_EQ(findings.count(FindingCode::curve_too_short), 1u);
}

TEST(MeasuredCurves, PreferOutOfPlace) {
  auto [set, findings] = parse(text_of({}, toy_times(5)));
  ASSERT_TRUE(set);
  auto curves = measured_curves(*set, findings);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_FALSE(curves[0].in_place);
  EXPECT_EQ(curves[0].points.size(), 5u);
  std::erase_if(set->rows, [](const MeasuredCollective& row) { return !row.in_place; });
  curves = measured_curves(*set, findings);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_TRUE(curves[0].in_place);
  EXPECT_TRUE(findings.empty());
}

}  // namespace
}  // namespace orrery::calibrate
