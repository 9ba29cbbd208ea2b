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
    EXPECT_EQ(std::count(made->parts.points.begin(), made->parts.points.end(), i),
              point.simulation ? 1 : 0);
    compared += point.estimate_off() ? 1 : 0;
    fronts += std::count(made->front.begin(), made->front.end(), i) == 1 ? 1 : 0;
    EXPECT_EQ(std::count(made->front.begin(), made->front.end(), i), point.front ? 1 : 0);
    EXPECT_GE(made->values[0][i], made->values[0][made->best]);
    ++i;
  }
  ASSERT_EQ(made->rivals.size(), found.rivals.size());
  EXPECT_GE(made->rivals.size(), 3u);
  for (std::size_t r = 0; r < made->rivals.size(); ++r) {
    EXPECT_NEAR(made->values[0][made->rivals[r].point] / made->values[0][made->best] - 1,
                made->rivals[r].behind, 1e-9);
    EXPECT_EQ(made->rivals[r].needs.size(), found.rivals[r].needed.size());
  }
  EXPECT_EQ(fronts, made->front.size());
  EXPECT_GE(compared, 20u);
  // Nobody knows what this device draws.
  for (const auto& figure : made->figures) EXPECT_NE(figure.name, "power");
  std::uint64_t lost = 0;
  for (const auto& [number, reason] : made->lost) lost += number;
  EXPECT_EQ(lost + made->count(), found.points.size() + found.refused);
}

TEST(ExplorePage, HasOfContinuousAxesTheValuesOfPoints) {
  std::string text = explore::small_space("sample: {how: random, points: 20}\n");
  const std::string range = "points: 3, scale: log";
  text.replace(text.find(range), range.size(), "scale: log");
  const SearchSpace space = explore::space_of(text);
  const Explored found = explore::explored(space);
  const auto made = explore_page(space, found, 1);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_LT(made->axes[4].labels.size(), 200u);
  EXPECT_GT(made->axes[4].labels.size(), 5u);
  std::size_t i = 0;
  for (const explore::Point& point : found.points) {
    if (!point.allowed) continue;
    EXPECT_EQ(made->axes[4].labels[made->at[4][i]],
              space.axes[4].labels[space.at(point.number)[4]]);
    ++i;
  }
}

TEST(ExploreText, SaysWhatOthersWouldNeed) {
  Explored found = looked_at();
  ASSERT_FALSE(found.rivals.empty());
  using explore::Need;
  found.rivals.resize(1);
  found.rivals[0].axis = "sharding";
  found.rivals[0].value = "none";
  found.rivals[0].behind = 0.25;
  found.rivals[0].needed = {{Need::part, "", 0.5, 0.4, {}, false, 1},
                            {Need::device_price, "", 2, 1.5, {}, false},
                            {Need::energy_price, "", 0.1, 0.25, {}, true},
                            {Need::axis, "nic", 0, 0, "12.5", true}};
  const std::string text = explore_text(priced(), found, 3, report::Style{});
  EXPECT_NE(text.find("What would have to be true for others to be as good in step:"),
            std::string::npos);
  EXPECT_NE(text.find("+25.0 %"), std::string::npos);
  EXPECT_NE(text.find("exposed -20 %; a device hour at 1.5, not 2; both with a kWh at 0.25, not "
                      "0.1; both with nic 12.5"),
            std::string::npos)
      << text;
  const std::string json = explore_json(priced(), found, 3);
  EXPECT_NE(json.find(R"("what": "device_price")"), std::string::npos) << json.substr(0, 2000);
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
