// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/network_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/calibrate/maker_hardware.h"
#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/calibrate/measurements/toy_runs_testing.h"
#include "orrery/model/collective/library/library_times.h"

namespace orrery::calibrate {
namespace {

using ::testing::HasSubstr;
using namespace testing_runs;

Result<NetworkCalibration> calibrate(std::string_view text, const NetworkOptions& options = {},
                                     const ReadOptions& reading = {}) {
  Outcome outcome = parse(text, reading);
  if (!outcome.set) return tl::unexpected(outcome.set.error());
  return calibrate_network(*outcome.set, options, outcome.findings);
}

std::string error_of_all(std::string_view text, const NetworkOptions& options = {}) {
  const auto made = calibrate(text, options);
  return made ? "none" : to_string(made.error());
}

std::string csv(std::string_view device, std::string_view collective, int gpus, double scale = 1) {
  std::string text;
  for (long bytes = 1024; bytes <= 1 << 24; bytes *= 4)
    text += fmt::format("{},{},{},{},{}\n", device, collective, gpus, bytes,
                        scale * (5 + static_cast<double>(bytes) / 1e5));
  return text;
}
constexpr const char* kHeader = "gpu,collective,gpus,bytes,us\n";

TEST(Network, NamesTheDeviceByItsDriver) {
  const auto made = calibrate(text_of({.ranks = 16, .hosts = 2, .factor = 1.875}, toy_times(6)));
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->curves.size(), 1u);
  const model::CollectiveCurve& curve = made->curves[0].curve;
  EXPECT_EQ(curve.name, "h100-sxm all_reduce 2x8");
  EXPECT_EQ(curve.driver, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(curve.library, "nccl 2.29.7");
  EXPECT_EQ(curve.dtype, "float");
  EXPECT_EQ(curve.ranks, 16);
  EXPECT_EQ(curve.nodes, 2);
  EXPECT_EQ(curve.error.points, 4);
  EXPECT_LT(curve.error.median, 0.01) << "latency and bandwidth: lines between sizes are exact";
  EXPECT_EQ(curve.curve(4096), 10.04);
  EXPECT_THAT(made->notes.tools, ::testing::ElementsAre("nccl-tests 2.18.0"));
  EXPECT_EQ(made->notes.left_out.size(), 0u);
  EXPECT_NEAR(made->curves[0].peak_bus_bandwidth(), 1.875 * 1048576 / (20.49 * 1e3), 0.01);
}

// It used to be passed over in silence.
TEST(Network, RefusesAnotherNameForAKnownDevice) {
  const std::string text = text_of({.ranks = 8, .factor = 1.75}, toy_times(6));
  EXPECT_EQ(error_of_all(text, {"h100-sxm"}), "none");
  EXPECT_THAT(error_of_all(text, {"a100-80gb"}), HasSubstr("is h100-sxm, not \"a100-80gb\""));
}

TEST(Network, KeepsDevicesApart) {
  const std::string two =
      kHeader + csv("Q200", "all_reduce", 8) + csv("R200", "all_reduce", 8);
  EXPECT_THAT(error_of_all(two), HasSubstr("the number of nodes"));
  EXPECT_THAT(error_of_all(two, {"h100-sxm"}), HasSubstr("cannot both be"));
  const auto made = calibrate(two, {}, {.nodes = 1});
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->curves.size(), 2u);
  EXPECT_EQ(made->curves[0].curve.device, "Q200") << "as it stands: no driver says so";
  EXPECT_EQ(
      calibrate(kHeader + csv("H100-SXM5", "all_reduce", 8), {"h100-sxm"})->curves[0].curve.device,
      "h100-sxm");
}

TEST(Network, SaysWhatNobodyTold) {
  const std::string nameless = "collective,gpus,bytes,us\n";
  const std::string rows =
      "all_reduce,8,1024,5\nall_reduce,8,2048,6\nall_reduce,8,4096,7\n"
      "all_reduce,8,8192,8\n";
  EXPECT_THAT(error_of_all(nameless + rows), HasSubstr("the measured device is not given"));
  EXPECT_THAT(error_of_all(kHeader + csv("h100-sxm", "all_reduce", 0)), HasSubstr("--ranks 8"));
  EXPECT_THAT(error_of_all(kHeader + csv("h100-sxm", "all_reduce", 64)), HasSubstr("--nodes 2"))
      << "more than a node of the maker's";
  EXPECT_THAT(error_of_all(kHeader + csv("h100-sxm", "sendrecv", 2)), HasSubstr("E2011"));
  EXPECT_THAT(error_of_all(kHeader + csv("h100-sxm", "all_reduce", 1)), HasSubstr("E2011"));
  Outcome outcome = parse(nameless + rows);
  const auto made = calibrate_network(*outcome.set, {"h100-sxm"}, outcome.findings);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->curves[0].curve.nodes, 1);
  EXPECT_EQ(outcome.findings.count(FindingCode::default_assumed), 1u);
}

