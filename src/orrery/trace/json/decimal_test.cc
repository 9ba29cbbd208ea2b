// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace orrery::trace::json {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(FixedPoint, KeepsEveryDigit) {
  EXPECT_EQ(fixed_point("12.34", 6), 12'340'000);
  EXPECT_EQ(fixed_point("4458676522690.655", 6), 4'458'676'522'690'655'000);
  EXPECT_EQ(fixed_point("1712195495520854.8", 3), 1'712'195'495'520'854'800);
  EXPECT_EQ(fixed_point("0", 6), 0);
  EXPECT_EQ(fixed_point("-0.5", 3), -500);
  EXPECT_EQ(fixed_point("+7", 0), 7);
  EXPECT_EQ(fixed_point("5.", 1), 50);
  EXPECT_EQ(fixed_point(".5", 1), 5);
  EXPECT_EQ(fixed_point("\"12.5\"", 1), 125);
  EXPECT_EQ(fixed_point(" 12 ", 0), 12);
}

TEST(FixedPoint, CutsOffWhatIsSmaller) {
  EXPECT_EQ(fixed_point("1.9999", 3), 1999);
  EXPECT_EQ(fixed_point("-1.9999", 3), -1999);
  EXPECT_EQ(fixed_point("0.00000000000000000000000000000000000000000001", 6), 0);
}

TEST(FixedPoint, TakesExponents) {
  EXPECT_EQ(fixed_point("1.5e3", 3), 1'500'000);
  EXPECT_EQ(fixed_point("15E-1", 1), 15);
  EXPECT_EQ(fixed_point("1e-400", 6), 0);
  EXPECT_EQ(fixed_point("0e99999999999999999999", 6), 0);
  EXPECT_EQ(fixed_point("0.00000000000000000000000000000000000000001e44", 0), 1000);
}

TEST(FixedPoint, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "nan", "NaN", "inf", "Infinity", "-", ".", "1e", "1e+", "1.2.3",
                           "0x1F", "1 2", "null", "\"\"", "--1", "e5", "\"12"})
    EXPECT_EQ(fixed_point(text, 3), std::nullopt) << text;
}

TEST(FixedPoint, RefusesWhatDoesNotFit) {
  EXPECT_EQ(fixed_point("9223372036854775807", 0), kMost);
  EXPECT_EQ(fixed_point("-9223372036854775808", 0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fixed_point("9223372036854775808", 0), std::nullopt);
  EXPECT_EQ(fixed_point("18446744073709551616", 0), std::nullopt);
  EXPECT_EQ(fixed_point("99999999999999999999", 0), std::nullopt);
  EXPECT_EQ(fixed_point("9223372036854775807", 1), std::nullopt);
  EXPECT_EQ(fixed_point("1e308", 6), std::nullopt);
  EXPECT_EQ(fixed_point("1e99999999999999999999", 0), std::nullopt);
  EXPECT_EQ(fixed_point(std::string(400, '9'), 0), std::nullopt);
  EXPECT_EQ(fixed_point(std::string(400, '0') + "7", 0), 7);
}

TEST(FixedPointSince, FitsOnlyOnceTheOriginIsGone) {
  // Picoseconds of an epoch in microseconds have 22 digits.
  EXPECT_EQ(fixed_point_since("1661938466240491.123", 6, 1'661'938'466'000'000'000, 3),
            240'491'123'000);
  EXPECT_EQ(fixed_point_since("1661938466240491", 6, 1'661'938'466'240'492'000, 3), -1'000'000);
  EXPECT_EQ(fixed_point_since("0.0", 6, 1'661'938'466'240'492'000, 3), std::nullopt);
  EXPECT_EQ(fixed_point_since("nan", 6, 0, 3), std::nullopt);
  EXPECT_EQ(fixed_point_since("1e30", 6, 0, 3), std::nullopt);
  EXPECT_EQ(fixed_point_since("12", 0, 12'345, 3), 0);
}

RC_GTEST_PROP(FixedPoint, GivesBackWhatWasPrinted, (std::int64_t value)) {
  RC_ASSERT(fixed_point(std::to_string(value), 0) == value);
  RC_ASSERT(fixed_point(std::to_string(value) + ".000", 0) == value);
  const auto origin = *rc::gen::arbitrary<std::int32_t>();
  RC_ASSERT(fixed_point_since(std::to_string(origin), 3, origin - 1, 0) == 1000);
}

}  // namespace
}  // namespace orrery::trace::json
