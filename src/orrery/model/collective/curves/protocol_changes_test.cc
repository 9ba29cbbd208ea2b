// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/curves/protocol_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "orrery/model/collective/curves/curve_file.h"

namespace orrery::model {
namespace {

constexpr std::int64_t kChange = 3 << 19;  // 1.5 MiB, between two powers of two

std::optional<int> two_kinds(std::int64_t bytes) { return bytes <= kChange ? 1 : 2; }

/// 5 us and 10 GB/s as far as the change, then another latency and 200 GB/s.
double truth(std::int64_t bytes, double latency) {
  const double size = static_cast<double>(bytes);
  return bytes <= kChange ? 5 + size / 1e4 : latency + size / 2e5;
}

std::vector<SizedTime> points_of(double latency) {
  std::vector<SizedTime> points;
  for (std::int64_t bytes = 1 << 16; bytes <= 1 << 26; bytes *= 2)
    points.push_back({bytes, truth(bytes, latency)});
  return points;
}

// A straight line from 1 to 2 MiB was 23 % too fast behind the change.
TEST(ChangingCurve, KeepsBothLinesUpToTheChange) {
  const auto points = points_of(200);
  const SizeCurve curve = curve_with_protocol_changes(points, two_kinds);
  for (std::int64_t bytes = 1 << 16; bytes <= 1 << 26; bytes += 4093)
    ASSERT_NEAR(curve(bytes) / truth(bytes, 200), 1, 1e-9) << bytes;
  EXPECT_NEAR(curve(kChange) / truth(kChange, 200), 1, 1e-9);
  EXPECT_NEAR(curve(kChange + 1) / truth(kChange + 1, 200), 1, 1e-9);
  EXPECT_TRUE(curve.is_continuous()) << "it is still a curve through points";
  EXPECT_GT(holdout_curve_error(points, curve_through).p90, 0.05);
  const CurveMaker make = [](std::span<const SizedTime> retained) {
    return curve_with_protocol_changes(retained, two_kinds);
  };
  EXPECT_LT(holdout_curve_error(points, make).p90, 1e-9);
}

// Said to change at 1.5 MiB, but the lines cross at 1 MiB + 55 KiB.
TEST(ChangingCurve, ChangesEarlierWhereTheLinesMeet) {
  const auto points = points_of(110);
  const SizeCurve curve = curve_with_protocol_changes(points, two_kinds);
  double before = 0;
  for (std::int64_t bytes = 1 << 16; bytes <= 1 << 26; bytes += 4093) {
    const double size = static_cast<double>(bytes);
    ASSERT_NEAR(curve(bytes), std::min(5 + size / 1e4, 110 + size / 2e5), 1e-3) << bytes;
    ASSERT_GE(curve(bytes), before) << bytes;
    before = curve(bytes);
  }
}

TEST(ChangingCurve, StaysStraightWhereASideIsNotKnown) {
  const auto points = points_of(200);
  const SizeCurve straight = curve_through(points);
  EXPECT_EQ(curve_with_protocol_changes(points, {}), straight);
  EXPECT_EQ(curve_with_protocol_changes({}, two_kinds), SizeCurve());
  const ProtocolAt unknown = [](std::int64_t) { return std::nullopt; };
  EXPECT_EQ(curve_with_protocol_changes(points, unknown), straight);
  const ProtocolAt all_different = [](std::int64_t bytes) { return static_cast<int>(bytes); };
  EXPECT_EQ(curve_with_protocol_changes(points, all_different), straight);
  const ProtocolAt third_between = [](std::int64_t bytes) {
    return bytes <= kChange ? 1 : bytes < kChange + 1000 ? 3 : 2;
  };
  EXPECT_EQ(curve_with_protocol_changes(points, third_between), straight);
  const ProtocolAt with_last = [](std::int64_t bytes) { return bytes < 1 << 26 ? 1 : 2; };
  EXPECT_EQ(curve_with_protocol_changes(points, with_last), straight);
  std::vector<SizedTime> falls = points_of(200);
  for (std::size_t i = 5; i < falls.size(); ++i) falls[i].us -= 150;  // from 2 MiB
  ASSERT_LT(falls[5].us, falls[4].us);
  EXPECT_EQ(curve_with_protocol_changes(falls, two_kinds), curve_through(falls));
}

// Lines that lead beyond the other point stop at its time.
TEST(ChangingCurve, StaysBetweenItsPoints) {
  const std::vector<SizedTime> points = {
      {1000, 1}, {2000, 50}, {4000, 60}, {8000, 600}, {16000, 700}};
  const ProtocolAt at_3000 = [](std::int64_t bytes) { return bytes <= 3000 ? 1 : 2; };
  const SizeCurve curve = curve_with_protocol_changes(points, at_3000);
  double before = 0;
  for (std::int64_t bytes = 500; bytes < 20000; ++bytes) {
    ASSERT_GE(curve(bytes), before - 1e-9) << bytes;
    before = curve(bytes);
  }
  for (const SizedTime& point : points) EXPECT_NEAR(curve(point.bytes), point.us, 1e-9);
}

// Rounding lost a jump within one of 2^50 bytes: the times next to it were 25 % away.
TEST(ChangingCurve, JumpsAtAnySize) {
  std::vector<SizedTime> points;
  for (int p = 46; p <= 62; p += 2) points.push_back({std::int64_t{1} << p, p <= 52 ? 1e6 : 2e6});
  const std::int64_t change = 3ll << 52;
  const ProtocolAt runs_at = [&](std::int64_t bytes) { return bytes <= change ? 1 : 2; };
  const SizeCurve curve = curve_with_protocol_changes(points, runs_at);
  EXPECT_NE(curve, curve_through(points));
  EXPECT_NEAR(curve(change) / 1e6, 1, 1e-6);
  EXPECT_NEAR(curve(change + (change >> 19)) / 2e6, 1, 1e-6);
}

// A jump has to come back from a file.
TEST(ChangingCurve, ComesBackFromFiles) {
  CollectiveCurve curve{.name = "c", .device = "d"};
  curve.curve = curve_with_protocol_changes(points_of(200), two_kinds);
  const std::string text = write_curves({&curve, 1});
  const auto again = parse_curves(text, "f");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(write_curves(*again), text);
  for (const std::int64_t bytes : {std::int64_t{1} << 20, kChange - 1, kChange, kChange + 1,
                                   kChange + 2, std::int64_t{1} << 21, std::int64_t{1} << 30})
    EXPECT_NEAR(again->front().curve(bytes) / curve.curve(bytes), 1, 1e-4) << bytes;
}

}  // namespace
}  // namespace orrery::model
