// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/size_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "orrery/model/collective/curves/curve_file.h"
#include "orrery/model/collective/curves/lin_curve.h"

namespace orrery::model {
namespace {

/// Two protocols: 5 us and 10 GB/s up to 1 MiB, then 30 us and 200 GB/s.
std::vector<SizedTime> two_protocols() {
  std::vector<SizedTime> points;
  for (std::int64_t bytes = 1024; bytes <= std::int64_t{1} << 30; bytes *= 2) {
    const double size = static_cast<double>(bytes);
    points.push_back({bytes, bytes <= 1 << 20 ? 5 + size / 1e4 : 30 + size / 2e5});
  }
  return points;
}

TEST(SizeCurve, FindsTheProtocols) {
  const SizeCurve curve = fit_curve(two_protocols());
  ASSERT_EQ(curve.segments().size(), 2u);
  EXPECT_NEAR(curve.segments()[0].latency_us, 5, 1e-6);
  EXPECT_NEAR(curve.segments()[0].us_per_byte, 1e-4, 1e-10);
  EXPECT_NEAR(curve.segments()[1].latency_us, 30, 1e-6);
  EXPECT_NEAR(curve.segments()[1].us_per_byte, 5e-6, 1e-12);
  EXPECT_EQ(curve.from(), 1024);
  EXPECT_EQ(curve.to(), std::int64_t{1} << 30);
  // Beyond what was measured the outer lines hold.
  EXPECT_NEAR(curve(0), 5, 1e-6);
  EXPECT_NEAR(curve(std::int64_t{1} << 33), 30 + 8589934592.0 / 2e5, 1e-3);
  EXPECT_LT(holdout_curve_error(two_protocols()).median, 1e-6);
}

TEST(SizeCurve, FitsLittle) {
  EXPECT_TRUE(fit_curve({}).empty());
  EXPECT_EQ(fit_curve({})(1024), 0);
  const std::vector<SizedTime> one = {{4096, 7.5}};
  EXPECT_EQ(fit_curve(one)(1), 7.5);
  EXPECT_EQ(fit_curve(one)(1 << 30), 7.5);
  const std::vector<SizedTime> falling = {{1024, 9}, {2048, 3}};  // no line with positive slope
  const SizeCurve flat = fit_curve(falling);
  EXPECT_EQ(flat.segments().front().us_per_byte, 0);
  EXPECT_GT(flat(1024), 0);
  const std::vector<SizedTime> through_zero = {{1000, 1}, {2000, 2}, {3000, 3}};
  EXPECT_NEAR(fit_curve(through_zero)(6000), 6, 1e-9);
  EXPECT_EQ(holdout_curve_error(through_zero).points, 0);
}

TEST(SizeCurve, FilesComeBack) {
  CollectiveCurve curve{.name = "h100-sxm all_reduce 2x8",
                        .device = "h100-sxm",
                        .library = "nccl 2.30",
                        .nodes = 2,
                        .ranks = 16,
                        .intra = 450,
                        .inter = 50,
                        .source = "a \"test\""};
  curve.curve = SizeCurve({{1 << 20, 12.5, 1e-4}, {1 << 30, 30, 5e-6}}, 512);
  curve.error = {0.025, 0.1, -0.1, 0.2, 18};
  const std::string text = write_curves({&curve, 1});
  const auto again = parse_curves(text, "curves.yaml");
  ASSERT_TRUE(again) << to_string(again.error());
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ(write_curves(*again), text);
  EXPECT_EQ(again->front().curve, curve.curve);
  EXPECT_EQ(again->front().ranks, 16);
}

TEST(SizeCurve, GoesThroughPoints) {
  const std::vector<SizedTime> points = {{1024, 9}, {4096, 8}, {8192, 20}, {65536, 20}};
  const SizeCurve curve = curve_through(points);
  for (const SizedTime& point : points) EXPECT_NEAR(curve(point.bytes), point.us, 1e-12);
  EXPECT_NEAR(curve(6144), 14, 1e-12) << "half way";
  EXPECT_EQ(curve(1), 9);
  EXPECT_NEAR(curve(1 << 30), 20, 1e-12) << "flat beyond, where the last line is";
  EXPECT_NEAR(curve_through({points.data(), 2})(1 << 30), 8, 1e-12) << "never below the last";
  EXPECT_NEAR(curve_through({points.data(), 3})(16384), 44, 1e-9);
  EXPECT_TRUE(curve_through({}).empty());
  // Half of its points determine a straight line exactly.
  const std::vector<SizedTime> line = {{1000, 2}, {2000, 3}, {3000, 4}, {4000, 5}, {5000, 6}};
  EXPECT_LT(holdout_curve_error(line, curve_through).p90, 1e-12);
  EXPECT_EQ(holdout_curve_error(line, curve_through).points, 3);
}

TEST(SizeCurve, PointsComeBackFromFiles) {
  CollectiveCurve curve{.name = "c", .device = "d", .driver = "D", .dtype = "half", .dropped = 2};
  curve.curve = curve_through(std::vector<SizedTime>{{512, 9.25}, {1024, 8.5}, {1 << 20, 1234.5}});
  curve.error = {0.01, 0.1, -0.05, 0.05, 1};
  CurveNotes notes;
  notes.made_by = "a test";
  notes.made_on = "2026-01-31";
  notes.made_from = {{"a.log", "00ff"}};
  notes.dropped = {{"outlier_dropped", 2}};
  notes.left_out = {{"d all_reduce", "older"}};
  const std::string text = write_curve_file(notes, {&curve, 1});
  EXPECT_NE(text.find("{to: \"512 B\", time: \"9250 ns\"}"), std::string::npos) << text;
  const auto again = parse_curves(text, "f");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(write_curves(*again), write_curves({&curve, 1}));
  EXPECT_EQ(again->front().driver, "D");
  EXPECT_EQ(again->front().dropped, 2);
  EXPECT_EQ(again->front().error, curve.error);
  for (const std::int64_t bytes : {1, 512, 800, 1024, 50'000, 1 << 20, 1 << 24})
    EXPECT_NEAR(again->front().curve(bytes) / curve.curve(bytes), 1, 1e-6) << bytes;
}

TEST(SizeCurve, RefusesDamagedFiles) {
  const std::string good =
      "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, latency: 5 us}]}\n";
  EXPECT_TRUE(parse_curves(good, "f"));
  for (const char* bad :
       {"", "[]", "{}", "- 3", "- {device: a}",
        "- {device: a, collective: none, ranks: 8, stretches: [{to: 1 MiB, latency: 5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 1, stretches: [{to: 1 MiB, latency: 5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: []}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, time: 0 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, time: 5 us, "
        "latency: 5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, time: 5 us, "
        "bandwidth: 5 GB/s}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 0, latency: 5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 2, nodes: 4, stretches: [{to: 1 MiB, "
        "latency: "
        "5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 2 MiB, latency: 5 us}, "
        "{to: 1 MiB, latency: 5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, latency: -5 us}]}",
        "- {device: a, collective: all_reduce, ranks: 8, stretches: [{to: 1 MiB, latency: 5 us, "
        "bandwidth: 0 GB/s}]}"}) {
    const auto curves = parse_curves(bad, "f");
    ASSERT_FALSE(curves) << bad;
    EXPECT_NE(curves.error().where.find('f'), std::string::npos);
  }
}

TEST(SizeCurve, BuiltInOnesCanBeRead) {
  const std::vector<std::string> devices = measured_devices();
  EXPECT_GE(devices.size(), 10u);
  std::size_t count = 0;
  for (const std::string& device : devices) {
    const auto curves = built_in_curves(device);
    count += curves.size();
    for (const CollectiveCurve& curve : curves) {
      EXPECT_EQ(curve.device, device);
      EXPECT_FALSE(curve.source.empty()) << curve.name;
      EXPECT_GT(curve.error.points, 0) << curve.name;
      EXPECT_LT(curve.curve(1024), 1000) << curve.name;
    }
  }
  EXPECT_EQ(count, 93u);
  EXPECT_TRUE(built_in_curves("tpu-v4").empty());
}

// A curve of the model itself gives its parameters back.
TEST(LinCurve, FitsItself) {
  LinCurve truth;
  truth.ln_p = 14;
  truth.sats_p = 28;
  truth.max_bw = 575;
  truth.L = 2.6;
  truth.x0 = 19;
  truth.k = 0.5;
  truth.b = 0.18;
  truth.overhead_us = 1.75 * (1 << 14) / (std::pow(10, 0.18 + 2.6 / (1 + std::exp(2.5))) * 1e3);
  std::vector<SizedTime> points;
  for (int p = 10; p <= 30; ++p) {
    const std::int64_t bytes = std::int64_t{1} << p;
    points.push_back({bytes, truth(bytes, 1.75)});
  }
  const LinCurve fitted = fit_lin_curve(points, 1.75);
  EXPECT_EQ(fitted.ln_p, 14);
  EXPECT_NEAR(fitted.sats_p, 28, 1);
  EXPECT_NEAR(fitted.k, truth.k, 0.01);
  EXPECT_NEAR(fitted.x0, truth.x0, 0.1);
  for (const SizedTime& point : points) {
    const bool above = point.bytes > std::int64_t{1} << 28;  // max_bw is what was reached
    EXPECT_NEAR(fitted(point.bytes, 1.75) / point.us, 1, above ? 0.03 : 0.02) << point.bytes;
  }
  EXPECT_EQ(bus_factor(graph::CollectiveType::all_reduce, 8), 1.75);
  EXPECT_EQ(bus_factor(graph::CollectiveType::all_to_all, 4), 0.75);
  EXPECT_EQ(bus_factor(graph::CollectiveType::broadcast, 4), 1);
  EXPECT_EQ(fit_lin_curve({}, 1).max_bw, 0);
}

}  // namespace
}  // namespace orrery::model
