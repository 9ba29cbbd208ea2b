// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/explore/exploration_testing.h"
#include "orrery/present/search/search_space_answer.h"

namespace orrery::present {
namespace {

using explore::ExplorationResult;
using explore::ExploreOptions;
using explore::Figure;
using explore::SearchSpace;

const SearchSpace& priced() {
  static const SearchSpace space =
      explore::space_of(explore::small_space("title: Small\nconstraints: [mfu > 0.05]\nobjectives: "
                                             "[step, memory]\nprices: {device: 2}\n"));
  return space;
}
const ExplorationResult& examined() {
  static const ExplorationResult found = explore::explored(priced());
  return found;
}

std::string text_of(const ExplorationResult& found, std::size_t rows) {
  return report::answer_text(
      [&](report::Answer& answer) { state_search_space(answer, priced(), found, rows); }, {});
}

TEST(ExplorePage, HasWhatIsAllowedInColumns) {
  const ExplorationResult& found = examined();
  const auto made = search_space_page(priced(), found, 2);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->count(), found.best.size());
  EXPECT_EQ(made->title, "Small");
  std::size_t i = 0, fronts = 0, compared = 0;
  for (const explore::Point& point : found.points) {
    if (!point.allowed) continue;
    const explore::Coordinates at = priced().at(point.number);
    for (std::size_t a = 0; a < at.size(); ++a) EXPECT_EQ(made->at[a][i], at[a]);
    for (std::size_t f = 0; f < made->metrics.size(); ++f) {
      const Figure figure = *explore::figure_named(made->metrics[f].name);
      EXPECT_EQ(made->values[f][i], point.figures[figure]);
    }
    EXPECT_EQ(made->plans[made->plan[i]], point.predicted().plan);
    EXPECT_EQ(made->estimated[i].count(), point.estimate->step);
    EXPECT_EQ(made->simulated[i].count(), point.simulation ? point.simulation->step : 0);
    EXPECT_EQ(std::count(made->parts.points.begin(), made->parts.points.end(), i),
              point.simulation ? 1 : 0);
    compared += point.estimate_error() ? 1 : 0;
    fronts += std::count(made->front.begin(), made->front.end(), i) == 1 ? 1 : 0;
    EXPECT_EQ(std::count(made->front.begin(), made->front.end(), i), point.front ? 1 : 0);
    EXPECT_GE(made->values[0][i], made->values[0][made->best]);
    ++i;
  }
  ASSERT_EQ(made->competitors.size(), found.competitors.size());
  EXPECT_GE(made->competitors.size(), 3u);
  for (std::size_t r = 0; r < made->competitors.size(); ++r) {
    EXPECT_NEAR(made->values[0][made->competitors[r].point] / made->values[0][made->best] - 1,
                made->competitors[r].behind, 1e-9);
    EXPECT_EQ(made->competitors[r].needs.size(), found.competitors[r].break_even.size());
  }
  EXPECT_EQ(fronts, made->front.size());
  EXPECT_GE(compared, 20u);
  // The power of this device is unknown.
  for (const auto& figure : made->metrics) EXPECT_NE(figure.name, "power");
  std::uint64_t rejected = 0;
  for (const auto& [number, reason] : made->rejected) rejected += number;
  EXPECT_EQ(rejected + made->count(), found.points.size() + found.refused);
}

TEST(ExplorePage, NamesTheUnitOfCosts) {
  const auto currency_of = [](const std::string& prices) {
    const SearchSpace space = explore::space_of(explore::small_space(prices));
    return search_space_page(space, explore::explored(space), 1)->currency;
  };
  EXPECT_EQ(currency_of("prices: {device: 2, currency: USD}\n"), "USD");
  EXPECT_EQ(currency_of("prices: {device: 2}\n"), "") << "not stated";
  EXPECT_EQ(currency_of(""), "device hours") << "without prices, a device hour costs 1";
}

TEST(ExplorePage, HasOfContinuousAxesTheValuesOfPoints) {
  std::string text = explore::small_space("sample: {how: random, points: 20}\n");
  const std::string range = "points: 3, scale: log";
  text.replace(text.find(range), range.size(), "scale: log");
  const SearchSpace space = explore::space_of(text);
  const ExplorationResult found = explore::explored(space);
  const auto made = search_space_page(space, found, 1);
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
  ExplorationResult found = examined();
  ASSERT_FALSE(found.competitors.empty());
  using explore::BreakEvenKind;
  found.competitors.resize(1);
  found.competitors[0].axis = "sharding";
  found.competitors[0].value = "none";
  found.competitors[0].relative_gap = 0.25;
  found.competitors[0].break_even = {{BreakEvenKind::part, "", 0.5, 0.4, {}, false, 1},
                                     {BreakEvenKind::device_price, "", 2, 1.5, {}, false},
                                     {BreakEvenKind::energy_price, "", 0.1, 0.25, {}, true},
                                     {BreakEvenKind::axis, "nic", 0, 0, "12.5", true}};
  const std::string text = text_of(found, 3);
  EXPECT_NE(text.find("Break-even: what each alternative needs to match the best step:"),
            std::string::npos);
  EXPECT_NE(text.find("+25.0 %"), std::string::npos);
  EXPECT_NE(text.find("exposed -20 %; a device hour at 1.5, not 2; both with a kWh at 0.25, not "
                      "0.1; both with nic 12.5"),
            std::string::npos)
      << text;
  const std::string json = report::answer_json(
      "search", [&](report::Answer& answer) { state_search_space(answer, priced(), found, 3); });
  EXPECT_NE(json.find(R"("what": "device_price")"), std::string::npos) << json.substr(0, 2000);
}

TEST(ExplorePage, IsTheSameWithAnyNumberOfThreads) {
  const auto one = search_space_page(priced(), examined(), 1);
  const auto three = search_space_page(priced(), examined(), 3);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(report::space_data(*one), report::space_data(*three));
}

// Once, only the worst of all differences stood below the table.
TEST(ExploreText, SaysOfEachPointHowFarItsEstimateIsOff) {
  const std::string text = text_of(examined(), 5);
  EXPECT_NE(text.find("est. error"), std::string::npos) << text;
  const auto& point = examined().points[examined().best.front()];
  ASSERT_TRUE(point.estimate_error());
  ExploreOptions options;
  options.evaluation = explore::Evaluation::estimate;
  const std::string estimated = text_of(explore::explored(priced(), options), 5);
  EXPECT_EQ(estimated.find("est. error"), std::string::npos) << estimated;
}

}  // namespace
}  // namespace orrery::present
