// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/scatter_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Scatter with_points(std::size_t count) {
  Scatter scatter;
  scatter.title = "a <title>";
  scatter.across = "measured";
  scatter.up = "predicted";
  scatter.series = {"one", "two"};
  ScatterPanel panel{"class", "n", {}};
  std::uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 24);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 1e-6 * (1 + 9000 * next());
    panel.points.push_back({x, x * (0.5 + next()), static_cast<std::uint32_t>(i % 2)});
  }
  scatter.panels = {panel, panel, panel, panel, panel};
  return scatter;
}

TEST(Scatter, StandsAloneAndEscapesWhatItIsTold) {
  const std::string svg = scatter_svg(with_points(10));
  EXPECT_THAT(svg, HasSubstr("a &lt;title&gt;"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, HasSubstr("10 ms"));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_EQ(svg, scatter_svg(with_points(10)));
}

TEST(Scatter, ManyPointsBecomePlaces) {
  EXPECT_LT(scatter_svg(with_points(100'000)).size(), 160'000u);
  EXPECT_GT(scatter_svg(with_points(100)).size(), scatter_svg(with_points(50)).size());
}

TEST(Scatter, NothingIsDrawnOfNothing) {
  Scatter empty = with_points(0);
  EXPECT_THAT(scatter_svg(empty), HasSubstr("</svg>"));
  empty.panels.clear();
  EXPECT_THAT(scatter_svg(empty), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace orrery::report