// Of several measurements of a group: the library's own choice, the newest, the longest, half.
TEST(Network, TakesOneCurveOfAGroup) {
  const std::string header = "gpu,nccl,collective,dtype,gpus,bytes,us,algo,proto\n";
  const auto rows = [](const char* version, const char* dtype, double us, const char* algo = "") {
    std::string text;
    for (long bytes : {1024, 2048, 4096, 8192})
      text += fmt::format("h100-sxm,{},all_reduce,{},8,{},{},{},{}\n", version, dtype, bytes, us,
                          algo, *algo == '\0' ? "" : "LL");
    return text;
  };
  const auto made = calibrate(header + rows("2.9.1", "half", 1) + rows("2.29.2", "float", 2) +
                              rows("2.29.2", "half", 3) + rows("2.29.2", "half", 4, "Tree"));
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->curves.size(), 1u);
  EXPECT_EQ(made->curves[0].curve.curve(2048), 3);
  ASSERT_EQ(made->forced.size(), 1u);
  EXPECT_EQ(made->forced[0].algorithm, "tree");
  ASSERT_EQ(made->notes.left_out.size(), 3u);
  EXPECT_EQ(made->notes.left_out[0].what, "h100-sxm all_reduce 1x8 nccl 2.29.2 float");
  EXPECT_EQ(made->notes.left_out[0].why, "the curve is of nccl 2.29.2 half");
}

TEST(Network, DropsAColdFirstSize) {
  std::vector<std::pair<long, double>> times = toy_times(6);
  times[0].second = 300;
  Outcome outcome = parse(text_of({}, times));
  const auto made = calibrate_network(*outcome.set, {}, outcome.findings);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->curves[0].points.size(), 5u);
  EXPECT_EQ(made->curves[0].curve.dropped, 1);
  ASSERT_EQ(made->notes.dropped.size(), 1u);
  EXPECT_EQ(made->notes.dropped[0].why, "outlier_dropped");
  EXPECT_EQ(made->notes.dropped[0].count, 2) << "in place, too";
}

