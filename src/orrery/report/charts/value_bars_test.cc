// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/value_bars.h"

#include <gtest/gtest.h>

#include <limits>

namespace orrery::report {
namespace {

std::size_t count(const std::string& text, const std::string& of) {
  std::size_t found = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++found;
  return found;
}

TEST(ValueBars, PartsStandOneBehindTheOther) {
  ValueBars bars{"t <1>", "n", "ms", {"compute", "network"}, {{"g", {{"a", {1, 3}, "4 ms", 0}}}}};
  const std::string svg = value_bars_svg(bars);
  EXPECT_NE(svg.find("t &lt;1&gt;"), std::string::npos);
  EXPECT_NE(svg.find("x=\"250.0\" y=\"100.0\" width=\"110.0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("x=\"360.0\" y=\"100.0\" width=\"330.0\""), std::string::npos) << svg;
  EXPECT_EQ(count(svg, "<rect"), 5u) << "the page, two in the legend, two parts";
  EXPECT_EQ(svg, value_bars_svg(bars));
}

TEST(ValueBars, WhatIsNoNumberIsLeftOut) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = value_bars_svg({"t", "", "", {}, {{"", {{"a", {none}, "-", 0}}}}});
  EXPECT_EQ(count(svg, "<rect"), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace orrery::report
