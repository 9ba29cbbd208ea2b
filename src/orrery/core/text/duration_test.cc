// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/duration.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Duration, IsParsedWithItsUnit) {
  const auto seconds = [](std::string_view text) { return parse_duration(text)->seconds; };
  EXPECT_EQ(seconds("90d"), 90 * 86400.0);
  EXPECT_EQ(seconds("90 days"), 90 * 86400.0);
  EXPECT_EQ(seconds(" 2.5 h "), 9000);
  EXPECT_EQ(seconds("10min"), 600);
  EXPECT_EQ(seconds("250 ms"), 0.25);
  EXPECT_EQ(seconds("5 y"), 5 * 365 * 86400.0);
  EXPECT_EQ(seconds("0"), 0);
}

TEST(Duration, ReportsWhatIsWrong) {
  const auto code = [](std::string_view text) { return parse_duration(text, "--x").error().code; };
  EXPECT_EQ(code("soon"), Errc::config_type);
  EXPECT_EQ(code(""), Errc::config_type);
  EXPECT_EQ(code("90"), Errc::config_unit);
  EXPECT_EQ(code("90 weeks"), Errc::config_unit);
  EXPECT_EQ(code("-1 h"), Errc::config_range);
  EXPECT_EQ(code("1e300 y"), Errc::config_range);
  EXPECT_EQ(parse_duration("90", "--deadline").error().where, "--deadline");
}

TEST(Duration, IsWrittenInAUnitThatIsReached) {
  EXPECT_EQ(format_duration(0.25), "250 ms");
  EXPECT_EQ(format_duration(2.835), "2.835 s");
  EXPECT_EQ(format_duration(119), "119 s");
  EXPECT_EQ(format_duration(600), "10 min");
  EXPECT_EQ(format_duration(11135), "3.093 h");
  EXPECT_EQ(format_duration(54 * 86400.0), "54 days");
  EXPECT_EQ(format_duration(1e12 * 86400.0), "1e+12 days");
  const Duration odd{12345.678};
  EXPECT_EQ(parse_duration(exact_duration(odd))->seconds, odd.seconds);
}

}  // namespace
}  // namespace orrery
