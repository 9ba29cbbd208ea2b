// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/nested_bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(NestedBars, AreAsLongAsTheyWin) {
  const std::string svg = nested_bars_svg(
      {"a & b", "of <all>", {{"half", 0.2, 0.4, "kernel"}, {"worse", -0.1, -0.1, "link"}}});
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("of &lt;all&gt;"));
  EXPECT_THAT(svg, HasSubstr("width=\"420.0\""));  // the longest takes all there is
  EXPECT_THAT(svg, HasSubstr("width=\"210.0\""));
  EXPECT_THAT(svg, HasSubstr("-10.0 %"));
  EXPECT_THAT(svg, Not(HasSubstr("width=\"-")));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(NestedBars, CanBeNone) { EXPECT_THAT(nested_bars_svg({}), HasSubstr("</svg>")); }

}  // namespace
}  // namespace orrery::report
