// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/explore_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/explore/explore_testing.h"
#include "orrery/present/explore_text.h"

namespace orrery::present {
namespace {

using explore::Explored;
using explore::ExploreOptions;
using explore::Figure;
using explore::SearchSpace;

const SearchSpace& priced() {
  static const SearchSpace space =
      explore::space_of(explore::small_space("title: Small\nconstraints: [mfu > 0.05]\nobjectives: "
                                             "[step, memory]\nprices: {device: 2}\n"));
  return space;
}
const Explored& looked_at() {
  static const Explored found = explore::explored(priced());
  return found;
}

TEST(ExplorePage, HasWhatIsAllowedInColumns) {
  const Explored& found = looked_at();
  const auto made = explore_page(priced(), found, 2);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->count(), found.best.size());
  EXPECT_EQ(made->title, "Small");
  std::size_t i = 0, fronts = 0, compared = 0;
  for (const explore::Point& point : found.points) {
    if (!point.allowed) continue;
    const explore::At at = priced().at(point.number);
    for (std::size_t a = 0; a < at.size(); ++a) EXPECT_EQ(made->at[a][i], at[a]);
    for (std::size_t f = 0; f < made->figures.size(); ++f) {
      const Figure figure = *explore::figure_named(made->figures[f].name);
      EXPECT_EQ(made->values[f][i], point.figures[figure]);
    }
    EXPECT_EQ(made->plans[made->plan[i]], point.told().plan);
    EXPECT_EQ(made->estimated[i].count(), point.estimate->step);
    EXPECT_EQ(made->simulated[i].count(), point.simulation ? point.simulation->step : 0);
    EXPECT_EQ(made->shares[i].has_value(), point.simulation.has_value());
    compared += point.estimate_off() ? 1 : 0;
    fronts += std::count(made->front.begin(), made->front.end(), i) == 1 ? 1 : 0;
    EXPECT_EQ(std::count(made->front.begin(), made->front.end(), i), point.front ? 1 : 0);
    EXPECT_GE(made->values[0][i], made->values[0][made->best]);
    ++i;
  }
  EXPECT_EQ(fronts, made->front.size());
  EXPECT_GE(compared, 20u);
  // Nobody knows what this device draws.
  for (const auto& figure : made->figures) EXPECT_NE(figure.name, "power");
  std::uint64_t lost = 0;
  for (const auto& [number, reason] : made->lost) lost += number;
  EXPECT_EQ(lost + made->count(), found.points.size() + found.refused);
}

TEST(ExplorePage, IsTheSameWithAnyNumberOfThreads) {
  const auto one = explore_page(priced(), looked_at(), 1);
  const auto three = explore_page(priced(), looked_at(), 3);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(report::space_data(*one), report::space_data(*three));
}

// Once, only the worst of all differences stood below the table.
TEST(ExploreText, SaysOfEachPointHowFarItsEstimateIsOff) {
  const std::string text = explore_text(priced(), looked_at(), 5, {});
  EXPECT_NE(text.find("est. off"), std::string::npos) << text;
  const auto& point = looked_at().points[looked_at().best.front()];
  ASSERT_TRUE(point.estimate_off());
  ExploreOptions options;
  options.gear = search::Gear::estimate;
  const std::string estimated = explore_text(priced(), explore::explored(priced(), options), 5, {});
  EXPECT_EQ(estimated.find("est. off"), std::string::npos) << estimated;
}

}  // namespace
}  // namespace orrery::present