TEST(Network, KnowsWhenAndHowItWasMeasured) {
  const auto json = calibrate(
      R"({"version":4,"start_time":"2026-02-03 04:05:06","args":["all_reduce_perf"],
"env":["HOME=/secret","NCCL_ALGO=NVLSTree","NCCL_PROTO=Simple"],
"config":{"nthreads":1,"ngpus":8,"devices":[{"rank":0,"group":0,"hostname":"a","device_info":"NVIDIA H100 80GB HBM3"}]},
"results":[
{"size":1024,"type":"half","redop":"sum","out_of_place":{"time":10.0}},
{"size":2048,"type":"half","redop":"sum","out_of_place":{"time":11.0}},
{"size":4096,"type":"half","redop":"sum","out_of_place":{"time":12.0}},
{"size":8192,"type":"half","redop":"sum","out_of_place":{"time":13.0}}]})");
  ASSERT_TRUE(json) << to_string(json.error());
  EXPECT_EQ(json->notes.made_on, "2026-02-03");
  ASSERT_EQ(json->forced.size(), 1u);
  EXPECT_EQ(json->forced[0].algorithm, "nvlstree");
  EXPECT_EQ(json->forced[0].protocol, "simple");
  EXPECT_EQ(date_of(1'770'091'506'000'000), "2026-02-03") << "date -u -d @1770091506";
  EXPECT_EQ(date_of(1'709'164'800'000'000), "2024-02-29");
  EXPECT_EQ(date_of(5), "");
  EXPECT_EQ(leading_date("2026-2-3"), "");
}

// Settings before a program are its own; those that stand alone are of all that follow.
TEST(Network, HearsOfSettingsInLogs) {
  const std::string run = text_of({}, toy_times(4));
  const auto rows = [&](const std::string& text) {
    std::string algorithms;
    const auto parsed = parse(text);
    for (const MeasuredCollective& row : parsed.set->rows)
      if (!row.in_place && row.bytes == 1024)
        algorithms += row.algorithm + "/" + row.protocol + " ";
    return algorithms;
  };
  EXPECT_EQ(rows("$ NCCL_ALGO=Ring NCCL_PROTO='LL' ./all_reduce_perf -b 8\n" + run + run),
            "ring/ll / ")
      << "the second run has no settings";
  EXPECT_EQ(rows("+ export NCCL_ALGO=Tree\n" + run + "+ export NCCL_PROTO=LL128\n" + run +
                 "+ unset NCCL_ALGO\n" + run),
            "tree/ tree/ll128 /ll128 ");
  EXPECT_EQ(rows("mpirun -x NCCL_ALGO ./all_reduce_perf\n"
                 "n:1:2 [0] NCCL INFO NCCL_ALGO set by environment to NVLS.\n" +
                 run + run),
            "nvls/ / ");
}

TEST(Network, TakesTheFastestOfWhatWasForced) {
  const std::string a = "NCCL_ALGO=Ring NCCL_PROTO=LL ./all_reduce_perf\n";
  const std::string b = "NCCL_ALGO=NVLS NCCL_PROTO=Simple ./all_reduce_perf\n";
  std::vector<std::pair<long, double>> slow_start = toy_times(6), slow_end = toy_times(6);
  for (auto& [bytes, us] : slow_start) us = 25 + static_cast<double>(bytes) / 2e5;
  for (auto& [bytes, us] : slow_end) us = 8 + static_cast<double>(bytes) / 3e4;
  const auto made = calibrate(a + text_of({}, slow_end) + b + text_of({}, slow_start));
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->curves.size(), 1u);
  EXPECT_EQ(made->forced.size(), 2u);
  EXPECT_NEAR(made->curves[0].curve.curve(1024), 8.03, 0.01);
  EXPECT_NEAR(made->curves[0].curve.curve(1 << 20), 25 + 1048576 / 2e5, 0.01);
}

// 5000 sizes, and numbers that are as extreme as can be: what is written can be read.
TEST(Network, WritesWhatCanBeRead) {
  std::string text = kHeader;
  for (int i = 1; i <= 5000; ++i) text += fmt::format("h100-sxm,all_reduce,8,{},{}\n", i * 512, i);
  for (int i = 1; i <= 8; ++i)
    text += fmt::format("h100-sxm,all_gather,8,{},{}\n", std::int64_t{1} << (7 * i),
                        i % 2 == 0 ? 1e-300 : 9e8);
  const auto made = calibrate(text);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_LE(made->curves[0].points.size(), 1024u);
  EXPECT_EQ(made->curves[0].points.back().bytes, 5000 * 512);
  std::vector<model::CollectiveCurve> curves;
  for (const CalibratedCurve& one : made->curves) curves.push_back(one.curve);
  const auto again = model::parse_curves(model::write_curve_file(made->notes, curves), "f");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->size(), made->curves.size());
}

/// 10 us and 10 GB/s while NCCL runs what it does at 1 KiB, then 150 us and 100 GB/s.
double two_lines(const model::ProtocolAt& runs_at, std::int64_t bytes) {
  const double size = static_cast<double>(bytes);
  return runs_at(bytes) == runs_at(1024) ? 10 + size / 1e4 : 150 + size / 1e5;
}

// Between two sizes NCCL changes its protocol, and a straight line from one to the other was 28 %
// away. What simulations take from the file has to change where NCCL does.
TEST(Network, ChangesBetweenSizesWhereNcclDoes) {
  const auto runs_at = nccl_choices("h100-sxm", graph::CollectiveType::all_reduce, {8, 1});
  std::vector<std::pair<long, double>> times;
  for (long bytes = 1024; bytes <= 1 << 26; bytes *= 4)
    times.emplace_back(bytes, two_lines(runs_at, bytes));
  std::int64_t last = 1024;  // that runs as at 1 KiB
  while (runs_at(last + 1024) == runs_at(1024)) last += 1024;
  const auto made = calibrate(text_of({.ranks = 8}, times));
  ASSERT_TRUE(made) << to_string(made.error());
  const auto own = model::parse_curves(model::write_curves({&made->curves[0].curve, 1}), "c.yaml");
  ASSERT_TRUE(own) << to_string(own.error());
  const model::LibraryTimes library(*maker_hardware("h100-sxm"), "h100-sxm", *own);
  const auto off = [&](std::int64_t bytes) {
    const auto predicted = library(graph::CollectiveType::all_reduce, bytes, {8, 1});
    EXPECT_EQ(predicted.source, model::LibrarySource::measured);
    return static_cast<double>(predicted.time.count()) / 1e6 / two_lines(runs_at, bytes) - 1;
  };
  for (const std::int64_t bytes : {last / 2, last, last + 1024, 2 * last})
    EXPECT_NEAR(off(bytes), 0, 0.01) << bytes;
}

// Other libraries have other protocols, and what was forced does not change.
TEST(Network, GoesStraightWhereNcclDoesNotChoose) {
  std::vector<model::SizedTime> points;
  const auto type = graph::CollectiveType::all_reduce;
  const auto runs_at = nccl_choices("h100-sxm", type, {8, 1});
  for (std::int64_t bytes = 1024; bytes <= 1 << 26; bytes *= 4)
    points.push_back({bytes, two_lines(runs_at, bytes)});
  const auto curve_of = [&](const MeasuredSeries& measured, std::string_view device,
                            graph::CollectiveType of) {
    return curve_maker(measured, device, of, {8, 1})(points);
  };
  const model::SizeCurve straight = model::curve_through(points);
  EXPECT_NE(curve_of({}, "h100-sxm", type), straight);
  EXPECT_NE(curve_of({.library = "nccl"}, "h100-sxm", type), straight);
  EXPECT_EQ(curve_of({.library = "rccl"}, "h100-sxm", type), straight);
  EXPECT_EQ(curve_of({.algorithm = "ring", .protocol = "ll"}, "h100-sxm", type), straight);
  EXPECT_EQ(curve_of({}, "none", type), straight);
  EXPECT_EQ(curve_of({}, "h100-sxm", graph::CollectiveType::all_to_all), straight);
}

}  // namespace
}  // namespace orrery::calibrate
